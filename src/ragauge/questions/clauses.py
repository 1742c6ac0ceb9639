"""Clauses of English sentences: the subject, the verb and the rest, where the rules are sure of them."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

TOKEN = re.compile(r"[$€£]?\d(?:[\d.,:/-]*\d)?[%\w]*|\w+(?:[.'’/-]\w+)*|--?\w[\w-]*|[^\w\s]")
MAX_SUBJECT, MAX_CLAUSE, MIN_CLAUSE = 9, 34, 4
"""Tokens of a subject; of a clause."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


BE = _set("is are was were")
MODALS = _set("can could may might must shall should will would cannot")
HAVE, DO = _set("has have had"), _set("does do did")
AUXILIARIES = BE | MODALS | HAVE | DO
ARTICLES = _set("the a an")
PREPOSITIONS = _set(
    """of in on at to for from by with within without after before during until since between among over under above
    below through across against into onto about around near per via toward towards behind beyond inside outside"""
)
DETERMINERS = ARTICLES | _set(
    "each every any no all some most many several both its their his her my our your whose"
)
POINTING = _set(
    """it they them this these those he she him we us our ours i my me here above below following such same other
    others another former latter itself themselves there"""
)
"""Words that point to something outside of the sentence."""
OF_THE_PAGE = _set(
    "page figure table document text passage section chapter example paragraph column row list note appendix"
)
JOINING = _set(
    """that which who whom whose where when while if unless because although though whereas since as than so but or
    nor whether how what why not n't once"""
)
ADVERBS = _set(
    "also always only usually often never not now currently typically normally generally still then already just"
)
CONDITIONS = _set("if unless except provided only but although though whereas until once when")
NO_SUBJECT = _set(
    "both one two three some many few each what no nobody whoever please let yes first second third"
)
VAGUE = _set(
    "cause reason result difference point problem idea purpose aim goal way thing case question answer rest others end "
    "number amount part kind side effect example time day place change fact order one ones"
)
"""Nouns that say too little alone: `the main cause`."""
CUTS = re.compile(
    r"\s*(?:[;:,–—]|\s-\s|\b(?:and|but|or|so|because|which|who|while|whereas|although|though)\b)"
)


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

    def asked(self, rest: str | None = None) -> str:
        """The clause in the order of a question, with another rest."""
        rest = self.rest if rest is None else rest
        parts = (self.auxiliary, self.subject, self.main, rest, self.lead)
        return " ".join(part for part in parts if part)

    @property
    def is_plural(self) -> bool:
        return self.auxiliary in ("are", "were", "have", "do")


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


DOUBLED = _set(
    "permit submit refer transfer stop ship plan ban equip map control enrol commit occur log admit"
)


def _past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    is_doubled = base in DOUBLED or base in ("star", "wrap", "tag")
    return base + base[-1] + "ed" if is_doubled else base + "ed"


def past_of(participle: str) -> str | None:
    """The past tense that belongs to a participle: `founded` of `founded`, `wrote` of `written`."""
    return verbs()[participle][2] if participle in verbs() else None


