"""Checks that need a model: does a judge answer without the documents, and as the passage does? Which rank by an encoder?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.documents.reading import Documents
from ragauge.errors import PlanError
from ragauge.judges.question import TEXT, object_of
from ragauge.judges.question import Question as JudgeQuestion
from ragauge.questions.checks import gold_passages, is_stated, not_checked
from ragauge.questions.question import Checked, CheckResult
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.config import JudgeConfig
    from ragauge.judges.session import JudgeSession

PROMPT = "answer_question"


def with_judge(
    checked: Sequence[Checked],
    documents: Documents,
    judge: "JudgeConfig",
    cache: str | Path | None = None,
) -> list[Checked]:
    """The questions with the checks `known` and `round_trip`; two calls for each sound one with a reference.

    `known`: the judge answers rightly without the documents, so that the question tests no retrieval.
    `round_trip`: the judge answers from the gold passage alone, and its answer is compared with the
    references. A call that failed is `not checked`.
    """
    from ragauge.calls import loop

    asked, found = _asked(checked, documents), list(checked)
    replies = loop.run(one_session(judge, cache).ask_all([each for _, _, each in asked]))
    for (place, name, _), reply in zip(asked, replies, strict=True):
        before = found[place]
        if isinstance(reply, Score):
            result = not_checked(reply.reason or reply.status)
        else:
            result = _result(name, before, reply.value)
        problems = [*before.problems, *filter(None, [result.problem])]
        checks = {**before.checks, name: result}
        found[place] = replace(before, sound=not problems, problems=problems, checks=checks)
    return found


def _result(name: str, checked: Checked, answer: str) -> CheckResult:
    shown, question = answer[:80], checked.question
    is_right = is_stated(question.question, question.references, answer)
    if is_right is None:
        return not_checked(f"the judge's yes or no was not read: {shown!r}")
    if name == "known" and is_right:
        reason = f"the judge answers it without the documents: {shown!r}"
        return CheckResult("problem", 1.0, reason, "known_without_documents")
    if name == "round_trip" and not is_right:
        found = f"answers {shown!r} from" if answer else "finds no answer in"
        reason = f"the judge {found} its passage"
        return CheckResult("problem", 0.0, reason, "answer_not_in_documents")
    return CheckResult("ok", float(is_right))


def estimate(
    checked: Sequence[Checked],
    documents: Documents,
    judge: "JudgeConfig",
    cache: str | Path | None = None,
) -> "Mapping[str, CostEstimate]":
    """The calls that the checks would still need, and their cost; makes none."""
    from ragauge.calls import loop

    session = one_session(judge, cache).for_estimate()
    loop.run(session.ask_all([each for _, _, each in _asked(checked, documents)]))
    return {session.name: session.usage.estimate()}


def _asked(
    checked: Sequence[Checked], documents: Documents
) -> list[tuple[int, str, JudgeQuestion[str]]]:
    asked: list[tuple[int, str, JudgeQuestion[str]]] = []
    for place, each in enumerate(checked):
        question = each.question
        if each.sound and question.answerable and question.references:
            asked.append((place, "known", answering(question.question, None)))
            if texts := [passage.text for passage in gold_passages(question, documents)]:
                asked.append((place, "round_trip", answering(question.question, texts)))
    return asked


def answering(question: str, passages: Sequence[str] | None) -> JudgeQuestion[str]:
    """Asks the judge a question itself: from passages alone, or from what it knows where there are none."""
    return JudgeQuestion(
        PROMPT,
        {"passages": passages, "question": question},
        object_of(answer=TEXT),
        lambda fields: str(fields["answer"]).strip(),
        {"answer": "some words"},
    )


def one_session(
    judge: "JudgeConfig", cache: str | Path | None, does: str = "checks"
) -> "JudgeSession":
    """The session of the only judge; PlanError for several."""
    if len(judge.judges) != 1:
        raise PlanError([f"one judge {does} the questions, got {len(judge.judges)}"])
    return next(iter(judge.sessions(cache).values()))


def with_encoder(
    checked: Sequence[Checked], documents: Documents, encoder: "Encoder | str"
) -> list[Checked]:
    """The questions with `encoder_rank`: the best rank of a gold passage by cosine among all passages, from 1."""
    if isinstance(encoder, str):
        from ragauge.encoders.factory import open_encoder

        encoder = open_encoder(encoder)
    passages = documents.passages
    vectors = encoder.encode([f"{each.heading}\n{each.text}" for each in passages])
    number = {each.id: place for place, each in enumerate(passages)}
    asked = encoder.encode([each.question.whole for each in checked])
    ranked: list[Checked] = []
    for each, vector in zip(checked, asked, strict=True):
        gold = [number[passage.id] for passage in gold_passages(each.question, documents)]
        result, cosines = not_checked("its passage is not given"), vectors @ vector
        if gold:
            result = CheckResult("ok", int((cosines > cosines[gold].max()).sum()) + 1)
        ranked.append(replace(each, checks={**each.checks, "encoder_rank": result}))
    return ranked
