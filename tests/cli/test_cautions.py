"""Agreement with people on the command line: in the catalogue, and under a summary."""

import json
import re
from dataclasses import fields

import pytest

from ragauge import catalog
from ragauge.trust import Caution, MeasuredAgreement, Trust


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    """What is known of two metrics, one of which was fitted on the set that it was measured on."""
    measured = MeasuredAgreement(
        "exact_match", 1, "names", "correct", ("a set",), 10, (0.5, 0.6), 5, -0.2
    )
    fitted = MeasuredAgreement(
        "token_f1", 1, "names", "correct", ("a",), 9, (0.8, 0.8), is_fitted=True
    )
    caution = Caution("exact_match", "n_systems > 1", "τ -0.20", "ranks badly")
    table = {
        "exact_match": Trust("Tells little.", (measured,), (caution,)),
        "token_f1": Trust("Tells much.", (fitted,), ()),
    }
    monkeypatch.setattr("ragauge.trust._table", lambda: table)


def test_show_repeats_the_caution_of_the_run_unless_an_earlier_version_stored_it(ragauge, tmp_path):
    rows = [{"id": "1", "system": system, "answer": "x", "reference": "x"} for system in "ab"]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = ("run", "answers.jsonl", "-m", "exact_match")
    line = "caution: exact_match (τ -0.20): ranks badly; see ragauge metrics exact_match"
    done = ragauge(*run, "--folder", "r")
    assert (done.code, done.out.count(line)) == (0, 1)
    assert ragauge("show", "r").out.count(line) == 1
    assert "caution: exact\\_match" in (tmp_path / "r" / "summary.md").read_text()
    done = ragauge(*run, "--where", 'system = "a"', "--folder", "one")  # within its range
    assert (done.code, "caution" in done.out) == (0, False)
    file = tmp_path / "r" / "manifest.json"
    manifest = json.loads(file.read_text())
    del manifest["data"]["words"], manifest["digest"], manifest["digests"]
    file.write_text(json.dumps(manifest))
    done = ragauge("show", "r")
    assert (done.code, "caution" in done.out) == (0, False)


def test_the_catalogue_has_the_figures_and_cautions_of_what_was_measured(ragauge):
    out = ragauge("metrics", "exact_match").out
    assert "Agreement with people, measured with version 1:" in out
    assert "\nTells little.\n" in out
    assert "Caution: exact_match: ranks badly (if n_systems > 1); τ -0.20\n" in out
    assert re.search(r"^exact_match +correct: names +0.50–0.60 +-0.20 \(5\) +10 +a set", out, re.M)
    assert "The figures are of another version" not in out
    assert "†" not in out
    out = ragauge("metrics", "token_f1").out
    assert " 0.80 † " in out
    assert "† The metric was fitted on some of these sets; expect lower figures on others." in out
    assert "Agreement" not in ragauge("metrics", "ndcg").out
    out = ragauge("metrics").out
    assert re.search(r"^exact_match .* 0\.50–0\.60 ", out, re.M)
    assert len(re.findall(r"\d\.\d\d–\d\.\d\d", out)) == 1
    assert "AUROC: agreement with people" in out


def test_figures_of_another_version_say_so(ragauge, monkeypatch):
    definition = catalog.metrics()["exact_match"]
    values = {field.name: getattr(definition, field.name) for field in fields(definition)}
    newer = type(definition)(**{**values, "version": 2})
    monkeypatch.setitem(catalog.METRICS, "exact_match", newer)
    out = ragauge("metrics", "exact_match").out
    assert "The figures are of another version than 2, which is this one.\n" in out
