"""A judge by what a user gives: a name, an object, a function."""

import asyncio
import functools
import os
import subprocess
import sys
import textwrap

import pytest

from ragauge.errors import JudgeError, PlanError
from ragauge.judges.protocol import Message, Reply, Request
from ragauge.judges.providers.endpoint import ChatEndpoint
from ragauge.judges.providers.factory import CalledJudge, open_judge
from ragauge.judges.providers.scripted import RecordedJudge, RecordingJudge, ScriptedJudge
from ragauge.plugins import offered

REQUEST = Request("verdict", (Message("user", "Is it so?"),), None)
LOCAL = {"base_url": "http://127.0.0.1:9/v1"}


def replied(judge):
    return asyncio.run(judge.reply(REQUEST))


# Objects and functions ----------------------------------------------------------------------------


def test_a_judge_is_taken_as_it_is():
    judge = ScriptedJudge(["x"])
    assert open_judge(judge) is judge


async def mine(request):
    return f"to {request.messages[0].content}"


class Callable:
    def __init__(self, model="a"):
        self.model = model

    async def __call__(self, request):
        return Reply("called", prompt_tokens=3)

    async def method(self, request):
        return "by method"


def test_an_async_function_is_asked_with_the_request():
    judge = open_judge(mine)
    assert (judge.name, judge.identity["model"]) == ("mine", "mine")
    assert replied(judge) == Reply("to Is it so?")


@pytest.mark.parametrize(
    ("given", "name", "text"),
    [
        (Callable(), "Callable", "called"),
        (Callable().method, "method", "by method"),
        (functools.partial(mine), "mine", "to Is it so?"),
        (functools.partial(Callable().method), "method", "by method"),
    ],
)
def test_whatever_is_called_with_await_is_a_judge(given, name, text):
    judge = open_judge(given)
    assert judge.name == name
    assert replied(judge).text == text


def synchronous(request):
    return "x"


@pytest.mark.parametrize("given", [synchronous, lambda _: "x", print, str.upper])
def test_a_function_that_is_not_async_is_refused(given):
    with pytest.raises(PlanError, match="is not an async function; write it as async def"):
        open_judge(given)


@pytest.mark.parametrize("given", [None, 5, ["m"], {}, object()])
def test_what_is_no_judge_is_refused_with_what_it_lacks(given):
    with pytest.raises(PlanError, match="judge must be a model's name, a judge or an async fun"):
        open_judge(given)


def test_a_class_is_no_judge():
    class Judge:
        name = "j"
        identity = {"model": "j"}

        async def reply(self, request):
            return Reply("x")

    assert open_judge(Judge()).name == "j"
    with pytest.raises(PlanError, match="is not an async function"):
        open_judge(Judge)


@pytest.mark.parametrize("identity", [{"model": {1, 2}}, {"model": float("nan")}, 5])
def test_an_identity_that_is_no_json_data_is_refused(identity):
    judge = ScriptedJudge(["x"])
    odd = type("Odd", (), {"name": "odd", "identity": identity, "reply": judge.reply})()
    with pytest.raises(PlanError, match="the judge 'odd' has an identity that is not JSON data"):
        open_judge(odd)


def test_settings_of_an_endpoint_are_refused_beside_a_judge_of_ones_own():
    with pytest.raises(PlanError, match="temperature are of an endpoint, and the judge is"):
        open_judge(mine, temperature=0.5)


# What a function's replies are known by -----------------------------------------------------------


def made(model, *, log=None):
    async def judge(request):
        return f"{model} {log}"

    return judge


async def same(request):
    return "x"


async def other(request):
    return "y"


other.__name__ = "same"


async def with_default(request, *, temperature=0.5):
    return "x"


def test_a_function_is_known_by_what_it_does():
    assert open_judge(same).identity == open_judge(same).identity
    assert open_judge(same).name == open_judge(other).name == "same"
    assert open_judge(same).identity != open_judge(other).identity


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (made("gpt-4o"), made("gpt-5")),
        (
            functools.partial(with_default, temperature=1),
            functools.partial(with_default, temperature=0),
        ),
        (functools.partial(with_default, temperature=1), with_default),
        (Callable("a"), Callable("b")),
        (Callable("a").method, Callable("b").method),
    ],
)
def test_a_function_is_known_by_the_plain_values_it_is_made_with(one, another):
    assert open_judge(one).name == open_judge(another).name
    assert open_judge(one).identity != open_judge(another).identity


def test_a_function_is_known_by_the_sets_it_looks_in():
    async def judge(request):
        return "x" if request.prompt in {"claims", "support"} else "y"

    first = open_judge(judge).identity

    async def judge(request):
        return "x" if request.prompt in {"claims", "verdict"} else "y"

    assert open_judge(judge).identity != first


