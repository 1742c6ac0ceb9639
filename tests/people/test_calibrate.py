from dataclasses import astuple
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from pytest import approx

import ragauge as rg
from ragauge.errors import DataError, PlanError
from ragauge.people.calibrate import Calibration
from ragauge.people.calibration import agreement_in_words, beside_people
from ragauge.people.rater_agreement import Ceiling
from ragauge.people.verdicts import verdicts_of
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


def test_figures_are_those_worked_out_by_hand():
    agreement = made_run().calibrate(labels(flip=(0, 5))).metric("exact_match")
    rows = agreement.scores.frame
    yes, says = rows["target"].to_numpy() > 0.5, rows["value"].to_numpy() >= 0.5
    table = agreement.at_set.table
    counts = [(yes & says).sum(), (~yes & says).sum(), (yes & ~says).sum(), (~yes & ~says).sum()]
    assert list(astuple(table)) == counts
    expected = (table.both_yes / yes.sum() + table.both_no / (~yes).sum()) / 2
    assert agreement.at_set.balanced_accuracy.value == approx(expected)
    # A binary metric: area and balanced accuracy are the same number.
    assert agreement.auroc.value == approx(expected)


def test_the_best_metric_comes_first_and_one_without_figures_says_why():
    found = made_run().calibrate(labels())
    assert [each.name for each in found.metrics] == ["token_f1", "exact_match", "dont_know"]
    assert found.best.name == "token_f1"
    assert found.metric("dont_know").why_not.startswith("it gives all 80 labelled answers the same")
    assert found.unscored == ("recall@5",)
    assert found.frame["why_not"].to_list()[:2] == [None, None]


def test_the_order_of_labels_does_not_matter():
    one, other = made_run().calibrate(labels()), made_run().calibrate(labels()[::-1])
    assert one.frame.equals(other.frame)


def test_a_threshold_is_chosen_on_other_questions_unless_one_is_given():
    found = made_run().calibrate(labels()).metric("token_f1")
    assert found.best_threshold == 0.25
    assert found.at_best.balanced_accuracy.value == 1.0
    assert found.at_best.balanced_accuracy.low < 1.0
    own = made_run().calibrate(labels(), thresholds={"token_f1": 0.9}).metric("token_f1")
    n_missed = sum(answer == "Rome it is" for id, _, answer in truth() if id < "q40")
    assert own.at_set.table.only_people == n_missed


def test_raters_are_compared_with_each_other_and_the_metric_with_them():
    both = [*labels(rater="ann"), *labels(rater="ben", flip=range(0, 80, 8))]
    found = made_run().calibrate(both)
    (pair,) = found.raters.pairs
    ann, ben = (
        np.array([row["label"] for row in each])
        for each in (labels(), labels(flip=range(0, 80, 8)))
    )
    agree = (ann == ben).mean()
    chance = ann.mean() * ben.mean() + (1 - ann.mean()) * (1 - ben.mean())
    assert pair.value == approx((agree - chance) / (1 - chance))
    assert found.raters.n == 80
    assert found.metric("token_f1").scores.n_tied == 10
    beside = found.ceiling("token_f1")
    # The metric is right wherever ann is, so it agrees with a person more than ben does with ann.
    assert beside.people == approx(pair.value) and beside.metric > beside.people


def test_tied_raters_count_half_in_the_rates():
    both = [*labels(rater="ann"), *labels(rater="ben", flip=range(80))]
    found = made_run().calibrate([*both, *labels(rater="cy", n=20), *labels(rater="di", n=10)])
    rates = found.rates("token_f1")
    assert {each.n_labels for each in rates.systems} == {40}


def test_rates_are_corrected_for_each_system():
    rates = made_run().calibrate(labels()).rates("exact_match")
    assert [each.system for each in rates.systems] == ["a", "b"]
    for each in rates.systems:
        is_yes = [answer != "Oslo" for _, system, answer in truth() if system == each.system]
        right = [answer == "Rome" for _, system, answer in truth() if system == each.system]
        assert each.reported.value == approx(np.mean(right))
        assert not each.corrected.low <= np.mean(right) <= each.corrected.high
        assert each.corrected.low <= np.mean(is_yes) <= each.corrected.high
        assert each.from_errors.low <= np.mean(is_yes) <= each.from_errors.high
        assert (each.n_labels, each.n_rows) == (40, 80)


def test_labels_chosen_by_score_are_no_random_sample():
    def is_random(chosen):
        return made_run().calibrate(chosen).rates("exact_match").is_random

    assert is_random(labels())
    chosen = [row for row, (_, _, answer) in zip(labels(n=80), truth(), strict=True) if answer != "Rome it is"]  # fmt: skip
    right, wrong = ([row for row in chosen if row["label"] is says] for says in (True, False))
    assert not is_random(right + wrong[:6])
    # A few equal answers without a label do not make the others a selection.
    unlabelled = [at for at, (_, _, answer) in enumerate(truth()) if answer == "Oslo"][:3]
    assert is_random([row for at, row in enumerate(labels(n=80)) if at not in unlabelled])


