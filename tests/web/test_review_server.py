"""`ragauge review serve`: labels over HTTP. What is refused, what is kept, and that nothing is seen too early."""

import json
import os
import socket

import pytest
from cases import cases

import ragauge as rg
from ragauge.people.review import Review
from ragauge.web.guard import Access
from ragauge.web.server import PageServer, serving
from ragauge.web.sites import ReviewSite

TOKEN = "a-token-of-enough-characters"
ROWS = [
    {"id": f"q{n}", "system": "zebra", "question": f"{n}?", "answer": "oak" if n % 2 else "elm", "reference": "oak"}
    for n in range(4)
]  # fmt: skip


@pytest.fixture
def review(tmp_path) -> Review:
    return Review(rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "run").review_queue())


@pytest.fixture
def server(review):
    with serving(ReviewSite(review, "ann")) as running:
        yield running


@pytest.fixture(scope="module")
def unlabelled(tmp_path_factory) -> Review:
    """A review for tests in which nothing is stored."""
    folder = tmp_path_factory.mktemp("unlabelled") / "run"
    return Review(rg.evaluate(ROWS, ["exact_match"], folder=folder).review_queue())


@pytest.fixture(scope="module")
def refusing(unlabelled):
    with serving(ReviewSite(unlabelled, "ann")) as running:
        yield running


def own(server: PageServer, **more: str) -> dict[str, str]:
    """The headers that the server's own page sends."""
    return {
        "Origin": f"http://127.0.0.1:{server.server_port}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
        **more,
    }


@pytest.fixture
def post(ask):
    """Sends JSON as the server's own page does, or with other headers."""

    def send(server, path: str, sent: object, headers=None):
        return ask(server, path, "POST", headers or own(server), json.dumps(sent))

    return send


def label(key: str, value: object = 1, rater="ann", note="", settles=False) -> dict[str, object]:
    return {"key": key, "rater": rater, "value": value, "note": note, "settles": settles}


def stored(review: Review) -> bytes:
    return review.stored.path.read_bytes() if review.stored.path.exists() else b""


def keys(review: Review) -> list[str]:
    return [item.key for item in review.queue.items]


# What it is for.


def test_a_label_is_saved_and_only_then_the_verdicts_and_the_system_are_seen(
    ask, post, server, review
):
    queue = ask(server, "/review/queue?rater=ann").json
    assert queue["asks"] == "Does the answer match the reference?"
    assert [row["task"] for row in queue["rows"]] == ["label"] * 4
    key = queue["rows"][0]["key"]
    before = ask(server, f"/review/item/{key}?rater=ann")
    assert b"zebra" not in before.body and b"exact_match" not in before.body
    assert (before.json["automatic"], before.json["own"], before.json["others"]) == ([], None, [])
    after = post(server, "/review/label", label(key, 1, note="clear")).json
    assert after["system"] == "zebra"
    assert [each["metric"] for each in after["automatic"]] == ["exact_match"]
    assert (after["own"]["says"], after["own"]["note"], after["own"]["rater"]) == (
        "match",
        "clear",
        "ann",
    )
    assert review.labels().frame["verdict"].to_list() == ["match · ann"]
    queue = ask(server, "/review/queue?rater=ann").json
    assert (queue["rows"][0]["task"], queue["rows"][0]["own"]) == ("done", "match")
    # Somebody else does not see it.
    other = ask(server, f"/review/item/{key}?rater=ben")
    assert b"zebra" not in other.body and other.json["others"] == []
    assert other.json["automatic"] == [] and other.json["verdict"] == ""


def test_undo_hides_the_verdicts_again(post, server, review):
    key = keys(review)[0]
    saved = post(server, "/review/label", label(key)).json
    undone = post(
        server, "/review/undo", {"key": key, "rater": "ann", "label": saved["own"]["label"]}
    )
    assert undone.status == 200
    assert (undone.json["own"], undone.json["automatic"], undone.json["system"]) == (None, [], "")
    again = post(
        server, "/review/undo", {"key": key, "rater": "ann", "label": saved["own"]["label"]}
    )
    assert again.status == 400 and b"no label" in again.body


REPORT = ("/report", "/chunk/0.ids", "/chunk/0.score.0", "/chunk/0.block.0", "/chunk/0.field.1")


