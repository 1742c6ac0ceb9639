"""What each varied setting does on its own, and times and costs, which are compared as ratios."""

import numpy as np
import pytest
from cases import cases
from pytest import approx
from scipy import stats as scipy_stats

import ragauge as rg
from ragauge.comparing.report import comparison_report
from ragauge.report.writing import as_json, to_markdown

POINTS = {  # by top_k and model
    ("3", "a"): [0.0, 0.2, 0.4],
    ("10", "a"): [0.5, 0.4, 0.4],
    ("3", "b"): [0.2, 0.2, 0.2],
    ("10", "b"): [0.3, 0.8, 0.2],
}


@pytest.fixture(autouse=True)
def points(own_metrics):
    @rg.metric(version=1)
    def points(answer_points: float) -> float:
        """The points that the sample states."""
        return answer_points


def rows(values, field="answer_points", **fields):
    """A row for each system and question; None leaves the value out."""
    return [
        {"id": f"q{at}", "system": system, "answer": "yes"}
        | ({} if value is None else {field: value})
        | {name: by_system[system] for name, by_system in fields.items()}
        for system, of_system in values.items()
        for at, value in enumerate(of_system)
    ]


def varied(points=POINTS, name="top_k={} model={}"):
    """A run of systems as `ask --vary top_k=3,10 --vary model=a,b` names them."""
    named = {name.format(*key): key for key in points}
    fields = {
        "variant.top_k": {system: int(key[0]) for system, key in named.items()},
        "variant.model": {system: key[1] for system, key in named.items()},
    }
    values = {system: points[key] for system, key in named.items()}
    return rg.evaluate(rows(values, **fields), "points")


def compared(run, **options):
    return run.compare(*run.samples.systems, **options)


def test_the_effect_of_a_setting_is_the_mean_over_the_combinations_of_the_others():
    top_k, model = compared(varied()).effects
    assert (top_k.setting, top_k.before, top_k.after) == ("top_k", "3", "10")
    # q0: (0.5 + 0.1) / 2 = 0.3, q1: (0.2 + 0.6) / 2 = 0.4, q2: 0
    assert (top_k.difference, top_k.n, top_k.n_pairs) == (approx(0.7 / 3), 3, 2)
    # q0: (0.2 - 0.2) / 2 = 0, q1: (0 + 0.4) / 2 = 0.2, q2: -0.2
    assert (model.setting, model.difference) == ("model", approx(0.0))


def test_its_interval_is_that_of_two_systems_with_the_mean_scores():
    top_k = compared(varied()).effects[0]
    means = {k: np.mean([POINTS[k, m] for m in "ab"], axis=0).tolist() for k in ("3", "10")}
    row = rg.evaluate(rows(means), "points").compare("3", "10").row("points")
    assert (top_k.low, top_k.high) == (approx(row.low), approx(row.high))


def test_a_question_that_one_pair_lacks_does_not_count():
    effects = compared(varied(POINTS | {("10", "b"): [0.3, None, 0.2]})).effects
    assert [(effect.n, effect.difference) for effect in effects] == [
        (2, approx(0.15)),  # 0.3, 0
        (2, approx(-0.1)),  # 0, -0.2
    ]


def test_every_value_is_compared_with_the_first_and_systems_stay_apart():
    points = {("3", "a"): [0.0], ("5", "a"): [0.5], ("10", "a"): [1.0]}
    changes = [(each.before, each.after) for each in compared(varied(points)).effects]
    assert changes == [("3", "5"), ("3", "10")]
    small, large = (
        varied({key: values}, name + " top_k={} model={}").samples.frame.to_dicts()
        for name, (key, values) in zip(("small", "large"), POINTS.items(), strict=False)
    )
    run = rg.evaluate([*small, *large, *rows({"plain": [0.0, 0.0, 0.0]})], "points")
    assert compared(run).effects == ()  # no two systems differ in a setting alone


def test_clusters_are_those_of_the_comparison():
    run = varied({key: values * 3 for key, values in POINTS.items()})
    table = run.samples.frame.to_dicts()
    run = rg.evaluate([row | {"topic": int(row["id"][1:]) % 3} for row in table], "points")
    alone, clustered = (compared(run, cluster=name).effects[0] for name in (None, "topic"))
    assert clustered.difference == approx(alone.difference)
    assert clustered.high - clustered.low > alone.high - alone.low


def test_the_table_of_effects_is_in_every_format():
    report = comparison_report(compared(varied()))
    assert "| top\\_k | 3 → 10 | points ↑ | \\+0.233 |" in to_markdown(report)
    assert '"setting": "top_k"' in as_json(report)


# Times and costs -------------------------------------------------------------------------------------

BEFORE, AFTER = [10.0, *[1.0] * 7], [1.0, *[2.0] * 7]


def timed(before, after, **options):
    run = rg.evaluate(rows({"old": before, "new": after}, "latency_s"), "latency_s")
    return run.compare("old", "new", **options)