def test_grades_have_rank_correlations_and_a_mean():
    grades = {"Rome": 5, "Rome it is": 3, "Oslo": 1}
    rows = [{"id": id, "system": s, "grade": grades[answer]} for id, s, answer in truth()[:60]]
    found = made_run().calibrate(rows)
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
    found = made_run().calibrate(rows, metrics=["token_f1"])
    assert found.best.pairwise.value == approx((len(rows) - 1) / len(rows))
    (worst,) = found.disagreements("token_f1").rows(named=True)
    assert worst["id"] == rows[0]["id"] and worst["value"] < 0
    with pytest.raises(PlanError, match="labels of yes and no"):
        found.label_plan("token_f1")


def test_disagreements_are_wrong_verdicts_the_worst_first():
    found = made_run().calibrate(labels(flip=(0,)))
    worst = found.disagreements("token_f1", 100)
    first = worst.row(0, named=True)
    assert (first["id"], first["people"], first["value"]) == (truth()[0][0], 0.0, 1.0)
    assert worst["apart"].is_sorted(descending=True)


def test_a_metric_of_which_lower_is_better_is_turned_round():
    rows = [
        {"id": f"q{n}", "answer": "Rome 5" if n % 2 else "Rome", "contexts": ["Rome"]}
        for n in range(24)
    ]
    run = rg.evaluate(rows, "hallucination")
    found = run.calibrate([{"id": f"q{n}", "label": n % 2 == 0} for n in range(24)]).best
    assert found.auroc.value == 1.0
    assert found.at_best.table.both_yes == 12


def test_one_frame_holds_the_scores_as_verdicts_of_judges():
    row = {"id": "q1", "question": "Capital?", "answer": "Lyon", "reference": "Paris"}
    judges = [rg.ScriptedJudge({"verdict": verdict}, name=name) for name, verdict in (("x", "CORRECT"), ("y", "WRONG"))]  # fmt: skip
    found = verdicts_of(rg.evaluate([row], ["answer_class", "exact_match"], judge=judges)).frame
    assert found.select("metric", "rater", "value").rows() == [
        ("answer_class", "x", 1.0),
        ("answer_class", "y", 0.0),
        ("exact_match", "ragauge", 0.0),
    ]


def test_a_judge_is_calibrated_by_the_verdicts_of_another_run():
    verdicts = verdicts_of(rg.evaluate(made_run().samples, "exact_match"))
    found = made_run().calibrate(verdicts, metrics=["exact_match"])
    assert found.best.auroc.value == 1.0


def test_labels_about_one_metric_are_for_that_metric_only():
    rows = [{**row, "metric": "exact_match"} for row in labels()]
    rows.append({"id": "q01", "system": "a", "label": 1, "metric": "fluency"})
    found = made_run().calibrate(rows)
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
    found = made_run().calibrate(rows)
    assert found.labels.frame.height == 79
    assert {
        "1 label for ids that the run does not have: 'zz'",
        "1 label for the system 'c', which the run does not have; it has a, b",
        "1 label not applied: the answer has changed since it was labelled",
    } <= set(found.notes)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([{"id": "x", "system": "a", "label": 1}], DataError, "no label belongs to an answer of the run: the labels have ids such as 'x', the run 'q00'"),
        ([{"id": "q01", "label": 1}], PlanError, "labels name no system, but the run has 2: a, b; add a column system"),
        ([{"id": "q01", "system": "a", "label": 1, "answer": "?"}], DataError, "every labelled answer differs"),
    ],
)  # fmt: skip
def test_labels_that_do_not_fit_the_run_are_refused(rows, error, message):
    with pytest.raises(error) as caught:
        made_run().calibrate(rows)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "why_not"),
    [
        (lambda: labels()[:1], "1 labelled answer; label at least 2"),
        (lambda: [row for row in labels() if row["label"]], "yes and 0 no; label at least 2 of each"),
        (lambda: [next(row for row in labels() if row["label"] == wanted) for wanted in (True, False)], "1 yes and 1 no; label at least 2 of each"),
        (lambda: [{"id": id, "system": s, "grade": 3} for id, s, _ in truth()[:20]], "all 20 labelled answers have the same grade, 3"),
    ],
)  # fmt: skip
def test_too_few_or_constant_labels_give_no_figure_but_a_reason(rows, why_not):
    found = made_run().calibrate(rows(), metrics=["token_f1"])
    assert why_not in found.metrics[0].why_not
    assert found.best is None and found.rates("token_f1").systems == ()


def test_few_labels_of_a_class_are_said():
    yes, no = ([row for row in labels() if row["label"] is says] for says in (True, False))
    notes = made_run().calibrate(yes + no[:3]).best.notes
    assert notes == ("only 3 labelled no, so the figures are uncertain",)


def test_raters_of_different_answers_have_no_agreement():
    half = labels()
    rows = [*half[:40], *({**row, "rater": "ben"} for row in half[40:])]
    found = made_run().calibrate(rows)
    assert "no answer was labelled by two raters, so their agreement is unknown" in found.notes
    assert found.raters.alpha == {} and found.ceiling("token_f1") is None


