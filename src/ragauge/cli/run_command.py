"""`ragauge run`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from ragauge.cli.running import run_config
from ragauge.config import Config

PRECISIONS = ("fp32", "fp16", "bf16", "int8")


class Pair(click.ParamType[tuple[str, str]]):
    """NAME=VALUE."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, rest = str(value).partition("=")
        if not (name and equals and rest):
            self.fail(f"expected {self.name}, got {value!r}", param, ctx)
        return name, rest


class Price(click.ParamType[tuple[float, float]]):
    """IN,OUT in dollars."""

    name = "IN,OUT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        try:
            prompts, replies = (float(one) for one in str(value).split(","))
        except ValueError:
            self.fail(f"expected two numbers as in 0.15,0.60, got {value!r}", param, ctx)
        return prompts, replies


@click.command("run", short_help="Evaluate answers with suites and metrics.")
@click.argument(
    "source", metavar="[DATA|CONFIG.toml]", required=False, type=click.Path(path_type=Path)
)
@click.option("-s", "--suite", "suites", multiple=True, help="A suite's name or TOML file.")
@click.option("-m", "--metric", "metrics", multiple=True, help="A metric's label: 'ndcg@10'.")
@click.option(
    "--system", "systems", multiple=True, type=Pair("NAME=FILE"), help="One system's answers."
)
@click.option(
    "--gold", type=click.Path(path_type=Path), help="Questions with what is expected, joined by id."
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    type=Pair("FIELD=COLUMN"),
    help="Read this column as this field.",
)
@click.option(
    "--where", help="Only rows that meet this: 'question_type = \"fact\" and year >= 2020'."
)
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N questions.")
@click.option("--by", multiple=True, help="Break the summary down by this field too.")
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also write .json .jsonl .csv .parquet .md or .tex.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Keep the run here.  [default: a folder of its own in ragauge-runs]",
)
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A Python file that defines metrics; it is executed.",
)
@click.option(
    "--encoder",
    metavar="MODEL",
    help="Model of metrics that compare meaning: a Hugging Face name or folder, or the endpoint's.  "
    "[default: all-MiniLM-L6-v2, embedded]",
)
@click.option("--encoder-url", metavar="URL", help="OpenAI-compatible embeddings endpoint.")
@click.option("--encoder-key", metavar="VARIABLE", help="Environment variable with its API key.")
@click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    help="Of the encoder: int8 is the embedded one's quick way.  [default: fp32]",
)
@click.option(
    "--cache",
    metavar="FILE",
    help="Where vectors and judges' replies are kept between runs, or none.  "
    "[default: ragauge-runs/cache.sqlite]",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="MODEL",
    help="Model that judges, behind an OpenAI-compatible endpoint; several: what they agree on.  "
    "replay:FILE gives recorded replies.",
)
@click.option("--judge-url", metavar="URL", help="The judge's endpoint.  [default: OpenAI's]")
@click.option("--judge-key", metavar="VARIABLE", help="Environment variable with its API key.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0, min_open=True), help="Dollars a judge may cost."
)
@click.option("--max-calls", type=click.IntRange(min=1), help="Calls that a judge may get.")
@click.option("--price", type=Price(), help="Dollars for a million tokens of prompts and replies.")
@click.option("--fast", is_flag=True, help="Take judges' replies from the cache only.")
@click.option(
    "--retry-unreadable",
    is_flag=True,
    help="Where the judge's reply that was kept cannot be read, ask anew, once.",
)
@click.option(
    "--repeat", type=click.IntRange(min=1), help="Ask the judge everything so often.  [default: 1]"
)
@click.option("--rpm", type=click.IntRange(min=1), help="Requests a minute that the judge takes.")
@click.option("--tpm", type=click.IntRange(min=1), help="Tokens a minute that it takes.")
@click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    help="Folder with prompts of your own: claims.md …  ragauge prompts writes the present ones.",
)
@click.option("--language", metavar="XX", help="Language of prompts and replies: de, fr …")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    help="Write the judge's replies here, for --judge replay:FILE.",
)
@click.option("--seed", type=int, help="Seed of the bootstrap.  [default: 0]")
@click.option(
    "-j",
    "--workers",
    type=click.IntRange(min=1),
    help="Processes for large runs; with a judge, its requests at a time.  [default: one per core; 128]",
)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
def command(
    source: Path | None,
    suites: tuple[str, ...],
    metrics: tuple[str, ...],
    systems: tuple[tuple[str, str], ...],
    gold: Path | None,
    mapping: tuple[tuple[str, str], ...],
    where: str | None,
    limit: int | None,
    by: tuple[str, ...],
    output: tuple[Path, ...],
    folder: Path | None,
    plugins: tuple[Path, ...],
    encoder: str | None,
    encoder_url: str | None,
    encoder_key: str | None,
    precision: str | None,
    cache: str | None,
    judges: tuple[str, ...],
    judge_url: str | None,
    judge_key: str | None,
    max_cost: float | None,
    max_calls: int | None,
    price: tuple[float, float] | None,
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
    dry_run: bool,
) -> int:
    """Evaluate answers with suites and metrics; print the summary and keep the run.

    DATA holds the answers (.jsonl .json .csv .tsv .parquet), of one system or of several in a
    column `system`; or give each system's file with --system. CONFIG.toml says the same in a file;
    options stand before it. Without a suite or metric it is answer-quality.

    Running the same again goes on where it stopped, and finds what is finished.
    """
    given = Config(
        data=source,
        gold=gold,
        suites=suites,
        metrics=metrics,
        where=where,
        limit=limit,
        by=by,
        output=output,
        plugins=plugins,
        folder=folder,
        workers=workers,
        systems={name: Path(file) for name, file in pairs_once(systems, "system").items()},
        map=pairs_once(mapping, "field"),
        encoder=_given(
            model=encoder, base_url=encoder_url, api_key_env=encoder_key, precision=precision
        ),
        cache=cache,
        judge=_given(
            model=list(judges) or None,
            base_url=judge_url,
            api_key_env=judge_key,
            concurrency=workers,
            max_cost_usd=max_cost,
            max_calls=max_calls,
            price=list(price) if price else None,
            repeat=repeat,
            rpm=rpm,
            tpm=tpm,
            prompts=None if prompts is None else str(prompts),
            language=language,
        ),
    )
    return run_config(
        _combined(given, seed),
        dry_run=dry_run,
        fast=fast,
        retry_unreadable=retry_unreadable,
        record=record,
    )