@dataclass(frozen=True)
class Names:
    """How the documents write words inside of sentences: which are names, and what `the hut` may be."""

    capital: Counter[str] = field(default_factory=Counter[str])
    small: Counter[str] = field(default_factory=Counter[str])
    by_head: Mapping[str, Mapping[str, set[str]]] = field(
        default_factory=dict[str, Mapping[str, set[str]]]
    )

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> "Names":
        capital, small = Counter[str](), Counter[str]()
        by_head: dict[str, dict[str, set[str]]] = {}
        for document, text in texts.items():
            heads = by_head.setdefault(document, defaultdict(set))
            for found in re.finditer(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                word = found[1]
                (capital if word[0].isupper() else small)[word.lower()] += 1
            for found in re.finditer(r"(?:[A-Z][\w’'-]+ ){1,3}[A-Z][\w’'-]+", text):
                words = found[0].split()
                if words[0].lower() in ARTICLES:
                    words = words[1:]
                if len(words) > 1 and not {word.lower() for word in words} & AUXILIARIES:
                    heads[words[-1].lower()].add(" ".join(words))
        return cls(capital, small, by_head)

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        lower = word.lower()
        if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        return self.capital[lower] > self.small[lower]

    def is_common(self, word: str) -> bool:
        return self.small[word.lower()] > 0

    def resolved(self, head: str, document: str) -> str | None:
        """The one name of the document that ends with this word."""
        found = self.by_head.get(document, {}).get(head, set())
        return next(iter(found)) if len(found) == 1 else None


def clauses(sentence: str, names: Names, document: str) -> Iterator[Clause]:
    """The clauses of a sentence that could be read with certainty, each standing alone."""
    for piece in re.split(r";\s+(?:and |or )?", sentence.rstrip(" .!。")):
        clause = _clause(piece, names, document)
        if clause is not None:
            yield clause


def _clause(piece: str, names: Names, document: str) -> Clause | None:
    lead, piece = _without_lead(piece)
    tokens = list(TOKEN.finditer(piece))
    if not MIN_CLAUSE <= len(tokens) <= MAX_CLAUSE or piece.rstrip().endswith("?"):
        return None
    words = [token[0].lower() for token in tokens]
    at = _verb_at(words)
    if at is None:
        return None
    subject = _subject(piece[: tokens[at].start()].strip(), words[:at], names, document)
    if subject is None:
        return None
    verb, rest = tokens[at][0].lower(), piece[tokens[at].end() :].strip()
    rest, ending = cut(rest)
    if not _may_end(rest, ending):
        return None
    return _with_verb(subject, verb, rest, lead, ending)


def _with_verb(subject: str, verb: str, rest: str, lead: str, ending: str) -> Clause | None:
    following = [word.lower() for word in rest.split()[:2]] + ["", ""]
    negative = verb == "cannot" or following[0] in ("not", "never")
    if verb == "cannot":
        return Clause(subject, "can", "", verb, rest, lead, ending, is_negative=True)
    second = following[1] if following[0] in ADVERBS or following[0] == "not" else following[0]
    is_perfect = verb in HAVE and (second == "been" or _is_participle(second))
    if verb in BE | MODALS or is_perfect or (verb in DO and following[0] == "not"):
        if negative:
            rest = rest.split(" ", 1)[1] if " " in rest else ""
        return Clause(subject, verb, "", verb, rest, lead, ending, negative)
    if verb in DO or verb not in verbs():
        return None
    base, kind, _ = verbs()[verb]
    auxiliary = {"third": "does", "base": "do"}.get(kind, "did")
    return Clause(subject, auxiliary, base, verb, rest, lead, ending)


def _is_participle(word: str) -> bool:
    return (word in verbs() and verbs()[word][1] in ("past", "participle")) or (
        word.endswith("ed") and len(word) > 4
    )


LEAD = re.compile(
    r"(?P<lead>(?:In|On|At|During|Since|Until|By|Before|After|From|Between|For)\b[^,;:]{2,50}?),?\s+(?=(?:[Tt]he|[Aa]n?|[A-Z])\b)"
)


def _without_lead(piece: str) -> tuple[str, str]:
    """A phrase of time or place before the subject, and the rest: `In 1968, the circle …`."""
    found = re.match(
        r"((?:In|On|During|Since|By|Between|At|Under|For) [^,;:]{2,50}), (?=\S)", piece
    )
    if found is None:
        return "", piece
    words = found[1].split()
    inner = {word.lower() for word in words[1:]}
    if inner & (
        AUXILIARIES
        | POINTING
        | JOINING
        | {"addition", "fact", "general", "contrast", "example", "particular"}
    ):
        return "?", ""
    return f"{words[0].lower()} {' '.join(words[1:])}", piece[found.end() :]


def _verb_at(words: Sequence[str]) -> int | None:
    """Where the finite verb stands; None if more than one word may be it."""
    found: int | None = None
    for at, word in enumerate(words[: MAX_SUBJECT + 1]):
        before = words[at - 1] if at else ""
        if word in JOINING or word in ",;:()" or word == "to":
            return None
        if at and word in AUXILIARIES:
            found = at
            break
        if at and _may_be_verb(word, before, words[at + 1 : at + 3]):
            found = at
            break
    if found is None or found == 0:
        return None
    return None if _has_second_verb(words[found + 1 :]) else found


def _may_be_verb(word: str, before: str, after: Sequence[str]) -> bool:
    if (
        word not in verbs()
        or before in DETERMINERS | PREPOSITIONS | ADVERBS
        or before in ("and", "or")
    ):
        return False
    following = next((each for each in after if each not in ADVERBS), "")
    kind = verbs()[word][1]
    if following in AUXILIARIES or (following in verbs() and verbs()[following][1] == "third"):
        return False
    if kind == "base":
        return (before.endswith("s") and not before.endswith(("ss", "us", "is"))) or before in (
            "people",
            "you",
        )
    if kind == "third":
        return not (
            before.endswith("s") and not before.endswith(("ss", "us", "is"))
        ) and following not in ("of", "and", "")
    return following != "by"


def _has_second_verb(words: Sequence[str]) -> bool:
    """Whether another finite verb follows that nothing joins: then the first one may be none."""
    is_joined = False
    for at, word in enumerate(words):
        if word in JOINING or word in ",;:–—" or word in ("and", "to"):
            is_joined = True
        if not is_joined and at and word in AUXILIARIES:
            return True
    return False


def _subject(text: str, words: Sequence[str], names: Names, document: str) -> str | None:
    """The subject as it stands in a question; None if it does not stand alone."""
    words = list(words)
    while words and words[-1] in ADVERBS:
        words.pop()
        text = text.rsplit(" ", 1)[0]
    if not words or words[0] in PREPOSITIONS | JOINING | POINTING | NO_SUBJECT:
        return None
    if set(words) & (POINTING | OF_THE_PAGE | JOINING | AUXILIARIES) or not text[0].isalnum():
        return None
    content = [word for word in words if word not in DETERMINERS | PREPOSITIONS | {"and"}]
    if not content or words[-1] in PREPOSITIONS | DETERMINERS or len(words) > MAX_SUBJECT:
        return None
    if words[0] == "the" and len(content) == 1:
        resolved = names.resolved(content[0], document)
        return None if resolved is None else f"the {resolved}"
    if words[0] == "the" and words[-1] in VAGUE and len(content) < 4:
        return None
    first = text.split(" ", 1)[0]
    if words[0] in DETERMINERS or (
        not names.is_name(first) and (names.is_common(first) or words[-1].endswith("s"))
    ):
        return text[0].lower() + text[1:]
    return text


def cut(rest: str) -> tuple[str, str]:
    """The rest up to where another clause or a remark begins, and what was cut off."""
    rest = re.sub(r"\s*\([^()]*\)", "", rest)
    for found in CUTS.finditer(rest):
        behind = rest[found.end() :].lstrip()
        sign = found[0].strip()
        if sign == "," and re.match(r"\d{3}\b|(?:19|20)\d\d\b", behind):
            continue
        if sign in (",", "and", "or") and _goes_on_listing(rest[: found.start()], sign, behind):
            continue
        return rest[: found.start()].strip(), rest[found.start() :].strip()
    return rest, ""


def _goes_on_listing(before: str, sign: str, behind: str) -> bool:
    """Whether a comma or `and` joins items of a list and not clauses."""
    if sign == ",":
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
    if words[0] in AUXILIARIES | POINTING | ADVERBS | {"no", "nobody"} or words[0] in verbs():
        return True
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
        set(words) & (POINTING | OF_THE_PAGE)
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
    return not after & CONDITIONS and not ends_open and not ending.startswith(("or ", ":"))


def with_names(text: str, names: Names, document: str) -> str:
    """The text with `the hut` as the one hut that the document names."""

    def name(found: re.Match[str]) -> str:
        resolved = names.resolved(found[1].lower(), document)
        return found[0] if resolved is None else f"the {resolved}"

    return re.sub(
        r"\bthe ([a-z]+)(?=$|[,.]| (?:of|in|on|at|by|from|and|for|to|with)\b)", name, text
    )


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


def all_of(found: Iterable[Clause | None]) -> list[Clause]:
    return [clause for clause in found if clause is not None]
