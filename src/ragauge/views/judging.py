"""Notes on a run's judges: grades, agreement, consistency and cost."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, cast

import polars as pl

from ragauge.engine.judged_scores import DISPUTE, without_judge
from ragauge.label import Label
from ragauge.report.plain import counted
from ragauge.runs.scored_run import ScoredRun
from ragauge.score import GRADE, Flag


def judging_lines(run: ScoredRun) -> list[str]:
    """The notes on the run's judges, one per line; none without a judge."""
    used = (line for judge, usage in run.manifest.judging.items() for line in _usage(judge, usage))
    return [*_grades(run), *_lost(run), *_agreements(run), *_repeats(run), *used]


def _grades(run: ScoredRun) -> Iterator[str]:
    """How often each system got each grade, for metrics that grade."""
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


def _lost(run: ScoredRun) -> Iterator[str]:
    """How many scores use only some of their parts, because the others failed."""
    for metric in run.metrics:
        n = run.outcomes.n_flagged(Flag.LOST_PARTS, metric.metric)
        if n:
            n_scores = run.outcomes.n_by_metric[metric.metric]
            yield (
                f"{metric.name}: {n:,} of {counted(n_scores, 'score')} "
                f"{'leaves' if n == 1 else 'leave'} out parts that failed or were not asked "
                "(evidence: lost)"
            )


def _agreements(run: ScoredRun) -> Iterator[str]:
    """How well each pair of judges agrees on each metric."""
    by_metric: dict[str, list[str]] = {}
    for shown in run.metrics:
        labels = by_metric.setdefault(without_judge(shown.metric), [])
        labels += [] if shown.metric in labels else [shown.metric]
    for metric, labels in by_metric.items():
        for left, right in combinations(labels, 2):
            pairs = _values(run, left).join(_values(run, right), on=["id", "system"], suffix="_2")
            if pairs.height:
                ours, theirs = pairs["value"].to_list(), pairs["value_2"].to_list()
                is_disputed = (pl.col("value") - pl.col("value_2")).abs() >= DISPUTE
                n_disputed = pairs.filter(is_disputed).height
                names = [str(Label.parse(label).settings.get("judge")) for label in (left, right)]
                yield f"{metric}: {' and '.join(names)} {_agree(ours, theirs, n_disputed)}"


def _agree(ours: Sequence[float], theirs: Sequence[float], n_disputed: int) -> str:
    from ragauge.stats.agreement import cohen_kappa

    n = len(ours)
    same = sum(abs(one - other) < 1e-9 for one, other in zip(ours, theirs, strict=True))
    text = f"agree on {same:,} of {counted(n, 'answer')}"
    if {*ours, *theirs} <= {0.0, 1.0}:
        kappa = cohen_kappa(ours, theirs)
        text += "" if kappa is None else f" (Cohen's kappa {kappa:.2f})"
    else:
        difference = sum(abs(one - other) for one, other in zip(ours, theirs, strict=True)) / n
        text += f", with a mean difference of {difference:.3f}"
    return text + (f"; {n_disputed:,} disputed: needs_review" if n_disputed else "")


def _values(run: ScoredRun, metric: str) -> "pl.DataFrame":
    rows = run.collect(run.scan().filter(pl.col("metric") == metric))
    return rows.drop_nulls("value").select("id", "system", "value")


def _repeats(run: ScoredRun) -> Iterator[str]:
    """How consistent each metric's judge was over repeated questions."""
    for shown in run.metrics:
        if not run.outcomes.n_flagged(Flag.REPEATED, shown.metric):
            continue
        wanted = pl.col("metric") == shown.metric
        kept = run.collect(run.source.scan_evidence().filter(wanted))["evidence"].drop_nulls()
        found = map(json.loads, kept.to_list())
        repeated: list[dict[str, Any]] = [evidence for evidence in found if "repeats" in evidence]
        if not repeated:
            continue
        spread = sum(evidence["spread"] for evidence in repeated) / len(repeated)
        changed = sum(
            len({value for value in evidence["repeats"] if isinstance(value, float)}) > 1
            for evidence in repeated
        )
        n = len(repeated[0]["repeats"])
        yield (
            f"{shown.name}: asked {n} times, the judge changed its verdict on {changed:,} of "
            f"{counted(len(repeated), 'answer')}; mean standard deviation "
            f"{spread * shown.scale:.{shown.digits}f}"
        )


def _usage(judge: str, account: object) -> Iterator[str]:
    """A judge's calls, tokens and cost, and the settings that its endpoint rejected."""
    usage = cast("Mapping[str, object]", account)
    calls, cached = cast(int, usage["calls"]), cast(int, usage["cached"])
    if not calls and not cached:
        return
    n_in, n_out = cast(int, usage["prompt_tokens"]), cast(int, usage["completion_tokens"])
    cost = cast("float | None", usage["cost_usd"])
    if usage.get("is_recorded"):
        # How many replies are used twice depends on which question comes first.
        yield f"{judge}: {_replies(calls or cached, 'recorded ')} used, no calls made"
        return
    spent = counted(calls, "call") + (f", {n_in:,} tokens in and {n_out:,} out" if n_in else "")
    spent += "" if cost is None else f", ${cost:,.4f}"
    yield f"{judge}: {spent}; {_replies(cached, 'cached ')} used"
    if uncounted := n_in and cast(int, usage["calls_without_count"]):
        yield f"{judge}: no token count for {counted(uncounted, 'call')}"
    if refused := cast(int, usage["refused_by_budget"]):
        yield (
            f"{judge}: the budget ran out, {counted(refused, 'question')} not asked; "
            "raise it and run again"
        )
    if over := cast("float | None", usage.get("over_budget_usd")):
        in_flight = counted(cast(int, usage["in_flight_at_budget"]), "call")
        yield f"{judge}: ${over:,.4f} over the budget; {in_flight} in flight when it was reached"
    for name, reason in cast("Mapping[str, str]", usage["dropped"]).items():
        yield f"{judge}: {name} dropped ({reason})"


def _replies(n: int, kind: str) -> str:
    return f"{n:,} {kind}{'reply' if n == 1 else 'replies'}"
