"""Measures that are powers of ten of each other, and units of one kind: 5 km is 5,000 m, and neither 5 m nor 5 miles."""

from ragauge.language.numbers.units import MONEY

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
