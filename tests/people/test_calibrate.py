from dataclasses import astuple
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.errors import DataError, PlanError
from ragauge.people.calibrate import Calibration, surest_first
from ragauge.people.calibration import agreement_in_words, beside_people
from ragauge.people.rater_agreement import Ceiling
from ragauge.people.verdicts import verdicts_of
from ragauge.stats.corrected_rates import correlation_of
from ragauge.stats.intervals import Estimate

WORDS = ("Rome", "Rome it is", "Oslo")


@cache
def made_run():
    """80 questions, two systems; token_f1 of the three answers with "Rome": 1, 0.5 and 0."""
    rows = [
        {"id": f"q{n:02}", "system": system, "answer": WORDS[(n * step) % 3], "reference": "Rome"}
        for n in range(80)
        for system, step in (("a", 1), ("b", 2))
    ]
    return rg.evaluate(rows, ["token_f1", "exact_match", "dont_know", "recall@5"])


def test_the_surest_metric_is_first_not_the_one_that_is_right_on_few_labels():
    few, many, neither = Estimate(1.0, 0.26, 1.0), Estimate(0.9, 0.78, 0.96), None
    found = [SimpleNamespace(main=each) for each in (neither, few, many)]
    assert [each.main for each in sorted(found, key=surest_first)] == [many, few, neither]


def truth():
    """The answers with their ids and systems, by the words that they have."""
    return made_run().samples.frame.select("id", "system", "answer").rows()


def labels(flip=(), rater="ann", n=40):
    """yes for everything but Oslo; the answers whose position is in `flip` are labelled wrongly."""
    return [
        {"id": id, "system": system, "rater": rater, "label": (answer != "Oslo") != (at in flip)}
        for at, (id, system, answer) in enumerate(truth())
        if int(id[1:]) < n
    ]


def calibrated(rows=None, **options):
    return made_run().calibrate(labels() if rows is None else rows, **options)


def yes_and_no(rows):
    return ([row for row in rows if row["label"] is says] for says in (True, False))


def test_figures_are_those_worked_out_by_hand():
    agreement = calibrated(labels(flip=(0, 5))).metric("exact_match")
    rows = agreement.scores.frame
    yes, says = rows["target"].to_numpy() > 0.5, rows["value"].to_numpy() >= 0.5
    table = agreement.at_set.table
    counts = [(yes & says).sum(), (~yes & says).sum(), (yes & ~says).sum(), (~yes & ~says).sum()]
    assert list(astuple(table)) == counts
    expected = (table.both_yes / yes.sum() + table.both_no / (~yes).sum()) / 2
    # A binary metric: area and balanced accuracy are the same number.
    assert agreement.at_set.balanced_accuracy.value == approx(expected)
    assert agreement.auroc.value == approx(expected)


def test_the_best_metric_comes_first_and_one_without_figures_says_why():
    found = calibrated()
    assert [each.name for each in found.metrics] == ["token_f1", "exact_match", "dont_know"]
    assert found.best.name == "token_f1"
    assert found.metric("dont_know").why_not.startswith("it gives all 80 labelled answers the same")
    assert found.unscored == ("recall@5",)
    assert found.frame["why_not"].to_list()[:2] == [None, None]
    assert calibrated(labels()[::-1]).frame.equals(found.frame)


def test_a_threshold_is_chosen_on_other_questions_unless_one_is_given():
    found = calibrated().metric("token_f1")
    assert found.best_threshold == 0.25
    assert found.at_best.balanced_accuracy.value == 1.0
    assert found.at_best.balanced_accuracy.low < 1.0
    own = calibrated(thresholds={"token_f1": 0.9}).metric("token_f1")
    n_missed = sum(answer == "Rome it is" for id, _, answer in truth() if id < "q40")
    assert own.at_set.table.only_people == n_missed


