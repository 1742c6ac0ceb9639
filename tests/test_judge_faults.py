"""A suite against an endpoint that fails in every way there is: no score is lost, and none is made up."""

import json
import random
from collections import Counter

import faulty_server as faulty
import pytest
import rules
from cases import cases

import ragauge as rg

MEASURES = ["faithfulness", "context_precision", "context_recall", "factual_accuracy", "gpt_score"]
N = 25
CALLS = 7 * N


ROWS = rules.samples(N)


def prompt_of(body):
    return body["response_format"]["json_schema"]["name"]


def right(body):
    return rules.reply(prompt_of(body), body["messages"][1]["content"])


def shortened(said):
    """The same with one entry less in its list, where it has one."""
    return {name: one[:-1] if isinstance(one, list) else one for name, one in said.items()}


def judged(answer, tmp_path, rows=ROWS, **settings):
    """The run, and the server that it asked."""
    settings = {"timeout_s": 2.0, "first_wait_s": 0.01, **settings}
    with faulty.FaultyServer(answer) as server:
        judge = rg.ChatEndpoint("judge", base_url=server.url, **settings)
        return rg.evaluate(rows, MEASURES, judge=judge, cache=tmp_path / "cache.sqlite"), server


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    run, server = judged(lambda _, body: faulty.ok(right(body)), tmp_path_factory.mktemp("clean"))
    assert server.n_requests == CALLS
    assert set(run.scores["status"]) == {"ok"}
    return run


def test_an_endpoint_that_fails_in_every_way_loses_no_score_and_moves_none(clean, tmp_path):
    attempts = Counter()

    def answer(_, body):
        # By question and attempt, not by what comes when: else the fates hang on the load.
        asked = json.dumps(body["messages"])
        attempts[asked] += 1
        chance = random.Random(f"{asked} {attempts[asked]}").random()
        said = json.dumps(right(body))
        fates = (
            (0.05, faulty.too_many()),
            (0.05, faulty.too_many("0.02")),
            (0.03, faulty.refusal(500, "boom")),
            (0.05, faulty.ok(said[: len(said) // 2])),
            (0.02, faulty.ok("")),
            (0.01, faulty.HANG),
            (0.02, faulty.RESET),
            (0.02, faulty.Answer(body=faulty.ok(said).body, fate="cut")),
            (0.02, faulty.ok(f"Sure!\n```json\n{said}\n```")),
        )
        for share, fate in fates:
            chance -= share
            if chance < 0:
                return fate
        return faulty.ok(said)

    run, server = judged(answer, tmp_path)
    assert server.n_requests > CALLS
    assert set(run.scores["status"]) == {"ok"}
    assert run.scores.height == N * len(MEASURES)
    assert run.scores["value"].equals(clean.scores["value"])


def test_a_judge_that_always_says_too_little_gives_no_number(tmp_path):
    run, server = judged(lambda _, body: faulty.ok(shortened(right(body))), tmp_path)
    lists = run.scores.filter(~run.scores["metric"].str.starts_with("factual_accuracy"))
    assert set(lists["status"]) == {"failed"}
    assert lists["value"].null_count() == lists.height
    # Twice for each question of the first round, none of the second, and accuracy once.
    assert server.n_requests == 2 * 4 * N + N


@cases(
    lambda *_: faulty.refusal(500, "boom"),
    lambda *_: faulty.ok("I cannot help with that.", refusal="no"),
    lambda *_: faulty.ok("x" * 1_000_000),
    ids=["500", "refusal", "1 MB"],
)
def test_when_every_call_fails_there_is_no_value_and_an_end(answer, tmp_path):
    run, _ = judged(answer, tmp_path, ROWS[:2], max_attempts=2)
    assert set(run.scores["status"]) == {"failed"}
    assert run.scores["value"].null_count() == run.scores.height == 2 * len(MEASURES)
    assert run.scores["reason"].null_count() == 0


def test_what_failed_is_all_that_is_asked_again(clean, tmp_path):
    lost = {"q3", "q17"}

    def answer(_, body):
        is_lost = any(f"tier {one[1:]}?" in body["messages"][1]["content"] for one in lost)
        return faulty.refusal(400, "not this one") if is_lost else faulty.ok(right(body))

    first, _ = judged(answer, tmp_path)
    assert set(first.scores.filter(first.scores["status"] == "failed")["id"]) == lost
    again, server = judged(lambda _, body: faulty.ok(right(body)), tmp_path)
    assert again.scores["value"].equals(clean.scores["value"])
    assert server.n_requests < 8 * len(lost)
