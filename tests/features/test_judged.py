"""What judges say of texts: shared by metrics, and shown in parts where it would not fit the window."""

import asyncio
import re

from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.calls.budget import estimated_tokens
from ragauge.features.judged import (
    Claims,
    answer_in_reference,
    answer_questions,
    claims_of,
    context_relevance,
    reference_in_answer,
    support_of,
)
from ragauge.judges.session import JudgeSession

WINDOW = 3_000


def blocks(request):
    """The texts of a request's blocks by name, read back by their nonces."""
    found = {}
    text = request.messages[1].content
    for name, nonce, body in re.findall(r"<(\w+) id=(\w+)>\n(.*?)</\1 id=\2>", text, re.S):
        items = re.split(rf"(?m)^\[\d+ id={nonce}\]\n", body)[1:]
        found[name] = [one.removesuffix("\n") for one in items] if items else body[:-1]
    return found


def by_words(request):
    """Claims are the sentences; a claim is supported, and quoted, where it stands word for word; a
    context is relevant that says "fee"."""
    read = blocks(request)
    if request.prompt == "claims":
        rows = enumerate((text.strip(".") for text in read["sentences"]), 1)
        return {"sentences": [{"sentence": n, "claims": [c], "claim_free": False} for n, c in rows]}
    if request.prompt == "support":
        rows = enumerate(read["claims"], 1)
        return {"verdicts": [_verdict(n, claim, read["contexts"]) for n, claim in rows]}
    rows = enumerate(read["contexts"], 1)
    return {"verdicts": [{"context": n, "reason": "r", "relevant": "fee" in t} for n, t in rows]}


def _verdict(place, claim, contexts):
    at = next((at for at, text in enumerate(contexts, 1) if claim in text), 0)
    quote = claim if at else ""
    return {"claim": place, "reason": "r", "supported": bool(at), "context": at, "quote": quote}


def claims(*texts):
    return Claims(texts)


def shared(script=by_words, window=100_000):
    return JudgeSession(rg.ScriptedJudge(script), window=window)


def run(work):
    return asyncio.run(work)


def prompts(judge):
    return [one.prompt for one in judge.judge.requests]


def tokens(request):
    return sum(estimated_tokens(one.content) for one in request.messages)


def numbered(n, start=0):
    return " ".join(f"Room {place} of the hut has {place % 9} beds." for place in range(start, n))


def test_each_sentence_is_asked_once_in_one_call_and_those_without_a_claim_are_told():
    judge = shared()
    found = run(claims_of(judge, "What is the fee?", "It is $5. Dogs are free. ---"))
    assert found.texts == ("It is $5", "Dogs are free")
    (request,) = judge.judge.requests
    told = {"sentences": ["It is $5.", "Dogs are free."], "question": "What is the fee?"}
    assert blocks(request) == told
    said = [
        {"sentence": 1, "claims": [], "claim_free": True},
        {"sentence": 2, "claims": ["It is $5", "It is due in May"], "claim_free": False},
    ]
    found = run(claims_of(shared({"claims": {"sentences": said}}), None, "Hello! It is $5 in May."))
    assert (found.texts, found.claim_free) == (("It is $5", "It is due in May"), ("Hello!",))
    assert [one["prompt"] for one in found.calls] == ["claims"]


def test_a_blank_text_makes_no_claim_and_supports_nothing_and_nobody_is_asked():
    judge = shared()
    for text in ("", " \n\t", "\u200f\u200b", "\x00"):
        assert run(claims_of(judge, "Q?", text)) == Claims(())
        for found in (answer_in_reference, reference_in_answer):
            verdicts = run(found(claims("a"), text, judge=judge)).verdicts
            assert [one.supported for one in verdicts] == [False]
    assert prompts(judge) == []


def test_a_long_answer_is_asked_in_parts_and_every_sentence_once():
    text = numbered(200)
    judge = shared(window=WINDOW)
    found = run(claims_of(judge, "How many beds?", text))
    assert len(judge.judge.requests) > 2
    assert all(tokens(one) < WINDOW for one in judge.judge.requests)
    asked = [one for request in judge.judge.requests for one in blocks(request)["sentences"]]
    assert " ".join(asked) == text
    assert list(found.texts) == [one.strip(".") for one in asked]
    assert len(found.calls) == len(judge.judge.requests)


def test_one_part_that_fails_fails_the_whole():
    def script(request):
        return "rubbish" if "Room 199 " in request.messages[1].content else by_words(request)

    judge, text = shared(script, WINDOW), numbered(200)
    found = run(claims_of(judge, "How many beds?", text))
    assert (found.status, found.value) == ("failed", None)
    found = run(support_of(judge, claims("Room 3 of the hut has 3 beds"), [text]))
    assert (found.status, found.value) == ("failed", None)


def covered(context, shown):
    """Which characters of the context stand in one of the pieces that were shown."""
    seen = [False] * len(context)
    for piece in shown:
        at = context.find(piece)
        if at >= 0:
            seen[at : at + len(piece)] = [True] * len(piece)
    return seen


