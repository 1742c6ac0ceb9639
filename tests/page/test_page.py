"""The report page as a file: what is in it, that texts cannot leave their place, and that it is complete."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import ragauge as rg
from ragauge.errors import PlanError, StoreError
from ragauge.label import Label
from ragauge.page import chunks
from ragauge.page.breakdowns import run_slices
from ragauge.page.overview import Overview
from ragauge.page.page import asset, script_json, write_page
from ragauge.page.view import ReportView

ROWS = [
    {"id": id, "system": system, "question": f"What is {id}?", "answer": answer, "reference": "Rome", "kind": kind}
    for id, kind, answers in (
        ("q1", "city", {"a": "Rome", "b": "Paris"}),
        ("q2", "city", {"a": "Rome it is", "b": "Rome"}),
        ("q3", "other", {"a": "Oslo", "b": None}),
    )
    for system, answer in answers.items()
]  # fmt: skip


class Page:
    """The data of a written page."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text("utf-8")
        self.scripts = dict(
            re.findall(r'<script type="[a-z/]+" id="([^"]+)">([^<]*)</script>', self.text)
        )
        self.view = json.loads(self.scripts["view"])

    def chunk(self, name: str) -> bytes:
        return zlib.decompress(base64.b64decode(self.scripts[name]))

    def json(self, name: str) -> object:
        return json.loads(self.chunk(name))


def judged(tmp_path: Path, **reply: str) -> tuple[rg.Run, Page]:
    """A run of one answer that a judge replies so to, and its page."""
    row = {"id": "q1", "question": "?", "answer": "x", "reference": "y"}
    run = rg.evaluate([row], "answer_class", judge=rg.ScriptedJudge(reply))
    return run, Page(run.report(tmp_path / "report.html"))


@pytest.fixture(scope="module")
def run() -> rg.Run:
    return rg.evaluate(ROWS, ["exact_match", "token_f1"])


@pytest.fixture(scope="module")
def page(run: rg.Run, tmp_path_factory) -> Page:
    return Page(run.report(tmp_path_factory.mktemp("page") / "report.html"))


def test_the_matrix_has_the_means_and_counts_of_the_summary(run, page):
    view = page.view["runs"][0]
    rows = {(row["metric"], row["system"]): row for row in run.summary().iter_rows(named=True)}
    for metric in view["metrics"]:
        for system, cell in zip(view["systems"], metric["cells"], strict=True):
            row = rows[metric["label"], system]
            assert all(cell[name] == row[name] for name in ("mean", "low", "high", "ok", "n"))
            assert sum(cell["bins"]) == row["ok"]
    first = view["metrics"][0]
    # exact_match of a: Rome 1, "Rome it is" 0, Oslo 0; of b: 0, 1, and no answer.
    assert dict(zip(view["systems"], [cell["shown"] for cell in first["cells"]], strict=True)) == {
        "a": "0.33", "b": "0.50",
    }  # fmt: skip


def test_a_score_without_a_value_is_counted_with_its_reason(page):
    view = page.view["runs"][0]
    (reason,) = view["metrics"][0]["cells"][view["systems"].index("b")]["reasons"]
    assert (reason["status"], reason["n"]) == ("missing", 1)
    assert "answer" in reason["reason"]


def test_the_columns_have_every_value_exactly(run, page):
    view = page.view["runs"][0]
    ids = cast(Mapping[str, list[str]], page.json("0.ids"))["ids"]
    n = len(ids) * len(view["systems"])
    for metric in view["metrics"]:
        chunk = page.chunk(f"0.score.{metric['column']}")
        values = np.frombuffer(chunk, "<f8", n)
        statuses = np.frombuffer(chunk, np.uint8, n, 10 * n)
        for row in run.scores.filter(run.scores["metric"] == metric["label"]).iter_rows(named=True):
            at = ids.index(row["id"]) * len(view["systems"]) + view["systems"].index(row["system"])
            assert view["statuses"][statuses[at]] == row["status"]
            assert values[at] == row["value"] if row["value"] is not None else np.isnan(values[at])


