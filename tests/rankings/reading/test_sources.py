"""Judgements and runs of every kind: the same numbers from each, and what is wrong said."""

import gzip
import json
import random
import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragauge as rg
from ragauge.errors import DataError, PlanError, Problem
from ragauge.loaders.loading import load
from ragauge.rankings.reading import mappings, sources
from ragauge.rankings.reading.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.sources import read_judgements, run_frame

JUDGED = {"q1": {"d1": 2, "d2": 0, "d9": 1}, "q2": {"007": 1}}
RUN = {"q1": {"d1": 0.5, "d2": 0.75, "x": 1.0}, "q2": {"007": 3.0, "7": 4.0}, "q3": {"d1": 1.0}}
"""d1 is third of q1 and d2 second; 007 is second of q2; nobody judged q3, or found d9."""


def judged(judgements: Judgements) -> dict[str, dict[str, int]]:
    names = [judgements.document.name(row).decode() for row in range(len(judgements))]
    found: dict[str, dict[str, int]] = {query: {} for query in judgements.queries}
    for query, name, grade in zip(judgements.query, names, judgements.grade.tolist(), strict=True):
        found[judgements.queries[query]][name] = grade
    return found


def match_to_qrels(source: object, judgements: Judgements, **options: object) -> JudgedRun:
    (found,) = sources.match_to_qrels(source, judgements, **options).values()
    return found


def documents(source: object) -> list[tuple[str, float]]:
    """Those of the only query, best first."""
    run = run_frame(source).sort("score", "doc", descending=True)
    assert run["query"].n_unique() == 1
    return run.select("doc", "score").rows()


def seen(retrieved: JudgedRun) -> dict[str, object]:
    """All that a run's retrieval says, by names."""
    judgements = retrieved.judgements
    ranks = {
        (judgements.queries[judgements.query[row]], judgements.document.name(row).decode()): rank
        for row, rank in zip(retrieved.judgement, retrieved.rank.tolist(), strict=True)
    }
    assert len(ranks) == len(retrieved.rank)
    sizes = dict(zip(judgements.queries, retrieved.n_retrieved.tolist(), strict=True))
    return {"ranks": ranks, "sizes": sizes, "unjudged": retrieved.n_unjudged_queries}


SEEN = {
    "ranks": {("q1", "d1"): 3, ("q1", "d2"): 2, ("q2", "007"): 2},
    "sizes": {"q1": 3, "q2": 2},
    "unjudged": 1,
}
PAIRS = sorted((query, name) for query, scores in RUN.items() for name in scores)


def problems_of(read: Callable[[], object]) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        read()
    return caught.value.problems


def written(path: Path, content: str | bytes) -> Path:
    whole = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(whole) if path.suffix == ".gz" else whole)
    return path


def rows_of(nested: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, name, value) for query, row in nested.items() for name, value in row.items()]


def text_of(rows: list[tuple[str, str, float]], header: str, between: str = ",") -> str:
    return "".join([header, *(f"\n{between.join([*row[:2], repr(row[2])])}" for row in rows), "\n"])


def columns_of(rows: list[tuple[str, str, float]], value: str = "score") -> dict[str, list[object]]:
    return dict(zip(("query", "doc", value), map(list, zip(*rows, strict=True)), strict=True))


def objects_of(rows: list[tuple[str, str, float]], names: str) -> list[object]:
    return [dict(zip(names.split(), row, strict=True)) for row in rows]


# Judgements

QRELS_TEXT = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d9 1\nq2 0 007 1\n"
JUDGED_ROWS = rows_of(JUDGED)
JUDGED_FILES = {
    "qrels": QRELS_TEXT,
    "a.qrels.gz": QRELS_TEXT,
    "marco.tsv": QRELS_TEXT.replace(" ", "\t"),
    "beir.tsv": text_of(JUDGED_ROWS, "query-id\tcorpus-id\tscore", "\t"),
    "a.csv": text_of(JUDGED_ROWS, "qid,docno,label"),
    "a.csv.gz": text_of(JUDGED_ROWS, "Topic,DocId,Relevance"),
    "quoted.csv": text_of(JUDGED_ROWS, '"query","doc","grade"'),
    "crlf.csv": text_of(JUDGED_ROWS, "query,doc,grade").replace("\n", "\r\n"),
    "bom.csv": "\ufeff" + text_of(JUDGED_ROWS, "query,doc,grade"),
    "a.json": json.dumps(JUDGED),
    "a.json.gz": json.dumps(JUDGED),
    "rows.json": json.dumps(objects_of(JUDGED_ROWS, "query_id doc_id relevance")),
    "a.jsonl": "\n".join(map(json.dumps, objects_of(JUDGED_ROWS, "topic_id passage_id rel"))),
}


