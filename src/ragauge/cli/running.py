"""Carry out `ragauge run`: check the configuration, evaluate, write and print the results."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from ragauge import catalog
from ragauge.cli.options import import_plugins
from ragauge.cli.outcome import exit_code, print_estimate, print_plan, say_truncated
from ragauge.cli.output import RUNS, cache_path, check_groups, write_report
from ragauge.cli.progress import Forecast, live_line, long_run_note, watching
from ragauge.cli.streams import say
from ragauge.engine.selection import DEFAULT, suites_of, without
from ragauge.errors import FilterError, LabelError, PlanError, SuiteError, did_you_mean
from ragauge.evaluation.config import Config
from ragauge.evaluation.evaluation import Evaluation
from ragauge.evaluation.forecast import cost, node_seconds, without_columns, workload
from ragauge.judges.config import JudgeConfig
from ragauge.label import Label, outside_brackets
from ragauge.on_ray.executor import Ray
from ragauge.runs.outcomes import Health
from ragauge.runs.scored_run import ScoredRun, slices_of
from ragauge.runs.store import EVIDENCE_FOLDER, REPORT, RunFolder, put_files
from ragauge.runs.working_copy import is_file_of_run, url_of_run
from ragauge.samples.samples import select
from ragauge.storage.regular_file import exists
from ragauge.suite import Suite, shipped_suites
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.session import Mode
    from ragauge.loaders.pairing import Prefer
    from ragauge.score import KeptEvidence

MAX_WITH_EVIDENCE = 50_000
MAX_EVIDENCE = 50_000_000
"""Most answers, and bytes of evidence as it is stored, of a run whose page has it without being asked."""
MAX_ON_PAGE = 200_000
"""Most answers of a run that gets a page without being asked."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Everything a run needs, read and checked; `by` has the fields of the summary, `executor` is a cluster."""

    config: Config
    metrics: Sequence[Suite]
    judging: JudgeConfig
    evaluation: Evaluation
    by: Sequence[str]
    folder: Path
    executor: Ray | None

    @property
    def place(self) -> str:
        """The folder's URL or path."""
        return url_of_run(self.folder) or str(self.folder)


def run_config(
    config: Config,
    *,
    dry_run: bool = False,
    fast: bool = False,
    retry_unreadable: bool = False,
    record: Path | None = None,
    form: str = "table",
    full: bool = False,
    quiet: bool = False,
    report: bool = True,
) -> int:
    """Evaluate a configuration and print it in a format: the first screen, or with `full` the whole summary.

    `quiet`: without showing progress. With `report` it also writes the run's page. Returns the exit code.
    """
    from ragauge.views.first_screen import run_report
    from ragauge.views.run_files import write_run
    from ragauge.views.run_notes import judging_lines

    if fast and retry_unreadable:
        why = "--fast makes no calls, but --retry-unreadable needs them"
        raise PlanError(f"{why}; remove one of the two")
    names = ", ".join(path.name for path in _inputs(config))
    with live_line(lambda: f"loading {names}", quiet=quiet):
        mode = "estimate" if dry_run else "cached" if fast else "ask"
        work = _prepared(config, mode, retry_unreadable=retry_unreadable, record=record)
    evaluation, judging = work.evaluation, work.judging
    say(*evaluation.samples.notes)
    if dry_run:
        print_plan(evaluation.plan, evaluation.samples, without_columns(evaluation))
        if judging.judges:
            print_estimate(cost(evaluation, work.folder), judging)
        else:
            say("no judge is configured, so the run costs nothing")
        say(f"the run would be stored in {work.place}")
        return 0
    if record and RunFolder.at(work.folder, key=evaluation.manifest.key).has_manifest():
        # Record the cached replies of all samples; finished batches are not evaluated again.
        Evaluation.prepare(
            evaluation.samples,
            work.metrics,
            encoder=_encoder(config),
            judge=replace(judging, mode="cached", retry_unreadable=False),
            cache=cache_path(config.cache),
            seed=config.seed,
        ).run()
    run = _evaluated(work, quiet=quiet)
    for file in config.output:
        write_run(run, file, work.by)
        say(f"wrote {file}")
    write_report(run_report(run, work.by), [(form, None)], full=full)
    health = Health(run)
    if health.nothing_scored:
        say(f"no answer could be scored: {health.why_nothing_scored()}")
    say(f"stored in {work.place}")
    say_truncated(health)
    say(*judging_lines(run))
    judging.close()
    code = exit_code(run, evaluation.plan)
    if report:
        _write_page(run)
    return code