def test_the_blocks_have_the_texts_and_the_evidence(run, page):
    view = page.view["runs"][0]
    questions = cast(list[dict], page.json("0.block.0"))
    assert [question["shared"]["question"] for question in questions] == [
        "What is q1?", "What is q2?", "What is q3?",
    ]  # fmt: skip
    stored = run.scores.filter(run.scores["evidence"].is_not_null())
    found = {
        (f"q{q}", view["systems"][answer["s"]], view["metrics"][k]["label"]): evidence
        for q, question in enumerate(questions, 1)
        for answer in question["answers"]
        for k, evidence in answer["evidence"]
    }
    assert found == {
        (row["id"], row["system"], row["metric"]): json.loads(row["evidence"])
        for row in stored.iter_rows(named=True)
    }


def test_questions_are_the_same_whatever_the_blocks(tmp_path, monkeypatch):
    rows = [{**row, "id": f"{row['id']}-{n}", "n": [n]} for n in range(20) for row in ROWS]
    run = rg.evaluate(rows, ["exact_match", "keyword_coverage"])
    page = Page(run.report(tmp_path / "large.html"))
    monkeypatch.setattr(chunks, "BLOCK_SIZE", 1_500)
    monkeypatch.setattr(chunks, "AT_ONCE", 2)
    monkeypatch.setattr(chunks, "QUESTIONS_AT_ONCE", 7)
    monkeypatch.setattr("ragauge.page.page.MAX_PENDING", 3_000)
    written = Page(run.report(tmp_path / "small.html"))
    starts = written.view["runs"][0]["blocks"]
    assert len(starts) > 5
    blocks = [cast(list[dict], written.json(f"0.block.{at}")) for at in range(len(starts))]
    assert [len(block) for block in blocks] == [b - a for a, b in pairwise([*starts, 60])]
    assert [question for block in blocks for question in block] == page.json("0.block.0")
    for field in (each["chunk"] for each in page.view["runs"][0]["fields"] if each["chunk"]):
        assert written.json(field) == page.json(field)


def test_the_pairs_are_those_of_the_first_screen(run, page):
    from ragauge.comparing.systems import differences

    view = page.view["runs"][0]
    found = differences(run, view["systems"][0])
    for metric in view["metrics"]:
        (pair,) = metric["pairs"]
        difference = found.of(metric["label"], *view["systems"])
        assert pair["p_value"] == difference.p_value
        assert abs(pair["difference"]) == abs(difference.difference)
        assert (pair["n"], pair["low"] <= pair["difference"] <= pair["high"]) == (2, True)


def test_a_conversation_is_sliced_by_turn_and_not_by_its_messages():
    chat = [{"role": role, "content": "x"} for role in ("user", "assistant")] * 2
    rows = [
        {"id": str(n), "messages": chat, "references": [["x"], ["y"]], "answerable": [True, False]}
        for n in range(3)
    ]
    slices = run_slices(rg.evaluate(rg.load(rows), "exact_match"))
    assert list(slices) == ["answerable", "turn"]
    assert slices["turn"]["values"] == [1, 2]


def test_slices_have_the_numbers_of_the_grouped_summary(run, page):
    view = page.view["runs"][0]
    (kinds,) = view["slices"]
    assert (kinds["field"], kinds["values"], kinds["counts"]) == ("kind", ["city", "other"], [4, 2])
    rows = {
        (row["kind"], row["metric"], row["system"]): row["mean"]
        for row in run.summary(by="kind").iter_rows(named=True)
    }
    for value, by_metric in zip(kinds["values"], kinds["cells"], strict=True):
        for at, cells in zip(kinds["metrics"], by_metric, strict=True):
            label = view["metrics"][at]["label"]
            for system, cell in zip(view["systems"], cells, strict=True):
                assert (cell and cell["mean"]) == rows.get((value, label, system))


