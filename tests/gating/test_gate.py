"""The gate: rules over runs, drops against a baseline; a number without a value fails."""

from math import inf

import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.errors import DataError, FilterError, PlanError
from ragauge.gating.rules import STATISTICS

ROWS = [
    {"id": "q1", "system": "a", "answer": "Paris", "reference": "Paris", "kind": "fact"},
    {"id": "q2", "system": "a", "answer": "Rome is it", "reference": "Rome", "kind": "list"},
    {"id": "q1", "system": "b", "answer": "paris", "reference": "Paris", "kind": "fact"},
    {"id": "q2", "system": "b", "answer": None, "reference": "Rome", "kind": "list"},
]


@pytest.fixture(scope="module")
def run() -> rg.Run:
    """exact_match: a 1 and 0, b 1 and missing; token_f1 of q2: a 0.5."""
    return rg.evaluate(ROWS, ["exact_match", "token_f1", "recall@10"])


def outcomes(gate) -> list[tuple[str | None, bool]]:
    return [(verdict.system, verdict.passed) for verdict in gate.verdicts]


@cases(
    ("exact_match >= 0.5", [("a", True), ("b", True)]),
    ("exact_match > 0.5", [("a", False), ("b", True)]),
    ("token_f1 >= 0.75 and token_f1.n = 2", [("a", True), ("b", True)]),
    ("exact_match.missing <= 0", [("a", True), ("b", False)]),
    ("exact_match.worst >= 0.5", [("a", True), ("b", True)]),
    ("exact_match.worst >= 0.6", [("a", False), ("b", False)]),
    ("exact_match.best >= 1", [("a", False), ("b", True)]),
    ("exact_match.lowest >= 1", [("a", False), ("b", True)]),
    ('exact_match[kind = "fact"] >= 1', [("a", True), ("b", True)]),
    ('exact_match[kind = "list"] >= 0', [("a", True), ("b", False)]),
    ('exact_match[system = "b"] >= 1', [("b", True)]),
    ("answers >= 4", [(None, True)]),
    ("questions >= 3", [(None, False)]),
    ("missing <= 6", [(None, True)]),
    ("missing <= 5", [(None, False)]),
    ('missing[system = "a"] <= 2', [(None, True)]),
    ('answers[kind = "fact"] = 2', [(None, True)]),
    ("cost_usd <= 0 and calls <= 0", [(None, True)]),
    ("exact_match >= 0.9 or missing > 2", [("a", True), ("b", True)]),
)
def test_rules_by_hand(rule, expected, run):
    assert outcomes(run.gate([rule])) == expected


def test_a_metric_without_a_value_fails_whatever_the_rule_says(run):
    rules = (
        "recall@10 >= 0",
        "recall@10 <= 1",
        "not recall@10 > 1",
        "recall@10 < 1 or answers > 0",
    )
    for rule in rules:
        gate = run.gate([rule])
        assert not gate.passed
        why = "recall@10 has no value: no row has a score (2 missing)"
        assert gate.verdicts[0].reason.startswith(why)
    assert not run.gate(['failed[kind = "number"] <= 0']).passed


@cases(
    ('exact_match[kind = "number"] >= 0', "a", "has no value: no row matches its filter"),
    ("exact_match.low >= 0", "b", "exact_match.low has no value: an interval needs two questions"),
    ("exact_match > 0.5", "a", "exact_match is 0.5"),
)  # fmt: skip
def test_a_failed_rule_says_why(rule, system, reason, run):
    (verdict,) = run.gate([rule], systems=[system]).verdicts
    assert not verdict.passed
    assert verdict.reason.endswith(reason)


def test_two_right_answers_of_two_are_no_proof_of_99_percent():
    rows = [{"id": id, "answer": "Paris", "reference": "Paris"} for id in ("q1", "q2")]
    gate = rg.evaluate(rows, "exact_match").gate(["exact_match.low >= 0.99", "exact_match >= 1"])
    assert [verdict.passed for verdict in gate.verdicts] == [False, True]


def test_failures_are_sorted_the_worst_first(run):
    rules = [
        "exact_match > 0.5",
        "recall@10 >= 0",
        "failed <= 0",
        "exact_match >= 0.8",
        "answers >= 5",
    ]
    failures = run.gate(rules, systems=["a"]).failures
    assert [(failed.rule, failed.shortfall) for failed in failures] == [
        ("recall@10 >= 0", inf),  # no value
        ("exact_match >= 0.8", approx(0.3 / 0.8)),
        ("answers >= 5", approx(1 / 5)),
        ("exact_match > 0.5", 0.0),
    ]
    assert failures[-1].ids == ("q2",)  # q1 has the best score that there is


