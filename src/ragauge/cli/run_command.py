"""`ragauge run`."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli import say
from ragauge.config import NO_CACHE, Config
from ragauge.errors import FilterError, JudgeError, LabelError, PlanError, SuiteError
from ragauge.evaluation import Progress, estimate, evaluate, run_key, suites_of
from ragauge.judges.judging import Judging
from ragauge.label import Label
from ragauge.loaders import load
from ragauge.plan import Plan, make_plan
from ragauge.resources import Resources
from ragauge.run import Run, slices_of
from ragauge.sample import Samples, select
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.shared import Mode
    from ragauge.judges.spending import Estimate

RUNS = Path("ragauge-runs")
CACHE = "cache.sqlite"
PRECISIONS = ("fp32", "fp16", "bf16", "int8")
INCOMPLETE = 4
MOST_GROUPS = 100
"""Values of one field that a summary is broken down by."""
BETWEEN_LABELS = re.compile(r",(?![^(]*\))")


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
    return run_config(_combined(given, seed), dry_run=dry_run, fast=fast, record=record)


def _given(**options: object) -> dict[str, object]:
    return {name: value for name, value in options.items() if value is not None}


def pairs_once(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """The pairs by name; UsageError where a name stands twice."""
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"{what} {name!r} is given twice")
    return dict(pairs)


def run_config(
    config: Config, *, dry_run: bool = False, fast: bool = False, record: Path | None = None
) -> int:
    """Evaluate what a configuration says and print the summary; returns the exit code."""
    from ragauge.report.judging import judging_lines
    from ragauge.report.tables import check_outputs, write_run, write_summaries
    from ragauge.report.terminal import console, print_summary

    import_plugins(config.plugins)
    asking = [*config.suites, *config.metrics] or ["answer-quality"]
    _check(lambda: _check_single(config.metrics))
    _check(
        lambda: check_outputs(config.output, _inputs(config)),
        lambda: suites_of(asking),
        lambda: config.where is None or Filter.parse(config.where),
    )
    encoder = _encoder(config)
    mode = "estimate" if dry_run else "cached" if fast else "ask"
    judging = _judging(config, mode, record)
    resources = Resources(encoder, judging=judging)
    defaults, judges = resources.defaults(), resources.judge_names
    samples = _load(config)
    _check(
        lambda: make_plan(suites_of(asking), samples.columns, defaults, judges),
        lambda: check_groups(samples, slices_of(samples, config.by)),
    )
    by = slices_of(samples, config.by)
    plan = make_plan(suites_of(asking), samples.columns, defaults, judges)
    seed = config.seed
    key = run_key(samples, asking, encoder=encoder, judge=judging, seed=seed)
    path = config.folder or RUNS / _folder_name(config, plan, key)
    for note in samples.notes:
        say(note)
    if dry_run:
        _print_plan(plan, samples)
        if judging.judges:
            _print_estimate(
                estimate(
                    samples, asking, judge=judging, encoder=encoder, cache=_found_cache(config)
                )
            )
        else:
            say("no judge is given, so no call costs money")
        say(f"would be kept in {path}")
        return 0
    workers = config.workers or os.cpu_count() or 1
    if record is not None and path.exists():
        # What is finished is only read, and would not be recorded: so the cache is read for all of it.
        read = replace(judging, mode="cached")
        evaluate(samples, asking, encoder=encoder, judge=read, cache=_cache(config), seed=seed)
    with ProgressBar(len(samples)) as progress:
        run = evaluate(
            samples,
            asking,
            encoder=encoder,
            judge=judging,
            cache=_cache(config),
            folder=path,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    write_summaries(run, path, by)
    for file in config.output:
        write_run(run, file, by)
        say(f"wrote {file}")
    print_summary(console(sys.stdout), run, by)
    if run.scores["value"].is_null().all():
        say(f"no answer could be scored: {_why_not(run)}")
    say(f"kept in {path}; look closer with: ragauge show {quote(str(path))} ID")
    _say_cut(run)
    for line in judging_lines(run):
        say(line)
    judging.close()
    return _exit_code(run)


def _encoder(config: Config) -> "Encoder | None":
    """The encoder that is asked for; PlanError when it cannot be opened as asked."""
    from ragauge.encoders.opening import open_encoder

    if not config.encoder:
        return None
    if "base_url" in config.encoder and "model" not in config.encoder:
        raise PlanError(["an endpoint is given for the encoder, but no model; add --encoder MODEL"])
    return open_encoder(**config.encoder)  # pyright: ignore[reportArgumentType]


def _judging(config: Config, mode: "Mode", record: Path | None) -> Judging:
    """The judges that are asked for; an error when one cannot be opened as asked."""
    if not config.judge.get("model"):
        if record is not None:
            raise PlanError(
                [
                    f"--record {record} is of a judge's replies, but no judge is given; add --judge MODEL"
                ]
            )
        # -j alone is for processes: it is no sign that a judge was meant.
        settings = [name for name in config.judge if name != "concurrency"]
        if settings:
            raise PlanError(
                [f"{', '.join(settings)} given for the judge, but no model; add --judge MODEL"]
            )
        return Judging()
    return Judging.read(config.judge, mode=mode, record=record)


def _found_cache(config: Config) -> Path | None:
    """The cache where there is one already: looking makes none."""
    path = _cache(config)
    return path if path is not None and path.exists() else None


def _cache(config: Config) -> Path | None:
    if config.cache == NO_CACHE:
        return None
    return Path(config.cache) if config.cache else RUNS / CACHE


def _say_cut(run: Run) -> None:
    """Tell of texts that a model did not read to their end."""
    import polars as pl

    marked = pl.col("evidence").str.contains('"cut":', literal=True)
    n = run.scores.filter(marked).height
    if n:
        say(
            f"{n:,} scores rest on the beginning of a text that is longer than the model takes "
            '(evidence: cut); long_text="windows" in the label reads it whole'
        )


def _check(*steps: Callable[[], object]) -> None:
    """PlanError with what is wrong in any of the steps."""
    problems: list[str] = []
    for step in steps:
        try:
            step()
        except (PlanError, SuiteError, FilterError) as error:
            problems += str(error).splitlines()
    if problems:
        raise PlanError(problems)


def _check_single(metrics: Sequence[str]) -> None:
    """PlanError for several labels given as one."""
    problems: list[str] = []
    for text in metrics:
        parts = [part.strip() for part in BETWEEN_LABELS.split(text)]
        if len(parts) > 1 and all(map(_is_label, parts)):
            repeated = " ".join(f"-m {quote(part)}" for part in parts)
            problems.append(f"{text!r} names several metrics; give each by itself: {repeated}")
    if problems:
        raise PlanError(problems)


def _is_label(text: str) -> bool:
    try:
        Label.parse(text)
    except LabelError:
        return False
    return True


def check_groups(samples: Samples, by: Sequence[str]) -> None:
    """PlanError for each field with too many values to break a summary down by."""
    counts = {name: samples.frame[name].n_unique() for name in by}
    problems = [
        f"cannot group by {name!r}: it has {n:,} values, at most {MOST_GROUPS} are shown; "
        "pick rows with --where, or a coarser field"
        for name, n in counts.items()
        if n > MOST_GROUPS
    ]
    if problems:
        raise PlanError(problems)


def _why_not(run: Run) -> str:
    """The most frequent reason why there is no value; of what was lacking only where that is all."""
    import polars as pl

    lacking = [one.metric for one in run.metrics if one.lacking]
    tried = run.scores.filter(~pl.col("metric").is_in(lacking))
    reasons = (tried if tried.height else run.scores)["reason"].drop_nulls()
    if not len(reasons):
        return "no row is one that a metric or check is asked of"
    return str(reasons.value_counts().sort("count", "reason", descending=[True, False])[0, 0])


def _inputs(config: Config) -> list[Path]:
    given = (config.data, config.gold, *config.systems.values())
    return [path for path in given if path is not None]


def import_plugins(files: Sequence[Path]) -> None:
    """Run the files that define metrics; PlanError when one cannot be."""
    import importlib.util

    for file in dict.fromkeys(files):
        spec = importlib.util.spec_from_file_location(_module_name(file), file)
        if spec is None or spec.loader is None or not file.is_file():
            raise PlanError([f"{file}: is no Python file; --plugin takes one that defines metrics"])
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # whatever it raises, say which file it was
            what = f"{type(error).__name__}: {error}"
            raise PlanError([f"{file}: cannot be used: {what}; mend it"]) from error


def _module_name(file: Path) -> str:
    """A name for the file's module, another one than those of other files with the same name."""
    name = f"ragauge_plugin_{file.stem}"
    while name in sys.modules and sys.modules[name].__file__ != str(file.absolute()):
        name += "_"
    return name


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


