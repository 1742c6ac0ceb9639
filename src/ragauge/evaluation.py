"""The two ways in: `evaluate` samples with a suite, `score` one sample with one metric."""

import hashlib
import json
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.encoders.known import known
from ragauge.engine import measure, of_corpus
from ragauge.errors import (
    DataError,
    LabelError,
    MetricError,
    PlanError,
    Problem,
    SuiteError,
    did_you_mean,
)
from ragauge.judges.judging import Judging
from ragauge.label import Label, SettingValue
from ragauge.manifest import Manifest, Shown, Told
from ragauge.metric import METRICS
from ragauge.plan import Node, Plan, make_plan
from ragauge.resources import Resources
from ragauge.run import Run
from ragauge.sample import FIELDS, Columns, FieldError, Samples, read_value
from ragauge.score import Score
from ragauge.suite import Entry, Suite, names_of, shipped_suites

if TYPE_CHECKING:
    import polars as pl

    from ragauge.encoders.protocol import Encoder
    from ragauge.encoders.shared import SharedEncoder
    from ragauge.executors import Batch
    from ragauge.judges.opening import Given
    from ragauge.judges.shared import SharedJudge
    from ragauge.judges.spending import Estimate

BATCH_SIZE = 1_000
SHARED_CODE = (
    "ragauge.engine",
    "ragauge.features.text",
    "ragauge.plan",
    "ragauge.retrieval.hits",
)
"""Modules on which numbers depend besides those of the metrics and features themselves."""
JUDGE_CODE = ("ragauge.judges.questions", "ragauge.judges.reading", "ragauge.judges.shared")
"""And where a judge is asked."""
ENCODER_CODE = tuple(
    f"ragauge.encoders.{name}" for name in ("embedded", "local", "shared", "tokens", "wordpiece")
)
"""And those where an encoder is used."""
Progress = Callable[[int, int], None]
"""Called with the rows done and the rows in all."""
Asking = str | Path | Suite | Label | Callable[..., object]
"""A suite's name or file, a suite, a label, or a metric's function."""


