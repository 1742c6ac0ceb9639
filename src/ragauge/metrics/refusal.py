"""Whether an answer is a refusal."""

from ragauge.features.texts import Phrases, refusals
from ragauge.language.refusals.refusals import READ_AT_EACH_END, RefusalMatch, uncertainty_phrases
from ragauge.language.text import excerpt
from ragauge.metric import metric
from ragauge.score import Score

MATCHES_SHOWN = 20
WORDS_SHOWN = 300
UNKNOWN = "nothing says whether the question has an answer"
WHY_SHOWN = 80


@metric(version=20, ranked=False)
def dont_know(answer: str, question: str | None = None, *, phrases: Phrases = "default") -> Score:
    """Whether the answer refuses: it says that it does not know, cannot tell, or was given nothing.

    1.0 if it refuses, 0.0 if it answers; neither is better as such. Never undefined. By default, whole
    statements are read, by a table of wordings: "The Unknown Soldier" is an answer, and so is "The text does not say, but it
    was 1912". A refusal at the end counts too ("Therefore, we cannot answer"), after figures that were
    only inputs; figures of a made-up example do not answer. "The price is not shown" refuses only where
    no other sentence answers. With the question, what it asks for counts: "The vitamins are cut off" refuses
    if it asks for vitamins and no sentence gives them; advice where to look or a formula without figures
    refuses where it asks for a number, a name, a time or a place; "There was not enough evidence" answers why
    somebody was acquitted; and after an answer, a detail that the question does not ask for may be missing
    ("It opens at 10. I couldn't find the closing time"). A blank answer refuses. The answer refuses
    if a match in the evidence has `decides`: its `sentence` refuses, at `place`, by `rule`.
    `phrases="graphrag"` searches for 12 phrases as substrings, and 4 more in answers of under 10
    characters; a blank answer has none of them: 0.0.

    Source: ours, for English (plain refusals are also found in German, French, Spanish, Italian, Portuguese, Dutch,
    Chinese and Japanese);
    `graphrag` is that of the suite graphrag.

    >>> dont_know("The context does not provide the fee.").value
    1.0
    >>> dont_know("The Unknown Soldier").value
    0.0
    >>> dont_know("Fat: 1 g. The vitamins are cut off.", "How much vitamin C is in it?").value
    1.0
    >>> dont_know("Refer to the annual report.", "What was the fee in 2021?").value
    1.0
    >>> dont_know("The Unknown Soldier", phrases="graphrag").value
    1.0
    """
    if phrases == "graphrag":
        said = list(uncertainty_phrases(answer))
        return Score(bool(said), evidence={"phrases": "graphrag", "found": said})
    found = refusals(answer, question)
    deciding_first = sorted(found, key=lambda match: not match.decides)
    evidence: dict[str, object] = {
        "phrases": "default",
        "matches": [
            {
                "rule": match.rule,
                "sentence": match.sentence[:WORDS_SHOWN],
                "place": match.place,
                "words": match.words[:WORDS_SHOWN],
                "start": match.start,
                "end": match.end,
                "decides": match.decides,
                "overruled_by": match.overruled_by and match.overruled_by[:WORDS_SHOWN],
            }
            for match in deciding_first[:MATCHES_SHOWN]
        ],
    }
    if found:
        evidence["why"] = _why(deciding_first[0])
    if len(found) > MATCHES_SHOWN:
        evidence["matches_not_shown"] = len(found) - MATCHES_SHOWN
    if len(answer) > 2 * READ_AT_EACH_END:
        evidence["characters_not_read"] = len(answer) - 2 * READ_AT_EACH_END
    return Score(any(match.decides for match in found), evidence=evidence)


def _why(found: RefusalMatch) -> str:
    """One sentence on the words by which the answer refuses, or on what outweighs them."""
    words = excerpt(" ".join(found.words.split()), WHY_SHOWN)
    if found.decides:
        return f"refuses: {words!r}" if words else "the answer is blank"
    if found.overruled_by is None:
        return f"says {words!r}, but of a detail or in passing"
    answered = excerpt(" ".join(found.overruled_by.split()), WHY_SHOWN)
    return f"says {words!r}, but answers: {answered!r}"


@metric(version=1)
def abstention_recall(answer: str, question: str | None, is_answerable: bool | None) -> Score:
    """Whether the answer refuses a question that has no answer.

    1.0 or 0.0, by `dont_know`; the mean is the share of the unanswerable questions that were refused. A
    question has no answer if `answerable` is false, or the sample does not say it and all references
    refuse. Undefined for other questions.

    Source: recall of abstentions on unanswerable questions, as on SQuAD 2.0 (Rajpurkar et al. 2018).

    >>> import ragauge as rg
    >>> rg.score("abstention_recall", answer="The context does not say.", answerable=False).value
    1.0
    """
    if is_answerable is None:
        return Score.undefined(UNKNOWN)
    if is_answerable:
        return Score.undefined("the question has an answer")
    return dont_know(answer, question)


@metric(version=1, lower_is_better=True)
def overrefusal(answer: str, question: str | None, is_answerable: bool | None) -> Score:
    """Whether the answer refuses a question that has an answer; lower is better.

    1.0 or 0.0, by `dont_know`; the mean is the share of the answerable questions that were refused. A
    question has an answer if `answerable` is true, or the sample does not say it and a reference
    answers. Undefined for other questions.

    Source: ours, after the over-refusal rate of XSTest (Röttger et al. 2024).

    >>> import ragauge as rg
    >>> rg.score("overrefusal", answer="The context does not say.", reference="$604").value
    1.0
    """
    if is_answerable is None:
        return Score.undefined(UNKNOWN)
    if not is_answerable:
        return Score.undefined("the question has no answer")
    return dont_know(answer, question)
