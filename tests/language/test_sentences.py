import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragauge.errors import LabelError, MissingExtraError, PlanError
from ragauge.features.texts import answer_sentences, reference_sentences
from ragauge.language import sentences as features
from ragauge.language.sentences import Splitter, split_sentences
from ragauge.language.text import sentences
from ragauge.metric import FEATURES

imports_spacy = pytest.mark.slow  # which alone takes seconds
TEXT = st.lists(
    st.sampled_from(["A fee.", "b", "[1]", "[2, 3]", "---", "😀", "\ud800", "5", " ", "\n", "。"])
).map("".join)


@pytest.fixture(autouse=True)
def nothing_loaded_yet():
    """Each test finds its own NLTK data and pipelines."""
    features._punkt.cache_clear()
    features._parser.cache_clear()
    yield
    features._punkt.cache_clear()
    features._parser.cache_clear()


@pytest.fixture
def punkt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Punkt model that knows one abbreviation, which the rules do not: "gadg."."""
    model = tmp_path / "tokenizers" / "punkt_tab" / "english"
    model.mkdir(parents=True)
    for name in ("collocations.tab", "sent_starters.txt", "ortho_context.tab"):
        (model / name).write_text("", encoding="utf-8")
    (model / "abbrev_types.txt").write_text("gadg\n", encoding="utf-8")
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])


def test_answers_and_references_are_split_alike():
    text = "Mr. Fox pays $3.50. Why? He must."
    expected = ("Mr. Fox pays $3.50.", "Why?", "He must.")
    assert answer_sentences(text) == reference_sentences(text) == expected


@pytest.mark.parametrize("splitter", ["rules", "nltk", pytest.param("spacy", marks=imports_spacy)])
def test_a_text_that_says_nothing_has_no_sentence(splitter: Splitter, punkt: None):
    for text in ("", " \n", "---", "...", "😀 👍", "[1]", "[1][2, 3].", "|-|\n***"):
        assert split_sentences(text, splitter) == (), text


def test_only_what_has_a_letter_or_a_digit_is_a_sentence():
    text = "# Fees\n---\nIt is $5. [1, 2]\n\nThanks! 🎉\n[3-5]"
    assert split_sentences(text) == ("# Fees", "It is $5.", "Thanks!")
    for text in ("5", "[a]", "[12] days", "ไม่มีค่าธรรมเนียม", "✅ Yes", "是。"):
        assert split_sentences(text) == (text,)


@given(TEXT)
def test_the_rules_sentences_are_those_of_the_splitter_that_say_something(text: str):
    found = split_sentences(text)
    assert [one for one in sentences(text) if one in found] == list(found)
    left_out = set(sentences(text)) - set(found)
    assert all(not one.strip("[123, ]-😀\ud800。\n") for one in left_out)


def test_an_unknown_splitter_is_refused_with_those_there_are():
    for name in ("answer_sentences", "reference_sentences"):
        with pytest.raises(LabelError, match="'rules', 'nltk', 'spacy'"):
            FEATURES[name].read_settings({"splitter": "punkt"})


def test_nltk_splits_by_the_installed_punkt_model(punkt: None):
    text = "See Gadg. Five for it. Dr. Lee does."
    assert split_sentences(text, "nltk") == ("See Gadg. Five for it.", "Dr.", "Lee does.")
    assert split_sentences(text) == ("See Gadg.", "Five for it.", "Dr. Lee does.")


def test_what_has_to_be_installed_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(PlanError, match=r"nltk\.downloader punkt_tab, or use splitter=\"rules\""):
        split_sentences("A fee.", "nltk")
    features._punkt.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[nltk\]"):
        split_sentences("A fee.", "nltk")
    monkeypatch.setattr(features, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[spacy\]"):
        split_sentences("A fee.", "spacy")


@pytest.fixture
def at_semicolons(monkeypatch: pytest.MonkeyPatch):
    """An installed pipeline that ends sentences at semicolons only, and takes 40 characters."""
    nlp = pytest.importorskip("spacy").blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.max_length = 40
    monkeypatch.setattr(features, "installed_pipeline", lambda: nlp)
    return nlp


@imports_spacy
def test_spacy_splits_by_the_installed_pipeline(at_semicolons):
    text = "Pay now. Or later; or never."
    assert split_sentences(text, "spacy") == ("Pay now. Or later;", "or never.")
    # A text longer than the pipeline takes is split by spaCy's own sentencizer.
    assert split_sentences("Pay now; or later. " * 3, "spacy") == ("Pay now; or later.",) * 3


@imports_spacy
def test_without_an_installed_pipeline_spacys_sentencizer_splits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(features, "installed_pipeline", lambda: None)
    # Its tokenizer keeps "Dr." and "Gadg." differs: unknown to it, so a stop.
    expected = ("Dr. Lee pays.", "He must!", "Gadg.", "is on.")
    assert split_sentences("Dr. Lee pays. He must! Gadg. is on.", "spacy") == expected
    assert split_sentences("A \ud800 fee. B.", "spacy")[0] == "A \ud800 fee."


@imports_spacy
def test_components_that_find_no_sentences_do_not_run(at_semicolons):
    @pytest.importorskip("spacy").Language.component("ragauge_test_breaks")
    def breaks(doc):
        raise AssertionError("not asked for")

    at_semicolons.add_pipe("ragauge_test_breaks")
    assert split_sentences("One; two", "spacy") == ("One;", "two")


@imports_spacy
def test_a_pipeline_is_loaded_once(monkeypatch: pytest.MonkeyPatch):
    loads: list[int] = []
    monkeypatch.setattr(features, "installed_pipeline", lambda: loads.append(1))
    split_sentences("One.", "spacy")
    split_sentences("Two.", "spacy")
    assert loads == [1]
