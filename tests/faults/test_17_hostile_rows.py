"""FAULTS.md 9, 17, 19, 22, 23 and 26: rows that nobody would write, through every command that reads them."""

import json
import pickle
import re

import pytest

VALUES = {
    "a huge whole number": "9" * 4_000,
    "more than 64 bits": "9" * 20,
    "1e400": "1e400",
    "1e-400": "1e-400",
    "-0.0": "-0.0",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "2,000 levels": "[" * 2_000 + "]" * 2_000,
    "2,000 objects": '{"a":' * 2_000 + "1" + "}" * 2_000,
    "a mixed list": '[1, "a", null, {"x": []}]',
    "an empty object": "{}",
    "an empty list": "[]",
    "true": "true",
    "null": "null",
    "NUL": '"\\u0000"',
    "a lone surrogate": '"\\ud800"',
    "escapes": '"\\u001b[31m\\u202e"',
}
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]")
METRICS = [one for name in ("exact_match", "dont_know", "recall@5") for one in ("-m", name)]
READING = (
    ("show", "r"),
    ("show", "r", "q1"),
    ("compare", "r"),
    ("gate", "r", "--rule", "failed <= 0"),
    ("doctor", "--check", "r"),
    ("review", "next", "r"),
)


def assert_read_or_refused(ragauge, path: str, *, reading=READING[:1]) -> None:
    """Each command reads the file, or says with an exit code what is wrong; nothing hidden is printed."""
    codes: list[int] = []
    run = ("run", path, *METRICS, "--folder", "r", "--no-report", "--quiet", "-o", "s.json")
    for arguments in (("validate", path), run, *reading):
        if arguments[0] not in ("validate", "run") and codes[1] not in (0, 4):
            break
        done = ragauge(*arguments)
        codes.append(done.code)
        assert done.code in (0, 1, 2, 3, 4, 5), (arguments, done.err)
        assert done.code == 0 or done.err, arguments
        assert not HIDDEN.search(done.out + done.err), arguments
        assert len(done.err) < 50_000


