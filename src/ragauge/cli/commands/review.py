"""`ragauge review`: people label answers, in the terminal, in the browser or in files."""

import getpass
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ragauge.cli import INTERRUPTED
from ragauge.cli.commands.calibrate import read_thresholds
from ragauge.cli.options import Pair
from ragauge.cli.output import OutputOptions, output_options, write_report
from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.people.review import Review
from ragauge.people.review_queue import review_queue
from ragauge.people.review_reasons import KINDS, MARGIN, N_SAMPLE
from ragauge.report.plain import counted
from ragauge.runs.store import RunFolder

Command = TypeVar("Command", bound=Callable[..., Any])

QUEUE_OPTIONS = (
    click.option(
        "--about",
        metavar="METRIC",
        help="Ask about this metric.  [default: does the answer match the reference?]",
    ),
    click.option(
        "-m",
        "--metric",
        "metrics",
        multiple=True,
        help="Look for disputes of this metric, not of the usual ones. Repeatable.",
    ),
    click.option(
        "--threshold",
        "thresholds",
        multiple=True,
        type=Pair("METRIC=VALUE"),
        help="Value from which a metric's verdict is yes.  [default: the middle of its scale]",
    ),
    click.option(
        "--margin",
        type=click.FloatRange(0, 1),
        default=MARGIN,
        show_default=True,
        help="How near to its threshold a value is looked at, as a share of the scale.",
    ),
    click.option(
        "--sample",
        "n_sample",
        type=click.IntRange(min=0),
        default=N_SAMPLE,
        show_default=True,
        help="Number of answers drawn at random.",
    ),
    click.option(
        "--reason",
        "reasons",
        multiple=True,
        type=click.Choice(KINDS),
        help="Only answers in the queue for this reason. Repeatable.",
    ),
    click.option(
        "--opinions",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Number of people who label each answer.",
    ),
    click.option(
        "--seed", type=click.IntRange(min=0), help="Random seed.  [default: that of the run]"
    ),
    plugin_option,
)
RATER = click.option("--rater", metavar="NAME", help="Who labels.  [default: your login name]")
SETTLE = click.option(
    "--settle", is_flag=True, help="Only conflicts between other labels, also with your own."
)
ABOUT, *_, SEED, PLUGIN = QUEUE_OPTIONS


def queue_options(command: Command) -> Command:
    """Add RUN and the options that determine a review queue to a command."""
    for option in reversed(QUEUE_OPTIONS):
        command = option(command)
    return click.argument("run", type=click.Path(path_type=Path))(command)


def open_review(
    run: Path,
    *,
    about: str | None,
    metrics: tuple[str, ...],
    thresholds: tuple[tuple[str, str], ...],
    margin: float,
    n_sample: int,
    reasons: tuple[str, ...],
    opinions: int,
    seed: int | None,
    plugins: tuple[Path, ...],
    settle: bool = False,
) -> Review:
    """The review that the options of `queue_options` describe."""
    import_plugins(plugins)
    queue = review_queue(
        RunFolder.at(run).read(),
        about=about,
        metrics=metrics,
        thresholds=read_thresholds(thresholds),
        margin=margin,
        n_sample=n_sample,
        reasons=reasons,
        seed=seed,
    )
    return Review(queue, opinions, settles_only=settle)


def rater_name(given: str | None) -> str:
    """The given name, or the login name; PlanError where there is none."""
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        raise PlanError(["your login name is unknown; give --rater NAME"]) from None


@click.group("review", short_help="Let people label the answers that metrics dispute.")
def command() -> None:
    """Let people label answers, and compare the metrics with their labels.

    The queue has the answers that a person should look at: metrics dispute them, a value is near its
    threshold, or they were drawn at random. Each says why it is there; the automatic verdicts stay hidden
    until a label is saved. Labels are stored in the run's folder, or at its URL, beside the scores, which stay
    as they are.
    `ragauge calibrate RUN` compares the two.
    """


