"""The summary of a run as tables: means by system and field, findings, and why scores are missing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge import catalog
from ragauge.label import Label
from ragauge.report.plain import counted, distinct_names, for_terminal, shortened, some
from ragauge.report.report import Cell, Table
from ragauge.runs.cautions import Facts, MetricCaution
from ragauge.runs.findings import find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, SummaryRow, aggregate, bounds, cells, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.summary import clusters_in, n_clusters
from ragauge.samples.samples import by_number

NAME_WIDTH, REASON_WIDTH, CAUTION_WIDTH, VALUE_WIDTH = 36, 200, 144, 20
"""Most columns of a name, a reason, a metric's name in a caution, and a field's value."""
MAX_DIGITS = 3
"""Most digits in a terminal; files have all of a metric's, as the scores of one question have."""
NO_IDS = re.compile(r"the sample has no (?:context_ids|relevant|context_ids and relevant)")
IDS_SHOWN, IDS_IN_FILES = 4, 20
"""Most ids of a finding; the others are counted."""


def summary_table(run: ScoredRun, by: Sequence[str] = ()) -> Table:
    """A row for each metric and system, or value of the fields, with the suite's names and scales; the best in bold.

    A metric that lacks a resource has no row, only a note.
    """
    shown = {metric.metric: metric for metric in run.metrics}
    keys = ("system", *by)
    rows = [
        row
        for row in run.summary(by).iter_rows(named=True)
        if not shown[cast(str, row["metric"])].unavailable
    ]
    texts = [cells(shown[cast(str, row["metric"])], row) for row in rows]
    best = _best(rows, [value for _, value, *_ in texts], by, shown)
    title = f"{run.manifest.suite}: {', '.join(extent(run))}"
    why = () if by else (*not_scored(run, shown), *caution_lines(run))
    header = (*keys, "metric", "mean", "95 % interval", "bounds", "scored", "not scored")
    groups = [["(none)" if row[key] is None else str(row[key]) for key in keys] for row in rows]
    return Table(
        header,
        [
            (*group, name, Cell(value, is_best=place in best), *others)
            for place, (group, (name, value, *others)) in enumerate(zip(groups, texts, strict=True))
        ],
        n_names=len(keys) + 1,
        sides="l" * (len(keys) + 1) + "rrrrl",
        title=title,
        notes=(*run.problems, *run.manifest.notes, *run.manifest.models, *why),
        level=2,
    )


