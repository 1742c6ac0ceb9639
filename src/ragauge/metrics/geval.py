"""G-Eval: an answer graded by a criterion of one's own."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, cast

from ragauge.judges import questions
from ragauge.judges.protocol import Reply, TokenChoice
from ragauge.judges.session import JudgeSession
from ragauge.label import SettingValue
from ragauge.metric import Constraint, metric
from ragauge.score import Score

Field = Literal["question", "answer", "references", "contexts"]
MAX_GRADES = 10
ROUNDING = 1e-3
"""How far above 0 the logarithm of a probability may be."""
GRADE = re.compile(r'"score"\s*:\s*"?(\d)')


def _is_grade(value: int) -> bool:
    return 0 <= value <= MAX_GRADES


Bound = Annotated[int, Constraint(f"a whole number from 0 to {MAX_GRADES}", _is_grade)]


def is_askable(settings: Mapping[str, SettingValue]) -> str | None:
    """What is wrong with the settings: no criterion, no field, a scale of one grade."""
    criteria = str(settings.get("criteria") or "")
    steps = tuple(map(str, cast(Sequence[object], settings.get("steps") or ())))
    if not criteria.strip():
        return 'g_eval needs a criterion: g_eval(criteria="Is the answer polite?")'
    if not all(one.strip() for one in steps):
        return "a step is empty; leave it out"
    for name, texts in (("criteria", (criteria,)), ("steps", steps)):
        if any(mark in text for text in texts for mark in ("{{", "[[")):
            return f"{name} must not hold {{{{ or [[, which are marks of a prompt"
    low, high = settings.get("low"), settings.get("high")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        return f"low must be below high, got {low} and {high}"
    return None if settings.get("shows") else "shows must name at least one field"


@metric(version=1, check=is_askable, prompts=("g_eval_steps", "g_eval"))
async def g_eval(
    question: str | None,
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
    """The answer's grade by a criterion of one's own, as in G-Eval, by a judge.

    In [0, 1]: the grade from `low` to `high`, its distance from `low` over that of the two. Where the
    judge's endpoint tells the probabilities of tokens, the grade is the mean of all grades weighted
    with theirs, as in the paper; else it is the one that the judge says. The evidence says which,
    in `weighting`. The judge first writes the steps of grading, once for all rows, unless `steps`
    gives them. `shows`: the fields that it sees. Source: Liu et al. 2023 (G-Eval), section 2.

    >>> import ragauge as rg
    >>> judge = rg.ScriptedJudge({"g_eval_steps": {"steps": ["Read."]}, "g_eval": {"reason": "…", "score": 4}})
    >>> found = rg.score('g_eval(criteria="Is it polite?")', question="Hi?", answer="Hello, dear.", judge=judge)
    >>> found.value, found.evidence["weighting"]
    (0.75, 'none')
    """
    given = {"question": question, "answer": answer, "references": references, "contexts": contexts}
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
        grade = sum(one * chance for one, chance in chances.items()) / sum(chances.values())
    evidence = {
        "grade": asked.value.score,
        "weighted_grade": grade,
        "weighting": "probabilities" if chances else "none",
        "probabilities": {str(one): chance for one, chance in sorted(chances.items())},
        "reason": asked.value.reason,
        "steps": list(steps),
        "calls": [*calls, asked.call],
    }
    return Score((grade - low) / (high - low), evidence=evidence)


def _chances(reply: Reply, said: int, low: int, high: int) -> dict[int, float]:
    """The probability of each grade in place of the one that was said; none where it is not told."""
    choice = _token_of_grade(reply)
    if choice is None or _as_grade(choice.token) != said:
        return {}
    chances: dict[int, float] = {}
    for token, logarithm in choice.alternatives:
        if not (math.isfinite(logarithm) and logarithm <= ROUNDING):
            continue
        grade = _as_grade(token)
        if grade is not None and low <= grade <= high:
            chances[grade] = chances.get(grade, 0.0) + math.exp(logarithm)
    # Where 10 is two tokens, its first is the same as that of 1.
    is_doubtful = high >= 10 and 1 in chances and 10 not in chances
    return {} if is_doubtful or not sum(chances.values()) else chances


def _token_of_grade(reply: Reply) -> TokenChoice | None:
    """The token in which the grade begins."""
    tokens = reply.logprobs or ()
    found = list(GRADE.finditer("".join(one.token for one in tokens)))
    if not found:
        return None
    wanted, end = found[-1].start(1), 0
    for one in tokens:
        end += len(one.token)
        if wanted < end:
            return one
    return None


def _as_grade(token: str) -> int | None:
    text = token.strip()
    return int(text) if text.isascii() and text.isdigit() else None
