"""The items of a list that a question asks for, and which of them an answer leaves out."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from typing import NamedTuple, Protocol

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.signs import SMALL, WORD_VALUES
from ragauge.language.references.compared_text import ComparedText, read_text
from ragauge.language.stems import Word
from ragauge.language.text import Span

MAX_QUESTION = 1_000
"""Of a question; what is behind them is not read."""
_NUMBER = "|".join((*SMALL.split()[2:], "twenty", "[2-9]", r"1\d", "20", "both"))
_MEASURES = r"(?:year|month|week|day|hour|minute|second|time|metre|meter|mile|dollar|euro|pound|point|percent)s\b"
_OF_NUMBER = re.compile(
    r"\b(?:what|which|who|name|list|give|state|mention|the|all|of|are|were)"
    rf"\s(?:(?:main|only|first|other|major|primary|official|different)\s)?(?P<number>{_NUMBER})"
    rf"\s(?!{_MEASURES})(?:\w+\s){{0,3}}?(?:\w+(?<!s)s|men|women|people|children|criteria)\b",
    re.IGNORECASE,
)
"""`which two rivers`, `the three main causes`; not `the two years`."""
_OF_ALL = re.compile(
    r"\b(?:name|list|give|state|mention)\s(?:me\s)?(?:all|every|each|the\s(?:\w+\s){0,2}?\w+(?<!s)s)\b"
    r"|\b(?:what|which|who)\s(?:are|were)\s(?:all|the|your|our|its|their|his|her|\w+(?:\s\w+)?['’]s?)\s"
    r"|\bwhich\s\w+(?<![uis])s\s(?!(?:the|a|an|is|was|has|does)\b)"
    r"|\bwh(?:at|ich)\s(?:\w+\s){1,2}?\w+(?<![uis])s\s(?:are|were|do|did|have|must|may|can|should|will)\b"
    r"|\bwhat\s\w+(?<![uis])s\s(?:are|were|do|did|have|must|may|can|should)\b"
    r"|\ball\s(?:of\s)?(?:the|its|their|his|her)\s\w+s\b",
    re.IGNORECASE,
)
"""`name all`, `who were the members`, `which countries`, `what documents must`; not `which firm makes it`."""

_OF_SOME = re.compile(
    r"\b(?:some|main|mainly|major|key|primarily|mostly|usually|typical(?:ly)?|common(?:ly)?|examples?|possible|most)\b",
    re.IGNORECASE,
)
"""With these words a question leaves open how many things it wants: `what are the main crops?`."""


class AskedItems(NamedTuple):
    """What a question asks for: a `number` of things; None for all of them."""

    number: int | None


@lru_cache(maxsize=4_096)
def asked_items(question: str) -> AskedItems | None:
    """What the question asks for if it is several things, else None.

    >>> asked_items("Which two rivers meet there?"), asked_items("Who are its members?")
    (AskedItems(number=2), AskedItems(number=None))
    >>> asked_items("Which river flows there?")
    """
    question = question[:MAX_QUESTION]
    if found := _OF_NUMBER.search(question):
        number = found["number"].lower()
        if number.isdecimal():
            return AskedItems(int(number))
        # `re` takes ſ for s and ı for i if it ignores case, so that a word may be unknown.
        return AskedItems(2 if number == "both" else WORD_VALUES.get(number))
    wants_all = _OF_ALL.search(question) and not _OF_SOME.search(question)
    return AskedItems(None) if wants_all else None


MOST_CHARACTERS = 600
"""A longer reference is a text and not a list."""
MOST_WORDS = 9
"""Words of an item; a longer part is a clause."""
STATED = 0.5
"""Share of an item's own words from which it is stated: `Lennon` for `John Lennon`."""
_BULLET = r"(?:[-*•–][ \t]*|\(?\d{1,2}[.)][ \t]+)"
_LEAD = re.compile(rf"[^:\n]{{1,100}}:\s+(?:{_BULLET})?|\s*{_BULLET}")
"""`The colours are: ` or a bullet before the first item."""
_LINES = re.compile(rf"\s*\n\s*(?:{_BULLET})?")
_SEMICOLONS = re.compile(r";\s*(?:and\s+)?", re.IGNORECASE)
_LAST_COMMA = re.compile(r",\s+(?:and|&)\s", re.IGNORECASE)
_COMMAS = re.compile(r",\s+(?:(?:and|&)\s+)?", re.IGNORECASE)
_COMMAS_AND = re.compile(r",\s+|\s+(?:and|&)\s+", re.IGNORECASE)
_ANY = re.compile(r"[,;\n]|\s(?:and|&)\s", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"\w{3}(?<!\bProf)(?<!\bMrs)(?<!\bGen)(?<!\bSen)(?<!\bGov)(?<!\bInc)(?<!\bCorp)(?<!\bLtd)[.!?]\s+[A-Z]"
)
_OR = re.compile(r"\bor\b|/", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?:who|whom|whose|which|that|because|since|but|while|where|when|although|though|if|so|as|including"
    r"|such|with|then|thus|it|he|she|they|we|there|this|these|also|not|jr|sr|inc|ltd|llc)\b",
    re.IGNORECASE,
)
"""What begins a clause, or an addition to a name, and no item."""


