"""The `ragauge` command: each subcommand is one call of the library and its printing.

Standard output carries data only; progress, notes and errors go to standard error.
"""

import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO, cast

import click

from ragauge.errors import RagaugeError, StoreError, did_you_mean
from ragauge.report.plain import for_terminal, shortened

COMMANDS = {
    "demo": "Evaluate the bundled example: three systems, thirty questions.",
    "run": "Evaluate answers with suites and metrics.",
    "rank": "Score, compare and fuse rankings, with trec_eval's numbers.",
    "score": "Score retrieved passages against gold snippets, as seed 003's score.py.",
    "show": "Show a run's summary, or one question with all its evidence.",
    "metrics": "List the metrics and suites, or explain one metric.",
    "prompts": "List what judges are asked, or write it down to change it.",
    "cache": "Say what is kept between runs, or clear it.",
    "validate": "Read a file as `run` would and say what is in it and what is wrong.",
    "doctor": "Say what is installed here and what is not.",
}
INTERRUPTED = 130
MAX_LINE_LENGTH = 2_000
"""Of an error: whatever was typed or read may be told of in it."""


class Commands(click.Group):
    """Subcommands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) or f"; the commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {cmd_name!r}{hint}", ctx)
        module = importlib.import_module(f"ragauge.cli.{cmd_name}_command")
        return cast(click.Command, module.command)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        # The one-line helps stand above, so that --help imports no subcommand.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: ragauge demo",
)
@click.version_option(package_name="ragauge")
def cli() -> None:
    """Score what retrieval and question-answering systems return: each number with its reason, its
    error bar, and what could not be scored."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; no traceback but for our own bugs."""
    _prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("interrupted; finished batches are kept, the same command goes on from there")
        code = INTERRUPTED
    except RagaugeError as error:
        complain(error)
        code = error.exit_code
    except BrokenPipeError:
        # The reader of our output has gone; nothing is left to say, and nowhere to say it.
        _silence(sys.stdout)
        code = 0
    except OSError as error:
        _silence(sys.stdout)
        complain(StoreError(f"cannot write: {error}; free space or write elsewhere"))
        code = StoreError.exit_code
    sys.exit(code if isinstance(code, int) else 0)


def _run(arguments: list[str]) -> object:
    if "_RAGAUGE_COMPLETE" in os.environ:
        return cli.main(arguments, prog_name="ragauge")
    # Not cli.main: it gives a broken pipe the exit code 1, which has a meaning of its own here.
    with cli.make_context("ragauge", arguments) as context:
        return cli.invoke(context)


def _prepare_streams() -> None:
    """UTF-8 whatever the locale; a stream that the caller closed leads nowhere."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _silence(stream: TextIO) -> None:
    """Send what is still in the stream nowhere, or Python complains when it leaves."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(note: str) -> None:
    """A note on standard error."""
    click.echo(f"ragauge: {for_terminal(note, lines=True)}", err=True)


def complain(error: RagaugeError) -> None:
    """An error on standard error, a line for each problem."""
    for line in str(error).splitlines():
        click.echo(f"ragauge: error: {shortened(for_terminal(line), MAX_LINE_LENGTH)}", err=True)
