"""`ragauge ask`."""

from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import click

from ragauge.cli.asking import Inquiry, print_answers, say_faults
from ragauge.cli.options import (
    AskOptions,
    FiniteRange,
    NamedTarget,
    Price,
    SourceOptions,
    ask_options,
    source_options,
)
from ragauge.cli.streams import say


@click.command("ask", short_help="Run a system on questions and keep its answers.")
@click.argument("questions", type=click.Path(path_type=Path))
@ask_options
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=NamedTarget(),
    help="System to ask, by name: small=app.py:small. Repeat it for several.",
)
@source_options
@click.option("--where", help="Ask only matching questions: 'question_type = \"fact\"'.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask only the first N questions.")
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=1,
    metavar="K",
    help="Ask each question K times, to see how steady the answers are.  [default: 1]",
)
@click.option(
    "--max-cost",
    type=FiniteRange(min=0, min_open=True),
    help="Most dollars to spend on each system.",
)
@click.option("--max-calls", type=click.IntRange(min=1), help="Most questions to ask each system.")
@click.option("--price", type=Price(), help="Price in dollars per million tokens: input,output.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Folder of the answers.  [default: a folder in ragauge-answers]",
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Also write the answers to this .jsonl, .csv or .parquet file. Repeatable.",
)
@click.option("--quiet", is_flag=True, help="Do not show progress.")
@click.option(
    "--dry-run", is_flag=True, help="Ask three questions, forecast time and cost, then stop."
)
def command(
    questions: Path,
    asking: AskOptions,
    systems: tuple[str, ...],
    reading: SourceOptions,
    max_cost: float | None,
    output: tuple[Path, ...],
    quiet: bool,
    dry_run: bool,
    **options: Any,
) -> int:
    """Run a system on questions; keep each answer with its contexts, time, tokens and cost.

    QUESTIONS is a file with a column of questions (.jsonl .json .csv .tsv .parquet); its other fields travel along.
    A target is a Python function, an HTTP endpoint, a chat model or a command. A function gets the question, and fields of
    the row and varied settings that its parameters name; it returns a text, or a mapping with `answer`, `contexts` and more.

    Each answer is kept in the folder as it comes. Run the same command again to resume: nothing answered is asked
    twice, unless the target's code, its settings or the question changed. Score the folder with `ragauge run FOLDER`.
    """
    inquiry = Inquiry.of(
        questions,
        replace(asking, targets=(*asking.targets, *systems)),
        reading,
        max_cost_usd=max_cost,
        output=output,
        **options,  # where, limit, repeat, max_calls, price and folder
    )
    if dry_run:
        inquiry.forecast(quiet=quiet)
        return 0
    answers = inquiry.run(quiet=quiet)
    for file in output:
        answers.write(file)
        say(f"wrote {file}")
    print_answers(answers)
    code = say_faults(answers)
    if answers.tally.answered + answers.tally.kept:
        place = inquiry.folder
        say(f"answers in {place}; score them with: ragauge run {quote(str(place))}")
    return code
