"""`ragauge run` with a judge: options and [judge], budgets, recordings, exit codes, and no key anywhere.

What a judged run computes is tested in test_judged_runs.py; here is what the command reads and says.
"""

import json

import faulty_server as faulty
import polars as pl
import pytest
import rules
from cases import cases

import ragauge as rg

CANARY = "sk-canary-0123456789abcdef"
ASK = ("-m", "faithfulness", "-m", "gpt_score")
GPT = ("-m", "gpt_score")
N_CALLS = 9  # of ASK on `answers`: claims, support and criteria for each of three
NO_REPLY = "not asked: only the cache is read, and it has no reply of m"


def by_rules(number, body):
    """What an endpoint says whose model judges by rules."""
    prompt = body["response_format"]["json_schema"]["name"]
    return faulty.ok(rules.reply(prompt, body["messages"][1]["content"]))


def refusing(number, body):
    return faulty.refusal(400, "this text is too long")


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
    """An endpoint with a judge by rules, unless a test sets its `answer`."""
    with faulty.FaultyServer(by_rules) as server:
        yield server


@pytest.fixture
def offline(ragauge, answers):
    """`ragauge run` on the answers."""
    return lambda *arguments, **expected: ragauge("run", answers.name, *arguments, **expected)


@pytest.fixture
def run(offline, served):
    """`ragauge run` on the answers with the endpoint's judge; without a folder it is stored in `r`."""

    def call(*arguments, model="m", folder="r", **expected):
        place = ("--judge", model, "--judge-url", served.url, "--judge-key", "JUDGE_KEY")
        return offline(*place, "--folder", folder, *arguments, **expected)

    return call


@pytest.fixture
def scores(tmp_path):
    return lambda folder="r": rg.open_run(tmp_path / folder).scores


def told(text):
    return " ".join(text.split())


def n_to_ask(done):
    """The calls to m that a dry run counts."""
    assert done.code == 0
    return int(next(line for line in done.out.splitlines() if line.startswith("m ")).split()[1])


# A run --------------------------------------------------------------------------------------------


def test_a_judged_run_says_by_whom_and_what_it_took_and_again_pays_nothing(
    run, served, scores, tmp_path
):
    done = run(*ASK, "--full", code=0)
    assert served.n_requests == N_CALLS
    assert {one["authorization"] for one in served.headers} == {f"Bearer {CANARY}"}
    assert f"m: {N_CALLS} calls, 900 tokens in and 180 out" in done.err
    assert "judged by m: faithfulness, gpt_score" in told(done.out)
    assert scores()["value"].null_count() == 0
    assert all('judge="m"' in one for one in scores()["metric"])
    judging = json.loads((tmp_path / "r" / "manifest.json").read_text())["judging"]["m"]
    assert (judging["calls"], judging["failed"]) == (N_CALLS, 0)
    assert judging["address"] == f"127.0.0.1:{served.port}"
    assert run(*ASK).code == 0
    done = run(*ASK, folder="other")
    assert f"m: 0 calls; {N_CALLS} cached replies used" in told(done.err)
    assert run(*ASK, "--fast", folder="fast").code == 0
    assert scores("other").equals(scores()) and scores("fast").equals(scores())
    assert served.n_requests == N_CALLS


def test_a_dry_run_counts_what_is_still_to_be_asked_and_leaves_nothing(
    run, offline, served, tmp_path
):
    before = sorted(tmp_path.iterdir())
    done = run(*ASK, "--price", "1,10", "--dry-run")
    assert n_to_ask(done) == N_CALLS
    assert "$0.0" in done.out
    assert sorted(tmp_path.iterdir()) == before
    assert "unknown price; give --price" in told(run(*ASK, "--dry-run").out)
    limits = ("--max-calls", "1", "--max-cost", "0.000001")
    done = run(*ASK, "--price", "1,10", *limits, "--dry-run")
    assert "m: more calls than --max-calls 1; the run would stop early" in told(done.err)
    assert "m: --max-cost is 1e-06; the run would stop early" in told(done.err)
    assert served.n_requests == 0
    run(*GPT)
    assert n_to_ask(run(*ASK, "--dry-run")) == 6
    assert served.n_requests == 3
    done = offline("-m", "exact_match", "--dry-run")
    assert "no judge is configured, so the run costs nothing" in done.err


