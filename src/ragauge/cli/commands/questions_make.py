"""`ragauge questions make`."""

from pathlib import Path

import click

from ragauge.cli.folders import CACHE, RUNS
from ragauge.cli.options import JudgeOptions, judge_options
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
@judge_options()
@click.option("--prompts", type=click.Path(path_type=Path), help="Folder with your own prompts.")
@click.option(
    "--language", metavar="XX", help="Language of the judge's questions: de, es, fr or zh."
)
@click.option(
    "--personas",
    type=click.Path(path_type=Path),
    help="File with people who ask, one a line: 'a new nurse'.",
)
@click.option(
    "--cache",
    metavar="FILE",
    help="Cache of replies, or 'none'.  [default: ragauge-runs/cache.sqlite]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(
    documents: tuple[Path, ...],
    output: Path | None,
    n_questions: int,
    types: str | None,
    only_plan: bool,
    rejected: Path | None,
    judging: JudgeOptions,
    prompts: Path | None,
    language: str | None,
    personas: Path | None,
    cache: str | None,
    seed: int,
) -> int:
    """Write a test set from DOCUMENTS: files or folders.

    Without --judge the questions are written by rules: free, quick and reproducible, in plain words.
    With --judge a model writes them. Either way each question is checked before it is kept; rejected ones
    go to a second file with the reason. Running the same command again pays for no reply twice.
    """
    import sys

    from ragauge.cli.outcome import print_estimate
    from ragauge.errors import PlanError
    from ragauge.judges.config import JudgeConfig
    from ragauge.questions.judge_writer import estimate, places
    from ragauge.questions.made_words import made_report, plan_report
    from ragauge.questions.making import available, documents_of, questions, write_rows
    from ragauge.questions.plan import TYPES, counts_of, read_types
    from ragauge.report.terminal import console, print_report
    from ragauge.storage.atomic_files import misplaced

    shares = TYPES if types is None else read_types(types)
    if output is None and not only_plan:
        raise PlanError(
            [
                "no file for the questions is given; add -o questions.jsonl, or --plan to see the plan"
            ]
        )
    second = rejected or (output and output.with_name(f"{output.stem}.rejected{output.suffix}"))
    files = [path for path in (output, second) if path is not None]
    if problems := misplaced(files, documents):
        raise PlanError(problems)
    read = documents_of(list(documents))
    table = judging.table(prompts=prompts and str(prompts), language=language)
    config = JudgeConfig.read(table) if judging.judges else None
    path = None if cache == "none" else Path(cache) if cache else RUNS / CACHE
    people = _personas(personas)
    terminal = console(sys.stdout)
    if only_plan:
        counts = counts_of(n_questions, shares)
        drafts = places(read, counts, seed) if config else available(read, seed)
        print_report(terminal, plan_report(counts, drafts, len(read.texts), len(read.passages)))
        if config:
            costs = estimate(read, counts, config, path, seed=seed, personas=people)
            print_estimate(costs, config)
        return 0
    made = questions(
        read, n_questions, types=shares, judge=config, personas=people, cache=path, seed=seed
    )
    assert output is not None and second is not None
    write_rows(output, made.kept)
    say(f"wrote {output}")
    if made.rejected:
        write_rows(second, made.rejected)
        say(f"wrote {second}")
    print_report(terminal, made_report(made, str(output)))
    return 0 if made.kept else 1


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
