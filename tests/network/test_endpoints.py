import html
import json
import pickle
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import quote

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from ragauge.encoders import open_encoder
from ragauge.errors import EncoderError, JudgeError, PlanError
from ragauge.judges.providers.factory import open_judge
from ragauge.network.endpoints import (
    Address,
    Unanswered,
    check_above_zero,
    excerpt,
    fields_of,
    is_page,
    json_of,
    may_pass,
    message_of,
    pause_s,
    refuse_key_as_name,
    retry_after,
    secrets_of,
    sendable,
)

CANARY = "sk-canary/7f3a+9c41<d8>e2b6"


def address(base_url: str, fault: type[EncoderError] | type[JudgeError] = JudgeError) -> Address:
    return Address("tiny", base_url, "MY_KEY", fault)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "sk-" + 12 * "a1B2",
            "openai:sk-proj-" + 8 * "x-Y_",
            "any-llm:anthropic:sk-ant-" + 8 * "api0",
        ),
        *("hf_" + 9 * "Ab3d", "AIza" + 9 * "Sy_4"),
        ".".join(("eyJ" + 6 * "abc", 6 * "def", 6 * "ghi")),
    ],
)
def test_a_key_in_place_of_a_models_name_is_refused_and_not_printed(key: str):
    for named in (
        lambda: open_judge(key),
        lambda: open_encoder(key.rpartition(":")[2]),
        lambda: open_encoder(key, base_url="http://127.0.0.1:1/v1"),
        lambda: Address(key, "http://127.0.0.1:1/v1", "MY_KEY", JudgeError),
    ):
        with pytest.raises(PlanError, match="looks like a key") as caught:
            named()
        assert key.rpartition(":")[2] not in str(caught.value)


NAMES = (
    *(
        "gpt-4o-mini-2024-07-18",
        "sk-learn",
        "openai/gpt-oss-120b",
        "gsk_small",
        "eyJ.a.b",
        "gpt-4o",
    ),
    *("hf-internal-testing/tiny-random-BertModel", "sentence-transformers/all-MiniLM-L6-v2"),
    *("meta-llama/Llama-3.3-70B-Instruct-Turbo-Free", "accounts/fireworks/models/deepseek-v3-0324"),
)


def test_names_of_models_are_no_keys_and_the_value_of_a_variable_for_a_key_is_one(monkeypatch):
    monkeypatch.setenv("ACME_API_KEY", "correct-horse-battery")
    monkeypatch.setenv("SHORT_TOKEN", "gpt-4o")
    for model in NAMES:
        refuse_key_as_name(model)
    with pytest.raises(PlanError, match="looks like a key"):
        refuse_key_as_name("correct-horse-battery")
    with pytest.raises(PlanError, match="No such file"):
        open_judge("replay:/nowhere/sk-" + 8 * "abcd")


@pytest.mark.parametrize("fault", [EncoderError, JudgeError])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        *((url, "is an address of the kind 'file'") for url in ("file:///etc", "file:x")),
        *((url, "of the kind 'without a scheme'") for url in ("", "host/v1", "://")),
        *((url, "kind 'http', or has no host") for url in ("http://", "http:///v1", "http://h o")),
        *((url, "kind 'http', or has no host") for url in ("http://host:0/v1", "http://host/v 1")),
        ("http://user:canary@/v1", "kind 'http', or has no host"),
        ("ftp://host/v1", "of the kind 'ftp'"),
        *((url, "is no address") for url in ("http://host:99999/v1", "http://[::1/v1")),
        *((url, "is no address") for url in ("http://a..b/v1", f"http://{64 * 'a'}/v1")),
    ],
)
def test_only_addresses_of_the_web_are_taken(url, said, fault):
    with pytest.raises(fault, match=f"tiny: base_url .*{said}.*give .*https://host/v1") as raised:
        address(url, fault)
    assert not raised.value.is_down
    assert "canary" not in str(raised.value)