@pytest.mark.parametrize("name", JUDGED_FILES)
def test_judgements_are_the_same_from_every_file(tmp_path, name):
    assert judged(read_judgements(written(tmp_path / name, JUDGED_FILES[name]))) == JUDGED


def test_judgements_are_the_same_from_every_object(tmp_path):
    columns = columns_of(JUDGED_ROWS, "grade")
    frame = pl.DataFrame(columns)
    frame.write_parquet(tmp_path / "a.parquet")
    sources = (
        JUDGED,
        frame,
        pd.DataFrame(columns),
        pd.DataFrame(columns).set_index(["query", "doc"]),
        frame.with_columns(pl.col("query").cast(pl.Categorical)),
        tmp_path / "a.parquet",
        str(tmp_path / "a.parquet"),
        objects_of(JUDGED_ROWS, "qid pid relevance"),
        load([{"id": query, "relevant": grades} for query, grades in JUDGED.items()]),
    )
    for source in sources:
        assert judged(read_judgements(source)) == JUDGED
    read = read_judgements(JUDGED)
    assert read_judgements(read) is read


def test_a_list_of_documents_makes_each_of_grade_one(tmp_path):
    lists = {"q1": ["d1", "d2"], "q2": []}
    for source in (lists, written(tmp_path / "a.json", json.dumps(lists))):
        assert judged(read_judgements(source)) == {"q1": {"d1": 1, "d2": 1}, "q2": {}}


def test_the_test_judgements_of_a_beir_folder_or_of_its_qrels_are_taken_or_the_only_ones(
    tmp_path, monkeypatch
):
    qrels = tmp_path / "scifact" / "qrels"
    qrels.mkdir(parents=True)
    folders = (qrels, qrels.parent)

    def messages() -> list[str]:
        return [problems_of(lambda: read_judgements(it))[0].message for it in folders]  # noqa: B023

    assert all("qrels/*.tsv" in message for message in messages())
    for name, document in (("train", "d1"), ("dev", "d2"), ("test", "d3")):
        written(qrels / f"{name}.tsv", f"query-id\tcorpus-id\tscore\nq1\t{document}\t1\n")
        if name == "dev":
            assert all("dev.tsv, train.tsv" in message for message in messages())
            continue
        for folder in folders:
            assert judged(read_judgements(folder)) == {"q1": {document: 1}}
    monkeypatch.chdir(qrels)
    assert judged(read_judgements(".")) == {"q1": {"d3": 1}}


@pytest.mark.parametrize("content", ["q1\td1\t0.5\n", "q1\td1\t0.5\nq1\td2\t0.4\n"])
def test_a_table_without_a_header_is_told_which_columns_it_lacks(tmp_path, content):
    path = written(tmp_path / "run.tsv", content)
    problems = problems_of(lambda: match_to_qrels(path, read_judgements(JUDGED)))
    for problem, field in zip(problems, ("query", "document", "score"), strict=True):
        assert f"no column for the {field}; it has: 'q1', 'd1', '0.5'" in problem.message
    assert "known names: query_id, qid" in problems[0].message


def test_judgements_in_place_of_a_run_are_told_as_such(tmp_path):
    path = written(tmp_path / "gold.csv", "query,doc,grade\nq1,d1,1\n")
    (problem,) = problems_of(lambda: match_to_qrels(path, read_judgements(JUDGED)))
    assert "no column for the score (judgements have none; give a run); it has" in problem.message