def test_what_is_no_plain_value_does_not_count():
    assert open_judge(made("a", log=object())).identity == open_judge(made("a", log=[])).identity


def test_a_judge_is_known_by_the_same_in_every_process(tmp_path):
    """Sets, and functions within functions, must not tell processes apart."""
    (tmp_path / "own.py").write_text(
        textwrap.dedent("""
            from ragauge.judges.providers.factory import open_judge
            def made(names):
                async def judge(request):
                    if request.prompt in {"claims", "support", "verdict", "rubric", "criteria"}:
                        return str([one for one in names])
                    return (lambda: "x")()
                return judge
            print(open_judge(made(frozenset("abcdefgh"))).identity)
        """)
    )
    said = {
        subprocess.run(
            [sys.executable, str(tmp_path / "own.py")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(said) == 1
    assert "'code': '" in said.pop()


def test_no_secret_stands_in_an_identity():
    told = str(open_judge(made("sk-canary-123")).identity)
    assert "canary" not in told


# What a function may do ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "says"),
    [
        (ValueError("no luck"), "judge: ValueError: no luck"),
        (SystemExit(2), "judge: SystemExit: 2"),
        (JudgeError("down", is_down=True), "down"),
    ],
)
def test_whatever_a_function_raises_is_the_judges_error(raised, says):
    async def judge(request):
        raise raised

    with pytest.raises(JudgeError, match=says) as caught:
        replied(open_judge(judge))
    assert caught.value.is_down == getattr(raised, "is_down", False)


@pytest.mark.parametrize("said", [None, 5, {"verdict": "CORRECT"}, b"x"])
def test_a_function_must_return_text_or_a_reply(said):
    async def judge(request):
        return said

    with pytest.raises(JudgeError, match=r"judge returned .* not text or a Reply"):
        replied(open_judge(judge))


def test_a_long_error_is_told_in_part():
    async def judge(request):
        raise ValueError("x" * 100_000)

    with pytest.raises(JudgeError) as caught:
        replied(CalledJudge(judge))
    assert len(str(caught.value)) < 400


# Names --------------------------------------------------------------------------------------------


def test_a_name_is_a_models_behind_an_endpoint():
    judge = open_judge("qwen3:8b", temperature=0.25, **LOCAL)
    assert isinstance(judge, ChatEndpoint)
    assert (judge.name, judge.temperature) == ("qwen3:8b", 0.25)


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_refused(name):
    with pytest.raises(PlanError, match="the judge has an empty name; give a model's"):
        open_judge(name)


def test_an_unknown_setting_is_refused_with_what_was_meant():
    with pytest.raises(PlanError, match="no setting 'temprature'; did you mean 'temperature'"):
        open_judge("m", temprature=0.5, **LOCAL)


def test_a_recording_is_opened_by_its_path(tmp_path):
    path = tmp_path / "a:b.jsonl"
    recording = RecordingJudge(ScriptedJudge(["x"], name="m"), path)
    replied(recording)
    judge = open_judge(f"replay:{path}")
    assert isinstance(judge, RecordedJudge)
    assert (judge.name, replied(judge).text) == ("m", "x")
    with pytest.raises(PlanError, match="nowhere: is not a recording"):
        open_judge("replay:nowhere")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package that offers judges under our entry point."""
    (tmp_path / "their_judges.py").write_text(
        textwrap.dedent("""
            from ragauge.judges.protocol import Reply

            class Judge:
                def __init__(self, model, **settings):
                    if model == "broken":
                        raise RuntimeError("no such model")
                    self.name = f"their:{model}"
                    self.identity = {"model": self.name, **settings}

                async def reply(self, request):
                    return Reply("theirs")
        """)
    )
    told = tmp_path / "their_judges-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: their-judges\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[ragauge.judges]\ntheir = their_judges:Judge\n")
    monkeypatch.syspath_prepend(tmp_path)
    offered.cache_clear()
    yield
    offered.cache_clear()
    sys.modules.pop("their_judges", None)


def test_a_package_offers_judges_under_a_prefix(installed):
    judge = open_judge("their:big", temperature=0.5)
    assert judge.identity == {"model": "their:big", "temperature": 0.5}
    assert replied(judge).text == "theirs"


def test_whatever_another_package_raises_is_said_to_be_its(installed):
    with pytest.raises(JudgeError) as e:
        open_judge("their:broken")
    said = "'their:broken' of their-judges (their_judges:Judge) cannot be opened: RuntimeError: no such model"
    assert said in str(e.value)


def test_a_prefix_that_nobody_offers_is_part_of_a_models_name(installed):
    assert isinstance(open_judge("others:big", **LOCAL), ChatEndpoint)
    assert isinstance(open_judge("their", **LOCAL), ChatEndpoint)
