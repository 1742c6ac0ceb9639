import pytest

import ragauge as rg

MATCH, PRECISION, COMPLETENESS = "number_match", "number_precision", "answer_completeness"


@pytest.mark.parametrize(
    ("metric", "answer", "fields", "why"),
    [
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
    ],
)
def test_a_sentence_says_why(metric: str, answer: str, fields: dict[str, object], why: str):
    score = rg.score(metric, answer=answer, **fields)
    assert (score.evidence or {})["why"] == why
