"""The files of the suite passage-retrieval: passages and gold, paired by position."""

import json
from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load, load_passages


def predictions(*queries: str) -> list[dict[str, object]]:
    return [
        {"query": query, "retrieved_passages": [f"passage of {query}", "other"]}
        for query in queries
    ]


def gold(*queries: str, without: tuple[str, ...] = ()) -> dict[str, object]:
    snippet = {"file_path": "a.txt", "span": [0, 4]}
    return {
        "tests": [
            {
                "query": query,
                "snippets": [] if query in without else [{**snippet, "answer": f"gold of {query}"}],
            }
            for query in queries
        ]
    }


def written(folder: Path, name: str, document: object) -> Path:
    (folder / name).write_text(json.dumps(document, indent=1))
    return folder / name


def test_predictions_and_gold_are_paired_by_position(tmp_path: Path):
    samples = load_passages(
        written(tmp_path, "p.json", predictions("A?", "B?")),
        written(tmp_path, "g.json", gold("A?", "B?", without=("B?",))),
    )
    assert set(samples.columns) == {"id", "system", "question", "contexts", "gold_contexts"}
    assert samples.frame["id"].to_list() == ["1", "2"]
    assert samples.frame["question"].to_list() == ["A?", "B?"]
    assert samples.frame["contexts"].to_list()[0] == ["passage of A?", "other"]
    assert samples.frame["gold_contexts"].to_list() == [["gold of A?"], []]
    assert any("1 of 2 queries has no gold snippet" in note for note in samples.notes)


def test_the_same_query_twice_makes_two_samples(tmp_path: Path):
    samples = load_passages(
        written(tmp_path, "p.json", predictions("A?", "A?")),
        written(tmp_path, "g.json", gold("A?", "A?")),
    )
    assert len(samples) == 2


def test_a_difference_in_length_names_both_and_where_they_part(tmp_path: Path):
    with pytest.raises(DataError) as caught:
        load_passages(
            written(tmp_path, "p.json", predictions("A?", "C?")),
            written(tmp_path, "g.json", gold("A?", "B?", "C?")),
        )
    length, parting = caught.value.problems
    assert "number of predictions (2) differs from the number of queries in " in length.message
    assert (parting.field, parting.id) == ("query", "2")


def test_a_query_that_differs_at_its_position_is_named(tmp_path: Path):
    with pytest.raises(DataError) as caught:
        load_passages(
            written(tmp_path, "p.json", predictions("A?", "B?")),
            written(tmp_path, "g.json", gold("A?", "b?")),
        )
    (problem,) = caught.value.problems
    assert "'B?', but 'b?'" in problem.message
    assert "g.json" in problem.message


@pytest.mark.parametrize(
    "snippets", [None, "text", [{"span": [0, 1]}], [{"answer": 3}], [{"answer": None}], ["text"]]
)
def test_gold_snippets_of_another_shape_are_named(tmp_path: Path, snippets: object):
    document = {"tests": [{"query": "A?", "snippets": snippets}]}
    with pytest.raises(DataError) as caught:
        load_passages(
            written(tmp_path, "p.json", predictions("A?")), written(tmp_path, "g.json", document)
        )
    assert {(problem.field, problem.id) for problem in caught.value.problems} == {
        ("snippets", None)
    }


def test_files_given_the_wrong_way_round_are_a_problem(tmp_path: Path):
    with pytest.raises(DataError, match="retrieved_passages"):
        load_passages(
            written(tmp_path, "g.json", gold("A?")), written(tmp_path, "p.json", predictions("A?"))
        )


def test_load_recognises_gold_and_predictions_alone(tmp_path: Path):
    samples = load(written(tmp_path, "g.json", gold("A?")))
    assert samples.frame["gold_contexts"].to_list() == [["gold of A?"]]
    samples = load(written(tmp_path, "p.json", predictions("A?")))
    assert samples.frame["contexts"].to_list() == [["passage of A?", "other"]]
    assert samples.frame["question"].to_list() == ["A?"]


def test_load_pairs_several_systems_with_their_gold(tmp_path: Path):
    expected = written(tmp_path, "g.json", gold("A?", "B?"))
    systems = {
        name: written(tmp_path, f"{name}.json", predictions("A?", "B?"))
        for name in ("tfidf", "bm25")
    }
    samples = load(systems, gold=expected)
    assert samples.systems == ("bm25", "tfidf")
    assert len(samples) == 4
    assert samples.frame["gold_contexts"].null_count() == 0


def test_load_refuses_what_cannot_be_paired(tmp_path: Path):
    with pytest.raises(DataError, match=r"number of predictions \(1\) differs from .* \(2\)"):
        load(
            written(tmp_path, "p.json", predictions("A?")),
            gold=written(tmp_path, "g.json", gold("A?", "B?")),
        )
