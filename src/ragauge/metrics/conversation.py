"""What is seen only in a whole conversation: its end state, what it repeats, what it leaves unanswered, what a judge says.

In a run these are scored once a conversation, at its last turn, and undefined at the other turns. One call to a judge
answers the four questions of `goal_reached`, `role_kept`, `topic_kept` and `knowledge_kept`.
"""

import re

from ragauge.conversations.matching import ValueRules
from ragauge.conversations.tool_calls import finite_json
from ragauge.conversations.transcript import Transcript
from ragauge.features.judged_conversations import ConversationVerdicts
from ragauge.features.texts import refusal_of
from ragauge.judges.questions import MET, NOT_APPLICABLE, OF_CONVERSATION
from ragauge.judges.session import JudgeSession
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import excerpt, is_blank, normalize, sentences
from ragauge.language.words import words
from ragauge.metric import metric
from ragauge.score import NOT_LAST, Score, Status
from ragauge.setting import Tolerance

MAX_SHOWN = 20
CLOSING = frozenset(
    words(
        "thanks thank bye goodbye cheers ok okay great perfect super good nice fine helpful helped helps help lot day evening "
        "weekend appreciate needed assistance alright got see understood really danke dank vielen prima klar alles schönen tag tschüss wiedersehen merci beaucoup "
        "parfait bonne journée revoir gracias muchas perfecto adiós"
    )
)
"""Words of a message that asks for nothing: `Great, thanks for that!`"""
STOP = re.compile(r"###[A-Z_-]+###")
"""What the simulated users of tau-bench end a conversation with."""
ASKS_BACK = ("asks for more", "asks what is meant")
"""Rules of refusals that ask the user something."""
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
        expected, found = finite_json(expected_state), finite_json(final_state)
        differences = ValueRules(rtol, atol, ignore).differences(expected, found)
    except (ValueError, RecursionError) as error:
        return Score.missing(f"a state is no JSON: {error!s:.200}")
    shown = [each.as_data() for each in differences[:MAX_SHOWN]]
    return Score(
        not differences, evidence={"differences": shown, "n_differences": len(differences)}
    )


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
    said = _said_before(dialogue)
    n = sum(len(new) + len(old) for _, new, old in said)
    repeated = [
        {"turn": turn, "sentence": excerpt(each, 200)} for turn, _, old in said for each in old
    ]
    if not n:
        return Score.undefined(f"no sentence of {MIN_WORDS} words or more after the first turn")
    evidence = {"repeated": repeated[:MAX_SHOWN], "n_repeated": len(repeated), "n_sentences": n}
    return Score(len(repeated) / n, evidence=evidence)


def _said_before(dialogue: Transcript) -> list[tuple[int, list[str], list[str]]]:
    """By turn, from the second on, the sentences that are new and those of an earlier turn."""
    before: set[str] = set()
    found: list[tuple[int, list[str], list[str]]] = []
    for turn in dialogue.turns():
        said = {
            normalize(sentence, "lower_ws"): sentence
            for sentence in sentences(turn.answer or "")
            if len(words(sentence)) >= MIN_WORDS
        }
        new = [sentence for key, sentence in said.items() if key not in before]
        old = [sentence for key, sentence in said.items() if key in before]
        found += [(turn.number, new, old)] if turn.number > 1 else []
        before |= said.keys()
    return found


@metric(version=4, high=None, lower_is_better=True)
def unanswered_questions(dialogue: Transcript) -> Score:
    """How many of the user's messages got no answer: no message, an empty one, or a refusal by `dont_know`.

    A count, from 0; lower is better. Messages that the user sends one after the other are one; one that only closes the
    conversation ("Great, thanks!") needs no answer, and a question back ("Could you tell me your order number?") that the user
    answers leaves none open. Undefined if the user says nothing.

    Source: our own; refusals are those of `dont_know`.

    >>> import ragauge as rg
    >>> rg.score("unanswered_questions", messages=[{"role": "user", "content": "Who opened it?"}]).value
    1.0
    """
    unanswered: list[dict[str, object]] = []
    turns = dialogue.turns()
    placed = zip(dialogue.messages, dialogue.places, strict=True)
    last_asked = max((place for message, place in placed if message.role == "user"), default=-1)
    for turn in turns:
        if turn.question is None:
            continue
        if turn.answer is None or is_blank(turn.answer):
            why = "" if _closes(turn.question) else "the answer is empty"
        else:
            refusal = refusal_of(turn.answer, turn.question)
            is_open = refusal and not (refusal.rule in ASKS_BACK and turn.stop <= last_asked)
            why = f"refused: {excerpt(refusal.words, 80)}" if refusal and is_open else ""
        if why:
            question = excerpt(turn.question, 200)
            unanswered.append({"turn": turn.number, "question": question, "why": why})
    if last_asked < 0:
        return Score.undefined("the user says nothing")
    said = [message for message in dialogue.messages if message.role in ("user", "assistant")]
    if said[-1].role == "user" and not _closes(said[-1].text):
        question = excerpt(said[-1].text, 200)
        unanswered.append({"turn": len(turns) + 1, "question": question, "why": "nothing follows"})
    evidence = {"unanswered": unanswered[:MAX_SHOWN], "n": len(unanswered)}
    return Score(float(len(unanswered)), evidence=evidence)


