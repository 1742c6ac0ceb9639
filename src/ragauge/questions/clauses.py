"""Clauses of English sentences: the subject, the verb and the rest, where the rules are sure of them."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.numbers import quantities

TOKEN = re.compile(r"[$€£]?\d(?:[\d.,:/-]*\d)?[%\w]*|\w+(?:[.'’/-]\w+)*|--?\w[\w-]*|[^\w\s]")
MAX_SUBJECT, MAX_REST, MIN_CLAUSE = 9, 24, 4
"""Tokens of a subject, of what follows the verb, and of a clause."""


def set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


BE = set_of("is are was were")
MODALS = set_of("can could may might must shall should will would cannot")
HAVE, DO = set_of("has have had"), set_of("does do did")
AUXILIARIES = BE | MODALS | HAVE | DO
ARTICLES = set_of("the a an")
PREPOSITIONS = set_of(
    """of in on at to for from by with within without after before during until since between among over under above
    below through across against into onto about around near per via toward towards behind beyond inside outside"""
)
DETERMINERS = ARTICLES | set_of(
    "each every any no all some most many several both its their his her my our your whose"
)
POINTING = set_of(
    """it they them this these those he she him we us our ours i my me here following such same other
    others another former latter itself themselves there"""
)
"""Words that point to something outside of the sentence."""
OF_THE_PAGE = set_of(
    "page figure table document text passage section chapter example paragraph column row list note appendix"
)
JOINING = set_of(
    """that which who whom whose where when while if unless because although though whereas since as than so but or
    nor whether how what why not n't once"""
)
ADVERBS = set_of(
    "also always only usually often never not now currently typically normally generally still then already just"
)
CONDITIONS = set_of("if unless except provided only but although though whereas until once when")
NO_SUBJECT = set_of(
    """early late nearby inside outside there here both one some many few each what no nobody whoever please let yes any first second third today perhaps
    then now however therefore thus tomorrow yesterday either neither everything anything something half and none"""
)
OTHERS = set_of("his her its their my our us")
"""Whose they are only the sentences before say."""
NO_LEAD = set_of("addition fact general contrast example particular short total case most")
NOT_ADVERBS = set_of(
    "family assembly supply reply italy july monthly weekly daily yearly early only fly"
)
VAGUE = set_of(
    """cause reason result difference point problem idea purpose aim goal way thing case question answer rest others end
    number amount part kind side effect example time day place change fact order one ones company man woman group team
    film book city country area building family boy girl agency organization university government court author authors
    report study site website game band couple victim suspect official review work process event story movie town"""
)
"""Nouns that say too little alone: `the main cause`, `the American company`."""
CUTS = re.compile(
    r"\s*(?:[;:,–—]|\s-\s|\b(?:and|but|or|so|because|which|who|while|whereas|although|though)\b)"
)

BROKEN_OFF = re.compile(
    r"-|,(?! (?:and|but|which|who|where|so|an?|the|with|in|on|at|from|for|after|before|because)\b)"
)
"""What begins the ending of a clause from which its last words cannot be kept."""


