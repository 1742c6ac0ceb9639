import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.judges.replies.checking import ReplyError, check, read_numbered
from ragauge.judges.replies.finding import read_word

SCORE = {
    "type": "object",
    "properties": {"score": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["score"],
}
VERDICTS = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"claim": {"type": "integer"}, "supported": {"type": "boolean"}},
                "required": ["claim", "supported"],
            },
        }
    },
    "required": ["verdicts"],
}


def problem_of(call, *arguments):
    with pytest.raises(ReplyError) as caught:
        call(*arguments)
    return str(caught.value)


# The one object of a reply.
# The schema.


def checked(value, **schema):
    return check(value, schema, "it")


@pytest.mark.parametrize(
    ("said", "meant"),
    [(True, True), (False, False), (1, True), (0, False), (1.0, True), ("true", True), ("false", False)],
)  # fmt: skip
def test_truth_values(said, meant):
    assert checked(said, type="boolean") is meant


@pytest.mark.parametrize(
    "said", ["yes", "no", "1", "0", "", "True.", "supported", 2, -1, 0.5, None, [], {}]
)
def test_what_is_no_truth_value(said):
    assert "it must be true or false, got " in problem_of(check, said, {"type": "boolean"}, "it")


@pytest.mark.parametrize(
    ("said", "meant"), [(3, 3), (3.0, 3), (-2, -2), ("85", 85), ("-7", -7), ("85.0", 85), ("0", 0)]
)
def test_whole_numbers(said, meant):
    number = checked(said, type="integer")
    assert number == meant
    assert type(number) is int


@pytest.mark.parametrize(
    "said",
    [True, False, 3.5, "3.5", "85%", "85/100", " 85", "85 ", "+5", "1e3", "0x10", "٣", "１", "007", "",
     "five", None, [3], {"a": 3}, "9" * 400, float("nan"), float("inf")],
)  # fmt: skip
def test_what_is_no_whole_number(said):
    assert "it must be a whole number, got " in problem_of(check, said, {"type": "integer"}, "it")


@pytest.mark.parametrize(
    ("said", "meant"), [(0.5, 0.5), (3, 3), ("0.85", 0.85), ("1", 1), ("-0.5", -0.5)]
)
def test_numbers(said, meant):
    assert checked(said, type="number") == meant


@pytest.mark.parametrize(
    "said", [True, "85%", ".5", "5.", "1,5", "nan", "inf", "1_0", None, float("nan")]
)
def test_what_is_no_number(said):
    assert "it must be a number, got " in problem_of(check, said, {"type": "number"}, "it")


@pytest.mark.parametrize(
    ("said", "bounds", "wanted"),
    [
        (250, {"minimum": 0, "maximum": 100}, "it must be 0 to 100, got 250"),
        (-1, {"minimum": 0}, "it must be 0 or more, got -1"),
        (1.01, {"maximum": 1}, "it must be 1 or less, got 1.01"),
        ("101", {"maximum": 100}, 'it must be 100 or less, got "101"'),
        (0.3, {"enum": [0, 0.25, 0.5]}, "it must be one of 0, 0.25, 0.5, got 0.3"),
    ],
)
def test_a_number_out_of_range_is_refused(said, bounds, wanted):
    assert problem_of(check, said, {"type": "number", **bounds}, "it") == wanted


def test_the_ends_of_a_range_are_in_it():
    for said in (0, 100, 0.0, "100"):
        assert checked(said, type="number", minimum=0, maximum=100) == float(said)


def test_one_of_some_numbers():
    assert checked("0.25", type="number", enum=[0, 0.25]) == 0.25
    assert checked(1, type="integer", enum=[1, 2]) == 1


MENU = ["CORRECT", "WRONG", "DON'T KNOW"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
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
    ],
)
def test_a_word_of_the_menu_is_returned_in_its_spelling(said, meant):
    assert checked(said, type="string", enum=MENU) == meant
    assert checked(said, enum=MENU) == meant
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


@pytest.mark.parametrize("said", [None, True, 1, ["CORRECT"], {"CORRECT": 1}, ""])
def test_what_is_no_word_is_off_the_menu(said):
    assert "it must be one of" in problem_of(check, said, {"type": "string", "enum": MENU}, "it")


