"""Groundedness by words, tokens and numbers: worked out by hand on an encoder with known vectors."""

import json
import re
from collections.abc import Mapping, Sequence
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.encoders.cached import CHARACTERS_PER_CALL, CachedEncoder
from ragauge.encoders.embedded import MiniLM
from ragauge.encoders.local import LocalEncoder
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.encoders.tokens import Tokens
from ragauge.errors import EncoderError
from ragauge.language.numbers import quantities
from ragauge.metrics.groundedness import (
    STEEPNESS,
    TIPPING_POINT,
    TOKENS_AT_ONCE,
    support,
)
from ragauge.score import Score, Status

DIMENSION = 512
CHEAP = {"inexpensive": ("cheap", 0.8), "costly": ("cheap", 0.5), "7th": ("6th", 0.9)}
"""Words whose vectors lie near another word's, and the cosine; all others are orthogonal."""


class Words(LocalEncoder):
    """A model with one token a word, of a vector of its own; the special one has that of `mark`."""

    name, identity = "words", {"name": "words"}
    sentence_tokens = max_tokens = 8_192

    def __init__(self, *, has_spans: bool = True, refuses: Mapping[str, str] | None = None) -> None:
        self.numbers: dict[str, int] = {"mark": 0, "cheap": 1, "6th": 2}
        self.has_spans = has_spans
        self.refuses = refuses or {}

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        return [self._tokens(text) for text in texts]

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        for text in texts:
            if reason := self.refuses.get(text):
                raise EncoderError(reason)
        return super().encode_tokens(texts, layer=layer, long_text=long_text)

    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        words = list(self.numbers)
        table = np.zeros((len(words), DIMENSION), np.float32)
        for number, word in enumerate(words):
            near, cosine = CHEAP.get(word, (word, 1.0))
            table[number, self.numbers.get(near, number) % DIMENSION] = cosine
            table[number, -1 - number % 9] += (1 - cosine**2) ** 0.5
        return table[ids]

    def _tokens(self, text: str) -> Tokens:
        found = list(re.finditer(r"\w+|[^\w\s]", text.lower()))
        ids = [self.numbers.setdefault(match[0], len(self.numbers)) for match in found]
        spans = [(0, 0), *(match.span() for match in found), (0, 0)] if self.has_spans else None
        return Tokens([0, *ids, 0], spans, 1, 1)


class Watched(CachedEncoder):
    """An encoder that knows how much text it was asked for at a time."""

    most_characters = 0

    def tokens(self, texts, *, layer=None, long_text="cut"):
        self.most_characters = max(self.most_characters, sum(map(len, texts)))
        return super().tokens(texts, layer=layer, long_text=long_text)


def scored(rows: Sequence[tuple[str, list[str]]], encoder: LocalEncoder | Watched) -> list[Score]:
    answers, contexts = [answer for answer, _ in rows], [texts for _, texts in rows]
    given = [[quantities(text) for text in texts] for texts in contexts]
    shared = encoder if isinstance(encoder, Watched) else CachedEncoder(encoder)
    return support(answers, contexts, [*map(quantities, answers)], given, encoder=shared)


def one(answer: str, *contexts: str) -> Score:
    return scored([(answer, list(contexts))], Words())[0]


def parts(score: Score) -> tuple[object, ...]:
    evidence = score.evidence or {}
    return tuple(evidence[name] for name in ("coverage", "precision", "pairs", "numbers_not_found"))


def unsupported(score: Score) -> list[str]:
    spans = (score.evidence or {})["unsupported"]
    assert isinstance(spans, list)
    return [span["text"] for span in spans]


def of_sum(total: float) -> float:
    return 1 / (1 + exp(-STEEPNESS * (total - TIPPING_POINT)))


