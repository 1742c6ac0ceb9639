"""Against a real server on this machine, which counts what it is asked."""

import asyncio
import gc
import gzip
import json
import logging
import pickle
import socket
import sys
import time
from collections.abc import Callable
from urllib.parse import quote

import faulty_server as faulty
import pytest
from cases import cases
from faulty_server import Answer, everything_about, ok, refusal, too_many

from ragauge.errors import JudgeError, MissingExtraError, PlanError
from ragauge.network.endpoints import Address

pytest.importorskip("openai")

from ragauge.calls import connections
from ragauge.calls.connections import MAX_BYTES, OPENAI
from ragauge.calls.loop import run
from ragauge.judges.protocol import Message, Reply, Request, TokenChoice
from ragauge.judges.providers.endpoint import ChatEndpoint

CANARY = "sk-canary/7f3a+9c41<d8>e2b6"
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "boolean"}},
    "required": ["verdict"],
    "additionalProperties": False,
}
PLAIN = Request("greet", (Message("user", "hello"),), None)
ASKED = Request("verdict", (Message("system", "judge"), Message("user", "is it so?")), SCHEMA)
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
def without_proxies(monkeypatch):
    for name in (*PROXIES, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)


@pytest.fixture
def server(request, monkeypatch, without_proxies):
    """By the connections of aiohttp (extra `fast`); of what depends on them, also by those that openai has without it."""
    if getattr(request, "param", "") == "httpx":
        monkeypatch.setattr(connections, "find_spec", lambda _: None)
    with faulty.FaultyServer() as server:
        yield server


by_either = pytest.mark.parametrize("server", ["aiohttp", "httpx"], indirect=True)


def judge(server, **changed: object) -> ChatEndpoint:
    quick = {"first_wait_s": 0.01, "max_wait_s": 0.05, "timeout_s": 5, "max_attempts": 3}
    return ChatEndpoint("tiny", base_url=server.url, **{**quick, **changed})


async def _closing(one: ChatEndpoint, work):
    try:
        return await work
    finally:
        await one.close()


def ask(one: ChatEndpoint, request: Request = PLAIN) -> Reply:
    return asyncio.run(_closing(one, one.reply(request)))


def texts_of(one: ChatEndpoint, n: int, request: Request = PLAIN) -> list[str]:
    """The texts of the replies to n requests at once."""

    async def work():
        return await asyncio.gather(*(one.reply(request) for _ in range(n)))

    return [reply.text for reply in asyncio.run(_closing(one, work()))]


def in_turn(one: ChatEndpoint, n: int) -> list[Reply | BaseException]:
    """What comes of n requests, one after the other on one loop."""

    async def work():
        return [
            (await asyncio.gather(one.reply(PLAIN), return_exceptions=True))[0] for _ in range(n)
        ]

    return asyncio.run(_closing(one, work()))


def error_of(one: ChatEndpoint, match: str = "", request: Request = PLAIN) -> JudgeError:
    with pytest.raises(JudgeError, match=match or None) as raised:
        ask(one, request)
    return raised.value


def answering(*answers) -> Callable:
    """The answers one after the other, the last for all that follow."""
    return lambda number, _: answers[min(number, len(answers)) - 1]


def always(answer) -> Callable:
    return lambda *_: answer


@by_either
def test_a_question_is_sent_as_it_is_and_its_reply_comes_back(server):
    server.answer = always(ok("  Hello!\n"))
    assert ask(judge(server)) == Reply("  Hello!\n", 100, 20, model="judge-2025-01-01")
    messages = [{"role": "user", "content": "hello"}]
    assert server.asked == [{"model": "tiny", "messages": messages, "temperature": 0.0}]
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {CANARY}"
    assert server.headers[0]["user-agent"].startswith("AsyncOpenAI/")
    # A schema is asked for strictly, and parameters are sent that are given.
    ask(judge(server), ASKED)
    schema = {"name": "verdict", "schema": SCHEMA, "strict": True}
    assert server.asked[1]["response_format"] == {"type": "json_schema", "json_schema": schema}
    ask(judge(server, temperature=None))
    assert sorted(server.asked[2]) == ["messages", "model"]
    given = {"temperature": 0.7, "max_tokens": 300, "seed": 5}
    one = judge(server, **given)
    ask(one)
    assert {name: server.asked[3][name] for name in given} == given
    assert (one.name, one.identity) == ("tiny", {"model": "tiny", **given})


