"""Questions asked several times: how steady a system is, and questions as clusters."""

import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.comparing.words import ComparisonView
from ragauge.errors import PlanError

QUESTIONS = [{"id": id, "question": id, "references": ["Paris"]} for id in "abcd"]


def answers(*told, repeat=2, system="s"):
    """The answers of a system that says these texts, one after the other; None fails."""
    texts = iter(told)

    def answer(question):
        text = next(texts)
        if text is None:
            raise ValueError(question)
        return text

    return rg.ask(QUESTIONS, {system: answer}, repeat=repeat, concurrency=1, retries=0)


def rows_of(system, told):
    """The answers that a system gives in each round of the questions."""
    asked = answers(*told, repeat=len(told) // len(QUESTIONS), system=system)
    return asked.samples.frame.to_dicts()


UNSTEADY = ("Paris", "Paris", "Rome", None, "Paris", "Rome", "Rome", "Paris")
"""In the order of asking: a to d, then again: a passes twice, b once, c never, d once of which one failed."""


def test_pass_at_k_and_pass_hat_k_are_means_over_questions():
    run = rg.evaluate(answers(*UNSTEADY), "exact_match")
    (found,) = run.steadiness("exact_match")
    # pass@1: (1 + 1/2 + 0 + 1/2) / 4; pass@2: (1 + 1 + 0 + 1) / 4; pass^2: 1/4
    assert (found.pass_one, found.pass_any, found.pass_all) == (0.5, 0.75, 0.25)
    assert (found.k, found.n_questions, found.n_changing) == (2, 4, 2)


def asked_often(told):
    rows = [
        {"id": f"{id}#{at}", "system": system, "repeat_of": id, "answer": answer, "reference": "P"}
        for system, questions in told.items()
        for id, answers in questions.items()
        for at, answer in enumerate(answers)
    ]
    return rg.evaluate(rows, "exact_match").steadiness("exact_match")


def test_a_question_asked_more_often_counts_once_and_all_systems_have_one_k():
    told = {"one": {"a": "PRRRR", "b": "PP", "c": "PR", "d": "P"}, "two": {"a": "PPR", "b": "RRR"}}
    one, two = asked_often(told)
    # one, a to c: pass@2 (4/10 + 1 + 1) / 3, pass^2 (0 + 1 + 0) / 3; two: (1 + 0) / 2, (1/3 + 0) / 2.
    assert (one.k, one.n_questions, one.n_changing) == (2, 3, 2)
    assert (one.pass_one, one.pass_any, one.pass_all) == approx((1.7 / 3, 0.8, 1 / 3))
    assert (two.k, two.pass_any, two.pass_all) == (2, 0.5, approx(1 / 6))


@cases(
    (
        {"one": {"a": "PPPPR", "b": "RPPPP"}, "two": {"a": "PP", "b": "R", "c": "P"}},
        [("one", 5, 2)],
    ),
    ({"one": {"a": "PP", "b": "PPPPP"}}, [("one", 2, 2)]),
    ({"one": {"a": "P", "b": "R", "c": "PPR"}}, [("one", 3, 1)]),
    ({"one": {"a": "P", "b": "R"}}, []),
)
def test_a_few_questions_that_were_asked_more_often_change_no_k(told, found):
    assert [(each.system, each.k, each.n_questions) for each in asked_often(told)] == found


def test_a_repeat_of_a_conversation_passes_where_its_worst_turn_does():
    def trial(number, *said):
        messages = []
        for text in said:
            messages += [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]
        row = {"id": f"a#{number}", "repeat_of": "a", "messages": messages}
        return row | {"references": [["Paris"]] * len(said)}

    samples = rg.load([trial(1, "Paris", "Rome", "Paris"), trial(2, "Paris", "Paris")])
    (found,) = rg.evaluate(samples, "exact_match").steadiness("exact_match")
    assert (found.k, found.pass_one, found.pass_any, found.pass_all) == (2, 0.5, 1, 0)


def test_a_repeat_of_a_conversation_with_an_answer_that_failed_does_not_pass():
    """A turn without a reference says nothing; one without an answer is worse than any value."""
    turn = {"question": "?", "references": ["Paris"], "answer": "Paris", "repeat_of": "a"}
    rows = [
        turn | {"id": f"{number}.{place}", "conversation": f"c{number}", "turn": place} | change
        for number, changes in enumerate(
            (({}, {}), ({}, {"references": []}), ({}, {"answer": None}))
        )
        for place, change in enumerate(changes, start=1)
    ]
    (found,) = rg.evaluate(rows, "exact_match").steadiness("exact_match")
    assert (found.k, found.pass_one) == (3, pytest.approx(2 / 3))


def test_the_first_screen_says_that_a_system_is_not_steady():
    text = str(rg.evaluate(answers(*UNSTEADY), "exact_match"))
    said = " ".join(text.split())
    assert "It is not steady: 2 of 4 questions pass only in some of 2 repeats." in said
    assert "0.50 of answers pass at exact_match 0.5, 2 repeats" in text
    assert "pass^2 0.25, pass@2 0.75" in said
    both = rows_of("t", ["Paris"] * 8) + rows_of("s", UNSTEADY)
    both = str(rg.evaluate(both, "exact_match"))
    assert "1 other system is not steady." in " ".join(both.split())
    steady = str(rg.evaluate(answers(*["Paris"] * 8), "exact_match"))
    assert "not steady" not in steady
    assert "no repeat differs" in steady


def test_repeats_are_counted_as_answers_to_their_questions():
    run = rg.evaluate(answers(*UNSTEADY), "exact_match")
    assert "8 answers to 4 questions" in str(run)
    assert "exact_match 0.57 (0.19–0.88), 7 answers" in str(run)
    both = [*rows_of("s", UNSTEADY), *rows_of("t", UNSTEADY)]
    found = rg.evaluate(both, "exact_match").compare("s", "t")
    assert (found.n_questions, found.n_clusters) == (8, 4)
    assert ComparisonView(found).title == "t against s · 8 answers to 4 questions"


def test_a_gate_counts_repeats_as_answers_to_one_question():
    run = rg.evaluate(answers(*UNSTEADY), "exact_match")
    assert run.gate(["questions = 4", "answers = 8"]).passed


def test_settings_are_in_the_order_of_their_numbers():
    settings = {"k": [10, 3], "t": [0.5, 0.25]}
    found = rg.ask(QUESTIONS, lambda question, k, t: f"{question} {k} {t}", vary=settings)
    names = ("k=3 t=0.25", "k=3 t=0.5", "k=10 t=0.25", "k=10 t=0.5")
    assert found.samples.systems == names
    run = rg.evaluate(found, "keyword_coverage")
    assert tuple(run.summary()["system"]) == names


def test_a_threshold_says_what_passes_and_open_scales_need_one():
    run = rg.evaluate(answers(*UNSTEADY), ["keyword_coverage", "latency_s"])
    assert run.steadiness("keyword_coverage", 2.0)[0].pass_any == 0.0
    with pytest.raises(PlanError, match="latency_s has no bounds; give a threshold"):
        run.steadiness("latency_s")
    # Lower is better: all that answered within 60 s pass.
    assert run.steadiness("latency_s", 60.0)[0].pass_one == 7 / 8


def test_a_run_without_repeats_has_no_steadiness():
    run = rg.evaluate(answers(*UNSTEADY[:3], "Rome", repeat=1), "exact_match")
    assert run.steadiness("exact_match") == ()


def test_questions_are_clusters_of_intervals_and_comparisons():
    """Four questions, asked twice with equal answers, are known no better than when they were asked once."""
    once = ("Paris", "Rome", "Paris", "Rome")
    other = ("Paris", "Paris", "Paris", "Rome")
    runs = [
        rg.evaluate(rg.load([*rows_of("s", once * k), *rows_of("t", other * k)]), "exact_match")
        for k in (1, 2)
    ]
    first, second = (run.summary().to_dicts()[0] for run in runs)
    assert (first["low"], first["high"]) == pytest.approx((second["low"], second["high"]))
    first, second = (run.compare("s", "t") for run in runs)
    assert second.cluster == "repeat_of"
    assert second.row("exact_match").p_value == first.row("exact_match").p_value