def test_contexts_that_do_not_fit_the_window_are_shown_in_parts_that_miss_nothing():
    contexts = [numbered(400), "The fee is $5.", numbered(700, 400)]
    asked = ("Room 3 of the hut has 3 beds", "Room 600 of the hut has 6 beds", "Dogs are free")
    judge = shared(window=WINDOW)
    found = run(support_of(judge, claims(*asked), contexts))
    requests = judge.judge.requests
    assert found.n_pieces == len(requests) > 3
    assert all(tokens(one) < WINDOW for one in requests)
    assert all(blocks(one)["claims"] == list(asked) for one in requests)
    shown = [piece for one in requests for piece in blocks(one)["contexts"]]
    for context in contexts:
        assert all(covered(context, shown))
    assert found.as_data()["contexts_shown_in"] == len(requests)
    assert len(found.calls) == len(requests)


def test_any_part_supports_and_the_quote_has_its_place_in_the_whole_context():
    contexts = [numbered(400), numbered(700, 400)]
    asked = [f"Room {place} of the hut has {place % 9} beds" for place in (0, 37, 399, 400, 699)]
    found = run(support_of(shared(window=WINDOW), claims(*asked), contexts))
    for claim, verdict in zip(asked, found.verdicts, strict=True):
        assert verdict.supported
        assert contexts[verdict.context][verdict.start : verdict.end] == claim
    assert [one.context for one in found.verdicts] == [0, 0, 0, 1, 1]


def test_no_statement_is_torn_apart_where_a_context_is_cut():
    asked = [f"Room {place} of the hut has {place % 9} beds" for place in range(200)]
    for begin in range(0, 200, 20):
        some = claims(*asked[begin : begin + 20])
        assert run(support_of(shared(window=WINDOW), some, [numbered(200)])).n_supported == 20


def test_a_part_that_quotes_rightly_counts_before_one_that_does_not():
    def script(request):
        found = by_words(request)
        for one in found["verdicts"]:
            one.update(supported=True, quote=one["quote"] or "words of nobody")
        return found

    asked = claims("Room 390 of the hut has 3 beds")
    (verdict,) = run(support_of(shared(script, WINDOW), asked, [numbered(400)])).verdicts
    assert verdict.is_quoted


def test_more_claims_than_fit_the_window_are_asked_in_groups():
    asked = [f"Room {place} of the hut has {place % 9} beds" for place in range(300)]
    judge = shared(window=WINDOW)
    found = run(support_of(judge, claims(*asked), [numbered(30), numbered(600, 290)]))
    assert all(tokens(one) < WINDOW for one in judge.judge.requests)
    assert [one.claim for one in found.verdicts] == asked
    supported = [place for place, one in enumerate(found.verdicts) if one.supported]
    assert supported == [*range(30), *range(290, 300)]


LONG = st.builds(
    lambda start, n, mark: numbered(start + n, start) + mark * (n // 2),
    st.integers(0, 10_000),
    st.integers(0, 300),
    st.sampled_from(["", " ", "雪", "é.", "x"]),
)


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(st.lists(LONG, min_size=1, max_size=4), st.integers(1_800, 6_000))
def test_whatever_the_window_no_character_is_left_out(contexts, window):
    judge = shared(window=window)
    run(support_of(judge, claims("Cats pay $9"), contexts))
    shown = [piece for one in judge.judge.requests for piece in blocks(one)["contexts"]]
    assert all(all(covered(context, shown)) for context in contexts)
    assert all(tokens(one) < window for one in judge.judge.requests)


def test_all_contexts_are_judged_in_one_call_with_the_references():
    judge = shared()
    contexts = ["The fee is $5.", "Dogs sleep.", "A fee of old."]
    found = run(context_relevance("What is the fee?", contexts, ["$5", "five"], judge=judge))
    assert [one.relevant for one in found.verdicts] == [True, False, True]
    (request,) = judge.judge.requests
    told = {"question": "What is the fee?", "references": ["$5", "five"]}
    assert blocks(request) == {"contexts": contexts, **told}


def test_a_context_is_relevant_of_which_any_part_is():
    contexts = [numbered(400), f"{numbered(600, 300)} The fee is $5.", "A fee.", "Dogs."]
    judge = shared(window=WINDOW)
    found = run(context_relevance("What is the fee?", contexts, None, judge=judge))
    assert [one.relevant for one in found.verdicts] == [False, True, True, False]
    assert found.n_pieces == len(judge.judge.requests) > 1
    assert all(tokens(one) < WINDOW for one in judge.judge.requests)
    told = found.as_data()
    assert told["contexts_shown_in"] == found.n_pieces
    assert len(told["contexts"]) == 4


@cases(("Hm.", ["questions", "rubric"]), *((blank, ["rubric"]) for blank in ("", " ", "\u200f")))
def test_the_rubric_grades_an_answer_that_answers_no_question(answer, asked):
    judge = shared({"questions": {"questions": []}, "rubric": {"reason": "r", "score": 0.25}})
    found = run(answer_questions("What is the fee?", "What is the fee?", answer, judge=judge))
    assert (found.questions, found.rubric.score) == ((), 0.25)
    assert prompts(judge) == [one["prompt"] for one in found.calls] == asked
