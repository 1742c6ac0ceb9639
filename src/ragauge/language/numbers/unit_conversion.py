"""The same measure in another unit: 90 minutes in hours, 212 °F in °C, 1 lb in grams."""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from operator import attrgetter

from ragauge.language.numbers.quantity import DIVIDING, MONEY, Quantity

_POWERS = (
    {"nm": -9, "µm": -6, "mm": -3, "cm": -2, "m": 0, "km": 3},
    {"µg": -6, "mg": -3, "g": 0, "kg": 3, "t": 6},
    {"ml": -3, "cl": -2, "l": 0},
    {"ms": -3, "s": 0},
    {"W": 0, "kW": 3, "MW": 6, "GW": 9},
    {"Wh": 0, "kWh": 3, "MWh": 6, "GWh": 9, "TWh": 12},
    {"J": 0, "kJ": 3},
    {"cal": 0, "kcal": 3},
    {"V": 0, "kV": 3},
    {"Hz": 0, "kHz": 3, "MHz": 6, "GHz": 9},
    {"Pa": 0, "kPa": 3, "MPa": 6},
    {"mmol": -3, "mol": 0},
    {"byte": 0, "kB": 3, "MB": 6, "GB": 9, "TB": 12, "PB": 15},
    {"Kbps": 3, "Mbps": 6, "Gbps": 9},
)
_POWER = {
    unit: (kind, power) for kind, powers in enumerate(_POWERS) for unit, power in powers.items()
}
_TIMES = ("ms", "s", "min", "h", "day", "week", "fortnight", "month", "year", "decade", "century")
_OTHERS = (
    ("km", "inch", "ft", "yd", "mi", "nmi"),
    ("kg", "lb", "oz", "stone", "ton"),
    ("l", "gallon", "pint", "quart", "barrel", "cup", "tbsp", "tsp"),
)
"""Measures of the kind of the first, without a power of ten between them."""
_KINDS = (
    {unit: kind for unit, (kind, _) in _POWER.items()}
    | {unit: _POWER[known][0] for known, *others in _OTHERS for unit in others}
    | dict.fromkeys(_TIMES, -1)
    | dict.fromkeys(("°C", "°F", "K"), -2)
    | dict.fromkeys(("m²", "km²", "ha", "acre", "mi²", "ft²"), -5)
    | dict.fromkeys(("km/h", "mi/h", "m/s"), -3)
)
_DOLLARS = frozenset({"USD", "AUD", "CAD", "NZD", "HKD", "SGD"})
_PARTS = frozenset({"cent", "pound"})
"""Parts of several currencies, or of a currency and a weight."""


def power_between(one: str, other: str) -> int | None:
    """The power of ten by which a number of the one unit becomes one of the other; None if there is none.

    >>> power_between("km", "m"), power_between("mg/l", "µg/l"), power_between("km", "kg")
    (3, 3, None)
    """
    one, other = _numerators(one, other)
    first, second = _POWER.get(one), _POWER.get(other)
    if first is None or second is None or first[0] != second[0]:
        return None
    return first[1] - second[1]


def are_of_other_kinds(one: str, other: str) -> bool:
    """Whether one measures something else than the other: money and time, length and mass.

    A speed and its length count as one: `1,228 km/h` may be cut to `1,228 km`.

    >>> are_of_other_kinds("GBP", "day"), are_of_other_kinds("km", "kg"), are_of_other_kinds("GBP", "")
    (True, True, False)
    >>> are_of_other_kinds("pound", "kg")  # money or a mass
    False
    """
    first, second = _kind(one), _kind(other)
    if first is None or second is None or first == second:
        return False
    return one.partition("/")[0] != other.partition("/")[0]


def _kind(unit: str) -> int | None:
    if unit in _PARTS:
        return None
    return _MONEY if unit in MONEY else _KINDS.get(unit)


_MONEY = -4


def are_of_one_kind(one: str, other: str) -> bool:
    """Whether both measure the same, such as length or time, or are two currencies.

    A bare `$` may be any dollar.

    >>> are_of_one_kind("h", "day"), are_of_one_kind("h", "km"), are_of_one_kind("", "km")
    (True, False, False)
    >>> are_of_one_kind("USD", "EUR"), are_of_one_kind("USD", "CAD")
    (True, False)
    """
    if one in MONEY and other in MONEY:
        return not ({one, other} <= _DOLLARS or {one, other} & _PARTS)
    one, other = _numerators(one, other)
    kind = _KINDS.get(one)
    return kind is not None and kind == _KINDS.get(other)


def _numerators(one: str, other: str) -> tuple[str, str]:
    """The units above the same unit: of mg/l and µg/l, mg and µg; other units as they are."""
    above, _, below = one.partition("/")
    other_above, _, other_below = other.partition("/")
    return (above, other_above) if below and below == other_below else (one, other)


