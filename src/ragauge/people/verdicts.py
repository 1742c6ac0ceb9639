"""People's verdicts beside a run's scores: those of its review, which label belongs to which answer, the target of each."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, repeat, takewhile
from typing import cast

import polars as pl

from ragauge.engine.measure import without_judge
from ragauge.errors import DataError, LabelError, PlanError, Problem, did_you_mean
from ragauge.label import Label
from ragauge.loaders.labels import Kind, Verdicts
from ragauge.loaders.pairing import folded
from ragauge.people.review_labels import RunLabels
from ragauge.people.review_queue import answer_digests, bare_name
from ragauge.people.review_verdicts import applied
from ragauge.report.plain import counted
from ragauge.runs.manifest import LABELS, MetricDisplay
from ragauge.runs.scored_run import ScoredRun

IDS_NAMED = 3
NAME_WIDTH = 60
ONE_LABEL = ("id", "system", "other", "metric", "rater")
"""What a rater gives one label for."""

OWN_RATER = "ragauge"
"""The rater of scores that no judge gave."""


@dataclass(frozen=True)
class MatchedLabels:
    """The labels that belong to answers of a run: id, system, other, metric, rater, value.

    `other` is empty unless the labels are preferences.
    """

    frame: "pl.DataFrame"
    kind: Kind
    source: str
    notes: tuple[str, ...]
    settled: "pl.DataFrame | None" = None
    """What somebody decided where the raters disagreed: id, system, metric, settled."""

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of the raters, sorted."""
        return tuple(sorted(self.frame["rater"].unique().to_list()))

    def about(self, metric: MetricDisplay) -> "pl.DataFrame":
        """The labels that a metric is compared with: those that name it, and those that name none."""
        return self.frame.filter(_is_about(metric))

    def targets(self, metric: MetricDisplay) -> "pl.DataFrame":
        """What the raters of each answer say together: id, system, other, target, n_raters.

        The majority of yes and no or of preferences, the mean of grades. Where the raters are tied, the
        target is null, unless somebody settled it.
        """
        mean = pl.col("value").mean()
        if self.kind == "binary":
            target = pl.when(mean == 0.5).then(None).otherwise((mean > 0.5).cast(pl.Float64))
        elif self.kind == "preference":
            target = pl.when(pl.col("value").sum() == 0).then(None).otherwise(mean.sign())
        else:
            target = mean
        answer = ["id", "system", "other"]
        found = self.about(metric).group_by(answer).agg(target=target, n_raters=pl.len())
        if self.settled is not None:
            decided = self.settled.filter(_is_about(metric)).drop("metric").unique(["id", "system"])
            found = found.join(decided, on=["id", "system"], how="left")
            target = pl.coalesce("settled", "target").alias("target")
            found = found.select(*answer, target, "n_raters")
        return found.sort(answer)


def verdicts_of(run: ScoredRun) -> Verdicts:
    """The scores of a run as verdicts: the rater is the judge, or "ragauge" for a metric without one.

    Scores without a value are left out. Metrics of several judges have one name and several raters.

    >>> import ragauge as rg
    >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Rome"}], "exact_match")
    >>> verdicts_of(run).frame.select("id", "metric", "rater", "value").row(0)
    ('q1', 'exact_match', 'ragauge', 1.0)
    """
    raters = dict.fromkeys((metric.metric for metric in run.metrics), OWN_RATER)
    for label in raters:
        with suppress(LabelError):
            judge = cast(object, Label.parse(label).settings.get("judge"))
            raters[label] = OWN_RATER if judge is None else str(judge)
    names = {metric.metric: without_judge(metric.metric) for metric in run.metrics}
    label, nothing = pl.col("metric"), pl.lit(None, pl.String)
    columns = [label.replace(names), label.replace(raters).alias("rater"), pl.col("value")]
    scores = run.scan().filter(pl.col("value").is_not_null())
    frame = run.collect(
        scores.select("id", "system", nothing.alias("other"), *columns, nothing.alias("answer"))
    )
    is_binary = frame["value"].is_in([0.0, 1.0]).all()
    return Verdicts(frame, "binary" if is_binary else "graded", run.place or "run")


