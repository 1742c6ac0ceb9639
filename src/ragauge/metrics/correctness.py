"""Whether an answer is correct, according to a judge that sees the reference."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ragauge.features.texts import Phrases, refusals
from ragauge.judges import questions
from ragauge.judges.questions import ACCURACY_WEIGHTS, CORRECT, MET, NOT_APPLICABLE
from ragauge.judges.session import JudgeSession
from ragauge.label import SettingValue
from ragauge.language.refusals.refusals import uncertainty_phrases
from ragauge.metric import metric
from ragauge.score import Score

GRADES = ((80, "A"), (60, "B"), (40, "C"), (20, "D"), (0, "E"))
"""The lowest points, of 100, for each grade."""
WORDS_SHOWN = 300
Class = Literal["correct", "wrong", "dont_know"]


@metric(version=1, prompts=("criteria",))
async def gpt_score(
    question_in_context: str | None, answer: str, reference: str, *, judge: JudgeSession
) -> Score:
    """Whether the answer meets five criteria of agreement with the reference, according to a judge.

    1.0 if it meets all criteria that apply, else 0.0; best over the references. The criteria are key
    topics, the central fact, no contradiction, figures, and the direction of indicators; the judge
    gives a verdict and a reason for each. Undefined if none applies. This GPTScore is a checklist; Fu
    et al. 2023 use the name for the likelihood of a text under a language model.

    Source: the suite factual-qa.

    >>> import ragauge as rg
    >>> rows = [{"criterion": n, "reason": "…", "verdict": "met" if n < 4 else "not applicable"} for n in (1, 2, 3, 4, 5)]
    >>> judge = rg.ScriptedJudge({"criteria": {"criteria": rows}})
    >>> rg.score("gpt_score", question="Where?", answer="In Paris.", reference="Paris", judge=judge).value
    1.0
    """
    asked = await judge.ask(questions.criteria(question_in_context, reference, answer))
    if isinstance(asked, Score):
        return asked
    verdicts = [
        {"criterion": place, "verdict": criterion.verdict, "reason": criterion.reason}
        for place, criterion in enumerate(asked.value, 1)
    ]
    evidence = {"criteria": verdicts, "calls": [asked.call]}
    applicable = [each.verdict for each in asked.value if each.verdict != NOT_APPLICABLE]
    if not applicable:
        return Score.undefined("the judge says that no criterion applies", evidence)
    return Score(all(verdict == MET for verdict in applicable), evidence=evidence)


@metric(version=1, prompts=("accuracy",))
async def factual_accuracy(
    question_in_context: str | None, answer: str, reference: str, *, judge: JudgeSession
) -> Score:
    """How accurate the answer is compared with the reference: three criteria graded by a judge.

    In [0, 1]: 0.5 correctness + 0.3 completeness + 0.2 consistency, each graded from 0 to 100 in one
    call; a total offered by the judge is ignored. Best over the references. The evidence has the
    `grade`: A from 80 points, B from 60, C from 40, D from 20, else E. Failed if the judge fails.

    Source: the suite graphrag.

    >>> import ragauge as rg
    >>> grades = {"correctness": 90, "completeness": 80, "consistency": 100}
    >>> judge = rg.ScriptedJudge({"accuracy": {name: {"score": n, "reason": "…"} for name, n in grades.items()}})
    >>> score = rg.score("factual_accuracy", question="Where?", answer="Paris", reference="Paris", judge=judge)
    >>> score.value, score.evidence["grade"]
    (0.89, 'A')
    """
    asked = await judge.ask(questions.accuracy(question_in_context, reference, answer))
    if isinstance(asked, Score):
        return asked
    points = sum(weight * asked.value[name].score for name, weight in ACCURACY_WEIGHTS.items())
    # 0.5·80 + 0.3·80 + 0.2·80 must be exactly 80, the bound of a grade.
    points = round(points, 9)
    criteria = {
        name: {"score": graded.score, "reason": graded.reason}
        for name, graded in asked.value.items()
    }
    grade = next(letter for lowest, letter in GRADES if points >= lowest)
    return Score(points / 100, evidence={"grade": grade, **criteria, "calls": [asked.call]})


def _ranks_systems(settings: Mapping[str, SettingValue]) -> bool:
    """The share of correct answers does; those of wrong answers and of refusals depend on each other."""
    return settings["verdict"] == "correct"


@metric(version=15, prompts=("verdict",), ranked=_ranks_systems)
async def answer_class(
    question_in_context: str | None,
    answer: str,
    references: Sequence[str] | None,
    *,
    judge: JudgeSession,
    verdict: Class = "correct",
    phrases: Phrases = "default",
) -> Score:
    """Whether the answer is of the class `verdict`: correct, wrong, or an admission of not knowing.

    1.0 or 0.0. An answer that refuses by `dont_know(phrases=…)` is `dont_know`, without asking a judge.
    Otherwise a judge that sees all references, any of which suffices, says CORRECT or WRONG in one
    call. Each scored answer has exactly one class. Undefined if the answer is not a refusal and its
    list of references is empty.

    Source: the suite graphrag.

    >>> import ragauge as rg
    >>> judge = rg.ScriptedJudge({"verdict": "CORRECT"})
    >>> rg.score("answer_class", question="Where?", answer="In Paris.", reference="Paris", judge=judge).value
    1.0
    """
    if phrases == "graphrag":
        refused = list(uncertainty_phrases(answer))
    else:  # the name of the rule where there are no words: a blank answer
        deciding = (each for each in refusals(answer) if each.decides)
        refused = [each.words[:WORDS_SHOWN] or each.rule for each in deciding]
    if refused:
        why = f"refuses: {refused[0]!r}"
        evidence: dict[str, object] = {"class": "dont_know", "why": why, "found": refused}
        return Score(verdict == "dont_know", evidence=evidence)
    if references is None:
        return Score.missing("the sample has no references")
    if not references:
        return Score.undefined("the sample's list of references is empty")
    asked = await judge.ask(questions.verdict(question_in_context, references, answer))
    if isinstance(asked, Score):
        return asked
    found = "correct" if asked.value.verdict == CORRECT else "wrong"
    evidence = {"class": found, "reason": asked.value.reason, "calls": [asked.call]}
    return Score(found == verdict, evidence=evidence)
