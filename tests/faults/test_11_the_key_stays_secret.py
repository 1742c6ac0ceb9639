"""FAULTS.md 11: a key that a server repeats, in whatever encoding, is in no byte that a run leaves."""

import asyncio
import base64
import html
import json
import quopri
import re
import sqlite3
import textwrap
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import faulty_server as faulty
import polars as pl
import pytest
import rules
from cases import cases

import ragauge as rg
from ragauge.errors import JudgeError
from ragauge.judges.managed import MIN_SECRET
from ragauge.judges.protocol import Message, Reply, Request, TokenChoice
from ragauge.judges.providers.scripted import RecordingJudge
from ragauge.network.redaction import MIN_LENGTH, redacted
from ragauge.report.writing import ENDINGS

KEY = "sk-canary/7f3a+9c41\"d8'e2b6"
PASSWORD = "pass-canary-5d1e"


def percent(text: str, case: str = "x") -> str:
    return "".join(f"%{byte:02{case}}" for byte in text.encode())


FORMS = {
    "plain": KEY,
    "upper case": KEY.upper(),
    "in JSON": json.dumps(KEY),
    "in JSON in JSON": json.dumps(json.dumps(KEY)),
    "with an escaped slash": json.dumps(KEY).replace("/", "\\/"),
    "escapes": "".join(f"\\u{ord(one):04x}" for one in KEY),
    "escapes of escapes": json.dumps("".join(f"\\u{ord(one):04X}" for one in KEY)),
    "bytes of Python": "".join(f"\\x{ord(one):02x}" for one in KEY),
    "percent": quote(KEY, ""),
    "percent, every character": percent(KEY),
    "percent, both cases": "".join(percent(one, "xX"[at % 2]) for at, one in enumerate(KEY)),
    "percent twice": quote(quote(KEY, ""), ""),
    "HTML": html.escape(KEY),
    "HTML numbers": "".join(f"&#{ord(one)};" for one in KEY),
    "Base64": base64.b64encode(KEY.encode()).decode(),
    "Basic": "Basic " + base64.b64encode(f"me:{KEY}".encode()).decode(),
    "Basic, other length": "Basic " + base64.b64encode(f"user:{KEY}!".encode()).decode(),
    "Base64 of a URL": base64.urlsafe_b64encode(f"??{KEY}~~".encode()).decode(),
    "Basic in a URL": quote(base64.b64encode(f"a:{KEY}".encode()).decode(), ""),
    "hexadecimal": KEY.encode().hex(),
    "hexadecimal, upper case": KEY.encode().hex().upper(),
    "UTF-16, read as Latin-1": KEY.encode("utf-16-le").decode("latin-1"),
    "UTF-16, in JSON": json.dumps(KEY.encode("utf-16-be").decode("latin-1")),
    "Base64 of UTF-16": base64.b64encode(f"me:{KEY}".encode("utf-16-le")).decode(),
    "hexadecimal of UTF-16": KEY.encode("utf-16-be").hex(),
    "password": PASSWORD,
    "Base64 of a mail": base64.encodebytes(f"of: {KEY * 3}".encode()).decode().strip(),
    "Base64 of a mail, in JSON": json.dumps(base64.encodebytes(f"me:{KEY * 3}".encode()).decode()),
    "Base64 in short lines": "\r\n".join(textwrap.wrap(base64.b64encode(KEY.encode()).decode(), 5)),
    "Base64, one byte on": base64.b64encode(f"x{KEY}".encode()).decode(),
    "Base64, two bytes on": base64.b64encode(f"xy{KEY}".encode()).decode(),
    "Base64 twice": base64.b64encode(base64.b64encode(f"me:{KEY}".encode())).decode(),
    "Base32": base64.b32encode(f"me:{KEY}".encode()).decode(),
    "hexadecimal, both cases": "".join(
        one.upper() if at % 3 else one for at, one in enumerate(KEY.encode().hex())
    ),
    "hexadecimal, apart": KEY.encode().hex(" "),
    "hexadecimal, with colons": KEY.encode().hex(":"),
    "hexadecimal of C": ", ".join(f"0x{one:02x}" for one in KEY.encode()),
    "hexadecimal in lines": "\n".join(textwrap.wrap(KEY.encode().hex(" "), 24)),
    "a list of bytes": str(list(KEY.encode())),
    "percent, upper case": percent(KEY, "X"),
    "percent of browsers": "".join(f"%u{ord(one):04X}" for one in KEY),
    "percent three times": quote(quote(quote(KEY, ""), ""), ""),
    "a mail": quopri.encodestring(KEY.encode(), quotetabs=True).decode().strip(),
    "a mail, every character": "".join(f"={one:02X}" for one in KEY.encode()),
    "octal": "".join(f"\\{one:03o}" for one in KEY.encode()),
    "escapes of JavaScript": "".join(f"\\u{{{one:x}}}" for one in KEY.encode()),
    "escapes of Python": "".join(f"\\U{one:08x}" for one in KEY.encode()),
    "HTML numbers with zeros": "".join(f"&#x{one:08x};" for one in KEY.encode()),
    "letter by letter": " ".join(KEY),
    "with invisible characters": "\u200b".join(KEY),
    "in two lines": f"{KEY[:9]}\n{KEY[9:]}",
    "in two lines, in JSON": json.dumps(f"{KEY[:9]}\n{KEY[9:]}"),
    "full width": "".join(chr(ord(one) + 0xFEE0) for one in KEY),
    "typeset": KEY.translate({ord("-"): "\u2010", ord('"'): "\u201d", ord("'"): "\u2019"}),
    "with hyphens that keep lines whole": KEY.replace("-", "\u2011"),
    "numbers of the characters": " ".join(str(ord(one)) for one in KEY),
    "octal numbers": " ".join(f"{ord(one):03o}" for one in KEY),
    "binary numbers": " ".join(f"{ord(one):08b}" for one in KEY),
    "names of the characters": " ".join(f"U+{ord(one):04X}" for one in KEY),
}


