"""`ragauge show`: a run's summary, one question with its evidence, and folders that are no run."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from cases import cases

import ragauge as rg


@pytest.fixture
def run(made, answers) -> Path:
    return Path(made(answers.name, "-m", "exact_match", "-m", "token_f1", folder="r"))


def test_without_id_it_prints_what_run_printed(ragauge, answers):
    printed = ragauge("run", answers, "-m", "exact_match", "--by", "kind", "--folder", "r").out
    assert ragauge("show", "r", "--by", "kind").out == printed


def test_with_id_it_prints_texts_scores_and_evidence(ragauge, run):
    done = ragauge("show", run, "q2", code=0, err="")
    shared, a, b = re.split(r"\n(?=q2 · [ab] ─)", done.out)
    assert shared.startswith("q2 · 2 answers\n")
    assert re.search(r"^references 1 +Rome *$", shared, re.MULTILINE)
    assert re.search(r"^answer +Rome is it *$", a, re.MULTILINE)
    assert "exact_match  0.0000\n" in a
    assert re.search(r'^  shared +\{"rome": 1\} *$', a, re.MULTILINE)
    assert "token_f1  0.5000\n" in a
    assert "exact_match  missing\n" in b
    assert re.search(r"^  reason +the sample has no answer *$", b, re.MULTILINE)
    assert re.search(r"^answer +\(none given\) *$", b, re.MULTILINE)


def test_all_ten_thousand_contexts_are_not_printed_and_that_is_said(ragauge, tmp_path):
    row = {"id": "q", "answer": "x" * 5_000, "contexts": [f"text {n}" for n in range(10_000)]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    ragauge("run", "a.jsonl", "-m", "dont_know", "--folder", "r")
    done = ragauge("show", "r", "q")
    assert "… and 9,980 more, in samples.parquet" in done.out
    assert "… (4,000 more characters)" in done.out
    assert len(done.out) < 10_000


def test_an_unknown_id_gets_a_hint(ragauge, run):
    done = ragauge("show", run, "q22", code=2, out="")
    assert "r has no question 'q22'; did you mean 'q2'" in done.err
    assert "it has 2, starting with 'q1'" in ragauge("show", run, "zzzz").err
    assert "did you mean 'kind'?" in ragauge("show", run, "--by", "knd", code=2, out="").err


@cases(
    ("manifest.json", b"3", "r/manifest.json: is damaged (it is not an object)"),
    ("manifest.json", b"\xff\xfe", "cannot be read"),
    ("manifest.json", b"[" * 100_000, "manifest.json: is damaged"),
    ("manifest.json", b'{"format": 2}', "is damaged (key is missing)"),
    ("scores/000000.parquet", b"PAR1", "remove r and run it again"),
    ("scores/000000.parquet", None, "not a part of a run: it has no column metric"),
    ("samples.parquet", b"", "remove r and run it again"),
)
def test_a_run_with_a_file_that_is_damaged_or_another_is_refused_with_the_way_out(
    name, content, said, ragauge, run
):
    (run / name).write_bytes((run / "samples.parquet").read_bytes() if content is None else content)
    assert said in ragauge("show", run, code=5, out="").err


def test_what_is_no_run_is_refused(ragauge, run, tmp_path):
    (tmp_path / "mine").mkdir()
    for path in ("mine", "nowhere", "answers.jsonl"):
        assert f"{path}: is not a run folder" in ragauge("show", path, code=5, out="").err
    said = "a run cannot be at 'https://host/run'; give a folder, or s3://BUCKET/RUN"
    assert said in ragauge("show", "https://host/run").err


def test_a_run_at_a_url_needs_an_extra(ragauge, answers, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    url = "s3://bucket/run"
    for command in (
        ["show", url],
        ["view", url],
        ["report", url],
        ["compare", url],
        ["gate", url, "--rule", "dont_know >= 0"],
        ["calibrate", url],
        ["label-plan", answers, url],
        ["doctor", "--check", url],
        ["review", "next", url],
        ["run", answers, "-m", "dont_know", "--folder", url],
    ):
        done = ragauge(*command, code=2, out="")
        assert f"{url}: s3:// needs another package; install it with: pip install" in done.err


def test_the_label_stands_beside_a_name_that_differs(ragauge, answers):
    ragauge("run", answers, "-s", "answer-quality", "-s", "graphrag", "--folder", "s")
    out = ragauge("show", "s", "q1").out
    label = 'keyword_coverage(extractor="regex",on_nothing_expected=1)'
    assert re.search(rf"^keyword_coverage  1\.0000  {re.escape(label)}$", out, re.MULTILINE)
    assert re.search(r"^exact_match  1\.0000$", out, re.MULTILINE)
    assert re.search(r"^ragas_score  (undefined|skipped)$", out, re.MULTILINE), "left out nowhere"


def test_the_worst_rows_of_a_metric_come_first(ragauge, run):
    done = ragauge("show", run, "--worst", "token_f1", "-n", "2", code=0, err="")
    rows = [line.split() for line in done.out.splitlines()[2:]]
    # q2 of a has 0.5, the two q1 have 1, q2 of b has no value.
    assert rows == [["q2", "a", "0.5000", "Rome", "is", "it"], ["q1", "a", "1.0000", "Paris"]]
    assert "did you mean 'token_f1'?" in ragauge("show", run, "--worst", "token_f").err


def test_the_scores_of_a_status_are_listed_with_their_reason(ragauge, run):
    done = ragauge("show", run, "--status", "missing")
    rows = [re.split(r"  +", line.strip()) for line in done.out.splitlines()[2:]]
    why = "the sample has no answer"
    assert rows == [["q2", "b", "exact_match", why], ["q2", "b", "token_f1", why]]
    assert "1 of 2 scores; more with -n" in ragauge("show", run, "--status", "missing", "-n", 1).out
    assert "No score is failed." in ragauge("show", run, "--status", "failed", code=0).out
    assert ragauge("show", run, "--status", "lost").code == 2


def test_all_ids_of_a_finding_are_listed(ragauge, tmp_path):
    rows = [{"id": f"q{n}", "answer": "x", "reference": "x"} for n in range(30)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ragauge("run", "a.jsonl", "-s", "answer-quality", "--folder", "r")
    done = ragauge("show", "r", "--finding", "No sign of a source")
    assert len(re.findall(r"^q\d+ +default ", done.out, re.MULTILINE)) == 30
    assert "no finding contains 'zzz'" in ragauge("show", "r", "--finding", "zzz").err


def test_without_a_folder_the_runs_are_listed(ragauge, answers):
    assert ragauge("show").code == 5
    ragauge("run", answers, "-m", "exact_match")
    ragauge("run", answers, "-m", "token_f1", "--limit", "1")
    (Path("ragauge-runs") / "no-run").mkdir()
    done = ragauge("show")
    rows = [re.split(r"  +", line.strip()) for line in done.out.splitlines()[2:]]
    assert sorted(row[1:4] for row in rows) == [["custom", "2", "a, b"], ["custom", "4", "a, b"]]
    assert all(re.match(r"20\d\d-", row[4]) for row in rows)
    first, _ = csv.DictReader(ragauge("show", "-f", "csv").out.splitlines())
    assert (first["suite"], first["systems"]) == ("custom", '["a", "b"]')


def test_one_thing_is_shown_at_a_time(ragauge, run):
    done = ragauge("show", run, "q1", "--worst", "token_f1", code=2, out="")
    assert "give only one of ID, --worst, --status, --finding and --steady" in done.err
    assert "RUN is missing" in ragauge("show", "--worst", "token_f1", code=2, out="").err


@pytest.fixture
def judged(ragauge) -> Path:
    """Two systems whose context recall takes the same two calls: claims of the reference, support."""
    claims = ["It is $5.", "It is late."]
    keys = ("claim", "reason", "supported", "context", "quote")
    given = ((1, "stated", True, 2, "fee is $5"), (2, "no hour is given", False, 0, ""))
    replies = {
        "claims": {"sentences": [{"sentence": 1, "claims": claims, "claim_free": False}]},
        "support": {"verdicts": [dict(zip(keys, each, strict=True)) for each in given]},
    }
    row = {"id": "q1", "reference": "It is $5 and late.", "contexts": ["Rain.", "The fee is $5."]}
    rows = [{**row, "system": system, "answer": system} for system in "ab"]
    judge = rg.ScriptedJudge(replies)
    rg.evaluate(rows, ["context_recall", "exact_match"], judge=judge, folder="j")
    return Path("j")


def test_claims_are_a_list_with_quotes_and_contexts_count_from_one(ragauge, judged):
    _, a, _ = re.split(r"\n(?=q1 · [ab] ─)", ragauge("show", judged, "q1").out)
    lines = [line.strip() for line in a.splitlines()]
    at = next(n for n, line in enumerate(lines) if line.startswith("claims "))
    assert [re.sub(r"  +", " | ", line) for line in lines[at : at + 5]] == [
        "claims | 1 of 2 supported",
        "✓ | It is $5.",
        "“fee is $5” (context 2, characters 4–13)",
        "✗ | It is late.",
        "no hour is given",
    ]


def test_replies_of_judges_are_printed_on_request_and_each_once(ragauge, judged):
    out = ragauge("show", judged, "q1").out
    assert "judged in 2 calls; print the replies with --calls" in out
    done = ragauge("show", judged, "--calls")
    assert (done.code, "--calls needs the ID of a question" in done.err) == (2, True)
    assert "verdicts" not in out
    out = ragauge("show", judged, "q1", "--calls").out
    assert out.count('"verdicts"') == out.count('"sentences"') == 1
    calls = out[out.index("2 calls to judges") :]
    assert len(re.findall(r"^  for [ab] +context_recall", calls, re.MULTILINE)) == 4
    assert out.index("2 calls to judges") > out.index("q1 · b ─")


def test_a_conversation_is_shown_by_message_with_the_scores_of_each_turn(ragauge, tmp_path):
    def chat(system, second):
        called = [{"function": {"name": "trains", "arguments": '{"to": "Bergen"}'}}]
        messages = [
            {"role": "user", "content": "To Bergen?"},
            {"role": "assistant", "tool_calls": called},
            {"role": "tool", "content": "08:25"},
            {"role": "assistant", "content": "At 08:25."},
            {"role": "user", "content": "And back?"},
            {"role": "assistant", "content": second},
        ]
        references = [["At 08:25."], ["At 20:10."]]
        return {"id": "trip", "system": system, "messages": messages, "references": references}

    rows = [chat("a", "At 20:10."), chat("b", "I do not know.")]
    (tmp_path / "chats.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ragauge("run", "chats.jsonl", "-m", "exact_match", "--folder", "run")
    out = ragauge("show", "run", "trip").out
    assert re.search(r'^calls +trains\({"to": "Bergen"}\) *\n  result +08:25 *$', out, re.MULTILINE)
    lines = [line.split(None, 1) for line in out.splitlines()]
    shown = {line[0]: line[1].strip() for line in lines[-5:] if len(line) == 2}
    assert shown == {
        "user": "And back?",
        "assistant": "I do not know.",
        "scores": "exact_match 0.0000",
        "trip#2": shown["trip#2"],
    }
    assert shown["trip#2"].startswith("· b ")
    ragauge("show", "run", "trip", "-o", "trip.json")
    stored = json.loads((tmp_path / "trip.json").read_text())
    assert [score["value"] for score in stored["scores"]] == [1, 1, 1, 0]
    assert "did you mean 'trip#" in ragauge("show", "run", "tripp").err
    single = {**rows[0], "messages": rows[0]["messages"][:4], "references": ["At 08:25."]}
    (tmp_path / "chat.jsonl").write_text(json.dumps(single))
    ragauge("run", "chat.jsonl", "-m", "steps", "--folder", "one")
    lines = [
        line for line in ragauge("show", "one", "trip").out.splitlines() if line[:9] == "messages "
    ]
    assert [line.split(None, 2)[2].strip() for line in lines] == [
        "user: To Bergen?",
        'calls: trains({"to": "Bergen"})',
        "result: 08:25",
        "assistant: At 08:25.",
    ]
