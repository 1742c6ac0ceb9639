"""G-Eval by hand: grades on a scale, and weighted by the probabilities of their tokens."""

import json
import math
import re

import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import ragauge as rg
from ragauge.judges.protocol import Reply, TokenChoice

LABEL = 'g_eval(criteria="Is it polite?")'
STEPS = {"steps": ["Read the answer.", "Look for kind words."]}


def score(grade, label=LABEL, steps=STEPS, **fields):
    """The score, and the requests that were made for it."""
    judge = rg.ScriptedJudge({"g_eval_steps": steps, "g_eval": grade})
    found = rg.score(label, judge=judge, **{"question": "Hi?", "answer": "Hello, dear.", **fields})
    return found, judge.requests


def grade(number):
    return {"reason": "kind", "score": number}


def with_settings(**more):
    return f'g_eval(criteria="Is it polite?",{",".join(f"{k}={json.dumps(v)}" for k, v in more.items())})'


def told(request):
    return request.messages[1].content


@cases(
    *((1, 5, 1, 0.0), (1, 5, 2, 0.25), (1, 5, 5, 1.0), (1, 5, "4", 0.75), (1, 5, 4.0, 0.75)),
    *((0, 10, 7, 0.7), (0, 10, 10, 1.0), (0, 1, 1, 1.0), (3, 5, 4, 0.5)),
)
def test_the_grades_place_on_its_scale(low, high, said, value):
    found, requests = score(grade(said), with_settings(low=low, high=high))
    assert found.value == approx(value)
    assert found.evidence["weighting"] == "none"
    assert found.evidence["probabilities"] == {}
    assert [one.prompt for one in requests] == ["g_eval_steps", "g_eval"]
    assert re.search(rf"\b{low}\b.*\b{high}\b", told(requests[1]).partition("</answer")[2])
    json.dumps(found.evidence)


def test_the_grade_is_asked_with_the_criterion_and_the_steps_of_the_judge():
    found, (first, second) = score(grade(3))
    assert "Hello, dear." not in told(first)
    assert "Is it polite?" in told(first)
    assert "Is it polite?" in told(second)
    assert "1. Read the answer.\n2. Look for kind words.\n" in told(second)
    assert found.evidence["steps"] == STEPS["steps"]
    assert [one["prompt"] for one in found.evidence["calls"]] == ["g_eval_steps", "g_eval"]
    assert (first.wants_logprobs, second.wants_logprobs) == (False, True)
    # The user's own steps replace them.
    found, (request,) = score(grade(3), with_settings(steps=["Count the thanks."]))
    assert request.prompt == "g_eval"
    assert "1. Count the thanks.\n" in told(request)
    assert found.evidence["steps"] == ["Count the thanks."]


@pytest.mark.parametrize("size", [2, 100])
def test_steps_are_asked_once_for_all_rows_and_a_row_for_itself(size):
    rows = [{"id": str(n), "question": "Hi?", "answer": f"Hello {n}."} for n in range(6)]
    judge = rg.ScriptedJudge({"g_eval_steps": STEPS, "g_eval": grade(4)})
    run = rg.evaluate(rows, LABEL, judge=judge, batch_size=size)
    assert run.scores["value"].to_list() == [0.75] * 6
    prompts = [one.prompt for one in judge.requests]
    assert (prompts.count("g_eval_steps"), prompts.count("g_eval")) == (1, 6)


SHOWING = with_settings(shows=["answer", "references", "contexts"], steps=["Read."])


def test_only_the_fields_that_are_shown_are_told():
    fields = {"references": ["Greet back."], "contexts": ["A phrase book."]}
    _, requests = score(grade(3), **fields)
    assert "Hi?" in told(requests[1])
    assert "Greet back." not in told(requests[1])
    _, (request,) = score(grade(3), SHOWING, **fields)
    assert told(request).startswith("<contexts id=")
    assert "A phrase book." in told(request)
    assert "Greet back." in told(request)
    assert "<question" not in told(request)
    # What is empty is shown empty and is not missing.
    found, (request,) = score(grade(1), SHOWING, answer="", references=[], contexts=[])
    assert found.value == 0.0
    for name in ("answer", "references", "contexts"):
        assert f"<{name} id=" in told(request)


def test_a_field_to_be_shown_that_the_sample_lacks_is_missing():
    for name in ("question", "references", "contexts"):
        found, requests = score(grade(3), with_settings(shows=["answer", name]), **{name: None})
        assert (found.status, found.reason) == ("missing", f"the sample has no {name}")
        assert requests == []


@cases(
    *((label, "needs a criterion") for label in ("g_eval", 'g_eval(criteria="  ")')),
    *(
        (f'g_eval(criteria="Is it {mark}?")', "criteria must not contain {{")
        for mark in ("{{answer}}", "[[low]]")
    ),
    (with_settings(steps=["Use {{answer}}."]), "steps must not contain {{"),
    (with_settings(steps=["Read.", " "]), "a step is empty"),
    (with_settings(low=5), "low must be below high, got 5 and 5"),
    (with_settings(low=-1), "low must be a whole number from 0 to 10"),
    *((with_settings(high=n), "high must be a whole number from 0 to 10") for n in (11, 4.5)),
    (with_settings(shows=[]), "shows must name at least one field"),
    (with_settings(shows=["id"]), "shows must be"),
)
def test_settings_that_cannot_be_asked_are_refused_before_any_call(label, problem):
    with pytest.raises(rg.PlanError, match=re.escape(problem)):
        score(grade(3), label)