def test_raters_are_compared_with_each_other_and_the_metric_with_them():
    rows = [labels(rater="ann"), labels(rater="ben", flip=range(0, 80, 8))]
    found = calibrated([*rows[0], *rows[1]])
    (pair,) = found.raters.pairs
    ann, ben = (np.array([row["label"] for row in each]) for each in rows)
    agree = (ann == ben).mean()
    chance = ann.mean() * ben.mean() + (1 - ann.mean()) * (1 - ben.mean())
    assert pair.value == approx((agree - chance) / (1 - chance))
    assert found.raters.n == 80
    assert found.metric("token_f1").scores.n_tied == 10
    # The metric is right wherever ann is, so it agrees with a person more than ben does with ann.
    beside = found.ceiling("token_f1")
    assert beside.people == approx(pair.value) and beside.metric > beside.people


def test_raters_who_always_agree_may_still_disagree_on_others():
    found = calibrated([*labels(rater="ann"), *labels(rater="ben")]).raters
    # 160 ratings, 108 yes and 52 no, so two agree by chance in e; Wilson's end for 40 of 40 questions is 40 / 43.8415.
    by_chance = (108 * 107 + 52 * 51) / (160 * 159)
    low = (40 / 43.8415 - by_chance) / (1 - by_chance)
    for figure in (found.between, found.alpha["nominal"]):
        assert (figure.value, figure.low, figure.high) == (1, approx(low, abs=1e-4), 1)
    assert found.notes == ()
    same = calibrated([*labels(rater="ann", n=2), *labels(rater="ben", n=1)]).raters
    assert any("no two raters can be compared" in note for note in same.notes)


def test_the_correlation_at_a_rate_is_that_of_the_metrics_errors_there():
    rates = calibrated(labels(flip=(0, 5, 7, 11))).rates("exact_match")
    table = rates.agreement.at_set.table
    errors = table.sensitivity, table.specificity
    for rate in (0.1, 0.5, 0.95):
        assert rates.correlation_at(rate) == approx(correlation_of(rate, *errors))
    share_of_yes = rates.agreement.scores.is_yes.mean()
    assert rates.correlation_at(share_of_yes) == approx(rates.correlation)


def test_tied_raters_count_half_in_the_rates():
    rows = [*labels(), *labels(rater="ben", flip=range(80))]
    found = calibrated([*rows, *labels(rater="cy", n=20), *labels(rater="di", n=10)])
    assert {each.n_labels for each in found.rates("token_f1").systems} == {40}


def test_rates_are_corrected_for_each_system():
    rates = calibrated().rates("exact_match")
    assert [each.system for each in rates.systems] == ["a", "b"]
    for each in rates.systems:
        own = [answer for _, system, answer in truth() if system == each.system]
        is_yes, right = (np.mean([answer in words for answer in own]) for words in (WORDS[:2], WORDS[:1]))  # fmt: skip
        assert each.reported.value == approx(right)
        assert not each.corrected.low <= right <= each.corrected.high
        assert each.corrected.low <= is_yes <= each.corrected.high
        assert each.from_errors.low <= is_yes <= each.from_errors.high
        assert (each.n_labels, each.n_rows) == (40, 80)


def test_labels_chosen_by_score_are_no_random_sample():
    rows = labels(n=80)
    answers = [answer for _, _, answer in truth()]
    chosen = [row for row, answer in zip(rows, answers, strict=True) if answer != "Rome it is"]
    right, wrong = yes_and_no(chosen)
    # A few equal answers without a label do not make the others a selection.
    unlabelled = [at for at, answer in enumerate(answers) if answer == "Oslo"][:3]
    most = [row for at, row in enumerate(rows) if at not in unlabelled]
    for given, is_random in ((labels(), True), (right + wrong[:6], False), (most, True)):
        assert calibrated(given).rates("exact_match").is_random is is_random


def test_grades_have_rank_correlations_and_a_mean():
    grades = {"Rome": 5, "Rome it is": 3, "Oslo": 1}
    rows = [{"id": id, "system": s, "grade": grades[answer]} for id, s, answer in truth()[:60]]
    found = calibrated(rows)
    assert found.kind == "graded"
    assert found.metric("token_f1").spearman.value == 1.0
    assert found.metric("token_f1").kendall.value == 1.0
    rates = found.rates("token_f1")
    assert rates.threshold is None and rates.systems[0].reported is None
    assert 1 <= rates.systems[0].corrected.low <= rates.systems[0].corrected.high <= 5


