"""What the page says of a run: the typed view, computed from the run's scores and manifest."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import cast

import polars as pl

from ragauge import catalog
from ragauge.comparing.words import ComparisonView, over_questions
from ragauge.engine.plan import prompts_of
from ragauge.errors import LabelError
from ragauge.judges.prompts import DIGEST_LENGTH, Prompts
from ragauge.label import Label
from ragauge.metric import PROMPTS
from ragauge.page.breakdowns import N_BINS, Bins, distributions, slice_views, value_ranges
from ragauge.page.columns import STATUSES, ScoreColumns
from ragauge.page.combined import CombinedRun
from ragauge.page.view import (
    Cell,
    Fact,
    FindingView,
    MetricView,
    Pair,
    Problem,
    Reason,
    RunView,
    Worst,
)
from ragauge.people.review_verdicts import labels_line
from ragauge.report.plain import counted
from ragauge.runs.findings import find
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.numbers import aggregate, bounds, interval, number
from ragauge.runs.outcomes import Absence
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.summary import clusters_in, n_clusters
from ragauge.views.first_screen import DIGITS, FirstScreen
from ragauge.where import RESERVED

REASONS_SHOWN = 5
IDS_SHOWN = 3
WORD = re.compile(r"[^\W\d][\w.-]*")
LANGUAGES = (None, "de", "es", "fr", "zh")  # the languages of the prompts


@dataclass(frozen=True)
class Overview:
    """The view of one run, without its fields and blocks."""

    run: ScoredRun

    @cached_property
    def screen(self) -> FirstScreen:
        return FirstScreen(self.run)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, the best one first."""
        return tuple(self.screen.systems)

    @cached_property
    def columns(self) -> ScoreColumns:
        return ScoreColumns(self.run, self.systems)

    @cached_property
    def displays(self) -> tuple[MetricDisplay, ...]:
        """The metrics, those with a value first and by family, as on the first screen."""
        shown = {metric.metric: metric for metric in self.screen.metrics}
        return tuple(
            (shown | {m.metric: shown.get(m.metric, m) for m in self.run.metrics}).values()
        )

    @cached_property
    def column_order(self) -> tuple[str, ...]:
        """The labels of the metrics that have a column, in its order: all that were scored, or tried, on some answer."""
        tried = self.run.outcomes.n_by_metric
        return tuple(m.metric for m in self.displays if m.metric in tried and not m.unavailable)

    @cached_property
    def n_questions(self) -> int:
        """How many questions the samples have, counted without keeping their ids."""
        ids = self.run.samples.scan().select(pl.col("id").n_unique())
        return int(ids.collect(engine="streaming").item())

    @cached_property
    def bins(self) -> Bins:
        """How many scores have which value, by metric and system."""
        return distributions(self.run)

    @cached_property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The range of each metric's histogram."""
        return value_ranges(self.run)

    @cached_property
    def absent(self) -> Mapping[str, Sequence[Absence]]:
        """Why scores of a metric have no value."""
        found: dict[str, list[Absence]] = {}
        for each in self.run.outcomes.absent:
            found.setdefault(each.metric, []).append(each)
        return found

    def view(self) -> RunView:
        """The view; the caller adds the fields and the blocks."""
        from ragauge.views.run_notes import judging_lines

        run, screen = self.run, self.screen
        compared = screen.compared
        what, n = n_clusters(run.samples)
        asked = counted(n, what) if clusters_in(run.samples) else ""
        base = compared.base if compared else None
        # The screen says what was not scored; the manifest's own notes on it would say it twice.
        noted = (note for note in run.manifest.notes if not note.startswith("not scored"))
        labels = filter(None, [labels_line(run)])
        return RunView(
            title=Path(run.place).name if run.place else run.manifest.suite,
            headline=screen.headline_with({system: system for system in self.systems}),
            suite=run.manifest.suite,
            of="answers",
            n_questions=self.n_questions,
            asked=asked,
            n_answers=len(run.samples),
            systems=self.systems,
            families=run.manifest.families,
            facts=tuple(_facts(run)),
            problems=tuple(self._problems()),
            notes=(*run.problems, *labels, *noted, *screen.not_scored, *judging_lines(run)),
            metrics=tuple(map(self._metric, self.displays)),
            prompts=_prompt_texts(run),
            method=ComparisonView(compared.comparison).method if compared else "",
            mark=screen.mark,
            compared_with=None if base is None else self.systems.index(base),
            slices=tuple(slice_views(run, self.systems, self.displays)),
            findings=tuple(self._findings()),
            worst=tuple(Worst(text, id) for text, id in screen.worst),
            statuses=STATUSES,
            n_columns=len(self.column_order),
        )

    def _metric(self, display: MetricDisplay) -> MetricView:
        label = display.metric
        has_column = label in self.column_order
        few = replace(display, digits=min(display.digits, DIGITS))
        pairs: list[Pair] = []
        for row in self.screen.compared.comparison.rows if self.screen.compared else ():
            if has_column and row.metric == label and row.difference is not None:
                base, other = self.systems.index(row.base), self.systems.index(row.candidate)
                shown = over_questions(few, row.n)
                means = number(shown, row.base_mean), number(shown, row.candidate_mean)
                found = (row.difference, row.low, row.high, row.p_corrected, row.n)
                ratio = None if row.ratio is None else (row.ratio, row.ratio_low, row.ratio_high)
                pairs.append(Pair(base, other, *means, *found, ratio))
        return MetricView(
            label=label,
            name=display.name,
            family=display.family,
            version=display.version,
            lower_is_better=display.lower_is_better,
            is_ranked=display.is_ranked,
            is_count=display.show == "count",
            scale=display.scale,
            digits=display.digits,
            range=self.ranges[label],
            is_bounded=display.low is not None and display.high is not None,
            cells=tuple(self._cell(few, name) if has_column else None for name in self.systems),
            pairs=tuple(pairs),
            cautions=tuple(
                f"{each.says} ({each.figure})" if each.figure else each.says
                for each in self.run.cautions
                if each.metric == label
            ),
            unavailable=display.unavailable or "",
            column=self.column_order.index(label) if has_column else None,
        )

    def _cell(self, few: MetricDisplay, system: str) -> Cell | None:
        """One system's aggregate; `few` has the metric's few digits."""
        row = self.screen.row(few, system)
        if row is None:
            return None
        # Why scores have no value, the most frequent reason first.
        reasons = [
            Reason(each.status, each.reason or "", each.n)
            for each in self.absent.get(few.metric, ())
            if each.system == system
        ]
        reasons.sort(key=lambda each: (-each.n, each.reason, STATUSES.index(each.status)))
        return Cell(
            shown=aggregate(few, row),
            interval=interval(few, row),
            bounds=bounds(few, row),
            mean=cast("float | None", row["mean"]),
            low=cast("float | None", row["low"]),
            high=cast("float | None", row["high"]),
            n=cast(int, row["n"]),
            ok=cast(int, row["ok"]),
            differs=self.screen.differs(few, system),
            reasons=tuple(reasons[:REASONS_SHOWN]),
            bins=self.bins.get((few.metric, system), (0,) * N_BINS),
        )

    def _problems(self) -> Iterator[Problem]:
        """Where combined runs differ, then the scores that failed or were skipped, by metric, with the most frequent reason."""
        if isinstance(self.run, CombinedRun):
            yield from (Problem(text, "") for text in self.run.mismatches)
        shown = [display for display in self.displays if display.metric in self.column_order]
        for display, status in product(shown, ("failed", "skipped")):
            counts: Counter[str] = Counter()
            for each in self.absent.get(display.metric, ()):
                counts[each.reason or ""] += each.n if each.status == status else 0
            if n := counts.total():
                reason = max(counts, key=lambda each: counts[each])
                why = f": {reason}" if reason else ""
                more = "" if sum(map(bool, counts.values())) == 1 else ", and other reasons"
                text = f"{counted(n, 'score')} of {display.name} {status}{why}{more}"
                yield Problem(text, f'{field(f"{display.name}.status")} = "{status}"')

    def _findings(self) -> Iterator[FindingView]:
        positions = {display.metric: at for at, display in enumerate(self.displays)}
        stored = {(each.says, each.when): each for each in self.run.manifest.findings}
        # Not those that are known to be wrong too often; a suite's own are not measured.
        shown = [match for match in find(self.run) if match.first_screen or match.precision is None]
        for match in sorted(shown, key=lambda match: -match.n_found):
            metrics = stored[match.says, match.when].metrics
            yield FindingView(
                system=self.systems.index(match.system),
                says=match.says if match.first_screen else match.text,
                when=match.when,
                metrics={name: positions[label] for name, label in metrics.items()},
                n=match.n_found,
                n_rows=match.n_rows,
                ids=match.ids[:IDS_SHOWN],
            )