def letters(text: str) -> str:
    """A text without what escaping and wrapping add to it."""
    return re.sub(r"[\s\\\0]", "", text).casefold()


PIECES = {
    whole[at : at + 14] for whole in map(letters, FORMS.values()) for at in range(len(whole) - 13)
}
"""Every fourteen characters in a row of every form: a text around a form may share a few of its characters."""


def leaks(text: str) -> bool:
    plain = letters(text)
    return any(plain[at : at + 14] in PIECES for at in range(len(plain) - 13))


def texts_in(file: Path) -> Iterator[str]:
    """All that a file holds, unpacked."""
    content = file.read_bytes()
    yield content.decode("latin-1")
    if file.suffix == ".parquet":
        yield str(pl.read_parquet(file).to_dicts())
    elif file.suffix == ".html":
        for packed in re.findall(rb">([A-Za-z0-9+/=]{40,})<", content):
            yield zlib.decompress(base64.b64decode(packed)).decode("latin-1")
    elif file.name.endswith(".sqlite"):
        with sqlite3.connect(file) as database:
            for row in database.execute("select * from replies"):
                yield str(row)
                yield zlib.decompress(row[3]).decode()


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def row(at: int) -> dict[str, object]:
    return {
        "id": f"q{at}",
        "question": "Fee?",
        "answer": f"It is ${at}.",
        "contexts": ["The fee is $1."],
    }


def test_a_key_that_replies_repeat_is_in_no_file_and_on_no_stream(ragauge, tmp_path):
    forms = list(FORMS.values())[::4]
    lines = (json.dumps(row(at)) + "\n" for at in range(len(forms)))
    (tmp_path / "a.jsonl").write_text("".join(lines))

    def answer(number, body):
        form = forms[number % len(forms)]
        if number % 5 == 0:  # unreadable
            return faulty.ok(f"Your key is {form}, and I refuse.", model=form, finish_reason=form)
        if number % 5 == 1:
            return faulty.refusal(400, f"no such key: {form}", code=form, type=form)
        prompt = body["response_format"]["json_schema"]["name"]
        text = json.dumps(rules.reply(prompt, body["messages"][1]["content"]))
        if number % 5 == 2 and not {"\\", '"'} & set(form):  # in the midst of a readable reply
            text = re.sub(r'("reason": ")', lambda found: found.group() + form + " ", text)
        if number % 5 == 3:
            text = f"{form}\n{text}"
        return faulty.ok(text, model=form)

    outputs = [one for ending in (*ENDINGS, ".parquet") for one in ("-o", f"s{ending}")]
    with faulty.FaultyServer(answer) as server:
        url = server.url.replace("http://", f"http://me:{PASSWORD}@")
        judge = ("--judge", "m", "--judge-url", url, "--judge-key", "JUDGE_KEY")
        dry = ragauge("run", "a.jsonl", "-m", "faithfulness", *judge, "--dry-run")
        first = ragauge("run", "a.jsonl", "-m", "faithfulness", "--folder", "r", *judge, *outputs, "--record", "rec.jsonl")  # fmt: skip
        assert server.headers, "it was asked"
    shown = [
        dry,
        ragauge("show", "r", "--full"),
        ragauge("show", "r", "--status", "failed", "-n", "100"),
        *(ragauge("show", "r", f"q{at}", "--calls") for at in (0, 9)),
    ]
    said = [text for done in (first, *shown) for text in (done.out, done.err)]
    assert any("[redacted]" in text for text in said)
    assert not [text for text in said if leaks(text)]
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "a.jsonl"]
    names = {one.name for one in files}
    assert {"cache.sqlite", "rec.jsonl", "report.html", "manifest.json"} <= names
    assert not [file.name for file in files for text in texts_in(file) if leaks(text)]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_secret_is_hidden_in_each_encoding_and_the_text_around_it_stays(form):
    assert leaks(form), "the search for leaks would find it"
    clean = redacted(f"one {form} two", [KEY, PASSWORD])
    assert clean.startswith("one ")
    assert clean.endswith(" two")
    assert "[redacted]" in clean
    assert not leaks(clean)