def test_every_statistic_has_a_value_where_the_summary_has_one(run):
    row = run.summary().row(0, named=True)
    for statistic in STATISTICS:
        (verdict,) = run.gate([f"exact_match.{statistic} >= 0"], systems=["a"]).verdicts
        assert verdict.readings[0].value == row[statistic], statistic


def test_a_label_is_found_without_the_model_that_the_run_fills_in():
    run = rg.evaluate(ROWS[:1], ["semantic_similarity"])
    assert "model" in run.metrics[0].metric
    assert run.gate(["semantic_similarity >= 0.9"]).passed
    passages = {"contexts": ["a b c"], "gold_contexts": ["a b c"]}
    suite = rg.evaluate([{"id": "1", "answer": "x", **passages}], "rag")
    assert suite.gate(['recall(match="text")@10 = 1', "`recall@10 by text` = 1"]).passed


@cases(
    ([], {}, "a gate needs a rule"),
    (["exact_mach > 1"], {}, "no metric 'exact_mach'; did you mean 'exact_match'?"),
    (["exact_match > 0"], {"systems": ["c"]}, "no system 'c'"),
    (["exact_match.drop <= 0"], {}, "needs a baseline; give it with --baseline"),
    ([], {"max_drop": 0.1}, "needs a baseline"),
    ([], {"max_drop": {"exact_match": -1}, "baseline": "a"}, "give a number of at least 0"),
    (["exact_match > 0"], {"on": "both"}, "on is 'both'; it takes point or bound"),
    (["exact_match.drop <= 0"], {"baseline": "zz"}, "neither a run nor a system"),
)
def test_wrong_arguments(rules, options, message, run):
    with pytest.raises(PlanError) as raised:
        run.gate(rules, **options)
    assert message in str(raised.value)


def test_a_slice_over_an_unknown_field_or_of_another_type_is_an_error(run):
    for rule in ('exact_match[knid = "fact"] > 0', "exact_match[kind > 3] > 0"):
        with pytest.raises(FilterError):
            run.gate([rule])


def answers(right: dict[str, int], n: int = 20) -> list[dict[str, object]]:
    """For each system, `n` answers; the first `right` ones are right."""
    return [
        {"id": f"q{at:02}", "system": system, "answer": "Rome" if at < n_right else "Oslo", "reference": "Rome", "half": at % 2}
        for system, n_right in right.items()
        for at in range(n)
    ]  # fmt: skip


def answered(metrics: str | list[str] = "exact_match", **right: int) -> rg.Run:
    return rg.evaluate(answers(right), metrics)


def test_drops_by_hand():
    """18 of 20 in the baseline, 16 now: a drop of 0.1, of q16 and q17."""
    old = answered(a=18)
    new = answered(a=16)
    assert outcomes(new.gate(baseline=old, max_drop=0.1)) == [("a", True)]
    assert outcomes(old.gate(baseline=new, max_drop=0)) == [("a", True)]
    (verdict,) = new.gate(baseline=old, max_drop={"exact_match": 0.09}).verdicts
    assert (verdict.rule, verdict.reason) == ("exact_match.drop <= 0.09", "exact_match.drop is 0.1")
    assert verdict.ids == ("q16", "q17")
    (verdict,) = new.gate(baseline=old, max_drop=0.1, on="bound").verdicts
    assert not verdict.passed
    assert verdict.rule == "exact_match.drop_high <= 0.1"
    assert new.gate(["exact_match.drop_low <= 0"], baseline=old).passed
    assert new.gate(["exact_match.p_value > 0.05"], baseline=old).passed
    half = new.gate(["exact_match.drop[half = 0] <= 0.1"], baseline=old)
    assert half.passed, half.verdicts
    assert half.verdicts[0].readings[0].value == pytest.approx(0.1)


def test_a_system_of_the_same_run_is_a_baseline():
    run = answered(old=18, new=10, best=20)
    assert outcomes(run.gate(baseline="old", max_drop=0.1)) == [("best", True), ("new", False)]


