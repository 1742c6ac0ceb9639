"""The notebooks run, and show what they give."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).parent.parent / "docs"


MADE = SimpleNamespace(**runpy.run_path(str(DOCS / "make_notebooks.py")))


@pytest.mark.parametrize("name", MADE.NOTEBOOKS)
@pytest.mark.usefixtures("own_metrics")
def test_a_notebook_shows_what_it_gives_now(name, monkeypatch):
    monkeypatch.chdir(MADE.FOLDER)
    kept = (MADE.FOLDER / f"{name}.ipynb").read_text("utf-8")
    assert kept == MADE.notebook(MADE.NOTEBOOKS[name]), "run docs/make_notebooks.py"


def test_cells_are_told_apart_and_their_outputs_kept():
    source = "# Title\n\nSome text.\n\nprint('a')\nx = 1\n\ndef f():\n    return x\n\n\nf()\n"
    cells = json.loads(MADE.notebook(source))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "markdown", "code", "code"]
    printed, value = (cell["outputs"] for cell in cells[2:])
    assert printed == [{"output_type": "stream", "name": "stdout", "text": "a\n"}]
    assert value[0]["data"] == {"text/plain": "1"}