@pytest.mark.parametrize(("query", "doc"), [(b"caf\xe9", b"d"), (b"q", b"caf\xe9")])
def test_a_name_that_is_not_utf8_cannot_stand_in_a_frame(tmp_path, query, doc):
    path = tmp_path / "run"
    path.write_bytes(b"q0 Q0 d 1 1 t\n%b Q0 %b 1 1 t\n" % (query, doc))
    (problem,) = problems_of(lambda: run_frame(path))
    assert problem.source == str(path)
    assert r"b'caf\xe9'" in problem.message and "UTF-8" in problem.message
    assert ("query" in problem.message) == (query != b"q")


def test_grades_may_be_written_as_floats_or_truths(tmp_path):
    expected = {"q": {"a": 1, "b": 0}}
    assert judged(read_judgements({"q": {"a": 1.0, "b": False}})) == expected
    assert judged(read_judgements({"q": {"a": np.int64(1), "b": np.float32(0)}})) == expected
    csv = written(tmp_path / "a.csv", "query,doc,relevant\nq,a,True\nq,b,false\n")
    assert judged(read_judgements(csv)) == expected
    frame = pl.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "relevant": [True, False]})
    assert judged(read_judgements(frame)) == expected
    assert judged(read_judgements(frame.to_pandas())) == expected


@pytest.mark.parametrize("grade", [0.5, float("nan"), float("inf"), None, "1", 2.0**31, [1]])
def test_a_grade_that_is_no_whole_number_is_refused_with_its_query(grade):
    (problem,) = problems_of(lambda: read_judgements({"q1": {"d1": 1, "d2": grade}}))
    assert problem.id == "q1" and "'d2'" in problem.message
    rows = [{"query": "q1", "doc": "d1", "grade": 1}, {"query": "q1", "doc": "d2", "grade": grade}]
    (problem,) = problems_of(lambda: read_judgements(rows))
    assert (problem.line, problem.field) == (2, "grade")


@pytest.mark.parametrize("between", [",", "\t"])
def test_a_fractional_grade_in_a_file_is_said_with_its_line(tmp_path, between):
    text = "query,doc,grade\nq1,d1,1\nq1,d2,0.5\n".replace(",", between)
    path = written(tmp_path / ("a.csv" if between == "," else "b.tsv"), text)
    (problem,) = problems_of(lambda: read_judgements(path))
    assert (problem.line, problem.id, problem.field) == (3, "q1", "grade")


def test_a_document_judged_twice_is_said_with_both_lines(tmp_path):
    path = written(tmp_path / "a.csv", "query,doc,grade\nq1,d1,1\nq2,d1,1\nq1,d2,1\nq1,d1,0\n")
    (problem,) = problems_of(lambda: read_judgements(path))
    assert (problem.line, problem.id) == (5, "q1")
    assert "'d1'" in problem.message and "first at line 2" in problem.message
    (problem,) = problems_of(lambda: read_judgements({"q1": ["d1", "d2", "d1"]}))
    assert "positions 1 and 3" in problem.message


def test_samples_of_several_systems_judge_once_and_must_agree():
    rows = [
        {"id": "q1", "system": "a", "relevant": {"d1": 1}},
        {"id": "q1", "system": "b", "relevant": {"d1": 1}},
        {"id": "q2", "system": "a", "relevant": None},
    ]
    assert judged(read_judgements(load(rows))) == {"q1": {"d1": 1}}
    rows[1]["relevant"] = {"d1": 2}
    (problem,) = problems_of(lambda: read_judgements(load(rows)))
    assert problem.id == "q1" and "'a' and 'b'" in problem.message
    (problem,) = problems_of(lambda: read_judgements(load([{"id": "q", "answer": "x"}])))
    assert problem.field == "relevant"


# Runs


