import pytest

import ragauge as rg


@pytest.mark.parametrize(
    ("metric", "sample", "why"),
    [
        ("number_match", {"reference": "$5 and 7", "answer": "$5"}, "states $5; lacks 7"),
        (
            "number_match",
            {"reference": "Sales fell 3%.", "answer": "Sales rose 3%."},
            "3% is a rise, a fall is expected",
        ),
        (
            "number_match",
            {"reference": "31", "answer": "35 less 4 is 31. So it is 30."},
            "states 31; only before its conclusion, which has other numbers: counts half",
        ),
        (
            "number_match",
            {"reference": "1, 2, 3, 4, 5, 6", "answer": "none"},
            "lacks 1, 2, 3, 4 and 2 more",
        ),
        (
            "number_precision",
            {"answer": "5 and 7", "references": ["5"]},
            "a reference has 5; none has 7; no contexts were given",
        ),
        (
            "number_precision",
            {"answer": "7", "references": ["5"], "contexts": ["9"]},
            "no reference or context has 7",
        ),
        ("keyword_coverage", {"reference": "premium", "answer": "The premium"}, "has 'premium'"),
        (
            "answer_completeness",
            {"reference": "The premium is due", "answer": "The premium"},
            "has 2 words where the reference has 4; has 'premium'",
        ),
        (
            "answer_completeness",
            {"reference": "annual premium", "answer": "The premium is"},
            "is at least as long as the reference; has 1 of the reference's 2 keywords; lacks 'annual'",
        ),
    ],
)
def test_a_sentence_says_why(metric: str, sample: dict[str, object], why: str):
    score = rg.score(metric, **sample)
    assert score.evidence is not None
    assert score.evidence["why"] == why