class StatedWord(Protocol):
    """A content word of the reference with the credit that the answer has for it."""

    @property
    def start(self) -> int: ...
    @property
    def credit(self) -> float: ...
    @property
    def is_new(self) -> bool: ...


class MissingItems(NamedTuple):
    """The items of a list that an answer leaves out, and how many were wanted; it states others.

    A question for two of five items wants two: `n_missing` may be less than the items in `texts`.
    """

    texts: tuple[str, ...]
    n_missing: int
    n_wanted: int

    @property
    def share(self) -> float:
        """Of the wanted items, those missing, in (0, 1)."""
        return self.n_missing / self.n_wanted


def missing_items(
    question: str,
    reference: str,
    words: Sequence[StatedWord],
    answer: str,
    given: ComparedText,
    shared: Set[str],
) -> MissingItems | None:
    """What the answer leaves out of a list that the question asks for; None if nothing, or all of it.

    `words`: the reference's content words, with what the answer states; `shared`: the stems with which the
    answer may state them. Words of the question, and words of several items, tell nothing; an item of such
    words only (`left ventricle` beside `left atrium` and `right ventricle`) is stated by the words one after
    the other, if the answer states another item so.
    """
    asked = asked_items(question)
    spans = reference_items(reference) if asked else ()
    if not asked or not spans:
        return None
    known = _stated(reference, spans, words, given)
    missing = [reference[start:end] for (start, end), is_stated in known if not is_stated]
    others = _others(read_text(question).stems, shared, answer, given)
    n_otherwise = _n_otherwise(missing, others)
    n_wanted = min(asked.number or len(known), len(known))
    n_missing = n_wanted - (len(known) - len(missing)) - n_otherwise
    if n_missing <= 0 or len(missing) == len(known):
        return None
    return MissingItems(tuple(missing), n_missing, n_wanted)


def _stated(
    reference: str, spans: Sequence[Span], words: Sequence[StatedWord], given: ComparedText
) -> list[tuple[Span, bool]]:
    """The items that can be told from the others, and whether the answer states them."""
    stems = {word.start: word.stem for word in read_text(reference).words}
    items = [[word for word in words if start <= word.start < end] for start, end in spans]
    n_items = Counter(stem for item in items for stem in {stems[word.start] for word in item})
    text, found = given.sequence, dict[int, bool]()
    shared: dict[int, bool] = {}
    for place, (item, (start, end)) in enumerate(zip(items, spans, strict=True)):
        own = [word.credit for word in item if word.is_new and n_items[stems[word.start]] == 1]
        if own:
            found[place] = sum(own) / len(own) >= STATED
        elif any(word.is_new for word in item) and (
            len(item) > 1 or reference[start:end].split()[-1][:1].isupper()
        ):
            shared[place] = f"{read_text(reference[start:end]).sequence} " in f"{text} "
    if any(shared.values()):
        found |= shared
    return [(spans[place], found[place]) for place in sorted(found)]


