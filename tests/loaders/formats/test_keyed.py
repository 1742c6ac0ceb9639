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
