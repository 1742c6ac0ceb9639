import math

import pytest

from ragauge.engine.batch import measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.errors import MetricError
from ragauge.metric import feature, metric
from ragauge.score import Score, Status
from ragauge.storage.tomlfile import parse_toml
from ragauge.suite import Suite

pytestmark = pytest.mark.usefixtures("own_metrics")


def scores(asking, **columns):
    """The scores of the label or suite, one a row; ids and systems are made up."""
    n = len(next(iter(columns.values())))
    columns = {"id": [f"q{row}" for row in range(n)], "system": ["s"] * n} | columns
    suite = asking if isinstance(asking, Suite) else Suite.of([asking])
    found = measure(make_plan([suite], list(columns)), columns, Resources())
    return found[0] if not isinstance(asking, Suite) else found


# References


def test_the_score_is_the_best_over_the_references_and_says_which_it_was():
    (best,) = scores("token_f1", answer=["a red hut"], references=[["blue", "red hut", "red"]])
    # "a" is an article: {red, hut} against {red, hut}.
    assert best.value == 1.0
    assert best.evidence["best_reference"] == 1


def test_where_lower_is_better_the_lowest_is_the_best():
    @metric(lower_is_better=True)
    def distance(answer: str, reference: str) -> float:
        return abs(len(answer) - len(reference)) / 10

    (best,) = scores("distance", answer=["abc"], references=[["a", "abcd", "abcdefg"]])
    assert best.value == 0.1
    assert best.evidence["best_reference"] == 1


def test_of_equally_good_references_the_first_is_named():
    (best,) = scores("exact_match", answer=["a"], references=[["b", "a", "A"]])
    assert best.evidence["best_reference"] == 1


def test_a_reference_without_a_value_does_not_hide_one_with():
    (best,) = scores("fuzzy_match", answer=["a"], references=[["", "b"]])
    assert (best.value, best.evidence["best_reference"]) == (0.0, 1)
    (none,) = scores("fuzzy_match", answer=["a"], references=[["", ""]])
    assert none.status is Status.UNDEFINED


def test_no_references_are_missing_and_an_empty_list_of_them_is_undefined():
    found = scores("exact_match", answer=["a"] * 3, references=[None, [], ["a"]])
    assert [one.status for one in found] == ["missing", "undefined", "ok"]
    assert found[0].reason == "the sample has no references"


def test_a_feature_of_a_reference_is_made_for_each():
    calls = []

    @feature
    def reference_length(reference: str) -> int:
        calls.append(reference)
        return len(reference)

    @metric
    def as_long(answer: str, reference_length: int) -> float:
        return len(answer) == reference_length

    found = scores("as_long", answer=["ab", "c"], references=[["x", "yz"], ["w"]])
    assert [one.value for one in found] == [1.0, 1.0]
    assert calls == ["x", "yz", "w"]


# Features


def test_a_feature_is_computed_once_a_sample_whoever_needs_it():
    calls = []

    @feature
    def counted(answer: str) -> int:
        calls.append(answer)
        return len(answer)

    @metric
    def one_of_it(counted: int) -> float:
        return counted / 10

    @metric
    def two_of_it(counted: int, question: str) -> float:
        return counted / 20

    suite = Suite.of(["one_of_it", "two_of_it"])
    first, second = scores(suite, answer=["a", "bb"], question=["x", "y"])
    assert calls == ["a", "bb"]
    assert [one.value for one in first + second] == [0.1, 0.2, 0.05, 0.1]


def test_a_feature_without_a_value_hands_its_reason_on():
    @feature
    def year(question: str) -> int | Score:
        return Score.undefined("names no year")

    @metric
    def in_time(year: int) -> float:
        return 1.0

    (found,) = scores("in_time", question=["when?"])
    assert found == Score.undefined("names no year")


def test_a_nullable_column_reaches_the_function_as_none():
    @metric
    def has_answer(answer: str | None) -> bool:
        return answer is not None

    assert [one.value for one in scores("has_answer", answer=["a", None])] == [1.0, 0.0]


def test_a_batch_metric_gets_only_the_rows_that_have_their_cells():
    seen = []

    @metric(batch=True)
    def lengths(answers_of_batch: list[str]) -> list[float]:
        seen.extend(answers_of_batch)
        return [len(answer) / 10 for answer in answers_of_batch]

    @feature(batch=True)
    def answers_of_batch(answer: list[str]) -> list[str]:
        return [one.strip() for one in answer]

    found = scores("lengths", answer=["a ", None, "bbb"])
    assert [one.value for one in found] == [0.1, None, 0.3]
    assert found[1].status is Status.MISSING
    assert seen == ["a", "bbb"]
    assert scores("lengths", answer=[None])[0].status is Status.MISSING


# Checks


CHECKS = Suite.read(
    parse_toml(
        """
        name = "s"
        [[check]]
        where = 'id = "q0"'
        mean = "facts"
        [check.rules]
        has_fee = { contains = "fee" }
        listed = { list_coverage = { found = "n_listed", total = "n_total" } }
        [check.holds]
        both = "has_fee and listed > 0"
        """,
        "s.toml",
    ),
    "s.toml",
)


