"""Every example in README and docs runs."""

import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest

from ragauge import catalog
from ragauge.cli import main
from ragauge.evaluation.config import KEYS
from ragauge.storage.tomlfile import check_table
from ragauge.suite import Suite

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKING = [
    *sorted({*PAGES, *ROOT.glob("*.md")}),
    ROOT / "benchmarks" / "README.md",
    *sorted(ROOT.glob("examples/*/README.md")),
]
COMING_FROM = (ROOT / "docs" / "coming-from.md").read_text()
QUICK = (ROOT / "README.md", ROOT / "docs" / "first-screen.md")
"""Pages whose commands are run by `make test`; those of all pages by `make test-slow`."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")
THEIRS_AND_OURS = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \| `([^`]+)` \| (.*) \|$", re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.usefixtures("own_metrics")
def test_the_python_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks(page, "python")))
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(script))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.name, marks=() if page in QUICK else pytest.mark.slow)
        for page in PAGES
    ],
)
@pytest.mark.usefixtures("own_metrics")
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            arguments = shlex.split(command)
            if arguments[0] != "ragauge":
                continue
            with pytest.raises(SystemExit) as left:
                main(arguments[1:])
            printed = capsys.readouterr()
            assert left.value.code in {0, None}, printed.err
            lines = [line.rstrip() for line in printed.out.splitlines()]
            for line in shown.splitlines():
                assert line == "…" or line.rstrip() in lines, f"{command}: {line}"


def test_every_toml_block_is_a_suite_or_a_configuration():
    for page in PAGES:
        for table in map(tomllib.loads, blocks(page, "toml")):
            if "name" in table:
                assert Suite.read(table, page.name).entries, page.name
            else:
                assert check_table(table, KEYS, page.name) == []


def names_of_other_tools() -> list[tuple[str, str]]:
    """Each name in the tables of coming-from.md, with the label of ours beside it."""
    rows = THEIRS_AND_OURS.findall(COMING_FROM)
    return [(name, ours) for names, ours, _ in rows for name in re.findall(r"`([^`]+)`", names)]


def nearest_of(name: str) -> str | None:
    """The metric that the error about a name calls the nearest."""
    found = re.search(r"the nearest is (\w+): ", catalog.unknown(name))
    return found and found[1]


def test_a_name_of_another_tool_is_read_as_the_page_says():
    names = names_of_other_tools()
    labels = [(theirs, catalog.read_label(theirs)) for theirs, _ in names]
    read = [
        str(label) if label.name in catalog.metrics() else nearest_of(theirs)
        for theirs, label in labels
    ]
    assert list(zip((theirs for theirs, _ in names), read, strict=True)) == names


def test_every_name_of_another_tool_is_on_the_page():
    listed = {name for name, _ in names_of_other_tools()}
    aliases = tomllib.loads((ROOT / "src" / "ragauge" / "aliases.toml").read_text())
    assert {*aliases["same"], *aliases["nearest"]} - listed == {"bert_score"}


def test_the_labels_that_the_page_recommends_are_labels():
    for label in re.findall(r"`(\w+\([^`]*\))`", COMING_FROM):
        catalog.find(catalog.read_label(label))


def test_every_link_leads_to_a_file():
    for page in LINKING:
        for target in LINK.findall(page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_documentation_lists_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    table = (ROOT / "docs" / "README.md").read_text().partition("| extra | adds |")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(rows))) == sorted(extras)
