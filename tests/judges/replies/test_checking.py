import pytest
from cases import cases
from reply_schemas import MENU, SCORE, VERDICTS, problem_of

from ragauge.judges.replies.finding import check, read_numbered, read_word

BOOLEAN, WHOLE, NUMBER = {"type": "boolean"}, {"type": "integer"}, {"type": "number"}
WORD = {"type": "string", "enum": MENU}
BOTH_CASES = {"type": "string", "enum": ["A", "a"]}
OPTIONAL = {"type": "object", "properties": {"left": {"type": "string"}}}


@cases(
    *((BOOLEAN, said, True) for said in (True, 1, 1.0, "true")),
    *((BOOLEAN, said, False) for said in (False, 0, "false")),
    *((WHOLE, said, meant) for said, meant in ((3, 3), (3.0, 3), ("85", 85), ("-7", -7), ("85.0", 85), ("0", 0))),
    *((NUMBER, said, meant) for said, meant in ((0.5, 0.5), (3, 3), ("0.85", 0.85), ("-0.5", -0.5))),
    ({"type": "string"}, "", ""),
    # The exact word comes before those that differ in case only.
    (BOTH_CASES, "a", "a"),
    (OPTIONAL, {"left": None}, {}),
    # Unknown keys are left out at every level.
    (VERDICTS, {"verdicts": [{"claim": 1, "supported": True, "why": 1}], "more": 2}, {"verdicts": [{"claim": 1, "supported": True}]}),
)  # fmt: skip
def test_what_is_meant_is_read(schema, said, meant):
    before = repr(said)
    found = check(said, schema, "it")
    assert (found, repr(said)) == (meant, before)
    assert schema["type"] != "integer" or type(found) is int
    assert schema["type"] != "boolean" or type(found) is bool


@cases(
    *((BOOLEAN, said, "it must be true or false, got ") for said in ("yes", "1", "", "True.", 2, -1, 0.5, None, [], {})),
    *(
        (WHOLE, said, "it must be a whole number, got ")
        for said in (True, 3.5, "3.5", "85%", "85/100", " 85", "+5", "1e3", "0x10", "٣", "１", "007", "", None, [3],
                     {"a": 3}, "9" * 400, float("nan"), float("inf"))
    ),
    *(
        (NUMBER, said, "it must be a number, got ")
        for said in (True, "85%", ".5", "5.", "1,5", "nan", "inf", "1_0", None, float("nan"))
    ),
    *((WORD, said, "it must be one of") for said in (None, True, 1, ["CORRECT"], {"CORRECT": 1}, "")),
    ({"type": "string", "enum": []}, "x", "it must be one of"),
    (BOTH_CASES, "a.", "it must be one of"),
    ({"type": "string"}, 5, "it must be a text, got 5"),
    ({**OPTIONAL, "required": ["left"]}, {"left": None}, "it.left must be a text, got null"),
    (SCORE, {}, "it.score is missing"),
    ({"type": "array", "items": WHOLE}, [1.5], "it[0] must be a whole number, got 1.5"),
    (WHOLE, "y" * 5_000, f'it must be a whole number, got "{"y" * 80}…"'),
    (WHOLE, "\ud800", 'it must be a whole number, got "\\ud800"'),
)  # fmt: skip
def test_what_is_not_what_was_asked_is_said(schema, said, problem):
    assert problem_of(check, said, schema, "it").startswith(problem)


@cases(
    ("CORRECT", "CORRECT"),
    ("correct", "CORRECT"),
    (" Wrong.\n", "WRONG"),
    ("**CORRECT**.", "CORRECT"),
    ("_wrong_", "WRONG"),
    ('"CORRECT"', "CORRECT"),
    ("“Correct.”", "CORRECT"),
    ("`WRONG`", "WRONG"),
    ("don’t  know", "DON'T KNOW"),
    ("'DON'T KNOW'", "DON'T KNOW"),
)
def test_a_word_of_the_menu_is_returned_in_its_spelling(said, meant):
    assert check(said, WORD) == meant
    assert read_word(said, MENU) == meant


OFF_MENU = [
    "INCORRECT", "NOT CORRECT", "CORRECT and complete", "CORRECT / WRONG", "CORRECT, WRONG",
    "CORRECT or WRONG", "~~CORRECT~~", "CORRECT?", "CORRECTLY", "Verdict: CORRECT", "CORRECT: yes",
    "it is correct", "C O R R E C T", "unsure", "CORRECT\nWRONG", "ＣＯＲＲＥＣＴ", "CORRECT" * 1000,
]  # fmt: skip


@pytest.mark.parametrize("said", OFF_MENU)
def test_what_is_off_the_menu_is_refused(said):
    problem = problem_of(check, said, {"type": "string", "enum": MENU}, "it")
    assert problem.startswith('it must be one of "CORRECT", "WRONG", "DON\'T KNOW", got "')
    assert "must be one of CORRECT, WRONG, DON'T KNOW, and nothing else" in problem_of(
        read_word, said, MENU
    )


def test_every_problem_names_its_place():
    said = {"verdicts": [{"claim": 1, "supported": "yes"}, 7, {"supported": True}]}
    assert problem_of(check, said, VERDICTS) == (
        'verdicts[0].supported must be true or false, got "yes"; '
        "verdicts[1] must be an object, got 7; verdicts[2].claim is missing"
    )
    whole = "the reply must be an object, got an array of 2"
    assert problem_of(check, [1, 2], {"type": "object"}) == whole


def test_at_most_five_problems_are_listed():
    said = {"verdicts": [7] * 100_000}
    problem = problem_of(check, said, VERDICTS)
    assert problem.count("must be an object") == 5
    assert problem.endswith("verdicts[4] must be an object, got 7; and 99,995 more")
    five = problem_of(check, {"verdicts": [7] * 5}, VERDICTS)
    assert five.endswith("verdicts[4] must be an object, got 7")


@pytest.mark.parametrize("schema", [{}, {"type": "tuple"}, {"anyOf": [{"type": "string"}]}])
def test_a_schema_that_cannot_be_checked_is_a_bug(schema):
    with pytest.raises(ValueError, match="x cannot be checked"):
        check("x", schema, "x")


def numbered(*numbers):
    return [{"claim": number, "at": place} for place, number in enumerate(numbers)]


def test_items_come_in_the_order_of_their_numbers():
    assert [one["at"] for one in read_numbered(numbered(3, 1, 2), "claim", 3)] == [1, 2, 0]
    assert read_numbered([], "claim", 0) == []


@cases(
    ((1, 2, 2, 4), 4, "3 is missing, 2 is there more than once"),
    ((1, 2), 4, "3 and 4 are missing"),
    ((1, 2, 3), 2, "3 is not asked for"),
    ((1,), 0, "1 is not asked for"),
    ((0, 1), 2, "2 is missing, 0 is not asked for"),
    ((1, 1), 1, "1 is there more than once"),
    ((), 8, "1, 2, 3, 4, 5 and 3 more are missing"),
    ((1, 5, 9), 3, "2 and 3 are missing, 5 and 9 are not asked for"),
)
def test_each_number_must_be_there_once(numbers, n, wanted):
    problem = problem_of(read_numbered, numbered(*numbers), "claim", n, "verdicts")
    entries = f"one entry for each claim from 1 to {n}" if n else "no entry"
    assert problem == f"verdicts must have {entries}; {wanted}"
