"""The first screen of a run: which system is best, how sure that is, what is wrong, what to open."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import quote
from typing import cast

from ragauge.comparing.comparison import LEVEL
from ragauge.comparing.systems import Difference, SystemDifferences, differences
from ragauge.comparing.words import over_questions, p_text, too_few_draws
from ragauge.people.review_verdicts import labels_line
from ragauge.report.plain import counted, distinct_names, shortened, show_command, some
from ragauge.report.report import MARK
from ragauge.runs.findings import FindingMatch, find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import SummaryRow, aggregate, interval, number
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.steadiness import Steadiness, steadiness, wrong_turns
from ragauge.runs.summary import clusters_in
from ragauge.samples.samples import CLUSTERS, FIELDS, MEASURED
from ragauge.score import NOT_LAST
from ragauge.views.run_notes import steadiness_lines, took_lines, unsteady
from ragauge.views.summary import caution_lines, extent

NAME_WIDTH = 20  # columns of the name of a metric or system; longer ones are cut
MAX_TIED = 3  # most tied systems that are named
SYSTEMS_SHOWN, METRICS_SHOWN, WORST_SHOWN = 3, 11, 3
DIGITS = 2
MAPPED = ("answer", "references", "contexts")  # a note on columns that are not read names one
WIDTH = 98  # columns of a line; longer ones are cut
LEAST_REASON = 20  # fewest columns that a reason is cut to


def _who_is_best(
    metric: MetricDisplay,
    rows: Mapping[str, SummaryRow],
    found: Difference | None,
    names: Mapping[str, str],
    unit: str = "question",
) -> str:
    """One or two sentences. `rows` are the systems' summaries, the best first; `found` is the difference
    of the first two; `names` are the systems' names as they are shown; `unit` is what a score is of.
    """
    means = {system: aggregate(metric, row) for system, row in rows.items()}
    first = next(iter(rows))
    best, mean = names[first], f"{metric.name} {means[first]}"
    if len(rows) == 1:
        range_ = interval(metric, rows[first])
        n_ok, n_failed = (cast(int, rows[first][status]) for status in ("ok", "failed"))
        questions = (f"{n_ok:,} of " if n_failed else "") + counted(n_ok + n_failed, unit)
        return f"{best}: {mean}" + (f" ({range_})" if range_ else "") + f", {questions}."
    n_tied = sum(row["mean"] == rows[first]["mean"] for row in rows.values())
    tied = [names[system] for system in rows][:n_tied]
    same = f"have the same {metric.name}, {means[first]}"
    has_p = found is not None and found.p_value is not None
    is_tie = found is not None and found.difference == 0
    if is_tie and n_tied > MAX_TIED:
        return f"{n_tied:,} systems {same}: {some(tied, MAX_TIED)}."
    if is_tie and n_tied > (2 if has_p else 1):
        return f"{', '.join(tied[:-1])} and {tied[-1]} {same}."
    if found is None or found.p_value is None:
        scored = [system for system, row in rows.items() if row["mean"] is not None]
        if len(scored) == 1:
            return f"{best} is the only system with a score: {mean}."
        if found is not None:
            return f"{best} has the best {mean}; it was not compared with the others."
        other = f"{names[scored[1]]} {means[scored[1]]}"
        return f"{best} has the best {mean}, next {other}; not compared, because no question has a score for both."
    # How far the best system is ahead; never shown as 0.
    display, other = over_questions(metric, found.n), names[found.system]
    gap = number(display, abs(found.difference))
    if not gap.strip("0."):
        gap = f"less than {number(display, 10**-metric.digits / display.scale)}"
    n, p = counted(found.n, unit), f"p {p_text(found.p_value)}"
    if all(rows[system]["ok"] == found.n for system in (first, found.system)):
        if found.difference == 0:
            return f"{best} and {other} have the same {metric.name}, {means[found.system]}."
        verdict, chance = ("best", "is beyond") if found.is_significant else ("ahead", "may be")
        by = f" by {metric.family}" if metric.family else ""
        return (
            f"{best} is {verdict}{by}: {mean}, next {other} {means[found.system]}. "
            f"The difference of {gap} {chance} chance ({p}, {n})."
        )
    common = f"{best} has the best {mean}; on the {n} that {best} and {other} both have a score for"
    if found.difference == 0:
        return f"{common}, they are equal."
    chance = "beyond chance" if found.is_significant else "may be chance"
    is_ahead = (found.difference > 0) != metric.lower_is_better
    ahead, behind = (best, other) if is_ahead else (other, best)
    return f"{common}, {ahead} is {gap} ahead of {behind} ({chance}, {p})."


@dataclass(frozen=True)
class FirstScreen:
    """What people read first about a run. Every text is plain; the writers escape it."""

    run: ScoredRun
    n_systems: int = SYSTEMS_SHOWN  # most systems in the table
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
        return " ".join(filter(None, (_who_is_best(first, rows, found, names, unit), more)))

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
        return [*notes, *(_unread_columns(self.run) if notes else ())]

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
        found[:0] = [*self._wrong_turns()][: WORST_SHOWN - 1]
        return found[:WORST_SHOWN]

    def _wrong_turns(self) -> Iterator[tuple[str, str]]:
        """Of each system how many conversations go wrong, and at which turn the one that was right the longest does."""
        wrong = wrong_turns(self.run, self.metrics)
        if wrong is None:
            return
        for system in reversed(self.systems):
            if of_system := [each for each in wrong.first if each.system == system]:
                latest = max(of_system, key=lambda each: each.turn)
                n = f"{len(of_system):,} of {counted(wrong.n_conversations[system], 'conversation')} of several turns"
                which = "" if len(of_system) == 1 else "all " if latest.turn == 1 else "the latest "
                text = f"{self.names[system]}: {n} wrong by {wrong.metric.name}, {which}at turn {latest.turn}"
                yield text, latest.id

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


def _unread_columns(run: ScoredRun) -> Iterator[str]:
    """The option that reads a column of texts as a field which the samples lack."""
    columns = run.samples.columns
    missing = next((name for name in MAPPED if name not in columns), None)
    own = (*FIELDS, *CLUSTERS, "rewritten_query", "status", "reason", "attempts")
    types = run.samples.part(0, 1, [name for name in columns if name not in own]).schema
    unread = [name for name, kind in types.items() if str(kind) == "String"]
    if missing is None or not unread:
        return
    named = some([repr(name) for name in unread], 4)
    if missing == "answer" and len(unread) > 1:
        yield f"not read: {named}; if each is a system's: --map answer={quote(','.join(unread[:2]))}"
    else:
        yield f"not read: {named}; if it is the {missing}: --map {missing}={quote(unread[0])}"
