"""Run a system on questions and keep its answers."""

from dataclasses import replace
from pathlib import Path
from shlex import quote

from ragauge.cli.asking import Inquiry, print_answers, say_faults
from ragauge.cli.declare import declare, option
from ragauge.cli.options import NAMED_TARGET, PRICE, AskOptions, SourceOptions
from ragauge.cli.streams import say


@declare("ask")
def command(
    questions: Path,
    *,
    asking: AskOptions,
    systems: tuple[str, ...] = option(
        "System to ask, by name: small=app.py:small. Repeat it for several.",
        "--system",
        type=NAMED_TARGET,
    ),
    reading: SourceOptions,
    where: str | None = option("Ask only matching questions: 'question_type = \"fact\"'."),
    limit: int | None = option("Ask only the first N questions.", min=1),
    repeat: int = option(
        "Ask each question K times, to see how steady the answers are.  [default: 1]",
        default=1,
        min=1,
        metavar="K",
    ),
    max_cost: float | None = option("Most dollars to spend on each system.", min=0, min_open=True),
    max_calls: int | None = option("Most questions to ask each system.", min=1),
    price: tuple[float, float] | None = option(
        "Price in dollars per million tokens: input,output.", type=PRICE
    ),
    folder: Path | None = option("Folder of the answers.  [default: a folder in ragauge-answers]"),
    output: tuple[Path, ...] = option(
        "Also write the answers to this .jsonl, .csv or .parquet file. Repeatable.",
        "-o",
        "--output",
    ),
    quiet: bool = option("Do not show progress."),
    dry_run: bool = option("Ask three questions, forecast time and cost, then stop."),
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
        reading.settings,
        where=where,
        limit=limit,
        repeat=repeat,
        max_calls=max_calls,
        max_cost_usd=max_cost,
        price=price,
        folder=folder,
        output=output,
    )
    if dry_run:
        return inquiry.forecast(quiet=quiet)
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
