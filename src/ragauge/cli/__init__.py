"""The `ragauge` command. Each subcommand calls the library once and prints the result.

Standard output carries data only; progress, notes and errors go to standard error.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from ragauge.cli.streams import complain, one_line, prepared_streams, say, silence
from ragauge.cli.termination import TerminatedError, interrupt_behind, stopped_by_signals
from ragauge.errors import PlanError, RagaugeError, StoreError, did_you_mean

COMMANDS = {
    "demo": "Evaluate the bundled example: three systems, thirty questions.",
    "questions": "Make questions with known answers from your documents, or check a test set.",
    "ask": "Run a system on questions and keep its answers.",
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
    "validate": "Check data files: list their columns and their errors.",
    "doctor": "Check the installation, or a stored run.",
}
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
    """Run the command and exit with its code; docs/runs.md lists the codes."""
    with prepared_streams(), stopped_by_signals():
        try:
            code = _run(sys.argv[1:] if arguments is None else list(arguments))
            sys.stdout.flush()
        except click.exceptions.Exit as exiting:
            code = exiting.exit_code
        except (click.Abort, KeyboardInterrupt) as ended:
            code = _interrupted(ended)
        except Exception as error:
            interrupt = interrupt_behind(error)
            code = _failed(error) if interrupt is None else _interrupted(interrupt)
        except BaseException as error:  # such as a panic of polars, which is no Exception
            code = _report_bug(error)
    sys.exit(code if isinstance(code, int) else 0)


def _interrupted(ended: click.Abort | KeyboardInterrupt) -> int:
    is_terminated = isinstance(ended, TerminatedError)
    say(
        f"{'terminated' if is_terminated else 'interrupted'}; finished batches are kept: "
        "run the same command again to resume"
    )
    return ended.exit_code if is_terminated else INTERRUPTED


def _failed(error: Exception) -> int:
    """Print an error; its exit code."""
    match error:
        case click.ClickException():
            # It repeats what was typed, or came from a script.
            said = "\n".join(map(one_line, error.format_message().splitlines()))
            context = error.ctx if isinstance(error, click.UsageError) else None
            (click.UsageError(said, context) if context else click.ClickException(said)).show()
            return error.exit_code
        case RagaugeError():
            complain(error)
            return error.exit_code
        case OSError():
            silence(sys.stdout)
            reason = f"cannot write: {error}; free space or write elsewhere"
            if isinstance(error, FileNotFoundError) and error.filename is None:
                try:
                    Path.cwd()
                except OSError:
                    reason = "the folder in which the command was started is gone; change into another one"
            complain(reason)
            return StoreError.exit_code
        case MemoryError():
            complain(
                "not enough memory; evaluate fewer rows (--limit) or give the process more memory"
            )
            return StoreError.exit_code
        case _:  # a bug, which must not look like a gate that failed
            return _report_bug(error)


def _report_bug(error: BaseException) -> int:
    """Print where a bug is, and with RAGAUGE_TRACEBACK set the traceback; the exit code."""
    import traceback

    if os.environ.get("RAGAUGE_TRACEBACK"):
        traceback.print_exception(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    complain(
        f"this is a bug in ragauge: {type(error).__name__}: {error!s:.300} ({Path(last.filename).name}:"
        f"{last.lineno}); please report it with what RAGAUGE_TRACEBACK=1 prints"
    )
    return BUG


def _run(arguments: list[str]) -> object:
    if any("\0" in argument for argument in arguments):  # only Python can give one
        raise PlanError(
            ["an argument has a NUL character, which no path and no text here can have"]
        )
    if os.environ.get("POLARS_MAX_THREADS", "").strip() == "0":  # polars would end with a panic
        raise PlanError(["POLARS_MAX_THREADS is 0; set it to a number of threads, or unset it"])
    if "_RAGAUGE_COMPLETE" in os.environ:
        try:
            cli.main(arguments, prog_name="ragauge")
        except SystemExit as ended:  # so click ends a completion
            return ended.code
    # Not cli.main: it exits with 1 on a broken pipe, and 1 has another meaning here.
    with cli.make_context("ragauge", arguments) as context:
        return cli.invoke(context)