@cases(
    *(
        ("http://127.0.0.1:80/v1", "127.0.0.1:80", True),
        ("http://127.8.0.1", "127.8.0.1", True),
    ),
    ("http://[::1]:8000/v1", "[::1]:8000", True),
    ("https://LOCALHOST/v1", "LOCALHOST", True),
    ("https://a.localhost/v1", "a.localhost", True),
    ("https://me:pass@localhost:1/v1", "localhost:1", True),
    ("https://notlocalhost/v1", "notlocalhost", False),
    ("https://localhost.example.org/v1", "localhost.example.org", False),
    ("https://127.0.0.1.example.org", "127.0.0.1.example.org", False),
    ("https://localhost@example.org/v1", "example.org", False),
    ("http://10.0.0.1/v1", "10.0.0.1", False),
    ("http://0.0.0.0/v1", "0.0.0.0", False),
)
def test_what_is_on_this_machine_is_known_by_its_host(url, host, is_local):
    one = address(url)
    assert (one.host, one.is_local) == (host, is_local)
    assert f"{one} {one!r}" == f"tiny at {host} tiny at {host}"


def test_the_key_is_the_environments_and_is_read_anew(monkeypatch):
    one = address("https://example.org/v1")
    for key in (CANARY, "other"):
        monkeypatch.setenv("MY_KEY", f" {key}\n")
        assert one.key() == key
        assert key.encode() not in pickle.dumps(one)
    assert pickle.loads(pickle.dumps(one)).key() == "other"
    for key in ("sk-\u00e9", "sk-a\nb", "sk-\x7f"):
        monkeypatch.setenv("MY_KEY", key)
        with pytest.raises(JudgeError, match="MY_KEY holds signs that are in no key") as raised:
            address("http://localhost/v1").key()
        assert "sk-" not in str(raised.value)


@pytest.mark.parametrize("fault", [EncoderError, JudgeError])
def test_a_missing_key_is_asked_for_by_its_variable_but_on_this_machine(monkeypatch, fault):
    for missing in ("", "  "):
        monkeypatch.setenv("MY_KEY", missing)
        with pytest.raises(fault, match=r"tiny at example\.org: no key; .* MY_KEY,") as raised:
            address("https://example.org/v1", fault).key()
        assert raised.value.is_down, "no other text or request would fare better"
        assert address("http://localhost/v1", fault).key() == ""


def test_numbers_are_finite_and_above_zero():
    check_above_zero("tiny", {"rpm": None, "batch_size": 1, "timeout_s": 1e-9})
    for number in (0, -1, float("inf"), float("nan")):
        with pytest.raises(PlanError, match=f"tiny: rpm is {number}; it must be above 0"):
            check_above_zero("tiny", {"batch_size": 1, "rpm": number})


def test_all_that_is_secret_in_an_address_is_known(monkeypatch):
    monkeypatch.setenv("MY_KEY", f"{CANARY} ")
    login = b64encode(b"me:p/ss").decode()
    found = secrets_of("https://me:p%2Fss@example.org/v1?token=a%20b&version=7", "MY_KEY")
    assert found == (CANARY, "p/ss", login, "a b", "7")
    assert secrets_of("https://example.org", "") == ("", "", "")
    assert "https://[me:canary@host" in secrets_of("https://[me:canary@host", "")


FORMS = (
    *(CANARY, CANARY.upper(), CANARY.replace("/", "\\/"), html.escape(CANARY)),
    *(quote(CANARY), quote(CANARY, "").lower(), "\\\\\\" + CANARY),
    json.dumps(json.dumps(CANARY.replace("/", "\\/"))),
    "".join(f"\\u{ord(one):04x}" for one in CANARY),
    "".join(f"\\\\u{ord(one):04X}" for one in CANARY),
)


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_shown_in_no_form(form):
    for before in ("", "x", "\\n", "\\\\ ", "x" * 290):
        said = excerpt(f"{before}{form}!", ["7", CANARY])
        assert "canary" not in said.lower()
        assert "7f3a" not in said.lower()
        assert said.startswith(before[:290])
    assert "[redacted]" in excerpt(form, [CANARY])


@given(st.text("\\s/k\u00e9\"' ", max_size=30), st.text('\\s/k\u00e9"', min_size=4, max_size=8))
def test_a_secret_of_any_signs_is_shown_in_no_text(text, secret):
    assert secret.lower() not in excerpt(text + secret + text, [secret]).lower()


