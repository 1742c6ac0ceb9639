"""The first screen of a run: which system is best, how sure that is, what is wrong, what to open."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import quote
from typing import cast

from ragauge.comparing.comparison import LEVEL
from ragauge.comparing.differences import Difference, SystemDifferences, differences
from ragauge.comparing.words import too_few_draws
from ragauge.people.review_verdicts import labels_line
from ragauge.report.commands import show_command
from ragauge.report.plain import counted, distinct_names, shortened, some
from ragauge.report.report import MARK
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.steadiness import Steadiness, steadiness, wrong_turns
from ragauge.runs.summary import clusters_in
from ragauge.samples.samples import CLUSTERS, FIELDS, MEASURED
from ragauge.score import NOT_LAST
from ragauge.views.headline import NAME_WIDTH, headline
from ragauge.views.steadiness import steadiness_lines, unsteady
from ragauge.views.summary import caution_lines, extent
from ragauge.views.took import took_lines

SYSTEMS_SHOWN, METRICS_SHOWN, WORST_SHOWN = 3, 11, 3
DIGITS = 2
MAPPED = ("answer", "references", "contexts")
"""Fields whose lack a note connects with columns that are not read."""
WIDTH = 98
"""Columns of a line; longer ones are cut."""
LEAST_REASON = 20
"""Fewest columns that a reason is cut to."""


@dataclass(frozen=True)
class FirstScreen:
    """What people read first about a run. Every text is plain; the writers escape it."""

    run: ScoredRun
    n_systems: int = SYSTEMS_SHOWN
    """Most systems in the table."""
    n_metrics: int = METRICS_SHOWN

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
        shown = [
            replace(metric, digits=min(metric.digits, DIGITS))
            for metric in self.run.metrics
            if any(
                row["mean"] is not None
                for system in self.run.samples.systems
                if (row := self.row(metric, system))
            )
        ]
        shown = [metric for metric in shown if metric.metric not in MEASURED] or shown
        order = {name: place for place, name in enumerate(self.run.manifest.families)}
        return sorted(shown, key=lambda metric: order.get(metric.family, len(order)))

    @cached_property
    def compared(self) -> SystemDifferences | None:
        """The systems compared with each other; None for a single one."""
        return differences(self.run, self.systems[0])

    def from_best(self, metric: MetricDisplay, system: str) -> Difference | None:
        """How far the system is from the best one of a metric; None for the best, and without a test.

        The best is the one with the best mean, or the one that all others are compared with.
        """
        if self.compared is None or not metric.is_ranked:
            return None
        best = self.compared.base
        if best is None:
            means = {
                each: cast(float, row["mean"])
                for each in self.systems
                if (row := self.row(metric, each)) and row["mean"] is not None
            }
            choose = min if metric.lower_is_better else max
            best = choose(means, key=lambda each: means[each]) if means else None
        if best is None or best == system:
            return None
        return self.compared.of(metric.metric, best, system)

    @cached_property
    def first(self) -> MetricDisplay | None:
        """The metric of the headline: the first by which a system can be better than another."""
        return next((metric for metric in self.metrics if metric.is_ranked), None)

    @cached_property
    def systems(self) -> Sequence[str]:
        """The systems, the best of the headline's metric first."""
        first = self.first

        def rank(system: str) -> tuple[bool, float]:
            mean = (self.row(first, system) or {}).get("mean") if first else None
            if mean is None or first is None:
                return True, 0.0
            return False, cast(float, mean) * (1 if first.lower_is_better else -1)

        return sorted(self.run.samples.systems, key=rank)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The systems' names in few columns; no two look the same if that is possible."""
        return distinct_names(self.systems, NAME_WIDTH)

    @property
    def unit(self) -> str:
        """What the scores of a system are of: its questions, or its answers where several belong together."""
        return "answer" if clusters_in(self.run.samples) else "question"

    @property
    def headline(self) -> str:
        """The best system, and whether it is beyond chance."""
        return self.headline_with(self.names)

    def headline_with(self, names: Mapping[str, str]) -> str:
        """The headline with these names of the systems."""
        several = len(self.systems) > 1
        first = self.first if several or not self.metrics else self.first or self.metrics[0]
        if not self.metrics:
            return "Nothing was scored."
        if first is None:
            return "No metric that was scored says which system is better."
        rows = {system: row for system in self.systems if (row := self.row(first, system))}
        second = next((system for system in self.systems[1:] if system in rows), None)
        found = None if second is None else self.from_best(first, second)
        steady = self.steadiness.get(self.systems[0])
        more = unsteady(steady) if steady else ""
        return " ".join(filter(None, (headline(first, rows, found, names, self.unit), more)))

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
        return " · ".join((self.run.manifest.suite, *extent(self.run)))

    def differs(self, metric: MetricDisplay, system: str) -> bool:
        """Whether the system differs from the best one beyond chance."""
        difference = self.from_best(metric, system)
        return difference is not None and difference.is_significant

    @property
    def mark(self) -> str:
        """What the mark means: "differs from the row's best"; empty for a single system."""
        if self.compared is None:
            return ""
        best = "the row's best" if self.compared.base is None else self.names[self.compared.base]
        return f"differs from {best}"

    @property
    def legend(self) -> str:
        """What the mark means, how p was computed, and the tests that it is corrected for."""
        if self.compared is None or not self.compared.comparison.n_tests:
            return ""
        found, base = self.compared.comparison, self.compared.base
        has_marks = any(
            self.differs(metric, system)
            for metric in self.metrics[: self.n_metrics]
            for system in self.systems[: self.n_systems]
        )
        best = "the row's best" if base is None else self.names[base]
        mark = f"{MARK} p < {LEVEL} against {best}" if has_marks else "p"
        of = f"{counted(len(found.metrics), 'metric')}, {counted(len(found.pairs), 'pair')}"
        tests = counted(found.n_tests, "test")
        n_equal = sum(row.p_value is not None for row in found.rows) - found.n_tests
        of += f"; {n_equal:,} without a difference" if n_equal else ""
        is_normal = any("normal" in row.test for row in found.rows)
        how = "randomization test" + (" (normal approximation)" if is_normal else "")
        return f"{mark}: {how}, Holm for {tests} ({of})"

    @cached_property
    def notes(self) -> Sequence[str]:
        """The legend, what is not shown, and what was not scored and why."""
        return self.notes_below(self.n_metrics)

    def notes_below(self, n_metrics: int) -> Sequence[str]:
        """The notes below a table of that many metrics."""
        notes: list[str] = [*self.run.problems, *self._took]
        notes += steadiness_lines(list(self.steadiness.values()), self.names)
        if self.compared is not None:
            few = too_few_draws(self.compared.comparison)
            notes += filter(None, (self.legend, few))
        more = [
            f"{n:,} more {what}{'s' * (n != 1)}"
            for n, what in (
                (len(self.metrics) - n_metrics, "metric"),
                (len(self.systems) - self.n_systems, "system"),
            )
            if n > 0
        ]
        notes += [f"not shown: {', '.join(more)}"] if more else []
        notes += [*caution_lines(self.run), *filter(None, [labels_line(self.run)])]
        notes += self.not_scored
        # How many scores of the metrics shown failed, were skipped or lack a field, by system.
        lost: list[str] = []
        for system in self.run.samples.systems:
            rows = [row for metric in self.metrics if (row := self.row(metric, system))]
            lost += [
                f"{self.names[system]} {n:,} {status}"
                for status in ("failed", "skipped", "missing")
                if (n := sum(cast(int, row[status]) for row in rows))
            ]
        texts = [f"without a score: {some(lost, n)}" for n in range(len(lost), 0, -1)]
        if texts:
            bounds = f"{texts[0]}; --full has the bounds of the means"
            notes.append(_first_that_fits([bounds, *texts]))
        return notes

    @cached_property
    def _took(self) -> Sequence[str]:
        return took_lines(self.run, self.names)

    @property
    def not_scored(self) -> Sequence[str]:
        """The metrics without any score, by reason."""
        by_reason: dict[str, list[str]] = {}
        known = {metric.metric for metric in self.metrics} | set(MEASURED)
        absent = _absent_reasons(self.run)
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
        return [*notes, *(_unread_columns(self.run) if notes else ())]

    @cached_property
    def worst(self) -> Sequence[tuple[str, str]]:
        """The worst things found, each with the id of a question to open.

        Findings that the suite keeps off the first screen are left out. The lowest scores are listed only
        if the suite has no findings: how often a low score is a wrong answer is not measured.
        """
        by_rows = sorted(find(self.run), key=lambda match: -match.n_found)
        # Each finding at its system with most rows only.
        distinct: dict[str, FindingMatch] = {}
        for match in by_rows:
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
        return [*found[: WORST_SHOWN - 1], *self._wrong_turns(), *found[WORST_SHOWN - 1 :]][
            :WORST_SHOWN
        ]

    def _wrong_turns(self) -> Iterator[tuple[str, str]]:
        """Of each system how many conversations go wrong, and at which turn the one that was right the longest does."""
        wrong = wrong_turns(self.run, self.metrics)
        if wrong is None:
            return
        for system in reversed(self.systems):
            of_system = [each for each in wrong.first if each.system == system]
            if of_system:
                latest = max(of_system, key=lambda each: each.turn)
                n = f"{len(of_system):,} of {counted(wrong.n_conversations[system], 'conversation')} of several turns"
                which = "" if len(of_system) == 1 else "all " if latest.turn == 1 else "the latest "
                text = f"{self.names[system]}: {n} wrong by {wrong.metric.name}, {which}at turn {latest.turn}"
                yield text, latest.id

    def _lowest(self) -> Iterator[tuple[str, str]]:
        """The lowest scores of the headline's metric."""
        first = self.first
        if first is None or first.low is None or first.high is None:
            return
        worst = self.run.worst(first.metric, WORST_SHOWN)
        middle = (first.low + first.high) / 2
        for row in worst.iter_rows(named=True):
            value = cast(float, row["value"])
            if value > middle if first.lower_is_better else value < middle:
                id, system = cast(str, row["id"]), cast(str, row["system"])
                why = _why(self.run, id, system, first.metric)
                named = "" if len(self.systems) == 1 else f"{self.names[system]}: "
                yield f"{named}{first.name} {number(first, value)}{why}", id

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


