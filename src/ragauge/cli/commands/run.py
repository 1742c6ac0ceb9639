"""`ragauge run`."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

import click

from ragauge.cli.options import (
    AskOptions,
    JudgeOptions,
    Pair,
    SourceOptions,
    ask_options,
    judge_options,
    pairs_once,
    source_options,
)
from ragauge.cli.output import FORMATS, FormatChoice
from ragauge.cli.plugin_option import plugin_option
from ragauge.cli.running import run_config
from ragauge.evaluation.config import Config

if TYPE_CHECKING:
    from ragauge.cli.asking import Inquiry

PRECISIONS = ("fp32", "fp16", "bf16", "int8")
OVERRIDDEN = (
    *("cache", "systems", "gold", "prefer", "by_place", "where", "limit", "by"),
    *("folder", "workers", "evidence", "on", "storage"),
)
"""Settings of a configuration that options replace; ADDED are added to, and of MERGED each key is replaced."""
ADDED, MERGED = ("without", "output", "plugins"), ("encoder", "judge", "map")


@click.command("run", short_help="Evaluate answers with metrics and suites.")
@click.argument("sources", metavar="[DATA|CONFIG.toml]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-s",
    "--suite",
    "suites",
    multiple=True,
    help="Suite to run: its name or TOML file. Repeatable.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    help="Metric to compute, e.g. 'ndcg@10'. Repeatable.",
)
@click.option(
    "--without",
    metavar="METRIC",
    multiple=True,
    help="Metric of the suites to leave out, by its name. Repeatable.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=Pair("NAME=FILE"),
    help="Answers of one system. Repeatable.",
)
@ask_options
@source_options
@click.option(
    "--where", help="Evaluate only matching rows: 'question_type = \"fact\" and year >= 2020'."
)
@click.option("--limit", type=click.IntRange(min=1), help="Evaluate only the first N questions.")
@click.option("--by", multiple=True, help="Also summarise by this field. Repeatable.")
@click.option(
    "-f",
    "--format",
    "form",
    type=FormatChoice(FORMATS),
    default="table",
    show_default=True,
    help="Format of what is printed.",
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also write the results to this .json, .jsonl, .csv, .parquet, .md, .tex or .html file. Repeatable.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Folder for the run, also an s3:// or gs:// URL.  [default: a new folder in ragauge-runs]",
)
@plugin_option
@click.option(
    "--encoder",
    metavar="MODEL",
    help="Embedding model: a Hugging Face name or folder, or with --encoder-url the endpoint's "
    "model.  [default: all-MiniLM-L6-v2, built in]",
)
@click.option("--encoder-url", metavar="URL", help="OpenAI-compatible embeddings endpoint to use.")
@click.option(
    "--encoder-key",
    metavar="VARIABLE",
    help="Environment variable with the encoder's API key.",
)
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    help="Precision of the encoder.  [default: fp32; int8 with the built-in encoder is twice as fast]",
)
@click.option(
    "--cache",
    metavar="FILE",
    help="Cache of vectors and judge replies, or 'none'.  [default: ragauge-runs/cache.sqlite]",
)
@judge_options()
@click.option("--fast", is_flag=True, help="Use cached judge replies only; make no calls.")
@click.option(
    "--retry-unreadable",
    is_flag=True,
    help="Ask the judge once more where its stored reply cannot be read.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    help="Ask each question K times: of the systems, with --target and others, else of the judge.  [default: 1]",
    metavar="K",
)
@click.option(
    "--rpm", type=click.IntRange(min=1), help="Limit on requests per minute to the judge."
)
@click.option("--tpm", type=click.IntRange(min=1), help="Limit on tokens per minute to the judge.")
@click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    help="Folder with your own prompts; 'ragauge prompts FOLDER' writes the originals.",
)
@click.option("--language", metavar="XX", help="Language of prompts and replies, e.g. de.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Write the judge's replies to this file, for --judge replay:FILE.",
)
@click.option("--seed", type=int, help="Random seed of tests and resampling.  [default: 0]")
@click.option(
    "-j",
    "--workers",
    type=click.IntRange(min=1),
    help="Worker processes; with a judge, concurrent requests.  [default: one per core; 128]",
)
@click.option(
    "--on",
    metavar="CLUSTER",
    help="Score on a Ray cluster: ray://HOST:PORT, or ray for the one of RAY_ADDRESS or this machine.",
)
@click.option(
    "--storage",
    metavar="URL",
    help="Not needed any more, and changes nothing: with --on, rows and scores go through Ray.",
)
@click.option(
    "--evidence",
    type=click.Choice(("all", "failed", "none")),
    help="Keep the evidence of all scores, of failed and flagged ones, or of none.  [default: all]",
)
@click.option("--full", is_flag=True, help="Print all metrics, systems, notes and findings.")
@click.option("--quiet", is_flag=True, help="Do not show progress.")
@click.option("--no-report", is_flag=True, help="Do not write report.html into the run's folder.")
@click.option("--dry-run", is_flag=True, help="Show the plan and the estimated cost, then stop.")
def command(
    sources: tuple[Path, ...],
    systems: tuple[tuple[str, str], ...],
    asking: AskOptions,
    reading: SourceOptions,
    form: str,
    encoder: str | None,
    encoder_url: str | None,
    encoder_key: str | None,
    precision: str | None,
    judging: JudgeOptions,
    fast: bool,
    retry_unreadable: bool,
    repeat: int | None,
    rpm: int | None,
    tpm: int | None,
    prompts: Path | None,
    language: str | None,
    record: Path | None,
    seed: int | None,
    workers: int | None,
    full: bool,
    quiet: bool,
    no_report: bool,
    dry_run: bool,
    **options: Any,
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
    given = Config(
        **options,  # those that a configuration has by the same name
        data=_only(sources),
        gold=reading.gold,
        prefer=reading.prefer,
        by_place=reading.by_place,
        workers=workers,
        systems={name: Path(file) for name, file in pairs_once(systems, "system").items()},
        map=reading.map,
        encoder=_given(
            model=encoder, base_url=encoder_url, api_key_env=encoder_key, precision=precision
        ),
        judge=judging.table(
            concurrency=workers,
            repeat=None if targets else repeat,
            rpm=rpm,
            tpm=tpm,
            prompts=None if prompts is None else str(prompts),
            language=language,
        ),
    )
    config = _combined(given, seed)
    asked = 0
    if not targets and (unused := AskOptions.given()):
        raise click.UsageError(
            f"{unused[0]} is of a system to ask; name one with --target, --url, --chat or --shell"
        )
    if targets:
        from ragauge.cli.asking import NO_ANSWER, say_faults

        inquiry = _inquiry(config, asking, reading, repeat or 1)
        if dry_run:
            inquiry.forecast(quiet=quiet)
            return 0
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


def _inquiry(config: Config, asking: AskOptions, reading: SourceOptions, repeat: int) -> "Inquiry":
    """What `--target` and others ask: the questions of the configuration's data, within the limits of a judge."""
    from ragauge.cli.asking import LIMITS, Inquiry

    if config.data is None:
        raise click.UsageError("--target needs a file of questions, not --system NAME=FILE")
    reading = replace(
        reading, gold=config.gold, prefer=config.prefer, mapping=tuple(config.map.items())
    )
    limits = {name: config.judge.get(name) for name in LIMITS}
    if "model" in config.judge:
        limits["price"] = None
    return Inquiry.of(
        config.data,
        asking,
        reading,
        where=config.where,
        limit=config.limit,
        repeat=repeat,
        **cast("dict[str, Any]", limits),
    )


def _only(sources: tuple[Path, ...]) -> Path | None:
    """The file to evaluate; several are an error that names the options for them."""
    if len(sources) > 1:
        named = [f"--system {quote(f'{source.stem}={source}')}" for source in sources]
        raise click.UsageError(f"several files are several systems; name each: {' '.join(named)}")
    return sources[0] if sources else None


def _given(**options: object) -> dict[str, object]:
    return {name: value for name, value in options.items() if value is not None}


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