def test_the_parts_are_added_as_they_are_described():
    # Content: huts, close, winter, inexpensive. Stems there: hut (of "hut"), winter: 2 of 4.
    # Cosines: "huts" is no "hut", 0; close 0; winter 1; inexpensive to cheap .8: 1.8 / 4.
    # Pairs: huts-close, close-in, in-winter, winter-and, and-inexpensive; "in winter" is there: 1 of 5.
    score = one("Huts close in winter and inexpensive", "The hut: open in winter, cheap.")
    assert parts(score) == (0.5, approx(1.8 / 4), 0.2, 0.0)
    assert score.value == approx(of_sum(0.5 + 0.45 + 0.1))


def test_half_the_share_of_numbers_that_no_context_has_is_taken_off():
    # Numbers: 5 there, as "five"; 1970 not: 1 of 2. Content: fee, 5, since, 1970 less "since".
    score = one("The fee is 5 since 1970", "The fee is five.")
    assert parts(score)[3] == 0.5
    # Stems: fee of fee, 5, 1970. Pairs: the-fee, fee-is of five pairs.
    assert parts(score)[:3] == (approx(1 / 3), approx(1 / 3), 0.4)
    assert score.value == approx(of_sum(2 / 3 + 0.2 - 0.25))
    assert unsupported(score) == ["1970"]


def test_one_and_a_dozen_are_too_vague_to_be_looked_for():
    assert parts(one("This one has a dozen boots", "Boots."))[3] == 0.0


def test_an_answer_that_stands_in_a_context_has_all_parts():
    score = one("Boots are left outside.", "In huts, boots are left outside. Always.")
    assert parts(score) == (1.0, approx(1.0), 1.0, 0.0)
    assert score.value == approx(of_sum(2.5))
    assert unsupported(score) == []


def test_the_value_can_be_made_again_from_the_evidence():
    score = one("Boots cost $5, inexpensive", "Cheap boots for $7.")
    evidence = score.evidence or {}
    total = evidence["coverage"] + evidence["precision"] + evidence["pairs"] / 2
    total -= evidence["numbers_not_found"] / 2
    assert evidence["sum"] == approx(total)
    assert score.value == approx(of_sum(total))
    json.dumps(evidence)


def test_at_the_tipping_point_the_value_is_a_half():
    assert of_sum(TIPPING_POINT) == 0.5
    assert of_sum(2.5) == approx(0.97, abs=0.01)


def test_a_single_word_counts_as_its_own_pair():
    # stem, cosine and pair are there, or none of them is.
    assert one("Boots", "Boots are left outside.").value == approx(of_sum(2.5))
    assert one("Gloves", "Boots are left outside.").value == approx(of_sum(0))


def test_no_pair_reaches_from_one_context_into_the_next():
    assert parts(one("Boots outside", "Leave boots.", "Outside is cold."))[2] == 0.0
    assert parts(one("Boots outside", "Leave boots outside."))[2] == 1.0


def test_the_best_cosine_is_that_of_all_contexts():
    # inexpensive is to cheap .8, to gloves 0
    assert parts(one("Inexpensive", "Gloves.", "Cheap."))[1] == approx(0.8)
    assert parts(one("Inexpensive", "Cheap.", "Gloves."))[1] == approx(0.8)


def test_the_context_with_most_of_the_words_is_named_as_the_sample_counts_them():
    score = one("Boots are left outside", "", "Boots.", "Left outside.")
    assert (score.evidence or {})["best_context"] == {"context": 2, "coverage": approx(2 / 3)}


@pytest.mark.parametrize("contexts", [[], [""], [" \n", "\t"]])
def test_without_any_text_in_the_contexts_nothing_is_supported(contexts):
    (score,) = scored([("Boots are left outside.", contexts)], Words())
    assert (score.value, score.status) == (0.0, Status.OK)
    assert score.evidence == {"contexts": "none has text in it"}


@pytest.mark.parametrize(
    "answer", ["", " ", "Yes.", "It is not for you, is it?", "…?!", "a b", "OK"]
)
def test_an_answer_without_content_words_is_undefined(answer):
    score = one(answer, "Boots are left outside.")
    assert score.status is Status.UNDEFINED
    assert score.reason == "the answer has no content words to look up"


