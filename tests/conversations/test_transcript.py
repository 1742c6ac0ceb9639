"""Transcripts of each chat API give the same messages, calls and turns; what cannot be paired is said with its place."""

import json

import pytest
from cases import cases

import ragauge as rg
from ragauge.conversations.exports import exported
from ragauge.conversations.tool_calls import TranscriptError, read_arguments, read_expected
from ragauge.conversations.transcript import read_transcript

ARGUMENTS = {"city": "Oslo", "days": 2}
TEXT = json.dumps(ARGUMENTS)
ASKED = {"role": "user", "content": "Weather?"}
SAID = {"role": "assistant", "content": "Rain."}
OPENAI = [
    {"role": "system", "content": "Be brief."},
    ASKED,
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "weather", "arguments": TEXT}}]},
    {"role": "tool", "tool_call_id": "1", "content": "rain"},
    SAID,
]  # fmt: skip
LEGACY = [
    ASKED,
    {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": TEXT}},
    {"role": "function", "name": "weather", "content": "rain"},
    SAID,
]
RESPONSES = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "1", "name": "weather", "arguments": TEXT},
    {"type": "function_call_output", "call_id": "1", "output": "rain"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]},
]
MADE = [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "id": "1", "name": "weather", "input": ARGUMENTS}]  # fmt: skip
RETURNED = {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "rain"}]}  # fmt: skip
ANTHROPIC = [
    ASKED,
    {"role": "assistant", "content": MADE},
    {"role": "user", "content": [RETURNED]},
    {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "Weather?"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": "rain"}}]},
    {"role": "model", "parts": [{"text": "Rain."}]},
]
LANGCHAIN = [
    {"type": "human", "content": "Weather?"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "weather", "args": ARGUMENTS, "id": "1"}]},
    {"type": "tool", "content": "rain", "tool_call_id": "1", "status": "success"},
    {"type": "ai", "content": "Rain."},
]  # fmt: skip
NAMES = ("HumanMessage", "AIMessage", "ToolMessage", "AIMessage")
SERIALISED = [
    {"lc": 1, "type": "constructor", "id": ["langchain", "messages", name], "kwargs": message}
    for name, message in zip(NAMES, LANGCHAIN, strict=True)
]
CALLED = [{"name": "weather", "input_parameters": ARGUMENTS, "output": "rain"}]
DEEPEVAL = [ASKED, SAID | {"tools_called": CALLED}]
EXPORTED = [ASKED, SAID | {"toolsCalled": [{"name": "weather", "inputParameters": ARGUMENTS, "output": "rain"}]}]  # fmt: skip
SHAREGPT = [
    {"from": "human", "value": "Weather?"},
    {"from": "function_call", "value": json.dumps({"name": "weather", "arguments": ARGUMENTS})},
    {"from": "observation", "value": "rain"},
    {"from": "gpt", "value": "Rain."},
]
OWN_TOOLS = [  # of OpenAI: the call and its result are one item
    {"role": "user", "content": "Weather?"},
    {"type": "mcp_list_tools", "tools": []},
    {"type": "mcp_call", "id": "m1", "name": "weather", "server_label": "s", "arguments": TEXT, "output": "rain", "error": None},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]},
]  # fmt: skip
SERVER_TOOL = [  # of Anthropic: the result is in the same message
    ASKED,
    {"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "s1", "name": "weather", "input": ARGUMENTS},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "rain"}]},
        {"type": "text", "text": "Rain."},
    ]},
]  # fmt: skip
GEN_AI = [  # OpenTelemetry's conventions
    {"role": "user", "parts": [{"type": "text", "content": "Weather?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "weather", "arguments": ARGUMENTS}], "finish_reason": "tool_call"},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "rain"}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "Rain."}], "finish_reason": "stop"},
]  # fmt: skip
BEDROCK = [
    {"role": "user", "content": [{"text": "Weather?"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "weather", "input": ARGUMENTS}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": "rain"}], "status": "success"}}]},
    {"role": "assistant", "content": [{"text": "Rain."}]},
]  # fmt: skip
AI_SDK = [
    ASKED,
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "weather", "input": ARGUMENTS}]},
    {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "1", "toolName": "weather", "output": "rain"}]},
    SAID,
]  # fmt: skip
AI_SDK_PARTS = [  # of its pages: call and result are one part
    {"role": "user", "parts": [{"type": "text", "text": "Weather?"}]},
    {"role": "assistant", "parts": [
        {"type": "step-start"},
        {"type": "tool-weather", "toolCallId": "1", "state": "output-available", "input": ARGUMENTS, "output": "rain"},
        {"type": "text", "text": "Rain."},
    ]},
]  # fmt: skip
LLAMA_INDEX = [
    {"role": "user", "blocks": [{"block_type": "text", "text": "Weather?"}]},
    {"role": "assistant", "blocks": [], "additional_kwargs": {"tool_calls": OPENAI[2]["tool_calls"]}},
    {"role": "tool", "blocks": [{"block_type": "text", "text": "rain"}], "additional_kwargs": {"tool_call_id": "1"}},
    {"role": "assistant", "blocks": [{"block_type": "text", "text": "Rain."}]},
]  # fmt: skip
INSPECT = [
    ASKED,
    {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": "weather", "arguments": ARGUMENTS, "type": "function"}]},
    {"role": "tool", "tool_call_id": "1", "function": "weather", "content": "rain"},
    {"role": "assistant", "content": [{"type": "text", "text": {"value": "Rain.", "annotations": []}}]},  # OpenAI's threads
]  # fmt: skip
FORMATS = {
    "ai sdk parts": AI_SDK_PARTS, "llama index": LLAMA_INDEX, "inspect": INSPECT, "own tools": OWN_TOOLS, "server tool": SERVER_TOOL, "gen_ai": GEN_AI, "bedrock": BEDROCK, "ai sdk": AI_SDK,
    "openai": OPENAI, "legacy": LEGACY, "responses": RESPONSES, "anthropic": ANTHROPIC, "gemini": GEMINI,
    "langchain": LANGCHAIN, "serialised": SERIALISED, "deepeval": DEEPEVAL,
    "sharegpt": SHAREGPT, "deepeval exported": EXPORTED,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_of_a_chat_gives_the_same_turn(name):
    for given in (FORMATS[name], json.dumps(FORMATS[name]), {"messages": FORMATS[name]}):
        (turn,) = read_transcript(given).turns()
        assert (turn.question, turn.answer) == ("Weather?", "Rain.")
        (call,) = turn.calls
        assert (call.name, call.arguments, call.result) == ("weather", ARGUMENTS, "rain")
        assert not call.is_error
    samples = rg.load([{"id": "a", "messages": FORMATS[name], "reference": "Rain."}])
    (row,) = samples.frame.to_dicts()
    assert (row["question"], row["answer"], row["references"]) == ("Weather?", "Rain.", ["Rain."])
    assert [call.name for call in read_transcript(row["messages"]).calls] == ["weather"]


def test_calls_may_be_json_text_or_a_single_object():
    call = {"name": "find", "arguments": {"n": 1}}
    for given in (call, [call], json.dumps([call]), json.dumps(call)):
        (found,) = read_transcript([{"role": "assistant", "tool_calls": given}]).calls
        assert (found.name, found.arguments) == ("find", {"n": 1})


def test_turns_of_plain_chats():
    sharegpt = [
        {"from": "human", "value": "Hi"},
        {"from": "gpt", "value": "Hello"},
        {"from": "human", "value": "Bye"},
    ]
    mtrag = [{"speaker": "user", "text": "Hi"}, {"speaker": "agent", "text": "Hello"}]
    spoken = [
        {"speaker": "customer", "utterance": "Hi"},
        {"speaker": "agent", "utterance": "Hello"},
    ]
    for chat in (sharegpt, mtrag, spoken):
        (turn,) = read_transcript(chat).turns()
        assert (turn.number, turn.question, turn.answer) == (1, "Hi", "Hello")


@cases(
    ({"content": [{"type": "refusal", "refusal": "I can't help."}]}, "I can't help."),
    ({"content": None, "refusal": "I can't help."}, "I can't help."),
    ({"content": 42}, "42"),
)
def test_the_text_of_a_reply(reply, answer):
    (turn,) = read_transcript([{"role": "assistant", **reply}]).turns()
    assert turn.answer == answer


def test_what_the_user_says_beside_a_tools_result_is_of_the_same_turn():
    call = {"type": "tool_use", "id": "t", "name": "find", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "4 C"}
    chat = [
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result, {"type": "text", "text": "in Fahrenheit"}]},
        {"role": "assistant", "content": "39 F"},
    ]
    (turn,) = read_transcript(chat).turns()
    assert (turn.question, turn.answer) == ("Oslo?\nin Fahrenheit", "39 F")
    assert turn.calls[0].result == "4 C"


