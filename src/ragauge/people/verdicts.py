"""People's verdicts beside a run's scores: which label belongs to which answer, and the target of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import polars as pl

from ragauge.engine.judged_scores import without_judge
from ragauge.errors import DataError, LabelError, PlanError, Problem, did_you_mean
from ragauge.label import Label
from ragauge.loaders.conflicts import folded
from ragauge.loaders.verdicts import Kind, Verdicts
from ragauge.people.review_reasons import bare_name
from ragauge.runs.manifest import MetricDisplay
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
        found = (
            self.about(metric)
            .group_by("id", "system", "other")
            .agg(target.alias("target"), pl.len().alias("n_raters"))
        )
        if self.settled is not None:
            decided = self.settled.filter(_is_about(metric)).drop("metric").unique(["id", "system"])
            target = pl.coalesce("settled", "target").alias("target")
            found = found.join(decided, on=["id", "system"], how="left").select(
                "id", "system", "other", target, "n_raters"
            )
        return found.sort("id", "system", "other")


def verdicts_of(run: ScoredRun) -> Verdicts:
    """The scores of a run as verdicts: the rater is the judge, or "ragauge" for a metric without one.

    Scores without a value are left out. Metrics of several judges have one name and several raters.

    >>> import ragauge as rg
    >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Rome"}], "exact_match")
    >>> verdicts_of(run).frame.select("id", "metric", "rater", "value").row(0)
    ('q1', 'exact_match', 'ragauge', 1.0)
    """
    raters = {metric.metric: _judge(metric.metric) for metric in run.metrics}
    names = {metric.metric: without_judge(metric.metric) for metric in run.metrics}
    scores = run.collect(
        run.scan().filter(pl.col("value").is_not_null()).select("id", "system", "metric", "value")
    )
    frame = scores.select(
        "id",
        "system",
        pl.lit(None, pl.String).alias("other"),
        pl.col("metric").replace(names),
        pl.col("metric").replace(raters).alias("rater"),
        "value",
        pl.lit(None, pl.String).alias("answer"),
    )
    is_binary = frame["value"].is_in([0.0, 1.0]).all()
    return Verdicts(frame, "binary" if is_binary else "graded", run.place or "run")


def matched(labels: Verdicts, run: ScoredRun) -> MatchedLabels:
    """The labels that belong to answers of the run; notes say which do not, and why.

    Raises DataError if none does, PlanError if several systems answered and the labels name none.
    """
    named, notes_on_ids = _with_ids(labels.frame, run)
    frame = _with_systems(named, labels.source, run)
    known = run.samples.frame.select("id", "system").unique()
    notes = [*labels.notes, *notes_on_ids, *_unknown(frame, run)]
    frame = frame.join(known, on=["id", "system"], how="semi", maintain_order="left")
    if labels.kind == "preference":
        others = known.rename({"system": "other"})
        frame = frame.join(others, on=["id", "other"], how="semi", maintain_order="left")
    if not frame.height:
        if not named.height:
            raise DataError([Problem("; ".join(notes_on_ids), labels.source)])
        ids = named["id"].head(IDS_NAMED).to_list()
        there = run.samples.frame["id"].unique(maintain_order=True).head(IDS_NAMED).to_list()
        raise DataError(
            [
                Problem(
                    f"no label belongs to an answer of the run: the labels have ids such as "
                    f"{_quoted(ids)}, the run {_quoted(there)}; use the ids and systems of the run",
                    labels.source,
                )
            ]
        )
    frame, n_stale = _fresh(frame, run)
    if n_stale:
        notes.append(
            f"{_labels(n_stale)} not applied: the answer has changed since it was labelled"
        )
    if not frame.height:
        raise DataError(
            [Problem("every labelled answer differs from the run's; label again", labels.source)]
        )
    names = {name for metric in run.metrics for name in _names(metric)}
    named = frame["metric"].drop_nulls().unique().sort().to_list()
    for name in (name for name in named if name not in names):
        n = frame.filter(pl.col("metric") == name).height
        hint = did_you_mean(name, names)
        notes.append(f"{_labels(n)} about {name!r}, which the run does not have{hint}")
    frame = frame.drop("answer").with_columns(pl.col("other").fill_null(""))
    return MatchedLabels(frame, labels.kind, labels.source, tuple(notes), labels.settled)


def _with_ids(frame: "pl.DataFrame", run: ScoredRun) -> "tuple[pl.DataFrame, list[str]]":
    """The labels with the id of their question; those without an id have that of the same question.

    White space and case do not matter, as for answers. Labels of questions that the run does not have, or
    has under several ids, are left out and counted.
    """
    unnamed = frame.filter(pl.col("id").is_null()) if "question" in frame.columns else frame.clear()
    if not unnamed.height:
        return frame.drop("question", strict=False), []
    if "question" not in run.samples.columns:
        raise PlanError(
            ["the labels have no ids, and the run no questions to pair them by; add ids"]
        )
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
    n_paired = unnamed.height - (frame.height - kept.height)
    notes = (
        [f"{_labels(n_paired)} without an id: paired by the text of the question"]
        if n_paired
        else []
    )
    lost = unnamed.filter(~pl.col("question").is_in(list(only)))
    for is_known, what in (
        (False, "questions that the run does not have"),
        (True, "questions that the run asks under several ids"),
    ):
        some = lost.filter(
            pl.Series(
                [bool(found[text]) == is_known for text in lost["question"]], dtype=pl.Boolean
            )
        )
        names = some["question"].unique(maintain_order=True).to_list()
        if names:
            notes.append(f"{_labels(some.height)} for {what}: {_named(names)}")
    if once.height < kept.height:
        n_twice = kept.height - once.height
        notes.append(
            f"{_labels(n_twice)} of a rater for an answer that they had labelled before: not used"
        )
    return once, notes


def _with_systems(frame: "pl.DataFrame", source: str, run: ScoredRun) -> "pl.DataFrame":
    """The labels with their system: the run's only one where they name none."""
    systems = run.samples.systems
    if not frame["system"].null_count():
        return frame
    if len(systems) > 1:
        raise PlanError(
            [
                f"{source}: labels name no system, but the run has {len(systems)}: "
                f"{', '.join(systems[:5])}; add a column system"
            ]
        )
    return frame.with_columns(pl.col("system").fill_null(next(iter(systems), "")))


