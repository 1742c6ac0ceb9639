import json
from math import log

import numpy as np
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from sklearn.feature_extraction.text import TfidfVectorizer

import ragauge as rg
from ragauge.encoders.cached import CachedEncoder
from ragauge.features.judged import QuestionsBack
from ragauge.judges.questions import GeneratedQuestion, Graded
from ragauge.metrics.relevance import (
    INDICATORS,
    answer_relevance,
    answer_terms,
    citation_quality,
    hybrid_relevance,
    question_coverage,
    question_terms,
)

WORDS = "the The base rate RATE rates c-1 C 293 ２９３ what's été 保険料 😀 � a_b ."
TEXT = st.lists(st.sampled_from([*WORDS.split(), "\n"])).map(" ".join)


def sklearn_cosine(question: str, answer: str) -> float:
    try:
        rows = TfidfVectorizer(stop_words="english").fit_transform([question, answer])
    except ValueError:  # empty vocabulary
        return 0.0
    return float((rows[0] @ rows[1].T).toarray()[0, 0])


def coverage(question: str, answer: str):
    return question_coverage(question_terms(question), answer_terms(answer))


def test_the_value_is_the_mean_of_cosine_and_jaccard():
    # Terms: {premium, rate} and {premium}. A term of one text only weighs c = ln(3/2) + 1, so the
    # cosine is 1 / sqrt(1 + c^2). Words: {what, premium, rate} and {premium, is} share 1 of 4.
    score = hybrid_relevance("What premium rate", "premium is")
    c = log(3 / 2) + 1
    assert score.evidence["cosine"] == approx(1 / (1 + c * c) ** 0.5, abs=1e-15)
    assert score.evidence["jaccard"] == 1 / 4
    assert score.evidence["common_terms"] == ["premium"]
    assert score.value == approx((1 / (1 + c * c) ** 0.5 + 1 / 4) / 2, abs=1e-15)


@cases(
    # {is, it} and {it, was}: 1 of 3 words, and no term for the cosine
    ("is it", "it was", 1 / 6),
    ("", "", 0),
    (" \n", "", 0),
    ("fee", "", 0),
    ("", "fee", 0),
)
def test_without_terms_only_the_words_count_and_without_words_nothing(question, answer, value):
    assert hybrid_relevance(question, answer).value == approx(value)


@given(TEXT, TEXT)
def test_the_cosine_is_that_of_scikit_learn_and_relevance_symmetric_and_within_bounds(
    question, answer
):
    found = hybrid_relevance(question, answer)
    assert found.evidence["cosine"] == approx(sklearn_cosine(question, answer), abs=1e-12)
    assert 0 <= found.value <= 1
    assert found.value == approx(hybrid_relevance(answer, question).value, abs=1e-15)


def test_coverage_is_the_share_of_the_questions_keywords_in_the_answer():
    # Keywords: base, rate, hurricane; the answer has two of them.
    score = coverage("What is the base rate for a hurricane?", "The base rate is 293.")
    assert score.value == approx(2 / 3)
    assert score.evidence == {"matched": ["base", "rate"], "missing": ["hurricane"]}
    # A word with a sign in it is no keyword.
    question = "Rule C-1, the state-of-the-art 1,000 in the U.S. today"
    assert question_terms(question) == {"rule", "today"}


@cases(
    ("Is it?", "", 1),  # no keyword
    ("", "Yes.", 1),
    ("Which rate?", "", 0),
    ("RATES", "rate", 0),
    ("RATES", "Rates!", 1),
    ("保険料 はいくら", "保険料 です", 0.5),
)
def test_keywords_are_compared_whole_and_without_case(question, answer, value):
    assert coverage(question, answer).value == value


@cases(
    ("", 0),
    ("The premium is $604.", 0),
    ("See page 4.", 1 / 3),
    ("Page 4, page 5 and page 6.", 1 / 3),
    ("According to page 4.", 2 / 3),
    ("Source: the PDF, page 4", 1),
    ("From the document, based on Table: 3, page 4", 1),
    ("the source is a table", 0),  # without their colons
)
def test_each_kind_of_indicator_counts_once_up_to_three(answer, value):
    assert citation_quality(answer).value == approx(value)


def test_there_are_eight_indicators():
    assert len(set(INDICATORS)) == 8
    assert citation_quality(" ".join(INDICATORS), enough=8).value == 1.0


VECTORS = {"east?": [1, 0], "north?": [0, 1], "west?": [-1, 0], "between?": [0.6, 0.8]}
VECTORS |= {"east ?": [1, 0], "near?": [0.8, 0.6]}


class ByHand:
    """An encoder whose vectors a person can multiply; "lost?" has none."""

    name = "by hand"
    identity = {"name": "by hand"}

    def encode(self, texts, *, long_text="cut"):
        if any("lost?" in text for text in texts):
            raise rg.EncoderError("no vector for 'lost?'")
        return np.array([VECTORS[text] for text in texts], np.float32)

    def count_tokens(self, texts):
        return None


def questions(*texts, noncommittal=()):
    rows = enumerate(texts)
    return {"questions": [{"question": t, "noncommittal": n in noncommittal} for n, t in rows]}


def score(script, label="answer_relevance", **fields):
    """The score, and the requests that were made for it."""
    judge = rg.ScriptedJudge(script)
    given = {"question": "east?", "answer": "Eastward.", **fields}
    found = rg.score(label, judge=judge, encoder=ByHand(), **given)
    return found, judge.requests


def prompts(requests):
    return [one.prompt for one in requests]


