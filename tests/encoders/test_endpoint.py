"""Against a real server on this machine, which counts what it is asked."""

import json
import pickle
import sys
import time
from hashlib import sha256
from urllib.parse import quote

import faulty_server as faulty
import numpy as np
import pytest
from cases import cases
from faulty_server import Answer, FaultyServer

from ragauge.errors import EncoderError, MissingExtraError, PlanError

pytest.importorskip("openai")

from ragauge.encoders.endpoint import MAX_REFUSALS_IN_A_ROW, Endpoint

CANARY = "sk-canary/7f3a+9c41<d8>e2b6"


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    with FaultyServer(lambda _, body: ok(body["input"])) as server:
        yield server


def endpoint(server: FaultyServer, **settings: object) -> Endpoint:
    quick = {"first_wait_s": 0.01, "max_wait_s": 0.05, "timeout_s": 5, "max_attempts": 3}
    return Endpoint("tiny", base_url=server.url, **{**quick, **settings})


def vector(text: str) -> list[float]:
    """Of length 1, and another for each length and first sign of a text."""
    angle = len(text) + ord(text[0]) / 7
    return [float(np.cos(angle)), float(np.sin(angle))]


def ok(texts: list[str], **changed: object) -> Answer:
    rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(texts)]
    return Answer(body=json.dumps({"data": rows, "model": "tiny", **changed}).encode())


def data(*rows: dict[str, object]) -> Answer:
    return Answer(body=json.dumps({"data": rows}).encode())


def row(index: object, *numbers: object) -> dict[str, object]:
    return {"index": index, "embedding": list(numbers)}


def test_vectors_are_those_of_the_texts_at_length_one(server):
    texts = ["a", "bb", "ccc"]
    found = endpoint(server).encode(texts)
    assert found.dtype == np.float32
    assert found == pytest.approx(np.array([vector(text) for text in texts]), abs=1e-6)
    assert server.asked == [{"model": "tiny", "input": texts, "encoding_format": "float"}]
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["authorization"] == f"Bearer {CANARY}"


def test_many_texts_are_sent_in_parts_a_few_at_a_time(server):
    server.latency_s = 0.05
    texts = [f"text {number} {'x' * (number % 7)}" for number in range(1000)]
    found = endpoint(server, batch_size=64, concurrency=3).encode(texts)
    assert found == pytest.approx(np.array([vector(text) for text in texts]), abs=1e-6)
    assert sorted(len(body["input"]) for body in server.asked) == [40] + [64] * 15
    assert server.most == 3


def test_any_text_can_be_sent_a_very_long_one_by_itself(server):
    texts = ["😀", "שלום", "\x00", "a\ud800b", "{{7*7}}", "a\u2028"]
    assert endpoint(server).encode(texts).shape == (6, 2)
    assert server.asked[0]["input"] == ["😀", "שלום", "\x00", "a\ufffdb", "{{7*7}}", "a\u2028"]
    endpoint(server, timeout_s=30).encode(["a", "x" * 10_000_000, "b", "c"])
    assert sorted(len(body["input"]) for body in server.asked[1:]) == [1, 1, 2]
    server.answer = lambda *_: data(row(1, 0, 5), row(2, -3e300, 4e300), row(0, 1e-300, 0))
    found = endpoint(server).encode(["a", "b", "c"])  # put in order and scaled
    assert found == pytest.approx(np.array([[1, 0], [0, 1], [-0.6, 0.8]]), abs=1e-6)


def test_dimensions_are_asked_for_and_insisted_on(server):
    shortened = endpoint(server, dimensions=2)
    assert shortened.encode(["a"]).shape == (1, 2)
    assert server.asked[0]["dimensions"] == 2
    with pytest.raises(EncoderError, match="2 dimensions, where 3 were requested"):
        endpoint(server, dimensions=3).encode(["a"])


def test_an_endpoint_has_no_tokens_and_no_vector_of_a_blank_text(server):
    one = endpoint(server)
    assert one.count_tokens(["a"]) is None
    for ask in (one.encode_tokens, one.token_ids):
        with pytest.raises(EncoderError, match="gives vectors of whole texts, not of tokens"):
            ask(["a"])
    with pytest.raises(EncoderError, match="long_text = 'windows' is not possible"):
        one.encode(["a"], long_text="windows")
    for blank in ("", " \n\t", "\u00a0"):
        with pytest.raises(EncoderError, match="text 2 of 3 is blank") as raised:
            one.encode(["a", blank, "b"])
        assert not raised.value.is_down
    assert len(one.encode([])) == 0
    assert server.asked == []