_SIZES: tuple[dict[str, str], ...] = (
    {"s": "1", "min": "60", "h": "3600", "day": "86400", "week": "604800", "fortnight": "1209600"},
    {"month": "1", "year": "12", "decade": "120", "century": "1200"},
    {"nm": "1e-9", "µm": "1e-6", "mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"}
    | {"inch": "0.0254", "ft": "0.3048", "yd": "0.9144", "mi": "1609.344", "nmi": "1852"},
    {"mm²": "1e-6", "cm²": "1e-4", "m²": "1", "ha": "1e4", "km²": "1e6", "inch²": "0.00064516"}
    | {"ft²": "0.09290304", "yd²": "0.83612736", "acre": "4046.8564224", "mi²": "2589988.110336"},
    {"µg": "1e-6", "mg": "0.001", "g": "1", "kg": "1000", "t": "1e6", "oz": "28.349523125"}
    | {"lb": "453.59237", "pound": "453.59237", "stone": "6350.29318"},
    {"ml": "0.001", "cl": "0.01", "l": "1", "tsp": "0.00492892159375", "tbsp": "0.01478676478125"}
    | {"cup": "0.2365882365", "pint": "0.473176473", "quart": "0.946352946"}
    | {"gallon": "3.785411784", "barrel": "158.987294928"},
    {"m/s": "3.6", "km/s": "3600", "km/h": "1", "mi/h": "1.609344"},
    {"J": "1", "kJ": "1000", "cal": "4.184", "kcal": "4184"},
)
_N_OF_TIME = 2
"""The first kinds are those of time, which is not measured in another unit but counted."""
"""Units of one kind with their sizes. A month has no fixed number of days, so months are a kind of their own.
Volumes of the kitchen are American, as most recipes on the web are."""
_SIZE = {
    unit: (kind, Decimal(size)) for kind, sizes in enumerate(_SIZES) for unit, size in sizes.items()
}
_DEGREES = frozenset(("K", "°C", "°F"))
_ZERO_CELSIUS, _FREEZING, _NINE_FIFTHS = Decimal("273.15"), Decimal(32), Decimal("1.8")


def converted(value: Decimal, unit: str, to: str) -> Decimal | None:
    """The value in another unit, to 34 digits; None if the units are not of one kind, or equal.

    >>> str(converted(Decimal(90), "min", "h")), str(converted(Decimal(212), "°F", "K"))
    ('1.5', '373.15')
    >>> converted(Decimal(2), "month", "day")
    """
    if unit == to:
        return None
    if unit in _DEGREES and to in _DEGREES:  # through °C
        if unit == "°F":
            value = DIVIDING.divide(DIVIDING.subtract(value, _FREEZING), _NINE_FIFTHS)
        elif unit == "K":
            value = DIVIDING.subtract(value, _ZERO_CELSIUS)
        if to == "°F":
            return DIVIDING.add(DIVIDING.multiply(value, _NINE_FIFTHS), _FREEZING)
        return DIVIDING.add(value, _ZERO_CELSIUS) if to == "K" else value
    size, other = _SIZE.get(unit), _SIZE.get(to)
    if size is None or other is None or size[0] != other[0]:
        return None
    return DIVIDING.divide(DIVIDING.multiply(value, size[1]), other[1])


def has_size(unit: str) -> bool:
    """Whether the unit is a measure that can be converted, and no temperature."""
    return unit in _SIZE


def is_measure(unit: str) -> bool:
    """Whether the unit is a measure that can be converted."""
    return unit in _SIZE or unit in _DEGREES


def is_time(unit: str) -> bool:
    size = _SIZE.get(unit)
    return size is not None and size[0] < _N_OF_TIME


def is_smaller_part(unit: str, of: str, value: Decimal) -> bool:
    """Whether the measure continues one in a larger unit: the 30 minutes of `1 h 30 min`, but no 90 minutes.

    >>> is_smaller_part("min", "h", Decimal(30)), is_smaller_part("min", "h", Decimal(90))
    (True, False)
    """
    in_larger = converted(value, unit, of)
    return in_larger is not None and unit not in _DEGREES and value >= 1 and in_larger < 1


_IN_BRACKETS = 4
"""The most characters between a measure and the same in another unit: `8 miles (12.8 km)`."""


def in_units(found: Sequence[Quantity], wanted: Collection[str]) -> Iterator[Quantity]:
    """The measures of a text in these units; they only match.

    A measure that the text itself gives in such a unit is not converted: `8 miles (12.8 km)` is no 12.9 km.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> [(each.plain_value, each.unit) for each in in_units(quantities("90 minutes"), {"h", "km"})]
    [('1.5', 'h')]
    """
    in_order = sorted((each for each in found if each.unit), key=attrgetter("start"))
    for at, quantity in enumerate(in_order):
        for unit in wanted:
            if power_between(quantity.unit, unit) is not None:
                continue  # compared without being converted
            value = converted(quantity.value, quantity.unit, unit)
            if value is None or _is_beside(in_order, at, unit):
                continue
            yield quantity._replace(
                value=value,
                unit=unit,
                spelled=True,
                only_matches=True,
                scale=0,
                converted_from=(quantity.value, quantity.unit),
            )


def _is_beside(in_order: Sequence[Quantity], at: int, unit: str) -> bool:
    """Whether the quantity before or after this one has this unit, or one that is a power of ten of it."""
    quantity = in_order[at]
    return any(
        0 < max(other.start - quantity.end, quantity.start - other.end) <= _IN_BRACKETS
        and (other.unit == unit or power_between(other.unit, unit) is not None)
        for other in (*in_order[max(0, at - 2) : at], *in_order[at + 1 : at + 3])
    )
