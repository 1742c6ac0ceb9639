"""`rg.ask`: a real function, a real ledger, and what goes wrong with each."""

import asyncio
import os
import sys
import time
from types import SimpleNamespace

import pytest
from cases import cases

import ragauge as rg
from ragauge.asking.function import refusal_of
from ragauge.asking.target import Answer, packed, unpacked
from ragauge.errors import PlanError, StoreError
from ragauge.network.endpoints import Unanswered

QUESTIONS = [
    {"id": f"q{n}", "question": f"Question {n}?", "references": ["Paris"]} for n in range(4)
]
FIELDS = ["id", "answer", "status", "reason"]


def rows(answers, *names):
    return answers.samples.frame.select(*(names or FIELDS)).rows()


def first(answers, *names):
    return rows(answers, *names)[0]


def plain(question):
    return f"Paris, {question}"


async def waiting(question):
    await asyncio.sleep(0)
    return f"Paris, {question}"


def streaming(question):
    yield "Paris, "
    yield question
    yield {"contexts": ["France"]}


async def streaming_async(question):
    yield "Paris, "
    yield question


class Callable:
    def __call__(self, question):
        return f"Paris, {question}"


class OwnTarget:
    async def answer(self, inputs):
        return f"Paris, {inputs['question']}"


@cases(
    (plain, False),
    (waiting, False),
    (lambda question: waiting(question), False),  # returns a coroutine
    (Callable(), False),
    (OwnTarget(), False),
    (streaming, True),
    (streaming_async, True),
)
def test_a_function_of_any_kind_answers_and_a_stream_has_a_time_of_its_first_part(target, streams):
    answers = rg.ask(QUESTIONS[:1], target)
    assert first(answers) == ("q0", "Paris, Question 0?", "ok", None)
    latency_s, first_s = first(answers, "latency_s", "first_token_s")
    assert (first_s is not None) is streams
    assert first_s is None or first_s <= latency_s


def test_parameters_take_the_fields_that_they_name_and_a_row_has_all_but_the_gold():
    questions = [{"id": "q", "question": "Where?", "references": ["x"], "topic": "towns"}]

    def named(question, topic, references):
        return f"{question} {topic} {references[0]}"

    def whole(row):
        return " ".join(sorted(row))

    def by_name(*, topic, question):
        return f"{question} {topic}"

    def with_others(question, *others, topic="none", **settings):
        return f"{question} {others} {topic} {settings}"

    assert first(rg.ask(questions, named), "answer") == ("Where? towns x",)
    assert first(rg.ask(questions, by_name), "answer") == ("Where? towns",)
    assert first(rg.ask(questions, with_others), "answer") == ("Where? () none {}",)
    assert first(rg.ask(questions, lambda *given: repr(given)), "answer") == ("('Where?',)",)
    assert first(rg.ask(questions, whole), "answer") == ("id question topic",)


MESSAGE = {"role": "assistant", "content": "Paris"}
USED = {"prompt_tokens": 3, "completion_tokens": 4}
TOKENS = {"input_tokens": 3, "output_tokens": 4}
PAGE = {"page_content": "a"}


class Usage:
    prompt_tokens, completion_tokens = 3, 4


@cases(
    ("Paris", {}),
    (MESSAGE, {}),
    ({"answer": "Paris", "contexts": ["a"], "topic": "t"}, {"contexts": ["a"], "topic": "t"}),
    ({"response": "Paris", "retrieved_contexts": ["a"]}, {"contexts": ["a"]}),
    (
        {"query": "?", "result": "Paris", "source_documents": [PAGE]},
        {"contexts": ["a"], "question": "Question 0?"},
    ),
    ({"input": "?", "answer": "Paris", "context": [PAGE]}, {"contexts": ["a"]}),
    ({"choices": [{"message": MESSAGE}], "usage": USED}, TOKENS),
    ({"answer": "Paris", "usage": Usage()}, TOKENS),
    ({"answer": "Paris", "cost_usd": 0.5, "id": "q0"}, {"cost_usd": 0.5, "id": "q0"}),
    (lambda: rg.load([{"answer": "Paris", "contexts": ["a"]}]), {"contexts": ["a"]}),
)
def test_a_result_in_our_names_or_those_of_a_known_tool_is_read(returned, expected):
    returned = returned() if callable(returned) else returned
    (row,) = rg.ask(QUESTIONS[:1], lambda _: returned).samples.frame.to_dicts()
    expected = {"answer": "Paris", **expected}
    assert {name: row[name] for name in expected} == expected