def score(
    label: str | Callable[..., object],
    /,
    *,
    encoder: "Encoder | str | None" = None,
    judge: "Given | None" = None,
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
    label = str(_read_asking(label)) if callable(label) else label
    if not isinstance(label, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError([f"a metric's label or function is wanted, got {label!r:.80}"])
    asked = _suite_of_one(label)
    columns = _one_row(fields)
    resources = Resources(encoder, judging=judging_of(judge))
    plan = make_plan([asked], list(columns), resources.defaults())
    _check_used(label, fields, plan)
    wanted = [place for place, one in enumerate(plan.asked) if one.name == label]
    try:
        scores = measure(plan, columns, resources)[wanted[0] if wanted else 0]
    except MetricError as error:
        if isinstance(error.__cause__, ValueError | TypeError) and _is_composite(plan):
            raise PlanError([f"{label}: {error.__cause__}"]) from None
        raise
    return cast(Score, scores[0])


def evaluate(
    samples: object,
    asking: Asking | Sequence[Asking],
    /,
    *,
    encoder: "Encoder | str | None" = None,
    judge: "Given | Sequence[Given] | Judging | None" = None,
    cache: str | Path | None = None,
    folder: str | Path | None = None,
    seed: int = 0,
    workers: int = 1,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> Run:
    """The scores of samples by suites and metrics.

    `samples` is whatever `load` takes, or Samples. `asking` is a suite's name or TOML file, a
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
    for name, number, least in (
        ("batch_size", batch_size, 1),
        ("workers", workers, 1),
        ("seed", seed, 0),
    ):
        if not isinstance(number, int) or number < least:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError([f"{name} must be a whole number of at least {least}, got {number!r}"])
    if folder is not None and not (isinstance(folder, str | Path) and str(folder)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError([f"folder must be a path, got {folder!r}"])
    resources = Resources(encoder, cache=cache, judging=judging_of(judge))
    plan = make_plan(
        suites_of(asking), samples.columns, resources.defaults(), resources.judge_names
    )
    resources.expect(node.settings for node in plan.nodes if "encoder" in node.definition.resources)
    manifest = _manifest(plan, samples, seed, batch_size, resources)
    work = _Work(plan, samples, manifest, resources, workers, progress)
    try:
        return _in_memory(work) if folder is None else _in_folder(work, Path(folder))
    finally:
        if not isinstance(judge, Judging):
            resources.close_judges(opened_by_name(judge))


def judging_of(judge: "Given | Sequence[Given] | Judging | None") -> Judging:
    """The judges that are given, opened, and how they are asked. JudgeError or PlanError."""
    if judge is None:
        return Judging()
    if isinstance(judge, Judging):
        return judge
    from ragauge.judges.opening import open_judge

    several = isinstance(judge, list | tuple)
    given = cast("Sequence[Given]", judge if several else [judge])
    return Judging(tuple(open_judge(one) for one in given))


def opened_by_name(judge: "Given | Sequence[Given] | None") -> Collection[str]:
    """The names of the judges that were opened for this call: others may be in use elsewhere."""
    several = isinstance(judge, list | tuple)
    return [
        one
        for one in cast("Sequence[Given]", judge if several else [judge])
        if isinstance(one, str)
    ]


def suites_of(asking: Asking | Sequence[Asking]) -> list[Suite]:
    """The suites asked for; metrics named one by one make a suite of their own.

    SuiteError or LabelError lists what is neither a suite nor a metric.
    """
    several = not isinstance(asking, str | Path | Suite | Label) and isinstance(asking, Iterable)
    suites: list[Suite] = []
    labels: list[Label] = []
    problems: list[str] = []
    for one in cast(Sequence[Asking], asking) if several else [cast(Asking, asking)]:
        try:
            read = _read_asking(one)
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
    asking: Asking | Sequence[Asking],
    *,
    encoder: "Encoder | str | None" = None,
    judge: "Given | Sequence[Given] | Judging | None" = None,
    batch_size: int = BATCH_SIZE,
    seed: int = 0,
) -> str:
    """What the evaluation's folder is known by: the same for the same plan, data, code, models."""
    resources = Resources(encoder, judging=judging_of(judge))
    plan = make_plan(
        suites_of(asking), samples.columns, resources.defaults(), resources.judge_names
    )
    return _manifest(plan, samples, seed, batch_size, resources).key


def _read_asking(one: Asking) -> Suite | Label:
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
    hint = did_you_mean(name, (*catalog.metrics(), *shipped_suites()))
    said = f"unknown metric or suite {name!r}{hint or '; list them with: ragauge metrics'}"
    return "\n".join([said, *catalog.BROKEN])


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
    told = replace(work.manifest, finished=_now(), judging=_told_by_judges(work))
    return Run(work.samples, scores, told)


def _in_folder(work: _Work, path: Path) -> Run:
    from ragauge.report.tables import write_summaries
    from ragauge.store import SUMMARIES, RunFolder, has_unfinished

    samples, manifest = work.samples, work.manifest
    folder = RunFolder(path)
    stored = folder.open(manifest, samples)
    n_parts = _n_batches(samples, manifest)
    size = manifest.batch_size
    batches = [samples.frame[at * size : (at + 1) * size] for at in range(n_parts)]
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
    told = replace(stored, finished=_now(), judging=_told_by_judges(work))
    run = folder.finish(told, samples, n_parts)
    write_summaries(run, path)
    return run


def _told_by_judges(work: _Work) -> Mapping[str, object]:
    """For each judge that was asked what that took, and what its endpoint refused to be told."""
    told: dict[str, object] = {}
    for one in _judges(work.plan, work.resources):
        inner = getattr(one.judge, "judge", one.judge)
        told[one.name] = {
            **one.spending.as_data(),
            "dropped": dict(getattr(inner, "dropped", {})),
            "address": getattr(inner, "host", None),
            "is_recorded": getattr(inner, "is_recorded", False),
        }
    return told


def estimate(
    samples: object,
    asking: Asking | Sequence[Asking],
    /,
    *,
    judge: "Given | Sequence[Given] | Judging",
    encoder: "Encoder | str | None" = None,
    cache: str | Path | None = None,
    batch_size: int = BATCH_SIZE,
) -> "Mapping[str, Estimate]":
    """For each judge the calls that an evaluation would still make, their tokens and their cost.

    What `cache` holds is not counted. No call is made. Where what is asked depends on a reply that is
    not there yet, the reply is taken to be as long as what it is about: a claim for each sentence.
    """
    samples = _samples(samples)
    judging = replace(judging_of(judge), mode="estimate")
    resources = Resources(encoder, cache=cache, judging=judging)
    plan = make_plan(
        suites_of(asking), samples.columns, resources.defaults(), resources.judge_names
    )
    asked = replace(plan, nodes=tuple(_for_judges(plan)), asked=())
    columns = [name for name in samples.columns if name in plan.columns | {"id", "system"}]
    needed = Samples(samples.frame.select(columns))
    for start in range(0, len(samples), batch_size):
        measure(asked, needed.batch(start, start + batch_size), resources)
    return {one.name: one.spending.estimate() for one in _judges(plan, resources)}


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
    from ragauge.executors import choose

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


def _n_batches(samples: Samples, manifest: Manifest) -> int:
    return -(-len(samples) // manifest.batch_size)


def _manifest(
    plan: Plan, samples: Samples, seed: int, batch_size: int, resources: Resources
) -> Manifest:
    data: dict[str, object] = {
        "source": samples.source,
        "sha256": samples.fingerprint(),
        "order": _order(samples),
        "n_samples": len(samples),
        "systems": list(samples.systems),
    }
    code: dict[str, object] = {name: _version(name) for name in ("ragauge", "rapidfuzz")}
    encoders = _encoders(plan, resources)
    judges = _judges(plan, resources)
    code["metrics"] = _code_hash(plan, encoders)
    if encoders:
        code["models"] = [dict(one.identity) for one in encoders]
    if judges:
        code["judges"] = [dict(one.identity) for one in judges]
        code["askings"] = resources.judging.repeat
        code["window"] = resources.judging.window
    described = plan.describe()
    fixed = [described, data["sha256"], data["order"], code, seed, batch_size]
    key = hashlib.sha256(json.dumps(fixed, sort_keys=True, default=list).encode()).hexdigest()
    return Manifest(
        key,
        plan.name,
        tuple(Shown.of(asked) for asked in plan.asked),
        cast(Mapping[str, object], json.loads(json.dumps(described, default=list))),
        data,
        code,
        seed,
        batch_size,
        _git_commit(),
        _machine(),
        (*samples.notes, *_lacking_notes(plan)),
        tuple(Told.of(one, suite) for suite in plan.suites for one in suite.findings),
        _now(),
        models=tuple(_model_notes(plan)),
    )


def _encoders(plan: Plan, resources: Resources) -> "list[SharedEncoder]":
    """The encoders that the plan uses, in a fixed order."""
    used: dict[str, SharedEncoder] = {}
    for node in plan.nodes:
        if "encoder" in node.definition.resources:
            encoder = resources.encoder_of(node.settings)
            used[json.dumps(dict(encoder.identity), sort_keys=True)] = encoder
    return [used[identity] for identity in sorted(used)]


def _judges(plan: Plan, resources: Resources) -> "list[SharedJudge]":
    """The judges that the plan asks, in the order in which they were given."""
    asked = {
        str(node.settings.get("judge") or "")
        for node in plan.nodes
        if "judge" in node.definition.resources
    }
    if not asked:
        return []
    return [one for name, one in resources.judges.items() if name in asked]


def _lacking_notes(plan: Plan) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for asked in plan.lacking:
        by_reason.setdefault(asked.lacking or "", []).append(asked.name)
    return [f"not scored, {reason}: {', '.join(names)}" for reason, names in by_reason.items()]


def _model_notes(plan: Plan) -> Iterable[str]:
    """Which model each metric's numbers are of, and what a threshold means for it."""
    nodes: dict[str | None, Mapping[str, SettingValue]] = {
        node.key: node.settings for node in plan.nodes
    }
    by_model: dict[str, list[str]] = {}
    by_judge: dict[str, list[str]] = {}
    by_threshold: dict[tuple[str, float], list[str]] = {}
    for asked in plan.asked:
        settings = nodes.get(asked.node, {})
        model, layer = settings.get("model"), settings.get("layer")
        threshold, precision = settings.get("threshold"), settings.get("precision")
        if settings.get("judge"):
            by_judge.setdefault(str(settings["judge"]), []).append(asked.name)
        if not model:
            continue
        whose = str(model) if precision == "fp32" else f"{model} ({precision})"
        at = f" (layer {layer})" if layer is not None and "layer=" not in asked.name else ""
        by_model.setdefault(whose, []).append(asked.name + at)
        if isinstance(threshold, float):
            by_threshold.setdefault((str(model), threshold), []).append(asked.name)
    yield from (f"by {model}: {', '.join(names)}" for model, names in by_model.items())
    yield from (f"judged by {judge}: {', '.join(names)}" for judge, names in by_judge.items())
    for (model, threshold), names in by_threshold.items():
        own = known(model).threshold
        people = (
            ""
            if own is None
            else (f', where {own:g} (threshold="model") separates best what people call equivalent')
        )
        yield (
            f"{', '.join(names)}: the threshold {threshold:g} is applied to {model}{people}; "
            "the same number means something else for every model"
        )


def _order(samples: Samples) -> str:
    """SHA-256 of the rows' order: finished batches are used again only when it is the same."""
    digest = hashlib.sha256()
    for name in ("id", "system"):
        digest.update(json.dumps(samples.frame[name].to_list()).encode())
    return digest.hexdigest()


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _machine() -> dict[str, object]:
    import platform

    packages = {name: _version(name) for name in ("numpy", "polars")}
    return {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        **packages,
    }


def _code_hash(plan: Plan, encoders: "Sequence[SharedEncoder]") -> str:
    """SHA-256 of the source files of the plan's metrics and features, and of this package's."""
    used = {type(one.encoder).__module__ for one in encoders}
    is_judged = any("judge" in node.definition.resources for node in plan.nodes)
    shared = {*SHARED_CODE, *used, *(ENCODER_CODE if encoders else ())}
    shared |= set(JUDGE_CODE if is_judged else ())
    modules = {str(getattr(node.definition.function, "__module__", "")) for node in plan.nodes}
    digest = hashlib.sha256()
    for name in sorted(modules | shared):
        source = getattr(sys.modules.get(name), "__file__", None)
        digest.update(name.encode())
        if source and Path(source).is_file():
            digest.update(Path(source).read_bytes())
    for node in plan.nodes:
        if str(getattr(node.definition.function, "__module__", "")) == "__main__":
            code = getattr(node.definition.function, "__code__", None)
            digest.update((_told(code) if isinstance(code, CodeType) else node.key).encode())
    return digest.hexdigest()


def _told(code: CodeType) -> str:
    """What a function's code is, without where it lies in memory and in which order its sets are."""
    constants = [
        _told(one)
        if isinstance(one, CodeType)
        else repr(sorted(map(repr, cast("frozenset[object]", one))))
        if isinstance(one, frozenset)
        else repr(one)
        for one in cast("tuple[object, ...]", code.co_consts)
    ]
    return repr((code.co_code, constants, code.co_names))


def _git_commit() -> str | None:
    import subprocess

    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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
