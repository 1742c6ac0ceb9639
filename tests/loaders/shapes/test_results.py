"""Results of question-answering pipelines: answers with the documents behind them."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load


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


def row_of(source):
    return load(source).frame.row(0, named=True)


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
        [{"retriever": {"documents": DOCUMENTS}, "llm": {"replies": ["a"]}}],
        [
            {
                "question": "q",
                "retriever": {"documents": DOCUMENTS},
                "llm": {"replies": [ChatMessage("a")]},
            }
        ],
        [{"question": "q", "run": {"answer_builder": {"answers": [GENERATED]}}}],
        {"query": "q", "result": "a", "source_documents": DOCUMENTS},
        {"input": "q", "context": DOCUMENTS, "answer": "a"},
        [{"question": "q", "answer": AIMessage("a"), "contexts": DOCUMENTS}],
    ],
)
def test_answer_and_contexts_are_read_from_the_results_of_each_tool(source):
    row = row_of(source)
    assert {name: row[name] for name in READ} == READ
    assert row.get("question", "q") == "q"


def test_the_question_comes_from_the_answer_where_it_has_it():
    assert row_of([GENERATED])["question"] == "q"


def test_values_given_beside_a_result_are_kept():
    row = row_of([{"question": "mine", "answer": GENERATED, "contexts": ["own"]}])
    assert (row["question"], row["contexts"]) == ("mine", ["own"])


def test_parts_of_a_result_without_a_column_are_named():
    result = {"llm": {"replies": ["a", "b"], "meta": [{"model": "m"}]}}
    notes = load(result).notes
    assert any(
        "all llm.replies but the first" in note and "'meta' of 'llm'" in note for note in notes
    )


def test_a_response_that_is_still_streaming_is_an_error():
    with pytest.raises(DataError, match=r"StreamingResponse .*read its text first"):
        load([{"question": "q", "answer": StreamingResponse(iter("ab"))}])


def test_of_a_list_of_messages_the_last_one_of_the_role_is_read():
    chat = [
        {"role": "user", "content": "first?"},
        {"role": "assistant", "content": [{"type": "text", "text": "yes"}]},
        {"role": "user", "content": "second?"},
    ]
    samples = load([{"input": chat, "answer": chat}])
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("second?", "yes")
    assert any("the last message of 'input'" in note for note in samples.notes)


def test_an_answer_that_is_some_object_is_named_with_its_attributes():
    with pytest.raises(DataError, match="got a SimpleNamespace with 'tokens'"):
        load([{"question": "q", "answer": SimpleNamespace(tokens=3)}])


def test_the_completion_of_openai_is_a_text():
    message = SimpleNamespace(role="assistant", content="a")
    completion = SimpleNamespace(id="x", choices=[SimpleNamespace(message=message)])
    assert row_of([{"question": "q", "answer": completion}])["answer"] == "a"


def test_an_answer_of_haystack_is_read_from_its_written_form():
    documents = [{"id": "d1", "content": "Paris is a city.", "meta": {}, "score": 0.5}]
    parameters = {"data": "Paris.", "query": "Capital?", "documents": documents, "meta": {}}
    written = {"type": "haystack.dataclasses.answer.GeneratedAnswer", "init_parameters": parameters}
    row = load([{"answer_builder": {"answers": [written]}}]).frame.row(0, named=True)
    assert (row["question"], row["answer"]) == ("Capital?", "Paris.")
    assert (row["contexts"], row["context_ids"]) == (["Paris is a city."], ["d1"])
