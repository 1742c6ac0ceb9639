"""The content-addressed cache: a real file, several processes, damage."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from ragauge.errors import StoreError
from ragauge.storage.cache import Cache, checksum, digest


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "deep" / "cache.sqlite"


def test_what_is_kept_is_found_again_by_another_object(path):
    entries = {digest(str(number)): str(number).encode() for number in range(2_345)} | {b"b": b""}
    Cache(path).keep("vector", entries)
    assert Cache(path).find([*entries, b"c"]) == entries


def test_a_later_entry_replaces_the_earlier_one(path):
    cache = Cache(path)
    cache.keep("vector", {b"a": b"one"})
    cache.keep("vector", {b"a": b"two"})
    assert cache.find([b"a"]) == {b"a": b"two"}
    assert cache.counts() == {"vector": (1, 3)}


@pytest.mark.parametrize("change", ["value = x'00'", "checksum = checksum + 1"])
def test_a_damaged_entry_is_as_good_as_none(path, change):
    cache = Cache(path)
    cache.keep("vector", {b"a": b"one", b"b": b"two"})
    with sqlite3.connect(path) as database:
        database.execute(f"update entries set {change} where key = ?", (b"a",))
    assert cache.find([b"a", b"b"]) == {b"b": b"two"}


def test_an_entry_under_another_ones_key_is_not_used(path):
    cache = Cache(path)
    cache.keep("vector", {b"a": b"one", b"b": b"two"})
    with sqlite3.connect(path) as database:
        database.execute("delete from entries where key = ?", (b"b",))
        database.execute("update entries set key = ? where key = ?", (b"b", b"a"))
    assert cache.find([b"a", b"b"]) == {}


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, but long enough to be read as one " * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a file of ragauge; name another") as caught:
        Cache(path)
    assert "remove" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_cache_of_a_newer_version_is_refused(path):
    Cache(path).close()
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 99")
    with pytest.raises(StoreError, match=r"newer ragauge \(format 99"):
        Cache(path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        Cache(tmp_path / "file" / "cache.sqlite")


def test_the_oldest_entries_make_room(path):
    cache = Cache(path, most_bytes=200_000)
    for number in range(100):
        cache.keep("vector", {digest(str(number)): bytes(10_000)})
    assert cache.find([digest("99")])
    assert not cache.find([digest("0")])
    assert sum(size for _, size in cache.counts().values()) <= 200_000


def test_two_processes_lose_nothing(path):
    script = (
        "import sys; from ragauge.storage.cache import Cache, digest\n"
        "cache = Cache(sys.argv[1])\n"
        "for n in range(100): cache.keep('k', {digest(sys.argv[2], str(n)): b'x' * 100})\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in ("a", "b")
    ]
    assert [one.wait(timeout=60) for one in running] == [0, 0]
    keys = [digest(name, str(number)) for name in ("a", "b") for number in range(100)]
    assert len(Cache(path).find(keys)) == 200


def test_processes_that_make_the_same_cache_at_the_same_moment_wait_for_each_other(path):
    script = (
        "import sys; from ragauge.storage.cache import Cache\n"
        "print('ready', flush=True)\n"
        "for line in sys.stdin: Cache(line.strip()); print('made', flush=True)\n"
    )
    pipe = subprocess.PIPE
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe, text=True)
        for _ in range(3)
    ]
    assert [one.stdout.readline() for one in running] == ["ready\n"] * 3
    for number in range(5):
        for one in running:
            one.stdin.write(f"{path}.{number}\n")
            one.stdin.flush()
        assert [one.stdout.readline() for one in running] == ["made\n"] * 3
    for one in running:
        one.communicate()


def test_a_process_that_is_killed_while_writing_leaves_a_whole_cache(path):
    script = (
        "import sys; from ragauge.storage.cache import Cache, digest\n"
        "cache = Cache(sys.argv[1]); n = 0\n"
        "while True:\n"
        "    cache.keep('k', {digest(str(n)): str(n).encode() * 1000}); n += 1\n"
        "    if n == 5: print('begun', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE
    ) as running:
        assert running.stdout.readline()
        running.kill()
    cache = Cache(path)
    ((n, _),) = cache.counts().values()
    assert n >= 5
    found = cache.find([digest(str(number)) for number in range(n)])
    assert found == {digest(str(number)): str(number).encode() * 1000 for number in range(n)}


def test_clearing_removes_every_entry(path):
    cache = Cache(path)
    cache.keep("vector", {b"a": b"one"})
    cache.clear()
    assert cache.counts() == {}


def test_a_digest_tells_parts_apart_and_takes_lone_surrogates():
    assert len({digest("a", "bc"), digest("ab", "c"), digest("abc"), digest("abc", "")}) == 4
    assert digest("half \ud800") != digest("half ")
    assert digest("text") == digest(b"text")


def test_a_checksum_is_of_key_and_value():
    assert checksum(b"a", b"one") not in {checksum(b"b", b"one"), checksum(b"a", b"two")}


@pytest.mark.posix
def test_a_disk_without_room_is_said_and_the_old_entries_stay(path):
    script = (
        "import resource, sys; from ragauge.storage.cache import Cache\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "sys.dont_write_bytecode = True\n"
        "cache = Cache(sys.argv[1]); cache.keep('k', {b'a': b'one'}); cache.close()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "cache = Cache(sys.argv[1])\n"
        "try: cache.keep('k', {b'b': bytes(5_000_000)})\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"StoreError {path} cannot be used")
    assert "rollback" not in done.stdout
    assert Cache(path).find([b"a", b"b"]) == {b"a": b"one"}
