"""The replies on disk: found again whole by anybody, or not at all."""

import asyncio
import json
import sqlite3
import threading
import time
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragauge.calls.ledger import LedgerWriter, TokenUsage
from ragauge.errors import StoreError
from ragauge.judges.protocol import (
    Message,
    Reply,
    Request,
    TokenChoice,
    entry_of,
    key_of,
    packed_reply,
    reply_ledger,
)
from ragauge.storage.cache import Cache, checksum, digest

IDENTITY = {"model": "m", "temperature": 0.0, "max_tokens": None}
ASKED = Request(
    "verdict",
    (Message("system", "rules"), Message("user", "Is it so?")),
    {"type": "object", "properties": {"verdict": {"type": "string"}}},
)
TOLD = Reply(
    '{"verdict": "CORRECT – 對"}',
    prompt_tokens=12,
    completion_tokens=3,
    cached_tokens=4,
    cost_usd=0.25,
    finish_reason="length",
    model="m-2025",
    logprobs=(TokenChoice("5", (("5", -0.1), ("4", -2.5))), TokenChoice("\ud800", ())),
)


def entry(text="x", reply=TOLD, judge="m"):
    request = replace(ASKED, messages=(Message("user", text),))
    return entry_of(key_of(IDENTITY, request), judge, request, reply)


def changed(path, statement, *values):
    """Do to a file what no process of ours does."""
    database = sqlite3.connect(path)
    with database:
        database.execute(statement, values)
    database.close()