def evaluate_config(config: Config) -> ScoredRun:
    """Evaluate a configuration and store the run, without printing its results."""
    work = _prepared(config, "ask", retry_unreadable=False, record=None)
    say(*work.evaluation.samples.notes)
    run = _evaluated(work, quiet=False)
    say(f"stored in {work.place}")
    say_truncated(Health(run))
    work.judging.close()
    return run


@contextmanager
def _collecting(problems: list[str]) -> Generator[None]:
    """Add the problems that are raised."""
    try:
        yield
    except (PlanError, SuiteError, FilterError) as error:
        problems += str(error).splitlines()


def _prepared(
    config: Config, mode: "Mode", *, retry_unreadable: bool, record: Path | None
) -> _Work:
    """Check everything before any call is paid for; an error lists every problem."""
    from ragauge.loaders.loading import load

    import_plugins(config.plugins)
    metrics, executor = _checked(config)
    encoder = _encoder(config)
    judging = _judging(config, mode, retry_unreadable=retry_unreadable, record=record)
    source = dict(config.systems) or config.data
    if source is None:
        raise PlanError("the configuration has no answers; add data or [systems]")
    prefer = cast("Prefer | None", config.prefer)  # load rejects other words
    loaded = load(source, map=config.map, gold=config.gold, prefer=prefer, by_place=config.by_place)
    samples = select(loaded, where=config.where, limit=config.limit)
    cache = cache_path(config.cache)
    if mode == "estimate" and cache is not None and not exists(cache):
        cache = None  # a dry run must not create it
    problems: list[str] = []
    with _collecting(problems):
        evaluation = Evaluation.prepare(
            samples,
            metrics,
            encoder=encoder,
            judge=judging,
            cache=cache,
            seed=config.seed,
            evidence=cast("KeptEvidence", config.evidence or "all"),
        )
    with _collecting(problems):
        by = slices_of(samples, config.by)
        check_groups(samples, by)
    if problems:
        raise PlanError(problems)
    # Without a folder, the same one for the same plan and data.
    stem = config.data.name.split(".")[0] if config.data else "-".join(config.systems)
    name = f"{stem}-{evaluation.plan.name}"
    safe = "".join(char if char.isalnum() or char in "-_+" else "_" for char in name)
    folder = config.folder or RUNS / f"{safe[:80]}-{evaluation.manifest.key[:8]}"
    for path in config.output:
        if is_file_of_run(path, folder):
            raise PlanError(f"{path}: is a file of the run itself; choose another name")
    return _Work(config, metrics, judging, evaluation, by, folder, executor)


def _checked(config: Config) -> tuple[Sequence[Suite], Ray | None]:
    """The metrics and the cluster; PlanError with everything that is wrong before any file is read."""
    from ragauge.views.run_files import check_outputs

    problems: list[str] = []
    for text in config.metrics:
        with suppress(LabelError):  # named later
            parts = [str(part).strip() for part in outside_brackets(",", text)]
            if len([Label.parse(part) for part in parts]) > 1:
                own = " ".join(f"-m {quote(part)}" for part in parts)
                problems.append(f"{text!r} names several metrics; give each its own option: {own}")
    if problems:
        raise PlanError(problems)
    known, executor, metrics = shipped_suites(), None, list[Suite]()
    suites = [name for name in config.suites if name in known or name.endswith(".toml")]
    with _collecting(problems):
        if config.on is not None:
            executor = Ray.named(config.on, config.workers, config.storage)
        elif config.storage is not None:
            raise PlanError("--storage is for a cluster; add --on, or remove it")
    with _collecting(problems):
        if config.folder is not None:
            url_of_run(config.folder)
    with _collecting(problems):
        check_outputs(config.output, _inputs(config))
    for name in (name for name in config.suites if name not in suites):
        hint = did_you_mean(name, known) or f"; the suites are {', '.join(known)}"
        is_metric = "; it is a metric, which -m names" if name in catalog.metrics() else ""
        problems.append(f"unknown suite {name!r}{hint}{is_metric}")
    with _collecting(problems):
        metrics = without(suites_of([*suites, *config.metrics] or [DEFAULT]), config.without)
    with _collecting(problems):
        if config.where is not None:
            Filter.parse(config.where)
    if problems:
        raise PlanError(problems)
    return metrics, executor


