"""What a run has to do, before it begins, and what it reports while it does it."""

import pytest

import ragauge as rg
from ragauge.engine.workload import CHARACTERS_PER_TEXT
from ragauge.evaluation import Evaluation
from ragauge.progress import Encoded, Judged, Scored

CONTEXTS = ["The ferry leaves at nine. It is blue.", "Tickets cost four pounds on board."]
ROWS = [
    {"id": f"q{n}", "system": system, "question": "When?", "answer": f"At {n}, says {system}.",
     "reference": f"{n} sharp", "contexts": CONTEXTS}
    for n in range(10) for system in ("a", "b")
]  # fmt: skip


def told(evaluation, **how):
    """What a run tells its listener, summed by kind."""
    events = []
    evaluation.run(listener=events.append, **how)
    return {
        "characters": sum(event.characters for event in events if isinstance(event, Encoded)),
        "texts": sum(event.texts for event in events if isinstance(event, Encoded)),
        "calls": sum(event.calls for event in events if isinstance(event, Judged)),
        "cells": sum(event.cells for event in events if isinstance(event, Scored)),
    }


def test_each_distinct_text_is_expected_once():
    evaluation = Evaluation.prepare(ROWS, ["semantic_similarity"])
    work = evaluation.workload()
    answers = sum(len(f"At {n}, says {system}.") for n in range(10) for system in "ab")
    references = 10 * len("1 sharp")
    assert work.characters == answers + references
    assert work.encoded_by == {"semantic_similarity": answers + references}
    assert work.texts == work.characters // CHARACTERS_PER_TEXT
    assert told(evaluation)["characters"] == work.characters


def test_a_text_that_two_metrics_encode_counts_for_both_but_is_expected_once():
    evaluation = Evaluation.prepare(ROWS, ["semantic_similarity", "support"])
    work = evaluation.workload()
    both = work.encoded_by
    assert both is not None
    answers = sum(len(row["answer"]) for row in ROWS)
    question = len("When?")  # read by the embedded reader
    assert both["support"] == answers + sum(map(len, CONTEXTS)) + question
    assert work.characters == both["semantic_similarity"] + sum(map(len, CONTEXTS)) + question


def test_long_contexts_are_expected_to_be_read_in_part():
    long = ["A sentence about something else entirely, with a number of words in it. " * 200]
    rows = [{**row, "contexts": long} for row in ROWS[:1]]
    work = Evaluation.prepare(rows, ["support"]).workload()
    # The 8 nearest sentences of the answer's one, at 110 characters; and the answer.
    assert work.characters == pytest.approx(8 * CHARACTERS_PER_TEXT, rel=0.05)


def test_calls_are_counted_as_a_dry_run_counts_them():
    async def judge(request):
        return '{"reason": "so", "verdict": "CORRECT"}'

    rows = [{**ROWS[0], "id": f"q{n}", "question": f"When, {n}?"} for n in range(50)]
    evaluation = Evaluation.prepare(rows, ["answer_class"], judge=judge)
    work = evaluation.workload()
    assert (work.calls, work.judged_by) == (50, ("answer_class",))
    assert told(evaluation) == {"characters": 0, "texts": 0, "calls": 50, "cells": work.cells}


@pytest.mark.parametrize("batch_size", [3, 1000])
def test_every_function_reports_each_row_once(batch_size):
    evaluation = Evaluation.prepare(ROWS, ["dont_know", "token_f1"], batch_size=batch_size)
    work = evaluation.workload()
    assert work.cells == len(ROWS) * len(evaluation.plan.nodes)
    assert told(evaluation)["cells"] == work.cells


def test_finished_batches_are_not_expected_again(tmp_path):
    evaluation = Evaluation.prepare(ROWS, ["token_f1"], batch_size=5)
    assert evaluation.workload(tmp_path / "run").n_rows == 20
    evaluation.run(tmp_path / "run")
    assert evaluation.workload(tmp_path / "run").n_rows == 0


def test_texts_are_reported_while_they_are_encoded_and_none_twice():
    rows = [{"id": f"q{n}", "answer": f"{'word ' * (n % 40)}{n}", "reference": "word"}
            for n in range(160)]  # fmt: skip
    events = []
    run = Evaluation.prepare(rows, ["bertscore"]).run(listener=events.append)
    encoded = [event for event in events if isinstance(event, Encoded)]
    assert len(encoded) > 2
    assert sum(event.texts for event in encoded) == 161
    assert sum(event.characters for event in encoded) == sum(len(r["answer"]) for r in rows) + 4
    assert run.scores["status"].unique().to_list() == ["ok"]


def test_texts_of_the_cache_are_reported_too(tmp_path):
    found = [
        told(Evaluation.prepare(ROWS, ["semantic_similarity"], cache=tmp_path / "vectors"))
        for _ in range(2)
    ]
    assert found[0] == found[1]


def test_a_listener_changes_no_score():
    watched = Evaluation.prepare(ROWS, ["semantic_similarity"]).run(listener=lambda _: None)
    alone = rg.evaluate(ROWS, ["semantic_similarity"])
    assert watched.scores.equals(alone.scores)


def test_the_speed_of_the_encoder_is_measured():
    evaluation = Evaluation.prepare(ROWS, ["support"])
    speed = evaluation.characters_per_second()
    assert speed is not None
    assert 100 < speed < 10_000_000
    assert Evaluation.prepare(ROWS, ["token_f1"]).characters_per_second() is None
