"""Carry out `ragauge run`: check the configuration, evaluate, write and print the results."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, cast

from ragauge import catalog
from ragauge.cli.folders import RUNS, cache_path, check_groups
from ragauge.cli.forecast import Forecast
from ragauge.cli.options import import_plugins
from ragauge.cli.outcome import exit_code, print_estimate, print_plan, say_truncated
from ragauge.cli.output import write_report
from ragauge.cli.progress import LONG_S, live_line, long_run_note, watching
from ragauge.cli.streams import say
from ragauge.engine.selection import DEFAULT, suites_of, without
from ragauge.errors import FilterError, LabelError, PlanError, SuiteError, did_you_mean
from ragauge.evaluation import Evaluation
from ragauge.evaluation.config import Config
from ragauge.judges.config import JudgeConfig
from ragauge.label import Label, outside_brackets
from ragauge.loaders import load
from ragauge.on_ray.executor import Ray
from ragauge.runs.health import Health
from ragauge.runs.scored_run import ScoredRun, slices_of
from ragauge.runs.store import EVIDENCE_FOLDER, REPORT, RunFolder, put_files
from ragauge.runs.working_copy import url_of_run
from ragauge.samples.filter import select
from ragauge.samples.samples import Samples
from ragauge.storage.regular_file import exists
from ragauge.suite import Suite, shipped_suites
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.session import Mode
    from ragauge.loaders.conflicts import Prefer
    from ragauge.score import KeptEvidence

MAX_WITH_EVIDENCE = 50_000
MAX_EVIDENCE = 50_000_000
"""Most answers, and bytes of evidence as it is stored, of a run whose page has it without being asked."""
MAX_ON_PAGE = 200_000
"""Most answers of a run that gets a page without being asked."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Everything a run needs, read and checked."""

    config: Config
    metrics: Sequence[Suite]
    judging: JudgeConfig
    evaluation: Evaluation
    by: Sequence[str]
    """The fields that the summary is broken down by."""
    folder: Path
    """Where the run is kept."""
    executor: Ray | None = None
    """The cluster that scores; None for this machine."""

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
    if fast and retry_unreadable:
        raise PlanError(
            ["--fast makes no calls, but --retry-unreadable needs them; remove one of the two"]
        )
    names = ", ".join(path.name for path in _inputs(config))
    with live_line(lambda: f"loading {names}", quiet=quiet):
        mode = "estimate" if dry_run else "cached" if fast else "ask"
        work = _prepared(config, mode, retry_unreadable=retry_unreadable, record=record)
    evaluation = work.evaluation
    for note in evaluation.samples.notes:
        say(note)
    if dry_run:
        print_plan(evaluation.plan, evaluation.samples, evaluation.without_columns())
        if work.judging.judges:
            print_estimate(evaluation.estimate(work.folder), work.judging)
        else:
            say("no judge is configured, so the run costs nothing")
        say(f"the run would be stored in {work.place}")
        return 0
    if record and RunFolder.at(work.folder, key=evaluation.manifest.key).has_manifest():
        # Record the cached replies of all samples; finished batches are not evaluated again.
        cached = replace(work.judging, mode="cached", retry_unreadable=False)
        Evaluation.prepare(
            evaluation.samples,
            work.metrics,
            encoder=_encoder(config),
            judge=cached,
            cache=cache_path(config.cache),
            seed=config.seed,
        ).run()
    run = _evaluated(work, quiet=quiet)
    _leave(work, run, form, full=full)
    work.judging.close()
    code = exit_code(run, evaluation.plan)
    if report:
        _write_page(run)
    return code


def evaluate_config(config: Config) -> ScoredRun:
    """Evaluate a configuration and store the run, without printing its results."""
    work = _prepared(config, "ask", retry_unreadable=False, record=None)
    for note in work.evaluation.samples.notes:
        say(note)
    run = _evaluated(work, quiet=False)
    say(f"stored in {work.place}")
    say_truncated(Health(run))
    work.judging.close()
    return run


