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
from ragauge.engine.batch import measure
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.errors import DefinitionError, MetricError, PlanError
from ragauge.label import Label
from ragauge.score import Status
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


def test_a_stored_run_of_async_metrics_is_found_again(declared, tmp_path):
    first = rg.evaluate(ROWS, ["size"], folder=tmp_path / "r", batch_size=2)
    second = rg.evaluate(ROWS, ["size"], folder=tmp_path / "r", batch_size=2)
    assert first.scores.equals(second.scores)


def test_rows_that_a_filter_leaves_out_are_not_called(own_metrics):
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


def test_all_rows_wait_at_the_same_time(own_metrics):
    meeting = asyncio.Barrier(30)

    @rg.metric
    async def meets(answer: str) -> float:
        await asyncio.wait_for(meeting.wait(), PATIENCE_S)
        return 1.0

    run = rg.evaluate([{"id": str(at), "answer": "x"} for at in range(30)], ["meets"])
    assert run.scores["value"].to_list() == [1.0] * 30


def test_one_row_does_not_wait_for_another_ones_feature(own_metrics):
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


def test_a_feature_that_several_need_is_made_once_a_row(own_metrics):
    made = []

    @rg.feature
    async def shared(answer: str) -> str:
        made.append(answer)
        await asyncio.sleep(0)
        return answer

    @rg.metric
    async def one(shared: str) -> float:
        return 1.0

    @rg.metric
    async def two(shared: str) -> float:
        return 0.5

    @rg.metric
    def three(shared: str) -> float:
        return 0.25

    rg.evaluate(ROWS, ["one", "two", "three"])
    assert sorted(made) == ["", "aB", "abc", "x"]


def test_it_works_within_a_running_event_loop_and_on_several_threads_at_once(declared):
    async def within():
        return both(ROWS)

    wanted, plain = asyncio.run(within())
    assert wanted.equals(plain)
    with ThreadPoolExecutor(6) as threads:
        works = [threads.submit(both, ROWS, batch_size=2) for _ in range(6)]
        assert all(work.result(PATIENCE_S)[0].equals(wanted) for work in works)


# What goes wrong ----------------------------------------------------------------------------------


def broken(raised):
    @rg.metric
    async def breaks(answer: str) -> float:
        await asyncio.sleep(0)
        if answer == "bad":
            raise raised
        await asyncio.sleep(0.001)
        return 1.0


BAD = [{"id": f"q{at}", "system": "s", "answer": "bad" if at == 7 else "good"} for at in range(20)]


@pytest.mark.parametrize(
    "raised", [ValueError("no luck"), ZeroDivisionError(), TimeoutError("late")]
)
def test_an_error_ends_the_run_and_names_the_sample(declared, raised):
    broken(raised)
    with pytest.raises(MetricError) as caught:
        rg.evaluate(BAD, ["breaks"])
    said = f"metric breaks raised {type(raised).__name__}: {raised} on sample 'q7' of system 's'; "
    assert f"{said}fix it in {__file__}:" in str(caught.value)
    assert rg.score("size", answer="aB").value == 2.5  # the next run works


def test_a_feature_that_breaks_names_the_sample(own_metrics):
    @rg.feature
    async def half(answer: str) -> str:
        if answer == "bad":
            raise ValueError("no luck")
        return answer

    @rg.metric
    async def whole(half: str) -> float:
        return 1.0

    with pytest.raises(MetricError, match=r"feature half raised .* on sample 'q7' of system 's'"):
        rg.evaluate(BAD, ["whole"])


def test_a_metric_that_breaks_for_one_reference_names_the_sample(own_metrics):
    @rg.metric
    async def per(answer: str, reference: str) -> float:
        if reference == "bad":
            raise ValueError("no luck")
        return 1.0

    rows = [
        {"id": "1", "answer": "a", "references": ["x", "y", "z"]},
        {"id": "2", "answer": "a", "references": ["x", "bad"]},
    ]
    with pytest.raises(MetricError, match=r"metric per raised .* on sample '2'"):
        rg.evaluate(rows, ["per"])