NAN = b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'
HUGE = b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}'
LONG = b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b", 1]}]}"


@cases(
    (data(), "0 vectors, not one for each of 1"),
    (data(row(0, 1, 2), row(1, 1, 2)), "2 vectors, not one for each of 1"),
    (data(row(0, 1, 2), row(0, 1, 2)), "without a unique index and a vector"),
    (data(row("0", 1, 2)), "without a unique index and a vector"),
    (data(row(False, 1, 2)), "without a unique index and a vector"),
    (data({"embedding": [1, 2]}), "without a unique index and a vector"),
    (data({"index": 0, "embedding": "AACAPw=="}), "without a unique index and a vector"),
    (data(row(0)), "a vector of 0 dimensions"),
    (data(row(0, 0, 0.0)), "a vector of length 0"),
    (data(row(0, "1", 2)), "a vector with items that are not numbers"),
    (data(row(0, True, 2)), "a vector with items that are not numbers"),
    (Answer(body=NAN), "not finite"),
    (Answer(body=HUGE), "not finite"),
    (Answer(body=LONG), "not finite"),
    (Answer(body=b"[]"), "no list named data"),
    (Answer(body=b"null"), "no list named data"),
    (Answer(body=b" " * 3_000_000), "bytes for 1 texts"),
    (Answer(body=b"<!doctype html><h1>Welcome</h1>"), "a page of HTML and not JSON"),
)
def test_a_reply_that_is_not_what_was_asked_is_an_error_and_not_asked_again(reply, said, server):
    server.answer = lambda *_: reply
    with pytest.raises(EncoderError, match=said) as raised:
        endpoint(server).encode(["a"])
    assert not raised.value.is_down
    assert len(server.asked) == 1


def test_vectors_of_another_dimension_than_the_first_are_refused(server):
    one = endpoint(server)
    one.encode(["a"])
    server.answer = lambda *_: data(row(0, 1, 2, 3))
    with pytest.raises(EncoderError, match="3 dimensions, where 2 were given before"):
        one.encode(["b"])
    server.answer = lambda *_: data(row(0, 1, 2), row(1, 1, 2, 3))
    with pytest.raises(EncoderError, match="3 dimensions, where 2 were given before"):
        endpoint(server).encode(["a", "b"])


@pytest.mark.parametrize("headers", [{"Retry-After": "0.1"}, {"retry-after-ms": "100"}])
def test_retry_after_is_obeyed(headers, server):
    busy = Answer(429, headers=headers)
    server.answer = lambda number, body: busy if number == 1 else ok(body["input"])
    start = time.monotonic()
    endpoint(server, max_wait_s=50, first_wait_s=50).encode(["a"])
    assert 0.1 <= time.monotonic() - start < 40


TOO_LONG = {"first_wait_s": 50, "max_wait_s": 50, "deadline_s": 0.3}


@cases(
    (Answer(500), TOO_LONG, "no answer in 1 attempts"),
    (faulty.HANG, {"timeout_s": 0.1, "max_attempts": 2}, r"2 attempts .*no data for 0\.1 s"),
    (faulty.DRIP, {"deadline_s": 0.2}, "the reply did not end in time"),
)
def test_time_runs_out_before_the_attempts_do(reply, settings, match, server):
    server.answer = lambda *_: reply
    start = time.monotonic()
    with pytest.raises(EncoderError, match=match) as raised:
        endpoint(server, **settings).encode(["a"])
    assert raised.value.is_down
    assert time.monotonic() - start < 40


@cases(
    faulty.RESET,
    Answer(body=b'{"data": [{"index": 0, "embedd'),
    Answer(body=b""),
    Answer(body=b"[" * 100_000),
    Answer(500, b"{", {"Content-Length": "999"}),
    Answer(body=b"not gzip", headers={"Content-Encoding": "gzip"}),
    *(faulty.refusal(status, "busy") for status in (408, 409, 429, 500)),
)
def test_what_may_pass_is_asked_for_again_and_given_up_in_the_end(broken, server):
    server.answer = lambda number, body: broken if number == 1 else ok(body["input"])
    assert endpoint(server).encode(["a"]).shape == (1, 2)
    assert len(server.asked) == 2
    server.answer = lambda *_: broken
    with pytest.raises(EncoderError, match=r"tiny at 127.*no answer in 3 attempts") as raised:
        endpoint(server).encode(["a"])
    assert raised.value.is_down
    assert len(server.asked) == 5
    assert b"busy" not in broken.body or f"{broken.status}: busy" in str(raised.value)


