"""Reading in pieces gives what reading in memory gives: the same samples, notes and problems."""

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from ragauge import loaders
from ragauge.errors import DataError
from ragauge.loaders import load, reading
from ragauge.samples import file as sample_file
from ragauge.samples import filter as sample_filter
from ragauge.samples.filter import select
from ragauge.samples.samples import Samples

pytestmark = pytest.mark.usefixtures("small_pieces")
Rows = Sequence[dict[str, object]]


def plain(n: int, **fields: Callable[[int], object]) -> list[dict[str, object]]:
    return [
        {"id": f"q{at}", "answer": f"answer {at}", **{name: of(at) for name, of in fields.items()}}
        for at in range(n)
    ]


def written(folder: Path, rows: Rows, name: str = "a.jsonl") -> Path:
    path = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def both(source: Path, **options: object) -> tuple[Samples, Samples]:
    in_memory = load(source, in_pieces=False, **options)
    in_pieces = load(source, in_pieces=True, **options)
    assert not in_memory.is_file
    return in_memory, in_pieces


SHAPES: dict[str, Rows] = {
    "plain": plain(50),
    "a column that comes late": [*plain(40), *plain(1, topic=lambda _: "late")][1:],
    "an alias that comes late": [
        *plain(40),
        {"id": "x", "answer": "a", "reference": "r"},
    ],
    "references in two columns": plain(
        40, references=lambda at: None if at % 3 else ["r"], gold=lambda at: f"g{at}"
    ),
    "numbers then text": plain(60, level=lambda at: at if at < 50 else "high"),
    "whole then decimal numbers": plain(60, level=lambda at: at if at < 50 else 0.5),
    "mixed in each piece": plain(60, level=lambda at: (at, 0.5, "x", True, None)[at % 5]),
    "flags": plain(30, ok=lambda at: at % 2 == 0),
    "nothing but null": plain(30, empty=lambda _: None),
    "a vector that comes late": plain(60, v=lambda at: "x" if at < 50 else [0.5] * 60),
    "objects as JSON": plain(30, meta=lambda at: {"page": at}),
    "several systems": [
        {"id": f"q{at}", "system": system, "question": f"Q {at}?", "answer": system}
        for system in ("b", "a")
        for at in range(30)
        if at % 7 or system == "b"
    ],
    "systems with nothing in common": [
        {"id": f"{system}{at}", "system": system, "answer": "x"}
        for system in ("a", "b")
        for at in range(20)
    ],
    "gold that differs between systems": [
        {"id": f"q{at}", "system": system, "answer": "x", "reference": f"{system} {at % 4}"}
        for at in range(30)
        for system in ("a", "b")
    ],
    "questions that differ in case and space": [
        {"id": f"q{at}", "system": system, "answer": "x", "question": text}
        for at in range(20)
        for system, text in (("a", "What is it?"), ("b", " what  IS it?"))
    ],
    "without ids": [{"answer": f"a {at}"} for at in range(40)],
    "some ids": [{"id": f"q{at}" if at % 2 else None, "answer": f"a {at}"} for at in range(40)],
    "ids that look alike": [{"id": str(at), "answer": "x"} for at in range(30)]
    + [{"id": f"0{at}", "answer": "x"} for at in range(30)]
    + [{"id": f"Ⅷ{at}", "answer": "x"} for at in range(3)]
    + [{"id": f"viii{at}", "answer": "x"} for at in range(3)],
    "contexts as objects": plain(
        40,
        contexts=lambda at: (
            [{"text": f"t {at}", "id": f"d{at}", "score": 0.5, "lang": "en"}] if at % 5 else []
        ),
    ),
    "empty contexts before those with ids": plain(
        40,
        contexts=lambda at: [] if at < 20 else [{"text": f"t {at}", "id": f"d{at}"}],
    ),
    "ids of some contexts": plain(
        40,
        contexts=lambda at: [{"text": "t", "id": "d1"}, {"text": "u", "id": "d2" if at % 2 else None}],
    ),
    "judgements": plain(
        40,
        context_ids=lambda at: [f"d{at}", "d0"],
        relevant=lambda at: {"d0": 1, f"d{at}": 2} if at % 2 else None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_samples_are_those_of_reading_in_memory(shape: str, tmp_path: Path, check_same_samples):
    check_same_samples(written(tmp_path, SHAPES[shape]))


@pytest.mark.parametrize("shape", ["plain", "several systems", "judgements"])
def test_so_are_those_of_a_parquet_file(shape: str, tmp_path: Path, check_same_samples):
    load(list(SHAPES[shape])).frame.write_parquet(tmp_path / "a.parquet")
    check_same_samples(tmp_path / "a.parquet")


CSV = {
    "plain": "id,answer\n" + "".join(f"q{at},a {at}\n" for at in range(60)),
    "numbers": "id,answer,level\n" + "".join(f"q{at},a,{at}\n" for at in range(60)),
    "numbers, then a text": "id,answer,level\n"
    + "".join(f"q{at},a,{at}\n" for at in range(60))
    + "x,a,007\n",
    "the same number twice": "id,answer,level\n"
    + "".join(f"q{at},a,{at}.5\n" for at in range(60))
    + "x,a,1.50\n",
    "zero and negative zero": "id,answer,level\nx,a,0\n"
    + "".join(f"q{at},a,{at + 1}\n" for at in range(60))
    + "y,a,-0\n",
    "prices, and one that is written shorter": "id,answer,level\n"
    + "".join(f"q{at},a,{at}.50\n" for at in range(60))
    + "x,a,70.5\n",
    "prices, and the same one written shorter": "id,answer,level\n"
    + "".join(f"q{at},a,{at}.50\n" for at in range(60))
    + "x,a,1.5\n",
    "numbers as pandas prints them": "id,answer,level\n"
    + "".join(f"q{at},a,{at / 4}\n" for at in range(60)),
    "numbers as pandas prints them, and whole ones": "id,answer,level\n"
    + "".join(f"q{at},a,{at / 4}\n" for at in range(60))
    + "x,a,80\n",
    "numbers as pandas prints them, and the same one": "id,answer,level\n"
    + "".join(f"q{at},a,{at / 4}\n" for at in range(60))
    + "x,a,3\n",
    "numbers that come late": "id,answer,level\n"
    + "".join(f"q{at},a,\n" for at in range(60))
    + "x,a,1.5\n",
    "pandas' index": ",id,answer\n" + "".join(f"{at},q{at},a {at}\n" for at in range(60)),
    "pandas' index of some rows": ",id,answer\n"
    + "".join(f"{at},q{at},a {at}\n" for at in range(60) if at < 20 or at % 3 == 0),
    "pandas' index in another order": ",id,answer\n"
    + "".join(f"{at},q{at},a {at}\n" for at in reversed(range(60))),
    "lists": "id,answer,references\n" + "".join(f'q{at},a,"[""r"", ""s""]"\n' for at in range(60)),
    "empty rows": "id,answer\n"
    + "".join(f"q{at},a {at}\n,\n" if at % 9 == 0 else f"q{at},a\n" for at in range(60)),
}


@pytest.mark.parametrize("shape", CSV)
def test_so_are_those_of_a_csv_file(shape: str, tmp_path: Path, check_same_samples):
    (tmp_path / "a.csv").write_text(CSV[shape])
    check_same_samples(tmp_path / "a.csv")


@pytest.mark.parametrize("last", ["58", "a", "-1"])
def test_a_column_without_a_name_that_does_not_number_the_rows_is_a_problem(
    last: str, tmp_path: Path, check_same_problems
):
    rows = "".join(f"{at},q{at},a {at}\n" for at in reversed(range(59)))
    (tmp_path / "a.csv").write_text(f",id,answer\n{rows}{last},x,y\n")
    assert "has a column without a name" in check_same_problems(tmp_path / "a.csv")


PROBLEMS: dict[str, tuple[Rows, str]] = {
    "duplicates": ([*plain(40), *plain(3)], "duplicate id, first at"),
    "duplicates of a system": (
        [{"id": f"q{at % 30}", "system": "a", "answer": "x"} for at in range(40)],
        "duplicate id of system 'a', first at",
    ),
    "values": (plain(40, answer=lambda at: ["x"] if at % 3 else "x"), "must be text"),
    "an empty id": ([*plain(40), {"id": " ", "answer": "x"}], "is empty; give every question an id"),
    "other questions": (
        [
            {"id": f"q{at}", "system": system, "answer": "x", "question": f"{system} {at}?"}
            for at in range(30)
            for system in ("a", "b")
        ],
        "is 'b 0?' here, but 'a 0?' in",
    ),
    "no known field": ([{"foo": str(at), "bar": at} for at in range(40)], "has no known field"),
    "two answers": (
        [{"id": f"q{at}", "prediction": "x", "response": "y"} for at in range(40)],
        "could each be answer",
    ),
    "lengths": (
        plain(40, contexts=lambda _: ["a", "b"], context_ids=lambda at: ["x", "y"][: at % 3]),
        "they must describe the same texts in the same order",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", PROBLEMS)
def test_the_problems_are_those_of_reading_in_memory(
    shape: str, tmp_path: Path, check_same_problems
):
    rows, says = PROBLEMS[shape]
    assert says in check_same_problems(written(tmp_path, rows))


def test_so_are_those_of_lines_that_are_not_objects(tmp_path: Path, check_same_problems):
    path = written(tmp_path, plain(40))
    with path.open("a") as file:
        file.write('{"id": "x", "id": "y"}\n[1]\n{"id": "z", "answer": "cut')
    says = check_same_problems(path)
    assert ":41" in says
    assert ":43" in says


def test_so_are_those_of_a_column_that_does_not_exist(tmp_path: Path, check_same_problems):
    says = check_same_problems(written(tmp_path, plain(40)), map={"question": "asked"})
    assert "has no column 'asked' for question" in says


def test_so_are_those_of_an_empty_file(tmp_path: Path, check_same_problems):
    assert "holds no samples" in check_same_problems(written(tmp_path, []))


def test_a_given_system_is_that_of_all_rows(
    tmp_path: Path, check_same_problems, check_same_samples
):
    samples = check_same_samples(written(tmp_path, plain(40)), system="mine")
    assert samples.systems == ("mine",)
    rows = plain(40, system=lambda at: "other" if at == 30 else "mine")
    assert "is 'other', but the answers were given as system 'mine'" in check_same_problems(
        written(tmp_path, rows), system="mine"
    )


def test_a_chosen_column_is_read(tmp_path: Path, check_same_samples):
    rows = [{"nr": str(at), "said": f"a {at}"} for at in range(40)]
    samples = check_same_samples(written(tmp_path, rows), map={"id": "nr", "answer": "said"})
    assert samples.columns == ("id", "system", "answer")


def test_a_packed_file_is_read(tmp_path: Path, check_same_samples):
    check_same_samples(written(tmp_path, plain(40), "a.jsonl.gz"))


def test_a_file_packed_with_zstd_is_read(tmp_path: Path, check_same_problems, check_same_samples):
    zstandard = pytest.importorskip("zstandard")
    text = written(tmp_path, plain(400)).read_bytes()
    path = tmp_path / "b.jsonl.zst"
    path.write_bytes(zstandard.compress(text))
    assert len(check_same_samples(path)) == 400
    path.write_bytes(zstandard.compress(text)[:200])
    assert "is not a complete zstd file: it ends too early" in check_same_problems(path)
    path.write_bytes(zstandard.compress(text[:1_004]) + zstandard.compress(text[1_004:]))
    assert len(check_same_samples(path)) == 400
    path.write_bytes(zstandard.compress(text) + b"more")
    assert "is not a complete zstd file" in check_same_problems(path)
    path.write_bytes(b"no zstd at all")
    assert "is not a complete zstd file" in check_same_problems(path)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.7, 0.999])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz", "a.jsonl.zst", "a.csv.zst"])
def test_a_packed_file_that_is_cut_off_is_an_error_and_not_the_rows_so_far(
    name: str, share: float, tmp_path: Path, check_same_problems
):
    rng = random.Random(3)
    rows = plain(500, topic=lambda _: f"{rng.getrandbits(64):x}")
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if ".csv" in name:
        text = pl.DataFrame(rows).write_csv()
    middle = text.index("\n", len(text) // 2) + 1
    first, second = (packed_as(name, part) for part in (text[:middle], text[middle:]))
    path = tmp_path / name
    for packed in (first, second):  # the only packed part, and the second of two
        before = b"" if packed is first else first
        path.write_bytes(before + packed[: int(len(packed) * share)])
        assert "is not a complete" in check_same_problems(path)


def packed_as(name: str, text: str) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(text.encode())
    return pytest.importorskip("zstandard").compress(text.encode())


def test_a_folder_and_a_pattern_are_all_their_files(tmp_path: Path, check_same_samples):
    rows = plain(40, topic=lambda at: at % 3)
    written(tmp_path, rows[:20], "1.jsonl")
    written(tmp_path, rows[20:], "2.jsonl.gz")
    written(tmp_path, rows, "notes.txt")
    folder = check_same_samples(tmp_path)
    assert folder.frame["id"].to_list() == [f"q{at}" for at in range(40)]
    assert folder.source == str(tmp_path)
    assert check_same_samples(tmp_path / "*.jsonl*").fingerprint() == folder.fingerprint()


def test_a_folder_may_have_both_endings_of_json_lines(tmp_path: Path, check_same_samples):
    rows = plain(40, level=lambda at: at)
    written(tmp_path, rows[:20], "1.jsonl")
    written(tmp_path, [{**row, "level": "high"} for row in rows[20:]], "2.ndjson")
    assert len(check_same_samples(tmp_path)) == 40


def test_a_duplicate_in_another_file_names_both_files(tmp_path: Path, check_same_problems):
    written(tmp_path, plain(20), "1.jsonl")
    written(tmp_path, plain(2)[1:], "2.jsonl")
    says = check_same_problems(tmp_path)
    assert f"2.jsonl:1: id 'q1': duplicate id, first at {tmp_path / '1.jsonl'}:2" in says


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ((), "is a folder without data files"),
        (("a.jsonl", "b.csv"), "with files of several kinds"),
        (("manifest.json",), "is the folder of a run"),
    ],
)
def test_a_folder_that_cannot_be_read_is_a_problem(
    files: Sequence[str], says: str, tmp_path: Path, check_same_problems
):
    for name in files:
        written(tmp_path, plain(2), name)
    assert says in check_same_problems(tmp_path)


def test_ids_of_different_kinds_are_read_at_once(tmp_path: Path, check_same_samples):
    of_hash = {"text": "t", "id": "0" * 32, "metadata": {"doc_id": "a"}}
    rows = plain(60, contexts=lambda at: [of_hash if at < 30 else {"text": "t", "id": "d1"}])
    check_same_samples(written(tmp_path, rows), at_once=True)


def test_the_size_of_pieces_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check_same_samples
):
    order = random.Random(0)
    rows = [row for shape in ("mixed in each piece", "judgements") for row in SHAPES[shape]]
    rows = [{**row, "id": str(at)} for at, row in enumerate(rows)]
    order.shuffle(rows)
    path = written(tmp_path, rows)
    digests: set[str] = set()
    for size in (1, 100, 1_000, 10**6):
        monkeypatch.setattr(reading, "PIECE_BYTES", size)
        digests.add(check_same_samples(path).fingerprint())
    assert len(digests) == 1


