"""The template project of a plug-in, installed as anybody would, and what an entry point may break."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragauge as rg

ROOT = Path(__file__).parent.parent
ROW = {
    "id": "q1",
    "trial": {
        "asked": "When?",
        "steps": [{"said": "In 1931."}],
        "pages": [{"body": "Since 1931."}],
    },
    "target": {"text": "1931 in"},
}
"""A row of the shape that the template describes."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the template installed into it."""
    place = tmp_path_factory.mktemp("site")
    command = [
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--target",
        place,
    ]
    source = place.parent / "plugin"
    source.symlink_to(ROOT / "examples" / "plugin")
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command, source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return place


def ragauge(place, folder, *arguments):
    """What the command prints where the package in `place` is installed."""
    path = os.pathsep.join([str(place), str(Path(rg.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-m", "ragauge", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_template_brings_its_five_things(installed, tmp_path):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    metrics = ["-m", "brevity", "-m", "semantic_similarity", "-m", "answer_class"]
    models = ["--judge", "letters:small", "--encoder", "letters:small"]
    code, out, err = ragauge(
        installed,
        tmp_path,
        "run",
        "rows.jsonl",
        *metrics,
        *models,
        "--folder",
        "made",
        "-f",
        "json",
    )
    assert code == 0, err
    assert "'trial' as answer" in err
    means = {row["metric"].split("(")[0]: row["mean"] for row in json.loads(out)["summary"]}
    # The letters of "In 1931." and "1931 in" are the same.
    assert means == {"brevity": 1.0, "semantic_similarity": pytest.approx(1), "answer_class": 1.0}
    code, out, err = ragauge(installed, tmp_path, "show", "made", "-f", "rst")
    assert (code, ".. csv-table::" in out, '"brevity' in out) == (0, True, True), err
    code, _, err = ragauge(installed, tmp_path, "show", "made", "-o", "made.rst")
    assert code == 0, err
    assert (tmp_path / "made.rst").read_text() == out


BROKEN = {
    "writers": ("gone = no_module:write\n", ("show", "made", "-f", "gone"), "the writers of their (no_module:write) cannot be imported: ModuleNotFoundError"),
    "loaders": ("gone = json:dumps\n", ("validate", "rows.jsonl"), "the entry point json:dumps of ragauge.loaders is <function dumps"),
    "encoders": ("gone = no_module:Encoder\n", ("run", "rows.jsonl", "-m", "semantic_similarity", "--encoder", "gone:big"), "the encoders of their (no_module:Encoder) cannot be imported: ModuleNotFoundError"),
    "judges": ("none = ragauge:score\n", ("run", "rows.jsonl", "-m", "answer_class", "--judge", "none:big"), "unknown metric 'big'"),
    "judges, not ragauge's error": ("gone = json:loads\n", ("run", "rows.jsonl", "-m", "answer_class", "--judge", "gone:big"), "'gone:big' of their (json:loads) cannot be opened: JSONDecodeError"),
}  # fmt: skip
"""By group: an entry point, a command that uses it, and what it says."""


@pytest.mark.parametrize("group", BROKEN)
def test_an_entry_point_that_is_broken_is_said_to_be_its_package_s(tmp_path, group):
    entry, command, says = BROKEN[group]
    place = tmp_path / "their-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: their\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text(f"[ragauge.{group.partition(',')[0]}]\n{entry}")
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    rg.evaluate([{"id": "q1", "answer": "a"}], "dont_know", folder=tmp_path / "made")
    code, _, err = ragauge(tmp_path, tmp_path, *command)
    assert code in {2, 3, 6}, err
    assert says in err
    assert "Traceback" not in err
