"""Reviewing: who sees what next, what their labels say together, and what calibrate makes of them."""

from dataclasses import astuple, replace

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, PlanError
from ragauge.page.review_view import item_view
from ragauge.people.review import AutomaticVerdict, Review
from ragauge.people.review_labels import LabelLog, ReviewLabel
from ragauge.people.review_stats import review_stats, stats_report
from ragauge.people.review_verdicts import applied
from ragauge.stats.thresholds import Confusion

ROWS = [
    {"id": f"q{n}", "question": f"{n}?", "answer": "oak" if n % 2 else "elm", "reference": "oak"}
    for n in range(6)
]
"""exact_match is 0 for q0, q2, q4 and 1 for q1, q3, q5."""


@pytest.fixture
def run(tmp_path) -> rg.Run:
    return rg.evaluate(ROWS, ["exact_match", "token_f1"], folder=tmp_path / "run")


@pytest.fixture
def review(run) -> Review:
    return Review(run.review_queue())


def by_id(review: Review, id: str):
    return next(item for item in review.queue.items if item.id == id)


def test_a_label_is_beside_the_automatic_score_and_says_whose_it_is(review, run):
    before = run.scores
    saved = review.save(by_id(review, "q0"), "ann", 1, "a synonym")
    assert saved.others == ()
    labels = run.labels()
    row = labels.frame.row(0, named=True)
    assert (row["id"], row["state"], row["value"]) == ("q0", "labelled", 1)
    assert (row["verdict"], row["notes"]) == ("match · ann", ["a synonym"])
    assert rg.open_run(run.folder).scores.equals(before)


def test_each_answer_needs_one_label_or_as_many_as_wanted(review):
    item, unsure = review.queue.items[:2]
    review.save(item, "ann", 1)
    assert item not in review.pending("ann") and item not in review.pending("ben")
    two = Review(review.queue, opinions=2)
    assert item not in two.pending("ann")
    assert item in two.pending("ben")
    assert two.save(item, "ben", 1).label.round == "second"
    assert item not in two.pending("cleo")
    assert two.labels().of((item.id, item.system)).verdict == "match · ann and ben"
    # An answer of which somebody is unsure goes to somebody else.
    assert review.save(unsure, "ann", None).answer.state == "unsure"
    assert unsure not in review.pending("ann")
    assert unsure in review.pending("ben")
    assert review.save(unsure, "ben", 0).answer.verdict == "contradict · ben"


def test_two_reviewers_on_one_answer_are_a_conflict_that_somebody_settles(review):
    item = review.queue.items[2]
    review.save(item, "ann", 1)
    saved = review.save(item, "ben", 0)  # both had the answer open
    assert saved.answer.state == "conflict" and saved.answer.value is None
    assert [(other.rater, other.value) for other in saved.others] == [("ann", 1)]
    assert item not in review.pending("ann") and item not in review.pending("ben")
    assert review.pending("cleo")[0] == item
    assert Review(review.queue, settles_only=True).pending("ann")[0] == item
    settled = review.save(item, "cleo", 0, settles=True)
    assert settled.label.round == "adjudication"
    assert settled.answer.verdict == "contradict · cleo, who settled a conflict of ann and ben"
    assert item not in review.pending("dora")
    assert len(review.log().labels) == 3


def test_the_same_label_twice_is_stored_once(review):
    item = review.queue.items[0]
    one = review.save(item, "ann", 1, settles=True)  # without a conflict an ordinary label
    assert one.label.round == "first"
    assert review.save(item, "ann", 1).label == one.label
    review.save(item, "ben", 0)
    assert review.save(item, "ben", 0).label.round == "second"
    assert len(review.log().labels) == 2


def test_undo_takes_back_only_ones_own_label_and_the_second_try_is_not_blind(review):
    item = review.queue.items[0]
    first = review.save(item, "ann", 1).label
    assert first.is_blind
    with pytest.raises(PlanError, match="'ben' has no label"):
        review.undo(first.label, "ben")
    review.undo(first.label, "ann")
    assert item in review.pending("ann")
    with pytest.raises(PlanError, match="no label"):
        review.undo(first.label, "ann")
    assert not review.save(item, "ann", 0).label.is_blind
    assert review.save(item, "ben", 0).label.is_blind


