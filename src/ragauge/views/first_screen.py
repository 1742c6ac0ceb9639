"""The first screen of a run: which system is best, how sure that is, what is wrong, what to open."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from ragauge.comparing.comparison import LEVEL
from ragauge.comparing.systems import Difference, SystemDifferences, differences
from ragauge.comparing.words import too_few_draws
from ragauge.people.review_verdicts import labels_line
from ragauge.report.plain import counted, distinct_names, shortened, show_command, some
from ragauge.report.report import MARK, Cell, Items, Report, Table
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import DASH, SummaryRow, aggregate, interval, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.steadiness import Steadiness, steadiness, wrong_turns
from ragauge.runs.summary import clusters_in
from ragauge.samples.fields import MEASURED
from ragauge.score import NOT_LAST
from ragauge.views.run_notes import (
    steadiness_lines,
    took_lines,
    unread_columns,
    unsteady,
    who_is_best,
    wrong_turn_lines,
)
from ragauge.views.summary import (
    caution_lines,
    findings_table,
    full_report,
    means_by_field,
    short,
    summary_table,
    title,
)

NAME_WIDTH = 20  # columns of the name of a metric or system; longer ones are cut
SYSTEMS_SHOWN, METRICS_SHOWN, WORST_SHOWN = 3, 11, 3
DIGITS = 2
WIDTH = 98  # columns of a line; longer ones are cut
LEAST_REASON = 20  # fewest columns that a reason is cut to
MAX_LINES = 25
FEWEST_METRICS, FEWEST_WORST = 6, 1  # what a screen keeps when other lines need the space
MAX_SYSTEMS = 10  # most systems side by side in HTML


@dataclass(frozen=True)
class FirstScreen:
    """What people read first about a run. Every text is plain; the writers escape it."""

    run: ScoredRun
    n_systems: int = SYSTEMS_SHOWN  # most systems in the table
    n_metrics: int = METRICS_SHOWN
    by: Sequence[str] = ()  # fields that it is broken down by

    @cached_property
    def _rows(self) -> Mapping[tuple[str, str], SummaryRow]:
        rows = self.run.summary().iter_rows(named=True)
        return {(cast(str, row["metric"]), cast(str, row["system"])): row for row in rows}

    def row(self, metric: MetricDisplay, system: str) -> SummaryRow | None:
        """The summary of a metric of a system."""
        return self._rows.get((metric.metric, system))

    @cached_property
    def metrics(self) -> Sequence[MetricDisplay]:
        """The metrics that have a value for some system, with few digits, by family; time and cost only without any other."""
        scored = {metric for (metric, _), row in self._rows.items() if row["mean"] is not None}
        shown = [
            replace(metric, digits=min(metric.digits, DIGITS))
            for metric in self.run.metrics
            if metric.metric in scored
        ]
        shown = [metric for metric in shown if metric.metric not in MEASURED] or shown
        order = {name: place for place, name in enumerate(self.run.manifest.families)}
        return sorted(shown, key=lambda metric: order.get(metric.family, len(order)))

    @cached_property
    def compared(self) -> SystemDifferences | None:
        """The systems compared with each other; None for a single one."""
        return differences(self.run, self.systems[0])

    def from_best(self, metric: MetricDisplay, system: str) -> Difference | None:
        """How far the system is from the best mean of a metric, or from the one that all others are compared with; None for the best, and without a test."""
        if self.compared is None or not metric.is_ranked:
            return None
        best = self.compared.base
        if best is None:
            rows = {each: self.row(metric, each) for each in self.systems}
            means = {each: row["mean"] for each, row in rows.items() if row}
            known = {each: cast(float, mean) for each, mean in means.items() if mean is not None}
            choose = min if metric.lower_is_better else max
            best = choose(known, key=known.__getitem__) if known else None
        return None if best in (None, system) else self.compared.of(metric.metric, best, system)

    @cached_property
    def first(self) -> MetricDisplay | None:
        """The metric of the headline: the first by which a system can be better than another."""
        return next((metric for metric in self.metrics if metric.is_ranked), None)

    @cached_property
    def systems(self) -> Sequence[str]:
        """The systems, the best of the headline's metric first."""
        first = self.first

        def rank(system: str) -> tuple[bool, float]:
            row = self.row(first, system) if first else None
            if first is None or row is None or row["mean"] is None:
                return True, 0.0
            return False, cast(float, row["mean"]) * (1 if first.lower_is_better else -1)

        return sorted(self.run.samples.systems, key=rank)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The systems' names in few columns; no two look the same if that is possible."""
        return distinct_names(self.systems, NAME_WIDTH)

    @property
    def headline(self) -> str:
        """The best system, and whether it is beyond chance."""
        return self.headline_with(self.names)

    def headline_with(self, names: Mapping[str, str]) -> str:
        """The headline with these names of the systems."""
        if not self.metrics:
            return "Nothing was scored."
        first = self.first or (self.metrics[0] if len(self.systems) == 1 else None)
        if first is None:
            return "No metric that was scored says which system is better."
        rows = {system: row for system in self.systems if (row := self.row(first, system))}
        second = next((system for system in self.systems[1:] if system in rows), None)
        found = None if second is None else self.from_best(first, second)
        more = unsteady(self.steadiness, self.systems[0])
        unit = "answer" if clusters_in(self.run.samples) else "question"
        return " ".join(filter(None, (who_is_best(first, rows, found, names, unit), more)))

    @cached_property
    def steadiness(self) -> Mapping[str, Steadiness]:
        """The steadiness of each system by the headline's metric, where questions were asked several times."""
        first = self.first
        if first is None or first.low is None or first.high is None:
            return {}
        return {each.system: each for each in steadiness(self.run, first)}

    @property
    def title(self) -> str:
        """What was evaluated."""
        return title(self.run)

    def differs(self, metric: MetricDisplay, system: str) -> bool:
        """Whether the system differs from the best one beyond chance."""
        difference = self.from_best(metric, system)
        return difference is not None and difference.is_significant

    @property
    def mark(self) -> str:
        """What the mark means: "differs from the row's best"; empty for a single system."""
        return f"differs from {self._base}" if self.compared else ""

    @property
    def _base(self) -> str:
        """The system that all others are compared with."""
        base = self.compared.base if self.compared else None
        return "the row's best" if base is None else self.names[base]

    @property
    def legend(self) -> str:
        """What the mark means, how p was computed, and the tests that it is corrected for."""
        if self.compared is None or not self.compared.comparison.n_tests:
            return ""
        found = self.compared.comparison
        has_marks = any(
            self.differs(metric, system)
            for metric in self.metrics[: self.n_metrics]
            for system in self.systems[: self.n_systems]
        )
        mark = f"{MARK} p < {LEVEL} against {self._base}" if has_marks else "p"
        of = f"{counted(len(found.metrics), 'metric')}, {counted(len(found.pairs), 'pair')}"
        n_equal = sum(row.p_value is not None for row in found.rows) - found.n_tests
        of += f"; {n_equal:,} without a difference" if n_equal else ""
        is_normal = any("normal" in row.test for row in found.rows)
        how = "randomization test" + (" (normal approximation)" if is_normal else "")
        return f"{mark}: {how}, Holm for {counted(found.n_tests, 'test')} ({of})"

    @property
    def notes(self) -> Sequence[str]:
        """The legend, what is not shown, and what was not scored and why."""
        return self.notes_below(self.n_metrics)

    def notes_below(self, n_metrics: int) -> Sequence[str]:
        """The notes below a table of that many metrics."""
        notes: list[str] = [*self.run.problems, *self._took]
        notes += steadiness_lines(list(self.steadiness.values()), self.names)
        if self.compared is not None:
            notes += filter(None, (self.legend, too_few_draws(self.compared.comparison)))
        n_hidden = len(self.metrics) - n_metrics, len(self.systems) - self.n_systems
        hidden = zip(n_hidden, ("more metric", "more system"), strict=True)
        if more := [counted(n, what) for n, what in hidden if n > 0]:
            notes.append(f"not shown: {', '.join(more)}")
        labels = filter(None, [labels_line(self.run)])
        notes += [*caution_lines(self.run), *labels, *self.not_scored]
        # How many scores of the metrics shown failed, were skipped or lack a field, by system.
        lost: list[str] = []
        for system in self.run.samples.systems:
            rows = [row for metric in self.metrics if (row := self.row(metric, system))]
            for status in ("failed", "skipped", "missing"):
                n = sum(cast(int, row[status]) for row in rows)
                lost += [f"{self.names[system]} {n:,} {status}"] if n else []
        if texts := [f"without a score: {some(lost, n)}" for n in range(len(lost), 0, -1)]:
            whole = f"{texts[0]}; --full has the bounds of the means"
            notes.append(_first_that_fits([whole, *texts]))
        return notes

    @cached_property
    def _took(self) -> Sequence[str]:
        return took_lines(self.run, self.names)

    @property
    def not_scored(self) -> Sequence[str]:
        """The metrics without any score, by reason: of the reasons of their scores the most frequent."""
        counts: Counter[tuple[str, str | None]] = Counter()
        for each in self.run.outcomes.absent:
            counts[each.metric, each.reason] += each.n
        order = sorted(counts, key=lambda key: (key[1] == NOT_LAST, -counts[key], key[1] or ""))
        absent = {metric: reason or "no reason given" for metric, reason in reversed(order)}
        by_reason: dict[str, list[str]] = {}
        known = {metric.metric for metric in self.metrics} | set(MEASURED)
        for metric in self.run.metrics:
            if metric.metric not in known:
                reason = metric.unavailable or absent.get(metric.metric, "no row applies")
                by_reason.setdefault(reason, []).append(metric.name)
        notes: list[str] = []
        for reason, names in by_reason.items():
            # A long reason is cut, so that it leaves room for a name.
            room = WIDTH - 2 - len(f"not scored, : {some(names, 1)}")
            why = shortened(reason, max(room, LEAST_REASON))
            texts = [f"not scored, {why}: {some(names, n)}" for n in range(len(names), 0, -1)]
            notes.append(_first_that_fits(texts))
        return [*notes, *(unread_columns(self.run, self.by) if notes else ())]

    @cached_property
    def worst(self) -> Sequence[tuple[str, str]]:
        """The worst findings, each with the id of a question; without findings in the suite the lowest scores, which may be right."""
        # Each finding at its system with most rows only.
        distinct: dict[str, FindingMatch] = {}
        for match in sorted(find(self.run), key=lambda match: -match.n_found):
            if match.first_screen:
                distinct.setdefault(match.says, match)
        found: list[tuple[str, str]] = []
        for match in distinct.values():
            known = {id for _, id in found}
            other = next((id for id in match.ids if id not in known), match.ids[0])
            n = f"{match.n_found:,} of {match.n_rows:,} answers"
            found.append((f"{self.names[match.system]}: {n}: {match.says}", other))
        if not self.run.manifest.findings and self.metrics:
            found += self._lowest()
        wrong = wrong_turns(self.run, self.metrics)
        found[:0] = wrong_turn_lines(wrong, self.systems, self.names)[: WORST_SHOWN - 1]
        return found[:WORST_SHOWN]

    def _lowest(self) -> Iterator[tuple[str, str]]:
        """The lowest scores of the headline's metric, each with the sentence that its evidence gives."""
        first = self.first
        if first is None or first.low is None or first.high is None:
            return
        middle = (first.low + first.high) / 2
        for row in self.run.worst(first.metric, WORST_SHOWN).iter_rows(named=True):
            id, system, value = row["id"], row["system"], row["value"]
            if value > middle if first.lower_is_better else value < middle:
                scores = self.run.of_question(id)
                is_it = (scores["system"] == system) & (scores["metric"] == first.metric)
                evidence = [text for text in scores.filter(is_it)["evidence"].to_list() if text]
                known: dict[str, object] = json.loads(evidence[0]) if evidence else {}
                why = known.get("why") or known.get("reason")  # the judge's
                named = "" if len(self.systems) == 1 else f"{self.names[system]}: "
                reason = f", {why}" if isinstance(why, str) else ""
                yield f"{named}{first.name} {number(first, value)}{reason}", id

    @property
    def commands(self) -> Sequence[str]:
        """What to type next: the command for a question, and that for the whole run; none for a run in memory."""
        if self.run.place is None:
            return ()
        ids = [id for _, id in self.worst]
        if not ids and self.first is not None:
            ids = cast("list[str]", self.run.worst(self.first.metric, 1)["id"].to_list())
        one = ids[0] if ids else cast(str, self.run.samples.part(0, 1, ["id"])["id"][0])
        return (show_command(self.run.place, one), show_command(self.run.place))


