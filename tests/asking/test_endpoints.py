"""Endpoints and commands as targets: a real server on loopback, real processes."""

import json
import sys
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from cases import cases

import ragauge as rg
from ragauge.asking.ask import open_target
from ragauge.asking.http import EndpointOptions, at_pointer
from ragauge.errors import PlanError
from ragauge.network.endpoints import Unanswered

QUESTIONS = [{"id": "q1", "question": 'Say "hi" & bye?', "contexts": ["one", "two"]}]
USAGE = {"prompt_tokens": 30, "completion_tokens": 5}


@contextmanager
def server(reply):
    """A server; `reply(n, handler, body)` gives status, headers and content of the n-th request."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self):
            n = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(n)
            seen.append((self.command, self.path, dict(self.headers), body))
            replied = reply(len(seen), self, body)
            if replied is None:
                return
            status, headers, content = replied
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET = do_PUT = handle_any  # noqa: N815

        def log_message(self, *_):
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.daemon_threads = True
    Thread(target=served.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{served.server_port}", seen
    finally:
        served.shutdown()
        served.server_close()


def ok(content):
    return lambda _n, _handler, _body: (200, {}, content)


def asked(target, **options):
    answers = rg.ask(QUESTIONS, target, retries=0, **options)
    return answers.samples.frame.to_dicts()[0]


def test_an_endpoint_that_answers_in_our_names_needs_its_url_only():
    with server(ok({"answer": "hi", "contexts": ["c"], "usage": USAGE})) as (url, seen):
        row = asked(f"{url}/ask")
        asked(open_target(f"{url}/ask?q={{question}}", EndpointOptions(method="GET")))
    assert (row["answer"], row["contexts"], row["input_tokens"]) == ("hi", ["c"], 30)
    (method, path, _, body), (*get, _, nothing) = seen
    assert (method, path) == ("POST", "/ask")
    assert json.loads(body) == {"question": QUESTIONS[0]["question"]}
    assert (get, nothing) == (["GET", "/ask?q=Say%20%22hi%22%20%26%20bye?"], b"")


def test_template_header_and_pointers_say_what_goes_and_what_comes(monkeypatch):
    monkeypatch.setenv("RAG_API_KEY", "secret-1234")
    reply = {"data": {"text": "hi", "docs": [{"id": "d1", "t": "c1"}, {"id": "d2", "t": "c2"}]}}
    pointers = {"answer": "text", "contexts": "docs/*/t", "context_ids": "docs/*/id"}
    options = EndpointOptions(
        headers={"Authorization": "RAG_API_KEY"},
        body='{"q": "Q: {question}", "k": "{top_k}", "from": "{contexts}"}',
        read={field: f"/data/{pointer}" for field, pointer in pointers.items()},
    )
    with server(ok(reply)) as (url, seen):
        row = asked(open_target(url, options), vary={"top_k": [3]})
    _, _, headers, body = seen[0]
    assert headers["authorization"] == "Bearer secret-1234"
    assert json.loads(body) == {"q": 'Q: Say "hi" & bye?', "k": 3, "from": "[1] one\n\n[2] two"}
    assert (row["contexts"], row["context_ids"]) == (["c1", "c2"], ["d1", "d2"])


def test_a_chat_model_gets_the_prompt_with_the_contexts_and_its_price(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1234")
    choice = {"message": {"role": "assistant", "content": "hi"}}
    with server(ok({"choices": [choice], "usage": USAGE})) as (url, seen):
        options = EndpointOptions(base_url=f"{url}/v1", prompt="{contexts}\n\n{question}")
        row = asked(open_target("chat:gpt-4o-mini", options))
    _, path, headers, body = seen[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer secret-1234"
    (message,) = json.loads(body)["messages"]
    assert message["content"] == '[1] one\n\n[2] two\n\nSay "hi" & bye?'
    assert (row["system"], row["answer"]) == ("gpt-4o-mini", "hi")
    # 30 tokens at $0.15 and 5 at $0.60 for a million
    assert row["cost_usd"] == pytest.approx((30 * 0.15 + 5 * 0.6) / 1e6)
    assert row["contexts"] == ["one", "two"]


def streamed(*parts):
    """A reply in parts, with 50 ms before the last one."""

    def reply(_n, handler, _body):
        handler.send_response(200)
        handler.end_headers()
        for part in parts:
            if part == parts[-1]:
                time.sleep(0.05)
            handler.wfile.write(part.encode("utf-8", "surrogateescape"))
            handler.wfile.flush()
        handler.close_connection = True

    return reply


def test_a_chat_model_that_streams_has_a_time_to_its_first_text(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1234")
    first = '{"choices": [{"delta": {"role": "assistant", "content": ""}}]}'
    texts = [json.dumps({"choices": [{"delta": {"content": text}}]}) for text in "hi"]
    last = json.dumps({"choices": [], "usage": USAGE})
    reply = streamed(
        *(f"data: {part}\r\n\r\n" for part in (first, *texts, last)), "data: [DONE]\n\n"
    )
    with server(reply) as (url, seen):
        options = EndpointOptions(base_url=f"{url}/v1", stream=True)
        row = asked(open_target("chat:gpt-4o-mini", options))
    assert json.loads(seen[0][3])["stream_options"] == {"include_usage": True}
    assert (row["answer"], row["input_tokens"], row["output_tokens"]) == ("hi", 30, 5)
    assert 0 < row["first_token_s"] < row["latency_s"] - 0.04


@cases(
    (["data: Par\n\n", ": still here\n\n", "event: end\ndata: is\n\n"], {}, "Paris"),
    (['data: {"answer": "Par"}\n\n', 'data: {"answer": "is", "page": 7}\n\n'], {}, "Paris"),
    (
        ['{"response": "Par"}\n', '{"response": "is", "docs": [{"t": "c"}]}\n', '{"done": true}\n'],
        {"answer": "/response", "contexts": "/docs/*/t"},
        "Paris",
    ),
    (["data: a\ndata: b\n\n", "data: c"], {}, "a\nbc"),
    (['data: {"text": "Paris"}\n\n', "data: [DONE]\n\n"], {}, "no text of an answer; --read"),
    (['data: {"answer": "Par"}\n\n', 'data: {"error": {"message": "busy"}}\n\n'], {}, "busy"),
    (["data: [[[\n\n"], {}, "[[["),
    (["data: \udcff\n\n"], {}, "the stream is not UTF-8 (invalid start byte)"),
    (["data: In\n\n", "data:  19\n\n", "data: 84\n\n"], {}, "In 1984"),
)
def test_events_and_lines_of_json_are_read_as_one_answer(parts, read, expected):
    with server(streamed(*parts)) as (url, _):
        row = asked(open_target(url, EndpointOptions(read=read)))
    assert expected in (row["answer"] or row["reason"])
    if row["status"] == "ok":
        assert row["first_token_s"] <= row["latency_s"]
    if "contexts" in read:
        assert row["contexts"] == ["c"]


def chunked_for_ever(_n, handler, _body):
    handler.send_response(200)
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"1\r\n \r\n")
            handler.wfile.flush()
            time.sleep(0.01)
    except OSError:
        handler.close_connection = True


def status(code, headers=None, content=b"no"):
    return lambda _n, _handler, _body: (code, headers or {}, content)


FAULTS = [
    (status(200, content=b"<html>hello"), "failed", "the reply is a page of HTML and not JSON"),
    (status(200, content=b"{"), "failed", "the reply is not JSON"),
    (status(200, content={"other": 1}), "failed", 'returned dict {"other": 1}; an answer is'),
    (status(200, content=b" " * 9_000_000), "failed", "the reply is longer than 8,000,000 bytes"),
    (status(401, content={"error": {"message": "bad key"}}), "failed", "401: bad key"),
    (status(500), "failed", "500: no"),
    (status(429, {"Retry-After": "86400"}), "rate_limited", "429: no (it asks to wait 86,400 s)"),
    (chunked_for_ever, "timed_out", "no answer within 0.3 s"),
]


@pytest.mark.parametrize(
    ("reply", "found", "reason"), FAULTS, ids=[each[2][:25] for each in FAULTS]
)
def test_a_fault_of_an_endpoint_is_an_answer_that_says_why(reply, found, reason):
    timeout_s = 0.3 if found == "timed_out" else 20.0
    with server(reply) as (url, _):
        row = asked(url, timeout_s=timeout_s)
    assert (row["answer"], row["status"]) == (None, found)
    assert row["reason"].startswith(reason)


def test_a_redirect_to_another_host_does_not_get_the_key(monkeypatch):
    monkeypatch.setenv("RAG_API_KEY", "secret-1234")
    with server(ok({"answer": "stolen"})) as (other, seen_there):
        redirect = status(302, {"Location": f"{other}/?k=1"})
        with server(redirect) as (url, _):
            row = asked(open_target(url, EndpointOptions(headers={"X-Key": "RAG_API_KEY"})))
    assert seen_there == []
    assert row["reason"].startswith("302: redirects to http://127.0.0.1")


def test_nobody_at_the_address_is_a_fault():
    with server(ok({})) as (url, _):
        pass
    row = asked(url)
    assert row["status"] == "failed"
    assert row["reason"].startswith("the connection was lost")


def test_overload_is_waited_for_and_then_answered():
    def busy_first(n, _handler, _body):
        return (429, {"Retry-After": "0"}, b"busy") if n == 1 else (200, {}, {"answer": "hi"})

    with server(busy_first) as (url, seen):
        row = asked(url)
    assert (row["status"], row["attempts"], len(seen)) == ("ok", 2, 2)


def test_another_version_is_asked_anew(tmp_path):
    with server(ok({"answer": "hi"})) as (url, seen):
        for version in ("1", "1", "2"):
            target = open_target(url, EndpointOptions(version=version))
            rg.ask(QUESTIONS, target, folder=tmp_path)
    assert len(seen) == 2


@cases(
    ("https://", {}, "the URL"),
    ("https://h/a", {"body": '{"q": "x"}'}, "the body has no {question}"),
    ("https://h/a", {"body": "{"}, "is not JSON"),
    ("https://h/a", {"method": "GET"}, "the URL of a GET has no {question}"),
    ("https://h/a", {"method": "EAT"}, "the method is 'EAT'"),
    ("https://h/a", {"headers": {"A": "sk-secret"}}, "takes the name of an environment varia"),
    ("https://h/a", {"headers": {"A": "ABSENT_API_KEY"}}, "ABSENT_API_KEY is not set"),
    ("https://h/a", {"read": {"answer": "data"}}, "a JSON pointer begins with /"),
    ("https://h/a", {"body": '["{question}", "{user}"]'}, "needs 'user', which is no field"),
    ("chat:m", {"prompt": "hello"}, "the prompt has no {question}"),
    ("chat:m", {"key": "ABSENT_API_KEY", "base_url": "https://h/v1"}, "no key"),
    ("shell:", {}, "the command is empty"),
    ("shell:a 'b", {}, "cannot be read: No closing quotation"),
)
def test_what_cannot_be_asked_is_refused_before(given, options, message):
    with pytest.raises(PlanError) as raised:
        rg.ask(QUESTIONS, open_target(given, EndpointOptions(**options)))
    assert message in str(raised.value)
    assert "sk-secret" not in str(raised.value)


def test_a_pointer_leads_into_objects_and_lists():
    reply = {"a/b": [{"c": 1}, {"c": 2}], "": 5}
    for pointer, value in (("/a~1b/1/c", 2), ("/a~1b/*/c", [1, 2]), ("/", 5), ("", reply)):
        assert at_pointer(reply, pointer) == value
    for pointer in ("/x", "/a~1b/2", "/a~1b/0/c/d"):
        with pytest.raises(Unanswered, match="has nothing at"):
            at_pointer(reply, pointer)
    with pytest.raises(Unanswered, match=r"nothing at /a~1b/\*/d: \{\"c\": 1\}"):
        at_pointer(reply, "/a~1b/*/d")


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        (tmp_path / "system.py").write_text("import json, sys, time, os\n" + text)
        return f"shell:{sys.executable} system.py"

    return write


def test_a_command_reads_a_json_line_and_writes_json_or_text(script):
    echo = "row = json.loads(sys.stdin.readline())\n"
    row = asked(script(echo + "print(json.dumps({'answer': row['question'], 'contexts': []}))"))
    assert (row["answer"], row["contexts"]) == (QUESTIONS[0]["question"], [])
    assert asked(script('print(\'loading\\n{"answer": "hi"}\')'))["answer"] == "hi"
    assert asked(script("print('hello there')"))["answer"] == "hello there"


@cases(
    ("sys.exit(3)", "failed", "exit code 3: nothing on standard error"),
    ("raise ValueError('no')", "failed", "exit code 1: Traceback"),
    ("pass", "failed", "wrote nothing to standard output"),
    ("os.write(1, b'\\xff')", "failed", "wrote what is not UTF-8"),
    ("print('null')", "failed", "returned None"),
    ("os.fork() or time.sleep(60); time.sleep(60)", "timed_out", "no answer within 0.3 s"),
)
def test_a_fault_of_a_command_is_an_answer_that_says_why(text, found, reason, script):
    row = asked(script(text), timeout_s=0.3 if found == "timed_out" else 20.0)
    assert (row["answer"], row["status"]) == (None, found)
    assert row["reason"].startswith(reason)


def test_a_command_whose_file_changed_is_asked_again(script, tmp_path):
    for text, answer in (("print(1)", "1"), ("print(2)", "2"), ("print(2)", "2")):
        assert asked(script(text), folder=tmp_path / "a")["answer"] == answer
