"""FAULTS.md 31 and 39: whatever is in a cache or a recording, it is computed again, or refused with what to do."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import faulty_server as faulty
import pytest
import rules

import ragauge as rg
from ragauge.storage.cache import Cache

WRONG = (None, -1, 2**62, float("inf"), "", "é\u202e\x1b[2J", b"", b"{}", b"\xff")
TABLES = ("entries", "replies", "leases")
KEY, VALUE = b"k" * 32, b"value"


def executed(path: Path, *statement: object) -> list[tuple[object, ...]]:
    """Do to a file what no process of ours does."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        return database.execute(*statement).fetchall()
    finally:
        database.close()


def copied(source: Path, target: Path) -> Path:
    """A copy in one file, although others may have the source open."""
    theirs, ours = sqlite3.connect(source), sqlite3.connect(target)
    theirs.backup(ours)
    ours.execute("pragma journal_mode = delete")
    theirs.close()
    ours.close()
    return target


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> tuple[Path, Path, str]:
    """A cache with vectors and replies, the answers, and the address of their judge."""
    folder = tmp_path_factory.mktemp("cache")
    rows = [
        {"id": f"q{at}", "question": "Fee?", "answer": f"${at}.", "reference": "$1."}
        for at in range(2)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def answer(_, body):
        prompt = body["response_format"]["json_schema"]["name"]
        return faulty.ok(rules.reply(prompt, body["messages"][1]["content"]))

    with faulty.FaultyServer(answer) as server:
        judge = rg.ChatEndpoint("m", base_url=server.url)
        rg.evaluate(rows, "gpt_score", judge=judge, cache=folder / "c.sqlite")
        kept = Cache(folder / "c.sqlite")
        kept.keep("vector", {KEY: VALUE})
        kept.close()
        executed(folder / "c.sqlite", "insert into leases values (x'00', 'elsewhere 1 x', 1.5)")
        yield copied(folder / "c.sqlite", folder / "whole.sqlite"), folder / "a.jsonl", server.url


@pytest.fixture
def copy(cache, tmp_path) -> Path:
    return Path(shutil.copy(cache[0], tmp_path / "c.sqlite"))


def columns(path: Path) -> Iterator[tuple[str, str]]:
    for table in TABLES:
        for _, name, *_ in executed(path, f"pragma table_info({table})"):
            yield table, str(name)


def changed(path: Path, table: str, column: str, value: object) -> bool:
    """Whether the column could be set to this value in all rows."""
    try:
        executed(path, f"update {table} set {column} = ?", (value,))
    except sqlite3.Error:
        return False
    return True


def run(ragauge, cache, copy: Path, name: str):
    _, answers, url = cache
    judge = ("--judge", "m", "--judge-url", url)
    arguments = ("-m", "gpt_score", "--cache", copy, "--folder", name, "--no-report", "--quiet")
    return ragauge("run", answers, *arguments, *judge)


def scores(folder: Path) -> list[float]:
    return rg.open_run(folder).scores["value"].to_list()


@pytest.mark.slow
def test_any_value_in_any_column_is_computed_again_or_refused(ragauge, cache, copy, tmp_path):
    assert run(ragauge, cache, copy, "whole").code == 0
    whole = scores(tmp_path / "whole")
    n = 0
    for table, column in columns(cache[0]):
        for wrong in WRONG:
            for end in ("", "-wal", "-shm"):
                Path(f"{copy}{end}").unlink(missing_ok=True)
            shutil.copy(cache[0], copy)
            if not changed(copy, table, column, wrong):
                continue
            n += 1
            done = run(ragauge, cache, copy, f"r{n}")
            assert done.code == 0, (table, column, wrong, done.err)
            assert scores(tmp_path / f"r{n}") == whole, (table, column, wrong)
            for arguments in (("cache", copy), ("cache", copy, "--reply", "")):
                done = ragauge(*arguments)
                assert done.code in (0, 2, 5), (arguments, column, wrong, done.err)
            opened = Cache(copy)
            assert opened.find([KEY]).get(KEY) in (None, VALUE), (table, column, wrong)
            opened.close()
    assert n > 100


def test_a_file_that_is_cut_or_none_is_refused_with_what_to_do(ragauge, cache, copy):
    content = cache[0].read_bytes()
    for damaged in (b"x", content[:1_000], content[:5_000] + b"\xff" * 9_000):
        copy.write_bytes(damaged)
        for done in (run(ragauge, cache, copy, "r"), ragauge("cache", copy)):
            assert done.code == 5, done.err
            assert str(copy) in done.err
            assert "name another" in done.err
    copy.unlink()
    copy.mkdir()
    assert run(ragauge, cache, copy, "r").code == 5


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_the_same_name_with_other_columns_is_refused(ragauge, cache, copy, table):
    executed(copy, f"drop table {table}")
    executed(copy, f"create table {table} (other text)")
    done = run(ragauge, cache, copy, "r")
    assert done.code in (0, 5)
    if done.code == 5:
        assert "name another" in done.err


# Recordings ---------------------------------------------------------------------------------------


def places(value: object, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield place
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*place, name))


def replaced(value, place, by):
    if not place:
        return by
    return {**value, place[0]: replaced(value[place[0]], place[1:], by)}


@pytest.mark.slow
def test_any_value_in_any_field_of_a_recording_is_refused_or_unreadable(ragauge, cache, tmp_path):
    _, answers, url = cache
    made = ("--judge", "m", "--judge-url", url, "--cache", "none", "--record", "rec.jsonl")
    common = ("-m", "gpt_score", "--no-report", "--quiet")
    assert ragauge("run", answers, *common, *made, "--folder", "whole").code == 0
    whole = scores(tmp_path / "whole")
    lines = [json.loads(line) for line in (tmp_path / "rec.jsonl").read_text().splitlines()]
    n = 0
    for at in (0, 1):
        for place in places(lines[at]):
            for wrong in (None, True, -1, 1e300, "", "x", [], [[1]], {}, {"a": {}}):
                damaged = [*lines[:at], replaced(lines[at], place, wrong), *lines[at + 1 :]]
                (tmp_path / "bad.jsonl").write_text(
                    "".join(json.dumps(line) + "\n" for line in damaged)
                )
                n += 1
                done = ragauge(
                    "run", answers, *common, "--judge", "replay:bad.jsonl", "--folder", f"r{n}"
                )
                assert done.code in (0, 2, 4, 6), (place, wrong, done.err)
                if done.code == 0:
                    assert scores(tmp_path / f"r{n}") == whole, (place, wrong)
    assert n > 100
