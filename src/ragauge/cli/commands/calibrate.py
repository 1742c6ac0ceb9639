"""Compare metrics and judges with people's labels; correct the rates they report."""

from pathlib import Path

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.options import PLUGINS, THRESHOLDS, LabelOptions, import_plugins, thresholds_of
from ragauge.cli.output import OutputOptions, write_report
from ragauge.loaders.labels import Kind
from ragauge.storage.regular_file import is_file


@declare("calibrate")
def command(
    labels: Path,
    run: Path | None = None,
    *,
    metrics: tuple[str, ...] = option(
        "Compare only this metric; the first one's rates are shown. Repeatable.", "-m", "--metric"
    ),
    thresholds: tuple[tuple[str, str], ...] = THRESHOLDS,
    reading: LabelOptions,
    sample_only: bool = option("Of the run's own labels, use only those of its random sample."),
    cluster: str | None = option(
        "Field of the answers whose values are drawn together in intervals: questions about one document.",
        metavar="FIELD",
    ),
    kind: Kind | None = option("Kind of labels.  [default: recognised]"),
    writing: OutputOptions,
    n_worst: int = option("Number of disagreements to list.", "-n", default=3, min=0),
    plugins: tuple[Path, ...] = PLUGINS,
    seed: int | None = option("Random seed.  [default: that of the run]", min=0),
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
    from ragauge.runs.manifest import LABELS
    from ragauge.runs.store import RunFolder

    if run is None and is_file(labels):
        raise click.UsageError(
            f"RUN is missing: {labels} is a file, and no run of which it has labels"
        )
    targets = writing.targets([labels, *([run] if run is not None else [])], prints=True)
    import_plugins(plugins)
    found = calibrate(
        RunFolder.at(labels if run is None else run).read(),
        None if run is None else str(labels),
        metrics=metrics,
        thresholds=thresholds_of(thresholds),
        sample_only=sample_only,
        cluster=cluster,
        kind=kind,
        seed=seed,
        **reading.reading(),
    )
    report = calibration_report(
        found,
        metrics[0] if metrics else None,
        labels / LABELS if run is None else labels,
        reading.typed_again(),
        n_worst,
    )
    write_report(report, targets)
