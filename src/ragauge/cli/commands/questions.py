"""Make questions with known answers from your documents, or check a test set."""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

import click

from ragauge.cli.declare import argument, declare, group, option
from ragauge.cli.options import PromptedJudgeOptions, pair, pairs_once
from ragauge.cli.output import FILES, FORMATS, FormatChoice, OutputOptions, cache_path, write_report
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.storage.regular_file import read_regular

ENCODER = option(
    "Also measure the rank of each question's passage under this embedding model; 'embedded' is the one of the package.",
    metavar="MODEL",
)
ENDINGS = (".jsonl", ".ndjson", ".json", "")
TOO_FEW = 1
"""Exit code where fewer questions are sound than asked for, or none could be made."""


@click.group("questions")
def command() -> None:
    """Make a test set from documents, or check one."""


@declare("check", command, short_help="Check a test set: which of its questions are sound?")
def check_command(
    questions: Path,
    documents: tuple[Path, ...] = argument(required=True),
    *,
    min_sound: float | None = option(
        "Exit with 1 if a smaller share of the questions is sound, e.g. 0.95.",
        min=0,
        max=1,
        metavar="SHARE",
    ),
    mapping: tuple[tuple[str, str], ...] = option(
        "Read COLUMN of QUESTIONS as FIELD, e.g. question=prompt. Repeatable.",
        "--map",
        type=pair("FIELD=COLUMN"),
    ),
    judging: PromptedJudgeOptions,
    encoder: str | None = ENCODER,
    labels: Path | None = option(
        "Labels of people, from `ragauge review questions`: the report says how many questions hold up."
    ),
    dry_run: bool = option("Show the number of calls and the cost, then stop."),
    writing: OutputOptions = group(
        output={
            "help": "Write to this .jsonl file, with the checks of each question, "
            f"or {FILES}. Repeatable."
        }
    ),
) -> int:
    """Check the QUESTIONS of a test set against the DOCUMENTS: files or folders.

    For each question, without a model: does its passage state its answer? Can it be understood without the passage?
    Does another passage answer or contradict it? Does it repeat another question? If it is marked unanswerable, does a passage answer it?
    With --judge a model answers each sound question twice: without the documents (if it can, the question is marked as known) and
    from its passage alone (its answer must agree with the reference). Files of ragas, deepeval and other tools are read as they are.
    """
    from ragauge.cli.progress import print_estimate
    from ragauge.documents.reading import read_documents
    from ragauge.questions.checking import CheckedQuestions
    from ragauge.questions.checks import check
    from ragauge.questions.loading import read_questions
    from ragauge.questions.models import estimate, with_encoder, with_judge
    from ragauge.questions.people import read_labels

    inputs = [path for path in (questions, *documents, labels) if path is not None]
    targets = writing.targets(inputs, also=("jsonl",))
    read, notes = read_questions(questions, map=pairs_once(mapping, "field"))
    say(*notes)
    passages = read_documents(documents)
    checked = check(read, passages)
    if config := judging.config():
        path = cache_path(judging.cache)
        if dry_run:
            print_estimate(estimate(checked, passages, config, path), config)
            return 0
        with closing(config):
            checked = with_judge(checked, passages, config, path)
    elif dry_run:
        raise click.UsageError("--dry-run shows what a judge would cost; give --judge")
    if encoder is not None:
        checked = with_encoder(checked, passages, encoder)
    said = [] if labels is None else read_labels(labels)
    found = CheckedQuestions(checked, passages, str(questions), said)
    for path in (path for form, path in targets if form == "jsonl" and path is not None):
        found.write(path)
        say(f"wrote {path}")
    reports = [(form, path) for form, path in targets if form != "jsonl"]
    write_report(found.report, reports or [("table", None)])
    if min_sound is None or found.share_sound >= min_sound:
        return 0
    say(f"{found.share_sound:.1%} of the questions are sound, less than {min_sound:.1%}")
    return TOO_FEW


