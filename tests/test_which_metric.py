"""The figures of docs/which-metric.md are the measured ones."""

import re
from pathlib import Path

from ragauge import catalog
from ragauge.label import Label
from ragauge.suite import Suite
from ragauge.trust import trust_in

TEXT = (Path(__file__).parent.parent / "docs" / "which-metric.md").read_text("utf-8")


def figures() -> list[tuple[str, str, str]]:
    """Each figure of a table: its metric, its kind of texts, the figure."""
    out: list[tuple[str, str, str]] = []
    for table in re.findall(r"(?:^\|.*\|\n)+", TEXT, re.MULTILINE):
        header, _, *rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
        ]
        for row in rows:
            named = dict(zip(header, row, strict=True))
            out += [
                (named["metric"].strip("`"), kind, cell)
                for kind, cell in named.items()
                if re.fullmatch(r"\d\.\d\d", cell)
            ]
    return out


def test_each_figure_of_the_page_is_the_measured_one():
    found = figures()
    assert len(found) == 9 * 3 + 4 * 4 - 1, "those of both questions; one has too few rows"
    for metric, kind, figure in found:
        trust = trust_in(metric)
        assert trust is not None
        assert f"{kind} ({figure}" in trust.note, metric


def test_what_the_page_says_about_refusals_and_the_ranking_of_systems_was_measured():
    refusals = trust_in("dont_know")
    assert refusals is not None
    assert "refusals (0.99)" in refusals.note
    for metric in ("token_f1", "rouge1", "rouge2", "rougeL", "bleu", "semantic_similarity"):
        measured = trust_in(metric)
        assert measured is not None
        taus = [
            row.tau
            for row in measured.measured
            if row.label == metric and row.kind == "names and dates"
        ]
        assert taus[0] is not None
        assert taus[0] <= -0.2


def test_every_metric_that_the_page_recommends_exists():
    for label in re.findall(r"`([a-z]\w*(?:\(match=[^)]*\))?(?:@\d+)?)`", TEXT):
        if label not in ("rag", "refused", "reference-free", "answerable"):
            found, _ = catalog.find(catalog.read_label(label))
            assert found.name == catalog.read_label(label).name


def test_the_page_names_every_metric_of_the_default_suite():
    for entry in Suite.load("rag").entries:
        assert f"`{Label.parse(str(entry.label))}`" in TEXT, entry.label
