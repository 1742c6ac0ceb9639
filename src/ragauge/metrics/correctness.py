"""Whether an answer is right, by a judge that knows the reference."""

from collections.abc import Sequence
from typing import Literal

from ragauge.features.refusals import Phrases, refusals
from ragauge.judges import questions
from ragauge.judges.questions import ACCURACY_WEIGHTS, CORRECT, MET, NOT_APPLICABLE
from ragauge.judges.session import JudgeSession
from ragauge.language.refusals import uncertainty_phrases
from ragauge.metric import metric
from ragauge.score import Score

GRADES = ((80, "A"), (60, "B"), (40, "C"), (20, "D"), (0, "E"))
"""From how many of 100 points on a grade is given."""
WORDS_SHOWN = 300
Class = Literal["correct", "wrong", "dont_know"]


@metric(version=1, prompts=("criteria",))
async def gpt_score(
    question: str | None, answer: str, reference: str, *, judge: JudgeSession
) -> Score:
    """Whether the answer matches the reference by the five criteria of seed 000, by a judge.

    1.0 when all criteria that apply are met, else 0.0; best over the references. Each is judged by
    itself, with a reason: key topics, the central fact, no contradiction, figures, the state of
    indicators. None applies: `undefined`. This is the seed's GPTScore, a checklist; Fu et al. 2023 use
    the name for the likelihood that a model gives a text. Source: seed 000, "Answer Generator".

    >>> import ragauge as rg
    >>> rows = [{"criterion": n, "reason": "…", "verdict": "met" if n < 4 else "not applicable"} for n in (1, 2, 3, 4, 5)]
    >>> judge = rg.ScriptedJudge({"criteria": {"criteria": rows}})
    >>> rg.score("gpt_score", question="Where?", answer="In Paris.", reference="Paris", judge=judge).value
    1.0
    """
    asked = await judge.ask(questions.criteria(question, reference, answer))
    if isinstance(asked, Score):
        return asked
    verdicts = [
        {"criterion": place, "verdict": one.verdict, "reason": one.reason}
        for place, one in enumerate(asked.value, 1)
    ]
    evidence = {"criteria": verdicts, "calls": [asked.call]}
    applying = [one.verdict for one in asked.value if one.verdict != NOT_APPLICABLE]
    if not applying:
        return Score.undefined("the judge says that no criterion applies", evidence)
    return Score(all(one == MET for one in applying), evidence=evidence)


@metric(version=1, prompts=("accuracy",))
async def factual_accuracy(
    question: str | None, answer: str, reference: str, *, judge: JudgeSession
) -> Score:
    """How accurate the answer is beside the reference, by a judge with three criteria.

    In [0, 1]: 0.5 correctness + 0.3 completeness + 0.2 consistency, each from 0 to 100 in one call,
    computed here; a final score that the judge offers is not read. Best over the references. The
    evidence has the `grade`: A from 80 points, B from 60, C from 40, D from 20, else E. Source: seed
    002, section 6.

    >>> import ragauge as rg
    >>> said = {"correctness": 90, "completeness": 80, "consistency": 100}
    >>> judge = rg.ScriptedJudge({"accuracy": {name: {"score": n, "reason": "…"} for name, n in said.items()}})
    >>> found = rg.score("factual_accuracy", question="Where?", answer="Paris", reference="Paris", judge=judge)
    >>> found.value, found.evidence["grade"]
    (0.89, 'A')
    """
    asked = await judge.ask(questions.accuracy(question, reference, answer))
    if isinstance(asked, Score):
        return asked
    points = sum(weight * asked.value[name].score for name, weight in ACCURACY_WEIGHTS.items())
    points = round(
        points, 9
    )  # 0.5·80 + 0.3·80 + 0.2·80 is 80, not a hair less: it is the grade's bound
    criteria = {
        name: {"score": one.score, "reason": one.reason} for name, one in asked.value.items()
    }
    grade = next(letter for least, letter in GRADES if points >= least)
    return Score(points / 100, evidence={"grade": grade, **criteria, "calls": [asked.call]})


@metric(version=1, prompts=("verdict",))
async def answer_class(
    question: str | None,
    answer: str,
    references: Sequence[str] | None,
    *,
    judge: JudgeSession,
    verdict: Class = "correct",
    phrases: Phrases = "default",
) -> Score:
    """Whether the answer is of a class: correct, wrong, or one that says that it does not know.

    1.0 or 0.0. An answer that says that it does not know, by `dont_know(phrases=…)`, is `dont_know`,
    and no judge is asked; of the others a judge says CORRECT or WRONG, in one call that shows all
    references, any of which is enough. The three classes part the answers that are scored. Of an
    answer that is no refusal, without references: `undefined`. Source: seed 002, sections 9 to 11.

    >>> import ragauge as rg
    >>> judge = rg.ScriptedJudge({"verdict": "CORRECT"})
    >>> rg.score("answer_class", question="Where?", answer="In Paris.", reference="Paris", judge=judge).value
    1.0
    """
    if refusing := _refusing(answer, phrases):
        evidence: dict[str, object] = {"class": "dont_know", "found": refusing}
        return Score(verdict == "dont_know", evidence=evidence)
    if references is None:
        return Score.missing("the sample has no references")
    if not references:
        return Score.undefined("the sample's list of references is empty")
    asked = await judge.ask(questions.verdict(question, references, answer))
    if isinstance(asked, Score):
        return asked
    found = "correct" if asked.value.verdict == CORRECT else "wrong"
    evidence = {"class": found, "reason": asked.value.reason, "calls": [asked.call]}
    return Score(found == verdict, evidence=evidence)


def _refusing(answer: str, phrases: str) -> list[str]:
    """The words by which the answer says that it does not know; for a blank one, that it is empty."""
    if phrases == "graphrag":
        return list(uncertainty_phrases(answer))
    return [one.words[:WORDS_SHOWN] or one.rule for one in refusals(answer) if one.decides]
