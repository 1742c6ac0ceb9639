"""The summary of a run as tables: means by system and field, findings, and why scores are missing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge import catalog
from ragauge.label import Label
from ragauge.report.plain import counted, distinct_names, for_terminal, shortened, some
from ragauge.report.report import Cell, Report, Table
from ragauge.runs.findings import Facts, MetricCaution, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, aggregate, bounds, cells, interval
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.summary import clusters_in, n_clusters
from ragauge.samples.fields import by_number

NAME_WIDTH, REASON_WIDTH, CAUTION_WIDTH, VALUE_WIDTH = 36, 200, 144, 20  # most columns
MAX_DIGITS = 3  # in a terminal; files have all of a metric's, as one question's scores have
NO_IDS = re.compile(r"the sample has no (?:context_ids|relevant|context_ids and relevant)")
IDS_SHOWN, IDS_IN_FILES = 4, 20  # most ids of a finding; the others are counted


def summary_table(run: ScoredRun, by: Sequence[str] = ()) -> Table:
    """A row for each metric that has its resources and system, or value of the fields; the best in bold."""
    shown = {metric.metric: metric for metric in run.metrics}
    keys = ("system", *by)
    rows: list[tuple[str | Cell, ...]] = []
    groups: dict[tuple[object, ...], list[tuple[float, int]]] = {}
    for row in run.summary(by).iter_rows(named=True):
        metric = shown[row["metric"]]
        if metric.unavailable:
            continue
        if row["mean"] is not None and metric.is_ranked:
            value = row["mean"] * (-1 if metric.lower_is_better else 1)
            group = (row["metric"], *(row[key] for key in by))
            groups.setdefault(group, []).append((value, len(rows)))
        of = ["(none)" if row[key] is None else str(row[key]) for key in keys]
        rows.append((*of, *cells(metric, row)))
    mean = len(keys) + 1
    for found in groups.values():
        # Means that are shown alike are equally good; of a single system none is the best.
        top = rows[max(found, key=lambda each: each[0])[1]][mean]
        for _, place in found if len(found) > 1 else ():
            if rows[place][mean] == top:
                is_best = Cell(str(top), is_best=True)
                rows[place] = (*rows[place][:mean], is_best, *rows[place][mean + 1 :])
    why = () if by else (*not_scored(run, shown), *caution_lines(run))
    return Table(
        (*keys, "metric", "mean", "95 % interval", "bounds", "scored", "not scored"),
        rows,
        n_names=mean,
        sides="l" * mean + "rrrrl",
        title=f"{run.manifest.suite}: {', '.join(extent(run))}",
        notes=(*run.problems, *run.manifest.notes, *run.manifest.models, *why),
        level=2,
    )


def systems_side_by_side(run: ScoredRun) -> Table:
    """The means of each system with their intervals, and how many rows have a score if some have none."""
    summaries = run.summary().iter_rows(named=True)
    found = {(row["metric"], row["system"]): row for row in summaries}
    names, metrics = short_names(run), _shown(run)

    def cell(metric: MetricDisplay, system: str) -> Cell:
        if (row := found.get((metric.metric, system))) is None:
            return Cell(DASH)
        count = "" if row["ok"] == row["n"] else f"{row['ok']}/{row['n']}"
        return Cell(aggregate(metric, row), detail=interval(metric, row), remark=count)

    scored = {label for label, _ in found}
    rows: list[Sequence[str | Cell]] = [
        (_name(metric), *(cell(metric, system) for system in names))
        for label, metric in metrics.items()
        if label in scored
    ]
    why = (*not_scored(run, metrics), *unavailable(run))
    notes = (*run.problems, *why, *run.manifest.models, *caution_lines(run))
    return Table(("metric", *names.values()) if rows else (), rows, splits=True, notes=notes)


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
        system, n = match.system, f"{match.n_found} of {match.n_rows}"
        ids = some(match.ids, IDS_IN_FILES)
        if in_terminal:
            system, n = names[match.system], f"{match.n_found}/{match.n_rows}"
            ids = some(list(map(short, match.ids)), IDS_SHOWN)
        rows.append((system, n, match.text, ids))
    header = ("system", "rows", "finding", "examples" if in_terminal else "ids")
    table = Table(header, rows, sides="lrll", wraps=True, title="findings", level=2)
    return [table] if rows else []


def title(run: ScoredRun) -> str:
    """What was evaluated, and how many answers of how many systems."""
    return " · ".join((run.manifest.suite, *extent(run)))


def full_report(run: ScoredRun, by: Sequence[str] = ()) -> Report:
    """All systems side by side, all findings, and the means by each field: what `--full` prints."""
    fields = (table for field in by for table in means_by_field(run, field))
    all_tables = [systems_side_by_side(run), *findings_table(run, in_terminal=True), *fields]
    return Report(title(run), tables=all_tables)


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
    """How many scores of each metric are missing and why, with the bounds of its mean; those with the same text share a line."""
    # By metric and system, and by status: how many scores have no value, for each reason.
    absent: dict[tuple[str, str], dict[str, list[tuple[int, str]]]] = {}
    for each in sorted(run.outcomes.absent, key=lambda each: (each.status, each.reason or "")):
        of_status = absent.setdefault((each.metric, each.system), {}).setdefault(each.status, [])
        of_status.append((each.n, each.reason or "no reason given"))
    systems = short_names(run)
    by_metric: dict[str, dict[str, list[str]]] = {}
    for row in run.summary().iter_rows(named=True):
        metric, system = cast(str, row["metric"]), cast(str, row["system"])
        if (metric, system) not in absent or metric not in shown or shown[metric].unavailable:
            continue
        whys: list[str] = []
        for status, reasons in absent[metric, system].items():
            n, (most, reason) = sum(n for n, _ in reasons), max(reasons, key=lambda each: each[0])
            of_them = "" if most == n else f", {most:,} of them"
            whys.append(f"{n:,} {status}{of_them}: {short(reason, REASON_WIDTH)}")
        text = ", ".join(whys)
        if not row["ok"] and all(NO_IDS.search(why) for why in whys):
            text += _remedy(run, Label.parse(metric))
        range_ = bounds(shown[metric], row)
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


def _remedy(run: ScoredRun, metric: Label) -> str:
    """A hint to match passages by text where a ranking has texts but no ids."""
    known = catalog.metrics().get(metric.name)
    can_match = known is not None and any(setting.name == "match" for setting in known.settings)
    has_texts = {"contexts", "gold_contexts"}.issubset(run.samples.columns)
    is_hint = can_match and has_texts and "match" not in metric.settings
    return f"; use {Label(metric.name, {'match': 'text', **metric.settings})}" if is_hint else ""


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
        figure, label = cautions[0].figure, cautions[0].metric
        shown = [f"{names[e.metric]} ({e.figure})" if figure else names[e.metric] for e in cautions]
        line = f"caution: {', '.join(shown)}: {says}"
        if figure and facts is not None and "reference_words" in when:
            line += (
                f" (here up to a median of {facts.longest_answer_words:g} words, with references of "
                f"{facts.reference_words:g})"
            )
        lines.append(line + (f"; see ragauge metrics {Label.parse(label).name}" if figure else ""))
    return tuple(lines)