def field(name: str) -> str:
    """A name as a filter has it: in backquotes if it is not a word."""
    is_word = WORD.fullmatch(name) and name.casefold() not in RESERVED
    return name if is_word else f"`{name}`"


def _facts(run: ScoredRun) -> Iterator[Fact]:
    """What was run: data, code, models, costs, time and seed, as far as the manifest has them."""
    manifest, data = run.manifest, run.manifest.data
    judges: list[str] = []
    for judge, usage in manifest.judging.items():
        spent = cast("Mapping[str, object]", usage)
        cost = cast("float | None", spent.get("cost_usd"))
        calls = counted(cast(int, spent.get("calls", 0)), "call")
        calls = "recorded replies, no calls" if spent.get("is_recorded") else calls
        judges.append(f"{judge}: {calls}" + ("" if cost is None else f", ${cost:,.4f}"))
    times = {"started": manifest.started, "finished": manifest.finished or ""}
    for name, time in times.items():
        if time.endswith("+00:00"):  # to the minute, in UTC as it is stored
            times[name] = f"{time[:10]} {time[11:16]} UTC"
    digests = {shown.name: str(label.settings[PROMPTS]) for shown, label in _asked_metrics(run)}
    packages = [name for name in ("python", "numpy", "polars") if name in manifest.machine]
    for label, text in (
        ("suite", manifest.suite),
        ("data", str(data.get("source") or "")),
        ("data SHA-256", str(data.get("sha256") or "")[:16]),
        *(("scored", sentence) for sentence in manifest.models),
        ("prompts", ", ".join(f"{name} {digest}" for name, digest in digests.items())),
        *(("judge", judge) for judge in judges),
        ("commit", (manifest.git_commit or "")[:12]),
        *times.items(),
        ("seed", str(manifest.seed)),
        ("versions", ", ".join(f"{name} {manifest.machine[name]}" for name in packages)),
        ("run key", manifest.key[:16]),
    ):
        if text:
            yield Fact(label, text)


def _prompt_texts(run: ScoredRun) -> Mapping[str, str]:
    """The templates of the judges' prompts by name, where their digest is that which the run stores."""
    found: dict[str, str] = {}
    for _, label in _asked_metrics(run):
        metric = catalog.metrics().get(label.name)
        names = sorted(prompts_of(metric)) if metric else []
        for known in (Prompts(language=language) for language in LANGUAGES if names):
            if any(name not in known.by_name for name in names):
                continue
            text = "".join(known.digest([name]) for name in names)
            if sha256(text.encode()).hexdigest()[:DIGEST_LENGTH] == label.settings[PROMPTS]:
                found |= {name: known.by_name[name].text for name in names}
                break
    return found


def _asked_metrics(run: ScoredRun) -> Iterator[tuple[MetricDisplay, Label]]:
    """The metrics of a judge, with their labels, which have the digest of their prompts."""
    for metric in run.metrics:
        try:
            label = Label.parse(metric.metric)
        except LabelError:  # a check's name
            continue
        if label.settings.get(PROMPTS) and not metric.unavailable:
            yield metric, label