def _others(asked: Set[str], shared: Set[str], answer: str, given: ComparedText) -> list[str]:
    """The parts of the answer without a `shared` stem that a comma or `and` joins to one with such stems."""
    ends = [*(match.start() for match in _ANY.finditer(answer)), len(answer)]
    parts: list[list[Word]] = [[] for _ in ends]
    for word in given.content:
        parts[bisect_left(ends, word.start)].append(word)
    ours = [any(word.stem in shared for word in part) for part in parts]
    found: list[str] = []
    for part, is_ours, before, after in zip(
        parts, ours, [False, *ours], [*ours[1:], False], strict=False
    ):
        new = [word for word in part if word.stem not in asked]
        if not is_ours and (before or after) and 0 < len(new) <= MOST_WORDS:
            found.append(" ".join(answer[word.start : word.end] for word in new))
    return found


def _n_otherwise(missing: Sequence[str], others: Sequence[str]) -> int:
    """How many missing items the other parts of the answer may be in other words: abbreviations and phrases."""
    n_open = sum(_is_short(text) or len(read_text(text).content) > 2 for text in missing)
    n_short = sum(map(_is_short, others))
    return min(len(others), n_open + min(n_short, len(missing) - n_open))


def _is_short(text: str) -> bool:
    """Whether the text has an abbreviation in capitals."""
    return any(word.isupper() and len(word) > 1 for word in text.split())


@lru_cache(maxsize=4_096)
def reference_items(reference: str) -> tuple[Span, ...]:
    """Where the items of a reference are, if it is a list; empty if it is none.

    A text of several sentences, with `or`, clauses, or numbers alone is no list, nor are names of one thing.

    >>> reference_items("Tin and zinc"), reference_items("tin or zinc"), reference_items("US; United States")
    (((0, 3), (8, 12)), (), ())
    """
    if len(reference) > MOST_CHARACTERS or _OR.search(reference):
        return ()
    masked = _without_dates(reference)
    separator = _separator(masked)
    if separator is not _LINES and _SENTENCE_END.search(reference):
        return ()
    spans = tuple(_split(masked, separator))
    texts = [reference[start:end] for start, end in spans]
    if len(texts) < 2 or not all(map(_is_item, texts)) or _are_aliases(texts):
        return ()
    return spans


def _without_dates(text: str) -> str:
    """The text with its dates masked: the comma of `May 5, 1999` separates nothing."""
    for date in dates(text):
        text = text[: date.start] + "0" * (date.end - date.start) + text[date.end :]
    return text


def _separator(text: str) -> "re.Pattern[str]":
    """What separates the items: the strongest sign that the text has."""
    if "\n" in text.strip():
        return _LINES
    if ";" in text.rstrip(" ;."):
        return _SEMICOLONS
    # In `Peru, and Trinidad and Tobago` the second `and` joins a name.
    return _COMMAS if _LAST_COMMA.search(text) else _COMMAS_AND


def _split(text: str, separator: "re.Pattern[str]") -> Iterator[Span]:
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    end_of_all = len(text.rstrip(" \t\n.;,"))
    for match in separator.finditer(text, start, end_of_all):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if end_of_all > start:
        yield start, end_of_all


def _is_item(text: str) -> bool:
    words = read_text(text).content
    is_number = all(word.lowered[:1].isdigit() for word in words)
    is_addition = _CLAUSE.match(text) or text.startswith("(")
    return len(text.split()) <= MOST_WORDS and not is_number and not is_addition


def _are_aliases(items: Sequence[str]) -> bool:
    """Whether one item is the initials of another: `USA` and `United States of America`."""
    initials = {_initials(read_text(item).words, item) for item in items}
    return any(
        item.isupper() and len(item) > 1 and item.replace(".", "") in initials for item in items
    )


def _initials(words: Sequence[Word], text: str) -> str:
    return "".join(text[word.start] for word in words if text[word.start].isupper())