def test_preferences_are_compared_with_differences():
    scores = made_run().scan().filter(pl.col("metric") == "token_f1").collect()
    wide = scores.pivot("system", index="id", values="value").filter(pl.col("a") != pl.col("b"))
    rows = [
        {"id": id, "system_a": "b", "system_b": "a", "winner": "system_a" if (b > a) != (at == 0) else "system_b"}
        for at, (id, a, b) in enumerate(wide.select("id", "a", "b").rows())
    ]  # fmt: skip
    found = calibrated(rows, metrics=["token_f1"])
    assert found.best.pairwise.value == approx((len(rows) - 1) / len(rows))
    (worst,) = found.disagreements("token_f1").rows(named=True)
    assert worst["id"] == rows[0]["id"] and worst["value"] < 0
    with pytest.raises(PlanError, match="labels of yes and no"):
        found.label_plan("token_f1")


def test_disagreements_are_wrong_verdicts_the_worst_first():
    worst = calibrated(labels(flip=(0,))).disagreements("token_f1", 100)
    first = worst.row(0, named=True)
    assert (first["id"], first["people"], first["value"]) == (truth()[0][0], 0.0, 1.0)
    assert worst["apart"].is_sorted(descending=True)


def test_a_metric_of_which_lower_is_better_is_turned_round():
    rows = [
        {"id": f"q{n}", "answer": answer, "contexts": ["Rome"], "label": answer == "Rome"}
        for n, answer in enumerate(["Rome", "Rome 5"] * 12)
    ]
    run = rg.evaluate([{**row, "label": None} for row in rows], "hallucination")
    found = run.calibrate([{"id": row["id"], "label": row["label"]} for row in rows]).best
    assert found.auroc.value == 1.0
    assert found.at_best.table.both_yes == 12


def test_one_frame_holds_the_scores_as_verdicts_of_judges():
    row = {"id": "q1", "question": "Capital?", "answer": "Lyon", "reference": "Paris"}
    verdicts = {"x": "CORRECT", "y": "WRONG"}
    judges = [rg.ScriptedJudge({"verdict": said}, name=name) for name, said in verdicts.items()]
    found = verdicts_of(rg.evaluate([row], ["answer_class", "exact_match"], judge=judges)).frame
    assert found.select("metric", "rater", "value").rows() == [
        ("answer_class", "x", 1.0),
        ("answer_class", "y", 0.0),
        ("exact_match", "ragauge", 0.0),
    ]
    # A judge is calibrated by the verdicts of another run.
    verdicts = verdicts_of(rg.evaluate(made_run().samples, "exact_match"))
    assert calibrated(verdicts, metrics=["exact_match"]).best.auroc.value == 1.0


def test_labels_about_one_metric_are_for_that_metric_only():
    rows = [{**row, "metric": "exact_match"} for row in labels()]
    rows.append({"id": "q01", "system": "a", "label": 1, "metric": "fluency"})
    found = calibrated(rows)
    assert found.metric("exact_match").n == 80
    assert found.metric("token_f1").why_not == "no label is about it"
    assert "1 label about 'fluency', which the run does not have" in found.notes


def test_labels_that_belong_to_no_answer_or_to_another_one_are_left_out_with_a_note():
    rows = [
        {**row, "answer": answer} for row, (_, _, answer) in zip(labels(), truth(), strict=False)
    ]
    rows[0]["answer"] = "something else"
    rows[1]["answer"] = f"  {rows[1]['answer']}\n"  # white space is no change
    rows += [{"id": "zz", "system": "a", "label": 1}, {"id": "q01", "system": "c", "label": 1}]
    found = calibrated(rows)
    assert found.labels.frame.height == 79
    assert {
        "1 label for ids that the run does not have: 'zz'",
        "1 label for the system 'c', which the run does not have; it has a, b",
        "1 label not applied: the answer has changed since it was labelled",
    } <= set(found.notes)


