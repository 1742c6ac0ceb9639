"""Whether the answer states the reference's numbers, and whether its own numbers have a source."""

import re
from collections.abc import Sequence
from typing import Literal

from ragauge.language.numbers.agreement import Agreement, Percent, Rounding
from ragauge.language.numbers.match import match_quantities
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.sources import NumberSource, source_numbers
from ragauge.language.reasons import why_matched, why_sourced
from ragauge.metric import NOTHING_EXPECTED, metric
from ragauge.score import Score
from ragauge.setting import Share, Tolerance

# The group of [\$]?(\d+\.?\d*)%?, the pattern of the suite answer-quality.
REGEX_NUMBER = re.compile(r"\d\d*\.?\d*")

MATCHED = ("number", "value", "matched_by", "how", "credit")
"""What the evidence says of a number that the answer states."""

NumberExtractor = Literal["default", "regex"]


@metric(version=18)
def number_match(
    question: str | None,
    question_quantities: Sequence[Quantity] | None,
    answer: str,
    answer_quantities: Sequence[Quantity],
    reference: str,
    reference_quantities: Sequence[Quantity],
    *,
    extractor: NumberExtractor = "default",
    rounding: Rounding = "stated",
    percent: Percent = "as_asked",
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
    on_nothing_expected: Share | None = None,
) -> Score:
    """Share of the reference's distinct numbers that the answer states too.

    In [0, 1]; best over the references. Numbers that the question states, dates and list numbers are not
    expected. Numbers are compared by value: `$1,000` equals `1000.0`, `5 million` equals `5,000,000`.

    A number counts only with what it counts:

    - Rates: 5 per month is not 5 per year, nor are rates converted ($60 per year is not $5 per month);
      `$5/month`, "$5 a month" and "a monthly fee of $5" are one. 10 business (or working) days are not 10 days.
    - Nouns: "2 adults and 3 children" has neither number of "3 adults and 2 children". Equal numbers with different
      nouns disagree if beside one is another number with the noun of the other; else "3 persons" may be "3 people". A
      number without a noun agrees with all, but a single number of the reference has that of "How many adults ...?".
    - Versions are names: `v1.3` is 1.3 and 1.3.0, but not 1.30; where the question asks for a version or release, bare
      numbers with a point are versions. Times of day are compared as such: `17:00 Uhr` is 5 pm, `half past nine` 9:30; 5:00 may be either half.

    Also equal are:

    - a number and its rounded form, whichever has it: 1577 and `1.6 thousand`. The form in the answer, or a
      whole number, may differ by at most 15%; `rounding="none"` requires equal values.
    - bare numbers in the scale that the question names: after "in USD millions", 1577 equals
      `$1.577 billion`. If nothing names a scale, a bare number of three or more digits equals the same
      digits with a scale word.
    - 5%, 5 and 0.05, if the question asks for a percentage, ratio or rate. `percent="as_fraction"` lets
      5% always equal 0.05; with `percent="distinct"` 5% only equals 5%.
    - -5 and 5 in accounting brackets, beside a word such as "decreased" or "loss", or if the question asks
      for a loss or a decrease. A fall is not a rise, though, and a loss is not a gain: "declined 3.4%" does
      not match "grew 3.4%", nor 3.4% if the question asks for the growth.
    - "one third", 1/4 or `2 in 10` and the percentage; `doubled` and 2x or 100%; "three quarters" and 75%, if the
      question asks for a share.
    - 5 km and 5,000 m, `1 h 30 min` and 1.5 hours, 350 °F and 177 °C: measures of one kind are converted, so that
      5 mg is not 5 g. In another unit, the zeros at the end of a whole number may round it: 350 °F is 180 °C, too.
    - `12.5 (thousand)` and 12,500; scale words of German, Spanish, French, Italian, Dutch and Portuguese.
    - 120 and 1.2%, if the question asks for basis points.
    - `9,90 Euro` and `€9.90`; 1.250 and 1250, if the text with the point is German or the other text has 1250;
      十四 and 14, 2.5亿 and 250,000,000.
    - "about 4,700" and 4,735: after a word such as "about", zeros at the end of a number may round it.
    - numbers that differ by at most `atol`, or by the share `rtol` of the reference's number.

    Numbers in words match those in digits. They are expected where a reference of at most six words has one and no
    digits (`It doubled.`, `season four`), and beside digits with a unit (`five years`). `nil` is 0; the reference
    `nm` expects an answer that says "not meaningful". A number that the answer denies ("6, not 5") is not stated.

    If the reference has one number, and the answer has it only before a conclusion ("Therefore, ...")
    that states other numbers, it counts half. Where only the direction keeps a number from matching, the evidence
    says so under `opposite`. Undefined if the reference has no numbers, or
    `on_nothing_expected` if no reference has any. `extractor="regex"` compares the digits that a regular
    expression finds, as text, and ignores the other settings.

    Source: the suite answer-quality; the comparison is ours.

    >>> import ragauge as rg
    >>> rg.score("number_match", answer="The premium is $604", reference="$604").value
    1.0
    >>> rg.score("number_match", question="Sales (in USD millions)?", answer="$1.6bn", reference="1577").value
    1.0
    """
    if extractor == "regex":
        given, expected = (frozenset(REGEX_NUMBER.findall(text)) for text in (answer, reference))
        matched = {"matched": sorted(given & expected), "unmatched": sorted(expected - given)}
        if expected:
            return Score(len(given & expected) / len(expected), evidence=matched)
        return _nothing_expected(on_nothing_expected)
    match = match_quantities(
        question,
        question_quantities or (),
        reference,
        reference_quantities,
        answer,
        answer_quantities,
        Agreement(rtol, atol, rounding, percent),
    )
    if match.share is None:
        return _nothing_expected(on_nothing_expected, _but_dates(reference_quantities))
    evidence: dict[str, object] = {
        "matched": [each.value for each in match.matched],
        "unmatched": [each.value for each in match.unmatched],
        "matches": [
            {name: value for name, value in each._asdict().items() if name in MATCHED}
            for each in match.matched
        ],
        "why": why_matched(match.expected),
    }
    if opposite := "; ".join(each.opposite for each in match.unmatched if each.opposite):
        evidence["opposite"] = opposite
    return Score(match.share, evidence=evidence)


