"""What a transcript says of tool calls: by turn, those that were made beside those that are right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ragauge.conversations.matching import Schema, tool_schemas
from ragauge.conversations.tool_calls import (
    Call,
    TranscriptError,
    is_object,
    list_of,
    n_turns_listed,
    read_expected,
)
from ragauge.conversations.transcript import Transcript, read_transcript
from ragauge.metric import feature
from ragauge.score import NOT_LAST, Score


@dataclass(frozen=True, slots=True)
class TurnCalls:
    """The calls of one turn, and the lists of calls that would be right."""

    turn: int
    made: list[Call]
    right: list[list[Call]]


@feature
def transcript(messages: str) -> Transcript | Score:
    """The messages, calls and turns of a conversation, or of one turn of it."""
    try:
        return read_transcript(messages)
    except TranscriptError as error:
        return Score.missing(f"the messages cannot be read: {error}")


@feature
def dialogue(
    messages: str, whole_conversation: str | None, conversation: str | None
) -> Transcript | Score:
    """The whole conversation; of several turns only the last has it, so that it is scored once."""
    if whole_conversation is None and conversation is not None:
        return Score.undefined(NOT_LAST)
    return transcript(messages if whole_conversation is None else whole_conversation)


@feature
def tools_by_name(tools: str) -> Mapping[str, Schema] | Score:
    """By tool, the JSON schema of its arguments."""
    try:
        return tool_schemas(json.loads(tools))
    except (ValueError, RecursionError):
        return Score.missing("the tools are no JSON")


@feature
def turn_calls(
    transcript: Transcript, expected_calls: str, whole_conversation: str | None
) -> list[TurnCalls] | Score:
    """The calls of each turn of which it is said which calls are right.

    Expected calls that are no list over turns are those of the whole conversation: its turns count as one.
    """
    try:
        given: object = json.loads(expected_calls)
        listed = list_of(given)
        is_of_all = bool(listed) and all(map(is_object, listed or ()))
        if is_of_all and whole_conversation is not None:
            transcript = read_transcript(whole_conversation)
        turns = transcript.turns(n_turns_listed(given))
        expected = read_expected(given, len(turns))
    except TranscriptError as error:
        return Score.missing(str(error))
    except (ValueError, RecursionError):
        return Score.missing("the expected_calls are no JSON")
    if not turns:
        return Score.undefined("the system says nothing in this conversation")
    if is_of_all:
        made = [call for turn in turns for call in turn.calls]
        return [TurnCalls(turns[-1].number, made, expected[0] or [])]
    found = [
        TurnCalls(turn.number, list(turn.calls), right)
        for turn, right in zip(turns, expected, strict=True)
        if right is not None
    ]
    return found or Score.missing("no turn has expected calls")