@cases(
    ([{"id": "x", "system": "a", "label": 1}], DataError, "no label belongs to an answer of the run: the labels have ids such as 'x', the run 'q00'"),
    ([{"id": "q01", "label": 1}], PlanError, "labels name no system, but the run has 2: a, b; add a column system"),
    ([{"id": "q01", "system": "a", "label": 1, "answer": "?"}], DataError, "every labelled answer differs"),
)  # fmt: skip
def test_labels_that_do_not_fit_the_run_are_refused(rows, error, message):
    with pytest.raises(error) as caught:
        calibrated(rows)
    assert message in str(caught.value)


@cases(
    (1, 0, "1 labelled answer; label at least 2"),
    (50, 0, "50 yes and 0 no; label at least 2 of each"),
    (1, 1, "1 yes and 1 no; label at least 2 of each"),
)
def test_too_few_labels_give_no_figure_but_a_reason(n_yes, n_no, why_not):
    yes, no = yes_and_no(labels())
    found = calibrated(yes[:n_yes] + no[:n_no], metrics=["token_f1"])
    assert why_not in found.metrics[0].why_not
    assert found.best is None and found.rates("token_f1").systems == ()
    notes = calibrated(yes + no[:3]).best.notes
    assert notes == ("only 3 labelled no, so the figures are uncertain",)


def test_equal_grades_give_no_figure_but_a_reason():
    found = calibrated([{"id": id, "system": s, "grade": 3} for id, s, _ in truth()[:20]])
    assert found.metrics[0].why_not == "all 20 labelled answers have the same grade, 3"


def test_raters_of_different_answers_have_no_agreement():
    half = labels()
    found = calibrated([*half[:40], *({**row, "rater": "ben"} for row in half[40:])])
    assert "no answer was labelled by two raters, so their agreement is unknown" in found.notes
    assert found.raters.alpha == {} and found.ceiling("token_f1") is None


def test_a_metric_without_values_cannot_be_calibrated():
    (found,) = calibrated(metrics=["recall@5"]).metrics
    assert found.why_not == "none of the 80 labelled answers has a value"
    with pytest.raises(PlanError, match="no metric 'tokn_f1'"):
        calibrated(metrics=["tokn_f1"])
    with pytest.raises(PlanError, match="was not calibrated"):
        calibrated().metric("recall@5")
    run = rg.evaluate([{"id": "q1", "answer": "x"}], "recall@5")
    with pytest.raises(PlanError, match="no metric of the run has a value"):
        run.calibrate([{"id": "q1", "label": 1}])


def test_the_plan_says_how_many_labels_a_width_needs():
    plan = calibrated(labels()).label_plan("token_f1", [0.15, 0.2])
    for needs in plan.values():
        assert [need.margin for need in needs] == [0.15, 0.2]
        assert needs[1].with_metric < needs[1].by_sampling


def test_a_calibration_shows_itself():
    found = calibrated([{**row, "rater": "<b>"} for row in labels()])
    assert isinstance(found, Calibration)
    assert repr(found).startswith("token_f1 agrees at least well with people: AUROC 1.00 (")
    assert "<table" in found._repr_html_() and "<b>token_f1" in found._repr_html_()


def test_labels_without_ids_are_paired_by_the_text_of_the_question():
    keys = [{"id": f"q{n}", "system": system} for n in range(30) for system in "ab"]
    numbers = [int(key["id"][1:]) for key in keys]
    rows = [
        {**key, "question": f"What is {n}?", "answer": f"{n + n % 3}", "reference": f"{n}"}
        for key, n in zip(keys, numbers, strict=True)
    ]
    run = rg.evaluate(rows, "number_match")
    labels = [{**key, "label": n % 2} for key, n in zip(keys, numbers, strict=True)]
    texts = [
        {**label, "id": None, "question": f" what IS\n{label['id'][1:]}? "} for label in labels
    ]
    found = run.calibrate([*texts, {"question": "never asked", "system": "a", "label": 1}])
    assert found.labels.frame.rows() == run.calibrate(labels).labels.frame.rows()
    assert found.notes[-2:] == (
        "60 labels without an id: paired by the text of the question",
        "1 label for questions that the run does not have: 'never asked'",
    )