def _load(config: Config) -> Samples:
    source = dict(config.systems) or config.data
    if source is None:
        raise PlanError(["the configuration names no answers; add data or [systems]"])
    samples = load(source, map=config.map, gold=config.gold)
    return select(samples, where=config.where, limit=config.limit)


def _folder_name(config: Config, plan: Plan, key: str) -> str:
    stem = config.data.name.split(".")[0] if config.data else "-".join(config.systems)
    name = f"{stem}-{plan.name}"
    safe = "".join(one if one.isalnum() or one in "-_+" else "_" for one in name)
    return f"{safe[:80]}-{key[:8]}"


def _print_plan(plan: Plan, samples: Samples) -> None:
    from ragauge.report.tables import counted
    from ragauge.report.terminal import console, print_table

    rows = [(one.name, one.metric, one.lacking or "ready") for one in plan.asked]
    print_table(console(sys.stdout), ("shown as", "metric", "state"), rows)
    n_answers = counted(len(samples), "answer")
    click.echo(f"{n_answers} of {counted(len(samples.systems), 'system')}")


def _print_estimate(estimates: "Mapping[str, Estimate]") -> None:
    """What the judges are still to be asked, and what that costs."""
    from ragauge.report.terminal import console, print_table

    rows = [
        (
            judge,
            f"{one.calls:,}",
            _range(one.prompt_tokens),
            _range(one.completion_tokens),
            "no price known; give --price" if one.cost_usd is None else _dollars(one.cost_usd),
        )
        for judge, one in estimates.items()
    ]
    header = ("judge", "calls to make", "tokens of prompts", "tokens of replies", "cost")
    print_table(console(sys.stdout), header, rows)


