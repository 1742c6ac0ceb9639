"""Clauses of English sentences: the subject, the verb and the rest, where the rules are sure of them."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.numbers.numbers import quantities
from ragauge.questions.english_words import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
    BE,
    CONDITIONS,
    DETERMINERS,
    DO,
    HAVE,
    JOINING,
    MODALS,
    NO_LEAD,
    NO_SUBJECT,
    OF_THE_PAGE,
    OTHERS,
    POINTING,
    PREPOSITIONS,
    TOKEN,
    VAGUE,
    WITH_NOUN,
    form_of,
    is_adverb,
    is_participle,
    is_plural,
    past_of,
    points_outside,
    verbs,
)
from ragauge.questions.names import Names

MAX_SUBJECT, MAX_REST, MIN_CLAUSE = 9, 24, 4
"""Tokens of a subject, of what follows the verb, and of a clause."""
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
        first in verbs() and form_of(first) == form_of(before.verb) and before.main
    )
    if not is_verb:
        return _clause(piece[0].upper() + piece[1:], names, document)
    rest, ending = cut(piece[len(first) :].strip())
    return _with_verb(before.subject, first, rest, "", ending) if _may_end(rest, ending) else None


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
    before = [word for word in words[:at] if not is_adverb(word)]
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
    second = following[1] if is_adverb(following[0]) else following[0]
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
    auxiliary = {"third": "does", "base": "do"}.get(form_of(verb), "did")
    if auxiliary == "do" and not _is_many(subject):
        if past_of(verb) != verb:
            return None
        auxiliary = "did"
    if auxiliary == "does" and " and " in subject:
        return None
    is_negative = adverb == "never"
    main = verbs()[verb][0] if is_negative else f"{adverb} {verbs()[verb][0]}".strip()
    return Clause(subject, auxiliary, main, verb, rest, lead, ending, is_negative)


def _is_many(subject: str) -> bool:
    words = re.split(r" (?:of|in|at|for|on|from|with|to|by) ", subject.lower())[0].split()
    return is_plural(words[-1]) or "and" in words or words[-1] == "you"


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
        before = next((each for each in reversed(words[:at]) if not is_adverb(each)), "")
        if (
            word in JOINING
            or word in ",;:()"
            or word == "to"
            or (at and before == "you" and at > 1)
        ):
            return None
        if at and (word in AUXILIARIES or _may_be_verb(word, before, words[at + 1 : at + 3])):
            is_reduced = (
                form_of(word) == "past"
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
    following = next((each for each in after if not is_adverb(each)), "")
    if form_of(word) == "base":
        return is_plural(before) or before == "you"
    if following in AUXILIARIES or form_of(following) == "third":
        return False
    if form_of(word) == "third":
        is_noun = form_of(following) == "base" and word not in WITH_NOUN  # `the tests find …`
        return not is_noun and not is_plural(before) and following not in ("of", "and", "")
    return form_of(word) == "past" and following != "by"


def _has_second_verb(words: Sequence[str], *, is_strict: bool) -> bool:
    """Whether another finite verb follows that nothing joins: then the first one may be none."""
    for at, word in enumerate(words):
        if word in JOINING or word in ",;:–—" or (word in ("and", "to") and not is_strict):
            return False
        before = words[at - 1]
        is_verb = word in AUXILIARIES or (
            is_strict
            and form_of(word) in ("past", "third", "base")
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
    is_verb = form_of(words[0]) in ("base", "third") or (
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
        or is_adverb(words[0])
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
