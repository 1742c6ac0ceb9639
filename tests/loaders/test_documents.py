"""Retrieved documents of other tools in `contexts`: stand-ins with the attributes of the real ones."""

from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.loaders.documents import parts_of


class LangChainDocument:
    def __init__(self, page_content, metadata=None, id=None):
        self.id, self.metadata, self.page_content = id, metadata or {}, page_content
        self.type = "Document"


class TextNode:
    """LlamaIndex: the id is a random UUID unless the user gives one."""

    def __init__(self, text, id_="5c56c793-69f3-4fbf-87e6-c4bf54c28c26", metadata=None):
        self.id_, self.embedding, self.metadata, self.text = id_, None, metadata or {}, text
        self.text_template = "{content}"


class NodeWithScore:
    def __init__(self, node, score=None):
        self.node, self.score = node, score

    @property
    def text(self):
        raise ValueError("Node must be a TextNode to get text.")


@dataclass
class HaystackDocument:
    id: str = ""
    content: str | None = None
    blob: object = None
    meta: dict = field(default_factory=dict)
    score: float | None = None
    embedding: list | None = None


def loaded(contexts, **fields):
    return load([{"id": "q1", "question": "q", "contexts": contexts, **fields}])


def row_of(contexts, **fields):
    return loaded(contexts, **fields).frame.row(0, named=True)


def test_langchain_documents_give_texts_and_the_ids_of_their_sources():
    documents = [
        LangChainDocument("Snow is white.", {"source": "snow.pdf", "page": 1}),
        LangChainDocument("Coal is black.", {"source": "coal.pdf"}),
    ]
    samples = loaded(documents)
    row = samples.frame.row(0, named=True)
    assert row["contexts"] == ["Snow is white.", "Coal is black."]
    assert row["context_ids"] == ["snow.pdf", "coal.pdf"]
    assert any("context_ids are their 'source'" in note for note in samples.notes)
    assert any("'metadata'" in note for note in samples.notes)


def test_pairs_of_document_and_score_give_scores():
    row = row_of(
        [
            (LangChainDocument("a", id="d1"), np.float32(0.5)),
            (LangChainDocument("b", id="d2"), 0.25),
        ]
    )
    assert (row["context_ids"], row["context_scores"]) == (["d1", "d2"], [0.5, 0.25])


def test_llamaindex_nodes_give_text_score_and_id_of_the_inner_node():
    row = row_of(
        [NodeWithScore(TextNode("a", "n1"), 0.5), NodeWithScore(TextNode("b", "n2"), 0.25)]
    )
    assert row["contexts"] == ["a", "b"]
    assert (row["context_ids"], row["context_scores"]) == (["n1", "n2"], [0.5, 0.25])


def test_haystack_documents_give_content_id_and_score():
    row = row_of([HaystackDocument("d1", "a", score=0.5), HaystackDocument("d2", "b", score=0.25)])
    assert row["contexts"] == ["a", "b"]
    assert (row["context_ids"], row["context_scores"]) == (["d1", "d2"], [0.5, 0.25])


def test_a_generated_id_gives_way_to_an_id_in_the_metadata():
    row = row_of([NodeWithScore(TextNode("a", metadata={"doc_id": "d1"}), 0.5)])
    assert row["context_ids"] == ["d1"]


def test_a_generated_id_is_kept_where_the_metadata_only_names_the_file():
    row = row_of([NodeWithScore(TextNode("a", metadata={"file_name": "a.pdf"}), 0.5)])
    assert row["context_ids"] == ["5c56c793-69f3-4fbf-87e6-c4bf54c28c26"]


def test_the_id_that_the_judgements_name_wins():
    node = NodeWithScore(TextNode("a", metadata={"doc_id": "d1", "file_name": "a.pdf"}), 0.5)
    assert row_of([node], relevant={"a.pdf": 1})["context_ids"] == ["a.pdf"]
    own = "5c56c793-69f3-4fbf-87e6-c4bf54c28c26"
    assert row_of([node], relevant=[own])["context_ids"] == [own]


