import math

import pytest
from cases import cases

from ragauge.engine.measure import measure
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


def values(asking, **columns):
    return [score and score.value for score in scores(asking, **columns)]


@cases(
    # "a" is an article: {red, hut} against {red, hut}.
    ("token_f1", "a red hut", ["blue", "red hut", "red"], 1.0, 1),
    ("distance", "abc", ["a", "abcd", "abcdefg"], 0.1, 1),  # lower is better
    ("exact_match", "a", ["b", "a", "A"], 1.0, 1),  # of equally good ones the first
    ("fuzzy_match", "a", ["", "b"], 0.0, 1),  # one without a value hides none with
    ("fuzzy_match", "a", ["", ""], None, None),
)
def test_the_score_is_the_best_over_the_references_and_says_which_it_was(
    label, answer, references, value, best
):
    @metric(lower_is_better=True)
    def distance(answer: str, reference: str) -> float:
        return abs(len(answer) - len(reference)) / 10

    (found,) = scores(label, answer=[answer], references=[references])
    assert found.value == value
    assert (found.evidence or {}).get("best_reference") == best
    assert (found.status is Status.UNDEFINED) == (value is None)


def test_no_references_are_missing_and_an_empty_list_of_them_is_undefined():
    found = scores("exact_match", answer=["a"] * 3, references=[None, [], ["a"]])
    assert [score.status for score in found] == ["missing", "undefined", "ok"]
    assert found[0].reason == "the sample has no references"
    assert scores("exact_match", answer=[], references=[]) == []


def test_a_feature_of_a_reference_is_made_for_each():
    calls = []

    @feature
    def reference_length(reference: str) -> int:
        calls.append(reference)
        return len(reference)

    @metric
    def as_long(answer: str, reference_length: int) -> float:
        return len(answer) == reference_length

    assert values("as_long", answer=["ab", "c"], references=[["x", "yz"], ["w"]]) == [1.0, 1.0]
    assert calls == ["x", "yz", "w"]


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
    assert [score.value for score in first + second] == [0.1, 0.2, 0.05, 0.1]


def test_what_has_no_value_reaches_the_metric_as_a_reason_or_as_none():
    @feature
    def year(question: str) -> int | Score:
        return Score.undefined("names no year")

    @metric
    def in_time(year: int) -> float:
        return 1.0

    @metric
    def has_answer(answer: str | None) -> bool:
        return answer is not None

    assert scores("in_time", question=["when?"]) == [Score.undefined("names no year")]
    assert values("has_answer", answer=["a", None]) == [1.0, 0.0]


def test_a_batch_metric_gets_only_the_rows_that_have_their_cells():
    seen = []

    @metric(batch=True)
    def lengths(answers_of_batch: list[str]) -> list[float]:
        seen.extend(answers_of_batch)
        return [len(answer) / 10 for answer in answers_of_batch]

    @feature(batch=True)
    def answers_of_batch(answer: list[str]) -> list[str]:
        return [each.strip() for each in answer]

    found = scores("lengths", answer=["a ", None, "bbb"])
    assert [score.value for score in found] == [0.1, None, 0.3]
    assert seen == ["a", "bbb"]
    assert found[1].status is scores("lengths", answer=[None])[0].status is Status.MISSING


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
    assert sorted(column[0].value for column in found) == [0.5, 0.75, 1.0, 1.0, 1.0, 2.0]
    assert all(column[1:] == [None, None] for column in found)


def test_a_check_without_its_columns_is_missing_and_its_mean_too():
    found = scores(CHECKS, answer=[None], references=[["* a"]])
    # n_total reads the reference alone.
    assert sorted(column[0].status for column in found) == ["missing"] * 5 + ["ok"]


def test_a_composite_gets_its_parts_whatever_their_status():
    got = []

    @metric
    def odd(answer: str) -> Score:
        return Score.failed("timeout") if answer == "x" else Score(0.5)

    @metric
    def whole(odd: Score) -> Score:
        got.append(odd.status)
        return Score(1.0)

    assert values("whole", answer=["x", "y", None]) == [1.0, 1.0, 1.0]
    assert got == ["failed", "ok", "missing"]


@pytest.mark.parametrize(("part", "problem"), [(100, "divide"), ("x", "must be a score")])
def test_a_part_given_as_a_column_must_be_a_score(part, problem):
    with pytest.raises(MetricError, match=problem) as caught:
        scores("ragas_score", faithfulness=[part])
    message = str(caught.value)
    assert "metric ragas_score raised " in message
    assert " on sample 'q0' of system 's'; fix it in " in message


ANSWERS = ["fine", "bad", "fine"]


def assert_names_the_culprit(asking: str, name: str, problem: str) -> None:
    with pytest.raises(MetricError) as caught:
        scores(asking, answer=ANSWERS)
    message = str(caught.value)
    assert message.startswith(f"{name} raised ")
    assert " on sample 'q1' of system 's'; fix it in " in message
    assert problem in message
    assert caught.value.__cause__ is not None


def test_a_bug_is_told_with_the_name_of_the_function_and_the_sample():
    @metric
    def buggy(answer: str, *, k: int = 2) -> float:
        return 1 / (len(answer) - 3)

    @metric(batch=True)
    def buggy_batch(answer: list[str]) -> list[float]:
        return [{"fine": 1.0}[each] for each in answer]

    @feature
    def buggy_feature(answer: str) -> int:
        assert answer != "bad", "never bad"
        return 1

    @metric
    def innocent(buggy_feature: int) -> float:
        return 1.0

    assert_names_the_culprit("buggy@5", "metric buggy@5", "ZeroDivisionError")
    assert_names_the_culprit("buggy_batch", "metric buggy_batch", "KeyError: 'bad'")
    assert_names_the_culprit("innocent", "feature buggy_feature", "AssertionError: never bad")


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (math.nan, "finite"),
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
    def wrong(answer: list[str]) -> list[object]:
        return [value if each == "bad" else 1.0 for each in answer]

    def wrong_row(answer: str) -> object:
        return value if answer == "bad" else 1.0

    metric(batch=batch, name="wrong")(wrong if batch else wrong_row)
    assert_names_the_culprit("wrong", "metric wrong", problem)


def test_a_batch_metric_that_returns_too_few_values_is_a_bug_and_an_interrupt_is_none():
    @metric(batch=True)
    def short(answer: list[str]) -> list[float]:
        return [1.0] * (len(answer) - 1)

    @metric
    def interrupted(answer: str) -> float:
        raise KeyboardInterrupt

    with pytest.raises(MetricError, match="returned 2 values for 3 rows"):
        scores("short", answer=ANSWERS)
    with pytest.raises(KeyboardInterrupt):
        scores("interrupted", answer=["a"])


def test_a_value_beyond_its_bound_by_rounding_is_the_bound_and_a_metric_may_have_none():
    @metric
    def rounded(answer: str) -> float:
        return {"high": 1 + 1e-12, "low": -1e-12}[answer]

    @metric(low=None, high=None)
    def unbounded(answer: str) -> float:
        return float(answer)

    assert values("rounded", answer=["high", "low"]) == [1.0, 0.0]
    assert values("unbounded", answer=["-5", "1e6"]) == [-5.0, 1e6]
    with pytest.raises(MetricError, match=r"returned -1e\+101, outside \[-1e\+100, 1e\+100\]"):
        scores("unbounded", answer=["-1e101"])
