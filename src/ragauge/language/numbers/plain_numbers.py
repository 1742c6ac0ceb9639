"""Numbers between plain words, which need no reading of signs and scales: `after 12 days`, `$5,000 for`, `by 12.5%`.

Most numbers of a text are of this kind. What is not certainly plain is left to `numerals`, which reads all kinds.
"""

import re
from decimal import Decimal

from ragauge.language.numbers.labels import is_label
from ragauge.language.numbers.quantity import Reading
from ragauge.language.numbers.units import PAIRS, SCALES, UNITS

_PLAIN = re.compile(
    # After the end of `minus` or `negative` there may be a sign, after other letters and signs a currency.
    r"(?:(?<=[a-z]{2}[ ])(?<!us[ ])(?<!ve[ ])|(?<=[,;:][ ])|\A|(?<=[a-z]{2}[ ](\$))(?<!us[ ]\$)(?<!ve[ ]\$))"
    r"((?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,5}|[0-9]{1,15})(?:\.[0-9]{1,15})?)"
    r"(?:(%)|[ ]([A-Za-z][a-z]*)(?![^ .,;:!?)]|[ ](?:an?|per)\s)|(?![^.,;:!?\")])(?![.,:][0-9]))"
)
_OTHERS = frozenset((
    *(form.split()[0].lower() + plural for form in (*SCALES, *PAIRS) for plural in ("", "s")),
    *("k", "m", "b", "t", "mm", "mil", "bil", "milliards", "x"),
))  # fmt: skip
"""Words after a number that may be, or begin, its scale or its unit, and need a full reading."""
_UNITS = {
    form: unit
    for form, unit in UNITS.items()
    if form.isascii() and form.isalpha() and form.islower() and form not in _OTHERS
}
"""The units of one word."""
_CAPITAL_UNITS = frozenset(form.lower() for form in UNITS)
_INDEX_SIZES = frozenset(
    ("30", "40", "50", "100", "225", "250", "400", "500", "600", "1000", "2000")
)
"""Numbers that may belong to the name of an index: `S&P 500`."""
_INDEX_ENDS = frozenset("PEQLIXWSCpeqlixwsc")
"""The last letters of the names of indexes; after other letters there is none."""
_DOLLAR = UNITS["$"]


def plain_number(plain: str, at: int) -> Reading | None:
    """The number whose digits begin at `at`, if what is around it is plain; None if it needs a full reading.

    >>> plain_number("They sold 12 cars.", 10)
    Reading(start=10, end=12, value=Decimal('12'), unit='', scale=0)
    >>> plain_number("They sold 12 million.", 10)
    """
    found = _PLAIN.match(plain, at)
    if found is None:
        return None
    dollar, digits, percent, word = found.groups()
    start, end, unit = at, found.end(2), ""
    if percent:
        end, unit = end + 1, "%"
    elif not word:
        if is_label(plain, at, end):
            return None
    elif word in _UNITS:
        end, unit = found.end(4), _UNITS[word]
    elif word in _OTHERS or (word[0] < "a" and _may_be_scale_or_unit(word)):
        return None
    if dollar:
        if unit:
            return None
        start, unit = at - 1, _DOLLAR
    elif digits in _INDEX_SIZES and at > 1 and plain[at - 2] in _INDEX_ENDS:
        return None
    return Reading(start, end, Decimal(digits.replace(",", "")), unit)


def _may_be_scale_or_unit(word: str) -> bool:
    """Whether a word with a capital letter may be a scale or a unit."""
    lowered = word.lower()
    return lowered in _OTHERS or lowered in _CAPITAL_UNITS
