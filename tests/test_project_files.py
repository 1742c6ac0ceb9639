"""The files by which people cite, check and extend the project: they parse, and say what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from ragauge.cli import COMMANDS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [
    path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"
]
CLASSIFIED = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))


def read(path: str | Path):
    return yaml.safe_load((ROOT / path).read_text())


def test_the_citation_names_the_version_and_the_licence_of_the_package():
    cited = read("CITATION.cff")
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(cited)
    for key in ("version", "license"):
        assert cited[key] == PROJECT[key]


def test_the_account_that_is_not_known_yet_is_named_where_the_release_says_so():
    texts = [*ROOT.glob("*.*"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.*")]
    held = {path.name for path in texts if path.is_file() and b"OWNER/" in path.read_bytes()}
    assert held == {"pyproject.toml", "gate.md"}
    assert (
        "`OWNER` in `pyproject.toml` and `docs/gate.md`" in (ROOT / "CONTRIBUTING.md").read_text()
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_jobs_whose_make_targets_exist(path):
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"] and job["steps"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            _, made, names = step.get("run", "").partition("make ")
            assert not made or set(names.split()) <= set(targets)


def test_the_tests_run_on_every_version_and_system_that_the_package_names():
    matrix = read(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == CLASSIFIED
    assert [system.split("-")[0] for system in matrix["os"]] == ["ubuntu", "macos", "windows"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_a_form_for_issues_has_what_github_wants(path):
    form = read(path)
    assert {"name", "description", "body"} <= set(form)
    assert all(field["attributes"]["label"] for field in form["body"])


def test_the_hook_of_pre_commit_runs_a_command_on_files_of_answers():
    (hook,) = read(".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["entry"].split() == ["ragauge", "validate"]
    assert "validate" in COMMANDS
    matched = [bool(re.search(hook["files"], name)) for name in ("a/answers-2.jsonl", "app.py")]
    assert matched == [True, False]
