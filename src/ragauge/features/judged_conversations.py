"""What a judge finds in a whole conversation: one call for several questions of one transcript."""

from dataclasses import dataclass

from ragauge.conversations.transcript import Transcript
from ragauge.features.judged import Calls
from ragauge.judges import questions
from ragauge.judges.questions import ShownInTurn
from ragauge.judges.session import JudgeSession
from ragauge.language.text import excerpt
from ragauge.metric import feature
from ragauge.score import Score

MAX_SHOWN = 500
"""Most characters of a call's arguments, and of its result, that a judge reads."""
MAX_INSTRUCTIONS = 6_000


@dataclass(frozen=True, slots=True)
class ConversationVerdicts:
    """The verdicts, or grades, in the order of the questions; `first`: the first turn that the judge read."""

    verdicts: tuple[ShownInTurn, ...]
    first: int
    calls: Calls

    def as_data(self, place: int) -> dict[str, object]:
        """JSON data for the evidence of one of the questions."""
        each = self.verdicts[place]
        data: dict[str, object] = {"verdict": each.verdict, "reason": each.reason}
        if each.turn is not None:
            data["turn"] = each.turn + self.first - 1
        if each.quote:
            data |= {"quote": each.quote, "quote_found": each.start is not None}
            data |= {"start": each.start, "end": each.end} if each.start is not None else {}
        return data

    def beside(self, place: int | None = None) -> dict[str, object]:
        """What is to be said of all of them; `place`: of one of the questions."""
        data: dict[str, object] = {"calls": list(self.calls)}
        of = self.verdicts if place is None else self.verdicts[place : place + 1]
        if any(each.quote and each.start is None for each in of):
            data["needs_review"] = True
        return data | ({"first_turn_shown": self.first} if self.first > 1 else {})


@dataclass(frozen=True, slots=True)
class ShownConversation:
    """The texts of a conversation that a judge reads: the last turns that fit its window."""

    instructions: str | None
    turns: tuple[str, ...]
    first: int


def shown_to(judge: JudgeSession, dialogue: Transcript) -> ShownConversation | Score:
    """The conversation as text, a turn each: the user's message, calls with their results, the answer."""
    turns: list[str] = []
    for turn in dialogue.turns():
        lines = [] if turn.question is None else [f"user: {turn.question}"]
        for call in turn.calls:
            made = excerpt(call.invalid or str(call.arguments), MAX_SHOWN)
            lines.append(f"call: {call.name} {made} → {excerpt(call.result or '', MAX_SHOWN)}")
        lines += [] if turn.answer is None else [f"assistant: {turn.answer}"]
        turns.append("\n".join(lines))
    if not turns:
        return Score.undefined("the system says nothing in this conversation")
    systems = [each.text for each in dialogue.messages if each.role == "system"]
    instructions = excerpt(systems[0], MAX_INSTRUCTIONS) if systems else None
    first = 0
    while first < len(turns) - 1 and not judge.fits_window(
        (*turns[first:], instructions or ""), len(questions.OF_CONVERSATION)
    ):
        first += 1
    return ShownConversation(instructions, tuple(turns[first:]), first + 1)


@feature(prompts=("conversation",))
async def conversation_verdicts(
    dialogue: Transcript, goal: str | None, *, judge: JudgeSession
) -> ConversationVerdicts | Score:
    """Whether the goal was reached, and the role, the topic and what is known were kept: one call for the four."""
    shown = shown_to(judge, dialogue)
    if isinstance(shown, Score):
        return shown
    asked = await judge.ask(questions.conversation(shown.instructions, goal, shown.turns))
    if isinstance(asked, Score):
        return asked
    return ConversationVerdicts(asked.value, shown.first, (asked.call,))