@pytest.mark.parametrize("answer", ["Two", "5", "東", "First", "No. 5"])
def test_a_number_or_a_sign_is_content(answer):
    assert one(answer, "Boots.").status is Status.OK


@pytest.mark.parametrize(
    ("answer", "spans"),
    [
        # Function words between two unsupported words belong to the span, those around it do not.
        ("The boots are of the finest leather for all.", ["finest leather"]),
        ("Gloves and of the hats", ["Gloves and of the hats"]),
        # A supported word parts two spans; so does the end of a sentence.
        ("Gloves, boots, hats", ["Gloves", "hats"]),
        ("Bring gloves. Wear hats.", ["Bring gloves", "Wear hats"]),
        ("Bring gloves\nWear hats", ["Bring gloves", "Wear hats"]),
        # .8 is alike, .5 is not; a number is said only as it stands, whatever its form.
        ("Inexpensive", []),
        ("Costly", ["Costly"]),
        ("boots for $1,000.00", []),
        ("boots for $1,001", ["$1,001"]),
        ("boots in March 2021", ["March 2021"]),
        ("Boots are 7th", ["7th"]),
    ],
)
def test_unsupported_runs_read_as_phrases(answer, spans):
    assert unsupported(one(answer, "Cheap boots cost 1000 dollars. Boots 6th.")) == spans


def test_spans_say_where_they_stand_and_long_lists_are_cut_and_counted():
    answer = "Boots, gloves. " * 300
    evidence = one(answer, "boots").evidence or {}
    spans = evidence["unsupported"]
    assert len(spans) == 200
    assert evidence["n_unsupported_cut"] == 100
    assert [answer[span["start"] : span["end"]] for span in spans] == ["gloves"] * 200


def test_a_text_without_vectors_fails_its_own_rows_only():
    encoder = Words(refuses={"bad": "too strange", "worse": "far too strange"})
    rows = [
        ("boots", ["boots", "bad"]),
        ("boots", ["boots"]),
        ("bad", ["boots"]),
        ("boots", ["", "worse", "bad"]),
        ("yes", ["bad"]),
    ]
    scores = scored(rows, encoder)
    assert [score.reason for score in scores] == [
        "context 1: too strange",
        None,
        "answer: too strange",
        "context 1: far too strange",
        "the answer has no content words to look up",
    ]
    assert [score.status.value for score in scores] == [
        *("failed", "ok", "failed", "failed", "undefined")
    ]


def test_an_encoder_that_is_down_fails_every_row_with_its_reason():
    class Down(Words):
        def encode_tokens(self, texts, *, layer=None, long_text="cut"):
            raise EncoderError("http://localhost:1 does not answer", is_down=True)

    scores = scored([("boots", ["boots"]), ("hats", ["hats"])], Down())
    assert {score.status for score in scores} == {Status.FAILED}
    assert all("does not answer" in (score.reason or "") for score in scores)


def test_where_a_tokenizer_shows_no_places_all_tokens_count():
    # inexpensive .8, "and" 0, boots 1
    (score,) = scored([("inexpensive and boots", ["cheap boots"])], Words(has_spans=False))
    assert parts(score)[1] == approx(1.8 / 3)
    assert unsupported(score) == ["inexpensive"]


def test_a_token_counts_for_every_word_that_it_reaches_over():
    # For this encoder 東京 is one token, for support two words.
    assert parts(one("東京", "東京"))[1] == approx(1.0)
    assert parts(one("東京", "京"))[:2] == (0.5, approx(0.0))


def test_a_space_before_a_word_may_belong_to_its_token():
    class Spaced(Words):
        def tokenize(self, texts):
            found = super().tokenize(texts)
            return [
                Tokens(one.ids, [(max(0, a - 1), b) for a, b in one.spans or ()], 1, 1)
                for one in found
            ]

    (score,) = scored([("boots gloves hats", ["boots hats"])], Spaced())
    assert unsupported(score) == ["gloves"]
    assert parts(score)[1] == approx(2 / 3)


