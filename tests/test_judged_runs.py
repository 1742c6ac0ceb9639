"""Judged runs: told beforehand, bounded, repeated, by several judges, resumed for nothing."""

import asyncio
import json
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import polars as pl
import pytest
import rules
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import approx
from rules import samples

import ragauge as rg
from ragauge.errors import JudgeError, PlanError, StoreError
from ragauge.evaluation.forecast import estimate
from ragauge.judges.config import JudgeConfig
from ragauge.judges.protocol import Reply
from ragauge.judges.providers.scripted import RecordingJudge
from ragauge.label import Label
from ragauge.score import NOT_ASKED

JUDGES = Path(__file__).parent / "judges"
PATIENCE_S = 60


class Rules(rg.ScriptedJudge):
    """The judge by rules; `refuses` says what it gives no reply to."""

    def __init__(self, name="rules", refuses=lambda _: False):
        super().__init__(self.answer, name=name)
        self.refuses = refuses

    def answer(self, request):
        if self.refuses(request):
            return JudgeError("not today")
        return rules.script(request)


def evaluated(place, rows, asking, *, judge=None, batch_size=2, **judging):
    """A run kept in `place`, with its cache beside it; and how many calls its judge got."""
    judge = judge or Rules()
    run = rg.evaluate(
        rows,
        asking,
        judge=JudgeConfig((judge,), **judging),
        folder=place / "run",
        cache=place / "cache.sqlite",
        batch_size=batch_size,
    )
    return run, len(judge.requests)


METRICS = (
    "faithfulness",
    "context_precision",
    "context_recall",
    "answer_relevance",
    "ragas_score",
    "factual_accuracy",
    "factual_correctness",
    "answer_class",
    "gpt_score",
    "answer_match",
    'g_eval(criteria="Is it kind?")',
)
sentences = st.sampled_from(
    ["The fee is $5.", "Dogs pay nothing.", "It rains.", "I do not know.", "Who knows?", "…", ""]
)
texts = st.none() | st.lists(sentences, max_size=3).map(" ".join)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "question": st.sampled_from(["What is the fee?", "Does it rain?"]),
            "answer": texts,
            "references": st.none() | st.lists(texts.filter(bool), max_size=2),
            "contexts": st.none() | st.lists(sentences.filter(bool), max_size=3),
        }
    ),
    min_size=1,
    max_size=5,
)


