"""Porter's stemmer beside NLTK's, and words with their places."""

import string
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from ragauge.language import stems
from ragauge.language.stems import ASCII_WORD, WORD, stem, stemmed

ORACLE = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)


def words(text: str) -> list[str]:
    return text.split()


SUFFIXES = words("""
    s es ed ing ings y sses ies eed at bl iz ational tional enci anci izer abli alli entli eli ousli
    ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical
    ful ness al ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize
    e ll
""")
BEGINNINGS = words("""
    a b y ab by tr tree oat ivy toy syzygy troubl privat caress pon cat agr plaster motor conflat hopp
    tann fall hiss fizz fail fil happ relat condition vietnam form electr hope reviv gyroscop adopt
    probat control roll yyy ñandú 1980
""")


def test_every_suffix_goes_as_it_does_in_nltk():
    endings = ("", "s", "ed", "ing", "ly", "ness", "ational")
    made = map("".join, product(BEGINNINGS, SUFFIXES, endings))
    assert [word for word in made if len(word) > 2 and stem(word) != ORACLE.stem(word)] == []


@given(st.text(string.ascii_lowercase, min_size=3, max_size=12), st.sampled_from(SUFFIXES))
def test_any_word_is_stemmed_as_it_is_in_nltk(beginning, suffix):
    assert stem(beginning + suffix) == ORACLE.stem(beginning + suffix)


def test_words_of_up_to_two_letters_stay():
    words = ["", "a", "is", "us", "ed", "5"]
    assert [stem(word) for word in words] == words


def test_words_stand_where_they_are_said_to_stand():
    text = "İstanbul's cafe\u0301s: 1,500.50 (2.5%), v1.2, 東京 U.S."
    found = stemmed(text)
    # The marked e is one letter with its mark; İ lower-cased is longer, and changes no place.
    assert [text[word.start : word.end] for word in found] == [
        *("İstanbul", "s", "cafe\u0301s", "1,500.50", "2.5", "v1.2", "東", "京", "U", "S")
    ]
    assert [word.lowered for word in found][2:4] == ["cafés", "1,500.50"]
    assert [word.stem for word in found][2:5] == ["café", "1500.50", "2.5"]


def test_thousands_are_read_without_their_separators():
    text = "1,234,567 12,34 in 1990, 200 came 5. …!?"
    expected = ["1234567", "12,34", "in", "1990", "200", "came", "5"]
    assert [word.stem for word in stemmed(text)] == expected
    assert list(stemmed("")) == []


@given(st.text(st.sampled_from("ab1_.,-' \n") | st.characters(max_codepoint=127)))
def test_a_text_of_ascii_has_the_same_words_by_either_pattern(text):
    plain, any_text = ASCII_WORD.finditer(text), WORD.finditer(text)
    assert [match.span() for match in plain] == [match.span() for match in any_text]


def test_stems_of_other_languages_are_the_same_in_eight_threads():
    endings = ("", "en", "er", "ung", "ungen", "lich", "keit", "heiten", "st", "te", "ten", "est")
    words = [
        f"{start}{end}" for start in ("haus", "zahl", "frei", "mess", "bau") for end in endings
    ]
    expected = [word.stem for word in stemmed(" ".join(words), "de")]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            stems._forms.cache_clear()
            with ThreadPoolExecutor(8) as pool:
                found = list(
                    pool.map(lambda _: [stemmed(word, "de")[0].stem for word in words], range(8))
                )
            assert found == [expected] * 8
    finally:
        sys.setswitchinterval(before)