def verdicts_of_labels(
    run: ScoredRun, *, is_sample_only: bool = False, subjects: Sequence[str | None] | None = None
) -> Verdicts:
    """The labels of a run as verdicts: each rater's own, and what settled a conflict.

    `subjects` are the metrics that the labels are about, with None for "does the answer match the
    reference"; all by default.
    With `is_sample_only`, only labels of the random sample, up to the first answer of it that nobody has
    labelled: what is left out later would not be random. Raises DataError if there are no labels.
    """
    log = RunLabels.of(run).read()
    source = f"{run.place}/{LABELS}"
    if subjects is None:
        subjects = list(dict.fromkeys(label.metric for label in log.valid))
    read = [applied(log, answer_digests(run, about, log.ids), about) for about in subjects]
    rows: list[tuple[object, ...]] = []
    settled: list[tuple[object, ...]] = []
    n_picked = 0
    for labels in read:
        # Those of the random sample, up to its first answer without a label.
        places = {
            (label.sample.seed, label.sample.place): answer
            for answer, each in labels.answers.items()
            for label in (each.adjudication, *each.labels)
            if label is not None and label.sample is not None
        }
        reached = [
            takewhile(places.__contains__, zip(repeat(seed), count()))
            for seed in {seed for seed, _ in places}
        ]
        drawn = {places[place] for each in reached for place in each}
        for answer, each in labels.answers.items():
            n_picked += answer not in drawn
            if is_sample_only and answer not in drawn:
                continue
            given = each.sure or (() if each.adjudication is None else (each.adjudication,))
            rows += [
                (*answer, None, labels.about, label.rater, float(label.value), None)
                for label in given
                if label.value is not None
            ]
            if each.state == "settled" and each.value is not None:
                settled.append((*answer, labels.about, float(each.value)))
    if not rows:
        what = "no labels of a random sample" if is_sample_only and log.valid else "no labels"
        command = f"ragauge review next {run.place}"
        raise DataError([Problem(f"{what} yet; label answers with: {command}", source)])
    n_stale, n_unknown = sum(each.n_stale for each in read), sum(each.n_unknown for each in read)
    n_open = sum(each.states.get("conflict", 0) for each in read)
    picked = "labelled answers that are not part of the random sample: {:,}; for rates, --sample-only leaves them out"
    counts = {
        "stale labels, not applied because the texts have changed: {:,}": n_stale,
        "labels of answers that the run does not have: {:,}": n_unknown,
        "conflicts that nobody has settled: {:,}": n_open,
        picked: 0 if is_sample_only else n_picked,
    }
    notes = [text.format(n) for text, n in counts.items() if n]
    types = dict.fromkeys((*ONE_LABEL, "value", "answer"), pl.String()) | {"value": pl.Float64()}
    frame = pl.DataFrame(rows, schema=types, orient="row")
    types = dict.fromkeys(("id", "system", "metric"), pl.String()) | {"settled": pl.Float64()}
    decided = pl.DataFrame(settled, schema=types, orient="row")
    return Verdicts(frame, "binary", source, (*log.notes, *notes), decided)


def matched(labels: Verdicts, run: ScoredRun) -> MatchedLabels:
    """The labels that belong to answers of the run; notes say which do not, and why.

    Raises DataError if none does, PlanError if several systems answered and the labels name none.
    """
    named, notes = _with_ids(labels.frame, run)
    if not named.height:
        raise DataError([Problem("; ".join(notes), labels.source)])
    systems = run.samples.systems
    if named["system"].null_count() and len(systems) > 1:
        there = f"the run has {len(systems)}: {', '.join(systems[:5])}"
        raise PlanError(f"{labels.source}: labels name no system, but {there}; add a column system")
    frame = named.with_columns(pl.col("system").fill_null(next(iter(systems), "")))
    known = run.samples.frame.select("id", "system").unique()
    notes = [*labels.notes, *notes]
    is_known = pl.col("id").is_in(known["id"].unique().implode())
    if (strange := frame.filter(~is_known)).height:
        n, ids = counted(strange.height, "label"), strange["id"].unique(maintain_order=True)
        notes.append(f"{n} for ids that the run does not have: {_named(ids.to_list())}")
    for column in ("system", "other"):
        given = frame.filter(is_known)[column].drop_nulls()
        for name in sorted(set(given.to_list()) - set(systems)):
            hint = did_you_mean(name, systems) or f"; it has {', '.join(systems[:5])}"
            n = counted(int((given == name).sum()), "label")
            notes.append(f"{n} for the system {name!r}, which the run does not have{hint}")
    frame = frame.join(known, on=["id", "system"], how="semi", maintain_order="left")
    if labels.kind == "preference":
        others = known.rename({"system": "other"})
        frame = frame.join(others, on=["id", "other"], how="semi", maintain_order="left")
    if not frame.height:
        ids = named["id"].head(IDS_NAMED).to_list()
        there = run.samples.frame["id"].unique(maintain_order=True).head(IDS_NAMED).to_list()
        problem = (
            f"no label belongs to an answer of the run: the labels have ids such as "
            f"{_quoted(ids)}, the run {_quoted(there)}; use the ids and systems of the run"
        )
        raise DataError([Problem(problem, labels.source)])
    fresh = frame
    if "answer" in run.samples.columns and frame["answer"].is_not_null().any():
        # Not of an answer that differs from the run's; white space is no difference.
        now = run.samples.frame.select("id", "system", pl.col("answer").alias("now"))
        joined = frame.join(now, on=["id", "system"], how="left", maintain_order="left")
        labelled, there = (
            pl.col(name).str.strip_chars().str.replace_all(r"\s+", " ")
            for name in ("answer", "now")
        )
        fresh = joined.filter(labelled.eq(there).fill_null(value=True)).drop("now")
    if not fresh.height:
        problem = "every labelled answer differs from the run's; label again"
        raise DataError([Problem(problem, labels.source)])
    if n_stale := frame.height - fresh.height:
        n = counted(n_stale, "label")
        notes.append(f"{n} not applied: the answer has changed since it was labelled")
    names = {name for metric in run.metrics for name in _names(metric)}
    for name in fresh["metric"].drop_nulls().unique().sort().to_list():
        if name not in names:
            n = counted(fresh.filter(pl.col("metric") == name).height, "label")
            hint = did_you_mean(name, names)
            notes.append(f"{n} about {name!r}, which the run does not have{hint}")
    fresh = fresh.drop("answer").with_columns(pl.col("other").fill_null(""))
    return MatchedLabels(fresh, labels.kind, labels.source, tuple(notes), labels.settled)


