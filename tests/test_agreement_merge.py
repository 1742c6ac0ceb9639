"""Figures of some metrics that replace those of the page and the notes."""

import runpy
from datetime import date
from pathlib import Path
from types import SimpleNamespace

PATH = Path(__file__).parent.parent / "benchmarks" / "agreement_merge.py"
MERGE = SimpleNamespace(**runpy.run_path(str(PATH)))

OLD = """
Measured on 2026-11-22 with all rows.

## Is it correct?

| metric | mean AUROC |
| --- | --- |
| `a` | 0.90 |
| `b` | 0.80 |

### one

| metric | AUROC (95 %) |
| --- | --- |
| `a` | 0.900 |
| `b` | 0.800 |

## Is it supported?

### AUROC

| set | `a` | `b` |
| --- | --- | --- |
| x | 0.5 | 0.6 |
"""
NEW = """## Is it correct?

| metric | mean AUROC |
| --- | --- |
| `b` | 0.95 |

### one

| metric | AUROC (95 %) |
| --- | --- |
| `b` | 0.950 |

## Is it supported?

### AUROC

| set | `b` |
| --- | --- |
| x | 0.7 |
"""


def test_lines_and_columns_are_replaced_and_the_overview_sorted_again():
    today = date.today().isoformat()
    merged = MERGE.merged_page(OLD, NEW, ["b"])

    assert f"with all rows.\n\nMeasured again on {today}: `b`.\n\n## Is it" in merged
    assert "| `b` | 0.95 |\n| `a` | 0.90 |\n" in merged
    assert "| `a` | 0.900 |\n| `b` | 0.950 |\n" in merged
    assert "| x | 0.5 | 0.7 |" in merged
    assert MERGE.merged_page(merged, NEW, ["b"]) == merged


def test_notes_of_other_metrics_stay_with_their_dates():
    a = "# Head\n\n[metrics.a]\nmeasured_on = 2026-11-22\n\n"
    old, new = (f"[metrics.b]\nmeasured_on = 2026-11-2{day}\n" for day in (2, 3))

    assert MERGE.merged_notes(a + old, f"# Head\n\n{new}") == a + new


def test_each_later_date_keeps_the_metrics_whose_figures_are_of_that_date():
    today = date.today().isoformat()
    earlier = OLD.replace(
        "with all rows.\n", "with all rows.\n\nMeasured again on 2026-01-02: `a`, `b`.\n"
    )
    merged = MERGE.merged_page(earlier, NEW, ["b"])

    assert f"Measured again on 2026-01-02: `a`.\nMeasured again on {today}: `b`.\n\n## Is" in merged
