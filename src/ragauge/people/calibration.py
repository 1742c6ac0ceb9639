"""How far metrics agree with people, in words and tables: the reports of `ragauge calibrate` and `label-plan`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import cast

from ragauge.people.calibrate import Calibration
from ragauge.people.metric_agreement import MetricAgreement, SystemRates
from ragauge.people.rater_agreement import Ceiling
from ragauge.report.plain import counted, for_terminal, shortened, show_command
from ragauge.report.report import Items, Report, Table
from ragauge.runs.numbers import DASH
from ragauge.stats.corrected_rates import CorrectedRate, LabelNeed
from ragauge.stats.intervals import Estimate

METRICS_SHOWN, SYSTEMS_SHOWN, WORST_SHOWN, NOTES_SHOWN = 8, 5, 3, 5
NAME_WIDTH, METRIC_WIDTH = 20, 26
WORDS = ((0.9, "very well"), (0.8, "well"), (0.7, "fairly well"), (0.6, "weakly"))
"""How well an area under the ROC curve of at least this agrees with people."""
YES_NO = {True: "yes", False: "no"}
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
        for row in found.disagreements(label, n_worst).iter_rows(named=True):
            system, value = short(row["system"]), f"{_name(shown)} {row['value']:.2f}"
            if found.kind == "preference":
                text = f"people prefer {system} to {short(row['other'])}, {value}"
            else:
                people = cast(float, row["people"])
                grade = f"{people:g}" if found.kind == "graded" else YES_NO[people > 0.5]
                text = f"{system}: people {grade}, {value}"
            worst.append((text, row["id"]))
    notes = tuple(dict.fromkeys(_notes(found, shown, rates)))
    commands: list[str] = []
    if (place := found.run.place) is not None:
        commands += [show_command(place, id) for _, id in worst[:1]]
        if labels_path is not None and found.kind == "binary" and shown is not None:
            metric = f" -m {quote(shown.name)}" if chosen else ""
            files = f"{quote(str(labels_path))} {quote(place)}"
            options = "".join(f" {quote(option)}" for option in label_options)
            commands.append(f"ragauge label-plan {files}{metric}{options}")
    raters = None if found.raters is None else asdict(found.raters)

    def data() -> dict[str, object]:
        """All figures for programs, with the rates and the disagreements of each metric that has figures."""
        rates_of: dict[str, object] = {}
        disagreements: dict[str, object] = {}
        for each in found.metrics:
            if each.why_not:
                continue
            disagreements[each.name] = found.disagreements(each.metric.metric, 100).to_dicts()
            if found.kind != "preference":
                own = found.rates(each.metric.metric)
                figures = {"threshold": own.threshold, "correlation": own.correlation}
                systems = [asdict(system) for system in own.systems]
                figures |= {"labels_look_random": own.is_random, "systems": systems}
                rates_of[each.name] = figures
        read = {"source": labels.source, "kind": found.kind, "n": labels.frame.height}
        return {
            "headline": headline,
            "labels": {**read, "raters": list(labels.raters)},
            "seed": found.seed,
            "metrics": frame.to_dicts(),
            "people": raters and {name: raters[name] for name in raters if name != "notes"},
            "ceiling": ceiling and asdict(ceiling),
            "rates": rates_of,
            "disagreements": disagreements,
            "notes": list(notes),
        }

    return Report(
        headline,
        title,
        tables=[table for table in tables if table.rows],
        notes=notes,
        items=(Items("they differ most", worst),) if worst else (),
        commands=commands,
        records=lambda: (frame.columns, frame.iter_rows()),
        data=data,
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
    rows: list[tuple[str, ...]] = []
    for each in metrics:
        figures = [shown_estimate(each.main)]
        if each.auroc is not None:
            at_set, at_best = each.at_set, each.at_best
            for quality, at in ((at_set, each.set_threshold), (at_best, each.best_threshold)):
                figure = quality and quality.balanced_accuracy
                is_known = figure is not None and at is not None
                figures.append(f"{figure.value:.2f} at {at:.3g}" if figure and is_known else DASH)
            quality = at_set or at_best
            figures.append(shown_estimate(quality and quality.kappa))
        elif each.spearman is not None:
            figures.append(shown_estimate(each.kendall))
        sign = " ↓" if each.metric.lower_is_better else ""
        rows.append((_name(each) + sign, *figures, f"{each.n:,}"))
    raters = found.raters
    if raters is not None and raters.between is not None:
        middle = [DASH] * (len(header) - 2)
        kappa = "kappa " if found.kind == "preference" else ""
        middle[-1 if found.kind == "binary" else 0] = kappa + shown_estimate(raters.between)
        rows.append(("two people", *middle, f"{raters.n:,}"))
    return _table(header, rows, GIVES_WAY[found.kind])


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
        table, threshold = quality.table, shown.threshold if shown.at_set is not None else None
        sign = "≤" if shown.metric.lower_is_better else "≥"
        at = "at a held-out threshold" if threshold is None else f"{sign} {threshold:.3g}"
        yield (
            f"{_name(shown)} {at}: {table.both_yes:,} yes and {table.both_no:,} no as people; "
            f"{table.only_metric:,} wrong yes, {table.only_people:,} missed yes"
        )
    if found.raters is not None and (alpha := found.raters.alpha):
        levels = ", ".join(f"{shown_estimate(value)} ({level})" for level, value in alpha.items())
        raters = counted(len(found.raters.n_labels), "rater")
        yield f"Krippendorff's alpha of {raters}: {levels}"
    if rates is not None:
        yield from [] if rates.is_random else [NOT_RANDOM]
        systems = rates.systems
        if any(each.from_errors and not each.own_errors for each in systems):
            yield "* errors measured on the labels of all systems, as if it erred equally often on each"
        if few := [short(each.system) for each in systems if each.corrected is None]:
            yield f"too few labels for a corrected rate: {', '.join(few[:SYSTEMS_SHOWN])}"
        clipped = dict.fromkeys(
            short(each.system)
            for each in systems
            for rate in (each.corrected, each.from_errors)
            if rate is not None and rate.is_clipped
        )
        if clipped:
            yield f"a corrected rate beyond the end of the scale is set to the end: {', '.join(clipped)}"
        if len(systems) > SYSTEMS_SHOWN:
            yield f"not shown: {counted(len(systems) - SYSTEMS_SHOWN, 'system')} more"
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


def shown_estimate(estimate: "Estimate | CorrectedRate | None") -> str:
    """A figure with its 95 % interval; a dash for None.

    >>> from ragauge.stats.intervals import Estimate
    >>> shown_estimate(Estimate(0.9468, 0.8949, 0.9731))
    '0.95 (0.89–0.97)'
    """
    if estimate is None:
        return DASH
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.2f}"
    return f"{estimate.value:.2f} ({estimate.low:.2f}–{estimate.high:.2f})"


def short(text: str, width: int = NAME_WIDTH) -> str:
    """A name in one cell; of a long one the beginning and the end, which tell variants apart.

    >>> short("gpt-4-1106-preview_inContext_reverse")
    'gpt-4-1106…t_reverse'
    """
    shown = for_terminal(text)
    if shortened(shown, width) == shown or not shown.isascii():
        return shortened(shown, width)
    half = width // 2
    return f"{shown[:half]}…{shown[1 - half :]}"


def agreement_in_words(agreement: MetricAgreement) -> str:
    """How well a metric agrees with people: as well as the interval's lower end shows, and no better."""
    figure = shown_estimate(agreement.main)
    if agreement.auroc is None and agreement.spearman is None:
        return f"scores the preferred answer higher in {figure} of the pairs"
    if agreement.auroc is None:
        return f"follows people's grades with Spearman {figure}"
    area, low, high = agreement.auroc.value, agreement.auroc.low, agreement.auroc.high
    seen = next((word for least, word in WORDS if area >= least), "")
    sure = next((word for least, word in WORDS if low is not None and low >= least), "")
    if high is not None and high < 0.5:
        words = "runs against people's labels"
    elif low is not None and low <= 0.5:
        words = "cannot be told from chance on these labels"
    elif not seen:
        words = f"{'hardly agrees' if area >= 0.5 else 'does not agree'} with people"
    elif not sure:
        words = "agrees with people, but these labels do not show how well"
    else:
        words = f"agrees {'' if sure == seen else 'at least '}{sure} with people"
    return f"{words}: AUROC {figure}"