@given(
    rows,
    st.lists(st.sampled_from(METRICS), min_size=1, max_size=3, unique=True),
    st.integers(1, 2),
    st.integers(1, 2),
    st.integers(0, 5),
)
@settings(
    max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.too_slow]
)
def test_an_estimate_is_the_number_of_calls_that_a_run_then_makes(
    rows, metrics, n_judges, repeat, n_before
):
    import tempfile

    rows = [{"id": str(at), **row} for at, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache.sqlite"
        if n_before:  # some replies are there already
            before = JudgeConfig((Rules("judge 0"),), max_calls=n_before)
            rg.evaluate(rows, metrics, judge=before, cache=cache)
        judges = tuple(Rules(f"judge {number}") for number in range(n_judges))
        judging = JudgeConfig(judges, repeat=repeat)
        told = estimate(rows, metrics, judge=judging, cache=cache)
        assert not any(one.requests for one in judges)
        run = rg.evaluate(rows, metrics, judge=judging, cache=cache)
        made = {one.name: len(one.requests) for one in judges}
        assert {name: one.calls for name, one in told.items()} == made
        assert {name: one["calls"] for name, one in run.manifest.judging.items()} == made
        left = estimate(rows, metrics, judge=judging, cache=cache)
        assert {name: one.calls for name, one in left.items()} == dict.fromkeys(made, 0)


def test_an_estimate_makes_no_file_and_no_cache(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for how in ({}, {"cache": tmp_path / "new" / "c"}):
        told = rg.estimate(samples(1), ["graphrag"], judge=Rules(), **how)["rules"]
        assert told.calls > 0
        assert told.prompt_tokens[0] < told.prompt_tokens[1]
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("asking", [["faithfulness"], ["factual-qa", "gpt_score"]])
def test_a_run_with_a_budget_goes_on_where_it_stopped_and_pays_nothing_twice(tmp_path, asking):
    rows = samples(5)
    whole, n = evaluated(tmp_path / "whole", rows, asking)
    n_paid = 0
    for most in (1, 3, n // 2, n):
        run, n_calls = evaluated(tmp_path / "run in parts", rows, asking, max_calls=most)
        n_paid += n_calls
        assert n_calls <= most
        skipped = run.scores.filter(run.scores["status"] == "skipped")
        assert all(reason.startswith(NOT_ASKED) for reason in skipped["reason"])
        assert (skipped.height > 0) is (n_paid < n)
    assert n_paid == n
    again, n_calls = evaluated(tmp_path / "run in parts", rows, asking)
    assert n_calls == 0
    assert again.scores.equals(run.scores) and again.scores.equals(whole.scores)


@cases(
    ("ragas_score", 2, {"batch_size": 1}),
    ("answer_match", 2, {"batch_size": 1}),
    ("gpt_score", 5, {"repeat": 3}),
)
def test_a_score_of_which_a_part_or_an_asking_was_left_out_is_unfinished(
    asking, most, how, tmp_path
):
    whole, _ = evaluated(tmp_path / "whole", samples(3), [asking], **how)
    evaluated(tmp_path / "run in parts", samples(3), [asking], max_calls=most, **how)
    run, _ = evaluated(tmp_path / "run in parts", samples(3), [asking], **how)
    assert run.scores.equals(whole.scores)


def test_the_best_of_the_references_is_not_known_before_all_were_asked_about(tmp_path):
    """The second reference is the answer's own; the budget is used up after the first."""
    references = ["No", "The fee is $5."]
    row = {"id": "1", "question": "q", "answer": references[1], "references": references}
    run, _ = evaluated(tmp_path, [row], ["factual_accuracy"], max_calls=1)
    assert run.scores["status"].to_list() == ["skipped"]


RUN = """
    import asyncio, json, os, sys
    sys.path.insert(0, sys.argv[1])
    import rules
    import ragauge as rg
    from ragauge.judges.protocol import key_of, reply_ledger
    from ragauge.judges.providers.factory import open_judge

    log, kill_at, samples = open("asked", "a"), int(sys.argv[2]), json.loads(sys.argv[3])
    keys, room = [], asyncio.Semaphore(1)

    async def judge(request):
        async with room:
            key = key_of(opened.identity, request)
            log.write(key.hex() + "\\n")
            log.flush()
            if len(keys) + 1 == kill_at:
                while len(reply_ledger("cache").find(keys)) < len(keys):  # all that came before is kept
                    await asyncio.sleep(0.01)
                os.kill(os.getpid(), 9)
            keys.append(key)
            await asyncio.sleep(0.001)
            return json.dumps(rules.script(request))

    opened = open_judge(judge)
    metrics = ["faithfulness", "context_precision", "gpt_score"]
    rg.evaluate(samples, metrics, judge=opened, batch_size=3, folder="run", cache="cache")
"""


def finished(folder, kill_at=0):
    """The exit code of a judged run of 8 rows, 32 calls, and the keys of all that was ever asked in its folder."""
    folder.mkdir(exist_ok=True)
    (folder / "own_run.py").write_text(textwrap.dedent(RUN))
    arguments = ("own_run.py", JUDGES, kill_at, json.dumps(samples(8)))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], cwd=folder, timeout=PATIENCE_S, check=False
    )
    return done.returncode, (folder / "asked").read_text().split()


@pytest.mark.posix
@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_pays_nothing_twice_and_ends_the_same(tmp_path):
    code, whole = finished(tmp_path / "whole")
    assert code == 0
    assert len(whole) == len(set(whole)) == 8 * 4
    for kill_at in (4, 9):
        assert finished(tmp_path / "killed", kill_at)[0] == -signal.SIGKILL
    code, asked = finished(tmp_path / "killed")
    assert code == 0
    # One at a time: each kill loses the reply that was being waited for, and no other.
    assert sorted(set(asked)) == sorted(whole)
    assert len(asked) == len(whole) + 2
    killed, expected = (rg.open_run(tmp_path / name / "run") for name in ("killed", "whole"))
    assert killed.scores.equals(expected.scores)


class Interrupting:
    """A judge that replies some times, then interrupts the process and is called off."""

    name = "rules"
    identity = Rules().identity

    def __init__(self, n_replies):
        self.n_replies, self.requests, self.n_called_off = n_replies, [], 0

    async def reply(self, request):
        self.requests.append(request)
        if len(self.requests) <= self.n_replies:
            return Reply(json.dumps(rules.script(request)))
        if len(self.requests) == self.n_replies + 1:
            await asyncio.sleep(0.05)  # what came is on the disk by then
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        try:
            return await asyncio.wait_for(asyncio.Event().wait(), 3)
        except asyncio.CancelledError:
            self.n_called_off += 1
            raise


@pytest.fixture
def beside_polars(interruptible):
    """Polars handles interrupts too, and has system calls go on: so is a wait without end not ended."""
    signal.siginterrupt(signal.SIGINT, False)
    yield
    signal.siginterrupt(signal.SIGINT, True)


@pytest.mark.usefixtures("beside_polars")
def test_an_interrupt_ends_a_run_at_once_and_leaves_the_replies_that_came(tmp_path):
    rows = samples(6)
    judge = Interrupting(5)
    with pytest.raises(KeyboardInterrupt):
        evaluated(tmp_path / "cut", rows, ["faithfulness"], judge=judge, batch_size=6)
    assert judge.n_called_off == len(judge.requests) - 5
    whole, n = evaluated(tmp_path / "whole", rows, ["faithfulness"], batch_size=6)
    run, n_after = evaluated(tmp_path / "cut", rows, ["faithfulness"], batch_size=6)
    assert n_after == n - 5
    assert run.scores.equals(whole.scores)


def test_scoring_one_sample_leaves_no_thread_behind():
    before = threading.active_count()
    for _ in range(10):
        rg.score("gpt_score", question="q", answer="a", reference="a", judge=Rules())
    end = time.monotonic() + 2
    while threading.active_count() > before + 1 and time.monotonic() < end:  # the loop's own
        time.sleep(0.005)
    assert threading.active_count() <= before + 1


def moody(*verdicts, name="moody"):
    """A judge whose verdict depends on the asking; an error where there is none."""

    def answer(request):
        said = verdicts[request.sample]
        return {"reason": "…", "verdict": said} if said else JudgeError("not today")

    return rg.ScriptedJudge(answer, name=name)


@cases(
    # Mean 2/3; variance (1/9 + 4/9 + 1/9) / 3 = 2/9.
    (("CORRECT", "WRONG", "CORRECT"), 2 / 3, [1.0, 0.0, 1.0], (2 / 9) ** 0.5),
    (("CORRECT", None, "WRONG"), 0.5, [1.0, "not today", 0.0], 0.5),
    ((None, None), None, None, None),
)
def test_a_repeated_score_is_the_mean_of_its_askings_with_their_spread(
    verdicts, value, repeats, spread
):
    judge, n = moody(*verdicts), len(verdicts)
    run = rg.evaluate(samples(4), ["answer_class"], judge=JudgeConfig((judge,), repeat=n))
    assert sorted(one.sample for one in judge.requests) == sorted([*range(n)] * 4)
    assert run.manifest.code["repeats"] == n
    if value is None:
        assert run.scores["status"].to_list() == ["failed"] * 4
        return
    assert run.scores["value"].to_list() == [approx(value)] * 4
    told = json.loads(run.scores["evidence"][0])
    assert (told["repeats"], told["spread"]) == (repeats, approx(spread))
    (row,) = run.summary().iter_rows(named=True)
    assert row["low"] <= row["mean"] <= row["high"]


def test_of_equal_askings_the_mean_is_their_value_to_the_last_bit():
    """(0.1 + 0.1 + 0.1) / 3 is a hair above 0.1."""
    poor = {name: {"score": 10, "reason": "…"} for name in rules.CRITERIA}
    judge = rg.ScriptedJudge({"accuracy": poor})
    run = rg.evaluate(samples(1), ["factual_accuracy"], judge=JudgeConfig((judge,), repeat=3))
    assert run.scores["value"].to_list() == [0.1]
    assert json.loads(run.scores["evidence"][0])["spread"] == 0.0


def test_metrics_that_no_judge_has_a_part_in_are_computed_once_whatever_the_repeat(own_metrics):
    called = []

    @rg.metric
    def counted(answer: str) -> float:
        called.append(answer)
        return 1.0

    judging = JudgeConfig((Rules(),), repeat=3)
    run = rg.evaluate(samples(2), ["counted", "gpt_score"], judge=judging)
    assert len(called) == 2
    plain = run.scores.filter(pl.col("metric") == "counted")
    assert plain["evidence"].to_list() == [None, None]


ODD_NAMES = ["gpt-4o-mini", 'a "quoted") name', "Richter Nº 5 法官", "new\nline", "judge=\\x"]


def test_each_judge_has_its_own_column_under_a_label_that_reads_back():
    judges = [Rules(name) for name in ODD_NAMES]
    (row,) = samples(1)
    run = rg.evaluate([row], ["gpt_score", "exact_match"], judge=judges)
    labels = [one for one in run.scores["metric"].unique(maintain_order=True) if "judge=" in one]
    assert [Label.parse(one).settings["judge"] for one in labels] == ODD_NAMES
    assert all(str(Label.parse(one)) == one for one in labels)
    assert len({one.name for one in run.metrics}) == 6
    fields = {name: row[name] for name in ("question", "answer", "references")}
    for judge, label in zip(judges, labels, strict=True):
        in_run = run.scores.filter(pl.col("metric") == label)["value"][0]
        assert rg.score(label, judge=judge, **fields).value == in_run


def test_rows_on_which_judges_disagree_need_review():
    """They disagree on q1 alone; one without a verdict disputes nothing."""

    def strict(request):
        is_wrong = "tier 1" in request.messages[1].content
        return {"reason": "…", "verdict": "WRONG" if is_wrong else "CORRECT"}

    lenient, silent = moody("CORRECT", name="lenient"), moody(None, name="silent")
    judges = [lenient, rg.ScriptedJudge(strict, name="strict")]
    run = rg.evaluate(samples(3), ["answer_class", "exact_match"], judge=judges)
    review = run.needs_review()
    assert (set(review["id"]), review.height) == ({"q1"}, 2)
    for evidence in review["evidence"]:
        assert json.loads(evidence)["judges"] == {"lenient": 1.0, "strict": 0.0}
    run = rg.evaluate(samples(2), ["answer_class"], judge=[lenient, silent])
    assert run.needs_review().height == 0
    assert sorted(run.scores["status"]) == ["failed", "failed", "ok", "ok"]


def test_a_label_that_names_a_judge_asks_that_one_alone():
    one, other = Rules("one"), Rules("other")
    run = rg.evaluate(samples(2), ['gpt_score(judge="other")'], judge=[one, other])
    assert len(set(run.scores["metric"])) == 1
    assert (len(one.requests), len(other.requests)) == (0, 2)
    assert set(run.manifest.judging) == {"other"}
    for known in ("one", "one, other"):
        judges = [Rules(name) for name in known.split(", ")]
        says = f"names the judge 'x', but the judges are {known}; add it"
        with pytest.raises(PlanError, match=says):
            rg.evaluate(samples(1), ['gpt_score(judge="x")'], judge=judges)


def test_the_budget_is_each_judges_own_and_a_long_label_no_hindrance():
    judges = (Rules("a" * 20), Rules("b" * 20))
    label = f'g_eval(criteria="{"x" * 3_975}")'
    run = rg.evaluate(samples(5), ["gpt_score"], judge=JudgeConfig(judges, max_calls=2))
    assert [len(one.requests) for one in judges] == [2, 2]
    assert run.scores.filter(pl.col("status") == "ok").height == 4
    assert rg.evaluate(samples(1), [label], judge=judges).scores["value"].to_list() == [0.5, 0.5]


def test_checks_that_share_a_name_are_no_hindrance_to_several_judges():
    checks = [
        {"where": f'id = "{id}"', "rules": {"tells the fee": {"contains": "fee"}}}
        for id in ("q0", "q1")
    ]
    suite = rg.Suite.read({"name": "own", "check": checks}, "own")
    run = rg.evaluate(samples(2), [suite, "gpt_score"], judge=[Rules("a"), Rules("b")])
    assert run.scores.filter(pl.col("metric") == "tells the fee")["value"].to_list() == [1.0, 1.0]


OWN = "version = 7\n---\n{{question}}\n{{references}}\n{{answer}}\nCORRECT or WRONG?\n"


def digest(run, metric):
    (label,) = {one for one in run.scores["metric"] if one.startswith(metric)}
    return Label.parse(label).settings["prompts"]


def test_words_of_ones_own_change_the_labels_of_the_metrics_that_ask_with_them(tmp_path):
    (tmp_path / "verdict.md").write_text(OWN)
    asking, judge = ["answer_class", "gpt_score"], Rules()
    config = JudgeConfig((judge,), prompts=tmp_path)
    ours, shipped = (rg.evaluate(samples(1), asking, judge=each) for each in (config, Rules()))
    assert digest(ours, "answer_class") != digest(shipped, "answer_class")
    assert digest(ours, "gpt_score") == digest(shipped, "gpt_score")
    told = [one.messages[1].content for one in judge.requests if one.prompt == "verdict"]
    assert all(one.endswith("CORRECT or WRONG?\n") for one in told)
    # A label with the digest of the right words is taken.
    label = f'answer_class(prompts="{digest(shipped, "answer_class")}")'
    assert rg.evaluate(samples(1), [label], judge=Rules()).scores["value"].to_list() == [1.0]
    with pytest.raises(PlanError, match=r"names other prompts than this run's, '[0-9a-f]{8}'"):
        rg.evaluate(samples(1), [label], judge=config)


def test_a_run_with_other_words_or_another_judge_is_another_run(tmp_path):
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "verdict.md").write_text(OWN)
    evaluated(tmp_path, samples(2), ["answer_class"])
    # How contexts are shown, in one piece or in several, may change verdicts.
    words = {"prompts": tmp_path / "words"}
    for other in (words, {"judge": Rules("x")}, {"repeat": 2}, {"window": 1_700}):
        with pytest.raises(StoreError, match="holds another run"):
            evaluated(tmp_path, samples(2), ["answer_class"], **other)
    run, n = evaluated(tmp_path, samples(2), ["answer_class"], max_calls=1)
    assert n == 0  # what may be spent does not make it another one
    assert run.scores["status"].to_list() == ["ok", "ok"]


