"""JSON Lines, and the files that pretend to be."""

import gzip
import json
from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import DataError, Problem
from ragauge.loaders.formats import files
from ragauge.loaders.loading import load

pytestmark = pytest.mark.usefixtures("also_in_pieces")


def written(folder: Path, content: str | bytes, name: str = "a.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problems_of(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        load(path)
    return caught.value.problems


def lines(*rows: dict[str, object]) -> str:
    return "\n".join(map(json.dumps, rows))


IDS = ["007", "7", "NA", "true", "1e5", "null", "nan"]
ADDRESSES = ["file:///etc/passwd", "http://169.254.169.254/", "{{7*7}}", "%s", "$HOME"]
TWO = '{"id": "q1", "answer": "Zürich 東京 🎉"}\n{"id": "q2", "answer": "b"}\n'


@cases(
    ('{"answer": "Paris"}\n\n   \r\n{"answer": ""}\r\n', "answer", ["Paris", ""]),
    ('{"id": "q1", "answer": null}\n{"id": "q2", "answer": "a"}', "answer", [None, "a"]),
    (lines({"answer": "a", "contexts": []}, {"answer": "a"}), "contexts", [[], None]),
    (lines(*({"id": id, "answer": "a"} for id in IDS)), "id", IDS),
    ('{"id": "q1", "answer": "a\u2028b\u0085c"}\n', "answer", ["a\u2028b\u0085c"]),
    *((TWO.encode(encoding), "answer", ["Zürich 東京 🎉", "b"]) for encoding in ("utf-8", "utf-8-sig", "utf-16")),
    (lines(*({"answer": text} for text in ADDRESSES)), "answer", ADDRESSES),
    (lines({"answer": "é" * 500_000}), "answer", ["é" * 500_000]),
    (lines({"answer": "a", "contexts": ["c"] * 10_000}), "contexts", [["c"] * 10_000]),
ids=range(11),
)  # fmt: skip
def test_each_line_is_a_sample_with_its_values_as_they_are(
    content: str | bytes, column: str, values: list[object], tmp_path: Path
):
    assert load(written(tmp_path, content)).frame[column].to_list() == values


def test_composed_and_decomposed_letters_make_two_ids_and_a_note(tmp_path: Path):
    rows = ({"id": id, "answer": "a"} for id in ("caf\u00e9", "cafe\u0301"))
    samples = load(written(tmp_path, lines(*rows)))
    assert len(samples) == 2
    assert any("look alike" in note for note in samples.notes)


NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"]


@cases(
    ('{"id": "q1", "answer": "a"}\n{"id": "q2", "ans', 2, "column 14; the last line of the file seems to be cut off"),
    ('{"id": "q1", "answer": "a", "answer": "b"}', 1, "has the key 'answer' twice"),
    ('{"id": "q2", "x": {"y": {"z": 1, "z": 2}}}', 1, "has the key 'z' twice"),
    ('{"id": "q1", "answer": "a", "n": ' + "9" * 10_000 + "}", 1, "put it in quotes"),
    ('{"answer": "a", "\\ud800": 1}', 1, "half a character"),
    ('{"id": "q1", "answer": "a"}\n\n{"id": "q1", "answer": "b"}\n', 3, "duplicate id, first at"),
    (lines(*({"answer": "a", f"q{n}": 1} for n in range(1_200))), None, "ids used as column names"),
    ("[" * 100_000, 1, "nested too deeply"),
    ('{"a":' * 100_000, 1, "nested too deeply"),
    ('{"answer": "a", "id": ' + "[" * 900 + "]" * 900 + "}", 1, "must be text"),
    *((content, None, "holds no samples") for content in ("", "\n", " \n\t\r\n", "\ufeff", "\ufeff\n")),
    *(('{"id": "q1"}'.encode(wide), None, "save it as UTF-8") for wide in ("utf-16-le", "utf-16-be", "utf-32")),
    # 16 bytes of line 1 with its end, then {"answer": " is 12: the bad one is byte 28 from 0.
    (b'{"answer": "a"}\n{"answer": "\xe9"}\n', 2, "byte 28 is 0xE9"),
    (gzip.compress(b"{}", mtime=0), None, ".gz"),
    (b"PK\x03\x04rest", None, "zip"),
    (b"\x28\xb5\x2f\xfdrest", None, ".zst"),
    (b"PAR1rest", None, ".parquet"),
ids=range(23),
)  # fmt: skip
def test_what_is_no_json_lines_is_one_problem(
    content: str | bytes, line: int | None, says: str, tmp_path: Path
):
    (problem,) = problems_of(written(tmp_path, content))
    assert (problem.line, says in problem.message) == (line, True), problem.message
    problem.message.encode()


@cases(
    *((field, no_number) for field in ("topic", "answer") for no_number in NO_NUMBERS),
    *(("context_scores", f"[{no_number}]") for no_number in NO_NUMBERS),
    ("context_scores", '[0.5, "nan"]'),
    ("context_scores", '[0.5, "inf"]'),
    ("answer", '"\\ud800"'),
    ("topic", '"\\ud800"'),
)
def test_a_value_that_is_none_of_its_field_is_named(field: str, value: str, tmp_path: Path):
    line = f'{{"id": "q1", "question": "q", "{field}": {value}}}'
    (problem,) = problems_of(written(tmp_path, line))
    assert (problem.line, problem.field, problem.id) == (1, field, "q1")


def test_every_bad_line_and_value_is_reported_at_once(tmp_path: Path):
    bad = ['{"id": "q1"', "[1]", '"text"', "null", "3", '{"id": "q6", "answer": "a"}', "{} {}"]
    problems = problems_of(written(tmp_path, "\n".join(bad) + "\n"))
    assert [problem.line for problem in problems] == [1, 2, 3, 4, 5, 7]
    assert ".json" in problems[1].message  # a list: named so
    text = '{"id": "q1", "answer": [1]}\n{"id": \n'
    assert {problem.line for problem in problems_of(written(tmp_path, text))} == {1, 2}


def test_a_broken_utf16_file_is_a_problem(tmp_path: Path):
    content = '{"id": "q1", "answer": "a"}\n'.encode("utf-16") + b"\x00"
    assert "UTF-16" in problems_of(written(tmp_path, content))[-1].message


PACKED = gzip.compress(b'{"id": "q1", "answer": "a"}\n' * 50, mtime=0)


@pytest.mark.parametrize("content", [PACKED[:-9], b"no gzip", PACKED[:12] + b"\xff" * 9])
def test_a_gzip_file_that_is_not_whole_is_a_problem(tmp_path: Path, content: bytes):
    problems = problems_of(written(tmp_path, content, "a.jsonl.gz"))
    assert any("not a complete gzip file" in problem.message for problem in problems)


def test_a_bomb_is_stopped_by_what_it_unpacks_to_and_by_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "RATIO_COUNTS_FROM", 1_000)
    monkeypatch.setattr(files, "MAX_RATIO", 2)
    bomb = gzip.compress(b'{"answer": "a"}\n' * 100_000)
    (problem,) = problems_of(written(tmp_path, bomb, "a.jsonl.gz"))
    assert "unpack it yourself" in problem.message
    monkeypatch.setattr(files, "MAX_LINE_LENGTH", 1_000)
    line = b'{"answer": "a"}\n{"answer": "' + b"a" * 1_000 + b'"}\n'
    for name, content in [("a.jsonl", line), ("a.jsonl.gz", gzip.compress(line))]:
        (problem,) = problems_of(written(tmp_path, content, name))
        assert (problem.line, "1,000 bytes" in problem.message) == (2, True)