def test_a_turn_ends_with_the_last_message_before_the_users_next():
    chat = [
        {"role": "assistant", "content": "How can I help?"},
        {"role": "user", "content": "One"},
        {"role": "user", "content": "and more"},
        {"role": "assistant", "content": "Let me see."},
        {"role": "assistant", "content": "Done"},
        {"role": "user", "content": "Two"},
    ]
    turns = read_transcript(chat).turns()
    assert [(turn.question, turn.answer) for turn in turns] == [
        (None, "How can I help?"),
        ("One\nand more", "Done"),
    ]
    assert [(turn.start, turn.stop) for turn in turns] == [(0, 1), (1, 5)]


@cases(
    ("Error", True),
    ("Error: down", True),
    ("ValueError: no such id", True),
    ("requests.exceptions.ConnectionError: refused", True),
    ("Traceback (most recent call last):", True),
    ("Error rates of OCR fell by 3 %.", False),
    ("Exceptions are handled in chapter 4.", False),
    ("No error: done", False),
)
def test_a_passage_about_errors_is_no_error(result, is_error):
    chat = [*OPENAI[:3], OPENAI[3] | {"content": result}]
    assert read_transcript(chat).calls[0].is_error is is_error


def _called(name):
    return {"role": "assistant", "parts": [{"functionCall": {"name": name}}]}