@by_either
@pytest.mark.filterwarnings("error::ResourceWarning")
def test_any_text_can_be_sent_and_a_long_one_whole(server):
    texts = ["😀", "שלום", "\x00", "a\ud800b", "{{7*7}}", "a\u2028\\u2028", '"}],"model":"x"']
    ask(judge(server), Request("p", tuple(Message("user", text) for text in texts), None))
    arrived = [message["content"] for message in server.asked[0]["messages"]]
    assert arrived == [text.replace("\ud800", "\ufffd") for text in texts]
    assert server.asked[0]["model"] == "tiny"
    text = "long " * 300_000
    assert ask(judge(server), Request("greet", (Message("user", text),), None)).text == "yes"
    assert server.asked[1]["messages"][0]["content"] == text


def test_probabilities_of_tokens_and_what_it_took_are_told(server):
    def token(text, logprob, *top):
        others = [{"token": other, "logprob": number, "bytes": None} for other, number in top]
        return {"token": text, "logprob": logprob, "bytes": None, "top_logprobs": others}

    content = [token("4", -0.1, ("4", -0.1), ("5", -2.5)), token("!", -3.0, (".", -0.2))]
    usage = {"prompt_tokens": 900, "completion_tokens": 30, "cost": 0.00125}
    usage["prompt_tokens_details"] = {"cached_tokens": 640}
    server.answer = always(ok("4!", logprobs={"content": content}, usage=usage))
    reply = ask(judge(server), Request("p", PLAIN.messages, None, wants_logprobs=True))
    assert (server.asked[0]["logprobs"], server.asked[0]["top_logprobs"]) == (True, 20)
    assert reply.logprobs == (
        TokenChoice("4", (("4", -0.1), ("5", -2.5))),
        TokenChoice("!", ((".", -0.2), ("!", -3.0))),
    )
    told = (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, reply.cost_usd)
    assert told == (900, 30, 640, 0.00125)


@by_either
def test_many_are_asked_at_once_on_few_connections(server):
    server.latency_s = 0.1
    assert texts_of(judge(server, concurrency=30), 100) == ["yes"] * 100
    assert 8 < server.most <= 30
    assert server.n_connections <= 30


def test_which_connections_are_used(monkeypatch, without_proxies):
    pytest.importorskip("aiohttp")

    async def uses_aiohttp(url: str) -> bool:
        made = connections.Connections(Address("tiny", url, "OPENAI_API_KEY", JudgeError), 2)
        await made.close()
        return made.uses_aiohttp

    for name, proxy, expected in (
        ("", "", [True, True]),
        ("HTTP_PROXY", "http://proxy.example:3128", [True, True]),  # of another scheme
        ("ALL_PROXY", "http://proxy.example:3128", [False, True]),  # none is used on this machine
        ("NO_PROXY", "judge.example", [True, True]),
        (None, None, [False, False]),
    ):
        if name is None:
            monkeypatch.setattr(connections, "find_spec", lambda _: None)
        elif name:
            monkeypatch.setenv(name, proxy)
        urls = ("https://judge.example/v1", "http://127.0.0.1:8000/v1")
        assert [asyncio.run(uses_aiohttp(url)) for url in urls] == expected


@by_either
def test_a_redirect_is_followed_with_the_whole_request_each_time(server):
    there = Answer(307, headers={"Location": "/v2/chat/completions"})
    server.answer = lambda *_: ok("yes") if server.paths[-1].startswith("/v2") else there
    assert ask(judge(server), ASKED).text == "yes"
    assert server.paths[-2:] == ["/v1/chat/completions", "/v2/chat/completions"]
    assert server.asked[-2] == server.asked[-1]
    assert {one["authorization"] for one in server.headers} == {f"Bearer {CANARY}"}
    assert texts_of(judge(server, concurrency=4), 8) == ["yes"] * 8


@by_either
def test_a_redirect_to_another_server_does_not_take_the_key_along(server):
    with faulty.FaultyServer() as other:
        server.answer = always(Answer(307, headers={"Location": f"{other.url}/chat/completions"}))
        assert ask(judge(server)).text == "yes"
        assert "authorization" not in other.headers[0]


