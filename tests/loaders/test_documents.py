"""Retrieved documents of other tools in `contexts`: stand-ins with the attributes of the real ones."""

from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.documents import parts_of
from ragauge.loaders.loading import load


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


OWN = "5c56c793-69f3-4fbf-87e6-c4bf54c28c26"
KWARGS = {"page_content": "a", "metadata": {"source": "d1"}, "type": "Document"}
WITH_BOTH = NodeWithScore(TextNode("a", metadata={"doc_id": "d1", "file_name": "a.pdf"}), 0.5)


@cases(
    ([LangChainDocument("a", {"source": "a.pdf", "page": 1}), LangChainDocument("b", {"source": "b.pdf"})], "ab", ["a.pdf", "b.pdf"], None),
    ([(LangChainDocument("a", id="d1"), np.float32(0.5)), (LangChainDocument("b", id="d2"), 0.25)], "ab", ["d1", "d2"], [0.5, 0.25]),
    ([NodeWithScore(TextNode("a", "n1"), 0.5), NodeWithScore(TextNode("b", "n2"), 0.25)], "ab", ["n1", "n2"], [0.5, 0.25]),
    ([HaystackDocument("d1", "a", score=0.5), HaystackDocument("d2", "b", score=0.25)], "ab", ["d1", "d2"], [0.5, 0.25]),
    # A generated id gives way to an id in the metadata, and not to the name of the file.
    ([NodeWithScore(TextNode("a", metadata={"doc_id": "d1"}), 0.5)], "a", ["d1"], [0.5]),
    ([NodeWithScore(TextNode("a", metadata={"file_name": "a.pdf"}), 0.5)], "a", [OWN], [0.5]),
    ([{"text": "a", "metadata": {"source": "x"}}, {"text": "b", "metadata": {"source": "x"}}], "ab", ["x", "x"], None),
    ([{"_id": "d1", "_score": 0.5, "_source": {"text": "a"}}], "a", ["d1"], [0.5]),
    ([{"id": "d1", "score": 0.5, "payload": {"text": "a"}}], "a", ["d1"], [0.5]),
    ([{"document": {"content": "a", "id": "d1"}, "score": 0.5}], "a", ["d1"], [0.5]),
    ([{"document.content": "a", "document.id": "d1", "document.score": 0.5}], "a", ["d1"], [0.5]),
    ([{"node": {"text": "a", "id_": "d1"}, "score": 0.5}], "a", ["d1"], [0.5]),
    ([namedtuple("Hit", "text id score")("a", "d1", 0.5)], "a", ["d1"], [0.5]),
    # The id of a dump of LangChain names the class.
    ([{"lc": 1, "type": "constructor", "id": ["langchain", "Document"], "kwargs": KWARGS}], "a", ["d1"], None),
    ({"ids": [["d1", "d2"]], "documents": [["a", "b"]], "metadatas": [[None, None]]}, "ab", ["d1", "d2"], None),
    (LangChainDocument("a"), "a", None, None),
    ((LangChainDocument(text) for text in "ab"), "ab", None, None),
    (iter(["a", "b"]), "ab", None, None),
    (["a", LangChainDocument("b")], "ab", None, None),
    ([], "", None, None),
ids=range(20),
)  # fmt: skip
def test_documents_of_other_tools_give_texts_ids_and_scores(contexts, texts, ids, scores):
    row = row_of(contexts)
    assert row["contexts"] == list(texts)
    assert (row.get("context_ids"), row.get("context_scores")) == (ids, scores)


@cases(({"a.pdf": 1}, "a.pdf"), ([OWN], OWN), (["d1"], "d1"), (None, "d1"))
def test_the_id_that_the_judgements_name_wins(relevant, id):
    assert row_of([WITH_BOTH], relevant=relevant)["context_ids"] == [id]


def test_notes_name_what_is_the_id_and_what_is_left_out():
    notes = loaded([LangChainDocument("a", {"source": "a.pdf"})]).notes
    assert any("context_ids are their 'source'" in note for note in notes)
    assert any("'metadata'" in note for note in notes)
    result = {"ids": [["d1"]], "documents": [["a"]], "distances": [[0.1]]}
    assert any("'distances'" in note for note in loaded(result).notes)


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


@cases(
    ([{"text": "a"}, SimpleNamespace(url="x")], r"item 2 is a SimpleNamespace that has no text .* its keys are 'url'"),
    ([HaystackDocument("d1", "a", score=np.float64("nan"))], "must be finite, got nan"),
    ([["a", "b"]], "item 1 must be text"),
)  # fmt: skip
def test_objects_without_a_text_and_scores_that_are_none_are_an_error(contexts, message):
    with pytest.raises(DataError, match=message):
        loaded(contexts)


def test_documents_that_hold_each_other_end():
    document = {"score": 1.0}
    document["document"] = document
    assert parts_of(document) is None