class Clause(NamedTuple):
    """A clause: `auxiliary` `subject` `main` `rest` in this order is its yes/no question.

    `verb`: the verb as it is written, before `rest`. `lead`: what stood before the subject, at its end
    now. `ending`: what was cut off behind it. `is_negative`: it denies what it says.
    """

    subject: str
    auxiliary: str
    main: str
    verb: str
    rest: str
    lead: str = ""
    ending: str = ""
    is_negative: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether what it says ends where its rest ends."""
        return not BROKEN_OFF.match(self.ending)

    def asked(self, rest: str | None = None) -> str:
        """The clause in the order of a question, with another rest."""
        rest = self.rest if rest is None else rest
        parts = (self.auxiliary, self.subject, self.main, rest, self.lead)
        return " ".join(part for part in parts if part)


@cache
def verbs() -> Mapping[str, tuple[str, str, str]]:
    """By form: the base, what the form is (`base`, `third`, `past`, `participle`) and the past tense."""
    table = tomllib.loads((resources.files("ragauge.questions") / "verbs.toml").read_text("utf-8"))
    known: dict[str, tuple[str, str, str]] = {}
    triples = [tuple(each.split()) for each in table["irregular"].split(";")]
    irregular = {base for base, *_ in triples}
    triples += [
        (base, _past(base), _past(base))
        for base in table["regular"].split()
        if base not in irregular
    ]
    for base, past, participle in triples:
        third = "has" if base == "have" else _third(base)
        forms = {"participle": participle, "past": past, "base": base, "third": third}
        known |= {form: (base, kind, past) for kind, form in forms.items()}
    known["found"] = ("find", "past", "found")
    return known


def _third(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if re.search(r"[^aeiou]y$", base) else base + "s"


DOUBLED = set_of(
    "permit submit refer transfer stop ship plan ban equip map control enrol commit occur log admit star wrap tag"
)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return base + base[-1] + "ed" if base in DOUBLED else base + "ed"


def third_of(participle: str) -> str:
    """The present that belongs to a participle: `leads` of `led`."""
    return _third(verbs()[participle][0])


def past_of(participle: str) -> str | None:
    """The past tense that belongs to a participle: `founded` of `founded`, `wrote` of `written`."""
    return verbs()[participle][2] if participle in verbs() else None


@dataclass(frozen=True)
class Names:
    """How the documents write words inside of sentences: which are names, and what `the hut` may be."""

    capital: Counter[str] = field(default_factory=Counter[str])
    small: Counter[str] = field(default_factory=Counter[str])
    by_head: Mapping[str, Mapping[str, Counter[str]]] = field(
        default_factory=dict[str, Mapping[str, Counter[str]]]
    )

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> "Names":
        capital, small = Counter[str](), Counter[str]()
        by_head: dict[str, dict[str, Counter[str]]] = {}
        for document, text in texts.items():
            heads = by_head.setdefault(document, defaultdict(Counter[str]))
            for found in re.finditer(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                word = found[1]
                (capital if word[0].isupper() else small)[word.lower()] += 1
            for found in re.finditer(r"\b([Tt]he|[Aa]n?) ([a-z]+)\b( of\b)?", text):
                article = "the" if found[1].lower() == "the" else "a"
                noun = f"{article} {found[2]}"
                small.update([noun, f"{noun} of"] if found[3] else [noun])
            for found in re.finditer(r"(?:[A-Z][\w’'-]+ ){1,3}[A-Z][\w’'-]+", text):
                words = found[0].split()
                if words[0].lower() in ARTICLES | OTHERS | POINTING | JOINING | PREPOSITIONS:
                    words = words[1:]
                is_plain = all(re.search(r"[a-z]", word) for word in words)
                if (
                    len(words) > 1
                    and is_plain
                    and not {word.lower() for word in words} & AUXILIARIES
                ):
                    heads[words[-1].lower()][" ".join(words)] += 1
        return cls(capital, small, by_head)

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        lower = word.lower()
        if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        return self.capital[lower] > self.small[lower]

    def is_common(self, word: str) -> bool:
        return self.small[word.lower()] > 0

    def resolved(self, head: str, document: str, least: int = 1) -> str | None:
        """The one name of the document that ends with this word, if it occurs this often."""
        found = self.by_head.get(document, {}).get(head, Counter[str]())
        return next(iter(found)) if len(found) == 1 and found.total() >= least else None


def clauses(sentence: str, names: Names, document: str) -> Iterator[Clause]:
    """The clauses of a sentence that could be read with certainty, each standing alone.

    `X has 30 beds and costs £5` gives two: both verbs have the same subject.
    """
    if re.search(
        r"(?:n['’]t|['’](?:ve|d|re|ll|m)|\b(?:[Hh]e|[Ss]he|[Ii]t|[Tt]hat|[Ww]ho|[Tt]here|[Ww]hat)['’]s)\b",
        sentence,
    ):
        return  # speech
    for piece in re.split(r";\s+(?:and |or )?", sentence.rstrip(" .!。")):
        clause = _clause(piece, names, document)
        while clause is not None:
            yield clause
            joined = re.match(r",? ?(?:and|but) (?P<more>.+)", clause.ending)
            clause = _next_clause(clause, joined["more"], names, document) if joined else None


def _next_clause(before: Clause, piece: str, names: Names, document: str) -> Clause | None:
    """What is joined to a clause: another verb of its subject, or a clause of its own."""
    first = piece.split(" ", 1)[0].lower()
    is_verb = first in AUXILIARIES or (
        first in verbs() and _kind(first) == _kind(before.verb) and before.main
    )
    if not is_verb:
        return _clause(piece[0].upper() + piece[1:], names, document)
    rest, ending = cut(piece[len(first) :].strip())
    return _with_verb(before.subject, first, rest, "", ending) if _may_end(rest, ending) else None


def _kind(verb: str) -> str:
    return verbs()[verb][1] if verb in verbs() else ""


def _clause(piece: str, names: Names, document: str) -> Clause | None:
    lead, piece = _without_lead(piece)
    there = re.match(r"There (?P<verb>are|were) (?P<rest>(?:\w+ ){2}.*)", piece)
    if there:
        rest, ending = cut(there["rest"])
        is_whole = _may_end(rest, ending) and not lead
        return (
            Clause("there", there["verb"], "", there["verb"], rest, "", ending)
            if is_whole
            else None
        )
    tokens = list(TOKEN.finditer(piece))
    if len(tokens) < MIN_CLAUSE or piece.rstrip().endswith("?"):
        return None
    words = [token[0].lower() for token in tokens]
    at = _verb_at(words)
    if at is None:
        return None
    before = [word for word in words[:at] if not _is_adverb(word)]
    if words[: len(before)] != before:
        return None
    subject = _subject(piece[: tokens[len(before)].start()].strip(), before, names, document)
    if subject is None:
        return None
    adverb = piece[tokens[len(before)].start() : tokens[at].start()].strip()
    rest, ending = cut(piece[tokens[at].end() :].strip())
    if not _may_end(rest, ending):
        return None
    return _with_verb(subject, words[at], rest, lead, ending, adverb)


def _with_verb(
    subject: str, verb: str, rest: str, lead: str, ending: str, adverb: str = ""
) -> Clause | None:
    following = [word.lower() for word in rest.split()[:2]] + ["", ""]
    second = following[1] if _is_adverb(following[0]) else following[0]
    is_perfect = verb in HAVE and (second == "been" or is_participle(second))
    if verb == "cannot":
        return Clause(subject, "can", "", verb, rest, lead, ending, is_negative=True)
    if verb in BE | MODALS or is_perfect or (verb in DO and following[0] == "not"):
        is_negative = following[0] in ("not", "never")
        auxiliary = "may" if verb == "must" and is_negative else verb
        rest = " ".join(rest.split()[1:]) if is_negative else f"{adverb} {rest}".strip()
        return Clause(subject, auxiliary, "", verb, rest, lead, ending, is_negative)
    if verb in DO or verb not in verbs() or (verb in HAVE and is_participle(second)):
        return None
    auxiliary = {"third": "does", "base": "do"}.get(_kind(verb), "did")
    if auxiliary == "do" and not _is_many(subject):
        auxiliary = "did"
    if auxiliary == "does" and " and " in subject:
        return None
    main = f"{adverb} {verbs()[verb][0]}".strip()
    return Clause(subject, auxiliary, main, verb, rest, lead, ending)


def _is_many(subject: str) -> bool:
    words = re.split(r" (?:of|in|at|for|on|from|with|to|by) ", subject.lower())[0].split()
    return is_plural(words[-1]) or "and" in words or words[-1] == "you"


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in NOT_ADVERBS)


def is_participle(word: str) -> bool:
    """Whether a word may be a past participle."""
    return _kind(word) in ("past", "participle") or (word.endswith("ed") and len(word) > 4)


def _without_lead(piece: str) -> tuple[str, str]:
    """A phrase of time or place before the subject, and the rest: `In 1968, the circle …`."""
    found = re.match(r"((?:In|On|During|Since|At|Under|For) [^,;:]{2,50}), (?=\S)", piece)
    if found is None:
        return "", piece
    words = found[1].split()
    if {word.lower() for word in words[1:]} & (AUXILIARIES | POINTING | JOINING | NO_LEAD):
        return "", ""
    return f"{words[0].lower()} {' '.join(words[1:])}", piece[found.end() :]


def _verb_at(words: Sequence[str]) -> int | None:
    """Where the finite verb stands; None if more than one word may be it."""
    for at, word in enumerate(words[: MAX_SUBJECT + 2]):
        before = next((each for each in reversed(words[:at]) if not _is_adverb(each)), "")
        if (
            word in JOINING
            or word in ",;:()"
            or word == "to"
            or (at and before == "you" and at > 1)
        ):
            return None
        if at and (word in AUXILIARIES or _may_be_verb(word, before, words[at + 1 : at + 3])):
            is_reduced = (
                _kind(word) == "past"
                and words[at + 1 : at + 2][0:1]
                and words[at + 1] in PREPOSITIONS
            )
            return None if _has_second_verb(words[at + 1 :], is_strict=bool(is_reduced)) else at
    return None


def _may_be_verb(word: str, before: str, after: Sequence[str]) -> bool:
    if (
        word not in verbs()
        or before in DETERMINERS | PREPOSITIONS | {"", "and", "or"}
        or "'" in before
        or "’" in before
    ):
        return False
    following = next((each for each in after if not _is_adverb(each)), "")
    if _kind(word) == "base":
        return is_plural(before) or before == "you"
    if following in AUXILIARIES or _kind(following) == "third":
        return False
    if _kind(word) == "third":
        is_noun = _kind(following) == "base" and word != "helps"  # `the tests find …`
        return not is_noun and not is_plural(before) and following not in ("of", "and", "")
    return _kind(word) == "past" and following != "by"


def _has_second_verb(words: Sequence[str], *, is_strict: bool) -> bool:
    """Whether another finite verb follows that nothing joins: then the first one may be none."""
    for at, word in enumerate(words):
        if word in JOINING or word in ",;:–—" or (word in ("and", "to") and not is_strict):
            return False
        before = words[at - 1]
        is_verb = word in AUXILIARIES or (
            is_strict
            and _kind(word) in ("past", "third", "base")
            and before not in DETERMINERS | PREPOSITIONS
        )
        if at and is_verb and before not in ("and", "to"):
            return True
    return False


def _subject(text: str, words: Sequence[str], names: Names, document: str) -> str | None:
    """The subject as it stands in a question; None if it does not stand alone."""
    if not _stands_alone(text, words, names):
        return None
    if words[0] == "the" and len(words) == 2:
        name = names.resolved(words[1], document)
        is_known = names.small[f"the {words[1]}"] >= 3 and words[1] not in VAGUE
        return f"the {name or words[1]}" if name or is_known else None
    longer = names.by_head.get(document, {}).get(words[0])
    if len(words) == 1 and text[0].isupper() and longer:
        return names.resolved(words[0], document, 2) or (text if len(longer) == 1 else None)
    is_named = bool(re.search(r"\s[A-Z]", text)) or bool(set(words) & PREPOSITIONS)
    if words[0] == "the" and words[-1] in VAGUE and not is_named:
        return None
    return _in_question(text, words, names)


def _stands_alone(text: str, words: Sequence[str], names: Names) -> bool:
    """Whether the words before a verb may be one noun phrase that names a thing by itself."""
    if not 0 < len(words) <= MAX_SUBJECT or not text[0].isalnum():
        return False
    content = [word for word in words if word not in DETERMINERS | PREPOSITIONS | {"and"}]
    is_one_phrase = all(
        word not in DETERMINERS or before in DETERMINERS | PREPOSITIONS | {"and"}
        for before, word in pairwise(words)
    )
    is_verb = _kind(words[0]) in ("base", "third") or (
        is_participle(words[0]) and (len(words) == 1 or words[1] in PREPOSITIONS)
    )
    is_placeholder = any(
        len(word) > 1 and word.isupper() and names.is_common(word) for word in text.split()
    )
    return not (
        words[0] in PREPOSITIONS | NO_SUBJECT
        or words[0].endswith("ing")
        or (
            is_verb and not names.is_name(text.split(" ")[0]) and not names.small[f"the {words[0]}"]
        )
        or _is_adverb(words[0])
        or set(words) & (POINTING | OF_THE_PAGE | JOINING | AUXILIARIES | OTHERS | set("!?…"))
        or words[-1] in PREPOSITIONS | DETERMINERS | {"and"}
        or len(set(content)) < len(content)
        or not content
        or not is_one_phrase
        or is_placeholder
        or (len(words) == 1 and (len(text) < 2 or quantities(text)))
        or re.search(r"(?:[A-Z]\S* ){4}[A-Z]", text)
    )


def _in_question(text: str, words: Sequence[str], names: Names) -> str:
    """A subject in the middle of a sentence: with a small letter unless it begins with a name."""
    first, _, others = text.partition(" ")
    is_common = (
        not others[:1].isupper()
        and not names.is_name(first)
        and (
            bool(others and not names.capital[words[0]])
            or names.is_common(first)
            or is_plural(words[-1])
        )
    )
    is_small = words[0] in DETERMINERS or bool(quantities(words[0])) or is_common
    return text[0].lower() + text[1:] if is_small else text


def cut(rest: str) -> tuple[str, str]:
    """The rest up to where another clause or a remark begins, and what was cut off."""
    rest = re.sub(r"\s*\([^()]*\)", "", rest)
    for found in CUTS.finditer(rest):
        behind = rest[found.end() :].lstrip()
        sign = found[0].strip()
        if rest[found.start() : found.end() + 1].strip()[:2][1:].isdigit():  # 18:30
            continue
        if sign == "," and re.match(r"\d{3}\b|(?:19|20)\d\d\b", behind):
            continue
        if sign in (",", "and", "or") and _goes_on_listing(rest[: found.start()], sign, behind):
            continue
        return rest[: found.start()].strip(), rest[found.start() :].strip()
    return rest, ""


def _goes_on_listing(before: str, sign: str, behind: str) -> bool:
    """Whether a comma or `and` joins items of a list and not clauses."""
    if sign == ",":
        if re.match(r"(?:an?|the) [a-z]", behind) and re.search(r"[A-Z][\w’'-]+$", before):
            return False  # what a name is: `Ida Merrow, a schoolteacher`
        items = re.split(r", (?:and |or )?| and | or ", behind)
        is_list = bool(
            re.search(r"^[^,;]{2,50}(?:, [^,;]{2,50})*,? (?:and|or) ", behind)
        ) or behind.startswith(("and ", "or "))
        return is_list and not any(_is_clause(item) for item in items)
    return not _is_clause(behind)


def _is_clause(text: str) -> bool:
    words = [token[0].lower() for token in TOKEN.finditer(text)][:8]
    if not words:
        return True
    if (
        words[0] in AUXILIARIES | POINTING | ADVERBS | {"no", "nobody", "everyone"}
        or words[0] in verbs()
    ):
        return True
    if len(words) > 1 and words[1] in PREPOSITIONS - {"of"} and bool(quantities(words[0])):
        return True  # `two live here and three at the other hut`
    is_verb_like = words[0].endswith("s") and len(words) > 1 and words[1] in PREPOSITIONS | ARTICLES
    finite = (
        word in AUXILIARIES
        or (word in verbs() and verbs()[word][1] == "third" and before not in DETERMINERS)
        for before, word in pairwise(words)
    )
    return is_verb_like or any(finite)


def _may_end(rest: str, ending: str) -> bool:
    """Whether the clause stays true without what was cut off, and points to nothing outside."""
    words = [token[0].lower() for token in TOKEN.finditer(rest)]
    if (
        points_outside(rest)
        or set(words) & OF_THE_PAGE
        or rest.count('"') % 2
        or rest.count("(") != rest.count(")")
    ):
        return False
    after = {word.lower().strip(",;:") for word in ending.split()[:4]}
    ends_open = bool(words) and words[-1] in PREPOSITIONS | DETERMINERS | ARTICLES | {
        "and",
        "or",
        "that",
        "as",
        "both",
        "either",
    }
    return (
        len(words) <= MAX_REST
        and not after & CONDITIONS
        and not ends_open
        and not ending.startswith("or ")
    )


def with_names(text: str, names: Names, document: str) -> str:
    """The text with `the hut` as the one hut that the document names."""

    def name(found: re.Match[str]) -> str:
        resolved = names.resolved(found[1].lower(), document)
        return found[0] if resolved is None else f"the {resolved}"

    return re.sub(
        r"\bthe ([a-z]+)(?=$|[,.]| (?:of|in|on|at|by|from|and|for|to|with)\b)", name, text
    )


ABOVE = re.compile(r"\b(?:above|below)\b(?! (?:an?|the|[A-Z]|\w+['’]s|\$?\d|\w+ level))")


def points_outside(text: str) -> bool:
    """Whether a text points to something outside of it: `it`, `these`, `the following`, `above`."""
    words = {token[0].lower() for token in TOKEN.finditer(text)}
    return bool(words & POINTING) or bool(ABOVE.search(text))


def is_bare(subject: str) -> bool:
    """Whether a subject is `the` and one noun: only dates and amounts of it make a clear question."""
    return bool(re.fullmatch(r"the [a-z][\w-]*", subject))


def is_plural(word: str) -> bool:
    """Whether a lower-cased noun looks like a plural."""
    if word in ("people", "men", "women", "children"):
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, lower-cased."""
    words = (token[0].lower() for token in TOKEN.finditer(text))
    skip = (
        AUXILIARIES
        | PREPOSITIONS
        | DETERMINERS
        | JOINING
        | ADVERBS
        | POINTING
        | {"be", "been", "and"}
    )
    return [word for word in words if word not in skip and word[0].isalnum()]
