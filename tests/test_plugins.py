"""The template project of a plug-in, installed as anybody would, and what an entry point may break."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg

ROOT = Path(__file__).parent.parent
ROW = {
    "id": "q1",
    "trial": {"asked": "When?", "steps": [{"said": "In 1931."}], "pages": [{"body": "1931."}]},
    "target": {"text": "1931 in"},
}
"""A row of the shape that the template describes."""


@pytest.mark.posix
def test_the_template_brings_its_five_things(tmp_path):
    (tmp_path / "plugin").symlink_to(ROOT / "examples" / "plugin")
    place, rows = tmp_path / "site", tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW) + "\n")
    path = os.pathsep.join([str(place), str(Path(rg.__file__).parents[1])])

    def python(*arguments: object) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    offline = ("-q", "--no-deps", "--no-build-isolation", "--no-index", "--target")
    python("pip", "install", *offline, place, tmp_path / "plugin")
    metrics = ("-m", "brevity", "-m", "semantic_similarity", "-m", "answer_class")
    models = ("--judge", "letters:small", "--encoder", "letters:small")
    _, err = python("ragauge", "run", rows, *metrics, *models, "--folder", "made")
    assert "'trial.steps.said' as answer" in err
    # The letters of "In 1931." and "1931 in" are the same.
    summary = rg.open_run(tmp_path / "made").summary()
    means = {row["metric"].split("(")[0]: row["mean"] for row in summary.to_dicts()}
    assert means == {"brevity": 1.0, "semantic_similarity": pytest.approx(1), "answer_class": 1.0}
    out, _ = python("ragauge", "show", "made", "-f", "rst")
    assert ".. csv-table::" in out
    assert '"brevity' in out
    python("ragauge", "show", "made", "-o", "made.rst")
    assert (tmp_path / "made.rst").read_text() == out
    python("ragauge", "run", rows, *metrics, *models, "--folder", "made", "-o", "run.rst")
    assert (tmp_path / "run.rst").read_text() == out


def test_another_format_is_written_by_every_command_from_its_entry(ragauge, install, tmp_path):
    source = "import json\ndef write(report): return json.dumps(report.data(), default=str)\n"
    install("writers", "lines = their:write", their=source)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "q1", "answer": "a", "reference": "b"}))
    scored = ("run", "rows.jsonl", "-m", "exact_match", "--folder", "made", "--no-report")
    assert ragauge(*scored, "-o", "a.lines", "-o", "a.json").code == 0
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 2 x\n")
    # One query of three has its document: 0.3333 in a table.
    assert ragauge("rank", "qrels", "run", "-c", "-o", "b.lines", "-o", "b.json").code == 0
    for name in "ab":
        written = json.loads((tmp_path / f"{name}.lines").read_text())
        assert written == json.loads((tmp_path / f"{name}.json").read_text())


def test_a_tools_shape_is_read_before_its_columns_are_taken_for_what_their_names_say_elsewhere(
    ragauge, install, tmp_path
):
    paths = {"question": "input.query", "answer": "output.text", "references": "expected.all"}
    source = f"from ragauge.loaders.shapes.reader import Shape\nTOOL = Shape(takes={paths})\n"
    install("loaders", "tool = their:TOOL", their=source)
    row = {
        "input": {"query": "Who?"},
        "output": {"text": "Ida"},
        "expected": {"all": ["Ida", "I."]},
    }
    (tmp_path / "rows.json").write_text(json.dumps({"items": [row]}))
    done = ragauge("validate", "rows.json", "-f", "csv")
    assert "read 'input.query' as question, 'output.text' as answer" in done.err
    columns = [line.split(",")[0] for line in done.out.splitlines()[1:]]
    assert columns == ["id", "system", *paths]


@cases(
    (
        "writers",
        "gone = no_module:write",
        ("show", "made", "-f", "gone"),
        "the writers of their (no_module:write) cannot be imported: ModuleNotFoundError",
    ),
    (
        "loaders",
        "gone = json:dumps",
        ("validate", "rows.jsonl"),
        "the entry point json:dumps of ragauge.loaders is <function dumps",
    ),
    (
        "encoders",
        "gone = no_module:Encoder",
        ("run", "rows.jsonl", "-m", "semantic_similarity", "--encoder", "gone:big"),
        "the encoders of their (no_module:Encoder) cannot be imported: ModuleNotFoundError",
    ),
    (
        "judges",
        "none = ragauge:score",
        ("run", "rows.jsonl", "-m", "answer_class", "--judge", "none:big"),
        "unknown metric 'big'",
    ),
    (
        "judges",
        "gone = json:loads",
        ("run", "rows.jsonl", "-m", "answer_class", "--judge", "gone:big"),
        "'gone:big' of their (json:loads) cannot be opened: JSONDecodeError",
    ),
)
def test_an_entry_point_that_is_broken_is_said_to_be_its_package_s(
    kind, entry, command, says, ragauge, install, tmp_path
):
    install(kind, entry)
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    if "made" in command:
        rg.evaluate([{"id": "q1", "answer": "a"}], "dont_know", folder=tmp_path / "made")
    done = ragauge(*command)
    assert done.code in {2, 3, 6}, done.err
    assert says in done.err
