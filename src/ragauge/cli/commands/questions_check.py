"""`ragauge questions check`."""

from pathlib import Path

import click

from ragauge.cli.folders import cache_path
from ragauge.cli.options import (
    FiniteRange,
    Pair,
    PromptedJudgeOptions,
    pairs_once,
    prompted_judge_options,
)
from ragauge.cli.output import OutputOptions, output_options_with, write_report
from ragauge.cli.streams import say

TOO_FEW = 1
"""Exit code where fewer questions are sound than asked for."""


@click.command("check", short_help="Check a test set: which of its questions are sound?")
@click.argument("questions", type=click.Path(path_type=Path))
@click.argument("documents", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--min-sound",
    type=FiniteRange(0, 1),
    metavar="SHARE",
    help="Exit with 1 if a smaller share of the questions is sound, e.g. 0.95.",
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    type=Pair("FIELD=COLUMN"),
    help="Read COLUMN of QUESTIONS as FIELD, e.g. question=prompt. Repeatable.",
)
@prompted_judge_options()
@click.option("--dry-run", is_flag=True, help="Show the number of calls and the cost, then stop.")
@output_options_with(
    "Write to this .jsonl file, with the checks of each question, or .md, .tex, .csv, .json or .html. Repeatable."
)
def command(
    questions: Path,
    documents: tuple[Path, ...],
    min_sound: float | None,
    mapping: tuple[tuple[str, str], ...],
    judging: PromptedJudgeOptions,
    dry_run: bool,
    writing: OutputOptions,
) -> int:
    """Check the QUESTIONS of a test set against the DOCUMENTS: files or folders.

    For each question, without a model: does its passage state its answer? Can it be understood without the passage?
    Does another passage answer or contradict it? Does it repeat another question? If it is marked unanswerable, does a passage answer it?
    With --judge a model answers each sound question twice: without the documents (if it can, the question is marked as known) and
    from its passage alone (its answer must agree with the reference). Files of ragas, deepeval and other tools are read as they are.
    """
    from ragauge.cli.outcome import print_estimate
    from ragauge.documents.reading import read_documents
    from ragauge.questions.checking import CheckedQuestions
    from ragauge.questions.checks import check
    from ragauge.questions.judge_checks import estimate, with_judge
    from ragauge.questions.loading import read_questions

    targets = writing.targets([questions, *documents], also=("jsonl",))
    read, notes = read_questions(questions, map=pairs_once(mapping, "field"))
    for note in notes:
        say(note)
    passages = read_documents(documents)
    checked = check(read, passages)
    if config := judging.config():
        path = cache_path(judging.cache)
        if dry_run:
            print_estimate(estimate(checked, passages, config, path), config)
            return 0
        try:
            checked = with_judge(checked, passages, config, path)
        finally:
            config.close()
    elif dry_run:
        raise click.UsageError("--dry-run shows what a judge would cost; give --judge")
    found = CheckedQuestions(checked, passages, str(questions))
    files = [path for form, path in targets if form == "jsonl" and path is not None]
    reports = [(form, path) for form, path in targets if form != "jsonl"]
    for path in files:
        found.write(path)
        say(f"wrote {path}")
    write_report(found.report, reports or [("table", None)])
    if min_sound is None or found.share_sound >= min_sound:
        return 0
    say(f"{found.share_sound:.1%} of the questions are sound, less than {min_sound:.1%}")
    return TOO_FEW
