"""Every example in README and docs runs."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ragauge import catalog
from ragauge.config import KEYS
from ragauge.suite import Suite
from ragauge.tomlfile import check_table

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_blocks_of_a_page_run_one_after_the_other(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")))
    done = subprocess.run(
        [sys.executable, script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for block in blocks(page, "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            arguments = shlex.split(command)
            if arguments[0] != "ragauge":
                continue
            done = subprocess.run(
                [sys.executable, "-m", *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            printed = [line.rstrip() for line in done.stdout.splitlines()]
            for line in shown.splitlines():
                assert line == "…" or line.rstrip() in printed, f"{command}: {line}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_toml_blocks_of_a_page_are_suites_or_configurations(page):
    for block in blocks(page, "toml"):
        table = tomllib.loads(block)
        if "name" in table:
            assert Suite.read(table, page.name).entries
        else:
            assert check_table(table, KEYS, page.name) == []


def test_every_metric_stands_in_the_list_of_metrics():
    listed = (ROOT / "docs" / "metrics.md").read_text()
    for name, metric in catalog.metrics().items():
        if metric.function.__module__.startswith("ragauge."):
            assert f"| `{name}` |" in listed, f"{name}: run docs/make_metrics.py"
            assert metric.summary in listed, f"{name}: run docs/make_metrics.py"