@pytest.mark.parametrize("others", [["* a"], [], None])
def test_a_check_is_asked_of_its_own_questions_only(others):
    answers = {"answer": ["the fee\n* a", "the fee", None]}
    found = scores(CHECKS, references=[["* a\n* b"], others, others], **answers)
    # has_fee 1, n_listed 1, n_total 2, listed 1/2, both 1, and the mean (1 + 1/2) / 2.
    values = sorted(one[0].value for one in found)
    assert values == [0.5, 0.75, 1.0, 1.0, 1.0, 2.0]
    assert all(one[1:] == [None, None] for one in found)


def test_a_check_without_its_columns_is_missing_and_its_mean_too():
    found = scores(CHECKS, answer=[None], references=[["* a"]])
    # n_total reads the reference alone.
    assert sorted(one[0].status for one in found) == ["missing"] * 5 + ["ok"]


# Composites


def test_a_composite_gets_its_parts_whatever_their_status():
    got = []

    @metric
    def odd(answer: str) -> Score:
        return Score.failed("timeout") if answer == "x" else Score(0.5)

    @metric
    def whole(odd: Score) -> Score:
        got.append(odd.status)
        return Score(1.0)

    found = scores("whole", answer=["x", "y", None])
    assert [one.value for one in found] == [1.0, 1.0, 1.0]
    assert got == ["failed", "ok", "missing"]


@pytest.mark.parametrize(("part", "problem"), [(100, "divide"), ("x", "must be a score")])
def test_a_part_given_as_a_column_must_be_a_score(part, problem):
    with pytest.raises(MetricError, match=problem) as caught:
        scores("ragas_score", faithfulness=[part])
    message = str(caught.value)
    assert "metric ragas_score raised " in message
    assert " on sample 'q0' of system 's'; fix it in " in message


# Bugs in metrics


ANSWERS = ["fine", "bad", "fine"]


def assert_names_the_culprit(asking: str, name: str, problem: str) -> None:
    with pytest.raises(MetricError) as caught:
        scores(asking, answer=ANSWERS)
    message = str(caught.value)
    assert message.startswith(f"{name} raised ")
    assert " on sample 'q1' of system 's'; fix it in " in message
    assert problem in message
    assert caught.value.__cause__ is not None


def test_a_bug_in_a_metric_stops_with_its_name_and_the_sample():
    @metric
    def buggy(answer: str, *, k: int = 2) -> float:
        return 1 / (len(answer) - 3)

    assert_names_the_culprit("buggy@5", "metric buggy@5", "ZeroDivisionError")


def test_a_bug_in_a_batch_metric_is_traced_to_its_sample():
    @metric(batch=True)
    def buggy_batch(answer: list[str]) -> list[float]:
        return [{"fine": 1.0}[one] for one in answer]

    assert_names_the_culprit("buggy_batch", "metric buggy_batch", "KeyError: 'bad'")


def test_a_bug_in_a_feature_is_said_to_be_the_features():
    @feature
    def buggy_feature(answer: str) -> int:
        assert answer != "bad", "never bad"
        return 1

    @metric
    def innocent(buggy_feature: int) -> float:
        return 1.0

    assert_names_the_culprit("innocent", "feature buggy_feature", "AssertionError: never bad")


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (math.nan, "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (1.5, "outside [0.0, 1.0]"),
        (-0.1, "outside [0.0, 1.0]"),
        (None, "returned None"),
        ("0.5", "returned '0.5'"),
        ([0.5], "returned [0.5]"),
        ({"value": 1}, "not a number"),
    ],
)
def test_what_is_no_score_is_a_bug_and_never_a_value(value, problem, batch):
    if batch:

        @metric(batch=True)
        def wrong(answer: list[str]) -> list[object]:
            return [value if one == "bad" else 1.0 for one in answer]
    else:

        @metric
        def wrong(answer: str) -> object:
            return value if answer == "bad" else 1.0

    assert_names_the_culprit("wrong", "metric wrong", problem)


def test_a_batch_metric_that_returns_too_few_values_is_a_bug():
    @metric(batch=True)
    def short(answer: list[str]) -> list[float]:
        return [1.0] * (len(answer) - 1)

    with pytest.raises(MetricError, match="returned 2 values for 3 rows"):
        scores("short", answer=ANSWERS)


def test_a_value_beyond_its_bound_by_rounding_is_the_bound():
    @metric
    def rounded(answer: str) -> float:
        return {"high": 1 + 1e-12, "low": -1e-12}[answer]

    assert [one.value for one in scores("rounded", answer=["high", "low"])] == [1.0, 0.0]


def test_a_metric_may_have_other_bounds_or_none():
    @metric(low=None, high=None)
    def unbounded(answer: str) -> float:
        return float(answer)

    assert [one.value for one in scores("unbounded", answer=["-5", "1e6"])] == [-5.0, 1e6]


def test_what_stops_the_program_is_not_taken_for_a_bug():
    @metric
    def interrupted(answer: str) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scores("interrupted", answer=["a"])


def test_no_rows_give_no_scores():
    assert scores("exact_match", answer=[], references=[]) == []