def test_what_is_encoded_together_with_a_key_stays():
    """As far as its letters hold no bit of the key: `me:` in Base64 is `bWU6`, whose last letter may go with it."""
    kept = {
        "Basic": "bWU[redacted]",
        "Basic, other length": "dXNlcj[redacted]h",
        "Base32": "NVST[redacted]",
    }
    kept |= {"Base64 of a URL": "Pz[redacted]-fg==", "Base64 of UTF-16": "bQBlAD[redacted]"}
    found = {form: redacted(FORMS[form], [KEY]).removeprefix("Basic ") for form in kept}
    assert found == kept


def test_text_without_a_secret_stays_as_it_is():
    text = 'A 50% "raise" \\u0041 &amp; \\\\ c2steA== sk-other'
    assert redacted(text, [KEY]) == text
    assert redacted(text, []) == text
    assert redacted("abc", ["abc"[: MIN_LENGTH - 1]]) == "abc"
    short = "in no case", ["none", "nocase"]
    assert redacted(*short) == "in no case", "too short to be looked for in pieces"
    assert redacted("a  b\n c sk-canar", ["sk-canary-key"]) == "a  b\n c sk-canar"


@cases(
    *("\\", "%41", "%25", "&#65;", "\\u0041", "sk-canary", "YWJj", "=41", "\\n", "\u200b", "s k"),
    *("7 3 ", "115, ", "115 ", "01110011 ", "U+0073 ", "\u2010s"),
)
def test_secrets_are_looked_for_in_linear_time(unit, assert_linear_time):
    assert_linear_time(lambda text: redacted(text, [KEY]), lambda n: unit * n, 20_000)


def test_a_placeholder_for_a_key_changes_no_reply(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", "none")
    assert len("none") < MIN_SECRET
    judge = rg.ChatEndpoint("m", base_url="http://localhost:1/v1", api_key_env="JUDGE_KEY")
    reply = Reply('{"reason": "none of it"}')
    assert judge.without_secrets(reply) is reply


def test_log_probabilities_that_spell_a_key_are_dropped_with_it():
    judge = rg.ChatEndpoint("m", base_url="http://localhost:1/v1", api_key_env="JUDGE_KEY")
    reply = Reply(f"It is {KEY}.", logprobs=(TokenChoice(KEY[:9], ((KEY[:9], -0.1),)),))
    clean = judge.without_secrets(reply)
    assert (clean.text, clean.logprobs) == ("It is [redacted].", None)


class Own:
    """A judge of the user's own that repeats its key."""

    name, identity, api_key_env, base_url = "own", {"model": "own"}, "JUDGE_KEY", None

    async def reply(self, request):
        return Reply(f"{{'key': '{KEY}'}}")


def test_a_recording_of_a_users_own_judge_has_no_key(tmp_path):
    judge = RecordingJudge(Own(), tmp_path / "rec.jsonl")
    reply = asyncio.run(judge.reply(Request("p", (Message("user", "?"),), None)))
    assert "canary" not in reply.text
    assert "canary" not in (tmp_path / "rec.jsonl").read_text()


# A key in the place of a variable's name ----------------------------------------------------------


@cases("sk-canary-0123", "AIzaSyCanary0123", "CANARY0123456789ABCDEF", "sk_live_canary", "7f3a9c")
def test_a_key_in_the_place_of_a_variable_is_not_printed_back(given, ragauge, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(row(1)) + "\n")
    (tmp_path / "c.toml").write_text(
        f'data = "a.jsonl"\nmetrics = ["faithfulness"]\n[judge]\nmodel = "m"\n'
        f'base_url = "https://example.org/v1"\napi_key_env = "{given}"\n'
    )
    (tmp_path / "list.toml").write_text(f'data = "a.jsonl"\n[judge]\napi_key_env = ["{given}"]\n')
    url = ("https://example.org/v1",)
    for arguments, code in (
        (("run", "a.jsonl", "-m", "faithfulness", "--judge", "m", "--judge-url", *url, "--judge-key", given), 6),
        (("run", "a.jsonl", "-m", "hybrid_relevance", "--encoder", "m", "--encoder-url", *url, "--encoder-key", given), 6),
        (("run", "c.toml"), 6),
        (("run", "list.toml"), 2),
    ):  # fmt: skip
        done = ragauge(*arguments, code=code)
        assert given not in done.out + done.err
    assert "it may be the key itself" in ragauge("run", "c.toml").err


def test_the_name_of_a_variable_is_printed_where_it_is_one(monkeypatch):
    for name in ("MY_API_KEY", "OPENAI_KEY_2", "AZURE_TOKEN", "mykey"):
        monkeypatch.setenv("mykey", "")
        judge = rg.ChatEndpoint("m", base_url="https://example.org/v1", api_key_env=name)
        with pytest.raises(JudgeError, match=name):
            judge.check_key()
