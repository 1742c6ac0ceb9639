"""Reading in pieces gives what reading in memory gives: the same samples, notes and problems."""

import gzip
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders import loading, sources
from ragauge.loaders.loading import load
from ragauge.samples import file as sample_file
from ragauge.samples import samples as sample_filter
from ragauge.samples.samples import select

pytestmark = pytest.mark.usefixtures("small_pieces")
Rows = Sequence[dict[str, object]]
N = 36


def plain(n: int, **fields: Callable[[int], object]) -> list[dict[str, object]]:
    return [
        {"id": f"q{at}", "answer": f"answer {at}", **{name: of(at) for name, of in fields.items()}}
        for at in range(n)
    ]


def columns(**fields: Callable[[int], object]) -> list[dict[str, object]]:
    """Rows with these columns, each where its function gives a value."""
    return [
        {"id": f"q{at}", **{name: value for name, of in fields.items() if (value := of(at)) is not None}}
        for at in range(N)
    ]  # fmt: skip


def text(at: int) -> str:
    return f"it is {at}"


def late(first: int, value: object) -> Callable[[int], object]:
    return lambda at: value if at >= first else None


SHAPES: dict[str, Rows] = {
    "columns of every kind": plain(
        N,
        flag=lambda at: at % 2 == 0,
        empty=lambda _: None,
        meta=lambda at: {"page": at},
        text_late=lambda at: at if at < 30 else "high",
        decimals_late=lambda at: at if at < 30 else 0.5,
        mixed=lambda at: (at, 0.5, "x", True, None)[at % 5],
        vector_late=lambda at: "x" if at < 30 else [0.5] * 60,
    ),
    "a column and an alias that come late": [
        *plain(40), {"id": "x", "answer": "a", "reference": "r", "topic": "late"},
    ],
    "references in two columns": plain(
        40, references=lambda at: None if at % 3 else ["r"], gold=lambda at: f"g{at}"
    ),
    "several systems": [
        {"id": f"q{at}", "system": system, "question": f"Q {at}?", "answer": system}
        for system in ("b", "a")
        for at in range(30)
        if at % 7 or system == "b"
    ],

    "gold that differs between systems, and questions in case and space": [
        {"id": f"q{at}", "system": system, "answer": "x", "question": text, "reference": f"{system} {at % 4}"}
        for at in range(20)
        for system, text in (("a", "What is it?"), ("b", " what  IS it?"))
    ],

    "ids that look alike": [
        {"id": f"{begin}{at}", "answer": "x"}
        for begin, n in (("", 30), ("0", 30), ("Ⅷ", 3), ("viii", 3))
        for at in range(n)
    ],
    "empty contexts before those of objects": plain(
        40,
        contexts=lambda at: (
            [{"text": f"t {at}", "id": f"d{at}", "score": 0.5, "lang": "en"}] if at > 20 and at % 5 else []
        ),
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
    "a third system that comes late": columns(
        answer_small=text, answer_large=text, contexts_small=lambda at: [f"s {at}"], answer_huge=late(30, "well")
    ),
    "a second system that comes late": columns(answer_a=text, answer_b=late(24, "y")),

    "numbers, and a late word": columns(
        answer_a=str, answer_b=lambda at: f"{at}" if at < 30 else "ten"
    ),
    "numbered contexts of which one comes late": columns(
        answer=text, context_1=text, context_2=late(24, "d")
    ),
    "numbered references beside a column of lists that comes late": columns(
        answer=text, reference_1=text, references=late(24, ["d"])
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_samples_are_those_of_reading_in_memory(shape: str, written, check_same_samples):
    check_same_samples(written(SHAPES[shape]))


def csv(header: str, row: Callable[[int], str], last: str = "", n: int = N) -> str:
    return f"{header}\n" + "".join(f"{row(at)}\n" for at in range(n)) + last


CELLS: dict[str, tuple[Callable[[int], str], str, bool]] = {
    "numbers": (str, "7", False),
    "numbers, then a text": (str, "007", True),
    "the same number twice": (lambda at: f"{at}.5", "1.50", True),
    "zero and negative zero": (str, "-0", True),
    "decimals of zero": (lambda at: f"{at}.0", "-0.0", True),
    "prices, and one that is written shorter": (lambda at: f"{at}.50", "70.5", False),
    "prices, and the same one written shorter": (lambda at: f"{at}.50", "1.5", True),
    "numbers as pandas prints them, and the same one": (lambda at: f"{at / 4}", "3", True),
    "numbers that come late": (lambda _: "", "1.5", False),
}
"""Of a column: its cells, the last one, and whether they are texts."""


def test_cells_are_numbers_where_each_number_has_one_form(tmp_path: Path, check_same_samples):
    rows = [[f"q{at}", "a", *(of(at) for of, *_ in CELLS.values())] for at in range(N)]
    rows += [["x", "a", *(last for _, last, _ in CELLS.values())]]
    header = ["id", "answer", *CELLS]
    pl.DataFrame(rows, schema=header, orient="row").write_csv(tmp_path / "a.csv")
    frame = check_same_samples(tmp_path / "a.csv").frame
    assert {name: frame[name].dtype == pl.String for name in CELLS} == {
        name: is_text for name, (*_, is_text) in CELLS.items()
    }


@pytest.mark.parametrize("last", ["34", "a", "-1"])
def test_a_column_without_a_name_that_does_not_number_the_rows_is_a_problem(
    last: str, tmp_path: Path, check_same_problems
):
    rows = csv(",id,answer", lambda at: f"{34 - at},q{at},a {at}", f"{last},x,y\n", n=35)
    (tmp_path / "a.csv").write_text(rows)
    assert "has a column without a name" in check_same_problems(tmp_path / "a.csv")


def test_problems_of_all_kinds_are_found_at_once(written, check_same_problems):
    rows: list[dict[str, Any]] = [
        {"id": f"q{at}", "system": s, "question": f"{at}{s if at == 7 else ''}?", "answer": "x"}
        for at in range(N)
        for s in "ab"
    ]
    rows.insert(5, {"id": "other", "system": "a", "answer": "x", "level": 2**70})
    path = written([*rows, {"id": "q2", "system": "b", "answer": "late"}])
    says = check_same_problems(path)
    for each in ("is too large a whole number", "duplicate id", "is '7b?' here, but '7a?'"):
        assert each in says
    path.write_text(path.read_text() + "{broken\n")
    assert "is not JSON" in check_same_problems(path)


def test_chosen_columns_and_a_given_system_are_read(written, check_same_samples):
    chosen = [{"nr": f"q{at}", "a": f"{at}", "b": "no idea", "system": "mine"} for at in range(40)]
    path = written(chosen)
    samples = check_same_samples(path, map={"id": "nr", "answer": "a"}, system="mine")
    assert (samples.columns, samples.systems) == (("id", "system", "answer", "b"), ("mine",))
    rows = [{"id": f"q{at}", "a": f"{at}", "b": "no idea", "level": at % 3} for at in range(N)]
    gold = written([{"id": f"q{at}", "reference": f"{at}"} for at in range(3, 70)], "gold.jsonl")
    for chosen in ("a,b", "b, a"):
        for options in ({}, {"gold": gold}):
            samples = check_same_samples(written(rows), map={"answer": chosen}, **options)
            assert set(samples.systems) == {"a", "b"}


@pytest.mark.parametrize("id", ["query_id", "tag"])
def test_passages_of_a_question_that_are_far_apart_are_one_sample(
    id: str, written, check_same_samples
):
    rows = [
        {id: f"q{at}", "query": f"What is {at}?", "passage": f"{at} {rank}", "answer": "x"}
        for rank in range(3)
        for at in range(N)
    ]
    samples = check_same_samples(written(rows), at_once=True)
    assert len(samples) == N
    assert samples.notes[-1].endswith("rows of the same question may be its passages")


def test_ids_of_different_kinds_are_read_at_once(written, check_same_samples):
    of_hash = {"text": "t", "id": "0" * 32, "metadata": {"doc_id": "a"}}
    rows = plain(N, contexts=lambda at: [of_hash if at < 30 else {"text": "t", "id": "d1"}])
    check_same_samples(written(rows), at_once=True)


def packed_as(name: str, text: str) -> bytes:
    if name.endswith(".gz"):
        return gzip.compress(text.encode())
    return pytest.importorskip("zstandard").compress(text.encode())


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz", "a.jsonl.zst", "a.csv.zst"])
def test_a_packed_file_is_read_and_one_that_is_cut_off_is_an_error_and_not_the_rows_so_far(
    name: str, tmp_path: Path, check_same_problems, check_same_samples
):
    rng = random.Random(3)
    rows = plain(150, topic=lambda _: f"{rng.getrandbits(64):x}")
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if ".csv" in name:
        text = pl.DataFrame(rows).write_csv()
    middle = text.index("\n", len(text) // 2) + 1
    first, second = (packed_as(name, part) for part in (text[:middle], text[middle:]))
    path = tmp_path / name
    path.write_bytes(first + second)
    assert len(check_same_samples(path)) == 150
    for share in (0.01, 0.3, 0.999):
        for before, packed in ((b"", first), (first, second)):
            path.write_bytes(before + packed[: int(len(packed) * share)])
            assert "is not a complete" in check_same_problems(path)
    for other in (first + b"more", b"no archive at all"):
        path.write_bytes(other)
        assert "is not a complete" in check_same_problems(path)


def test_a_folder_and_a_pattern_are_all_their_files(tmp_path: Path, written, check_same_samples):
    rows = plain(40, topic=lambda at: at % 3 if at < 30 else "high")
    written(rows[:20], "1.jsonl")
    written(rows[20:30], "2.jsonl.gz")
    written(rows[30:], "3.ndjson")
    written(rows, "notes.txt")
    folder = check_same_samples(tmp_path)
    assert folder.frame["id"].to_list() == [f"q{at}" for at in range(40)]
    assert folder.source == str(tmp_path)
    assert check_same_samples(tmp_path / "*.*j*").fingerprint() == folder.fingerprint()


@cases(
    ((), "is a folder without data files"),
    (("a.jsonl", "b.csv"), "with files of several kinds"),
    (("manifest.json",), "is the folder of a run"),
)
def test_a_folder_that_cannot_be_read_is_a_problem(
    files: Sequence[str], says: str, tmp_path: Path, written, check_same_problems
):
    for name in files:
        written(plain(2), name)
    assert says in check_same_problems(tmp_path)


def test_the_size_of_pieces_changes_nothing(
    written, monkeypatch: pytest.MonkeyPatch, check_same_samples
):
    rows = [row for shape in ("columns of every kind", "judgements") for row in SHAPES[shape]]
    rows = [{**row, "id": str(at)} for at, row in enumerate(rows)]
    random.Random(0).shuffle(rows)
    path = written(rows[:40])
    digests: set[str] = set()
    for size in (1, 1_000):
        monkeypatch.setattr(sources, "PIECE_BYTES", size)
        digests.add(check_same_samples(path).fingerprint())
    assert len(digests) == 1


def test_the_temporary_folder_goes_with_the_samples(written):
    samples = load(written(plain(40)), in_pieces=True)
    path = samples.rows.path  # pyright: ignore[reportAttributeAccessIssue]
    assert pl.read_parquet(path).height == 40
    del samples
    assert not path.exists()


def test_a_large_file_of_gold_says_that_it_is_read_as_a_whole(
    written, monkeypatch: pytest.MonkeyPatch
):
    path, gold = written(plain(9)), written([{"id": "q1", "reference": "x"}], "gold.jsonl")
    samples = load(path, gold=gold)
    assert not samples.is_file
    assert "as a whole" not in str(samples.notes)
    monkeypatch.setattr(loading, "LARGE_BYTES", 1)
    assert load(path, gold=gold).notes[-1].startswith("read the gold as a whole into memory")


@pytest.mark.parametrize("name", ["answers.json", "answers.json.gz"])
def test_a_large_file_of_one_json_value_says_that_it_is_read_as_a_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / name
    data = json.dumps([{"id": row["id"], "answer": "x"} for row in plain(40)]).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    assert "into memory" not in str(load(path).notes)
    monkeypatch.setattr(loading, "LARGE_BYTES", 1)
    note = (
        f"read as a whole into memory: {path} is one JSON value; "
        ".jsonl, .csv and .parquet are read in pieces"
    )
    assert load(path).notes == (note,)


@cases(
    ({"where": 'topic = "b"'}, 0),
    ({"where": 'topic = "b"'}, 10**6),
    ({"limit": 7}, 10),
    ({"where": "n >= 5", "limit": 20}, 0),
    ({"where": "n >= 5", "limit": 20}, 10),
    ({}, 10),
)
def test_selected_rows_are_those_of_samples_in_memory(
    chosen: dict[str, Any], small: int, written, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sample_filter, "SMALL", small)
    monkeypatch.setattr(sample_file, "MAX_ROWS_AT_ONCE", 9)
    rows = [
        {"id": f"q{at % 40}", "system": system, "answer": "x", "topic": "abc"[at % 3], "n": at}
        for system in ("a", "b")
        for at in range(40)
    ]
    in_memory, in_pieces = (load(written(rows), in_pieces=each) for each in (False, True))
    expected, found = (select(samples, **chosen) for samples in (in_memory, in_pieces))
    assert found.frame.equals(expected.frame)
    assert found.notes == expected.notes
    assert found.fingerprint() == expected.fingerprint()


@pytest.mark.parametrize("in_pieces", [False, True])
def test_a_filter_that_no_row_matches_says_so(in_pieces: bool, written):
    with pytest.raises(DataError, match="no row matches the filter"):
        select(load(written(plain(40)), in_pieces=in_pieces), where='id = "none"')


def test_a_small_parquet_file_that_repeats_its_values_is_large(tmp_path: Path):
    for n, is_large in ((3_000, False), (1_200_000, True)):
        path = tmp_path / f"{n}.parquet"
        pl.DataFrame({"id": [1], "answer": ["x"]}).select(
            pl.all().repeat_by(n).explode()
        ).write_parquet(path)
        assert path.stat().st_size < 4 * 2**20
        assert (sources.size_of([path]) >= loading.LARGE_BYTES) == is_large


def test_of_ids_given_twice_the_column_that_tells_them_apart_is_suggested_as_system(tmp_path):
    path = tmp_path / "a.csv"
    rows = [
        f"{n},{version},answer {n} of {version},x" for n in range(3) for version in ("v1", "v2")
    ]
    path.write_text("\n".join(["id,Bot version,answer,why", *rows]))
    with pytest.raises(DataError) as raised:
        load(path)
    first, *others = raised.value.problems
    assert first.message.endswith("--map 'system=Bot version'")
    assert len(others) == 3 and all("duplicate id" in each.message for each in others)
    path.write_text("id,answer,why\n1,a,x\n1,b,x\n")
    with pytest.raises(DataError) as raised:
        load(path)
    assert len(raised.value.problems) == 1, "no column tells the two apart"