def _best(
    rows: Sequence[SummaryRow],
    values: Sequence[str],
    by: Sequence[str],
    shown: Mapping[str, MetricDisplay],
) -> frozenset[int]:
    """The places of the rows with the best mean of a metric in each group; none where there is a single system."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, row in enumerate(rows):
        if row["mean"] is not None and shown[cast(str, row["metric"])].is_ranked:
            groups.setdefault((row["metric"], *(row[key] for key in by)), []).append(place)
    best: set[int] = set()
    for (metric, *_), places in groups.items():
        if len(places) > 1:
            sign = -1 if shown[cast(str, metric)].lower_is_better else 1
            top = max(places, key=lambda place: sign * cast(float, rows[place]["mean"]))
            # Means that are shown alike are equally good.
            best |= {place for place in places if values[place] == values[top]}
    return frozenset(best)


def systems_side_by_side(run: ScoredRun) -> Table:
    """The means of each system with their intervals, and how many rows have a score if some have none."""
    summaries = run.summary().iter_rows(named=True)
    found = {(row["metric"], row["system"]): row for row in summaries}
    systems, names = run.samples.systems, short_names(run)
    rows: list[Sequence[str | Cell]] = []
    for label, metric in _shown(run).items():
        cells: list[Cell] = []
        for row in (found.get((label, system)) for system in systems):
            if row is None:
                cells.append(Cell(DASH))
                continue
            count = "" if row["ok"] == row["n"] else f"{row['ok']}/{row['n']}"
            value, range_ = aggregate(metric, row), interval(metric, row)
            cells.append(Cell(value, detail=range_, remark=count))
        if any((label, system) in found for system in systems):
            rows.append((_name(metric), *cells))
    return Table(
        ("metric", *(names[system] for system in systems)) if rows else (),
        rows,
        splits=True,
        notes=(
            *run.problems,
            *not_scored(run, _shown(run)),
            *unavailable(run),
            *run.manifest.models,
            *caution_lines(run),
        ),
    )


def extent(run: ScoredRun) -> tuple[str, str]:
    """How many answers and systems a run has: `200 answers to 40 questions` where they were asked several times."""
    answers = counted(len(run.samples), "answer")
    if clusters_in(run.samples):
        what, n = n_clusters(run.samples)
        answers += f" {'in' if what == 'conversation' else 'to'} {counted(n, what)}"
    return answers, counted(len(run.samples.systems), "system")


def means_by_field(run: ScoredRun, field: str) -> Iterator[Table]:
    """For each system the means by the field's values, with the number of answers of each value."""
    rows = list(run.summary(field).iter_rows(named=True))
    values = list(dict.fromkeys(row[field] for row in rows))
    values.sort(key=lambda value: (value is None, by_number(str(value))))
    names = ["(none)" if value is None else short(str(value), VALUE_WIDTH) for value in values]
    for system in run.samples.systems:
        own = {(row["metric"], row[field]): row for row in rows if row["system"] == system}
        scored = {metric for (metric, _), row in own.items() if row["ok"]}
        n_rows = {value: cast(int, row["n"]) for (_, value), row in own.items()}
        counts = [Cell(f"{n_rows.get(value, 0):,}", is_quiet=True) for value in values]
        means: list[Sequence[str | Cell]] = [("answers", *counts)]
        for label, metric in _shown(run).items():
            if label in scored:
                found = [own.get((label, value)) for value in values]
                shown = [aggregate(metric, row) if row else DASH for row in found]
                means.append((_name(metric), *shown))
        if scored:  # that nothing was scored is in the notes
            title = f"{short_names(run)[system]} by {field}"
            yield Table(("metric", *names), means, splits=True, title=title)


def findings_table(run: ScoredRun, *, in_terminal: bool = False) -> Sequence[Table]:
    """The findings with the first ids of each; no table without any."""
    names = short_names(run)
    rows: list[tuple[str, str, str, str]] = []
    for match in find(run):
        n, n_rows, text = match.n_found, match.n_rows, match.text
        if in_terminal:
            ids = some(list(map(short, match.ids)), IDS_SHOWN)
            rows.append((names[match.system], f"{n}/{n_rows}", text, ids))
        else:
            rows.append((match.system, f"{n} of {n_rows}", text, some(match.ids, IDS_IN_FILES)))
    header = ("system", "rows", "finding", "examples" if in_terminal else "ids")
    table = Table(header, rows, sides="lrll", wraps=True, title="findings", level=2)
    return [table] if rows else []


def _shown(run: ScoredRun) -> dict[str, MetricDisplay]:
    """The metrics that a terminal shows, with few digits."""
    return {
        metric.metric: replace(metric, digits=min(metric.digits, MAX_DIGITS))
        for metric in run.metrics
        if not metric.unavailable
    }


def _name(metric: MetricDisplay) -> str:
    name = short(metric.name, 4 * NAME_WIDTH)
    return f"{name} ↓" if metric.lower_is_better else name


