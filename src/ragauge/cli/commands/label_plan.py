"""`ragauge label-plan`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragauge.cli.declare import FiniteRange, declare, option
from ragauge.cli.options import PLUGINS, LabelOptions, import_plugins
from ragauge.cli.output import OutputOptions, write_report
from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.report.report import Report

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
    targets = OutputOptions("json", ()).targets() if as_json else writing.targets()
    assumed = dict(zip(ASSUMED, (rate, sensitivity, specificity, correlation, rows), strict=True))
    given = [name for name, value in assumed.items() if value is not None]
    margins = margins or MARGINS
    if labels is None:
        report = _assumed_plan(margins, rate, sensitivity, specificity, correlation, rows)
    elif run is None:
        raise click.UsageError("LABELS needs the RUN that they belong to")
    elif given:
        raise click.UsageError(
            f"{', '.join(f'--{name}' for name in given)} and LABELS RUN exclude each other: "
            "with labels these are measured"
        )
    else:
        import_plugins(plugins)
        report = _measured_plan(labels, run, metric, margins, reading)
    write_report(report, targets)


def _assumed_plan(
    margins: tuple[float, ...],
    rate: float | None,
    sensitivity: float | None,
    specificity: float | None,
    correlation: float | None,
    rows: int | None,
) -> "Report":
    from ragauge.people.calibration import label_plan_report
    from ragauge.stats.label_plan import correlation_of, labels_needed

    rate = 0.5 if rate is None else rate
    if (sensitivity is None) != (specificity is None):
        raise click.UsageError("--sensitivity and --specificity belong together; give both")
    if sensitivity is not None and specificity is not None:
        if correlation is not None:
            raise click.UsageError("give --correlation, or --sensitivity and --specificity")
        correlation = max(correlation_of(rate, sensitivity, specificity), 0.0)
    correlation = correlation or 0.0
    needs = tuple(
        labels_needed(margin, rate=rate, correlation=correlation, n_rows=rows) for margin in margins
    )
    return label_plan_report({"": needs}, None, correlation)


def _measured_plan(
    labels: Path,
    run: Path,
    metric: str | None,
    margins: tuple[float, ...],
    reading: LabelOptions,
) -> "Report":
    from ragauge.people.calibrate import calibrate
    from ragauge.people.calibration import label_plan_report
    from ragauge.runs.store import RunFolder

    found = calibrate(
        RunFolder.at(run).read(),
        str(labels),
        metrics=() if metric is None else (metric,),
        **reading.reading(),
    )
    best = found.best
    if best is None:
        first = found.metrics[0]
        raise PlanError([f"{first.name} has no figure of agreement: {first.why_not}"])
    name = best.metric.metric
    correlation = found.rates(name).correlation
    return label_plan_report(found.label_plan(name, margins), best.name, correlation)