def _given(**options: object) -> dict[str, object]:
    return {name: value for name, value in options.items() if value is not None}


def pairs_once(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """The pairs by name; UsageError where a name stands twice."""
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"{what} {name!r} is given twice")
    return dict(pairs)


def _combined(given: Config, seed: int | None) -> Config:
    """The options, over the configuration file's where one is named."""
    source = given.data
    if source is None or source.suffix != ".toml":
        if source is None and not given.systems:
            raise click.UsageError(
                "name the answers: a file, a configuration, or --system NAME=FILE"
            )
        if source is not None and given.systems:
            raise click.UsageError(f"{source} and --system are both given; name the answers once")
        return replace(given, seed=seed or 0)
    base = Config.load(source)
    given = replace(given, data=None)
    asks = bool(given.suites or given.metrics)
    return replace(
        base,
        encoder={**base.encoder, **given.encoder},
        judge={**base.judge, **given.judge},
        cache=given.cache or base.cache,
        data=None if given.systems else base.data,
        systems=given.systems or base.systems,
        gold=given.gold or base.gold,
        suites=given.suites if asks else base.suites,
        metrics=given.metrics if asks else base.metrics,
        where=given.where or base.where,
        limit=given.limit or base.limit,
        by=given.by or base.by,
        output=(*base.output, *given.output),
        plugins=(*base.plugins, *given.plugins),
        folder=given.folder or base.folder,
        workers=given.workers or base.workers,
        map={**base.map, **given.map},
        seed=base.seed if seed is None else seed,
    )
