"""Files by their names, several systems, and gold."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import DataError, PlanError
from ragauge.loaders.formats.files import unopened
from ragauge.loaders.loading import load

pytestmark = pytest.mark.usefixtures("also_in_pieces")

GOLD = [
    {"id": "q1", "question": "one?", "references": ["r1"]},
    {"id": "q2", "question": "two?", "references": ["r2"]},
    {"id": "q3", "question": "three?", "references": ["r3"]},
]


def answers(*ids: str) -> list[dict[str, object]]:
    return [{"id": id, "answer": f"a of {id}"} for id in ids]


@cases(
    *((f"a.{end}", f"a.{end}") for end in ("pkl", "pt", "npy", "xlsx", "jsonl.bz2", "txt", "parquet.gz", "gz")),
    ("a", "has an unknown ending"),
    ("bm25.run", "scored with 'ragauge rank QRELS RUN'"),
    ("answer.jsonl", "no such file; did you mean 'answers.jsonl'"),
    *((f"folder/a{end}", "is a folder") for end in ("", ".jsonl", ".json", ".csv", ".parquet")),
    *((f"{kind}://127.0.0.1:9/a{end}", "download it") for kind, end in (("http", ".jsonl"), ("https", ".csv"), ("ftp", ".parquet"), ("file", ".json"))),
    *((f"{name}.jsonl", "") for name in ("a\0", "x" * 5_000)),
    ("a\0.parquet", ""),
ids=range(23),
)  # fmt: skip
def test_a_name_that_is_no_file_of_samples_is_refused_unread(
    name: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.jsonl").write_text("{}")
    if name.startswith("a.") or name in ("a", "bm25.run"):
        (tmp_path / name).write_bytes(b"\x80\x04.")
    if name.startswith("folder/"):
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises(DataError) as caught:
        load(name)
    assert says in str(caught.value)


def test_upper_case_suffixes_are_known(tmp_path: Path):
    (tmp_path / "A.JSONL").write_text('{"answer": "a"}\n')
    assert len(load(str(tmp_path / "A.JSONL"))) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_files_without_permission_are_named(tmp_path: Path, without_superuser_rights):
    for name in ("a.jsonl", "a.parquet"):
        (tmp_path / name).write_text("{}")
        (tmp_path / name).chmod(0)
    code = "import ragauge; ragauge.load({'a': 'a.jsonl', 'b': 'a.parquet'})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=without_superuser_rights,
        check=False,
    )
    first, second = done.stderr.splitlines()[-2:]
    assert first.endswith("a.jsonl: cannot be read: permission denied"), done.stderr
    assert second.endswith("a.parquet: cannot be read: permission denied")


def test_a_disk_that_fails_is_a_problem_in_words():
    path = Path("a.jsonl")
    assert unopened(path, PermissionError(13, "Permission denied")).endswith("permission denied")
    assert unopened(path, OSError(5, "Input/output error")) == "cannot be read: input/output error"


@cases({}, {"": [{"answer": "a"}]}, {3: [{"answer": "a"}]}, {"mine": ["a", "b"]})
def test_systems_without_names_or_rows_are_refused(systems: dict[object, object]):
    with pytest.raises(PlanError):
        load(systems)  # pyright: ignore[reportArgumentType]


def test_gold_is_joined_by_id_and_unanswered_questions_become_rows():
    samples = load({"a": answers("q1", "q2", "q3"), "b": answers("q2")}, gold=GOLD)
    rows = {(row["system"], row["id"]): row for row in samples.frame.iter_rows(named=True)}
    assert len(rows) == 6
    assert rows["a", "q1"]["references"] == ["r1"]
    assert rows["b", "q1"]["answer"] is None
    assert rows["b", "q1"]["question"] == "one?"
    assert "system 'b' did not answer 2 of 3 questions: q1, q3" in samples.notes


def test_gold_does_not_say_what_was_answered_or_retrieved():
    expected = [{**GOLD[0], "answer": "x", "system": "y", "context_ids": ["z"]}]
    samples = load(answers("q1"), gold=expected)
    assert samples.systems == ("default",)
    assert "context_ids" not in samples.columns
    assert any("left out column 'answer'" in note for note in samples.notes)


@pytest.mark.parametrize("field", ["question", "references", "topic"])
def test_a_field_in_both_that_differs_names_both_places(tmp_path: Path, field: str):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "q1", "answer": "a", field: "one"}))
    (tmp_path / "g.jsonl").write_text(
        "\n" + json.dumps({"id": "q1", "relevant": ["d"], field: "two"})
    )
    with pytest.raises(DataError) as caught:
        load(tmp_path / "a.jsonl", gold=tmp_path / "g.jsonl")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field, problem.id) == (1, field, "q1")
    assert "g.jsonl:2" in problem.message


def test_what_is_wrong_in_the_gold_is_said_of_the_gold(tmp_path: Path):
    lines = [{**GOLD[0], "references": {"a": 1}}, GOLD[1], GOLD[1]]
    (tmp_path / "g.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(DataError) as caught:
        load(answers("q1"), gold=tmp_path / "g.jsonl")
    assert [(problem.line, problem.id) for problem in caught.value.problems] == [
        (1, "q1"),
        (3, "q2"),
    ]


def test_problems_of_all_sources_are_reported_at_once(tmp_path: Path):
    with pytest.raises(DataError) as caught:
        load({"a": tmp_path / "a.jsonl", "b": tmp_path / "b.csv"}, gold=tmp_path / "g.json")
    assert len(caught.value.problems) == 3


WORDS = rb"""[ ] { } , : " ' \ud800 "id" "answer" "contexts" answer id null NaN 1e999 0"""
PIECES = st.sampled_from([*WORDS.split(), b"\n", b"\r", b"\t", b"\xff\xfe", b"\0"])


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".jsonl.gz"])
@given(pieces=st.lists(PIECES | st.binary(max_size=3), max_size=25))
def test_any_bytes_at_all_are_samples_or_a_data_error(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, pieces: list[bytes]
):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(b"".join(pieces))
    with suppress(DataError):
        assert len(load(path)) > 0


def test_joined_rows_stand_in_the_golds_order_and_unknown_questions_last():
    gold = [{"id": id, "reference": "r"} for id in ("q1", "q2", "q3")]
    answers = {
        "a": [{"id": "q1", "answer": "x"}, {"id": "q9", "answer": "x"}],
        "b": [{"id": "q3", "answer": "x"}, {"id": "q1", "answer": "x"}],
    }
    ids = load(answers, gold=gold).frame["id"].unique(maintain_order=True).to_list()
    assert ids == ["q1", "q2", "q3", "q9"]


@pytest.mark.parametrize("given", ["-", "/dev/stdin", "/dev/fd/63", "/proc/self/fd/0"])
def test_standard_input_is_refused_with_what_to_do(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for source, gold in ((given, None), (GOLD, given)):
        with pytest.raises(
            DataError, match=r"is standard input or a pipe, .* save them in a file first"
        ):
            load(source, gold=gold)