MUMBLED = "Well, it depends."
CUT = '{"reason": "The fee'


class Mumbling:
    """The judge by rules, who says what cannot be read where it is told to."""

    name = "rules"
    identity = {"model": "mumbling rules"}

    def __init__(self, mumbles=lambda _: False, said=MUMBLED):
        self.mumbles, self.said, self.requests = mumbles, said, []

    async def reply(self, request):
        self.requests.append(request)
        return Reply(self.said if self.mumbles(request) else json.dumps(rules.script(request)))


def of_tiers(*tiers):
    return lambda request: any(f"tier {one}" in request.messages[1].content for one in tiers)


def attempts(judge):
    return [one.attempt for one in judge.requests]


def classed(place, rows, *tiers, said=MUMBLED, **how):
    """The run of `answer_class` whose judge mumbles of these tiers, and the judge."""
    judge = Mumbling(of_tiers(*tiers), said)
    return evaluated(place, rows, ["answer_class"], judge=judge, **how)[0], judge


RETRY = {"retry_unreadable": True}


def test_what_cannot_be_read_is_asked_anew_when_that_is_told_and_nothing_else_is(tmp_path):
    rows = samples(4)
    whole, _ = classed(tmp_path / "whole", rows)
    _, judge = classed(tmp_path, rows, 2)
    assert len(judge.requests) == 5  # four questions, and once what is wrong

    def left(**told):
        judging = JudgeConfig((Mumbling(),), **told)
        cache = tmp_path / "cache.sqlite"
        return estimate(rows, ["answer_class"], judge=judging, cache=cache)["rules"].calls

    assert (left(), left(**RETRY)) == (0, 1)
    run, judge = classed(tmp_path, rows)
    assert judge.requests == []
    assert run.scores.filter(pl.col("status") == "failed")["id"].to_list() == ["q2"]
    run, judge = classed(tmp_path, rows, **RETRY)
    assert attempts(judge) == [2]
    assert of_tiers(2)(judge.requests[0])
    assert run.scores["value"].to_list() == whole.scores["value"].to_list()
    (tmp_path / "run").rename(tmp_path / "before")
    again, judge = classed(tmp_path, rows)
    assert judge.requests == []
    assert again.scores.equals(run.scores)
    assert (left(), left(**RETRY)) == (0, 0)