def test_a_drop_of_a_metric_of_which_less_is_better_is_a_rise():
    rows = [
        {"id": f"q{at}", "system": system, "answer": answer, "contexts": ["The fee is 5 dollars."]}
        for system, answer in (("a", "The fee is 5 dollars."), ("b", "It costs 999 euros in 1931."))
        for at in range(4)
    ]
    run = rg.evaluate(rows, "hallucination")
    (verdict,) = run.gate(baseline="a", max_drop=0).verdicts
    assert not verdict.passed
    assert verdict.readings[0].value is not None and verdict.readings[0].value > 0
    assert run.gate(baseline="b", max_drop=0).passed


def test_questions_lost_since_the_baseline_fail_a_drop():
    old = answered(a=18)
    new = rg.evaluate(answers({"a": 18})[1:], "exact_match")
    (verdict,) = new.gate(baseline=old, max_drop=1).verdicts
    assert not verdict.passed
    assert verdict.reason == (
        "exact_match.drop has no value: 1 question scored in the baseline has no score now: q00"
    )
    assert verdict.ids == ("q00",)
    assert new.gate(baseline=old, max_drop=1, allow_lost=1).passed


def test_neither_direction_of_a_metric_without_one_is_a_drop():
    run = answered(["dont_know", "exact_match"], a=18, b=3)
    (verdict,) = run.gate(["dont_know.drop <= 1"], baseline="a").verdicts
    assert "neither high nor low values of dont_know are better" in verdict.reason
    assert [one.rule for one in run.gate(baseline="a", max_drop=1).verdicts] == [
        "exact_match.drop <= 1"
    ]


def test_a_slice_in_which_neither_side_has_a_score_fails():
    rows = answers({"old": 4, "new": 4}, n=6)
    for row in rows:
        row["reference"] = None if row["half"] else "Rome"
    run = rg.evaluate(rows, "exact_match")
    (verdict,) = run.gate(["exact_match.drop[half = 1] <= 1"], baseline="old").verdicts
    assert not verdict.passed
    assert verdict.reason.endswith("has no value: no question has a score on either side")
    (verdict,) = run.gate(["exact_match.drop[half = 7] <= 1"], baseline="old").verdicts
    assert verdict.reason.endswith("has no value: no row matches its filter")


def test_a_slice_that_names_the_system_compares_it_with_the_baseline():
    run = answered(old=18, new=10, best=20)
    gate = run.gate(['exact_match.drop[system = "new" and half = 0] <= 0.1'], baseline="old")
    (verdict,) = gate.verdicts
    assert (verdict.system, verdict.passed) == ("new", False)
    assert verdict.readings[0].value == pytest.approx(0.4)


def test_a_system_or_metric_that_vanished_fails_and_a_new_metric_is_named():
    old = answered(["exact_match", "token_f1"], a=18, b=18)
    new = answered(["exact_match", "rouge1"], b=18)
    gate = new.gate(baseline=old, max_drop=0.5)
    metric = "the baseline has the metric token_f1, and the run does not"
    assert {(one.rule, one.system, one.reason) for one in gate.failures} == {
        ("systems of the baseline", "a", "the baseline has this system, and the run does not"),
        ("metrics of the baseline", None, metric),
    }
    assert gate.notes == ("not in the baseline, so not checked for a drop: rouge1",)
    assert new.gate(baseline=old, max_drop={"exact_match": 0.5}, systems=["b"]).passed


def test_the_baseline_is_checked_too_by_rules_without_a_drop():
    run = answered(old=2, new=10)
    gate = run.gate(["exact_match >= 0.4"], baseline="old", max_drop=1)
    assert outcomes(gate) == [("new", True), ("old", False), ("new", True)]
    assert outcomes(run.gate(['exact_match[system = "old"] >= 0.1'], baseline="old")) == [
        ("old", True)
    ]
    with pytest.raises(PlanError, match="compares old with itself"):
        run.gate(baseline="old", max_drop=1, systems=["old"])


def test_a_baseline_of_other_settings_is_refused_unless_allowed():
    old = answered(a=18)
    new = rg.evaluate([{**row, "reference": "Oslo"} for row in answers({"a": 18})], "exact_match")
    with pytest.raises(DataError, match="other references"):
        new.gate(baseline=old, max_drop=1)
    assert new.gate(baseline=old, max_drop=1, allow_mismatch=True).passed


def test_a_low_mean_opens_the_low_scores_and_not_the_rows_without_any():
    rows = [
        {"id": "q1", "answer": "Paris"},  # without a reference, so without a score
        {"id": "q2", "answer": "Oslo", "reference": "Rome"},
        {"id": "q3", "answer": "Rome", "reference": "Rome"},
    ]
    run = rg.evaluate(rows, ["exact_match"])
    assert run.gate("exact_match >= 0.9").failures[0].ids == ("q2",)
    assert run.gate("exact_match.missing <= 0").failures[0].ids == ("q1", "q2")