def _range(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"{likely:,.0f} ({low:,.0f}–{high:,.0f})"


def _dollars(numbers: tuple[float, float, float]) -> str:
    low, likely, high = numbers
    return f"${likely:,.4f} (${low:,.4f}–${high:,.4f})"


class ProgressBar:
    """A bar on standard error, where that is a terminal; it goes when the work is done."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows

    def __enter__(self) -> Progress | None:
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task("measuring", total=self.n_rows)
        return lambda done, total: self.bar.update(task, completed=done, total=total)

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "bar"):
            self.bar.stop()


def _exit_code(run: Run) -> int:
    n_failed = run.scores.filter(run.scores["status"] == "failed").height
    for judge, told in run.manifest.judging.items():
        if reason := _unreachable(run, judge, cast("Mapping[str, int]", told)):
            say(f"{judge} gave no answer that could be scored: {reason}")
            return JudgeError.exit_code
    if n_failed:
        say(f"{n_failed:,} scores failed; run the same again to try them once more")
    return INCOMPLETE if n_failed else 0


def _unreachable(run: Run, judge: str, told: "Mapping[str, int]") -> str:
    """Why the judge gave nothing at all; nothing where it gave something."""
    import polars as pl

    label = Label("", {"judge": judge})
    mine = run.scores.filter(pl.col("metric").str.contains(str(label)[1:-1], literal=True))
    all_failed = told["calls"] == told["failed"] > 0
    if not all_failed and not ("failed" in mine["status"] and mine["value"].is_null().all()):
        return ""
    reasons = mine.filter(pl.col("status") == "failed")["reason"]
    return str(reasons[0]) if len(reasons) else "every call failed"
