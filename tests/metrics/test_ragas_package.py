"""The measures of the package ragas with our judge behind them; most tests need ragas 0.4."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest
from cases import cases
from pytest import approx

import ragauge as rg
from ragauge.errors import JudgeError, PlanError
from ragauge.judges.protocol import Reply
from ragauge.metrics.ragas_package import MEASURES, needs_ragas

FOUR = tuple(MEASURES)
SAMPLE = {
    "question": "What is the fee?",
    "answer": "It is $5. Dogs are free.",
    "contexts": ["The fee is $5.", "Boots stay outside.", "Cats are free."],
    "reference": "The fee is $5. Dogs stay outside.",
}
STATEMENTS = json.dumps({"statements": ["The fee is $5.", "Dogs are free."]})


def verdicts(*flags: int) -> str:
    said = [{"statement": "…", "reason": "…", "verdict": flag} for flag in flags]
    return json.dumps({"statements": said})


def installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


needs_package = pytest.mark.skipif(not installed("ragas"), reason="ragas is not installed")


def found(label: str, judge, **changed) -> rg.Score:
    judge = judge if callable(getattr(judge, "reply", None)) else rg.ScriptedJudge({label: judge})
    return rg.score(label, judge=judge, **{**SAMPLE, **changed})


# Without the package --------------------------------------------------------------------------------


@pytest.mark.skipif(installed("ragas"), reason="ragas is installed")
@pytest.mark.parametrize("label", FOUR)
def test_without_ragas_it_is_said_before_any_work_how_to_get_it(label):
    judge = rg.ScriptedJudge({})
    with pytest.raises(PlanError, match=r"and none is installed.*'ragauge\[ragas\]'"):
        found(label, judge)
    assert not judge.requests


def lay_out(folder, name: str, number: str) -> None:
    """What tells of an installed package."""
    info = folder / f"{name.replace('-', '_')}-{number}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")


@cases(
    ("0.3.9", "0.3.31", "0.3.9 is installed"),
    ("1.0.0", "0.3.31", "1.0.0 is installed"),
    ("0.4.3", "0.4.1", "pip install 'langchain-community<0.4'"),
    ("0.4.3", "1.0", "pip install 'langchain-community<0.4'"),
    ("0.4.3", "0.3.31", None),
)
def test_versions_that_do_not_work_are_named(ragas, community, said, tmp_path, monkeypatch):
    lay_out(tmp_path, "ragas", ragas)
    lay_out(tmp_path, "langchain-community", community)
    monkeypatch.syspath_prepend(tmp_path)
    problem = needs_ragas({})
    assert problem is None if said is None else said in problem


# With it --------------------------------------------------------------------------------------------

LONG = "Let me think. " * 500


def attributed(*flags: int) -> dict[str, object]:
    said = [{"statement": "…", "reason": "…", "attributed": flag} for flag in flags]
    return {"classifications": said}


def asked_back(question: str, noncommittal: int = 0) -> dict[str, object]:
    return {"question": question, "noncommittal": noncommittal}


@needs_package
@cases(
    ("ragas:faithfulness", [STATEMENTS, verdicts(1, 0)], 0.5),
    ("ragas:faithfulness", [LONG + STATEMENTS, LONG + verdicts(1, 1)], 1),
    ("ragas:faithfulness", [json.dumps({"statements": []})], None),
    # The ranks 1 and 3: (1/1 + 2/3) / 2 = 5/6, and ragas' 1e-10.
    ("ragas:context_precision", [{"reason": "…", "verdict": flag} for flag in (1, 0, 1)], 5 / 6),
    ("ragas:context_recall", attributed(1, 0), 0.5),
    ("ragas:context_recall", attributed(), None),
    ("ragas:answer_relevance", asked_back(SAMPLE["question"], 1), 0),
    ("ragas:answer_relevance", asked_back(""), None),
)  # fmt: skip
def test_values_are_those_of_ragas_from_its_replies(label, replies, value):
    score = found(label, replies)
    assert score.value == (value if value is None else approx(value, abs=1e-9))
    assert score.status == ("undefined" if value is None else "ok")
    assert score.evidence["package"] == f"ragas {version('ragas')}"


@needs_package
def test_context_precision_of_no_contexts_is_ragas_own_0():
    assert found("ragas:context_precision", [], contexts=[]).value == 0


class Opposed:
    """An encoder to which what the fee is and all else are opposites; of one word it has no vector."""

    name, identity = "opposed", {"name": "opposed"}

    def encode(self, texts, *, long_text="cut"):
        if any("unknown" in text for text in texts):
            raise rg.EncoderError("too long")
        return np.array([[-1 if "fee" in text else 1, 0] for text in texts], np.float32)

    def count_tokens(self, texts):
        return None


@needs_package
def test_the_value_may_be_negative_as_in_ragas_and_is_none_without_a_vector():
    def score(question):
        judge = rg.ScriptedJudge({"ragas:answer_relevance": asked_back(question)})
        return rg.score("ragas:answer_relevance", judge=judge, encoder=Opposed(), **SAMPLE)

    assert score("Are dogs free?").value == approx(-1)
    failed = score("Are unknown dogs free?")
    assert (failed.status, failed.reason) == (
        "failed",
        "the questions cannot be compared: too long",
    )


@needs_package
def test_of_several_references_the_best_counts():
    judge = rg.ScriptedJudge({"ragas:context_recall": [attributed(0), attributed(1)]})
    sample = {name: SAMPLE[name] for name in ("question", "contexts")}
    score = rg.score("ragas:context_recall", judge=judge, references=["A.", "B."], **sample)
    assert (score.value, score.evidence["best_reference"]) == (1, 1)


@needs_package
@pytest.mark.parametrize("label", ["ragas:context_precision", "ragas:context_recall"])
def test_without_a_reference_it_is_missing(label):
    assert found(label, [], reference=None).status == "missing"


@needs_package
def test_answer_relevance_asks_thrice_and_takes_the_mean_cosine():
    # Three times the question that was asked: a cosine of 1 each.
    said = [{"question": SAMPLE["question"], "noncommittal": flag} for flag in (1, 0, 1)]
    judge = rg.ScriptedJudge({"ragas:answer_relevance": said})
    assert found("ragas:answer_relevance", judge).value == approx(1, abs=1e-6)
    assert [one.sample for one in judge.requests] == [0, 1, 2]
    assert len({one.messages for one in judge.requests}) == 1


# What fails -----------------------------------------------------------------------------------------


@needs_package
def test_a_judge_that_gives_no_verdict_has_failed():
    score = found("ragas:faithfulness", [STATEMENTS, verdicts()])
    assert (score.status, score.reason) == ("failed", "scripted gave no verdict on any statement")


@needs_package
@pytest.mark.parametrize("label", FOUR)
@pytest.mark.parametrize("reply", ["", "no JSON", "{" * 500, '{"statements": 1}', "\ud800"])
def test_replies_that_ragas_cannot_read_fail_and_are_shown(label, reply):
    score = found(label, reply)
    assert (score.status, score.value) == ("failed", None)
    assert score.reason.startswith("ragas cannot score this: ")
    assert score.evidence["calls"][0]["reply"] == reply


@needs_package
@pytest.mark.parametrize("reply", ["{" * 10**6, "word " * 10**5, '{"statements": ["' + "a" * 10**5])
def test_a_long_reply_without_json_fails_at_once(reply):
    """ragas would try to mend it for minutes, and all others would wait."""
    judge = rg.ScriptedJudge({"ragas:faithfulness": reply})
    score = found("ragas:faithfulness", judge)
    assert (score.status, len(judge.requests)) == ("failed", 1)
    assert score.reason == f"scripted replied with {len(reply):,} characters that are not JSON"


@needs_package
@pytest.mark.parametrize("label", FOUR)
def test_a_judge_that_is_down_fails_the_score_with_its_reason(label):
    score = found(label, [JudgeError("http://localhost:1 did not answer", is_down=True)] * 9)
    assert (score.status, score.reason) == ("failed", "http://localhost:1 did not answer")


@needs_package
@pytest.mark.parametrize("reason", ["length", "content_filter", "refusal"])
def test_an_unfinished_reply_fails_without_another_call(reason):
    judge = rg.ScriptedJudge({"ragas:faithfulness": Reply(STATEMENTS, finish_reason=reason)})
    score = found("ragas:faithfulness", judge)
    assert (score.status, len(judge.requests)) == ("failed", 1)
    assert reason in score.reason


# In a run -------------------------------------------------------------------------------------------


def answering(request) -> str:
    """A reply that ragas can read, whatever it asks."""
    told = request.messages[-1].content
    forms = {
        "StatementGeneratorOutput": STATEMENTS,
        "NLIStatementOutput": verdicts(1, 0),
        "Verification": '{"reason": "…", "verdict": 1}',
        "ContextRecallClassifications": '{"classifications": [{"statement": "…", "reason": "…", "attributed": 1}]}',
        "ResponseRelevanceOutput": '{"question": "What is the fee?", "noncommittal": 0}',
    }
    return next(reply for form, reply in forms.items() if f'"title": "{form}"' in told)


ROW = {"id": "q1", **SAMPLE}
N_CALLS = 2 + 3 + 1 + 3
"""Statements and verdicts, three contexts, the reference, three questions."""


@needs_package
def test_replies_are_kept_and_not_asked_for_again(tmp_path):
    judge = rg.ScriptedJudge(answering)
    for _ in range(2):
        run = rg.evaluate([ROW], FOUR, judge=judge, cache=tmp_path / "cache.db")
        assert run.scores["status"].to_list() == ["ok"] * 4
        assert len(judge.requests) == N_CALLS


@needs_package
def test_the_budget_skips_what_is_left():
    judging = rg.JudgeConfig((rg.ScriptedJudge(answering),), max_calls=3)
    run = rg.evaluate([ROW], "ragas:context_recall", judge=judging)
    assert run.scores["status"].to_list() == ["ok"]
    judging = rg.JudgeConfig((rg.ScriptedJudge(answering),), max_calls=1)
    run = rg.evaluate([ROW], "ragas:faithfulness", judge=judging)
    assert run.scores["status"].to_list() == ["skipped"]
    assert "budget" in run.scores["reason"][0]


@needs_package
def test_each_asking_of_several_asks_anew():
    judge = rg.ScriptedJudge(answering)
    rg.evaluate([ROW], "ragas:answer_relevance", judge=rg.JudgeConfig((judge,), repeat=2))
    assert [one.sample for one in judge.requests] == [0, 1, 2, 1000, 1001, 1002]


@needs_package
def test_an_estimate_counts_the_calls_without_asking():
    from ragauge.engine.measure import measure
    from ragauge.engine.plan import make_plan
    from ragauge.engine.resources import Resources
    from ragauge.engine.selection import suites_of

    judge = rg.ScriptedJudge(answering)
    resources = Resources(judging=rg.JudgeConfig((judge,), mode="estimate"))
    columns = {name: [value] for name, value in ROW.items() if name != "reference"}
    columns |= {"references": [[SAMPLE["reference"]]], "system": ["s"]}
    measure(make_plan(suites_of(FOUR), list(columns), resources.defaults()), columns, resources)
    assert not judge.requests
    assert resources.judges["scripted"].usage.estimate().calls == N_CALLS


@needs_package
def test_many_rows_are_under_way_at_once():
    """ragas runs in our loop and asks nothing that stops it: all rows' first calls come first."""
    judge = rg.ScriptedJudge(answering)
    rows = [{**ROW, "id": f"q{n}", "answer": f"It is ${n}."} for n in range(20)]
    run = rg.evaluate(rows, "ragas:faithfulness", judge=judge)
    assert run.scores["value"].to_list() == [0.5] * 20
    firsts = ["StatementGeneratorOutput" in one.messages[0].content for one in judge.requests]
    assert firsts[:10] == [True] * 10


QUIET = """
import sys
opened = []
sys.addaudithook(lambda event, given: opened.append((event, given)) if event in (
    "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto") else None)
sys.path.insert(0, {folder!r})
import ragas.metrics  # as a user may have it already, with its reports on
from ragas._analytics import do_not_track
do_not_track()
import ragauge as rg
import test_ragas_package as told
run = rg.evaluate([told.ROW], told.FOUR, judge=rg.ScriptedJudge(told.answering))
assert run.scores["status"].to_list() == ["ok"] * 4
import atexit; atexit._run_exitfuncs()
print(opened)
"""


@needs_package
def test_nothing_is_reported_to_anybody(tmp_path):
    folder = os.path.dirname(__file__)  # noqa: PTH120
    environment = {name: value for name, value in os.environ.items() if "RAGAS_DO" not in name}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_DATA_HOME": str(tmp_path)}
    command = [sys.executable, "-c", QUIET.format(folder=folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr[-2000:]
