"""G-Eval: answers and conversations graded by criteria that the user writes."""

import math
import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Annotated, Literal, cast

from ragauge.conversations.transcript import Transcript
from ragauge.features.judged_conversations import ConversationVerdicts, shown_to
from ragauge.judges import questions
from ragauge.judges.protocol import Reply
from ragauge.judges.session import JudgeSession
from ragauge.label import SettingValue
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Constraint, is_within

Field = Literal["question", "answer", "references", "contexts"]
MAX_GRADES = 10
ROUNDING = 1e-3
"""How far above 0 a log-probability may be, since endpoints round."""
GRADE = re.compile(r'"score"\s*:\s*"?(\d)')


_is_grade = partial(is_within, low=0, high=MAX_GRADES)
Bound = Annotated[int, Constraint(f"a whole number from 0 to {MAX_GRADES}", _is_grade)]


def is_askable(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with the settings: no criterion, no field to show, a scale of one grade."""
    criteria = str(settings.get("criteria") or "")
    steps = tuple(map(str, cast(Sequence[object], settings.get("steps") or ())))
    if not criteria.strip():
        return 'g_eval needs a criterion: g_eval(criteria="Is the answer polite?")'
    if not all(step.strip() for step in steps):
        return "a step is empty; leave it out"
    if problem := _wrong_scale(settings, criteria=(criteria,), steps=steps):
        return problem
    return None if settings.get("shows") else "shows must name at least one field"


def _wrong_scale(settings: Mapping[str, SettingValue], **texts: Sequence[str]) -> str | None:
    """What is wrong with texts of the user's that go into a prompt, or with the ends of the scale."""
    for name, given in texts.items():
        if any(mark in text for text in given for mark in ("{{", "[[")):
            return f"{name} must not contain {{{{ or [[, which mark placeholders in prompts"
    low, high = settings.get("low"), settings.get("high")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        return f"low must be below high, got {low} and {high}"
    return None


@metric(version=1, check=is_askable, prompts=("g_eval_steps", "g_eval"))
async def g_eval(
    question_in_context: str | None,
    answer: str,
    references: Sequence[str] | None,
    contexts: Sequence[str] | None,
    *,
    judge: JudgeSession,
    criteria: str = "",
    steps: tuple[str, ...] = (),
    shows: tuple[Field, ...] = ("question", "answer"),
    low: Bound = 1,
    high: Bound = 5,
) -> Score:
    """The grade that a judge gives the answer by your own criterion, as in G-Eval.

    In [0, 1]: (grade - low) / (high - low), for grades from `low` to `high`. If the judge's endpoint
    returns token probabilities, the grade is the mean of all grades weighted by probability, as in the
    paper; otherwise it is the grade in the reply. `weighting` in the evidence says which. Unless
    `steps` is given, the judge first writes the grading steps from `criteria`, once for the whole run.
    `shows` lists the fields that the judge sees; missing if the sample lacks one of them. Failed if the
    judge fails.

    Source: Liu et al. 2023 (G-Eval), section 2.

    >>> import ragauge as rg
    >>> judge = rg.ScriptedJudge({"g_eval_steps": {"steps": ["Read."]}, "g_eval": {"reason": "…", "score": 4}})
    >>> score = rg.score('g_eval(criteria="Is it polite?")', question="Hi?", answer="Hello, dear.", judge=judge)
    >>> score.value, score.evidence["weighting"]
    (0.75, 'none')
    """
    given = {
        "question": question_in_context,
        "answer": answer,
        "references": references,
        "contexts": contexts,
    }
    for name in shows:
        if given[name] is None:
            return Score.missing(f"the sample has no {name}")
    calls: list[Mapping[str, object]] = []
    if not steps:
        planned = await judge.ask(questions.steps(criteria, low, high))
        if isinstance(planned, Score):
            return planned
        steps = planned.value
        calls.append(planned.call)
    texts = {name: text if name in shows else None for name, text in given.items()}
    asked = await judge.ask(questions.grade(criteria, steps, texts, low, high))
    if isinstance(asked, Score):
        return asked
    chances = _chances(asked.reply, int(asked.value.score), low, high)
    grade = asked.value.score
    if chances:
        grade = sum(other * chance for other, chance in chances.items()) / sum(chances.values())
    evidence = {
        "grade": asked.value.score,
        "weighted_grade": grade,
        "weighting": "probabilities" if chances else "none",
        "probabilities": {str(other): chance for other, chance in sorted(chances.items())},
        "reason": asked.value.reason,
        "steps": list(steps),
        "calls": [*calls, asked.call],
    }
    return Score((grade - low) / (high - low), evidence=evidence)


def _chances(reply: Reply, stated: int, low: int, high: int) -> dict[int, float]:
    """The probability of each grade where the reply states one; {} without token probabilities."""
    tokens = reply.logprobs or ()
    found = list(GRADE.finditer("".join(token.token for token in tokens)))
    ends = accumulate(len(token.token) for token in tokens)
    at = found[-1].start(1) if found else math.inf
    choice = next((token for token, end in zip(tokens, ends, strict=True) if at < end), None)
    if choice is None or _as_grade(choice.token) != stated:
        return {}
    chances: dict[int, float] = {}
    for token, logarithm in choice.alternatives:
        grade = _as_grade(token)
        is_number = math.isfinite(logarithm) and logarithm <= ROUNDING
        if is_number and grade is not None and low <= grade <= high:
            chances[grade] = chances.get(grade, 0.0) + math.exp(logarithm)
    # If a tokenizer splits 10, its first token equals that of grade 1.
    is_doubtful = high >= 10 and 1 in chances and 10 not in chances
    return {} if is_doubtful or not sum(chances.values()) else chances


def _as_grade(token: str) -> int | None:
    text = token.strip()
    return int(text) if text.isascii() and text.isdigit() else None


def is_askable_of_conversation(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with the settings: no criterion, an empty one, a scale of one grade."""
    criteria = tuple(map(str, cast(Sequence[object], settings.get("criteria") or ())))
    if not criteria or not all(each.strip() for each in criteria):
        return 'conversation_g_eval needs criteria, none of them empty: conversation_g_eval(criteria=["Is it polite?"])'
    return _wrong_scale(settings, criteria=criteria)


@metric(version=1, check=is_askable_of_conversation, prompts=("conversation_grades",))
async def conversation_g_eval(
    dialogue: Transcript,
    *,
    judge: JudgeSession,
    criteria: tuple[str, ...] = (),
    low: Bound = 1,
    high: Bound = 5,
) -> Score:
    """The mean of the grades that a judge gives the conversation by your own criteria, in one call.

    In [0, 1]: (grade - low) / (high - low). The evidence has the grade of each criterion with its reason, the turn that
    shows it and a quote, looked up in that turn; the score needs review if no turn has it. Grades are not weighted by
    probability as in `g_eval`, and no steps are written. Failed if the judge fails or leaves out a criterion.

    Source: Liu et al. 2023 (G-Eval), on a whole conversation.

    >>> import ragauge as rg
    >>> grades = [{"criterion": 1, "reason": "curt", "score": 2, "turn": 1, "quote": "No, go away."}]
    >>> judge = rg.ScriptedJudge({"conversation_grades": {"grades": grades}})
    >>> chat = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "No, go away."}]
    >>> rg.score('conversation_g_eval(criteria=["Is it polite?"])', messages=chat, judge=judge).value
    0.25
    """
    shown = shown_to(judge, dialogue)
    if isinstance(shown, Score):
        return shown
    question = questions.conversation_grades(shown.instructions, shown.turns, criteria, low, high)
    asked = await judge.ask(question)
    if isinstance(asked, Score):
        return asked
    found = ConversationVerdicts(asked.value, shown.first, (asked.call,))
    grades = [
        {"criterion": criterion, **found.as_data(place)} for place, criterion in enumerate(criteria)
    ]
    value = sum(cast(float, each.score) for each in asked.value) / len(criteria)
    return Score(value, evidence={"grades": grades, **found.beside()})
