"""Whatever a stored run is replaced by, field by field: it is read, or refused with what to do."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import ragauge as rg
from ragauge.cli import main
from ragauge.runs.fields import read_dataclass
from ragauge.runs.manifest import MetricDisplay

WRONG = (None, True, -1, 1.5, "x", [], {}, [1], {"a": 1}, 10**30, "é\u202e\x1b[2J", float("inf"))
FREE = ("plan", "data", "code", "machine")
"""Parts of the manifest that are read by people; their insides are not swept, only themselves."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    rows = [
        {
            "id": f"q{n}",
            "system": system,
            "question": "How much?",
            "answer": "x 5",
            "reference": "x 6",
        }
        for n in range(3)
        for system in "ab"
    ]
    rg.evaluate(rows, ["answer-quality", "dont_know"], folder=folder)
    return folder


@pytest.fixture
def run(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def places(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    if place and place[0] in FREE:
        return
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


def shown(run: Path, capsys, *arguments: str) -> tuple[int, str]:
    """The exit code of `show`, and its errors; whatever is raised is a bug."""
    try:
        main(["show", str(run), *arguments])
        code = 0
    except SystemExit as left:
        code = left.code or 0
    return code, capsys.readouterr().err


@pytest.mark.slow
def test_any_value_in_any_field_of_the_manifest_is_read_or_refused(run, capsys):
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    n_refused = 0
    for place in places(manifest):
        for wrong in WRONG:
            path.write_text(json.dumps(replaced(manifest, place, wrong)))
            code, said = shown(run, capsys)
            assert code in (0, 5), (place, wrong, said)
            if code == 5:
                n_refused += 1
                assert str(run) in said, (place, wrong, said)
    assert n_refused > 200


@pytest.mark.parametrize("folder", ["scores", "evidence"])
def test_a_part_with_any_column_of_another_type_or_without_it_is_refused(run, folder, capsys):
    path = run / folder / "000000.parquet"
    part = pl.read_parquet(path)
    for name in part.columns:
        for other in (pl.lit(value=True), pl.lit(5), pl.lit([1]), pl.lit(None)):
            part.with_columns(other.alias(name)).write_parquet(path)
            code, said = shown(run, capsys)
            assert code == 5 and f"its {name} has another type" in said, (name, said)
        part.drop(name).write_parquet(path)
        code, said = shown(run, capsys)
        assert code == 5 and f"it has no column {name}" in said


def test_evidence_of_fewer_rows_than_the_scores_is_refused(run, capsys):
    path = run / "evidence" / "000000.parquet"
    pl.read_parquet(path).head(-1).write_parquet(path)
    code, said = shown(run, capsys, "q2")
    assert code == 5 and "run it again" in said
    with pytest.raises(rg.StoreError, match="run it again"):
        _ = rg.open_run(run).scores


def test_a_wrong_value_in_a_field_is_named(run, capsys):
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    for place, wrong in (
        (("metrics", 0, "digits"), -1),
        (("findings", 0, "when"), "x"),
        (("seed",), -1),
    ):
        path.write_text(json.dumps(replaced(manifest, place, wrong)))
        code, said = shown(run, capsys)
        assert code == 5 and "manifest.json: is damaged" in said, said


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
