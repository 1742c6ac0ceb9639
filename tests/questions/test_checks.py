"""Planted faults are found, and sound questions are not called faulty."""

import json

import pytest
from cases import cases
from planted_questions import FAULTS, corpus, planted

import ragauge as rg
from ragauge.cli import main
from ragauge.documents.reading import read_documents
from ragauge.questions.checks import check, is_stated
from ragauge.questions.evidence import Bm25
from ragauge.questions.loading import read_questions
from ragauge.questions.wording import why_malformed, why_not_standalone, why_type_differs


def test_sound_questions_have_no_problem():
    rows, questions = corpus()
    unsound = [each for each in check(questions, read_documents(rows)) if not each.sound]
    assert [(each.question.question, each.reasons) for each in unsound] == []


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_is_found_under_its_name(kind):
    rows, questions, ids = planted(kind, 5)
    checked = check(questions, read_documents(rows))
    faulty = [each for each in checked if each.question.id in ids]
    assert [each.question for each in faulty if each.sound] == []
    assert {name for each in faulty for name in each.problems} & set(FAULTS[kind][2].split())
    others = [each for each in checked if each.question.id not in ids]
    assert [(each.question, each.reasons) for each in others if not each.sound] == []


STANDALONE = {
    "Was steht im Text?": False,
    "Wann wurde er geboren?": False,
    "Wann wurde Goethe geboren?": True,
    "Wie lange dauert die Probezeit bei Acme?": True,
    "Selon le texte, qui dirige la société ?": False,
    "Quand est-il né ?": False,
    "Quand la guerre a-t-elle commencé ?": True,
    "Combien de jours de congé y a-t-il par an ?": True,
    "Según el texto, ¿quién dirige la empresa?": False,
    "¿Cuál es su capital?": False,
    "¿Cuál es la capital de Perú?": True,
    "根据上文，谁是公司的负责人？": False,
    "他什么时候出生？": False,
    "李白什么时候出生？": True,
    "What does the table below show?": False,
    "Which of the following is a mammal?": False,
    "What is this company's revenue?": False,
    "What about Germany?": False,
    "Why?": False,
    "What is a table of contents?": True,
    "Who is the author of Emma?": True,
    "How long does it take to fly to Mars?": True,
    "If a tenant leaves early, when is this penalty due?": True,
    "who sang i can't make you love me": True,
    "leave policy part time": True,
}


@pytest.mark.parametrize("question", STANDALONE)
def test_whether_a_question_means_something_by_itself(question):
    assert (why_not_standalone(question) is None) == STANDALONE[question]


@cases(
    ("Explain how leave is counted.", True),
    ("leave days part time", True),
    ("List the huts that open in May.", True),
    ("The hut opens in May every year.", False),
    ("When the hut opens in May, a warden lives there.", False),
    ("When does the hut open in the new year.", True),
    ("I'm sorry, I cannot write a question about that.", False),
    ('{"question": "Who?"}', False),
    ("Who is the warden of {name}?", False),
    ("???", False),
)
def test_what_is_a_question(question, is_question):
    assert (why_malformed(question) is None) == is_question


@cases(
    ("How many huts are there?", "twelve", True),
    ("How many huts are there?", "in Berlin", False),
    ("When does it open?", "in spring", True),
    ("When does it open?", "Ada Cole", False),
    ("Wie viele Betten gibt es?", "zwölf Betten oder 12", True),
)
def test_whether_an_answer_is_of_the_kind_that_is_asked_for(question, answer, fits):
    assert (why_type_differs(question, answer) is None) == fits


DOCUMENT = [
    {"id": "d1", "text": "Curlew Hut has 32 beds. The fee for 2023 was £40 and for 2024 it was £45."},
    {"id": "d2", "text": "Boots stay in the porch. Dogs are welcome in the annex only."},
]  # fmt: skip


def test_an_answer_is_not_taken_for_computed_where_its_passage_speaks_of_all_that_is_asked():
    documents = [{"id": "d", "text": "You receive a reply to your change of hut within 14 days."}]
    question = "Within how many days do you receive a reply to your change of hut?"
    row = {"id": "q", "question": question, "references": ["49 days"], "relevant": ["d"]}
    assert rg.check_questions([row], documents).checked[0].problems == ["contradicted"]


BEDS, BOOTS = "How many beds does Curlew Hut have?", "Where do boots stay?"


def boots(reference=None, **fields):
    """A row that asks where boots stay."""
    references = {} if reference is None else {"references": [reference]}
    return {"id": "q", "question": BOOTS, **references, **fields}


def gold(document, text, *span):
    given = dict(zip(("start", "end"), span, strict=False))
    return {"gold_contexts": [{"document": document, "text": text, **given}]}


