"""Whether a question asks for several things, and for how many."""

import re
from functools import lru_cache
from typing import NamedTuple

from ragauge.language.numbers.small_numbers import SMALL, WORD_VALUES

MOST_CHARACTERS = 1_000
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
    question = question[:MOST_CHARACTERS]
    if found := _OF_NUMBER.search(question):
        number = found["number"].lower()
        if number.isdecimal():
            return AskedItems(int(number))
        # `re` takes ſ for s and ı for i if it ignores case, so that a word may be unknown.
        return AskedItems(2 if number == "both" else WORD_VALUES.get(number))
    wants_all = _OF_ALL.search(question) and not _OF_SOME.search(question)
    return AskedItems(None) if wants_all else None
