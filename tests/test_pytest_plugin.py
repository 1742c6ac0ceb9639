"""The pytest plugin, in a pytest of its own: what passes, what fails, and what a failure shows."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROWS = """\
{"id": "q1", "answer": "Paris", "reference": "Paris"}
{"id": "q2", "answer": "Rome is it", "reference": "Rome"}
"""


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    """Runs a test file in a session of its own; returns the exit code and what it prints."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/answers.jsonl").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def start(text: str) -> tuple[int, str]:
        (tmp_path / "data/test_it.py").write_text(text)
        sys.modules.pop("data.test_it", None)  # of an earlier session
        options = ["-q", "-s", "-p", "ragauge.pytest_plugin", "--strict-markers"]
        options += [f"--basetemp={tmp_path / 'of it'}", "--import-mode=importlib"]
        code = pytest.main([*options, "data/test_it.py"])
        said = capsys.readouterr()
        return int(code), said.out + said.err

    return start


def test_what_holds_passes_and_what_does_not_shows_its_evidence_and_no_workflow_command(started):
    code, said = started("""
import pytest
from ragauge.pytest_plugin import assert_score

def test_right():
    assert assert_score("exact_match", at_least=1, answer="Paris", reference="Paris").value == 1

def test_wrong():
    assert_score("number_match", at_least=1, answer="It is $5.", reference="$604")

def test_too_much():
    assert_score("exact_match", at_most=0.5, answer="Paris", reference="Paris")

def test_no_value():
    assert_score("recall@10", at_least=0, answer="Paris")

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], rules=["exact_match >= 0.5"])
def test_marker(ragauge_run):
    test_marker.run = ragauge_run
    assert len(ragauge_run.samples) == 2

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], rules=["exact_match >= 0.6"])
def test_marker_alone():
    raise AssertionError("the body is not reached")

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"])
def test_the_file_was_evaluated_once(ragauge_run):
    assert ragauge_run is test_marker.run

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], max_drop=0, baseline="nowhere")
def test_no_baseline():
    pass

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], rules=[])
def test_rules_that_check_nothing():
    pass

@pytest.mark.ragauge("answers.jsonl", metricks=["exact_match"])
def test_a_mistyped_option():
    pass

def test_no_number():
    assert_score("exact_match", at_least=float("nan"), answer="a", reference="b")

@pytest.mark.ragauge("missing.jsonl")
def test_no_file():
    pass

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], rules="exact >")
def test_no_rule():
    pass

def test_no_marker(ragauge_run):
    pass

HOSTILE = "::error::x\\n::set-output name=a::b ##[error]c \\x1b[31m"

def test_evidence():
    assert_score("exact_match", at_least=1, answer=HOSTILE, reference="Rome " + HOSTILE)

def test_unknown():
    assert_score(f"exact_mach(by={HOSTILE!r})", at_least=1, answer="a", reference="b")

@pytest.mark.ragauge("answers.jsonl", metrics=["exact_match"], rules=[f"exact_match[x = {HOSTILE!r}] > 1"])
def test_rule():
    pass
""")
    assert code == 1
    assert "3 passed" in said, said
    assert "number_match is 0, must be at least 1" in said
    assert "answer: 'It is $5.'" in said
    assert '"604"' in said
    assert "exact_match is 1, must be at most 0.5" in said
    assert "recall@10 has no value (missing)" in said
    assert "✗ exact_match >= 0.6  (default)" in said
    assert "q2 · 1 answer" in said
    assert "the body is not reached" not in said
    assert "missing.jsonl cannot be evaluated" in said
    assert "rule 'exact >': expected a value" in said
    assert "the fixture ragauge_run needs the file" in said
    assert "FAILED data/test_it.py::test_marker_alone" in said
    assert "nowhere: is not a run folder" in said
    assert "a gate needs a rule" in said
    assert "cannot be evaluated: evaluate() got an unexpected keyword argument 'metricks'" in said
    assert "assert_score needs at_least or at_most, a number" in said
    assert "Traceback" not in said
    assert "exact_match is 0, must be at least 1" in said
    assert "ragauge/engine" not in said
    assert "##[" not in said
    assert "\x1b" not in said
    assert not [line for line in said.splitlines() if line.lstrip().startswith("::")]


def test_the_plugin_is_declared_and_light():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"ragauge": "ragauge.pytest_plugin"}
    assert "pytest" not in " ".join(project["dependencies"])
    script = "import ragauge.pytest_plugin, sys; print({'polars', 'numpy', 'ragauge.evaluation'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "set()\n"
