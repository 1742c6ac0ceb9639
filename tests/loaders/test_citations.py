"""Answers as cited sentences, and evidence of the expected answer."""

import pytest

from ragauge.loaders import load

SENTENCES = [
    {"text": "The dam was built in 1931.", "citations": [0, 1]},
    {"text": "It holds 4 million litres.", "citations": []},
]


def test_cited_sentences_of_trec_rag_are_one_answer_and_the_cited_documents_its_ids():
    given = {
        "run_id": "ours", "topic_id": "2024-31", "topic": "When was the dam built?",
        "references": ["doc_1#2", "doc_9#0"], "response_length": 11, "answer": SENTENCES,
    }  # fmt: skip
    samples = load([given])
    row = samples.frame.row(0, named=True)
    assert (row["id"], row["system"]) == ("2024-31", "ours")
    assert row["question"] == "When was the dam built?"
    assert row["answer"] == "The dam was built in 1931. It holds 4 million litres."
    assert row["context_ids"] == ["doc_1#2", "doc_9#0"]
    assert "references" not in samples.columns
    assert "the cited 'references' as context_ids" in samples.notes[0]


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("evidence_list", [{"title": "Dam", "url": "u", "fact": "Built in 1931."}]),
        ("evidence", [{"evidence_text": "Built in 1931.", "doc_name": "A_2022_10K"}]),
        ("evidence", ["Built in 1931."]),
    ],
)
def test_evidence_is_gold(name: str, evidence: object):
    row = load([{"question": "When?", "answer": "1931", "pred": "In 1931.", name: evidence}])
    read = row.frame.row(0, named=True)
    assert (read["gold_contexts"], read["references"]) == (["Built in 1931."], ["1931"])


@pytest.mark.parametrize("evidence", ["a text", [["Dam", 3]], [{"page": 3}], 0.5])
def test_evidence_without_passages_is_no_gold(evidence: object):
    samples = load([{"question": "When?", "answer": "1931", "evidence": evidence}])
    assert "gold_contexts" not in samples.columns


def test_evidence_beside_gold_contexts_stays_what_it_is():
    given = {"answer": "1931", "gold_contexts": ["Built in 1931."], "evidence": ["p. 3"]}
    samples = load([given])
    assert samples.frame["gold_contexts"].to_list() == [["Built in 1931."]]
    assert "evidence" in samples.columns


def test_a_chosen_column_of_evidence_is_the_contexts():
    given = [{"answer": "1931", "evidence": ["Built in 1931."]}]
    samples = load(given, map={"contexts": "evidence"})
    assert samples.frame["contexts"].to_list() == [["Built in 1931."]]
    assert "gold_contexts" not in samples.columns


def test_musique_marks_the_paragraphs_that_support_the_answer():
    paragraphs = [
        {"idx": 0, "title": "Dam", "paragraph_text": "Built in 1931.", "is_supporting": True},
        {"idx": 1, "title": "Sea", "paragraph_text": "It is salty.", "is_supporting": False},
    ]
    row = load([{"question": "When?", "answer": "1931", "paragraphs": paragraphs}])
    read = row.frame.row(0, named=True)
    assert read["contexts"] == ["Built in 1931.", "It is salty."]
    assert read["gold_contexts"] == ["Built in 1931."]