def test_a_bound_on_costs_needs_a_price_and_holds(run, served):
    assert "no price of 'm' is known" in run(*ASK, "--max-cost", 0.001, code=2).err
    assert served.n_requests == 0
    # Each call costs 100 · $1 + 20 · $10 for a million: $0.0003.
    done = run(*ASK, "--max-cost", 0.0013, "--price", "1,10")
    assert 1 <= served.n_requests <= 4
    assert f"${0.0003 * served.n_requests:,.4f}" in done.err


# Without a value ----------------------------------------------------------------------------------


USED_UP = "not asked: the budget of 1 calls is used up"


@cases(
    ("-m gpt_score -m answer_class -m exact_match --fast", 6, f"gpt_score, answer_class: no scores; {NO_REPLY}"),
    ("-m ragas_score --fast", 6, f"ragas_score: no scores; {NO_REPLY}"),
    ("-m faithfulness --fast", 6, "no answer could be scored: not asked: only the cache is read"),
    ("-m faithfulness -m gpt_score --max-calls 1 --cache none", 6, f"no scores; {USED_UP}"),
    # Of three answers one has a value, and the budget is told of.
    ("-m gpt_score --max-calls 1 --cache none", 0, "m: the budget ran out, 2 questions not asked; raise it and run again"),
)  # fmt: skip
def test_what_was_asked_for_and_has_no_value_is_no_pass(arguments, code, said, run, served):
    done = run(*arguments.split())
    assert (done.code, f"ragauge: {said}" in done.err or said in told(done.err)) == (code, True)
    assert served.n_requests == (1 if "--max-calls" in arguments else 0)


def test_a_composite_of_which_no_part_has_a_value_says_what_was_not_asked(run, answers):
    row = {**json.loads(answers.read_text().splitlines()[0]), "reference": ""}
    answers.write_text(json.dumps(row))
    done = run("-m", "answer_match", "--fast", code=6)
    assert f"ragauge: answer_match: no scores; {NO_REPLY}" in done.err.splitlines()
    del row["reference"]  # then there is nothing to ask about, and nothing is scored
    answers.write_text(json.dumps(row))
    assert run("-m", "answer_match", "--fast", folder="other").code == 4


def test_what_the_cache_has_is_a_value_and_the_others_are_told(run):
    run(*GPT)
    assert run(*GPT, "--fast", folder="a").code == 0
    done = run(*ASK, "--fast", folder="b", code=6)
    assert f"ragauge: faithfulness: no scores; {NO_REPLY}" in done.err.splitlines()
    done = run(*GPT, "--judge", "n", "--fast", folder="c", code=6)
    assert "gpt_score [n]: no scores; not asked: " in done.err


@pytest.mark.parametrize("suite", ["graphrag", "factual-qa"])
def test_a_suite_without_a_judge_is_done_and_with_one_that_always_fails_ends_with_6(
    run, offline, answers, served, scores, suite
):
    # One answer needs no judge to be classed, and one matches by itself.
    row = json.loads(answers.read_text().splitlines()[0])
    rows = [{**row, "id": "x", "answer": "I do not know."}, {**row, "answer": row["reference"]}]
    answers.write_text("".join(json.dumps(one) + "\n" for one in rows))
    for more in ((), ("--fast",)):
        done = offline("-s", suite, *more)
        assert (done.code, ": no scores; " in done.err) == (0, False)
    served.answer = refusing
    done = run("-s", suite)
    assert served.n_requests > 0
    assert done.code == 6
    assert "this text is too long" in told(done.out + done.err)
    valued = scores().drop_nulls("value").filter(pl.col("metric").str.contains("prompts="))
    assert set(valued["id"]) == ({"x"} if suite == "graphrag" else set())


@pytest.mark.parametrize("name", ['a "b"\\c', "Richter Nº 5 法官"])
def test_the_exit_code_is_6_whatever_the_judges_name(run, served, name):
    served.answer = refusing
    assert run(*ASK, model=name).code == 6


# Asked anew ---------------------------------------------------------------------------------------


