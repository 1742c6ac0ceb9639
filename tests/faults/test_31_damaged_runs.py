"""FAULTS.md 31: whatever a stored run is replaced by, field by field, it is read, or refused with what to do."""

import itertools
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import polars as pl
import pytest
import rules

import ragauge as rg
from ragauge.errors import RagaugeError
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.store import RunFolder
from ragauge.storage.tomlfile import read_dataclass
from ragauge.web.sites import Viewer

WRONG = (
    *(None, True, -1, 0, 1.5, 10**30, float("nan"), float("inf")),
    *("", "x", "é\u202e\x1b[2J", [], [1], [[None]], {}, {"a": 1}, {"a": {"b": []}}),
)
T = TypeVar("T")
METRICS = ("answer-quality", "dont_know", "ndcg@10", "gpt_score")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run with a judge, of two systems, and its answers and labels beside it."""
    folder = tmp_path_factory.mktemp("whole")
    rows = [
        {
            "id": f"q{n}",
            "system": system,
            "question": "How much?",
            "answer": f"x {n}",
            "reference": "x 6",
            "contexts": ["x 6", "y"],
            "context_ids": ["d1", "d2"],
            "relevant": {"d1": 1},
            "label": n % 2,
        }
        for n in range(4)
        for system in "ab"
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rg.evaluate(rg.load(rows), METRICS, judge=rules.judge, folder=folder / "run")
    return folder / "run"


@pytest.fixture
def run(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def without_digests(run: Path) -> None:
    """As an earlier version stored it."""
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["digest"]
    (run / "manifest.json").write_text(json.dumps({**manifest, "digests": {}}))


def places(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*place, name))
    elif isinstance(value, list):
        for at in range(min(len(value), 1)):
            yield from places(value[at], (*place, at))


def replaced(value: object, place: tuple[str | int, ...], by: object) -> object:
    if not place:
        return by
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = by
    return copy


def viewed(run: Path) -> tuple[int, str]:
    """The exit code of opening a run in the viewer, with all that its page can ask for."""
    try:
        viewer = Viewer([RunFolder(run).read()])
        viewer.find("/")
        for address in viewer._makers:
            viewer.find(address)
    except RagaugeError as error:
        return error.exit_code, str(error)
    return 0, ""


def some(cases: list[T], n: int) -> list[T]:
    """All cases in `make test-sweeps`, `n` of them elsewhere."""
    return cases if os.environ.get("RAGAUGE_SWEEPS") == "all" else random.Random(0).sample(cases, n)


Commands = Callable[[Path], Iterator[tuple[str, int, str]]]


@pytest.fixture
def commands(ragauge, whole) -> Commands:
    """What each command that reads a run says of it."""

    def each(run: Path) -> Iterator[tuple[str, int, str]]:
        for arguments in (
            ("show", run, "--full"),
            ("show", run, "q1", "--calls"),
            ("show", run, "--status", "undefined"),
            ("show", run, "--worst", "dont_know"),
            ("report", run, "-o", "page.html"),
            ("compare", run, "a", "b"),
            ("compare", f"a@{whole}", f"a@{run}"),
            ("gate", run, "--rule", "failed <= 0"),
            ("gate", whole, "--baseline", run, "--rule", "failed <= 0"),
            ("calibrate", whole.parent / "a.jsonl", run),
        ):
            done = ragauge(*arguments)
            yield arguments[0], done.code, done.err
        yield "view", *viewed(run)

    return each


def assert_read_or_refused(commands: Commands, run: Path, what: object) -> set[int]:
    """Each command reads the run, or says with exit code 5 that it is damaged and what to do."""
    codes: set[int] = set()
    for command, code, said in commands(run):
        # A gate also fails, with 1, if no score is left to check.
        allowed = (0, 1, 2, 3, 4, 5) if command == "gate" else (0, 2, 3, 4, 5)
        assert code in allowed, (command, what, said)
        if code == 5:
            assert str(run) in said, (command, what, said)
            assert "damaged" in said or "run it again" in said or "run the same" in said, (what, said)  # fmt: skip
        codes.add(code)
    return codes


def test_the_commands_read_the_run_as_an_earlier_version_stored_it(commands, run):
    without_digests(run)
    assert {code for _, code, _ in commands(run)} == {0}


@pytest.mark.slow
def test_any_value_in_any_field_of_the_manifest_is_read_or_refused(run):
    """What reads the manifest checks each field that anything uses; so nothing after it can fail."""
    without_digests(run)
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    assert manifest["judging"], "the run has a judge"
    n_refused = 0
    for place in places(manifest):
        for wrong in WRONG:
            path.write_text(json.dumps(replaced(manifest, place, wrong)))
            try:
                RunFolder(run).manifest()
            except rg.StoreError as error:
                n_refused += 1
                assert str(path) in str(error), (place, wrong)
                assert "run it again" in str(error) or "newer" in str(error), (place, wrong)
    assert n_refused > 100


def test_any_other_value_in_the_manifest_is_refused(run):
    """Its digest of itself finds also a value of the right type."""
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    others = (0, 7, "x", 0.5, "2020-01-01", True, [], {}, None)
    for place, other in some(list(itertools.product(places(manifest), others)), 60):
        changed_manifest = replaced(manifest, place, other)
        if changed_manifest == manifest or (place == ("finished",) and not other):
            continue
        path.write_text(json.dumps(changed_manifest))
        with pytest.raises(rg.StoreError, match=r"run it again|newer|earlier"):
            RunFolder(run).manifest()


def changed(part: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The part with each column replaced, in all rows or in the first, by values of any type."""
    wrong = (
        *(None, True, -1, 2**62, 1.5, float("nan"), float("inf"), "", "x", "{", "[]", "5", b"x"),
        *([1], ["a"], [None], [[1.0]], {"a": 1}),
    )
    first = pl.int_range(pl.len()) == 0
    for name in part.columns:
        for value in wrong:
            literal = (
                pl.lit(pl.Series([value])).first() if isinstance(value, dict) else pl.lit(value)
            )
            yield f"{name} = {value!r}", part.with_columns(literal.alias(name))
            mixed = pl.when(first).then(literal).otherwise(pl.col(name)).alias(name)
            try:
                one = part.with_columns(mixed)
            except pl.exceptions.PolarsError:
                continue
            if one.schema[name] == part.schema[name]:
                yield f"{name} = {value!r} in the first row", one
        yield f"without {name}", part.drop(name)
    yield "without its last row", part.head(-1)
    yield "without rows", part.head(0)
    yield "with a row twice", pl.concat([part, part.head(1)])