def test_the_same_run_is_seen_from_every_source(tmp_path):
    judgements = read_judgements(JUDGED)
    rows = rows_of(RUN)
    trec = "".join(f"{query} Q0 {name} 0 {score!r} tag\n" for query, name, score in rows)
    frame = pl.DataFrame(columns_of(rows))
    frame.write_parquet(tmp_path / "a.parquet")
    best_first = {
        query: sorted(scores, key=scores.__getitem__, reverse=True) for query, scores in RUN.items()
    }
    pairs = {query: [[name, score] for name, score in one.items()] for query, one in RUN.items()}
    listed = objects_of(rows, "qid doc_id similarity")
    files = {
        "run": trec,
        "run.gz": trec,
        "a.csv": text_of(rows, "query_id,docid,sim"),
        "a.tsv.gz": text_of(rows, "query-id\tcorpus-id\tscore", "\t"),
        "headless.tsv": trec.replace(" ", "\t"),
        "a.json": json.dumps(RUN),
        "b.json": json.dumps(best_first),
        "c.json.gz": json.dumps(pairs),
        "d.json": json.dumps(listed),
        "e.jsonl": "\n".join(map(json.dumps, listed)),
    }
    sources: list[object] = [RUN, best_first, pairs, frame, frame.to_pandas(), listed]
    sources += [frame.sample(fraction=1, shuffle=True, seed=1), tmp_path / "a.parquet"]
    sources += [written(tmp_path / name, content) for name, content in files.items()]
    for source in sources:
        assert seen(match_to_qrels(source, judgements)) == SEEN, source
        assert sorted(run_frame(source).select("query", "doc").rows()) == PAIRS, source


def test_scores_are_compared_in_32_bits_by_trec_9_and_in_64_by_trec_10(recwarn):
    # 1 + 1e-9 is 1 in 32 bits: a tie, which b wins; in 64 bits a is ahead.
    judgements = read_judgements({"q": ["a"]})
    for a, b in ((1 + 1e-9, 1.0), (1e300, 1e200)):  # beyond 32 bits all scores are equal
        run = {"q": {"a": a, "b": b}}
        for compat, rank in (("trec9", 2), ("trec10", 1)):
            assert match_to_qrels(run, judgements, compat=compat).rank.tolist() == [rank]
            frame = run_frame(run)
            assert match_to_qrels(frame, judgements, compat=compat).rank.tolist() == [rank]
    assert not recwarn.list


def test_a_table_without_scores_is_ordered_by_its_rank_and_says_so():
    frame = pl.DataFrame({"query": ["q", "q"], "doc": ["a", "b"], "rank": [2, 1]})
    judgements = read_judgements({"q": ["a"]})
    found = match_to_qrels(frame, judgements)
    assert found.rank.tolist() == [2]
    assert found.notes == ("has no score: ordered by column 'rank', smallest first",)
    assert documents(frame) == [("b", -1.0), ("a", -2.0)]
    scored = frame.with_columns(score=pl.Series([0.9, 0.1]))
    assert match_to_qrels(scored, judgements).rank.tolist() == [1]


def test_samples_are_seen_system_by_system_a_repeated_id_once(tmp_path):
    judgements = read_judgements({"q1": {"a": 1, "b": 1}, "q2": {"a": 1}})
    rows = [
        {"id": "q1", "system": "s", "context_ids": ["x", "a", "x", "b"], "context_scores": [1, 2, 3, 4]},
        {"id": "q2", "system": "s", "context_ids": []},
        {"id": "q1", "system": "t", "context_ids": ["b"]},
        {"id": "q2", "system": "t", "context_ids": None},
    ]  # fmt: skip
    found = sources.match_to_qrels(load(rows), judgements)
    assert seen(found["s"]) == {
        "ranks": {("q1", "a"): 2, ("q1", "b"): 3},  # the second x counts for nothing
        "sizes": {"q1": 3, "q2": 0},
        "unjudged": 0,
    }
    assert seen(found["t"])["ranks"] == {("q1", "b"): 1}
    assert seen(match_to_qrels(load(rows[:2]), judgements)) == seen(found["s"])
    path = written(tmp_path / "s.jsonl", "\n".join(map(json.dumps, rows[:2])))
    assert seen(match_to_qrels(path, judgements)) == seen(found["s"])
    assert documents(path) == [("x", 0.0), ("a", -1.0), ("b", -2.0)]
    assert "s, t" in problems_of(lambda: run_frame(load(rows)))[0].message
    assert "ranks no document" in problems_of(lambda: run_frame(load(rows[1:2])))[0].message