def test_the_special_tokens_of_a_context_are_no_match():
    assert parts(one("mark", "gloves"))[1] == approx(0.0)
    assert parts(one("mark", "gloves, mark"))[1] == approx(1.0)


def test_texts_of_any_length_are_compared_whole_and_in_blocks():
    n = TOKENS_AT_ONCE
    answer = "boots " * (n + 5) + "hats gloves"
    context = "coats " * (n + 7) + "gloves"
    score = one(answer, context)
    assert parts(score)[1] == approx(1 / (n + 7))


def test_no_more_than_a_piece_of_text_is_encoded_at_a_time():
    encoder = Watched(Words())
    contexts = [f"hut number {n} " + "is open " * 120 for n in range(500)]
    rows = [("Hut 499 is open", contexts), ("boots", ["boots"])]
    assert sum(map(len, contexts)) > 2 * CHARACTERS_PER_CALL
    first, second = scored(rows, encoder)
    assert encoder.most_characters <= CHARACTERS_PER_CALL
    assert parts(first)[0] == 1.0
    assert second.value == approx(of_sum(2.5))


MODEL = CachedEncoder(MiniLM(threads=2))
ROWS = [
    ("The hut opens in May.", ["In May the hut opens its doors.", "The fee is $5."]),
    ("The fee is $9.", ["In May the hut opens its doors.", "The fee is $5."]),
    ("Dogs are free.", ["No animals.", "", "Dogs cost nothing, cats two euros."]),
    ("Das Haus ist im Mai offen.", ["The hut opens in May."]),
    ("東京は大きい", ["東京は日本の都市です。"]),
    ("Yes.", ["No."]),
    ("Boots 👢 only", []),
]


def data(scores: Sequence[Score]) -> list[object]:
    return [(score.value, score.status, score.reason, score.evidence) for score in scores]


def with_model(rows: Sequence[tuple[str, list[str]]]) -> list[object]:
    return data(scored(rows, MODEL.encoder))


def test_no_row_depends_on_the_others_to_the_last_bit():
    together = with_model(ROWS)
    assert [with_model([row])[0] for row in ROWS] == together
    assert with_model(ROWS[::-1])[::-1] == together
    assert with_model(ROWS * 3) == together * 3


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("The hut opens in May.", "The hut opens in June."),
        ("The fee is $5.", "The fee is $9."),
        ("In May the lodge is opened.", "In winter the bus is cancelled."),
        ("The hut opens in May.", "The hut opens in May. It was built by monks."),
    ],
)
def test_with_the_embedded_encoder_what_contexts_say_has_more(better, worse):
    contexts = ["In May the hut opens its doors.", "The fee is $5."]
    one, other = (rg.score("support", answer=text, contexts=contexts) for text in (better, worse))
    assert one.value > other.value


def test_a_swapped_name_passes_as_the_documentation_says():
    score = rg.score("support", answer="Ann paid Bob.", contexts=["Bob paid Ann."])
    assert score.value > 0.5


@settings(max_examples=3 * settings.default.max_examples // 5)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_any_texts_give_a_sound_score(answer, contexts):
    (score,) = scored([(answer, contexts)], Words())
    if score.value is None:
        assert score.status is Status.UNDEFINED
    else:
        assert 0 <= score.value <= 1
        json.dumps(score.evidence, allow_nan=False)


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(st.text("abc 12.,é東", max_size=40), st.text("abc 12.,é東", max_size=40))
def test_the_answer_itself_among_the_contexts_supports_it_wholly(answer, other):
    (score,) = scored([(answer, [other, answer])], Words())
    if score.value is not None:
        assert parts(score) == (1.0, approx(1.0, abs=1e-6), 1.0, 0.0)
        assert unsupported(score) == []
