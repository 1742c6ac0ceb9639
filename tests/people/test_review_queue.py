"""Which answers a person should look at, why, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import PlanError
from ragauge.people.review_queue import item_key, random_order


def kinds(queue) -> dict[str, tuple[str, ...]]:
    return {item.id: item.kinds for item in queue.items}


def judged(verdicts: dict[str, str], name: str = "scripted"):
    """A judge that says of each answer what is given for the word in it."""

    def script(request):
        text = request.messages[1].content
        return {"reason": "…", "verdict": next(v for word, v in verdicts.items() if word in text)}

    return rg.ScriptedJudge(script, name=name)


def test_parts_of_answer_match_that_disagree_come_into_the_queue():
    rows = [
        {"id": "agree", "answer": "x", "reference": "r", "fuzzy_match": 1.0, "gpt_score": 1.0},
        {"id": "differ", "answer": "y", "reference": "r", "fuzzy_match": 1.0, "gpt_score": 0.0},
        {"id": "half", "answer": "z", "reference": "r", "fuzzy_match": 0.0, "gpt_score": None},
    ]
    queue = rg.evaluate(rows, "answer_match").review_queue(n_sample=0)
    assert kinds(queue) == {"differ": ("parts",), "half": ("unscored",)}
    assert [item.id for item in queue.items] == ["differ", "half"]
    said = {item.id: item.reasons[0].says for item in queue.items}
    assert said == {
        "differ": "fuzzy_match and gpt_score disagree",
        "half": "gpt_score could not be scored",
    }


def test_a_judge_that_contradicts_the_offline_metric_is_a_dispute():
    rows = [
        {"id": "q1", "question": "?", "answer": "oak", "reference": "oak"},
        {"id": "q2", "question": "?", "answer": "elm", "reference": "oak"},
        {"id": "q3", "question": "?", "answer": "ash", "reference": "ash"},
    ]
    judge = judged({"elm": "WRONG", "ash": "WRONG", "oak": "CORRECT"})
    run = rg.evaluate(rows, ["answer_class", "exact_match"], judge=judge)
    queue = run.review_queue(n_sample=0)
    assert kinds(queue) == {"q3": ("offline",)}
    assert queue.items[0].reasons[0].says == "answer_class and exact_match disagree"


def test_two_judges_that_disagree_are_a_dispute_and_named_once():
    rows = [
        {"id": f"q{n}", "question": "?", "answer": word, "reference": word}
        for n, word in enumerate(["oak", "elm"])
    ]
    left = judged({"oak": "CORRECT", "elm": "CORRECT"}, "left")
    right = judged({"oak": "CORRECT", "elm": "WRONG"}, "right")
    run = rg.evaluate(rows, ["answer_class"], judge=rg.JudgeConfig([left, right]))
    (item,) = run.review_queue(n_sample=0).items
    assert (item.id, item.kinds) == ("q1", ("judges",))
    assert "disagree" in item.reasons[0].says


def test_values_near_the_threshold_come_nearest_first():
    rows = [  # token_f1 with one reference word of n + 1 answer words: 2 / (n + 2)
        {"id": f"n{n}", "answer": " ".join(["oak", *(f"w{at}" for at in range(n))]), "reference": "oak"}
        for n in range(5)
    ]  # fmt: skip
    run = rg.evaluate(rows, "token_f1")
    # 1, 2/3, 1/2, 2/5, 1/3: 1/2 is at the threshold, 2/5 is 0.1 below, 2/3 is 0.167 above.
    queue = run.review_queue(n_sample=0)
    assert [item.id for item in queue.items] == ["n2", "n3"]
    assert [round(item.reasons[0].distance, 6) for item in queue.items] == [0.0, 0.1]
    wider = run.review_queue(n_sample=0, margin=0.17)
    assert [item.id for item in wider.items[:2]] == ["n2", "n3"]
    assert {item.id for item in wider.items[2:]} == {"n1", "n4"}  # both 1/6 away
    moved = run.review_queue(n_sample=0, thresholds={"token_f1": 1.0})
    assert [item.id for item in moved.items] == ["n0"]


def test_disputes_come_first_then_thresholds_then_the_sample():
    rows = [
        {"id": f"q{n}", "question": "?", "answer": answer, "reference": "oak", "fuzzy_match": f, "gpt_score": 1.0}
        for n, (answer, f) in enumerate([("elm", 1.0), ("oak w1 w2", 1.0), ("oak", 0.0), ("ash", 1.0)])
    ]  # fmt: skip
    run = rg.evaluate(rows, ["answer_match", "token_f1"])
    queue = run.review_queue(n_sample=4)
    assert queue.items[0].id == "q2" and queue.items[0].kinds[0] == "parts"
    assert queue.items[1].id == "q1" and queue.items[1].kinds[0] == "threshold"
    sample = [item.id for item in queue.items[2:]]
    order = [id for id, _ in random_order(queue.digests, queue.seed)]
    assert sample == [id for id in order if id in ("q0", "q3")]
    only = run.review_queue(n_sample=4, reasons=["sample"])
    assert [item.id for item in only.items] == order
    assert {item.kinds for item in only.items} == {("sample",)}


def test_answers_that_cannot_be_judged_are_left_out_and_counted():
    rows = [
        {"id": "q1", "answer": "a", "reference": "a"},
        {"id": "q2", "answer": None, "reference": "a"},
        {"id": "q3", "answer": "a", "reference": None},
    ]
    queue = rg.evaluate(rows, "exact_match").review_queue()
    assert [item.id for item in queue.items] == ["q1"]
    assert (len(queue), queue.n_left_out, queue.n_sample) == (1, 2, 1)


def test_the_sample_depends_on_seed_and_answers_only():
    rows = [{"id": f"q{n}", "answer": "a", "reference": "a"} for n in range(30)]

    def keys(given=rows, **options):
        return [
            item.key for item in rg.evaluate(given, "exact_match").review_queue(**options).items
        ]

    one = keys(n_sample=5)
    assert keys(rows[::-1], n_sample=5) == one
    assert keys(n_sample=9)[:5] == one
    assert set(keys(n_sample=5, seed=1)) != set(one)


@given(
    st.lists(st.tuples(st.text(max_size=3), st.sampled_from("ab")), unique=True), st.integers(0, 9)
)
def test_the_random_order_keeps_its_pairs_when_rows_are_left_out(answers, seed):
    order = random_order(answers, seed)
    assert sorted(order) == sorted(answers)
    kept = answers[::2]
    assert random_order(kept, seed) == [answer for answer in order if answer in kept]


def test_every_place_of_the_sample_is_equally_likely():
    assert item_key("a", "bc") != item_key("ab", "c")
    # 400 seeds, 8 answers: each is expected first 50 times; four standard deviations are 26.
    answers = [(f"q{n}", "a") for n in range(8)]
    first = [random_order(answers, seed)[0] for seed in range(400)]
    assert all(24 < first.count(answer) < 76 for answer in answers)


def test_labels_about_one_metric_ask_about_it():
    rows = [{"id": "q1", "answer": "oak w1 w2", "reference": "oak"}]
    run = rg.evaluate(rows, ["token_f1", "exact_match"])
    queue = run.review_queue(about="token_f1", n_sample=0)
    assert queue.question.startswith("token_f1: yes or no? (F1 of the words")
    assert kinds(queue) == {"q1": ("threshold",)}


def test_every_wrong_option_is_named_at_once():
    run = rg.evaluate([{"id": "q1", "answer": "a", "reference": "a"}], "exact_match")
    with pytest.raises(PlanError) as raised:
        run.review_queue(margin=2, n_sample=-1, reasons=["judgs"])
    assert len(raised.value.problems) == 3
    assert "did you mean" in str(raised.value)
    with pytest.raises(PlanError, match="no metric 'recall'"):
        run.review_queue(about="recall")
    with pytest.raises(PlanError, match="no metric 'recall'"):
        run.review_queue(metrics=["recall"])


def test_the_reasons_say_nothing_about_the_verdicts():
    rows = [
        {"id": f"q{n}", "answer": "x", "reference": "r", "fuzzy_match": f, "gpt_score": 1.0 - f}
        for n, f in enumerate([0.0, 1.0])
    ]
    items = rg.evaluate(rows, "answer_match").review_queue(n_sample=0).items
    assert len({tuple(reason.says for reason in item.reasons) for item in items}) == 1