def test_a_frame_has_the_rows_of_the_source():
    run = {"q2": {"a": 1, "b": 1, "c": 2}, "q1": {"é": 0.5}}
    frame = run_frame(run)
    assert frame.rows() == [("q2", "a", 1.0), ("q2", "b", 1.0), ("q2", "c", 2.0), ("q1", "é", 0.5)]
    assert frame.schema == {"query": pl.String, "doc": pl.String, "score": pl.Float64}
    assert run_frame(frame).equals(frame)
    # Line ends within names do not part them.
    assert run_frame({"q": ["a\nb", "c", "\n"]})["doc"].to_list() == ["a\nb", "c", "\n"]


# Properties

IDS = st.text(st.sampled_from("abAB01-_.é日 "), min_size=1, max_size=20).filter(
    lambda name: not any(mark.isspace() for mark in name)
)
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, -2.5]),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda score: round(score, 3)),
)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=12), min_size=1)
QRELS = st.dictionaries(
    IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=5), min_size=1, max_size=5
)


def slowly(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]], compat: str
) -> dict[str, object]:
    """What is to be seen, worked out one by one."""
    precision = np.float32 if compat == "trec9" else np.float64
    ranks: dict[tuple[str, str], int] = {}
    for query, scores in run.items():
        best = sorted(scores, key=lambda name: (precision(scores[name]), name.encode()))[::-1]
        for rank, name in enumerate(best, 1):
            if name in qrels.get(query, {}):
                ranks[query, name] = rank
    sizes = {query: len(run.get(query, {})) for query in qrels}
    return {"ranks": ranks, "sizes": sizes, "unjudged": len(run.keys() - qrels.keys())}


@settings(
    max_examples=3 * settings.default.max_examples // 5, suppress_health_check=list(HealthCheck)
)
@given(RUNS, QRELS, st.sampled_from(["trec9", "trec10"]), st.randoms(use_true_random=False))
def test_every_source_of_one_run_is_seen_alike(tmp_path_factory, run, qrels, compat, chance):
    folder = tmp_path_factory.mktemp("run")
    # Judgements that meet the run: names of its own.
    for query, scores in list(run.items())[:3]:
        own = chance.sample(sorted(scores), min(3, len(scores)))
        qrels = {**qrels, query: {**qrels.get(query, {}), **dict.fromkeys(own, 1)}}
    judgements = read_judgements(qrels)
    rows = rows_of(run)
    chance.shuffle(rows)
    frame = pl.DataFrame(columns_of(rows))
    frame.write_parquet(folder / "a.parquet")
    files = {
        "run": "".join(f"{query} Q0 {name} 0 {score!r} t\n" for query, name, score in rows),
        "a.csv": text_of(rows, "query,doc,score"),
        "b.csv": text_of(rows, '"query",doc,score'),
        "a.json": json.dumps(run),
        "b.json": json.dumps(objects_of(rows, "query doc score")),
    }
    pairs = {query: list(scores.items()) for query, scores in run.items()}
    sources: list[object] = [run, pairs, frame, frame.to_pandas(), folder / "a.parquet"]
    sources += [written(folder / name, content) for name, content in files.items()]
    expected = slowly(run, qrels, compat)
    for source in sources:
        assert seen(match_to_qrels(source, judgements, compat=compat)) == expected
        assert sorted(run_frame(source).rows()) == sorted(rows)


