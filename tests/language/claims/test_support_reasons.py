"""Sentences that say why an answer is supported or not."""

import pytest

from ragauge.language.claims.support_reasons import named, why_hallucinated, why_supported


@pytest.mark.parametrize(
    ("value", "missing", "doubted", "why"),
    [
        (0.9, [], "", "the contexts have all its words"),
        (0.2, [], "", "the contexts have all its words; no single sentence says much of it"),
        (0.2, [], "c", "the contexts have all its words, but read together they do not say 'c'"),
        (0.2, ["a"], "c", "no context has 'a'; read together they do not say 'c'"),
        (0.2, ["a b", "c"], "c", "no context has 'a b' and 'c'"),
        (
            0.7,
            ["c"],
            "",
            "no context has 'c'; the closest sentences say much the same in other words",
        ),
    ],
)
def test_why_an_answer_is_supported_or_not(value, missing, doubted, why):
    assert why_supported(value, missing, doubted=doubted) == why


def test_why_an_answer_may_be_made_up():
    plain = why_hallucinated([], 1, has_drifted=False)
    assert plain == "the contexts support its number, date or claim"
    assert why_hallucinated([], 2, has_drifted=True) == (
        "the contexts support all 2 numbers, dates and claims; under a fifth of its words are in the contexts"
    )


def test_texts_are_named_once_in_one_line_and_cut():
    assert named(["a\nb", "a b"]) == "'a b'"
    assert named(["x" * 61]) == f"'{'x' * 60}…'"
    assert named(list("abcdef")) == "'a', 'b', 'c', 'd' and 2 more"
