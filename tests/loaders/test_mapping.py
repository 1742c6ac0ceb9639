"""Which column becomes which field."""

from pathlib import Path

import pytest

from ragauge.errors import DataError, PlanError
from ragauge.loaders import load
from ragauge.loaders.mapping import field_of

RAGAS = {
    "user_input": "q",
    "response": "a",
    "retrieved_contexts": ["c"],
    "reference": "r",
    "reference_contexts": ["g"],
    "retrieved_context_ids": ["d1"],
    "reference_context_ids": ["d1"],
}
OLD_RAGAS = {"question": "q", "answer": "a", "contexts": ["c"], "ground_truths": ["r"]}
DEEPEVAL = {
    "input": "q",
    "actual_output": "a",
    "expected_output": "r",
    "retrieval_context": ["c"],
    "context": ["g"],
}


@pytest.mark.parametrize("row", [RAGAS, OLD_RAGAS, DEEPEVAL])
def test_the_columns_of_common_tools_are_understood(row: dict[str, object]):
    values = load([{"qid": "q1", **row}]).frame.row(0, named=True)
    assert (values["question"], values["answer"]) == ("q", "a")
    assert (values["contexts"], values["references"]) == (["c"], ["r"])
    assert values.get("gold_contexts", ["g"]) == ["g"]


def test_ragas_ids_become_context_ids_and_judgements():
    batch = load([RAGAS]).batch(0, 1)
    assert (batch["context_ids"], batch["relevant"]) == ([["d1"]], [{"d1": 1}])


def test_a_context_alone_was_retrieved():
    assert load([{"question": "q", "context": "c"}]).frame["contexts"].to_list() == [["c"]]


def test_the_mapping_used_is_a_note():
    (note, *_) = load([{"id": "q1", "response": "a", "user_input": "q"}]).notes
    assert note == "read 'response' as answer, 'user_input' as question"


def test_names_are_compared_without_case_spaces_and_camels():
    assert field_of("Ground Truth") == "references"
    assert field_of("retrievalContext") == "contexts"
    assert field_of("ANSWER") == "answer"


def test_a_fields_own_name_wins_and_the_other_is_said():
    samples = load([{"id": "q1", "answer": "a", "prediction": "p", "reference": "r"}])
    assert samples.frame["answer"].to_list() == ["a"]
    assert samples.slice_fields == ("prediction",)
    assert any("'prediction'" in note and "--map answer=" in note for note in samples.notes)


@pytest.mark.parametrize("name", ["prediction", "pred", "model_answer"])
def test_an_answer_beside_a_prediction_is_the_expected_one(name: str):
    samples = load([{"id": "q1", "answer": "gold", name: "p"}])
    assert samples.frame["answer"].to_list() == ["p"]
    assert samples.frame["references"].to_list() == [["gold"]]
    assert f"read {name!r} as answer, 'answer' as references" in samples.notes


def test_an_answer_beside_a_prediction_is_no_reference_where_a_gold_source_has_them():
    rows = [{"id": "q1", "answer": "a", "prediction": "p"}]
    samples = load(rows, gold=[{"id": "q1", "question": "Q?", "answer": "gold"}])
    assert samples.frame["answer"].to_list() == ["a"]
    assert samples.frame["references"].to_list() == [["gold"]]


def test_a_rare_name_counts_only_where_no_usual_one_is():
    both = load([{"id": "q1", "context": "c", "document": "a.pdf"}])
    assert both.frame["contexts"].to_list() == [["c"]]
    assert both.slice_fields == ("document",)
    assert load([{"id": "q1", "document": "text"}]).frame["contexts"].to_list() == [["text"]]


def test_two_names_for_one_field_are_an_error_with_the_way_out():
    with pytest.raises(DataError, match=r"--map references=COLUMN"):
        load([{"answer": "a", "ground_truth": "r", "gold_answer": "s"}])


def test_the_users_mapping_overrides_and_says_what_it_displaces():
    row = {"id": "q1", "answer": "gold", "prediction": "p", "reference": "r"}
    samples = load([row], map={"answer": "prediction"})
    assert samples.frame["answer"].to_list() == ["p"]
    assert samples.frame["references"].to_list() == [["r"]]
    assert "left out column 'answer': 'prediction' is read as answer" in samples.notes