def test_the_policy_allows_only_the_page_s_own_code_and_no_request(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page.text)
    assert policy is not None
    allowed = dict(part.split(" ", 1) for part in policy[1].split("; "))
    assert allowed["default-src"] == "'none'"
    for directive, name in (("script-src", "page.js"), ("style-src", "page.css")):
        digest = base64.b64encode(hashlib.sha256(asset(name).encode()).digest()).decode()
        assert allowed[directive] == f"'sha256-{digest}'"
        assert asset(name) in page.text
    assert not re.search(r'\b(?:src|href)="https?:', page.text)


def test_no_text_ends_its_script_element(tmp_path):
    hostile = "</script><script>alert(1)</script><!-- \u2028 &amp;"
    row = dict.fromkeys(("id", "system", "answer", "reference", "kind"), hostile)
    written = Page(rg.evaluate([row], "exact_match").report(tmp_path / "report.html"))
    assert written.view["runs"][0]["systems"] == [hostile]
    n_scripts = 2 + len(written.scripts) - 1
    assert written.text.count("<script") == written.text.count("</script>") == n_scripts
    assert "alert(1)" not in written.text.replace("alert(1)\\u003c", "")


def test_script_json_is_read_back():
    text = "</script>&<!--\u2028\u2029é😀"
    assert json.loads(script_json({"a": text})) == {"a": text}


def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    first, second = (run.report(tmp_path / f"{n}.html").read_bytes() for n in (1, 2))
    assert first == second


def test_systems_that_answered_other_questions_are_absent_there(tmp_path):
    rows = [
        {"id": "q1", "system": "a", "answer": "x", "reference": "x"},
        {"id": "q2", "system": "b", "answer": "x", "reference": "y"},
    ]
    written = Page(rg.evaluate(rows, "exact_match").report(tmp_path / "report.html"))
    # Systems: a (mean 1), b. Rows: q1 a, q1 b, q2 a, q2 b.
    assert written.json("0.ids") == {"ids": ["q1", "q2"], "absent": [1, 2]}
    questions = cast(list[dict], written.json("0.block.0"))
    assert [[answer["s"] for answer in question["answers"]] for question in questions] == [[0], [1]]


def test_fields_of_any_type_are_written(tmp_path):
    import datetime

    row = {
        "id": "q1", "answer": "x", "reference": "x", "year": 2020, "score": 0.5,
        "day": datetime.date(2020, 1, 2), "flag": True, "tags": ["a", "b"], "nothing": None,
    }  # fmt: skip
    written = Page(rg.evaluate([row], "exact_match").report(tmp_path / "report.html"))
    fields = {field["name"]: field for field in written.view["runs"][0]["fields"]}
    values = {
        name: cast(list, written.json(field["chunk"]))[0]
        for name, field in fields.items()
        if field["chunk"]
    }
    assert (values["year"], values["flag"], values["day"]) == (2020, True, "2020-01-02")
    assert (fields["year"]["kind"], fields["day"]["kind"], fields["flag"]["kind"]) == (
        "number", "text", "boolean",
    )  # fmt: skip


def test_without_evidence_the_file_has_the_texts_only(run, tmp_path):
    write_page([run], tmp_path / "report.html", evidence=False)
    written = Page(tmp_path / "report.html")
    assert written.view["runs"][0]["has_evidence"] is False
    (first, *_) = cast(list[dict], written.json("0.block.0"))
    assert first["shared"]["question"] == "What is q1?"
    assert [answer["evidence"] for answer in first["answers"]] == [[], []]


def test_several_runs_are_in_one_file(run, tmp_path):
    write_page([run, run], tmp_path / "report.html")
    written = Page(tmp_path / "report.html")
    together, *_ = written.view["runs"]
    assert len(written.view["runs"]) == 3
    assert sorted(together["systems"]) == ["a@run 1", "a@run 2", "b@run 1", "b@run 2"]
    assert written.chunk("1.score.1") == written.chunk("2.score.1")