FILES = ("scores/000000.parquet", "evidence/000000.parquet", "samples.parquet")


@pytest.mark.parametrize("file", FILES)
def test_a_changed_part_is_damaged(run, file, ragauge):
    part = pl.read_parquet(run / file)
    n = 0
    for _, other in some(list(changed(part)), 20):
        if other.equals(part) and other.schema == part.schema:
            continue
        other.write_parquet(run / file)
        with pytest.raises(rg.StoreError, match="run it again"):
            RunFolder(run).read()
        n += 1
    assert n > 10
    assert "remove" in ragauge("show", run, code=5).err


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("file", [FILES[0], FILES[2]])
def test_a_changed_part_of_an_earlier_version_is_read_or_refused(run, file, commands):
    without_digests(run)
    part = pl.read_parquet(run / file)
    for what, other in some(list(changed(part)), 40):
        other.write_parquet(run / file)
        assert_read_or_refused(commands, run, what)


@pytest.mark.posix
@pytest.mark.parametrize("file", [*FILES, "manifest.json"])
def test_a_file_that_is_cut_absent_or_none_is_refused_at_once(run, file, ragauge):
    path = run / file
    content = path.read_bytes()
    for damaged in (b"", b"x", content[:-2], content[: len(content) // 2], bytes(len(content))):
        path.write_bytes(damaged)
        assert ragauge("show", run).code == 5
    path.unlink()
    assert ragauge("show", run).code == 5
    os.mkfifo(path)
    assert ragauge("show", run).code == 5, "nobody writes to the pipe"
    path.unlink()
    path.mkdir()
    assert ragauge("show", run).code == 5


def test_a_changed_part_of_an_unfinished_run_is_computed_again(tmp_path):
    rows = [{"id": str(n), "answer": "a", "reference": "a"} for n in range(4)]
    run = tmp_path / "run"
    whole = rg.evaluate(rows, "exact_match", folder=run, batch_size=2)
    part = run / "scores" / "000001.parquet"
    good = pl.read_parquet(part)
    for column, wrong in (
        ("value", float("nan")),
        ("value", None),
        ("status", "x"),
        ("status", None),
        ("flags", None),
        ("metric", None),
    ):
        manifest = json.loads((run / "manifest.json").read_text())
        (run / "manifest.json").write_text(json.dumps({**manifest, "finished": None}))
        kind = good.schema[column]
        good.with_columns(pl.lit(wrong, dtype=kind).alias(column)).write_parquet(part)
        again = rg.evaluate(rows, "exact_match", folder=run, batch_size=2)
        assert again.scores.equals(whole.scores), (column, wrong)


def test_a_wrong_value_in_a_field_is_named(run):
    without_digests(run)
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    for place, wrong, named in (
        (("metrics", 0, "metric"), "\ud800", "half of a surrogate pair"),
        (("metrics", 0, "name"), "\ud800", "half of a surrogate pair"),
        (("data", "systems", 0), "\ud800", "half of a surrogate pair"),
        (("metrics", 0, "digits"), -1, "digits of"),
        (("findings", 0, "when"), "x", "finding"),
        (("seed",), -1, "seed is -1"),
        (("judging", "judge", "calls"), "x", "judging.judge.calls is 'x'"),
        (("plan", "nodes", 0, "inputs"), 5, "plan.nodes.inputs is 5"),
        (("data", "systems"), {}, "data.systems is {}"),
        (("code", "judges"), [1], "code.judges\\[0\\] is 1"),
    ):
        path.write_text(json.dumps(replaced(manifest, place, wrong)))
        with pytest.raises(rg.StoreError, match=rf"manifest\.json: is damaged.*{named}"):
            RunFolder(run).manifest()


def test_a_stored_table_is_read_strictly():
    table = {"metric": "a", "name": "a", "aggregate": {"kind": "sum"}}
    assert read_dataclass(MetricDisplay, table).aggregate.kind == "sum"
    for wrong, said in (
        ({**table, "digits": "4"}, "digits is '4', which is of the wrong type"),
        ({**table, "digits": True}, "digits is True"),
        ({**table, "aggregate": {"kind": "max"}}, "aggregate.kind is 'max'"),
        ({**table, "of_the_future": 1}, "of_the_future is not known"),
        ({"metric": "a"}, "name is missing"),
        ([], "it is not an object"),
    ):
        with pytest.raises(ValueError, match=said):
            read_dataclass(MetricDisplay, wrong)
