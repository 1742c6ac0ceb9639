"""Groundedness by words, tokens and numbers: worked out by hand on an encoder with known vectors."""

import json
import re
from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.encoders.cached import CachedEncoder, pieces
from ragauge.encoders.local import LocalEncoder, Tokens
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.errors import EncoderError
from ragauge.language.claims.nearest_sentences import MAX_WORDS
from ragauge.language.numbers.numbers import quantities
from ragauge.metrics.groundedness import NEAREST, TIPPING_POINT, WEIGHTS, support
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
    """The parts of its first sentence but what the embedded reader says."""
    return tuple(part(score, name) for name in WEIGHTS if name != "reader")


def part(score: Score, name: str) -> object:
    evidence = score.evidence or {}
    return evidence["best_sentences"][0][name] if name in WEIGHTS else evidence[name]


def unsupported(score: Score) -> list[str]:
    spans = (score.evidence or {})["unsupported"]
    assert isinstance(spans, list)
    return [span["text"] for span in spans]


WHOLE = (1.0, 1.0, 1.0, 0.0)
"""The parts of a sentence that the contexts have word for word."""


def of_parts(*values: float, says: object) -> float:
    """The value of a sentence with these parts; `says`: the log-odds of the embedded reader."""
    weighed = zip(WEIGHTS.values(), (*values, says), strict=True)
    return 1 / (1 + exp(TIPPING_POINT - sum(weight * value for weight, value in weighed)))


def test_the_parts_are_added_as_they_are_described():
    # Content: huts, close, winter, inexpensive. Stems there: hut (of "hut"), winter: 2 of 4.
    # Cosines: "huts" is not "hut", 0; close 0; winter 1; inexpensive to cheap .8: 1.8 / 4 = .45.
    # Pairs: huts-close, close-in, in-winter, winter-and, and-inexpensive; "in winter" is there: 1 of 5.
    # The closeness of the one context sentence: the mean of .45 and .2.
    score = one("Huts close in winter and inexpensive", "The hut: open in winter, cheap.")
    expected = (0.5, 0.45, 0.325, 0.0)
    assert parts(score) == approx(expected)
    assert score.value == approx(of_parts(*expected, says=part(score, "reader")))


def test_numbers_that_no_context_has_are_taken_off():
    # Numbers: 5 there, as "five"; 1970 not. Content: fee, 5, 1970: fee is there, and 5 as a fact.
    # Pairs: the-fee and fee-is, of five. Closeness: the mean of 1/3 and 2/5.
    score = one("The fee is 5 since 1970", "The fee is five.")
    expected = (2 / 3, 2 / 3, (1 / 3 + 2 / 5) / 2, log(2))
    assert parts(score) == approx(expected)
    assert score.value == approx(of_parts(*expected, says=part(score, "reader")))
    assert unsupported(score) == ["1970"]


@cases(
    ("Ask Ann and Bob", 1),  # Bob is there
    ("Ann sleeps.", 0),  # a capital letter begins every sentence
    ("Ask Ann, Eve or Ann", 3),
    ("Ask Ann about 7 huts", 2),  # a name and a number
    ("In The Hut", 1),  # "The" is no content word
    ("This one has a dozen huts", 0),  # too vague to be looked for
)
def test_names_and_numbers_that_no_context_has_are_counted(answer, n_missing):
    assert part(one(answer, "Bob paid."), "missing") == approx(log(1 + n_missing))


def test_the_value_is_the_geometric_mean_of_the_sentences_by_their_content_words():
    # The first sentence (boots, left, outside) is there, of the second (gloves) nothing is.
    score = one("Boots left outside. Gloves.", "Open in May. Boots left outside.")
    first, second = part(score, "best_sentences")
    assert first["value"] == approx(of_parts(*WHOLE, says=first["reader"]))
    assert second["value"] == approx(of_parts(*[0.0] * 4, says=second["reader"]))
    assert score.value == approx((first["value"] ** 3 * second["value"]) ** (1 / 4))
    json.dumps(score.evidence)


def test_a_mere_source_needs_no_support_and_one_with_a_name_is_a_claim():
    for answer in (
        "Boots are left outside [2].",
        "According to the handbook, boots are left outside.",
        "Boots are left outside (source: boots-2, page 7).",
        "Boots are left outside. Sources: boots-2, Hut-Book",
        "Boots are left outside, as stated in the documents.",
    ):
        score = one(answer, "Boots are left outside.")
        assert (parts(score)[3], unsupported(score)) == (0.0, [])
        assert score.value == approx(of_parts(*WHOLE, says=part(score, "reader")))
    named = one("Boots stay outside, according to Ada.", "Boots stay outside.")
    assert unsupported(named) == ["according to Ada"]


