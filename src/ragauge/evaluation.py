"""The two ways in: `evaluate` samples with a suite, `score` one sample with one metric."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.engine.engine import measure, of_corpus
from ragauge.engine.plan import Node, Plan, make_plan
from ragauge.engine.resources import Resources
from ragauge.errors import (
    DataError,
    LabelError,
    MetricError,
    PlanError,
    Problem,
    SuiteError,
    did_you_mean,
)
from ragauge.judges.config import JudgeConfig
from ragauge.label import Label
from ragauge.metric import METRICS
from ragauge.runs.identity import judges_of, manifest_of, now
from ragauge.runs.manifest import Manifest
from ragauge.runs.run import Run
from ragauge.sample import FIELDS, Columns, FieldError, Samples, read_value
from ragauge.score import Score
from ragauge.suite import Entry, Suite, names_of, shipped_suites

if TYPE_CHECKING:
    import polars as pl

    from ragauge.encoders.protocol import Encoder
    from ragauge.engine.executors import Batch
    from ragauge.judges.budget import CostEstimate
    from ragauge.judges.providers.factory import JudgeLike

BATCH_SIZE = 1_000
Progress = Callable[[int, int], None]
"""Called with the rows done and the rows in all."""
MetricLike = str | Path | Suite | Label | Callable[..., object]
"""A suite's name or file, a suite, a label, or a metric's function."""


def score(
    label: str | Callable[..., object],
    /,
    *,
    encoder: "Encoder | str | None" = None,
    judge: "JudgeLike | None" = None,
    **fields: object,
) -> Score:
    """One metric on one sample: `rg.score("ndcg@10", context_ids=[…], relevant={…})`.

    Fields are the sample's columns; `reference="…"` stands for one reference, `relevant` may be a
    list of ids. For a composite, give the values of its parts. `encoder` is a model's name or an
    encoder, for metrics that compare meaning; none given: the embedded one. `judge` is one, an async
    function or a model's name, for metrics that ask one. A metric that misses a
    field has the status `missing`. LabelError for a label that does not parse, PlanError for an unknown
    metric, setting or field, DataError for a value that a field cannot hold.

    >>> import ragauge as rg
    >>> rg.score("number_match", answer="The premium is $604", reference="$604").value
    1.0
    """
    label = str(_read_metric(label)) if callable(label) else label
    if not isinstance(label, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError([f"a metric's label or function is wanted, got {label!r:.80}"])
    asked = _suite_of_one(label)
    columns = _one_row(fields)
    resources = Resources(encoder, judging=judging_of(judge))
    plan = make_plan([asked], list(columns), resources.defaults())
    _check_used(label, fields, plan)
    wanted = [place for place, one in enumerate(plan.metrics) if one.name == label]
    try:
        scores = measure(plan, columns, resources)[wanted[0] if wanted else 0]
    except MetricError as error:
        if isinstance(error.__cause__, ValueError | TypeError) and _is_composite(plan):
            raise PlanError([f"{label}: {error.__cause__}"]) from None
        raise
    return cast(Score, scores[0])


def evaluate(
    samples: object,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    encoder: "Encoder | str | None" = None,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    workers: int = 1,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> Run:
    """The scores of samples by suites and metrics.

    `samples` is whatever `load` takes, or Samples. `metrics` is a suite's name or TOML file, a
    metric's label or function, or a list of them. `encoder` is a model's name or an encoder, for
    metrics that compare meaning; none given: the embedded one. `judge` is a judge, an async function,
    a model's name, several of them, or a Judging that says how they are asked and what they may
    spend. `cache` is the file in which vectors and replies are kept for later runs, each reply the
    moment it comes; none given: they are not. With `folder` the run is stored
    there, batch by batch; when the same evaluation was begun there before, its finished batches are
    used again, and what failed is tried again. `workers` above 1 puts large runs in so many
    processes (call it under `if __name__ == "__main__":` then). `seed` is the bootstrap's.
    PlanError lists every problem before any work is done.

    >>> run = evaluate([{"id": "q1", "answer": "Paris", "reference": "paris"}], "exact_match")
    >>> run.scores["value"].to_list()
    [1.0]
    """
    samples = _samples(samples)
    _check(batch_size=batch_size, workers=workers, seed=seed, folder=folder)
    resources = Resources(encoder, cache=cache, judging=judging_of(judge))
    plan = make_plan(
        suites_of(metrics), samples.columns, resources.defaults(), resources.judge_names
    )
    resources.expect(node.settings for node in plan.nodes if "encoder" in node.definition.resources)
    manifest = manifest_of(plan, samples, seed, batch_size, resources)
    _retry_unreadable(plan, resources)
    work = _Work(plan, samples, manifest, resources, workers, progress)
    try:
        return _in_memory(work) if folder is None else _in_folder(work, Path(folder))
    finally:
        if not isinstance(judge, JudgeConfig):
            resources.close_judges(opened_by_name(judge))


def _check(
    *, batch_size: int, workers: int = 1, seed: int, folder: str | Path | None = None
) -> None:
    """PlanError when one of them is no such number or path."""
    for name, number, least in (
        ("batch_size", batch_size, 1),
        ("workers", workers, 1),
        ("seed", seed, 0),
    ):
        if not isinstance(number, int) or number < least:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError([f"{name} must be a whole number of at least {least}, got {number!r}"])
    if folder is not None and not (isinstance(folder, str | Path) and str(folder)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError([f"folder must be a path, got {folder!r}"])


def judging_of(judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None") -> JudgeConfig:
    """The judges that are given, opened, and how they are asked. JudgeError or PlanError."""
    if judge is None:
        return JudgeConfig()
    if isinstance(judge, JudgeConfig):
        return judge
    from ragauge.judges.providers.factory import open_judge

    several = isinstance(judge, list | tuple)
    given = cast("Sequence[JudgeLike]", judge if several else [judge])
    return JudgeConfig(tuple(open_judge(one) for one in given))


def opened_by_name(judge: "JudgeLike | Sequence[JudgeLike] | None") -> Collection[str]:
    """The names of the judges that were opened for this call: others may be in use elsewhere."""
    several = isinstance(judge, list | tuple)
    return [
        one
        for one in cast("Sequence[JudgeLike]", judge if several else [judge])
        if isinstance(one, str)
    ]


def suites_of(metrics: MetricLike | Sequence[MetricLike]) -> list[Suite]:
    """The suites asked for; metrics named one by one make a suite of their own.

    SuiteError or LabelError lists what is neither a suite nor a metric.
    """
    several = not isinstance(metrics, str | Path | Suite | Label) and isinstance(metrics, Iterable)
    suites: list[Suite] = []
    labels: list[Label] = []
    problems: list[str] = []
    for one in cast(Sequence[MetricLike], metrics) if several else [cast(MetricLike, metrics)]:
        try:
            read = _read_metric(one)
        except (SuiteError, LabelError) as error:
            problems.append(str(error))
            continue
        if isinstance(read, Suite):
            suites.append(read)
        else:
            labels.append(read)
    if problems:
        raise PlanError(problems)
    if labels:
        suites.append(Suite.of(labels))
    if not suites:
        raise PlanError(["no metric is asked for; name a suite or a metric"])
    return suites


def run_key(
    samples: Samples,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    encoder: "Encoder | str | None" = None,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None" = None,
    batch_size: int = BATCH_SIZE,
    seed: int = 0,
) -> str:
    """What the evaluation's folder is known by: the same for the same plan, data, code, models."""
    resources = Resources(encoder, judging=judging_of(judge))
    plan = make_plan(
        suites_of(metrics), samples.columns, resources.defaults(), resources.judge_names
    )
    return manifest_of(plan, samples, seed, batch_size, resources).key


