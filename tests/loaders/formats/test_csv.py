"""CSV and TSV, where everything is text."""

from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import DataError, Problem
from ragauge.loaders.loading import load
from ragauge.samples.samples import Samples

pytestmark = pytest.mark.usefixtures("also_in_pieces")


def loaded(folder: Path, content: str | bytes, name: str = "a.csv") -> Samples:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(path)


def problems_of(folder: Path, content: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        loaded(folder, content)
    return caught.value.problems


NO_NUMBERS = ["007", "NA", "true", "1e5", "null"]


@cases(
    ("id,answer\n" + "".join(f"{id},{id}\n" for id in NO_NUMBERS), "id", NO_NUMBERS),
    ("id,answer\n" + "".join(f"{id},{id}\n" for id in NO_NUMBERS), "answer", NO_NUMBERS),
    ("id,answer;b,answer\nq1,x,a\n", "answer;b", ["x"]),  # the header has a comma
    ("id,answer\nq1,x\n" + "q2," + "x" * 1_000_000 + "\n", "answer", ["x", "x" * 1_000_000]),
    ("id,answer\r\nq1,Zürich\r\nq2,東京\r\n".encode("utf-8-sig"), "answer", ["Zürich", "東京"]),
    ("id,answer\r\nq1,Zürich\r\nq2,東京\r\n".encode("utf-16"), "answer", ["Zürich", "東京"]),
    ("id|answer\nq1|a, b; c\n", "answer", ["a, b; c"]),
    ("id;answer\nq1;one, two\n", "answer", ["one, two"]),
    ('id,answer\nq1,"a ""quoted"", b"\nq2,"line\nbreak"\nq3,\ttab\n', "answer", ['a "quoted", b', "line\nbreak", "\ttab"]),
)  # fmt: skip
def test_cells_are_read_as_they_are_written(
    content: str | bytes, column: str, values: list[object], tmp_path: Path
):
    assert loaded(tmp_path, content).frame[column].to_list() == values


def test_an_empty_cell_is_empty_text_or_null_by_field(tmp_path: Path):
    samples = loaded(tmp_path, "id,question,answer,references,topic\nq1,,,,\nq2,q,a,r,t\n")
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("", "")
    assert (row["references"], row["topic"]) == (None, None)


@cases(
    (["1", "", "30"], [1, None, 30]),
    (["1", "2.5", "-3"], [1.0, 2.5, -3.0]),
    (["007", "8", "9"], ["007", "8", "9"]),
    (["1", "nan", "3"], ["1", "nan", "3"]),
    (["1", "inf", "3"], ["1", "inf", "3"]),
    (["1e5", "2", "3"], ["1e5", "2", "3"]),
    (["1.1", "1.10", "1.2"], ["1.1", "1.10", "1.2"]),  # versions, not numbers
    (["\uff11", "2", "3"], ["\uff11", "2", "3"]),  # a full-width digit
    (["1", "2", "9" * 30], ["1", "2", "9" * 30]),
    (["", "", ""], [None, None, None]),
)
def test_a_slice_column_is_numbers_only_when_nothing_is_lost(
    cells: list[str], read: list[object], tmp_path: Path
):
    rows = "\n".join(f"q{number},a,{cell}" for number, cell in enumerate(cells))
    assert loaded(tmp_path, f"id,answer,n\n{rows}\n").frame["n"].to_list() == read


@pytest.mark.parametrize("n", ["3", '{"a": 1}', "[1]", "true"])
def test_members_of_an_object_in_a_cell_keep_their_type(tmp_path: Path, n: str):
    inputs = quoted(f'{{"question": "Capital of France?", "n": {n}}}')
    samples = loaded(tmp_path, f"inputs,outputs\n{inputs},Paris\n")
    assert samples.frame["question"].to_list() == ["Capital of France?"]
    assert ("n" in samples.frame.columns) == (n in ("3", "true"))
    assert n != "3" or samples.frame["n"].to_list() == [3]


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


@cases(
    ('["a", "b"]', ["a", "b"]),
    ("['a', \"it's\"]", ["a", "it's"]),
    ("['a\\nb']", ["a\nb"]),
    ("['a' 'it\\'s']", ["a", "it's"]),  # numpy
    ("['a'\n \"it's\"]", ["a", "it's"]),
    ("array(['a', 'b'], dtype=object)", ["a", "b"]),
    ("[Document(metadata={'source': 'x'}, page_content='a')]", ["a"]),  # LangChain
    ("[]", []),
    ("one text", ["one text"]),
    ("", None),
    (" padded ", [" padded "]),
)
def test_cells_of_a_list_column_are_lists_or_one_text(
    cell: str, texts: list[str] | None, tmp_path: Path
):
    samples = loaded(tmp_path, f"id,answer,contexts\nq1,a,{quoted(cell)}\nq2,a,z\n")
    assert samples.frame["contexts"].to_list()[0] == texts


@cases(
    ("contexts", "[1] According to the page"),
    ("contexts", "['a' ... 'b' 'c']"),  # a printed numpy array without its middle
    ("contexts", "[open('x')]"),
    ("contexts", "[" * 100_000),
    ("contexts", "[" + "-" * 100_000 + "1]"),
    ("contexts", "[nan, 'a']"),
    ("contexts", '{"text": "a", "text": "b"}'),
    *(("context_scores", cell) for cell in ("nan", "inf", '["nan"]', "[NaN]", "[1e999]")),
    *(("relevant", cell) for cell in ("d1|d2", "d1;d2", "d1, d2")),
)
def test_a_cell_that_is_no_list_of_its_field_is_a_problem(field: str, cell: str, tmp_path: Path):
    (problem,) = problems_of(tmp_path, f"id,answer,{field}\nq1,a,{quoted(cell)}\n")
    assert (problem.line, problem.field, problem.id) == (2, field, "q1")
    assert len(problem.message) < 400


def test_judgements_and_scores_are_read(tmp_path: Path):
    text = "id,relevant,context_ids,context_scores\n"
    text += 'q1,"{""d1"": 2}","[""d1"",""d2""]","[0.5, 0.25]"\nq2,d7,d7,0.5\n'
    batch = loaded(tmp_path, text).batch(0, 2)
    assert batch["relevant"] == [{"d1": 2}, {"d7": 1}]
    assert batch["context_scores"] == [[0.5, 0.25], [0.5]]


@cases(
    "id,answer,,\nq1,a,,\nq2,b\n",
    "sep=;\nid;answer\nq1;a\nq2;b\n",
    ",id,answer,\n0,q1,a,\n1,q2,b,\n",
)
def test_what_spreadsheets_add_to_a_table_is_left_out(text: str, tmp_path: Path):
    samples = loaded(tmp_path, text)
    assert samples.frame.select("id", "answer").rows() == [("q1", "a"), ("q2", "b")]
    assert samples.slice_fields == ()


@cases(
    ("id,answer,\nq1,a,\nq2,b,c\n", [3], "has 'c' in a column without a name"),
    ("sep=;\nid;answer\nq1;a;b\n", [3], "has 3 cells, but the header has 2"),
    ("id,answer\nq1,a\n,b\n", [3], "is empty; give every question an id"),
    ("id,answer\nq1,a,b\nq2,a\nq3\n", [2, 4], "has 3 cells, but the header has 2"),
    ('id,answer\nq1,"a\nb\n\nc"\nq2\n', [6], "has 1 cell,"),
    ('id,answer\nq1,a\nq2,"b\nq3,c\nq4,d\n', [3], "not closed before the end of the file"),
    ('id,answer\nq1,"a" b\n', [2], "has text after a closing quote"),
    ("id,answer\rq1,a\rq2,b\r", [1], "carriage return"),
    ("id,answer\nq1,a\0b\n", [2], "NUL"),
    ("id,answer,answer\nq1,a,b\n", [1], "two columns named 'answer'"),
    ('"id;answer"\nq1\n', [1], "has only one column"),
    *((f"{header}\nq1,a,b\n", None, "without a name") for header in ("id,answer,", ",,answer")),
    *(
        (f",id,answer\n{first},q1,a\n{second},q2,b\n", None, "without a name")
        for first, second in ("00", "ab", ("", ""))
    ),
    *(
        (content, [None], "holds no samples")
        for content in ("", "\n\n", "id,answer\n", "id,answer")
    ),
    # A part of the file is UTF-8.
    ("id,answer\nq1,Zürich\n".encode() + "q2,Zürich\n".encode("latin-1"), [3], "not UTF-8"),
    ("id,answer\nq1,a\nq2,Привет\n".encode("cp1251"), [3], "not UTF-8"),
    ("id,answer\nq1,a\nq2,これは東京都の例です\n".encode("shift-jis"), [3], "not UTF-8"),
    (b"\xef\xbb\xbf" + "id,answer\nq1,a\nq2,Zürich\n".encode("latin-1"), [3], "not UTF-8"),
)  # fmt: skip
def test_what_is_no_table_is_a_problem_with_its_line(
    content: str | bytes, lines: list[int | None] | None, says: str, tmp_path: Path
):
    problems = problems_of(tmp_path, content)
    assert says in problems[0].message
    assert lines is None or [problem.line for problem in problems] == lines


@cases(
    (",id,answer\n0,q1,a\n4,q2,b\n", ["left out the first column: it is unnamed and only numbers the rows"]),
    ("id,answer\nq1,a\n,\n\nq2,b\n,\n", ["left out empty rows: line 3, 6"]),
    (
        "id;question;answer\r\nq1;where?;“Zürich” – 5 €\r\nq2;who?;she\r\n".encode("cp1252"),
        ["the cells are separated by ';'", "is not UTF-8; read as Windows-1252, as Excel saves CSV: '“Zürich”' in line 2"],
    ),
)  # fmt: skip
def test_what_is_read_in_a_special_way_is_noted(
    content: str | bytes, notes: list[str], tmp_path: Path
):
    samples = loaded(tmp_path, content)
    assert len(samples) == 2
    assert [*samples.notes] == notes
