"""`ragauge run` with a judge: options and [judge], budgets, recordings, exit codes, and no key anywhere."""

import json
import sqlite3

import faulty_server as faulty
import polars as pl
import pytest
import rules

import ragauge as rg

CANARY = "sk-canary-0123456789abcdef"
ASK = ("-m", "faithfulness", "-m", "gpt_score")
N_CALLS = 9  # of ASK on `answers`: claims, support and criteria for each of three


def by_rules(number, body):
    """What an endpoint says whose model judges by rules."""
    prompt = body["response_format"]["json_schema"]["name"]
    return faulty.ok(rules.reply(prompt, body["messages"][1]["content"]))


@pytest.fixture
def answers(tmp_path):
    rows = [
        {
            "id": f"q{at}",
            "question": f"What is the fee of tier {at}?",
            "answer": f"The fee of tier {at} is ${at}.",
            "reference": f"Tier {at} costs ${at}.",
            "contexts": [f"The fee of tier {at} is ${at}.", "It rains."],
        }
        for at in range(3)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """A key in the environment that must turn up nowhere else."""
    monkeypatch.setenv("JUDGE_KEY", CANARY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def served():
    """An endpoint with a judge by rules."""
    with faulty.FaultyServer(by_rules) as server:
        yield server


def at(server, *more, model="m"):
    """The options that name the server's judge."""
    return ("--judge", model, "--judge-url", server.url, "--judge-key", "JUDGE_KEY", *more)


def scores(tmp_path, folder="r"):
    return rg.open_run(tmp_path / folder).scores


def told(text):
    return " ".join(text.split())


# A run --------------------------------------------------------------------------------------------


def test_a_judged_run_says_by_whom_and_what_it_took(ragauge, answers, served, tmp_path):
    done = ragauge("run", answers.name, *ASK, *at(served), "--folder", "r", "--full")
    assert done.code == 0
    assert served.n_requests == N_CALLS
    assert {one["authorization"] for one in served.headers} == {f"Bearer {CANARY}"}
    assert f"m: {N_CALLS} calls, 900 tokens in and 180 out" in done.err
    assert "judged by m: faithfulness, gpt_score" in told(done.out)
    assert scores(tmp_path)["value"].null_count() == 0
    assert all('judge="m"' in one for one in scores(tmp_path)["metric"])
    judging = json.loads((tmp_path / "r" / "manifest.json").read_text())["judging"]["m"]
    assert (judging["calls"], judging["failed"]) == (N_CALLS, 0)
    assert judging["address"] == f"127.0.0.1:{served.port}"


def test_the_same_again_is_found_and_another_folder_takes_the_replies_from_the_cache(
    ragauge, answers, served, tmp_path
):
    ragauge("run", answers.name, *ASK, *at(served), "--folder", "r")
    assert ragauge("run", answers.name, *ASK, *at(served), "--folder", "r").code == 0
    done = ragauge("run", answers.name, *ASK, *at(served), "--folder", "other")
    assert f"m: 0 calls; {N_CALLS} cached replies used" in told(done.err)
    assert served.n_requests == N_CALLS
    assert scores(tmp_path, "other").equals(scores(tmp_path))


def test_a_dry_run_counts_what_is_still_to_be_asked_and_leaves_nothing(
    ragauge, answers, served, tmp_path
):
    before = sorted(tmp_path.iterdir())
    done = ragauge("run", answers.name, *ASK, *at(served, "--price", "1,10"), "--dry-run")
    assert done.code == 0
    assert f" {N_CALLS} " in next(line for line in done.out.splitlines() if line.startswith("m "))
    assert "$0.0" in done.out
    assert sorted(tmp_path.iterdir()) == before
    done = ragauge("run", answers.name, *ASK, *at(served), "--dry-run")
    assert "unknown price; give --price" in told(done.out)
    limits = ("--max-calls", "1", "--max-cost", "0.000001")
    done = ragauge("run", answers.name, *ASK, *at(served, "--price", "1,10"), *limits, "--dry-run")
    assert "m: more calls than --max-calls 1; the run would stop early" in told(done.err)
    assert "m: --max-cost is 1e-06; the run would stop early" in told(done.err)
    assert served.n_requests == 0
    ragauge("run", answers.name, "-m", "gpt_score", *at(served), "--folder", "r")
    done = ragauge("run", answers.name, *ASK, *at(served), "--dry-run")
    assert " 6 " in next(line for line in done.out.splitlines() if line.startswith("m "))
    assert served.n_requests == 3
    done = ragauge("run", answers.name, "-m", "exact_match", "--dry-run")
    assert "no judge is configured, so the run costs nothing" in done.err


def test_a_budget_stops_a_run_and_more_goes_on_with_it(ragauge, answers, served, tmp_path):
    done = ragauge(
        "run", answers.name, *ASK, *at(served, "--max-calls", 4), "--folder", "r", "--full"
    )
    assert served.n_requests == 4
    assert "m: the budget ran out, " in done.err
    assert "raise it and run again" in done.err
    assert "skipped: not asked: the budget of 4 calls is used up" in told(done.out)
    done = ragauge("run", answers.name, *ASK, *at(served, "--max-calls", 99), "--folder", "r")
    assert done.code == 0
    assert served.n_requests == N_CALLS
    assert scores(tmp_path)["value"].null_count() == 0


def test_a_bound_on_costs_needs_a_price_and_holds(ragauge, answers, served):
    done = ragauge("run", answers.name, *ASK, *at(served, "--max-cost", 0.001))
    assert done.code == 2
    assert "no price of 'm' is known" in done.err
    assert served.n_requests == 0
    # Each call costs 100 · $1 + 20 · $10 for a million: $0.0003.
    bound = at(served, "--max-cost", 0.0013, "--price", "1,10")
    done = ragauge("run", answers.name, *ASK, *bound)
    assert 1 <= served.n_requests <= 4
    assert f"${0.0003 * served.n_requests:,.4f}" in done.err


def test_fast_reads_the_cache_only(ragauge, answers, served, tmp_path):
    done = ragauge("run", answers.name, *ASK, *at(served), "--fast", "--folder", "r")
    assert (done.code, served.n_requests) == (6, 0)
    assert set(scores(tmp_path)["status"]) == {"skipped"}
    assert "no answer could be scored: not asked: only the cache is read" in told(done.err)
    ragauge("run", answers.name, *ASK, *at(served), "--folder", "r")
    done = ragauge("run", answers.name, *ASK, *at(served), "--fast", "--folder", "again")
    assert done.code == 0
    assert scores(tmp_path, "again").equals(scores(tmp_path))


def test_a_dry_run_counts_nothing_that_the_runs_folder_has_finished(ragauge, answers, served):
    def counted(*more):
        done = ragauge("run", answers.name, *ASK, *at(served), *more, "--dry-run")
        assert done.code == 0
        return next(line for line in done.out.splitlines() if line.startswith("m ")).split()[1]

    alone = ("--cache", "none", "--folder", "r")
    assert counted(*alone) == str(N_CALLS)
    assert ragauge("run", answers.name, *ASK, *at(served), *alone).code == 0
    assert counted(*alone) == "0"
    assert counted("--cache", "none", "--folder", "other") == str(N_CALLS)
    assert counted(*alone, "--seed", "1") == str(N_CALLS)


# Without a value ----------------------------------------------------------------------------------

NO_REPLY = "not asked: only the cache is read, and it has no reply of m"


@pytest.mark.parametrize(
    ("metrics", "named"),
    [
        (("gpt_score",), "gpt_score"),
        (("gpt_score", "answer_class", "exact_match"), "gpt_score, answer_class"),
        (("ragas_score",), "ragas_score"),
    ],
)
def test_what_was_asked_for_and_has_no_value_is_no_pass(ragauge, answers, served, metrics, named):
    asking = [one for name in metrics for one in ("-m", name)]
    done = ragauge("run", answers.name, *asking, *at(served), "--fast")
    assert (done.code, served.n_requests) == (6, 0)
    assert f"ragauge: {named}: no scores; {NO_REPLY}" in done.err.splitlines()


def test_a_composite_of_which_no_part_has_a_value_says_what_was_not_asked(ragauge, answers, served):
    row = {**json.loads(answers.read_text().splitlines()[0]), "reference": ""}
    answers.write_text(json.dumps(row))
    done = ragauge("run", answers.name, "-m", "answer_match", *at(served), "--fast")
    assert done.code == 6
    assert f"ragauge: answer_match: no scores; {NO_REPLY}" in done.err.splitlines()
    del row["reference"]  # then there is nothing to ask about, and nothing is scored
    answers.write_text(json.dumps(row))
    assert ragauge("run", answers.name, "-m", "answer_match", *at(served), "--fast").code == 4


def test_what_the_cache_has_is_a_value_and_the_others_are_told(ragauge, answers, served):
    ragauge("run", answers.name, "-m", "gpt_score", *at(served))
    assert ragauge("run", answers.name, "-m", "gpt_score", *at(served), "--fast").code == 0
    done = ragauge("run", answers.name, *ASK, *at(served), "--fast")
    assert done.code == 6
    assert f"ragauge: faithfulness: no scores; {NO_REPLY}" in done.err.splitlines()
    done = ragauge("run", answers.name, "-m", "gpt_score", *at(served), "--judge", "n", "--fast")
    assert done.code == 6
    assert "gpt_score [n]: no scores; not asked: " in done.err


def test_a_budget_that_ends_before_a_metric_has_a_value_is_no_pass(ragauge, answers, served):
    done = ragauge("run", answers.name, *ASK, *at(served, "--max-calls", 1), "--cache", "none")
    assert done.code == 6
    assert "no scores; not asked: the budget of 1 calls is used up" in done.err
    only = ("-m", "gpt_score", "--cache", "none", "--folder", "r")
    done = ragauge("run", answers.name, *only, *at(served, "--max-calls", 1))
    assert done.code == 0  # of three answers one has a value, and the budget is told of
    assert "m: the budget ran out, 2 questions not asked" in done.err


@pytest.mark.parametrize("suite", ["answer-quality", "graphrag", "factual-qa"])
@pytest.mark.parametrize("more", [(), ("--fast",)])
def test_a_suite_without_a_judge_is_done(ragauge, answers, suite, more):
    done = ragauge("run", answers.name, "-s", suite, *more)
    assert done.code == 0
    assert ": no scores; " not in done.err


# Asked anew ---------------------------------------------------------------------------------------


def test_a_reply_that_cannot_be_read_is_asked_for_anew_when_that_is_told(
    ragauge, answers, tmp_path
):
    def mumbling(number, body):
        mumbles = not healed and "tier 1" in body["messages"][1]["content"]
        return faulty.ok("Well, it depends.") if mumbles else by_rules(number, body)

    def done(*more):
        return ragauge("run", answers.name, "-m", "gpt_score", *at(server, *more), "--folder", "r")

    healed = []
    with faulty.FaultyServer(mumbling) as server:
        first = done()
        assert (first.code, server.n_requests) == (4, 4)
        assert (
            "1 score failed; run the same command again to retry, with --retry-unreadable if the stored "
            "reply cannot be read"
        ) in first.err
        healed.append(True)
        assert (done().code, server.n_requests) == (4, 4)
        told = done("--retry-unreadable", "--dry-run")
        assert " 1 " in next(line for line in told.out.splitlines() if line.startswith("m "))
        assert server.n_requests == 4
        assert (done("--retry-unreadable").code, server.n_requests) == (0, 5)
        assert scores(tmp_path)["value"].null_count() == 0
        assert (done("--folder", "other").code, server.n_requests) == (0, 5)
        assert (done("--retry-unreadable", "--record", "rec").code, server.n_requests) == (0, 5)
    again = ragauge("run", answers.name, "-m", "gpt_score", "--judge", "replay:rec")
    assert again.code == 0


def test_everything_is_asked_so_often_as_is_said(ragauge, answers, served, tmp_path):
    done = ragauge("run", answers.name, *ASK, *at(served, "--repeat", 3), "--folder", "r")
    assert done.code == 0
    assert served.n_requests == 3 * N_CALLS
    assert "gpt_score: asked 3 times, the judge changed its verdict on 0 of 3 answers" in done.err
    assert json.loads(scores(tmp_path)["evidence"][1])["repeats"] == [1.0, 1.0, 1.0]


def test_several_judges_are_told_apart(ragauge, answers, served, tmp_path):
    done = ragauge("run", answers.name, *ASK, *at(served), "--judge", "n", "--folder", "r")
    assert done.code == 0
    assert {one["model"] for one in served.asked} == {"m", "n"}
    assert "gpt_score [m]" in done.out
    assert "gpt_score [n]" in done.out
    assert "m and n agree on 3 of 3 answers" in done.err


# Recordings ---------------------------------------------------------------------------------------


def test_a_recording_is_replayed_to_the_same_scores_with_nobody_there(
    ragauge, answers, served, tmp_path
):
    done = ragauge("run", answers.name, *ASK, *at(served, "--record", "rec"), "--folder", "r")
    assert done.code == 0
    assert len((tmp_path / "rec").read_text().splitlines()) == 1 + N_CALLS
    again = ragauge("run", answers.name, *ASK, "--judge", "replay:rec", "--folder", "again")
    assert again.code == 0
    assert served.n_requests == N_CALLS
    assert scores(tmp_path, "again").equals(scores(tmp_path))


def test_a_file_that_is_no_recording_is_refused_and_none_is_written_over(ragauge, answers, served):
    before = answers.read_bytes()
    done = ragauge("run", answers.name, *ASK, "--judge", f"replay:{answers.name}")
    assert done.code == 2
    assert "answers.jsonl: is not a recording of a judge's replies" in done.err
    done = ragauge("run", answers.name, *ASK, *at(served, "--record", answers.name))
    assert done.code == 2
    assert "answers.jsonl: is not a recording of a judge's replies" in done.err
    assert answers.read_bytes() == before
    done = ragauge("run", answers.name, *ASK, *at(served, "--record", "no/such/folder/rec"))
    assert (done.code, served.n_requests) == (2, 0)
    assert "cannot be written" in done.err


def test_a_recording_of_other_samples_fails_what_it_has_not(ragauge, answers, served, tmp_path):
    ragauge("run", answers.name, "-m", "gpt_score", *at(served, "--record", "rec"))
    answers.write_text(answers.read_text().replace("tier 1", "tier 9"))
    done = ragauge("run", answers.name, "-m", "gpt_score", "--judge", "replay:rec", "--folder", "r")
    assert done.code == 4
    (failed,) = scores(tmp_path).filter(pl.col("status") == "failed").iter_rows(named=True)
    assert failed["id"] == "q1"
    assert "the samples or prompts are not those of the recording" in failed["reason"]


def test_a_finished_run_is_recorded_and_the_recording_read_whatever_may_not_be_asked(
    ragauge, answers, served, tmp_path
):
    ragauge("run", answers.name, *ASK, *at(served), "--folder", "r")
    ragauge("run", answers.name, *ASK, *at(served, "--record", "rec"), "--folder", "r")
    assert len((tmp_path / "rec").read_text().splitlines()) == 1 + N_CALLS
    for option in (("--fast",), ("--max-calls", "1")):
        done = ragauge("run", answers.name, *ASK, "--judge", "replay:rec", *option)
        assert (done.code, "skipped" in done.out + done.err) == (0, False)
    replayed = ("--judge", "replay:rec", "--record", "again", "--folder", "r2")
    ragauge("run", answers.name, *ASK, *replayed[:2], *replayed[4:])
    ragauge("run", answers.name, *ASK, *replayed)
    assert len((tmp_path / "again").read_text().splitlines()) == 1 + N_CALLS


# Failures -----------------------------------------------------------------------------------------


def refusing(number, body):
    return faulty.refusal(400, "this text is too long")


SUITES = ["answer-quality", "graphrag", "factual-qa"]


@pytest.fixture
def mixed(answers):
    """Answers one of which needs no judge to be classed, and one that matches by itself."""
    row = json.loads(answers.read_text().splitlines()[0])
    rows = [{**row, "id": "x", "answer": "I do not know."}, {**row, "answer": row["reference"]}]
    answers.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return answers


@pytest.mark.parametrize("suite", SUITES)
def test_when_every_call_fails_the_exit_code_is_6(ragauge, mixed, tmp_path, suite):
    with faulty.FaultyServer(refusing) as server:
        done = ragauge("run", mixed.name, "-s", suite, *at(server), "--folder", "r")
        assert server.n_requests > 0
    assert done.code == 6
    assert "this text is too long" in told(done.out + done.err)
    judged = scores(tmp_path).filter(pl.col("metric").str.contains('"prompts="'))
    assert judged["value"].is_null().all()


@pytest.mark.parametrize("name", ["m", 'a "b"\\c', "Richter Nº 5 法官"])
def test_the_exit_code_is_6_whatever_the_judges_name(ragauge, answers, name):
    with faulty.FaultyServer(refusing) as server:
        done = ragauge("run", answers.name, *ASK, *at(server, model=name))
    assert done.code == 6


def test_when_some_calls_fail_the_exit_code_is_4_and_running_again_asks_for_these(
    ragauge, answers, tmp_path
):
    def sick(number, body):
        is_sick = not healed and "tier 1" in body["messages"][1]["content"]
        return refusing(number, body) if is_sick else by_rules(number, body)

    healed = []
    with faulty.FaultyServer(sick) as server:
        done = ragauge("run", answers.name, *ASK, *at(server), "--folder", "r")
        assert done.code == 4
        assert "2 scores failed; run the same command again to retry" in done.err
        assert server.n_requests == N_CALLS - 1  # no claims, so nothing to support
        healed.append(True)
        done = ragauge("run", answers.name, *ASK, *at(server), "--folder", "r")
        assert done.code == 0
        assert server.n_requests == N_CALLS - 1 + 3
    assert scores(tmp_path)["value"].null_count() == 0


def test_where_nobody_listens_a_run_ends_with_6(ragauge, answers, tmp_path):
    (tmp_path / "run.toml").write_text(
        f'data = "{answers.name}"\nmetrics = ["gpt_score"]\n'
        '[judge]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/v1"\ndeadline_s = 0.2\n'
    )
    done = ragauge("run", "run.toml")
    assert done.code == 6
    assert "127.0.0.1:9" in done.err


def test_a_cache_of_a_newer_version_or_of_somebody_else_is_refused(
    ragauge, answers, served, tmp_path
):
    database = sqlite3.connect(tmp_path / "new")
    database.execute("pragma user_version = 99")
    database.close()
    for name, says in (
        ("new", "was written by a newer ragauge"),
        ("answers.jsonl", "is not a cache"),
    ):
        for more in ((), ("--dry-run",)):
            done = ragauge("run", answers.name, *ASK, *at(served, "--cache", name), *more)
            assert done.code == 5
            assert says in done.err
    assert served.n_requests == 0
    assert answers.read_text().startswith('{"id"')


# What may be said ---------------------------------------------------------------------------------

THERE = ("--judge", "m", "--judge-url", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--judge-url", "http://127.0.0.1:9"), "judge settings without a judge: base_url"),
        (("--max-calls", "3"), "judge settings without a judge: max_calls"),
        (("-m", "exact_match", "--record", "rec"), "add --judge MODEL"),
        (("-m", "exact_match", "--retry-unreadable"), "add --judge MODEL"),
        (("--judge", "m", "--max-calls", "0"), "'--max-calls'"),
        (("--judge", "m", "--repeat", "0"), "'--repeat'"),
        (("--judge", "m", "--max-cost", "0"), "'--max-cost'"),
        (("--judge", "m", "--price", "1"), "expected two numbers as in 0.15,0.60, got '1'"),
        ((*THERE, "--price", "nan,1"), "price must be"),
        ((*THERE, "--fast", "--retry-unreadable"), "--fast makes no calls, but --retry-unreadable"),
        ((), "gpt_score needs a judge; give one with --judge"),
        (("--judge", " "), "the judge has an empty name"),
        (("--judge", "replay:"), "is not a recording"),
        ((*THERE, "--language", "../x"), "language must"),
        ((*THERE, "--prompts", "no"), "no: is not a folder"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_done(
    ragauge, answers, tmp_path, options, says
):
    done = ragauge("run", answers.name, "-m", "gpt_score", *options)
    assert done.code == 2
    assert says in told(done.err)
    assert not (tmp_path / "ragauge-runs").exists()


def test_a_judge_may_be_given_where_no_metric_asks_one(ragauge, answers, served):
    done = ragauge("run", answers.name, "-m", "exact_match", *at(served))
    assert (done.code, served.n_requests) == (0, 0)


def test_ones_own_prompts_are_asked_with_and_their_faults_told(ragauge, answers, served, tmp_path):
    own = tmp_path / "words"
    own.mkdir()
    (own / "criteria.md").write_text(
        "version = 2\n---\n{{question}}\n{{reference}}\n{{answer}}\nFive verdicts, please.\n"
    )
    metric = ("-m", "gpt_score", *at(served, "--prompts", "words"))
    assert ragauge("run", answers.name, *metric, "--folder", "r").code == 0
    assert all(
        one["messages"][1]["content"].endswith("Five verdicts, please.\n") for one in served.asked
    )
    (own / "criterion.md").write_text("")
    done = ragauge("run", answers.name, *metric)
    assert done.code == 2
    assert "criterion.md: no prompt has that name; did you mean 'criteria'" in told(done.err)


# In a configuration -------------------------------------------------------------------------------


def configured(tmp_path, judge, *, metrics='"gpt_score"', top=""):
    text = f'data = "answers.jsonl"\nmetrics = [{metrics}]\n{top}[judge]\n{judge}'
    (tmp_path / "run.toml").write_text(text)
    return "run.toml"


def test_a_configuration_says_all_of_a_judge(ragauge, answers, served, tmp_path):
    config = configured(
        tmp_path,
        f'model = "m"\nbase_url = "{served.url}"\napi_key_env = "JUDGE_KEY"\ntemperature = 1\n'
        "max_tokens = 77\nseed = 5\nrpm = 60000\ntpm = 100000000\nconcurrency = 2\nrepeat = 2\n"
        "max_calls = 5\nmax_cost_usd = 1\nprice = [2, 5]\nwindow = 9000\nlanguage = 'sw'\n",
        top='folder = "r"\n',
    )
    done = ragauge("run", config)
    assert served.n_requests == 5
    assert served.most <= 2
    (sent,) = {
        json.dumps({name: one.get(name) for name in ("model", "temperature", "max_tokens", "seed")})
        for one in served.asked
    }
    assert json.loads(sent) == {"model": "m", "temperature": 1, "max_tokens": 77, "seed": 5}
    assert "language 'sw'" in served.asked[0]["messages"][0]["content"]
    assert {one["authorization"] for one in served.headers} == {f"Bearer {CANARY}"}
    assert "$0.0015" in done.err  # 5 · (100 · 2 + 20 · 5) / 1e6


def test_options_stand_before_a_configuration(ragauge, answers, served, tmp_path):
    config = configured(
        tmp_path, 'model = "other"\nbase_url = "http://127.0.0.1:9/v1"\nmax_calls = 1\n'
    )
    done = ragauge("run", config, *at(served, "--max-calls", 99), "--folder", "r")
    assert done.code == 0
    assert {one["model"] for one in served.asked} == {"m"}
    assert served.n_requests == 3


def test_a_recording_and_prompts_are_sought_beside_the_configuration(
    ragauge, answers, served, tmp_path
):
    ragauge("run", answers.name, "-m", "gpt_score", *at(served, "--record", "rec"), "--folder", "a")
    (tmp_path / "there").mkdir()
    for name in ("rec", "answers.jsonl"):
        (tmp_path / name).rename(tmp_path / "there" / name)
    configured(tmp_path / "there", 'model = "replay:rec"\n')
    done = ragauge("run", "there/run.toml", "--folder", "b")
    assert done.code == 0
    assert scores(tmp_path, "b").equals(scores(tmp_path, "a"))
    configured(tmp_path / "there", 'model = "replay:rec"\nprompts = "words"\n')
    done = ragauge("run", "there/run.toml")
    assert done.code == 2
    assert "there/words: is not a folder" in told(done.err)


def test_a_recording_and_a_model_judge_side_by_side(ragauge, answers, served, tmp_path):
    ragauge("run", answers.name, "-m", "gpt_score", *at(served, "--record", "rec", model="old"))
    config = configured(
        tmp_path,
        f'model = ["replay:rec", "new"]\nbase_url = "{served.url}"\n',
        top='folder = "r"\n',
    )
    assert ragauge("run", config).code == 0
    assert {one["model"] for one in served.asked[3:]} == {"new"}
    assert set(scores(tmp_path)["metric"].str.extract(r'judge="(\w+)"')) == {"old", "new"}


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        ('modle = "m"\n', "run.toml: judge: unknown key 'modle'; did you mean 'model'?"),
        ('model = "m"\napi_key = "x"\n', "unknown key 'api_key'; did you mean 'api_key_env'?"),
        ("model = 5\n", "judge: model must be a name or a list of names, got 5"),
        ("model = []\n", "judge: model must be a name or a list of names, got []"),
        ('model = ["m", 5]\n', "judge: model must be a name or a list of names"),
        ('model = "m"\nmax_calls = "9"\n', "judge: max_calls must be"),
        ('model = "m"\nrpm = true\n', "judge: rpm must be"),
        ('model = "m"\ntemperature = "hot"\n', "judge: temperature must be"),
        ('model = "m"\nprice = 5\n', "judge: price must be"),
        ('model = "m"\nbase_url = "http://127.0.0.1:9"\nprice = ["1", "2"]\n', "price must be two"),
        (
            'model = "m"\nbase_url = "http://127.0.0.1:9"\nmax_calls = 0\n',
            "max_calls must be a whole",
        ),
        ("temperature = 0\n", "judge settings without a judge: temperature"),
        ('model = "m"\nmodel = "n"\n', "run.toml"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_with_its_place(
    ragauge, answers, tmp_path, judge, says
):
    done = ragauge("run", configured(tmp_path, judge))
    assert done.code == 2
    assert says in told(done.err)


# Keys ---------------------------------------------------------------------------------------------


def telling(number, body):
    """A server that repeats the key in its errors, as some do."""
    said = [
        faulty.refusal(401, f"Incorrect API key provided: {CANARY}"),
        faulty.refusal(400, f"header Authorization: Bearer {CANARY}"),
        by_rules(number, body),
    ]
    return said[number % len(said)]


def test_a_key_stands_nowhere(ragauge, answers, tmp_path):
    said = []
    with faulty.FaultyServer(telling) as server:
        secret_url = server.url.replace("//", f"//user:{CANARY}@")
        for number, more in enumerate(([], ["--record", "rec"], ["--judge-url", secret_url])):
            place = (*at(server), *more, "--cache", f"cache{number}")
            output = ("-o", f"out{number}.json", "-o", f"out{number}.md", "--folder", f"r{number}")
            dry = ragauge("run", answers.name, *ASK, *place, "--dry-run")
            done = ragauge("run", answers.name, *ASK, *place, *output)
            assert done.code in (4, 6)
            reasons = " ".join(scores(tmp_path, f"r{number}")["reason"].drop_nulls())
            assert "Incorrect API key provided" in reasons or "Authorization" in reasons
            shown = ragauge("show", f"r{number}", "q1")
            said += [one for each in (dry, done, shown) for one in (each.out, each.err)]
        assert server.n_requests > 9
        assert all(CANARY in one["authorization"] for one in server.headers[:3])
    assert not [one for one in said if CANARY in one]
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert {"rec", "cache0", "out2.md", "000000.parquet"} <= {one.name for one in files}
    assert not [one.name for one in files if CANARY.encode() in one.read_bytes()]