def test_the_temporary_folder_goes_with_the_samples(tmp_path: Path):
    samples = load(written(tmp_path, plain(40)), in_pieces=True)
    assert samples.is_file
    path = samples.rows.path  # pyright: ignore[reportAttributeAccessIssue]
    assert pl.read_parquet(path).height == 40
    del samples
    assert not path.exists()


def test_a_small_file_is_read_into_memory(tmp_path: Path):
    assert not load(written(tmp_path, plain(40))).is_file


def test_a_large_file_of_gold_says_that_it_is_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = written(tmp_path, plain(40))
    gold = written(tmp_path, [{"id": f"q{at}", "reference": "x"} for at in range(40)], "gold.jsonl")
    assert "as a whole" not in str(load(path, gold=gold).notes)
    monkeypatch.setattr(loaders, "is_large", bool)
    assert load(path, gold=gold).notes[-1].startswith("read the gold as a whole into memory")


@pytest.mark.parametrize("name", ["answers.json", "answers.json.gz"])
def test_a_large_file_of_one_json_value_says_that_it_is_read_as_a_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / name
    data = json.dumps([{"id": row["id"], "answer": "x"} for row in plain(40)]).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    assert "into memory" not in str(load(path).notes)
    monkeypatch.setattr(loaders, "is_large", bool)
    note = (
        f"read as a whole into memory: {path} is one JSON value; "
        ".jsonl, .csv and .parquet are read in pieces"
    )
    assert load(path).notes == (note,)