def test_a_secret_of_odd_signs_is_shown_in_no_form():
    for secret in ("ab\\cd", "\\abcd", "abc\\\\d", "p\u00e4\U0001f600x", "abcd\\"):
        said = json.dumps(secret)[1:-1]
        for form in (secret, said, json.dumps(said)[1:-1], quote(secret, "")):
            assert excerpt(f"x {form} y", [secret]) == "x [redacted] y"


@pytest.mark.parametrize("secret", ["ab\\cd", "\\\\\\\\", "abc\\", "canary"])
def test_a_body_of_backslashes_is_looked_through_at_once(assert_linear_time, secret):
    for beginning, piece in (("", "\\"), ("", "ab\\"), ("abc", "\\")):
        assert_linear_time(
            lambda body: excerpt(body, [secret]),
            lambda n, beginning=beginning, piece=piece: beginning + piece * n,
            20_000,
        )


def test_an_excerpt_is_short_and_on_one_line_and_shows_what_is_too_short_for_a_secret():
    assert excerpt("a\n\t b\x1b[31m\u2028c", []) == "a b [31m c"
    assert excerpt("x" * 1000, []) == "x" * 300
    assert excerpt("version 7, of abc", ["7", "abc", ""]) == "version 7, of abc"


def test_a_body_is_json_or_asked_for_again():
    assert json_of(b' {"a": [1, null]}') == {"a": [1, None]}
    for body in (b"", b'{"a', b"\xff", b"[" * 100_000):
        with pytest.raises(Unanswered, match=f"the reply is not JSON .*, {len(body)} bytes of it"):
            json_of(body)
    pages = [is_page(body) for body in (b"\n <!doctype html>", b'"<b>"', b"")]
    assert pages == [True, False, False]
    assert [fields_of(value) for value in ({"a": 1}, [1], "a", None)] == [{"a": 1}, {}, {}, {}]
    assert sendable("a\ud800b\udfff😀") == "a\ufffdb\ufffd😀"


@cases(
    ('{"error": {"message": "no", "code": "c", "param": "seed", "type": "t"}}', "no"),
    *((f'{{"{name}": "no"}}', "no") for name in ("message", "detail", "error")),
    ('{"error": {"code": 5}}', '{"code": 5}'),
    ('["no"]', '["no"]'),
    ("<b>no</b>", "<b>no</b>"),
    ("", ""),
    ("[" * 100_000, "[" * 100_000),
    ('{"detail": [{"loc": ["body", "seed"], "msg": "bad", "input": "x"}]}', "body.seed: bad"),
    ('{"detail": [{"loc": 7, "msg": "bad"}, {"msg": "worse"}]}', "7: bad; None: worse"),
)
def test_the_servers_words_are_found_in_any_form(body, said):
    assert message_of(body) == said


def test_what_may_pass_is_known_by_its_status():
    passing = [status for status in range(300, 601) if may_pass(status)]
    assert passing == [408, 409, 429, *range(500, 601)]


@cases(
    ({}, None),
    *(({"retry-after": said}, s) for said, s in (("3", 3.0), (" 0.5 ", 0.5), ("-2", 0.0))),
    ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
    *(({"retry-after": bad}, None) for bad in ("soon", "nan", "inf", "", "Mon, 99 Foo")),
    ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
)
def test_the_wait_that_a_server_names_is_read(headers, seconds):
    assert retry_after(headers) == seconds
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < (retry_after({"retry-after": until}) or 0) <= 90


@cases(
    *((1, None, 0.25, 0.5), (2, None, 0.5, 1)),
    (4, None, 2, 4),  # 0.5 * 2 ** 3, less a half at most
    *((5, None, 3, 6), (10_000, None, 3, 6)),  # 8, were it not for the longest
    *((1, 2.0, 2, 2.2), (9, 0.0, 0, 0), (1, 1e9, 6, 6.6)),
)
def test_pauses_double_to_the_longest_or_are_what_the_server_says(
    n_attempts, server_wait_s, least, most
):
    waits = {"first_wait_s": 0.5, "max_wait_s": 6}
    drawn = [pause_s(n_attempts, server_wait_s, **waits) for _ in range(200)]
    assert least <= min(drawn) <= max(drawn) <= most
    assert most == 0 or max(drawn) - min(drawn) > (most - least) / 2, "no two at the same moment"