def test_chunks_of_one_source_share_its_id():
    row = row_of(
        [{"text": "a", "metadata": {"source": "x"}}, {"text": "b", "metadata": {"source": "x"}}]
    )
    assert row["context_ids"] == ["x", "x"]


def test_all_rows_use_the_same_kind_of_id():
    rows = [
        {"id": "q1", "contexts": [{"text": "a", "metadata": {"doc_id": "d1", "source": "s1"}}]},
        {"id": "q2", "contexts": [{"text": "b", "metadata": {"source": "s2"}}]},
    ]
    assert load(rows).frame["context_ids"].to_list() == [["s1"], ["s2"]]


def test_ids_and_scores_that_only_some_documents_have_are_named():
    samples = loaded([{"text": "a", "id": "d1", "score": 0.5}, {"text": "b"}])
    assert samples.frame.columns == ["id", "system", "question", "contexts"]
    for name in ("context_ids", "context_scores"):
        assert any(note.startswith(f"{name} not taken in 1 row") for note in samples.notes)


@pytest.mark.parametrize(
    "hit",
    [
        {"_id": "d1", "_score": 0.5, "_source": {"text": "a"}},
        {"id": "d1", "score": 0.5, "payload": {"text": "a"}},
        {"document": {"content": "a", "id": "d1"}, "score": 0.5},
        {"document.content": "a", "document.id": "d1", "document.score": 0.5},
        {"node": {"text": "a", "id_": "d1"}, "score": 0.5},
        namedtuple("Hit", "text id score")("a", "d1", 0.5),
    ],
)
def test_hits_of_search_engines_and_dumped_documents_are_read(hit):
    row = row_of([hit])
    assert row["contexts"] == ["a"]
    assert (row["context_ids"], row["context_scores"]) == (["d1"], [0.5])


def test_a_dumped_document_has_the_id_of_the_document_and_not_of_its_class():
    dumped = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "document", "Document"],
        "kwargs": {"page_content": "a", "metadata": {"source": "d1"}, "type": "Document"},
    }
    assert row_of([dumped])["context_ids"] == ["d1"]


def test_a_result_by_columns_is_read_as_documents():
    result = {
        "ids": [["d1", "d2"]],
        "documents": [["a", "b"]],
        "distances": [[0.1, 0.2]],
        "metadatas": [[None, None]],
    }
    samples = loaded(result)
    row = samples.frame.row(0, named=True)
    assert (row["contexts"], row["context_ids"]) == (["a", "b"], ["d1", "d2"])
    assert any("'distances'" in note for note in samples.notes)


def test_one_document_or_a_generator_of_documents_may_be_given():
    assert row_of(LangChainDocument("a"))["contexts"] == ["a"]
    assert row_of(LangChainDocument(text) for text in "ab")["contexts"] == ["a", "b"]
    assert row_of(iter(["a", "b"]))["contexts"] == ["a", "b"]


def test_texts_and_documents_may_be_mixed_and_empty_lists_stay_empty():
    assert row_of(["a", LangChainDocument("b")])["contexts"] == ["a", "b"]
    assert row_of([])["contexts"] == []


def test_an_object_without_text_is_named_with_its_attributes():
    class Chunk:
        def __init__(self):
            self.url = "x"

    with pytest.raises(
        DataError, match=r"item 2 is a Chunk that has no text .* its keys are 'url'"
    ):
        loaded([{"text": "a"}, Chunk()])


def test_a_score_that_is_not_a_number_is_an_error():
    with pytest.raises(DataError, match="must be finite, got nan"):
        loaded([HaystackDocument("d1", "a", score=np.float64("nan"))])


def test_a_list_of_texts_in_a_list_is_an_error():
    with pytest.raises(DataError, match="item 1 must be text"):
        loaded([["a", "b"]])


def test_documents_that_hold_each_other_end():
    document = {"score": 1.0}
    document["document"] = document
    assert parts_of(document) is None