def test_a_label_is_stale_once_its_texts_have_changed(run, review, tmp_path):
    for id in ("q0", "q1"):
        review.save(by_id(review, id), "ann", 1)

    def with_labels(name, rows):
        other = rg.evaluate(rows, ["exact_match"], folder=tmp_path / name)
        (tmp_path / name / "labels.jsonl").write_bytes(review.stored.path.read_bytes())
        return other

    changed = with_labels("changed", [{**ROWS[0], "answer": "ash"}, *ROWS[1:]])
    labels = changed.labels()
    assert list(labels.answers) == [("q1", run.samples.systems[0])]
    assert (labels.n_stale, labels.n_unknown) == (1, 0)
    assert "q0" in [item.id for item in Review(changed.review_queue()).pending("ann")]
    assert with_labels("fewer", ROWS[2:]).labels().n_unknown == 2


def test_unusable_labels_are_refused_with_every_reason(review):
    with pytest.raises(PlanError) as raised:
        review.save(review.queue.items[0], " ", 2, "x" * 5_000)  # pyright: ignore[reportArgumentType]
    assert len(raised.value.problems) == 3
    assert not review.stored.path.exists()


def test_automatic_verdicts_have_values_and_thresholds(review):
    found = {each.metric.name: each for each in review.automatic(by_id(review, "q1"))}
    assert list(found) == ["exact_match"]
    assert (found["exact_match"].value, found["exact_match"].is_yes) == (1.0, True)
    assert review.automatic(by_id(review, "q0"))[0].is_yes is False


def label_all(review: Review, rater: str, values: dict[str, int]) -> None:
    for item in review.queue.items:
        if item.id in values:
            review.save(item, rater, values[item.id])  # pyright: ignore[reportArgumentType]


def test_calibrate_reads_the_labels_of_the_run(review, run):
    label_all(review, "ann", {"q0": 0, "q1": 1, "q2": 1, "q3": 1, "q4": 0, "q5": 1})
    for found in (run.calibrate(), run.calibrate(run.folder / "labels.jsonl")):
        # exact_match misses q2 and nothing else: both yes, the metric alone, people alone, both no.
        assert astuple(found.metric("exact_match").at_set.table) == (3, 0, 1, 2)


def test_who_settles_a_conflict_decides_for_calibrate_but_is_no_rater(review, run):
    label_all(review, "ann", {"q0": 0, "q1": 1, "q2": 1, "q3": 1})
    label_all(review, "ben", {"q0": 0, "q1": 1, "q2": 0, "q3": 0})
    review.save(by_id(review, "q2"), "cleo", 0, settles=True)
    found = run.calibrate(metrics=["exact_match"])
    assert found.labels.raters == ("ann", "ben")
    scores = found.metric("exact_match").scores
    # q3 is still a conflict; q2 was decided, although the two raters are tied.
    assert dict(scores.frame.select("id", "target").iter_rows()) == {"q0": 0, "q1": 1, "q2": 0}
    assert scores.n_tied == 1
    assert "conflicts that nobody has settled: 1" in found.notes


def test_only_the_beginning_of_the_random_order_is_a_random_sample(review, run):
    order = review.queue.items
    assert [item.place for item in order] == list(range(6))
    for at in (0, 1, 3, 4):  # place 2 is still open
        review.save(order[at], "ann", at % 2)  # pyright: ignore[reportArgumentType]
    found = run.calibrate(sample_only=True)
    assert found.labels.frame["id"].to_list() == [order[0].id, order[1].id]
    everything = run.calibrate()
    assert any("not part of the random sample: 2" in note for note in everything.notes)


def test_calibrate_says_what_it_cannot_read(review, run, tmp_path):
    with pytest.raises(DataError, match="no labels yet"):
        run.calibrate()
    label_all(review, "ann", {"q0": 0, "q1": 1})
    with pytest.raises(PlanError, match="need no map"):
        run.calibrate(yes=["match"])
    with pytest.raises(PlanError, match="drawn at random"):
        run.calibrate([{"id": "q0", "label": 1}], sample_only=True)
    other = rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "other")
    with pytest.raises(PlanError, match="labels of another run"):
        other.calibrate(run.folder / "labels.jsonl")
    in_memory = rg.evaluate(ROWS, ["exact_match"])
    with pytest.raises(PlanError, match="stored in the run's folder"):
        in_memory.calibrate()
    assert len(in_memory.labels()) == 0


def test_labels_about_a_metric_are_compared_with_it_alone(run):
    about = Review(run.review_queue(about="token_f1"))
    for item in about.queue.items:
        about.save(item, "ann", 1 if item.id in ("q1", "q3") else 0)
    found = run.calibrate()
    assert found.metric("token_f1").scores.frame.height == 6
    assert found.metric("exact_match").why_not
    assert len(run.labels()) == 0 and len(run.labels("token_f1")) == 6