def test_a_metric_without_values_cannot_be_calibrated():
    rows = labels()
    (found,) = made_run().calibrate(rows, metrics=["recall@5"]).metrics
    assert found.why_not == "none of the 80 labelled answers has a value"
    with pytest.raises(PlanError, match="no metric 'tokn_f1'"):
        made_run().calibrate(rows, metrics=["tokn_f1"])
    with pytest.raises(PlanError, match="was not calibrated"):
        made_run().calibrate(rows).metric("recall@5")
    run = rg.evaluate([{"id": "q1", "answer": "x"}], "recall@5")
    with pytest.raises(PlanError, match="no metric of the run has a value"):
        run.calibrate([{"id": "q1", "label": 1}])


def test_the_plan_says_how_many_labels_a_width_needs():
    plan = made_run().calibrate(labels()).label_plan("token_f1", [0.15, 0.2])
    for needs in plan.values():
        assert [need.margin for need in needs] == [0.15, 0.2]
        assert needs[1].with_metric < needs[1].by_sampling


def test_a_calibration_shows_itself():
    found = made_run().calibrate([{**row, "rater": "<b>"} for row in labels()])
    assert isinstance(found, Calibration)
    assert repr(found).startswith("token_f1 agrees at least well with people: AUROC 1.00 (")
    assert "<table" in found._repr_html_() and "<b>token_f1" in found._repr_html_()


def test_labels_may_be_a_field_of_the_answers():
    rows = [
        {"id": f"q{n}", "system": s, "answer": "Rome" if n % 2 else "Oslo", "reference": "Rome", "human": "ok" if n % 2 else "no"}
        for n in range(20)
        for s in "ab"
    ]  # fmt: skip
    found = rg.evaluate(rows, "exact_match").calibrate("human")
    assert found.best.auroc.value == 1.0 and found.best.n == 40
    with pytest.raises(DataError, match="no such file"):
        made_run().calibrate("human.csv")


def test_labels_without_ids_are_paired_by_the_text_of_the_question():
    rows = [
        {"id": f"q{n}", "system": system, "question": f"What is {n}?", "answer": f"{n + n % 3}", "reference": f"{n}"}
        for n in range(30)
        for system in "ab"
    ]  # fmt: skip
    run = rg.evaluate(rows, "number_match")
    labels = [{"id": row["id"], "system": row["system"], "label": int(row["id"][1:]) % 2} for row in rows]  # fmt: skip
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
        {"id": f"q{n}", "question": f"What is {n % 4}?", "answer": f"{n % 3}", "reference": f"{n % 4}"}
        for n in range(5)
    ]  # fmt: skip
    run = rg.evaluate(rows, "number_match")
    labels = [{"question": f"What is {n}?", "label": n % 2} for n in range(4)]
    labels.append({"id": "q1", "label": 0})
    found = run.calibrate(labels)
    assert sorted(found.labels.frame["id"].to_list()) == ["q1", "q2", "q3"]
    assert "1 label for questions that the run asks under several ids: 'What is 0?'" in found.notes
    assert "1 label of a rater for an answer that they had labelled before: not used" in found.notes
    with pytest.raises(PlanError, match="no questions to pair them by"):
        rg.evaluate([{"id": "q", "answer": "1", "reference": "1"}], "number_match").calibrate(
            labels
        )


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
    alone = run.calibrate(labels)
    together = run.calibrate(labels, cluster="doc")
    assert together.notes[-1] == "questions of one doc are drawn together: 40 clusters"

    def width(estimate):
        return estimate.high - estimate.low

    one, other = alone.metric("token_f1"), together.metric("token_f1")
    assert one.auroc.value == other.auroc.value
    # 120 labels of 40 documents say as much as 40: wider by the root of 3.
    assert width(other.auroc) / width(one.auroc) == approx(3**0.5, rel=0.15)
    (rate,), (drawn,) = alone.rates("token_f1").systems, together.rates("token_f1").systems
    for name in ("corrected", "labels_alone"):
        assert width(getattr(drawn, name)) / width(getattr(rate, name)) == approx(3**0.5, rel=0.2)
    assert width(drawn.reported) / width(rate.reported) == approx(6**0.5, rel=0.2)


def test_each_question_as_a_cluster_changes_nothing():
    run, labels = clustered_run(1)
    frames = [run.calibrate(labels, cluster=name).frame for name in (None, "doc")]
    assert frames[0].equals(frames[1])
    with pytest.raises(PlanError, match="no field 'document'"):
        run.calibrate(labels, cluster="document")


@pytest.mark.parametrize(
    ("area", "words"),
    [
        ((0.97, 0.91, 0.99), "agrees very well with people"),
        ((0.97, 0.89, 0.99), "agrees at least well with people"),
        ((0.85, 0.62, 0.95), "agrees at least weakly with people"),
        ((1.00, 0.59, 1.00), "agrees with people, but these labels do not show how well"),
        ((0.95, None, None), "agrees with people, but these labels do not show how well"),
        ((0.55, 0.51, 0.60), "hardly agrees with people"),
        ((0.70, 0.40, 0.90), "cannot be told from chance on these labels"),
    ],
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
