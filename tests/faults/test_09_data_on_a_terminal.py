"""FAULTS.md 9: CSV, JSON and other formats keep every character in a file, and hide none on a terminal."""

import json
import os
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from ragauge.report.plain import INVISIBLE

NAME = "rtl\u202e\u2066gnp\u200b\x1b[31m\x9b2J\U000e0041é東"
FORMS = ("csv", "json", "md", "tex", "tsv")


def command(folder: Path, form: str) -> list[str]:
    gold, run = folder / "gold.json", folder / f"{NAME}.json"
    gold.write_text(json.dumps({NAME: {"d1": 1}, "q2": {"d1": 1}}), "utf-8")
    run.write_text(json.dumps({NAME: {"d1": 1.0}, "q2": {"d2": 1.0}}), "utf-8")
    rank = ["rank", gold.name, run.name, "-m", "map", "-o", form, "-q"]
    return [sys.executable, "-m", "ragauge", *rank]


def on_a_terminal(arguments: list[str], folder: Path) -> str:
    """What the command writes to a terminal."""
    screen, terminal = os.openpty()
    tty.setraw(terminal)  # line ends as they are
    read = bytearray()
    with subprocess.Popen(arguments, cwd=folder, stdout=terminal, stderr=subprocess.PIPE) as done:
        os.close(terminal)
        try:
            while piece := os.read(screen, 65_536):
                read += piece
        except OSError:  # the last process with the terminal has ended
            pass
        assert done.wait() == 0, done.stderr and done.stderr.read()
    os.close(screen)
    return read.decode("utf-8")


def in_a_pipe(arguments: list[str], folder: Path) -> str:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, check=True)
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("form", FORMS)
def test_a_terminal_shows_what_is_invisible_in_every_format(tmp_path, form):
    shown = on_a_terminal(command(tmp_path, form), tmp_path)
    assert "é東" in shown or form == "tex"
    assert not INVISIBLE.search(shown.replace("\n", " ").replace("\t", " "))


def test_csv_in_a_pipe_has_every_character(tmp_path):
    """Controls by their numbers, since a pipe may end on a terminal; nothing is left out."""
    name = NAME.replace("\x1b", "\\u001b").replace("\x9b", "\\u009b")
    assert f"{name}.json,{name},map,1.0" in in_a_pipe(command(tmp_path, "csv"), tmp_path)


def test_csv_in_a_file_is_the_exact_text(tmp_path):
    (*rank, _, _, perquery) = command(tmp_path, "csv")
    subprocess.run([*rank, "-o", "out.csv", perquery], cwd=tmp_path, check=True)
    assert f"{NAME}.json,{NAME},map,1.0" in (tmp_path / "out.csv").read_text("utf-8")


def test_json_on_a_terminal_is_the_same_data(tmp_path):
    arguments = command(tmp_path, "json")
    kept, shown = in_a_pipe(arguments, tmp_path), on_a_terminal(arguments, tmp_path)
    assert json.loads(shown) == json.loads(kept)
    assert NAME in json.dumps(json.loads(shown), ensure_ascii=False).replace("\\u001b", "\x1b")


@pytest.mark.parametrize(
    "arguments",
    [
        ["{}"],
        ["run", "--{}"],
        ["run", "a.jsonl", "--limit", "{}"],
        ["run", "a.jsonl", "--map", "{}"],
        ["rank", "a", "b", "-o", "{}.none"],
        ["gate", "x", "--on", "{}"],
        ["metrics", "{}"],
        ["show", "{}"],
    ],
)
def test_what_was_typed_is_repeated_escaped_and_cut(ragauge, arguments):
    typed = "\x1b[2J\u202e" + "a" * 50_000
    done = ragauge(*(one.format(typed) for one in arguments))
    assert done.code in (2, 3, 5)
    assert not INVISIBLE.search(done.err.replace("\n", " "))
    assert len(done.err) < 5_000