def unavailable(run: ScoredRun) -> Iterator[str]:
    """The metrics that could not be computed, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for metric in run.metrics:
        if metric.unavailable:
            by_reason.setdefault(metric.unavailable, []).append(metric.name)
    for reason, names in by_reason.items():
        yield f"not scored: {', '.join(names)} ({reason})"


def not_scored(run: ScoredRun, shown: Mapping[str, MetricDisplay]) -> tuple[str, ...]:
    """How many scores of each metric are missing and why, with the bounds of its mean.

    Systems and metrics with the same text share a line.
    """
    reasons, systems = _reasons(run), short_names(run)
    by_metric: dict[str, dict[str, list[str]]] = {}
    for row in run.summary().iter_rows(named=True):
        metric, system = cast(str, row["metric"]), cast(str, row["system"])
        whys = reasons.get((metric, system), [])
        if whys and metric in shown and not shown[metric].unavailable:
            range_ = bounds(shown[metric], row)
            text = f"{', '.join(whys)}{_remedy(run, shown[metric], row, whys)}"
            text += f" ({range_})" if range_ else ""
            by_metric.setdefault(metric, {}).setdefault(text, []).append(systems[system])
    by_line: dict[str, list[str]] = {}
    for metric, parts in by_metric.items():
        line = "; ".join(
            f"{', '.join(names)} {'each ' * (len(names) > 1)}{text}"
            for text, names in parts.items()
        )
        by_line.setdefault(line, []).append(short(shown[metric].name, 4 * NAME_WIDTH))
    return tuple(f"{', '.join(names)}: {line}" for line, names in by_line.items())


def _reasons(run: ScoredRun) -> Mapping[tuple[str, str], list[str]]:
    """For each metric and system: the scores without a value by status, with the main reason."""
    counts: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    absent = sorted(
        run.outcomes.absent,
        key=lambda each: (each.metric, each.system, each.status, each.reason or ""),
    )
    for each in absent:
        of_status = counts.setdefault((each.metric, each.system, each.status), [])
        of_status.append((each.n, each.reason or "no reason given"))
    reasons: dict[tuple[str, str], list[str]] = {}
    for (metric, system, status), by_reason in counts.items():
        most, reason = max(by_reason, key=lambda pair: pair[0])
        n = sum(n_scores for n_scores, _ in by_reason)
        of_them = "" if most == n else f", {most:,} of them"
        reasons.setdefault((metric, system), []).append(
            f"{n:,} {status}{of_them}: {short(reason, REASON_WIDTH)}"
        )
    return reasons


def _remedy(run: ScoredRun, shown: MetricDisplay, row: SummaryRow, reasons: Sequence[str]) -> str:
    """A hint to match passages by text where a ranking has texts but no ids."""
    if row["ok"] or not {"contexts", "gold_contexts"}.issubset(run.samples.columns):
        return ""
    metric = Label.parse(shown.metric)
    known = catalog.metrics().get(metric.name)
    can_match = known is not None and any(setting.name == "match" for setting in known.settings)
    has_no_ids = all(NO_IDS.search(reason) for reason in reasons)
    if not (can_match and has_no_ids) or "match" in metric.settings:
        return ""
    return f"; use {Label(metric.name, {'match': 'text', **metric.settings})}"


def short_names(run: ScoredRun) -> Mapping[str, str]:
    """Each system's name in one cell; no two look the same if that is possible."""
    return distinct_names(run.samples.systems, NAME_WIDTH)


def short(text: str, width: int = NAME_WIDTH) -> str:
    """The text escaped for a terminal, in at most `width` columns."""
    return shortened(for_terminal(text), width)


def caution_lines(run: ScoredRun) -> tuple[str, ...]:
    """One line for each kind of caution: its metrics, why, and the lengths that it depends on."""
    groups: dict[tuple[str, str], list[MetricCaution]] = {}
    for caution in run.cautions:
        groups.setdefault((caution.says, caution.when), []).append(caution)
    names = {metric.metric: short(metric.name, CAUTION_WIDTH) for metric in run.metrics}
    facts = Facts.of(run.manifest)
    lines: list[str] = []
    for (says, when), cautions in groups.items():
        if not cautions[0].figure:
            lines.append(f"caution: {', '.join(names[each.metric] for each in cautions)}: {says}")
            continue
        shown = ", ".join(f"{names[each.metric]} ({each.figure})" for each in cautions)
        lengths = ""
        if facts is not None and "reference_words" in when:
            lengths = (
                f" (here up to a median of {facts.longest_answer_words:g} words, with references of "
                f"{facts.reference_words:g})"
            )
        known_as = Label.parse(cautions[0].metric).name
        lines.append(f"caution: {shown}: {says}{lengths}; see ragauge metrics {known_as}")
    return tuple(lines)