@settings(max_examples=2 * settings.default.max_examples // 5)
@given(st.integers(0, 10**6), st.sampled_from([1, 7, 64]))
def test_pieces_and_threads_change_nothing(seed, piece):
    chance = random.Random(seed)
    run = {
        f"q{query}": {
            f"d{name}": round(chance.random(), chance.choice([1, 6]))
            for name in chance.sample(range(60), chance.randint(1, 50))
        }
        for query in range(chance.randint(1, 20))
    }
    qrels = {f"q{query}": {f"d{name}": 1 for name in range(0, 60, 7)} for query in range(0, 25, 2)}
    judgements = read_judgements(qrels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mappings, "PIECE", piece)
        patch.setattr("ragauge.rankings.reading.judgements.PIECE", piece)
        patch.setattr("ragauge.rankings.reading.judgements.SINGLE_BELOW", 0)
        for compat in ("trec9", "trec10"):
            expected = slowly(run, qrels, compat)
            assert seen(match_to_qrels(run, judgements, compat=compat)) == expected
            rows = rows_of(run)
            chance.shuffle(rows)
            frame = pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row")
            assert seen(match_to_qrels(frame, judgements, compat=compat)) == expected


# Faults


def test_ids_are_texts_as_they_stand(tmp_path):
    names = ["007", "7", "1e5", "true", "NA", "null", "7.0", "é", "e\u0301"]
    run = {"NA": {name: float(place) for place, name in enumerate(names)}}
    rows = rows_of(run)
    judgements = read_judgements({"NA": names})
    for source in (
        run,
        pd.DataFrame(columns_of(rows)),
        pl.DataFrame(columns_of(rows)),
        written(tmp_path / "a.csv", text_of(rows, "query,doc,score")),
        written(tmp_path / "a.json", json.dumps(run)),
    ):
        assert len(match_to_qrels(source, judgements).rank) == len(names)


def test_ids_that_are_whole_numbers_become_their_digits():
    judgements = read_judgements({1: {10: 1, "11": 1}})
    assert judged(judgements) == {"1": {"10": 1, "11": 1}}
    frame = pl.DataFrame({"query": [1, 1], "doc": [10, 11], "score": [0.1, 0.2]})
    for source in (
        frame,
        frame.to_pandas(),
        {1: {10: 0.1, 11: 0.2}},
        {"1": {"10": 0.1, 11: 0.2}},
        {1: [11, 10]},
    ):
        assert seen(match_to_qrels(source, judgements))["ranks"] == {("1", "10"): 2, ("1", "11"): 1}


@pytest.mark.parametrize("name", [1.0, True, None, b"d1", "\ud800", ""])
def test_what_cannot_be_an_id_is_refused(name):
    judgements = read_judgements({"q": ["d1"]})
    sources: list[object] = [
        {"q": [name, "d2"]},
        {name: {"d1": 1.0}},
        [{"query": "q", "doc": name, "score": 1.0}],
        [{"query": name, "doc": "d1", "score": 1.0}],
        {"q": {name: 1.0}},
    ]
    for source in sources:
        assert problems_of(lambda: match_to_qrels(source, judgements))  # noqa: B023
        assert problems_of(lambda: run_frame(source))  # noqa: B023
    assert problems_of(lambda: read_judgements({"q": [name]}))
    assert problems_of(lambda: read_judgements({name: ["d1"]}))


TWO = {"query": ["q", "q"], "doc": ["a", "b"], "score": [1.0, 2.0]}


@cases(
    ({**TWO, "doc": ["a", "b\0"]}, 2, "document", "NUL"),
    ({**TWO, "query": ["q", "q\0"]}, 2, "query", "NUL"),
    ({**TWO, "doc": [1.0, 2.0]}, None, "doc", "must be text, is Float64; give ids as texts, because"),
    ({**TWO, "doc": [True, False]}, None, "doc", "must be text"),
    ({**TWO, "doc": [b"a", b"b"]}, None, "doc", "must be text"),
    ({**TWO, "score": ["1", "2"]}, None, "score", "must be numbers"),
    ({**TWO, "query": ["q", None]}, 2, "query", "is null"),
    ({**TWO, "doc": ["a", None]}, 2, "doc", "is null"),
    ({**TWO, "score": [1.0, None]}, 2, "score", "is null"),
    ({**TWO, "qid": ["q", "q"], "query_id": ["q", "q"]}, None, None, "'qid' and 'query_id'"),
)  # fmt: skip
def test_bad_columns_of_a_frame_are_named(columns, line, field, said):
    reads = [lambda: run_frame(pl.DataFrame(columns))]
    if said in ("is null", "NUL"):
        reads.append(lambda: run_frame(pd.DataFrame(columns)))
    if said == "NUL":
        reads.append(lambda: read_judgements(pl.DataFrame(columns)))
    for read in reads:
        (problem,) = problems_of(read)
        assert (problem.line, problem.field) == (line, field) and said in problem.message


def test_an_id_column_wins_over_one_that_may_hold_the_text():
    frame = pl.DataFrame(
        {"query": ["what?"], "query_id": ["q"], "doc_id": ["d"], "document": ["text"], "score": [1]}
    )
    assert documents(frame) == [("d", 1.0)]


@pytest.mark.parametrize(
    ("row", "field"),
    [("q,,2", "doc"), *((f"q,b,{score}", "score") for score in ("nan", "inf", "-inf", "1e999", "high", "1_000", "0x1"))],
)  # fmt: skip
@pytest.mark.parametrize("header", ["query,doc,score", '"query",doc,score'])
def test_a_bad_cell_of_a_csv_file_is_said_with_its_line(tmp_path, header, row, field):
    path = written(tmp_path / "a.csv", f"{header}\nq,a,1\n{row}\n")
    (problem,) = problems_of(lambda: run_frame(path))
    assert (problem.line, problem.field) == (3, field)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, "0.5", [1.0], 10**400])
