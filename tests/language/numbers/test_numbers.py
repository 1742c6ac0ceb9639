"""Quantities in text: what counts as one, its value, its unit."""

from decimal import Decimal

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.texts import context_quantities
from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity, same_quantity


def read(text: str) -> str:
    """Value and unit of each quantity, in brackets where it is only there to be matched."""
    found = [(f"{one.plain_value} {one.unit}".strip(), one.counts) for one in quantities(text)]
    return "; ".join(stated if counts else f"({stated})" for stated, counts in found)


def only(text: str) -> Quantity:
    (one,) = quantities(text)
    return one


# A reading, and the texts that have it.
READINGS = [
    # One value however it is written.
    ("1000 USD", "$1,000"),
    ("1000", "1000", "1000.0", "1,000", "1e3", "1K", "1 thousand", "1’000"),
    ("5000000", "5 million", "5,000,000", "5M", "5mn", "5.0 million", "5000 thousand", "5-million"),
    ("5000000 USD", "$5m"),
    ("5000000 GBP", "£5 M"),
    # Scales; a small m is metres without a currency.
    ("200000", "2 lakh"),
    ("30000000", "3 crore"),
    ("150000 INR", "1,50,000 rupees"),
    ("5000000000 GBP", "£5bn"),
    ("1500000000000", "1.5 trillion", "1,5 Billionen"),
    ("5000", "5k"),
    ("500000", "5 hundred thousand"),
    ("300000000", "3 × 10^8"),
    ("0.0015", "1.5e-3"),
    ("50000", "5万"),
    ("5 m", "5m"),
    # A sign counts after any mark that joins nothing.
    ("-0.133", "-0.133", "−0.133", "–0.133", "minus 0.133", "negative 0.133"),
    ("-5", "`-5`", "*-5*", "**-5**", "_-5_", "__-5__", "|-5|", "~-5", ":-5", "=-5", ">-5"),
    ("-5", "'-5'", '"-5"', "“-5”", "(-5)", "[-5]", "{-5}", "«-5»", "\\-5", "`−5`", "x=-5", "-.5e1"),
    ("1; -5", "1/-5"),
    ("-5 USD", "-$5", "$-5"),
    ("-0.133 %", "`-0.133%`", "$-0.133\\%$"),
    ("0.305 %; -0.133 %", "0.305%/-0.133%"),
    # A range may have two signs and lends its unit and scale.
    ("-5; -3", "-5–-3", "-5−-3", "-5--3", "-5 – -3"),
    ("-5 %; -3 %", "-5–-3%", "-5 to -3%"),
    ("5000000; 10000000", "5-10 million"),
    ("10 %; 20 %", "10 to 20%"),
    ("5 USD; 10 USD", "$5-10"),
    ("5; 10000000", "from 5 to 10 million"),
    # A hyphen that joins is no sign.
    ("10; 20", "10-20", "10–20"),
    ("20", "mid-20"),
    ("10; 5", "10 minus 5", "10x5"),
    ("5", "+/-5", "word --5", "- 5 apples", "$5$", "Step 1: add 5. Step 2: stop."),
    # Marks of Markdown and LaTeX are no part of a number.
    ("5; 6 km", "_5_ and __6 km__"),
    ("0.133 %", "0.133\\%", "$0.133\\%$"),
    ("604 USD", "\\$604", "$604"),
    ("-604 USD", "-\\$604"),
    ("293; 2.061; 604", "$293 \\times 2.061 = 604$"),
    ("293; 2.061; 604 USD", "$293\\times2.061 = \\$604$", "293x2.061=$604"),
    # An x between digits multiplies.
    ("293; 2.061", "293×2.061"),
    ("1080; 720", "1080x720"),
    ("2; 3; 4", "2X3x4"),
    ("293; 2.061 USD", "293x$2.061"),
    ("10 x", "10x faster"),
    ("", "0x2 and x264", "Question 3: how many?", "### Section 2.1: Rates", "Option 2) wait"),
    # The number of a label is no quantity.
    ("7", "**Step 1:** Do 7"),
    ("9", "So it is. (Table 2) It has 9."),
    ("4; (5)", "Page 4: five"),
    ("1", "See step 1: wait", "Step 1 takes long"),
    ("2", "Chapter 2."),
    ("2.5", "Figure 2.5 of all", "2 1/2", "2½"),
    # Nor are numbers inside names.
    ("", "A-5", "C-1", "COVID-19", "Covid-19", "gpt-4", "B12", "Q3", "10-K", "3D", "1st"),
    ("", "22nd", "13th", "21st", "1.2.3", "v2.0", "192.168.0.1", "x_5", "5_000", "H2O"),
    ("", "555-123-4567", "(555) 123-4567", "+44 20 7946 0958", "978-3-16-148410-0"),
    ("", "https://example.org/a/123?b=4", "www.example.org/5", "1980s", "in his 20s", "[1]"),
    ("", "[2, 3]", "at 9:30", "5 pm"),
    ("(2022)", "FY2022", "FY 2022", "fiscal 2022"),
    # The parts of dates are there to be matched.
    ("(2021)", "in 2021", "since 2021", "March 2021", "5 March 2021", "2021-03-05"),
    ("(2021)", "03/05/2021", "the year 2021", "Q3 2021"),
    ("(1931); (1987)", "(1931–1987)"),
    ("2021", "2021 employees", "2021 (in millions)"),
    ("1999", "a budget for 1999 units"),
    ("(2021); 5", "in 2021 it was 5"),
    # A sequence shows that numbers count list items.
    ("5", "1. Rates\n2. Rules, 5 of them\n3. Areas"),
    ("(1); 7", "1) one rate of 7\n2) another"),
    ("", "3. Rates\n4. Rules", "Reasons: (1) cost, (2) time.", "1. Go there. 2. Come back."),
    ("40", "either 1) wait or 2) pay 40", "3M's 401(k) plan has 40 funds"),
    ("42", "42. That is the answer.", "the loss was (42)"),
    ("604", "604."),
    ("(5); 5", "within five (5) days"),
    ("1; 2", "(as in table 1) and 2"),
    # Separators stand between groups of three.
    ("1; 5", "rows 1,5"),
    ("1; 0", "1,0000"),
    ("1000; 50", "1,000,50"),
    ("1234567", "12,34,567", "1\xa0234\xa0567", "1,234,567"),
    ("1; 2; 3", "1,2,3"),
    ("1000000", "1 000 000", "1'000'000"),
    ("10050", "10 050"),
    ("1234", "1\u202f234"),
    ("1577000000", "1 577 million"),
    ("1577 EUR", "1 577 €"),
    ("12345678", "12 345 678 people"),
    ("1; 577", "1 577"),
    ("(2018); 577", "In Q3 2018 577 people"),
    ("1; 234", "1 234"),
    ("0.123", "0,123"),
    ("1234.56", "1,234.56"),
    ("100000; 200000", "100,000-200,000"),
    # Proper fractions count as their value; other slashes part two numbers.
    ("0.5", "1/2", "½"),
    ("0.75 cup", "3/4 cup"),
    ("120; 80", "120/80"),
    ("5; 0", "5/0"),
    ("0; 5", "0/5"),
    # Digits and signs of any script.
    ("123", "１２３", "١٢٣", "१२३", "𝟏𝟐𝟑"),
    ("3.5 %; 5 USD", "٣٫٥٪ und ＄５"),
    # Accounting brackets with an outer sign are negative.
    ("-12000000 USD", "a loss of $(12) million"),
    ("-0.9 %", "(0.9)% of sales"),
    ("-12000000", "tax (12) million"),
    ("(9); 9", "nine (9) million"),
    ("12", "sales (12) rose"),
    ("12 USD", "a loss ($12)"),
    # Names that look like quantities.
    ("3000000 USD; 3 MB", "3M sold $3M of tape, 3MB of data"),
    ("500", "the S&P 500 and the Fortune 100 have 500 names"),
    ("100 USD", "a Nasdaq-100 fund of $100"),
    # Python's `re` takes ı for i and ſ for s if it ignores case; the tables of words do not.
    ("5", "5 mıllion", "5 mİllion", "5 thouſand", "ſix, 5", "5 apples", "5 in a row", "5 won"),
    ("(5)", "five mıllion", "five", "“Five”", "naïve five"),
    ("5 USD", "$5 (mıllion)", "$5", "US$5", "5 dollars", "5 USD", "USD 5"),
    # Percent and units have one name in all spellings.
    ("5 %", "5%", "5 %", "5 percent", "5 per cent", "5 pct", "5-percent", "5％"),
    ("5 EUR", "€5", "5 €", "5 euros"),
    ("5 GBP", "£5"),
    ("5 INR", "₹5", "Rs. 5"),
    ("5 AUD", "A$5"),
    ("5 CAD", "$5 CAD"),
    ("5000 JPY", "5000円"),
    ("5 cent", "5 cents"),
    ("5 pound", "5 pounds"),
    ("5 km", "5 km", "5km", "5 kilometres", "5 kilometers", "5 KM"),
    ("5 kg", "5 kg"),
    ("5 day", "5 days", "5-day"),
    ("5 h", "5 hrs", "5 hours"),
    ("5 year", "5 yrs"),
    ("60 km/h", "60 km/h", "60 km per hour"),
    ("5 m²", "5 m2", "5 square metres"),
    ("20 °C", "20 °C", "20 degrees Celsius"),
    ("5 GB", "5 GB"),
    ("5 mg/kg", "5 mg/kg"),
    ("5 bp", "5 basis points"),
    ("5 %", "5 percentage points"),
    ("5 x", "5x", "5 times"),
    ("293; 2", "293 x 2"),
    # The comma is the decimal mark where nothing else can be meant.
    ("1234.5 USD", "$1.234,5"),
    ("1234567 EUR", "1.234.567 €"),
    ("12345678.9 EUR", "12.345.678,90 €"),
    ("1234.5 CHF", "CHF 1'234,50"),
    ("1234.5", "1\u202f234,5", "1,234.5"),
    ("1234500000 EUR", "€1 234,5 million"),
    ("12.5 %", "12,5 %"),
    ("-3.4 %", "-3,4 %"),
    ("2500000", "2,5 Mio. Euro"),
    ("1570000000", "1,57 Mrd. EUR"),
    ("12.5 EUR", "€12,50"),
    ("9.9 EUR", "9,90 Euro", "EUR 9,90"),
    ("1250", "Es kamen 1.250 Gäste."),
    ("1250.5; 3.5 %", "Der Preis beträgt 1.250,50, das sind 3,5 Prozent."),
    # Other numbers are read as English.
    ("1; 5; 2", "1,5 and 2"),
    ("3; 5; 7", "pages 3,5 and 7"),
    ("1.234", "1.234"),
    ("1.25", "The fee is 1.250 for a DAS account"),
    (
        "",
        "192.168.100.200",
        "version 2.100.345",
        "万一，千万不要，一些人，统一",
        "第十四章，十月十四日",
        "三四百，四五十",
        "三",
    ),
    # Scales in brackets and of other languages.
    ("5000 USD", "$5,000 (in thousands)"),
    ("5100500 USD", "$5,100.5 (in thousands)"),
    ("5200000", "5.2 (million)"),
    ("1.2", "1.200 Millionenstädte"),
    ("3400000000", "3,4 mil millones"),
    # Chinese characters.
    ("14", "十四"),
    ("1200", "一千二百"),
    ("30000", "三万"),
    ("250000000", "2.5亿"),
    ("120000000", "1亿2000万"),
    ("35000", "3万5千人"),
    ("12000000000", "一百二十亿"),
    ("305", "三百零五"),
    ("2030", "两千零三十家"),
    ("100001", "十万零一"),
    ("250", "２５０人"),
    ("30000 CNY; 20", "三万元，共20天"),
    ("(3)", "三个人", "three quarters"),
    # Numbers in words are there to be matched.
    ("(23)", "twenty-three"),
    ("(205)", "Two hundred and five"),
    ("(1000000)", "one million", "a million"),
    ("(100)", "a hundred"),
    ("(300000)", "three hundred thousand"),
    ("(40)", "FORTY"),
    ("", "No one came", "dozens", "often", "twofold", "attention", "someone"),
    ("(1)", "one"),
    ("(1 day)", "One day"),
    ("(12)", "a dozen eggs"),
    ("(6)", "half a dozen"),
    ("(0.6666666666666666666666666666666667)", "two-thirds", "two thirds of it"),
    ("(0.75)", "Three-Quarters"),
    ("(0.2)", "one-fifth"),
    ("(0.3333333333333333333333333333333333)", "one third of it", "a third of it"),
    ("(0.07)", "seven hundredths"),
    ("(2.5)", "two and a half"),
    ("(2500000)", "two and a half million"),
    # Ordinals are none; a rank after a number in words need not belong to it.
    ("", "seventy-fifth", "75th", "the twenty-first", "two hundred and fifth", "two hundredth"),
    ("(2)", "two third graders"),
    ("(2 s)", "a two-second delay"),
    ("(-5)", "minus five"),
    ("(-25 °)", "Negative twenty-five degrees"),
    ("(-1)", "minus one"),
    ("(10); (5)", "ten minus five"),
    ("(-5 km)", "it is minus five km"),
    ("(5 %); (6); (7 h)", "five percent, six or seven hours"),
    ("(10); 5", "ten minus 5"),
    ("10; (5)", "10 minus five"),
    ("(500000)", "half a million people"),
    ("(500000000)", "a half billion"),
    ("(250000)", "a quarter of a million"),
    ("(750000)", "three quarters of a million"),
    ("(0.5)", "Half of it", "half"),
    ("(0.125)", "an eighth of it"),
    ("", "a third party", "in the second half", "a quarter later, half-heartedly, on behalf of us"),
    ("(25)", "twenty-five"),
    ("", "_five_", "no numbers here", "1e9999999"),
    # The rest.
    ("0.7", "7/10"),
    ("0.5; 0.25; 0.5", ".½ of .¼, and .5"),
    ("-732 EUR; -5 EUR", "In June €-732 and less €-5"),
    ("1E+999", "1e999", "10e998"),
    ("0; 0; 0", "0 and 0.00 and -0"),
]


