"""The `ragauge` command. Each subcommand calls the library once and prints the result.

Standard output carries data only; progress, notes and errors go to standard error.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import click

from ragauge.cli.streams import (
    TerminatedError,
    complain,
    interrupt_behind,
    one_line,
    prepared_streams,
    say,
    silence,
    stopped_by_signals,
)
from ragauge.errors import PlanError, RagaugeError, StoreError, did_you_mean

ORDER = (
    *("demo", "questions", "ask", "run", "show", "compare", "gate", "report", "view", "review"),
    *("calibrate", "label-plan", "judge-bias", "rank", "score", "metrics", "prompts", "cache"),
    *("validate", "doctor"),
)
"""The commands as help lists them; others follow."""


def _commands() -> Mapping[str, str]:
    """The commands and what each does: a file of `commands/` is a command, whose first line says that."""
    lines: dict[str, str] = {}
    folder = Path(__file__).parent / "commands"
    for module in pkgutil.iter_modules([str(folder)]):
        try:
            with (folder / f"{module.name}.py").open(encoding="utf-8") as text:
                line = text.readline().strip().strip('"')
        except OSError:  # an installation without sources
            found = importlib.import_module(f"ragauge.cli.commands.{module.name}")
            line = (found.__doc__ or "").partition("\n")[0]
        lines[module.name.replace("_", "-")] = line
    return {name: lines[name] for name in (*ORDER, *sorted(lines.keys() - {*ORDER}))}


COMMANDS = _commands()
INTERRUPTED = 130
BUG = 70
"""Exit code of an error in ragauge itself; sysexits.h calls it EX_SOFTWARE."""


class Commands(click.Group):
    """The subcommands; each module is imported only when its command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) or f"; the commands are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {cmd_name!r}{hint}", ctx)
        module = importlib.import_module(f"ragauge.cli.commands.{cmd_name.replace('-', '_')}")
        command = cast(click.Command, module.command)
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        # Of COMMANDS, so that --help imports no subcommand.
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
    """Run the command and exit with its code; docs/runs.md lists the codes."""
    code: object
    with prepared_streams(), stopped_by_signals():
        try:
            given = sys.argv[1:] if arguments is None else list(arguments)
            if any("\0" in argument for argument in given):  # only Python can give one
                raise PlanError(
                    "an argument has a NUL character, which no path and no text here can have"
                )
            if (
                os.environ.get("POLARS_MAX_THREADS", "").strip() == "0"
            ):  # polars would end with a panic
                raise PlanError(
                    "POLARS_MAX_THREADS is 0; set it to a number of threads, or unset it"
                )
            if "_RAGAUGE_COMPLETE" in os.environ:
                cli.main(given, prog_name="ragauge")
            # Not cli.main: it exits with 1 on a broken pipe, and 1 has another meaning here.
            with cli.make_context("ragauge", given) as context:
                code = cli.invoke(context)
            sys.stdout.flush()
        except SystemExit as ended:  # so click ends a completion
            code = ended.code if "_RAGAUGE_COMPLETE" in os.environ else _failed(ended)
        except click.exceptions.Exit as exiting:
            code = exiting.exit_code
        except BaseException as error:  # a panic of polars is no Exception
            code = _failed(error)
    sys.exit(code if isinstance(code, int) else 0)


def _failed(error: BaseException) -> int:
    """Print an error; its exit code."""
    interrupt = error if isinstance(error, click.Abort) else None
    if isinstance(error, Exception | KeyboardInterrupt):
        interrupt = interrupt or interrupt_behind(error)
    if interrupt is not None:
        signum = interrupt.signum if isinstance(interrupt, TerminatedError) else None
        what = "interrupted" if signum is None else "terminated"
        say(f"{what}; finished batches are kept: run the same command again to resume")
        return INTERRUPTED if signum is None else 128 + signum  # as a shell reports it
    if isinstance(error, click.ClickException):
        # It repeats what was typed, or came from a script.
        said = "\n".join(map(one_line, error.format_message().splitlines()))
        context = error.ctx if isinstance(error, click.UsageError) else None
        (click.UsageError(said, context) if context else click.ClickException(said)).show()
        return error.exit_code
    if isinstance(error, RagaugeError):
        complain(error)
        return error.exit_code
    reason = ""
    if isinstance(error, OSError):
        silence(sys.stdout)
        reason = f"cannot write: {error}; free space or write elsewhere"
        if isinstance(error, FileNotFoundError) and error.filename is None:
            try:
                Path.cwd()
            except OSError:
                gone = "the folder in which the command was started is gone"
                reason = f"{gone}; change into another one"
    elif isinstance(error, MemoryError):
        reason = "not enough memory; evaluate fewer rows (--limit) or give the process more memory"
    if reason:
        complain(reason)
        return StoreError.exit_code
    import traceback

    # A bug, which must not look like a gate that failed.
    if os.environ.get("RAGAUGE_TRACEBACK"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    complain(
        f"this is a bug in ragauge: {type(error).__name__}: {error!s:.300} ({Path(last.filename).name}:"
        f"{last.lineno}); please report it with what RAGAUGE_TRACEBACK=1 prints"
    )
    return BUG
