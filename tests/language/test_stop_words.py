from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from ragauge.language.stop_words import NLTK_ENGLISH, SKLEARN_ENGLISH


def test_the_list_of_scikit_learn_is_its_own():
    assert SKLEARN_ENGLISH == ENGLISH_STOP_WORDS


def test_the_list_of_nltk_has_its_198_words():
    assert len(NLTK_ENGLISH) == 198
    assert {"is", "the", "at", "it", "don't", "they're", "ll", "ain"} <= NLTK_ENGLISH


def test_the_19_words_that_nltk_added_in_2024_are_contractions():
    added = """he'd he'll he's i'd i'll i'm i've it'd it'll she'd she'll they'd they'll they're
    they've we'd we'll we're we've"""
    assert len(NLTK_ENGLISH - set(added.split())) == 179


def test_neither_list_holds_what_a_question_asks_for():
    assert not (NLTK_ENGLISH | SKLEARN_ENGLISH) & {"premium", "rate", "118", "year"}