class Odd(dict):
    def items(self):
        raise OSError("gone")


class Limited(Exception):
    status_code = 429

    def __init__(self, wait_s):
        super().__init__("slow down")
        self.response = SimpleNamespace(headers={"Retry-After": wait_s} if wait_s else {})


def raising(error):
    def target(question):
        raise error

    return target


async def exits_async(question):
    sys.exit("bye")


async def cancels(question):
    raise asyncio.CancelledError


NOT_UNDERSTOOD = "an answer is a text, a mapping with 'answer', or a result of "


@cases(
    (raising(SystemExit(3)), "called sys.exit(3)"),
    (exits_async, "called sys.exit('bye')"),
    (raising(KeyboardInterrupt()), "KeyboardInterrupt"),
    (raising(ValueError("no luck")), "ValueError: no luck"),
    (raising(Limited("86400")), "Limited: slow down (it asks to wait 86,400 s)"),
    (cancels, "CancelledError"),
    (lambda _: None, f"returned None; {NOT_UNDERSTOOD}"),
    (lambda _: b"12345", "returned 5 bytes, which are no text; "),
    (lambda _: "\ud800", "returned what cannot be read: answer contains half a character"),
    (lambda _: {5}, "returned set {5}; an answer is"),
    (lambda _: object(), "returned object <object object>; an answer is"),
    (lambda _: {"contexts": []}, 'returned dict {"contexts": []}; '),
    (lambda _: {"answer": None}, "the answer is null: a system that has none raises an err"),
    (lambda _: "x" * 10_000_001, "returned 10,000,001 characters; "),
    (
        lambda _: {"answer": "a", "contexts": ["x" * 10_000_001]},
        "returned 10,000,002 characters; ",
    ),
    (lambda _: {"answer": "a\ud800"}, "returned what cannot be read: answer contains"),
    (lambda _: {"answer": "a", "id": "q7"}, "returned an answer to another q"),
    (lambda _: rg.load([{"answer": "a"}] * 2), "returned 2 samples, not one"),
    (lambda _: (yield {5}), "returned set {5}; an answer is"),
    (lambda _: {"answer": waiting("")}, "returned a coroutine as its answer, which was never"),
    (lambda _: Odd(answer="a"), "returned Odd, which cannot be read: OSError: gone"),
)
def test_a_fault_is_an_answer_without_a_value_that_says_why(target, reason):
    id, answer, found, why = first(rg.ask(QUESTIONS[:1], target, retries=0))
    status = "rate_limited" if "86,400" in reason else "failed"
    assert (id, answer, found) == ("q0", None, status)
    assert why.startswith(reason)
    assert len(why) <= 300


def test_what_a_target_returns_replaces_neither_the_right_answer_nor_a_field_of_the_question():
    question = {
        "id": "q",
        "question": "?",
        "references": ["Paris"],
        "relevant": ["d1"],
        "kind": "fact",
    }
    given = {
        "answer": "Rome", "references": ["Rome"], "relevant": ["d1"], "answerable": False,
        "kind": "fiction", "raw": object(), "usage": object(),
    }  # fmt: skip
    (row,) = rg.ask([question], lambda _: given).samples.frame.to_dicts()
    assert (row["references"], row["kind"], row.get("answerable")) == (["Paris"], "fact", None)
    own = {name: it for name, it in row.items() if name.startswith("returned.")}
    assert own == {
        "returned.references": '["Rome"]',
        "returned.answerable": False,
        "returned.kind": "fiction",
    }
    assert row["left_out"].startswith("left out 'raw' (object values): not a text")
    (row,) = rg.ask([{"question": "?"}], lambda _: given).samples.frame.to_dicts()
    assert row.get("references") is None  # nobody marks their own work
    for others in (
        {"trace_id": "t", "attributes": "{}"},
        {"prediction": "Bern", "response": "raw"},
        {"generation": "Bern", "ground_truth": "Bern"},
    ):
        (row,) = rg.ask([{"question": "?"}], lambda _, o=others: given | o).samples.frame.to_dicts()
        assert (row["answer"], row.get("references")) == ("Rome", None)


