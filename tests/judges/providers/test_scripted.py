"""Judges that ask nobody: scripts, and recordings that give the same replies again."""

import asyncio
import json
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import JudgeError, PlanError, StoreError
from ragauge.judges.protocol import Message, Reply, Request, TokenChoice
from ragauge.judges.providers.scripted import RecordedJudge, RecordingJudge, ScriptedJudge


def request(prompt="verdict", text="Is it so?", **changed):
    return Request(prompt, (Message("user", text),), None, **changed)


def said(judge, *requests):
    """The texts of a judge's replies to one request after the other."""

    async def work():
        return [(await judge.reply(one)).text for one in requests or [request()]]

    return asyncio.run(work())


def replied(judge, asked=None):
    return asyncio.run(judge.reply(asked or request()))


@cases(
    (
        {"verdict": "CORRECT", "claims": ["a", {"b": 1}]},
        ("claims", "verdict", "claims", "verdict"),
        ["a", "CORRECT", '{"b": 1}', "CORRECT"],
    ),
    (["a", "b"], ("claims", "verdict"), ["a", "b"]),
    ([{"q": "Où ?"}], ("verdict",), ['{"q": "Où ?"}']),
    (lambda asked: {"asked": asked.messages[0].content}, ("p",), ['{"asked": "Is it so?"}']),
)
def test_a_script_gives_its_replies_in_their_order_or_by_the_request(script, prompts, texts):
    judge = ScriptedJudge(script)
    asked = [request(one) for one in prompts]
    assert said(judge, *asked) == texts
    assert judge.requests == asked


def test_a_reply_is_given_as_it_is_and_an_error_raised():
    whole = Reply("x", prompt_tokens=3, finish_reason="length")
    assert replied(ScriptedJudge([whole])) == whole
    with pytest.raises(JudgeError, match="no luck") as caught:
        replied(ScriptedJudge({"verdict": JudgeError("no luck", is_down=True)}))
    assert caught.value.is_down
    for cost in (float("nan"), float("inf"), -1.0):
        with pytest.raises(ValueError, match="cost_usd must be a finite number of at least 0"):
            Reply("x", cost_usd=cost)


@cases(
    ({"claims": "x"}, "mine: the script has no reply to 'verdict'"),
    ({"verdict": []}, "mine: the script has 0 replies, and 'verdict' needs another"),
    ([], "mine: the script has 0 replies"),
)
def test_a_script_that_has_come_to_its_end_says_so(script, says):
    with pytest.raises(JudgeError, match=says) as caught:
        replied(ScriptedJudge(script, name="mine"))
    assert not caught.value.is_down


def test_many_requests_take_no_more_than_linear_time(assert_linear_time):
    def ask(n):
        judge = ScriptedJudge({"verdict": ["x"] * n})
        assert len(said(judge, *[request()] * n)) == n

    assert_linear_time(ask, lambda n: n, 10_000)


VERDICT = "CORRECT"
SAID = {"verdict": "CORRECT"}


def by_name(asked):
    return VERDICT


def by_table(asked):
    return SAID[asked.prompt]


def by_another(asked):
    return by_name(asked)


def closed_over(verdict):
    return lambda _: verdict


def through(verdict):
    def inner(asked):
        return verdict

    return lambda asked: inner(asked)


class Calling:
    def __call__(self, asked):
        return self.answer(asked)


class Correct(Calling):
    def answer(self, asked):
        return "CORRECT"


class Wrong(Calling):
    def answer(self, asked):
        return "WRONG"


class Derived(ScriptedJudge):
    def __init__(self, verdict):
        super().__init__(self.answer)
        self.verdict = verdict

    def answer(self, asked):
        return self.verdict


def calls_itself(asked):
    return "x" if asked is None else calls_itself(None)


def test_the_same_script_is_known_by_the_same_whatever_it_was_asked():
    scripts = (by_another, closed_over("x"), calls_itself)
    for script in (["a", {"b": 1}], {"verdict": Reply("x", 3)}, *scripts):
        asked = ScriptedJudge(script)
        first = asked.identity
        replied(asked)
        assert asked.identity == first == ScriptedJudge(script).identity
        assert first["model"] == "scripted"


@cases(
    (["a", "b"], ["b", "a"]),
    ({"verdict": "CORRECT"}, {"verdict": "WRONG"}),
    ({"verdict": ["x"]}, {"verdict": "x"}),
    ([Reply("x", 3)], [Reply("x", 4)]),
    ({"verdict": {"n": 1}}, {"verdict": {"n": 2}}),
    (lambda _: "CORRECT", lambda _: "WRONG"),
    (closed_over("CORRECT"), closed_over("WRONG")),
    (by_name, by_another),
    (Derived("CORRECT"), Derived("WRONG")),
    (through("CORRECT"), through("WRONG")),
    (Correct(), Wrong()),
    (partial(lambda f, _: f(), lambda: "a"), partial(lambda f, _: f(), lambda: "b")),
)
def test_another_script_of_the_same_name_is_known_by_another_digest(one, another):
    judges = [
        each if isinstance(each, ScriptedJudge) else ScriptedJudge(each) for each in (one, another)
    ]
    assert judges[0].name == judges[1].name
    assert judges[0].identity != judges[1].identity


