"""The cases of benchmarks/contrast: enough kinds and languages, split without overlap, the same each time."""

import runpy
from collections import defaultdict
from pathlib import Path

import pytest

MAKE = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "contrast" / "make.py"))
CASES = MAKE["cases"](40, 1)


MEASURE = runpy.run_path(str(Path(__file__).parents[1] / "benchmarks" / "contrast" / "measure.py"))


def test_shares_and_auc_by_hand():
    """Of two right and two wrong answers, one pair of four is in the wrong order, and one is tied."""
    kinds = {"a": True, "b": True, "c": False, "d": False}
    rows = [
        {"id": id, "is_right": right, "kind": "date", "reference": "1"}
        for id, right in kinds.items()
    ]
    values = {"a": 0.9, "b": 0.3, "c": 0.3, "d": 0.4}
    assert MEASURE["auc"](rows, values, "correct") == 2.5 / 4
    assert MEASURE["share_right"](rows, values, "correct") == 3 / 4
    del values["c"]
    assert MEASURE["share_right"](rows, values, "correct") == 2 / 4


@pytest.mark.parametrize(("name", "n"), [("by_hand.jsonl", 480), ("scenes.jsonl.gz", 41_784)])
def test_cases_of_others_are_half_right_in_five_languages(name, n):
    rows = list(MEASURE["cases"](Path(MAKE["__file__"]).parent / name))
    assert len({row["id"] for row in rows}) == n
    assert sum(row["is_right"] for row in rows) == n / 2
    assert {row["language"] for row in rows} == {"en", "de", "fr", "es", "zh"}
    assert all(row["question"] and row["answer"] for row in rows)
    with_reference = len(MEASURE["has_input"](rows, "correct"))
    assert with_reference + len(MEASURE["has_input"](rows, "support")) == (n if n == 480 else 2 * n)


def test_a_list_without_an_item_is_wrong_but_supported():
    row = {"id": "a", "is_right": False, "kind": "item dropped"}
    assert not MEASURE["is_right"](row, "correct")
    assert MEASURE["is_right"](row, "support")


def test_each_case_is_made_again_from_its_seed():
    assert CASES == MAKE["cases"](40, 1) != MAKE["cases"](40, 2)
    assert len({case.id for case in CASES}) == len(CASES)


def test_twenty_kinds_stand_in_five_languages():
    languages = defaultdict(set)
    for case in CASES:
        languages[case.kind].add(case.language)
    assert len(languages) >= 20
    assert sum(len(each) == 5 for each in languages.values()) >= 18


def test_no_kind_and_no_scene_of_the_test_is_trained_on():
    trained = [case for case in CASES if case.part == "train"]
    tested = [case for case in CASES if case.part == "test"]
    assert {case.kind for case in tested} == MAKE["TEST_KINDS"]
    assert trained
    assert not {case.kind for case in trained} & {case.kind for case in tested}
    assert not {case.scene for case in trained} & {case.scene for case in tested}


def test_an_answer_is_not_the_reference_and_the_passages_hold_the_reference():
    for case in CASES:
        assert case.answer != case.reference
        assert case.reference in case.contexts[0]
        assert "{" not in case.question + case.answer + case.reference
