"""Entries of the table of shapes: paths, what must not be there, what is dropped and announced."""

from cases import cases

from ragauge.loaders.shapes.reader import Shape, found, read_rows
from ragauge.loaders.table import Table
from ragauge.samples.fields import Row

RIGHT, SAID, TEXT = "1931", "In 1931.", "The dam was built in 1931."


def read(shape: Shape, *given: dict[str, object], keep: tuple[str, ...] = ()) -> Table:
    rows = tuple(Row(values, "a.jsonl", line) for line, values in enumerate(given, start=1))
    return read_rows(Table(rows, "a.jsonl"), [shape], keep)


@cases(
    ({"a": {"b": 1}}, "a.b", 1),
    ({"a": {"b": 1}}, "a.c", None),
    ({"a": 1}, "a.b", None),
    ({"a": [{"b": 1}, {"b": 2}]}, "a[1].b", 2),
    ({"a": [1]}, "a[1]", None),
    ({"a": {"b": 1}}, "a[0].b", None),  # an object is no list
    ({"a": [{"b": 1}, {"b": 2}]}, "a[].b", [1, 2]),
    ({"a": [{"b": 1}, {"c": 2}]}, "a[].b", None),
    ({"a": [{"b": 1}, {"c": 2}]}, "a[?].b", [1]),
    ({"a": {"b": 1}}, "a[].b", [1]),
    ({"a": [["b", "c"], "d"]}, "a[][]", ["b", "c", "d"]),
    ({"a": [{"b": 1, "is": 0}, {"b": 2, "is": 1}]}, "a[is].b", [2]),
    ({"a": [{"b": 1}]}, "a[is].b", None),  # no item says what it is
    ({"a": {"b": [1, 2], "is": [True, False]}}, "a{}.b", [1, 2]),
    ({"a": {"b": [1, 2], "is": [True, False]}}, "a{is}.b", [1]),
    ({"a": {"b": [1, 2], "is": [True]}}, "a{is}.b", None),
    ({"b": 2}, "a | b", 2),
    ({"a": 3, "b": "text"}, "a | b: text", "text"),
    ({"a": ["b", 3]}, "a: texts", None),
    ({"a": ["b", "c", "b"]}, "a: ids", ["b", "c"]),
    ({"a": [[" b. ", "c."], ["d"]]}, "a: lists of sentences", ["b. c.", "d"]),
    ({"a": {"content": [{"type": "text", "text": "b"}]}}, "a: message", "b"),
)
def test_a_path_leads_to_a_value_or_nowhere(value: object, path: str, expected: object):
    assert found(value, path) == expected


TOOL = Shape(
    takes={"answer": "trial.steps[0].said: text", "contexts": "trial.pages[].body"},
    also={"references": "target.text"},
    needs=("trial.version",),
    drops=("seed",),
)
"""As of a tool that did not exist before: this and a sample file are all that it takes to add one."""
TRIAL = {"version": 2, "steps": [{"said": SAID}], "pages": [{"body": TEXT}]}


def test_an_entry_is_all_that_a_new_tools_shape_needs():
    table = read(TOOL, {"id": "q1", "trial": TRIAL, "target": {"text": RIGHT}, "seed": 1})
    row = {"id": "q1", "answer": SAID, "contexts": [TEXT], "references": RIGHT}
    assert table.rows[0].values == row
    assert table.notes == (
        "read 'trial.steps.said' as answer, 'trial.pages.body' as contexts, 'target.text' as references",
    )


def test_what_may_be_null_in_a_row_stands_in_also_so_that_the_rest_is_read():
    also = {"answer": "trial.steps[0].said: text", "references": "target.text"}
    tool = Shape(takes={"contexts": "trial.pages[].body"}, needs=("trial.steps",), also=also)
    given = {"trial": {**TRIAL, "steps": [{"said": None}]}, "target": {"text": RIGHT}}
    assert read(tool, given).rows[0].values == {"contexts": [TEXT], "references": RIGHT}


@cases(
    {"trial": {**TRIAL, "version": None}},
    {"trial": {**TRIAL, "steps": []}},
    {"trial": {**TRIAL, "pages": [{"url": "u"}]}},
    {"trial": TRIAL, "response": "Another answer."},
    {"trial": TRIAL, "documents": [TEXT]},
)
def test_a_row_of_another_shape_stays_as_it_is(given: dict[str, object]):
    table = read(TOOL, given)
    assert table.rows[0].values == given
    assert table.notes == ()


def test_what_another_column_gives_is_not_taken_and_a_kept_column_is_not_read():
    target = {"text": RIGHT}
    given = {"trial": TRIAL, "target": target, "expected": "1932"}
    [row] = read(TOOL, given).rows
    assert (row.values["expected"], row.values["target"]) == ("1932", target)
    assert "references" not in row.values
    assert read(TOOL, given, keep=("trial",)).rows[0].values == given
    [row] = read(TOOL, given, keep=("expected",)).rows
    assert (row.values["expected"], row.values["references"]) == ("1932", RIGHT)


def test_a_second_turn_is_a_problem_with_its_place():
    shape = Shape(takes={"answer": "turns[0].said"}, single="turns")
    table = read(shape, {"turns": [{"said": SAID}]}, {"turns": [{"said": SAID}] * 2})
    assert [str(problem) for problem in table.problems] == [
        "a.jsonl:2: field 'turns': has 2 turns; give one question and answer per row"
    ]
