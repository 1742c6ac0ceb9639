"""Requests that no browser of a reviewer sends, byte by byte: each is refused, with safe headers, and stores nothing."""

import json
import socket
import time

import pytest
from cases import cases

import ragauge as rg
from ragauge.people.review import Review
from ragauge.web import server as http
from ragauge.web.server import serving
from ragauge.web.sites import ReviewSite

ROWS = [{"id": f"q{n}", "answer": "elm", "reference": "oak", "system": "zebra"} for n in range(2)]


@pytest.fixture(scope="module")
def review(tmp_path_factory) -> Review:
    folder = tmp_path_factory.mktemp("attacked") / "run"
    return Review(rg.evaluate(ROWS, ["exact_match"], folder=folder).review_queue())


@pytest.fixture(scope="module")
def server(review):
    with serving(ReviewSite(review, "ann")) as running:
        yield running


@pytest.fixture
def send(raw, server, review):
    """Sends a request, in which {host} and {key} are filled in, and the body if it is given.

    Returns the status, and whether nothing was stored and every answer had safe headers.
    """

    def sent(lines: str, body: str = "") -> int:
        filled = lines.replace("{host}", f"127.0.0.1:{server.server_port}")
        filled = filled.replace("{port}", str(server.server_port))
        filled = filled.replace("{key}", review.queue.items[0].key)
        answer = raw(server, "\r\n".join([*filled.split("\n"), "Connection: close", "", body]))
        head = answer.partition("\r\n\r\n")[0]
        assert answer.count("HTTP/1.1 ") == 1, answer
        for header in ("X-Frame-Options: DENY", "nosniff", "default-src 'none'"):
            assert header in head
        assert "access-control" not in head.lower() and "zebra" not in answer
        assert not review.stored.path.exists()
        return int(answer.split()[1])

    return sent


@cases(
    "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost:{port}.evil.example", "0.0.0.0:{port}",
    "192.168.0.1:{port}", "[::2]:{port}", "",
    "localhost.:{port}", "127.0.0.1:{port}@evil.example", "evil@127.0.0.1:{port}", "127.0.0.1:{port}, evil.example",
    "2130706433:{port}", "0x7f000001:{port}", "0177.0.0.1:{port}", "127.1:{port}", "127.0.0.2:{port}", "::1:{port}",
    "[0:0:0:0:0:0:0:1]:{port}", "[::ffff:127.0.0.1]:{port}", "xn--lcalhost-n1a:{port}", "127.0.0.1:0{port}",
    "127.0.0.1:+{port}", "127.0.0.1:", "127.0.0.1:{port}\n evil.example", "127.0.0.1:{port}/", "[localhost]:{port}",
    "\N{FULLWIDTH DIGIT ONE}27.0.0.1:{port}".encode().decode("latin-1"),
    "localho\N{LATIN SMALL LETTER LONG S}t:{port}".encode().decode("latin-1"),
    "evil.example\nX-Forwarded-Host: {host}", "{host}\nHost: {host}",
)  # fmt: skip
def test_a_foreign_or_duplicate_host_is_refused_however_it_is_written(host, send):
    assert send(f"GET /review/queue HTTP/1.1\nHost: {host}") == 400
    assert send(f"{WRITE.replace('{host}', host, 1)}\nContent-Length: 0") == 400


@cases(
    ("GET http://{host}/", 404), ("GET http://evil.example/review/queue", 404), ("GET //evil.example/review/queue", 404),
    ("GET /\\evil.example", 404), ("CONNECT {host}", 501), ("TRACE /", 501), ("OPTIONS *", 405), ("OPTIONS /review/label", 405),
    ("PUT /review/label", 405), ("DELETE /review/label", 405), ("PATCH /review/label", 405), ("HEAD /review/label", 404), ("get /", 501), ("GET /review/item/..%2f..%2flabels.jsonl", 404),
    ("GET /review/item/../../labels.jsonl", 404), ("GET /review/item/%252e%252e%252f", 404), ("GET /review/item/%00", 404),
    ("GET /review/item/{key}%00", 404), ("GET /review/item/{key}/", 404), ("GET /review/item/{key};x", 404),
    ("GET /review/item/%7B", 404), ("GET /report?rater=ann", 403), ("GET /report?rater=%00", 400), ("GET /?rater=ann", 404),
    ("GET /report?rater=ann&rater=ben", 400), ("GET /report/?rater=ann", 404), ("GET /chunk/../labels.jsonl?rater=ann", 403),
)  # fmt: skip
def test_addresses_are_those_of_the_server_and_nothing_else(line, status, send):
    assert send(f"{line} HTTP/1.1\nHost: {{host}}") == status


