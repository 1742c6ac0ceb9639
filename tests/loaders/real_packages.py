"""Load the objects of the real packages, each in an environment of its own.

    python tests/loaders/real_packages.py            make the environments, run every check
    python tests/loaders/real_packages.py ragas      only this tool
    python tests/loaders/real_packages.py --here llama-index    run one check in this environment

`make test-inputs` runs it. pytest does not collect it: the packages are large, and some exclude each other.
"""

import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r"^```py\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENVIRONMENTS = ROOT / ".venv-inputs"
ANSWER = {"question": "q", "answer": "a"}
FOUND = {"contexts": ["c1", "c2"], "context_ids": ["d1", "d2"], "context_scores": [0.5, 0.25]}


def check(source, expected):
    """The first row that is read has these values."""
    import ragauge as rg

    row = rg.load(source).frame.row(0, named=True)
    read = {name: row.get(name) for name in expected}
    assert read == expected, f"{read} is not {expected}"


def refused(source, words):
    """The source is refused with these words."""
    import ragauge as rg

    try:
        rg.load(source)
    except rg.RagaugeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"was read: {source!r:.200}")


def datasets():
    import pyarrow as pa
    from datasets import Dataset, DatasetDict

    columns = {"question": ["q"], "answer": ["a"], "contexts": [["c1", "c2"]]}
    expected = {**ANSWER, "contexts": ["c1", "c2"]}
    dataset = Dataset.from_dict(columns)
    table = pa.table(columns)
    for source in (dataset, dataset.to_iterable_dataset(), DatasetDict(test=dataset),
                   DatasetDict(train=dataset, test=dataset), {"mine": dataset}, dataset[:],
                   table, table.to_batches()[0], table.to_reader()):  # fmt: skip
        check(source, expected)
    check(DatasetDict(train=dataset, test=dataset), {"split": "train"})


def langchain():
    from langchain_core.documents import Document
    from langchain_core.load import dumpd
    from langchain_core.messages import AIMessage, HumanMessage

    documents = [
        Document(page_content="c1", metadata={"source": "d1"}),
        Document(page_content="c2", metadata={"source": "d2"}, id=None),
    ]
    scored = list(zip(documents, (0.5, 0.25), strict=True))
    expected = {**ANSWER, "contexts": ["c1", "c2"], "context_ids": ["d1", "d2"]}
    check([{**ANSWER, "contexts": documents}], expected)
    check([{**ANSWER, "contexts": [dumpd(one) for one in documents]}], expected)
    check([{**ANSWER, "contexts": scored}], {**ANSWER, **FOUND})
    check({"input": "q", "context": documents, "answer": "a"}, expected)
    check({"query": "q", "result": "a", "source_documents": documents}, expected)
    chat = [HumanMessage("first"), AIMessage("no"), HumanMessage("q")]
    check([{"question": chat, "answer": AIMessage([{"type": "text", "text": "a"}])}], ANSWER)
    refused(documents, "put the documents of a question into its contexts")


def llama_index():
    from llama_index.core.base.response.schema import Response, StreamingResponse
    from llama_index.core.schema import Document, NodeWithScore, TextNode

    nodes = [
        NodeWithScore(node=TextNode(text="c1", id_="d1"), score=0.5),
        NodeWithScore(node=TextNode(text="c2", id_="d2"), score=0.25),
    ]
    named = [
        NodeWithScore(node=TextNode(text=text, metadata={"doc_id": id}), score=score)
        for text, id, score in (("c1", "d1", 0.5), ("c2", "d2", 0.25))
    ]
    response = Response(response="a", source_nodes=nodes)
    check(response, {"answer": "a", **FOUND})
    check([{"question": "q", "answer": response}], {**ANSWER, **FOUND})
    check([{**ANSWER, "contexts": nodes}], {**ANSWER, **FOUND})
    check([{**ANSWER, "contexts": named}], {**ANSWER, **FOUND})
    check([{**ANSWER, "contexts": [node.to_dict() for node in nodes]}], {**ANSWER, **FOUND})
    check(
        [{"contexts": [Document(text="c1", doc_id="d1")]}],
        {"contexts": ["c1"], "context_ids": ["d1"]},
    )
    refused([{"answer": StreamingResponse(response_gen=iter("a"))}], "read its text first")
    refused(nodes, "put the documents of a question into its contexts")


