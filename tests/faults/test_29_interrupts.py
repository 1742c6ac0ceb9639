"""FAULTS.md 28 and 29: an interrupt ends the command with 130 whenever it comes, and shows no traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases

from ragauge import cli

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs signals"),
    pytest.mark.usefixtures("interruptible"),
]
INTERRUPT = "import os, signal, time\n"
NOW = "os.kill(os.getpid(), signal.SIGINT); time.sleep(0.2)"


@pytest.fixture
def with_module(tmp_path):
    """`ragauge ARGUMENTS`, where Python finds `text` as a module of this name before any other."""

    def call(name: str, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / f"{name}.py").write_text(INTERRUPT + text)
        return subprocess.run(
            [sys.executable, "-m", "ragauge", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(cli.__file__).parents[2]}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return call


def test_while_the_command_is_imported(with_module):
    done = with_module("click", NOW)
    assert (done.returncode, done.stderr) == (130, "ragauge: interrupted\n")


@cases(
    pytest.param(f"exec({NOW!r})", id="in code that is executed from a text"),
    pytest.param(
        f"class D:\n  def __set_name__(self, *_): {NOW}\nclass E:\n  d = D()",
        id="while a class is made",
        marks=pytest.mark.slow,
    ),
    pytest.param(
        f"class D:\n  def __del__(self): {NOW}\nD()\ntime.sleep(9)",
        id="in a destructor",
        marks=pytest.mark.slow,
    ),
)
def test_while_a_plug_in_is_imported(text, with_module):
    done = with_module("plug", text, "metrics", "--plugin", "plug.py")
    assert done.returncode == 130, done.stderr
    assert done.stderr.startswith("ragauge: interrupted; finished batches are kept")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@cases(
    f"import atexit\n@atexit.register\ndef last(): {NOW}",
    "class D:\n  def __del__(self, kill=os.kill, me=os.getpid()): kill(me, 2)\nlast = D()",
    ids=["at exit", "while Python clears up"],
)
def test_after_its_end_it_changes_no_code(text, with_module):
    done = with_module("plug", text, "metrics", "ndcg", "--plugin", "plug.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ndcg" in done.stdout


def test_an_error_that_an_interrupt_caused_is_an_interrupt(ragauge, monkeypatch):
    def wrapped(_) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise ValueError("could not be imported") from interrupt

    monkeypatch.setattr(cli.cli, "invoke", wrapped)
    done = ragauge("metrics", code=130)
    assert done.err.startswith("ragauge: interrupted; ")