@pytest.mark.posix
def test_a_child_that_a_target_forks_does_not_answer(tmp_path):
    def forks(question):
        return "of the child" if os.fork() == 0 else "of the parent"

    answers = rg.ask(QUESTIONS, forks, folder=tmp_path)
    assert [row[1] for row in rows(answers)] == ["of the parent"] * 4


def test_a_target_that_blocks_times_out_and_keeps_nobody():
    begun = time.monotonic()
    found = rg.ask(QUESTIONS[:2], lambda _: time.sleep(60), timeout_s=0.05, retries=0)
    assert [row[2:] for row in rows(found)] == [("timed_out", "no answer within 0.05 s")] * 2
    assert time.monotonic() - begun < 30


def test_keys_of_the_environment_are_in_no_reason_and_no_answer(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "secret-secret-1234")

    def leaks(question):
        raise ValueError("bad key secret-secret-1234")

    assert first(rg.ask(QUESTIONS[:1], leaks, retries=0), "reason") == (
        "ValueError: bad key [redacted]",
    )
    found = rg.ask(QUESTIONS[:1], lambda _: "secret-secret-1234!")
    assert first(found, "answer") == ("[redacted]!",)


def never_asked(question, top_k=1, model="a"):
    raise AssertionError(question, top_k, model)


@cases(
    ("nowhere.py:answer", {}, "there is no file nowhere.py"),
    ("no.such.module:answer", {}, "cannot be imported: ModuleNotFoundError: No module named"),
    ("json:dumpss", {}, "json has no function 'dumpss'; did you mean 'dumps'"),
    ("json", {}, "names no function"),
    ("broken.py:answer", {}, "cannot be imported: RuntimeError: at import (broken.py:1)"),
    ("exiting.py:answer", {}, "cannot be imported: SystemExit: 3"),
    (5, {}, "the target 5 is int, not a function"),
    (lambda: "x", {}, "takes no question"),
    (
        lambda question, other: question + other,
        {},
        "needs 'other', which is no field of the questions",
    ),
    (never_asked, {"vary": {"topk": [1]}}, "takes no setting 'topk'; did you mean 'top_k'?"),
    (never_asked, {"vary": {"top_k": [1, 1]}}, "two systems are called 'top_k=1'"),
    (never_asked, {"vary": {"top_k": []}}, "--vary top_k has no value"),
    (never_asked, {"vary": dict.fromkeys(("top_k", "model"), range(1000))}, "1,000,000 comb"),
    (never_asked, {"concurrency": 0}, "concurrency must be a whole number of at least 1, got"),
    (never_asked, {"timeout_s": float("nan")}, "timeout_s must be above 0"),
    (never_asked, {"retries": -1}, "retries must be"),
    (never_asked, {"repeat": 0}, "repeat must be"),
    (never_asked, {"max_cost_usd": 0}, "max_cost_usd must be above 0"),
)
def test_what_cannot_be_asked_is_refused_before(given, options, message, tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("raise RuntimeError('at import')")
    (tmp_path / "exiting.py").write_text("import sys; sys.exit(3)")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError) as raised:
        rg.ask(QUESTIONS, given, **options)
    assert message in str(raised.value)


def test_questions_without_a_question_are_refused_and_those_without_ids_are_numbered():
    with pytest.raises(PlanError, match="have no field question"):
        rg.ask([{"id": "a", "references": ["x"]}], plain)
    blank = [{"question": text} for text in ("A?", " ", None)]
    with pytest.raises(PlanError, match="the question of '2', '3' is blank"):
        rg.ask(blank, never_asked)
    found = rg.ask([{"question": "A?"}, {"question": "B?"}, {"question": "A?"}], plain)
    expected = [("1", "Paris, A?"), ("2", "Paris, B?"), ("3", "Paris, A?")]
    assert rows(found, "id", "answer") == expected


class Counted:
    """Counts its calls; fails for what `fails` says."""

    def __init__(self, fails=lambda _: False):
        self.asked, self.fails = [], fails

    def answer(self, question, top_k=1):
        self.asked.append((question, top_k))
        if self.fails(len(self.asked)):
            raise ValueError("not now")
        return f"{question} {top_k}"


