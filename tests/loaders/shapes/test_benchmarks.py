"""LegalBench-RAG's passages and gold, paired by position; files of other benchmarks are in `samples/`."""

import json

import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.loading import load, load_passages


@pytest.fixture
def predictions(tmp_path):
    """Writes a file of predictions."""

    def write(*queries, name="p"):
        rows = [{"query": each, "retrieved_passages": [f"of {each}", "other"]} for each in queries]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows, indent=1))
        return tmp_path / f"{name}.json"

    return write


@pytest.fixture
def gold(tmp_path):
    """Writes a file of gold; for one query also without snippets, or with any."""

    def write(*queries, **snippets):
        place = {"file_path": "a.txt", "span": [0, 4]}
        usual = {query: [{**place, "answer": f"gold of {query}"}] for query in queries}
        tests = [{"query": q, "snippets": snippets.get(q, usual[q])} for q in queries]
        (tmp_path / "g.json").write_text(json.dumps({"tests": tests}, indent=1))
        return tmp_path / "g.json"

    return write


def test_predictions_and_gold_are_paired_by_position(predictions, gold):
    samples = load_passages(predictions("A", "B", "A"), gold("A", "B", "A", B=[]))
    assert set(samples.columns) == {"id", "system", "question", "contexts", "gold_contexts"}
    assert samples.frame["id"].to_list() == ["1", "2", "3"]
    assert samples.frame["question"].to_list() == ["A", "B", "A"]
    assert samples.frame["contexts"].to_list()[0] == ["of A", "other"]
    assert samples.frame["gold_contexts"].to_list() == [["gold of A"], [], ["gold of A"]]
    assert any("1 of 3 queries has no gold snippet" in note for note in samples.notes)


def test_gold_and_predictions_are_recognised_alone_and_as_systems(predictions, gold):
    assert load(gold("A")).frame["gold_contexts"].to_list() == [["gold of A"]]
    row = load(predictions("A")).frame.row(0, named=True)
    assert (row["question"], row["contexts"]) == ("A", ["of A", "other"])
    systems = {name: predictions("A", "B", name=name) for name in ("tfidf", "bm25")}
    samples = load(systems, gold=gold("A", "B"))
    assert (samples.systems, len(samples)) == (("bm25", "tfidf"), 4)
    assert samples.frame["gold_contexts"].null_count() == 0


@cases(
    (("A", "C"), ("A", "B", "C"), r"number of predictions \(2\) differs from the number of queries in .*g.json \(3\)(?s:.*)'C', but 'B'"),
    (("A", "B"), ("A", "b"), "id '2', field 'query': is 'B', but 'b' at the same position in .*g.json:"),
)  # fmt: skip
def test_what_does_not_match_at_its_position_is_named(
    answers, expected, message, predictions, gold
):
    with pytest.raises(DataError, match=message):
        load_passages(predictions(*answers), gold(*expected))
    with pytest.raises(DataError, match=message):
        load(predictions(*answers), gold=gold(*expected))


@cases(None, "text", [{"span": [0, 1]}], [{"answer": 3}], [{"answer": None}], ["text"])
def test_gold_snippets_of_another_shape_are_named(snippets, predictions, gold):
    with pytest.raises(DataError) as caught:
        load_passages(predictions("A"), gold("A", A=snippets))
    (problem,) = caught.value.problems
    assert (problem.field, problem.id) == ("snippets", None)


def test_files_given_the_wrong_way_round_are_a_problem(predictions, gold):
    with pytest.raises(DataError, match="retrieved_passages"):
        load_passages(gold("A"), predictions("A"))
