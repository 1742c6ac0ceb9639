"""The entry points: `evaluate` samples with metrics, `score` one sample, `open_run` a stored run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, cast, get_args

from ragauge.calls.progress import Computed, Event, Listener, ignore
from ragauge.engine.batch import FIRST_ROWS, measure
from ragauge.engine.frames import in_other_languages
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import (
    DEFAULT,
    MetricLike,
    fitting,
    precision_of,
    read_metric,
    suite_for_label,
    suites_of,
)
from ragauge.engine.workload import Workload, workload
from ragauge.errors import DataError, MetricError, PlanError, Problem, RagaugeError, did_you_mean
from ragauge.evaluation.config import NO_CACHE
from ragauge.evaluation.execution import (
    ROWS_SAMPLED,
    Execution,
    PlannedRun,
    Progress,
    usual_batch_size,
)
from ragauge.judges.config import JudgeConfig, judge_config_of
from ragauge.run import Run
from ragauge.runs.identity import judges_of, manifest_of
from ragauge.runs.working_copy import url_of_run
from ragauge.samples.samples import FIELDS, Columns, FieldError, Samples, columns_of, read_value
from ragauge.score import LANGUAGE, LANGUAGE_EVIDENCE, KeptEvidence, Score
from ragauge.storage.regular_file import exists
from ragauge.suite import Entry

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.judges.session import JudgeSession
    from ragauge.loaders.conflicts import Prefer
    from ragauge.on_ray.executor import Ray
    from ragauge.runs.store import RunFolder

ROWS_FORECAST = 20_000
"""Rows by which the work of samples in a file is forecast."""


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
    _check(workers=workers, folder=folder)
    if executor is not None:
        from ragauge.on_ray.executor import Ray

        if not isinstance(executor, Ray):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError(f"executor must be an rg.Ray, got {executor!r:.80}")
        if workers != 1:
            way_out = f"give it to the cluster: rg.Ray(workers={workers})"
            raise PlanError(f"workers={workers} is for this machine; {way_out}")
    evaluation = Evaluation.prepare(
        _loaded(samples, gold, prefer, by_place=by_place),
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


@dataclass(frozen=True, slots=True)
class Evaluation(PlannedRun):
    """A prepared evaluation; `manifest.key` identifies its run by all that makes its numbers."""

    @classmethod
    def prepare(
        cls,
        samples: object,
        metrics: MetricLike | Sequence[MetricLike],
        *,
        encoder: "Encoder | str | None" = None,
        judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None" = None,
        cache: str | Path | None = None,
        seed: int = 0,
        batch_size: int | None = None,
        evidence: KeptEvidence = "all",
    ) -> "Evaluation":
        """Prepare an evaluation; takes the arguments of `evaluate`, raises PlanError with every problem."""
        _check(batch_size=1 if batch_size is None else batch_size, seed=seed, cache=cache)
        if evidence not in get_args(KeptEvidence):
            known = ", ".join(get_args(KeptEvidence))
            raise PlanError(f"evidence is {evidence!r:.80}; choose one of {known}")
        samples = _loaded(samples)
        suites = fitting(suites_of(metrics), samples)
        cache, config = None if cache == NO_CACHE else cache, judge_config_of(judge)
        precision = precision_of(suites)
        resources = Resources(encoder, precision=precision, cache=cache, judging=config)
        plan = make_plan(suites, samples.columns, resources.defaults(), resources.judge_names)
        encoding = [node for node in plan.nodes if "encoder" in node.definition.resources]
        resources.expect_tokens(node.settings for node in encoding)
        resources.evidence = evidence
        size = usual_batch_size(samples) if batch_size is None else batch_size
        return cls(plan, samples, resources, manifest_of(plan, samples, seed, size, resources))

    def run(
        self,
        folder: str | Path | None = None,
        *,
        workers: int = 1,
        progress: Progress | None = None,
        listener: Listener = ignore,
        executor: "Ray | None" = None,
        by: Sequence[str] | None = None,
    ) -> Run:
        """Run the evaluation and store it in `folder` if one is given; see `evaluate`.

        `listener` gets an event for each step (worker processes report batches only). The stored
        summaries are also by the fields `by`; None leaves those of a finished run as they are.
        """
        _check(folder=folder)
        self._judges()
        self.resources.watch(listener)
        given = (self.plan, self.samples, self.resources, self.manifest)
        work = Execution(*given, workers, progress, executor, by)
        return work.in_memory() if folder is None else work.in_folder(Path(folder))

    def estimate(self, folder: str | Path | None = None) -> "Mapping[str, CostEstimate]":
        """For each judge, the calls that `run` would still make; needs judges in estimate mode."""
        judges, judged = self._judges(), self.plan.for_judges()
        for number in self.unfinished_batches(self._folder_at(folder)):
            measure(judged, columns_of(self.batch(number)), self.resources)
        return {session.name: session.usage.estimate() for session in judges}

    def without_columns(self) -> Mapping[str, str]:
        """Why the first rows give no score, by the label of each metric whose columns they do not have."""
        from ragauge.engine.workload import without_columns

        manifest = replace(self.manifest, batch_size=ROWS_SAMPLED)
        first = columns_of(replace(self, manifest=manifest).batch(0))
        found = without_columns(self.plan, first, self.resources)
        if len(self.samples) <= ROWS_SAMPLED:
            return found
        return {label: f"first {ROWS_SAMPLED} answers: {why}" for label, why in found.items()}

    def workload(self, folder: Path | None = None) -> Workload:
        """How much `run` has to do, about; without the batches that are finished in this folder."""
        import polars as pl

        numbers = self.unfinished_batches(self._folder_at(folder))
        size, samples = self.manifest.batch_size, self.samples
        if samples.is_file:  # the first rows stand for all
            first = Samples(samples.part(0, ROWS_FORECAST))
            n_left = min(len(numbers) * size, len(samples))
            return workload(self.plan, first, self.resources).times(n_left / len(first))
        if len(numbers) < self.n_batches:
            row = pl.int_range(pl.len()) // size
            samples = Samples(samples.frame.filter(row.is_in(numbers)))
        return workload(self.plan, samples, self.resources)

    def _folder_at(self, place: str | Path | None) -> "RunFolder | None":
        """The folder of this evaluation's run, which need not exist yet; None if it is not stored."""
        from ragauge.runs.store import RunFolder

        return None if place is None else RunFolder.at(place, key=self.manifest.key)

    def node_seconds(self) -> Mapping[str, float]:
        """How long each node takes for a few rows, by its key; an error is left to the run."""
        spent: dict[str, float] = {}
        last, first = (
            monotonic(),
            columns_of(
                replace(self, manifest=replace(self.manifest, batch_size=FIRST_ROWS)).batch(0)
            ),
        )

        def tell(event: Event) -> None:
            nonlocal last
            now = monotonic()
            if isinstance(event, Computed):
                spent[event.node] = now - last
            last = now

        listener = self.resources.listener
        with suppress(RagaugeError):
            self.resources.watch(tell)
            for _ in range(2):  # the first opens models
                measure(self.plan, first, self.resources)
        self.resources.watch(listener)
        return spent

    def reports(self, workers: int) -> bool:
        """Whether a run with this number of workers reports its progress within a batch."""
        from ragauge.engine.executors import choose

        return choose(self.plan, len(self.samples), workers, self.resources)[1]

    def close(self, judge: object) -> None:
        """Close the judges that were given by name: whoever opens one closes it."""
        given = cast("Sequence[object]", judge if isinstance(judge, list | tuple) else [judge])
        self.resources.close_judges([name for name in given if isinstance(name, str)])

    def _judges(self) -> "Sequence[JudgeSession]":
        """The judges, which repeat calls whose stored reply is unreadable if the config says so."""
        judges = judges_of(self.plan, self.resources)
        for session in judges:
            session.retry_unreadable |= self.resources.judging.retry_unreadable
        return judges


