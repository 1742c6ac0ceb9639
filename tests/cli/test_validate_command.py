"""`ragauge validate`: what is in a file, and everything that is wrong with it."""

import re


def test_every_column_is_listed_with_its_meaning_and_counts(ragauge, answers):
    done = ragauge("validate", answers, code=0)
    assert re.search(r"^answer +what the system answered +3 +1 +0 *$", done.out, re.MULTILINE)
    assert re.search(r"^references +answers that are right +4 +0 +0 *$", done.out, re.MULTILINE)
    assert re.search(
        r"^kind +extra field, for --by and --where +4 +0 +0 *$", done.out, re.MULTILINE
    )
    assert done.out.endswith("4 samples of 2 systems; no errors\n")
    assert "answers.jsonl" not in done.out  # of several files each has its name
    assert done.err == "ragauge: read 'reference' as references\n"


def test_empty_and_null_are_counted_apart(ragauge, tmp_path):
    rows = '{"id": "q1", "answer": "", "contexts": []}\n{"id": "q2", "answer": null}\n'
    (tmp_path / "a.jsonl").write_text(rows)
    done = ragauge("validate", "a.jsonl")
    assert re.search(r"^answer .* 1 +1 +1 *$", done.out, re.MULTILINE)
    assert re.search(r"^contexts .* 1 +1 +1 *$", done.out, re.MULTILINE)
    assert "2 samples of 1 system;" in done.out


def test_everything_wrong_is_listed_with_line_id_and_field(ragauge, tmp_path):
    rows = [
        '{"id": "q1", "answer": "x", "context_scores": [1, "high"]}',
        '{"id": "q2", "answer": {"text": "x"}}',
        '{"id": "q1", "answer": "y"}',
        '{"id": "", "answer": "y"}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    done = ragauge("validate", "a.jsonl", code=3, out="")
    assert "a.jsonl:1: id 'q1', field 'context_scores': item 2 must be a number" in done.err
    assert "a.jsonl:2: id 'q2', field 'answer': must be text" in done.err
    assert "a.jsonl:3: id 'q1': duplicate id, first at a.jsonl:1" in done.err
    assert "a.jsonl:4: id '', field 'id': is empty" in done.err


def test_a_file_without_anything_to_score_is_not_called_sound(ragauge, tmp_path):
    (tmp_path / "a.csv").write_text("id,banana\nq1,x\n")
    done = ragauge("validate", "a.csv", code=0)
    assert "nothing wrong" not in done.out
    said = (
        "none of the fields question, answer, contexts, context_ids found; map a column with --map"
    )
    assert said in done.err


def test_of_several_files_each_is_checked_and_one_bad_one_decides(ragauge, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"id": "", "answer": "x"}')
    (tmp_path / "good.jsonl").write_text('{"id": "q1", "answer": "x"}')
    done = ragauge("validate", "bad.jsonl", "good.jsonl", "lost.jsonl", code=3)
    assert "bad.jsonl:1: id '', field 'id': is empty" in done.err
    assert "lost.jsonl" in done.err
    assert done.out.startswith("good.jsonl\n")
    assert done.out.endswith("1 sample of 1 system; no errors\n")
    assert ragauge("validate", "good.jsonl", "good.jsonl").code == 0
