"""A run: the scores of some samples, what made them, and their summary."""

import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.errors import PlanError, did_you_mean
from ragauge.metric import Metric
from ragauge.runs.manifest import Manifest, MetricDisplay, Row
from ragauge.sample import Samples
from ragauge.score import Status

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from ragauge.stats.aggregation import Aggregation
    from ragauge.stats.intervals import Aggregate, Estimate, Floats2d

COLUMNS = ("id", "system", "metric", "value", "status", "reason", "evidence")
"""Columns of the scores."""

UNGROUPED = ("references", "contexts", "context_ids", "context_scores", "gold_contexts", "relevant")
"""Columns whose values are lists: rows cannot be grouped by them."""

SUMMARY = (
    *("metric", "name", "mean", "low", "high", "worst", "best", "lowest", "highest", "n"),
    *map(str, Status),
)
"""Columns of a summary, behind what it is grouped by."""

SYSTEMS_NAMED = 5


@dataclass(frozen=True, repr=False)
class Run:
    """Scores of samples. `scores` has one row a score: id, system, metric, value, status, reason,
    evidence; `value` is null unless the status is `ok`, `evidence` is JSON.

    `folder` holds it on disk; None for a run that was not stored.
    """

    samples: Samples
    scores: "pl.DataFrame"
    manifest: Manifest
    folder: Path | None = None
    _made: dict[tuple[str, ...], "pl.DataFrame"] = field(
        default_factory=dict["tuple[str, ...]", "pl.DataFrame"], repr=False, compare=False
    )
    """Summaries that were asked for before: the bootstrap is run once for each grouping."""

    @property
    def metrics(self) -> tuple[MetricDisplay, ...]:
        """The metrics, in the order they were asked for; of one name, each is shown by its label."""
        labels: dict[str, set[str]] = {}
        for one in self.manifest.metrics:
            labels.setdefault(one.name, set()).add(one.metric)
        return tuple(
            replace(one, name=_with_label(one)) if len(labels[one.name]) > 1 else one
            for one in self.manifest.metrics
        )

    def metric(self, name: str) -> MetricDisplay:
        """The metric of this label or shown name; PlanError when the run has none."""
        named = {text: one for one in self.metrics for text in (one.name, one.metric)}
        if name not in named:
            hint = (
                did_you_mean(name, named)
                or f"; it has {', '.join(one.name for one in self.metrics)}"
            )
            raise PlanError([f"the run has no metric {name!r}{hint}"])
        return named[name]

    def summary(self, by: str | Sequence[str] | None = None) -> "pl.DataFrame":
        """Each system's metrics: mean, 95 % interval, bounds, and counts per status.

        `by` splits further by one or several fields of the samples. Columns: system, the fields,
        metric, name, mean, low, high, worst, best, n, ok, undefined, missing, failed, skipped. The
        mean is over ok scores; `low` and `high` are its bootstrap interval over questions (null
        below two); `worst` and `best` are the mean if every row without a value had the worst or
        the best one. All null where no row has a value, the bounds also for open scales and for
        metrics that do not aggregate by the mean. PlanError for a field that there is not.
        """
        fields = slices_of(self.samples, [by] if isinstance(by, str) else by or ())
        if fields not in self._made:
            self._made[fields] = _summary(self, fields)
        return self._made[fields].clone()

    def worst(self, metric: str, n: int = 10) -> "pl.DataFrame":
        """The n rows with the worst value of a metric, worst first: id, system, value, answer.

        `metric` is a label or a shown name. Where lower is better, the highest values are the
        worst. Rows without a value are not among them; ties stand by id and system.
        """
        if n < 1:
            raise PlanError([f"n must be at least 1, got {n}"])
        shown = self.metric(metric)
        scores = self.scores.filter(self.scores["metric"] == shown.metric).drop_nulls("value")
        worst = scores.sort(
            "value", "id", "system", descending=[shown.lower_is_better, False, False]
        ).head(n)
        told = [name for name in ("answer",) if name in self.samples.columns]
        answers = self.samples.frame.select("id", "system", *told)
        return worst.select("id", "system", "value").join(
            answers, on=["id", "system"], how="left", maintain_order="left"
        )

    def needs_review(self) -> "pl.DataFrame":
        """The scores that a person should look at: their evidence says `needs_review`."""
        import polars as pl

        marked = pl.col("evidence").str.contains('"needs_review": ?true')
        return self.scores.filter(marked.fill_null(value=False))

    def __repr__(self) -> str:
        systems = self.samples.systems
        more = ", …" if len(systems) > SYSTEMS_NAMED else ""
        named = ", ".join(systems[:SYSTEMS_NAMED]) + more
        where = "not stored" if self.folder is None else f"in {self.folder}"
        return f"Run({self.manifest.suite}: {len(self.samples):,} samples of {named}; {where})"

    def _repr_html_(self) -> str:
        header = ("system", "metric", "value", "95 % interval", "bounds", "scored", "not scored")
        shown = {one.metric: one for one in self.metrics}
        rows = [
            (str(row["system"]), *cells(shown[cast(str, row["metric"])], row))
            for row in self.summary().iter_rows(named=True)
        ]
        lines = [_html_row("th", header), *(_html_row("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"


def _with_label(shown: MetricDisplay) -> str:
    """A name that other metrics have too, made plain; a label that begins with it is enough."""
    if shown.metric.startswith(shown.name):
        return shown.metric
    return f"{shown.name} ({shown.metric})"


def unscored(row: Row) -> str:
    """How many of a summary row's scores have no value, by status.

    >>> unscored({"undefined": 0, "missing": 2, "failed": 0, "skipped": 1})
    '2 missing, 1 skipped'
    """
    statuses = [str(status) for status in Status if status is not Status.OK]
    return ", ".join(f"{row[status]:,} {status}" for status in statuses if row[status])


def cells(shown: MetricDisplay, row: Row) -> tuple[str, str, str, str, str, str]:
    """A summary row as people read it: name, value, interval, bounds, how many have a value or not."""
    name = f"{shown.name} ↓" if shown.lower_is_better else shown.name
    scored = f"{row['ok']:,} of {row['n']:,}"
    return (
        f"{name} (count)" if shown.show == "count" else name,
        shown.value(row),
        shown.interval(row),
        shown.bounds(row),
        scored,
        shown.unavailable or unscored(row),
    )


def _html_row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def slices_of(samples: Samples, by: Iterable[str]) -> tuple[str, ...]:
    """The fields to group by, each once; without `system`, which a summary has anyway.

    PlanError for each that samples cannot be grouped by.
    """
    fields = tuple(name for name in dict.fromkeys(by) if name != "system")
    problems = [problem for name in fields if (problem := _no_slice(samples, name))]
    if problems:
        raise PlanError(problems)
    return fields


def _no_slice(samples: Samples, name: str) -> str:
    """Why samples cannot be grouped by it; nothing when they can."""
    known = [one for one in samples.columns if one not in UNGROUPED]
    if name not in samples.columns:
        hint = did_you_mean(name, known) or f"; they have {', '.join(known)}"
        return f"cannot group by {name!r}: the samples have no such field{hint}"
    if name in UNGROUPED:
        return f"{name!r} holds lists; rows cannot be grouped by it"
    if name in SUMMARY:
        return f"cannot group by {name!r}: a summary has a column of that name; rename the field"
    return ""


def _summary(run: Run, fields: Sequence[str]) -> "pl.DataFrame":
    import polars as pl

    # Under names of our own: a field may be called as a column of the scores is.
    keys = ["system", *(f"by {place}" for place in range(len(fields)))]
    groups = run.samples.frame.select(
        "id",
        "system",
        *(pl.col(name).alias(key) for name, key in zip(fields, keys[1:], strict=True)),
    )
    # Sums do not depend on the order of the rows; evidence is long, and only some sums are in it.
    read = ["id", "system", "metric", "value", "status"]
    read += ["evidence"] if any(callable(_aggregate(one)) for one in run.metrics) else []
    scores = run.scores.select(read).join(groups, on=["id", "system"], how="left")
    order = {shown.metric: place for place, shown in enumerate(run.metrics)}
    rows: list[dict[str, object]] = []
    parts = scores.partition_by(keys, as_dict=True, include_key=True)
    for key in sorted(parts, key=lambda one: tuple((value is None, str(value)) for value in one)):
        rows += _group_rows(
            dict(zip(("system", *fields), key, strict=True)), parts[key], run, order
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _group_rows(
    key: dict[str, object], group: "pl.DataFrame", run: Run, order: Mapping[str, int]
) -> list[dict[str, object]]:
    """One row for each metric of a group of scores."""
    import polars as pl

    from ragauge.stats.intervals import bootstrap

    ids = group["id"].unique().sort()
    numbered = pl.DataFrame({"id": ids, "question": range(len(ids))})
    group = group.join(numbered, on="id", how="left", maintain_order="left")
    by_metric = {
        cast(str, name): part
        for (name,), part in group.partition_by("metric", as_dict=True).items()
    }
    shown = sorted(
        (one for one in run.metrics if one.metric in by_metric), key=lambda one: order[one.metric]
    )
    shown = list({one.metric: one for one in shown}.values())
    parts = [_parts(one, by_metric[one.metric], len(ids)) for one in shown]
    estimates = bootstrap(
        [total for total, _ in parts], [make for _, make in parts], seed=run.manifest.seed
    )
    return [
        {**key, **_row(one, by_metric[one.metric], estimate)}
        for one, estimate in zip(shown, estimates, strict=True)
    ]


def _parts(
    shown: MetricDisplay, scores: "pl.DataFrame", n_questions: int
) -> "tuple[Floats2d, Aggregate]":
    """What each question adds to the metric's sums, and how the value is made of them."""
    import numpy as np

    from ragauge.stats.aggregates import AGGREGATES, parts_of
    from ragauge.stats.intervals import by_question

    scored = scores.filter(scores["value"].is_not_null())
    question = scored["question"].to_numpy()
    aggregate = _aggregate(shown)
    if not callable(aggregate):
        parts = parts_of(scored["value"].to_numpy(), aggregate)
        return by_question(parts, question, n_questions), AGGREGATES[aggregate]
    rows = [json.loads(text)["parts"] for text in scored["evidence"].to_list()]
    parts = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    return by_question(parts, question, n_questions), _as_array(aggregate)


def _as_array(aggregate: object) -> "Aggregate":
    import numpy as np

    make = cast("Aggregate", aggregate)

    def made(sums: "Floats2d") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        if sums.shape[1] == 0:
            return np.full(len(sums), np.nan)
        return np.asarray(make(sums), dtype=np.float64)

    return made


def _aggregate(shown: MetricDisplay) -> "Aggregation | Callable[..., object]":
    metric: Metric | None = catalog.metrics().get(shown.metric.split("(")[0].split("@")[0])
    return "mean" if metric is None else metric.aggregate


def _row(
    shown: MetricDisplay, scores: "pl.DataFrame", estimate: "Estimate | None"
) -> dict[str, object]:
    counts = {str(status): 0 for status in Status}
    for status, n in scores["status"].value_counts().iter_rows():
        counts[cast(str, status)] = cast(int, n)
    estimate = estimate if scores["value"].count() else None  # the sum of nothing is no number
    worst, best = _bounds(shown, scores, estimate)
    return {
        "metric": shown.metric,
        "name": shown.name,
        "mean": estimate.value if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "worst": worst,
        "best": best,
        "lowest": scores["value"].min(),
        "highest": scores["value"].max(),
        "n": scores.height,
        **counts,
    }


def _bounds(
    shown: MetricDisplay, scores: "pl.DataFrame", estimate: "Estimate | None"
) -> tuple[float | None, float | None]:
    """The mean with every row without a value at the worst and at the best end of the scale."""
    if estimate is None or shown.low is None or shown.high is None or _aggregate(shown) != "mean":
        return None, None
    n_ok = scores["value"].count()
    total, n_absent = estimate.value * n_ok, scores.height - n_ok
    ends = (
        (total + n_absent * shown.low) / scores.height,
        (total + n_absent * shown.high) / scores.height,
    )
    return (ends[1], ends[0]) if shown.lower_is_better else ends
