import json

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.judges.protocol import Reply, TokenChoice
from ragauge.judges.providers.endpoint import (
    ErrorBody,
    error_of,
    first_choice,
    rejected_parameters,
    reply_of,
)


def reply(message: object, *, usage: object = None, **choice: object) -> Reply:
    return reply_of({"usage": usage}, {"message": message, **choice})


@cases(
    ("yes", "yes"),
    ("", ""),
    (None, ""),
    ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
    ([{"type": "image_url"}, "c", {"text": None}, 7], "c"),
    ([], ""),
    ({"text": "a"}, ""),
    (7, ""),
)
def test_the_text_is_found_in_any_form(content, text):
    assert reply({"content": content}).text == text


def test_the_first_choice_counts():
    choices = [{"index": 0}, {"index": 1}]
    assert first_choice({"choices": choices}) == {"index": 0}
    for none in ({}, {"choices": []}, {"choices": None}, {"choices": {"0": 1}}, {"choices": [7]}):
        assert first_choice(none) == {}


def test_why_it_ended_is_told():
    assert reply({"content": "a"}, finish_reason="length").finish_reason == "length"
    assert reply({"content": "a"}, finish_reason=None).finish_reason == "stop"
    assert reply({"content": "a"}).finish_reason == "stop"
    refused = reply({"content": None, "refusal": "no"}, finish_reason="stop")
    assert (refused.text, refused.finish_reason) == ("no", "refusal")
    both = reply({"content": "half", "refusal": "no"})
    assert (both.text, both.finish_reason) == ("half", "refusal")
    assert reply({"content": "a", "refusal": ""}).finish_reason == "stop"


@pytest.mark.parametrize("said", [-1, 1.0, True, "7", None, [], float("nan")])
def test_a_count_that_is_none_is_not_told(said):
    details = {"cached_tokens": said}
    usage = {"prompt_tokens": said, "completion_tokens": said, "prompt_tokens_details": details}
    found = reply({}, usage=usage)
    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == (None, None, None)


@cases(
    (0, 0.0),
    (0.25, 0.25),
    *((bad, None) for bad in (-0.1, True, "1", None, float("inf"), float("nan"), 10**400)),
)
def test_the_cost_is_a_number_or_not_told(cost, found):
    assert reply({}, usage={"cost": cost}).cost_usd == found


def test_a_token_stands_among_its_alternatives_once():
    top = [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1}, {"token": "a"}]
    tokens = [{"token": "a", "logprob": -0.5, "top_logprobs": top}, {"token": "c", "logprob": -2.0}]
    assert reply({}, logprobs={"content": tokens}).logprobs == (
        TokenChoice("a", (("a", -0.5), ("b", -1.0))),
        TokenChoice("c", (("c", -2.0),)),
    )


@cases(
    *(None, {}, {"content": None}, {"content": []}, {"content": {"a": 1}}, {"content": [7]}),
    {"content": [{"token": "a"}]},
    {"content": [{"token": "a", "logprob": float("nan")}]},
    {"content": [{"token": "a", "logprob": -1}, {"token": "b", "logprob": "-1"}]},
    {"tokens": ["a"], "token_logprobs": [-1.0]},
)
def test_probabilities_that_cannot_be_read_are_none(logprobs):
    assert reply({}, logprobs=logprobs).logprobs is None


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
known = st.sampled_from(
    [
        *("choices", "message", "content", "refusal", "usage", "prompt_tokens", "cost", "model"),
        *("logprobs", "top_logprobs", "token", "logprob", "finish_reason", "text", "error", "loc"),
        *("prompt_tokens_details", "cached_tokens", "detail", "msg", "code", "param", "type"),
    ]
)
envelopes = st.recursive(
    json_data,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(known, inner, max_size=6),
    max_leaves=20,
)


@given(st.dictionaries(known, envelopes))
def test_whatever_a_server_says_is_read_without_a_fault(said):
    found = reply_of(said, first_choice(said))
    assert isinstance(found.text, str)
    error = error_of(json.dumps(said))
    assert all(isinstance(part, str) for part in (error.message, error.code, error.param))
    list(rejected_parameters(error, {"seed": 1}))


def test_what_stands_beside_the_message_is_found():
    body = {"error": {"message": "no", "code": "c", "param": "seed", "type": "t"}}
    assert error_of(json.dumps(body)) == ErrorBody("no", code="c", type="t", param="seed")
    assert error_of('{"message": "no", "code": 40, "param": null}') == ErrorBody("no", code="40")


SENT = {
    "model": "m",
    "temperature": 0,
    "max_tokens": 5,
    "seed": 1,
    "response_format": {"type": "json_schema"},
    "logprobs": True,
    "top_logprobs": 20,
}


@cases(
    ("'temperature' does not support 0.0 with this model", ["temperature"]),
    ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", ["max_tokens"]),
    ("max_completion_tokens is unknown", []),
    ("response_format.type must be text", ["response_format"]),
    ("This model does not support Structured Outputs", ["response_format"]),
    ("does not support response format `json_schema`", ["response_format"]),
    ("You are not allowed to request logprobs from this model", ["logprobs"]),
    ("top_logprobs must be at most 5", ["top_logprobs"]),
    ("body.seed: Extra inputs are not permitted", ["seed"]),
    ("temperature and seed are not supported", ["temperature", "seed"]),
    ("my_temperature, seeds, maxtokens, nologprobs", []),
    ("max_tokens is too large: 5. This model supports at most 4 tokens", []),
    ("5 tokens of max_tokens exceed the context length", []),
    ("something is wrong", []),
    ("model m does not exist", []),
)
def test_only_what_an_error_names_is_rejected(message, rejected):
    assert list(rejected_parameters(ErrorBody(message), SENT)) == rejected


def test_the_field_for_it_counts_before_the_words():
    said = ErrorBody("temperature, seed: bad", param="seed")
    assert list(rejected_parameters(said, SENT)) == ["seed"]
    said = ErrorBody("Invalid schema", param="response_format.json_schema")
    assert list(rejected_parameters(said, SENT)) == ["response_format"]
    said = ErrorBody("messages must name json for response_format", param="messages")
    assert list(rejected_parameters(said, SENT)) == ["response_format"]
    assert list(rejected_parameters(ErrorBody("", param="seed"), {"model": "m"})) == []