def _closes(text: str) -> bool:
    """Whether a message has words of thanks or parting, and no others that say something."""
    said = {word for word in words(text.lower()) if is_content_word(word) or word in CLOSING}
    only_thanks = "?" not in text and not said <= {"help"} and said <= CLOSING
    return only_thanks or STOP.search(text) is not None


@metric(version=9)
def faultless(
    dialogue: Transcript,
    unanswered_questions: Score,
    consistency: Score,
    carried_context: Score,
) -> Score:
    """Whether a conversation has no fault that shows without references.

    1 or 0. Its faults: a question of the user without an answer, a contradiction, an answer about another thing, an
    answer of which every sentence was said before, a tool whose last call failed or could not be read. Parts that are undefined have no fault. Undefined if the user says
    nothing; missing or failed where a part is.

    Source: our own.

    >>> nothing = Transcript((), ())
    >>> faultless(nothing, Score(0.0), Score(0.5), Score.undefined("no follow-up")).evidence
    {'why': 'contradicts an earlier answer'}
    """
    parts = (unanswered_questions, consistency, carried_context)
    if unanswered_questions.status is Status.UNDEFINED:
        return unanswered_questions
    for part in parts:
        if part.status not in (Status.OK, Status.UNDEFINED):
            return part
    faults = {
        "leaves a question unanswered": unanswered_questions.value not in (None, 0),
        "contradicts an earlier answer": consistency.value not in (None, 1),
        "answers about another thing": carried_context.value not in (None, 1),
        "repeats itself": any(old and not new for _, new, old in _said_before(dialogue)),
        "does not recover from a failed call": any(
            call.is_error or call.invalid
            for call in {call.name: call for call in dialogue.calls}.values()
        ),
    }
    found = [says for says, is_so in faults.items() if is_so]
    return Score(not found, evidence={"why": ", ".join(found)} if found else {})


@metric(version=1)
def goal_reached(conversation_verdicts: ConversationVerdicts, *, judge: JudgeSession) -> Score:
    """Whether the user has at the end of the conversation what they came for, according to a judge.

    1 or 0. If the sample has a `goal`, that is what counts. The evidence has the turn that shows it and a quote, which is
    looked up in the turn; the score needs review if no turn has it. Undefined if the judge calls the question not
    applicable; failed if the judge fails.

    Source: our own question; as in ragas' AgentGoalAccuracy and deepeval's conversation completeness.

    >>> import ragauge as rg
    >>> said = {"reason": "booked", "verdict": "met", "turn": 1, "quote": "Booked for two."}
    >>> judge = rg.ScriptedJudge({"conversation": {"verdicts": [{"question": n, **said} for n in (1, 2, 3, 4)]}})
    >>> chat = [{"role": "user", "content": "A table for two"}, {"role": "assistant", "content": "Booked for two."}]
    >>> score = rg.score("goal_reached", messages=chat, judge=judge)
    >>> score.value, score.evidence["turn"], score.evidence["quote_found"]
    (1.0, 1, True)
    """
    return _verdict(conversation_verdicts, "goal")


@metric(version=1)
def role_kept(conversation_verdicts: ConversationVerdicts, *, judge: JudgeSession) -> Score:
    """Whether all turns keep to the role and the rules of the system prompt, according to a judge.

    1 or 0. Evidence, review and failures as in `goal_reached`. Undefined without a system prompt.

    Source: our own question; as in deepeval's role adherence.

    >>> from ragauge.judges.questions import ShownInTurn
    >>> found = ConversationVerdicts((ShownInTurn("not met", "words", turn=2),) * 4, 1, ())
    >>> role_kept(found, judge=None).value
    0.0
    """
    return _verdict(conversation_verdicts, "role")


@metric(version=1)
def topic_kept(conversation_verdicts: ConversationVerdicts, *, judge: JudgeSession) -> Score:
    """Whether the system stays with what the user talks about, according to a judge.

    1 or 0. Evidence, review and failures as in `goal_reached`.

    Source: our own question; as in ragas' TopicAdherence, without a list of topics.

    >>> from ragauge.judges.questions import ShownInTurn
    >>> found = ConversationVerdicts((ShownInTurn("met", "words", turn=2),) * 4, 1, ())
    >>> topic_kept(found, judge=None).value
    1.0
    """
    return _verdict(conversation_verdicts, "topic")


@metric(version=1)
def knowledge_kept(conversation_verdicts: ConversationVerdicts, *, judge: JudgeSession) -> Score:
    """Whether the system keeps what the user told it: neither asks for it again nor contradicts it, according to a judge.

    1 or 0. Evidence, review and failures as in `goal_reached`. Undefined if the user told it nothing that matters later.

    Source: our own question; as in deepeval's knowledge retention.

    >>> from ragauge.judges.questions import ShownInTurn
    >>> found = ConversationVerdicts((ShownInTurn("met", "words", turn=2),) * 4, 1, ())
    >>> knowledge_kept(found, judge=None).value
    1.0
    """
    return _verdict(conversation_verdicts, "knowledge")


def _verdict(found: ConversationVerdicts, about: str) -> Score:
    place = OF_CONVERSATION.index(about)
    evidence = {**found.as_data(place), **found.beside(place)}
    if found.verdicts[place].verdict == NOT_APPLICABLE:
        why = f"the judge calls the question not applicable: {found.verdicts[place].reason:.200}"
        return Score.undefined(why, evidence)
    return Score(found.verdicts[place].verdict == MET, evidence=evidence)
