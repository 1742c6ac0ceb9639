"""How far metrics agree with people: the report of `ragauge calibrate`, and every figure as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import cast

from ragauge.people.calibrate import Calibration
from ragauge.people.calibration_words import (
    METRIC_WIDTH,
    SYSTEMS_SHOWN,
    agreement_in_words,
    beside_people,
    misreported,
    rate_notes,
    short,
    shown_estimate,
    table_in_words,
)
from ragauge.people.metric_agreement import MetricAgreement, VerdictQuality
from ragauge.people.system_rates import SystemRates
from ragauge.report.plain import counted, show_command
from ragauge.report.report import Items, Report, Table
from ragauge.runs.numbers import DASH

METRICS_SHOWN, WORST_SHOWN, NOTES_SHOWN = 8, 3, 5
KINDS = {"binary": "yes or no", "graded": "grades", "preference": "preferences"}
HEADERS = {
    "binary": ("metric", "AUROC", "bal. accuracy", "best, held out", "kappa", "n"),
    "graded": ("metric", "Spearman", "Kendall tau-b", "n"),
    "preference": ("metric", "agrees with preference", "n"),
}
GIVES_WAY = {"binary": (3, 2, 4), "graded": (2,), "preference": ()}
"""The columns that a narrow terminal leaves out, in order."""
NOT_RANDOM = (
    "the labelled answers score differently from the others, so they are no random sample: "
    "trust the rates by its errors, not the corrected ones"
)


def calibration_report(
    found: Calibration,
    chosen: str | None = None,
    labels_path: Path | None = None,
    label_options: Sequence[str] = (),
    n_worst: int = WORST_SHOWN,
) -> Report:
    """What people read first about a calibration; CSV has every figure of each metric, JSON also rates and disagreements.

    `chosen` names the metric whose rates and disagreements are shown; the best one by default.
    `labels_path` is the file of labels, and `label_options` the options with which it was read, for the
    commands to type next.
    """
    shown = found.best if chosen is None else found.metric(chosen)
    frame, labels = found.frame, found.labels
    what = "pair" if labels.kind == "preference" else "answer"
    n = labels.frame.select("id", "system", "other").unique().height
    title = (
        f"{Path(labels.source).name} · {counted(labels.frame.height, 'label')} "
        f"({KINDS[labels.kind]}) of {counted(len(labels.raters), 'rater')} on {counted(n, what)} "
        f"to {counted(labels.frame['id'].n_unique(), 'question')}"
    )
    tables = [_agreement_table(found, shown)]
    worst: list[tuple[str, str]] = []
    ceiling = rates = None
    if shown is None or shown.why_not:
        first = shown or found.metrics[0]
        headline = f"No figure of agreement: {_name(first)}: {first.why_not}."
        shown = None
    else:
        label = shown.metric.metric
        ceiling, rates = found.ceiling(label), found.rates(label)
        figure = "Spearman" if found.kind == "graded" else "kappa"
        words = f"{agreement_in_words(shown)}{beside_people(ceiling, figure)}."
        headline = f"{_name(shown)} {words}{misreported(rates)}"
        tables += [_rate_table(shown, rates)] if rates.systems else []
        worst = list(_worst(found, shown, n_worst))
    notes = tuple(dict.fromkeys(_notes(found, shown, rates)))
    commands: list[str] = []
    if (place := found.run.place) is not None:
        commands += [show_command(place, id) for _, id in worst[:1]]
        if labels_path is not None and found.kind == "binary" and shown is not None:
            metric = f" -m {quote(shown.name)}" if chosen else ""
            files = f"{quote(str(labels_path))} {quote(place)}"
            options = "".join(f" {quote(option)}" for option in label_options)
            commands.append(f"ragauge label-plan {files}{metric}{options}")
    people = None if found.raters is None else asdict(found.raters)
    return Report(
        headline,
        title,
        tables=[table for table in tables if table.rows],
        notes=notes,
        items=(Items("they differ most", worst),) if worst else (),
        commands=commands,
        records=lambda: (frame.columns, frame.iter_rows()),
        data=lambda: {
            "headline": headline,
            "labels": {
                "source": labels.source,
                "kind": found.kind,
                "n": labels.frame.height,
                "raters": list(labels.raters),
            },
            "seed": found.seed,
            "metrics": found.frame.to_dicts(),
            "people": people and {name: people[name] for name in people if name != "notes"},
            "ceiling": ceiling and asdict(ceiling),
            **_data_of_metrics(found),
            "notes": list(notes),
        },
        notes_shown=NOTES_SHOWN,
    )


def _name(agreement: MetricAgreement) -> str:
    return short(agreement.name, METRIC_WIDTH)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], gives_way: Sequence[int]) -> Table:
    return Table(header, rows, gives_way=[(at,) for at in gives_way], gap=2)


def _agreement_table(found: Calibration, shown: MetricAgreement | None) -> Table:
    """The figures of each metric, and below them those of people."""
    metrics = [each for each in found.metrics if not each.why_not][:METRICS_SHOWN]
    if shown is not None and not shown.why_not and shown not in metrics:
        metrics = [*metrics[:-1], shown]
    header = HEADERS[found.kind]
    rows = [_agreement_row(each) for each in metrics]
    raters = found.raters
    if raters is not None and raters.between is not None:
        middle = [DASH] * (len(header) - 2)
        kappa = "kappa " if found.kind == "preference" else ""
        middle[-1 if found.kind == "binary" else 0] = kappa + shown_estimate(raters.between)
        rows.append(("two people", *middle, f"{raters.n:,}"))
    return _table(header, rows, GIVES_WAY[found.kind])


def _agreement_row(agreement: MetricAgreement) -> tuple[str, ...]:
    name = _name(agreement) + (" ↓" if agreement.metric.lower_is_better else "")
    figures = [shown_estimate(agreement.main)]
    if agreement.auroc is not None:
        quality = agreement.at_set or agreement.at_best
        figures += [
            _at(agreement.at_set, agreement.set_threshold),
            _at(agreement.at_best, agreement.best_threshold),
            shown_estimate(None if quality is None else quality.kappa),
        ]
    elif agreement.spearman is not None:
        figures.append(shown_estimate(agreement.kendall))
    return (name, *figures, f"{agreement.n:,}")


def _at(quality: VerdictQuality | None, threshold: float | None) -> str:
    """Balanced accuracy and the threshold it is for."""
    if quality is None or quality.balanced_accuracy is None or threshold is None:
        return DASH
    return f"{quality.balanced_accuracy.value:.2f} at {threshold:.3g}"


def _rate_table(shown: MetricAgreement, rates: SystemRates) -> Table:
    """Each system's rate, as the metric reports it and corrected."""
    rows: list[Sequence[str]] = []
    for rate in rates.systems[:SYSTEMS_SHOWN]:
        corrected, labels = shown_estimate(rate.corrected), f"{rate.n_labels:,}/{rate.n_rows:,}"
        if rates.threshold is None:
            figures = (corrected, shown_estimate(rate.labels_alone))
        else:
            mark = "*" if rate.from_errors and not rate.own_errors else ""
            by_errors = f"{shown_estimate(rate.from_errors)}{mark}"
            figures = (shown_estimate(rate.reported), corrected, by_errors)
        rows.append((short(rate.system), *figures, labels))
    if rates.threshold is None:
        return _table(("mean grade", "corrected", "labels alone", "labels"), rows, (2, 3))
    sign = "≤" if shown.metric.lower_is_better else "≥"
    name = f"{_name(shown)} {sign} {rates.threshold:.3g}"
    return _table((name, "reported", "corrected", "by its errors", "labels"), rows, (3, 4))


