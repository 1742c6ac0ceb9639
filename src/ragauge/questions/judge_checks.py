"""Two checks that need a judge: does it answer a question without the documents, and as its passage does?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.documents.reading import Documents
from ragauge.errors import PlanError
from ragauge.judges.protocol import Schema
from ragauge.judges.question import Question as JudgeQuestion
from ragauge.questions.checks import Checked, CheckResult, gold_passages, is_stated
from ragauge.questions.question import Question
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.calls.budget import CostEstimate
    from ragauge.judges.config import JudgeConfig
    from ragauge.judges.session import JudgeSession

PROMPT = "answer_question"
SCHEMA: Schema = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


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

    asked = _asked(checked, documents)
    replies = loop.run(_session(judge, cache).ask_all([each for _, _, each in asked]))
    results: dict[int, dict[str, CheckResult]] = {}
    for (place, name, _), reply in zip(asked, replies, strict=True):
        question = checked[place].question
        if isinstance(reply, Score):
            result = CheckResult("not checked", None, reply.reason or reply.status)
        else:
            result = _result(name, question, reply.value)
        results.setdefault(place, {})[name] = result
    return [_with(each, results.get(place, {})) for place, each in enumerate(checked)]


def estimate(
    checked: Sequence[Checked],
    documents: Documents,
    judge: "JudgeConfig",
    cache: str | Path | None = None,
) -> "Mapping[str, CostEstimate]":
    """The calls that the checks would still need, and their cost; makes none."""
    from ragauge.calls import loop

    session = _session(judge, cache).for_estimate()
    loop.run(session.ask_all([each for _, _, each in _asked(checked, documents)]))
    return {session.name: session.usage.estimate()}


def _asked(
    checked: Sequence[Checked], documents: Documents
) -> list[tuple[int, str, JudgeQuestion[str]]]:
    asked: list[tuple[int, str, JudgeQuestion[str]]] = []
    for place, each in enumerate(checked):
        if not (each.sound and each.question.answerable and each.question.references):
            continue
        text = each.question.question
        asked.append((place, "known", answering(text, None)))
        if passages := gold_passages(each.question, documents):
            texts = [passage.text for passage in passages]
            asked.append((place, "round_trip", answering(text, texts)))
    return asked


def answering(question: str, passages: Sequence[str] | None) -> JudgeQuestion[str]:
    """Asks the judge a question itself: from passages alone, or from what it knows where there are none."""
    texts = {"passages": passages, "question": question}
    return JudgeQuestion(PROMPT, texts, SCHEMA, _read, {"answer": "some words"})


def _read(fields: dict[str, Any]) -> str:
    return cast(str, fields["answer"]).strip()


def _result(name: str, question: Question, answer: str) -> CheckResult:
    shown = answer[:80]
    is_right = is_stated(question.question, question.references, answer)
    if is_right is None:
        reason = f"the judge's yes or no was not read: {shown!r}"
        return CheckResult("not checked", None, reason)
    if name == "known" and is_right:
        reason = f"the judge answers it without the documents: {shown!r}"
        return CheckResult("problem", 1.0, reason, "known_without_documents")
    if name == "round_trip" and not is_right:
        reason = f"the judge answers {shown!r} from its passage" if answer else "the judge finds no answer in its passage"  # fmt: skip
        return CheckResult("problem", 0.0, reason, "answer_not_in_documents")
    return CheckResult("ok", float(is_right))


def _with(checked: Checked, results: Mapping[str, CheckResult]) -> Checked:
    problems = [each.problem for each in results.values() if each.problem]
    return replace(
        checked,
        sound=checked.sound and not problems,
        problems=list(dict.fromkeys([*checked.problems, *problems])),
        checks={**checked.checks, **results},
    )


def _session(judge: "JudgeConfig", cache: str | Path | None) -> "JudgeSession":
    if len(judge.judges) != 1:
        raise PlanError([f"one judge checks the questions, got {len(judge.judges)}"])
    return next(iter(judge.sessions(cache).values()))
