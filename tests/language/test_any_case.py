"""Patterns that ignore case find the same in lower case."""

import re

import pytest

from ragauge.language.any_case import AnyCase
from ragauge.language.refusals.polarity import role

TEXTS = [
    "No ANSWER is Given",
    "NO answer",
    "İstanbul: no answer",
    "ſo: NO Answer\u212a",
    "",
    "none\n",
]


@pytest.mark.parametrize(
    "pattern", [r"\bno\b", r"[A-N]+o\W", r"\A(N)o(?:ne)?\Z", r"n\S+\D(?-i:[A-Z])"]
)
@pytest.mark.parametrize("text", TEXTS)
def test_the_places_are_those_of_a_pattern_that_ignores_case(pattern, text):
    ours, plain = AnyCase(pattern), re.compile(pattern, re.IGNORECASE)
    for name in ("search", "match", "fullmatch"):
        found, expected = getattr(ours, name)(text), getattr(plain, name)(text)
        assert (found and found.regs) == (expected and expected.regs)
    assert [each.span() for each in ours.finditer(text, 1)] == [
        each.span() for each in plain.finditer(text, 1)
    ]


def test_a_capital_letter_that_is_asked_for_stays_one():
    assert not AnyCase("(?-i:[A-Z])").search("no capital letter")
    assert role("short_answer").match("Ada Lovelace")
    assert not role("short_answer").match("ada lovelace")
