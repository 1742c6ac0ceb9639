"""`ragauge questions make`."""

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from ragauge.cli.folders import cache_path
from ragauge.cli.options import PromptedJudgeOptions, prompted_judge_options
from ragauge.cli.streams import say


@click.command("make", short_help="Write questions with known answers about your documents.")
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="JSONL file of the questions; `ask` and `run` read it.  [required unless --plan]",
)
@click.option(
    "-n",
    "n_questions",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Number of questions.",
)
@click.option(
    "--types",
    metavar="TYPE=SHARE,…",
    help="Types of questions and their shares: 'number=2,list=1'.  [default: a mix of all]",
)
@click.option(
    "--plan",
    "only_plan",
    is_flag=True,
    help="Print the plan, and with --judge its calls and cost; then stop.",
)
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    help="File of the rejected questions.  [default: OUTPUT with .rejected before its ending]",
)
@prompted_judge_options()
@click.option(
    "--personas",
    type=click.Path(path_type=Path),
    help="File with people who ask, one a line: 'a new nurse'.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(
    documents: tuple[Path, ...],
    output: Path | None,
    n_questions: int,
    types: str | None,
    only_plan: bool,
    rejected: Path | None,
    judging: PromptedJudgeOptions,
    personas: Path | None,
    seed: int,
) -> int:
    """Write a test set from DOCUMENTS: files or folders.

    Without --judge the questions are written by rules: free, quick and reproducible, in plain words.
    With --judge a model writes them. Either way each question is checked before it is kept; rejected ones
    go to a second file with the reason. Running the same command again pays for no reply twice.
    """
    from ragauge.cli.outcome import print_estimate
    from ragauge.questions.checks import write_rows
    from ragauge.questions.evidence import documents_of
    from ragauge.questions.judge_writer import JudgeWriter
    from ragauge.questions.made_words import made_report, plan_report
    from ragauge.questions.making import pool, questions
    from ragauge.questions.plan import TYPES, counts_of, read_types
    from ragauge.report.terminal import console, print_report

    screen = console(sys.stdout)
    shares = TYPES if types is None else read_types(types)
    files = None if only_plan else _files(output, rejected, documents)
    people, config, cache = _personas(personas), judging.config(), cache_path(judging.cache)
    if people and not config:
        raise click.UsageError("a judge asks as the people of --personas; give --judge")
    read = documents_of(list(documents))
    if files is None:
        counts = counts_of(n_questions, shares)
        writer = JudgeWriter(read, counts, config, cache, seed, people) if config else None
        drafts = (
            writer.places()
            if writer
            else Counter(draft.question_type for draft in pool(read, seed))
        )
        print_report(screen, plan_report(counts, drafts, len(read.texts), len(read.passages)))
        if writer:
            print_estimate(writer.estimate(), writer.judge)
        return 0
    try:
        made = questions(
            read, n_questions, types=shares, judge=config, personas=people, cache=cache, seed=seed
        )
    finally:
        if config:
            config.close()
    for path, rows in zip(files, (made.kept, made.rejected), strict=True):
        if rows or path == output:
            write_rows(path, rows)
            say(f"wrote {path}")
    print_report(screen, made_report(made, str(output)))
    return 0 if made.kept else 1


def _files(
    output: Path | None, rejected: Path | None, documents: Sequence[Path]
) -> tuple[Path, Path]:
    """The files of the kept and of the rejected questions; PlanError where one cannot be written."""
    from ragauge.errors import PlanError
    from ragauge.storage.atomic_files import misplaced

    if output is None:
        reason = (
            "no file for the questions is given; add -o questions.jsonl, or --plan to see the plan"
        )
        raise PlanError([reason])
    files = output, rejected or output.with_name(f"{output.stem}.rejected{output.suffix}")
    problems = misplaced(files, documents)
    if os.path.realpath(files[0]) == os.path.realpath(files[1]):
        problems.append(f"{rejected}: is also the file of the kept questions; choose another file")
    if problems:
        raise PlanError(problems)
    return files


def _personas(path: Path | None) -> list[str]:
    """The lines of the file that are not blank; PlanError where there is none."""
    from ragauge.errors import PlanError
    from ragauge.storage.regular_file import read_regular

    if path is None:
        return []
    try:
        lines = read_regular(path, 1_000_000).decode().splitlines()
    except (OSError, UnicodeError) as error:
        raise PlanError([f"{path}: cannot be read as text: {error}"]) from error
    people = [line.strip() for line in lines if line.strip()]
    if not people:
        raise PlanError([f"{path}: names no persona; write one a line"])
    return people
