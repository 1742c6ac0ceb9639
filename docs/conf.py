"""Sphinx reads this to build the site: make docs

The pages are plain Markdown with the same links as on GitHub: the source folder is the repository, and
the front page is its README.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx

project = "ragauge"
author = "the ragauge authors"
html_title = "ragauge"

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = [
    "[A-Z]*.md",
    "docs/*.md",
    "benchmarks/*.md",
    "examples/*/README.md",
    "examples/notebooks/*.ipynb",
]
source_suffix = {".md": "markdown", ".ipynb": "notebook"}
# Pruned here, so that the build does not walk through environments and runs.
exclude_patterns = [".*", "build", "dist", "src", "tests", "ragauge-*", "**/node_modules"]

myst_heading_anchors = 4
"""Headings get GitHub's anchors, and a link to an anchor that is not there is a warning."""

html_theme = "furo"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["site.css"]
html_css_files = ["site.css"]
# Neither the date nor the sources: the same pages give the same site.
html_last_updated_fmt = None
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_permalinks_icon = "#"

CHAPTERS = {
    "Start": (
        "quickstart",
        "first-screen",
        "which-metric",
        "how-it-differs",
        "coming-from",
        "README",
        "../examples/notebooks/answers",
        "../examples/notebooks/rankings",
    ),
    "Guides": (
        *("data", "ask", "questions", "conversations", "rankings", "judges", "meaning"),
        *("runs", "page", "comparing", "gate", "calibrating", "reviewing"),
        *("statistics", "suites", "scale", "adding-a-metric"),
    ),
    "Reference": (
        *("metrics", "command-line", "python-api", "agreement", "suites-and-their-sources"),
        "stability",
        "architecture",
    ),
}
"""The order of the pages in the side bar. Pages that are not named here follow under "More"."""


def chapters_of(app: Sphinx) -> dict[str, list[str]]:
    """The pages by chapter, without the front page."""
    chapters = {
        title: [f"docs/{page}".removeprefix("docs/../") for page in pages]
        for title, pages in CHAPTERS.items()
    }
    named = {page for pages in chapters.values() for page in pages}
    return {**chapters, "More": sorted(app.env.found_docs - named - {root_doc})}


def with_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the side bar's tables of contents to the front page, so that the Markdown need not have them."""
    if docname != root_doc:
        return
    source[0] += "".join(
        f"\n\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n"
        for title, pages in chapters_of(app).items()
    )


def as_index(app: Sphinx, error: Exception | None) -> None:
    """Let a folder's address show the front page."""
    if error is None:
        out = Path(app.outdir)
        shutil.copyfile(out / f"{root_doc}.html", out / "index.html")


def for_models(app: Sphinx, error: Exception | None) -> None:
    """Write llms.txt: every page with its title and first paragraph (https://llmstxt.org)."""
    if error is not None:
        return

    def line(page: str) -> str:
        first = next(app.env.get_doctree(page).findall(nodes.paragraph), None)
        says = "" if first is None else f": {' '.join(first.astext().split())}"
        return f"- [{app.env.titles[page].astext()}]({page}.html){says}"

    parts = [f"# {project}", "> " + line(root_doc).partition(": ")[2]]
    for title, pages in chapters_of(app).items():
        parts.append("\n".join([f"## {title}", "", *map(line, pages)]))
    (Path(app.outdir) / "llms.txt").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


class NotebookParser(MystParser):
    """A notebook as a page: its texts, code and outputs."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        cells = json.loads(inputstring)["cells"]
        super().parse("\n\n".join(part for cell in cells for part in parts_of(cell)), document)


def parts_of(cell: dict[str, Any]) -> Iterator[str]:
    """A cell of a notebook in Markdown."""
    source = "".join(cell["source"])
    yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        text = "".join(data.get("text/plain", output.get("text", ())))
        html = "".join(data.get("text/html", ()))
        yield (
            f'```{{raw}} html\n<div style="overflow-x: auto">{html}</div>\n```'
            if html
            else f"```text\n{text}\n```"
        )


def setup(app: Sphinx) -> None:
    app.add_source_parser(NotebookParser)
    app.connect("source-read", with_contents)
    app.connect("build-finished", as_index)
    app.connect("build-finished", for_models)
