"""Tables that only their columns, or the marks in their cells, tell apart."""

from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load

ASKED, SAID = "Capital of France?", "It is Paris."
TEXT = "Paris is the capital of France."
DEEPEVAL = "input,actual_output,retrieval_context,context"


def row_of(given: dict[str, object]) -> dict[str, object]:
    return load([given]).frame.row(0, named=True)


def test_a_source_beside_a_question_or_of_one_word_is_no_context():
    row = row_of({"question": ASKED, "answer": SAID, "source": TEXT, "summary": "short"})
    assert (row["answer"], row["source"], row["summary"]) == (SAID, TEXT, "short")
    assert "contexts" not in row
    row = row_of({"question": ASKED, "source": "wiki", "summary": SAID})
    assert row["source"] == "wiki"


def test_a_label_of_one_word_is_no_expected_answer():
    given = {"question": ASKED, "instruction": f"{TEXT} {ASKED}", "response": SAID}
    row = row_of({**given, "label": "correct"})
    assert (row["label"], row.get("references")) == ("correct", None)


def test_a_column_that_the_user_maps_stays():
    samples = load([{"source": TEXT, "summary": SAID}], map={"question": "summary"})
    assert samples.frame["question"].to_list() == [SAID]


@pytest.mark.parametrize(
    ("text", "column", "cell"),
    [
        ("id,answer,[note] extra\nq1,a,text\n", "[note] extra", "text"),
        ("Question,Correct Answers\nWhere?,Here; There\n", "references", ["Here; There"]),
        (f"{DEEPEVAL}\nq,a,one; two | three,gold\n", "contexts", ["one; two | three"]),
        ("question,answer,contexts\nq,a,one|two\n", "contexts", ["one|two"]),
        ('id,answer\nq1,"""Yes"""\nq2,No\n', "answer", '"Yes"'),
    ],
    ids=["promptfoo", "TruthfulQA", "blanks in deepeval", "deepeval", "TruLens"],
)
def test_a_cell_without_the_other_marks_of_a_tool_is_text(
    tmp_path: Path, text: str, column: str, cell: object
):
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert load(path).frame[column].to_list()[0] == cell


def test_a_ranking_comes_with_the_command_that_scores_it(tmp_path: Path):
    path = tmp_path / "bm25.run"
    path.write_text("q1 Q0 d1 1 0.5 bm25\n")
    with pytest.raises(DataError, match="scored with 'ragauge rank QRELS RUN'"):
        load(path)