def test_an_answer_beside_a_question_is_the_expected_one_unless_a_system_gave_it():
    for system, references in (({}, ["2 years"]), ({"system": "old"}, None)):
        row = {"id": "q1", "question": "How long?", "answer": "2 years", **system}
        frame = rg.ask([row], lambda _: "3 years").samples.frame
        assert frame["answer"].to_list() == ["3 years"]
        found = frame["references"].to_list() if "references" in frame.columns else [None]
        assert found == [references]


def test_what_is_answered_is_not_asked_again_and_what_failed_is(tmp_path):
    target = Counted(fails=lambda n: n == 2)
    found = rg.ask(QUESTIONS, target.answer, folder=tmp_path, retries=0, concurrency=1)
    assert [row[2] for row in rows(found)] == ["ok", "failed", "ok", "ok"]
    found = rg.ask(QUESTIONS, target.answer, folder=tmp_path)
    assert len(target.asked) == 5
    assert (found.tally.kept, found.tally.answered) == (3, 1)
    changed = [{**QUESTIONS[0], "question": "Another?"}, *QUESTIONS[1:]]
    rg.ask(changed, target.answer, folder=tmp_path)
    regraded = [{**each, "references": ["Rome"]} for each in changed]
    rg.ask(regraded, target.answer, folder=tmp_path)
    assert len(target.asked) == 6
    rg.ask(regraded, target.answer, folder=tmp_path, again=True)
    assert len(target.asked) == 10


def test_a_target_whose_code_changed_is_asked_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("WORD = 'one'")
    (tmp_path / "system.py").write_text("import helper\ndef answer(question): return helper.WORD")
    assert first(rg.ask(QUESTIONS, "system.py:answer", folder="a"), "answer") == ("one",)
    (tmp_path / "helper.py").write_text("WORD = 'two or three'")
    monkeypatch.delitem(sys.modules, "helper")
    monkeypatch.delitem(sys.modules, "ragauge_target_system")
    found = rg.ask(QUESTIONS, "system.py:answer", folder="a")
    assert first(found, "answer") == ("two or three",)
    assert found.tally.answered == 4


def test_a_fault_is_asked_for_again_as_often_as_the_retries_say(monkeypatch):
    monkeypatch.setattr("ragauge.asking.asking.WAITS", {"first_wait_s": 0.001, "max_wait_s": 0.001})
    for target, retries, expected in (
        (Counted(fails=lambda n: n <= 2).answer, 2, ("ok", 3)),
        (Counted(fails=lambda _: True).answer, 2, ("failed", 3)),
        (raising(Limited(None)), 0, ("rate_limited", 8)),  # a refusal for overload is patient
    ):
        found = rg.ask(QUESTIONS[:1], target, retries=retries)
        assert first(found, "status", "attempts") == expected


def test_where_the_first_answers_all_fail_the_rest_is_not_asked():
    many = [{"id": str(n), "question": f"{n}?"} for n in range(100)]
    target = Counted(fails=lambda _: True)
    found = rg.ask(many, target.answer, retries=0, concurrency=1)
    assert found.stopped == "the first 20 answers all failed"
    assert len(found) == 20
    assert found.tally.not_asked == 80


def test_a_budget_ends_the_asking_and_the_rest_is_asked_later(tmp_path):
    target = Counted()
    found = rg.ask(QUESTIONS, target.answer, folder=tmp_path, max_calls=3)
    assert (len(found), found.tally.not_asked) == (3, 1)
    assert found.stopped == "the budget of 3 calls is used up"
    assert len(rg.ask(QUESTIONS, target.answer, folder=tmp_path, max_calls=3)) == 4
    assert len(target.asked) == 4
    # Each answer costs $1: two are affordable with $2.50, a third is not.
    found = rg.ask(QUESTIONS, lambda _: {"answer": "a", "cost_usd": 1.0}, max_cost_usd=2.5)
    assert (len(found), found.tally.cost_usd) == (2, 2.0)
    # 1,000 · $2 + 500 · $8 for a million tokens: $0.006.
    used = {"answer": "a", "usage": {"input_tokens": 1000, "output_tokens": 500}}
    found = rg.ask(QUESTIONS[:1], lambda _: used, price=(2.0, 8.0))
    assert first(found, "cost_usd") == (0.006,)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be used"):
        rg.ask(QUESTIONS, plain, folder=tmp_path / "file")