@by_either
@cases(
    *("http://a..b/v1", f"http://{64 * 'a'}/v1", "http://127.0.0.1:99999/", "", "ftp://h/"),
    "/v1/chat/completions",
)
def test_a_redirect_to_nowhere_or_in_a_circle_is_an_error_of_the_judge(to, server):
    server.answer = always(Answer(307, headers={"Location": to}))
    match = "TooManyRedirects" if to.startswith("/") else ""
    assert CANARY not in str(error_of(judge(server, max_attempts=1), match))


LONG = "input 3\nis too\x1b[31m long " + "x" * 900
FINAL = [
    (faulty.FLOOD, f"more than {MAX_BYTES} bytes", False),
    (Answer(400, fate="flood"), "refused with 400", False),
    (Answer(body=b"<!doctype html>"), "a page of HTML and not JSON; base_url may", True),
    (
        Answer(body=b'{"error": {"message": "no such model", "code": 404}}'),
        "refused with 404: no such model",
        True,
    ),
    (
        refusal(429, "check your plan", code="insufficient_quota"),
        r"the quota is used up \(429: check your plan\)",
        True,
    ),
    *(
        (refusal(status, LONG), f"refused with {status}: input 3 is too", status in range(401, 405))
        for status in (400, 413, 422, 401, 402, 403, 404)
    ),
]


@by_either
@pytest.mark.parametrize(("answer", "match", "is_down"), FINAL, ids=range(len(FINAL)))
def test_what_a_retry_would_not_change_is_asked_once(server, answer, match, is_down):
    server.answer = always(answer)
    error = error_of(judge(server), match)
    assert (error.is_down, server.n_requests) == (is_down, 1)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 500


YES = ok("yes" * 300_000)
PACKED = Answer(body=gzip.compress(YES.body), headers={"Content-Encoding": "gzip"})
LAST = Answer(body=ok("yes").body, headers={"Content-Length": str(len(ok("yes").body))})


@by_either
@cases(
    # Packed, long, and of any content type.
    (
        (PACKED, Answer(body=YES.body, headers={"Content-Type": "text/plain"})),
        ("yes" * 300_000,) * 2,
    ),
    # A page of HTML that comes later is asked for again.
    ((ok("yes"), Answer(body=b"<html>one moment</html>"), ok("no")), ("yes", "no")),
    # The client opens a new connection if the server has closed the old one.
    ((LAST,) * 4, ("yes",) * 4),
)
def test_replies_of_any_form_are_read_one_after_the_other(answers, texts, server):
    server.answer = answering(*answers)
    assert tuple(reply.text for reply in in_turn(judge(server), len(texts))) == texts
    assert server.n_requests == len(answers)
    assert "gzip" in server.headers[0]["accept-encoding"]
    assert server.headers[0]["accept"] == "application/json"


BROKEN = [
    faulty.RESET,
    Answer(body=b""),
    Answer(body=b'{"choices": [{"mess'),
    Answer(body=b"[" * 100_000),
    Answer(body=b"null"),
    Answer(body=b'{"choices": []}'),
    Answer(body=b'{"choices": [{"finish_reason": "stop"}]}'),
    Answer(body=b"data: {}\n\n", headers={"Content-Type": "text/event-stream"}),
    Answer(body=ok("yes").body, fate="cut"),
    Answer(500, b'{"error": "half"}', fate="cut"),
    Answer(body=b"not gzip", headers={"Content-Encoding": "gzip"}),
    Answer(body=b'{"error": {"message": "upstream", "code": 502}}'),
    ok("half a reply", choices=[{"message": {"content": "half"}, "error": {"code": 502}}]),
    Answer(body=b'{"error": {"message": "overloaded", "code": "server_error"}}'),
    *(refusal(status, "busy") for status in (408, 409, 429, 500, 502, 503, 529)),
]


@by_either
@pytest.mark.parametrize("broken", BROKEN, ids=range(len(BROKEN)))
def test_what_may_pass_is_asked_again_and_given_up_in_the_end(broken, server):
    server.answer = answering(broken, ok("yes"))
    assert ask(judge(server)).text == "yes"
    assert server.n_requests == 2
    server.answer = always(broken)
    assert error_of(judge(server), "no answer in 3 attempts").is_down
    assert server.n_requests == 5


