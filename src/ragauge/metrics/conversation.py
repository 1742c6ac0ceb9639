"""What is seen only in a whole conversation: its end state, what it repeats, what it leaves unanswered.

In a run these are scored once a conversation, at its last turn, and undefined at the other turns.
"""

import json

from ragauge.conversations.matching import Comparison
from ragauge.conversations.transcript import Transcript
from ragauge.features.refusals import refusal_of
from ragauge.language.facts.alignment import align_to_passages
from ragauge.language.text import excerpt, is_blank, normalize, sentences
from ragauge.language.words import words
from ragauge.metric import metric
from ragauge.score import NOT_LAST, Score
from ragauge.setting import Tolerance

MAX_SHOWN = 20
MAX_COMPARED = 50
"""Most earlier answers that a turn is compared with, so that time grows with the number of turns."""
MIN_WORDS = 5
"""Fewest words of a sentence that counts as repeated; "You are welcome." may be said twice."""


@metric(version=2)
def state_match(
    final_state: str | None,
    expected_state: str | None,
    whole_conversation: str | None = None,
    conversation: str | None = None,
    *,
    ignore: tuple[str, ...] = (),
    rtol: Tolerance = 0.0,
    atol: Tolerance = 0.0,
) -> Score:
    """Whether the state at the end, as JSON, is the expected one.

    1 or 0. Values as in `tool_call_match`: numbers by value, objects without order, lists in order. `ignore`: paths
    that do not count, as `updated_at` or `orders.*.id`, where * is any part, dots included. The evidence names the
    paths that differ. Missing without an expected state, and without a state where one is expected.

    Source: Yao et al. 2024 (tau-bench), the comparison of the database at the end.

    >>> score = state_match('{"orders": [{"id": 7, "paid": false}]}', '{"orders": [{"id": 7, "paid": true}]}')
    >>> score.value, score.evidence["differences"]
    (0.0, [{'path': 'orders.0.paid', 'kind': 'differs', 'expected': True, 'found': False}])
    """
    if expected_state is None:
        if whole_conversation is None and conversation is not None:
            return Score.undefined(NOT_LAST)
        return Score.missing("the sample has no expected_state")
    if final_state is None:
        return Score.missing("the sample has no state")
    try:
        expected, found = json.loads(expected_state), json.loads(final_state)
        differences = Comparison(rtol, atol, ignore).differences(expected, found)
    except (ValueError, RecursionError) as error:
        return Score.missing(f"a state is no JSON: {error!s:.200}")
    shown = [each.as_data() for each in differences[:MAX_SHOWN]]
    return Score(
        not differences, evidence={"differences": shown, "n_differences": len(differences)}
    )


@metric(version=4)
def consistency(dialogue: Transcript) -> Score:
    """Share of the system's turns, from the second on, that contradict none of its earlier answers.

    In [0, 1]. A turn contradicts an earlier one where one detail of a like statement differs: a number, unit, date, name,
    role, "not", opposite, by the same comparison as in `support`; what the user's message says is known to both. The
    50 answers before a turn are compared. Undefined in a conversation with fewer than two answers.

    Source: our own. On 579 turns of MTRAG's conversations 5 are found, none a plain contradiction: false alarms are rare.

    >>> import ragauge as rg
    >>> fee = "The fee of the hut is ${} a year."
    >>> chat = [("Fee?", fee.format(60)), ("Sure?", fee.format(70))]
    >>> messages = [m for q, a in chat for m in ({"role": "user", "content": q}, {"role": "assistant", "content": a})]
    >>> score = rg.score("consistency", messages=messages)
    >>> score.value, score.evidence["contradictions"][0]["says"]
    (0.0, '$70 per year')
    """
    turns = [turn for turn in dialogue.turns() if turn.answer]
    if len(turns) < 2:
        return Score.undefined("the system answers fewer than two times")
    contradictions: list[dict[str, object]] = []
    n_apart = 0
    for at, turn in enumerate(turns[1:], 1):
        before = turns[max(0, at - MAX_COMPARED) : at]
        texts = [each.answer or "" for each in before]
        found = align_to_passages(turn.answer or "", texts, turn.question or "").differences
        n_apart += bool(found)
        for each in found:
            texts = [part.text if part else None for part in (each.found, each.expected)]
            contradictions.append(
                {
                    "turn": turn.number,
                    "says": texts[0],
                    "in_turn": before[each.context].number,
                    "said": texts[1],
                    "kind": each.kind,
                }
            )
    evidence = {"contradictions": contradictions[:MAX_SHOWN], "n_turns": len(turns) - 1}
    return Score(1 - n_apart / (len(turns) - 1), evidence=evidence)


@metric(version=2, lower_is_better=True)
def repetition(dialogue: Transcript) -> Score:
    """Share of the system's sentences that it had said before, in an earlier turn of the conversation.

    In [0, 1]; lower is better. Sentences of five words or more, compared in lower case. Undefined in a conversation
    of one turn, and without such a sentence after the first turn.

    Source: our own.

    >>> import ragauge as rg
    >>> ask, say = {"role": "user", "content": "And?"}, {"role": "assistant", "content": "The fee is 60 pounds a year."}
    >>> rg.score("repetition", messages=[ask, say, ask, say]).value
    1.0
    """
    before: set[str] = set()
    n, repeated = 0, list[dict[str, object]]()
    for turn in dialogue.turns():
        said = {
            normalize(sentence, "lower_ws"): sentence
            for sentence in sentences(turn.answer or "")
            if len(words(sentence)) >= MIN_WORDS
        }
        if turn.number > 1:
            n += len(said)
            again = [sentence for key, sentence in said.items() if key in before]
            repeated += [{"turn": turn.number, "sentence": excerpt(each, 200)} for each in again]
        before |= said.keys()
    if not n:
        return Score.undefined(f"no sentence of {MIN_WORDS} words or more after the first turn")
    evidence = {"repeated": repeated[:MAX_SHOWN], "n_repeated": len(repeated), "n_sentences": n}
    return Score(len(repeated) / n, evidence=evidence)


@metric(version=2, high=None, lower_is_better=True)
def unanswered_questions(dialogue: Transcript) -> Score:
    """How many of the user's messages got no answer: no message, an empty one, or a refusal by `dont_know`.

    A count, from 0; lower is better. Messages that the user sends one after the other are one. Undefined if the user
    says nothing.

    Source: our own; refusals are those of `dont_know`.

    >>> import ragauge as rg
    >>> rg.score("unanswered_questions", messages=[{"role": "user", "content": "Who opened it?"}]).value
    1.0
    """
    unanswered: list[dict[str, object]] = []
    turns = dialogue.turns()
    for turn in turns:
        if turn.question is None:
            continue
        if turn.answer is None or is_blank(turn.answer):
            why = "the answer is empty"
        elif refusal := refusal_of(turn.answer, turn.question):
            why = f"refused: {excerpt(refusal.words, 80)}"
        else:
            continue
        unanswered.append(
            {"turn": turn.number, "question": excerpt(turn.question, 200), "why": why}
        )
    said = [message for message in dialogue.messages if message.role in ("user", "assistant")]
    if not any(message.role == "user" for message in said):
        return Score.undefined("the user says nothing")
    if said[-1].role == "user":
        question = excerpt(said[-1].text, 200)
        unanswered.append({"turn": len(turns) + 1, "question": question, "why": "nothing follows"})
    evidence = {"unanswered": unanswered[:MAX_SHOWN], "n": len(unanswered)}
    return Score(float(len(unanswered)), evidence=evidence)
