"""JSON documents in the shapes that tools write."""

import json
from pathlib import Path

import pytest
from cases import cases

from ragauge.errors import DataError, Problem
from ragauge.loaders.loading import load
from ragauge.samples.samples import Samples

pytestmark = pytest.mark.usefixtures("also_in_pieces")


def loaded(folder: Path, document: object, **options: object) -> Samples:
    path = folder / "a.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return load(path, **options)


def problems_of(folder: Path, document: object) -> tuple[Problem, ...]:
    with pytest.raises(DataError) as caught:
        loaded(folder, document)
    return caught.value.problems


ROWS = [{"id": "q1", "answer": "a"}, {"id": "q2", "answer": "b"}]
AS_LINES = "read as JSON Lines: it has one object per line"


@cases(
    (ROWS, ""),
    *(
        ({"version": 2, "config": {"k": 1}, name: ROWS}, "left out 'version', 'config'")
        for name in ("samples", "data", "examples", "results", "my_own_list")
    ),
    ({"errors": [{"code": 1}], "samples": ROWS, "warnings": []}, "'errors', 'warnings'"),
    ({"id": {"0": "q1", "1": "q2"}, "answer": {"0": "a", "1": "b"}}, ""),  # pandas' to_json
    ({"columns": ["id", "answer"], "index": [0, 1], "data": [["q1", "a"], ["q2", "b"]]}, ""),
    ({"columns": ["id", "answer"], "data": [["q1", "a"], ["q2", "b"]]}, ""),  # MLflow, W&B
    ([{**row, "kind": ["fact"]} for row in ROWS], ""),  # pydantic-ai's messages have a kind too
    ("\n\n".join(map(json.dumps, ROWS)), AS_LINES),
)
def test_the_samples_are_found_in_the_document(document: object, note: str, tmp_path: Path):
    samples = loaded(tmp_path, document)
    assert samples.frame["id"].to_list() == ["q1", "q2"]
    assert samples.frame["answer"].to_list() == ["a", "b"]
    assert note in str(samples.notes).replace('"', "")


CASE = {"name": "c", "input": "where?", "actualOutput": "here", "expectedOutput": "Here",
        "retrievalContext": ["It is here."], "metricsData": [{"name": "F", "score": 1.0}]}  # fmt: skip
FOUND = [{"id": "d1", "content": "It is here."}]


@cases(
    ({"question": "q", "answer": "a", "contexts": [{"text": "c", "id": "d"}]}, {"answer": "a", "context_ids": ["d"]}),
    ({"question": ["q"], "contexts": [[]], "meta": [{"k": 1}]}, {"contexts": [], "meta": '{"k": 1}'}),
    # deepeval's test run
    ({"testCases": [CASE], "metricsScores": [{"metric": "F", "scores": [1.0]}], "testPassed": 1},
     {"question": "where?", "answer": "here", "references": ["Here"], "contexts": ["It is here."]}),
    ({"questions": ["q"], "contexts": [["c"]], "predicted_answers": ["a"], "ground_truth_answers": ["r"]},
     {"question": "q", "answer": "a", "references": ["r"]}),
    # the result of a pipeline of Haystack
    ({"answer_builder": {"answers": [{"data": "here", "query": "where?", "documents": FOUND}]}},
     {"question": "where?", "answer": "here", "context_ids": ["d1"]}),
    ({"k1": {"qid": "q1", "answer": "here"}}, {"id": "q1"}),  # an id in the sample wins over its key
)  # fmt: skip
def test_documents_of_one_sample(document: object, read: dict[str, object], tmp_path: Path):
    row = loaded(tmp_path, document).frame.row(0, named=True)
    assert {name: row[name] for name in read} == read