def test_nothing_that_the_server_sends_has_a_score_while_an_answer_is_left_to_label(
    ask, post, server, review
):
    page = ask(server, "/")
    assert b'"source":"review","runs":[]' in page.body
    for left in range(4, 0, -1):
        for address in REPORT:
            answer = ask(server, f"{address}?rater=ann")
            assert answer.status == 403
            assert f"first label {left} answer".encode() in answer.body
        for address in (
            "/",
            "/review/queue",
            *(f"/review/item/{key}" for key in keys(review)[4 - left :]),
        ):
            body = ask(server, address).body
            for secret in (b"zebra", b"exact_match", b"headline"):
                assert secret not in body.replace(page.body, b""), address
        assert post(server, "/review/label", label(keys(review)[4 - left])).status == 200
    assert ask(server, "/report?rater=ben").status == 200  # one opinion of each answer is enough
    shown = ask(server, "/report?rater=ann")
    assert b'"source":"reviewed"' in shown.body and b"exact_match" in shown.body
    assert [ask(server, f"{address}?rater=ann").status for address in REPORT] == [200] * 5
    assert ask(server, "/chunk/0.score.9?rater=ann").status == 404


def test_each_of_two_people_gets_the_report_after_their_own_labels(ask, post, tmp_path):
    run = rg.evaluate(ROWS, ["exact_match"], folder=tmp_path / "run")
    review = Review(run.review_queue(), opinions=2)
    with serving(ReviewSite(review)) as server:
        for key in keys(review):
            post(server, "/review/label", label(key, rater="ann"))
        assert ask(server, "/report?rater=ann").status == 200
        refused = ask(server, "/report?rater=ben")
        assert (refused.status, b"first label 4 answers" in refused.body) == (403, True)
        assert ask(server, "/report").status == 400  # nobody in particular
        saved = post(server, "/review/label", label(keys(review)[0], 0, "ann")).json
    assert saved["own"]["says"] == "contradict"
    blind = [each.is_blind for each in review.log().labels]
    assert blind == [True] * 4 + [False]  # ann has seen the report


# What is refused.


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_names_of_loopback_may_write_from_their_own_origin(raw, server, review, host):
    body = json.dumps(label(keys(review)[0]))
    answer = raw(
        server,
        f"POST /review/label HTTP/1.1\r\nHost: {host}:{server.server_port}\r\n"
        f"Origin: http://{host}:{server.server_port}\r\nContent-Type: application/json; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}",
    )
    assert answer.startswith("HTTP/1.1 200 ")


def test_get_never_writes(ask, post, refusing, unlabelled):
    key = keys(unlabelled)[0]
    for path in ("/review/label", "/review/undo", f"/review/label?key={key}&rater=ann&value=1"):
        assert ask(refusing, path).status == 404
    for path in ("/", "/review/queue?rater=ann", f"/review/item/{key}?rater=ann"):
        assert ask(refusing, path).status == 200
        assert ask(refusing, path, "HEAD").status == 200
        assert post(refusing, path.partition("?")[0], {}).status == 405
    assert post(refusing, "/elsewhere", {}).status == 404
    assert not unlabelled.stored.path.exists()


@pytest.mark.posix
@cases(
    "../manifest.json", "..%2fmanifest.json", "%2e%2e/labels.jsonl", "%252e%252e%252fmanifest.json", "..\\manifest.json",
    "%00", "{key}%00", "{key}/", "{key}/..", "{KEY}", "link", "q1", "", "a" * 3000,
)  # fmt: skip
def test_keys_are_looked_up_and_never_paths(key, ask, post, refusing, unlabelled):
    link = unlabelled.stored.path.with_name("link")
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
    own_key = keys(unlabelled)[0]
    while own_key == own_key.upper():  # a key of digits only
        own_key = keys(unlabelled)[1]
    key = key.format(key=own_key, KEY=own_key.upper())
    assert ask(refusing, f"/review/item/{key}?rater=ann").status == 404
    assert ask(refusing, f"/review/../run/{key}").status == 404
    answered = post(refusing, "/review/label", label(key))
    assert answered.status == 404
    assert stored(unlabelled) == b""


@cases(
    [], "text", None, {}, {"key": "KEY"}, label("KEY", 2), label("KEY", True), label("KEY", "1"), label("KEY", 0.5),
    label("KEY", rater=""), label("KEY", rater="a\nb"), label("KEY", rater="x" * 81), label("KEY", rater=3),
    label("KEY", note="x" * 4001), label("KEY", note=7), label("KEY", note="\ud800"), label("KEY", settles=1),
    {**label("KEY"), "time": "2001-01-01"}, {**label("KEY"), "digest": "x"},
    label("KEY", float("nan")), label("KEY", "#" * 6000), label("KEY", rater="a\0"), label("KEY", rater="a\u202e"),
)  # fmt: skip
def test_what_is_no_label_is_refused_with_words(sent, ask, refusing, unlabelled):
    text = (
        json.dumps(sent)
        .replace("KEY", keys(unlabelled)[0])
        .replace('"' + "#" * 6000 + '"', "1" * 6000)
    )
    answered = ask(refusing, "/review/label", "POST", own(refusing), text)
    assert answered.status == 400
    assert answered.headers["content-type"].startswith("text/plain")
    assert len(answered.body) > 20
    assert stored(unlabelled) == b""


