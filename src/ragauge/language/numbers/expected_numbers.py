"""Which numbers a reference wants: those in digits, and in a short reference the one in words."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.numbers.other_forms import in_other_forms, measures, quarters, times_in_words
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.numbers.question_numbers import asks_for_a_percentage
from ragauge.language.numbers.units import has_size
from ragauge.language.reading_cache import ReadingCache

_CUES = (
    r"therefore|thus|hence|so|consequently|accordingly|in conclusion|to conclude|in summary|to summari[sz]e"
    r"|in short|overall|as a result|(?:the )?final (?:answer|result)|(?:the )?answer(?: is)?"
)
_CUE = re.compile(rf"(?:\A|[.!?:]\s|\n)[\s*_#>-]{{0,8}}({_CUES})\b", re.IGNORECASE)
_END = re.compile(r"[.!?](?=\s|\Z)|\n\s{0,8}\n")


def conclusions(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences that a word such as "therefore" marks as the result, the last first."""
    limit = len(text)
    for cue in reversed(list(_CUE.finditer(text))):
        end = _END.search(text, cue.end(), limit)
        yield cue.start(1), end.start() if end else limit
        limit = cue.start(1)


class ExpectedQuantity(NamedTuple):
    """A number that the reference wants.

    `forms`: the same in other forms, of which one is enough: 100% for `doubled`. `parts`: its parts, which are
    enough together: 1 h and 30 min.
    """

    quantity: Quantity
    forms: tuple[Quantity, ...] = ()
    parts: tuple[Quantity, ...] = ()


MAX_WORDS = 6
"""The most words of a reference whose number in words is what is wanted."""
_BASE = re.compile(r"\s?(?::|to|-to-)\s?")
_NAME_AFTER = re.compile(r"[a-z][\s-]+[A-Z]")


def _read(
    reference: str, question: str | None, found: Sequence[Quantity]
) -> Sequence[ExpectedQuantity]:
    """The numbers that the reference wants, given its quantities: those in digits, else the one in words."""
    whole = measures(reference, found)
    inside = {part.start for measure in whole for part in measure.parts}
    all_found = [ExpectedQuantity(each) for each in found if each.start not in inside]
    all_found += [ExpectedQuantity(each, parts=parts) for each, parts in whole]
    counted = [each for each in all_found if each.quantity.counts]
    if counted and (whole or len(counted) < len(all_found)):
        # A number such as `five years` is as definite as one in digits.
        in_words = (each for each in all_found if each.quantity.spelled)
        counted += [
            each
            for each in in_words
            if not each.quantity.only_matches and has_size(each.quantity.unit)
        ]
        counted.sort(key=lambda each: each.quantity.start)
    base = {  # the 1 of a ratio such as `1.5 to 1` or `24:1`
        last.start
        for before, last in pairwise([each.quantity for each in counted])
        if last.text == "1" and _BASE.fullmatch(reference, before.end, last.start)
    }
    counted = [each for each in counted if each.quantity.start not in base]
    return tuple(counted or _in_words(question, reference, all_found))


expected_numbers = ReadingCache(
    _read
)  # the answers of several systems are compared with one reference


def _in_words(
    question: str | None, reference: str, found: Sequence[ExpectedQuantity]
) -> list[ExpectedQuantity]:
    """The only number in words of a short reference: `two million`, `It doubled.`, `five seasons`.

    None if it may be part of a name (`Six Degrees`), and not `one`, which may be a pronoun.
    """
    if len(reference.split()) > MAX_WORDS:
        return []
    in_words = [each for each in found if not each.quantity.is_year]
    if question and asks_for_a_percentage(question):
        shares = list(quarters(reference))
        starts = {each.start for each in shares}
        in_words = [each for each in in_words if each.quantity.start not in starts]
        in_words += map(ExpectedQuantity, shares)
    elif "quarter" in reference.lower():
        in_words = [each for each in in_words if each.quantity.unit]  # it may be three months
    in_forms = [*in_other_forms(reference, ()), *times_in_words(reference)]
    in_words += [
        ExpectedQuantity(first, forms=tuple(others))
        for _, (first, *others) in groupby(in_forms, attrgetter("start"))
    ]
    if len(in_words) != 1 or (number := in_words[0].quantity).value == 1:
        return []
    before = reference[: number.start].strip(" \"'(")
    is_name = (before and number.text[0].isupper()) or _NAME_AFTER.search(reference[number.start :])
    of_some = number.value > 1 and reference.startswith(" of ", number.end)  # `two of the men`
    return in_words if number.text == reference.strip(" .") or not (is_name or of_some) else []


_NONE_EXPECTED = re.compile(r"(?:nm|NM|n/m|N/M|n\.m\.|N\.M\.|[Nn]ot meaningful)\.?")
_NONE_STATED = re.compile(
    r"\b(?:nm|n/m|n\.m\.?|n/a|(?:not?|without) (?:a )?(?:meaningful(?:ly)?|meaning|applicable|defined)|meaningless|undefined"
    r"|cannot be meaningfully)\b",
    re.IGNORECASE,
)
_AFTER_DIGIT = re.compile(r"[0-9]\s?\Z")


def wants_no_number(reference: str) -> bool:
    """Whether the reference is nothing but the mark of a number that would not be meaningful."""
    return _NONE_EXPECTED.fullmatch(reference.strip()) is not None


def says_no_number(answer: str) -> str:
    """The words by which the answer says that a number is not meaningful; "" if it does not."""
    for found in _NONE_STATED.finditer(answer):
        if not _AFTER_DIGIT.search(answer[max(0, found.start() - 2) : found.start()]):
            return found[0]
    return ""