def _first_that_fits(texts: Sequence[str]) -> str:
    """The first text that a line has room for, or the last one."""
    return next((text for text in texts if len(text) <= WIDTH - 2), texts[-1])


def run_report(run: ScoredRun, by: Sequence[str] = ()) -> Report:
    """The first screen, in files also the summary, by field too, and findings; LaTeX has the summaries, CSV and JSON the scores."""
    from ragauge.views.run_files import score_json, score_records, summary_json

    screen = FirstScreen(run, by=by)
    wide = replace(screen, n_systems=MAX_SYSTEMS, n_metrics=len(run.metrics))
    worst = [f"{text} ({id})" for text, id in screen.worst]
    first = replace(screen_table(screen), only_in=("md",), legend=screen.notes, notes=worst)
    notes = [*wide.notes, *(f"worst: {text}" for text in worst)]
    whole = replace(screen_table(wide), only_in=("html",), title=screen.title, notes=notes)
    summaries = [summary_table(run), *(summary_table(run, [field]) for field in by)]
    plain = [
        replace(table, only_in=("md",), rows=[list(map(str, row)) for row in table.rows])
        for table in summaries
    ]
    bold = [replace(table, only_in=("latex",)) for table in summaries]
    found = [replace(table, only_in=("md",)) for table in findings_table(run)]

    def data() -> dict[str, object]:
        rows = [score_json(row) for row in run.scores.iter_rows(named=True)]
        return {**summary_json(run, by), "scores": rows}

    return Report(
        screen.headline,
        tables=[first, whole, *plain, *bold, *found],
        records=lambda: score_records(run),
        data=data,
        brief=lambda full: full_report(run, by) if full else screen_report(screen, by),
    )