def _notes(
    found: Calibration, shown: MetricAgreement | None, rates: SystemRates | None
) -> Iterator[str]:
    """How to read the tables, and what does not count."""
    # First, since a terminal shows only some: an option had no effect.
    yield from (note for note in found.notes if note.startswith("--"))
    if shown is not None and (quality := shown.at_set or shown.at_best) is not None:
        yield f"{_name(shown)} {table_in_words(shown, quality)}"
    if found.raters is not None and (alpha := found.raters.alpha):
        levels = ", ".join(f"{shown_estimate(value)} ({level})" for level, value in alpha.items())
        raters = counted(len(found.raters.n_labels), "rater")
        yield f"Krippendorff's alpha of {raters}: {levels}"
    if rates is not None:
        yield from [] if rates.is_random else [NOT_RANDOM]
        yield from rate_notes(rates)
    for each in found.metrics:
        yield from (f"{_name(each)}: {note}" for note in each.notes)
        if each.scores.n_tied and each is shown:
            is_pair = found.kind == "preference"
            n_tied = counted(each.scores.n_tied, "pair" if is_pair else "answer")
            yield f"no majority on {n_tied}; left out{'' if is_pair else ', half a yes in the rates'}"
        if each.why_not:
            yield f"{_name(each)}: no figure: {each.why_not}"
    n_more = sum(not each.why_not for each in found.metrics) - METRICS_SHOWN
    if n_more > 0:
        yield f"not shown: {counted(n_more, 'metric')} more"
    yield from found.notes


def _worst(found: Calibration, shown: MetricAgreement, n: int) -> Iterator[tuple[str, str]]:
    """The answers on which the metric and people differ most, each with its id."""
    for row in found.disagreements(shown.metric.metric, n).iter_rows(named=True):
        system, value = short(row["system"]), f"{_name(shown)} {row['value']:.2f}"
        if found.kind == "preference":
            text = f"people prefer {system} to {short(row['other'])}, {value}"
        else:
            people = cast(float, row["people"])
            said = f"{people:g}" if found.kind == "graded" else "yes" if people > 0.5 else "no"
            text = f"{system}: people {said}, {value}"
        yield text, row["id"]


def _data_of_metrics(found: Calibration) -> dict[str, object]:
    """The rates and the disagreements of each metric with figures."""
    with_figures = [each for each in found.metrics if not each.why_not]
    rates = {
        each.name: found.rates(each.metric.metric)
        for each in with_figures
        if found.kind != "preference"
    }
    return {
        "rates": {
            name: {
                "threshold": each.threshold,
                "correlation": each.correlation,
                "labels_look_random": each.is_random,
                "systems": [asdict(system) for system in each.systems],
            }
            for name, each in rates.items()
        },
        "disagreements": {
            each.name: found.disagreements(each.metric.metric, 100).to_dicts()
            for each in with_figures
        },
    }
