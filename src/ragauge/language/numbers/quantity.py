"""Quantity: a number in a text with its unit, and when two quantities are the same."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from operator import attrgetter
from typing import NamedTuple

_CODES = (
    *("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "NZD", "CNY", "HKD", "SGD", "KRW"),
    *("SEK", "NOK", "DKK", "PLN", "ZAR", "BRL", "MXN", "RUB", "TRY"),
)
CODE = rf"(?<![A-Za-z])(?:{'|'.join(_CODES)}|RMB|Rs\.?)"


SIGNS = (
    {"$": "USD", "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD"}
    | {"NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL", "€": "EUR", "£": "GBP", "¥": "JPY"}
    | {"₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₦": "NGN", "₱": "PHP", "₫": "VND"}
    | {"₪": "ILS", "฿": "THB", "₿": "BTC", "Rs": "INR", "Rs.": "INR", "RMB": "CNY"}
)
MONEY = frozenset(SIGNS.values()) | frozenset(_CODES) | {"cent", "pound"}
"""The units that are money."""


FOREIGN_SCALES = (
    r"(?:millionen|milliarden?|milliards?|billionen|billones|mil millones|millones|millón|milioni|miliardi"
    r"|miljoen|miljard|milhões|bilhões)"
)
"""Scale words that no English text has: a German, Spanish or Dutch number with points precedes them."""
_SCALES = {
    2: "hundred 百",
    3: "thousand tausend 千",
    4: "万 萬",
    5: "lakh lac",
    6: "million mln mio mn millionen millones millón milioni miljoen milhões",
    7: "crore",
    8: "億 亿",
    9: "billion bn bln mrd milliarde milliarden milliard miliardi miljard bilhões",
    12: "trillion tn trn billionen billones 兆",
    15: "quadrillion",
}
SCALES = {word: power for power, words in _SCALES.items() for word in words.split()}
SCALES["mil millones"] = 9
"""The words of a scale and its power of ten."""


_MEASURES = """
mm millimeter millimetre | cm centimeter centimetre | m meter metre | km kilometer kilometre
inch inches | ft foot feet | yd yard | mi mile | nm nanometer nanometre | µm micrometer micrometre micron
mg milligram | µg mcg microgram | g gram gramme | kg kilogram kilo | t tonne | ton | lb lbs
oz ounce | stone | ml mL millilitre milliliter | cl centilitre centiliter | l L litre liter
gallon | pint | quart | barrel | acre | ha hectare | tsp teaspoon | tbsp tablespoon | cup
ms millisecond | s sec second | min minute | h hr hrs hour | day | week | fortnight | month
year yr yrs | decade | century centuries | bit | byte | kB KB kilobyte | MB megabyte | GB gigabyte
TB terabyte | PB petabyte | KiB | MiB | GiB | TiB | Kbps kbps | Mbps | Gbps | W watt | kW kilowatt
MW megawatt | GW gigawatt | Wh | kWh kilowatt-hour | MWh | GWh | TWh | J joule | kJ kilojoule | cal calorie
kcal kilocalorie | V volt | kV kilovolt | amp ampere | mAh | Hz hertz | kHz kilohertz | MHz megahertz
GHz gigahertz | Pa pascal | kPa | MPa | mmHg | psi | bar | dB decibel | px pixel | dpi | ppm | ppb
mol mole | mmol | IU | mi/h mph | km/h kph kmh | m/s mps | rpm | bp bps bip | x times | ° degree | °C celsius
°F fahrenheit | K kelvin | hp horsepower | people
% percent pct percents Prozent | cent ¢ | pound quid | USD dollar buck | EUR euro | JPY yen 円 | CNY yuan renminbi 元
INR rupee | CHF franc | RUB rouble ruble | BTC bitcoin | MXN peso
"""
_NO_UNIT = ("K", "people")


def _units() -> dict[str, str]:
    """Every written form of a unit, mapped to its canonical form."""
    table: dict[str, str] = dict(SIGNS)
    table |= {code: code for code in _CODES}
    for row in _MEASURES.replace("\n", "|").split("|"):
        for form in row.split():
            table[form] = row.split()[0]
            if len(form) > 2 and form.isalpha() and form.islower():
                table[form + "s"] = row.split()[0]
    for name in _NO_UNIT:
        table.pop(name, None)
    return table


UNITS = _units()
_LENGTHS = ("mm", "cm", "m", "km", "inch", "ft", "yd", "mi")
PAIRS = (
    {"per cent": "%", "percentage point": "%", "percentage points": "%"}
    | {"basis point": "bp", "basis points": "bp", "light year": "ly", "light years": "ly"}
    | {"pounds sterling": "GBP", "nautical miles": "nmi", "metric tons": "t", "metric ton": "t"}
    | {"degrees celsius": "°C", "degrees c": "°C", "degree celsius": "°C"}
    | {"degrees fahrenheit": "°F", "degrees f": "°F", "us dollars": "USD", "u.s. dollars": "USD"}
    | {"canadian dollars": "CAD", "australian dollars": "AUD", "indian rupees": "INR"}
    | {
        f"{word} {form}": f"{unit}{power}"
        for form, unit in UNITS.items()
        if unit in _LENGTHS
        for word, power in (("square", "²"), ("sq", "²"), ("sq.", "²"), ("cubic", "³"), ("cu", "³"))
    }
)
_SHOUTED = frozenset(("KM", "KG", "CM", "ML", "LB", "LBS", "FT", "OZ", "HR", "MG"))
ALIKE = {"pound": ("pound", "GBP", "lb"), "GBP": ("GBP", "pound"), "lb": ("lb", "pound")}
"""Units that can mean the same."""


def unit_of(word: str) -> str | None:
    if unit := UNITS.get(word):
        return unit
    power = ""
    if word[-1] in "23²³":
        power = "²" if word[-1] in "2²" else "³"
        word = word[:-1].rstrip("^")
    word = word.replace("μ", "µ")
    unit = UNITS.get(word)
    if unit is None and (len(word) > 3 or word in _SHOUTED or word[1:].islower()):
        unit = UNITS.get(word.lower()) if len(word) > 1 else None
    if power and unit not in _LENGTHS:
        return None
    return f"{unit}{power}" if unit else None


class Quantity(NamedTuple):
    """A number in a text: its span, exact value and unit.

    `unit` is "" (none), "%", a currency code (`$` is USD), or a measure (`km`, `kg`, `h`,
    `km/h`); measures are as the text has them. `spelled`: written in words (`five`). `is_year`: the year
    of a date. Numbers of these two kinds can match others but do not count themselves: see `counts`.
    `only_matches`: so vague (`one`, `a dozen`) that it is not an anchor either. `scale`: the power of
    ten of its scale word, 6 for `5 million`; the value includes it. `converted_from`: the value
    and unit in which the text states it, if this is another unit; else None.
    """

    text: str
    start: int
    end: int
    value: Decimal
    unit: str = ""
    spelled: bool = False
    is_year: bool = False
    only_matches: bool = False
    scale: int = 0
    converted_from: tuple[Decimal, str] | None = None

    @property
    def counts(self) -> bool:
        """Whether the text states the quantity in digits, and not as part of a date."""
        return not (self.spelled or self.is_year)

    @property
    def is_anchor(self) -> bool:
        """Whether the statement is definite enough to check against a context."""
        return not (self.is_year or self.only_matches)

    @property
    def number(self) -> tuple[Decimal, str]:
        """The value, and whether it is a percentage, a version or a time; numbers are compared by these."""
        return self.value, self.unit if self.unit in _OF_THEIR_OWN else ""

    @property
    def plain_value(self) -> str:
        """The value in digits, the same text for equal values; scientific notation if very large or small.

        >>> from ragauge.language.numbers.numbers import quantities
        >>> quantities("$5.50 million")[0].plain_value
        '5500000'
        """
        if not self.value:
            return "0"
        value = EXACT.normalize(self.value)
        return f"{value:f}" if abs(value.adjusted()) <= 50 else str(value)


NAMED = frozenset(("version", "time", "time?"))
"""The units of names that have numbers; `time?` is a time of day without am or pm."""
_OF_THEIR_OWN = NAMED | {"%"}

MAX_LENGTH = 400
"""The most digits of a number; a longer run is an identifier or noise."""


def same_quantity(stated: Quantity, given: Quantity, *, unit: bool) -> bool:
    """Whether `given` is the same number as `stated`.

    The values must be equal, and a percentage equals only a percentage. With `unit=True`, `given` must
    also have the unit of `stated`, if it has one; otherwise any unit but `%` is allowed.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> cost, bare, share = quantities("$5, or 5, or 5%")
    >>> same_quantity(cost, bare, unit=False), same_quantity(cost, bare, unit=True)
    (True, False)
    >>> same_quantity(bare, cost, unit=True), same_quantity(bare, share, unit=False)
    (True, False)
    """
    if stated.number != given.number:
        return False
    return not unit or not stated.unit or given.unit in same_units(stated.unit)


def same_units(unit: str) -> tuple[str, ...]:
    """The units that can mean the same as this one: `pounds` can be money or weight."""
    return ALIKE.get(unit, (unit,))


EXACT = Context(prec=MAX_LENGTH + 20, Emax=MAX_EMAX, Emin=MIN_EMIN)
DIVIDING = Context(prec=34)


@dataclass(slots=True)
class Reading:
    """A quantity under construction: its sign, scale and unit are being read."""

    start: int
    end: int
    value: Decimal
    unit: str = ""
    scale: int = 0


def quantity_of(
    text: str, reading: Reading, *, spelled: bool = False, only_matches: bool = False
) -> Quantity:
    start, end, value = reading.start, reading.end, reading.value
    if reading.scale:
        value = scaled(value, reading.scale)
    # Not Quantity(…), which takes twice as long.
    parts = (text[start:end], start, end, value, reading.unit, spelled, False, only_matches)
    return tuple.__new__(Quantity, (*parts, reading.scale, None))  # pyright: ignore[reportUnknownMemberType]


def between(found: Sequence[Quantity], start: int, end: int) -> Sequence[Quantity]:
    """Of quantities in order, those that begin in this part of the text."""
    first = bisect_left(found, start, key=attrgetter("start"))
    return found[first : bisect_left(found, end, first, key=attrgetter("start"))]


def only_matching(words: tuple[str, int, int], value: Decimal, unit: str = "") -> Quantity:
    """The text with its span as a quantity of this value that is neither counted nor an anchor."""
    return Quantity(*words, value, unit, spelled=True, only_matches=True)


def scaled(value: Decimal, scale: int) -> Decimal:
    """The exact value times ten to the power of the scale, independent of the decimal context."""
    if not scale:
        return value
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, int(exponent) + scale))