def test_pairs_count_within_one_sentence_only():
    # Both words are in a sentence of their own (1/2, no pair), or in one (1, the pair).
    assert part(one("Boots outside", "Leave boots. Outside is cold."), "best_sentence") == 0.25
    assert part(one("Boots outside", "Leave boots outside."), "best_sentence") == approx(1)
    # The context with most of the words is named as the sample counts them.
    score = one("Boots are left outside", "", "Boots.", "Left outside.")
    assert (score.evidence or {})["best_context"] == {"context": 2, "coverage": approx(2 / 3)}


def test_each_sentence_of_the_answer_names_its_closest_sentence():
    contexts = ["", "Open in May. Boots are left outside!", "The hut sells gloves. No cats."]
    answer = "We sell gloves. Boots are left outside. Yes."
    score = one(answer, *contexts)
    shown = part(score, "best_sentences")
    read = [answer[each["start"] : each["end"]] for each in shown]
    assert read == ["We sell gloves.", "Boots are left outside."]
    assert [each["context"] for each in shown] == [2, 1]
    assert [each["text"] for each in shown] == ["The hut sells gloves.", "Boots are left outside!"]
    for each in shown:
        text = contexts[each["context"]]
        assert text[each["context_start"] : each["context_end"]] == each["text"]
    # Of "sell" and "gloves" the second is there; of the two pairs sell-gloves, by its stems.
    assert [each["closeness"] for each in shown] == approx([1 / 2, 1])


def test_an_answer_is_compared_with_its_nearest_sentences_only():
    far = [f"Cheap bus {n}." for n in range(NEAREST)]
    # The sentences with "hut" fill all places, so "cheap" is not among them and "inexpensive" has 0.
    near = [f"Hut {n}." for n in range(NEAREST)]
    assert part(one("Inexpensive hut", *far, *near), "precision") == approx(1 / 2)
    assert part(one("Inexpensive hut", *far[:1], *near[1:]), "precision") == approx(1.8 / 2)


def test_a_long_context_costs_the_encoder_no_more_than_its_nearest_sentences():
    encoder = Watched(Words())
    sentences = [f"Hut number {n} opens in May." for n in range(300)]
    (score,) = scored([("Hut 200 opens", [" ".join(sentences)])], encoder)
    assert encoder.n_encoded <= 1 + NEAREST
    (best,) = part(score, "best_sentences")
    assert best["text"] == sentences[200]


def test_texts_without_punctuation_are_compared_in_pieces():
    words = [f"word{n}" for n in range(3 * MAX_WORDS)]
    words[MAX_WORDS : MAX_WORDS + 2] = ["boots", "outside"]
    (best,) = part(one("Boots outside", " ".join(words)), "best_sentences")
    assert best["text"] == " ".join(words[MAX_WORDS : 2 * MAX_WORDS])
    assert best["closeness"] == approx(1)
    read = part(one("boots " * (5 * MAX_WORDS - 1) + "gloves", "coats gloves"), "best_sentences")
    assert [each["precision"] for each in read] == approx([0, 0, 0, 0, 1 / MAX_WORDS])


@cases(
    *((given, "none has text in it") for given in ([], [""], [" \n", "\t"])),
    (["…", "?!"], "none has a word in it"),
)
def test_without_any_words_in_the_contexts_nothing_is_supported(contexts, what):
    score = one("Boots are left outside.", *contexts)
    assert (score.value, score.status, score.evidence) == (0.0, Status.OK, {"contexts": what})


def test_an_answer_without_content_words_is_undefined():
    for answer in ("", " ", "Yes.", "It is not for you, is it?", "…?!", "a b", "OK"):
        score = one(answer, "Boots are left outside.")
        assert score.status is Status.UNDEFINED, answer
        assert score.reason == "the answer has no content words to look up"
    for answer in ("Two", "5", "東", "First", "No. 5"):
        assert one(answer, "Boots.").status is Status.OK, answer


