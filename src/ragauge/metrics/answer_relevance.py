"""Whether an answer is one to the question: by the questions that it answers."""

from collections.abc import Mapping, Sequence
from typing import Literal

from ragauge.encoders.cached import CachedEncoder, NoVector, TextVector
from ragauge.features.judged import QuestionsBack
from ragauge.judges.session import JudgeSession
from ragauge.metric import Count, metric
from ragauge.score import Score


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
    """How near the questions that the answer answers are to the one that was asked.

    In [0, 1]: the mean cosine of `n_questions` questions, made by a judge that sees the answer alone,
    to the original question, negative means counted as 0. Where the answer answers no question, the
    judge grades it by a rubric instead: 0, 0.25, 0.5, 0.75 or 1. `noncommittal`: the score is 0 when
    the judge calls the answer noncommittal for "all" of the questions (as RAGAS), for "any", or never
    ("none", as the seed). A blank question: `undefined`. `failed` when the judge or the encoder fails.
    `variant="ragas-0.4"` is that package's, but for negative means: no rubric, so an answer that
    answers no question has no value. Source: seed 002, section 4; Es et al. 2023 (RAGAS), section 3.

    >>> import ragauge as rg
    >>> asked = [{"question": f"What is the fee{end}?", "noncommittal": False} for end in ("", " now", " today")]
    >>> judge = rg.ScriptedJudge({"questions": {"questions": asked}})
    >>> found = rg.score("answer_relevance", question="What is the fee?", answer="It is $5.", judge=judge)
    >>> round(found.value, 2)
    0.9
    """
    rows = list(zip(question, answer_questions, strict=True))
    texts = [asked for asked, back in rows if back.questions]
    texts += [one.question for _, back in rows for one in back.questions]
    vectors = encoder.vectors(texts)
    return [_relevance(asked, back, vectors, noncommittal, variant) for asked, back in rows]


def _relevance(
    asked: str,
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
    own = vectors[asked]
    found = [vectors[one.question] for one in back.questions]
    for one in (own, *found):
        if isinstance(one, NoVector):
            return Score.failed(f"the questions cannot be compared: {one.reason}", {"calls": calls})
    cosines = [_cosine(own, one) for one in found]
    flags = [one.noncommittal for one in back.questions]
    is_evasive = {"all": all(flags), "any": any(flags), "none": False}[noncommittal]
    evidence = {
        "questions": [
            {"question": one.question, "cosine": cosine, "noncommittal": one.noncommittal}
            for one, cosine in zip(back.questions, cosines, strict=True)
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