def test_the_exact_word_comes_before_those_that_differ_in_case_only():
    assert checked("a", type="string", enum=["A", "a"]) == "a"
    assert "must be one of" in problem_of(check, "a.", {"type": "string", "enum": ["A", "a"]})


def test_a_truth_value_is_not_one_of_some_numbers():
    assert "must be one of 0, 1, got true" in problem_of(check, True, {"enum": [0, 1]})


def test_texts():
    assert checked(" as it is ", type="string", minLength=3) == " as it is "
    assert checked("", type="string") == ""
    assert "it must be a text, got 5" in problem_of(check, 5, {"type": "string"}, "it")
    blank = problem_of(check, " \n", {"type": "string", "minLength": 1}, "it")
    assert blank == 'it must be a text that is not blank, got " \\n"'
    short = problem_of(check, " ab ", {"type": "string", "minLength": 3}, "it")
    assert "a text of 3 or more signs" in short


def test_a_type_may_be_one_of_several():
    schema = {"type": ["string", "null"]}
    assert check(None, schema) is None
    assert check("x", schema) == "x"
    assert "must be a text, got 5" in problem_of(check, 5, schema)
    assert check(None, {"type": ["string", "null"], "enum": ["a"]}) is None
    assert check(3, {"type": ["integer", "string"]}) == 3
    assert check(None, {"type": "null"}) is None
    assert "must be null" in problem_of(check, 0, {"type": "null"})


def test_a_property_that_may_be_null_is_kept_and_one_that_is_not_required_left_out():
    kept = {"type": ["string", "null"]}
    schema = {"type": "object", "properties": {"kept": kept, "left": {"type": "string"}}}
    assert check({"kept": None, "left": None}, schema) == {"kept": None}
    required = {**schema, "required": ["left"]}
    assert "left must be a text, got null" in problem_of(check, {"left": None}, required)


def test_unknown_keys_are_left_out_at_every_level():
    said = {"verdicts": [{"claim": 1, "supported": True, "why": 1}], "more": 2}
    assert check(said, VERDICTS) == {"verdicts": [{"claim": 1, "supported": True}]}
    assert said["more"] == 2


def test_every_problem_names_its_place():
    said = {"verdicts": [{"claim": 1, "supported": "yes"}, 7, {"supported": True}]}
    assert problem_of(check, said, VERDICTS) == (
        'verdicts[0].supported must be true or false, got "yes"; '
        "verdicts[1] must be an object, got 7; verdicts[2].claim is missing"
    )


def test_the_place_of_the_whole_reply_and_of_what_is_checked_apart():
    assert problem_of(check, [1, 2], {"type": "object"}) == (
        "the reply must be an object, got an array of 2"
    )
    assert problem_of(check, {}, SCORE, "criteria[1]") == "criteria[1].score is missing"
    assert problem_of(check, [1.5], {"type": "array", "items": {"type": "integer"}}, "a") == (
        "a[0] must be a whole number, got 1.5"
    )


def test_at_most_five_problems_are_listed():
    said = {"verdicts": [7] * 100_000}
    problem = problem_of(check, said, VERDICTS)
    assert problem.count("must be an object") == 5
    assert problem.endswith("verdicts[4] must be an object, got 7; and 99,995 more")
    five = problem_of(check, {"verdicts": [7] * 5}, VERDICTS)
    assert five.endswith("verdicts[4] must be an object, got 7")


@pytest.mark.parametrize(
    ("n", "bounds", "wanted"),
    [
        (2, {"minItems": 3, "maxItems": 3}, "it must have length 3, got 2"),
        (4, {"minItems": 1, "maxItems": 3}, "it must have length 1 to 3, got 4"),
        (0, {"minItems": 1}, "it must have length 1 or more, got 0"),
    ],
)
def test_an_array_of_the_wrong_length_is_refused(n, bounds, wanted):
    assert problem_of(check, ["x"] * n, {"type": "array", **bounds}, "it") == wanted


def test_an_array_of_the_right_length():
    for n in (1, 3):
        assert len(checked(["x"] * n, type="array", minItems=1, maxItems=3)) == n


