"""Answer relevance: how well an answer addresses the question, measured by the questions it answers."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector
from ragauge.features.judged import QuestionsBack
from ragauge.judges.session import JudgeSession
from ragauge.metric import metric
from ragauge.score import Score
from ragauge.setting import Count


@metric(version=1, batch=True)
def answer_relevance(
    question: Sequence[str],
    answer_questions: Sequence[QuestionsBack],
    *,
    judge: JudgeSession,
    encoder: CachedEncoder,
    n_questions: Count = 3,
    noncommittal: Literal["all", "any", "none"] = "all",
    variant: Literal["ragas-0.4"] | None = None,
) -> list[Score]:
    """How relevant the answer is to the question, judged by the questions that the answer would answer.

    In [0, 1]. A judge sees only the answer and writes `n_questions` questions that it answers; the
    score is their mean cosine similarity to the original question, with a negative mean counted as 0.
    If the answer answers no question, the judge grades its relevance by a rubric instead: 0, 0.25,
    0.5, 0.75 or 1. With `noncommittal="all"` (the convention of RAGAS) the score is 0 if the judge
    calls the answer noncommittal for all of the questions, with "any" for at least one; "none"
    ignores it. Undefined if the question is blank; failed if the judge or the encoder fails.
    `variant="ragas-0.4"` follows that package, except that negative means count as 0: it has no rubric,
    so an answer that answers no question is undefined.

    Source: Es et al. 2023 (RAGAS), section 3; the suite graphrag uses `noncommittal="none"`.

    >>> import ragauge as rg
    >>> texts = ("What is the fee?", "What is the fee now?", "What is the fee today?")
    >>> questions = [{"question": text, "noncommittal": False} for text in texts]
    >>> judge = rg.ScriptedJudge({"questions": {"questions": questions}})
    >>> score = rg.score("answer_relevance", question="What is the fee?", answer="It is $5.", judge=judge)
    >>> round(score.value, 2)
    0.9
    """
    rows = list(zip(question, answer_questions, strict=True))
    texts = [original for original, back in rows if back.questions]
    texts += [generated.question for _, back in rows for generated in back.questions]
    vectors = encoder.vectors(texts)
    return [_relevance(original, back, vectors, noncommittal, variant) for original, back in rows]


def _relevance(
    original: str,
    back: QuestionsBack,
    vectors: Mapping[str, TextVector | NoVector],
    noncommittal: str,
    variant: str | None,
) -> Score:
    calls = list(back.calls)
    if not back.questions and variant == "ragas-0.4":
        return Score.undefined("the answer answers no question", {"calls": calls})
    if not back.questions and back.rubric is not None:
        evidence = {"rubric": back.rubric.score, "reason": back.rubric.reason, "calls": calls}
        return Score(back.rubric.score, evidence=evidence)
    own = vectors[original]
    others = [vectors[generated.question] for generated in back.questions]
    for vector in (own, *others):
        if isinstance(vector, NoVector):
            reason = f"the questions cannot be compared: {vector.reason}"
            return Score.failed(reason, {"calls": calls})
    cosines = [_cosine(own, other) for other in others]
    flags = [generated.noncommittal for generated in back.questions]
    is_evasive = {"all": all(flags), "any": any(flags), "none": False}[noncommittal]
    evidence = {
        "questions": [
            {
                "question": generated.question,
                "cosine": cosine,
                "noncommittal": generated.noncommittal,
            }
            for generated, cosine in zip(back.questions, cosines, strict=True)
        ],
        "noncommittal": is_evasive,
        "calls": calls,
    }
    mean = sum(cosines) / len(cosines)
    return Score(0.0 if is_evasive else min(1.0, max(0.0, mean)), evidence=evidence)


def _cosine(own: TextVector | NoVector, other: TextVector | NoVector) -> float:
    assert isinstance(own, TextVector)
    assert isinstance(other, TextVector)
    return float(own.vector @ other.vector)