@pytest.mark.parametrize("small", [0, 10, 10**6])
@pytest.mark.parametrize(
    "chosen", [{"where": 'topic = "b"'}, {"limit": 7}, {"where": "n >= 5", "limit": 20}, {}]
)
def test_selected_rows_are_those_of_samples_in_memory(
    chosen: dict[str, Any], small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sample_filter, "SMALL", small)
    monkeypatch.setattr(sample_file, "MAX_ROWS_AT_ONCE", 9)
    rows = [
        {"id": f"q{at % 40}", "system": system, "answer": "x", "topic": "abc"[at % 3], "n": at}
        for system in ("a", "b")
        for at in range(40)
    ]
    in_memory, in_pieces = both(written(tmp_path, rows))
    expected, found = (select(samples, **chosen) for samples in (in_memory, in_pieces))
    assert found.frame.equals(expected.frame)
    assert found.notes == expected.notes
    assert found.fingerprint() == expected.fingerprint()


def test_a_filter_that_no_row_matches_says_so(tmp_path: Path):
    for samples in both(written(tmp_path, plain(40))):
        with pytest.raises(DataError, match="no row matches the filter"):
            select(samples, where='id = "none"')


def test_a_small_parquet_file_that_repeats_its_values_is_large(tmp_path: Path):
    for n, is_large in ((3_000, False), (1_200_000, True)):
        path = tmp_path / f"{n}.parquet"
        pl.DataFrame({"id": [1], "answer": ["x"]}).select(
            pl.all().repeat_by(n).explode()
        ).write_parquet(path)
        assert path.stat().st_size < 4 * 2**20
        assert loaders.is_large([path]) == is_large
