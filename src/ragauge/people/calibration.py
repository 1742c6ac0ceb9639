"""How far metrics agree with people: the report of `ragauge calibrate`, and every figure as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import cast

from ragauge.people.calibrate import Calibration
from ragauge.people.calibration_words import (
    METRIC_WIDTH,
    agreement_in_words,
    beside_people,
    misreported,
    rate_notes,
    short,
    shown_estimate,
    table_in_words,
)
from ragauge.people.metric_agreement import MetricAgreement, VerdictQuality
from ragauge.people.rater_agreement import Ceiling
from ragauge.people.system_rates import SystemRate, SystemRates
from ragauge.report.commands import show_command
from ragauge.report.plain import counted
from ragauge.report.report import Items, Report, Table
from ragauge.runs.numbers import DASH

METRICS_SHOWN, SYSTEMS_SHOWN, WORST_SHOWN, NOTES_SHOWN = 8, 5, 3, 5
NOT_RANDOM = (
    "the labelled answers score differently from the others, so they are no random sample: "
    "trust the rates by its errors, not the corrected ones"
)


@dataclass(frozen=True)
class CalibrationScreen:
    """What people read first about a calibration. Every text is plain; the writers escape it.

    `chosen` names the metric whose rates and disagreements are shown; the best one by default.
    `labels_path` is the file of labels, and `label_options` the options with which it was read, for the
    commands to type next.
    """

    found: Calibration
    chosen: str | None = None
    labels_path: Path | None = None
    label_options: Sequence[str] = ()
    n_worst: int = WORST_SHOWN

    @cached_property
    def shown(self) -> MetricAgreement | None:
        """The metric whose rates and disagreements are shown; None if it has no figures."""
        if self.chosen is None:
            return self.found.best
        agreement = self.found.metric(self.chosen)
        return None if agreement.why_not else agreement

    @cached_property
    def ceiling(self) -> Ceiling | None:
        return None if self.shown is None else self.found.ceiling(self.shown.metric.metric)

    @cached_property
    def rates(self) -> SystemRates | None:
        return None if self.shown is None else self.found.rates(self.shown.metric.metric)

    @property
    def report(self) -> Report:
        """The first screen; CSV has every figure of each metric, JSON also the rates and disagreements."""
        frame = self.found.frame
        sections = (self.agreement, self.rate_section)
        return Report(
            self.headline,
            self.title,
            tables=[table for table in sections if table is not None and table.rows],
            notes=self.notes,
            items=(Items("they differ most", self.worst),) if self.worst else (),
            commands=self.commands,
            records=lambda: (frame.columns, frame.iter_rows()),
            data=lambda: calibration_data(self),
            notes_shown=NOTES_SHOWN,
        )

    @property
    def headline(self) -> str:
        """How far the shown metric agrees with people, and whether as well as people do."""
        if self.shown is None:
            first = self.found.metric(self.chosen) if self.chosen else self.found.metrics[0]
            return f"No figure of agreement: {short(first.name, METRIC_WIDTH)}: {first.why_not}."
        figure = "Spearman" if self.found.kind == "graded" else "kappa"
        words = f"{agreement_in_words(self.shown)}{beside_people(self.ceiling, figure)}."
        return f"{short(self.shown.name, METRIC_WIDTH)} {words}{misreported(self.rates)}"

    @property
    def title(self) -> str:
        """What was compared."""
        labels = self.found.labels
        n = labels.frame.select("id", "system", "other").unique().height
        n_questions = labels.frame["id"].n_unique()
        kind = {"binary": "yes or no", "graded": "grades", "preference": "preferences"}[labels.kind]
        what = "pair" if labels.kind == "preference" else "answer"
        return (
            f"{Path(labels.source).name} · {counted(labels.frame.height, 'label')} ({kind}) of "
            f"{counted(len(labels.raters), 'rater')} on {counted(n, what)} to "
            f"{counted(n_questions, 'question')}"
        )

    @cached_property
    def agreement(self) -> Table:
        """The figures of each metric, and below them those of people."""
        header = {
            "binary": (*("metric", "AUROC", "bal. accuracy", "best, held out", "kappa", "n"),),
            "graded": ("metric", "Spearman", "Kendall tau-b", "n"),
            "preference": ("metric", "agrees with preference", "n"),
        }[self.found.kind]
        metrics = [each for each in self.found.metrics if not each.why_not][:METRICS_SHOWN]
        if self.shown is not None and self.shown not in metrics:
            metrics = [*metrics[:-1], self.shown]
        rows = [_agreement_row(each) for each in metrics]
        rows += [row for row in [self._people_row(len(header))] if row]
        gives_way = {"binary": (3, 2, 4), "graded": (2,), "preference": ()}[self.found.kind]
        return _table(header, rows, gives_way)

    def _people_row(self, n_columns: int) -> tuple[str, ...]:
        raters = self.found.raters
        if raters is None or raters.between is None:
            return ()
        middle = [DASH] * (n_columns - 2)
        middle[-1 if self.found.kind == "binary" else 0] = shown_estimate(raters.between)
        if self.found.kind == "preference":
            middle[0] = f"kappa {middle[0]}"
        return ("two people", *middle, f"{raters.n:,}")

    @cached_property
    def rate_section(self) -> Table | None:
        """Each system's rate, as the metric reports it and corrected."""
        rates = self.rates
        if rates is None or not rates.systems or self.shown is None:
            return None
        rows = tuple(_rate_row(each) for each in rates.systems[:SYSTEMS_SHOWN])
        if rates.threshold is None:
            header = ("mean grade", "corrected", "labels alone", "labels")
            return _table(header, [(row[0], row[2], row[4], row[5]) for row in rows], (2, 3))
        sign = "≤" if self.shown.metric.lower_is_better else "≥"
        name = f"{short(self.shown.name, METRIC_WIDTH)} {sign} {rates.threshold:.3g}"
        header = (name, "reported", "corrected", "by its errors", "labels")
        return _table(header, [(*row[:4], row[5]) for row in rows], (3, 4))

    @cached_property
    def notes(self) -> Sequence[str]:
        """How to read the tables, and what does not count."""
        return tuple(dict.fromkeys(self._notes()))

    def _notes(self) -> Iterator[str]:
        # First, since a terminal shows only some: an option had no effect.
        yield from (note for note in self.found.notes if note.startswith("--"))
        if self.shown is not None and (quality := self._quality) is not None:
            yield f"{short(self.shown.name, METRIC_WIDTH)} {table_in_words(self.shown, quality)}"
        raters = self.found.raters
        if raters is not None and raters.alpha:
            levels = ", ".join(
                f"{shown_estimate(value)} ({level})" for level, value in raters.alpha.items()
            )
            yield f"Krippendorff's alpha of {counted(len(raters.n_labels), 'rater')}: {levels}"
        if self.rates is not None and not self.rates.is_random:
            yield NOT_RANDOM
        if self.rates is not None:
            yield from rate_notes(self.rates)
        for each in self.found.metrics:
            yield from (f"{short(each.name, METRIC_WIDTH)}: {note}" for note in each.notes)
            if each.scores.n_tied and each is self.shown:
                is_pair = self.found.kind == "preference"
                what = counted(each.scores.n_tied, "pair" if is_pair else "answer")
                yield f"no majority on {what}; left out{'' if is_pair else ', half a yes in the rates'}"
            if each.why_not:
                yield f"{short(each.name, METRIC_WIDTH)}: no figure: {each.why_not}"
        n_more = sum(not each.why_not for each in self.found.metrics) - METRICS_SHOWN
        if n_more > 0:
            yield f"not shown: {counted(n_more, 'metric')} more"
        yield from self.found.notes

    @property
    def _quality(self) -> VerdictQuality | None:
        return None if self.shown is None else self.shown.at_set or self.shown.at_best

    @cached_property
    def worst(self) -> Sequence[tuple[str, str]]:
        """The answers on which the metric and people differ most, each with its id."""
        if self.shown is None:
            return ()
        rows = self.found.disagreements(self.shown.metric.metric, self.n_worst)
        name = short(self.shown.name, METRIC_WIDTH)
        found: list[tuple[str, str]] = []
        for row in rows.iter_rows(named=True):
            system = short(cast(str, row["system"]))
            value = f"{cast(float, row['value']):.2f}"
            if self.found.kind == "preference":
                text = f"people prefer {system} to {short(cast(str, row['other']))}, {name} {value}"
            else:
                people = cast(float, row["people"])
                said = f"{people:g}" if self.found.kind == "graded" else _yes_no(people > 0.5)
                text = f"{system}: people {said}, {name} {value}"
            found.append((text, cast(str, row["id"])))
        return found

    @property
    def commands(self) -> Sequence[str]:
        """What to type next."""
        place = self.found.run.place
        if place is None:
            return ()
        commands = [show_command(place, id) for _, id in self.worst[:1]]
        if self.labels_path is not None and self.found.kind == "binary" and self.shown is not None:
            metric = f" -m {quote(self.shown.name)}" if self.chosen else ""
            files = f"{quote(str(self.labels_path))} {quote(place)}"
            options = "".join(f" {quote(option)}" for option in self.label_options)
            commands.append(f"ragauge label-plan {files}{metric}{options}")
        return commands


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], gives_way: Sequence[int]) -> Table:
    """A table of one name and numbers; `gives_way` has the columns that a narrow terminal leaves out, in order."""
    return Table(header, rows, gives_way=[(at,) for at in gives_way], gap=2)


