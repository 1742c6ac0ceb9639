"""Units of quantities: currencies, scale words and measures in their written forms."""

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
    r"(?:millionen|milliarden?|milliards?|billionen|mil millones|millones|millón|milioni|miliardi"
    r"|miljoen|miljard|milhões|bilhões)"
)
"""Scale words that no English text has: a German, Spanish or Dutch number with points precedes them."""
SCALES = (
    {"hundred": 2, "thousand": 3, "lakh": 5, "lac": 5, "million": 6, "mln": 6, "mio": 6}
    | {"mn": 6, "crore": 7, "billion": 9, "bn": 9, "bln": 9, "mrd": 9, "trillion": 12, "tn": 12}
    | {"trn": 12, "quadrillion": 15}
    | {"millionen": 6, "milliarde": 9, "milliarden": 9, "billionen": 12, "milliard": 9}
    | {"millones": 6, "millón": 6, "mil millones": 9, "milioni": 6, "miliardi": 9}
    | {"miljoen": 6, "miljard": 9, "milhões": 6, "bilhões": 9}
    | {"百": 2, "千": 3, "万": 4, "萬": 4, "億": 8, "亿": 8, "兆": 12}
)


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
    | {
        "degrees celsius": "°C",
        "degrees c": "°C",
        "degree celsius": "°C",
        "u.s. dollars": "USD",
    }
    | {"degrees fahrenheit": "°F", "degrees f": "°F", "us dollars": "USD"}
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