def _unread_columns(run: ScoredRun) -> Iterator[str]:
    """The option that reads a column of texts as a field which the samples lack."""
    columns = run.samples.columns
    missing = next((name for name in MAPPED if name not in columns), None)
    types = run.samples.part(
        0, 1, [name for name in columns if name not in (*FIELDS, *CLUSTERS)]
    ).schema
    unread = [name for name, kind in types.items() if str(kind) == "String"]
    if missing is None or not unread:
        return
    named = some([repr(name) for name in unread], 4)
    if missing == "answer" and len(unread) > 1:
        yield f"not read: {named}; if each is a system's: --map answer={quote(','.join(unread[:2]))}"
    else:
        yield f"not read: {named}; if it is the {missing}: --map {missing}={quote(unread[0])}"


def _why(run: ScoredRun, id: str, system: str, metric: str) -> str:
    """The sentence that the evidence gives, after a comma; empty if there is none."""
    scores = run.of_question(id)
    chosen = scores.filter((scores["system"] == system) & (scores["metric"] == metric))
    if not chosen.height or not chosen["evidence"][0]:
        return ""
    evidence = cast("dict[str, object]", json.loads(chosen["evidence"][0]))
    why = evidence.get("why")
    return f", {why}" if isinstance(why, str) else ""


def _absent_reasons(run: ScoredRun) -> Mapping[str, str]:
    """The most frequent reason why a metric has no value, for metrics without any."""
    counts: Counter[tuple[str, str | None]] = Counter()
    for each in run.outcomes.absent:
        counts[each.metric, each.reason] += each.n
    order = sorted(counts, key=lambda key: (key[1] == NOT_LAST, -counts[key], key[1] or ""))
    return {metric: reason or "no reason given" for metric, reason in reversed(order)}