def screen_table(screen: FirstScreen) -> Table:
    """Each metric with means and intervals, by family; narrow: counts become ranges, families go, then intervals."""
    has_families = any(metric.family for metric in screen.metrics)
    systems = screen.systems[: screen.n_systems]
    wide_rows: list[Sequence[str | Cell]] = []
    close_rows: list[Sequence[str | Cell]] = []
    last = ""
    for metric in screen.metrics[: screen.n_metrics]:
        family = [Cell("" if metric.family == last else metric.family, is_quiet=True)]
        last = metric.family
        arrow = "" if not metric.is_ranked else " ↓" if metric.lower_is_better else " ↑"
        row = [*family * has_families, f"{short(metric.name, NAME_WIDTH)}{arrow}"]
        found = [screen.row(metric, system) for system in systems]
        for system, each in zip(systems, found, strict=True):
            mark = MARK if each and screen.differs(metric, system) else ""
            detail = interval(metric, each) if each else ""
            row.append(Cell(aggregate(metric, each) if each else DASH, mark, detail=detail))
        # How many rows have a value: a number for each system if they differ.
        counts = [f"{each['ok']:,}" if each else DASH for each in found]
        n = counts[0] if len(set(counts)) == 1 else " ".join(counts)
        wide_rows.append([*row, Cell(n, is_quiet=True)])
        close_rows.append([*row, Cell(count_range(n), is_quiet=True)])
    names = [screen.names[system] for system in systems]
    header = (*([""] if has_families else []), "metric", *names, "n")
    wide = Table(header if wide_rows else (), wide_rows, n_names=1 + has_families)
    bare = [
        [cell._replace(detail="") if isinstance(cell, Cell) else cell for cell in row]
        for row in close_rows
    ]
    close = replace(wide, rows=close_rows, gap=1)
    layouts: list[Table] = []
    for layout in (close, replace(close, rows=bare, missing=("95 % intervals",))):
        layouts.append(layout)
        if has_families:
            layouts.append(replace(layout.without([0]), missing=layout.missing))
    return replace(wide, narrower=layouts)