@cases(
    ({"question": BEDS, "references": ["32"]}, None),
    ({"question": BEDS, "references": ["30 beds", "32 beds"]}, None),
    ({"question": BEDS, "references": ["30 beds"]}, "contradicted"),
    ({"question": "How much did the fee increase from 2023 to 2024?", "references": ["£5"]}, None),
    ({"question": "Are dogs welcome in the annex?", "references": ["Yes"]}, None),
    ({"question": "Which house is the hut?", "references": ["No. 10 Downing Street"], "relevant": ["d1"]}, "contradicted"),
    ({"user_input": BOOTS, "reference": "in the porch", "reference_contexts": ["Boots stay in the porch."]}, None),
    (boots(), None),
    (boots(""), "malformed"),
    (boots("in the cellar"), "answer_not_in_documents"),
    (boots("The documents do not say."), "answerable_after_all"),
    (boots("in the porch", **gold("d2", "", 500, 600)), "malformed"),
    (boots("in the cellar", **gold("d2", "")), "answer_not_in_documents"),
    (boots("in the porch", gold_contexts=["Boots go on the roof at night."]), "answer_not_in_documents"),
    (boots("in the porch", **gold("d9", "Boots", 0, 5)), "answer_not_in_documents"),
)  # fmt: skip
def test_what_is_wrong_with_a_question(row, problem):
    (checked,) = rg.check_questions([{"id": "q", **row}], DOCUMENT).checked
    assert checked.problems == ([problem] if problem else []), checked.reasons


ITEMS = enumerate(["Item", "Cash", "Receivables", "Inventories", "Payables", "Loans", "Other"])


@cases(
    # A yes or no that follows from the numbers of a table, and one that nothing there speaks of.
    ({"question": "Is Acme's solvency healthy?", "references": ["No."], "relevant": ["t1"]}, "grounded", "not checked"),
    ({"question": "Is Acme's solvency healthy?", "references": ["No."], "relevant": ["d2"]}, "grounded", "problem"),
    ({"question": "Are dogs welcome in the annex?", "references": ["Yes"], "relevant": ["d2"]}, "grounded", "not checked"),
    ({"question": "Which boots stay in the porch?", "references": ["There are none"], "relevant": ["d2"]}, "grounded", "not checked"),
    ({"question": "Is the roof green?", "answerable": False}, "unanswerable", "not checked"),
    (boots(f"{'Boots stay in the cellar. ' * 5}The documents do not say why."), "grounded", "problem"),
    ({"question": "Who painted the roof?", "answerable": False}, "unanswerable", "ok"),
    ({"question": BEDS, "references": ["32"], "relevant": ["d1"]}, "unique", "ok"),
)  # fmt: skip
def test_what_a_check_decides(row, check, status):
    cells = "\n".join(f"| {name} | {n} | {n + 7} | {n * 3} |" for n, name in ITEMS)
    table = [{"id": "t1", "text": cells}, *DOCUMENT]
    (checked,) = rg.check_questions([{"id": "q", **row}], table).checked
    assert checked.to_row()["checks"][check] == status


def test_measures_are_numbers_or_none_also_where_no_word_is_shared():
    rows = [{"id": "q", "question": "Where do zebras graze?", "relevant": ["d1"]}]
    found = rg.check_questions(rows, DOCUMENT)
    checks = found.checked[0].to_row()["checks"]
    assert (checks["bm25_rank"], checks["overlap"], checks["n_words"]) == (None, 0.0, 4)
    assert ("words of the question in its passage (median)", "0%") in found.report.tables[-1].rows


def test_a_gold_text_with_other_signs_is_found_in_any_part_of_its_document(tmp_path):
    file = tmp_path / "d.md"
    parts = [
        f"# Part {n}\n\nHut number {n} was built by {name} of oak, slate and stone."
        for n, name in enumerate(["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Gus"])
    ]
    file.write_text("\n\n".join(parts))
    text = "Hut number 5 was built by Fay of 0ak, slate and stone"
    row = {"id": "q", "question": "Who built hut number 5?", "references": ["Fay"]}
    (checked,) = rg.check_questions([row | gold("d.md", text)], file).checked
    assert (checked.problems, checked.checks["bm25_rank"].value) == ([], 1)


def test_spans_are_read_by_the_place_of_their_row():
    dogs = gold("d2", "Dogs are welcome", 0, 5)
    asked = [boots(gold_contexts=[]), {"id": "q2", "question": "Where are dogs?", **dogs}]
    rows = [{**row, "system": system} for row in asked for system in "ab"]
    _, checked = rg.check_questions(rows, DOCUMENT).checked
    assert checked.question.gold_contexts == dogs["gold_contexts"]
    assert checked.problems == ["malformed"]


@cases(
    ("Are dogs allowed?", "Yes, in the annex.", "Yes", True),
    ("Are dogs allowed?", "Yes", "true", True),
    ("Are dogs allowed?", "Dogs are allowed.", "Dogs are not allowed.", None),
    ("Are dogs allowed?", "Yes", "unknown", False),
    ("Sind Hunde erlaubt?", "Ja", "Nein", False),
    ("狗可以进吗？", "是的", "不是", False),
    ("Which house is it?", "No. 10 Downing Street", "No", False),
    ("How many beds?", "32 beds", "32", True),
)
def test_whether_an_answer_states_a_reference(question, reference, answer, stated):
    assert is_stated(question, [reference], answer) is stated


