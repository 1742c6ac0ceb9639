"""Units: their written forms, which measure the same, and values in another unit: 90 minutes in hours, 212 °F in °C."""

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter

from ragauge.language.numbers.quantity import DIVIDING, Quantity
from ragauge.language.text import by_word

_FOREIGN = by_word("""
6 millionen millones millón milioni miljoen milhões | 12 billionen billones
9 milliarde milliarden milliard miliardi miljard bilhões mil_millones
""")
SCALES = _FOREIGN | by_word("""
2 hundred 百 | 3 thousand tausend 千 | 4 万 萬 | 5 lakh lac | 6 million mln mio mn | 7 crore | 8 億 亿
9 billion bn bln mrd | 12 trillion tn trn 兆 | 15 quadrillion
""")
"""The words of a scale and its power of ten."""
SCALE_LETTERS = {"k": 3, "K": 3, "m": 6, "M": 6, "mm": 6, "MM": 6, "mil": 6} | (
    {"b": 9, "B": 9, "bil": 9, "t": 12, "T": 12}
)
SCALE_WORDS = "|".join(sorted((word for word in SCALES if len(word) > 1), key=len, reverse=True))
FOREIGN_SCALES = rf"(?:{'|'.join(_FOREIGN)})s?"
"""Scale words that no English text has: a German, Spanish or Dutch number with points precedes them."""

_MEASURES = """
ms=.001 millisecond | s=1 sec second | min=60 minute | h=3600 hr hrs hour | day=86400 | week=604800 | fortnight=1209600
month=1 | year=12 yr yrs | decade=120 | century=1200 centuries
nm=1e-9 nanometer nanometre | µm=1e-6 micrometer micrometre micron | mm=.001 millimeter millimetre
+ cm=.01 centimeter centimetre | m=1 meter metre | km=1000 kilometer kilometre | inch=.0254 inches
+ ft=.3048 foot feet | yd=.9144 yard | mi=1609.344 mile | fathom=1.8288 | nmi=1852 nautical_mile
mm²=1e-6 | cm²=1e-4 | m²=1 | ha=1e4 hectare | km²=1e6 | inch²=.00064516 | ft²=.09290304 | yd²=.83612736
+ acre=4046.8564224 | mi²=2589988.110336
µg=1e-6 mcg microgram | mg=.001 milligram | g=1 gram gramme | kg=1000 kilogram kilo | jin=500 | t=1e6 tonne metric_ton | ton=
+ oz=28.349523125 ounce | lb=453.59237 lbs | pound=453.59237 quid | stone=6350.29318
m³=1000 | ml=.001 mL millilitre milliliter | cl=.01 centilitre centiliter | l=1 L litre liter | tsp=.00492892159375 teaspoon
+ tbsp=.01478676478125 tablespoon | cup=.2365882365 | pint=.473176473 | quart=.946352946
+ gallon=3.785411784 | barrel=158.987294928
m/s=3.6 mps | km/s=3600 | km/h=1 kph kmh | mi/h=1.609344 mph
Pa=1 pascal | hPa=100 | kPa=1000 kilopascal | bar=1e5 | MPa=1e6 | mbar=100 | psi=6894.757
J=1 joule | kJ=1000 kilojoule | cal=4.184 calorie | kcal=4184 kilocalorie
°C= celsius degree_celsius degrees_celsius degrees_c | °F= fahrenheit degrees_fahrenheit degrees_f | K= kelvin
"""
"""Units of one kind in each row, with their sizes. A month has no fixed number of days, so months are a kind of their
own. Volumes of the kitchen are American, as most recipes on the web are."""
_PREFIXED = """
W=1 watt | kW=1000 kilowatt | MW=1e6 megawatt | GW=1e9 gigawatt
Wh=1 | kWh=1000 kilowatt-hour kilowatt_hour | MWh=1e6 | GWh=1e9 | TWh=1e12
V=1 volt | kV=1000 kilovolt
Hz=1 hertz | kHz=1000 kilohertz | MHz=1e6 megahertz | GHz=1e9 gigahertz
mmol=.001 | mol=1 mole
Nm=1 newton_metre newton_meter | Ncm=.01 newton_centimetre newton_centimeter
byte=1 | kB=1000 KB kilobyte | MB=1e6 megabyte | GB=1e9 gigabyte | TB=1e12 terabyte | PB=1e15 petabyte
Kbps=1 kbps kbit kilobit | Mbps=1000 Mbit megabit | Gbps=1e6 Gbit gigabit
"""
"""The same of units that only differ by powers of ten, so that no number is converted to another one."""
_OTHERS = """
bit | KiB | MiB | GiB | TiB | amp ampere | mAh | mmHg | dB decibel | px pixel | dpi | ppm | ppb
+ IU | rpm | bp bps bip basis_point | x times | ° degree | hp horsepower | ly light_year
+ % percent pct percents Prozent per_cent percentage_point
"""
_MONEY = """
USD $ US$ dollar buck us_dollar u.s._dollar | EUR € euro | GBP £ pounds_sterling | JPY ¥ yen 円
+ INR ₹ Rs Rs. rupee indian_rupee | CHF franc swiss_franc | CAD C$ CA$ canadian_dollar | AUD A$ AU$ australian_dollar | NZD NZ$
+ CNY RMB yuan renminbi 元 | HKD HK$ | SGD S$ | KRW ₩ | SEK kronor | NOK kroner | DKK | PLN zloty złoty | ZAR rand | BRL R$ | MXN peso | PEN | ARS | COP | CLP
+ AED dirham | SAR riyal | MYR ringgit | IDR rupiah | UAH hryvnia | HUF forint | KES kenyan_shilling | TZS tanzanian_shilling
+ RUB ₽ rouble ruble | TRY ₺ | NGN ₦ | PHP ₱ | VND ₫ | ILS ₪ | THB ฿ | BTC ₿ bitcoin | cent ¢ pence centime
"""
_TIME, _MONTHS = 0, 1
_N_MEASURES = len(_MEASURES.replace("\n+", "").split("\n")) - 2
_DOLLARS = frozenset(("USD", "AUD", "CAD", "NZD", "HKD", "SGD"))
_PARTS = frozenset(("cent", "pound"))
"""Parts of several currencies, or of a currency and a weight."""
_DEGREES = frozenset(("K", "°C", "°F"))
_ZERO_CELSIUS, _FREEZING, _NINE_FIFTHS = Decimal("273.15"), Decimal(32), Decimal("1.8")
_IN_BRACKETS = 4
"""The most characters between a measure and the same in another unit: `8 miles (12.8 km)`."""


