"""The composite GitHub Action, as far as a shell can run it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEP = ACTION["runs"]["steps"][1]
VARIABLES = {
    "RUN": "run",
    "RULES": "rules",
    "BASELINE": "baseline",
    "MAX_DROP": "max-drop",
    "ON": "judge-drops-on",
    "JUNIT": "junit",
    "SYSTEMS": "systems",
    "LOST": "allow-lost",
    "CONFIG": "config",
}


@pytest.fixture
def action(ragauge, answers, tmp_path):
    """Runs the action's second step with inputs; returns the exit code and what it prints."""
    assert ragauge("run", answers, "-m", "exact_match", "--folder", "new").code == 0
    script = tmp_path / "bin" / "ragauge"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m ragauge "$@"\n')
    script.chmod(0o755)

    def run(**inputs: str) -> tuple[int, str]:
        defaults = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()}
        given = defaults | {name.replace("_", "-"): value for name, value in inputs.items()}
        env = {variable: given[name] for variable, name in VARIABLES.items()}
        env |= {"PATH": f"{script.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
        env |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        env |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]]
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    return run


def gitlab_job() -> dict:
    """The job in the documentation of the gate."""
    page = (ROOT / "docs" / "gate.md").read_text().split("## GitLab CI")[1]
    return yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])["evaluate"]


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [("The fee is $604.", 0), ("The fee is $500.", 1)])
def test_the_gitlab_job_runs_and_leaves_its_artifacts(action, tmp_path, answer, code):
    row = {"id": "q1", "question": "What is the fee?", "answer": answer, "reference": "$604"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n")
    job = gitlab_job()
    script = [line for line in job["script"] if not line.startswith("pip ")]
    assert len(script) == len(job["script"]) - 1
    env = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    # GitLab runs the lines of a script in one shell and stops at the first that fails.
    command = ["bash", "-eo", "pipefail", "-c", "\n".join(script)]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    cases = ElementTree.parse(tmp_path / job["artifacts"]["reports"]["junit"]).getroot()
    assert cases.get("failures") == str(code)
    assert (tmp_path / job["artifacts"]["paths"][0] / "manifest.json").exists()


def test_the_step_reads_every_input_as_a_variable():
    inputs = {f"${{{{ inputs.{name} }}}}" for name in VARIABLES.values()}
    assert set(STEP["env"].values()) == inputs
    assert "${{" not in STEP["run"]


def test_a_gate_that_holds_and_one_that_fails(action, tmp_path):
    code, said = action(run="new", rules="exact_match >= 0.5\nfailed <= 0\n")
    assert code == 0, said
    assert "passed: 3 checks" in said
    code, said = action(run="new", rules="exact_match > 0.5", junit="out/gate.xml")
    assert code == 1
    assert "::error title=ragauge gate::exact_match > 0.5" in said
    assert (tmp_path / "out/gate.xml").exists()
    assert "passed: 3 checks" in (tmp_path / "summary.md").read_text()


@pytest.mark.slow
def test_inputs_are_never_executed(action, tmp_path):
    hostile = '$(touch pwned); `touch pwned`\n--junit=pwned\n"; touch pwned #'
    for name in ("run", "rules", "baseline", "max_drop", "judge_drops_on", "systems", "config"):
        code, said = action(**{"run": "new", "rules": "failed <= 0", name: hostile})
        assert code == 2 or (name in ("run", "baseline") and code == 5), said
        assert not (tmp_path / "pwned").exists()
