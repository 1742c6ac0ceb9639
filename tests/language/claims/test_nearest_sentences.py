"""Sentences with their words, and those that are nearest to another text, worked out by hand."""

from hypothesis import given
from hypothesis import strategies as st
from pytest import mark

from ragauge.language.claims.nearest_sentences import (
    MAX_WORDS,
    SentenceIndex,
    sentences_of,
)
from ragauge.language.stems import stem, stemmed


def sentences(text):
    return [text[one.start : one.end] for one in sentences_of(text, stemmed(text))]


def index(*texts):
    return SentenceIndex(
        one for at, text in enumerate(texts) for one in sentences_of(text, stemmed(text), at)
    )


def nearest(query, most, *texts):
    made = index(*texts)
    found = made.nearest([word.stem for word in stemmed(query)], most)
    return [(made.sentences[at].text, made.sentences[at].start) for at in found]


@mark.parametrize(
    ("text", "expected"),
    [
        ("It opens in May. Why? — Snow.", ["It opens in May.", "Why?", "— Snow."]),
        ("夏に開く。冬は閉まる。", ["夏に開く。", "冬は閉まる。"]),
        ("Hut.\n---\nBus.", ["Hut.", "Bus."]),
        ("", []),
        ("…!", []),
    ],
)
def test_each_sentence_with_words_has_its_span(text, expected):
    assert sentences(text) == expected


def test_a_text_without_punctuation_is_cut_into_pieces_of_equal_numbers_of_words():
    text = " ".join(f"word{n}" for n in range(2 * MAX_WORDS + 1))
    found = list(sentences_of(text, stemmed(text)))
    assert [len(one.words) for one in found] == [MAX_WORDS, MAX_WORDS, 1]
    assert " ".join(text[one.start : one.end] for one in found) == text


@mark.parametrize(
    ("query", "texts", "places"),
    [
        # Of three sentences "hut" is in two, log(1 + 3/2) = .92, "june" in one, log(1 + 3/1) = 1.39; the
        # prefixes "hut" and "june" count half of the same, so the sentence with June comes first.
        ("The hut in June", ["A hut. Another hut. We open late, June."], [(0, 20), (0, 0)]),
        # Another form of a word counts half by its prefix.
        ("Hüttenwirt", ["Ein Bus. Die Hütten."], [(0, 9)]),
        # Equal sentences keep the order of the texts and strangers come last.
        ("hut", ["A bus.", "A hut! The hut."], [(1, 0), (1, 7), (0, 0)]),
        ("nothing", ["A bus.", "A hut.", "A car."], [(0, 0), (1, 0)]),
        # A repeated sentence takes one place.
        ("hut", ["The hut opens.", "the hut opens", "A hut."], [(0, 0), (2, 0)]),
    ],
)
def test_the_nearest_sentences_share_most_rare_words(query, texts, places):
    assert nearest(query, len(places), *texts) == places
    assert stem("hütten") != stem("hüttenwirt")


@given(st.lists(st.text("ab .\n東é-", max_size=30), max_size=4), st.text("ab 東é", max_size=10))
def test_any_texts_give_distinct_places_in_range(texts, query):
    made = index(*texts)
    found = made.nearest([word.stem for word in stemmed(query)], 3)
    assert len(set(found)) == len(found) == min(3, len(made.sentences))
    for one in made.sentences:
        assert texts[one.text][one.start : one.end].strip()