def test_what_was_asked_anew_is_recorded_and_replayed(tmp_path):
    rows, asking, cache = samples(2), ["answer_class"], tmp_path / "c"
    rg.evaluate(rows, asking, judge=Mumbling(of_tiers(1)), cache=cache)
    recording = JudgeConfig((RecordingJudge(Mumbling(), tmp_path / "r"),), **RETRY)
    first = rg.evaluate(rows, asking, judge=recording, cache=cache)
    assert set(first.scores["status"]) == {"ok"}
    again = rg.evaluate(rows, asking, judge=f"replay:{tmp_path / 'r'}")
    assert again.scores.equals(first.scores)


@cases((MUMBLED, ([0, 0], [2, 2], [4, 4])), (CUT, ([0, 1, 0, 1], [2, 3, 2, 3], [4, 5, 4, 5])))
def test_who_is_told_so_again_asks_anew_again_also_where_the_same_is_said(
    said, attempts_of_runs, tmp_path
):
    """The question, and what is wrong with the reply; each once more where it breaks off."""
    for wanted in attempts_of_runs:
        run, judge = classed(tmp_path, samples(1), 0, said=said, **RETRY)
        assert attempts(judge) == wanted
        assert run.scores["status"].to_list() == ["failed"]
    assert attempts(classed(tmp_path, samples(1), **RETRY)[1]) == [6]
    (tmp_path / "run").rename(tmp_path / "before")
    run, judge = classed(tmp_path, samples(1))
    assert judge.requests == []
    assert run.scores["status"].to_list() == ["ok"]