def _read_metric(one: MetricLike) -> Suite | Label:
    if isinstance(one, Suite | Label):
        return one
    if isinstance(one, Path) or str(one).endswith(".toml") or one in shipped_suites():
        return Suite.load(cast(str | Path, one))
    if isinstance(one, str):
        label = _read_label(one)
        if label.name not in catalog.metrics():
            raise SuiteError(unknown_metric(label.name))
        catalog.find(label)  # so that a wrong setting is said with the other problems
        return label
    for metric in METRICS.values():
        if one in (metric.function, getattr(metric.function, "__wrapped__", None)):
            return Label(metric.name)
    raise SuiteError(f"{one!r} is no metric; put @metric above its definition")


def _read_label(text: str) -> Label:
    """The label; a text with a hyphen that is none may be meant for the name of a suite."""
    try:
        return catalog.read_label(text)
    except LabelError:
        if "-" not in text.split("(")[0]:
            raise
        return Label(text)


def unknown_metric(name: str) -> str:
    """What to say of a name that is no metric here: a suite may know more of it."""
    for suite in map(Suite.load, shipped_suites()):
        for entry in suite.entries:
            if name == entry.name:
                return f"{name} is what the suite {suite.name} calls {entry.label}"
        for rule, label in (rule for check in suite.checks for rule in check.rules):
            if name == rule:
                return f"{name} is a check of the suite {suite.name}: {label}"
    return "\n".join([catalog.unknown(name, shipped_suites()), *catalog.BROKEN])