def _agreement_row(agreement: MetricAgreement) -> tuple[str, ...]:
    arrow = " ↓" if agreement.metric.lower_is_better else ""
    name = f"{short(agreement.name, METRIC_WIDTH)}{arrow}"
    n = f"{agreement.n:,}"
    if agreement.auroc is not None:
        quality = agreement.at_set or agreement.at_best
        return (
            name,
            shown_estimate(agreement.auroc),
            _at(agreement.at_set, agreement.set_threshold),
            _at(agreement.at_best, agreement.best_threshold),
            shown_estimate(None if quality is None else quality.kappa),
            n,
        )
    if agreement.spearman is not None:
        return name, shown_estimate(agreement.spearman), shown_estimate(agreement.kendall), n
    return name, shown_estimate(agreement.pairwise), n


def _at(quality: VerdictQuality | None, threshold: float | None) -> str:
    """Balanced accuracy and the threshold it is for."""
    if quality is None or quality.balanced_accuracy is None or threshold is None:
        return DASH
    return f"{quality.balanced_accuracy.value:.2f} at {threshold:.3g}"


def _rate_row(rate: SystemRate) -> tuple[str, ...]:
    return (
        short(rate.system),
        shown_estimate(rate.reported),
        shown_estimate(rate.corrected),
        shown_estimate(rate.from_errors) + ("" if rate.own_errors or not rate.from_errors else "*"),
        shown_estimate(rate.labels_alone),
        f"{rate.n_labels:,}/{rate.n_rows:,}",
    )


