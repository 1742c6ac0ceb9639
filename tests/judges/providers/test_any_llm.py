"""Judges through the package any-llm, against a server of our own; skipped where it is not installed."""

import asyncio

import faulty_server as faulty
import pytest
from cases import cases

pytest.importorskip("any_llm")

from ragauge.errors import JudgeError, PlanError
from ragauge.judges.protocol import Message, Request
from ragauge.judges.providers.factory import AnyLLM, open_judge

SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
ASKED = Request("verdict", (Message("user", "Is it?"),), SCHEMA)


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "sk-canary-7731")


def asked(answer, **changed):
    quick = {"api_key_env": "JUDGE_KEY", "first_wait_s": 0.001, "max_attempts": 4}
    with faulty.FaultyServer(answer) as server:
        judge = open_judge("any-llm:openai:gpt-x", base_url=server.url, **{**quick, **changed})
        try:
            return asyncio.run(judge.reply(ASKED)), server
        except JudgeError as error:
            return error, server


def test_what_may_pass_is_tried_again():
    fates = [faulty.too_many(), faulty.refusal(500, "boom"), faulty.ok('{"a": 1}')]
    reply, server = asked(lambda number, _: fates[number - 1])
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ('{"a": 1}', 100, 20)
    assert server.n_requests == 3
    assert server.asked[0]["response_format"]["json_schema"]["schema"] == SCHEMA


@cases("sk-canary-7731", "SK-CANARY-7731", "sk-canary\\u002d7731", "\\\\".join("sk-canary-7731"))
def test_a_key_that_is_refused_ends_it_at_once_and_stands_in_no_error(form):
    error, server = asked(lambda *_: faulty.refusal(401, f"no such key: {form}"))
    assert error.is_down and server.n_requests == 1
    assert "7731" not in str(error).replace("\\", "")
    assert "[redacted]" in str(error)


def test_the_providers_own_key_stands_in_no_error_either(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other-canary")
    error, server = asked(lambda *_: faulty.refusal(401, "sk-other-canary"), api_key_env=None)
    assert server.headers[0]["authorization"] == "Bearer sk-other-canary"
    assert "canary" not in str(error) and "[redacted]" in str(error)


def test_its_settings_are_those_of_an_endpoint():
    judge = AnyLLM("openai:gpt-x", api_key_env="JUDGE_KEY", temperature=0.5, seed=3)
    assert judge.name == "openai:gpt-x"
    parameters = {"temperature": 0.5, "max_tokens": None, "seed": 3}
    assert judge.identity == {"model": "openai:gpt-x", **parameters}
    for name in ("rpm", "concurrency", "timeout_s"):
        with pytest.raises(PlanError, match=f"gpt-x: {name} is -1; it must be above 0"):
            AnyLLM("openai:gpt-x", **{name: -1})


def test_attempts_are_bounded():
    error, server = asked(lambda *_: faulty.refusal(503, "busy"))
    assert error.is_down and "4 attempts" in str(error)
    assert server.n_requests == 4


def test_a_name_without_provider_is_refused():
    with pytest.raises(JudgeError, match="PROVIDER:MODEL"):
        AnyLLM("gpt-x")
