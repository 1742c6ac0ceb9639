"""The entry points: `evaluate` samples with metrics, `score` one sample, `open_run` a stored run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.engine.measure import in_other_languages, measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import DEFAULT, MetricLike, read_metric, suite_for_label
from ragauge.errors import DataError, MetricError, PlanError, Problem, did_you_mean
from ragauge.evaluation.evaluation import Evaluation, Progress, check, loaded
from ragauge.judges.config import JudgeConfig, judge_config_of
from ragauge.run import Run
from ragauge.samples.fields import FIELDS, Columns, FieldError, read_value
from ragauge.score import LANGUAGE, LANGUAGE_EVIDENCE, KeptEvidence, Score
from ragauge.suite import Entry

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.loaders.pairing import Prefer
    from ragauge.on_ray.executor import Ray


def score(
    label: str | Callable[..., object],
    /,
    *,
    encoder: "Encoder | str | None" = None,
    judge: "JudgeLike | None" = None,
    **fields: object,
) -> Score:
    """Score one sample with one metric: `rg.score("ndcg@10", context_ids=[…], relevant={…})`.

    `fields` are the sample's columns; `reference="…"` is one reference, `reference=[…]` or `references=[…]`
    are several, and `relevant` may be a list of ids. For a composite, give the values of its parts. `encoder`
    (default: the embedded model) and `judge` (a judge, an async function or a model's name) are for metrics that
    need one. If a field is missing, the score has the status `missing`. Raises LabelError if the label does not parse, PlanError for an unknown metric, setting
    or field, and DataError for an invalid value. In a language in which the metric was not compared with people, the score has a flag
    such as `language:de`.

    >>> import ragauge as rg
    >>> rg.score("number_match", answer="The premium is $604", reference="$604").value
    1.0
    """
    if callable(label) and isinstance(named := read_metric(label), Entry):
        label = str(named.label)
    if not isinstance(label, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError(f"score takes a metric's label or function, got {label!r:.80}")
    columns, resources = _one_row(fields), Resources(encoder, judging=judge_config_of(judge))
    plan = make_plan([suite_for_label(label)], list(columns), resources.defaults())
    read = [column for node in plan.nodes for column in node.definition.columns]
    parts = {column.name for column in read if column.takes_score}
    known = {*FIELDS, "reference", *plan.columns, *parts}
    reads = "; it reads " + ", ".join(sorted(plan.columns))
    if unread := [name for name in fields if name not in {*known, "state"}]:
        hints = {name: did_you_mean(name, known) or reads for name in unread}
        raise PlanError(f"{label} does not read the field {name!r}{hints[name]}" for name in hints)
    at = next((at for at, metric in enumerate(plan.metrics) if metric.name == label), 0)
    try:
        scores = measure(plan, columns, resources)[at]
    except MetricError as error:
        if parts and isinstance(error.__cause__, ValueError | TypeError):
            raise PlanError(f"{label}: {error.__cause__}") from None
        raise
    found = cast(Score, scores[0])
    flags = in_other_languages([plan.metrics[at]], columns, [0], [0])
    if found.value is None or not flags:
        return found
    language = flags[0].removeprefix(LANGUAGE)
    return replace(found, evidence={**(found.evidence or {}), LANGUAGE_EVIDENCE: language})


def evaluate(
    samples: object,
    metrics: MetricLike | Sequence[MetricLike] = DEFAULT,
    *,
    gold: object = None,
    prefer: "Prefer | None" = None,
    by_place: bool = False,
    encoder: "Encoder | str | None" = None,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    workers: int = 1,
    batch_size: int | None = None,
    evidence: KeptEvidence = "all",
    progress: Progress | None = None,
    executor: "Ray | None" = None,
) -> Run:
    """Score samples with metrics.

    `samples` is anything that `load` takes, Samples, or what `ask` returns. `gold`, `prefer` and `by_place` are those of
    `load`: questions and references in a source of their own, which value to use where sources differ,
    and pairing rows by their place. `metrics` is a suite's name or TOML file, a
    metric's label or function, or a list of them; without it, the suite `rag`. `encoder` is a model's name or an encoder, for metrics
    that need one (default: the embedded model). `judge` is a judge, an async function, a model's name,
    several of them, or a JudgeConfig with repeats and budgets. `cache` is a file that keeps vectors and
    replies for later runs (default, and with "none": no file); each reply is stored as soon as it arrives. `folder`, also an s3:// or gs:// URL, stores the run batch by
    batch; call again with the same arguments to resume: finished batches are reused, failed scores are
    retried. `batch_size` is how many rows are measured and stored together (default: at most 1,000, of many
    short samples more). `evidence` is whose evidence is kept: of "all" scores, of "failed" ones (those
    without a value or with a flag), or of "none"; it changes no score, and a run may be resumed with another. With `workers` above 1, large runs use that many processes (call it under
    `if __name__ == "__main__":`). `executor`, an `rg.Ray`, has a Ray cluster measure the batches; the numbers are the same. `seed` is for tests and resampling. Raises PlanError with every problem
    before any work starts.

    >>> run = evaluate([{"id": "q1", "answer": "Paris", "reference": "paris"}], "exact_match")
    >>> run.scores["value"].to_list()
    [1.0]
    """
    check(workers=workers, folder=folder)
    if executor is not None:
        from ragauge.on_ray.executor import Ray

        if not isinstance(executor, Ray):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError(f"executor must be an rg.Ray, got {executor!r:.80}")
        if workers != 1:
            way_out = f"give it to the cluster: rg.Ray(workers={workers})"
            raise PlanError(f"workers={workers} is for this machine; {way_out}")
    evaluation = Evaluation.prepare(
        loaded(samples, gold, prefer, by_place=by_place),
        metrics,
        encoder=encoder,
        judge=judge,
        cache=cache,
        seed=seed,
        batch_size=batch_size,
        evidence=evidence,
    )
    try:
        return evaluation.run(folder, workers=workers, progress=progress, executor=executor)
    finally:
        evaluation.close(judge)


def open_run(folder: str | Path) -> Run:
    """Open the finished run in a folder, or at an s3:// or gs:// URL, that `evaluate` or `ragauge run` wrote.

    Raises StoreError if there is no run, or it is unfinished or damaged.

    >>> import tempfile, ragauge as rg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = rg.evaluate([{"id": "q1", "answer": "I do not know"}], "dont_know", folder=folder)
    ...     rg.open_run(folder).scores["value"].to_list()
    [1.0]
    """
    from ragauge.runs.store import RunFolder

    return Run.of(RunFolder.at(folder).read())


def _one_row(fields: Mapping[str, object]) -> Columns:
    given = dict(fields)
    if "reference" in given:
        if "references" in given:
            raise PlanError("give reference or references, not both")
        given["references"] = given.pop("reference")
    if "expected_state" in given and "state" in given:
        given["final_state"] = given.pop("state")
    if "messages" in given:
        given.setdefault("whole_conversation", given["messages"])
    columns: Columns = {"id": ["this sample"], "system": ["default"]}
    for name, value in given.items():
        try:
            known = name in FIELDS or isinstance(value, str)
            columns[name] = [read_value(name, value) if known else value]
        except FieldError as error:
            shown = "reference" if name == "references" and name not in fields else name
            raise DataError([Problem(str(error), "rg.score", field=shown)]) from None
    return columns