def beside_people(ceiling: Ceiling | None, figure: str) -> str:
    """How the metric's agreement with one person, by this figure, compares with that of two people."""
    if ceiling is None or ceiling.difference.low is None or ceiling.difference.high is None:
        return ""
    words = "as far as these labels show, as well as two people agree"
    if ceiling.difference.high < 0:
        words = "less than two people agree with each other"
    elif ceiling.difference.low > 0:
        words = "more than two people agree with each other"
    return (
        f"; {words} ({figure} {ceiling.metric:.2f} with a person, "
        f"{ceiling.people:.2f} between two people)"
    )


def misreported(rates: SystemRates | None) -> str:
    """The system whose reported rate is furthest outside its corrected interval; empty if none is."""
    if rates is None or not rates.is_random:
        return ""
    found = [
        (abs(reported.value - corrected.value), each.system, reported.value, corrected)
        for each in rates.systems
        for reported, corrected in [(each.reported, each.corrected)]
        if reported is not None and corrected is not None
        if not corrected.low <= reported.value <= corrected.high
    ]
    if not found:
        return ""
    _, system, value, corrected = max(found, key=lambda each: each[0])
    return (
        f" Its rates mislead: it reports {value:.2f} yes for {short(system)}, where the labels "
        f"say {shown_estimate(corrected)}."
    )


