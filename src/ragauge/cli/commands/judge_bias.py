"""Measure what changes a judge's verdicts besides the answer."""

from contextlib import closing
from pathlib import Path

from ragauge.cli.declare import declare, group, option
from ragauge.cli.options import JudgeOptions, pair, pairs_once
from ragauge.cli.output import OutputOptions, cache_path, write_report
from ragauge.cli.progress import print_estimate
from ragauge.cli.streams import say
from ragauge.errors import PlanError

DEFAULT = {"answer_class": "references", "faithfulness": "contexts"}
"""The metrics that are tested, with the field that each needs."""


@declare("judge-bias")
def command(
    data: Path,
    *,
    judging: JudgeOptions = group(judges={"required": True}),
    metrics: tuple[str, ...] = option(
        f"Judged metric to test. Repeatable.  [default: {', '.join(DEFAULT)}]", "-m", "--metric"
    ),
    labels: Path | None = option(
        "People's labels: length bias is then measured among answers with equal labels."
    ),
    yes: tuple[str, ...] = option("Label that means yes.", metavar="WORD"),
    n_questions: int = option(
        "Random questions to use, with all their answers.", "--questions", default=50, min=2
    ),
    repeat: int = option("Ask each question K times.", default=3, min=1, metavar="K"),
    mapping: tuple[tuple[str, str], ...] = option(
        "Read COLUMN of DATA as FIELD. Repeatable.", "--map", type=pair("FIELD=COLUMN")
    ),
    cache: str | None = option(
        "Cache of replies, or 'none'.  [default: ragauge-runs/cache.sqlite]", metavar="FILE"
    ),
    seed: int = option("", default=0, min=0),
    writing: OutputOptions,
    dry_run: bool = option("Show the number of calls and the cost, then stop."),
) -> None:
    """Measure on your own answers what changes a judge's verdicts besides the answer.

    Self-consistency: each question is asked K times. Order of contexts: asked again with the contexts
    reversed. Length: longer answers against shorter ones that are equally good. Order of answers: the
    answers of two systems are compared in both orders. Limits on cost and calls hold for each of the
    three rounds of calls.
    """
    from ragauge.evaluation.judge_bias import judge_bias, judge_bias_cost
    from ragauge.judges.config import JudgeConfig
    from ragauge.loaders.loading import load
    from ragauge.people.judge_effects import judge_bias_report

    targets = writing.targets([data])
    config = JudgeConfig.read(judging.table())
    samples = load(data, map=pairs_once(mapping, "field"))
    say(*samples.notes)
    usable = [name for name, field in DEFAULT.items() if field in samples.columns]
    chosen = [*metrics] or usable
    if not chosen:
        raise PlanError("the answers have neither references nor contexts; choose a metric with -m")
    drawn, path = {"n_questions": n_questions, "repeat": repeat, "seed": seed}, cache_path(cache)
    if dry_run:
        print_estimate(judge_bias_cost(samples, chosen, judge=config, cache=path, **drawn), config)
        return
    with closing(config):
        found = judge_bias(
            samples, chosen, judge=config, labels=labels, yes=yes, cache=path, **drawn
        )
    write_report(judge_bias_report(found), targets)
