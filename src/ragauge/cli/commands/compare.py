"""Compare systems: is the difference real, where, and on which questions?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, SourceOptions, import_plugins
from ragauge.cli.outcome import INCOMPLETE
from ragauge.cli.output import RUNS, OutputOptions, stored_runs, write_report
from ragauge.cli.running import evaluate_config
from ragauge.cli.streams import say
from ragauge.comparing.comparison import CorrectionName, TestName
from ragauge.errors import PlanError, did_you_mean
from ragauge.evaluation.config import Config
from ragauge.loaders.sources import kind_of_file
from ragauge.report.plain import counted, shell_word
from ragauge.runs.health import Health
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.store import RunFolder
from ragauge.storage.regular_file import as_url, exists, is_file, is_folder

MAX_COMMANDS = 8


@declare("compare")
def command(
    given: tuple[str, ...] = argument("BASE CANDIDATE..."),
    *,
    metrics: tuple[str, ...] = option(
        "Compare only this metric; of a file of answers, compute it. Repeatable.", "-m", "--metric"
    ),
    suites: tuple[str, ...] = option("Suite for files of answers.", "-s", "--suite"),
    reading: SourceOptions,
    by: tuple[str, ...] = option("Also compare within each value of this field. Repeatable."),
    cluster: str | None = option(
        "Questions with the same value are not independent, such as those about one document.",
        metavar="FIELD",
    ),
    test: TestName = option(
        "Test of each difference; mcnemar only for metrics of 0 and 1.", default="randomization"
    ),
    correction: CorrectionName = option(
        "Correct the p values for all tests of the comparison.", default="holm"
    ),
    all_pairs: bool = option("Compare every pair, not only with the base."),
    allow_mismatch: bool = option("Compare although questions, gold, settings or models differ."),
    permutations: int = option(
        "Sign patterns to draw, where they are too many to count all.", default=10_000, min=1
    ),
    seed: int | None = option("Seed of the draws.  [default: that of the base's run]", min=0),
    writing: OutputOptions,
    full: bool = option("Print every row, note and question."),
    plugins: tuple[Path, ...] = PLUGINS,
) -> int:
    """Compare systems question by question: the difference, its 95 % interval, and a corrected p.

    BASE and CANDIDATE are run folders or files of answers with one system each, SYSTEM@FOLDER, or
    systems of the run that is named first. A file of answers is evaluated with the suite rag, or with
    -s and -m; for metrics that need a judge, evaluate it with `ragauge run` first.

    \b
    ragauge compare RUN baseline candidate             two systems of one run
    ragauge compare MONDAY TUESDAY                     the runs in two folders
    ragauge compare bm25@RUN dense@OTHER --by topic    one system of each run
    ragauge compare old.jsonl new.jsonl -m correct     answers that are not evaluated yet
    """
    from ragauge.comparing.compare import compare
    from ragauge.comparing.report import comparison_report

    if not given:
        listed = _commands()
        there = f"these are stored here:{listed}" if listed else f"there is none in {RUNS}"
        raise click.UsageError(f"give two runs, systems of a run or files of answers; {there}")
    targets = writing.targets(given)
    import_plugins(plugins)
    config = Config(
        suites=suites, metrics=metrics, seed=seed or 0, plugins=plugins, **reading.settings
    )
    sides, has_files = _sides(list(given), config)
    if not has_files and (suites or any(reading.settings.values())):
        raise click.UsageError(
            "--suite, --gold, --prefer, --by-place and --map are for files of answers; runs are evaluated already"
        )
    comparison = compare(
        *sides,
        metrics=metrics if metrics and not has_files else None,
        pairs="all" if all_pairs else "base",
        n_permutations=permutations,
        seed=seed,
        by=by,
        cluster=cluster,
        test=test,
        correction=correction,
        allow_mismatch=allow_mismatch,
    )
    write_report(comparison_report(comparison), targets, full=full)
    if not any(row.n for row in comparison.rows):
        say("nothing was compared: no question has a score on both sides")
        return INCOMPLETE
    evaluated = {id(run): run for run, _ in sides} if has_files else {}
    n_failed = sum(Health(run).n_failed for run in evaluated.values())
    if n_failed:
        say(f"{counted(n_failed, 'score')} failed; run the same command again to retry")
    return INCOMPLETE if n_failed else 0


def _sides(given: Sequence[str], config: Config) -> tuple[list[tuple[ScoredRun, str]], bool]:
    """The run and system of each argument, and whether a file was evaluated for it."""
    places = [_place(text) for text in given]
    if places[0] is None:
        raise PlanError(f"{given[0]}: no such run folder or file of answers")
    named = [place for place in places if place is not None]
    paths = [path for path, _ in named]
    together = _evaluated_together(named, config)
    opened: dict[Path, ScoredRun] = {path: run for path, (run, _) in together.items()}
    for path in paths:
        if path not in opened:
            is_run = is_folder(path) or as_url(path)
            opened[path] = (
                RunFolder.at(path).read() if is_run else evaluate_config(replace(config, data=path))
            )
    first = opened[paths[0]]
    # A base with several systems only says where the systems named after it are.
    systems = first.samples.systems
    names_only = places[0][1] is None and len(systems) > 1 and not together
    if len(given) == 1 and not names_only and is_folder(paths[0]):
        system = places[0][1] or ", ".join(systems)
        others = _commands(first, system, given[0])
        hint = f"; compare it with another:{others}" if others else "; give another run too"
        raise PlanError(f"{given[0]} is one system, {system}{hint}")
    if names_only and len(given) == 1:
        return [(first, name) for name in systems], is_file(paths[0])
    if names_only and places[1] is not None:
        _only_system(first, given[0])
    sides: list[tuple[ScoredRun, str]] = []
    for text, place in list(zip(given, places, strict=True))[names_only:]:
        if place is None:
            if text not in systems:
                hint = did_you_mean(text, systems) or f"; it has {', '.join(systems)}"
                where = first.place or first.samples.source
                raise PlanError(f"{text!r} is neither a path nor a system of {where}{hint}")
            sides.append((first, text))
        elif place[0] in together:
            sides.append(together[place[0]])
        else:
            run = opened[place[0]]
            sides.append((run, place[1] or _only_system(run, text)))
    return sides, any(is_file(path) for path in paths)


def _commands(base: ScoredRun | None = None, system: str = "", named: str = "") -> str:
    """Commands that compare what is stored here, the latest first: with this system, what shares a metric."""
    own = base.folder.resolve() if base and base.folder else None
    names = {metric.name for metric in base.metrics} if base else set[str]()
    lines: list[tuple[str, ...]] = []
    for path, manifest in stored_runs(*([base.folder.parent] if base and base.folder else [])):
        systems = tuple(cast("Sequence[str]", manifest.data.get("systems") or ()))
        if manifest.finished and base is None:
            lines.append((str(path), *(systems if len(systems) > 1 else ["OTHER"])))
        elif manifest.finished and any(metric.name in names for metric in manifest.metrics):
            others = [other for other in systems if path.resolve() != own or other != system]
            lines += [(named, f"{other}@{path}") for other in others]
    listed = [f"ragauge compare {' '.join(map(shell_word, line))}" for line in lines[:MAX_COMMANDS]]
    more = [f"… {len(lines) - MAX_COMMANDS:,} more"] if len(lines) > MAX_COMMANDS else []
    return "".join(f"\n  {line}" for line in (*listed, *more))


def _evaluated_together(
    places: Sequence[tuple[Path, str | None]], config: Config
) -> dict[Path, tuple[ScoredRun, str]]:
    """The run and system of each file, if all arguments are files of one system without a name.

    In one run their questions are paired by id or text, and disagreements on gold are found.
    """
    from ragauge.loaders import load
    from ragauge.samples.samples import DEFAULT_SYSTEM

    paths = [path for path, system in places if system is None and is_file(path)]
    if len(paths) < 2 or len(paths) < len(places) or len(set(paths)) < len(paths):
        return {}
    if any(load(path, map=config.map).systems != (DEFAULT_SYSTEM,) for path in paths):
        return {}
    stems = [path.name.split(".")[0] for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    run = evaluate_config(replace(config, systems=dict(zip(names, paths, strict=True))))
    return {path: (run, name) for path, name in zip(paths, names, strict=True)}


def _place(text: str) -> tuple[Path, str | None] | None:
    """The path and system that an argument names; None if it names no path."""
    if exists(text) or _is_run_at_url(text):
        return Path(text), None
    for at, char in enumerate(text):
        rest = text[at + 1 :]
        if char == "@" and at and rest and (exists(rest) or _is_run_at_url(rest)):
            return Path(rest), text[:at]
    return None


def _is_run_at_url(text: str) -> bool:
    """Whether this is the URL of a run; PlanError for one of a file of answers."""
    if (url := as_url(text)) is None:
        return False
    if kind_of_file(Path(url)) is not None:
        what = (
            "compare reads runs at URLs, and answers on this machine; score answers at URLs first"
        )
        raise PlanError(f"{url}: {what}: ragauge run --system a=URL --system b=URL")
    return True


def _only_system(run: ScoredRun, text: str) -> str:
    systems = run.samples.systems
    if len(systems) != 1:
        raise PlanError(
            f"{text} has {counted(len(systems), 'system')}: {', '.join(systems)}; choose one: {systems[0]}@{text}"
        )
    return systems[0]