@pytest.mark.parametrize("batch_size", [1, 2])
def test_a_question_of_several_rows_is_asked_anew_once(tmp_path, batch_size):
    rows = [{**samples(1)[0], "id": str(at)} for at in range(4)]
    for _ in range(2):
        _, judge = classed(tmp_path, rows, 0, batch_size=batch_size, **RETRY)
        assert len(judge.requests) == 2


def test_asking_anew_is_bounded_by_the_budget_and_goes_on_where_it_stopped(tmp_path):
    classed(tmp_path, samples(3), 0, 1, 2)
    for max_calls, n, statuses in ((2, 2, ["ok", "ok", "skipped"]), (None, 1, ["ok"] * 3)):
        run, judge = classed(tmp_path, samples(3), max_calls=max_calls, **RETRY)
        assert len(judge.requests) == n
        assert sorted(run.scores["status"]) == statuses


def test_what_was_begun_anew_is_gone_on_with_without_being_told(tmp_path):
    """The new reply cannot be read either, and the budget ends before the judge is told so."""
    classed(tmp_path, samples(1), 0)
    assert attempts(classed(tmp_path, samples(1), 0, max_calls=1, **RETRY)[1]) == [2]
    run, judge = classed(tmp_path, samples(1))
    assert attempts(judge) == [2]
    assert [one.role for one in judge.requests[0].messages][2:] == ["assistant", "user"]
    assert run.scores["status"].to_list() == ["ok"]


