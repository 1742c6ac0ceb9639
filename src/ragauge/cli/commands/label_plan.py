"""Say how many labels an interval of a wanted width needs."""

from pathlib import Path

import click

from ragauge.cli.declare import FiniteRange, declare, option
from ragauge.cli.options import PLUGINS, LabelOptions, import_plugins
from ragauge.cli.output import OutputOptions, write_report
from ragauge.errors import PlanError

SHARE = FiniteRange(0, 1, min_open=True, max_open=True)
MARGINS = (0.02, 0.03, 0.05, 0.1)
ASSUMED = ("rate", "sensitivity", "specificity", "correlation", "rows")


@declare("label-plan")
def command(
    labels: Path | None = None,
    run: Path | None = None,
    *,
    metric: str | None = option(
        "Metric of the run that helps.  [default: the best one]", "-m", "--metric"
    ),
    margins: tuple[float, ...] = option(
        "Half of the interval's width. Repeatable.  [default: 0.02, 0.03, 0.05, 0.1]",
        "--within",
        type=SHARE,
        metavar="MARGIN",
    ),
    rate: float | None = option("Expected rate of yes.  [default: 0.5]", type=SHARE),
    sensitivity: float | None = option(
        "Share of people's yes that the metric finds.", min=0, max=1
    ),
    specificity: float | None = option("Share of people's no that the metric finds.", min=0, max=1),
    correlation: float | None = option("Correlation of the metric with the labels.", min=0, max=1),
    rows: int | None = option("Answers that the metric scores.", min=2),
    reading: LabelOptions,
    writing: OutputOptions,
    as_json: bool = option("Same as -f json.", "--json"),
    plugins: tuple[Path, ...] = PLUGINS,
) -> None:
    """Say how many labels an interval of a wanted width needs, with and without a metric.

    With LABELS and RUN, the quality of the metric and the rates are measured on the labels that you
    have; without them, assumed.

    \b
    ragauge label-plan --rate 0.7 --sensitivity 0.9 --specificity 0.8 --rows 1000
    ragauge label-plan labels.csv RUN --within 0.05
    """
    from ragauge.people.calibration import label_plan_report
    from ragauge.stats.corrected_rates import correlation_of, labels_needed

    targets = (
        OutputOptions("json", ()).targets()
        if as_json
        else writing.targets([each for each in (labels, run) if each is not None])
    )
    margins = margins or MARGINS
    if labels is None:
        expected = 0.5 if rate is None else rate
        if (sensitivity is None) != (specificity is None):
            raise click.UsageError("--sensitivity and --specificity belong together; give both")
        if sensitivity is not None and specificity is not None:
            if correlation is not None:
                raise click.UsageError("give --correlation, or --sensitivity and --specificity")
            correlation = max(correlation_of(expected, sensitivity, specificity), 0.0)
        assumed = {"rate": expected, "correlation": correlation or 0.0}
        needs = [labels_needed(each, **assumed, n_rows=rows) for each in margins]
        write_report(label_plan_report({"": needs}, None, assumed["correlation"]), targets)
        return
    if run is None:
        raise click.UsageError("LABELS needs the RUN that they belong to")
    values = (rate, sensitivity, specificity, correlation, rows)
    names = [f"--{name}" for name, value in zip(ASSUMED, values, strict=True) if value is not None]
    if names:
        what = "and LABELS RUN exclude each other: with labels these are measured"
        raise click.UsageError(f"{', '.join(names)} {what}")
    from ragauge.people.calibrate import calibrate
    from ragauge.runs.store import RunFolder

    import_plugins(plugins)
    found = calibrate(
        RunFolder.at(run).read(),
        str(labels),
        metrics=() if metric is None else (metric,),
        **reading.reading(),
    )
    if (best := found.best) is None:
        first = found.metrics[0]
        raise PlanError(f"{first.name} has no figure of agreement: {first.why_not}")
    label = best.metric.metric
    plan, correlation = found.label_plan(label, margins), found.rates(label).correlation
    write_report(label_plan_report(plan, best.name, correlation), targets)
