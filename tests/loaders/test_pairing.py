"""Which rows of several files belong together: by id, by the question's text, or by place."""

import random
from typing import Any

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, PlanError, Problem
from ragauge.loaders.loading import load
from ragauge.samples.samples import Samples

pytestmark = pytest.mark.usefixtures("also_in_pieces")

NORTH, SOUTH, EAST = "How wide is the north gate?", "Who keeps the south key?", "Is the east shut?"


def asked(*questions: str, **columns: object) -> list[dict[str, object]]:
    return [{"question": text, "answer": f"to {text}", **columns} for text in questions]


def answers(samples: Samples, system: str) -> dict[str, str | None]:
    """The answer of a system to each id."""
    rows = samples.frame.filter(samples.frame["system"] == system)
    return dict(zip(rows["id"], rows["answer"], strict=True))


def problems_of(source: Any, **options: Any) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        load(source, **options)
    return caught.value.problems


def test_case_space_and_the_encoding_of_accents_do_not_matter():
    one = "Où est  le\ncafé?"
    samples = load({"a": asked(one), "b": asked(" où EST le cafe\u0301? ")})
    assert samples.frame["id"].to_list() == ["1", "1"]


def test_a_single_system_without_ids_is_numbered_even_if_a_question_is_repeated():
    samples = load(asked(NORTH, NORTH))
    assert samples.frame["id"].to_list() == ["1", "2"]
    assert "2 rows have no id: numbered by position" in samples.notes
    assert load(asked(NORTH)).notes == ("1 row has no id: numbered by position",)


def test_rows_without_an_id_take_the_id_of_their_question():
    named = [{**row, "id": id} for row, id in zip(asked(NORTH, SOUTH), ("1", "g7"), strict=True)]
    samples = load({"a": named, "b": asked(EAST, SOUTH)})
    # The new question gets a number that is no id yet: 1 is taken.
    assert answers(samples, "b") == {"2": f"to {EAST}", "g7": f"to {SOUTH}"}


def test_gold_without_ids_is_joined_by_the_question():
    gold = [{"question": SOUTH.upper(), "reference": "s"}, {"question": NORTH, "reference": "n"}]
    for rows in (
        asked(NORTH, SOUTH),
        [{"id": f"q{n}", **row} for n, row in enumerate(asked(NORTH, SOUTH))],
    ):
        samples = load(rows, gold=gold)
        found = dict(
            zip(samples.frame["question"], samples.frame["references"].to_list(), strict=True)
        )
        assert found == {NORTH: ["n"], SOUTH: ["s"]}


def test_a_question_of_the_gold_that_nobody_answered_is_a_row_and_counted():
    gold = [{"question": NORTH, "reference": "n"}, {"question": EAST, "reference": "e"}]
    samples = load({"a": asked(NORTH, SOUTH)}, gold=gold)
    assert answers(samples, "a") == {"1": f"to {NORTH}", "2": None, "3": f"to {SOUTH}"}
    assert "system 'a' did not answer 1 of 2 questions: 2" in samples.notes
    assert "system 'a' answers 1 question not in the gold; kept: 3" in samples.notes


NAMED = [{**row, "id": id} for row, id in zip(asked(NORTH, NORTH), ("p", "q"), strict=True)]
WITHOUT = [{"answer": "x"}, {"answer": "y", "question": " "}]


@cases(
    ({"a": asked(NORTH), "b": WITHOUT}, {}, "2 rows have no id and no question", (1, None)),
    ({"a": asked(NORTH), "b": WITHOUT}, {}, "--by-place (in Python by_place=True)", (1, None)),
    ({"a": asked(NORTH, SOUTH), "b": asked(SOUTH, SOUTH, SOUTH)}, {}, "is asked twice without an id (and 1 more question)", (2, "question")),
    ({"a": NAMED, "b": asked(NORTH)}, {}, "has no id here, and elsewhere the ids 'p' and 'q'", (1, "question")),
    ({"a": asked(NORTH, SOUTH), "b": asked(NORTH)}, {"by_place": True}, "system 'b' has 1 rows, but list of rows has 2", (None, None)),
    # By place, the same question still has one gold.
    ({"a": asked(NORTH, reference="x"), "b": asked(NORTH, reference="y")}, {"by_place": True}, "is 'y' here", (1, "references")),
ids=range(6),
)  # fmt: skip
def test_what_is_not_clear_is_not_guessed(
    systems: Any, options: Any, says: str, place: tuple[int | None, str | None]
):
    (problem,) = problems_of(systems, **options)
    assert says in problem.message
    assert (problem.line, problem.field) == place


def test_ids_with_nothing_in_common_are_noted_with_the_way_out():
    first, second = asked(NORTH, id="a1"), asked(NORTH, id="b1")
    (note,) = [n for n in load({"a": first, "b": second}).notes if "in common" in n]
    assert "the systems have no id in common; remove the ids" in note
    gold = [{"id": "g", "reference": "r"}]
    assert any("gold have no id in common" in note for note in load(first, gold=gold).notes)


def conflicting() -> dict[str, list[dict[str, object]]]:
    return {
        "a": asked(NORTH, id="q", reference="three metres"),
        "b": asked(NORTH, id="q", reference="four metres"),
    }


def test_one_question_with_two_golds_is_an_error_whether_or_not_it_has_an_id():
    (problem,) = problems_of(conflicting())
    assert (problem.field, problem.id) == ("references", "q")
    assert "is 'four metres' here, but 'three metres' in list of rows:1" in problem.message
    (problem,) = problems_of(
        {name: [{**row, "id": None} for row in rows] for name, rows in conflicting().items()}
    )
    assert problem.id == "1"


