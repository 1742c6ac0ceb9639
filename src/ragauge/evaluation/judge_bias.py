"""Measure what changes a judge's verdicts besides the answer, on your own data."""

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from ragauge.engine.selection import MetricLike
from ragauge.errors import DataError, PlanError, Problem
from ragauge.evaluation import evaluate
from ragauge.evaluation.evaluation import Evaluation
from ragauge.evaluation.forecast import cost
from ragauge.judges.config import JudgeConfig, judge_config_of
from ragauge.people import judge_effects
from ragauge.people.judge_effects import JudgeBias, Key
from ragauge.run import Run
from ragauge.samples.samples import Samples
from ragauge.score import Score
from ragauge.storage.regular_file import exists

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.engine.resources import Resources
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.judges.question import Question
    from ragauge.judges.questions import Criterion

QUESTIONS = 50
REPEATS = 3
OFFLINE = "correct"
"""The offline metric that stands for quality where nobody labelled."""


def judge_bias(
    samples: object,
    metrics: "MetricLike | Sequence[MetricLike]",
    *,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig",
    labels: object = None,
    yes: Collection[str] = (),
    n_questions: int = QUESTIONS,
    repeat: int = REPEATS,
    cache: str | Path | None = None,
    seed: int = 0,
) -> JudgeBias:
    """Measure a judge's self-consistency, position bias and length bias on a sample of your data.

    Takes `n_questions` random questions and all answers to them. Each is judged `repeat` times
    (self-consistency), then again with its contexts in reverse order (for metrics that read contexts), and
    the answers of two systems to a question are compared in both orders. Length bias is the correlation
    of scores with length within equal `labels` (as `Run.calibrate` reads them), or else with the offline
    metric `correct` held constant. Replies are kept in `cache` as in `evaluate`. Raises PlanError if
    no metric asks the judge.

    >>> import ragauge as rg
    >>> rows = [
    ...     {"id": str(n), "system": system, "answer": "Rome", "reference": "Rome"}
    ...     for n in range(3)
    ...     for system in "ab"
    ... ]
    >>> judge = rg.ScriptedJudge({"verdict": ["CORRECT", "WRONG", "CORRECT"]})
    >>> found = judge_bias(rows, "answer_class", judge=judge, repeat=3)
    >>> round(found.consistency[0].flips.value, 3)  # two of the three pairs of calls differ
    0.667
    """
    if repeat < 1 or n_questions < 1:
        raise PlanError(["repeat and n_questions must be at least 1"])
    chosen = _some(samples, n_questions, seed)
    config = replace(judge_config_of(judge), repeat=repeat)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # A temporary cache, so that calls that do not depend on the order are made once.
        path = Path(folder) / "cache.sqlite" if cache is None else cache
        prepared = Evaluation.prepare(chosen, metrics, judge=config, cache=path, seed=seed)
        nodes = prepared.plan.judged
        judged = {each.metric for each in prepared.plan.metrics if each.node in nodes}
        if not judged:
            raise PlanError(["no metric asks the judge; give one that does, such as answer_class"])
        try:
            return _measured(prepared, metrics, judged, labels, yes, path)
        finally:
            prepared.close(judge)


def judge_bias_cost(
    samples: object,
    metrics: "MetricLike | Sequence[MetricLike]",
    *,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig",
    n_questions: int = QUESTIONS,
    repeat: int = REPEATS,
    cache: str | Path | None = None,
    seed: int = 0,
) -> "Mapping[str, CostEstimate]":
    """For each judge, the calls that `judge_bias` would still make, their tokens and cost; makes none."""
    from ragauge.calls import loop

    chosen = _some(samples, n_questions, seed)
    config = replace(judge_config_of(judge), repeat=repeat, mode="estimate")
    existing = cache if cache is not None and exists(cache) else None
    prepared = Evaluation.prepare(chosen, metrics, judge=config, cache=existing, seed=seed)
    cost(prepared)
    turned = _turned(chosen)
    if turned is not None and prepared.plan.columns & {"contexts"}:
        cost(replace(prepared, samples=turned))
    sessions = prepared.resources.judges
    for session in sessions.values():
        loop.run(session.ask_all(_in_both_orders(_pairs(chosen, seed))))
    return {name: session.usage.estimate() for name, session in sessions.items()}


