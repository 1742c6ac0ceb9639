"""Keep what a large run has computed from all its scores."""

from dataclasses import asdict

from ragauge.comparing.differences import comparisons_of
from ragauge.page.distributions import DISTRIBUTIONS, distributions
from ragauge.page.field_slices import SLICES, can_be_kept, run_slices
from ragauge.runs.findings import find
from ragauge.runs.kept_results import keeps_results, write_results
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.summary import worst_rows

N_WORST = 20
"""Rows kept of each metric's worst ones."""


def keep_results(run: ScoredRun) -> None:
    """Store the run's summary, also by fields with few values, outcomes, distributions, findings, comparisons
    and worst rows.

    Of the comparisons only those that were made are kept. A run whose aggregates cannot all be computed
    here keeps nothing.
    """
    if run.folder is None or not keeps_results(run) or run.problems:
        return
    worst = worst_rows(run, run.metrics, N_WORST)
    results: dict[str, object] = {
        "summary": run.summary().to_dicts(),
        "outcomes": run.outcomes.as_data(),
        "findings": [asdict(match) for match in find(run)],
        "comparisons": [[base, asdict(made)] for base, made in comparisons_of(run).items()],
        "worst": {label: [list(row) for row in rows.iter_rows()] for label, rows in worst.items()},
    }
    results[DISTRIBUTIONS] = [[*key, bins] for key, bins in distributions(run).items()]
    slices = run_slices(run)
    if can_be_kept(slices):
        results[SLICES] = {name: each.as_data() for name, each in slices.items()}
    write_results(run.folder, run.manifest, results)