def test_a_displaced_column_may_be_mapped_itself():
    row = {"id": "q1", "answer": "gold", "prediction": "p"}
    samples = load([row], map={"answer": "prediction", "references": "answer"})
    assert samples.frame["references"].to_list() == [["gold"]]
    assert not any("left out" in note for note in samples.notes)


def test_mapping_to_a_column_that_is_not_there_names_what_is():
    with pytest.raises(DataError, match=r"did you mean 'prediction'.*'id', 'prediction'"):
        load([{"id": "q1", "prediction": "p"}], map={"answer": "predicton"})


@pytest.mark.parametrize("chosen", [{"anwser": "a"}, {"answer": "a", "question": "a"}])
def test_a_mapping_that_cannot_be_meant_is_refused(chosen: dict[str, str]):
    with pytest.raises(PlanError):
        load([{"a": "x"}], map=chosen)


def test_the_model_is_the_system_where_nothing_else_is():
    rows = [{"id": "q1", "answer": "a", "model": "m1"}, {"id": "q1", "answer": "b", "model": "m2"}]
    samples = load(rows)
    assert samples.systems == ("m1", "m2")
    assert "read 'model' as system" in samples.notes


def test_the_model_is_a_column_of_its_own_beside_a_system_or_a_second_candidate():
    beside = load([{"answer": "a", "system": "s", "model": "m"}])
    assert (beside.systems, beside.slice_fields) == (("s",), ("model",))
    given = load([{"answer": "a", "model": "m"}], system="s")
    assert (given.systems, given.slice_fields) == (("s",), ("model",))
    two = load([{"answer": "a", "method": "x", "model": "m"}])
    assert two.slice_fields == ("method", "model")
    assert any("could each be the system" in note for note in two.notes)


def test_data_without_any_field_is_refused():
    with pytest.raises(DataError, match="has no known field"):
        load([{"colour": "red"}])


def test_a_name_that_is_nearly_a_fields_is_asked_about():
    notes = load([{"question": "q", "anwser": "a"}]).notes
    assert any("did you mean 'answer'?" in note for note in notes)


@pytest.mark.parametrize("key", ["text", "page_content", "content"])
def test_contexts_given_as_objects_give_texts_ids_and_scores(key: str):
    context = {key: "c", "id": 7, "score": 0.5, "metadata": {"page": 1}}
    samples = load([{"id": "q1", "contexts": [context]}, {"id": "q2", "contexts": []}])
    batch = samples.batch(0, 2)
    assert batch["contexts"] == [["c"], []]
    assert batch["context_ids"] == [["7"], []]
    assert batch["context_scores"] == [[0.5], []]
    assert any("'metadata'" in note for note in samples.notes)


def test_ids_that_not_every_context_has_are_not_taken():
    samples = load([{"id": "q1", "contexts": [{"text": "a", "id": "d1"}, {"text": "b"}]}])
    assert "context_ids" not in samples.columns


def test_a_context_object_without_text_is_a_problem():
    with pytest.raises(DataError) as caught:
        load([{"id": "q1", "contexts": [{"text": "a"}, {"url": "x"}]}])
    (problem,) = caught.value.problems
    assert (problem.field, problem.id) == ("contexts", "q1")
    assert "item 2" in problem.message


@pytest.mark.parametrize(
    "header",
    [
        "Nr.,Frage,Antwort,Erwartete Antwort,Kontext",
        "N°,Question,Réponse,Réponse attendue,Contexte",
        "numero,pregunta,respuesta,respuesta esperada,contexto",
        "nr,Domanda,Risposta,Risposta attesa,Contesto",
        "编号,问题,回答,参考答案,上下文",
    ],
)
def test_headers_in_other_languages_are_fields(tmp_path: Path, header: str):
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n7,where?,here,Here,It is here.\n")
    row = load(path).frame.row(0, named=True)
    assert (row["id"], row["question"], row["answer"]) == ("7", "where?", "here")
    assert (row["references"], row["contexts"]) == (["Here"], ["It is here."])


def test_an_accent_may_be_two_characters_or_none():
    for name in ("Re\u0301ponse", "Réponse", "REPONSE"):
        samples = load([{"id": "q1", name: "here"}])
        assert samples.frame["answer"].to_list() == ["here"]