RESULT_OF_B = {"role": "user", "parts": [{"functionResponse": {"name": "b", "response": "x"}}]}


@cases(
    lambda n: OPENAI[:4] + [OPENAI[1]] * n,
    lambda n: [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}] * n,
    lambda n: [_called("a")] * n + [_called("b"), RESULT_OF_B] * n,
    lambda n: [_called("b")] * n + [RESULT_OF_B] * n,
    ids=["one turn", "turns", "calls without a result", "results after all calls"],
)
def test_long_conversations_take_linear_time(chat_of, assert_linear_time):
    assert_linear_time(lambda chat: read_transcript(chat).turns(), chat_of, 2_000)


def test_images_are_kept_by_type_and_results_tell_of_errors():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": str(n), "function": {"name": "look"}} for n in range(4)],
        },
        {"role": "tool", "tool_call_id": "0", "content": "Error: blind"},
        {"role": "tool", "tool_call_id": "1", "content": '{"error": "blind"}'},
        {"role": "tool", "tool_call_id": "2", "content": "x", "is_error": True},
        {"role": "tool", "tool_call_id": "3", "content": '{"errors": [], "found": "no error"}'},
    ]
    read = read_transcript(chat)
    assert read.messages[0].others == ["image_url"]
    assert [call.is_error for call in read.calls] == [True, True, True, False]


def test_images_in_a_result_are_shown_as_their_type_and_json_with_a_type_as_it_is():
    image = {"type": "image", "source": {"type": "base64", "data": "AA"}}
    prices = [{"type": "adult", "price": 9}]
    for content, shown in (
        ([{"type": "text", "text": "7"}, image], "7\n(image)"),
        ([image], "(image)"),
        (prices, json.dumps(prices)),
    ):
        returned = RETURNED | {"content": content}
        chat = [*ANTHROPIC[:2], {"role": "user", "content": [returned]}, ANTHROPIC[3]]
        (call,) = read_transcript(chat).calls
        assert call.result == shown