def test_every_system_is_asked_with_every_setting_and_each_time(tmp_path):
    target = Counted()
    systems = {"a": target.answer, "b": target.answer}
    found = rg.ask(QUESTIONS[:1], systems, vary={"top_k": [1, 2]})
    assert rows(found, "system", "answer", "variant.top_k") == [
        (f"{name} top_k={k}", f"Question 0? {k}", k) for name in "ab" for k in (1, 2)
    ]
    target = Counted()
    found = rg.ask(QUESTIONS[:2], target.answer, repeat=2, folder=tmp_path)
    assert rows(found, "id", "repeat_of", "repeat") == [
        (f"q{n}#{repeat}", f"q{n}", repeat) for repeat in (1, 2) for n in (0, 1)
    ]
    assert len(target.asked) == 4
    rg.ask(QUESTIONS[:2], target.answer, repeat=3, folder=tmp_path)
    assert len(target.asked) == 6


def test_an_agent_may_return_its_messages_alone():
    def agent(question):
        made = {"id": "1", "function": {"name": "find", "arguments": "{}"}}
        return {
            "messages": [
                {"role": "user", "content": question},
                {"role": "assistant", "tool_calls": [made]},
                {"role": "tool", "tool_call_id": "1", "content": "Paris"},
                {"role": "assistant", "content": "Paris."},
            ]
        }

    answers = rg.ask(QUESTIONS, agent)
    assert first(answers) == ("q0", "Paris.", "ok", None)
    assert not {"conversation", "turn"} & {*answers.samples.columns}
    run = rg.evaluate(answers, ["steps", "unanswered_questions"])
    assert run.scores["value"].to_list() == [1, 0] * len(QUESTIONS)


def test_scores_of_an_answer_that_failed_are_missing_with_the_reason():
    target = Counted(fails=lambda n: n == 2)
    answers = rg.ask(QUESTIONS, target.answer, retries=0, concurrency=1)
    run = rg.evaluate(
        answers, ["keyword_coverage", "dont_know", "recall(match='text')@10", "latency_s"]
    )
    lost = run.scores.filter(run.scores["id"] == "q1")
    assert lost["status"].to_list() == ["missing"] * 4
    assert set(lost["reason"]) == {"the answer failed: ValueError: not now"}
    row = run.summary().filter(run.summary()["metric"] == "keyword_coverage").to_dicts()[0]
    assert (row["n"], row["ok"], row["missing"], row["best"]) == (4, 3, 1, 0.25)


def test_answers_are_written_as_plain_files_that_load_reads(tmp_path):
    given = iter(["Paris", None, "", "Rome"])

    def answer(question):
        if (text := next(given)) is None:
            raise ValueError("down")
        return {"topic": "towns", "answer": text}

    answers = rg.ask(QUESTIONS, answer, retries=0, concurrency=1)
    columns = answers.samples.columns[:7]
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        answers.write(tmp_path / name)
        found = rg.load(tmp_path / name).frame
        assert found.select(columns).equals(answers.samples.frame.select(columns))
        assert found["answer"].to_list() == ["Paris", None, "", "Rome"]
        assert found["latency_s"].dtype.is_float()
    header = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert header.startswith(
        "id,system,question,answer,contexts,context_ids,status,reason,attempts"
    )
    assert header.endswith("cost_usd,references,topic")
    with pytest.raises(PlanError, match=r"written as \.jsonl"):
        answers.write(tmp_path / "a.xlsx")


def test_an_answer_that_is_packed_is_the_same_when_it_is_unpacked():
    answer = Answer("ok", {"answer": "\ud800", "contexts": ["a"]}, None, 2, 0.5, None, 3, 4, 0.1)
    assert unpacked(packed(answer)) == answer
    for content in (b"[]", b"{}", b'{"status": "odd"}', b"x"):
        with pytest.raises((ValueError, TypeError)):
            unpacked(content)


def test_a_refusal_by_an_http_library_says_whether_a_retry_helps():
    expected = {429: (True, False), 503: (True, False), 500: (False, False), 401: (False, True)}
    for status, says in expected.items():
        error = ValueError("x")
        error.status_code = status
        found = refusal_of(error)
        assert (found.is_overload, found.is_final) == says, status
    given = Unanswered("as it is")
    assert refusal_of(given) is given
