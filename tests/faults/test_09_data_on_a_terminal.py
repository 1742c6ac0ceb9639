"""FAULTS.md 9: CSV, JSON and other formats keep every character in a file, and hide none on a terminal."""

import json
import os
import sys
from pathlib import Path

import pytest
from cases import cases

from ragauge.report.plain import INVISIBLE
from ragauge.report.writing import ENDINGS

tty = pytest.importorskip("tty", reason="not on Windows")

NAME = "rtl\u202e\u2066gnp\u200b\x1b[31m\x9b2J\U000e0041é東"


def rank(folder: Path, form: str) -> list[str]:
    gold, run = folder / "gold.json", folder / f"{NAME}.json"
    gold.write_text(json.dumps({NAME: {"d1": 1}, "q2": {"d1": 1}}), "utf-8")
    run.write_text(json.dumps({NAME: {"d1": 1.0}, "q2": {"d2": 1.0}}), "utf-8")
    return ["rank", gold.name, run.name, "-m", "map", "-o", form, "-q"]


@pytest.fixture
def on_a_terminal(ragauge, monkeypatch):
    """What the command writes to a terminal."""

    def call(*arguments: str) -> str:
        screen, terminal = os.openpty()
        tty.setraw(terminal)  # line ends as they are
        with os.fdopen(terminal, "w", encoding="ascii") as stream, monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            assert ragauge(*arguments).code == 0
        written = os.read(screen, 65_536)
        os.close(screen)
        return written.decode("utf-8")

    return call


@cases(*ENDINGS.values(), "tsv")
def test_a_terminal_shows_what_is_invisible_in_every_format(form, on_a_terminal, tmp_path):
    shown = on_a_terminal(*rank(tmp_path, form))
    assert "é東" in shown or form == "latex"
    assert not INVISIBLE.search(shown.replace("\n", " ").replace("\t", " "))


def test_csv_in_a_pipe_has_every_character_and_in_a_file_the_exact_text(ragauge, tmp_path):
    """Controls by their numbers, since a pipe may end on a terminal; nothing is left out."""
    name = NAME.replace("\x1b", "\\u001b").replace("\x9b", "\\u009b")
    arguments = rank(tmp_path, "csv")
    assert f"{name}.json,{name},map,1.0" in ragauge(*arguments, code=0).out
    *arguments, _, _, perquery = arguments
    ragauge(*arguments, "-o", "out.csv", perquery, code=0)
    assert f"{NAME}.json,{NAME},map,1.0" in (tmp_path / "out.csv").read_text("utf-8")


def test_json_on_a_terminal_is_the_same_data(ragauge, on_a_terminal, tmp_path):
    arguments = rank(tmp_path, "json")
    kept, shown = ragauge(*arguments, code=0).out, on_a_terminal(*arguments)
    assert json.loads(shown) == json.loads(kept)
    assert NAME in json.dumps(json.loads(shown), ensure_ascii=False).replace("\\u001b", "\x1b")


@cases(
    ["{}"],
    ["run", "--{}"],
    ["run", "a.jsonl", "--limit", "{}"],
    ["run", "a.jsonl", "--map", "{}"],
    ["rank", "a", "b", "-o", "{}.none"],
    ["gate", "x", "--on", "{}"],
    ["metrics", "{}"],
    ["show", "{}"],
)
def test_what_was_typed_is_repeated_escaped_and_cut(arguments, ragauge):
    typed = "\x1b[2J\u202e" + "a" * 50_000
    done = ragauge(*(one.format(typed) for one in arguments))
    assert done.code in (2, 3, 5)
    assert not INVISIBLE.search(done.err.replace("\n", " "))
    assert len(done.err) < 5_000