def _tables() -> tuple[dict[str, str], dict[str, int], dict[str, Decimal]]:
    """Every written form of a unit with its canonical one, the kinds of units, and their sizes."""
    forms: dict[str, str] = {}
    kinds: dict[str, int] = {}
    sizes: dict[str, Decimal] = {}
    rows = "".join(map(str.rstrip, (_MEASURES.lstrip(), _PREFIXED, _OTHERS, _MONEY)))
    for kind, row in enumerate(rows.replace("\n+", " |").split("\n")):
        for name, *others in map(str.split, row.split("|")):
            unit, has_kind, size = name.partition("=")
            if has_kind:
                kinds[unit] = kind
            if size:
                sizes[unit] = Decimal(size)
            for form in (unit, *others):
                words = form.replace("_", " ")
                forms[words] = unit
                if len(form) > 2 and words.islower() and words.replace(" ", "").isalpha():
                    forms[f"{words}s"] = unit
    for name in ("K", "NGN", "PHP", "VND", "ILS", "THB", "BTC"):  # K is nearly always a thousand
        del forms[name]
    return forms, kinds, sizes


_LENGTHS = ("mm", "cm", "m", "km", "inch", "ft", "yd", "mi")
_POWERS = {"square": "²", "sq": "²", "sq.": "²", "cubic": "³", "cu": "³"}
_FORMS, _KINDS, _SIZES = _tables()
UNITS = {form: unit for form, unit in _FORMS.items() if " " not in form}
"""Every written form of a unit of one word, and its canonical form."""
PAIRS = {form: unit for form, unit in _FORMS.items() if " " in form} | {
    f"{word} {form}": f"{unit}{power}"
    for form, unit in UNITS.items()
    if unit in _LENGTHS
    for word, power in _POWERS.items()
}
"""The same of two words."""
MONEY = frozenset(re.findall(r"(?:\A|[|+\n]) ?([A-Zc]\w+)", _MONEY)) | {"pound"}
"""The units that are money."""
CODE = rf"(?<![A-Za-z])(?:{'|'.join(sorted(each for each in MONEY & UNITS.keys() if each.isupper()))}|RMB|Rs\.?)"
_SHOUTED = frozenset(("KM", "KG", "CM", "ML", "LB", "LBS", "FT", "OZ", "HR", "MG"))


def unit_of(word: str) -> str | None:
    """The canonical form of the unit that the word is; None if it is none.

    >>> unit_of("Hours"), unit_of("cm^2"), unit_of("HR"), unit_of("ILL")
    ('h', 'cm²', 'h', None)
    """
    if unit := UNITS.get(word):
        return unit
    power = {"2": "²", "²": "²", "3": "³", "³": "³"}.get(word[-1], "")
    word = (word[:-1].rstrip("^") if power else word).replace("μ", "µ")
    unit = UNITS.get(word)
    if unit is None and len(word) > 1 and (len(word) > 3 or word in _SHOUTED or word[1:].islower()):
        unit = UNITS.get(word.lower())
    return f"{unit}{power}" if unit and (not power or unit in _LENGTHS) else None