@pytest.mark.parametrize("returned", [None, "yes", 1.5, float("nan")])
def test_what_a_plain_metric_may_not_return_an_async_one_may_not_either(returned):
    @rg.metric
    async def odd(answer: str) -> float:
        return returned

    with pytest.raises(MetricError, match=r"metric odd raised .* on sample 'q0' of system 's'"):
        rg.evaluate(BAD, ["odd"])


def test_a_score_is_taken_as_it_is_returned(own_metrics):
    @rg.metric
    async def says(answer: str) -> rg.Score:
        return rg.Score.failed("nobody there", {"asked": answer})

    found = rg.score("says", answer="x")
    assert (found.status, found.reason) == (Status.FAILED, "nobody there")
    assert found.evidence == {"asked": "x"}


def test_an_error_ends_what_other_rows_still_wait_for(own_metrics):
    ended = threading.Event()

    @rg.metric
    async def waits(answer: str) -> float:
        if answer == "bad":
            await asyncio.sleep(0.001)
            raise ValueError("no luck")
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with pytest.raises(MetricError):
        rg.evaluate(BAD, ["waits"])
    assert ended.wait(PATIENCE_S)


def test_an_error_of_a_plain_metric_ends_what_async_ones_wait_for(own_metrics):
    began, ended = threading.Event(), threading.Event()

    @rg.metric
    async def waits(answer: str) -> float:
        began.set()
        try:
            await asyncio.sleep(1.0)
        finally:
            ended.set()

    @rg.metric
    def breaks(answer: str) -> float:
        assert began.wait(PATIENCE_S)
        raise ValueError("no luck")

    with pytest.raises(MetricError, match="metric breaks raised"):
        rg.evaluate(BAD, ["waits", "breaks"])
    assert ended.wait(0.2)


def test_a_metric_that_leaves_the_program_is_named_as_a_plain_one_is(declared):
    broken(SystemExit(3))
    with pytest.raises(MetricError, match="breaks raised SystemExit: 3 on sample 'q7'"):
        rg.evaluate(BAD, ["breaks"])
    assert rg.score("size", answer="aB").value == 2.5


def test_a_metric_that_would_wait_for_a_run_is_refused_and_does_not_hang(own_metrics):
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


def test_an_async_function_takes_one_row(own_metrics):
    async def many(answer: list[str]) -> list[float]:
        return [1.0]

    for declare in (rg.metric(batch=True), rg.feature(batch=True), rg.feature(corpus=True)):
        with pytest.raises(DefinitionError, match="many is async and takes many rows at once"):
            declare(many)


def test_a_metric_that_needs_a_judge_is_refused_without_one(own_metrics):
    @rg.metric
    async def wants(answer: str, *, judge) -> float:
        return 1.0

    with pytest.raises(PlanError, match="wants needs a judge; give one with --judge"):
        rg.evaluate(BAD, ["wants"])


def test_a_metric_of_ones_own_asks_the_judge_with_a_question_of_its_own(own_metrics):
    """`judge.reply` takes any request: its key, cache, budget and failures are those of all others."""
    from ragauge.judges.protocol import Message, Request

    @rg.metric
    async def kind(answer: str, *, judge, word: str = "kind") -> rg.Score:
        asked = Request("kind", (Message("user", f"Is this {word}? {answer}"),), None)
        said = await judge.reply(asked)
        if isinstance(said, rg.Score):
            return said
        return rg.Score(said.text == "yes")

    judge = rg.ScriptedJudge(
        lambda request: "yes" if "dear" in request.messages[0].content else "no"
    )
    rows = [{"id": "1", "answer": "my dear"}, {"id": "2", "answer": "you"}]
    run = rg.evaluate(rows, ["kind", 'kind(word="dear")'], judge=judge)
    assert run.scores["value"].to_list() == [1.0, 1.0, 0.0, 1.0]
    assert set(run.scores["metric"].str.extract(r'judge="(\w+)"')) == {"scripted"}
    assert len(judge.requests) == 4