@cases(
    (("east?", "between?", "near?"), (1 + 0.6 + 0.8) / 3),
    (("north?", "between?", "near?"), (0 + 0.6 + 0.8) / 3),
    (("west?", "between?", "near?"), (-1 + 0.6 + 0.8) / 3),
    (("west?", "north?", "between?"), 0.0),  # (-1 + 0 + 0.6) / 3 is below 0
)
def test_the_mean_cosine_to_the_question_and_at_least_0(asked, value):
    found, requests = score({"questions": questions(*asked)})
    assert found.value == approx(value, abs=1e-6)
    assert prompts(requests) == ["questions"]
    assert [one["question"] for one in found.evidence["questions"]] == list(asked)
    cosines = [VECTORS[text][0] for text in asked]
    assert [one["cosine"] for one in found.evidence["questions"]] == approx(cosines)
    json.dumps(found.evidence)


def test_the_judge_that_makes_questions_does_not_see_the_question():
    _, (request,) = score({"questions": questions("east?", "north?", "near?")})
    everything = "".join(one.content for one in request.messages)
    assert "Eastward." in everything
    assert "east?" not in everything
    # One question suffices where one is wanted.
    found, _ = score({"questions": questions("near?")}, "answer_relevance(n_questions=1)")
    assert found.value == approx(0.8)


@cases(
    ((), {"none": 0.8, "any": 0.8, "all": 0.8}),
    ((1,), {"none": 0.8, "any": 0.0, "all": 0.8}),
    ((0, 1, 2), {"none": 0.8, "any": 0.0, "all": 0.0}),
)
def test_a_noncommittal_answer_counts_as_is_said(noncommittal, values):
    said = {"questions": questions("east?", "between?", "near?", noncommittal=noncommittal)}
    for setting, value in values.items():
        found, _ = score(said, f'answer_relevance(noncommittal="{setting}")')
        assert found.value == approx(value)
        assert found.evidence["noncommittal"] is (value == 0)
        flags = [one["noncommittal"] for one in found.evidence["questions"]]
        assert flags == [place in noncommittal for place in range(3)]
    assert score(said)[0].value == approx(values["all"])


def test_the_rubric_stands_in_where_no_question_is_answered():
    for grade in (0, 0.25, 1):
        said = {"questions": questions(), "rubric": {"reason": "off", "score": grade}}
        for setting in ("none", "any", "all"):
            found, requests = score(said, f'answer_relevance(noncommittal="{setting}")')
            assert (found.value, prompts(requests)) == (grade, ["questions", "rubric"])
            assert (found.evidence["rubric"], found.evidence["reason"]) == (grade, "off")
    found, requests = score({"rubric": {"reason": "blank", "score": 0}}, answer=" ")
    assert (found.value, prompts(requests)) == (0.0, ["rubric"])
    # ragas has none.
    found, _ = score(said, 'answer_relevance(variant="ragas-0.4")')
    assert (found.value, found.status) == (None, "undefined")


def test_nothing_is_near_a_blank_question_and_no_judge_is_asked():
    for question in ("", " \t", "\u200b"):
        found, requests = score({"questions": questions("a?", "b?", "c?")}, question=question)
        assert (found.value, found.status, requests) == (None, "undefined", [])


def test_an_encoder_that_fails_is_a_failure_that_keeps_the_judges_calls():
    found, _ = score({"questions": questions("east?", "lost?", "near?")})
    assert (found.value, found.status) == (None, "failed")
    assert "no vector for 'lost?'" in found.reason
    assert found.evidence["calls"][0]["prompt"] == "questions"


def test_a_row_that_fails_leaves_the_others_of_its_batch():
    def script(request):
        if "Hm." in request.messages[1].content:
            return "rubbish"
        return questions("east?", "between?", "near?")

    given = [("east?", "Eastward."), ("east?", "Hm."), ("", "Eastward."), ("north?", "Eastward.")]
    given = enumerate([*given, ("east?", None)], 1)
    rows = [{"id": str(at), "question": asked, "answer": answer} for at, (asked, answer) in given]
    for order, size in ((rows, 1), (rows, 10), (rows[::-1], 2)):
        judge = rg.ScriptedJudge(script)
        run = rg.evaluate(order, "answer_relevance", judge=judge, encoder=ByHand(), batch_size=size)
        assert dict(run.scores.select("id", "value").rows()) == approx(
            # (0 + .8 + .6) / 3 from the north
            {"1": 0.8, "2": None, "3": None, "4": 1.4 / 3, "5": None}
        )
        statuses = dict(run.scores.select("id", "status").rows())
        assert [statuses[id] for id in "235"] == ["failed", "undefined", "missing"]
        assert len(judge.requests) == 3


ANGLES = st.lists(st.tuples(st.floats(0, 6.28), st.booleans()), max_size=5)


@settings(max_examples=3 * settings.default.max_examples // 5)
@given(ANGLES, st.sampled_from(["none", "any", "all"]), st.sampled_from([0, 0.25, 1]))
def test_every_value_is_from_0_to_1(angles, noncommittal, grade):
    class Circle(ByHand):
        """Texts are angles."""

        def encode(self, texts, *, long_text="cut"):
            angles = np.array([float(text) for text in texts])
            return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    asked = tuple(GeneratedQuestion(str(angle), flag) for angle, flag in angles)
    back = QuestionsBack(asked, None if asked else Graded(grade, ""))
    (found,) = answer_relevance(
        ["0"], [back], judge=None, encoder=CachedEncoder(Circle()), noncommittal=noncommittal
    )
    assert 0 <= found.value <= 1
    flags = [flag for _, flag in angles]
    is_evasive = {"none": False, "any": any(flags), "all": all(flags)}[noncommittal]
    mean = np.mean([np.cos(angle) for angle, _ in angles]) if angles else grade
    assert found.value == approx(0 if angles and is_evasive else max(0, mean), abs=1e-6)
