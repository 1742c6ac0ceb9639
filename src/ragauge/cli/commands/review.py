"""Let people label the answers that metrics dispute."""

import getpass
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from ragauge.cli import INTERRUPTED
from ragauge.cli.declare import argument, declare, option
from ragauge.cli.options import PLUGINS, THRESHOLDS, import_plugins, thresholds_of
from ragauge.cli.output import OutputOptions, inside_runs, write_report
from ragauge.cli.streams import say
from ragauge.errors import PlanError
from ragauge.people.review import Review
from ragauge.people.review_labels import rater_problems
from ragauge.people.review_queue import MARGIN, N_SAMPLE, ReasonKind, review_queue
from ragauge.report.plain import counted
from ragauge.runs.store import RunFolder

ABOUT = option(
    "Ask about this metric.  [default: does the answer match the reference?]", metavar="METRIC"
)
SEED = option("Random seed.  [default: that of the run]", min=0)
RATER = option("Who labels.  [default: your login name]", metavar="NAME")
SETTLE = option("Only conflicts between other labels, also with your own.")


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """What determines a review queue."""

    about: str | None = ABOUT
    metrics: tuple[str, ...] = option(
        "Look for disputes of this metric, not of the usual ones. Repeatable.", "-m", "--metric"
    )
    thresholds: tuple[tuple[str, str], ...] = THRESHOLDS
    margin: float = option(
        "How near to its threshold a value is looked at, as a share of the scale.",
        default=MARGIN,
        min=0,
        max=1,
    )
    n_sample: int = option(
        "Number of answers drawn at random.", "--sample", default=N_SAMPLE, min=0
    )
    reasons: tuple[ReasonKind, ...] = option(
        "Only answers in the queue for this reason. Repeatable.", "--reason"
    )
    opinions: int = option("Number of people who label each answer.", default=1, min=1)
    seed: int | None = SEED
    plugins: tuple[Path, ...] = PLUGINS

    def review(self, run: Path, *, settle: bool = False) -> Review:
        """The review of a run."""
        import_plugins(self.plugins)
        queue = review_queue(
            RunFolder.at(run).read(),
            about=self.about,
            metrics=self.metrics,
            thresholds=thresholds_of(self.thresholds),
            margin=self.margin,
            n_sample=self.n_sample,
            reasons=self.reasons,
            seed=self.seed,
        )
        return Review(queue, self.opinions, settles_only=settle)


def rater_name(given: str | None) -> str:
    """The given name, or the login name; PlanError where there is none."""
    try:
        return getpass.getuser() if given is None else given
    except (OSError, KeyError, ImportError):
        raise PlanError("your login name is unknown; give --rater NAME") from None


@click.group("review", short_help="Let people label the answers that metrics dispute.")
def command() -> None:
    """Let people label answers, and compare the metrics with their labels.

    The queue has the answers that a person should look at: metrics dispute them, a value is near its
    threshold, or they were drawn at random. Each says why it is there; the automatic verdicts stay hidden
    until a label is saved. Labels are stored in the run's folder, or at its URL, beside the scores, which stay
    as they are.
    `ragauge calibrate RUN` compares the two.
    """


@declare("next", command)
def next_command(
    run: Path, *, queue: QueueOptions, rater: str | None = RATER, settle: bool = SETTLE
) -> None:
    """Label answers in the terminal, one after another.

    Keys: 1 or y match, 2 or n contradict, u unsure, w note, c contexts, z undo, Enter next, q quit. Without a
    terminal the keys are read from standard input, one a line.
    """
    from ragauge.cli.sessions import Keys, Session
    from ragauge.report.terminal import console

    review = queue.review(run, settle=settle)
    name = rater_name(rater)
    review.check_rater(name)
    if not review.pending(name):
        say(f"nothing in the queue for {name}; ragauge review stats {run}")
        return
    if getattr(sys, "stdin", None) is None:  # it is closed
        raise click.UsageError(
            "standard input is closed; label in a terminal, or with ragauge review serve"
        )
    keys = Keys(is_terminal=sys.stdin.isatty())
    session = Session(review, name, keys, console(sys.stdout))
    try:
        session.run()
    except KeyboardInterrupt:
        say(f"interrupted; {counted(len(session.history), 'label')} saved")
        raise click.exceptions.Exit(INTERRUPTED) from None