COUNTED = """\
name = "counted"
[[metric]]
label = "exact_match"
name = "n_right"
show = "count"
[[metric]]
label = "token_f1"
name = "percentage"
scale = 100
"""


@cases(
    ("n_right <= 5", "lies between 0 and 1, so 5 is no limit for it; it is a share of the answers, also where"),
    ("percentage >= 80", "lies between 0 and 1, so 80 is no limit for it; write 0.8"),
    ("not percentage.low < -0.1", "percentage.low lies between 0 and 1, so -0.1 is no limit for it"),
    ("failed <= 0 and percentage > 1.01", "so 1.01 is no limit for it"),
)  # fmt: skip
def test_a_limit_that_no_value_can_reach_is_refused(rule, problem, tmp_path):
    (tmp_path / "counted.toml").write_text(COUNTED)
    run = rg.evaluate(ROWS, str(tmp_path / "counted.toml"))
    with pytest.raises(PlanError) as error:
        run.gate([rule])
    assert problem in str(error.value)
    # Limits at an end of the range, and of what has no range, stay.
    assert run.gate(["percentage >= 0", "n_right.n <= 5", "missing <= 100"], systems=["a"]).passed


def test_a_drop_in_percent_is_refused_where_it_would_always_hold(run):
    with pytest.raises(PlanError, match=r"so 2 is no limit for it; for 2 % write 0\.02"):
        run.gate(baseline="a", max_drop=2, systems=["b"])


UNSCORED = [
    {"id": id, "system": system, "answer": answer, "reference": reference, "kind": kind}
    for system, answers in (("a", ["Rome", None]), ("b", [None, None]))
    for id, answer, reference, kind in zip(
        ["q1", "q2"], answers, ["Rome", "Oslo"], ["fact", "list"], strict=True
    )
]


@cases(
    (["failed <= 0"], [("scores", "b")]),
    (["cost_usd <= 1", "unscored <= 99"], [("scores", "b")]),
    (["exact_match.failed <= 0"], [("scores", "b")]),
    (["exact_match >= 0"], [("exact_match >= 0", "b")]),  # says so already
    (["recall@5.failed <= 0"], [("scores", "a"), ("scores", "b")]),
    (['failed[kind = "list"] <= 0'], [("scores", "b"), ('scores[kind = "list"]', "a")]),
    (['failed[kind = "fact" and system = "a"] <= 0'], [("scores", "b")]),
)
def test_a_system_of_which_nothing_was_scored_fails_every_gate(rules, failed):
    run = rg.evaluate(UNSCORED, ["exact_match", "recall@5"])
    gate = run.gate(rules)
    assert [(verdict.rule, verdict.system) for verdict in gate.failures] == failed
    assert all("no row has a score" in verdict.reason for verdict in gate.failures)
    assert run.gate("failed <= 0", systems=["a"]).passed


TOTALS = {
    "ok = 1": 1,
    "missing = 7": 7,
    "unscored = 7": 7,
    "skipped = 0": 0,
    "undefined = 0": 0,
    "exact_match.unscored = 1": 1,
    'unscored[kind = "fact"] = 3': 3,
}


def test_totals_by_status():
    run = rg.evaluate(UNSCORED, ["exact_match", "recall@5"])
    for rule, value in TOTALS.items():
        verdict = run.gate(rule, systems=["a"]).verdicts[0]
        assert (verdict.passed, verdict.readings[0].value) == (True, value), rule


def test_one_drop_for_all_metrics_skips_those_without_a_value_on_both_sides():
    """number_match has no reference with a number, recall@5 no judgements."""
    metrics = ["exact_match", "number_match", "recall@5"]
    old = answered(metrics, a=18)
    new = answered(metrics, a=17)
    gate = new.gate(baseline=old, max_drop=0.1)
    assert gate.passed
    assert [verdict.rule for verdict in gate.verdicts] == ["exact_match.drop <= 0.1"]
    assert gate.notes == (
        "without a value on both sides, so not checked for a drop: number_match, recall@5 (a)",
    )
    # A metric that is named has to have a value.
    assert not new.gate(baseline=old, max_drop={"number_match": 0.1}).passed
    nothing = rg.evaluate([{**row, "reference": None} for row in answers({"a": 18})], metrics)
    (verdict,) = new.gate(baseline=nothing, max_drop=0.1).verdicts
    assert not verdict.passed
    assert verdict.reason == "no metric has a value in the run and in the baseline"


