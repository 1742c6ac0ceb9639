"""Figures of a calibration in words: how far a metric agrees with people, and where its rates mislead."""

from collections.abc import Iterator

from ragauge.people.metric_agreement import MetricAgreement, VerdictQuality
from ragauge.people.rater_agreement import Ceiling
from ragauge.people.system_rates import SystemRates
from ragauge.report.plain import counted, for_terminal, shortened
from ragauge.runs.numbers import DASH
from ragauge.stats.corrected_rates import CorrectedRate
from ragauge.stats.intervals import Estimate

NAME_WIDTH, METRIC_WIDTH = 20, 26
SYSTEMS_SHOWN = 5
WORDS = ((0.9, "very well"), (0.8, "well"), (0.7, "fairly well"), (0.6, "weakly"))
"""How well an area under the ROC curve of at least this agrees with people."""


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


def rate_notes(rates: SystemRates) -> Iterator[str]:
    if any(each.from_errors and not each.own_errors for each in rates.systems):
        yield "* errors measured on the labels of all systems, as if it erred equally often on each"
    if few := [short(each.system) for each in rates.systems if each.corrected is None]:
        yield f"too few labels for a corrected rate: {', '.join(few[:SYSTEMS_SHOWN])}"
    clipped = [
        short(each.system)
        for each in rates.systems
        if any(found and found.is_clipped for found in (each.corrected, each.from_errors))
    ]
    if clipped:
        names = ", ".join(dict.fromkeys(clipped))
        yield f"a corrected rate beyond the end of the scale is set to the end: {names}"
    if len(rates.systems) > SYSTEMS_SHOWN:
        yield f"not shown: {counted(len(rates.systems) - SYSTEMS_SHOWN, 'system')} more"


def table_in_words(agreement: MetricAgreement, quality: VerdictQuality) -> str:
    """The confusion table in one line."""
    table = quality.table
    threshold = agreement.threshold if agreement.at_set is not None else None
    sign = "≤" if agreement.metric.lower_is_better else "≥"
    at = "at a held-out threshold" if threshold is None else f"{sign} {threshold:.3g}"
    return (
        f"{at}: {table.both_yes:,} yes and {table.both_no:,} no as people; "
        f"{table.only_metric:,} wrong yes, {table.only_people:,} missed yes"
    )
