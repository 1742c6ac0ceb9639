"""Which column becomes which field."""

from pathlib import Path
from typing import Any

import pytest
from cases import cases

from ragauge.errors import DataError, PlanError
from ragauge.loaders.loading import load
from ragauge.loaders.mapping import field_of

pytestmark = pytest.mark.usefixtures("also_in_pieces")

RAGAS = {
    "user_input": "q", "response": "a", "retrieved_contexts": ["c"], "reference": "r", "reference_contexts": ["g"],
    "retrieved_context_ids": ["d1"], "reference_context_ids": ["d1"],
}  # fmt: skip
OLD_RAGAS = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["r"]}
DEEPEVAL = {"input": "q", "actual_output": "a", "expected_output": "r", "retrieval_context": ["c"], "context": ["g"]}  # fmt: skip
READ = {"question": "q", "answer": "a", "contexts": ["c"], "references": ["r"]}
MAPPED = {"map": {"answer": "prediction"}}


@cases(
    (RAGAS, {}, READ | {"gold_contexts": ["g"], "context_ids": ["d1"], "relevant": [{"id": "d1", "grade": 1}]}, []),
    (OLD_RAGAS, {}, READ, []),
    (DEEPEVAL, {}, READ | {"gold_contexts": ["g"]}, []),
    ({"question": "q", "context": "c"}, {}, {"contexts": ["c"]}, []),
    ({"response": "a", "user_input": "q"}, {}, {"answer": "a", "question": "q"}, ["read 'response' as answer, 'user_input' as question"]),
    ({"answer": "a", "prediction": "p", "reference": "r"}, {}, {"answer": "a", "references": ["r"], "prediction": "p"}, ["read 'answer' as answer, not 'prediction'; --map answer=COLUMN changes it"]),
    ({"answer": "gold", "prediction": "p"}, {}, {"answer": "p", "references": ["gold"]}, ["read 'prediction' as answer, 'answer' as references"]),
    ({"answer": "gold", "output": "p"}, {}, {"answer": "p", "references": ["gold"]}, []),
    ({"example_answer": "gold", "pred_answer": "p"}, {}, {"answer": "p", "references": ["gold"]}, []),
    ({"answer": "gold", "prediction": "p", "reference": "r"}, MAPPED, {"answer": "p", "references": ["r"]}, ["left out column 'answer': 'prediction' is read as answer"]),
    ({"answer": "gold", "prediction": "p"}, {"map": {"answer": "prediction", "references": "answer"}}, {"answer": "p", "references": ["gold"]}, ["read 'prediction' as answer, 'answer' as references"]),
    ({"answer": "a", "prediction": "p"}, {"gold": [{"id": "q1", "question": "Q?", "answer": "gold"}]}, {"answer": "a", "references": ["gold"]}, []),
    ({"answer": "here"}, {"gold": [{"id": "q1", "Antwort": "Hier"}]}, {"references": ["Hier"]}, []),
    ({"answer": "here"}, {"gold": [{"id": "q1", "Antwort": "Dort", "Erwartete Antwort": "Hier"}]}, {"references": ["Hier"]}, []),
    ({"answer": "here"}, {"gold": [{"id": "q1", "answer": "there", "ground_truth": "here"}]}, {"references": ["here"]}, []),
    ({"answer": "Rome", "response": "Oslo"}, {"map": {"answer": "response", "references": "answer"}}, {"answer": "Oslo", "references": ["Rome"]}, []),
    ({"context": "c", "document": "a.pdf"}, {}, {"contexts": ["c"], "document": "a.pdf"}, []),
    ({"document": "text"}, {}, {"contexts": ["text"]}, []),
    ({"prompt": "Answer this. q", "user_input": "q", "response": "a"}, {}, {"question": "q", "prompt": "Answer this. q"}, []),
    ({"prompt": "q", "response": "a"}, {}, {"question": "q"}, []),
    ({"answer": "x", "a": "y"}, {}, {"answer": "x", "a": "y"}, []),
    ({"Q": "q", "A": "a", "Gold": "r"}, {}, {"question": "q", "answer": "a", "references": ["r"]}, ["read 'Q' as question, 'A' as answer, 'Gold' as references"]),
    ({"question": "q", "anwser": "a"}, {}, {"anwser": "a"}, ["'anwser' is kept as an extra field; did you mean 'answer'?"]),
    ({"answer": "a", "model": "m"}, {}, {"system": "m"}, ["read 'model' as system"]),
    ({"answer": "a", "system": "s", "model": "m"}, {}, {"system": "s", "model": "m"}, []),
    ({"answer": "a", "model": "m"}, {"system": "s"}, {"system": "s", "model": "m"}, []),
    ({"answer": "a", "method": "x", "model": "m"}, {}, {"system": "default", "method": "x", "model": "m"}, ["'method' and 'model' could each be the system; none is used"]),
    ({"references": None, "gold": "r", "answer": "a"}, {}, {"references": ["r"]}, ["read 'references', and where it is null 'gold', as references"]),
    ({"Re\u0301ponse": "a"}, {}, {"answer": "a"}, []),
    ({"REPONSE": "a"}, {}, {"answer": "a"}, []),
    ({"answer": "a", "antwort": "b"}, {}, {"answer": "a", "antwort": "b"}, []),
    ({"User said": "q", "Bot said": "a"}, {}, {"question": "q", "answer": "a"}, ["read 'User said' as question, 'Bot said' as answer"]),
    # A remark in brackets may change the meaning.
    ({"answer": "a", "Answer (ground truth)": "b", "Context (tokens)": 12}, {}, {"answer": "a", "Answer (ground truth)": "b", "Context (tokens)": 12}, []),
)  # fmt: skip
def test_names_of_columns_are_fields_and_what_they_displace_is_announced(
    row: dict[str, object], options: dict[str, Any], expected: dict[str, object], notes: list[str]
):
    samples = load([{"id": "q1", **row}], **options)
    values = samples.frame.row(0, named=True)
    assert {name: values[name] for name in expected} == expected
    assert set(notes) <= set(samples.notes)