def _prepared(
    config: Config, mode: "Mode", *, retry_unreadable: bool, record: Path | None
) -> _Work:
    """Check everything before any call is paid for; an error lists every problem."""
    from ragauge.views.run_report import check_outputs

    import_plugins(config.plugins)
    several = [problem for text in config.metrics if (problem := _several_metrics(text))]
    if several:
        raise PlanError(several)
    named = [*filter(_is_suite, config.suites), *config.metrics] or [DEFAULT]
    metrics: list[Suite] = []
    executors: list[Ray] = []

    def open_executor() -> None:
        if config.on is not None:
            executors.append(Ray.named(config.on, config.workers, config.storage))
        elif config.storage is not None:
            raise PlanError(["--storage is for a cluster; add --on, or remove it"])

    _check(
        open_executor,
        lambda: config.folder is None or url_of_run(config.folder),
        lambda: check_outputs(config.output, _inputs(config)),
        lambda: _check_suites(config.suites),
        lambda: metrics.extend(without(suites_of(named), config.without)),
        lambda: config.where is None or Filter.parse(config.where),
    )
    encoder = _encoder(config)
    judging = _judging(config, mode, retry_unreadable=retry_unreadable, record=record)
    samples = _load(config)
    evaluations: list[Evaluation] = []
    cache = cache_path(config.cache)
    if mode == "estimate" and cache is not None and not exists(cache):
        cache = None  # a dry run must not create it
    _check(
        lambda: evaluations.append(
            Evaluation.prepare(
                samples,
                metrics,
                encoder=encoder,
                judge=judging,
                cache=cache,
                seed=config.seed,
                evidence=cast("KeptEvidence", config.evidence or "all"),
            )
        ),
        lambda: check_groups(samples, slices_of(samples, config.by)),
    )
    (evaluation,) = evaluations
    stem = config.data.name.split(".")[0] if config.data else "-".join(config.systems)
    name = f"{stem}-{evaluation.plan.name}"
    safe = "".join(char if char.isalnum() or char in "-_+" else "_" for char in name)
    folder = config.folder or RUNS / f"{safe[:80]}-{evaluation.manifest.key[:8]}"
    by = slices_of(samples, config.by)
    return _Work(config, metrics, judging, evaluation, by, folder, *executors)


def _evaluated(work: _Work, *, quiet: bool) -> ScoredRun:
    """Run the evaluation and show how far it is; a run that will take long says so."""
    evaluation, plan = work.evaluation, work.evaluation.plan
    workers = work.config.workers or os.cpu_count() or 1
    executor = work.executor
    if executor is not None and plan.for_judges().nodes:
        say("the judges are asked by this process, after the cluster has scored the other metrics")
    if quiet:
        return evaluation.run(work.folder, workers=workers, executor=executor, by=work.by)
    forecast = Forecast(evaluation.workload(work.folder))
    if executor is not None or not evaluation.reports(workers):
        # Worker processes say nothing until their first batch is done.
        if (speed := evaluation.characters_per_second()) is not None:
            forecast.measured(speed)
        if forecast.total_s > LONG_S:
            say(long_run_note(forecast, plan))
        forecast.without_encoding()
    with watching(forecast, lambda known: long_run_note(known, plan), quiet=quiet) as listener:
        return evaluation.run(
            work.folder, workers=workers, listener=listener, executor=executor, by=work.by
        )


def _leave(work: _Work, run: ScoredRun, form: str, *, full: bool) -> None:
    """Write the files that were asked for, and print the run's summary and notes."""
    from ragauge.views.judging import judging_lines
    from ragauge.views.run_report import run_report, write_run

    for file in work.config.output:
        write_run(run, file, work.by)
        say(f"wrote {file}")
    write_report(run_report(run, work.by), [(form, None)], full=full)
    health = Health(run)
    if health.nothing_scored:
        say(f"no answer could be scored: {health.why_nothing_scored()}")
    say(f"stored in {work.place}")
    say_truncated(health)
    for line in judging_lines(run):
        say(line)


