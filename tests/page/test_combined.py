"""Several runs as one: their systems side by side, and what keeps runs apart is said."""

import ragauge as rg
from ragauge.page.combined import combined, with_combined
from ragauge.page.overview import Overview
from ragauge.views.first_screen import FirstScreen


def rows(right: int, *, system: str | None = None, n: int = 12, question: str = "capital?"):
    return [
        {
            "id": f"q{at:02}",
            **({"system": system} if system else {}),
            "question": question,
            "answer": "Rome" if at < right else "Oslo",
            "reference": "Rome",
        }
        for at in range(n)
    ]


def stored(tmp_path, name, given, metrics=("exact_match", "token_f1")) -> rg.Run:
    return rg.evaluate(given, list(metrics), folder=tmp_path / name)


def test_the_systems_of_runs_stand_side_by_side_with_the_numbers_of_compare(tmp_path):
    monday = stored(tmp_path, "monday", rows(3))
    tuesday = stored(tmp_path, "tuesday", rows(12))
    both = combined([monday, tuesday])
    assert both is not None
    assert both.samples.systems == ("monday", "tuesday")
    row = rg.compare(monday, tuesday).row("exact_match")
    # 9 questions changed, all for the better, by two metrics: 2 · 2/2^9.
    assert row.p_corrected == 2 * 2 / 2**9
    screen = FirstScreen(both)
    assert screen.headline == (
        "tuesday is best: exact_match 1.00, next monday 0.25. The difference of 0.75 is beyond chance "
        "(p = 0.008, 12 questions)."
    )
    (pair,) = Overview(both).view().metrics[0].pairs
    assert (pair.p_value, pair.low, pair.high) == (row.p_corrected, row.low, row.high)
    assert both.of_question("q05").height == 4


def test_named_systems_keep_their_names(tmp_path):
    runs = [
        stored(tmp_path, name, rows(n, system="careful")) for name, n in (("old", 2), ("new", 9))
    ]
    shown = with_combined(runs)
    assert shown[1:] == runs
    assert shown[0].samples.systems == ("careful@new", "careful@old")


def test_what_differs_is_said(tmp_path):
    base = stored(tmp_path, "base", rows(3))
    other = stored(tmp_path, "other", rows(3, question="Capital of Italy?"), ["exact_match"])
    both = combined([base, other])
    assert both is not None
    assert [metric.name for metric in both.metrics] == ["exact_match"]
    assert both.manifest.notes == ("not in this view: token_f1, which not every run has",)
    (data,) = both.mismatches
    assert "other question text than in" in data and "12 of 12 common questions" in data
    banner, *_ = Overview(both).view().problems
    assert (banner.text, banner.where) == (data, "")


def test_runs_that_cannot_be_compared_are_shown_one_by_one(tmp_path):
    base = stored(tmp_path, "base", rows(3))
    strange = rg.evaluate([{"id": "x", "answer": "Rome", "reference": "Rome"}], "exact_match")
    metrics = stored(tmp_path, "metrics", rows(3), ["rougeL"])
    assert with_combined([base, strange]) == [base, strange]
    assert with_combined([base, metrics]) == [base, metrics]
    assert with_combined([base]) == [base]
