"""A budget ends between two rows: measured on a server on this machine, with a judge by rules."""

import json
import random

import faulty_server
import polars as pl
import pytest
import rules
from cases import cases

import ragauge as rg
from ragauge.calls.budget import Price
from ragauge.errors import MetricError
from ragauge.judges.config import JudgeConfig
from ragauge.score import NOT_ASKED
from ragauge.views.run_notes import judging_lines

METRICS = ["faithfulness", "context_precision", "context_recall", "answer_relevance", "ragas_score"]
CALLS_PER_ROW = 6
"""Claims and their support twice, relevance, questions."""


def samples(n):
    return [{**row, "id": f"q{at:02}"} for at, row in enumerate(rules.samples(n))]


@pytest.fixture
def server():
    """A judge by rules behind an endpoint; each reply takes 1 to 20 ms and up to 300 tokens."""
    chance = random.Random(1)

    def answer(_, body):
        name = body["response_format"]["json_schema"]["name"]
        reply = rules.reply(name, body["messages"][1]["content"])
        n_reply = chance.randrange(50, 300)
        usage = {"prompt_tokens": 400, "completion_tokens": n_reply, "total_tokens": 400 + n_reply}
        done = faulty_server.ok(reply, usage=usage)
        return faulty_server.replace(done, latency_s=chance.uniform(0.001, 0.02))

    with faulty_server.FaultyServer(answer) as server:
        yield server


def evaluated(server, n, *, metrics=METRICS, cache=None, **budget):
    judge = rg.ChatEndpoint("m", base_url=server.url)
    return rg.evaluate(samples(n), metrics, judge=JudgeConfig((judge,), **budget), cache=cache)


def n_scored_by_row(run):
    """How many of the metrics have a value, by row, in the order of the rows."""
    rows = run.scores.group_by("id").agg(n=pl.col("value").is_not_null().sum()).sort("id")
    return rows["n"].to_list()


@pytest.mark.parametrize("max_calls", [1, 20])
def test_rows_are_finished_in_their_order_before_others_begin(server, max_calls):
    run = evaluated(server, 8, max_calls=max_calls)
    assert server.n_requests == max_calls
    n_finished, n_left = divmod(max_calls, CALLS_PER_ROW)
    scored = n_scored_by_row(run)
    assert scored[:n_finished] == [5] * n_finished
    assert (scored[n_finished] > 0) <= (n_left > 0)
    assert set(scored[n_finished + 1 :]) <= {0}


@cases(0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3)))
def test_at_most_one_row_is_begun_and_not_finished_whatever_rows_take(seed):
    """Later rows have up to five references, and every tenth reply is asked for twice."""
    chance = random.Random(seed)
    rows = samples(40)
    for at, row in enumerate(rows):
        row["references"] = [f"{text} ({at})" for text in "abcde"[: 1 + at // 10 + at % 2]]
    judge = rg.ScriptedJudge(
        lambda request: "no JSON" if chance.random() < 0.1 else rules.script(request), name="m"
    )
    config = JudgeConfig((judge,), max_calls=chance.randrange(50, 250))
    run = rg.evaluate(rows, METRICS, judge=config)
    assert len(judge.requests) == config.max_calls
    is_unasked = pl.col("reason").str.starts_with(NOT_ASKED).fill_null(False)
    by_id = run.scores.group_by("id").agg(
        n_unasked=is_unasked.sum(), n=pl.col("value").is_not_null().sum()
    )
    assert by_id.filter((pl.col("n_unasked") > 0) & (pl.col("n") > 0)).height <= 1
    unasked = by_id.sort("id")["n_unasked"].to_list()
    assert [n > 0 for n in unasked] == sorted(n > 0 for n in unasked)


def test_no_composite_is_the_mean_of_what_the_budget_left(server):
    run = evaluated(server, 5, max_calls=20)
    is_composite = pl.col("metric").str.starts_with("ragas_score")
    composite = run.scores.filter(is_composite)
    assert composite["status"].to_list() == ["ok"] * 3 + ["skipped"] * 2
    reasons = set(composite["reason"].drop_nulls())
    assert reasons == {f"{NOT_ASKED}the budget of 20 calls is used up"}
    metrics = [*METRICS[:-1], "ragas_score(partial=true)"]
    partial = evaluated(server, 5, metrics=metrics, max_calls=21)
    composite = partial.scores.filter(is_composite, pl.col("value").is_not_null())
    is_partial = pl.col("flags").list.contains("lost_parts")
    assert composite["id"].to_list() == ["q00", "q01", "q02", "q03"]
    assert composite.filter(is_partial)["id"].to_list() == ["q03"]


def test_a_bounded_cost_ends_between_rows_and_what_is_over_is_in_flight(server):
    price = Price(2.0, 8.0)  # a call costs $0.0012 to $0.0032
    run = evaluated(server, 16, max_cost_usd=0.08, prices={"m": price})
    usage = run.manifest.judging["m"]
    assert usage["cost_usd"] <= 0.08 + usage["in_flight_at_budget"] * 0.0032
    assert usage["in_flight_at_budget"] <= server.most
    scored = n_scored_by_row(run)
    assert 3 < scored.count(5) < 12
    assert sum(0 < n < 5 for n in scored) <= 1
    assert scored == sorted(scored, reverse=True)


def test_what_is_over_the_budget_is_printed_with_the_calls_in_flight(server):
    run = evaluated(server, 2, max_cost_usd=0.08, prices={"m": Price(2.0, 8.0)})
    usage = {"over_budget_usd": 0.0125, "in_flight_at_budget": 3}
    run.manifest.judging["m"].update(usage)
    over = "m: $0.0125 over the budget; 3 calls in flight when it was reached"
    assert over in judging_lines(run)


def test_repeats_of_a_row_come_before_the_next_row(server):
    run = evaluated(server, 8, metrics=["factual_accuracy"], repeat=3, max_calls=10)
    evidence = run.scores.sort("id")["evidence"].drop_nulls()
    repeats = [json.loads(text)["repeats"] for text in evidence]
    assert [sum(isinstance(value, float) for value in row) for row in repeats] == [3, 3, 3, 1]


def test_a_metric_that_cannot_read_a_likely_reply_is_judged_row_by_row(server, monkeypatch):
    def measure(*_):
        raise MetricError("a likely reply is no use here")

    monkeypatch.setattr("ragauge.engine.executors.measure", measure)
    run = evaluated(server, 6, max_calls=20)
    assert n_scored_by_row(run)[:3] == [5, 5, 5]
