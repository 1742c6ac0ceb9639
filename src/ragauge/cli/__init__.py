"""The `ragauge` command. Each subcommand calls the library once and prints the result.

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
    "run": "Evaluate answers with metrics and suites.",
    "show": "Show a run's summary, or one question with its scores and evidence.",
    "compare": "Compare systems: is the difference real, where, and on which questions?",
    "gate": "Fail a build if a run breaks a rule or is worse than a baseline.",
    "report": "Write one or several runs as a page that opens in a browser.",
    "view": "Show runs in the browser, from a server on this machine.",
    "review": "Let people label the answers that metrics dispute.",
    "calibrate": "Compare metrics and judges with people's labels; correct the rates they report.",
    "label-plan": "Say how many labels an interval of a wanted width needs.",
    "judge-bias": "Measure what changes a judge's verdicts besides the answer.",
    "rank": "Score, compare and fuse rankings; the numbers match trec_eval.",
    "score": "Score retrieved passages against gold snippets.",
    "metrics": "List the metrics and suites, or explain one metric.",
    "prompts": "List the judge prompts, or export them for editing.",
    "cache": "Show or clear the cache of vectors and judge replies.",
    "validate": "Check a data file: list its columns and its errors.",
    "doctor": "Check the installation: packages, extras, encoder.",
}
INTERRUPTED = 130
MAX_LINE_LENGTH = 2_000
"""Longest error line: an error may quote whatever was typed or read."""


class Commands(click.Group):
    """The subcommands; each module is imported only when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) or f"; the commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {cmd_name!r}{hint}", ctx)
        module = importlib.import_module(f"ragauge.cli.{cmd_name.replace('-', '_')}_command")
        return cast(click.Command, module.command)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        # The short help texts are in COMMANDS, so that --help imports no subcommand.
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: ragauge demo",
)
@click.version_option(package_name="ragauge")
def cli() -> None:
    """Score the output of retrieval and question-answering systems.

    Each score has a reason and each mean a confidence interval; what could not be scored is listed.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code. Only a bug in ragauge shows a traceback."""
    _prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
    except click.exceptions.Exit as exiting:
        code = exiting.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("interrupted; finished batches are kept: run the same command again to resume")
        code = INTERRUPTED
    except RagaugeError as error:
        complain(error)
        code = error.exit_code
    except BrokenPipeError:
        # The reader of our output has closed the pipe: nobody can read more.
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
    # Not cli.main: it exits with 1 on a broken pipe, and 1 has another meaning here.
    with cli.make_context("ragauge", arguments) as context:
        return cli.invoke(context)


def _prepare_streams() -> None:
    """Write UTF-8 whatever the locale; replace a closed stream by the null device."""
    sys.stdout = sys.stdout or _null_device()
    sys.stderr = sys.stderr or _null_device()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _null_device() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _silence(stream: TextIO) -> None:
    """Discard what is still buffered, or Python reports an error at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(note: str) -> None:
    """Print a note to standard error."""
    click.echo(f"ragauge: {for_terminal(note, lines=True)}", err=True)


def complain(error: RagaugeError) -> None:
    """Print an error to standard error, one line per problem."""
    for line in str(error).splitlines():
        click.echo(f"ragauge: error: {shortened(for_terminal(line), MAX_LINE_LENGTH)}", err=True)
