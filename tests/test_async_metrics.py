"""Async metrics and features of a user's own: many rows wait at once, and nothing else differs."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.engine.measure import measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.errors import DefinitionError, MetricError, PlanError
from ragauge.judges.protocol import Message, Request
from ragauge.label import Label
from ragauge.suite import Suite
from ragauge.where import Filter

pytestmark = pytest.mark.usefixtures("own_metrics")
PATIENCE_S = 20

ROWS = [
    {"id": "1", "answer": "aB", "references": ["x", "aB"], "kind": "long"},
    {"id": "2", "answer": None, "references": ["x"], "kind": "short"},
    {"id": "3", "answer": "", "references": [], "kind": "long"},
    {"id": "4", "answer": "abc", "references": None, "kind": "long"},
    {"id": "5", "answer": "x", "references": ["y", "x", "y"], "kind": "short"},
]


CHAINS = """
@rg.feature
{async_}def {plain}upper(answer: str) -> str:
    {pause}
    return answer.upper()

@rg.feature
def {plain}n_upper({plain}upper: str) -> int:  # sync, of an async one
    return len({plain}upper)

@rg.metric(high=None)
{async_}def {plain}size({plain}n_upper: int, {plain}upper: str) -> float:
    {pause}
    return {plain}n_upper + {plain}upper.count("B") / 2

@rg.feature
{async_}def {plain}small(reference: str) -> str:
    {pause}
    return reference.lower()

@rg.metric
{async_}def {plain}near(answer: str, {plain}small: str) -> rg.Score:  # the best over the references
    {pause}
    return rg.Score(len({{*answer}} & {{*{plain}small}}) / 10, evidence={{"small": {plain}small}})

@rg.metric
{async_}def {plain}either({plain}size: rg.Score, {plain}near: rg.Score) -> rg.Score:  # a composite
    {pause}
    near = {plain}near.value
    return rg.Score.undefined("none") if near is None else rg.Score(near)