@command.command("next")
@queue_options
@RATER
@SETTLE
def next_command(run: Path, rater: str | None, settle: bool, **options: Any) -> None:
    """Label answers in the terminal, one after another.

    Keys: 1 or y match, 2 or n contradict, u unsure, w note, c contexts, z undo, Enter next, q quit. Without a
    terminal the keys are read from standard input, one a line.
    """
    from ragauge.cli.commands.review_session import Session, keys_of
    from ragauge.report.terminal import console

    review = open_review(run, settle=settle, **options)
    name = rater_name(rater)
    review.check_rater(name)
    if not review.pending(name):
        say(f"nothing in the queue for {name}; ragauge review stats {run}")
        return
    if getattr(sys, "stdin", None) is None:  # it is closed
        raise click.UsageError(
            "standard input is closed; label in a terminal, or with ragauge review serve"
        )
    is_terminal = sys.stdin.isatty()
    session = Session(review, name, keys_of(stdin_is_terminal=is_terminal), console(sys.stdout))
    try:
        session.run()
    except KeyboardInterrupt:
        say(f"interrupted; {counted(len(session.history), 'label')} saved")
        raise click.exceptions.Exit(INTERRUPTED) from None


@command.command("serve")
@queue_options
@RATER
@SETTLE
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: a free one]"
)
@click.option(
    "--token",
    help="Secret that reviewers need.  [default: none on this machine, a random one on other addresses]",
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def serve_command(
    run: Path,
    rater: str | None,
    settle: bool,
    host: str,
    port: int,
    token: str | None,
    no_browser: bool,
    **options: Any,
) -> None:
    """Label answers in the browser, one after another; the report opens when nothing is left for you.

    Only this machine can reach the server. With --host ADDRESS, reviewers on other machines can, with the
    token that is printed as a part of the address; the connection is not encrypted. Stop it with Ctrl-C.
    """
    from ragauge.cli.commands.view import serve_until_stopped
    from ragauge.web.guard import LOOPBACK
    from ragauge.web.review_site import ReviewSite
    from ragauge.web.server import serving

    site = ReviewSite(open_review(run, settle=settle, **options), rater_name(rater))
    site.review.check_rater(site.rater)
    site.review.labels()  # a damaged file is said now, and not to the first reviewer
    if token is None and host not in LOOPBACK:
        token = secrets.token_urlsafe(24)
    with serving(site, host, port, token=token) as server:
        if host not in LOOPBACK:
            say("reachable from other machines, not encrypted: use it in a network that you trust")
        serve_until_stopped(server.url, opens=not no_browser)


@command.command("export")
@queue_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File to write, as in queue.jsonl.",
)
@click.option("--rater", metavar="NAME", help="Only what this person can label.")
@click.option(
    "--with-scores", is_flag=True, help="Add the automatic scores; the labels are then not blind."
)
def export_command(
    run: Path,
    output: Path,
    rater: str | None,
    with_scores: bool,
    **options: Any,
) -> None:
    """Write the answers that need a label as JSON lines.

    Fill in `value` (match, contradict or unsure), `rater` and `note`, and read the file back with
    `ragauge review import`.
    """
    from ragauge.people.review_exchange import export_queue

    if output.suffix.lower() not in (".jsonl", ".ndjson"):
        raise PlanError([f"{output}: the queue is JSON lines; choose a name that ends in .jsonl"])
    n = export_queue(open_review(run, **options), output, rater=rater, with_verdicts=with_scores)
    say(f"wrote {counted(n, 'answer')} to {output}")


@command.command("import")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--rater", metavar="NAME", help="Who gave the labels of lines that name nobody.")
@ABOUT
@SEED
@PLUGIN
def import_command(
    run: Path,
    file: Path,
    rater: str | None,
    about: str | None,
    seed: int | None,
    plugins: tuple[Path, ...],
) -> None:
    """Read the labels of FILE into the run: an exported file, or the labels.jsonl of a copy of the run.

    Every problem is named with its line, and then nothing is stored. The same file can be imported again.
    """
    from ragauge.people.review_exchange import import_labels

    import_plugins(plugins)
    queue = review_queue(RunFolder.at(run).read(), about=about, seed=seed)
    done = import_labels(Review(queue), file, rater=rater)
    parts = [f"{counted(done.n_labels, 'label')} stored"]
    counts = (
        (done.n_retracted, "taken back"),
        (done.n_known, "known already"),
        (done.n_empty, "without a label"),
        (done.n_stale, "not applied: the texts have changed"),
    )
    say(", ".join([*parts, *(f"{n:,} {what}" for n, what in counts if n)]))


@command.command("stats")
@queue_options
@output_options
def stats_command(run: Path, writing: OutputOptions, **options: Any) -> None:
    """Say what is labelled, how far people agree, and how the automatic verdicts compare."""
    from ragauge.people.review_stats import review_stats, stats_report

    targets = writing.targets()
    stats = review_stats(open_review(run, **options).queue)
    write_report(stats_report(stats), targets)