def test_passages_that_answer_too_are_added_to_relevant():
    rows = [*DOCUMENT, {"id": "d3", "text": "Everyone knows that Curlew Hut has 32 beds."}]
    question = {"id": "q", "question": BEDS, "references": ["32 beds"], "relevant": {"d1": 1}}
    (checked,) = rg.check_questions([question], rows).checked
    assert checked.problems == ["also_answered_elsewhere"]
    assert checked.question.relevant == {"d1": 1.0, "d3": 1.0}
    (again,) = rg.check_questions([checked.to_row()], rows).checked
    assert again.sound


def test_the_command_prints_a_verdict_writes_the_checks_and_fails_below_the_limit(tmp_path, capsys):
    rows, questions, ids = planted("according to the text", 2)
    documents, file, out = tmp_path / "docs.jsonl", tmp_path / "q.jsonl", tmp_path / "out.jsonl"
    documents.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    file.write_text("".join(f"{json.dumps(each.to_row())}\n" for each in questions))

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["questions", "check", str(file), str(documents), *arguments])
        return ended.value.code

    assert run("-o", str(out), "--min-sound", "1") == 1
    shown = capsys.readouterr()
    assert "118 of 120 questions are sound; 2 do not stand alone, e.g. q" in shown.out
    assert "98.3% of the questions are sound, less than 100.0%" in shown.err
    written = {row["id"]: row for row in map(json.loads, out.read_text().splitlines())}
    assert {id for id, row in written.items() if not row["sound"]} == ids
    assert written["q0-0"]["checks"]["bm25_rank"] == 1
    assert written["q0-0"]["gold_contexts"] == questions[0].gold_contexts
    assert run("--min-sound", "0.9", "-f", "csv") == 0
    assert capsys.readouterr().out.startswith(
        "id,question,question_type,hops,sound,problems,reasons,form,"
    )
    assert run("--min-sound", "2") == 2
    span = '{"document": "d", "start": "x", "end": 3, "text": "a"}'
    file.write_text(f'{{"id": "q", "question": "Who?", "gold_contexts": [{span}]}}\n')
    assert run() == 3
    assert "row 1: start and end of a gold context must be" in capsys.readouterr().err
    file.write_text('{"id": "q", "answer": "x"}\n')
    assert run() == 3
    assert "has no column of questions" in capsys.readouterr().err


def test_answers_of_a_test_set_without_references_are_the_expected_ones(tmp_path):
    file = tmp_path / "q.csv"
    file.write_text("question,answer,context\nHow long is the pool?,50 m,The pool is 25 m long.\n")
    (question,), notes = read_questions(file)
    assert question.references == ["50 m"]
    assert question.gold_contexts == [{"text": "The pool is 25 m long."}]
    assert "answer is read as references and contexts is read as gold_contexts" in notes[-1]
    (found,) = check([question], read_documents([{"id": "d", "text": "The pool is 25 m long."}]))
    assert found.problems == ["contradicted"]
    both = [{"question": "How long?", "answer": "50 m", "reference": "25 m"}]
    assert read_questions(both)[0][0].references == ["25 m"]
    gold = [{"question": "How long?", "answer": "50 m", "contexts": ["a"], "gold_contexts": ["b"]}]
    assert read_questions(gold)[0][0].gold_contexts == [{"text": "b"}]


def test_bm25_gives_the_scores_of_lucene():
    bm25s = pytest.importorskip("bm25s")
    from ragauge.questions.evidence import terms

    texts = [row["text"] for row in corpus()[0]]
    tokens = [terms(text) for text in texts]
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    reference.index(tokens, show_progress=False)
    for query in ("beds of Curlew Hut", "Who opens in June", "nothing at all"):
        known = [term for term in terms(query) if any(term in each for each in tokens)]
        expected = reference.get_scores(known) if known else [0.0] * len(texts)
        assert Bm25(texts).scores(query) == pytest.approx(expected, rel=1e-4)


def test_a_judge_marks_what_it_knows_and_answers_from_the_passage():
    rows = [
        {"id": id, "question": question, "references": [reference], "relevant": [passage]}
        for id, question, reference, passage in (
            ("known", BEDS, "32 beds", "d1"),
            ("other", BOOTS, "in the porch", "d2"),
            ("right", "Where are dogs welcome?", "in the annex", "d2"),
            ("yes", "Are dogs welcome in the annex?", "Yes", "d2"),
        )
    ]

    def reply(request):
        text = request.messages[-1].content
        if "beds does" in text:
            return {"answer": "32 beds"}
        if "porch" not in text:  # without the passages
            return {"answer": "unknown"}
        return {"answer": "No" if "Are dogs" in text else "in the annex"}

    found = rg.check_questions(rows, DOCUMENT, judge=rg.ScriptedJudge(reply))
    assert {each.question.id: " ".join(each.problems) for each in found.checked} == {
        "known": "known_without_documents",
        "other": "answer_not_in_documents",
        "right": "",
        "yes": "answer_not_in_documents",
    }
    assert found.checked[2].checks["round_trip"].value == 1.0