def count_range(counts: str) -> str:
    """The lowest and the highest of several counts, `13–28` of `28 13 26`; a dash if one is missing."""
    numbers = counts.split()
    if DASH in numbers and len(numbers) > 1:
        return DASH
    numbers.sort(key=lambda number: int(number.replace(",", "")) if number != DASH else 0)
    return "–".join(dict.fromkeys((numbers[0], numbers[-1]))) if len(numbers) > 1 else counts


def screen_report(screen: FirstScreen, by: Sequence[str] = ()) -> Report:
    """The first screen, at most 25 lines, and below it the means by each field."""
    table, (command, for_all) = screen_table(screen), screen.commands or ("", "")
    more = [each for field in by for each in means_by_field(screen.run, field)]

    def of(n_metrics: int, n_worst: int) -> Report:
        """First the worst answers give way to other lines, then metrics."""

        def shorter() -> Report | None:
            if n_worst > FEWEST_WORST:
                return of(n_metrics, n_worst - 1)
            return of(n_metrics - 1, n_worst) if n_metrics > FEWEST_METRICS else None

        layouts = [replace(each, rows=each.rows[:n_metrics]) for each in (table, *table.narrower)]
        # An id of digits is no number of the text before it.
        worst = [(text, f"id {id}" if id.isdigit() else id) for text, id in screen.worst[:n_worst]]
        return Report(
            screen.headline,
            screen.title,
            [replace(layouts[0], narrower=layouts[1:])],
            notes=screen.notes_below(n_metrics),
            items=[Items("worst found", worst)] if worst else [],
            commands=[command] if command else [],
            command_for_all=for_all,
            cuts_notes=True,
            most_lines=MAX_LINES,
            shorter=shorter,
            more=more,
        )

    return of(len(table.rows), len(screen.worst))
