"""`ragauge questions`: test sets from documents."""

import click

from ragauge.cli.commands import questions_check, questions_make


@click.group(
    "questions",
    short_help="Make questions with known answers from your documents, or check a test set.",
)
def command() -> None:
    """Make a test set from documents, or check one."""


command.add_command(questions_check.command)
command.add_command(questions_make.command)
