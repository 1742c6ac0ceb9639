"""CSV and TSV, where everything is text."""

import gc
from pathlib import Path

import polars as pl
import pytest

from ragauge.errors import DataError, Problem
from ragauge.loaders import load
from ragauge.loaders.formats import files
from ragauge.samples.samples import Samples


def loaded(folder: Path, content: str | bytes, name: str = "a.csv") -> Samples:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(path)


def problems_of(folder: Path, content: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        loaded(folder, content)
    return caught.value.problems


def test_an_empty_cell_is_empty_text_or_null_by_field(tmp_path: Path):
    samples = loaded(tmp_path, "id,question,answer,references,topic\nq1,,,,\nq2,q,a,r,t\n")
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("", "")
    assert (row["references"], row["topic"]) == (None, None)


def test_an_empty_id_is_refused(tmp_path: Path):
    (problem,) = problems_of(tmp_path, "id,answer\nq1,a\n,b\n")
    assert (problem.line, problem.field) == (3, "id")


def test_ids_and_texts_are_never_taken_for_numbers(tmp_path: Path):
    samples = loaded(tmp_path, "id,answer\n007,007\nNA,NA\ntrue,true\n1e5,1e5\nnull,null\n")
    assert samples.frame["id"].to_list() == ["007", "NA", "true", "1e5", "null"]
    assert samples.frame["answer"].to_list() == samples.frame["id"].to_list()


@pytest.mark.parametrize(
    ("cells", "read"),
    [
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
    ],
)
def test_a_slice_column_is_numbers_only_when_nothing_is_lost(
    tmp_path: Path, cells: list[str], read: list[object]
):
    rows = "\n".join(f"q{number},a,{cell}" for number, cell in enumerate(cells))
    assert loaded(tmp_path, f"id,answer,n\n{rows}\n").frame["n"].to_list() == read


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
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
    ],
)
def test_cells_of_a_list_column_are_lists_or_one_text(
    tmp_path: Path, cell: str, texts: list[str] | None
):
    quoted = '"' + cell.replace('"', '""') + '"'
    samples = loaded(tmp_path, f"id,answer,contexts\nq1,a,{quoted}\nq2,a,z\n")
    assert samples.frame["contexts"].to_list()[0] == texts


@pytest.mark.parametrize(
    "cell",
    [
        "[1] According to the page",
        "['a' ... 'b' 'c']",  # a printed numpy array without its middle
        "[open('x')]",
        "[" * 100_000,
        "[" + "-" * 100_000 + "1]",
        "[nan, 'a']",
        '{"text": "a", "text": "b"}',
    ],
)
def test_a_cell_that_only_begins_like_a_list_is_a_problem(tmp_path: Path, cell: str):
    quoted = '"' + cell.replace('"', '""') + '"'
    (problem,) = problems_of(tmp_path, f"id,answer,contexts\nq1,a,{quoted}\n")
    assert (problem.line, problem.field, problem.id) == (2, "contexts", "q1")
    assert len(problem.message) < 400


def test_judgements_and_scores_are_read(tmp_path: Path):
    text = (
        'id,relevant,context_ids,context_scores\nq1,"{""d1"": 2}","[""d1"",""d2""]","[0.5, 0.25]"\n'
    )
    text += "q2,d7,d7,0.5\n"
    batch = loaded(tmp_path, text).batch(0, 2)
    assert batch["relevant"] == [{"d1": 2}, {"d7": 1}]
    assert batch["context_scores"] == [[0.5, 0.25], [0.5]]


@pytest.mark.parametrize("cell", ["nan", "inf", '["nan"]', "[NaN]", "[1e999]"])
def test_scores_that_are_no_numbers_are_refused(tmp_path: Path, cell: str):
    quoted = '"' + cell.replace('"', '""') + '"'
    (problem,) = problems_of(tmp_path, f"id,answer,context_scores\nq1,a,{quoted}\n")
    assert problem.field == "context_scores"


def test_rows_of_another_length_than_the_header_are_each_named(tmp_path: Path):
    problems = problems_of(tmp_path, "id,answer\nq1,a,b\nq2,a\nq3\n")
    assert [problem.line for problem in problems] == [2, 4]
    assert "has 3 cells, but the header has 2" in problems[0].message


def test_quoted_line_breaks_count_as_lines(tmp_path: Path):
    problems = problems_of(tmp_path, 'id,answer\nq1,"a\nb\n\nc"\nq2\n')
    assert [problem.line for problem in problems] == [6]


def test_a_quote_that_is_never_closed_is_named_where_it_opens(tmp_path: Path):
    (problem,) = problems_of(tmp_path, 'id,answer\nq1,a\nq2,"b\nq3,c\nq4,d\n')
    assert problem.line == 3
    assert "not closed before the end of the file" in problem.message


def test_text_after_a_closing_quote_is_a_problem(tmp_path: Path):
    (problem,) = problems_of(tmp_path, 'id,answer\nq1,"a" b\n')
    assert problem.line == 2


def test_a_carriage_return_alone_ends_no_line(tmp_path: Path):
    (problem, *_) = problems_of(tmp_path, "id,answer\rq1,a\rq2,b\r")
    assert "carriage return" in problem.message


@pytest.mark.parametrize("header", ["id,answer,answer", "id,answer,", ",answer,topic", ",,answer"])
def test_a_header_with_double_or_no_names_is_a_problem(tmp_path: Path, header: str):
    assert problems_of(tmp_path, f"{header}\nq1,a,b\n")


