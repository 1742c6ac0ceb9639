"""`ragauge calibrate`."""

from collections.abc import Sequence
from pathlib import Path

import click

from ragauge.cli.options import LabelOptions, Pair, label_options, pairs_once
from ragauge.cli.output import OutputOptions, output_options, write_report
from ragauge.cli.plugin_option import import_plugins, plugin_option
from ragauge.loaders.verdicts import KINDS
from ragauge.storage.regular_file import is_file


@click.command("calibrate", short_help="Compare metrics and judges with people's labels.")
@click.argument("labels", type=click.Path(path_type=Path))
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    help="Compare only this metric; the first one's rates are shown. Repeatable.",
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    type=Pair("METRIC=VALUE"),
    help="Value from which a metric's verdict is yes.  [default: the middle of its scale]",
)
@label_options
@click.option(
    "--sample-only",
    is_flag=True,
    help="Of the run's own labels, use only those of its random sample.",
)
@click.option(
    "--cluster",
    metavar="FIELD",
    help="Field of the answers whose values are drawn together in intervals: questions about one document.",
)
@click.option("--kind", type=click.Choice(KINDS), help="Kind of labels.  [default: recognised]")
@output_options
@click.option(
    "-n",
    "n_worst",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Number of disagreements to list.",
)
@plugin_option
@click.option("--seed", type=click.IntRange(min=0), help="Random seed.  [default: that of the run]")
def command(
    labels: Path,
    run: Path | None,
    metrics: tuple[str, ...],
    thresholds: tuple[tuple[str, str], ...],
    reading: LabelOptions,
    sample_only: bool,
    cluster: str | None,
    kind: str | None,
    writing: OutputOptions,
    n_worst: int,
    plugins: tuple[Path, ...],
    seed: int | None,
) -> None:
    """Compare a run's metrics and judges with people's labels, and correct the rates they report.

    LABELS is a file (.csv .tsv .json .jsonl .parquet) with a row for each label: id (or question), system,
    rater, and the label: yes/no, correct/incorrect, pass/fail, a grade, or for preferences system_a, system_b and
    the preferred one; or the name of a field of the answers that holds their labels. RUN is the folder of
    a run. Without LABELS, the labels that `ragauge review` stored in the run.

    \b
    ragauge calibrate labels.csv ragauge-runs/answers-rag-1a2b3c4d
    ragauge calibrate labels.csv RUN -m correct --yes "Correct Answer"
    ragauge calibrate RUN
    """
    from ragauge.people.calibrate import calibrate
    from ragauge.people.calibration import calibration_report
    from ragauge.runs.file_names import LABELS
    from ragauge.runs.store import RunFolder

    if run is None and is_file(labels):
        raise click.UsageError(
            f"RUN is missing: {labels} is a file, and no run of which it has labels"
        )
    targets = list(writing.targets([labels]))
    import_plugins(plugins)
    stored = RunFolder.at(labels if run is None else run).read()
    given = None if run is None else labels
    found = calibrate(
        stored,
        None if given is None else str(given),
        metrics=metrics,
        thresholds=read_thresholds(thresholds),
        sample_only=sample_only,
        cluster=cluster,
        kind=next((each for each in KINDS if each == kind), None),
        seed=seed,
        **reading.reading(),
    )
    report = calibration_report(
        found,
        metrics[0] if metrics else None,
        given if run is not None else labels / LABELS,
        reading.typed_again(),
        n_worst,
    )
    if all(path is not None for _, path in targets):
        targets.append(("table", None))
    write_report(report, targets)


def read_thresholds(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The threshold of each metric; UsageError for one that is no number."""
    found: dict[str, float] = {}
    for name, value in pairs_once(pairs, "metric").items():
        try:
            found[name] = float(value)
        except ValueError:
            raise click.UsageError(f"--threshold {name}: {value!r} is not a number") from None
    return found
