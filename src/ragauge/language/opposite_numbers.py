"""Numbers that would agree but for their direction: a fall of 3.4% is not a rise of 3.4%."""

from collections.abc import Sequence

from ragauge.language.number_agreement import Stated, is_bracketed, may_be_dash
from ragauge.language.number_directions import (
    Direction,
    are_opposite,
    names_a_fall,
    stated_direction,
)
from ragauge.language.number_index import Found


def in_one_direction(
    number: Stated, found: Sequence[Found], asked: Direction | None
) -> Sequence[Found]:
    """Those of the found numbers that are not a fall where the expected one is a rise, or the reverse.

    `asked`: the direction of an expected number beside which the reference names none.
    """
    if not found:
        return found
    is_open = is_bracketed(number) or names_a_fall(number.text)
    expected = _direction(number) or (None if is_open else asked)
    if expected is None:
        return found
    return [each for each in found if not are_opposite(expected, _direction(each.number))]


_DIRECTIONS = {
    ("change", 1): "a rise",
    ("change", -1): "a fall",
    ("result", 1): "a gain",
    ("result", -1): "a loss",
    ("sign", -1): "negative",
}


def opposite(number: Stated, found: Sequence[Found], asked: Direction | None) -> str:
    """What keeps the first of these numbers from agreeing with the expected one; "" without any."""
    if not found:
        return ""
    given = found[0].number
    stated_as, expected = _direction(given), _direction(number) or asked
    says = _DIRECTIONS.get(stated_as, "") if stated_as else ""
    wants = _DIRECTIONS.get(expected, "") if expected else ""
    if says and wants and says != wants:
        return f"{given.quantity.text} is {says}, {wants} is expected"
    if says:
        return f"{given.quantity.text} is {says}"
    return f"{given.quantity.text} is positive, {wants} is expected" if wants else ""


def _direction(number: Stated) -> Direction | None:
    start, end = number.quantity.start, number.quantity.end
    is_negative = number.value < 0
    if is_negative and may_be_dash(number):
        return None
    return stated_direction(number.text, start, end, is_negative=is_negative)