def _with_ids(frame: "pl.DataFrame", run: ScoredRun) -> "tuple[pl.DataFrame, list[str]]":
    """The labels with the id of their question; those without an id have that of the same question.

    White space and case do not matter, as for answers. Labels of questions that the run does not have, or
    has under several ids, are left out and counted.
    """
    unnamed = frame.filter(pl.col("id").is_null()) if "question" in frame.columns else frame.clear()
    if not unnamed.height:
        return frame.drop("question", strict=False), []
    if "question" not in run.samples.columns:
        raise PlanError("the labels have no ids, and the run no questions to pair them by; add ids")
    ids: dict[str, set[str]] = {}
    for id, question in run.samples.frame.select("id", "question").unique().iter_rows():
        if question is not None:
            ids.setdefault(folded(question), set()).add(id)
    found = {text: sorted(ids.get(folded(text), ())) for text in unnamed["question"].unique()}
    only = {text: names[0] for text, names in found.items() if len(names) == 1}
    paired = pl.col("question").replace_strict(only, default=None, return_dtype=pl.String)
    named = frame.with_columns(pl.coalesce("id", paired).alias("id"))
    kept = named.filter(pl.col("id").is_not_null()).drop("question")
    once = kept.unique(ONE_LABEL, keep="first", maintain_order=True)
    notes: list[str] = []
    if n_paired := unnamed.height - (frame.height - kept.height):
        n = counted(n_paired, "label")
        notes.append(f"{n} without an id: paired by the text of the question")
    for is_known, what in (
        (False, "questions that the run does not have"),
        (True, "questions that the run asks under several ids"),
    ):
        texts = [
            text for text, names in found.items() if len(names) != 1 and bool(names) == is_known
        ]
        lost = unnamed.filter(pl.col("question").is_in(texts))
        if lost.height:
            n, names = counted(lost.height, "label"), lost["question"].unique(maintain_order=True)
            notes.append(f"{n} for {what}: {_named(names.to_list())}")
    if n_twice := kept.height - once.height:
        n = counted(n_twice, "label")
        notes.append(f"{n} of a rater for an answer that they had labelled before: not used")
    return once, notes


def _is_about(metric: MetricDisplay) -> "pl.Expr":
    """Whether a label names the metric, or none."""
    return pl.col("metric").is_null() | pl.col("metric").is_in(_names(metric))


def _names(metric: MetricDisplay) -> Sequence[str]:
    """The names by which a label may mean a metric: label, shown name, bare name."""
    return [metric.metric, metric.name, bare_name(metric.metric)]


def _named(names: Sequence[str]) -> str:
    """The first of some names."""
    shown = [name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 1]}…" for name in names]
    return f"{_quoted(shown[:IDS_NAMED])}{' …' if len(names) > IDS_NAMED else ''}"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
