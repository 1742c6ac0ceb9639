"""`ragauge view`: the page from a server on loopback; what is refused, and the headers of every answer."""

import json
import os
import re
import signal
import socket
import zlib
from typing import Any

import pytest
from cases import cases

import ragauge as rg
from ragauge.errors import PlanError, StoreError
from ragauge.web.guard import loopback_address
from ragauge.web.server import PageServer, serving
from ragauge.web.sites import PER_BLOCK, Viewer


@pytest.fixture(scope="module")
def viewer() -> Viewer:
    rows = [{"id": f"q{at}", "answer": f"It is {at}.", "reference": "1"} for at in range(3)]
    return Viewer([rg.evaluate(rows, "number_match")])


@pytest.fixture(scope="module")
def server(viewer):
    with serving(viewer) as running:
        yield running


@pytest.fixture(scope="module")
def handbook_server(handbook_run):
    with serving(Viewer([handbook_run])) as running:
        yield running


def test_the_page_and_its_chunks_are_served(ask, server):
    page = ask(server)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b'"source":"server"' in page.body and b'id="0.ids"' not in page.body
    chunk = ask(server, "/chunk/0.ids")
    assert (chunk.status, chunk.headers["content-type"]) == (200, "application/octet-stream")
    assert json.loads(zlib.decompress(chunk.body)) == {"ids": ["q0", "q1", "q2"], "absent": []}


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


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_written(ask, server, method):
    answer = ask(server, "/", method, {"Content-Type": "application/json"}, "{}")
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@cases(
    "/manifest.json", "/chunk/", "/chunk", "/chunk/0.ids/", "/chunk/0.ids?x=1", "/chunk/0.block.99", "/chunk/1.ids",
    "/chunk/../manifest.json", "/chunk/..%2fmanifest.json", "/chunk/%2e%2e/%2e%2e/etc/passwd",
    "/chunk/%252e%252e/manifest.json", "/chunk/..\\manifest.json", "/chunk/0.ids%00", "//etc/passwd", "/./", "/%2f",
    "/chunk/0.block.-1", "/chunk/0.block.00", "/chunk/0.BLOCK.0", "/chunk/" + "a" * 3000,
)  # fmt: skip
def test_an_address_is_looked_up_and_never_a_path(path, ask, server):
    answer = ask(server, path)
    assert (answer.status, answer.body) == (404, b"404 there is nothing at this address\n")


def test_a_page_of_another_site_may_not_ask(ask, server):
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert ask(server, "/chunk/0.ids", headers=foreign).status == 403
    assert ask(server, headers=foreign | {"Sec-Fetch-Mode": "navigate"}).status == 200


def test_only_loopback_addresses_are_served(viewer):
    assert loopback_address("localhost") == "127.0.0.1"
    hosts = ("0.0.0.0", "::", "192.168.0.1", "example.com", "127.0.0.1.example.com", "")
    tokens = ("short", "with spaces in the token", "wörter-und-noch-mehr-wörter", "a;b" * 10)
    for host in hosts:
        with pytest.raises(PlanError, match="is not a loopback address"):
            PageServer(viewer, host)
    for token in tokens:
        with pytest.raises(PlanError, match="token"):
            PageServer(viewer, "127.0.0.1", token=token)


def test_a_port_that_is_taken_is_an_error(viewer, server):
    with pytest.raises(StoreError, match="choose another with --port"):
        PageServer(viewer, "127.0.0.1", server.server_port)


@pytest.mark.slow
def test_server_and_file_show_the_same(browser, opened, handbook_server, handbook_page):
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
    page.goto(handbook_server.url)
    for (place, selector), text in zip(places.items(), shown, strict=True):
        page.evaluate("(place) => { location.hash = place }", place)
        page.wait_for_selector(selector)
        assert page.inner_text("main") == text, place
    assert complaints == []
    paths = {url.removeprefix(handbook_server.url).split("/")[0] for url in requests}
    assert paths == {"", "chunk"}
    page.close()


@pytest.mark.slow
def test_a_question_whose_scores_arrive_after_its_texts_is_shown(browser, handbook_server):
    page = browser.new_page()
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/chunk/0.score.4", hold)
    with page.expect_request_finished(lambda request: request.url.endswith("/0.block.0")):
        page.goto(f"{handbook_server.url}#/questions?id=q05&why=all")
    page.wait_for_timeout(100)
    assert page.locator(".detail").count() == 1
    assert page.locator(".evidence").count() == 0
    held[0].continue_()
    page.wait_for_selector(".evidence", timeout=5_000)
    page.close()


def test_the_command_serves_until_it_is_stopped(ask, started, tmp_path, interruptible):
    row = {"id": "q1", "answer": "x", "reference": "x"}
    rg.evaluate([row], "exact_match", folder=tmp_path / "ragauge-runs" / "mine")
    server = started("view")
    assert ask(server).status == 200
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(10) == 0
    assert server.process.stderr.read() == "ragauge: stopped\n"


def test_the_command_refuses_other_addresses_and_folders(ragauge):
    done = ragauge("view")
    assert (done.code, "no finished runs in ragauge-runs" in done.err) == (5, True)
    rg.evaluate([{"id": "q1", "answer": "x", "reference": "x"}], "exact_match", folder="mine")
    done = ragauge("view", "mine", "--host", "0.0.0.0", "--no-browser")
    assert (done.code, "is not a loopback address" in done.err) == (2, True)


def test_a_run_that_is_damaged_while_it_is_shown_is_an_error_of_the_same_kind(ask, tmp_path):
    rows = [{"id": f"q{at}", "answer": "It is 5.", "reference": "6"} for at in range(3)]
    viewer = Viewer([rg.evaluate(rows, "number_match", folder=tmp_path / "run")])
    with serving(viewer) as server:
        assert ask(server).status == 200
        (tmp_path / "run" / "evidence" / "000000.parquet").write_bytes(b"damaged")
        answer = ask(server, "/chunk/0.block.0")
        assert (answer.status, answer.body[:4]) == (500, b"500 ")
        assert b"its scores cannot be read" in answer.body
        assert ask(server, "/chunk/0.ids").status == 200


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