@cases(b"", b"{", b"\xff", b'{"key": 1, "key": 2}', b"[" * 30_000, b"{'key': 1}")
def test_a_body_or_query_that_cannot_be_read_is_refused(body, refusing, unlabelled, ask):
    assert ask(refusing, "/review/label", "POST", own(refusing), body).status == 400
    for query in ("rater=%0A", "rater=a&rater=b", "other=a"):
        assert ask(refusing, f"/review/queue?{query}").status == 400
    assert stored(unlabelled) == b""


# Other addresses.


@pytest.fixture
def guarded(review):
    with serving(ReviewSite(review, "ann"), token=TOKEN) as running:
        yield running


def test_without_the_token_nothing_is_answered(ask, post, guarded, review):
    key = keys(review)[0]
    wrong = [
        {}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"},
        {"Cookie": f"ragauge-{guarded.server_port}=wrong"}, {"Cookie": f"other={TOKEN}"},
    ]  # fmt: skip
    for headers in wrong:
        for path in (
            "/",
            "/chunk/0.ids",
            "/review/queue?rater=ann",
            f"/review/item/{key}",
            "/?token=wrong",
            "/?token=",
        ):
            answered = ask(guarded, path, headers=headers)
            assert answered.status == 403, (headers, path)
            assert b"zebra" not in answered.body and "set-cookie" not in answered.headers
        assert post(guarded, "/review/label", label(key), own(guarded, **headers)).status == 403
    assert stored(review) == b""


def test_the_printed_address_gives_a_cookie_with_which_the_page_works(ask, post, guarded, review):
    assert guarded.url.endswith(f"/?token={TOKEN}")
    came = ask(guarded, f"/?token={TOKEN}")
    assert (came.status, came.headers["location"], came.body) == (303, "/", b"")
    cookie = came.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    kept = cookie.split(";")[0]
    assert ask(guarded, "/", headers={"Cookie": f"theme=dark; {kept}"}).status == 200
    sent = post(guarded, "/review/label", label(keys(review)[0]), own(guarded, Cookie=kept))
    assert sent.status == 200
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert ask(guarded, "/review/queue", headers=bearer).status == 200
    # The cookie alone is not enough for another site's page.
    foreign = own(guarded, Cookie=kept, Origin="http://evil.example")
    assert post(guarded, "/review/label", label(keys(review)[1]), foreign).status == 403


def test_on_all_addresses_only_addresses_and_the_machines_name_are_names():
    access = Access.of("0.0.0.0", TOKEN)
    assert access.is_named("192.168.0.7:8712", 8712) and access.is_named("[fe80::1]:8712", 8712)
    assert access.is_named(f"{socket.gethostname().lower()}:8712", 8712)
    for host in (
        "evil.example:8712",
        "192.168.0.7:1",
        "192.168.0.7",
        "192.168.0.7.evil.example:8712",
        "",
    ):
        assert not access.is_named(host, 8712), host
    one = Access.of("192.168.0.7", TOKEN)
    assert one.is_named("192.168.0.7:8712", 8712) and not one.is_named("192.168.0.8:8712", 8712)
    assert one.is_named("192.168.0.7", 80)


# Kills and full disks.

SERVE = ("review", "serve", "run", "--rater", "ann")


@pytest.mark.posix
def test_a_full_disk_is_said_and_nothing_is_half_written(post, started, review):
    def full() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # it would be cut off like every file
    server = started(*SERVE, preexec_fn=full, env=env)
    sent = [label(keys(review)[0], 1, f"r{n}") for n in range(12)]
    answers = [post(server, "/review/label", each) for each in sent]
    statuses = [each.status for each in answers]
    n_saved = statuses.count(200)
    assert 0 < n_saved < 12 and statuses == [200] * n_saved + [507] * (12 - n_saved)
    assert b"free space" in answers[-1].body
    log = review.log()
    assert [each.rater for each in log.labels] == [f"r{n}" for n in range(n_saved)]
    assert log.notes == () and stored(review).endswith(b"\n")


def test_the_command_says_what_is_wrong(ragauge, review):
    for more, message in (
        (("--token", "short"), "a token needs at least 16"),
        (("--host", "203.0.113.7"), "give an address of this machine with --host"),
        (("--rater", " "), "rater must be a name"),
    ):
        done = ragauge(*SERVE, "--no-browser", *more)
        assert done.code in (2, 5)
        assert message in done.err
    review.stored.path.write_text("{broken\n{}\n")
    done = ragauge(*SERVE, "--no-browser")
    assert (done.code, "labels.jsonl:1" in done.err) == (5, True)