@cases(
    ({"left": ROWS, "right": [{"id": "q3", "answer": "c"}]}, None, "'left', 'right'"),
    ({"question": ["q", "r"], "answer": ["a"]}, None, "2 of 'question', 1 of 'answer'"),
    ({"columns": ["id", "answer"], "data": [["q1", "a"], ["q2"]]}, None, ""),
    ('{\n "samples": [\n  {"id": "q1", "answer": "a"},\n\n  {"id": "q2",\n "answer": {}}\n]}', 5, "must be text"),
    ('[{"answer": "a"},\n {"answer" "b"}]', 2, "column 12"),
    ('[{"answer": "a"}\n {"answer": "b"}]', 2, "column 2"),
    ('[{"answer": "a"},]', 1, "column 18"),
    ('{"samples" [1]}', 1, "column 12"),
    ('{"a": 1,}', 1, "column 9"),
    ("{a: 1}", 1, "column 2"),
    ("[]\n[]", 2, "column 1"),
    ('{"question": "q1", "answer": "a"}\n{"question": "q2", "answer": }\n', 2, "is not JSON"),
    *((cut, 1, "not JSON") for cut in ('[{"answer": "a"}, {"answer', '{"samples": [{"a": 1}', "[", "{")),
    *((nothing, None, "") for nothing in ("[]", '{"samples": []}', "", " \n", "{}", "3", '"a"', "null")),
    *((deep, 1, "nested too deeply") for deep in ("[" * 100_000, '{"a":' * 100_000, '[{"a": ' + "[" * 100_000)),
    ('[\n{"n": ' + "9" * 10_000 + "}]", 2, "put it in quotes"),
    ({"name": "my project", "version": "1"}, None, "must be a list of objects"),
    ({"q1": {"d1": 0.5, "d2": 0.25}}, None, "score it with 'ragauge rank QRELS RUN'"),
    ({"q1": {"colour": "red"}}, None, "must be a list of objects"),
)  # fmt: skip
def test_what_is_no_document_of_samples_is_one_problem(
    document: object, line: int | None, says: str, tmp_path: Path
):
    (problem,) = problems_of(tmp_path, document)
    assert problem.line == line
    assert says in problem.message


def test_problems_of_several_items_are_each_named(tmp_path: Path):
    problems = problems_of(tmp_path, '[{"answer": "a"},\n"b",\nnull]')
    assert [problem.line for problem in problems] == [2, 3]
    twice = '{"samples": [\n{"answer": "a", "answer": "b"},\n{"answer": "c"}\n],\n"k": 1, "k": 2}'
    assert [problem.line for problem in problems_of(tmp_path, twice)] == [2, 5]


def test_a_list_of_texts_that_is_json_text_is_a_list(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    row = {
        "question": "q",
        "answer": "a",
        "references": '["Paris", "Lutetia"]',
        "contexts": "[1] Paris.",
    }
    path.write_text(json.dumps(row) + "\n")
    frame = load(path).frame
    assert frame["references"].to_list() == [["Paris", "Lutetia"]]
    assert frame["contexts"].to_list() == [["[1] Paris."]]


def test_predictions_of_squad_join_its_articles(tmp_path: Path):
    answers = [{"text": "Here", "answer_start": 0}, {"text": "Here", "answer_start": 0}]
    asked = {"id": "q1", "question": "where?", "answers": answers, "is_impossible": False}
    never = {"id": "q2", "question": "who?", "answers": [], "is_impossible": True}
    article = {"title": "T", "paragraphs": [{"context": "It is here.", "qas": [asked, never]}]}
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"version": "v2.0", "data": [article]}))
    samples = loaded(tmp_path, {"q1": "here", "q2": ""}, gold=gold)
    first, second = samples.frame.rows(named=True)
    assert (first["question"], first["answer"]) == ("where?", "here")
    assert (first["references"], first["gold_contexts"]) == (["Here"], ["It is here."])
    assert (second["references"], second["answer"]) == ([], "")


def test_left_out_documents_come_with_the_option_that_reads_them(tmp_path: Path):
    found = [{"text": "It is here.", "doc": "d1"}]
    samples = loaded(tmp_path, [{"id": "q1", "answer": "here", "found": found}])
    assert samples.notes[-1] == "if 'found' holds the contexts: --map contexts=found"


@cases(
    '{"examples":{"0":{"query":"a","reference_answer":"z"}},"predictions":{"0":{"response":"b"}}}',
    '{"columns":["examples","predictions"],"data":[[{"query":"a","reference_answer":"z"},{"response":"b"}]]}',
)
def test_examples_and_predictions_may_stand_in_columns(document: str, tmp_path: Path):
    (tmp_path / "a.json").write_text(document)
    row = load(tmp_path / "a.json").frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("a", "b", ["z"])


def test_a_list_that_a_repeated_key_replaces_gives_its_lines_to_no_other(tmp_path: Path):
    lists = '{"a":[],"a":[1111],"a":5,"results":{"results":[{"question":"q","answer":"b"}]}}'
    (tmp_path / "a.json").write_text(lists)
    with pytest.raises(DataError, match="has the key 'a' twice; keep one"):
        load(tmp_path / "a.json")
