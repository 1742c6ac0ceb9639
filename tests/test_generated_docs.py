"""The generated pages are what their scripts generate now."""

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {
    "make_metrics.py": "metrics.md",
    "make_command_line.py": "command-line.md",
    "make_python_api.py": "python-api.md",
}


@pytest.mark.parametrize(("script", "page"), PAGES.items())
def test_a_generated_page_is_up_to_date(script, page):
    generated = runpy.run_path(str(DOCS / script))["page"]()
    assert (DOCS / page).read_text("utf-8") == generated, f"run: python docs/{script}"


def test_the_stub_of_the_metrics_is_up_to_date():
    made = runpy.run_path(str(DOCS / "make_metrics.py"))
    assert made["STUB"].read_text("utf-8") == made["stub"](), "run: python docs/make_metrics.py"


def test_every_script_that_makes_a_page_is_compared():
    # tests/test_schemas.py compares the schemas, tests/test_notebooks.py the notebooks.
    scripts = {path.name for path in DOCS.glob("make_*.py")} - {
        "make_schemas.py",
        "make_notebooks.py",
    }
    assert scripts == set(PAGES)


def test_a_command_page_names_every_option_of_every_command():
    from ragauge.cli import COMMANDS, cli

    text = (DOCS / "command-line.md").read_text("utf-8")
    for name in COMMANDS:
        command = cli.get_command(None, name)  # pyright: ignore
        chapter = text.split(f"\n## ragauge {name}\n")[1].split("\n## ")[0]
        for parameter in command.params:
            assert all(f"{option}" in chapter for option in parameter.opts if option[0] == "-")


def test_the_python_page_has_every_public_name():
    import ragauge

    text = (DOCS / "python-api.md").read_text("utf-8")
    for name in ragauge.__all__:
        assert f"\n### rg.{name}\n" in text
