"""Compare systems: is the difference real, where, and on which questions?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from ragauge.cli.commands.run import evaluate_config
from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, SourceOptions, import_plugins
from ragauge.cli.output import RUNS, OutputOptions, stored_runs, write_report
from ragauge.cli.progress import INCOMPLETE
from ragauge.cli.streams import say
from ragauge.comparing.comparison import CorrectionName, TestName
from ragauge.errors import PlanError, did_you_mean
from ragauge.evaluation.config import Config
from ragauge.loaders.sources import kind_of_file
from ragauge.report.plain import counted, shell_word
from ragauge.runs.outcomes import Health
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.store import RunFolder
from ragauge.samples.fields import DEFAULT_SYSTEM
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
    targets = writing.targets([place[0] for text in given if (place := _place(text))])
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
    if n_failed := sum(Health(run).n_failed for run in evaluated.values()):
        say(f"{counted(n_failed, 'score')} failed; run the same command again to retry")
    return INCOMPLETE if n_failed else 0


def _sides(given: Sequence[str], config: Config) -> tuple[list[tuple[ScoredRun, str]], bool]:
    """The run and system of each argument, and whether a file was evaluated for it."""
    from ragauge.loaders.loading import load

    places = {text: place for text in given if (place := _place(text))}
    if given[0] not in places:
        raise PlanError(f"{given[0]}: no such run folder or file of answers")
    opened: dict[Path, ScoredRun] = {}
    path, system = places[given[0]]
    if system is None and not is_file(path):
        opened[path] = RunFolder.at(path).read()
        own = opened[path].samples.systems
        # A name that follows is one of its systems, also where a folder has that name.
        mine = set(given[1:]) & set(own) if len(own) > 1 else ()
        places = {text: place for text, place in places.items() if text not in mine}
    files = {path for path, _ in places.values() if is_file(path)}
    names: dict[Path, str] = {}
    paths = [path for path, system in places.values() if system is None and is_file(path)]
    if 1 < len(paths) == len(given) == len(set(paths)) and all(
        load(path, map=config.map).systems == (DEFAULT_SYSTEM,) for path in paths
    ):
        # In one run their questions are paired by id or text, and disagreements on gold are found.
        stems = [path.name.split(".")[0] for path in paths]
        stems = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
        names = dict(zip(paths, stems, strict=True))
        systems = {name: path for path, name in names.items()}
        opened |= dict.fromkeys(paths, evaluate_config(replace(config, systems=systems)))
    for path, _ in places.values():
        if path not in opened and (is_folder(path) or as_url(path)):
            opened[path] = RunFolder.at(path).read()
        elif path not in opened:
            opened[path] = evaluate_config(replace(config, data=path))
    path, system = places[given[0]]
    first = opened[path]
    # A base with several systems only says where the systems named after it are.
    systems = first.samples.systems
    names_only = system is None and len(systems) > 1 and not names
    if len(given) == 1 and not names_only and is_folder(path):
        system = system or ", ".join(systems)
        others = _commands(first, system, given[0])
        hint = f"; compare it with another:{others}" if others else "; give another run too"
        raise PlanError(f"{given[0]} is one system, {system}{hint}")
    if names_only and len(given) == 1:
        return [(first, name) for name in systems], path in files
    if names_only and given[1] in places:
        _only_system(first, given[0])
    sides: list[tuple[ScoredRun, str]] = []
    for text in given[names_only:]:
        if text in places:
            path, system = places[text]
            run = opened[path]
            sides.append((run, system or names.get(path) or _only_system(run, text)))
        elif text in systems:
            sides.append((first, text))
        else:
            hint = did_you_mean(text, systems) or f"; it has {', '.join(systems)}"
            where = first.place or first.samples.source
            raise PlanError(f"{text!r} is neither a path nor a system of {where}{hint}")
    return sides, bool(files)


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


def _place(text: str) -> tuple[Path, str | None] | None:
    """The path and system that an argument names; None if it names no path."""
    ends = [at for at, char in enumerate(text) if char == "@" and 0 < at < len(text) - 1]
    named = [(text, None), *((text[at + 1 :], text[:at]) for at in ends)]
    return next(
        ((Path(path), name) for path, name in named if exists(path) or _is_run_at_url(path)), None
    )


def _is_run_at_url(text: str) -> bool:
    """Whether this is the URL of a run; PlanError for one of a file of answers."""
    if (url := as_url(text)) is None:
        return False
    if kind_of_file(Path(url)) is not None:
        what = "compare reads runs at URLs, and answers on this machine"
        how = "score answers at URLs first: ragauge run --system a=URL --system b=URL"
        raise PlanError(f"{url}: {what}; {how}")
    return True


def _only_system(run: ScoredRun, text: str) -> str:
    systems = run.samples.systems
    if len(systems) != 1:
        has = f"{text} has {counted(len(systems), 'system')}: {', '.join(systems)}"
        raise PlanError(f"{has}; choose one: {systems[0]}@{text}")
    return systems[0]
