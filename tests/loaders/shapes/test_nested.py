"""Wrappers and results of pipelines as objects; the usual ones of JSON are in `samples/`."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from cases import cases

from ragauge.errors import DataError
from ragauge.loaders.loading import load

ASKED, SAID = "Capital of France?", "It is Paris."


@dataclass
class Document:
    id: str
    content: str
    score: float | None = None
    meta: dict = field(default_factory=dict)


@dataclass
class Response:
    """LlamaIndex."""

    response: str | None
    source_nodes: list = field(default_factory=list)
    metadata: dict | None = None


@dataclass
class StreamingResponse:
    response_gen: object
    source_nodes: list = field(default_factory=list)
    response_txt: str | None = None


@dataclass
class GeneratedAnswer:
    """Haystack."""

    data: str
    query: str
    documents: list
    meta: dict = field(default_factory=dict)


class ChatMessage:
    """Haystack: the text is a property."""

    def __init__(self, text):
        self._content = text

    @property
    def text(self):
        return self._content


class AIMessage:
    """LangChain."""

    type = "ai"

    def __init__(self, content):
        self.content = content


DOCUMENTS = [Document("d1", "c1", 0.5), Document("d2", "c2", 0.25)]
READ = {
    "answer": "a",
    "contexts": ["c1", "c2"],
    "context_ids": ["d1", "d2"],
    "context_scores": [0.5, 0.25],
}
GENERATED = GeneratedAnswer("a", "q", DOCUMENTS)
WRITTEN = {"type": "haystack.GeneratedAnswer", "init_parameters": {
    "data": "a", "query": "q", "meta": {}, "documents": [vars(each) for each in DOCUMENTS]}}  # fmt: skip
CHAT = [
    {"role": "user", "content": "first?"},
    {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
    {"role": "user", "content": "second?"},
]


def row_of(*rows, **options):
    return load(list(rows), **options).frame.row(0, named=True)


@pytest.mark.parametrize(
    "source",
    [
        Response("a", DOCUMENTS),
        [Response("a", DOCUMENTS)],
        [GENERATED],
        [{"question": "q", "answer": Response("a", DOCUMENTS)}],
        [{"query": "q", "response": Response("a", DOCUMENTS)}],
        [{"question": "q", "answer": GENERATED}],
        {"answer_builder": {"answers": [GENERATED]}},
        {"answer_builder": {"answers": [WRITTEN]}},
        [{"retriever": {"documents": DOCUMENTS}, "llm": {"replies": ["a"]}}],
        [{"question": "q", "retriever": {"documents": DOCUMENTS}, "llm": {"replies": [ChatMessage("a")]}}],
        [{"question": "q", "run": {"answer_builder": {"answers": [GENERATED]}}}],
        {"query": "q", "result": "a", "source_documents": DOCUMENTS},
        {"input": "q", "context": DOCUMENTS, "answer": "a"},
        [{"question": "q", "answer": AIMessage("a"), "contexts": DOCUMENTS}],
    ],
)  # fmt: skip
def test_answer_and_contexts_are_read_from_the_results_of_each_tool(source):
    row = load(source).frame.row(0, named=True)
    assert {name: row[name] for name in READ} == READ
    assert row.get("question", "q") == "q"


def test_the_question_comes_from_the_answer_and_what_is_given_beside_a_result_is_kept():
    assert row_of(GENERATED)["question"] == "q"
    row = row_of({"question": "mine", "answer": GENERATED, "contexts": ["own"]})
    assert (row["question"], row["contexts"]) == ("mine", ["own"])


def test_of_messages_and_completions_the_text_is_read():
    message = SimpleNamespace(role="assistant", content="a")
    completion = SimpleNamespace(id="x", choices=[SimpleNamespace(message=message)])
    assert row_of({"question": "q", "answer": completion})["answer"] == "a"
    samples = load([{"input": CHAT, "answer": CHAT}])
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("second?", "yes")
    assert any("the last message of 'input'" in note for note in samples.notes)


def test_parts_of_a_result_without_a_column_are_named():
    notes = load({"llm": {"replies": ["a", "b"], "meta": [{"model": "m"}]}}).notes
    assert "left out of the results: all llm.replies but the first, 'meta' of 'llm'" in notes


@cases(
    ([{"question": "q", "answer": StreamingResponse(iter("ab"))}], "StreamingResponse .*read its text first"),
    ([{"question": "q", "answer": SimpleNamespace(tokens=3)}], "got a SimpleNamespace with 'tokens'"),
    ([{"input": {"question": ASKED}}, {"input": "text"}], "must be text, got a dict"),
)  # fmt: skip
def test_objects_without_a_text_are_named_with_their_parts(rows, message):
    with pytest.raises(DataError, match=message):
        load(rows)


def test_dots_without_a_field_behind_them_and_chosen_columns_are_left_alone():
    row = row_of({"answer": SAID, "outputs.relevance.relevance": 5})
    assert row["outputs.relevance.relevance"] == 5
    row = row_of({"inputs": {"question": ASKED}, "inputs.query": "other", "answer": SAID})
    assert (row["question"], row["inputs.query"]) == (ASKED, "other")
    row = row_of({"inputs": {"question": ASKED}, "said": SAID}, map={"answer": "said"})
    assert row["question"] == ASKED
    row = row_of({"input": '{"question": "x"}', "answer": SAID}, map={"question": "input"})
    assert row["question"] == '{"question": "x"}'


@pytest.mark.parametrize("text", ["{", "{" * 100_000, "[" * 100_000, '{"a": ', "{}", '{"x": NaN}'])
def test_text_that_only_begins_as_an_object_is_text(text):
    assert row_of({"id": "q1", "inputs": text, "outputs": SAID})["question"] == text
