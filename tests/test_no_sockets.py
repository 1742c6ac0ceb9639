"""Nothing here opens a socket: all of it works where there is no network."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "answers.jsonl"

BLOCKED = """
    import socket

    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "create_server", "getaddrinfo", "gethostbyname",
                 "socketpair", "fromfd"):
        setattr(socket, name, refuse)
    import _socket
    _socket.socket = refuse
"""


def run_blocked(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a process in which every socket is refused."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BLOCKED) + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "HOME": str(folder)},
    )


def test_the_block_holds(tmp_path):
    for call in ("socket.socket()", "socket.create_connection(('127.0.0.1', 9))"):
        assert "a socket was opened" in run_blocked(f"socket; {call}", tmp_path).stderr


def test_scores_need_no_network(tmp_path):
    done = run_blocked(
        """
        import ragauge as rg
        fields = dict(question="What is it?", answer="It is $604.", reference="$604",
                      contexts=["It is $604."], gold_contexts=["It is $604."],
                      context_ids=["a"], relevant=["a"])
        from ragauge import catalog
        n = 0
        for name, metric in catalog.metrics().items():
            used = {column.name for column in metric.columns}
            try:
                one = rg.score(name, **{k: v for k, v in fields.items() if k in used})
                n += 1
            except rg.RagaugeError as error:
                assert "install" in str(error) or "needs" in str(error), error
        print(n > 20)
        """,
        tmp_path,
    )
    assert done.stdout == "True\n", done.stderr


@pytest.mark.slow
def test_every_suite_evaluates_without_a_network(tmp_path):
    done = run_blocked(
        f"""
        import ragauge as rg
        from ragauge.suite import shipped_suites
        run = rg.evaluate({str(HANDBOOK)!r}, list(shipped_suites()), folder="run", workers=2)
        print(run.summary().height > 30, run.summary("question_type").height > 100)
        """,
        tmp_path,
    )
    assert done.stdout == "True True\n", done.stderr


COMMANDS = [
    ["run", str(HANDBOOK), "-m", "correct", "-m", "support", "--folder", "run"],
    ["metrics"],
    ["metrics", "ndcg"],
    ["validate", str(HANDBOOK)],
    ["--help"],
    ["--version"],
]


def ended(commands, folder):
    """For each command, in one process without sockets, its exit code, output and errors."""
    done = run_blocked(
        f"""
        import contextlib, io, json
        from ragauge.cli import main
        results = []
        for arguments in {commands!r}:
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    main(arguments)
                    code = 0
                except SystemExit as end:
                    code = end.code or 0
            results.append([code, out.getvalue(), err.getvalue()])
        print(json.dumps(results))
        """,
        folder,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    return ended(COMMANDS, tmp_path_factory.mktemp("commands"))


@pytest.mark.parametrize("place", range(len(COMMANDS)), ids=lambda at: " ".join(COMMANDS[at][:2]))
def test_the_commands_need_no_network(commands, place):
    code, out, err = commands[place]
    assert code == 0, err
    assert out.strip()
    assert "Traceback" not in err


@pytest.mark.slow  # it imports every extra that is installed
def test_the_doctor_needs_no_network(tmp_path):
    ((code, out, err),) = ended([["doctor"]], tmp_path)
    assert code == 0, err
    assert "no telemetry" in out
    assert "Traceback" not in err