def label_plan_report(
    plan: Mapping[str, Sequence[LabelNeed]], metric: str | None, correlation: float
) -> Report:
    """The labels needed by system and margin; in JSON null where there are too few answers.

    The system is empty where none is meant. `metric` is the metric that helps, None without one;
    `correlation` is its correlation with the labels.
    """

    def cell(n: int | None, of: LabelNeed, more: str) -> str:
        return f"{more} {of.n_rows:,}" if n is None else f"{n:,}"

    first, rows = next(iter(plan.values())), list[list[str]]()
    if len(plan) == 1:
        header = ("within ±", "labels alone", *(["with the metric"] if correlation else ()))
        for need in first:
            figures = (need.by_sampling, need.with_metric)[: len(header) - 1]
            rows.append([f"{need.margin:g}", *(cell(n, need, "more than") for n in figures)])
    else:
        header = ("labels with the metric (alone)", *(f"± {need.margin:g}" for need in first))
        for system, needs in plan.items():
            rows.append([short(system)])
            for need in needs:
                alone = (
                    "" if need.with_metric is None else f" ({cell(need.by_sampling, need, '>')})"
                )
                rows[-1].append(cell(need.with_metric, need, ">") + alone)
    # What the metric saves at the margin next to ± 0.05.
    near = [
        (min(needs, key=lambda each: abs(each.margin - 0.05)), system)
        for system, needs in plan.items()
    ]
    most = [(each.with_metric is None, each.with_metric or each.least_margin) for each, _ in near]
    need, system = near[most.index(max(most))]
    alone, n = need.by_sampling, need.with_metric
    # One system is named where others have enough answers.
    is_each = bool(alone or n) or all(each.with_metric is None for each, _ in near)
    each = "each system" if is_each else short(system)
    rate = "A rate" if len(near) == 1 else f"The rate of {each}"
    rate = f"{rate} within ± {need.margin:g} needs"
    if alone is None and n is None:
        least = f"labels of all give ± {need.least_margin:.2f}."
        headline = f"{rate} more than the {need.n_rows:,} answers there are; {least}"
    elif alone is None or n is None or correlation <= 0:
        headline = f"{rate} {n if alone is None else alone:,} labels."
    else:
        name = "the metric" if metric is None else short(metric)
        where = " over all systems" if len(plan) > 1 else ""
        helped = f"{n:,} labels with {name} (correlation {correlation:.2f}{where})"
        headline = f"{rate} {helped}, {alone:,} without: {1 - n / alone:.0%} fewer."
    systems = {
        system: [{**asdict(each), "note": each.note} for each in needs]
        for system, needs in plan.items()
    }
    flat = [(system, *each.values()) for system, needs in systems.items() for each in needs]
    return Report(
        headline,
        tables=(Table(header, rows, wraps=True),),
        records=lambda: (("system", *systems[next(iter(plan))][0]), flat),
        data=lambda: {"metric": metric, "correlation": correlation, "systems": systems},
    )