"""


@pytest.fixture
def declared(own_metrics):
    """A chain of features and metrics once with `def` and once with `async def`, mixed."""
    names = {"rg": rg, "asyncio": asyncio, "__name__": __name__}
    exec(CHAINS.format(async_="async ", plain="", pause="await asyncio.sleep(0)"), names)
    exec(CHAINS.format(async_="", plain="plain_", pause="pass"), names)


NAMES = ("size", "near", "either")


def both(rows, **how):
    """The scores by the async functions, and those by the plain ones under the same names."""
    run = rg.evaluate(rows, [*NAMES, *(f"plain_{name}" for name in NAMES)], **how)
    is_plain = pl.col("metric").str.starts_with("plain_")
    plain = run.scores.filter(is_plain).with_columns(pl.col("metric").str.replace("plain_", ""))
    return run.scores.filter(~is_plain), plain


# The same numbers ---------------------------------------------------------------------------------


def test_async_functions_give_what_plain_ones_give(declared):
    ours, plain = both(ROWS)
    assert ours.equals(plain)
    by = {(row["id"], row["metric"]): row for row in ours.iter_rows(named=True)}
    assert by["1", "size"]["value"] == 2.5
    assert by["1", "near"]["value"] == 0.1  # "ab" of "aB" beside "aB": a alone
    assert by["1", "near"]["evidence"] == '{"small":"ab","best_reference":1}'
    assert by["2", "size"]["status"] == "missing"
    assert by["3", "near"]["reason"] == "the sample's list of references is empty"
    assert by["4", "near"]["reason"] == "the sample has no references"
    assert by["4", "either"]["status"] == "undefined"


references = st.none() | st.lists(st.text("abAB"), max_size=3)
row = {"answer": st.none() | st.text("abAB ", max_size=4), "references": references}
rows = st.lists(st.fixed_dictionaries(row), min_size=1, max_size=7)


@given(rows, st.integers(1, 4))
@settings(max_examples=3 * settings.default.max_examples // 10, suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
def test_whatever_the_rows_and_however_many_at_once_they_give_the_same(declared, rows, batch_size):
    numbered = [{"id": str(at), **row} for at, row in enumerate(rows)]
    ours, plain = both(numbered, batch_size=batch_size)
    assert ours.equals(plain)


def test_rows_that_a_filter_leaves_out_are_not_called():
    called = []

    @rg.metric
    async def watched(answer: str | None) -> float:
        called.append(answer)
        return 1.0

    @rg.metric
    async def best(answer: str | None, reference: str) -> float:
        called.append(reference)
        return 0.5

    for name, wanted in (("watched", ["aB", "", "abc"]), ("best", ["x", "aB"])):
        called.clear()
        plan = make_plan([Suite.of([Label(name)])], [*ROWS[0]])
        node = replace(plan.nodes[-1], where=Filter.parse('kind = "long"'))
        columns = {field: [row[field] for row in ROWS] for field in ROWS[0]} | {"system": ["s"] * 5}
        (scores,) = measure(replace(plan, nodes=(node,)), columns, Resources())
        assert called == wanted
        assert [one is None for one in scores] == [False, True, False, False, True]


# Side by side -------------------------------------------------------------------------------------


def test_all_rows_wait_at_the_same_time():
    meeting = asyncio.Barrier(30)

    @rg.metric
    async def meets(answer: str) -> float:
        await asyncio.wait_for(meeting.wait(), PATIENCE_S)
        return 1.0

    run = rg.evaluate([{"id": str(at), "answer": "x"} for at in range(30)], ["meets"])
    assert run.scores["value"].to_list() == [1.0] * 30


def test_one_row_does_not_wait_for_another_ones_feature():
    """The second row's metric lets the first row's feature go."""
    released = asyncio.Event()

    @rg.feature
    async def slow(answer: str) -> str:
        if answer == "first":
            await asyncio.wait_for(released.wait(), PATIENCE_S)
        return answer

    @rg.metric
    async def quick(slow: str) -> float:
        released.set()
        return 1.0

    rows = [{"id": "1", "answer": "first"}, {"id": "2", "answer": "second"}]
    assert rg.evaluate(rows, ["quick"]).scores["value"].to_list() == [1.0, 1.0]


def test_it_works_within_a_running_event_loop_and_on_several_threads_at_once(declared):
    async def within():
        return both(ROWS)

    wanted, plain = asyncio.run(within())
    assert wanted.equals(plain)
    with ThreadPoolExecutor(6) as threads:
        works = [threads.submit(both, ROWS, batch_size=2) for _ in range(6)]
        assert all(work.result(PATIENCE_S)[0].equals(wanted) for work in works)


# What goes wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize("raised", [ValueError("no luck"), TimeoutError("late"), SystemExit(3)])
def test_an_error_ends_the_run_and_names_the_sample(declared, raised):
    @rg.metric
    async def breaks(answer: str) -> float:
        await asyncio.sleep(0)
        if answer == "bad":
            raise raised
        return 1.0

    @rg.feature
    async def half(answer: str) -> str:
        return str(await breaks(answer))

    @rg.metric
    async def whole(half: str) -> float:
        return 1.0

    @rg.metric
    async def per(answer: str, reference: str) -> float:
        return await breaks(reference)

    raised_by = {"breaks": "metric breaks", "whole": "feature half", "per": "metric per"}
    for label, name in raised_by.items():
        with pytest.raises(MetricError) as caught:
            rg.evaluate(BAD, [label])
        said = f"{name} raised {type(raised).__name__}: {raised} on sample 'q7' of system 's'; "
        assert f"{said}fix it in {__file__}:" in str(caught.value)
    assert rg.score("size", answer="aB").value == 2.5  # the next run works


BAD = [
    {"id": f"q{at}", "system": "s", "answer": text, "references": ["good", text]}
    for at, text in enumerate(["good"] * 7 + ["bad"] + ["good"] * 12)
]


@pytest.mark.parametrize("returned", [None, "yes", 1.5, float("nan")])
def test_what_a_plain_metric_may_not_return_an_async_one_may_not_either(returned):
    @rg.metric
    async def odd(answer: str) -> float:
        return returned

    with pytest.raises(MetricError, match=r"metric odd raised .* on sample 'q0' of system 's'"):
        rg.evaluate(BAD, ["odd"])


@pytest.mark.parametrize("raised", [ValueError("no luck"), KeyboardInterrupt()])
def test_an_error_of_another_row_or_of_a_plain_metric_ends_what_async_ones_wait_for(raised):
    began, ended = threading.Event(), threading.Event()

    @rg.metric
    async def waits(answer: str) -> float:
        if answer == "bad":
            await asyncio.sleep(0.001)
            raise ValueError("no luck")
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    @rg.metric
    def breaks(answer: str) -> float:
        assert began.wait(PATIENCE_S)
        raise raised

    with pytest.raises(MetricError, match="metric waits raised"):
        rg.evaluate(BAD, ["waits"])
    assert ended.wait(PATIENCE_S)
    ended.clear()
    with pytest.raises((MetricError, KeyboardInterrupt)):
        rg.evaluate(BAD[:3], ["waits", "breaks"])
    assert ended.wait(PATIENCE_S)


def test_a_metric_that_would_wait_for_a_run_is_refused_and_does_not_hang():
    @rg.metric
    async def inner(answer: str) -> float:
        return 1.0

    @rg.metric
    async def outer(answer: str) -> float:
        return rg.score("inner", answer=answer).value

    with pytest.raises(MetricError, match=r"cannot wait for rg\.score or rg\.evaluate") as caught:
        rg.score("outer", answer="x")
    assert "metric outer raised " in str(caught.value)
    assert " on sample 'this sample'" in str(caught.value)


# Declarations -------------------------------------------------------------------------------------


def test_an_async_function_takes_one_row():
    async def many(answer: list[str]) -> list[float]:
        return [1.0]

    for declare in (rg.metric(batch=True), rg.feature(batch=True), rg.feature(corpus=True)):
        with pytest.raises(DefinitionError, match="many is async and takes many rows at once"):
            declare(many)


def test_a_metric_of_ones_own_asks_the_judge_with_a_question_of_its_own():
    """`judge.reply` takes any request: its key, cache, budget and failures are those of all others."""

    @rg.metric
    async def kind(answer: str, *, judge, word: str = "kind") -> rg.Score:
        asked = Request("kind", (Message("user", f"Is this {word}? {answer}"),), None)
        said = await judge.reply(asked)
        return said if isinstance(said, rg.Score) else rg.Score(said.text == "yes")

    rows = [{"id": "1", "answer": "my dear"}, {"id": "2", "answer": "you"}]
    with pytest.raises(PlanError, match="kind needs a judge; give one with --judge"):
        rg.evaluate(rows, ["kind"])
    judge = rg.ScriptedJudge(lambda asked: "yes" if "dear" in asked.messages[0].content else "no")
    run = rg.evaluate(rows, ["kind", 'kind(word="dear")'], judge=judge)
    assert run.scores["value"].to_list() == [1.0, 1.0, 0.0, 1.0]
    assert set(run.scores["metric"].str.extract(r'judge="(\w+)"')) == {"scripted"}
    assert len(judge.requests) == 4
    failing = rg.evaluate(rows, ["kind"], judge=rg.ScriptedJudge({}))
    assert failing.scores["status"].to_list() == ["failed"] * 2