def _check(
    *,
    batch_size: int = 1,
    workers: int = 1,
    seed: int = 0,
    folder: str | Path | None = None,
    cache: str | Path | None = None,
) -> None:
    """Raise PlanError if a value is out of range or not a path."""
    numbers = (("batch_size", batch_size, 1), ("workers", workers, 1), ("seed", seed, 0))
    for name, number, least in numbers:
        if not isinstance(number, int) or number < least:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError(f"{name} must be a whole number of at least {least}, got {number!r}")
        if number >= 2**63:  # what a manifest holds
            raise PlanError(f"{name} must be below 2^63, got {number!r:.60}")
    if folder is not None and not (isinstance(folder, str | Path) and str(folder)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError(f"folder must be a path, got {folder!r}")
    if folder is not None:
        url_of_run(folder)
    for name, path in (("folder", folder), ("cache", cache)):
        if "\0" in str(path):
            raise PlanError(f"{name} has a NUL character: {str(path)!r:.80}")


def _loaded(
    samples: object, gold: object = None, prefer: "Prefer | None" = None, *, by_place: bool = False
) -> Samples:
    """The samples; PlanError for options of loading with samples that are loaded already."""
    from ragauge.loaders import load

    if isinstance(own := getattr(samples, "samples", None), Samples):  # rg.Answers
        samples = own
    if not isinstance(samples, Samples):
        return load(samples, gold=gold, prefer=prefer, by_place=by_place)
    given = {"gold": gold is not None, "prefer": prefer is not None, "by_place": by_place}
    if names := ", ".join(name for name, is_given in given.items() if is_given):
        raise PlanError(f"the samples are loaded already; give {names} to rg.load")
    return samples


def estimate(
    samples: object,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig",
    encoder: "Encoder | str | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    batch_size: int | None = None,
) -> "Mapping[str, CostEstimate]":
    """Estimate, for each judge, the calls that `evaluate` would still make, their tokens and cost.

    Takes the arguments of `evaluate`. Replies in `cache` and finished batches in `folder` are not
    counted. Makes no calls and writes nothing. If a question depends on an earlier reply, a typical
    reply is assumed, such as one claim per sentence. Tokens and cost are low, likely and high; the cost
    is None if the price is unknown.

    >>> row = {"id": "q1", "question": "Capital?", "answer": "Lyon", "reference": "Paris"}
    >>> async def strict(request): ...
    >>> estimate([row], ["answer_class", "factual_accuracy"], judge=strict)["strict"].calls
    2
    """
    _check(folder=folder)
    cache = cache if cache is not None and exists(cache) else None
    counting = replace(judge_config_of(judge), mode="estimate")
    evaluation = Evaluation.prepare(
        samples,
        metrics,
        encoder=encoder,
        judge=counting,
        cache=cache,
        seed=seed,
        batch_size=batch_size,
    )
    return evaluation.estimate(folder)


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
