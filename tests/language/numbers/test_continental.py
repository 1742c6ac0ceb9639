"""Numbers with a decimal comma."""

import pytest

from ragauge.language.numbers.numbers import quantities


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$1.234,5", ["1234.5"]),
        ("1.234.567 €", ["1234567"]),
        ("12.345.678,90 €", ["12345678.9"]),
        ("CHF 1'234,50", ["1234.5"]),
        ("1\u202f234,5", ["1234.5"]),
        ("€1 234,5 million", ["1234500000"]),
        ("12,5 %", ["12.5"]),
        ("-3,4 %", ["-3.4"]),
        ("2,5 Mio. Euro", ["2500000"]),
        ("1,57 Mrd. EUR", ["1570000000"]),
        ("€12,50", ["12.5"]),
        ("9,90 Euro", ["9.9"]),
        ("EUR 9,90", ["9.9"]),
        # Words say that the text is German.
        ("Es kamen 1.250 Gäste.", ["1250"]),
        ("Der Preis beträgt 1.250,50, das sind 3,5 Prozent.", ["1250.5", "3.5"]),
    ],
)
def test_the_comma_is_the_decimal_mark_where_nothing_else_can_be_meant(text, values):
    assert [each.plain_value for each in quantities(text)] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,5 and 2", ["1", "5", "2"]),
        ("pages 3,5 and 7", ["3", "5", "7"]),
        ("1,234,567", ["1234567"]),
        ("1,234.5", ["1234.5"]),
        ("1.234", ["1.234"]),
        ("The fee is 1.250 for a DAS account", ["1.25"]),
        ("192.168.100.200", []),
        ("version 2.100.345", []),
        ("1.2.3", []),
    ],
)
def test_other_numbers_are_read_as_english(text, values):
    assert [each.plain_value for each in quantities(text) if each.counts] == values