@pytest.mark.parametrize("row", READINGS)
def test_value_and_unit_are_read(row: tuple[str, ...]):
    reading, *texts = row
    assert {text: read(text) for text in texts} == dict.fromkeys(texts, reading)


@cases(
    ("half of them, half a million", [False, True]),
    ("one hundred, two dozen", [True, True]),
    *((text, [False]) for text in ("one", "One day", "a dozen eggs", "half a dozen")),
    *((text, [True]) for text in ("two-thirds", "one third of it", "two and a half", "1/5")),
)
def test_a_vague_number_is_no_anchor(text: str, are_anchors: list[bool]):
    assert [one.is_anchor for one in quantities(text)] == are_anchors


@cases(("two-thirds", "2/3"), ("seven hundredths", "7/100"), ("Two and a half", "2 1/2"))
def test_a_fraction_in_words_has_the_value_of_the_one_in_digits(words: str, digits: str):
    assert only(words).value == only(digits).value
    assert (only(words).spelled, only(digits).spelled) == (True, False)


@cases(
    ("a loss of $(12) million", ["$(12) million"]),
    ("(0.9)% of sales", ["(0.9)%"]),
    ("3M sold $3M of tape, 3MB of data", ["$3M", "3MB"]),
    ("it is minus five km", ["minus five km"]),
    ("a third of it", ["a third"]),
    ("Ｆull −５％ of “$1,000” ½", ["−５％", "$1,000", "½"]),
    ("\ud800 5, 👍5, مرحبا 5, 5\u20605, 数字5和6, \x00 5 and 5\u0301", [*"555555655"]),
    *(("", []), (" ", [])),
)
def test_the_words_of_a_quantity_are_the_texts_own(text: str, found: list[str]):
    assert [one.text for one in quantities(text)] == found
    assert [text[one.start : one.end] for one in quantities(text)] == found


