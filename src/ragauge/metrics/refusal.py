"""Whether an answer says that it does not know."""

from ragauge.features.refusals import Phrases, refusals
from ragauge.language.refusals import READ_AT_EACH_END, uncertainty_phrases
from ragauge.metric import metric
from ragauge.score import Score

MATCHES_SHOWN = 20
WORDS_SHOWN = 300


@metric(version=1)
def dont_know(answer: str, *, phrases: Phrases = "default") -> Score:
    """Whether the answer refuses: it says that it does not know, cannot tell or was given nothing.

    1.0 when it refuses, 0.0 when it answers; neither is better as such. `default` reads whole
    statements by the rules of `ragauge.language.refusals`: "The Unknown Soldier" is an answer, and
    so is "The text does not say, but it was 1912". It refuses when a match in the evidence decides.
    A blank answer refuses. `graphrag` looks for any of the seed's 12 phrases as a substring, and in
    answers of under 10 characters for 4 more; a blank answer holds none: 0.0. Never undefined.

    Source: seed 002, section 11, for `graphrag`; the default is our own, made for English (a plain
    "I do not know" is read in a few more languages).

    >>> dont_know("The context does not provide the fee.").value
    1.0
    >>> dont_know("The Unknown Soldier").value
    0.0
    >>> dont_know("The Unknown Soldier", phrases="graphrag").value
    1.0
    """
    return _by_phrases(answer) if phrases == "graphrag" else _by_rules(answer)


def _by_phrases(answer: str) -> Score:
    found = uncertainty_phrases(answer)
    return Score(bool(found), evidence={"phrases": "graphrag", "found": list(found)})


def _by_rules(answer: str) -> Score:
    found = refusals(answer)
    deciding_first = sorted(found, key=lambda each: not each.decides)
    evidence: dict[str, object] = {
        "phrases": "default",
        "matches": [
            {
                "rule": each.rule,
                "words": each.words[:WORDS_SHOWN],
                "start": each.start,
                "end": each.end,
                "decides": each.decides,
                "overruled_by": each.overruled_by and each.overruled_by[:WORDS_SHOWN],
            }
            for each in deciding_first[:MATCHES_SHOWN]
        ],
    }
    if len(found) > MATCHES_SHOWN:
        evidence["matches_not_shown"] = len(found) - MATCHES_SHOWN
    if len(answer) > 2 * READ_AT_EACH_END:
        evidence["characters_not_read"] = len(answer) - 2 * READ_AT_EACH_END
    return Score(any(each.decides for each in found), evidence=evidence)