def test_a_score_in_memory_that_is_no_finite_number_is_refused(score):
    judgements = read_judgements({"q": ["a"]})
    for query in ("q", "unjudged"):
        (problem,) = problems_of(
            lambda: match_to_qrels({query: {"a": 1.0, "b": score}}, judgements)  # noqa: B023
        )
        assert problem.id == query and "'b'" in problem.message
    (problem,) = problems_of(
        lambda: match_to_qrels([{"query": "q", "doc": "a", "score": score}], judgements)
    )
    assert (problem.line, problem.field) == (1, "score")


def test_a_document_retrieved_twice_is_said_with_both_rows(tmp_path):
    text = "query,doc,score\nq1,a,1\nq2,a,1\nq1,b,2\nq1,a,3\n"
    path, judgements = written(tmp_path / "a.csv", text), read_judgements({"q9": ["a"]})
    for read in (lambda: run_frame(path), lambda: match_to_qrels(path, judgements)):
        (problem,) = problems_of(read)
        assert (problem.line, problem.id) == (5, "q1") and "first at line 2" in problem.message
    trec = "q1 Q0 a 1 1 t\n\nq2 Q0 a 1 1 t\nq1 Q0 a 2 3 t\n"
    (problem,) = problems_of(lambda: run_frame(written(tmp_path / "run", trec)))
    assert (problem.line, problem.id) == (4, "q1") and "first at line 1" in problem.message
    for run in (
        {"q": ["a", "b", "a"]},
        {"q": [["a", 1], ["b", 2], ["a", 3]]},
        {"q": {"1": 1, "b": 2, 1: 3}},
    ):
        (problem,) = problems_of(lambda: match_to_qrels(run, read_judgements({"q": ["z"]})))  # noqa: B023
        assert problem.id == "q" and "positions 1 and 3" in problem.message


@cases(
    ('{"q": {"a": 1, "a": 2}}', None, "'a' is given twice|twice"),
    ('{"q":\n {"a": 1,', 2, "cut off"),
    ('{"q":' * 100_000, None, ""),
    ('{"q": {"a": NaN}}', None, "finite|NaN"),
    ids=["twice", "cut off", "deep", "nan"],
)
def test_json_that_is_broken_is_refused(text, line, said, tmp_path):
    path = written(tmp_path / "a.json", text)
    for read in (read_judgements, run_frame):
        (problem,) = problems_of(lambda: read(path))  # noqa: B023
        assert problem.source == str(path) and re.search(said, problem.message)
        assert line is None or problem.line == line


def test_values_of_a_mapping_in_no_known_shape_are_named_by_query():
    for run in ({"q": 1}, {"q": "abc"}, {"q": [["a", 1], "b"]}, {"q": [["a", 1, 2]]}, {"q": None}):
        (problem,) = problems_of(lambda: match_to_qrels(run, read_judgements({"q": ["a"]})))  # noqa: B023
        assert problem.id == "q" and "{document: score}" in problem.message
    (problem,) = problems_of(lambda: read_judgements({"q": "abc"}))
    assert problem.id == "q"


