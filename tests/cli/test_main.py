"""The command as a whole: help, unknown commands, streams."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragauge.cli import COMMANDS


def test_help_lists_every_command(ragauge):
    for arguments in (("--help",), ("-h",)):
        done = ragauge(*arguments)
        assert (done.code, done.err) == (0, "")
        for name in COMMANDS:
            assert f"\n  {name} " in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_sentence(ragauge, name):
    done = ragauge(name, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: ragauge {name} ")


def test_the_version_is_said(ragauge):
    assert ragauge("--version").out.startswith("ragauge, version ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("runn", "no command 'runn'; did you mean 'run'?"),
        ("xyzzy", "no command 'xyzzy'; the commands are demo, questions, ask, run, show,"),
        ("\x1b[31mrun", "no command '\\x1b[31mrun'"),
    ],
)
def test_an_unknown_command_gets_a_hint(ragauge, name, said):
    done = ragauge(name)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "\x1b" not in done.err


def test_no_command_at_all_shows_the_help(ragauge):
    done = ragauge()
    assert done.code == 2
    assert "Usage: ragauge" in done.err + done.out


@pytest.mark.parametrize(
    "command",
    [
        ("doctor",),
        ("doctor", "--check", "run"),
        ("metrics",),
        ("metrics", "rag"),
        ("metrics", "token_f1"),
        ("prompts",),
        ("validate", "answers.jsonl", "answers.jsonl"),
        ("show", "run"),
        ("compare", "run"),
        ("gate", "run", "--rule", "exact_match >= 0"),
    ],
)
def test_every_command_with_a_table_writes_it_in_every_format(ragauge, answers, made, command):
    folder = made("answers.jsonl", "-m", "exact_match", folder="run")
    assert folder == "run"
    files = [("-o", f"new.{ending}") for ending in ("md", "tex", "csv", "html")]
    done = ragauge(*command, "-f", "json")
    assert done.code == 0
    assert json.loads(done.out)
    assert ragauge(*command, *(part for file in files for part in file)).code == 0
    texts = [Path(name).read_text() for _, name in files]
    assert "| --" in texts[0] or "| :-" in texts[0]
    assert r"\begin{table}" in texts[1] and "," in texts[2] and "<table>" in texts[3]


def test_help_is_quick_for_it_imports_no_subcommand():
    code = "import sys\nfrom ragauge.cli import main\n"
    code += "try: main(['--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'polars', 'numpy', 'rich', 'rapidfuzz', 'spacy'} & set(sys.modules)\n"
    code += "assert not heavy, heavy"
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"_RAGAUGE_COMPLETE": "bash_source"}, "-F _ragauge_completion ragauge"),
        ({"_RAGAUGE_COMPLETE": "zsh_source"}, "compdef _ragauge_completion ragauge"),
        ({"_RAGAUGE_COMPLETE": "fish_source"}, "complete --no-files --command ragauge"),
        (
            {"_RAGAUGE_COMPLETE": "bash_complete", "COMP_WORDS": "ragauge val", "COMP_CWORD": "1"},
            "plain,validate\n",
        ),
    ],
)
def test_shells_get_their_completion_script_and_its_replies(ragauge, monkeypatch, asked, said):
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    done = ragauge()
    assert done.code == 0
    assert said in done.out
    assert "bug" not in done.err