def test_stats_count_reasons_raters_agreement_and_verdicts(review, run):
    stats = review_stats(run.review_queue())
    assert stats.states == {"open": 6}
    assert (stats.raters, stats.agreement, stats.automatic) == ([], None, [])
    # ann and ben agree on 4 of 5; yes: ann 3, ben 2. Chance: 3/5 · 2/5 + 2/5 · 3/5 = 12/25.
    label_all(review, "ann", {"q0": 0, "q1": 1, "q2": 1, "q3": 1, "q4": 0})
    label_all(review, "ben", {"q0": 0, "q1": 1, "q2": 0, "q3": 1, "q4": 0})
    review.save(by_id(review, "q2"), "cleo", 1, settles=True)
    review.save(by_id(review, "q5"), "ann", None)
    stats = review_stats(review.queue)
    assert stats.states == {"labelled": 4, "settled": 1, "unsure": 1}
    (reason,) = stats.reasons
    assert tuple(reason.values()) == ("sample", 6, 5, 1, 0)
    counts = {rater: tuple(n)[:4] for rater, *n in map(dict.values, stats.raters)}
    assert counts == {"ann": (3, 2, 1, 0), "ben": (2, 3, 0, 0), "cleo": (0, 0, 0, 1)}
    (pair,) = stats.agreement.pairs
    assert (pair.n, pair.value) == (5, pytest.approx((4 / 5 - 12 / 25) / (1 - 12 / 25)))
    ((_, _, table),) = stats.automatic
    # People: q1, q2, q3 match, q0 and q4 not; exact_match: q1, q3.
    assert astuple(table) == (2, 0, 1, 2)


def test_an_accuracy_that_does_not_exist_is_null(review):
    review.save(by_id(review, "q5"), "ann", None)  # unsure: no metric has a verdict beside it
    stats = review_stats(review.queue)
    assert stats.automatic == []
    stats.__dict__["automatic"] = [(review.queue.metrics[0], 0.5, Confusion(0, 0, 0, 0))]
    agree = stats_report(stats).tables[-1].rows[0][-1]
    assert (agree.text, agree.value) == ("–", None)


def test_labels_outlive_the_run_in_their_folder(review, run):
    from ragauge.runs.store import RunFolder

    review.save(by_id(review, "q1"), "ann", 1)
    RunFolder(run.folder).remove()
    assert [path.name for path in run.folder.iterdir()] == ["labels.jsonl"]
    changed = [{**row, "answer": "ash"} for row in ROWS[:1]] + ROWS[1:]
    again = rg.evaluate(changed, ["exact_match"], folder=run.folder)
    assert again.labels().frame["verdict"].to_list() == ["match · ann"]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from([0, 1, None])), max_size=8),
    st.randoms(use_true_random=False),
)
def test_the_order_of_different_people_changes_no_verdict(given_labels, random):
    def says(order):
        labels = [ReviewLabel("q", "s", rater, value, "d") for rater, value in order]
        found = applied(LabelLog(tuple(labels)), {("q", "s"): "d"}, None).of(("q", "s"))
        return found.state, found.value

    last = list(dict(given_labels).items())  # the last label of each person counts
    assert says(given_labels) == says(last)
    random.shuffle(last)
    assert says(given_labels) == says(last)
    sure = {value for _, value in last if value is not None}
    expected = "conflict" if len(sure) > 1 else "labelled" if sure else "unsure" if last else "open"
    assert says(last)[0] == expected


def test_an_answer_of_a_conversation_is_shown_with_what_was_said_before(tmp_path):
    said = [("user", "Who?"), ("assistant", "Ann."), ("user", "When?"), ("assistant", "In 1931.")]
    messages = [{"role": role, "content": text} for role, text in said]
    row = {"id": "a", "messages": messages, "references": [["Ann"], ["1931"]]}
    review = Review(rg.evaluate([row], "exact_match", folder=tmp_path / "run").review_queue())
    shown = {item.id: item_view(review, item, "ann").before for item in review.queue.items}
    assert shown == {"a#1": "", "a#2": "user: Who?\nassistant: Ann."}


@cases(
    (0.25, "exact_match 0.250 (no)"),
    (0.499626, "exact_match 0.4996 (no)"),
    (0.49999626, "exact_match 0.499996 (no)"),
    (0.4999999999, "exact_match 0.4999999999 (no)"),
    (0.5, "exact_match 0.500 (yes)"),
    (0.94, "exact_match 0.940 (yes)"),
)
def test_a_score_that_just_misses_its_threshold_does_not_look_like_it(value: float, text: str):
    (metric,) = rg.evaluate([{"id": "q1", "answer": "a", "reference": "a"}], "exact_match").metrics
    metric = replace(metric, digits=3)
    assert AutomaticVerdict(metric, value, value >= 0.5, "", 0.5).text == text
