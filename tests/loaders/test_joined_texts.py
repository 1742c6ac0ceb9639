"""Contexts that deepeval joined in one cell, and texts that TruLens quoted."""

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.samples.samples import Samples

DEEPEVAL = "input,actual_output,retrieval_context,context"


def loaded(tmp_path: Path, text: str) -> Samples:
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("mark", ["|", ";"])
def test_contexts_of_deepeval_are_split_at_its_marks(tmp_path: Path, mark: str):
    cells = f"q,a,It is here.{mark}Not there; no.,gold"
    samples = loaded(tmp_path, f"{DEEPEVAL}\n{cells}\n")
    assert samples.frame["contexts"].to_list() == [["It is here.", "Not there; no."]]
    assert samples.frame["gold_contexts"].to_list() == [["gold"]]
    assert f"split 'retrieval_context' at {mark!r}, as deepeval joins texts" in samples.notes


def test_the_answers_of_truthfulqa_are_split(tmp_path: Path):
    head = "Question,Best Answer,Correct Answers,Incorrect Answers"
    samples = loaded(tmp_path, f"{head}\nWhat happens?,Nothing,Nothing; No harm;,Pain; Death\n")
    assert samples.frame["references"].to_list() == [["Nothing", "No harm"]]
    assert "split 'Correct Answers' at ';', as TruthfulQA joins answers" in samples.notes
    samples = loaded(tmp_path, "Question,Correct Answers\nWhat happens?,Nothing; No harm\n")
    assert samples.frame["references"].to_list() == [["Nothing; No harm"]]


def test_marks_between_blanks_and_in_other_tools_files_are_text(tmp_path: Path):
    samples = loaded(tmp_path, f"{DEEPEVAL}\nq,a,one; two | three,gold\n")
    assert samples.frame["contexts"].to_list() == [["one; two | three"]]
    samples = loaded(tmp_path, "question,answer,contexts\nq,a,one|two\n")
    assert samples.frame["contexts"].to_list() == [["one|two"]]


def test_texts_that_are_all_quoted_as_json_lose_their_quotes(tmp_path: Path):
    text = 'record_id,input,output\nr1,"""where?""","""a\\nb"""\nr2,"""who?""",\n'
    samples = loaded(tmp_path, text)
    assert samples.frame["question"].to_list() == ["where?", "who?"]
    assert samples.frame["answer"].to_list() == ["a\nb", ""]


def test_a_quoted_answer_among_others_keeps_its_quotes(tmp_path: Path):
    samples = loaded(tmp_path, 'id,answer\nq1,"""Yes"""\nq2,No\n')
    assert samples.frame["answer"].to_list() == ['"Yes"', "No"]


def test_a_ranking_comes_with_the_command_that_scores_it(tmp_path: Path):
    path = tmp_path / "bm25.run"
    path.write_text("q1 Q0 d1 1 0.5 bm25\n")
    with pytest.raises(DataError, match="scored with 'ragauge rank QRELS RUN'"):
        load(path)