def _samples(samples: object) -> Samples:
    if isinstance(samples, Samples):
        return samples
    from ragauge.loaders import load

    return load(samples)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class _Work:
    """What there is to do, and with what."""

    plan: Plan
    samples: Samples
    manifest: Manifest
    resources: Resources
    workers: int
    progress: Progress | None


def _in_memory(work: _Work) -> Run:
    import polars as pl

    numbers = range(_n_batches(work.samples, work.manifest))
    parts = dict(_measured(work, numbers))
    scores = pl.concat([parts[number] for number in numbers])
    told = replace(work.manifest, finished=now(), judging=_told_by_judges(work))
    return Run(work.samples, scores, told)


def _in_folder(work: _Work, path: Path) -> Run:
    from ragauge.report.tables import write_summaries
    from ragauge.runs.store import SUMMARIES, RunFolder, has_unfinished

    samples, manifest = work.samples, work.manifest
    folder = RunFolder(path)
    stored = folder.open(manifest, samples)
    n_parts = _n_batches(samples, manifest)
    batches = _batches(samples, manifest)
    if stored.finished:
        run = replace(folder.read(), samples=samples)
        if not has_unfinished(run.scores):
            if not all((path / name).exists() for name in SUMMARIES):
                write_summaries(run, path)
            return run
        folder.reopen(run, batches)
    numbers = [number for number in range(n_parts) if not folder.has_part(number, batches[number])]
    for number, part in _measured(work, numbers):
        folder.write_part(number, part)
    told = replace(stored, finished=now(), judging=_told_by_judges(work))
    run = folder.finish(told, samples, n_parts)
    write_summaries(run, path)
    return run


def _still_to_do(path: Path, manifest: Manifest, samples: Samples) -> list[int]:
    """The numbers of the batches that a run in this folder would still make. Writes nothing.

    All of them where the folder holds another run, which `RunFolder.open` then refuses.
    """
    from ragauge.runs.store import MANIFEST, RunFolder, has_unfinished

    batches = _batches(samples, manifest)
    folder = RunFolder(path)
    stored = folder.manifest() if (path / MANIFEST).exists() else None
    if stored is None or stored.key != manifest.key:
        return list(range(len(batches)))
    if not stored.finished:
        return [number for number, rows in enumerate(batches) if not folder.has_part(number, rows)]
    scores, pairs = folder.read().scores, ["id", "system"]
    return [
        number
        for number, rows in enumerate(batches)
        if has_unfinished(scores.join(rows.select(pairs), on=pairs, how="semi"))
    ]


def _retry_unreadable(plan: Plan, resources: Resources) -> None:
    """Have the judges ask anew what they were asked for that, where the run is told to."""
    for one in judges_of(plan, resources) if resources.judging.retry_unreadable else ():
        one.retry_unreadable = True


def _told_by_judges(work: _Work) -> Mapping[str, object]:
    """For each judge that was asked what that took, and what its endpoint refused to be told."""
    return {
        judge.name: {**judge.usage.as_data(), **judge.judge.details()}
        for judge in judges_of(work.plan, work.resources)
    }


def estimate(
    samples: object,
    metrics: MetricLike | Sequence[MetricLike],
    *,
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig",
    encoder: "Encoder | str | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    batch_size: int = BATCH_SIZE,
) -> "Mapping[str, CostEstimate]":
    """For each judge the calls that `evaluate` would still make, their tokens and their cost.

    The arguments are those of `evaluate`. What `cache` holds is not counted, nor are the batches that
    are finished in `folder`. No call is made, and nothing is written. Where what is asked depends on a
    reply that is not there yet, a likely one is taken: a claim for each sentence. Tokens and cost are
    low, likely and high; the cost is None where the price is not known.

    >>> row = {"id": "q1", "question": "Capital?", "answer": "Lyon", "reference": "Paris"}
    >>> async def strict(request): ...
    >>> estimate([row], ["answer_class", "factual_accuracy"], judge=strict)["strict"].calls
    2
    """
    _check(batch_size=batch_size, seed=seed, folder=folder)
    samples = _samples(samples)
    judging = replace(judging_of(judge), mode="estimate")
    there = cache if cache is not None and Path(cache).exists() else None
    resources = Resources(encoder, cache=there, judging=judging)
    plan = make_plan(
        suites_of(metrics), samples.columns, resources.defaults(), resources.judge_names
    )
    asked = replace(plan, nodes=tuple(_for_judges(plan)), metrics=())
    columns = [name for name in samples.columns if name in plan.columns | {"id", "system"}]
    needed = Samples(samples.frame.select(columns))
    manifest = manifest_of(plan, samples, seed, batch_size, resources)
    _retry_unreadable(plan, resources)
    numbers: Iterable[int] = range(_n_batches(samples, manifest))
    if folder is not None:
        numbers = _still_to_do(Path(folder), manifest, samples)
    for number in numbers:
        batch = needed.batch(number * batch_size, (number + 1) * batch_size)
        measure(asked, batch, resources)
    return {one.name: one.usage.estimate() for one in judges_of(plan, resources)}


