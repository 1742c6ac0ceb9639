"""The command as a whole: help, unknown commands, streams."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cases import cases

from ragauge.cli import COMMANDS


def test_help_lists_every_command(ragauge):
    for arguments in (("--help",), ("-h",)):
        done = ragauge(*arguments, code=0, err="")
        for name in COMMANDS:
            assert f"\n  {name} " in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_sentence(ragauge, name):
    done = ragauge(name, "--help", code=0)
    assert done.out.startswith(f"Usage: ragauge {name} ")


def test_the_version_is_said(ragauge):
    assert ragauge("--version").out.startswith("ragauge, version ")


@cases(
    ("runn", "no command 'runn'; did you mean 'run'?"),
    ("xyzzy", "no command 'xyzzy'; the commands are demo, questions, ask, run, show,"),
    ("\x1b[31mrun", "no command '\\x1b[31mrun'"),
)
def test_an_unknown_command_gets_a_hint(name, said, ragauge):
    done = ragauge(name, code=2, out="")
    assert said in done.err
    assert "\x1b" not in done.err


def test_no_command_at_all_shows_the_help(ragauge):
    done = ragauge(code=2)
    assert "Usage: ragauge" in done.err + done.out


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("doctor",), marks=pytest.mark.slow),  # it imports every extra
        ("doctor", "--check", "run"),
        ("metrics",),
        ("metrics", "rag"),
        ("metrics", "token_f1"),
        ("prompts",),
        ("validate", "answers.jsonl", "answers.jsonl"),
        ("run", "answers.jsonl", "-m", "exact_match", "--folder", "run"),
        ("show", "run"),
        ("show", "run", "q2"),
        ("show", "run", "--worst", "exact_match"),
        ("show", "run", "--status", "missing"),
        ("compare", "run"),
        ("gate", "run", "--rule", "exact_match >= 0"),
        ("rank", "qrels", "one.run", "two.run"),
    ],
)
def test_every_command_with_a_table_writes_it_in_every_format(command, ragauge, answers, made):
    made("answers.jsonl", "-m", "exact_match", folder="run")
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    for name in ("one", "two"):
        Path(f"{name}.run").write_text(f"q1 Q0 a 1 2 {name}\nq2 Q0 b 1 2 {name}\n")
    printed = {
        form: ragauge(*command, "-f", form) for form in ("json", "md", "latex", "csv", "html")
    }
    assert {done.code for done in printed.values()} == {0}
    assert json.loads(printed["json"].out)
    is_prose = command[-1] == "q2"
    assert ("| --" in printed["md"].out or "| :-" in printed["md"].out) != is_prose
    assert r"\begin{table}" in printed["latex"].out
    assert "," in printed["csv"].out and "<table>" in printed["html"].out
    files = {"md": "new.md", "latex": "new.tex", "csv": "new.csv"}
    done = ragauge(*command, *(part for name in files.values() for part in ("-o", name)))
    assert (done.code, "wrote new.tex" in done.err) == (0, True)
    if command[0] != "rank":  # there the file has a value a line
        assert {form: Path(files[form]).read_text() for form in files} == {
            form: printed[form].out for form in files
        }


def test_help_is_quick_for_it_imports_no_subcommand():
    code = "import sys\nfrom ragauge.cli import main\n"
    code += "try: main(['--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'polars', 'numpy', 'rich', 'rapidfuzz', 'spacy'} & set(sys.modules)\n"
    code += "assert not heavy, heavy"
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert time.perf_counter() - start < 5


@cases(
    ({"_RAGAUGE_COMPLETE": "bash_source"}, "-F _ragauge_completion ragauge"),
    ({"_RAGAUGE_COMPLETE": "zsh_source"}, "compdef _ragauge_completion ragauge"),
    ({"_RAGAUGE_COMPLETE": "fish_source"}, "complete --no-files --command ragauge"),
    (
        {"_RAGAUGE_COMPLETE": "bash_complete", "COMP_WORDS": "ragauge val", "COMP_CWORD": "1"},
        "plain,validate\n",
    ),
)
def test_shells_get_their_completion_script_and_its_replies(asked, said, ragauge, monkeypatch):
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    done = ragauge(code=0)
    assert said in done.out
    assert "bug" not in done.err
