import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragauge.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def ragauge(capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path: Path) -> Command:
    """The command in this process, in the test's folder. For metrics of plug-ins use `started`."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(one) for one in arguments])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Done(int(left.value.code or 0), said.out, said.err)

    return call


@pytest.fixture
def started(tmp_path: Path) -> Command:
    """The command as a process of its own, in the test's folder."""

    def call(*arguments: object) -> Done:
        command = [sys.executable, "-m", "ragauge", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False, timeout=60
        )
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return call


ANSWERS = """\
{"id": "q1", "system": "a", "answer": "Paris", "reference": "Paris", "kind": "fact", "year": 2019}
{"id": "q2", "system": "a", "answer": "Rome is it", "reference": "Rome", "kind": "list", "year": 2021}
{"id": "q1", "system": "b", "answer": "paris", "reference": "Paris", "kind": "fact", "year": 2019}
{"id": "q2", "system": "b", "answer": null, "reference": "Rome", "kind": "list", "year": 2021}
"""


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Two systems, two questions; `b` gives no answer to q2.

    exact_match: a 1 and 0, b 1 and missing. token_f1 of "Rome is it" with "Rome": precision 1/3,
    recall 1, so 0.5.
    """
    path = tmp_path / "answers.jsonl"
    path.write_text(ANSWERS)
    return path
