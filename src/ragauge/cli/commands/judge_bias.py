"""`ragauge judge-bias`."""

from pathlib import Path
from typing import TypedDict

import click

from ragauge.cli.folders import cache_path
from ragauge.cli.options import JudgeOptions, Pair, judge_options, pairs_once
from ragauge.cli.outcome import print_estimate
from ragauge.cli.output import OutputOptions, output_options, write_report
from ragauge.cli.streams import say
from ragauge.errors import PlanError

DEFAULT = ("answer_class", "faithfulness")


class Drawn(TypedDict):
    """Which questions are asked, and how often."""

    n_questions: int
    repeat: int
    seed: int


@click.command("judge-bias", short_help="Measure a judge's position, length and consistency bias.")
@click.argument("data", type=click.Path(path_type=Path))
@judge_options(required=True)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    help=f"Judged metric to test. Repeatable.  [default: {', '.join(DEFAULT)}]",
)
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    help="People's labels: length bias is then measured among answers with equal labels.",
)
@click.option("--yes", multiple=True, metavar="WORD", help="Label that means yes.")
@click.option(
    "--questions",
    "n_questions",
    type=click.IntRange(min=2),
    default=50,
    show_default=True,
    help="Random questions to use, with all their answers.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Ask each question K times.",
    metavar="K",
)
@click.option(
    "--map",
    "mapping",
    multiple=True,
    type=Pair("FIELD=COLUMN"),
    help="Read COLUMN of DATA as FIELD. Repeatable.",
)
@click.option(
    "--cache",
    metavar="FILE",
    help="Cache of replies, or 'none'.  [default: ragauge-runs/cache.sqlite]",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@output_options
@click.option("--dry-run", is_flag=True, help="Show the number of calls and the cost, then stop.")
def command(
    data: Path,
    judging: JudgeOptions,
    metrics: tuple[str, ...],
    labels: Path | None,
    yes: tuple[str, ...],
    n_questions: int,
    repeat: int,
    mapping: tuple[tuple[str, str], ...],
    cache: str | None,
    seed: int,
    writing: OutputOptions,
    dry_run: bool,
) -> None:
    """Measure on your own answers what changes a judge's verdicts besides the answer.

    Self-consistency: each question is asked K times. Order of contexts: asked again with the contexts
    reversed. Length: longer answers against shorter ones that are equally good. Order of answers: the
    answers of two systems are compared in both orders. Limits on cost and calls hold for each of the
    three rounds of calls.
    """
    from ragauge.evaluation.judge_bias import judge_bias, judge_bias_cost
    from ragauge.judges.config import JudgeConfig
    from ragauge.loaders import load
    from ragauge.people.judge_bias_words import judge_bias_report

    targets = writing.targets([data])
    config = JudgeConfig.read(judging.table())
    samples = load(data, map=pairs_once(mapping, "field"))
    for note in samples.notes:
        say(note)
    chosen = list(metrics or _usable(samples.columns))
    drawn = Drawn(n_questions=n_questions, repeat=repeat, seed=seed)
    if dry_run:
        cost = judge_bias_cost(samples, chosen, judge=config, cache=cache_path(cache), **drawn)
        print_estimate(cost, config)
        return
    try:
        found = judge_bias(
            samples,
            chosen,
            judge=config,
            labels=labels,
            yes=yes,
            cache=cache_path(cache),
            **drawn,
        )
    finally:
        config.close()
    write_report(judge_bias_report(found), targets)


def _usable(columns: tuple[str, ...]) -> list[str]:
    """The default metrics whose columns are there; PlanError if none is."""
    needed = {"answer_class": "references", "faithfulness": "contexts"}
    found = [name for name in DEFAULT if needed[name] in columns]
    if not found:
        raise PlanError(
            ["the answers have neither references nor contexts; choose a metric with -m"]
        )
    return found
