"""The command as a whole: help, unknown commands, streams."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cases import cases

from ragauge.cli import COMMANDS, cli
from ragauge.report.writing import ENDINGS


def test_help_lists_every_command_and_is_shown_without_any(ragauge):
    for arguments in (("--help",), ("-h",)):
        done = ragauge(*arguments, code=0, err="")
        for name in COMMANDS:
            assert f"\n  {name} " in done.out
    done = ragauge(code=2)
    assert "Usage: ragauge" in done.err + done.out
    assert ragauge("--version").out.startswith("ragauge, version ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_sentence(ragauge, name):
    done = ragauge(name, "--help", code=0)
    assert done.out.startswith(f"Usage: ragauge {name} ")


@cases(
    ("runn", "no command 'runn'; did you mean 'run'?"),
    ("xyzzy", "no command 'xyzzy'; the commands are demo, questions, ask, run, show,"),
    ("\x1b[31mrun", "no command '\\x1b[31mrun'"),
)
def test_an_unknown_command_gets_a_hint(name, said, ragauge):
    done = ragauge(name, code=2, out="")
    assert said in done.err
    assert "\x1b" not in done.err


WITH_FORMATS = [
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
    ("label-plan", "--rate", "0.7"),
    ("review", "stats", "run"),
]
ELSEWHERE = {"questions check", "questions make", "review questions", "judge-bias", "cache"}
ELSEWHERE |= {"calibrate"}
"""What needs documents, a judge, a cache or many labels; its report is tested with it."""


def parameters(command: click.Command, name: str = "") -> Iterator[tuple[str, click.Parameter]]:
    """The name of each command and of those below it with each of its parameters."""
    if isinstance(command, click.Group):
        for each in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), each)
            assert below is not None
            yield from parameters(below, f"{name} {each}".strip())
    yield from ((name, parameter) for parameter in command.params)


def test_no_command_with_formats_is_forgotten_below():
    rows = [row for row in WITH_FORMATS if type(row) is tuple]
    tested = {name for row in rows for name in (row[0], " ".join(row[:2]))} | ELSEWHERE
    assert {name for name, one in parameters(cli) if one.name == "form"} - tested == set()


@pytest.mark.parametrize("command", WITH_FORMATS)
def test_every_command_with_a_table_writes_it_in_every_format(
    command, ragauge, answers, made, numbers_as_text
):
    made("answers.jsonl", "-m", "exact_match", folder="run")
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    for name in ("one", "two"):
        Path(f"{name}.run").write_text(f"q1 Q0 a 1 2 {name}\nq2 Q0 b 1 2 {name}\n")
    files = {form: f"new{ending}" for ending, form in ENDINGS.items()}
    printed = {form: ragauge(*command, "-f", form) for form in files}
    assert {done.code for done in printed.values()} == {0}
    assert json.loads(printed["json"].out)
    assert not numbers_as_text(printed["json"].out)
    is_prose = command[-1] == "q2"
    assert ("| --" in printed["md"].out or "| :-" in printed["md"].out) != is_prose
    assert r"\begin{table}" in printed["latex"].out
    assert "," in printed["csv"].out and "<table>" in printed["html"].out
    done = ragauge(*command, *(part for name in files.values() for part in ("-o", name)))
    assert (done.code, "wrote new.tex" in done.err) == (0, True)
    if command[0] != "rank":  # there the file has a value a line
        assert {form: Path(files[form]).read_text() for form in files} == {
            form: printed[form].out for form in files
        }


@cases(
    "show run -o run/manifest.json",
    "show link -o run/summary.md",
    "compare run -o run/summary.json",
    "compare a@run b@run -o ./run/../run/summary.md",
    "gate run --rule failed<=9 -o run/results.json",
    "gate run --rule failed<=9 --junit run/manifest.json",
    "gate other --rule failed<=9 --baseline run -o run/manifest.json",
    "report run -o run/scores/000000.parquet",
    "calibrate labels.csv run -o run/manifest.json",
    "label-plan labels.csv run -o run/manifest.json",
    "review stats run -o run/manifest.json",
    "review export run -o run/labels.jsonl",
    "doctor --check run -o run/summary.json",
)
def test_no_command_replaces_a_file_of_a_run_that_it_reads(command, ragauge, answers, made):
    made("answers.jsonl", "-m", "exact_match", folder="run")
    made("answers.jsonl", "-m", "exact_match", folder="other")
    Path("link").symlink_to("run")
    Path("labels.csv").write_text("id,system,label\nq1,a,yes\n")
    before = {path: path.read_bytes() for path in Path("run").rglob("*.*")}
    done = ragauge(*command.split(), code=2, out="")
    assert re.search("is a file of the run (run|link) itself; choose another name", done.err)
    assert {path: path.read_bytes() for path in Path("run").rglob("*.*")} == before


def test_a_report_may_stand_beside_the_files_of_its_run(ragauge, answers, made):
    made("answers.jsonl", "-m", "exact_match", folder="run")
    for _ in range(2):
        ragauge("show", "run", "-o", "run/shown.md", code=0)
    assert ragauge("show", "run", code=0).out


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