def test_the_view_has_the_fields_of_its_type(page):
    assert set(page.view) == set(ReportView.__dataclass_fields__)


def test_a_path_that_cannot_be_a_page_is_an_error(run, tmp_path):
    with pytest.raises(PlanError, match=r"report.txt: a report is an HTML file"):
        run.report(tmp_path / "report.txt")
    with pytest.raises(PlanError, match="at least one run"):
        write_page([], tmp_path / "report.html")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="a file is in the way"):
        run.report(tmp_path / "file" / "report.html")


def test_keys_of_judges_do_not_reach_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("MY_SECRET_KEY", "sk-very-secret")
    _, written = judged(tmp_path, verdict="CORRECT")
    assert "sk-very-secret" not in written.text and "MY_SECRET_KEY" not in written.text


def test_the_prompts_of_judged_metrics_are_named_by_their_digest(tmp_path):
    run, written = judged(tmp_path, verdict="CORRECT")
    facts = {fact["label"]: fact["text"] for fact in written.view["runs"][0]["facts"]}
    digest = Label.parse(run.metrics[0].metric).settings["prompts"]
    assert facts["prompts"] == f"answer_class {digest}"
    assert facts["judge"] == "scripted: 1 call"


def test_failed_scores_are_named_with_a_filter_that_lists_them(tmp_path):
    _, written = judged(tmp_path, verdict="neither of the two")
    (problem,) = written.view["runs"][0]["problems"]
    assert problem["text"].startswith("1 score of answer_class failed: ")
    assert problem["where"] == 'answer_class.status = "failed"'


def test_a_run_without_any_score_is_written(tmp_path):
    run = rg.evaluate([{"id": "q1", "answer": "x"}], "exact_match")
    written = Page(run.report(tmp_path / "report.html"))
    assert written.view["runs"][0]["headline"] == "Nothing was scored."
    assert replace(run.metrics[0]).name == written.view["runs"][0]["metrics"][0]["name"]


def test_a_page_that_is_there_already_is_left_alone(run, tmp_path):
    path = run.report(tmp_path / "report.html")
    before = path.stat().st_mtime_ns
    run.report(path)
    assert path.stat().st_mtime_ns == before
    whole = path.read_bytes()
    for damaged in (whole[:-100], whole.replace(b"What was run", b"What was ruined"), b""):
        path.write_bytes(damaged)
        run.report(path)
        assert path.read_bytes() == whole


def test_the_texts_of_prompts_are_in_the_page_once_if_they_are_those_of_the_run(tmp_path):
    _, page = judged(tmp_path, verdict="CORRECT", reason="…")
    ((name, text),) = page.view["runs"][0]["prompts"].items()
    (answer,) = page.json("0.block.0")[0]["answers"]
    assert [call["prompt"] for _, each in answer["evidence"] for call in each["calls"]] == [name]
    assert "{{question}}" in text
    others = tmp_path / "prompts"
    others.mkdir()
    (others / f"{name}.md").write_text(f"version = 1\n---\nMine: {text}")
    judge = rg.ScriptedJudge({"verdict": "CORRECT", "reason": "…"})
    row = {"id": "q1", "question": "?", "answer": "x", "reference": "y"}
    config = rg.JudgeConfig((judge,), prompts=others)
    own = rg.evaluate([row], "answer_class", judge=config)
    assert Page(own.report(tmp_path / "own.html")).view["runs"][0]["prompts"] == {}


def test_a_metric_that_needs_a_judge_is_no_problem_but_a_note():
    run = rg.evaluate([{"id": "q1", "answer": "oak", "reference": "oak"}], "factual-qa")
    view = Overview(run).view()
    assert [metric.name for metric in view.metrics if metric.unavailable]
    assert view.problems == ()
    assert any("judge" in note for note in view.notes)