def _for_judges(plan: Plan) -> list[Node]:
    """The nodes that ask judges, and what those need."""
    needed: set[str | None] = set()
    nodes: list[Node] = []
    for node in reversed(plan.nodes):
        if node.key in needed or (
            node.definition.is_async and "judge" in node.definition.resources
        ):
            nodes.append(node)
            needed |= {one.node for one in node.inputs}
    return nodes[::-1]


def _measured(work: _Work, numbers: Sequence[int]) -> "Iterable[tuple[int, pl.DataFrame]]":
    from ragauge.engine.executors import choose

    plan, samples, progress = work.plan, work.samples, work.progress
    size = work.manifest.batch_size
    n_rows = [min(size, len(samples) - number * size) for number in numbers]
    done, total = len(samples) - sum(n_rows), len(samples)

    def batches() -> "Iterable[Batch]":
        columns = [name for name in samples.columns if name in plan.columns | {"id", "system"}]
        needed = Samples(samples.frame.select(columns))
        for number in numbers:
            yield number, needed.batch(number * size, (number + 1) * size)

    rows = dict(zip(numbers, n_rows, strict=True))
    if numbers:
        _see_corpus(plan, samples, work.resources)
    executor = choose(plan, len(samples), work.workers, work.resources)
    for number, part in executor.map(plan, batches()):
        done += rows[number]
        if progress:
            progress(done, total)
        yield number, part


def _see_corpus(plan: Plan, samples: Samples, resources: Resources) -> None:
    """What corpus features make of all questions, each once whatever systems answered it."""
    for node in plan.nodes:
        if node.definition.corpus:
            names = [one.column for one in node.inputs if one.column]
            columns = [_by_question(samples, name) for name in names]
            resources.corpus[node.key] = of_corpus(node, columns, resources)


def _by_question(samples: Samples, name: str) -> list[object]:
    """Each question's cell of a column, of the first of its rows that has one."""
    import polars as pl

    if name not in samples.columns:
        return [None] * samples.frame["id"].n_unique()
    first = pl.col(name).drop_nulls().first()
    return samples.frame.group_by("id", maintain_order=True).agg(first)[name].to_list()


def _batches(samples: Samples, manifest: Manifest) -> "list[pl.DataFrame]":
    """The samples of each batch."""
    size = manifest.batch_size
    starts = range(0, len(samples), size)
    return [samples.frame[start : start + size] for start in starts]


def _n_batches(samples: Samples, manifest: Manifest) -> int:
    return -(-len(samples) // manifest.batch_size)


def _suite_of_one(label: str) -> Suite:
    parsed = catalog.read_label(label)
    if parsed.name in catalog.metrics():
        return Suite.of([parsed])
    if found := _from_suites(parsed.name):
        return found
    raise PlanError([unknown_metric(parsed.name)])


def _from_suites(name: str) -> Suite | None:
    """The check or metric that a shipped suite calls by this name, asked of every row."""
    for shipped in shipped_suites():
        loaded = Suite.load(shipped)
        for check in loaded.checks:
            if name in names_of(check):
                return Suite(name, (), (replace(check, where=None),), explicit=True)
        for entry in loaded.entries:
            if entry.name == name:
                return Suite(name, (Entry(entry.label, name),), explicit=True)
    return None


def _one_row(fields: Mapping[str, object]) -> Columns:
    given = dict(fields)
    if "reference" in given:
        if "references" in given:
            raise PlanError(["give reference or references, not both"])
        reference = given.pop("reference")
        given["references"] = None if reference is None else [reference]
    columns: Columns = {"id": ["this sample"], "system": ["default"]}
    for name, value in given.items():
        try:
            known = name in FIELDS or isinstance(value, str)
            columns[name] = [read_value(name, value) if known else value]
        except FieldError as error:
            raise DataError([Problem(str(error), "rg.score", field=name)]) from None
    return columns


def _check_used(label: str, fields: Mapping[str, object], plan: Plan) -> None:
    known = {*FIELDS, "reference", *plan.columns}
    known |= {
        column.name
        for node in plan.nodes
        for column in node.definition.columns
        if column.takes_score
    }
    problems = [
        f"{label} has no use for the field {name!r}"
        f"{did_you_mean(name, known) or '; it reads ' + ', '.join(sorted(plan.columns))}"
        for name in fields
        if name not in known
    ]
    if problems:
        raise PlanError(problems)


def _is_composite(plan: Plan) -> bool:
    return any(column.takes_score for node in plan.nodes for column in node.definition.columns)
