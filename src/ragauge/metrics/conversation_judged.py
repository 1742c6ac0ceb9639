"""What a judge says of a whole conversation, each verdict with the turn that shows it.

One call answers the four questions of `goal_reached`, `role_kept`, `topic_kept` and `knowledge_kept`. In a run these are
scored once a conversation, at its last turn.
"""

from ragauge.features.judged_conversations import ConversationVerdicts
from ragauge.judges.questions import MET, NOT_APPLICABLE, OF_CONVERSATION
from ragauge.judges.session import JudgeSession
from ragauge.metric import metric
from ragauge.score import Score


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
    evidence = {**found.as_data(place), **found.beside}
    if found.verdicts[place].verdict == NOT_APPLICABLE:
        why = f"the judge calls the question not applicable: {found.verdicts[place].reason:.200}"
        return Score.undefined(why, evidence)
    return Score(found.verdicts[place].verdict == MET, evidence=evidence)