@pytest.mark.parametrize("schema", [{}, {"type": "tuple"}, {"anyOf": [{"type": "string"}]}])
def test_a_schema_that_cannot_be_checked_is_a_bug(schema):
    with pytest.raises(ValueError, match="x cannot be checked"):
        check("x", schema, "x")


def test_a_long_value_is_cut_in_the_message():
    problem = problem_of(check, "y" * 5_000, {"type": "integer"}, "it")
    assert problem == f'it must be a whole number, got "{"y" * 80}…"'


def test_half_a_character_cannot_break_the_message():
    problem_of(check, "\ud800", {"type": "integer"}).encode()


# Numbered items.


def numbered(*numbers):
    return [{"claim": number, "at": place} for place, number in enumerate(numbers)]


def test_items_come_in_the_order_of_their_numbers():
    assert [one["at"] for one in read_numbered(numbered(3, 1, 2), "claim", 3)] == [1, 2, 0]
    assert read_numbered([], "claim", 0) == []


@pytest.mark.parametrize(
    ("numbers", "n", "wanted"),
    [
        ((1, 2, 2, 4), 4, "3 is missing, 2 is there more than once"),
        ((1, 2), 4, "3 and 4 are missing"),
        ((1, 2, 3), 2, "3 is not asked for"),
        ((0, 1), 2, "2 is missing, 0 is not asked for"),
        ((1, 1), 1, "1 is there more than once"),
        ((), 8, "1, 2, 3, 4, 5 and 3 more are missing"),
        ((1, 5, 9), 3, "2 and 3 are missing, 5 and 9 are not asked for"),
    ],
)
def test_each_number_must_be_there_once(numbers, n, wanted):
    problem = problem_of(read_numbered, numbered(*numbers), "claim", n, "verdicts")
    assert problem == f"verdicts must have one entry for each claim from 1 to {n}; {wanted}"


def test_nothing_asked_is_nothing_got():
    assert problem_of(read_numbered, numbered(1), "claim", 0) == (
        "the reply must have no entry; 1 is not asked for"
    )


TEXT = {"type": "string"}
PARTS = st.one_of(
    st.sampled_from(["string", "integer", "number", "boolean", "null"]).map(
        lambda it: {"type": it}
    ),
    st.just({"type": "string", "enum": ["yes", "no"]}),
    st.just({"type": "string", "minLength": 1}),
    st.just({"type": "integer", "minimum": 0, "maximum": 5}),
    st.just({"type": "integer", "enum": [1, 2]}),
    st.just({"type": ["integer", "string"]}),
    st.just({"enum": ["yes", 1]}),
)
SCHEMAS = st.recursive(
    PARTS,
    lambda inner: st.one_of(
        st.builds(
            lambda it, n: {"type": "array", "items": it, "maxItems": n}, inner, st.integers(0, 3)
        ),
        st.builds(
            lambda parts, required: {"type": "object", "properties": parts, "required": required},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), unique=True, max_size=2),
        ),
    ),
    max_leaves=5,
)
SAID = st.recursive(
    st.sampled_from(["yes", "no", " Yes.", "", "1", "5", 0, 1, 9, -1, 1.0, 2.5, True, False, None]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("cab"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(SCHEMAS, SAID)
@example({"type": "object", "properties": dict.fromkeys("ab", TEXT)}, {"b": "1", "a": "2"})
def test_what_fits_as_it_is_comes_out_as_what_is_looked_at_part_by_part(schema, value):
    def outcome(schema):
        try:
            found = check(value, schema)
        except (ReplyError, ValueError) as error:
            return str(error)
        return json.dumps(found)  # the order of keys too, and what is a truth value and what 1

    class Unknown(dict):  # of no type of JSON's own: never taken for what fits as it is
        pass

    assert outcome(schema) == outcome(Unknown(schema))


@given(st.lists(st.integers(0, 6), max_size=6), st.integers(0, 6))
def test_n_asked_are_n_got(numbers, n):
    try:
        items = read_numbered(numbered(*numbers), "claim", n)
    except ReplyError:
        assert sorted(numbers) != list(range(1, n + 1))
    else:
        assert [one["claim"] for one in items] == list(range(1, n + 1))


def test_no_text_is_on_an_empty_menu():
    with pytest.raises(ReplyError):
        check({"a": "x"}, {"type": "object", "properties": {"a": {"type": "string", "enum": []}}})
