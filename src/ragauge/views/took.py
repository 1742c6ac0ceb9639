"""What the answers of a run took, a line for each system: time, tokens and cost."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragauge.report.plain import counted
from ragauge.runs.scored_run import ScoredRun
from ragauge.samples.fields import MEASURED, NO_ANSWER, STATUS

if TYPE_CHECKING:
    import polars as pl

MAX_BEFORE_COST = 60
"""Characters before the cost of a system, beside its name."""


def took_lines(run: ScoredRun, names: Mapping[str, str]) -> Sequence[str]:
    """`small: 0.21 s an answer (p95 0.35 s) · 90 tokens in, 120 tokens out · $0.0120` for each system of `names`."""
    import polars as pl

    fields = [name for name in MEASURED if name in run.samples.columns]
    rows = run.samples.scan()
    if "answer" in run.samples.columns:
        rows = rows.filter(pl.col("answer").is_not_null())
    frame = run.collect(rows.select("system", *fields))
    # How many answers of each system failed, timed out or were refused.
    failed: dict[str, int] = {}
    if STATUS in run.samples.columns:
        no_answer = pl.col(STATUS).cast(pl.String).is_in(list(NO_ANSWER))
        counts = run.samples.scan().filter(no_answer).group_by("system").len()
        failed = dict(run.collect(counts).iter_rows())
    lines: list[str] = []
    for system, name in names.items():
        n, n_all = failed.get(system, 0), run.samples.n_by_system[system]
        parts = [
            f"{n:,} of {counted(n_all, 'answer')} failed" if n else "",
            took(frame.filter(frame["system"] == system)),
        ]
        if any(parts):
            lines.append(f"{name}: {' · '.join(filter(None, parts))}")
    return lines


def took(answers: "pl.DataFrame") -> str:
    """What answers took, by their measured fields: medians of times, sums of the rest."""
    columns = [answers[name].cast(float).drop_nulls() for name in MEASURED if name in answers]
    values = {column.name: column for column in columns if not column.is_empty()}

    def at(values: "pl.Series", share: float) -> float:
        return values.quantile(share, "nearest") or 0.0

    parts: list[str] = []
    if (times := values.get("latency_s")) is not None:
        parts.append(f"{at(times, 0.5):.2f} s an answer (p95 {at(times, 0.95):.2f} s)")
    if (first := values.get("first_token_s")) is not None:
        parts.append(f"first token {at(first, 0.5):.2f} s")
    tokens = [
        f"{values[name].sum():,.0f} tokens {way}"
        for name, way in (("input_tokens", "in"), ("output_tokens", "out"))
        if name in values
    ]
    parts += [", ".join(tokens)] if tokens else []
    if (cost := values.get("cost_usd")) is not None:
        dollars = cost.sum()
        text = f"${dollars:,.4f}" if dollars >= 0.0001 or not dollars else f"${dollars:.6f}"
        # The end of a line that is too long for a terminal is cut.
        is_long = len(" · ".join(parts)) > MAX_BEFORE_COST
        parts.insert(1 if is_long else len(parts), text)
    return " · ".join(parts)