@cases((429, {"Retry-After": "0.2"}), (503, {"retry-after-ms": "200", "Retry-After": "0"}))
def test_what_the_server_says_to_one_is_waited_by_all(status, headers, server):
    starts = []

    def answer(number, _):
        starts.append(time.monotonic())
        return refusal(status, "busy", headers=headers) if number == 1 else ok("yes")

    server.answer = answer
    assert texts_of(judge(server, concurrency=1, max_wait_s=5), 5) == ["yes"] * 5
    assert 0.2 <= starts[1] - starts[0] < 4


def test_one_request_that_always_fails_does_not_count_as_down_while_others_are_answered(server):
    bad = Request("p", (Message("user", "bad"),), None)

    def answer(_, body):
        is_bad = body["messages"][0]["content"] == "bad"
        return refusal(500, "cannot") if is_bad else ok("yes")

    server.answer = answer
    one = judge(server, concurrency=1, max_attempts=4)

    async def both():
        asked = (one.reply(bad), *(one.reply(PLAIN) for _ in range(30)))
        return await asyncio.gather(*asked, return_exceptions=True)

    failed, *others = asyncio.run(_closing(one, both()))
    assert isinstance(failed, JudgeError) and not failed.is_down
    assert all(reply.text == "yes" for reply in others)


@cases((refusal(500, "out of order"), True), (refusal(403, "flagged"), False))
def test_after_an_answer_a_server_may_go_down_or_forbid_a_single_text(answer, is_down, server):
    server.answer = answering(ok("yes"), answer)
    assert in_turn(judge(server), 2)[1].is_down is is_down


def test_what_was_one_too_many_at_once_is_soon_sent_again(server):
    server.answer = answering(too_many(), ok("yes"))
    start = time.monotonic()
    ask(judge(server, first_wait_s=8, max_wait_s=8))
    assert time.monotonic() - start < 3  # an eighth of it, or less


@by_either
@cases(
    (
        refusal(500, "busy"),
        {"first_wait_s": 50, "max_wait_s": 50, "deadline_s": 0.3},
        "no answer in 1 attempts",
    ),
    (
        faulty.HANG,
        {"timeout_s": 0.1, "max_attempts": 2},
        r"2 attempts .*no whole reply came within 0\.1 s",
    ),
    (faulty.HANG, {"deadline_s": 0.2}, r"1 attempts .*no whole reply came within 0\.2 s"),
    (faulty.DRIP, {"timeout_s": 0.2, "max_attempts": 1}, "no whole reply came"),
)
def test_time_runs_out_before_the_attempts_do(answer, settings, match, server):
    server.answer = always(answer)
    start = time.monotonic()
    assert error_of(judge(server, **settings), match).is_down
    assert time.monotonic() - start < 3


def test_waiting_for_a_turn_is_no_part_of_the_deadline(server):
    server.latency_s = 0.1  # the last waits 0.5 s for its permit
    assert texts_of(judge(server, concurrency=1, deadline_s=0.4), 6) == ["yes"] * 6