@cases(
    ("{", "no JSON"),
    (7, "must be a list"),
    (["hello"], "message 1 is no object"),
    ([{"role": "wizard", "content": "x"}], "message 1 has the role 'wizard'"),
    ([{"content": "x"}], "message 1 has the role ''"),
    ([{"role": "tool", "content": "x"}], "message 1 is a tool result without a call"),
    ([*OPENAI[:3], {"role": "tool", "tool_call_id": "9", "content": "x"}], "message 4 is a tool result for the call '9'"),
    ([*OPENAI[:4], OPENAI[3]], "message 5 is a tool result for the call '.*', which has a result already"),
    ([{"role": "assistant", "tool_calls": "none"}], "message 1 has the calls 'none'; they must be a list of objects"),
    ([{"role": "user", "words": "x"}], "message 1 has no content, only role, words"),
    ([OPENAI[0], OPENAI[0]], "message 2 is a second system prompt"),
    ([OPENAI[1] | {"turn": 2}, OPENAI[4] | {"turn": 1}], "message 2 is of turn 1, after turn 2"),
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_its_place(messages, said):
    with pytest.raises(TranscriptError, match=said.replace("(", r"\(")):
        read_transcript(messages)


@cases(
    ("{a: 1}", "are no JSON: "),
    ('{"a": NaN}', "NaN is no finite number"),
    ('{"a": 1e999}', "1e999 is no finite number"),
    ({"a": float("nan")}, "are no JSON"),
    ("[1]", "are no JSON object"),
    ("[" * 200 + "]" * 200, "nested more than 100 deep"),
    ("[" * 200_000, "nested more than 100 deep"),
    ('{"a": ' + "9" * 5000 + "}", "are no JSON"),
)
def test_arguments_that_are_no_object_are_invalid_and_never_an_error(given, said):
    arguments, invalid = read_arguments(given)
    assert arguments is None
    assert said in invalid


def names(expected):
    return [right and [[call.name for call in calls] for calls in right] for right in expected]


def test_expected_calls_by_turn_with_alternatives_and_without():
    a, b = {"name": "a", "arguments": {}}, {"name": "b", "args": {"x": 1}}
    assert names(read_expected([a, b], 1)) == [[["a", "b"]]]
    assert names(read_expected([], 1)) == [[[]]]
    assert names(read_expected([[a], None, []], 3)) == [[["a"]], None, [[]]]
    assert names(read_expected([[a], [b]], 1)) == [[["a"], ["b"]]]
    assert names(read_expected([[[a], [b]], [a]], 2)) == [[["a"], ["b"]], [["a"]]]
    (((call,),),) = read_expected([{"area": {"base": [3], "unit": ["m", ""]}}], 1)
    assert (call.name, call.arguments) == ("area", {"base": [3], "unit": ["m", ""]})
    (((call,),),) = read_expected([{"name": "a"}], 1)
    assert call.arguments is None


@cases(
    ({"name": "a"}, 1, "must be a list"),
    ([[], [], []], 2, "has 3 turns, the conversation 2"),
    ([[], "no"], 2, "of turn 2 must be a list"),
    ([[3]], 1, "expected call 1 must be an object"),
    ([{"arguments": {}, "id": 1}], 1, "names no tool"),
    ([{"arguments": {}}], 1, "names no tool"),
    ([{"name": "a", "arguments": "{"}], 1, "expected call 1: the arguments are no JSON"),
)
def test_expected_calls_that_do_not_fit_say_why(expected, n_turns, said):
    with pytest.raises(TranscriptError, match=said):
        read_expected(expected, n_turns)


def test_a_tool_that_the_provider_runs_is_a_call_of_pydantic_ai():
    parts = [
        {"part_kind": "text", "content": None},
        {
            "part_kind": "builtin-tool-call",
            "tool_name": "web",
            "args": {"q": 1},
            "tool_call_id": "c",
        },
        {
            "part_kind": "builtin-tool-return",
            "tool_name": "web",
            "content": "x",
            "tool_call_id": "c",
        },
        {"part_kind": "text", "content": "done"},
    ]
    calls = [{"id": "c", "name": "web", "arguments": {"q": 1}}]
    said, result = exported([{"kind": "response", "parts": parts}])
    assert said == {"role": "assistant", "content": "done", "tool_calls": calls}
    assert (result["role"], result["tool_call_id"], result["content"]) == ("tool", "c", "x")
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "?"}]}
    (turn,) = read_transcript(exported([asked, {"kind": "response", "parts": parts}])).turns()
    assert (turn.answer, [call.result for call in turn.calls]) == ("done", ["x"])


def test_a_response_of_thoughts_only_is_no_answer_in_pydantic_ais_history():
    thought = {"kind": "response", "parts": [{"part_kind": "thinking", "content": "hm"}]}
    told = {"kind": "response", "parts": [{"part_kind": "text", "content": "4"}]}
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "2 + 2?"}]}
    assert exported([asked, thought]) == exported([asked])
    (turn,) = read_transcript(exported([asked, thought, told])).turns()
    assert turn.answer == "4"
