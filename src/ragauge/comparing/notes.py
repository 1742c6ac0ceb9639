"""The notes of a comparison: what was not compared, what a side lacks, and where numbers are missing."""

from collections.abc import Iterator

from ragauge.comparing.comparison import LEVEL
from ragauge.comparing.words import ComparisonView, over_questions, signed, too_few_draws
from ragauge.report.plain import for_terminal, some

IDS_LISTED = 2
"""Most ids that a note lists; `Comparison.unpaired` has them all."""
LEAST_CLUSTERS = 6
"""Fewest clusters whose sign patterns, 2^6, can give a p below 0.05: 2 / 64."""


def comparison_notes(view: ComparisonView) -> list[str]:
    """All notes, those on questions without a score first."""
    return [
        *_unpaired(view),
        *_on_rows(view),
        *_ratios(view),
        *_too_few(view),
        *view.comparison.notes,
    ]


def _unpaired(view: ComparisonView) -> Iterator[str]:
    """The scores that a side lacks, and the bounds of the difference with them."""
    for row in view.comparison.overall:
        if not row.unpaired:
            continue
        counts = ((row.base, row.counts.base), (row.candidate, row.counts.candidate))
        sides = " and ".join(f"{view.short(name)} {n:,}" for name, n in counts if n)
        ids = some([for_terminal(each.id) for each in row.unpaired], IDS_LISTED)
        text = f"{view.short(row.name)}: no score for {sides} ({ids})"
        if row.worst is not None and row.best is not None:
            metric = over_questions(view.metrics[row.metric], row.n + row.counts.unpaired)
            worst, best = (signed(metric, end) for end in (row.worst, row.best))
            text += f"; with these the change is {worst} to {best}"
        yield text


def _on_rows(view: ComparisonView) -> Iterator[str]:
    by_note: dict[str, dict[str, None]] = {}
    for row in view.comparison.rows:
        if row.note:
            where = "" if row.field is None else f" ({row.field} = {row.value})"
            by_note.setdefault(row.note, {})[f"{view.short(row.name)}{where}"] = None
    for note, names in by_note.items():
        yield f"{some(list(names), 4)}: {note}"


def _ratios(view: ComparisonView) -> Iterator[str]:
    """Which changes are ratios, and what the first one says."""
    rows = [row for row in view.comparison.overall if row.ratio is not None]
    if not rows:
        return
    row, (first, *others) = rows[0], dict.fromkeys(view.short(row.name) for row in rows)
    text = (
        f"{view.short(row.candidate)} takes {row.ratio:.2f} times what {view.short(row.base)} takes"
    )
    if row.ratio_low is not None and row.ratio_high is not None:
        text += f" (95 % interval {row.ratio_low:.2f} to {row.ratio_high:.2f})"
    yield (
        f"{first}: {text}, the geometric mean of the questions' ratios, tested on logarithms"
        f"{'; so too ' + some(others, 4) if others else ''}"
    )


def _too_few(view: ComparisonView) -> Iterator[str]:
    """Whether clusters or draws are too few for a p below the level."""
    comparison = view.comparison
    counts = [row.n_clusters for row in comparison.overall if row.p_value is not None]
    fewest = min((n for n in counts if n is not None), default=LEAST_CLUSTERS)
    if fewest < LEAST_CLUSTERS:
        is_drawn = comparison.test == "randomization"
        p = f"p cannot be below {2 / 2**fewest:.3g}" if is_drawn else "p is unsure"
        field = view.short(comparison.cluster or "")
        yield f"only {fewest} clusters by {field}: {p}; do not trust the interval"
    if problem := too_few_draws(comparison):
        enough = round(20 * comparison.n_tests / LEVEL, -3)
        yield f"{problem}; use --permutations {enough:.0f}, or compare fewer metrics, slices or pairs"
