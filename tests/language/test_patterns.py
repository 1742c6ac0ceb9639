"""Patterns from outside: Python's syntax, with a limit on the time of a search."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.language import patterns
from ragauge.language.patterns import BoundedPattern, PatternTimeoutError, is_pattern

ENDLESS = (
    (r"^(a|aa)+$", "a" * 60 + "b"),
    (r"(x+x+)+y", "x" * 4_000),
    (r"^(\w+\s?)*$", "ab " * 40 + "!"),
)


@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
def test_an_endless_search_ends(pattern, text):
    start = time.process_time()
    try:
        found = BoundedPattern(pattern).search(text)
    except PatternTimeoutError as error:
        assert repr(pattern) in str(error)
    else:  # the engine sees through some patterns
        assert found is None
    assert time.process_time() - start < 10 * patterns.SECONDS


def test_the_score_of_an_endless_search_fails_with_its_pattern():
    score = rg.score("regex(pattern='^(a|aa)+$')", answer="a" * 60 + "b")
    assert score.status == "failed"
    assert score.reason is not None
    assert score.reason.startswith(
        "the pattern '^(a|aa)+$' took longer than 0.25 s on a text of 61"
    )
    for name in ("list_coverage", "list_found", "list_total"):
        score = rg.score(
            f"{name}(codes='^(a|aa)+$')", answer="a" * 60 + "b", reference="a" * 60 + "b"
        )
        assert score.status == "failed", name


@pytest.mark.parametrize(
    "text", ["(a", "a{2,1}", "(?P<x>a)(?P<x>b)", r"\p{L}", "[b-a]", "a" * 10_001]
)
def test_what_python_does_not_accept_is_no_pattern(text):
    assert not is_pattern(text)


@given(
    st.text("abAB.*+?()[]|\\d1 -^$é", max_size=12),
    st.text("abAB1 -.é\n", max_size=30),
)
def test_matches_are_those_of_python(pattern, text):
    """Short texts, on which Python's own search ends."""
    if not is_pattern(pattern):
        return
    wanted = [match.span() for match in re.compile(pattern, re.IGNORECASE).finditer(text)]
    found = [(match.start(), match.end()) for match in BoundedPattern(pattern).finditer(text)]
    assert found == wanted