def spoken(*tokens, instead=(), at=None):
    """A reply of these tokens. The one at `at` has these probabilities in its place, by token."""
    at = next(n for n, one in enumerate(tokens) if one.strip(' "').isdigit()) if at is None else at
    others = tuple((token, math.log(chance)) for token, chance in instead)
    choices = (TokenChoice(t, others if n == at else ((t, 0.0),)) for n, t in enumerate(tokens))
    return Reply("".join(tokens), logprobs=tuple(choices))


BEFORE = ('{"', "reason", '": "', "kind", '", "score": ')
CHANCES = (("4", 0.5), ("5", 0.3), ("3", 0.2))  # 2 + 1.5 + .6 = 4.1


@pytest.mark.parametrize(
    "tokens",
    [
        (*BEFORE, "4", "}"),
        ('{"reason": "kind", "', "score", '":', " 4", "}"),
        ('{"reason": "kind", "sco', 're"', ":", " ", "4", "\n}"),
        ('{"score": ', "4", ', "reason": "rather a 5 than a 3, score: 2"}'),
        ("Here:\n", '{"reason": "said \\"score\\": 1 before", "score": ', "4", "}", "\nDone."),
        ("```json\n", *BEFORE, "4", "}", "\n```"),
        ('As "score": ', "2", ' would be low:\n{"reason": "kind", "score": ', "4", "}"),
    ],
)
def test_the_mean_of_grades_weighted_with_their_probabilities(tokens):
    at = next(n for n, one in enumerate(tokens) if one.strip() == "4")
    found, _ = score(spoken(*tokens, instead=CHANCES, at=at))
    assert found.evidence["weighting"] == "probabilities"
    assert found.evidence["weighted_grade"] == approx(4.1)
    assert found.evidence["grade"] == 4
    assert found.value == approx((4.1 - 1) / 4)
    assert found.evidence["probabilities"] == approx({"3": 0.2, "4": 0.5, "5": 0.3})


def test_what_is_no_grade_of_the_scale_is_left_out_and_spellings_are_summed():
    no_grades = (("9", 0.2), ("0", 0.1), ("four", 0.05), ("٤", 0.05))
    chances = (("4", 0.3), (" 4", 0.2), ("5", 0.1), *no_grades)
    found, _ = score(spoken(*BEFORE, "4", "}", instead=chances))
    # (.5 · 4 + .1 · 5) / .6
    assert found.evidence["weighted_grade"] == approx(2.5 / 0.6)
    assert found.evidence["probabilities"] == approx({"4": 0.5, "5": 0.1})


@pytest.mark.parametrize(
    "reply",
    [
        # The grade shares its token with something else.
        spoken(*BEFORE, '4"', "}", instead=CHANCES, at=5),
        spoken('{"reason": "kind"', ', "score": 4}', instead=CHANCES, at=1),
        # The tokens are of another text than the reply's.
        Reply(json.dumps(grade(4)), logprobs=spoken(*BEFORE, "5", "}", instead=CHANCES).logprobs),
        Reply(json.dumps(grade(4)), logprobs=spoken("4", instead=CHANCES).logprobs),
        Reply(json.dumps(grade(4)), logprobs=()),
        Reply(json.dumps(grade(4))),
        # Nothing was told of what might have stood there.
        Reply(json.dumps(grade(4)), logprobs=tuple(TokenChoice(one, ()) for one in (*BEFORE, "4", "}"))),
    ],
)  # fmt: skip
def test_without_the_probabilities_of_the_grade_it_counts_as_said(reply):
    text = reply.text.replace('4"}', "4}")
    found, _ = score(Reply(text, logprobs=reply.logprobs))
    assert found.value == 0.75
    assert (found.evidence["weighting"], found.evidence["probabilities"]) == ("none", {})


TO_TEN = with_settings(low=0, high=10)


def test_ten_is_weighted_as_one_token_and_not_as_two():
    chances = (("10", 0.6), ("9", 0.3), ("1", 0.1))  # 6 + 2.7 + .1
    found, _ = score(spoken(*BEFORE, "10", "}", instead=chances), TO_TEN)
    assert found.value == approx(0.88)
    # "1" may be the beginning of 10: that 9 and 1 weigh 5 together would be wrong.
    for tokens in ((*BEFORE, "9", "}"), (*BEFORE, "1", "0", "}"), (*BEFORE, "1", "}")):
        said = json.loads("".join(tokens))["score"]
        found, _ = score(spoken(*tokens, instead=(("9", 0.5), ("1", 0.5)), at=5), TO_TEN)
        assert (found.value, found.evidence["weighting"]) == (said / 10, "none")
    found, _ = score(spoken(*BEFORE, "9", "}", instead=(("9", 0.5), ("8", 0.5))), TO_TEN)
    assert found.value == approx(0.85)


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(st.dictionaries(st.integers(0, 10), st.floats(1e-6, 1), min_size=1), st.data())
def test_the_weighted_grade_lies_between_the_grades(chances, data):
    said = data.draw(st.sampled_from(sorted(chances)))
    tokens = [(str(number), chance) for number, chance in chances.items()]
    found, _ = score(spoken(*BEFORE, str(said), "}", instead=tokens, at=5), TO_TEN)
    grades = chances if 1 not in chances or 10 in chances else {said: 1.0}
    mean = sum(number * chance for number, chance in grades.items()) / sum(grades.values())
    assert found.value == approx(mean / 10)
    assert 0 <= found.value <= 1


def test_a_grade_off_the_scale_is_a_failure():
    for said in (0, 6, 3.5, "good", True, None):
        found, requests = score(grade(said))
        assert (found.value, found.status, len(requests)) == (None, "failed", 3), said