@metric(version=18)
def number_precision(
    question: str | None,
    question_quantities: Sequence[Quantity] | None,
    answer: str,
    answer_quantities: Sequence[Quantity],
    references: Sequence[str] | None,
    reference_quantities: Sequence[Sequence[Quantity]] | None,
    contexts: Sequence[str] | None,
    context_quantities: Sequence[Sequence[Quantity]] | None,
    *,
    rounding: Rounding = "stated",
    percent: Percent = "as_asked",
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Share of the answer's distinct numbers that occur in a reference or a context.

    In [0, 1]; the rest of the numbers are invented. Numbers are compared as in `number_match`, also by what they
    count, versions and times of day by name; those that the question states do not count. A scale that a context names for its table ("in
    thousands") applies to the context's bare numbers. Undefined if the answer has no other numbers, or if
    the list of references is empty and there are no contexts; missing if the sample has neither field.

    Source: ours, the precision that belongs to `number_match`.

    >>> import ragauge as rg
    >>> rg.score("number_precision", answer="It costs $604 or $7.", contexts=["604 dollars"]).value
    0.5
    """
    if references is None and contexts is None:
        return Score.missing("the sample has neither references nor contexts")
    if references is not None and not references and contexts is None:
        return Score.undefined("there is neither a reference nor a context to look in")
    sources = [
        NumberSource(text, found, is_reference=True)
        for text, found in zip(references or (), reference_quantities or (), strict=True)
    ]
    sources += [
        NumberSource(text, found, is_reference=False)
        for text, found in zip(contexts or (), context_quantities or (), strict=True)
    ]
    rules = Agreement(rtol, atol, rounding, percent)
    stated = source_numbers(
        question, question_quantities or (), answer, answer_quantities, sources, rules
    )
    if not stated:
        return Score.undefined(
            f"the answer states no numbers of its own{_but_dates(answer_quantities)}"
        )
    supported = [each for each in stated if each.how]
    evidence = {
        "supported": [each.value for each in supported],
        "invented": [each.value for each in stated if not each.how],
        "matches": [each._asdict() for each in supported],
        "why": why_sourced(
            stated, has_references=bool(references), has_contexts=contexts is not None
        ),
    }
    return Score(len(supported) / len(stated), evidence=evidence)


def _but_dates(found: Sequence[Quantity]) -> str:
    return " but dates" if any(each.is_year for each in found) else ""


def _nothing_expected(value: float | None, apart_from: str = "") -> Score:
    if value is None:
        return Score.undefined(f"the reference has no numbers{apart_from}")
    return Score(value, evidence={"matched": [], "unmatched": [], NOTHING_EXPECTED: True})