def test_http_without_a_host_is_refused(send):
    assert send("GET / HTTP/1.1\nHost : {host}") == 400
    assert send("GET / HTTP/1.0") == 400
    assert send("GET / HTTP/2.0\nHost: {host}") == 505


WRITE = "POST /review/label HTTP/1.1\nHost: {host}\nOrigin: http://{host}\nContent-Type: application/json"
BODY = json.dumps({"key": "{key}", "rater": "ann", "value": 1, "note": "", "settles": False})


@cases(
    ("\nOrigin: http://{host}", "", 403),
    ("Origin: http://{host}", "Origin: null", 403),
    ("Origin: http://{host}", "Origin: http://{host}\nOrigin: http://evil.example", 403),
    ("Origin: http://{host}", "Origin: http://{host}.evil.example", 403),
    ("Origin: http://{host}", "Origin: http://{host}/", 403),
    ("http://{host}", "https://{host}", 403), ("http://{host}", "http://127.0.0.1", 403),
    ("http://{host}", "http://localhost:{port}", 403), (" http://{host}", "", 403),
    ("Host: {host}", "Host: localhost:{port}", 403),
    ("application/json", "application/json\nSec-Fetch-Site: same-site", 403),
    ("application/json", "application/json\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate", 403),
    ("application/json", "application/jsonp", 415), (" application/json", "", 415),
    ("application/json", "application/json\nSec-Fetch-Site: cross-site", 403),
    ("application/json", "application/json\nSec-Fetch-Site: same-origin\nSec-Fetch-Site: cross-site", 403),
    ("application/json", "text/plain", 415),
    ("application/json", "text/plain; application/json", 415),
    ("application/json", "application/json\nContent-Type: text/plain", 415),
    ("application/json", "multipart/form-data; boundary=x", 415),
    ("\nContent-Type: application/json", "", 415),
    ("/review/label", "/review/label?rater=ann", 404),
    ("/review/label", "http://{host}/review/label", 404),
    ("POST", "GET", 404),
)  # fmt: skip
def test_a_write_with_one_thing_wrong_is_refused(old, new, status, send, review):
    body = BODY.replace("{key}", review.queue.items[0].key)
    assert old in WRITE
    lines = f"{WRITE.replace(old, new)}\nContent-Length: {len(body)}"
    assert send(lines, body) == status


@cases(
    ("", 411), ("Transfer-Encoding: chunked", 411), ("Content-Length: 2\nTransfer-Encoding: chunked", 411),
    ("Content-Length: 2\nContent-Length: 2", 411), ("Content-Length: -1", 411), ("Content-Length: +2", 411),
    ("Content-Length: 1e3", 411), ("Content-Length: 0x2", 411), ("Content-Length: 1000000000000", 413),
    ("Content-Length: 9" + "9" * 5000, 411),
)  # fmt: skip
def test_a_body_needs_one_plain_length(length, status, send):
    assert send(f"{WRITE}\n{length}" if length else WRITE, "{}") == status


def test_the_body_of_a_get_is_not_the_next_request(raw, server):
    hidden = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n"
    host = f"Host: 127.0.0.1:{server.server_port}"
    answer = raw(
        server, f"GET / HTTP/1.1\r\n{host}\r\nContent-Length: {len(hidden)}\r\n\r\n{hidden}"
    )
    assert answer.count("HTTP/1.1 200") == 1


def test_a_request_that_comes_a_byte_at_a_time_is_given_up(server, monkeypatch):
    monkeypatch.setattr(http, "TIMEOUT_S", 0.5)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        start = time.monotonic()
        connection.settimeout(0.05)
        is_open = True
        while is_open and time.monotonic() < start + 30:
            try:
                connection.sendall(b"G")
                is_open = connection.recv(1) != b""
            except TimeoutError:
                pass  # nothing is answered yet
            except OSError:
                is_open = False
    assert not is_open


def test_many_silent_connections_hold_nobody_up(raw, server):
    place = ("127.0.0.1", server.server_port)
    silent = [socket.create_connection(place) for _ in range(100)]
    host = f"127.0.0.1:{server.server_port}"
    answer = raw(server, f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
    assert answer.startswith("HTTP/1.1 200")
    for connection in silent:
        connection.close()