@declare("serve", command)
def serve_command(
    run: Path,
    *,
    queue: QueueOptions,
    rater: str | None = RATER,
    settle: bool = SETTLE,
    host: str = option("Address to serve on.", default="127.0.0.1"),
    port: int = option("Port.  [default: a free one]", default=0, min=0, max=65535),
    token: str | None = option(
        "Secret that reviewers need.  [default: none on this machine, a random one on other addresses]"
    ),
    no_browser: bool = option("Print the address only."),
) -> None:
    """Label answers in the browser, one after another; the report opens when nothing is left for you.

    Only this machine can reach the server. With --host ADDRESS, reviewers on other machines can, with the
    token that is printed as a part of the address; the connection is not encrypted. Stop it with Ctrl-C.
    """
    from ragauge.cli.commands.view import serve_until_stopped
    from ragauge.web.guard import LOOPBACK
    from ragauge.web.server import serving
    from ragauge.web.sites import ReviewSite

    site = ReviewSite(queue.review(run, settle=settle), rater_name(rater))
    site.review.check_rater(site.rater)
    site.review.labels()  # a damaged file is said now, and not to the first reviewer
    if token is None and host not in LOOPBACK:
        token = secrets.token_urlsafe(24)
    with serving(site, host, port, token=token) as server:
        if host not in LOOPBACK:
            say("reachable from other machines, not encrypted: use it in a network that you trust")
        serve_until_stopped(server.url, opens=not no_browser)


@declare("export", command)
def export_command(
    run: Path,
    *,
    queue: QueueOptions,
    output: Path = option("File to write, as in queue.jsonl.", "-o", "--output", required=True),
    rater: str | None = option("Only what this person can label.", metavar="NAME"),
    with_scores: bool = option("Add the automatic scores; the labels are then not blind."),
) -> None:
    """Write the answers that need a label as JSON lines.

    Fill in `value` (match, contradict or unsure), `rater` and `note`, and read the file back with
    `ragauge review import`.
    """
    from ragauge.people.review_exchange import export_queue

    if output.suffix.lower() not in (".jsonl", ".ndjson"):
        raise PlanError(f"{output}: the queue is JSON lines; choose a name that ends in .jsonl")
    if problems := inside_runs([output], [run]):
        raise PlanError(problems)
    n = export_queue(queue.review(run), output, rater=rater, with_verdicts=with_scores)
    say(f"wrote {counted(n, 'answer')} to {output}")


@declare("import", command)
def import_command(
    run: Path,
    file: Path,
    *,
    rater: str | None = option("Who gave the labels of lines that name nobody.", metavar="NAME"),
    about: str | None = ABOUT,
    seed: int | None = SEED,
    plugins: tuple[Path, ...] = PLUGINS,
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


@declare("stats", command)
def stats_command(run: Path, *, queue: QueueOptions, writing: OutputOptions) -> None:
    """Say what is labelled, how far people agree, and how the automatic verdicts compare."""
    from ragauge.people.review_stats import review_stats, stats_report

    targets = writing.targets([run])
    stats = review_stats(queue.review(run).queue)
    write_report(stats_report(stats), targets)


@declare("questions", command)
def questions_command(
    questions: Path,
    documents: tuple[Path, ...] = argument(),
    *,
    labels: Path | None = option(
        "File of the labels.  [default: QUESTIONS with .labels before its ending]"
    ),
    n_sample: int = option("Number of questions drawn at random.", "--sample", default=50, min=1),
    rater: str | None = RATER,
    seed: int = option("", default=0, min=0),
    writing: OutputOptions,
) -> None:
    """Say of a random sample of QUESTIONS whether each is answerable, correct and natural.

    Keys: y yes, n no, u unsure, Enter next question, z one back, q quit. Without a terminal the keys are read from
    standard input, one a line. Shown are the passages in the DOCUMENTS, or without these the sentences that the
    file names. At the end, or with nothing left, the report says how many questions hold up, with an interval;
    `ragauge questions check --labels` says it too.
    """
    from ragauge.cli.sessions import Keys, ask_about
    from ragauge.questions.evidence import PassageIndex, documents_of
    from ragauge.questions.loading import read_questions
    from ragauge.questions.people import labels_beside, people_report, read_labels, sampled
    from ragauge.storage.atomic_files import misplaced

    targets = writing.targets([questions, *documents])
    name = rater_name(rater)
    place = labels or labels_beside(questions)
    if problems := [*rater_problems(name), *misplaced([place], [questions, *documents])]:
        raise PlanError(problems)
    read, _ = read_questions(questions)
    known = read_labels(place) if os.path.lexists(place) else []
    index = PassageIndex(documents_of(list(documents))) if documents else None
    stdin = getattr(sys, "stdin", None)
    if stdin is not None:
        keys = Keys(is_terminal=stdin.isatty())
        known += ask_about(sampled(read, n_sample, seed), known, name, place, keys, index)
    write_report(people_report(read, known), targets)