def test_a_function_is_known_by_what_it_names_in_its_module_too(monkeypatch):
    """Of by_another that is by_name, and what that names: VERDICT."""
    scripts = (by_name, by_table, by_another)

    def known():
        return [ScriptedJudge(one).identity["script"] for one in scripts]

    first = known()
    monkeypatch.setitem(SAID, "verdict", "WRONG")
    second = known()
    assert [a == b for a, b in zip(first, second, strict=True)] == [True, False, True]
    monkeypatch.setattr(f"{__name__}.VERDICT", "WRONG")
    third = known()
    assert [a == b for a, b in zip(second, third, strict=True)] == [False, True, False]


ROW = {"id": "q1", "question": "Capital?", "answer": "Paris", "reference": "Paris"}


def test_a_changed_script_is_not_answered_by_what_is_kept_of_the_former(tmp_path):
    labels = set()
    for script, value, n_calls in (
        ({"verdict": "CORRECT"}, 1.0, 1),
        ({"verdict": "CORRECT"}, 1.0, 0),  # found
        ({"verdict": "WRONG"}, 0.0, 1),
        (closed_over("CORRECT"), 1.0, 1),
        (closed_over("WRONG"), 0.0, 1),
        (closed_over("CORRECT"), 1.0, 0),
    ):
        judge = ScriptedJudge(script)
        run = rg.evaluate([ROW], "answer_class", judge=judge, cache=tmp_path / "c")
        assert (run.scores["value"].to_list(), len(judge.requests)) == ([value], n_calls)
        labels |= {*run.scores["metric"]}
    assert len(labels) == 1


def test_a_changed_recording_is_not_answered_by_the_run_of_the_former(tmp_path):
    """The identity of its judge stays, by which its replies are found; the file is another one."""
    path = tmp_path / "r"
    recording = RecordingJudge(ScriptedJudge({"verdict": "CORRECT"}, name="m"), path)
    rg.evaluate([ROW], "answer_class", judge=recording)

    def evaluated(folder):
        place = {"folder": tmp_path / folder, "cache": tmp_path / "c"}
        return rg.evaluate([ROW], "answer_class", judge=f"replay:{path}", **place).scores

    first = evaluated("run")
    assert first["value"].to_list() == [1.0]
    assert evaluated("run").equals(first)
    path.write_text(path.read_text().replace("CORRECT", "WRONG"))
    with pytest.raises(StoreError, match="holds another run"):
        evaluated("run")
    second = evaluated("other")
    assert second["value"].to_list() == [0.0]
    assert second["metric"].to_list() == first["metric"].to_list()


LOGPROBS = (TokenChoice("5", (("5", -0.25), ("4", -2.0))),)
REPLIES = [
    Reply("plain"),
    Reply('{"verdict": "CORRECT"}', 12, 3, 4, 0.25, "length", "m-2025", LOGPROBS),
    Reply("line\nbreaks\r\n and \u2028 \u2029 \x85 \x0b \x0c \x1c"),
    Reply("\ud800 half a character, \0, 😀 and 字"),
    Reply(""),
]


@pytest.mark.parametrize("reply", REPLIES)
def test_a_recorded_reply_is_given_again_as_it_was(tmp_path, reply):
    recording = RecordingJudge(ScriptedJudge([reply, Reply("other")]), tmp_path / "r")
    assert replied(recording) == reply
    replied(recording, request(text="another question"))
    recorded = RecordedJudge(tmp_path / "r")
    assert replied(recorded) == reply
    assert (recorded.name, recorded.identity) == (recording.name, recording.identity)


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_whatever_is_said_stands_on_one_line(texts):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        asked = [request(text=str(at)) for at in range(len(texts))]
        assert said(RecordingJudge(ScriptedJudge(texts), path), *asked) == texts
        assert path.read_bytes().count(b"\n") == len(texts) + 1
        assert said(RecordedJudge(path), *asked) == texts


def test_a_request_that_was_not_recorded_is_an_error_that_says_what_to_do(tmp_path):
    replied(RecordingJudge(ScriptedJudge(["x"]), tmp_path / "r"))
    for other in (request(text="?"), request(sample=1), request(attempt=1)):
        with pytest.raises(JudgeError, match="has no reply to this 'verdict'") as caught:
            replied(RecordedJudge(tmp_path / "r"), other)
        assert "record it again with --record" in str(caught.value)
        assert not caught.value.is_down


