"""Evaluate answers with metrics and suites."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import (
    PLUGINS,
    AskOptions,
    JudgeOptions,
    SourceOptions,
    given,
    import_plugins,
    pair,
    pairs_once,
)
from ragauge.cli.output import FORMATS, RUNS, FormatChoice, cache_path, check_groups, write_report
from ragauge.cli.progress import (
    Forecast,
    exit_code,
    live_line,
    long_run_note,
    print_estimate,
    print_plan,
    say_truncated,
    watching,
)
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.evaluation.config import Config, collecting
from ragauge.evaluation.evaluation import Evaluation
from ragauge.evaluation.forecast import cost, node_seconds, without_columns, workload
from ragauge.judges.config import JudgeConfig
from ragauge.on_ray.executor import Ray
from ragauge.report.writing import ENDINGS, one_of
from ragauge.runs.outcomes import Health
from ragauge.runs.scored_run import ScoredRun, slices_of
from ragauge.runs.store import RunFolder
from ragauge.runs.working_copy import is_file_of_run, url_of_run
from ragauge.samples.samples import select
from ragauge.score import KeptEvidence
from ragauge.storage.regular_file import exists
from ragauge.suite import Suite

if TYPE_CHECKING:
    from ragauge.judges.session import Mode
    from ragauge.loaders.pairing import Prefer

OVERRIDDEN = (
    *("cache", "systems", "gold", "prefer", "by_place", "where", "limit", "by"),
    *("folder", "workers", "evidence", "on", "storage"),
)
"""Settings of a configuration that options replace; ADDED are added to, and of MERGED each key is replaced."""
ADDED, MERGED = ("without", "output", "plugins"), ("encoder", "judge", "map")


@declare("run")
def command(
    sources: tuple[Path, ...] = argument("[DATA|CONFIG.toml]"),
    *,
    suites: tuple[str, ...] = option(
        "Suite to run: its name or TOML file. Repeatable.", "-s", "--suite"
    ),
    metrics: tuple[str, ...] = option(
        "Metric to compute, e.g. 'ndcg@10'. Repeatable.", "-m", "--metric"
    ),
    without: tuple[str, ...] = option(
        "Metric of the suites to leave out, by its name. Repeatable.", metavar="METRIC"
    ),
    systems: tuple[tuple[str, str], ...] = option(
        "Answers of one system. Repeatable.", "--system", type=pair("NAME=FILE")
    ),
    asking: AskOptions,
    reading: SourceOptions,
    where: str | None = option(
        "Evaluate only matching rows: 'question_type = \"fact\" and year >= 2020'."
    ),
    limit: int | None = option("Evaluate only the first N questions.", min=1),
    by: tuple[str, ...] = option("Also summarise by this field. Repeatable."),
    form: str = option(
        "Format of what is printed.", "-f", "--format", type=FormatChoice(FORMATS), default="table"
    ),
    output: tuple[Path, ...] = option(
        f"Also write the results to this {one_of([*ENDINGS, '.jsonl', '.parquet'])} file. Repeatable.",
        "-o",
        "--output",
    ),
    folder: Path | None = option(
        "Folder for the run, also an s3:// or gs:// URL.  [default: a new folder in ragauge-runs]"
    ),
    plugins: tuple[Path, ...] = PLUGINS,
    encoder: str | None = option(
        "Embedding model: a Hugging Face name or folder, or with --encoder-url the endpoint's model.  "
        "[default: all-MiniLM-L6-v2, built in]",
        metavar="MODEL",
    ),
    encoder_url: str | None = option(
        "OpenAI-compatible embeddings endpoint to use.", metavar="URL"
    ),
    encoder_key: str | None = option(
        "Environment variable with the encoder's API key.", metavar="VARIABLE"
    ),
    precision: Literal["fp32", "fp16", "bf16", "int8"] | None = option(
        "Precision of the encoder.  [default: fp32; int8 with the built-in encoder is twice as fast]"
    ),
    cache: str | None = option(
        "Cache of vectors and judge replies, or 'none'.  [default: ragauge-runs/cache.sqlite]",
        metavar="FILE",
    ),
    judging: JudgeOptions,
    fast: bool = option("Use cached judge replies only; make no calls."),
    retry_unreadable: bool = option(
        "Ask the judge once more where its stored reply cannot be read."
    ),
    repeat: int | None = option(
        "Ask each question K times: of the systems, with --target and others, else of the judge.  [default: 1]",
        min=1,
        metavar="K",
    ),
    rpm: int | None = option("Limit on requests per minute to the judge.", min=1),
    tpm: int | None = option("Limit on tokens per minute to the judge.", min=1),
    prompts: Path | None = option(
        "Folder with your own prompts; 'ragauge prompts FOLDER' writes the originals."
    ),
    language: str | None = option("Language of prompts and replies, e.g. de.", metavar="XX"),
    record: Path | None = option(
        "Write the judge's replies to this file, for --judge replay:FILE."
    ),
    seed: int | None = option("Random seed of tests and resampling.  [default: 0]"),
    workers: int | None = option(
        "Worker processes; with a judge, concurrent requests.  [default: one per core; 128]",
        "-j",
        "--workers",
        min=1,
    ),
    on: str | None = option(
        "Score on a Ray cluster: ray://HOST:PORT, or ray for the one of RAY_ADDRESS or this machine.",
        metavar="CLUSTER",
    ),
    storage: str | None = option(
        "Not needed any more, and changes nothing: with --on, rows and scores go through Ray.",
        metavar="URL",
    ),
    evidence: KeptEvidence | None = option(
        "Keep the evidence of all scores, of failed and flagged ones, or of none.  [default: all]"
    ),
    full: bool = option("Print all metrics, systems, notes and findings."),
    quiet: bool = option("Do not show progress."),
    no_report: bool = option("Do not write report.html into the run's folder."),
    dry_run: bool = option("Show the plan and the estimated cost, then stop."),
) -> int:
    """Evaluate answers with metrics and suites; print the summary and store the run.

    The run's folder gets report.html, a page to look at in a browser.

    DATA is a file of answers (.jsonl .json .csv .tsv .parquet). For several systems, add a column
    `system`, or give each system's file with --system. CONFIG.toml sets the same options in a file;
    options on the command line override it. The default suite is rag.

    With --target, --url, --chat or --shell, DATA is a file of questions, which are asked first, as `ragauge ask` does.
    --max-cost and --max-calls then limit each system too; --price is that of the judge if there is one, else of the systems.

    Run the same command again to resume an interrupted run.
    """
    targets = asking.by_name
    if len(sources) > 1:
        named = [f"--system {quote(f'{source.stem}={source}')}" for source in sources]
        raise click.UsageError(f"several files are several systems; name each: {' '.join(named)}")
    typed = Config(
        data=sources[0] if sources else None,
        **reading.settings,
        systems={name: Path(file) for name, file in pairs_once(systems, "system").items()},
        suites=suites,
        metrics=metrics,
        without=without,
        where=where,
        limit=limit,
        by=by,
        output=output,
        folder=folder,
        plugins=plugins,
        workers=workers,
        on=on,
        storage=storage,
        evidence=evidence,
        cache=cache,
        encoder=given(
            model=encoder, base_url=encoder_url, api_key_env=encoder_key, precision=precision
        ),
        judge=judging.table(
            concurrency=workers,
            repeat=None if targets else repeat,
            rpm=rpm,
            tpm=tpm,
            prompts=prompts and str(prompts),
            language=language,
        ),
    )
    config = _combined(typed, seed)
    asked = 0
    if not targets and (unused := AskOptions.given()):
        raise click.UsageError(
            f"{unused[0]} is of a system to ask; name one with --target, --url, --chat or --shell"
        )
    if targets:
        from ragauge.cli.asking import LIMITS, NO_ANSWER, Inquiry, say_faults

        if config.data is None:
            raise click.UsageError("--target needs a file of questions, not --system NAME=FILE")
        limits: dict[str, Any] = {name: config.judge.get(name) for name in LIMITS}
        if "model" in config.judge:
            limits["price"] = None
        inquiry = Inquiry.of(
            config.data,
            asking,
            {name: getattr(config, name) for name in reading.settings},
            where=config.where,
            limit=config.limit,
            repeat=repeat or 1,
            **limits,
        )
        if dry_run:
            asked = inquiry.forecast(quiet=quiet)
            if asked != NO_ANSWER:
                say("the plan, and what judges cost, of these answers:")
                run_config(inquiry.scored(config), dry_run=True, quiet=quiet)
            return asked
        asked = say_faults(inquiry.run(quiet=quiet))
        if asked == NO_ANSWER:
            return asked
        config = inquiry.scored(config)
    code = run_config(
        config,
        dry_run=dry_run,
        fast=fast,
        retry_unreadable=retry_unreadable,
        record=record,
        form=form,
        full=full,
        quiet=quiet,
        report=not no_report,
    )
    return code or asked


def _combined(given: Config, seed: int | None) -> Config:
    """The command line's options, which override those of a configuration file."""
    source = given.data
    if source is None or source.suffix != ".toml":
        if source is None and not given.systems:
            raise click.UsageError(
                "no answers given; name a data file, a configuration file, or --system NAME=FILE"
            )
        if source is not None and given.systems:
            raise click.UsageError(
                f"{source} and --system both name answers; give only one of them"
            )
        return replace(given, seed=seed or 0)
    base = Config.load(source)
    given = replace(given, data=None)
    has_metrics = bool(given.suites or given.metrics)
    either = {name: getattr(given, name) or getattr(base, name) for name in OVERRIDDEN}
    both = {name: (*getattr(base, name), *getattr(given, name)) for name in ADDED}
    merged = {name: {**getattr(base, name), **getattr(given, name)} for name in MERGED}
    return replace(
        base,
        **either,
        **both,
        **merged,
        data=None if given.systems else base.data,
        suites=given.suites if has_metrics else base.suites,
        metrics=given.metrics if has_metrics else base.metrics,
        seed=base.seed if seed is None else seed,
    )


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
    from ragauge.page.page import write_page_of_run
    from ragauge.views.first_screen import run_report
    from ragauge.views.run_files import write_run
    from ragauge.views.run_notes import judging_lines

    if fast and retry_unreadable:
        why = "--fast makes no calls, but --retry-unreadable needs them"
        raise PlanError(f"{why}; remove one of the two")
    names = ", ".join(path.name for path in config.inputs)
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
            encoder=config.open_encoder(),
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
        say(*write_page_of_run(run))
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


def _prepared(
    config: Config, mode: "Mode", *, retry_unreadable: bool, record: Path | None
) -> _Work:
    """Check everything before any call is paid for; an error lists every problem."""
    from ragauge.loaders.loading import load

    import_plugins(config.plugins)
    metrics, executor = config.checked()
    encoder = config.open_encoder()
    judging = config.judge_config(mode, retry_unreadable=retry_unreadable, record=record)
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
    with collecting(problems):
        evaluation = Evaluation.prepare(
            samples,
            metrics,
            encoder=encoder,
            judge=judging,
            cache=cache,
            seed=config.seed,
            evidence=cast("KeptEvidence", config.evidence or "all"),
        )
    with collecting(problems):
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
    from ragauge.engine.measure import choose

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
