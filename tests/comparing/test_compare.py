"""Comparisons of systems: pairing, slices, clusters, mismatches, and what a side lacks."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import cases
from pytest import approx
from scipy import stats as scipy_stats

import ragauge as rg
from ragauge.errors import DataError, PlanError
from ragauge.label import Label
from ragauge.runs.manifest import Manifest
from ragauge.runs.scores import InMemory
from ragauge.stats.paired_tests import detectable_difference
from ragauge.suite import Entry, Suite

pytestmark = pytest.mark.usefixtures("own_metrics")


@pytest.fixture(autouse=True)
def points(own_metrics):
    """A metric whose values are in the data: `points` in [0, 1]; null is a missing score."""

    @rg.metric(version=1)
    def points(answer_points: float) -> float:
        """The points that the sample states."""
        return answer_points

    return points


TENTHS, NEXT = ([at / 10 for at in range(start, start + 8)] for start in (1, 2))


def rows(systems: dict[str, list[float | None]], **fields: list[object]) -> list[dict[str, object]]:
    """A row for each system and question q0, q1 …; None leaves out the row's points."""
    return [
        {
            "id": f"q{at}",
            "system": system,
            "question": f"question {at}?",
            **({} if value is None else {"answer_points": value}),
            **{name: values[at] for name, values in fields.items()},
        }
        for system, values in systems.items()
        for at, value in enumerate(values)
    ]


def run_of(systems, **fields) -> rg.Run:
    return rg.evaluate(rows(systems, **fields), "points")


def one(systems, **options):
    return run_of(systems).compare("a", "b", **options).row("points")


@cases(
    # Differences 1, 0.25, -0.25, 0. Of the 8 patterns of 1, 1/4, 1/4 those of at least 1 in size are 6.
    ([0, 0.5, 1, 0.25], [1, 0.75, 0.75, 0.25], {}, {
        "n": 4, "base_mean": 1.75 / 4, "candidate_mean": 2.75 / 4, "difference": 0.25, "wins": 2, "ties": 1, "losses": 1,
        "p_value": 6 / 8, "test": "randomization (exact)", "effect_size": 0.25 / np.std([1, 0.25, -0.25, 0], ddof=1)}),
    # Mean 1/4, standard error 1/4, t 3.1824: from -0.546 to 1.046, but points are in [0, 1].
    ([0] * 4, [0, 0, 0, 1], {}, {"low": 0.25 - 3.18244631 / 4, "high": 1.0}),
    # They cross the middle of the scale; the larger change first.
    ([0.4, 0.1, 0.5, 0.9, 0.6], [0.5, 0.4, 0.49, 0.6, 0.1], {}, {
        "fixed": (("q0", 0.4, 0.5),), "broken": (("q4", 0.6, 0.1), ("q2", 0.5, 0.49))}),
    # q0 +0.5 and q3 0 are paired; q4 has no points on either side: the metric does not apply.
    # Worst: q1 0 - 0.5, q2 0.5 - 1; best: q1 1 - 0.5, q2 0.5 - 0. Over 4 questions.
    ([0, 0.5, None, 1, None], [0.5, None, 0.5, 1, None], {}, {
        "n": 2, "difference": 0.25, "unpaired": (("q1", "ok", "missing"), ("q2", "missing", "ok")),
        "worst": (0.5 - 0.5 - 0.5) / 4, "best": (0.5 + 0.5 + 0.5) / 4}),
    # Wilson's upper end of 0 of 5 other differences, 3.84146 / 8.84146, by as much as 1.
    ([0.5] * 5, [0.5] * 5, {}, {
        "note": "no question differs", "p_value": 1.0, "detectable": None, "low": -0.4344825, "high": 0.4344825}),
    ([0.25] * 5, [0.75] * 5, {}, {
        "note": "", "p_value": 2 / 2**5, "detectable": None, "low": 0.5 - 1.5 * 0.4344825, "high": 0.5 + 0.5 * 0.4344825}),
    ([0.5], [0.25], {}, {"note": "only 1 common question: no interval and no test", "p_value": None, "detectable": None}),
    ([0.5] * 5, [0.5] * 5, {"test": "t"}, {
        "note": "no question differs; the test t is undefined", "p_value": None, "verdict": "not tested"}),
    ([0.5, 0.2, 0.1], [0.5, 0.3, 0.2], {"test": "mcnemar"}, {
        "p_value": None, "note": "McNemar's test needs scores of 0 and 1; use randomization"}),
    ([0.5], [None], {}, {
        "n": 0, "p_value": None, "verdict": "not tested", "note": "no question has a score on both sides",
        "unpaired": (("q0", "ok", "missing"),)}),
    # Equal but for rounding: 0.1 + 0.2 is 0.30000000000000004.
    (TENTHS, NEXT, {"test": "t"}, {
        "effect_size": None, "p_value": None, "is_significant": False,
        "note": "all differences are equal; the test t is undefined"}),
    ([0.1 + 0.2] * 4, [0.3, 0.3, 0.3, 0.6], {}, {"wins": 1, "ties": 3, "losses": 0}),
    ([0.1 + 0.2] * 4, [0.3] * 4, {}, {"ties": 4, "p_value": 1.0, "note": "no question differs"}),
    (TENTHS + NEXT, NEXT + TENTHS, {}, {"difference": 0.0, "effect_size": 0.0, "p_value": 1.0}),
)  # fmt: skip
def test_the_row_of_a_pair(a, b, options, expected):
    row = one({"a": a, "b": b}, **options)
    for name, value in expected.items():
        expects = approx(value, abs=1e-6) if isinstance(value, float) else value
        assert getattr(row, name) == expects, name