@cases(
    # A unit is needed only where one is stated, but for the percent sign.
    ("5", "$5", True, True),
    ("$5", "5", False, True),
    ("$5", "5 kg", False, True),
    ("5%", "5", False, False),
    ("5", "5%", False, False),
    ("5 pounds", "£5", True, True),
    ("5 lb", "5 pounds", True, True),
    ("5 lb", "£5", False, True),
    ("-0.133", "0.133", False, False),
    ("2021", "in 2021", True, True),
)
def test_quantities_are_the_same_by_value_and_unit(stated, given, with_unit, without_unit):
    one, other = only(stated), only(given)
    assert same_quantity(one, other, unit=True) == with_unit
    assert same_quantity(one, other, unit=False) == without_unit


def test_a_year_is_known():
    assert [one.is_year for one in quantities("in 2021, 2021 employees")] == [True, False]
    text = "in 2021 it was 5"
    assert quantities(text, dates(text)) == quantities(text)
    assert [one.text for one in quantities(text, ())] == ["2021", "5"]


def test_values_are_exact_and_finite():
    assert only("0.1").value + only("0.2").value == only("0.3").value
    assert only("9007199254740993").value != only("9007199254740992").value
    assert only("$0.10").number == only("0.1").number
    assert only("1e999").value.is_finite()


