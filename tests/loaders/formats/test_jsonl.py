"""JSON Lines, and the files that pretend to be."""

import gzip
import json
from pathlib import Path

import pytest

from ragauge.errors import DataError, Problem
from ragauge.loaders import load
from ragauge.loaders.formats import files


def written(folder: Path, content: str | bytes, name: str = "a.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problems_of(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        load(path)
    return caught.value.problems


def only_problem_of(path: Path) -> Problem:
    (problem,) = problems_of(path)
    return problem


def test_each_line_is_a_sample_and_blank_lines_are_passed_over(tmp_path: Path):
    text = '{"id": "q1", "answer": "Paris"}\n\n   \r\n{"id": "q2", "answer": ""}\r\n'
    samples = load(written(tmp_path, text))
    assert samples.frame["id"].to_list() == ["q1", "q2"]
    assert samples.frame["answer"].to_list() == ["Paris", ""]


def test_a_null_answer_and_empty_contexts_stay_what_they_are(tmp_path: Path):
    text = '{"id": "q1", "answer": null, "contexts": []}\n{"id": "q2", "answer": "a"}'
    samples = load(written(tmp_path, text))
    assert samples.frame["answer"].to_list() == [None, "a"]
    assert samples.frame["contexts"].to_list() == [[], None]


def test_ids_that_look_like_something_else_stay_text(tmp_path: Path):
    ids = ["007", "7", "NA", "true", "1e5", "null", "nan"]
    text = "\n".join(json.dumps({"id": id, "answer": "a"}) for id in ids)
    assert load(written(tmp_path, text)).frame["id"].to_list() == ids


def test_composed_and_decomposed_letters_make_two_ids_and_a_note(tmp_path: Path):
    text = "\n".join(json.dumps({"id": id, "answer": "a"}) for id in ["caf\u00e9", "cafe\u0301"])
    samples = load(written(tmp_path, text))
    assert len(samples) == 2
    assert any("look alike" in note for note in samples.notes)


def test_unicode_line_separators_do_not_end_a_line(tmp_path: Path):
    text = '{"id": "q1", "answer": "a\u2028b\u0085c"}\n'
    assert load(written(tmp_path, text)).frame["answer"].to_list() == ["a\u2028b\u0085c"]


def test_a_cut_off_last_line_is_named_with_its_column(tmp_path: Path):
    problem = only_problem_of(written(tmp_path, '{"id": "q1", "answer": "a"}\n{"id": "q2", "ans'))
    assert problem.line == 2
    assert "cut off" in problem.message
    assert "column 14" in problem.message  # where the open quote of "ans stands


def test_every_bad_line_is_reported_at_once(tmp_path: Path):
    lines = ['{"id": "q1"', "[1]", '"text"', "null", "3", '{"id": "q6", "answer": "a"}', "{} {}"]
    problems = problems_of(written(tmp_path, "\n".join(lines) + "\n"))
    assert [problem.line for problem in problems] == [1, 2, 3, 4, 5, 7]
    assert ".json" in problems[1].message  # a list: named so


def test_bad_lines_and_bad_values_are_reported_together(tmp_path: Path):
    text = '{"id": "q1", "answer": [1]}\n{"id": \n'
    assert {problem.line for problem in problems_of(written(tmp_path, text))} == {1, 2}


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
@pytest.mark.parametrize("field", ["context_scores", "topic", "answer"])
def test_numbers_that_are_none_are_refused_in_every_field(
    tmp_path: Path, constant: str, field: str
):
    value = f"[{constant}]" if field == "context_scores" else constant
    line = f'{{"id": "q1", "question": "q", "{field}": {value}}}'
    problem = only_problem_of(written(tmp_path, line))
    assert (problem.line, problem.field, problem.id) == (1, field, "q1")


@pytest.mark.parametrize("word", ["nan", "inf"])
def test_words_for_no_number_in_a_list_of_numbers_are_refused(tmp_path: Path, word: str):
    line = json.dumps({"id": "q1", "question": "q", "context_scores": [0.5, word]})
    assert only_problem_of(written(tmp_path, line)).field == "context_scores"


def test_a_key_that_stands_twice_is_refused_at_any_depth(tmp_path: Path):
    text = (
        '{"id": "q1", "answer": "a", "answer": "b"}\n{"id": "q2", "x": {"y": {"z": 1, "z": 2}}}\n'
    )
    problems = problems_of(written(tmp_path, text))
    assert [(problem.line, "twice" in problem.message) for problem in problems] == [
        (1, True),
        (2, True),
    ]
    assert "'answer'" in problems[0].message
    assert "'z'" in problems[1].message


@pytest.mark.parametrize(
    "deep",
    ["[" * 100_000, '{"a":' * 100_000, '{"answer": "a", "id": ' + "[" * 900 + "]" * 900 + "}"],
)
def test_deep_nesting_is_a_problem_and_not_a_crash(tmp_path: Path, deep: str):
    assert problems_of(written(tmp_path, deep))[0].line == 1


def test_a_whole_number_of_ten_thousand_digits_is_a_problem(tmp_path: Path):
    line = '{"id": "q1", "answer": "a", "n": ' + "9" * 10_000 + "}"
    assert "put it in quotes" in only_problem_of(written(tmp_path, line)).message


@pytest.mark.parametrize("field", ["answer", "topic"])
def test_half_a_character_in_a_value_is_named(tmp_path: Path, field: str):
    line = f'{{"id": "q1", "question": "q", "{field}": "\\ud800"}}'
    problem = only_problem_of(written(tmp_path, line))
    assert (problem.field, problem.id) == (field, "q1")
    assert "surrogate" in problem.message


def test_half_a_character_in_the_name_of_a_column_is_a_problem(tmp_path: Path):
    problem = only_problem_of(written(tmp_path, '{"answer": "a", "\\ud800": 1}'))
    assert "half a character" in problem.message
    problem.message.encode()


@pytest.mark.parametrize("content", ["", "\n", " \n\t\r\n", "\ufeff", "\ufeff\n"])
def test_a_file_without_lines_holds_no_samples(tmp_path: Path, content: str):
    assert "holds no samples" in only_problem_of(written(tmp_path, content)).message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(tmp_path: Path, encoding: str):
    text = '{"id": "q1", "answer": "Zürich 東京 🎉"}\n{"id": "q2", "answer": "b"}\n'
    samples = load(written(tmp_path, text.encode(encoding)))
    assert samples.frame["answer"].to_list() == ["Zürich 東京 🎉", "b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_other_wide_encodings_are_named(tmp_path: Path, encoding: str):
    problem = only_problem_of(written(tmp_path, '{"id": "q1"}'.encode(encoding)))
    assert "save it as UTF-8" in problem.message


def test_bytes_that_are_not_utf8_are_named_with_line_and_offset(tmp_path: Path):
    # 16 bytes of line 1 with its end, then {"answer": " is 12: the bad one is byte 28 from 0.
    problem = only_problem_of(written(tmp_path, b'{"answer": "a"}\n{"answer": "\xe9"}\n'))
    assert problem.line == 2
    assert "byte 28 is 0xE9" in problem.message


def test_a_broken_utf16_file_is_a_problem(tmp_path: Path):
    content = '{"id": "q1", "answer": "a"}\n'.encode("utf-16") + b"\x00"
    assert "UTF-16" in problems_of(written(tmp_path, content))[-1].message


def test_gzip_is_unpacked(tmp_path: Path):
    content = gzip.compress(b'{"id": "q1", "answer": "a"}\n')
    assert len(load(written(tmp_path, content, "a.jsonl.gz"))) == 1


PACKED = gzip.compress(b'{"id": "q1", "answer": "a"}\n' * 50, mtime=0)


@pytest.mark.parametrize("content", [PACKED[:-9], b"no gzip", PACKED[:12] + b"\xff" * 9])
def test_a_gzip_file_that_is_not_whole_is_a_problem(tmp_path: Path, content: bytes):
    assert any(
        "not a complete gzip file" in problem.message
        for problem in problems_of(written(tmp_path, content, "a.jsonl.gz"))
    )


def test_a_gzip_bomb_is_stopped_by_what_it_unpacks_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "RATIO_COUNTS_FROM", 1_000)
    monkeypatch.setattr(files, "MAX_RATIO", 2)
    bomb = gzip.compress(b'{"answer": "a"}\n' * 100_000)
    problem = only_problem_of(written(tmp_path, bomb, "a.jsonl.gz"))
    assert "unpack it yourself" in problem.message


def test_a_bomb_of_one_line_is_stopped_by_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_LINE_LENGTH", 1_000)
    lines = b'{"answer": "a"}\n{"answer": "' + b"a" * 1_000 + b'"}\n'
    for name, content in [("a.jsonl", lines), ("a.jsonl.gz", gzip.compress(lines))]:
        problem = only_problem_of(written(tmp_path, content, name))
        assert problem.line == 2
        assert "1,000 bytes" in problem.message


@pytest.mark.parametrize(
    ("magic", "hint"),
    [
        (gzip.compress(b"{}", mtime=0), ".gz"),
        (b"PK\x03\x04rest", "zip"),
        (b"\x28\xb5\x2f\xfdrest", ".zst"),
        (b"PAR1rest", ".parquet"),
    ],
)
def test_files_of_another_kind_are_named(tmp_path: Path, magic: bytes, hint: str):
    assert hint in only_problem_of(written(tmp_path, magic)).message


def test_a_megabyte_of_answer_and_ten_thousand_contexts_are_kept_whole(tmp_path: Path):
    line = json.dumps({"id": "q1", "answer": "é" * 500_000, "contexts": ["c"] * 10_000})
    samples = load(written(tmp_path, line))
    assert len(samples.frame["answer"][0]) == 500_000
    assert len(samples.frame["contexts"][0]) == 10_000


def test_the_same_id_twice_names_both_lines(tmp_path: Path):
    path = written(tmp_path, '{"id": "q1", "answer": "a"}\n\n{"id": "q1", "answer": "b"}\n')
    problem = only_problem_of(path)
    assert (problem.line, problem.id) == (3, "q1")
    assert f"{path}:1" in problem.message


def test_more_columns_than_any_table_has_are_refused(tmp_path: Path):
    text = "\n".join(json.dumps({"answer": "a", f"q{n}": 1}) for n in range(1_200))
    assert "ids used as column names" in only_problem_of(written(tmp_path, text)).message


def test_addresses_and_templates_in_data_are_only_text(tmp_path: Path):
    texts = ["file:///etc/passwd", "http://169.254.169.254/", "{{7*7}}", "%s", "$HOME"]
    text = "\n".join(json.dumps({"answer": one}) for one in texts)
    assert load(written(tmp_path, text)).frame["answer"].to_list() == texts