def test_binary_scores_get_mcnemars_exact_p_and_lists_of_what_changed():
    base, candidate = [0.0] * 9 + [1.0] * 6, [1.0] * 9 + [0.0] * 2 + [1.0] * 4
    for test in ("randomization", "mcnemar"):
        row = one({"a": base, "b": candidate}, test=test)
        # 9 fixed, 2 broken: 2 (1 + 11 + 55) / 2^11.
        assert (row.p_value, len(row.fixed)) == (2 * 67 / 2**11, 9)
        assert row.broken == (("q10", 1.0, 0.0), ("q9", 1.0, 0.0))


def test_the_other_tests_are_scipys():
    random = np.random.default_rng(1)
    base, candidate = random.random(20), random.random(20) * 0.8 + 0.2
    systems = {"a": base.tolist(), "b": candidate.tolist()}
    t, wilcoxon = scipy_stats.ttest_rel(candidate, base), scipy_stats.wilcoxon(candidate, base)
    assert one(systems, test="t").p_value == approx(t.pvalue)
    assert one(systems, test="wilcoxon").p_value == approx(wilcoxon.pvalue)
    bca = scipy_stats.bootstrap(
        (candidate - base,), np.mean, n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    row = one(systems)
    assert (row.low, row.high) == (approx(bca.low, abs=0.02), approx(bca.high, abs=0.02))


def test_lower_values_win_where_lower_is_better(own_metrics):
    @rg.metric(version=1, lower_is_better=True)
    def penalty(answer_points: float) -> float:
        """The points that the sample states, as a penalty."""
        return answer_points

    run = rg.evaluate(rows({"a": [1.0] * 6, "b": [0.0] * 6}), "penalty")
    row = run.compare("a", "b").row("penalty")
    assert (row.difference, row.gain, row.verdict) == (-1.0, 1.0, "better")
    assert (row.wins, len(row.fixed)) == (6, 6)


def test_a_metric_without_a_better_direction_has_no_winner():
    answers = [
        {"id": str(at), "system": system, "answer": answer, "reference": "Rome"}
        for at in range(9)
        for system, answer in (("a", "Rome"), ("b", "I do not know."))
    ]
    row = rg.evaluate(answers).compare("a", "b", metrics="dont_know").row("dont_know")
    assert (row.difference, row.is_significant, row.verdict) == (1.0, True, "differs")
    assert (row.fixed, row.broken, row.gain) == ((), (), None)


def test_slices_are_tested_too_and_the_correction_covers_them_all():
    kinds = ["fact"] * 6 + ["opinion"] * 5 + [None]
    run = run_of({"a": [0.0] * 12, "b": [1.0] * 6 + [0.0] * 5 + [1.0]}, kind=kinds)
    comparison = run.compare("a", "b", by="kind")
    found = {(row.value, row.n): row for row in comparison.rows}
    assert list(found) == [(None, 12), ("fact", 6), ("opinion", 5), ("(none)", 1)]
    assert found["fact", 6].p_value == 2 / 2**6
    assert found["opinion", 5].note == "no question differs"
    assert found["(none)", 1].p_value is None
    # Two tests, p 2 / 2^7 and 2 / 2^6: times 2 and 1, but not below the one before. The opinions do not
    # differ, so they are no test.
    assert comparison.n_tests == 2
    assert [row.p_corrected for row in comparison.rows] == [4 / 2**7, 2 / 2**6, 1.0, None]
    assert run.compare("a", "b", by="kind", correction="none").rows[1].p_corrected == 2 / 2**6
    values = {"a": [0.0, 1.0, 0.5, None], "b": [1.0, 1.0, None, 0.5]}
    empty = run_of(values, kind=["x", "x", "y", "y"]).compare("a", "b", by="kind").rows[2]
    assert (empty.value, empty.n, empty.p_value, empty.difference) == ("y", 0, None, None)
    assert empty.note == "no question has a score on both sides"
    assert (empty.worst, empty.best) == (-0.5, 0.5)  # 0 - 0.5 and 0.5 - 1; 1 - 0.5 and 0.5 - 0


def test_clusters_are_resampled_and_their_signs_flip_together():
    # Four documents with 5 questions each; the differences within one are equal: 4 signs of 20.
    of_document = [0.5, 0.25, 0.75, 0.125]
    values = [value for value in of_document for _ in range(5)]
    run = run_of({"a": [0.0] * 20, "b": values}, doc=[f"d{at // 5}" for at in range(20)])
    row = run.compare("a", "b", cluster="doc").row("points")
    assert (row.n, row.n_clusters, row.p_value) == (20, 4, 2 / 2**4)
    assert run.compare("a", "b").row("points").p_value < 0.001
    # The t test of four means: with equal clusters it is that of the documents alone.
    t = run.compare("a", "b", cluster="doc", test="t").row("points")
    assert t.p_value == approx(scipy_stats.ttest_1samp(of_document, 0).pvalue)
    run = run_of({"a": [0.0, 0.5, 0.5], "b": [1.0, 0.5, 0.75]}, doc=["d", "d", "d"])
    row = run.compare("a", "b", cluster="doc").row("points")
    assert (row.difference, row.p_value, row.low) == (approx(1.25 / 3), None, None)
    assert row.note == "only 1 common cluster: no interval and no test"


@pytest.mark.parametrize("repeats", [2, 3])
def test_equal_repeats_of_every_question_leave_interval_and_p_as_they_are(repeats):
    # Of clusters of two, the sums 0 and 2 look like those of one better and one worse, and of two better.
    once = {"a": [0.0] * 20 + [1.0] * 10, "b": [1.0] * 6 + [0.0] * 14 + [1.0] * 10}
    often = {name: np.repeat(values, repeats).tolist() for name, values in once.items()}
    run = run_of(often, repeat_of=np.repeat([f"q{at}" for at in range(30)], repeats).tolist())
    found, expected = (
        run.compare("a", "b").row("points"),
        run_of(once).compare("a", "b").row("points"),
    )
    assert (found.low, found.high) == approx((expected.low, expected.high))
    assert (found.p_value, found.n_clusters) == (expected.p_value, 30)
    halves = run_of(
        {"a": [0.5] * 20 + [0.0, 1.0]}, repeat_of=np.repeat(list("bcdefghijkl"), 2).tolist()
    )
    # Ten pairs of .5 and one of 0 and 1 are eleven equal means, not eleven right answers of 22.
    row = halves.summary().row(0, named=True)
    assert row["high"] - row["low"] < 0.3


def test_metrics_without_a_difference_do_not_count_in_the_correction(own_metrics):
    @rg.metric(version=1)
    def constant(answer_points: float) -> float:
        """Always 1."""
        return 1.0

    run = rg.evaluate(rows({"a": [0.0] * 6, "b": [1.0] * 6}), ["points", "constant"])
    for correction in ("holm", "bh"):
        found = run.compare("a", "b", correction=correction)
        # 2 / 2^6 is the only test; with the other it would be 4 / 2^6, which is above 0.05.
        assert (found.n_tests, found.row("points").p_corrected) == (1, 2 / 2**6)
        assert found.row("constant").p_corrected == 1.0


def test_a_comparison_prints_as_the_command_does():
    text = str(run_of({"a": [0.0] * 6, "b": [1.0] * 6}).compare("a", "b"))
    assert text.startswith("b is better than a on points (+1.000)")
    assert "b against a · 6 questions" in text


def test_all_pairs_or_each_candidate_with_the_base():
    run = run_of({"a": [0.1, 0.4, 0.3], "b": [0.4, 0.5, 0.2], "c": [0.9, 0.8, 0.9]})
    assert run.compare("b", "a", "c").pairs == (("b", "a"), ("b", "c"))
    every = run.compare("a", "b", "c", pairs="all")
    assert every.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    alone = run.compare("b", "c").row("points")
    assert every.row("points", base="b", candidate="c").p_value == alone.p_value
    with pytest.raises(PlanError, match="choose one pair by candidate= and base=: a with b"):
        every.row("points")
    with pytest.raises(PlanError, match="did you mean 'points'"):
        every.row("poinst")


def test_the_order_of_the_rows_changes_nothing_and_exchanged_sides_have_the_opposite_difference():
    given = rows({"a": [0.1, 0.4, 0.3, 0.9] * 5, "b": [0.4, 0.5, 0.2, 0.71] * 5})
    run, backward = rg.evaluate(given, "points"), rg.evaluate(given[::-1], "points")
    assert backward.compare("a", "b").rows == run.compare("a", "b").rows
    there, back = run.compare("a", "b").row("points"), run.compare("b", "a").row("points")
    assert (back.difference, back.p_value) == (-there.difference, there.p_value)
    assert back.wins == there.losses


def test_metrics_with_an_aggregate_of_their_own_are_resampled_by_their_parts(own_metrics):
    @rg.metric(version=1, aggregate=_harmonic)
    def harmonic(answer_points: float) -> rg.Score:
        """Points whose aggregate is their harmonic mean."""
        return rg.Score(answer_points, evidence={"parts": [1 / answer_points, 1.0]})

    values = {"a": [0.5, 1.0, 0.25], "b": [1.0, 1.0, 0.5]}
    row = rg.evaluate(rows(values), "harmonic").compare("a", "b").row("harmonic")
    # 3 / (2 + 1 + 4) and 3 / (1 + 1 + 2).
    assert (row.base_mean, row.candidate_mean) == (approx(3 / 7), approx(3 / 4))
    assert row.difference == approx(3 / 4 - 3 / 7)
    # Two questions differ; exchanging both or none is as far: 2 of 4.
    assert (row.p_value, row.test) == (0.5, "randomization (exact)")
    assert row.low < row.difference < row.high
    assert (row.worst, row.effect_size) == (None, None)


def _harmonic(sums):
    return [n / inverse if inverse else float("nan") for inverse, n in sums]


def test_bleu_is_compared_by_its_corpus_value():
    pytest.importorskip("sacrebleu")
    cat, dog = "the cat sat on the mat", "a dog barks at night"
    answers = [
        {"id": str(at), "system": system, "answer": text if at % 3 else f"{dog} often", "reference": cat if at % 2 else dog}
        for at in range(12)
        for system, text in (("a", "the cat sat on a mat today"), ("b", cat))
    ]  # fmt: skip
    run = rg.evaluate(answers, "bleu")
    means = dict(run.summary().select("system", "mean").iter_rows())
    row = run.compare("a", "b").row("bleu")
    assert (row.base_mean, row.candidate_mean) == (approx(means["a"]), approx(means["b"]))
    assert row.difference == approx(means["b"] - means["a"])
    assert row.low <= row.difference <= row.high


# Sides and mismatches


def test_runs_are_compared_and_named_by_their_folders(tmp_path):
    given = rows({"default": [0.0, 0.5, 0.5, 0.25]})
    better = [{**row, "answer_points": 1.0} for row in given]
    for name, each in (("monday", given), ("tuesday", better)):
        rg.evaluate(each, "points", folder=tmp_path / name)
    monday, tuesday = rg.open_run(tmp_path / "monday"), rg.open_run(tmp_path / "tuesday")
    comparison = rg.compare(monday, tuesday)
    assert comparison.systems == ("monday", "tuesday")
    assert comparison.row("points").difference == 0.6875
    with pytest.raises(PlanError, match=r"'default' of .*monday is given twice"):
        rg.compare(monday, rg.open_run(tmp_path / "monday"))
    found = rg.compare(monday, rg.evaluate(better[:3], "points"))  # without q3
    assert found.unpaired("points").rows() == [("q3", "ok", "absent")]


def test_a_side_given_twice_or_unknown_is_refused():
    run = run_of({"alpha": [0.1, 0.4], "beta": [0.4, 0.5]})
    with pytest.raises(PlanError, match="'alpha' of list of rows is given twice"):
        run.compare("alpha", "alpha")
    with pytest.raises(PlanError, match=r"no system 'alpa'; did you mean 'alpha'?"):
        run.compare("alpa", "beta")
    with pytest.raises(PlanError, match="a comparison needs two systems or more"):
        run.compare("alpha")
    with pytest.raises(PlanError, match="has 2 systems: alpha, beta; choose one"):
        rg.compare(run, (run, "beta"))
    with pytest.raises(PlanError, match="a side is a run or"):
        rg.compare(run, 5)


def runs_of(change) -> tuple[rg.Run, rg.Run]:
    given = rows({"a": [0.0, 0.5, 0.5]})
    return rg.evaluate(given, "points"), rg.evaluate([change(row) for row in given], "points")


def test_other_question_texts_are_refused_and_case_is_none():
    base, same = runs_of(lambda row: {**row, "question": row["question"].upper() + " "})
    assert rg.compare(base, same).n_questions == 3
    base, other = runs_of(lambda row: {**row, "question": row["question"].replace("1", "one")})
    says = r"(?s)id 'q1', field 'question': other question text .* 1 of 3"
    with pytest.raises(DataError, match=says):
        rg.compare(base, other)
    found = rg.compare(base, other, allow_mismatch=True)
    assert found.row("points").n == 3
    assert any("compared all the same" in note and "1 of 3" in note for note in found.notes)


def test_other_gold_is_refused_and_questions_of_which_none_is_common_in_any_case():
    (_, base), (_, other) = (runs_of(lambda row, at=at: {**row, "reference": at}) for at in "ab")
    with pytest.raises(DataError, match=r"other references than in .* 3 of 3 common questions"):
        rg.compare(base, other)
    base, other = runs_of(lambda row: {**row, "id": row["id"].replace("q", "x")})
    for allow in (False, True):
        with pytest.raises(DataError, match=r"no question in common .*'q0' and 'x0'"):
            rg.compare(base, other, allow_mismatch=allow)


def test_another_version_of_a_metric_is_refused(points):
    base = run_of({"a": [0.0, 0.5, 0.5]})
    other = json.loads(base.manifest.to_json().replace('"version": 1', '"version": 2'))
    del other["digest"]
    stale = rg.Run(base.samples, base.source, type(base.manifest).from_json(json.dumps(other)))
    with pytest.raises(PlanError, match=r"cannot compare points: version 1 in .* version 2 in"):
        rg.compare(base, stale)
    assert rg.compare(base, stale, allow_mismatch=True).row("points").n == 3


def test_runs_of_other_ragauges_and_packages_are_compared_with_a_note(points):
    base = run_of({"a": [0.0, 0.5, 0.5]})
    own = base.manifest.code
    code = {**own, "ragauge": "0.0.1", "packages": {"polars": "1.0"}}
    other = rg.Run(base.samples, base.source, replace(base.manifest, code=code))
    note = (
        f"evaluated with different versions: ragauge {own['ragauge']} and 0.0.1, "
        f"polars {own['packages']['polars']} and 1.0"
    )
    assert note in rg.compare(base, other).notes
    (reversed_note,) = base.gate(["points.drop <= 0"], baseline=other).notes
    assert reversed_note.startswith("evaluated with different versions: ragauge 0.0.1 and ")
    same = rg.compare(base, run_of({"a": [0.5, 0.5, 0.5]})).notes
    assert not any("versions" in note for note in same)


ROMES = [{"id": f"q{at}", "answer": "Rome", "reference": "rome"} for at in range(3)]


def kind_judge(name: str = "kind") -> rg.ScriptedJudge:
    return rg.ScriptedJudge(lambda _: {"reason": "…", "verdict": "CORRECT"}, name=name)


def test_runs_of_other_settings_or_metrics_are_refused(tmp_path):
    suite = tmp_path / "mine.toml"
    label = "'exact_match(normalize=\"none\")'"
    suite.write_text(f"name = 'mine'\n[[metric]]\nlabel = {label}\nname = 'exact_match'\n")
    base, other = rg.evaluate(ROMES, "exact_match"), rg.evaluate(ROMES, str(suite))
    with pytest.raises(PlanError, match=r"exact_match in .*exact_match\(normalize=\"none\"\) in"):
        rg.compare(base, other)
    with pytest.raises(PlanError, match="the sides share no metric"):
        rg.compare(base, rg.evaluate(ROMES, "token_f1"))


def test_a_metric_that_only_one_run_had_a_judge_for_is_left_out_with_a_note():
    names = ("exact_match", "answer_class")
    metrics = Suite("mine", tuple(Entry(Label(name), name) for name in names))
    base, other = rg.evaluate(ROMES, metrics), rg.evaluate(ROMES, metrics, judge=kind_judge())
    comparison = rg.compare(base, other)
    assert [row.name for row in comparison.rows] == ["exact_match"]
    (note,) = [note for note in comparison.notes if "answer_class" in note]
    assert "needs a judge" in note


def test_runs_of_different_judges_are_refused():
    base, other = (
        rg.evaluate(ROMES, "answer_class", judge=kind_judge(name)) for name in ("kind", "stern")
    )
    with pytest.raises(PlanError, match=r"cannot compare answer_class: .*kind.*stern"):
        rg.compare(base, other)


@cases(
    ({"test": "tt"}, "test is 'tt'; it takes randomization, mcnemar, t, wilcoxon"),
    ({"correction": "bonferroni"}, "correction is 'bonferroni'; it takes holm, bh, none"),
    ({"by": "kindd"}, "no field 'kindd'"),
    ({"by": "answer"}, "no field 'answer'"),
    ({"cluster": "doc"}, "no field 'doc'"),
    ({"cluster": "question", "test": "wilcoxon"}, "takes questions as independent"),
    ({"n_permutations": 0}, "n_permutations is 0"),
    ({"metrics": ["pionts"]}, "did you mean 'points'"),
)
def test_invalid_arguments_are_refused(options, message):
    with pytest.raises(PlanError, match=message):
        one({"a": [0.1, 0.2], "b": [0.3, 0.1]}, **options)


def test_a_comparison_is_a_frame_and_repeats_itself_to_the_last_digit():
    run = run_of({"a": [0.1, 0.4, 0.3, 0.9] * 8, "b": [0.4, 0.5, 0.2, 0.7] * 8})
    comparison = run.compare("a", "b")
    assert comparison.frame.equals(run.compare("a", "b").frame)
    assert comparison.frame["verdict"].to_list() == ["not significant"]
    assert comparison.frame.schema["n"] == pl.Int64
    assert repr(comparison) == "Comparison(a, b: 32 questions, 1 metrics, 1 tests)"


def test_the_repeats_of_a_judge_are_in_the_spread_between_questions():
    run = run_of({"a": [0.1, 0.4, 0.3, 0.9] * 3, "b": [0.4, 0.5, 0.2, 0.7] * 3})
    frame = run.source.frame.with_columns(
        flags=pl.lit(["repeated"], dtype=pl.List(pl.String)),
        # Three repeats with variance 0.01: their mean has 0.01 / 3.
        evidence=pl.lit(json.dumps({"repeats": [0.4, 0.5, 0.6]})),
    )
    manifest = replace(run.manifest, code={**run.manifest.code, "repeats": 3})
    comparison = rg.Run(run.samples, type(run.source)(frame), manifest).compare("a", "b")
    # Interval and p are those of the means: to add the spread would count it twice.
    assert comparison.row("points") == run.compare("a", "b").row("points")
    # Differences .3, .1, -.1, -.2 about their mean of .025: (.0756 + .0056 + .0156 + .0506) · 3 / 11 = 0.0402;
    # two sides have 2 · 0.01 / 3 = 0.0067 of it.
    assert any(
        "points: 17% of the variance of the differences" in note for note in comparison.notes
    )


def test_the_repeats_of_a_stored_run_are_read_with_the_right_scores(tmp_path):
    """Only the candidate's even questions vary, and only they add to the variance."""

    def verdict(request):
        varies = "waver" in str(request) and request.sample == 1
        is_wrong = varies or "Oslo" in str(request)
        return {"reason": "…", "verdict": "WRONG" if is_wrong else "CORRECT"}

    given = [
        {"id": f"q{at}", "system": system, "question": f"capital {at}?", "answer": f"{city} {at}", "reference": "Rome"}
        for at in range(7)
        for system, city in (("a", "Oslo"), ("b", "Rome" if at % 2 else "Rome, I waver"))
    ]  # fmt: skip
    judging = rg.JudgeConfig((rg.ScriptedJudge(verdict, name="moody"),), repeat=3)
    folder = tmp_path / "judged"
    rg.evaluate(given, ["exact_match", "answer_class"], judge=judging, folder=folder, batch_size=3)
    comparison = rg.open_run(folder).compare("a", "b")
    differences = np.array([1 if at % 2 else 2 / 3 for at in range(7)])
    variance = differences.var(ddof=1)
    row = comparison.row("answer_class")
    assert row.candidate_mean == approx(differences.mean())
    assert row.detectable == approx(detectable_difference(np.sqrt(variance / 7), 7))
    # Repeats 1, 0, 1 have the variance 1/3, their mean 1/9; four questions of seven have them.
    assert 4 / 9 / 7 / variance > 1
    assert any("100% of the variance" in note for note in comparison.notes)


def as_stored_before(run: rg.Run) -> rg.Run:
    """The run as earlier versions stored it: with the encoder's precision in labels, names and keys."""
    model = 'model="all-MiniLM-L6-v2"'

    def old(text: str) -> str:
        return text.replace(f"{model})", f'{model},precision="int8")')

    table = json.loads(run.manifest.to_json())
    for metric in table["metrics"]:
        metric["metric"] = old(metric["metric"])
        metric["name"] = 'semantic_similarity(precision="int8")'
    for each in table["plan"]["metrics"]:
        each[0], each[2] = old(each[0]), old(each[2])
    for node in table["plan"]["nodes"]:
        node["key"], node["inputs"] = old(node["key"]), list(map(old, node["inputs"]))
    table.pop("digest", None)
    scores = run.source.frame.with_columns(
        pl.col("metric").map_elements(old, return_dtype=pl.String)
    )
    manifest = Manifest.from_json(json.dumps({**table, "finished": None, "digests": {}}))
    return rg.Run(run.samples, InMemory(scores), manifest)


def test_runs_of_two_precisions_are_compared_with_a_note_also_with_one_stored_before():
    rows = [
        {"id": f"q{at}", "answer": f"The fee is ${at}.", "reference": "It costs $3."}
        for at in range(4)
    ]
    whole, single = (
        rg.evaluate(rows, f'semantic_similarity(precision="{each}")') for each in ("int8", "fp32")
    )
    old = as_stored_before(whole)
    label = 'semantic_similarity(model="all-MiniLM-L6-v2",precision="int8")'
    assert old.scores["metric"].unique().to_list() == [label]
    for asked in (label, 'semantic_similarity(model="all-MiniLM-L6-v2")', "semantic_similarity"):
        assert old.metric(asked).name == whole.metric(asked).name == "semantic_similarity"
        assert old.gate(f"{asked} >= 0").passed
    assert old.summary()["mean"].item() == whole.summary()["mean"].item()

    same = rg.compare(old, whole)
    assert same.row("semantic_similarity").difference == 0
    assert same.notes == ()
    found = rg.compare(single, old, metrics=label)
    assert 0 < abs(found.row("semantic_similarity").difference) <= 0.01
    (note,) = found.notes
    assert note.startswith("the encoder all-MiniLM-L6-v2 computed in fp32 and int8, which moves")
    assert old.gate(baseline=single, max_drop=0.01).passed
    assert single.gate(baseline=old, max_drop={"semantic_similarity": 0.01}).passed


def test_many_pairs_at_once_have_the_p_of_each_alone():
    random = np.random.default_rng(2)
    systems = {f"s{at}": random.random(30).round(3).tolist() for at in range(8)}
    systems["s7"][3] = None  # its pairs have other questions than the others
    run = run_of(systems)
    names = list(systems)
    every = run.compare(*names, pairs="all")
    for base, candidate in (("s0", "s1"), ("s2", "s6"), ("s0", "s7")):
        alone = run.compare(base, candidate).row("points")
        assert alone.test == "randomization (10,000 draws)"
        row = every.row("points", base=base, candidate=candidate)
        assert (row.p_value, row.low, row.high) == (alone.p_value, alone.low, alone.high)
