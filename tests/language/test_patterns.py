"""Patterns from outside: Python's syntax, with a limit on the time of a search."""

import re
import time

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.language import patterns
from ragauge.language.patterns import BoundedPattern, PatternTimeoutError, is_pattern


@cases(
    (r"^(a|aa)+$", "a" * 60 + "b"),
    (r"(x+x+)+y", "x" * 4_000),
    (r"^(\w+\s?)*$", "ab " * 40 + "!"),
)
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
    for name in ("list_found", "list_total"):
        score = rg.score(
            f"{name}(codes='^(a|aa)+$')", answer="a" * 60 + "b", reference="a" * 60 + "b"
        )
        assert score.status == "failed", name


def test_what_python_does_not_accept_is_no_pattern():
    for text in ("(a", "a{2,1}", "(?P<x>a)(?P<x>b)", r"\p{L}", "[b-a]", "a" * 10_001):
        assert not is_pattern(text)
    for text in (
        r"[({]{2}\({2}x{3}",
        "(a{100}){100}",
        "a{0,1000000}",
        "(?x) a{3} # [ twice\n b{2}",
    ):
        assert is_pattern(text)


@cases(
    *("a{100001}", "a{1000000000}", "a{1000000000,}", "(a{1000}){1000}"),
    *("(?:(?:x[)(]{1000}|b){1000}c){2}", "(?x) # [\na{1000000000} # ]", "(a|" * 100_000),
    *("a" * 1_000_000, "|".join(f"a{at}" for at in range(150_000))),
    ids=lambda text: text[:20],
)
def test_a_pattern_that_takes_much_memory_or_time_to_compile_is_none(text, assert_quick):
    assert_quick(lambda: is_pattern(text), 1)
    assert not is_pattern(text)


def test_the_searches_of_one_score_share_their_time():
    slow = BoundedPattern("^(a|aa)+$")
    searches = 0
    start = time.process_time()
    with pytest.raises(PatternTimeoutError):
        while True:  # each of them ends in time
            slow.search("a" * 24 + "b")
            searches += 1
    assert searches
    assert time.process_time() - start < 10 * patterns.SECONDS


def test_a_long_text_of_many_matches_is_read_to_its_end():
    assert len(BoundedPattern(r"C-\d").findall("Rule C-1. " * 100_000)) == 100_000


def test_a_list_of_bullets_that_are_each_slow_fails_in_time():
    bullets = "\n".join(["* " + "a" * 24 + "b"] * 2_000)
    start = time.process_time()
    score = rg.score("list_coverage(codes='(a|aa)+$')", answer=bullets, reference=bullets)
    assert score.status == "failed"
    assert time.process_time() - start < 10


@given(
    st.text("abAB.*+?()[]|\\d1 -^$é", max_size=12),
    st.text("abAB1 -.é\n", max_size=30),
)
def test_matches_are_those_of_python(pattern, text):
    """Short texts, on which Python's own search ends."""
    if not is_pattern(pattern):
        return
    wanted = [match.span() for match in re.compile(pattern, re.IGNORECASE).finditer(text)]
    found = [(match.start(), match.end()) for match in BoundedPattern(pattern).findall(text)]
    assert found == wanted