def still(tmp_path, **how):
    """How many calls an estimate counts for the run in the folder, without a cache."""
    told = {"folder": tmp_path / "run", "batch_size": 2, **how}
    return rg.estimate(samples(5), ["answer_class"], judge=Mumbling(), **told)["rules"].calls


def begun(tmp_path, judge):
    folder = tmp_path / "run"
    rg.evaluate(samples(5), ["answer_class"], judge=judge, folder=folder, batch_size=2)
    return len(judge.requests)


def test_an_estimate_does_not_count_the_batches_that_the_folder_has_finished(tmp_path):
    """q0 and q1, q2 and q3, q4: the second batch has a score that failed."""

    def files():
        return {one: one.stat().st_mtime_ns for one in tmp_path.rglob("*")}

    assert still(tmp_path) == 5
    assert files() == {}
    begun(tmp_path, Mumbling(of_tiers(3)))
    before = files()
    assert still(tmp_path) == 2
    assert files() == before
    # Another run does not go on with these batches.
    assert still(tmp_path, seed=1) == still(tmp_path, batch_size=3) == 5
    assert begun(tmp_path, Mumbling()) == 2
    assert still(tmp_path) == 0


def test_nor_those_of_a_run_that_did_not_come_to_its_end(tmp_path):
    class Full(Mumbling):
        async def reply(self, request):
            if of_tiers(4)(request):
                raise StoreError("no room")
            return await super().reply(request)

    with pytest.raises(StoreError, match="no room"):
        begun(tmp_path, Full())
    n_parts = len(list((tmp_path / "run" / "scores").iterdir()))
    assert n_parts > 0
    left = still(tmp_path)
    assert left == 5 - 2 * n_parts
    assert begun(tmp_path, Mumbling()) == left
