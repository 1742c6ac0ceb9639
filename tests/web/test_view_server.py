"""`ragauge view`: the page from a server on loopback; what is refused, and the headers of every answer."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import zlib
from typing import Any

import pytest

import ragauge as rg
from ragauge.errors import PlanError, StoreError
from ragauge.run import Run
from ragauge.web.guard import loopback_address
from ragauge.web.server import PageServer, serving
from ragauge.web.viewer import PER_BLOCK, Viewer

SAFE = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@pytest.fixture(scope="module")
def viewer(handbook_run) -> Viewer:
    return Viewer([handbook_run])


@pytest.fixture(scope="module")
def server(viewer):
    with serving(viewer) as running:
        yield running


def ask(
    server: PageServer,
    path: str = "/",
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: str | None = None,
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return response.status, found, response.read()
    finally:
        connection.close()


def assert_safe(headers: dict[str, str]) -> None:
    assert {name: headers.get(name) for name in SAFE} == SAFE
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert not [name for name in headers if name.startswith("access-control")]


def test_the_page_and_its_chunks_are_served(server, handbook_run):
    status, headers, body = ask(server)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert_safe(headers)
    assert b'"source":"server"' in body and b'id="0.ids"' not in body
    status, headers, body = ask(server, "/chunk/0.ids")
    assert (status, headers["content-type"]) == (200, "application/octet-stream")
    assert_safe(headers)
    ids = handbook_run.samples.frame["id"].unique(maintain_order=True).to_list()
    assert json.loads(zlib.decompress(body)) == {"ids": ids, "absent": []}


def test_a_block_has_the_same_questions_as_the_file(tmp_path):
    from ragauge.page.chunks import RunChunks
    from ragauge.page.overview import Overview

    n = PER_BLOCK + 3
    rows = [
        {"id": f"q{at}", "system": system, "answer": f"answer {at} of 7", "reference": f"{at}"}
        for at in range(n)
        for system in "ab"
    ]
    run = rg.evaluate(rows, ["number_match", "token_f1"], folder=tmp_path / "run")
    chunks = RunChunks(Overview(run), 0)
    in_file = [each for make in chunks.blocks().values() for each in json.loads(make())]
    viewer = Viewer([run])
    served = []
    for number in range(2):
        content = viewer.find(f"/chunk/0.block.{number}")
        assert content is not None
        served += json.loads(zlib.decompress(content.body))
    assert len(served) == n
    assert served == in_file


@pytest.mark.parametrize(
    "hosts",
    [
        ["evil.example"], ["evil.example:{port}"], ["127.0.0.1"], ["127.0.0.1:1"], ["localhost:{port}.evil.example"],
        ["127.0.0.1:{port}", "127.0.0.1:{port}"], ["127.0.0.1:{port}", "evil.example"], ["0.0.0.0:{port}"], [""], [],
    ],
)  # fmt: skip
def test_a_request_must_name_this_server(raw, server, hosts):
    lines = "".join(f"Host: {host.format(port=server.server_port)}\r\n" for host in hosts)
    answer = raw(server, f"GET / HTTP/1.1\r\n{lines}\r\n")
    assert answer.startswith("HTTP/1.1 400 ")
    assert "X-Frame-Options: DENY" in answer and "number_match" not in answer


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_loopback_are_known(raw, server, host):
    answer = raw(
        server, f"HEAD / HTTP/1.1\r\nHost: {host}:{server.server_port}\r\nConnection: close\r\n\r\n"
    )
    assert answer.startswith("HTTP/1.1 200 ")
    assert answer.endswith("\r\n\r\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(server, method):
    status, headers, _ = ask(server, "/", method, {"Content-Type": "application/json"}, "{}")
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert_safe(headers)


@pytest.mark.parametrize(
    "path",
    [
        "/manifest.json", "/chunk/", "/chunk", "/chunk/0.ids/", "/chunk/0.ids?x=1", "/chunk/0.block.99", "/chunk/1.ids",
        "/chunk/../manifest.json", "/chunk/..%2fmanifest.json", "/chunk/%2e%2e/%2e%2e/etc/passwd",
        "/chunk/%252e%252e/manifest.json", "/chunk/..\\manifest.json", "/chunk/0.ids%00", "//etc/passwd", "/./", "/%2f",
        "/chunk/0.block.-1", "/chunk/0.block.00", "/chunk/0.BLOCK.0", "/chunk/" + "a" * 3000,
    ],
)  # fmt: skip
def test_an_address_is_looked_up_and_never_a_path(server, path):
    status, headers, body = ask(server, path)
    assert (status, body) == (404, b"404 there is nothing at this address\n")
    assert_safe(headers)


def test_a_page_of_another_site_may_not_ask(server):
    status, headers, _ = ask(server, "/chunk/0.ids", headers={"Sec-Fetch-Site": "cross-site"})
    assert status == 403
    assert_safe(headers)
    visit = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert ask(server, "/", headers=visit)[0] == 200


def test_only_loopback_addresses_are_served(viewer):
    assert loopback_address("localhost") == "127.0.0.1"
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.com", "127.0.0.1.example.com", ""):
        with pytest.raises(PlanError, match="is not a loopback address"):
            PageServer(viewer, host)


def test_a_port_that_is_taken_is_an_error(viewer, server):
    with pytest.raises(StoreError, match="choose another with --port"):
        PageServer(viewer, "127.0.0.1", server.server_port)


@pytest.mark.slow
def test_server_and_file_show_the_same(browser, opened, server, handbook_page):
    places = {
        "#/": ".facts",
        "#/compare?base=hasty&other=careful": ".changes h3",
        "#/questions?sort=worst&id=q05&why=all": ".evidence",
    }
    shown = []
    from_file = opened(handbook_page)
    for place, selector in places.items():
        from_file.go(place)
        from_file.page.wait_for_selector(selector)
        shown.append(from_file.page.inner_text("main"))
    page = browser.new_page(viewport={"width": 1360, "height": 900})
    complaints: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(server.url)
    for (place, selector), text in zip(places.items(), shown, strict=True):
        page.evaluate("(place) => { location.hash = place }", place)
        page.wait_for_selector(selector)
        assert page.inner_text("main") == text, place
    assert complaints == []
    assert {url.removeprefix(server.url).split("/")[0] for url in requests} == {"", "chunk"}
    page.close()


@pytest.mark.slow
def test_a_question_whose_scores_arrive_after_its_texts_is_shown(browser, server):
    page = browser.new_page()
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/chunk/0.score.4", hold)
    with page.expect_request_finished(lambda request: request.url.endswith("/0.block.0")):
        page.goto(f"{server.url}#/questions?id=q05&why=all")
    page.wait_for_timeout(100)
    assert page.locator(".detail").count() == 1
    assert page.locator(".evidence").count() == 0
    held[0].continue_()
    page.wait_for_selector(".evidence", timeout=5_000)
    page.close()


def test_the_command_serves_until_it_is_stopped(tmp_path, interruptible):
    row = {"id": "q1", "answer": "x", "reference": "x"}
    run: Run = rg.evaluate([row], "exact_match", folder=tmp_path / "ragauge-runs" / "mine")
    assert run.folder is not None
    command = [sys.executable, "-m", "ragauge", "view", "--no-browser"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.fullmatch(
            r"ragauge: serving at http://127.0.0.1:(\d+)/; stop with Ctrl-C\n", line
        )
        assert found is not None, line
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=5)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr.read() == "ragauge: stopped\n"
    finally:
        process.kill()


def test_the_command_refuses_other_addresses_and_folders(tmp_path, monkeypatch, capsys):
    from ragauge.cli import main

    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(["view"])
    assert left.value.code == 5
    assert "no finished runs in ragauge-runs" in capsys.readouterr().err
    rg.evaluate([{"id": "q1", "answer": "x", "reference": "x"}], "exact_match", folder="mine")
    with pytest.raises(SystemExit) as left:
        main(["view", "mine", "--host", "0.0.0.0", "--no-browser"])
    assert left.value.code == 2
    assert "is not a loopback address" in capsys.readouterr().err


def test_a_run_that_is_damaged_while_it_is_shown_is_an_error_of_the_same_kind(tmp_path):
    rows = [{"id": f"q{at}", "answer": "It is 5.", "reference": "6"} for at in range(3)]
    viewer = Viewer([rg.evaluate(rows, "number_match", folder=tmp_path / "run")])
    with serving(viewer) as server:
        assert ask(server)[0] == 200
        (tmp_path / "run" / "evidence" / "000000.parquet").write_bytes(b"damaged")
        status, headers, body = ask(server, "/chunk/0.block.0")
        assert (status, body[:4]) == (500, b"500 ")
        assert b"its scores cannot be read" in body
        assert_safe(headers)
        assert ask(server, "/chunk/0.ids")[0] == 200


def test_ipv6_loopback_is_served_where_there_is_one(viewer):
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6")
    try:
        server = PageServer(viewer, "::1")
    except StoreError:
        pytest.skip("there is no IPv6 loopback address")
    with server:
        assert re.fullmatch(r"http://\[::1\]:\d+/", server.url)


@pytest.mark.skipif(os.name != "posix", reason="on Windows a port may be taken from another server")
def test_a_port_can_be_used_again_at_once(viewer):
    with serving(viewer) as server:
        port = server.server_port
        client = socket.create_connection(("127.0.0.1", port), timeout=5)
        client.sendall(b"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        assert client.recv(1)
    # The server closed first, so its end of the connection waits for a minute.
    client.close()
    with PageServer(viewer, port=port) as again:
        assert again.server_port == port