def test_a_question_that_is_asked_under_several_ids_needs_ids():
    rows = [
        {"id": f"q{n}", "question": f"What is {n % 4}?", "answer": f"{n % 3}"} for n in range(5)
    ]
    gold = [{"id": f"q{n}", "reference": f"{n % 4}"} for n in range(5)]
    run = rg.evaluate(rows, "number_match", gold=gold)
    labels = [{"question": f"What is {n}?", "label": n % 2} for n in range(4)]
    labels.append({"id": "q1", "label": 0})
    found = run.calibrate(labels)
    assert sorted(found.labels.frame["id"].to_list()) == ["q1", "q2", "q3"]
    assert "1 label for questions that the run asks under several ids: 'What is 0?'" in found.notes
    assert "1 label of a rater for an answer that they had labelled before: not used" in found.notes
    run = rg.evaluate([{"id": "q", "answer": "1", "reference": "1"}], "number_match")
    with pytest.raises(PlanError, match="no questions to pair them by"):
        run.calibrate(labels)


def clustered_run(n_copies: int) -> tuple[rg.Run, list[dict[str, object]]]:
    """40 documents with `n_copies` questions each, whose answers and labels are the same for one document."""
    random = np.random.default_rng(4)
    rows, labels = [], []
    for document in (f"d{at}" for at in range(40)):
        value, label = random.integers(0, 3), int(random.random() < 0.6)
        ids = [f"{document}-{copy}" for copy in range(n_copies)]
        rows += [
            {"id": id, "answer": WORDS[value], "reference": "Rome", "doc": document} for id in ids
        ]
        labels += [{"id": id, "label": label} for id in ids[:3]]
    return rg.evaluate(rows, "token_f1"), labels


def test_questions_of_one_cluster_are_drawn_together():
    run, labels = clustered_run(6)
    alone, together = run.calibrate(labels), run.calibrate(labels, cluster="doc")
    assert together.notes[-1] == "questions of one doc are drawn together: 40 clusters"
    metrics = [each.metric("token_f1") for each in (alone, together)]
    assert metrics[0].auroc.value == metrics[1].auroc.value
    (one,), (other,) = (each.rates("token_f1").systems for each in (alone, together))
    for left, right, n_as_one in (
        # 120 labels of 40 documents say as much as 40: wider by the root of 3.
        (metrics[0].auroc, metrics[1].auroc, 3),
        (one.corrected, other.corrected, 3),
        (one.labels_alone, other.labels_alone, 3),
        (one.reported, other.reported, 6),
    ):
        wider = (right.high - right.low) / (left.high - left.low)
        assert wider == approx(n_as_one**0.5, rel=0.2)


def test_each_question_as_a_cluster_changes_nothing():
    run, labels = clustered_run(1)
    frames = [run.calibrate(labels, cluster=name).frame for name in (None, "doc")]
    assert frames[0].equals(frames[1])
    with pytest.raises(PlanError, match="no field 'document'"):
        run.calibrate(labels, cluster="document")


@cases(
    ((0.97, 0.91, 0.99), "agrees very well with people"),
    ((0.97, 0.89, 0.99), "agrees at least well with people"),
    ((0.85, 0.62, 0.95), "agrees at least weakly with people"),
    ((1.00, 0.59, 1.00), "agrees with people, but these labels do not show how well"),
    ((0.95, None, None), "agrees with people, but these labels do not show how well"),
    ((0.55, 0.51, 0.60), "hardly agrees with people"),
    ((0.70, 0.40, 0.90), "cannot be told from chance on these labels"),
)
def test_the_lower_end_of_the_interval_decides_how_well(area, words):
    figure = Estimate(*area)
    agreement = SimpleNamespace(auroc=figure, main=figure)
    assert agreement_in_words(agreement).startswith(f"{words}: AUROC {area[0]:.2f}")


def test_the_figures_of_a_metric_and_of_people_are_named():
    ceiling = Ceiling(0.74, 0.47, Estimate(0.27, -0.1, 0.5))
    assert beside_people(ceiling, "kappa") == (
        "; as far as these labels show, as well as two people agree (kappa 0.74 with a person, "
        "0.47 between two people)"
    )