@pytest.mark.parametrize("name", ["c", ":memory:"])
def test_all_of_a_reply_is_found_again_and_the_last_one_counts(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    ledger, kept = reply_ledger(name), entry()
    ledger.keep([entry(reply=Reply("old"))])
    ledger.keep([kept])
    others = [entry(str(at), Reply(str(at))) for at in range(1_203)]
    ledger.keep(others)
    found = ledger.find([b"another", kept.key, *(one.key for one in others)])
    assert found == {kept.key: TOLD} | {one.key: Reply(str(at)) for at, one in enumerate(others)}
    is_file = name != ":memory:"
    assert reply_ledger(name).find([kept.key]) == ({kept.key: TOLD} if is_file else {})
    assert (tmp_path / "c").exists() is is_file


def test_a_reply_is_on_the_disk_when_it_is_kept(tmp_path):
    ledger = reply_ledger(tmp_path / "c")
    ((synchronous,),) = ledger._rows("pragma synchronous", [])
    ((journal,),) = ledger._rows("pragma journal_mode", [])
    assert (synchronous, journal) == (2, "wal")  # 2 is FULL: each commit waits for the disk


@pytest.mark.parametrize("place", [0, 5, -1, None])
def test_a_reply_with_a_flipped_bit_or_under_another_key_is_not_used(tmp_path, place):
    path, kept, other = tmp_path / "c", entry(), entry("y")
    ledger = reply_ledger(path)
    ledger.keep([kept, other])
    if place is None:
        changed(path, "update replies set key = ? where key = ?", entry("z").key, kept.key)
    else:
        damaged = bytearray(packed_reply(TOLD))
        damaged[place] ^= 1
        changed(path, "update replies set reply = ? where key = ?", bytes(damaged), kept.key)
    assert ledger.find([kept.key, entry("z").key, other.key]) == {other.key: TOLD}


def test_a_reply_in_a_form_that_is_not_known_here_is_not_used(tmp_path):
    no_replies = (
        *("", "[]", "{}", '{"words": "x"}', '{"text": "x", "mood": "good"}'),
        *('{"text": 5}', '{"text": "x", "logprobs": [1]}'),
    )
    path, kept = tmp_path / "c", entry()
    ledger = reply_ledger(path)
    ledger.keep([kept])
    forms = [(form.encode(), checksum(kept.key, form.encode())) for form in no_replies]
    for form, check in (*forms, ("text", "no number")):
        changed(path, "update replies set reply = ?, checksum = ?", form, check)
        assert ledger.find([kept.key]) == {}


RULES, QUESTION = ASKED.messages
OTHERS = [
    replace(ASKED, messages=(Message("user", "rules"), QUESTION)),
    replace(ASKED, messages=(Message("system", "rulesI"), Message("user", "s it so?"))),
    replace(ASKED, messages=(RULES, Message("user", "Is it so!"))),
    replace(ASKED, messages=(*ASKED.messages, Message("user", ""))),
    replace(ASKED, schema={"type": "object"}),
    replace(ASKED, schema=None),
]


def test_the_reply_to_another_request_or_of_another_model_is_not_found():
    askings = [
        replace(ASKED, sample=sample, attempt=attempt, wants_logprobs=wants)
        for sample, attempt, wants in product(range(3), range(3), (False, True))
    ]
    values = [1, True, 1.0, 0.0, False]
    schemas = [replace(ASKED, schema={"minimum": number}) for number in values]
    identities = [
        *({**IDENTITY, "model": "M"}, {**IDENTITY, "temperature": 0.5}, {"model": "m"}),
        *({**IDENTITY, "max_tokens": 100}, *({**IDENTITY, "seed": number} for number in values)),
    ]
    keys = [key_of(IDENTITY, one) for one in (*askings, *OTHERS, *schemas)]
    keys += [key_of(identity, ASKED) for identity in identities]
    assert len({*keys}) == len(keys)
    turned = dict(reversed(IDENTITY.items()))
    assert key_of(turned, replace(ASKED, stand_in="…")) == key_of(IDENTITY, ASKED)


def test_what_was_kept_by_earlier_versions_is_found_again():
    text = 'Is it so?\n"5\\6"\t– 對\x07'
    messages = (Message("system", "rules"), Message("user", text))
    asked = replace(ASKED, messages=messages, sample=2, attempt=1, wants_logprobs=True)
    expected = "f018dde600a3af69ce4ac8a51a5d67cd022379d4988a3bb98358990aa0623803"
    assert key_of(IDENTITY, asked).hex() == expected


@given(st.text(st.characters(exclude_categories=())))
@example('"\\\n\x1f\x7f\u2028\ud800')
def test_a_text_stands_in_a_key_as_json_has_it(text):
    asked = Request("p", (Message("user", text),), {"minimum": 1, "enum": [True, 1.0, None]})
    told = [[["user", text]], {"minimum": 1, "enum": [True, 1.0, None]}, 0, 0, False]
    wanted = json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    identity = '{"max_tokens":null,"model":"m","temperature":0.0}'
    assert key_of(IDENTITY, asked) == digest("reply 1", identity, wanted)


def test_a_keep_that_fails_leaves_the_ledger_usable(tmp_path):
    ledger = reply_ledger(tmp_path / "c")
    with pytest.raises(StoreError, match="cannot be used"):
        ledger.keep([entry("good"), entry("bad", judge=object())])
    assert ledger.find([entry("good").key]) == {}  # all or nothing
    ledger.keep([entry("good")])
    assert entry("good").key in ledger.find([entry("good").key])


@pytest.mark.parametrize("n", [10**12 + 1, 2**63, 10**40])
def test_a_count_that_no_file_holds_costs_no_reply(tmp_path, n):
    ledger = reply_ledger(tmp_path / "c")
    told = Reply("x", prompt_tokens=n, completion_tokens=n)
    ledger.keep([entry("1", told), entry("2", told), entry("3", TOLD)])
    assert ledger.find([entry("1").key])[entry("1").key] == told
    assert ledger.usage("m")["verdict"] == TokenUsage(1, len("3"), 12, 3)
    assert ledger.totals() == [("m", 3, 12, 3, 0.25)]


@pytest.mark.parametrize("first", [reply_ledger, Cache])
def test_replies_and_vectors_share_a_file(tmp_path, first):
    path, vector = tmp_path / "c", bytes(16)
    first(path).close()
    cache, ledger = Cache(path), reply_ledger(path)
    cache.keep("vector", {b"v": vector})
    ledger.keep([entry()])
    assert cache.find([b"v"]) == {b"v": vector}
    assert reply_ledger(path).find([entry().key]) == {entry().key: TOLD}
    assert cache.counts() == {"vector": (1, 16)}
    cache.clear()
    assert ledger.find([entry().key]) == {entry().key: TOLD}
    cache.keep("vector", {b"v": vector})
    ledger.clear()
    assert ledger.find([entry().key]) == {}
    assert cache.find([b"v"]) == {b"v": vector}


def test_vectors_never_push_replies_out_nor_replies_vectors(tmp_path):
    cache, ledger = Cache(tmp_path / "c", most_bytes=100_000), reply_ledger(tmp_path / "c")
    secrets = [entry(str(at), Reply("secret" * 300)) for at in range(100)]
    ledger.keep(secrets)
    cache.keep("vector", {b"v": b"v" * 1_000})
    assert cache.find([b"v"]) == {b"v": b"v" * 1_000}
    for at in range(50):
        cache.keep("vector", {b"%d" % at: b"v" * 10_000})
    assert cache.counts().get("vector", (0, 0))[0] < 50
    assert len(ledger.find([one.key for one in secrets])) == 100
    # And what is cleared leaves the file.
    for store in (cache, ledger):
        store.clear()
        store.close()
    assert (tmp_path / "c").stat().st_size < 50_000
    assert b"secret" not in (tmp_path / "c").read_bytes()


def test_usage_sums_the_replies_of_one_judge_by_prompt(tmp_path):
    ledger = reply_ledger(tmp_path / "c")
    other = entry_of(b"k", "m", replace(ASKED, prompt="claims"), Reply("x", 7, 1))
    without_count = entry("without_count", Reply("x", prompt_tokens=5))
    ledger.keep([entry("abc"), entry("abcde"), without_count, other, entry("zz", judge="another")])
    assert ledger.usage("another") == {"verdict": TokenUsage(1, 2, 12, 3)}
    n_claims = len("rules") + len("Is it so?")
    assert ledger.usage("m") == {
        "verdict": TokenUsage(2, 8, 24, 6),
        "claims": TokenUsage(1, n_claims, 7, 1),
    }
    assert ledger.usage("nobody") == {}
    assert ledger.totals() == [("another", 1, 12, 3, 0.25), ("m", 4, 36, 7, 0.5)]


def test_a_call_is_shown_by_the_beginning_of_its_key(tmp_path):
    ledger = reply_ledger(tmp_path / "c")
    text = 'a "b"\n\x07 – 對 \ud800\0'
    asked = replace(ASKED, messages=(Message("user", text),), attempt=1)
    odd, key = Reply("\ud800 \0 \u2028 😀", cost_usd=1e300), key_of(IDENTITY, asked)
    ledger.keep([entry_of(key, "m", asked, odd), entry("y")])
    assert ledger.find([key]) == {key: odd}
    ((judge, prompt, request, reply),) = ledger.show(key.hex()[:16])
    assert (judge, prompt, reply["text"]) == ("m", "verdict", odd.text)
    messages = [{"role": "user", "content": text}]
    assert request == {"messages": messages, "schema": ASKED.schema, "sample": 0, "attempt": 1}
    assert len(ledger.show("")) == 2
    for nothing in ("%", "_" * 16, "' or 1 --", key.hex()[:16] + "%"):
        assert ledger.show(nothing) == []


@pytest.mark.parametrize("column", ["request", "reply"])
def test_a_call_that_is_damaged_is_not_shown(tmp_path, column):
    ledger = reply_ledger(tmp_path / "c")
    ledger.keep([entry()])
    changed(tmp_path / "c", f"update replies set {column} = x'00112233'")
    with pytest.raises(StoreError, match=f"the call {entry().key.hex()[:16]} is damaged"):
        ledger.show(entry().key.hex())


async def all_kept(writer, entries):
    await asyncio.gather(*(writer.keep(one) for one in entries))
    return await asyncio.gather(*(writer.find(one.key) for one in entries))


def test_a_desk_finds_what_it_keeps_and_its_thread_ends_and_begins_again(tmp_path):
    entries = [entry(str(at), Reply(str(at))) for at in range(500)]
    writer = LedgerWriter(reply_ledger(tmp_path / "c"))
    for some in (entries, entries[:1]):
        found = asyncio.run(all_kept(writer, some))
        assert [one.text for one in found] == [str(at) for at in range(len(some))]
        end = time.monotonic() + 20
        while any(one.name == "ragauge ledger" for one in threading.enumerate()):
            assert time.monotonic() < end
            time.sleep(0.005)
    assert len(reply_ledger(tmp_path / "c").find([one.key for one in entries])) == 500
    assert asyncio.run(all_kept(LedgerWriter(None), [entry()])) == [None]


def test_whoever_waits_at_a_desk_is_told_that_it_failed(tmp_path):
    ledger = reply_ledger(tmp_path / "c")
    writer = LedgerWriter(ledger)

    async def work():
        assert await writer.find(b"x") is None
        ledger.close()
        orders = [writer.find(b"x"), writer.keep(entry()), writer.find(b"y")]
        return await asyncio.gather(*orders, return_exceptions=True)

    assert [type(one) for one in asyncio.run(work())] == [StoreError] * 3


def test_what_is_looked_up_does_not_wait_for_what_is_stored_with_it(tmp_path):
    path = tmp_path / "c"
    writer = LedgerWriter(reply_ledger(path))
    other = sqlite3.connect(path, isolation_level=None)

    async def work():
        await writer.keep(entry("before"))
        other.execute("begin immediate")  # another process stores something
        kept = asyncio.ensure_future(writer.keep(entry("now")))
        found = asyncio.ensure_future(writer.find(entry("before").key))
        assert await asyncio.wait_for(found, 20) == TOLD
        assert not kept.done()
        other.execute("rollback")
        await asyncio.wait_for(kept, 20)
        return await writer.find(entry("now").key)

    assert asyncio.run(work()) == TOLD
    other.close()


@pytest.mark.parametrize("cancels_after_s", [None, 0.0, 0.001, 0.01])
def test_who_is_interrupted_while_a_lease_is_given_leaves_none(cancels_after_s, tmp_path):
    writer, other = (LedgerWriter(reply_ledger(tmp_path / "c")) for _ in range(2))
    keys = [entry(str(at)).key for at in range(200)]

    async def work():
        gone = [asyncio.ensure_future(writer.find_or_lease(key)) for key in keys]
        if cancels_after_s is not None:
            await asyncio.sleep(cancels_after_s)
        for one in gone:
            one.cancel()
        ended = await asyncio.gather(*gone, return_exceptions=True)
        for key, one in zip(keys, ended, strict=True):
            if one is None:  # it got the lease, and would ask now
                writer.release(key)
        found = asyncio.gather(*map(other.find_or_lease, keys))
        assert set(await asyncio.wait_for(found, 20)) == {None}
        await writer.find_or_lease(entry("last").key)  # so that all before it have their answers

    asyncio.run(work())
    writer.close()
    other.close()


def test_who_no_longer_waits_at_a_desk_holds_nobody_up(tmp_path):
    writer = LedgerWriter(reply_ledger(tmp_path / "c"))

    async def work():
        gone = [asyncio.ensure_future(writer.keep(entry(str(at)))) for at in range(20)]
        await asyncio.sleep(0)
        for one in gone:
            one.cancel()
        await writer.keep(entry("last"))
        return await writer.find(entry("last").key)

    assert asyncio.run(work()) == TOLD