def _evaluated(work: _Work, *, quiet: bool) -> ScoredRun:
    """Run the evaluation and show how far it is; a run that will take long says so."""
    evaluation, executor = work.evaluation, work.executor
    plan, resources = evaluation.plan, evaluation.resources
    workers = work.config.workers or os.cpu_count() or 1
    run = partial(evaluation.run, work.folder, workers=workers, executor=executor, by=work.by)
    if executor is not None and plan.for_judges().nodes:
        say("the judges are asked by this process, after the cluster has scored the other metrics")
    if quiet:
        return run()
    from ragauge.engine.executors import choose

    forecast = Forecast(workload(evaluation, work.folder))
    reports = executor is None and choose(plan, len(evaluation.samples), workers, resources)[1]
    if not reports:
        # Worker processes report finished batches only.
        forecast.at_once = workers

    def note(known: Forecast) -> str:
        if executor is None and not reports:
            known.node_s |= node_seconds(evaluation)
        return long_run_note(known, plan)

    with watching(forecast, note, quiet=quiet) as listener:
        return run(listener=listener)


def _write_page(run: ScoredRun) -> None:
    """Write the run's page into its folder: without evidence if the run is large, not at all if it is huge."""
    from ragauge.page.page import why_no_page, write_page

    folder = run.folder
    assert folder is not None
    path, command = folder / REPORT, quote(run.place or "")
    if why := why_no_page([run]):
        say(f"{REPORT} is not written: {why}")
        return
    if len(run.samples) > MAX_ON_PAGE:
        why = f"for more than {MAX_ON_PAGE:,} answers, which takes minutes"
        how = f"look at one question with: ragauge show {command} ID; write it all the same with"
        say(f"{REPORT} is not written {why}; {how}: ragauge report {command}")
        return
    n_bytes = sum(part.stat().st_size for part in (folder / EVIDENCE_FOLDER).iterdir())
    has_evidence = len(run.samples) <= MAX_WITH_EVIDENCE and n_bytes <= MAX_EVIDENCE
    write_page([run], path, evidence=has_evidence)
    put_files(run, REPORT)
    if not has_evidence:
        say(f"{path} leaves out the evidence; add it with: ragauge report {command}")
    say(f"open {path} in a browser")


def _encoder(config: Config) -> "Encoder | None":
    """Open the configured encoder; None for the built-in one."""
    from ragauge.encoders import open_encoder

    if not config.encoder:
        return None
    if "base_url" in config.encoder and "model" not in config.encoder:
        raise PlanError("the encoder endpoint needs a model; add --encoder MODEL")
    return open_encoder(**config.encoder)  # pyright: ignore[reportArgumentType]


def _judging(
    config: Config, mode: "Mode", *, retry_unreadable: bool, record: Path | None
) -> JudgeConfig:
    """Open the configured judges."""
    how: dict[str, Any] = {"mode": mode, "retry_unreadable": retry_unreadable, "record": record}
    if config.judge.get("model"):
        return JudgeConfig.read(config.judge, **how)
    # -j alone sets worker processes, so it does not imply a judge.
    settings = ", ".join(name for name in config.judge if name != "concurrency")
    unused = f"judge settings without a judge: {settings}" if settings else ""
    unused = "--retry-unreadable needs a judge" if retry_unreadable else unused
    unused = f"--record {record} needs a judge" if record is not None else unused
    if unused:
        raise PlanError(f"{unused}; add --judge MODEL")
    return JudgeConfig()


def _inputs(config: Config) -> list[Path]:
    given = (config.data, config.gold, *config.systems.values())
    return [path for path in given if path is not None]