def haystack():
    from haystack import Pipeline
    from haystack.components.builders import AnswerBuilder
    from haystack.dataclasses import ChatMessage, Document, ExtractedAnswer

    documents = [
        Document(id="d1", content="c1", score=0.5),
        Document(id="d2", content="c2", score=0.25),
    ]
    pipeline = Pipeline()
    pipeline.add_component("answer_builder", AnswerBuilder())
    inputs = {"query": "q", "replies": [ChatMessage.from_assistant("a")], "documents": documents}
    result = pipeline.run({"answer_builder": inputs})
    expected = {**ANSWER, **FOUND}
    check([{**ANSWER, "contexts": documents}], expected)
    check([{**ANSWER, "contexts": [one.to_dict() for one in documents]}], expected)
    check(result, expected)
    check([result], expected)
    check(result["answer_builder"]["answers"], expected)
    check([{"question": "q", "answer": result["answer_builder"]["answers"][0]}], expected)
    retrieved = {"retriever": {"documents": documents}, "llm": {"replies": inputs["replies"]}}
    check([{"question": "q", **retrieved}], expected)
    extracted = ExtractedAnswer(query="q", score=0.5, data="a", document=documents[0])
    check([extracted], {**ANSWER, "contexts": ["c1"]})


def ragas():
    from ragas import EvaluationDataset, MultiTurnSample, SingleTurnSample
    from ragas.messages import AIMessage, HumanMessage

    sample = SingleTurnSample(
        user_input="q", response="a", retrieved_contexts=["c1"], reference="r",
        reference_contexts=["g"], rubrics={"score1": "bad"},
    )  # fmt: skip
    expected = {**ANSWER, "contexts": ["c1"], "references": ["r"], "gold_contexts": ["g"]}
    check([sample], expected)
    check(EvaluationDataset(samples=[sample]), expected)
    check(EvaluationDataset(samples=[sample]).to_pandas(), expected)
    chat = [HumanMessage(content="q"), AIMessage(content="a")]
    check([MultiTurnSample(user_input=chat)], ANSWER)


def deepeval():
    from deepeval.dataset import EvaluationDataset, Golden
    from deepeval.test_case import ConversationalTestCase, LLMTestCase, Turn

    case = LLMTestCase(
        input="q", actual_output="a", expected_output="r", context=["g"], retrieval_context=["c1"]
    )
    expected = {**ANSWER, "contexts": ["c1"], "references": ["r"], "gold_contexts": ["g"]}
    golden = Golden(input="q", expected_output="r", additional_metadata={"topic": "x"})
    check([case], expected)
    check(case, expected)
    check([golden], {"question": "q", "references": ["r"], "topic": "x"})
    data = EvaluationDataset(goldens=[golden])
    check(data, {"question": "q", "references": ["r"]})
    data.add_test_case(case)
    check(data, expected)
    turns = [Turn(role="user", content="q"), Turn(role="assistant", content="a")]
    check([ConversationalTestCase(turns=turns)], ANSWER)


CHECKS = {
    "datasets": (datasets, ["datasets>=3", "pyarrow>=15"]),
    "langchain": (langchain, ["langchain-core>=0.3"]),
    "llama-index": (llama_index, ["llama-index-core>=0.12"]),
    "haystack": (haystack, ["haystack-ai>=2.10"]),
    "ragas": (ragas, ["ragas==0.4.3", "langchain-community<0.4"]),
    "deepeval": (deepeval, ["deepeval==4.3.*"]),
}


def run_documented(name):
    """Run the example of this tool in docs/data.md; the test suite runs it only where it can."""
    page = (ROOT / "docs" / "data.md").read_text("utf-8")
    package = CHECKS[name][0].__name__
    examples = [code for code in EXAMPLE.findall(page) if f"from {package}" in code]
    assert examples, f"docs/data.md has no example of {name}"
    for code in examples:
        values = {}
        exec(code, values)
        assert len(values["samples"]) == 1


def in_environment(name):
    """Run the check in an environment with its packages; returns whether it passed."""
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        venv.create(folder, with_pip=True)
        packages = CHECKS[name][1]
        subprocess.run([python, "-m", "pip", "install", "-q", "-e", ROOT, *packages], check=True)
        (folder / "installed").touch()
    done = subprocess.run([python, "-W", "ignore", __file__, "--here", name], check=False)
    return done.returncode == 0


def main(arguments):
    if arguments[:1] == ["--here"]:
        CHECKS[arguments[1]][0]()
        run_documented(arguments[1])
        print(f"{arguments[1]}: passed")
        return 0
    names = arguments or list(CHECKS)
    passed = [name for name in names if in_environment(name)]
    print(f"{len(passed)} passed, {len(names) - len(passed)} failed")
    return len(passed) < len(names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