def test_what_is_empty_is_refused(tmp_path):
    judgements = read_judgements({"q": ["a"]})
    frame = pl.DataFrame(
        {"query": [], "doc": [], "score": []},
        schema_overrides={"query": pl.String, "doc": pl.String},
    )
    sources: list[object] = [{}, [], frame, frame.to_pandas()]
    sources += [
        *(written(tmp_path / name, "") for name in ("run", "a.csv", "a.json", "a.jsonl", "run.gz")),
        written(tmp_path / "b.json", "{}"),
        written(tmp_path / "c.json", "[]"),
        written(tmp_path / "b.csv", "query,doc,score\n"),
    ]
    for source in sources:
        assert problems_of(lambda: match_to_qrels(source, judgements)), source  # noqa: B023
        assert problems_of(lambda: run_frame(source)), source  # noqa: B023
    assert problems_of(lambda: read_judgements({}))


def test_files_that_are_not_what_their_name_says_are_refused(tmp_path):
    contents = {
        "a.parquet": b"PAR1 no",
        "b.parquet": b"",
        "a.csv": b"query,doc,score\nq,\xff,1\n",
        "b.csv": "query,doc,score\nq,d,1\n".encode("utf-16-le"),
        "c.csv": b"query,doc,score\nq,d\n",
        "d.csv": b'query,doc,score\nq,"d,1\n',
        "e.csv": b"query,doc,doc,score\nq,d,d,1\n",
        "a.json": b'{"q": {"\xff": 1}}',
        "b.json": b'"text"',
        "a.jsonl": b'{"query": "q", "doc": "d", "score": 1}\n[1]\n',
        "a.json.zst": b"\x28\xb5\x2f\xfd....",
    }
    for name, content in contents.items():
        path = written(tmp_path / name, content)
        (problem, *_) = problems_of(lambda: run_frame(path))  # noqa: B023
        assert problem.source == str(path), name
    truncated = gzip.compress(b"query,doc,score\nq,d,1\n")[:-8]
    (tmp_path / "t.csv.gz").write_bytes(truncated)
    assert "gzip" in problems_of(lambda: run_frame(tmp_path / "t.csv.gz"))[0].message
    assert "no such file" in problems_of(lambda: run_frame(tmp_path / "none.csv"))[0].message
    assert "folder" in problems_of(lambda: run_frame(tmp_path))[0].message


def test_utf16_with_its_mark_blank_lines_and_quotes_in_csv_are_read(tmp_path):
    path = written(tmp_path / "a.csv", "query,doc,score\nq,é,1\n".encode("utf-16"))
    assert documents(path) == [("é", 1.0)]
    path = written(tmp_path / "a.csv", 'query,doc,score\n\nq,"a,b",1\n\nq,"say ""x""",2\n')
    assert documents(path) == [('say "x"', 2.0), ("a,b", 1.0)]


def test_other_kinds_of_objects_are_named():
    for source in (7, None, pl.LazyFrame({"query": ["q"]})):
        with pytest.raises(PlanError, match=type(source).__name__):
            run_frame(source)
        with pytest.raises(PlanError, match=type(source).__name__):
            read_judgements(source)


class Name(StrEnum):
    RED = "red"
    BLUE = "blue"

    def __str__(self) -> str:
        return f"Name.{self.name}"


def test_names_of_a_text_enumeration_are_their_values():
    names = pd.Series([*Name], dtype=object)
    run = pd.DataFrame({"query": ["q", "q"], "doc": names, "score": [1, 2]})
    assert rg.rank({"q": {"red": 1, "blue": 0}}, run, "map").mean("map") == 0.5


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_a_table_is_packed_as_its_name_says(tmp_path, name):
    content = b"query,doc,score\nq,d,1\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name == "a.csv" else content)
    with pytest.raises(DataError, match="gzip"):
        rg.rank({"q": {"d": 1}}, tmp_path / name, "map")