HEAD = b'{"format": "ragauge recording 1", "judge": "m", "identity": {}}\n'


@cases(
    b"",
    b"\n \n",
    b'{"format": "ragau',
    b"answer\nyes\n",
    b'{"id": "q1", "answer": "yes"}\n',
    HEAD.replace(b"ing 1", b"ing 9"),
    b'{"format": "ragauge recording 1", "judge": "m"}\n',
    b'["ragauge recording 1"]\n',
    HEAD + b'{"key": 1}\n{}\n',
    HEAD + b"rubbish\n{}\n",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b"{}\n" + b'{"a":' * 100_000 + b"\n{}\n",
    HEAD.replace(b"{}}", b'{"temperature": NaN}}'),
    HEAD.replace(b"{}}", b"[[1, 2]]}"),
    HEAD + b'{"key": "a", "prompt": "p", "reply": ' + b"[" * 100_000 + b"\n{}\n",
    *(
        HEAD + b'{"key": "a", "prompt": "p", "reply": {"text": "x", %s}}\n' % amount
        for amount in (
            *(b'"cost_usd": %s' % cost for cost in (b"Infinity", b"1e999", b"NaN", b"-1.0")),
            b'"prompt_tokens": -1',
            b'"logprobs": [["a", [["b", NaN]]]]',
        )
    ),
)
def test_a_file_that_is_no_recording_is_refused_and_never_written_over(content, tmp_path):
    path = tmp_path / "r"
    path.write_bytes(content)
    with pytest.raises(PlanError, match="r: is not a recording of a judge's replies") as caught:
        RecordedJudge(path)
    is_begun = content in (b"", b'{"format": "ragau')
    if is_begun or not content.strip():
        assert "it has no complete line; record it again" in str(caught.value)
    if not is_begun:
        with pytest.raises(PlanError):
            RecordingJudge(ScriptedJudge(["x"]), path)
        assert path.read_bytes() == content


def test_a_recording_that_was_cut_at_any_byte_is_continued_and_loses_no_complete_reply(tmp_path):
    path = tmp_path / "r"
    asked = [request(text=str(at)) for at in range(2)]
    judge = ScriptedJudge(lambda asked: ["one", "two"][int(asked.messages[0].content)])
    said(RecordingJudge(judge, path), *asked)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    starts = [len(b"".join(lines[:at])) for at in range(1, len(lines) + 1)]
    for n_bytes in {0, 1, *(start + by for start in starts for by in (-30, -1, 0, 1, 30))}:
        path.write_bytes((whole + lines[-1])[:n_bytes])
        complete = [line for line in lines if (whole + lines[-1])[:n_bytes].find(line) >= 0]
        said(RecordingJudge(judge, path), asked[1])
        kept = path.read_bytes().splitlines(keepends=True)
        assert kept[0] == lines[0]
        assert {*complete} <= {*kept} <= {*lines}
        assert said(RecordedJudge(path), asked[1]) == ["two"]


def test_a_place_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path):
    says = r"cannot be written: .* is not a (writable folder|file)"
    for path in (tmp_path / "no" / "folder" / "r", tmp_path, Path("/dev/zero")):
        with pytest.raises(PlanError, match=says):
            RecordingJudge(ScriptedJudge(["x"]), path)
    for path, says in ((tmp_path / "r", "No such file"), (tmp_path, "is not a recording")):
        with pytest.raises(PlanError, match=says):
            RecordedJudge(path)
    RecordingJudge(ScriptedJudge([]), tmp_path / "r")  # opening it writes nothing yet
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "r").touch()
    replied(RecordingJudge(ScriptedJudge(["x"]), tmp_path / "r"))
    assert said(RecordedJudge(tmp_path / "r")) == ["x"]


@pytest.mark.posix
def test_a_disk_that_takes_no_more_ends_the_run(tmp_path, monkeypatch):
    import resource

    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would be cut off like every file
    recording = RecordingJudge(ScriptedJudge(["x"]), tmp_path / "r")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(StoreError, match="r: cannot be written: File too large; free space"):
            replied(recording)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_recording_holds_no_prompts_and_says_which_judge_it_is_of(tmp_path):
    judge = ScriptedJudge(["x"])
    replied(RecordingJudge(judge, tmp_path / "r"))
    head, line = map(json.loads, (tmp_path / "r").read_text().splitlines())
    assert head == {
        "format": "ragauge recording 1",
        "judge": "scripted",
        "identity": {"model": "scripted", "script": judge.identity["script"]},
    }
    assert set(line) == {"key", "prompt", "reply"}
    assert "Is it so?" not in (tmp_path / "r").read_text()