def _unknown(frame: "pl.DataFrame", run: ScoredRun) -> Iterator[str]:
    """Notes on labels whose id or system the run does not have."""
    ids = run.samples.frame["id"].unique()
    strange = frame.filter(~pl.col("id").is_in(ids.implode()))
    if strange.height:
        names = strange["id"].unique(maintain_order=True).to_list()
        yield f"{_labels(strange.height)} for ids that the run does not have: {_named(names)}"
    for column in ("system", "other"):
        named = frame.filter(pl.col("id").is_in(ids.implode()))[column].drop_nulls()
        for name in sorted(set(named.to_list()) - set(run.samples.systems)):
            hint = did_you_mean(name, run.samples.systems)
            hint = hint or f"; it has {', '.join(run.samples.systems[:5])}"
            n = int((named == name).sum())
            yield f"{_labels(n)} for the system {name!r}, which the run does not have{hint}"


def _fresh(frame: "pl.DataFrame", run: ScoredRun) -> "tuple[pl.DataFrame, int]":
    """The labels without those whose answer differs from the run's, and how many these are."""
    if "answer" not in run.samples.columns or frame["answer"].is_null().all():
        return frame, 0
    now = run.samples.frame.select("id", "system", pl.col("answer").alias("now"))
    joined = frame.join(now, on=["id", "system"], how="left", maintain_order="left")
    is_same = (
        pl.col("answer").is_null()
        | pl.col("now").is_null()
        | (_spaced(pl.col("answer")) == _spaced(pl.col("now")))
    )
    kept = joined.filter(is_same).drop("now")
    return kept, joined.height - kept.height


def _spaced(text: "pl.Expr") -> "pl.Expr":
    return text.str.strip_chars().str.replace_all(r"\s+", " ")


def _is_about(metric: MetricDisplay) -> "pl.Expr":
    """Whether a label names the metric, or none."""
    return pl.col("metric").is_null() | pl.col("metric").is_in(list(_names(metric)))


def _names(metric: MetricDisplay) -> Iterator[str]:
    """The names by which a label may mean a metric: label, shown name, bare name."""
    yield metric.metric
    yield metric.name
    yield bare_name(metric.metric)


def _judge(metric: str) -> str:
    try:
        judge = Label.parse(metric).settings.get("judge")
    except LabelError:
        return OWN_RATER
    return OWN_RATER if judge is None else str(cast(object, judge))


def _labels(n: int) -> str:
    return f"{n:,} label" if n == 1 else f"{n:,} labels"


def _named(names: Sequence[str]) -> str:
    """The first of some names."""
    shown = [name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 1]}…" for name in names]
    return f"{_quoted(shown[:IDS_NAMED])}{' …' if len(names) > IDS_NAMED else ''}"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