def test_when_one_request_fails_the_others_are_not_sent(server):
    server.answer = lambda *_: Answer(400)
    with pytest.raises(EncoderError, match="400: no message"):
        endpoint(server, batch_size=1, concurrency=2).encode([str(n) for n in range(200)])
    assert len(server.asked) < 100


@pytest.mark.parametrize("status", [400, 401, 422])
def test_a_refusal_is_not_repeated_and_says_what_the_server_says(status, server):
    body = json.dumps({"error": {"message": "input 3\nis too\x1b[31m long " + "x" * 900}}).encode()
    server.answer = lambda *_: Answer(status, body)
    with pytest.raises(EncoderError, match=f"refused with {status}: input 3 is too") as raised:
        endpoint(server).encode(["a"])
    assert not raised.value.is_down
    assert len(server.asked) == 1
    assert len(str(raised.value)) < 400
    assert "\x1b" not in str(raised.value)


def test_refusals_without_end_count_as_down(server):
    # A caller that halves what was refused to find the text at fault is to come to an end.
    one = endpoint(server)

    def is_down(*, refused: bool) -> bool | None:
        server.answer = lambda _, body: Answer(401) if refused else ok(body["input"])
        try:
            one.encode(["a"])
        except EncoderError as error:
            return error.is_down
        return None

    downs = [is_down(refused=True) for _ in range(MAX_REFUSALS_IN_A_ROW + 1)]
    assert downs == [False] * MAX_REFUSALS_IN_A_ROW + [True]
    assert [is_down(refused=False), is_down(refused=True)] == [None, False]


@pytest.mark.parametrize("status", [401, 429])
def test_a_key_that_the_server_repeats_is_in_no_error(status, server):
    message = json.dumps({"error": {"message": f"bad key {quote(CANARY, '')}!"}})
    for body in (CANARY, message):
        server.answer = lambda *_, body=body: Answer(status, body.encode())
        with pytest.raises(EncoderError) as raised:
            endpoint(server, max_attempts=1).encode(["a"])
        said = faulty.everything_about(raised.value)
        assert "canary" not in said
        assert "7f3a" not in said


def test_passwords_and_queries_of_the_address_are_in_no_error_and_no_identity(server):
    url = server.url.replace("//", "//me:canary-pass@") + "?token=canary-token&api-version=7"
    one = Endpoint("tiny", base_url=url, max_attempts=1)
    one.encode(["a"])
    assert server.paths == ["/v1/embeddings?token=canary-token&api-version=7"]
    query = sha256(b"token=canary-token&api-version=7").hexdigest()
    address = {"name": "tiny", "base_url": server.url, "dimensions": None}
    assert one.identity == {**address, "query": query}, "it may name another deployment"
    login = server.headers[0]["authorization"]
    assert login == "Basic bWU6Y2FuYXJ5LXBhc3M="
    server.answer = lambda *_: Answer(500, f"canary-pass and canary-token, {login}".encode())
    with pytest.raises(EncoderError) as raised:
        one.encode(["a"])
    said = faulty.everything_about(raised.value)
    assert "canary" not in said
    assert "[redacted] and [redacted], Basic [redacted]" in said
    assert "canary" not in repr(one.address)


def test_a_key_that_is_gone_or_missing_is_said(monkeypatch, server):
    def elsewhere():
        return Endpoint("tiny", base_url="https://api.example.org/v1", api_key_env="MY_KEY")

    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(EncoderError, match=r"api\.example\.org: no key; .* MY_KEY"):
        elsewhere()
    monkeypatch.setenv("MY_KEY", CANARY)
    one = elsewhere()
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(EncoderError, match="no key") as raised:
        one.encode(["a", "b"])
    assert raised.value.is_down
    monkeypatch.delenv("OPENAI_API_KEY")
    assert endpoint(server).encode(["a"]).shape == (1, 2), "on this machine none is needed"
    assert "canary" not in str(server.headers)


def test_settings_are_above_zero_and_a_missing_package_is_named(monkeypatch, server):
    for setting in ("batch_size", "max_attempts", "dimensions", "timeout_s", "first_wait_s"):
        with pytest.raises(PlanError, match=f"{setting} is 0; it must be above 0"):
            endpoint(server, **{setting: 0})
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"ragauge\[openai\]"):
        endpoint(server)


def test_a_copy_for_another_process_holds_no_key(server):
    one = endpoint(server)
    one.encode(["a"])
    copied = pickle.dumps(one)
    assert b"canary" not in copied
    assert (pickle.loads(copied).encode(["a"]) == one.encode(["a"])).all()