def _write_page(run: ScoredRun) -> None:
    """Write the run's page into its folder: without evidence if the run is large, not at all if it is huge."""
    from ragauge.page.page import why_no_page, write_page

    folder = run.folder
    assert folder is not None
    path, command = folder / REPORT, quote(run.place or "")
    why = why_no_page([run])
    if len(run.samples) > MAX_ON_PAGE and not why:
        say(
            f"{REPORT} is not written for more than {MAX_ON_PAGE:,} answers, which takes minutes; look at one "
            f"question with: ragauge show {command} ID; write it all the same with: ragauge report {command}"
        )
        return
    if why:
        say(f"{REPORT} is not written: {why}")
        return
    n_bytes = sum(part.stat().st_size for part in (folder / EVIDENCE_FOLDER).iterdir())
    has_evidence = len(run.samples) <= MAX_WITH_EVIDENCE and n_bytes <= MAX_EVIDENCE
    write_page([run], path, evidence=has_evidence)
    put_files(run, REPORT)
    if not has_evidence:
        say(f"{path} leaves out the evidence; add it with: ragauge report {command}")
    say(f"open {path} in a browser")


def _check(*steps: Callable[[], object]) -> None:
    """Run every step; PlanError lists the problems of all."""
    problems: list[str] = []
    for step in steps:
        try:
            step()
        except (PlanError, SuiteError, FilterError) as error:
            problems += str(error).splitlines()
    if problems:
        raise PlanError(problems)


def _several_metrics(text: str) -> str:
    """The problem of an option that names several metrics; empty for a single one."""
    parts = [part.strip() for part in outside_brackets(",", text)]
    try:
        labels = list(map(Label.parse, parts))
    except LabelError:
        return ""
    if len(labels) < 2:
        return ""
    repeated = " ".join(f"-m {quote(part)}" for part in parts)
    return f"{text!r} names several metrics; give each its own option: {repeated}"


def _is_suite(name: str) -> bool:
    return name in shipped_suites() or name.endswith(".toml")


def _check_suites(names: Sequence[str]) -> None:
    """PlanError for a name that is neither a shipped suite nor a TOML file."""
    known = shipped_suites()
    problems = [
        f"unknown suite {name!r}{did_you_mean(name, known) or '; the suites are ' + ', '.join(known)}"
        f"{'; it is a metric, which -m names' if name in catalog.metrics() else ''}"
        for name in names
        if not _is_suite(name)
    ]
    if problems:
        raise PlanError(problems)


def _encoder(config: Config) -> "Encoder | None":
    """Open the configured encoder; None for the built-in one."""
    from ragauge.encoders.factory import open_encoder

    if not config.encoder:
        return None
    if "base_url" in config.encoder and "model" not in config.encoder:
        raise PlanError(["the encoder endpoint needs a model; add --encoder MODEL"])
    return open_encoder(**config.encoder)  # pyright: ignore[reportArgumentType]


def _judging(
    config: Config, mode: "Mode", *, retry_unreadable: bool, record: Path | None
) -> JudgeConfig:
    """Open the configured judges."""
    if not config.judge.get("model"):
        if record is not None:
            raise PlanError([f"--record {record} needs a judge; add --judge MODEL"])
        if retry_unreadable:
            raise PlanError(["--retry-unreadable needs a judge; add --judge MODEL"])
        # -j alone sets worker processes, so it does not imply a judge.
        settings = [name for name in config.judge if name != "concurrency"]
        if settings:
            raise PlanError(
                [f"judge settings without a judge: {', '.join(settings)}; add --judge MODEL"]
            )
        return JudgeConfig()
    return JudgeConfig.read(
        config.judge, mode=mode, retry_unreadable=retry_unreadable, record=record
    )


def _load(config: Config) -> Samples:
    source = dict(config.systems) or config.data
    if source is None:
        raise PlanError(["the configuration has no answers; add data or [systems]"])
    samples = load(
        source,
        map=config.map,
        gold=config.gold,
        prefer=cast("Prefer | None", config.prefer),  # load rejects other words
        by_place=config.by_place,
    )
    return select(samples, where=config.where, limit=config.limit)


def _inputs(config: Config) -> list[Path]:
    given = (config.data, config.gold, *config.systems.values())
    return [path for path in given if path is not None]
