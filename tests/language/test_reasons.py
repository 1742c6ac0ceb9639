"""Sentences that say why an answer has its value."""

from cases import cases

import ragauge as rg
from ragauge.language.reasons import named, why_hallucinated, why_supported

MATCH, PRECISION, COMPLETENESS = "number_match", "number_precision", "answer_completeness"


@cases(
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


@cases(
    (MATCH, "$5", {"reference": "$5 and 7"}, "states $5; lacks 7"),
    (
        MATCH,
        "Sales rose 3%.",
        {"reference": "Sales fell 3%."},
        "3% is a rise, a fall is expected",
    ),
    (
        MATCH,
        "35 less 4 is 31. So it is 30.",
        {"reference": "31"},
        "states 31; only before its conclusion, which has other numbers: counts half",
    ),
    (MATCH, "none", {"reference": "1, 2, 3, 4, 5, 6"}, "lacks 1, 2, 3, 4 and 2 more"),
    (
        PRECISION,
        "5 and 7",
        {"references": ["5"]},
        "a reference has 5; none has 7; no contexts were given",
    ),
    (PRECISION, "7", {"references": ["5"], "contexts": ["9"]}, "no reference or context has 7"),
    ("keyword_coverage", "The premium", {"reference": "premium"}, "has 'premium'"),
    (
        COMPLETENESS,
        "The premium",
        {"reference": "The premium is due"},
        "has 2 words where the reference has 4; has 'premium'",
    ),
    (
        COMPLETENESS,
        "The premium is",
        {"reference": "annual premium"},
        "is at least as long as the reference; has 1 of the reference's 2 keywords; lacks 'annual'",
    ),
)
def test_a_sentence_says_why(metric: str, answer: str, fields: dict[str, object], why: str):
    score = rg.score(metric, answer=answer, **fields)
    assert (score.evidence or {})["why"] == why
