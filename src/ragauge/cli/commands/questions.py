"""`ragauge questions`: test sets from documents."""

import click

from ragauge.cli.commands import questions_make


@click.group("questions", short_help="Make questions with known answers from your documents.")
def command() -> None:
    """Make a test set from documents."""


command.add_command(questions_make.command)
