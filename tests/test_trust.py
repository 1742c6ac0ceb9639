"""`trust.toml`: what the package says about agreement with people is about metrics that exist."""

from dataclasses import fields
from pathlib import Path

import ragauge.metrics
from ragauge import catalog, trust
from ragauge.label import Label
from ragauge.metric import METRICS
from ragauge.runs.findings import Facts
from ragauge.trust import trust_in
from ragauge.where import Filter

MEASURED = {name: found for name in catalog.metrics() if (found := trust_in(name))}


def test_metrics_with_labelled_sets_were_measured():
    assert {"token_f1", "bertscore", "support", "hallucination", "dont_know"} <= set(MEASURED)


def test_labels_are_canonical_and_conditions_name_facts():
    known = {field.name for field in fields(Facts)}
    for name, found in MEASURED.items():
        assert found.note.endswith("."), name
        assert len(found.measured_on) == len("2026-11-22"), name
        assert found.versions, name
        assert found.measured[0].label == name, "the default settings come first"
        for each in (*found.measured, *found.cautions):
            metric, settings = catalog.find(Label.parse(each.label))
            assert metric.name == name
            assert str(metric.label(settings)) == each.label
        for caution in found.cautions:
            assert not caution.when or Filter.parse(caution.when).fields <= known, name


def test_figures_are_within_their_ranges():
    for name, found in MEASURED.items():
        low, high = found.auroc
        assert 0 <= low <= high <= 1, name
        for each in found.measured:
            assert 0 <= each.auroc[0] <= each.auroc[1] <= 1, each.label
            assert each.n > 0 < len(each.sets), each.label
            assert each.tau is None or (-1 <= each.tau <= 1 and each.n_systems >= 4), each.label


def test_a_metric_that_was_not_measured_has_no_trust():
    assert METRICS["ndcg"].trust is None
    assert METRICS["faithfulness"].trust is None


def test_the_figures_are_no_part_of_a_runs_key():
    """Data files beside a module and with its name are; see `ragauge.runs.code`."""
    assert not list(Path(trust.__file__).parent.glob("trust.[!p]*"))
    assert not list(Path(ragauge.metrics.__path__[0]).glob("trust.py"))
