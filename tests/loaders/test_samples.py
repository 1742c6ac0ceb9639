"""Every tool's sample file in `samples/`: what its rows are read as, and what is announced."""

import json
from pathlib import Path

import pytest

from ragauge.loaders.loading import load

pytestmark = pytest.mark.usefixtures("also_in_pieces")

FILES = sorted((Path(__file__).parent / "samples").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_tools_file_is_read_and_announced(file: Path, tmp_path: Path):
    given = json.loads(file.read_text("utf-8"))
    texts = {
        "rows": lambda rows: "".join(json.dumps(row) + "\n" for row in rows),
        "csv": lambda lines: "".join(line + "\n" for line in lines),
        "json": json.dumps,
    }
    [kind] = texts.keys() & given.keys()
    path = tmp_path / f"a.{'jsonl' if kind == 'rows' else kind}"
    path.write_text(texts[kind](given[kind]), "utf-8")
    read = load(path)
    rows = read.frame.rows(named=True)
    samples = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert samples == given["samples"]
    assert list(read.notes) == given["notes"]