@pytest.mark.parametrize("field", ["id", "system", pytest.param("", marks=pytest.mark.slow)])
def test_any_value_in_any_field_is_read_or_refused(ragauge, tmp_path, field):
    ranked = ("relevant", "context_ids", "context_scores", "gold_contexts", "label")
    fields = ("extra", "id", "system", "question", "answer", "reference", "references", "contexts")
    for name in [field] if field else (*fields, *ranked):
        for value in VALUES.values():
            row = f'{{"id": "q1", "question": "?", "answer": "x", "reference": "x", "{name}": {value}}}'
            (tmp_path / "a.jsonl").write_text(f'{row}\n{{"id": "q2", "answer": "y"}}\n')
            reading = READING if field == "" else ()
            assert_read_or_refused(ragauge, "a.jsonl", reading=reading)
            for path in sorted((tmp_path / "r").rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize("value", ["NaN", "1e400"])
@pytest.mark.parametrize("field", ["extra", "context_scores", "label", "relevant"])
def test_a_number_that_is_none_is_refused_or_kept_as_text(ragauge, tmp_path, field, value):
    given = {"context_scores": f"[{value}]", "relevant": f'{{"d1": {value}}}'}.get(field, value)
    (tmp_path / "a.jsonl").write_text(f'{{"id": "q1", "answer": "x", "{field}": {given}}}\n')
    done = ragauge("validate", "a.jsonl")
    assert done.code == 3, done.out
    assert "a.jsonl:1" in done.err
    cell = value if field in ("extra", "label") else json.dumps(given)
    (tmp_path / "a.csv").write_text(f"id,answer,{field}\nq1,x,{cell}\n")
    assert ragauge("validate", "a.csv").code in (0, 3)


def test_what_is_written_is_strict_json(ragauge, tmp_path):
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    rows = [{"id": f"q{at}", "answer": "x", "reference": "y", "n": -0.0} for at in range(2)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = ragauge("run", "a.jsonl", *METRICS, "--folder", "r", "-o", "s.json", "-o", "s.jsonl")
    assert done.code == 4, "recall@5 has no judgements"
    for file in (tmp_path / "s.json", tmp_path / "r/summary.json", tmp_path / "r/manifest.json"):
        json.loads(file.read_text(), parse_constant=refuse)
    for line in (tmp_path / "s.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refuse)


def test_ids_and_names_of_any_signs_reach_no_terminal(ragauge, tmp_path):
    ids = ("a\u202eb", "\x1b[31mred", "👩\u200d👧", "../../x", "--help", "@", "a\nb", "[red]", "\0")
    rows = [
        {"id": id, "system": f"s{id}{of}", "answer": "x", "reference": "y", f"f{id}": id}
        for of in (1, 2)
        for id in ids
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert_read_or_refused(ragauge, "a.jsonl", reading=READING)
    for id in ids[:-1]:
        done = ragauge("show", "r", "--", id, code=0)
        assert not HIDDEN.search(done.out + done.err)


TABLES = {
    "a mark in the middle.csv": "id,answer\nq1,x\n\ufeffid,answer\nq2,y\n",
    "line ends of three kinds.csv": "id,answer\r\na,x\rb,y\nc,z\n\r",
    "a name with a line end.csv": 'id,answer,"a\nb","","\u202e"\nq1,x,1,2,3\n',
    "names that differ in case.csv": "id,ID,Answer,answer\nq1,q2,x,y\n",
    "4,000 columns.csv": ",".join(["id", "answer", *map(str, range(4_000))]) + "\n" + ",".join("q" * 4_002) + "\n",
    "an open quote.csv": 'id,answer\nq1,"' + "x" * 300_000,
    "quotes.csv": "id,answer\n" + 'q,"' * 50_000,
    "commas.csv": "," * 100_000,
    "a separator said.csv": "sep=;\nid;answer\nq1;x\n",
    "NUL.csv": "id,answer\nq1,a\0b\n",
    "an end of file sign.csv": "id,answer\r\nq1,x\r\n\x1a",
    "the same id.csv": "id,answer\n" + "q1,x\n" * 5_000,
    "a number.json": "5",
    "nothing.json": "null",
    "lists.json": "[[[[]]]]",
    "numbers.json": "[1, 2, 3]",
    "samples twice.json": '{"samples": [{"id": "q1", "answer": "x"}], "samples": []}',
    "open lists.json": "[" * 100_000,
    "text after it.json": '[{"id": "q1", "answer": "x"}] x',
    "a comment.json": '// a\n[{"id": "q1", "answer": "x"}]',
    "columns.json": '{"id": ["q1", "q2"], "answer": ["x"]}',
    "ids of two types.jsonl": '{"id": 1, "answer": "x"}\n{"id": "1", "answer": "y"}\n',
    "ids that are equal.jsonl": '{"id": "é", "answer": "x"}\n{"id": "e\u0301", "answer": "y"}\n',
    "no ids.jsonl": '{"id": "", "answer": "x"}\n{"id": " ", "answer": "y"}\n',
    "names of Python.jsonl": '{"id": "q1", "answer": "x", "__proto__": "y", "__class__": "z", "len": 1}\n',
    "names of scores.jsonl": '{"id": "q1", "answer": "x", "metric": "m", "value": "v", "status": "ok"}\n',
    "grades.jsonl": '{"id": "q1", "context_ids": ["d"], "relevant": {"d": 4611686018427387904}}\n',
    "years.jsonl": '{"id": "q1", "answer": "x", "when": "9999-12-31T23:59:59Z"}\n',
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_any_form_is_read_or_refused(ragauge, tmp_path, name):
    (tmp_path / name).write_bytes(TABLES[name].encode())
    assert_read_or_refused(ragauge, name)


@pytest.mark.parametrize("name", ["a.pkl", "a.pt", "a.npy", "a.jsonl", "a.csv", "a.parquet"])
def test_a_file_that_would_run_code_is_refused(ragauge, tmp_path, name):
    (tmp_path / name).write_bytes(pickle.dumps({"id": ["q1"], "answer": [print]}))
    done = ragauge("run", name, *METRICS)
    assert done.code in (2, 3), done.err
    assert name in done.err


@pytest.mark.parametrize("end", ["\r", "\r\r \r"])
def test_rankings_with_line_ends_of_old_macs_lose_no_row_in_silence(ragauge, tmp_path, end):
    """Fields after the sixth are ignored, so a file without \n would be one row."""
    (tmp_path / "q").write_bytes(b"q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "good").write_bytes(b"q1 Q0 d1 1 0.5 t\r\nq2 Q0 d2 1 0.5 t\r\n")
    assert ragauge("rank", "q", "good").code == 0
    lines = (b"q1 Q0 d1 1 0.5 t", b"q2 Q0 d2 1 0.5 t")
    (tmp_path / "r").write_bytes(end.encode().join(lines) + end.encode())
    for arguments in (("rank", "q", "r"), ("rank", "--fuse", "rrf", "r", "good")):
        done = ragauge(*arguments)
        assert (done.code, "r:1: has a carriage return within a line" in done.err) == (3, True), (
            done.err
        )
    (tmp_path / "qr").write_bytes(b"q1 0 d1 1\rq2 0 d2 1\r")
    done = ragauge("rank", "qr", "good")
    assert (done.code, "qr:1: " in done.err) == (3, True), done.err
