"""Sources that disagree, and gold of one system, read in pieces: the samples, notes and problems of memory."""

import random
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("small_pieces")
N = 60


def rows(author: str, **more: Any) -> list[dict[str, Any]]:
    """Rows, some of which ask or expect something else than those of other authors."""
    return [
        {
            "id": f"q{at}",
            "question": f"What is {at}{author if at % 11 == 4 else ''}?",
            "answer": f"{author} {at}",
            "reference": f"{author if at % 13 == 3 else ''}{at}" if at % 7 else None,
            "gold_contexts": [f"{author if at % 17 == 2 else ''}{at}"],
            **more,
        }
        for at in range(N)
        if (at + ord(author)) % 9
    ]


def gold_rows() -> list[dict[str, Any]]:
    return [{name: row[name] for name in row if name != "answer"} for row in rows("g")]


@pytest.mark.parametrize("prefer", ["gold", "answers", "first"])
def test_a_preferred_value_is_used_beside_gold(prefer: str, written: Any, check_same_samples: Any):
    answers = [*rows("a", system="a"), *rows("b", system="b")]
    random.Random(3).shuffle(answers)
    gold = written(gold_rows(), "gold.jsonl")
    samples = check_same_samples(written(answers), gold=gold, prefer=prefer)
    assert any("differs between rows for" in note for note in samples.notes)
    sources = {system: written(rows(system), f"{system}.jsonl") for system in "ab"}
    check_same_samples(sources, gold=gold, prefer=prefer)
    asked = {row["id"] for row in gold_rows()}
    known = [row for row in answers if row["id"] in asked]
    check_same_samples(written(known), gold=gold, prefer=prefer)


@pytest.mark.parametrize("prefer", ["answers", "first"])
def test_a_preferred_value_is_used_between_systems(
    prefer: str, written: Any, check_same_samples: Any
):
    sources = {
        system: written(rows(system)[:: 1 if system == "b" else -1], f"{system}.jsonl")
        for system in "cab"
    }
    samples = check_same_samples(sources, prefer=prefer)
    assert len(samples.notes) > 3
    answers = [*rows("a", system="a"), *rows("b", system="b")]
    random.Random(5).shuffle(answers)
    check_same_samples(written(answers), prefer=prefer)


def test_without_a_choice_they_are_the_same_problems(written: Any, check_same_problems: Any):
    sources = {system: written(rows(system), f"{system}.jsonl") for system in "ab"}
    assert "ids differ like this" in check_same_problems(sources)
    assert "--prefer gold|answers|first" in check_same_problems(
        sources, gold=written(gold_rows(), "gold.jsonl")
    )


def test_gold_of_questions_without_ids_counts_once_with_a_choice(
    written: Any, check_same_samples: Any
):
    asked = [{"question": f"What is {at}?"} for at in range(N)]
    gold = [{**row, "reference": f"{row['question']}{end}"} for row in asked for end in ("", "!")]
    source = written([{**row, "answer": "x"} for row in asked])
    check_same_samples(source, gold=written(gold, "gold.jsonl"), prefer="first")


def test_gold_of_one_system_is_used_for_those_without(written: Any, check_same_samples: Any):
    def of(system: str, *fields: str) -> Path:
        own = [{name: row[name] for name in ("id", "answer", *fields)} for row in rows("x")]
        order = -1 if system == "b" else 1
        return written(own[::order], f"{system}.jsonl")

    sources = {"a": of("a"), "b": of("b", "reference"), "c": of("c", "gold_contexts")}
    samples = check_same_samples(sources)
    assert any("references of 'b' used for" in note for note in samples.notes)
    more = [{"id": f"q{at}", "answer": "x", "reference": f"{at}"} for at in range(30, 90)]
    check_same_samples({**sources, "d": written(more, "d.jsonl")}, prefer="first")


def test_gaps_name_the_first_questions_in_the_order_of_the_rows(
    written: Any, check_same_samples: Any
):
    answers = [
        {"id": f"q{at}", "system": system, "answer": "x"}
        for at in range(N)
        for system in "abc"
        if (at + ord(system)) % 9
    ]
    random.Random(7).shuffle(answers)
    samples = check_same_samples(written(answers))
    assert sum("did not answer" in note for note in samples.notes) == 3


def test_notes_on_fields_come_in_the_order_of_the_rows(written: Any, check_same_samples: Any):
    answers = [
        {
            "id": f"q{at}",
            "system": system,
            "answer": "x",
            "reference": system if at == 40 else "z",
            "gold_contexts": [system if at == 10 else "z"],
        }
        for at in range(N)
        for system in "ab"
    ]
    samples = check_same_samples(written(answers))
    assert [note.split()[0] for note in samples.notes[1:]] == ["gold_contexts", "references"]
