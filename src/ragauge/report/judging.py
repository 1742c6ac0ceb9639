"""What a run tells of its judges: how they agree, how steady they are, what they were paid."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, cast

from ragauge.engine.engine import DISPUTE, without_judge
from ragauge.label import Label
from ragauge.runs.run import Run
from ragauge.score import GRADE, Flag

if TYPE_CHECKING:
    import polars as pl


def judging_lines(run: Run) -> list[str]:
    """What there is to tell of the judges, as lines to read; none where no judge was asked."""
    return [*_grades(run), *_lost(run), *_agreements(run), *_repeats(run), *_spending(run)]


def _grades(run: Run) -> Iterator[str]:
    """How often each system got each grade of a metric that grades."""
    import polars as pl

    graded = run.collect(
        run.scan()
        .select("system", "metric", grade=pl.col("flags"))
        .explode("grade")
        .filter(pl.col("grade").str.starts_with(GRADE))
        .group_by("metric", "system", "grade")
        .len()
        .sort("metric", "system", "grade")
    )
    for metric in run.metrics:
        of_metric = graded.filter(graded["metric"] == metric.metric)
        counts: dict[str, list[str]] = {}
        for system, grade, n in of_metric.select("system", "grade", "len").iter_rows():
            counts.setdefault(system, []).append(f"{grade.removeprefix(GRADE)} {n:,}")
        if counts:
            systems = [f"{system} {', '.join(grades)}" for system, grades in counts.items()]
            yield f"grades of {metric.name}: {'; '.join(systems)}"


def _lost(run: Run) -> Iterator[str]:
    """How many scores rest on fewer parts than they should, because one failed."""
    for metric in run.metrics:
        scores = _of_metric(run, metric.metric)
        n = scores.filter(scores["flags"].list.contains(str(Flag.LOST_PARTS))).height
        if n:
            yield (
                f"{metric.name}: {n:,} of {scores.height:,} scores lack a part that failed or was not "
                "asked, and rest on the others (evidence: lost)"
            )


def _of_metric(run: Run, metric: str) -> "pl.DataFrame":
    import polars as pl

    return run.collect(run.scan().filter(pl.col("metric") == metric))


def _agreements(run: Run) -> Iterator[str]:
    """How far each two judges agree on each metric."""
    import polars as pl

    by_metric: dict[str, list[str]] = {}
    for shown in run.metrics:
        labels = by_metric.setdefault(without_judge(shown.metric), [])
        labels += [] if shown.metric in labels else [shown.metric]
    for metric, labels in by_metric.items():
        for left, right in combinations(labels, 2):
            pairs = _values(run, left).join(_values(run, right), on=["id", "system"], suffix="_2")
            if pairs.height:
                ours, theirs = pairs["value"].to_list(), pairs["value_2"].to_list()
                apart = (pl.col("value") - pl.col("value_2")).abs() >= DISPUTE
                n_disputed = pairs.filter(apart).height
                yield f"{metric}: {_judge(left)} and {_judge(right)} {_agree(ours, theirs, n_disputed)}"


def _agree(ours: Sequence[float], theirs: Sequence[float], n_disputed: int) -> str:
    from ragauge.stats.agreement import cohen_kappa

    n = len(ours)
    same = sum(abs(one - other) < 1e-9 for one, other in zip(ours, theirs, strict=True))
    told = f"say the same of {same:,} of {n:,} answers"
    if {*ours, *theirs} <= {0.0, 1.0}:
        kappa = cohen_kappa(ours, theirs)
        told += "" if kappa is None else f" (Cohen's kappa {kappa:.2f})"
    else:
        apart = sum(abs(one - other) for one, other in zip(ours, theirs, strict=True)) / n
        told += f", and are {apart:.3f} apart on average"
    return told + (f"; {n_disputed:,} disputed: needs_review" if n_disputed else "")


def _values(run: Run, metric: str) -> "pl.DataFrame":
    return _of_metric(run, metric).drop_nulls("value").select("id", "system", "value")


def _judge(label: str) -> str:
    return str(Label.parse(label).settings.get("judge"))


def _repeats(run: Run) -> Iterator[str]:
    """How steady each metric's judge was when it was asked several times."""
    import polars as pl

    for shown in run.metrics:
        scores = _of_metric(run, shown.metric)
        if not scores.filter(scores["flags"].list.contains(str(Flag.REPEATED))).height:
            continue
        wanted = pl.col("metric") == shown.metric
        kept = run.collect(run.source.scan_evidence().filter(wanted))["evidence"].drop_nulls()
        found = [
            evidence
            for evidence in map(json.loads, kept.to_list())
            if "repeats" in cast("Mapping[str, object]", evidence)
        ]
        if not found:
            continue
        spread = sum(cast(float, one["spread"]) for one in found) / len(found)
        changed = sum(
            len({said for said in cast("list[object]", one["repeats"]) if isinstance(said, float)})
            > 1
            for one in found
        )
        n = len(cast("list[object]", found[0]["repeats"]))
        yield (
            f"{shown.name}: asked {n} times, the judge changed its mind on {changed:,} of "
            f"{len(found):,} answers; standard deviation {spread * shown.scale:.{shown.digits}f} "
            "on average"
        )


def _spending(run: Run) -> Iterator[str]:
    """What the judges were asked and paid, and what their endpoints refused to be told."""
    for judge, told in run.manifest.judging.items():
        yield from _told_of(judge, cast("Mapping[str, object]", told))


def _told_of(judge: str, told: Mapping[str, object]) -> Iterator[str]:
    calls, cached = cast(int, told["calls"]), cast(int, told["cached"])
    if not calls and not cached:
        return
    n_in, n_out = cast(int, told["prompt_tokens"]), cast(int, told["completion_tokens"])
    cost = cast("float | None", told["cost_usd"])
    if told.get("is_recorded"):
        # How often a reply serves twice depends on which question comes first.
        yield f"{judge}: {calls or cached:,} recorded replies were read, none was asked for"
        return
    paid = f"{calls:,} calls" + (f", {n_in:,} tokens in and {n_out:,} out" if n_in else "")
    paid += "" if cost is None else f", ${cost:,.4f}"
    yield f"{judge} was asked: {paid}; {cached:,} replies were there already"
    if uncounted := n_in and cast(int, told["calls_without_count"]):
        yield f"{judge} did not tell the tokens of {uncounted:,} calls"
    if refused := cast(int, told["refused_by_budget"]):
        yield f"the budget left {refused:,} questions to {judge} unasked; run it again with more"
    for name, why in cast("Mapping[str, str]", told["dropped"]).items():
        yield f"{judge} was not told {name}: {why}"