def test_a_reply_that_cannot_be_read_is_asked_for_anew_when_that_is_told(run, served, scores):
    def mumbling(number, body):
        is_sick = "tier 1" in body["messages"][1]["content"]
        return faulty.ok("Well, it depends.") if is_sick else by_rules(number, body)

    served.answer = mumbling
    first = run(*GPT)
    assert (first.code, served.n_requests) == (4, 4)
    assert (
        "1 score failed; run the same command again to retry, with --retry-unreadable if the stored "
        "reply cannot be read"
    ) in first.err
    served.answer = by_rules
    assert (run(*GPT).code, served.n_requests) == (4, 4)
    assert n_to_ask(run(*GPT, "--retry-unreadable", "--dry-run")) == 1
    assert served.n_requests == 4
    assert (run(*GPT, "--retry-unreadable").code, served.n_requests) == (0, 5)
    assert scores()["value"].null_count() == 0
    assert (run(*GPT, folder="other").code, served.n_requests) == (0, 5)


def test_everything_is_asked_so_often_as_is_said_and_of_each_judge(run, served, scores):
    done = run(*ASK, "--repeat", 3, code=0)
    assert served.n_requests == 3 * N_CALLS
    assert "gpt_score: asked 3 times, the judge changed its verdict on 0 of 3 answers" in done.err
    assert json.loads(scores()["evidence"][1])["repeats"] == [1.0, 1.0, 1.0]
    done = run(*ASK, "--judge", "n", folder="two", code=0)
    assert {one["model"] for one in served.asked} == {"m", "n"}
    assert "gpt_score [m]" in done.out
    assert "gpt_score [n]" in done.out
    assert "m and n agree on 3 of 3 answers" in done.err


# Recordings ---------------------------------------------------------------------------------------


def test_a_recording_is_replayed_to_the_same_scores_with_nobody_there(
    run, offline, served, scores, tmp_path
):
    run(*ASK)
    assert run(*ASK, "--record", "rec").code == 0  # all of it is finished, and recorded
    assert len((tmp_path / "rec").read_text().splitlines()) == 1 + N_CALLS
    assert offline(*ASK, "--judge", "replay:rec", "--folder", "again").code == 0
    assert scores("again").equals(scores())
    for option in (("--fast",), ("--max-calls", "1")):
        done = offline(*ASK, "--judge", "replay:rec", *option)
        assert (done.code, "skipped" in done.out + done.err) == (0, False)
    offline(*ASK, "--judge", "replay:rec", "--record", "copy", "--folder", "again")
    assert len((tmp_path / "copy").read_text().splitlines()) == 1 + N_CALLS
    assert served.n_requests == N_CALLS


def test_a_file_that_is_no_recording_is_refused_and_none_is_written_over(
    run, offline, answers, served
):
    before = answers.read_bytes()
    for done in (
        offline(*ASK, "--judge", f"replay:{answers.name}"),
        run(*ASK, "--record", answers.name),
    ):
        assert done.code == 2
        assert "answers.jsonl: is not a recording of a judge's replies" in done.err
    assert answers.read_bytes() == before
    done = run(*ASK, "--record", "no/such/folder/rec")
    assert (done.code, served.n_requests) == (2, 0)
    assert "cannot be written" in done.err


def test_a_recording_of_other_samples_fails_what_it_has_not(run, offline, answers, scores):
    run(*GPT, "--record", "rec")
    answers.write_text(answers.read_text().replace("tier 1", "tier 9"))
    offline(*GPT, "--judge", "replay:rec", "--folder", "other", code=4)
    (failed,) = scores("other").filter(pl.col("status") == "failed").iter_rows(named=True)
    assert failed["id"] == "q1"
    assert "the samples or prompts are not those of the recording" in failed["reason"]


# What may be said ---------------------------------------------------------------------------------

THERE = ("--judge", "m", "--judge-url", "http://127.0.0.1:9")


@cases(
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
)
def test_options_that_cannot_be_are_refused_before_anything_is_done(
    options, says, offline, tmp_path
):
    assert says in told(offline(*GPT, *options, code=2).err)
    assert not (tmp_path / "ragauge-runs").exists()


def test_a_judge_may_be_given_where_no_metric_asks_one(run, served):
    assert (run("-m", "exact_match").code, served.n_requests) == (0, 0)


def test_ones_own_prompts_are_asked_with_and_their_faults_told(run, served, tmp_path):
    own = tmp_path / "words"
    own.mkdir()
    words = "{{question}}\n{{reference}}\n{{answer}}\nFive verdicts, please.\n"
    (own / "criteria.md").write_text(f"version = 2\n---\n{words}")
    assert run(*GPT, "--prompts", "words").code == 0
    contents = [one["messages"][1]["content"] for one in served.asked]
    assert all(content.endswith("Five verdicts, please.\n") for content in contents)
    (own / "criterion.md").write_text("")
    done = run(*GPT, "--prompts", "words", code=2)
    assert "criterion.md: no prompt has that name; did you mean 'criteria'" in told(done.err)