def test_a_usual_name_wins_over_one_in_another_language():
    samples = load([{"id": "q1", "answer": "here", "antwort": "hier"}])
    assert samples.frame["answer"].to_list() == ["here"]


def test_an_answer_in_another_language_is_a_reference_in_gold():
    samples = load([{"id": "q1", "answer": "here"}], gold=[{"id": "q1", "Antwort": "Hier"}])
    assert samples.frame["references"].to_list() == [["Hier"]]


def test_dspy_names_its_columns_after_example_and_prediction():
    samples = load([{"question": "where?", "example_answer": "Here", "pred_answer": "here"}])
    row = samples.frame.row(0, named=True)
    assert (row["answer"], row["references"]) == ("here", ["Here"])


def test_unknown_columns_come_with_the_options_that_name_them():
    with pytest.raises(DataError, match="'a', 'b'; say which is which: --map question=COLUMN"):
        load([{"a": 1, "b": 2}])


@pytest.mark.parametrize(
    ("header", "field"),
    [
        ("Antwort des Systems", "answer"),
        ("Antwort KI", "answer"),
        ("Réponse du système", "answer"),
        ("Musterlösung", "references"),
        ("Fundstelle", "contexts"),
        ("Lfd. Nr.", "id"),
        ("predicted_answers", "answer"),
    ],
)
def test_further_headers_of_spreadsheets(header: str, field: str):
    from ragauge.loaders.mapping import field_of

    assert field_of(header) == field


def test_an_answer_beside_an_output_is_the_expected_one():
    row = load([{"question": "where?", "answer": "Here", "output": "It is here."}])
    read = row.frame.row(0, named=True)
    assert (read["answer"], read["references"]) == ("It is here.", ["Here"])


def test_a_prompt_gives_way_to_the_question_beside_it():
    samples = load([{"prompt": "Answer this. where?", "user_input": "where?", "response": "here"}])
    assert samples.frame["question"].to_list() == ["where?"]
    assert "prompt" in samples.columns
    alone = load([{"prompt": "where?", "response": "here"}])
    assert alone.frame["question"].to_list() == ["where?"]


@pytest.mark.parametrize(
    ("header", "separator"), [("Q;A;Gold", ";"), ("Q,A,Ground Truth", ","), ("q,a,ideal", ",")]
)
def test_short_headers_of_spreadsheets_are_read_and_announced(tmp_path, header, separator):
    file = tmp_path / "a.csv"
    file.write_text(f"{header}\n{separator.join(('Where?', 'Rome', 'Oslo'))}\n")
    samples = load(file)
    row = samples.frame.row(0, named=True)
    assert (row["question"], row["answer"], row["references"]) == ("Where?", "Rome", ["Oslo"])
    assert any("as question" in note and "as answer" in note for note in samples.notes)


def test_a_lone_letter_is_an_extra_column():
    assert "a" in load([{"id": "1", "answer": "x", "a": "y"}]).frame.columns


def test_an_answer_beside_a_response_asks_which_is_which():
    rows = [{"id": "q1", "answer": "Rome", "response": "Oslo"}]
    with pytest.raises(
        DataError, match=r"'answer' and 'response' could each be .*--map answer=resp"
    ):
        load(rows)
    chosen = load(rows, map={"answer": "response", "references": "answer"}).frame.row(0, named=True)
    assert (chosen["answer"], chosen["references"]) == ("Oslo", ["Rome"])
    beside = load([{**rows[0], "reference": "Rome"}])  # a field's own name wins where gold is known
    assert beside.frame["answer"].to_list() == ["Rome"]


def test_an_array_as_numpy_prints_it_is_read_and_announced(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('id,answer,contexts\n1,x,"[\'a b\' ""it\'s""\n \'c\']"\n')
    samples = load(file)
    assert samples.frame["contexts"].to_list() == [["a b", "it's", "c"]]
    assert any("as numpy prints an array in 1 row; JSON is safer" in note for note in samples.notes)
    file.write_text("id,answer,contexts\n1,x,['a' 'b' ... 'y' 'z']\n")
    with pytest.raises(DataError, match="a printed numpy array that is not complete"):
        load(file)
