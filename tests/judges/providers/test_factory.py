"""A judge by what a user gives: a name, an object, a function."""

import asyncio
import functools
import os
import subprocess
import sys
import textwrap

import pytest
from cases import cases

from ragauge.errors import JudgeError, PlanError
from ragauge.judges.protocol import Message, Reply, Request
from ragauge.judges.providers.endpoint import ChatEndpoint
from ragauge.judges.providers.factory import open_judge
from ragauge.judges.providers.scripted import RecordedJudge, RecordingJudge, ScriptedJudge

REQUEST = Request("verdict", (Message("user", "Is it so?"),), None)
LOCAL = {"base_url": "http://127.0.0.1:9/v1"}


def replied(judge):
    return asyncio.run(judge.reply(REQUEST))


def test_a_judge_is_taken_as_it_is_and_a_class_is_none():
    judge = ScriptedJudge(["x"])
    assert open_judge(judge) is judge
    with pytest.raises(PlanError, match="is not an async function"):
        open_judge(type("Judge", (), {"name": "j", "identity": {}, "reply": judge.reply}))


async def mine(request):
    return f"to {request.messages[0].content}"


class Callable:
    def __init__(self, model="a"):
        self.model = model

    async def __call__(self, request):
        return Reply("called", prompt_tokens=3)

    async def method(self, request):
        return "by method"


@cases(
    (mine, "mine", "to Is it so?"),
    (Callable(), "Callable", "called"),
    (Callable().method, "method", "by method"),
    (functools.partial(mine), "mine", "to Is it so?"),
    (functools.partial(Callable().method), "method", "by method"),
)
def test_whatever_is_called_with_await_is_a_judge(given, name, text):
    judge = open_judge(given)
    assert (judge.name, judge.identity["model"]) == (name, name)
    assert replied(judge).text == text


def synchronous(request):
    return "x"


NOT_ASYNC = "is not an async function; write it as async def"
NO_JUDGE = "judge must be a model's name, a judge or an async fun"


@cases(
    *((given, {}, NOT_ASYNC) for given in (synchronous, lambda _: "x", print, str.upper)),
    *((given, {}, NO_JUDGE) for given in (None, 5, ["m"], {}, object())),
    *((name, {}, "the judge has an empty name; give a model's") for name in ("", "  ")),
    ("m", {"temprature": 0.5, **LOCAL}, "no setting 'temprature'; did you mean 'temperature'"),
    (mine, {"temperature": 0.5}, "temperature are of an endpoint, and the judge is"),
)
def test_what_is_no_judge_is_refused_with_what_it_lacks(given, settings, says):
    with pytest.raises(PlanError, match=says):
        open_judge(given, **settings)


@pytest.mark.parametrize("identity", [{"model": {1, 2}}, {"model": float("nan")}, 5])
def test_an_identity_that_is_no_json_data_is_refused(identity):
    judge = ScriptedJudge(["x"])
    odd = type("Odd", (), {"name": "odd", "identity": identity, "reply": judge.reply})()
    with pytest.raises(PlanError, match="the judge 'odd' has an identity that is not JSON data"):
        open_judge(odd)


def made(model, *, log=None, names=frozenset()):
    async def judge(request):
        return f"{model} {log} {request.prompt in names}"

    return judge


async def same(request, *, temperature=0.5):
    return "x" if request.prompt in {"claims", "support"} else "z"


first = same


async def same(request, *, temperature=0.5):
    return "x" if request.prompt in {"claims", "verdict"} else "z"


@cases(
    (first, same),
    (made("gpt-4o"), made("gpt-5")),
    (made("a", names=frozenset("ab")), made("a", names=frozenset("ac"))),
    (functools.partial(same, temperature=1), functools.partial(same, temperature=0)),
    (functools.partial(same, temperature=1), same),
    (Callable("a"), Callable("b")),
    (Callable("a").method, Callable("b").method),
)
def test_a_function_is_known_by_the_plain_values_it_is_made_with(one, another):
    assert open_judge(one).name == open_judge(another).name
    assert open_judge(one).identity != open_judge(another).identity
    assert open_judge(one).identity == open_judge(one).identity
    # What is no plain value does not count, and no value is shown.
    assert open_judge(made("a", log=object())).identity == open_judge(made("a", log=[])).identity
    assert "gpt" not in str(open_judge(made("gpt-4o")).identity)


@pytest.mark.slow
def test_a_judge_is_known_by_the_same_in_every_process():
    """Sets, and functions within functions, must not tell processes apart."""
    script = """
        from ragauge.judges.providers.factory import open_judge
        def made(names):
            async def judge(request):
                if request.prompt in {"claims", "support", "verdict", "rubric", "criteria"}:
                    return str([one for one in names])
                return (lambda: "x")()
            return judge
        print(open_judge(made(frozenset("abcdefgh"))).identity)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    said = {
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed}, text=True)
        for seed in "12"
    }
    assert len(said) == 1
    assert "'code': '" in said.pop()


@cases(
    (ValueError("no luck"), "judge: ValueError: no luck"),
    (ValueError("x" * 100_000), "judge: ValueError: x{100,400}$"),
    (SystemExit(2), "judge: SystemExit: 2"),
    (JudgeError("down", is_down=True), "down"),
    *((said, r"judge returned .* not text or a Reply") for said in (None, 5, {"a": "b"}, b"x")),
)
def test_whatever_a_function_raises_or_returns_is_the_judges_error(outcome, says):
    async def judge(request):
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    with pytest.raises(JudgeError, match=says) as caught:
        replied(open_judge(judge))
    assert caught.value.is_down == getattr(outcome, "is_down", False)


def test_a_recording_is_opened_by_its_path(tmp_path):
    path = tmp_path / "a:b.jsonl"
    recording = RecordingJudge(ScriptedJudge(["x"], name="m"), path)
    replied(recording)
    judge = open_judge(f"replay:{path}")
    assert isinstance(judge, RecordedJudge)
    assert (judge.name, replied(judge).text) == ("m", "x")
    with pytest.raises(PlanError, match="nowhere: is not a recording"):
        open_judge("replay:nowhere")


THEIRS = """
from ragauge.judges.protocol import Reply

class Judge:
    def __init__(self, model, **settings):
        if model == "broken":
            raise RuntimeError("no such model")
        self.name = f"their:{model}"
        self.identity = {"model": self.name, **settings}

    async def reply(self, request):
        return Reply("theirs")
"""


def test_a_package_offers_judges_under_a_prefix_and_what_it_raises_is_said_to_be_its(install):
    install("judges", "their = their_judges:Judge", their_judges=THEIRS)
    judge = open_judge("their:big", temperature=0.5)
    assert judge.identity == {"model": "their:big", "temperature": 0.5}
    assert replied(judge).text == "theirs"
    says = r"'their:broken' of their \(their_judges:Judge\) cannot be opened: RuntimeError: no such"
    with pytest.raises(JudgeError, match=says):
        open_judge("their:broken")
    for name in ("others:big", "their", "qwen3:8b"):  # what nobody offers is a model's name
        judge = open_judge(name, temperature=0.25, **LOCAL)
        assert isinstance(judge, ChatEndpoint)
        assert (judge.name, judge.temperature) == (name, 0.25)
