"""Quantities in text: what counts as one, its value, its unit."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.features.texts import context_quantities
from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.quantity import Quantity, same_quantity


def read(text: str) -> list[tuple[str, str]]:
    """Value and unit of each quantity stated in digits."""
    return [(one.plain_value, one.unit) for one in quantities(text) if one.counts]


def values(text: str) -> list[str]:
    return [value for value, _ in read(text)]


def only(text: str) -> Quantity:
    (one,) = quantities(text)
    return one


@pytest.mark.parametrize("text", ["$1,000", "1000", "1000.0", "1,000", "1e3", "1K", "1 thousand"])
def test_one_thousand_is_a_thousand_however_it_is_written(text: str):
    assert values(text) == ["1000"]


@pytest.mark.parametrize(
    "text",
    [
        "5 million",
        "5,000,000",
        "5M",
        "$5m",
        "£5 M",
        "5mn",
        "5.0 million",
        "5000 thousand",
        "5-million",
    ],
)
def test_five_million_is_one_value(text: str):
    assert values(text) == ["5000000"]


def test_a_percentage_is_never_a_plain_number():
    percent, plain = only("5%"), only("5")
    assert not same_quantity(percent, plain, unit=False)
    assert not same_quantity(plain, percent, unit=False)
    assert not same_quantity(plain, percent, unit=True)


@pytest.mark.parametrize("text", ["-0.133", "−0.133", "–0.133", "minus 0.133", "negative 0.133"])
def test_a_sign_before_the_number_counts(text: str):
    assert values(text) == ["-0.133"]
    assert not same_quantity(only(text), only("0.133"), unit=False)


@pytest.mark.parametrize(
    "text",
    [
        *("`-5`", "1/-5", "*-5*", "**-5**", "_-5_", "__-5__", "|-5|", "~-5", ":-5", "=-5", ">-5"),
        *("'-5'", '"-5"', "“-5”", "(-5)", "[-5]", "{-5}", "«-5»", "\\-5", "`−5`"),
    ],
)
def test_a_sign_is_read_after_any_mark_that_joins_nothing(text: str):
    assert values(text)[-1] == "-5"


def test_a_percentage_keeps_its_sign_behind_a_slash_or_a_backtick():
    assert read("`-0.133%`") == [("-0.133", "%")]
    assert read("0.305%/-0.133%") == [("0.305", "%"), ("-0.133", "%")]


@pytest.mark.parametrize("text", ["-5–-3", "-5−-3", "-5--3", "-5 – -3"])
def test_a_range_may_have_two_signs(text: str):
    assert values(text) == ["-5", "-3"]


def test_a_range_of_two_signs_lends_its_unit():
    assert read("-5–-3%") == read("-5 to -3%") == [("-5", "%"), ("-3", "%")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("_5_ and __6 km__", [("5", ""), ("6", "km")]),
        (r"0.133\%", [("0.133", "%")]),
        (r"$0.133\%$", [("0.133", "%")]),
        (r"$-0.133\%$", [("-0.133", "%")]),
        ("$5$", [("5", "")]),
        (r"\$604", [("604", "USD")]),
        (r"-\$604", [("-604", "USD")]),
        ("$604", [("604", "USD")]),
        (r"$293 \times 2.061 = 604$", [("293", ""), ("2.061", ""), ("604", "")]),
        (r"$293\times2.061 = \$604$", [("293", ""), ("2.061", ""), ("604", "USD")]),
    ],
)
def test_marks_of_markdown_and_latex_are_no_part_of_a_number(
    text: str, found: list[tuple[str, str]]
):
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("293x2.061=$604", ["293", "2.061", "604"]),
        ("293×2.061", ["293", "2.061"]),
        ("1080x720", ["1080", "720"]),
        ("10x5", ["10", "5"]),
        ("2X3x4", ["2", "3", "4"]),
        ("293x$2.061", ["293", "2.061"]),
        ("10x faster", ["10"]),
        ("0x2 and x264", []),
    ],
)
def test_an_x_between_digits_multiplies(text: str, found: list[str]):
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Step 1: add 5. Step 2: stop.", ["5"]),
        ("Question 3: how many?", []),
        ("**Step 1:** Do 7", ["7"]),
        ("### Section 2.1: Rates", []),
        ("So it is. (Table 2) It has 9.", ["9"]),
        ("Option 2) wait", []),
        ("Page 4: five", ["4"]),
        ("See step 1: wait", ["1"]),
        ("Step 1 takes long", ["1"]),
        ("Chapter 2.", ["2"]),  # nothing follows that it labels
        ("Figure 2.5 of all", ["2.5"]),
    ],
)
def test_the_number_of_a_label_is_no_quantity(text: str, found: list[str]):
    assert values(text) == found


@pytest.mark.parametrize("text", ["-$5", "$-5", "(-5)", "x=-5", "-.5e1"])
def test_a_sign_is_read_beside_currency_and_brackets(text: str):
    assert values(text) == ["-5"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10-20", ["10", "20"]),
        ("10–20", ["10", "20"]),
        ("mid-20", ["20"]),
        ("10 minus 5", ["10", "5"]),
        ("+/-5", ["5"]),
        ("word --5", ["5"]),
        ("- 5 apples", ["5"]),
    ],
)
def test_a_hyphen_that_joins_is_no_sign(text: str, found: list[str]):
    assert values(text) == found


@pytest.mark.parametrize(
    "text",
    [
        *(
            "A-5",
            "C-1",
            "COVID-19",
            "Covid-19",
            "gpt-4",
            "B12",
            "Q3",
            "FY2022",
            "10-K",
            "3D",
        ),
        *("1st", "22nd", "13th", "21st", "1.2.3", "v2.0", "192.168.0.1", "x_5", "5_000", "H2O"),
        *("555-123-4567", "(555) 123-4567", "+44 20 7946 0958", "978-3-16-148410-0"),
        *(
            "https://example.org/a/123?b=4",
            "www.example.org/5",
            "1980s",
            "in his 20s",
            "[1]",
            "[2, 3]",
        ),
    ],
)
def test_numbers_inside_names_are_no_quantities(text: str):
    assert values(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("in 2021", "since 2021", "March 2021", "5 March 2021", "2021-03-05", "03/05/2021"),
        *("at 9:30", "5 pm", "the year 2021", "FY 2022", "fiscal 2022", "Q3 2021", "(1931–1987)"),
    ],
)
def test_the_parts_of_dates_are_no_quantities(text: str):
    assert values(text) == []


def test_four_digits_without_a_cue_are_a_number():
    assert values("2021 employees") == ["2021"]
    assert values("a budget for 1999 units") == ["1999"]


def test_the_year_of_a_date_is_there_to_be_matched():
    year = only("in 2021")
    assert year.is_year
    assert not year.counts
    assert same_quantity(only("2021"), year, unit=True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1. Rates\n2. Rules, 5 of them\n3. Areas", ["5"]),
        ("1) one rate of 7\n2) another", ["7"]),
        ("3. Rates\n4. Rules", []),
        ("Reasons: (1) cost, (2) time.", []),
        ("either 1) wait or 2) pay 40", ["40"]),
        ("1. Go there. 2. Come back.", []),
        ("42. That is the answer.", ["42"]),
        ("604.", ["604"]),
        ("within five (5) days", ["5"]),
        ("the loss was (42)", ["42"]),
        ("(as in table 1) and 2", ["1", "2"]),
    ],
)
def test_list_numbers_are_told_apart_by_their_sequence(text: str, found: list[str]):
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rows 1,5", ["1", "5"]),
        ("1,0000", ["1", "0"]),
        ("1,000,50", ["1000", "50"]),
        ("12,34,567", ["1234567"]),
        ("1,2,3", ["1", "2", "3"]),
        ("1 000 000", ["1000000"]),
        ("10 050", ["10050"]),
        ("1\u202f234", ["1234"]),
        ("1\u00a0234\u00a0567", ["1234567"]),
        # Groups behind plain spaces, where a scale or unit follows; else they are two numbers.
        ("1 577 million", ["1577000000"]),
        ("1 577 €", ["1577"]),
        ("12 345 678 people", ["12345678"]),
        ("1 577", ["1", "577"]),
        ("In Q3 2018 577 people", ["577"]),
        ("1'000'000", ["1000000"]),
        ("1’000", ["1000"]),
        ("1 234", ["1", "234"]),
        ("0,123", ["0.123"]),
        ("1,234.56", ["1234.56"]),
        ("100,000-200,000", ["100000", "200000"]),
    ],
)
def test_separators_stand_between_groups_of_three(text: str, found: list[str]):
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/2", "0.5"), ("3/4 cup", "0.75"), ("2 1/2", "2.5"), ("½", "0.5"), ("2½", "2.5")],
)
def test_proper_fractions_count_as_their_value(text: str, value: str):
    assert values(text) == [value]


@pytest.mark.parametrize("text", ["120/80", "5/0", "0/5"])
def test_other_slashes_part_two_numbers(text: str):
    assert len(values(text)) == 2


@pytest.mark.parametrize("text", ["１２３", "١٢٣", "१२३", "𝟏𝟐𝟑"])
def test_digits_of_any_script_count_by_value(text: str):
    assert values(text) == ["123"]


def test_signs_of_other_scripts_are_read():
    assert read("٣٫٥٪ und ＄５") == [("3.5", "%"), ("5", "USD")]


def test_a_range_lends_its_unit_and_scale():
    assert read("5-10 million") == [("5000000", ""), ("10000000", "")]
    assert read("10 to 20%") == [("10", "%"), ("20", "%")]
    assert read("$5-10") == [("5", "USD"), ("10", "USD")]
    assert read("from 5 to 10 million")[0] == ("5", "")


def test_offsets_point_at_the_text():
    text = "Ｆull −５％ of “$1,000” ½"
    for one in quantities(text):
        assert text[one.start : one.end] == one.text


def test_a_fraction_in_a_context_offers_its_two_numbers_and_the_other_way_round():
    # 7 / 10 = 0.7
    slash, out_of, cups = context_quantities(["7/10", "seven out of ten", "3/4 cup"], [(), (), ()])
    assert sorted(one.plain_value for one in slash) == ["0.7", "10", "7"]
    assert sorted(one.plain_value for one in out_of) == ["0.7", "10", "7"]
    assert [one.plain_value for one in cups] == ["0.75"]
    assert [one.plain_value for one in slash if one.counts] == ["0.7"]


def test_the_text_itself_states_the_fraction_only():
    assert [one.plain_value for one in quantities("7/10")] == ["0.7"]


def test_dates_given_are_used_instead_of_read_again():
    text = "in 2021 it was 5"
    assert quantities(text, dates(text)) == quantities(text)
    assert [one.text for one in quantities(text, ())] == ["2021", "5"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "\ud800 5", "👍5", "مرحبا 5", "5\u20605", "数字5和6", "\x00 5", "5" + "\u0301"],
)
def test_strange_text_is_read_without_an_error(text: str):
    assert all(text[one.start : one.end] == one.text for one in quantities(text))


@pytest.mark.parametrize(
    "piece",
    [
        "1,",
        "11,",
        "1.",
        "1-",
        "5 ",
        "1/2 ",
        "[1,",
        "+1 ",
        "1) ",
        "ten ",
        "1. x\n",
        "one ",
        "a dozen ",
        "minus five ",
        "two-thirds ",
        "5x",
        "$5\\% ",
        "5$ ",
        "Step 1: ",
        "-_",
        "7/10 ",
    ],
)
def test_a_long_text_is_read_in_linear_time(piece: str, assert_linear_time):
    assert_linear_time(quantities, lambda n: piece * n, 3_000)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**12, places=3))
def test_a_printed_number_is_read_back(value: Decimal):
    assert [one.value for one in quantities(f"it is {value:,f} or so")] == [value]


@given(st.text(max_size=60))
def test_every_text_gives_quantities_in_order_with_right_offsets(text: str):
    found = quantities(text)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(one.value.is_finite() for one in found)


def test_a_point_before_a_fraction_sign_is_not_a_decimal_point():
    assert [str(one.value) for one in quantities(".½ of .¼, and .5")] == ["0.5", "0.25", "0.5"]


def test_a_minus_behind_a_currency_sign_stays_whatever_word_is_before():
    assert [one.value for one in quantities("In June €-732 and less €-5")] == [-732, -5]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3M sold $3M of tape, 3MB of data", ["$3M", "3MB"]),
        ("3M's 401(k) plan has 40 funds", ["40"]),
        ("the S&P 500 and the Fortune 100 have 500 names", ["500"]),
        ("a Nasdaq-100 fund of $100", ["$100"]),
    ],
)
def test_names_that_look_like_quantities_are_none(text, found):
    assert [each.text for each in quantities(text)] == found


@pytest.mark.parametrize(
    ("text", "found", "value", "unit"),
    [
        ("a loss of $(12) million", "$(12) million", "-12000000", "USD"),
        ("(0.9)% of sales", "(0.9)%", "-0.9", "%"),
        ("tax (12) million", "(12) million", "-12000000", ""),
        ("nine (9) million", "9", "9", ""),
        ("sales (12) rose", "12", "12", ""),
        ("a loss ($12)", "$12", "12", "USD"),
    ],
)
def test_accounting_brackets_with_an_outer_sign_are_negative(text, found, value, unit):
    quantity = next(each for each in quantities(text) if each.counts)
    assert (quantity.text, quantity.plain_value, quantity.unit) == (found, value, unit)


def test_a_quantity_knows_its_scale():
    assert [each.scale for each in quantities("5 million, 5k, 5, $2-3 billion")] == [6, 3, 0, 9, 9]


def test_a_number_has_at_most_thirteen_groups_of_digits_before_a_unit():
    groups = " ".join(["345"] * 13)
    assert [q.value for q in quantities(f"{groups} EUR")] == [Decimal("345" * 13)]
    assert len(quantities(f"345 {groups} EUR")) == 2


@pytest.mark.parametrize(
    "text", ["5 mıllion", "five mıllion", "5 mİllion", "5 thouſand", "ſix, 5", "$5 (mıllion)"]
)
def test_a_scale_with_a_foreign_letter_is_none_and_does_no_harm(text: str):
    # Python's `re` takes ı for i and ſ for s if it ignores case; the tables of words do not have them.
    assert [one.plain_value for one in quantities(text)] == ["5"]