def test_times_are_compared_by_their_ratio():
    row = timed(BEFORE, AFTER).row("latency_s")
    # One question is ten times as fast, seven are twice as slow: (1/10 · 2^7)^(1/8) = 12.8^(1/8).
    assert row.ratio == approx(12.8 ** (1 / 8))
    assert row.difference == approx(-0.25)  # (-9 + 7 · 1) / 8: the one slow answer decides the mean
    assert row.gain == approx(-np.log(12.8) / 8)
    assert row.ratio_low < row.ratio < row.ratio_high
    assert row.detectable is None
    text = to_markdown(comparison_report(timed(BEFORE, AFTER)))
    assert "new takes 1.38 times what old takes" in text
    assert "×1.38" in text


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomization"])
def test_the_test_is_of_logarithms(test):
    before, after = [1.0, 2.0, 3.0, 5.0, 8.0], [1.5, 5.0, 4.0, 21.0, 7.0]
    logs = np.log(after) - np.log(before)
    tests = {
        "t": lambda: scipy_stats.ttest_1samp(logs, 0),
        "wilcoxon": lambda: scipy_stats.wilcoxon(logs, method="exact"),
        "randomization": lambda: scipy_stats.permutation_test(
            (logs,), np.mean, permutation_type="samples", n_resamples=np.inf
        ),
    }
    expected = tests[test]().pvalue
    assert timed(before, after, test=test).row("latency_s").p_value == approx(expected)


def test_a_time_of_zero_has_no_ratio():
    row = timed([0.0, 1.0, 2.0], [1.0, 2.0, 5.0]).row("latency_s")
    assert (row.ratio, row.difference) == (None, approx(5 / 3))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomization"])
@cases(
    ([1e100] * 3, [1.0] * 3, 1e-100),
    ([1e100, 1.0], [1.0, 1e100], 1.0),  # the ends of the interval are e to ±2,926: no float
    ([1e-300, 1.0], [1.0, 1.0], None),
    ([5e-324, 1e100], [1e100, 5e-324], None),
)
def test_the_largest_and_the_smallest_numbers_are_compared(before, after, ratio, test):
    row = timed(before, after, test=test).row("latency_s")
    assert row.ratio == (ratio and approx(ratio))
    assert (row.ratio_low, row.ratio_high) == (None, None)
    assert np.isfinite(row.difference)


def test_exchanged_sides_have_the_inverse_ratio_and_the_same_p():
    there, back = (timed(*each).row("latency_s") for each in ((BEFORE, AFTER), (AFTER, BEFORE)))
    assert there.ratio == approx(1 / back.ratio)
    assert (there.ratio_low, there.p_value) == (approx(1 / back.ratio_high), back.p_value)


@cases(
    ([1.0, 2.0, 4.0], [2.0, 2.0, 4.0], 2 ** (1 / 3) - 1),  # the ratio is (2 · 1 · 1)^(1/3)
    ([0.0, 1.0, 3.0], [1.0, 1.0, 3.0], 0.25),  # a 0 has no ratio: the mean of 4/3 is 1/3 more
    ([0.0, 0.0], [0.0, 0.0], 0.0),
)
def test_a_gate_judges_times_by_the_share_that_they_grew_by(before, after, drop):
    run = rg.evaluate(rows({"old": before, "new": after}, "latency_s"), "latency_s")
    (verdict,) = run.gate(baseline="old", max_drop={"latency_s": drop + 0.01}).verdicts
    assert verdict.passed
    assert verdict.readings[0].value == approx(drop)
    assert run.gate(baseline="old", max_drop=drop + 1e-9).passed
    if drop:
        assert not run.gate(baseline="old", max_drop=drop - 0.01).passed
    low, high = (
        run.gate([f"latency_s.drop_{end} <= 9"], baseline="old") for end in ("low", "high")
    )
    if len(set(before)) > 1:
        ends = [gate.verdicts[0].readings[0].value for gate in (low, high)]
        assert ends[0] < drop < ends[1]


def test_the_interval_of_no_change_is_a_share_too():
    before, after = [0.0, 10.0, 20.0], [10.0, 0.0, 20.0]  # the mean of `before` is 10
    run = rg.evaluate(rows({"old": before, "new": after}, "latency_s"), "latency_s")
    (verdict,) = run.gate(["latency_s.drop_high <= 9"], baseline="old").verdicts
    assert verdict.readings[0].value == approx(timed(before, after).row("latency_s").high / 10)


def test_a_baseline_without_any_time_has_no_share():
    run = rg.evaluate(rows({"old": [0.0, 0.0], "new": [1.0, 2.0]}, "latency_s"), "latency_s")
    (verdict,) = run.gate(baseline="old", max_drop={"latency_s": 9}).verdicts
    assert "no share of a baseline of 0" in verdict.reason