def _kind(unit: str) -> int | None:
    kind = None if unit in _PARTS else -1 if unit in MONEY else _KINDS.get(unit)
    return _TIME if kind == _MONTHS else kind


def are_of_other_kinds(one: str, other: str) -> bool:
    """Whether they measure different things, as money and time; a speed and its length do not: `1,228 km/h` may be cut to `1,228 km`."""
    kinds = {_kind(one), _kind(other)}
    return len(kinds - {None}) == 2 and one.partition("/")[0] != other.partition("/")[0]


def are_of_one_kind(one: str, other: str) -> bool:
    """Whether both measure the same, such as length or time, or are two currencies; a bare `$` may be any dollar."""
    if one in MONEY and other in MONEY:
        return not ({one, other} <= _DOLLARS or {one, other} & _PARTS)
    one, other = _numerators(one, other)
    return _kind(one) == _kind(other) is not None


def _numerators(one: str, other: str) -> tuple[str, str]:
    """The units above the same unit: of mg/l and µg/l, mg and µg; other units as they are."""
    above, _, below = one.partition("/")
    other_above, _, other_below = other.partition("/")
    return (above, other_above) if below and below == other_below else (one, other)


@lru_cache(1_000)
def power_between(one: str, other: str) -> int | None:
    """The power of ten by which a number of the one unit becomes one of the other; None if there is none."""
    one, other = _numerators(one, other)
    if _KINDS.get(one) != _KINDS.get(other) or one not in _SIZES or other not in _SIZES:
        return None
    ratio = DIVIDING.divide(_SIZES[one], _SIZES[other])
    return ratio.adjusted() if ratio.normalize().as_tuple().digits == (1,) else None


def converted(value: Decimal, unit: str, to: str) -> Decimal | None:
    """The value in another unit, to 34 digits; None if the units are not of one kind, or equal."""
    if unit == to or _KINDS.get(unit) != _KINDS.get(to):
        return None
    if unit in _DEGREES:  # through °C
        if unit == "°F":
            value = DIVIDING.divide(DIVIDING.subtract(value, _FREEZING), _NINE_FIFTHS)
        elif unit == "K":
            value = DIVIDING.subtract(value, _ZERO_CELSIUS)
        if to == "°F":
            return DIVIDING.add(DIVIDING.multiply(value, _NINE_FIFTHS), _FREEZING)
        return DIVIDING.add(value, _ZERO_CELSIUS) if to == "K" else value
    if not (has_size(unit) and has_size(to)):
        return None
    return DIVIDING.divide(DIVIDING.multiply(value, _SIZES[unit]), _SIZES[to])


def has_size(unit: str) -> bool:
    """Whether the unit is a measure that can be converted, and no temperature."""
    return unit in _SIZES and _KINDS[unit] < _N_MEASURES


def is_measure(unit: str) -> bool:
    """Whether the unit is a measure that can be converted."""
    return has_size(unit) or unit in _DEGREES


def is_time(unit: str) -> bool:
    return _KINDS.get(unit) in (_TIME, _MONTHS)


def in_units(found: Sequence[Quantity], wanted: Collection[str]) -> Iterator[Quantity]:
    """The measures of a text in these units; they only match.

    A measure that the text itself gives in such a unit is not converted: `8 miles (12.8 km)` is no 12.9 km.

    >>> from ragauge.language.numbers.numbers import quantities
    >>> [(each.plain_value, each.unit) for each in in_units(quantities("90 minutes"), {"h", "km"})]
    [('1.5', 'h')]
    """
    in_order = sorted((each for each in found if each.unit), key=attrgetter("start"))
    for at, quantity in enumerate(in_order):
        own = quantity.value, quantity.unit
        beside = [
            other.unit
            for other in (*in_order[max(0, at - 2) : at], *in_order[at + 1 : at + 3])
            if 0 < max(other.start - quantity.end, quantity.start - other.end) <= _IN_BRACKETS
        ]
        for unit in wanted:
            # Units that differ by a power of ten are compared without being converted.
            if unit in beside or any(
                power_between(one, unit) is not None for one in (own[1], *beside)
            ):
                continue
            if (value := converted(*own, unit)) is not None:
                new = quantity._replace(value=value, unit=unit, scale=0, converted_from=own)
                yield new._replace(spelled=True, only_matches=True)
