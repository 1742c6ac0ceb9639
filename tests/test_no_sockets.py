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
    import contextlib, io, json, socket, _socket
    import ragauge as rg

    def refuse(*_, **__):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "create_server", "getaddrinfo", "gethostbyname",
                 "socketpair", "fromfd"):
        setattr(socket, name, refuse)
    _socket.socket = refuse
    for call in (lambda: socket.socket(), lambda: socket.create_connection(("127.0.0.1", 9))):
        with contextlib.suppress(AssertionError):
            call()
            raise SystemExit("the block does not hold")

    def ended(arguments):
        from ragauge.cli import main
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(arguments)
                code = 0
            except SystemExit as end:
                code = end.code or 0
        return code, out.getvalue(), err.getvalue()
"""


def printed_without_sockets(script: str, folder: Path) -> str:
    """What a script prints in a process in which every socket is refused."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BLOCKED) + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = [
    ["run", str(HANDBOOK), "-m", "correct", "-m", "support", "--folder", "run", "--limit", "3"],
    ["metrics"],
    ["metrics", "ndcg"],
    ["validate", str(HANDBOOK)],
    ["--help"],
    ["--version"],
]


def test_scores_and_the_commands_need_no_network(tmp_path):
    said = printed_without_sockets(
        f"""
        fields = dict(question="What is it?", answer="It is $604.", reference="$604",
                      contexts=["It is $604."], gold_contexts=["It is $604."],
                      context_ids=["a"], relevant=["a"])
        from ragauge import catalog
        n = 0
        for name, metric in catalog.metrics().items():
            used = {{column.name for column in metric.columns}}
            try:
                rg.score(name, **{{k: v for k, v in fields.items() if k in used}})
                n += 1
            except rg.RagaugeError as error:
                assert "install" in str(error) or "needs" in str(error), error
        print(json.dumps([n, [ended(arguments) for arguments in {COMMANDS!r}]]))
        """,
        tmp_path,
    )
    n_scored, commands = json.loads(said)
    assert n_scored > 20
    for code, out, err in commands:
        assert code == 0, err
        assert out.strip()
        assert "Traceback" not in err


@pytest.mark.slow
def test_every_suite_evaluates_without_a_network(tmp_path):
    said = printed_without_sockets(
        f"""
        from ragauge.suite import shipped_suites
        run = rg.evaluate({str(HANDBOOK)!r}, list(shipped_suites()), folder="run", workers=2)
        print(run.summary().height > 30, run.summary("question_type").height > 100)
        """,
        tmp_path,
    )
    assert said == "True True\n"


@pytest.mark.slow  # it imports every extra that is installed
def test_the_doctor_needs_no_network(tmp_path):
    said = printed_without_sockets("print(json.dumps(ended(['doctor'])))", tmp_path)
    code, out, err = json.loads(said)
    assert code == 0, err
    assert "no telemetry" in out
    assert "Traceback" not in err