@cases(("Three  metres", "three metres"), (["a", "b"], ["b", "a"]), ("a", ["a"]), (None, "a"))
def test_gold_that_differs_in_case_space_or_order_is_the_same(first: object, second: object):
    samples = load({"a": asked(NORTH, reference=first), "b": asked(NORTH, reference=second)})
    assert len(samples) == 2


def test_systems_of_one_table_may_have_gold_of_their_own_which_is_counted():
    rows = [{**row, "system": name} for name, several in conflicting().items() for row in several]
    samples = load(rows)
    assert samples.frame["references"].to_list() == [["three metres"], ["four metres"]]
    assert "references differs between rows for id 'q'; kept each row's own" in samples.notes
    with pytest.raises(DataError, match="is 'four metres' here"):
        load(rows, gold=[{"id": "q", "reference": "three metres"}])
    rows[1]["question"] = SOUTH
    (problem,) = problems_of(rows)
    assert problem.field == "question"


@cases(
    ("first", {"a": ["three metres"], "b": ["three metres"]}),
    ("answers", {"a": ["three metres"], "b": ["four metres"]}),
    ("gold", {"a": ["five metres"], "b": ["five metres"]}),
)
def test_prefer_says_whose_gold_counts(prefer: Any, references: dict[str, list[str]]):
    gold = [{"id": "q", "reference": "five metres"}]
    samples = load(conflicting(), gold=gold, prefer=prefer)
    found = dict(zip(samples.frame["system"], samples.frame["references"].to_list(), strict=True))
    assert found == references
    assert any(
        note.startswith("references differs between rows for id 'q'") for note in samples.notes
    )


def test_gold_decides_the_question_too_if_it_is_preferred():
    gold = [{"id": "q", "question": SOUTH, "reference": "five metres"}]
    samples = load({"a": asked(NORTH, id="q")}, gold=gold, prefer="gold")
    assert samples.frame["question"].to_list() == [SOUTH]
    assert samples.frame["answer"].to_list() == [f"to {NORTH}"]


def test_gold_without_ids_must_agree_with_itself():
    gold = [{"question": NORTH, "reference": text} for text in ("n", "N", "other")]
    (problem,) = problems_of(asked(NORTH), gold=gold)
    assert problem.line == 3
    assert "is in the gold twice, with different gold, first in line 1" in problem.message
    samples = load(asked(NORTH), gold=gold, prefer="first")
    assert samples.frame["references"].to_list() == [["n"]]
    samples = load(asked(NORTH), gold=gold[:2])
    assert "1 row repeats a question of the gold; the first of each is used" in samples.notes


def test_by_place_pairs_the_nth_rows_whatever_they_ask():
    systems = {"a": asked(NORTH, SOUTH), "b": [{"answer": "one"}, {"answer": "two"}]}
    samples = load(systems, by_place=True)
    assert answers(samples, "b") == {"1": "one", "2": "two"}
    samples = load({"a": asked(NORTH), "b": asked(SOUTH)}, by_place=True)
    assert samples.frame["question"].to_list() == [NORTH, SOUTH]
    assert any("kept each row's own" in n for n in samples.notes)


def test_by_place_takes_the_ids_of_the_gold_or_of_the_first_system():
    first = [{"id": "x", "answer": "1"}, {"id": "y", "answer": "2"}]
    second = [{"id": "m", "answer": "3"}, {"id": "n", "answer": "4"}]
    samples = load({"a": first, "b": second}, by_place=True)
    assert answers(samples, "b") == {"x": "3", "y": "4"}
    assert "2 ids are not used, as rows are paired by place" in samples.notes
    gold = [{"id": "g1", "reference": "r"}, {"id": "g2", "reference": "s"}]
    samples = load({"a": first, "b": second}, gold=gold, by_place=True)
    assert answers(samples, "a") == {"g1": "1", "g2": "2"}


@pytest.mark.parametrize(("prefer", "said"), [("golds", "did you mean 'gold'"), ("gold", "--gold")])
def test_a_choice_that_cannot_be_made_is_refused(prefer: Any, said: str):
    with pytest.raises(PlanError, match=said):
        load({"a": asked(NORTH), "b": asked(NORTH)}, prefer=prefer)


@given(seeds=st.lists(st.integers(0, 10_000), min_size=2, max_size=2), n=st.integers(1, 12))
def test_the_order_of_rows_never_changes_what_belongs_together(seeds: list[int], n: int):
    questions = [f"question {number}?" for number in range(n)]
    systems: dict[str, list[dict[str, object]]] = {}
    for name, seed in zip("ab", seeds, strict=True):
        systems[name] = asked(*random.Random(seed).sample(questions, n))
    samples = rg.load(systems)
    assert answers(samples, "a") == answers(samples, "b")
    assert f"{2 * n} rows have no id: paired by the text of the question" in samples.notes


def test_gold_in_the_file_of_one_system_counts_for_the_others():
    first = asked(NORTH, SOUTH, references=["x"], relevant={"d1": 1})
    samples = load({"a": first, "b": asked(SOUTH, NORTH), "c": asked(EAST)})
    by_system = dict(samples.frame.group_by("system").agg("references").iter_rows())
    assert by_system == {"a": [["x"], ["x"]], "b": [["x"], ["x"]], "c": [None]}
    assert "references of 'a' used for 2 answers of 'b', which has none" in samples.notes
    assert "relevant of 'a' used for 2 answers of 'b', which has none" in samples.notes


def test_a_system_that_has_gold_of_some_questions_keeps_its_own():
    own = [*asked(NORTH, references=["x"]), *asked(SOUTH)]
    samples = load({"a": asked(NORTH, SOUTH, references=["x"]), "b": own})
    of_b = samples.frame.filter(samples.frame["system"] == "b")
    assert of_b["references"].to_list() == [["x"], None]
    assert not any("which has none" in note for note in samples.notes)
