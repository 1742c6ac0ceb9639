"""JSON objects whose keys are ids or the names of evaluators."""

import json
from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.samples.samples import Samples


def loaded(tmp_path: Path, document: object, **options: object) -> Samples:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    return load(path, **options)


def test_samples_by_id(tmp_path: Path):
    samples = loaded(tmp_path, {"q1": {"question": "where?", "answer": "here"}})
    assert samples.frame.row(0, named=True)["id"] == "q1"
    assert samples.notes == ("read the keys ('q1') as ids",)


def test_an_id_in_the_sample_wins_over_its_key(tmp_path: Path):
    samples = loaded(tmp_path, {"k1": {"qid": "q1", "answer": "here"}})
    assert samples.frame["id"].to_list() == ["q1"]


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
    assert first["references"] == ["Here"]
    assert first["gold_contexts"] == ["It is here."]
    assert (second["references"], second["answer"]) == ([], "")


def test_evaluators_of_llama_index_share_the_answers(tmp_path: Path):
    def result(score: float) -> dict[str, object]:
        return {"query": "where?", "response": "here", "contexts": ["c"], "score": score}

    samples = loaded(tmp_path, {"faithfulness": [result(1.0)], "relevancy": [result(0.5)]})
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"], row["contexts"]) == ("where?", "here", ["c"])
    assert (row["faithfulness"], row["relevancy"]) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"name": "my project", "version": "1"}, "must be a list of objects"),
        ({"q1": {"d1": 0.5, "d2": 0.25}}, "score it with 'ragauge rank QRELS RUN'"),
        ({"q1": {"colour": "red"}}, "must be a list of objects"),
    ],
)
def test_other_objects_are_refused(tmp_path: Path, document: object, message: str):
    with pytest.raises(DataError, match=message):
        loaded(tmp_path, document)


def test_left_out_documents_come_with_the_option_that_reads_them(tmp_path: Path):
    found = [{"text": "It is here.", "doc": "d1"}]
    samples = loaded(tmp_path, [{"id": "q1", "answer": "here", "found": found}])
    assert samples.notes[-1] == "if 'found' holds the contexts: --map contexts=found"


def test_lists_by_system_or_split(tmp_path: Path):
    both = {"gpt": [{"id": "1", "answer": "x"}], "other": [{"id": "1", "answer": "y"}]}
    samples = loaded(tmp_path, both)
    assert samples.systems == ("gpt", "other")
    assert samples.notes == ("read the samples under 'gpt', 'other', each name as a system",)
    splits = {"train": [{"id": "1", "answer": "x"}], "test": [{"id": "2", "answer": "y"}]}
    assert loaded(tmp_path, splits).frame["split"].to_list() == ["train", "test"]


def test_a_data_set_for_embeddings_gives_questions_with_gold(tmp_path: Path):
    document = {
        "queries": {"u1": "where?", "u2": "who?"},
        "corpus": {"n1": "It is here.", "n2": "Ida Merrow."},
        "relevant_docs": {"u1": ["n1"], "u2": ["n2", "lost"]},
        "mode": "text",
    }
    first, second = loaded(tmp_path, document).frame.rows(named=True)
    assert (first["id"], first["question"]) == ("u1", "where?")
    assert first["gold_contexts"] == ["It is here."]
    assert second["gold_contexts"] == ["Ida Merrow."]  # n2; the corpus lacks the other


def test_hotpot_predictions_are_answers_by_id(tmp_path: Path):
    document = {"answer": {"5a1": "here", "5a2": "there"}, "sp": {"5a1": [["T", 0]], "5a2": []}}
    samples = loaded(tmp_path, document)
    assert samples.frame["id"].to_list() == ["5a1", "5a2"]
    assert samples.frame["answer"].to_list() == ["here", "there"]