@cases(
    ("Ground Truth", "references"),
    ("retrievalContext", "contexts"),
    ("ANSWER", "answer"),
    ("Antwort des Systems", "answer"),
    ("Réponse du système", "answer"),
    ("Musterlösung", "references"),
    ("Lfd. Nr.", "id"),
)
def test_names_are_compared_without_case_spaces_and_camels(name: str, field: str):
    assert field_of(name) == field


@cases(
    ({"answer": "a", "ground_truth": "r", "gold_answer": "s"}, {}, "--map references=COLUMN"),
    ({"id": "q1", "prediction": "p"}, {"answer": "predicton"}, r"did you mean 'prediction'.*'id', 'prediction'"),
    ({"a": 1, "b": 2}, {}, "has no known field; .*'a', 'b'; say which is which: --map question=COLUMN"),
    ({"answer": "Rome", "response": "Oslo"}, {}, r"'answer' and 'response' could each be .*--map answer=resp"),
    ({"answer": "Rome", "response": "Oslo", "reference": "Rome"}, {}, r"could each be the system's answer; .*--map answer=response or --map answer=answer"),
    ({"answer": "a", " ": "b"}, {}, "has a column without a name"),
    ({"answer": "a", "\ud800": "b"}, {}, "has a column name that is not valid Unicode"),
    ({f"q{n}": n for n in range(1001)}, {}, "has 1,001 columns, more than 1,000"),
    ({"id": "q1", "contexts": [{"text": "a"}, {"url": "x"}]}, {}, "id 'q1', field 'contexts': item 2"),
)  # fmt: skip
def test_columns_that_cannot_be_told_come_with_the_options_that_name_them(
    row: dict[str, object], chosen: dict[str, str], message: str
):
    with pytest.raises(DataError, match=message):
        load([row], map=chosen)


@pytest.mark.parametrize("chosen", [{"anwser": "a"}, {"answer": "a", "question": "a"}])
def test_a_mapping_that_cannot_be_meant_is_refused(chosen: dict[str, str]):
    with pytest.raises(PlanError):
        load([{"a": "x"}], map=chosen)


@pytest.mark.parametrize("key", ["text", "page_content", "content"])
def test_contexts_given_as_objects_give_texts_ids_and_scores(key: str):
    context = {key: "c", "id": 7, "score": 0.5, "metadata": {"page": 1}}
    samples = load([{"id": "q1", "contexts": [context]}, {"id": "q2", "contexts": []}])
    batch = samples.batch(0, 2)
    assert batch["contexts"] == [["c"], []]
    assert batch["context_ids"] == [["7"], []]
    assert batch["context_scores"] == [[0.5], []]
    assert any("'metadata'" in note for note in samples.notes)
    samples = load([{"id": "q1", "contexts": [{key: "a", "id": "d1"}, {key: "b"}]}])
    assert "context_ids" not in samples.columns


@cases(
    "Nr.,Frage,Antwort,Erwartete Antwort,Kontext",
    "N°,Question,Réponse,Réponse attendue,Contexte",
    "numero,pregunta,respuesta,respuesta esperada,contexto",
    "nr,Domanda,Risposta,Risposta attesa,Contesto",
    "编号,问题,回答,参考答案,上下文",
)
def test_headers_in_other_languages_are_fields(header: str, tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n7,where?,here,Here,It is here.\n")
    row = load(path).frame.row(0, named=True)
    assert (row["id"], row["question"], row["answer"]) == ("7", "where?", "here")
    assert (row["references"], row["contexts"]) == (["Here"], ["It is here."])


def test_an_array_as_numpy_prints_it_is_read_and_announced(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('id,answer,contexts\n1,x,"[\'a b\' ""it\'s""\n \'c\']"\n')
    samples = load(file)
    assert samples.frame["contexts"].to_list() == [["a b", "it's", "c"]]
    assert any("as numpy prints an array in 1 row; JSON is safer" in note for note in samples.notes)
    file.write_text("id,answer,contexts\n1,x,['a' 'b' ... 'y' 'z']\n")
    with pytest.raises(DataError, match="a printed numpy array that is not complete"):
        load(file)
