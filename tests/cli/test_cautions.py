"""Agreement with people on the command line: in the catalogue, and under a summary."""

import json
import re
from pathlib import Path

import pytest

from ragauge import catalog
from ragauge.trust import Caution, Measured, Trust


@pytest.fixture
def _known_cautions(monkeypatch):
    measured = (
        Measured("exact_match", 1, "names", "correct", ("a set",), 10, (0.5, 0.6), 5, -0.2),
    )
    caution = Caution("exact_match", "n_systems > 1", "τ -0.20", "ranks badly")
    table = {"exact_match": Trust("Tells little.", measured, (caution,))}
    monkeypatch.setattr("ragauge.trust._table", lambda: table)


def answers(folder: Path, systems: str = "ab") -> Path:
    file = folder / "answers.jsonl"
    rows = [{"id": "1", "system": name, "answer": "x", "reference": "x"} for name in systems]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.mark.usefixtures("_known_cautions")
def test_show_repeats_the_caution_of_the_run(ragauge, tmp_path):
    folder = str(tmp_path / "run")
    line = "caution: exact_match (τ -0.20): ranks badly; see ragauge metrics exact_match"
    done = ragauge("run", str(answers(tmp_path)), "-m", "exact_match", "--folder", folder)
    assert (done.code, done.out.count(line)) == (0, 1)
    assert ragauge("show", folder).out.count(line) == 1
    assert "caution: exact\\_match" in (tmp_path / "run" / "summary.md").read_text()


@pytest.mark.usefixtures("_known_cautions")
def test_a_run_that_an_earlier_version_stored_is_shown_without_cautions(ragauge, tmp_path):
    folder = tmp_path / "run"
    ragauge("run", str(answers(tmp_path)), "-m", "exact_match", "--folder", str(folder))
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["data"]["words"], manifest["digest"], manifest["digests"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    done = ragauge("show", str(folder))
    assert done.code == 0
    assert "caution" not in done.out


@pytest.mark.usefixtures("_known_cautions")
def test_a_metric_is_explained_with_its_figures_and_cautions(ragauge):
    out = ragauge("metrics", "exact_match").out
    assert "Agreement with people, measured with version 1:" in out
    assert "\nTells little.\n" in out
    assert "Caution: exact_match: ranks badly (if n_systems > 1); τ -0.20\n" in out
    assert re.search(r"^exact_match +correct: names +0.50–0.60 +-0.20 \(5\) +10 +a set", out, re.M)
    assert "The figures are of another version" not in out
    assert "†" not in out


@pytest.mark.usefixtures("_known_cautions")
def test_figures_of_another_version_say_so(ragauge, monkeypatch):
    definition = catalog.metrics()["exact_match"]
    newer = type(definition)(
        **{
            name: 2 if name == "version" else getattr(definition, name)
            for name in definition.__dataclass_fields__
        }
    )
    monkeypatch.setitem(catalog.METRICS, "exact_match", newer)
    out = ragauge("metrics", "exact_match").out
    assert "The figures are of another version than 2, which is this one.\n" in out


def test_figures_on_sets_that_a_metric_was_fitted_on_are_marked(ragauge, monkeypatch):
    fitted = Measured("token_f1", 1, "names", "correct", ("a",), 9, (0.8, 0.8), is_fitted=True)
    table = {"token_f1": Trust("Tells much.", (fitted,), ())}
    monkeypatch.setattr("ragauge.trust._table", lambda: table)
    out = ragauge("metrics", "token_f1").out
    assert " 0.80 † " in out
    assert "† The metric was fitted on some of these sets; expect lower figures on others." in out


def test_a_metric_that_was_not_measured_has_no_note(ragauge):
    assert "Agreement" not in ragauge("metrics", "ndcg").out


@pytest.mark.usefixtures("_known_cautions")
def test_the_list_has_the_range_of_areas(ragauge):
    out = ragauge("metrics").out
    assert re.search(r"^exact_match .* 0\.50–0\.60 ", out, re.M)
    assert len(re.findall(r"\d\.\d\d–\d\.\d\d", out)) == 1
    assert "AUROC: agreement with people" in out