def _yes_no(is_yes: bool) -> str:
    return "yes" if is_yes else "no"


def calibration_data(screen: "CalibrationScreen") -> dict[str, object]:
    """Every figure with its interval, as JSON data."""
    found = screen.found
    return {
        "headline": screen.headline,
        "labels": {
            "source": found.labels.source,
            "kind": found.kind,
            "n": found.labels.frame.height,
            "raters": list(found.labels.raters),
        },
        "seed": found.seed,
        "metrics": found.frame.to_dicts(),
        "people": _people(found),
        "ceiling": None if screen.ceiling is None else asdict(screen.ceiling),
        "rates": {
            each.name: _rates(found.rates(each.metric.metric))
            for each in found.metrics
            if not each.why_not and found.kind != "preference"
        },
        "disagreements": {
            each.name: found.disagreements(each.metric.metric, 100).to_dicts()
            for each in found.metrics
            if not each.why_not
        },
        "notes": list(screen.notes),
    }


def _people(found: Calibration) -> Mapping[str, object] | None:
    raters = found.raters
    if raters is None:
        return None
    return {name: value for name, value in asdict(raters).items() if name != "notes"}


def _rates(rates: SystemRates) -> Mapping[str, object]:
    return {
        "threshold": rates.threshold,
        "correlation": rates.correlation,
        "labels_look_random": rates.is_random,
        "systems": [asdict(each) for each in rates.systems],
    }