# In a configuration -------------------------------------------------------------------------------


@pytest.fixture
def configured(tmp_path, answers):
    def write(judge, *, top="", folder="."):
        text = f'data = "answers.jsonl"\nmetrics = ["gpt_score"]\n{top}[judge]\n{judge}'
        (tmp_path / folder / "run.toml").write_text(text)
        return f"{folder}/run.toml"

    return write


def test_a_configuration_says_all_of_a_judge(ragauge, configured, served):
    config = configured(
        f'model = "m"\nbase_url = "{served.url}"\napi_key_env = "JUDGE_KEY"\ntemperature = 1\n'
        "max_tokens = 77\nseed = 5\nrpm = 60000\ntpm = 100000000\nconcurrency = 2\nrepeat = 2\n"
        "max_calls = 5\nmax_cost_usd = 1\nprice = [2, 5]\nwindow = 9000\nlanguage = 'sw'\n",
    )
    done = ragauge("run", config)
    assert served.n_requests == 5
    assert served.most <= 2
    expected = {"model": "m", "temperature": 1, "max_tokens": 77, "seed": 5}
    assert all(expected.items() <= one.items() for one in served.asked)
    assert "language 'sw'" in served.asked[0]["messages"][0]["content"]
    assert {one["authorization"] for one in served.headers} == {f"Bearer {CANARY}"}
    assert "$0.0015" in done.err  # 5 · (100 · 2 + 20 · 5) / 1e6


def test_options_stand_before_a_configuration(ragauge, configured, served):
    config = configured('model = "other"\nbase_url = "http://127.0.0.1:9/v1"\nmax_calls = 1\n')
    options = ("--judge", "m", "--judge-url", served.url, "--max-calls", 99)
    assert ragauge("run", config, *options).code == 0
    assert {one["model"] for one in served.asked} == {"m"}
    assert served.n_requests == 3


def test_where_nobody_listens_a_run_ends_with_6(ragauge, configured):
    done = ragauge(
        "run", configured('model = "m"\nbase_url = "http://127.0.0.1:9/v1"\ndeadline_s = 0.2\n')
    )
    assert done.code == 6
    assert "127.0.0.1:9" in done.err


def test_a_recording_and_prompts_are_sought_beside_the_configuration(
    run, ragauge, configured, scores, tmp_path
):
    run(*GPT, "--record", "rec")
    (tmp_path / "there").mkdir()
    for name in ("rec", "answers.jsonl"):
        (tmp_path / name).rename(tmp_path / "there" / name)
    config = configured('model = "replay:rec"\n', folder="there")
    assert ragauge("run", config, "--folder", "b").code == 0
    assert scores("b").equals(scores())
    configured('model = "replay:rec"\nprompts = "words"\n', folder="there")
    assert "there/words: is not a folder" in told(ragauge("run", config, code=2).err)


M = 'model = "m"\n'
AT = f'{M}base_url = "http://127.0.0.1:9"\n'


@cases(
    ('modle = "m"\n', "run.toml: judge: unknown key 'modle'; did you mean 'model'?"),
    (f'{M}api_key = "x"\n', "unknown key 'api_key'; did you mean 'api_key_env'?"),
    ("model = 5\n", "judge: model must be a name or a list of names, got 5"),
    ("model = []\n", "judge: model must be a name or a list of names, got []"),
    ('model = ["m", 5]\n', "judge: model must be a name or a list of names"),
    (f'{M}max_calls = "9"\n', "judge: max_calls must be"),
    (f"{M}rpm = true\n", "judge: rpm must be"),
    (f'{M}temperature = "hot"\n', "judge: temperature must be"),
    (f"{M}price = 5\n", "judge: price must be"),
    (f'{AT}price = ["1", "2"]\n', "price must be two"),
    (f"{AT}max_calls = 0\n", "max_calls must be a whole"),
    ("temperature = 0\n", "judge settings without a judge: temperature"),
    (f"{M}{M}", "run.toml"),
)
def test_a_configuration_that_cannot_be_is_refused_with_its_place(judge, says, ragauge, configured):
    assert says in told(ragauge("run", configured(judge), code=2).err)
