import pytest

from ragauge.language.numbers.match import match_numbers
from ragauge.language.numbers.numbers import quantities
from ragauge.language.numbers.other_forms import in_other_forms, shares_out_of


def share(question: str | None, reference: str, answer: str) -> float | None:
    return match_numbers(question, [reference], answer).share


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("2 in 10", ["0.2"]),
        ("Two out of ten left.", ["0.2"]),
        ("one in every five", ["0.2"]),
        ("9 in 17", []),  # nobody counts in 17
        ("5 in 10 years", []),
        ("10 in 5", []),
        ("5 km in 10", []),
        ("in 2019 in 100", []),
        ("2 of the 10", ["0.2"]),
    ],
)
def test_a_part_of_a_round_whole_is_a_share(text: str, shares: list[str]):
    found = shares_out_of(text, quantities(text))
    assert [each.share.plain_value for each in found] == shares


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("It doubled.", ["2 x", "100 %"]),
        ("It tripled.", ["3 x", "200 %"]),
        ("a fourfold rise", ["4 x", "300 %"]),
        ("It halved.", ["-50 %"]),
        ("It more than doubled.", []),
        ("It almost halved.", []),
        ("a double room, a triple jump", []),
    ],
)
def test_multiples_in_words_are_multiples_and_changes(text: str, forms: list[str]):
    assert [f"{each.plain_value} {each.unit}" for each in in_other_forms(text, ())] == forms


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("the fourth season and its 2nd episode", ["4", "2"]),
        ("In the SEVENTEENTH Series of 2003", ["17"]),
        ("the twenty-first season", ["1"]),  # the number of "twenty-first" is no part of it
        ("the 1000th episode", []),
        ("fourth  season, fourth seasons, a season", []),
        ("fourthseason, x4th season", []),
        ("first season", ["1"]),
        ("İ: the fourth season", []),  # in lower case it is longer, so places would be wrong
    ],
)
def test_an_ordinal_before_what_is_counted_is_a_number(text: str, numbers: list[str]):
    found = [each for each in in_other_forms(text, ()) if not each.unit]
    assert [each.plain_value for each in found] == numbers
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize(
    ("reference", "answer", "value"),
    [
        ("20%", "One in five left.", 1.0),
        ("25%", "One in five left.", 0.0),
        ("2 in 10 left", "20% left", 1.0),
        ("2 in 10 left", "30% left", 0.0),
        ("8 out of 10", "8 of the 10 left", 1.0),
        ("Sales rose 100%", "Sales doubled.", 1.0),
        ("Sales rose 200%", "Sales doubled.", 0.0),
        ("2x", "Sales doubled.", 1.0),
        ("Sales fell 50%", "Sales halved.", 1.0),
        ("Sales rose 50%", "Sales halved.", 0.0),
        ("90 minutes", "1.5 hours", 1.0),
        ("2 hours", "120 min", 1.0),
        ("2 hours", "2 days", 0.0),
        ("1 week", "7 days", 1.0),
        ("2 years", "24 months", 1.0),
        ("5 mg/L", "5,000 µg/L", 1.0),
        ("5 mg/L", "5 µg/L", 0.0),
        ("30%", "3 of 10 came", 1.0),
        ("$(0.45)", "earnings of 45 cents a share", 0.0),
        ("5 km", "5,000 m", 1.0),
        ("5 km", "5 m", 0.0),
        ("250 mg", "0.25 g", 1.0),
        ("250 mg", "0.25 mg", 0.0),
        ("1.58 km", "1,577 m", 1.0),  # rounded
        ("5 km", "5 kg", 0.0),
        ("£10", "10 days", 0.0),
        ("£10", "10", 1.0),
        ("5 m", "$5", 1.0),  # m may be million
        ("1,228 km", "1,228 km/h", 1.0),
        ("120 km/h", "2 hours", 0.0),  # which is 120 min
        ("120", "2 hours", 0.0),
        ("12.345 (thousand)", "$12,345", 1.0),
        ("$12,345 (in thousands)", "$12.3 million", 1.0),
        ("$12,345 (in thousands)", "$12.3 billion", 0.0),
        ("1,2 Milliarden Euro", "1.200 Millionen Euro", 1.0),
        ("3.400 millones", "€3.4 billion", 1.0),
        ("2,5 milliards d'euros", "2 500 millions d'euros", 1.0),
    ],
)
def test_numbers_in_other_forms_match(reference: str, answer: str, value: float):
    assert share(None, reference, answer) == value


def test_basis_points_may_be_named_by_the_question_alone():
    question = "By how many basis points did it widen?"
    assert share(question, "120", "It widened by 1.2 percentage points.") == 1.0
    assert share(question, "120", "It widened by 120.") == 1.0
    assert share(question, "45", "45%") == 0.0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("2021 (in millions)", ["2021"]),
        ("$5,000 (in thousands)", ["5000"]),  # the digits may include the scale
        ("$5,100.5 (in thousands)", ["5100500"]),
        ("5.2 (million)", ["5200000"]),
        ("1.200 Millionenstädte", ["1.2"]),
        ("1,5 Billionen", ["1500000000000"]),
        ("3,4 mil millones", ["3400000000"]),
    ],
)
def test_scales_in_brackets_and_of_other_languages(text: str, values: list[str]):
    assert [each.plain_value for each in quantities(text)] == values


@pytest.mark.parametrize("unit", ["2 in 10 ", "doubled ", "5 min ", "1.200 Millionen ", "5.1 (in "])
def test_a_long_text_is_read_in_linear_time(unit: str, assert_linear_time):
    assert_linear_time(
        lambda text: match_numbers(None, ["20%, 5.1 km"], text),
        lambda n: (unit * n)[:n],
        10_000,
    )


def test_a_multiple_with_a_foreign_letter_is_none():
    # Python's `re` takes ı for i if it ignores case.
    text = "Sales tripled, profits trıpled, in a fıve-fold fold."
    assert [each.text for each in in_other_forms(text, ())] == ["tripled", "tripled"]


def test_all_words_of_multiples_are_found():
    for word in (
        "Doubled",
        "tripling",
        "trebled",
        "quadrupled",
        "QUINTUPLED",
        "twofold",
        "five-fold",
    ):
        assert [each.text for each in in_other_forms(f"It {word}.", ())] == [word, word]
    assert [each.text for each in in_other_forms("It halved.", ())] == ["halved"]
