"""The words of a text, and which dates and numbers they can begin."""

import re

from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.language.characters import lower_letters
from ragauge.language.dates.dates import dates, dates_by_name, months_of
from ragauge.language.words import DATE_NAMES, NUMBER_WORDS, words, words_of


def test_words_are_lower_case_without_signs():
    assert words("Don't stop_it, U.S.!") == ["don", "t", "stop_it", "u", "s"]
    assert words_of("a é. A").listed == ["a", "é", "a"]
    assert words_of("").listed == []
    assert words_of("a b a") is words_of("a b a")


def test_a_text_with_a_name_of_dates_is_searched_for_dates():
    forms = ("In {} it rained", "({}).", "_{}_ é", "é–{}’s")
    for name in DATE_NAMES:
        texts = [form.format(name.title()) for form in forms] + [f"({name.upper()})."]
        assert all(words_of(text).date_names for text in texts), name


def test_a_text_with_a_number_word_is_searched_for_numbers():
    for word in NUMBER_WORDS:
        for text in (f"At {word.title()}-odd", f"“{word}”", f"__{word}__", f"{word},"):
            assert words_of(text).number_names, text


@cases(
    *("5 March 2021", "May 5", "on Mondays", "at noon", "third-quarter results"),
    *("twentieth-centuries' end", "on _Friday_", "sept. 3 2020", "–June 2020–"),
    "12 Ağu, 3 Mar 2020",
)
def test_no_date_with_a_name_is_missed(text: str):
    assert list(dates_by_name(text, text))
    assert words_of(text).date_names
    assert any(date in dates(text) for date in dates_by_name(text, text))


MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)


@given(
    st.lists(
        st.sampled_from(
            (*DATE_NAMES, *" _-.5é–İK\u0301", "Mar", "MAY", "Sept", "mayor", "decem", "ſep", "s")
        ),
        max_size=9,
    )
)
def test_the_months_among_the_words_are_all_months_of_the_text(pieces):
    text = "".join(pieces)
    every = [
        found.span()
        for at in range(len(text))
        if (found := MONTH.match(text, at)) and not (at and text[at - 1].isalnum())
    ]
    names = words_of(text).date_names
    assert [found.span() for found in months_of(text, lower_letters(text), names)] == every
