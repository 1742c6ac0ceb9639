"""FAULTS.md 30: two runs on one cache ask the same question once, and none waits for a dead one."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import faulty_server as faulty
import pytest
import rules
from cases import cases

from ragauge.calls.ledger import LEASE_S, Leases
from ragauge.judges.protocol import reply_ledger

N = 12


def asking(folder: Path, server, name: str, n: int = N) -> subprocess.Popen[bytes]:
    """`ragauge run` in a process of its own."""
    rows = [{"id": f"q{at}", "question": "Fee?", "answer": f"${at}.", "reference": "$1."} for at in range(n)]  # fmt: skip
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ("run", "a.jsonl", "-m", "gpt_score", "--judge", "m", "--judge-url", server.url)
    rest = ("--folder", name, "--cache", "c.sqlite", "--no-report", "--quiet")
    return subprocess.Popen(
        [sys.executable, "-m", "ragauge", *arguments, *rest],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def by_rules(_, body):
    prompt = body["response_format"]["json_schema"]["name"]
    return faulty.ok(rules.reply(prompt, body["messages"][1]["content"]))


def ended(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said.decode()


def asked(server) -> Counter[str]:
    return Counter(json.dumps(body["messages"]) for body in server.asked)


def wait_until(what) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_two_runs_at_once_ask_each_question_once(tmp_path):
    with faulty.FaultyServer(by_rules, latency_s=1.0) as server:
        first = asking(tmp_path, server, "one")
        second = asking(tmp_path, server, "two")
        ended(first)
        ended(second)
        assert len(asked(server)) == N
        assert set(asked(server).values()) == {1}
    parts = [(tmp_path / name / "scores/000000.parquet").read_bytes() for name in ("one", "two")]
    assert parts[0] == parts[1]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_run_that_is_killed_while_it_asks_holds_nobody_up(tmp_path):
    fates = [faulty.HANG] * N
    with faulty.FaultyServer(
        lambda n, body: fates[n - 1] if n <= N else by_rules(n, body)
    ) as server:
        first = asking(tmp_path, server, "one")
        wait_until(lambda: server.n_requests == N)
        second = asking(tmp_path, server, "two")
        time.sleep(1.5)  # it has begun, and waits
        assert server.n_requests == N
        first.send_signal(signal.SIGKILL)
        first.communicate()
        start = time.monotonic()
        ended(second)
        assert time.monotonic() - start < LEASE_S / 2
        assert server.n_requests == 2 * N
    assert leases(tmp_path / "c.sqlite") == 0


def leases(path: Path) -> int:
    with sqlite3.connect(path) as database:
        return database.execute("select count(*) from leases").fetchone()[0]


def foreign(path: Path, owner: str, until: object) -> Leases:
    """The leases of a file in which somebody else holds that of b"k"."""
    reply_ledger(path).close()
    own = Leases(path)
    with sqlite3.connect(path) as database:
        database.execute("insert into leases values (?, ?, ?)", (b"k", owner, until))
    return own


def test_a_lease_ends_when_its_owner_gives_it_up_or_its_time_is_over(tmp_path):
    path = tmp_path / "c.sqlite"
    reply_ledger(path).close()
    one, two = Leases(path), Leases(path)
    assert one.claim([b"a", b"b"]) == {b"a", b"b"}
    assert one.claim([b"a"]) == {b"a"}, "its own"
    assert two.claim([b"a", b"c"]) == {b"c"}
    two.release([b"a", b"b"])
    assert two.claim([b"a", b"b"]) == set(), "those of others stay"
    one.release([b"a"])
    assert two.claim([b"a", b"b"]) == {b"a"}
    one.close()
    assert two.claim([b"b"]) == {b"b"}
    two.close()
    assert leases(path) == 0


LATER = 10**18
OWNER = f"{socket.gethostname()} 1 x"


@cases(
    ("elsewhere 1 x", lambda: time.time() + 5, True),
    ("elsewhere 1 x", lambda: time.time() - 1, False),
    ("elsewhere 1 x", lambda: time.time() + 10 * LEASE_S, False),  # the clock was set back since
    *((owner, lambda: LATER, False) for owner in ("", "x", "é\u202e", f"{OWNER[:-3]}x y", f"{OWNER[:-3]}{10**30} y")),
    *((OWNER, lambda until=until: until, False) for until in ("", "x", b"\x00", -1, 0.0)),
)  # fmt: skip
def test_a_lease_of_another_ends_after_its_time_and_a_damaged_one_at_once(
    owner, until, is_held, tmp_path
):
    own = foreign(tmp_path / "c.sqlite", owner, until())
    assert own.claim([b"k"]) == (set() if is_held else {b"k"})