def test_a_nameless_first_column_of_anything_else_is_a_problem(tmp_path: Path):
    for cells in ("0", "0"), ("a", "b"), ("", ""):
        content = f",id,answer\n{cells[0]},q1,a\n{cells[1]},q2,b\n"
        assert "without a name" in problems_of(tmp_path, content)[0].message


def test_the_nameless_index_of_pandas_is_left_out_and_said(tmp_path: Path):
    samples = loaded(tmp_path, ",id,answer\n0,q1,a\n4,q2,b\n")
    assert samples.columns == ("id", "system", "answer")
    assert any("numbers the rows" in note for note in samples.notes)


def test_a_file_with_semicolons_is_read_with_a_note(tmp_path: Path):
    samples = loaded(tmp_path, "id;answer\nq1;one, two\n")
    assert samples.frame["answer"].to_list() == ["one, two"]
    assert "the cells are separated by ';'" in samples.notes


def test_a_comma_in_the_header_makes_semicolons_text(tmp_path: Path):
    samples = loaded(tmp_path, "id,answer;b,answer\nq1,x,a\n")
    assert samples.columns == ("id", "system", "answer", "answer;b")


@pytest.mark.parametrize("content", ["", "\n\n", "id,answer\n", "id,answer"])
def test_a_file_without_rows_holds_no_samples(tmp_path: Path, content: str):
    (problem,) = problems_of(tmp_path, content)
    assert "holds no samples" in problem.message


def test_rows_with_nothing_in_them_are_left_out_and_said(tmp_path: Path):
    samples = loaded(tmp_path, "id,answer\nq1,a\n,\n\nq2,b\n,\n")
    assert len(samples) == 2
    assert any("line 3, 6" in note for note in samples.notes)


def test_a_megabyte_in_a_cell_is_kept_whole(tmp_path: Path):
    text = "x" * 1_000_000
    assert loaded(tmp_path, f'id,answer\nq1,"{text}"\n').frame["answer"].to_list() == [text]


def test_a_line_over_the_limit_is_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_LINE_LENGTH", 1_000)
    (problem,) = problems_of(tmp_path, 'id,answer\nq1,"' + "x" * 2_000)
    assert problem.line == 2


def test_nul_bytes_are_named(tmp_path: Path):
    (problem,) = problems_of(tmp_path, "id,answer\nq1,a\0b\n")
    assert (problem.line, "NUL" in problem.message) == (2, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str):
    samples = loaded(tmp_path, "id,answer\r\nq1,Zürich\r\nq2,東京\r\n".encode(encoding))
    assert samples.columns == ("id", "system", "answer")
    assert samples.frame["answer"].to_list() == ["Zürich", "東京"]


@pytest.mark.filterwarnings("error")
def test_a_utf_16_table_is_read_without_an_error_in_the_background(tmp_path: Path):
    samples = loaded(tmp_path, "id\tanswer\r\nq1\tZürich\r\n".encode("utf-16"))
    gc.collect()
    assert samples.frame["answer"].to_list() == ["Zürich"]


def test_what_excel_saves_is_read_and_noted(tmp_path: Path):
    text = "id;question;answer\r\nq1;where?;“Zürich” – 5 €\r\nq2;who?;she\r\n"
    samples = loaded(tmp_path, text.encode("cp1252"))
    assert samples.frame["answer"].to_list() == ["“Zürich” – 5 €", "she"]
    assert "the cells are separated by ';'" in samples.notes
    word = "“Zürich”"
    note = f"is not UTF-8; read as Windows-1252, as Excel saves CSV: {word!r} in line 2"
    assert note in samples.notes


@pytest.mark.parametrize(
    "text",
    [
        "id,answer\nq1,Zürich\n".encode() + "q2,Zürich\n".encode("latin-1"),  # a part is UTF-8
        "id,answer\nq1,a\nq2,Привет\n".encode("cp1251"),
        "id,answer\nq1,a\nq2,これは東京都の例です\n".encode("shift-jis"),
        b"\xef\xbb\xbf" + "id,answer\nq1,a\nq2,Zürich\n".encode("latin-1"),  # marked as UTF-8
    ],
)
def test_other_encodings_are_named_with_their_line(tmp_path: Path, text: bytes):
    (problem,) = problems_of(tmp_path, text)
    assert (problem.line, "not UTF-8" in problem.message) == (3, True)


def test_tabs_separate_cells_in_tsv(tmp_path: Path):
    samples = loaded(tmp_path, "id\tanswer\nq1\ta, b\n", "a.tsv")
    assert samples.frame["answer"].to_list() == ["a, b"]


def test_what_polars_writes_is_read_back(tmp_path: Path):
    texts = ['a "quoted", b', "line\nbreak", "\ttab", "=1+1", "🎉", ""]
    frame = pl.DataFrame({"id": [f"q{n}" for n in range(6)], "answer": texts})
    frame.write_csv(tmp_path / "a.csv")
    assert load(tmp_path / "a.csv").frame["answer"].to_list() == texts


@pytest.mark.parametrize("cell", ["d1|d2", "d1;d2", "d1, d2"])
def test_several_ids_in_one_cell_are_refused_and_never_taken_for_one(tmp_path: Path, cell: str):
    file = tmp_path / "a.csv"
    file.write_text(f'id,answer,relevant\n1,x,d1\n2,y,"{cell}"\n')
    with pytest.raises(DataError, match=r"a\.csv:3.*seems to contain several ids"):
        load(file)


def test_bars_separate_cells_where_nothing_else_does(tmp_path: Path):
    samples = loaded(tmp_path, "id|answer\nq1|a, b; c\n")
    assert samples.frame["answer"].to_list() == ["a, b; c"]