@declare("make", command, short_help="Write questions with known answers about your documents.")
def make_command(
    documents: tuple[Path, ...] = argument(required=True),
    *,
    output: Path | None = option(
        "JSONL file of the questions; `ask` and `run` read it.  [required unless --plan]",
        "-o",
        "--output",
    ),
    n_questions: int = option("Number of questions.", "-n", default=200, min=1),
    types: str | None = option(
        "Types of questions and their shares: 'number=2,list=1'.  [default: a mix of all]",
        metavar="TYPE=SHARE,…",
    ),
    only_plan: bool = option(
        "Print the plan, and with --judge its calls and cost; then stop.", "--plan"
    ),
    rejected: Path | None = option(
        "File of the rejected questions.  [default: OUTPUT with .rejected before its ending]"
    ),
    judging: PromptedJudgeOptions,
    encoder: str | None = ENCODER,
    personas: Path | None = option("File with people who ask, one a line: 'a new nurse'."),
    seed: int = option("", default=0, min=0),
    form: str | None = option(
        "Format of what is printed.  [default: table]",
        "-f",
        "--format",
        type=FormatChoice(FORMATS),
    ),
) -> int:
    """Write a test set from DOCUMENTS: files or folders.

    Without --judge the questions are written by rules: free, quick and reproducible, in plain words.
    With --judge a model writes them. Either way each question is checked before it is kept; rejected ones
    go to a second file with the reason. Running the same command again pays for no reply twice.
    """
    from ragauge.cli.progress import print_estimate
    from ragauge.questions.evidence import documents_of
    from ragauge.questions.making import (
        OF_JUDGE,
        ONLY_OF_JUDGE,
        TYPES,
        counts_of,
        made_report,
        plan_report,
        pool,
        questions,
        read_types,
    )
    from ragauge.questions.models import JudgeWriter
    from ragauge.questions.question import write_rows

    shares, targets = TYPES if types is None else read_types(types), [(form or "table", None)]
    files = None if only_plan else _files(output, rejected, documents)
    people = [] if personas is None else _people(personas)
    config, cache = judging.config(), cache_path(judging.cache)
    if people and not config:
        raise click.UsageError("a judge asks as the people of --personas; give --judge")
    if not config and set(OF_JUDGE).issuperset(shares):
        raise PlanError(ONLY_OF_JUDGE)
    read = documents_of(list(documents))
    if files is None:
        counts = counts_of(n_questions, shares)
        writer = JudgeWriter(read, counts, config, cache, seed, people) if config else None
        types_of = () if writer else [draft.question_type for draft in pool(read, seed)]
        drafts = writer.places() if writer else Counter(types_of)
        write_report(plan_report(counts, drafts, len(read.texts), len(read.passages)), targets)
        if writer:
            print_estimate(writer.estimate(), writer.judge)
        return 0
    with closing(config) if config else nullcontext():
        made = questions(
            read,
            n_questions,
            types=shares,
            judge=config,
            encoder=encoder,
            personas=people,
            cache=cache,
            seed=seed,
        )
    for path, rows in zip(files, (made.kept, made.rejected), strict=True):
        if rows:
            write_rows(path, rows)
            say(f"wrote {path}")
    write_report(made_report(made, str(output)), targets)
    return 0 if made.kept else TOO_FEW


def _people(personas: Path) -> list[str]:
    """The people who ask, one a line."""
    try:
        lines = read_regular(personas, 1_000_000).decode().splitlines()
    except (OSError, UnicodeError) as error:
        raise PlanError(f"{personas}: cannot be read as text: {error}") from error
    if not (people := [line.strip() for line in lines if line.strip()]):
        raise PlanError(f"{personas}: names no persona; write one a line")
    return people


def _files(
    output: Path | None, rejected: Path | None, documents: Sequence[Path]
) -> tuple[Path, Path]:
    """The files of the kept and of the rejected questions; PlanError where one cannot be written."""
    from ragauge.storage.atomic_files import misplaced

    if output is None:
        how = "add -o questions.jsonl, or --plan to see the plan"
        raise PlanError(f"no file for the questions is given; {how}")
    if output.suffix.lower() not in ENDINGS:
        how = f"questions are written as JSON Lines; name the file {output.stem}.jsonl"
        raise PlanError(f"{output}: {how}")
    files = output, rejected or output.with_name(f"{output.stem}.rejected{output.suffix}")
    problems = misplaced(files, documents)
    if os.path.realpath(files[0]) == os.path.realpath(files[1]):
        problems.append(f"{rejected}: is also the file of the kept questions; choose another file")
    if problems:
        raise PlanError(problems)
    return files