@cases(
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
    # A compound is named whole.
    ("boots with built-in cave-ins", ["built-in cave-ins"]),
    ("cheap-looking boots", ["cheap-looking"]),
    ("Boots are 7th", ["7th"]),
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
    assert [(score.status.value, score.reason) for score in scores] == [
        ("failed", "context 2: too strange"),
        ("ok", None),
        ("failed", "answer: too strange"),
        ("failed", "context 2: far too strange"),
        ("undefined", "the answer has no content words to look up"),
    ]


def test_tokens_may_have_no_places_or_begin_with_a_space():
    # inexpensive .8, "and" 0, boots 1: all tokens count.
    (score,) = scored([("inexpensive and boots", ["cheap boots"])], Words(has_spans=False))
    assert part(score, "precision") == approx(1.8 / 3)
    assert unsupported(score) == ["inexpensive"]

    class Spaced(Words):
        def tokenize(self, texts):
            found = super().tokenize(texts)
            return [
                Tokens(one.ids, [(max(0, a - 1), b) for a, b in one.spans or ()], 1, 1)
                for one in found
            ]

    (score,) = scored([("boots gloves hats", ["boots hats"])], Spaced())
    assert unsupported(score) == ["gloves"]
    assert part(score, "precision") == approx(2 / 3)


def test_the_special_tokens_of_a_context_are_no_match():
    assert part(one("mark", "gloves"), "precision") == approx(0.0)
    assert part(one("mark", "gloves, mark"), "precision") == approx(1.0)
    # A token counts for every word that it reaches over: here 東京 is one token, for support two words.
    assert part(one("東京", "東京"), "precision") == approx(1.0)
    assert parts(one("東京", "京"))[:2] == (0.5, approx(0.0))


def test_no_more_than_a_piece_of_text_is_encoded_at_a_time(monkeypatch):
    monkeypatch.setattr(pieces, "__defaults__", (4_000,))
    encoder = Watched(Words())
    contexts = [f"hut number {n} " + "is open " * 20 for n in range(60)]
    rows = [("Hut 59 is open", contexts), ("boots", ["boots"])]
    assert sum(map(len, contexts)) > 2 * 4_000
    first, second = scored(rows, encoder)
    assert encoder.most_characters <= 4_000
    assert parts(first)[0] == 1.0
    assert second.value == approx(of_parts(*WHOLE, says=part(second, "reader")))


def test_a_swapped_name_is_found_and_named():
    score = rg.score("support", answer="Ann paid Bob.", contexts=["Bob paid Ann."])
    why = "says 'Ann paid Bob' where the closest sentence says 'Bob paid Ann'"
    assert (score.value <= 0.2, score.evidence["why"]) == (True, why)


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
        for each in part(score, "best_sentences"):
            assert [each[name] for name in ("coverage", "precision")] == approx([1, 1])
            assert each["missing"] == 0.0
        assert unsupported(score) == []


@cases(
    (
        "Die Reparaturen wurden von ihm bezahlt.",
        "Er bezahlte im Mai die Reparatur der Brücken.",
    ),
    ("Les réparations sont remboursées par elle.", "Elle rembourse la réparation du pont."),
)
def test_words_of_other_languages_are_compared_by_their_stems(answer, context):
    (sentence,) = rg.score("support", answer=answer, contexts=[context]).evidence["best_sentences"]
    assert (sentence["n_content_words"], sentence["coverage"]) == (2, 1.0)


def test_a_wrong_number_lowers_the_answer_and_a_wrong_word_its_sentence():
    right = "The pool opens at nine. Team costs $18 per month. Members may bring guests. The office is in Bergen."
    whole, number, word = (
        rg.score("support", answer=right.replace(*change), contexts=[right])
        for change in (("", ""), ("$18", "$19"), ("may bring", "may not bring"))
    )
    assert number.value < 0.2
    assert [each["kind"] for each in word.evidence["differences"]] == ["negation"]
    assert whole.value * 0.5 < word.value < whole.value * 0.75
    lowered = [each["value"] for each in word.evidence["best_sentences"]]
    assert [value < 0.2 for value in lowered] == [False, False, True, False]


def test_a_verbatim_answer_has_all_parts():
    score = one("Boots are left outside.", "In huts, boots are left outside. Always.")
    assert parts(score) == approx(WHOLE)
    assert score.value == approx(of_parts(*WHOLE, says=part(score, "reader")))
    assert unsupported(score) == []


def test_with_the_embedded_encoder_what_contexts_say_has_more():
    contexts = ["In May the hut opens its doors.", "The fee is $5."]
    answers = [
        "The hut opens in May.",
        "The hut opens in June.",
        "The fee is $5.",
        "The fee is $9.",
    ]
    answers += ["The hut opens in May. It was built by monks."]
    rows = [{"id": text, "answer": text, "contexts": contexts} for text in answers]
    scores = rg.evaluate(rows, "support").scores
    value = dict(zip(scores["id"], scores["value"], strict=True))
    assert value["The hut opens in May."] > value["The hut opens in June."]
    assert value["The hut opens in May."] > value["The hut opens in May. It was built by monks."]
    assert value["The fee is $5."] > value["The fee is $9."]