def test_a_run_of_more_than_400_digits_or_13_groups_is_no_number():
    assert read("9" * 400) == "9" * 400
    assert read("9" * 401) == ""
    groups = " ".join(["345"] * 13)
    assert read(f"{groups} EUR") == f"{'345' * 13} EUR"
    assert len(quantities(f"345 {groups} EUR")) == 2


def test_a_fraction_in_a_context_offers_its_two_numbers_and_the_other_way_round():
    # 7 / 10 = 0.7
    slash, out_of, cups = context_quantities(["7/10", "seven out of ten", "3/4 cup"], [(), (), ()])
    assert sorted(one.plain_value for one in slash) == ["0.7", "10", "7"]
    assert sorted(one.plain_value for one in out_of) == ["0.7", "10", "7"]
    assert [one.plain_value for one in cups] == ["0.75"]
    assert [one.plain_value for one in slash if one.counts] == ["0.7"]


def test_a_quantity_knows_its_scale():
    assert [each.scale for each in quantities("5 million, 5k, 5, $2-3 billion")] == [6, 3, 0, 9, 9]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**12, places=3))
def test_a_printed_number_is_read_back(value: Decimal):
    assert [one.value for one in quantities(f"it is {value:,f} or so")] == [value]


@given(st.text(max_size=60))
def test_every_text_gives_quantities_in_order_with_right_offsets(text: str):
    found = quantities(text)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(one.value.is_finite() for one in found)