@by_either
def test_nobody_is_not_waited_for_as_long_as_somebody(server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        one = ChatEndpoint("tiny", base_url=url, first_wait_s=0.01, max_attempts=2)
        assert error_of(one, "tiny at 127.0.0.1:.* the connection was lost").is_down
    server.answer = always(faulty.RESET)
    assert error_of(judge(server, max_attempts=8), "no answer in 4 attempts").is_down
    server.answer = answering(*[refusal(500, "starting")] * 5, ok("yes"))
    server.n_requests = 0
    one = judge(server, max_attempts=8)
    assert run(one.reply(PLAIN)).text == "yes"
    server.answer = always(faulty.RESET)
    with pytest.raises(JudgeError, match="no answer in 8 attempts"):
        run(one.reply(PLAIN))


@by_either
@pytest.mark.parametrize("is_closed", [True, False])
def test_connections_are_closed_from_another_loop_and_when_nobody_has_their_endpoint(
    server, is_closed
):
    one = judge(server)
    assert run(one.reply(PLAIN)).text == "yes"
    assert server.n_open == 1
    if is_closed:
        asyncio.run(one.close())
    else:
        del one
        gc.collect()
    until = time.monotonic() + 5
    while server.n_open and time.monotonic() < until:
        time.sleep(0.01)
    assert server.n_open == 0
    if is_closed:
        assert run(_closing(one, one.reply(PLAIN))).text == "yes"


@by_either
def test_who_is_cancelled_leaves_nothing_behind(server):
    server.latency_s = 5.0
    one = judge(server, concurrency=2)

    async def cancel_some():
        tasks = [asyncio.create_task(one.reply(PLAIN)) for _ in range(6)]
        while server.now < 2:
            await asyncio.sleep(0.005)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        server.latency_s = 0.0
        return await asyncio.wait_for(one.reply(PLAIN), 3)

    assert asyncio.run(_closing(one, cancel_some())).text == "yes"


def test_a_limit_of_the_server_is_kept_to(server):
    server.latency_s, server.in_flight = 0.05, 12
    assert texts_of(judge(server, max_attempts=8), 150) == ["yes"] * 150
    assert server.most <= 12
    # At most a few are refused until the limit is found; a fixed 128 would waste hundreds.
    assert server.n_refused < 40


def rejecting(*names: str, param: bool = True) -> Callable:
    """Answers as a server does that rejects these parameters, one at a time."""

    def answer(_, body):
        for name in names:
            if name in body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return refusal(400, message, param=name if param else None)
        return ok("yes")

    return answer


@pytest.mark.parametrize("param", [True, False])
def test_what_the_model_rejects_is_left_out_and_told(param, server):
    server.answer = rejecting("temperature", "seed", param=param)
    one = judge(server, seed=3, max_tokens=50)
    assert ask(one).text == "yes"
    assert server.n_requests == 3
    assert sorted(server.asked[-1]) == ["max_tokens", "messages", "model"]
    assert list(one.dropped) == ["temperature", "seed"]
    assert one.dropped["seed"] == "Unsupported parameter: 'seed' is not supported with this model."
    ask(one)
    assert server.n_requests == 4, "it is remembered"
    assert one.identity == {"model": "tiny", "temperature": 0.0, "max_tokens": 50, "seed": 3}


def test_the_limit_of_tokens_is_tried_under_its_later_name(server):
    server.answer = rejecting("max_tokens")
    one = judge(server, max_tokens=50)
    ask(one)
    assert server.asked[-1]["max_completion_tokens"] == 50
    assert list(one.dropped) == ["max_tokens"]
    server.answer = rejecting("max_tokens", "max_completion_tokens")
    ask(one)
    assert sorted(server.asked[-1]) == ["messages", "model", "temperature"]
    assert list(one.dropped) == ["max_tokens", "max_completion_tokens"]


def test_json_is_asked_for_in_weaker_ways_which_many_first_requests_find_out_together(server):
    def answer(_, body):
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema":
            return refusal(400, "This response_format type is unavailable now")
        return refusal(422, "'json_object' is unknown") if kind == "json_object" else ok("yes")

    server.answer = answer
    one = judge(server, max_attempts=1)
    assert texts_of(one, 30, ASKED) == ["yes"] * 30
    kinds = [body.get("response_format", {}).get("type") for body in server.asked]
    assert list(dict.fromkeys(kinds)) == ["json_schema", "json_object", None]
    assert list(one.dropped) == ["response_format=json_schema", "response_format=json_object"]


def test_probabilities_are_left_out_together(server):
    wanting = Request("p", PLAIN.messages, None, wants_logprobs=True)
    one = judge(server)
    server.answer = rejecting("top_logprobs")
    ask(one, wanting)
    assert server.asked[-1]["logprobs"] is True
    server.answer = rejecting("logprobs")
    ask(one, wanting)
    assert sorted(server.asked[-1]) == ["messages", "model", "temperature"]


def test_only_what_is_named_is_left_out_and_rejecting_without_end_is_given_up(server):
    told = "This model's maximum context length is 4096 tokens. Please reduce max_tokens."
    for message in ("the prompt is bad", "messages: too few", told):
        server.answer = always(refusal(400, message))
        one = judge(server, max_tokens=50)
        assert not error_of(one, "refused with 400").is_down
        assert one.dropped == {}
    server.answer = always(refusal(400, "temperature, seed, max_tokens, response_format"))
    server.n_requests = 0
    error_of(judge(server, seed=1, max_tokens=5), "refused with 400", ASKED)
    assert server.n_requests <= 5


@by_either
@pytest.mark.parametrize("status", [401, 400, 500, 429, 200])
def test_a_key_that_the_server_repeats_is_in_no_error(status, server):
    message = {"message": f"temperature: bad key {quote(CANARY, '')}!", "code": 400}
    for body in (CANARY, json.dumps({"error": message}), json.dumps({"said": CANARY})):
        server.answer = always(Answer(status, body.encode()))
        one = judge(server, max_attempts=1)
        said = everything_about(error_of(one)) + repr(one.dropped)
        assert "canary" not in said
        assert "7f3a" not in said


@by_either
def test_the_key_is_in_nothing_that_may_be_kept(caplog, server):
    server.answer = answering(refusal(500, "busy"), faulty.RESET, ok("yes"))
    one = judge(server)
    with caplog.at_level(logging.DEBUG):
        ask(one)

    async def in_use():
        await one.reply(PLAIN)
        return [repr(one), str(one), repr(one.identity), repr(one.dropped), str(pickle.dumps(one))]

    kept = asyncio.run(_closing(one, in_use()))
    assert server.headers[-1]["authorization"] == f"Bearer {CANARY}"
    assert not any("canary" in said for said in (caplog.text, *kept))
    assert repr(one) == f"tiny at {one.host}" == f"tiny at 127.0.0.1:{server.port}"
    assert ask(pickle.loads(pickle.dumps(one))).text == "yes"


@by_either
def test_passwords_and_queries_of_the_address_are_in_no_error_and_no_identity(server):
    url = server.url.replace("//", "//me:canary-pass@") + "?token=canary-token&api-version=7"
    one = ChatEndpoint("tiny", base_url=url, max_attempts=1)
    ask(one)
    assert server.paths == ["/v1/chat/completions?token=canary-token&api-version=7"]
    login = server.headers[0]["authorization"]
    assert login == "Basic bWU6Y2FuYXJ5LXBhc3M="
    assert "canary" not in f"{one!r} {one.identity} {one.host}"
    server.answer = always(refusal(500, f"canary-pass and canary-token, {login}"))
    error = error_of(one, r"\[redacted\] and \[redacted\], Basic \[red")
    assert "canary" not in everything_about(error)


def test_a_key_that_is_missing_is_said_and_needed_on_other_machines_only(monkeypatch, server):
    monkeypatch.delenv("OPENAI_API_KEY")
    one = ChatEndpoint("tiny", base_url="https://api.example.org/v1", api_key_env="MY_KEY")
    with pytest.raises(JudgeError, match=r"api\.example\.org: no key; .* MY_KEY"):
        one.check_key()
    assert ask(judge(server)).text == "yes", "on this machine none is needed"
    assert "canary" not in str(server.headers)


def test_without_an_address_it_is_the_environments_or_openais(monkeypatch, server):
    assert ChatEndpoint("tiny").base_url == OPENAI
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert ask(ChatEndpoint("tiny")).text == "yes"


@by_either
def test_proxies_of_the_environment_are_used_but_on_this_machine(monkeypatch, server):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert ask(judge(server)).text == "yes"
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    assert ask(ChatEndpoint("tiny", base_url="http://judge.example.test/v1")).text == "yes"
    assert server.headers[-1]["host"] == "judge.example.test"
    monkeypatch.setenv("HTTPS_PROXY", "gopher://me:canary@127.0.0.1:9")
    one = ChatEndpoint("tiny", base_url="https://127.0.0.2.example.org/v1", max_attempts=1)
    error = error_of(one)
    assert error.is_down
    assert "canary" not in everything_about(error)


def test_settings_are_above_zero():
    for setting in (
        *("max_tokens", "rpm", "tpm", "concurrency", "max_attempts"),
        *("timeout_s", "deadline_s", "first_wait_s", "max_wait_s"),
    ):
        with pytest.raises(PlanError, match=f"{setting} is 0; it must be above 0"):
            ChatEndpoint("tiny", **{setting: 0})
    with pytest.raises(PlanError, match="temperature is -1; it must be 0 or above"):
        ChatEndpoint("tiny", temperature=-1)


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[openai\]"):
        ChatEndpoint("tiny")


def test_tokens_a_minute_are_counted_by_what_was_taken(server):
    # Each takes 120 tokens, as its reply says: at 72,000 a minute a tenth of a second.
    start = time.monotonic()
    texts_of(judge(server, tpm=72_000, concurrency=1), 5)
    assert 0.35 <= time.monotonic() - start < 3