def points(values: list[float | str]) -> rg.Run:
    """A run of one metric, whose values or statuses these are."""
    rows = [
        {"id": f"q{at}", "question": f"{at}?", "stated": str(value)}
        for at, value in enumerate(values)
    ]
    return rg.evaluate(rows, "stated_points")


@pytest.fixture
def stated_points(own_metrics):
    @rg.metric(version=1)
    def stated_points(stated: str) -> rg.Score:
        """The value that the sample states, or the status."""
        if stated in ("undefined", "missing", "failed", "skipped"):
            return getattr(rg.Score, stated)("as the test wants")
        return rg.Score(float(stated))


@pytest.mark.usefixtures("stated_points")
@cases(
    # Rows that lost their value: failed and missing are losses, undefined and skipped are none.
    ([1, 0, 1], ["failed", 0, 1], False, None),
    ([1, 0, 1], ["missing", 0, 1], False, None),
    ([1, 0, 1], ["undefined", 0, 1], True, 0),
    ([1, 0, 1], ["skipped", 0, 1], True, 0),
    # Nothing is lost that was not there, and the drop is of the rows with a value on both sides:
    # without q0, 1 of 2 then and 1 of 2 now, though the means are 1/3 and 1/2.
    (["failed", 0, 1], ["failed", 0, 1], True, 0),
    (["missing", 0, 1], [1, 0, 1], True, 0),
    ([0, 0, 1], ["undefined", 0, 1], True, 0),
    ([0, 1, 1], ["undefined", 0, 1], False, 0.5),
    # No row has a value now.
    ([1, 1, 1], ["failed", "missing", "failed"], False, None),
    ([1, 1, 1], ["undefined", "undefined", "failed"], False, None),
)
def test_what_became_of_a_row_decides_whether_it_is_lost(before, now, passed, drop):
    gate = points(now).gate(baseline=points(before), max_drop=0.1)
    assert gate.passed is passed, gate
    assert gate.verdicts[0].readings[0].value == drop
    n_dropped = sum(
        b in (0, 1) and n in ("undefined", "skipped") for b, n in zip(before, now, strict=True)
    )
    assert any(note.endswith("undefined or skipped now: 1 (default)") for note in gate.notes) is (
        n_dropped == 1 and drop is not None
    )


@pytest.mark.usefixtures("stated_points")
def test_a_metric_that_is_undefined_throughout_is_no_drop_beside_others():
    rows = [{**row, "stated": text} for row, text in zip(answers({"a": 1}, n=2), "01", strict=True)]
    metrics = ["stated_points", "exact_match"]
    old = rg.evaluate(rows, metrics)
    new = rg.evaluate([{**row, "stated": "undefined"} for row in rows], metrics)
    gate = new.gate(baseline=old, max_drop=0)
    (verdict,) = gate.verdicts
    assert (verdict.rule, verdict.passed) == ("exact_match.drop <= 0", True)
    note = "without a value on both sides, so not checked for a drop: stated_points (a)"
    assert gate.notes == (note,)


def test_percentiles_are_those_of_numpy():
    rows = [{"id": f"q{at}", "answer": "x", "latency_s": float(at)} for at in (1, 3, 4, 9)]
    run = rg.evaluate(rows, "latency_s")
    # Between 3 and 4; 0.95 · 3 = 2.85 places from 1: 4 + .85 · 5.
    assert run.gate(
        ["latency_s.p50 = 3.5", "latency_s.p95 > 8.2499 and latency_s.p95 < 8.2501"]
    ).passed


def test_what_answers_cost_is_not_taken_for_what_judges_cost():
    run = rg.evaluate([{"id": "q1", "answer": "x", "cost_usd": 0.5}], "cost_usd")
    (verdict,) = run.gate(["cost_usd <= 0.1"]).failures
    assert verdict.reason.endswith(
        "no judge was asked; of the answers it is cost_usd.mean or cost_usd.sum"
    )
    assert run.gate(["cost_usd.mean <= 0.5"]).passed


def test_a_gate_prints_as_the_command_does():
    run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Paris"}], "exact_match")
    lines = str(run.gate(["exact_match >= 0.5"])).splitlines()
    assert lines[:2] == ["failed: 1 of 1 check", "✗ exact_match >= 0.5  (default)"]
