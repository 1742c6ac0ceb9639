"""How judges are asked: what a configuration may say of it, and what is refused."""

import asyncio
import math

import pytest
from cases import cases

from ragauge.calls.budget import Price
from ragauge.errors import JudgeError, PlanError
from ragauge.judges.config import KEYS, JudgeConfig
from ragauge.judges.protocol import Message, Request
from ragauge.judges.providers.scripted import RecordingJudge, ScriptedJudge

pytestmark = pytest.mark.usefixtures("without_keys")
LOCAL = {"base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
def without_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def recording(tmp_path):
    """A recording of one reply by "m"."""
    path = tmp_path / "r.jsonl"
    judge = RecordingJudge(ScriptedJudge(["x"], name="m"), path)
    asyncio.run(judge.reply(Request("verdict", (Message("user", "?"),), None)))
    return path


def problems(**told):
    with pytest.raises(PlanError) as caught:
        JudgeConfig(**told)
    return caught.value.problems


def scripted(*names):
    return tuple(ScriptedJudge([], name=name) for name in names)


NO_COUNTS = (0, -1, 1.5, 2.0, True, "3", math.inf, math.nan, [1])


@cases(
    *(
        (name, number, f"{name} must be a whole number of at least 1, got {number!r}")
        for name in ("repeat", "max_calls", "window")
        for number in NO_COUNTS
    ),
    ("repeat", None, "repeat must be a whole number of at least 1, got None"),
    *(
        ("max_cost_usd", dollars, f"max_cost_usd must be a number above 0, got {dollars!r}")
        for dollars in (0, -1, math.inf, math.nan, "5", True, [5])
    ),
    *(
        ("language", code, f"language must be a code such as de or pt-BR, got {code!r:.80}")
        for code in ("", "d", "german!", "../../etc", "de\n", "x" * 99, 5)
    ),
    ("mode", "quick", "mode must be one of ask, cached, estimate, got 'quick'"),
    (
        "judges",
        scripted("a", "b", "a"),
        "two judges are named 'a'; their numbers would be indistinguishable",
    ),
)
def test_a_setting_that_cannot_be_is_refused(name, value, says):
    assert problems(**{name: value}) == (says,)


def test_nothing_said_is_no_judge_asked_once():
    judging = JudgeConfig(language="de", max_calls=None, window=None)
    assert (judging.names, judging.repeat, judging.mode) == ((), 1, "ask")


def test_a_bound_on_costs_needs_each_judges_price():
    judges = scripted("a", "b")
    (problem,) = problems(judges=judges, max_cost_usd=1.0, prices={"a": Price(1, 2)})
    assert "no price of 'b' is known" in problem
    assert "--price" in problem
    assert JudgeConfig(judges, max_cost_usd=1.0, prices={"a": Price(1, 2), "b": Price(0, 0)})


def test_all_that_is_wrong_is_told_at_once():
    found = problems(judges=scripted("a", "a"), repeat=0, max_calls=0, mode="x", language="?")
    assert len(found) == 5


def test_every_key_of_a_table_arrives():
    table = {
        "model": ["gpt-4o-mini"],
        **LOCAL,
        "api_key_env": "NOT_SET",
        "temperature": 0.5,
        "max_tokens": 300,
        "seed": 7,
        "rpm": 60,
        "tpm": 1000,
        "concurrency": 3,
        "timeout_s": 5.0,
        "deadline_s": 50.0,
        "max_cost_usd": 2.5,
        "max_calls": 9,
        "price": [1.0, 2],
        "repeat": 2,
        "prompts": "folder",
        "language": "de",
        "window": 32_000,
    }
    assert set(table) == set(KEYS)
    judging = JudgeConfig.read(table)
    (judge,) = judging.judges
    assert judging.names == ("gpt-4o-mini",)
    parameters = {"temperature": 0.5, "max_tokens": 300, "seed": 7}
    assert judge.identity == {"model": "gpt-4o-mini", **parameters}
    assert judge.base_url == LOCAL["base_url"]
    assert (judge.rpm, judge.tpm, judge.concurrency) == (60, 1000, 3)
    assert (judge.timeout_s, judge.deadline_s) == (5.0, 50.0)
    assert (judging.max_cost_usd, judging.max_calls, judging.repeat) == (2.5, 9, 2)
    assert (judging.prompts, judging.language, judging.window) == ("folder", "de", 32_000)
    assert judging.prices == {"gpt-4o-mini": Price(1.0, 2)}


def test_a_name_alone_and_several_names_are_read(recording):
    assert JudgeConfig.read({"model": "a", **LOCAL}).names == ("a",)
    several = JudgeConfig.read({"model": ["a", f"replay:{recording}", "b"], **LOCAL})
    assert several.names == ("a", "m", "b")


def test_the_listed_price_is_taken_where_none_is_given():
    judging = JudgeConfig.read({"model": ["gpt-4o-mini", "unheard-of"], **LOCAL})
    assert judging.prices == {"gpt-4o-mini": Price(0.15, 0.6)}
    own = JudgeConfig.read({"model": ["gpt-4o-mini", "unheard-of"], "price": [1, 2], **LOCAL})
    assert own.prices == dict.fromkeys(("gpt-4o-mini", "unheard-of"), Price(1, 2))


def test_one_judge_is_recorded_and_not_several(tmp_path, recording):
    judging = JudgeConfig.read({"model": "a", **LOCAL}, record=tmp_path / "new", mode="cached")
    assert isinstance(judging.judges[0], RecordingJudge)
    assert (judging.names, judging.mode) == (("a",), "cached")
    with pytest.raises(PlanError, match="one judge can be recorded at a time"):
        JudgeConfig.read({"model": ["a", "b"], **LOCAL}, record=tmp_path / "new")
    with pytest.raises(PlanError, match="holds replies of m"):
        JudgeConfig.read({"model": "a", **LOCAL}, record=recording)
    assert not (tmp_path / "new").exists()


NO_PRICES = ([], [1.0], [1.0, 2.0, 3.0], ["1", "2"], [-1, 2], [1, math.inf], [math.nan, 1])


@cases(
    ({"temperature": 0.0}, "the judge has settings, but no model; add model, or --ju"),
    ({"model": ["a", "a"], **LOCAL}, "two judges are named 'a'"),
    ({"model": "a", "base_url": "localhost:8080"}, "is an address of the kind"),
    ({"model": "a", "rpm": 0, **LOCAL}, "rpm is 0; it must be above 0"),
    *(
        (
            {"model": "a", "price": price, **LOCAL},
            "price must be two numbers, dollars for a mil",
        )
        for price in NO_PRICES
    ),
)
def test_a_table_that_cannot_be_is_refused(table, says):
    with pytest.raises((PlanError, JudgeError), match=says):
        JudgeConfig.read(table)
