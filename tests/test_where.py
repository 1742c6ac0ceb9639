import contextlib

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import FilterError
from ragauge.where import Filter

ROW = {
    "id": "007",
    "question_type": "fact",
    "year": 2020,
    "price": 1.5,
    "flagged": True,
    "topic": None,
    "two words": "x",
    "zero": 0,
}


@cases(
    ('question_type = "fact"', True),
    ("question_type == 'fact'", True),
    ('question_type != "fact"', False),
    ('id = "007"', True),
    ('id = "7"', False),
    ("year >= 2020 and year < 2021", True),
    ("year > 2020", False),
    ("price <= 1.5", True),
    ("price=1.5", True),
    ("year = 2.02e3", True),
    ("year > -1", True),
    ('question_type ~ "AC"', True),
    ('year ~ "02"', True),
    ('question_type in ("list", "fact")', True),
    ('question_type not in ("list")', True),
    ("year in (2019, 2020)", True),
    ("flagged", True),
    ("not flagged", False),
    ("zero", False),
    ("flagged = true", True),
    ("topic is null", True),
    ("topic is not null", False),
    ("year is not null", True),
    ("unknown is null", True),
    ("`two words` = 'x'", True),
    # And binds tighter than or; not binds tightest.
    ("flagged or flagged and not flagged", True),
    ("(flagged or flagged) and not flagged", False),
    ("not flagged or flagged", True),
    ("not (flagged and zero)", True),
    ("NOT zero AND Flagged is null", True),
    # A comparison with null is false, its contrary too.
    ('topic = "x"', False),
    ('topic != "x"', False),
    ('topic not in ("x")', False),
    ('topic ~ "x"', False),
    ("topic", False),
    (r'question_type = "f\act"', True),
    (r"""question_type != 'it\'s "so"'""", True),
    (" \n question_type\t=\n'fact' ", True),
)
def test_a_filter_picks_the_rows_it_says(text, holds):
    assert Filter.parse(text).matches(ROW) is holds


@cases(
    ("", "expected the name of a field at its end"),
    ("   ", "expected the name of a field"),
    ("and", "expected the name of a field"),
    ("year =", "at its end"),
    ("year = fact", ""),
    ("year 2020", "unexpected text at character 6"),
    ("year = 2020 2021", "unexpected text"),
    ("(year = 2020", "expected ')'"),
    ("year = 2020)", "unexpected text"),
    ("year in ()", ""),
    ("year in 2020", "expected '('"),
    ("year is 3", "expected null"),
    ("year not 3", "expected in"),
    ("'unclosed", "cannot read character 1"),
    ("year = 1e999", "too large a number"),
    ("year = 12abc", "cannot read"),
    ("a; b", "cannot read character 2"),
    ("__import__('os')", "unexpected text at character 11"),
    ("__import__('os').system('id')", "cannot read character 17"),
    ("(lambda: 1)()", "cannot read"),
    ("a[0]", "cannot read"),
    ("f'{a}'", "unexpected text"),
    ("a + b", "cannot read"),
    ("not " * 60 + "a", "nested deeper than 50"),
    ("(" * 60 + "a" + ")" * 60, "nested deeper than 50"),
    ("a or " * 5000 + "a", "at most 10000 characters"),
)
def test_what_is_no_filter_is_refused_with_its_place(text, problem):
    with pytest.raises(FilterError) as caught:
        Filter.parse(text)
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 400


@cases(
    ("id = 7", "is text, but 7.0 is a number; put text in quotes"),
    ('year = "2020"', "field 'year' is a number, but '2020' is text"),
    ('year > "x"', "remove the quotes"),
    ("flagged = 1", "is true or false"),
    ("question_type", "compare it with something"),
    ("id in (7)", "is text, but 7.0 is a number"),
)
def test_unlike_things_are_not_compared(text, problem):
    with pytest.raises(FilterError) as caught:
        Filter.parse(text).matches(ROW)
    assert problem in str(caught.value)
    assert text in str(caught.value)


def test_a_filter_knows_the_fields_it_reads():
    text = "a = 1 and (not b or c is null) and `d e` in (1) and f"
    assert Filter.parse(text).fields == {"a", "b", "c", "d e", "f"}


@pytest.mark.parametrize(
    "text",
    [
        "'" + "\\" * 9_990,
        '"' * 9_999,
        "a = " + "1" * 9_990 + "x",
        "`" * 9_999,
        "a in (" + "1," * 4_990,
        "((((" * 2_000,
        " " * 9_999,
        "a or " * 1_999 + "a",
        "a-" * 4_999,
    ],
)
def test_no_filter_takes_long_to_read(assert_quick, text):
    def read() -> None:
        with contextlib.suppress(FilterError):
            Filter.parse(text)

    assert_quick(read, 1)


@given(st.text(max_size=80) | st.text("()'\"=<>~,`andornti 01.", max_size=80))
def test_any_text_is_a_filter_or_a_clean_error(text):
    try:
        matches = Filter.parse(text).matches(ROW)
    except FilterError as error:
        assert str(error)
    else:
        assert matches in (True, False)