def _measured(
    prepared: Evaluation,
    metrics: "MetricLike | Sequence[MetricLike]",
    judged: Collection[str],
    labels: object,
    yes: Collection[str],
    cache: str | Path,
) -> JudgeBias:
    """Everything that can be measured on these samples."""
    chosen, config, seed = prepared.samples, prepared.resources.judging, prepared.manifest.seed
    run = evaluate(chosen, metrics, judge=config, cache=cache, seed=seed)
    shown = [metric for metric in run.metrics if metric.metric in judged]
    turned, plan = _turned(chosen), prepared.plan
    reads = {each.metric: plan.only([each]).columns for each in plan.metrics}
    in_order = [metric for metric in shown if "contexts" in reads[metric.metric]]
    by_order: tuple[judge_effects.ContextOrder, ...] = ()
    if in_order and turned is not None:
        other = evaluate(turned, metrics, judge=config, cache=cache, seed=seed)
        orders = (judge_effects.context_order(run, other, it) for it in in_order)
        by_order = tuple(orders)
    standard, held, notes = _standard(run, labels, yes)
    by_label, offline = (standard, None) if labels is not None else (None, standard)
    answers = tuple(_answer_orders(chosen, prepared.resources, seed, notes))
    for is_so, note in (
        (
            config.repeat == 1,
            "self-consistency needs two calls or more for each question (--repeat 3)",
        ),
        (not in_order, "order of contexts: no judged metric reads contexts"),
        (in_order and turned is None, "order of contexts: no answer has two contexts"),
        (len(chosen.systems) < 2, "order of answers: needs the answers of two systems"),
    ):
        notes += [note] if is_so else []
    repeated = shown if config.repeat > 1 else ()
    repeats = tuple(judge_effects.consistency(run, metric, seed=seed) for metric in repeated)
    lengths = tuple(
        judge_effects.length_effect(run, it, labels=by_label, offline=offline, held=held, seed=seed)
        for it in shown
    )
    n_ids = chosen.frame["id"].n_unique()
    return JudgeBias(n_ids, len(chosen), repeats, by_order, lengths, answers, tuple(notes))


def _some(samples: object, n: int, seed: int) -> Samples:
    """All answers to n random questions."""
    from ragauge.loaders.loading import load

    found = samples if isinstance(samples, Samples) else load(samples)
    ids = found.frame["id"].unique().sort()
    order = np.random.default_rng(seed).permutation(len(ids))[:n]
    some = found.frame.filter(found.frame["id"].is_in(ids.gather(order).implode()))
    if "answer" not in some.columns:
        raise DataError([Problem("has no answers, so there is nothing to judge", found.source)])
    return Samples(some, found.source)


def _turned(samples: Samples) -> Samples | None:
    """The answers with two contexts or more, in reverse order; None if there are none."""
    if "contexts" not in samples.columns:
        return None
    rows = samples.frame.filter(pl.col("contexts").list.len() > 1)
    lists = [name for name in ("contexts", "context_ids", "context_scores") if name in rows.columns]
    turned = rows.with_columns(pl.col(name).list.reverse() for name in lists)
    return Samples(turned, samples.source) if turned.height else None


def _standard(
    run: Run, labels: object, yes: Collection[str]
) -> tuple[Mapping[Key, float] | None, str, list[str]]:
    """What says how good each answer is: labels, or else an offline metric; its name, and notes."""
    if labels is not None:
        from ragauge.loaders.labels import Verdicts, load_verdicts
        from ragauge.people.verdicts import matched

        given = labels if isinstance(labels, Verdicts) else load_verdicts(labels, yes=yes)
        found, name = matched(given, run), "label"
        scored, value = found.targets(run.metrics[0]), "target"
        notes = list(found.notes)
    elif "references" in run.samples.columns:
        scored, value, name = evaluate(run.samples, OFFLINE).scores, "value", OFFLINE
        notes = list[str]()
    else:
        return None, OFFLINE, []
    rows = scored.drop_nulls(value).select("id", "system", value).iter_rows()
    return {(id, system): target for id, system, target in rows}, name, notes


def _answer_orders(
    samples: Samples, resources: "Resources", seed: int, notes: list[str]
) -> Iterable[judge_effects.AnswerOrder]:
    """Each judge's comparisons of two systems' answers, in both orders."""
    from ragauge.calls import loop
    from ragauge.judges.questions import FIRST, TIE

    pairs = _pairs(samples, seed)
    for name, session in resources.judges.items() if pairs else ():
        answers = loop.run(session.ask_all(_in_both_orders(pairs)))
        found: list[tuple[str, float, float]] = []
        for (id, *_), *both in zip(pairs, answers[::2], answers[1::2], strict=True):
            read = [each.value.verdict for each in both if not isinstance(each, Score)]
            won = [0.5 if verdict == TIE else float(verdict == FIRST) for verdict in read]
            if len(won) == 2:
                found.append((id, won[0], won[1]))
        if n_failed := len(pairs) - len(found):
            notes.append(f"{name}: {n_failed:,} of {len(pairs):,} pairs could not be compared")
        yield judge_effects.answer_order(name, found, seed=seed)


Pair = tuple[str, str | None, Sequence[str] | None, str, str]
"""A question's id, its text, its references, and two different answers."""


def _pairs(samples: Samples, seed: int) -> list[Pair]:
    """Two random different answers to each question that has them."""
    random = np.random.default_rng(seed)
    pairs: list[Pair] = []
    by_id = samples.frame.sort("id", "system").partition_by("id", maintain_order=True)
    for rows in by_id:
        answers = [text for text in rows["answer"].unique(maintain_order=True).to_list() if text]
        if len(answers) < 2:
            continue
        first, second = random.permutation(len(answers))[:2]
        row = rows.row(0, named=True)
        references = cast("Sequence[str] | None", row.get("references"))
        pairs.append((row["id"], row.get("question"), references, answers[first], answers[second]))
    return pairs


def _in_both_orders(pairs: Sequence[Pair]) -> "list[Question[Criterion]]":
    from ragauge.judges.questions import preference

    return [
        preference(question, references, *order)
        for _, question, references, answer, other in pairs
        for order in ((answer, other), (other, answer))
    ]
