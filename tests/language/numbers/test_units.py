"""Units in all their written forms."""

import pytest

from ragauge.language.numbers.numbers import quantities


def read(text: str) -> list[tuple[str, str]]:
    """Value and unit of each quantity stated in digits."""
    return [(one.plain_value, one.unit) for one in quantities(text) if one.counts]


def values(text: str) -> list[str]:
    return [value for value, _ in read(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 lakh", "200000"),
        ("3 crore", "30000000"),
        ("1,50,000 rupees", "150000"),
        ("£5bn", "5000000000"),
        ("1.5 trillion", "1500000000000"),
        ("5k", "5000"),
        ("5 hundred thousand", "500000"),
        ("3 × 10^8", "300000000"),
        ("1.5e-3", "0.0015"),
        ("5万", "50000"),
    ],
)
def test_scales_multiply_the_number(text: str, value: str):
    assert values(text) == [value]


def test_a_small_m_is_metres_without_a_currency():
    assert read("5m") == [("5", "m")]
    assert read("$5m") == [("5000000", "USD")]


@pytest.mark.parametrize(
    "text", ["5%", "5 %", "5 percent", "5 per cent", "5 pct", "5-percent", "5％"]
)
def test_percent_has_one_unit_in_all_its_spellings(text: str):
    assert read(text) == [("5", "%")]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        *(("$5", "USD"), ("US$5", "USD"), ("5 dollars", "USD"), ("5 USD", "USD"), ("USD 5", "USD")),
        *(
            ("€5", "EUR"),
            ("5 €", "EUR"),
            ("5 euros", "EUR"),
            ("£5", "GBP"),
            ("₹5", "INR"),
            ("Rs. 5", "INR"),
        ),
        *(
            ("A$5", "AUD"),
            ("$5 CAD", "CAD"),
            ("5000円", "JPY"),
            ("5 cents", "cent"),
            ("5 pounds", "pound"),
        ),
        *(
            ("5 km", "km"),
            ("5km", "km"),
            ("5 kilometres", "km"),
            ("5 kilometers", "km"),
            ("5 KM", "km"),
        ),
        *(
            ("5 kg", "kg"),
            ("5 days", "day"),
            ("5-day", "day"),
            ("5 hrs", "h"),
            ("5 hours", "h"),
            ("5 yrs", "year"),
        ),
        *(
            ("60 km/h", "km/h"),
            ("60 km per hour", "km/h"),
            ("5 m2", "m²"),
            ("5 square metres", "m²"),
        ),
        *(("20 °C", "°C"), ("20 degrees Celsius", "°C"), ("5 GB", "GB"), ("5 mg/kg", "mg/kg")),
        *(("5 basis points", "bp"), ("5 percentage points", "%"), ("5x", "x"), ("5 times", "x")),
        *(("5 apples", ""), ("5 in a row", ""), ("293 x 2", ""), ("5 won", "")),
    ],
)
def test_units_have_one_name(text: str, unit: str):
    assert quantities(text)[0].unit == unit
