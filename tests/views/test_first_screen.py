"""The first screen: the best system, how sure that is, what is wrong, what to open."""

import re

import polars as pl
import pytest
from cases import cases

import ragauge as rg
from ragauge.report.writing import FORMATS, to_terminal
from ragauge.views.first_screen import FirstScreen, run_report, screen_table


def answers(right: dict[str, int], n: int = 20) -> list[dict[str, object]]:
    """For each system, `n` answers of which `right` gives the number of right ones."""
    return [
        {"id": f"q{at:02}", "system": system, "answer": "Rome" if at < n_right else "Oslo", "reference": "Rome"}
        for system, n_right in right.items()
        for at in range(n)
    ]  # fmt: skip


def screen(rows, *metrics: str) -> FirstScreen:
    return FirstScreen(rg.evaluate(rows, list(metrics) or ["exact_match"]))


def printed(run: rg.Run, *, full: bool = False) -> str:
    return to_terminal(run_report(run), 100, full=full)


def marks(found: FirstScreen) -> list[str]:
    """The marks behind the means of the first metric."""
    return [cell.mark for cell in screen_table(found).rows[0][1:-1]]


HEADLINES = [
    ({"a": 20, "b": 5}, "a is best: exact_match 1.00, next b 0.25. The difference of 0.75 is beyond chance (p < 0.001, 20 questions)."),
    ({"b": 10, "a": 11}, "a is ahead: exact_match 0.55, next b 0.50. The difference of 0.05 may be chance (p = 1.000, 20 questions)."),
    ({"a": 10, "b": 10}, "a and b have the same exact_match, 0.50."),
    ({"a": 10}, "a: exact_match 0.50 (0.30–0.70), 20 questions."),
    ({"c": 9, "a": 10, "b": 10, "d": 10}, "a, b and d have the same exact_match, 0.50."),
    (dict.fromkeys("abcde", 10), "5 systems have the same exact_match, 0.50: a, b, c … 2 more."),
]  # fmt: skip


@pytest.mark.parametrize(("right", "headline"), HEADLINES)
def test_the_headline_names_the_best_system_and_says_how_sure_that_is(right, headline):
    assert screen(answers(right)).headline == headline


def test_the_headline_of_one_system_counts_the_answers_that_failed():
    @rg.metric(version=1)
    def of_a_weak_server(answer: str) -> rg.Score:
        """0 to 1."""
        return rg.Score(1.0) if answer == "Rome" else rg.Score.failed("no answer")

    run = rg.evaluate(
        [{"answer": "Rome"}, {"answer": "Oslo"}, {"answer": "Bern"}], [of_a_weak_server]
    )
    assert FirstScreen(run).headline == "default: of_a_weak_server 1.00, 1 of 3 questions."


def test_the_worst_answers_have_the_reason_of_the_judge_or_of_the_refusal():
    judge = rg.ScriptedJudge({"verdict": '{"reason": "another city", "verdict": "WRONG"}'})
    answers = [{"id": id, "question": "Where?", "reference": "Paris", "answer": answer}
               for id, answer in (("1", "Lyon"), ("2", "I don't know."))]  # fmt: skip
    assert FirstScreen(rg.evaluate(answers, "answer_class", judge=judge)).worst == [
        ("answer_class 0.00, another city", "1"),
        ('answer_class 0.00, refuses: "I don\'t know"', "2"),
    ]


def test_a_difference_that_rounds_to_nothing_is_not_called_0():
    rows = answers({"a": 150, "b": 151}, n=300)
    assert "The difference of less than 0.01 may be chance" in screen(rows).headline


def test_the_headline_of_a_metric_of_which_less_is_better():
    rows = [
        {"id": f"q{at}", "system": system, "answer": answer, "contexts": ["The fee is 5 dollars."]}
        for system, answer in (("a", "The fee is 5 dollars."), ("b", "It costs 999 euros in 1931."))
        for at in range(10)
    ]
    found = screen(rows, "hallucination")
    assert found.headline.startswith("a is best: hallucination 0.00, next b ")
    assert screen_table(found).rows[0][0] == "hallucination ↓"


def test_a_metric_that_is_neither_good_nor_bad_makes_no_system_the_best():
    rows = [
        {"id": f"q{at}", "system": system, "answer": answer, "reference": "Rome"}
        for system, answer in (("a", "I do not know."), ("b", "Rome"))
        for at in range(8)
    ]
    found = screen(rows, "dont_know")
    assert found.headline == "No metric that was scored says which system is better."
    assert screen_table(found).rows[0][0] == "dont_know"
    assert not any(marks(found))
    assert found.worst == []
    assert screen(rows, "dont_know", "exact_match").headline.startswith(
        "b is best: exact_match 1.00"
    )
    assert screen(rows[:8], "dont_know").headline == "a: dont_know 1.00 (0.68–1.00), 8 questions."


def test_the_best_mean_and_the_best_on_common_questions_can_differ():
    def row(at: int, system: str, *, right: bool) -> dict[str, object]:
        answer = "Rome" if right else "Oslo"
        return {"id": f"q{at}", "system": system, "answer": answer, "reference": "Rome"}

    common = [row(at, "a", right=True) for at in range(2)]
    common += [row(at, "b", right=at == 0) for at in range(2)]
    alone = [row(at, "a", right=False) for at in range(2, 9)]
    assert screen(common + alone).headline == (
        "b has the best exact_match 0.50; on the 2 questions that b and a both have a score for, "
        "a is 0.50 ahead of b (may be chance, p = 1.000)."
    )
    assert screen([*common[:3], row(1, "b", right=True), *alone]).headline.endswith(
        "they are equal."
    )


ASKED = {"id": "1", "question": "where?", "reference": "Rome"}


@cases(
    (ASKED | {"said": "Rome", "length": 4}, "'said'; if it is the answer: --map answer=said"),
    (
        ASKED | {"GPT": "Rome", "My LM": "Paris"},
        "'GPT', 'My LM'; if each is a system's: --map answer='GPT,My LM'",
    ),
    (
        ASKED | {"Antwort GPT (v2)": "Rome", "Bewertung": "gut"},
        "'Antwort GPT (v2)'; if it is the answer: --map answer='Antwort GPT (v2)'",
    ),
    (
        {"id": "1", "answer": "Rome", "key_of_marking": "Rome"},
        "'key_of_marking'; if it is the references: --map references=key_of_marking",
    ),
)
def test_a_column_that_may_be_meant_comes_with_the_option_that_reads_it(row, note):
    assert FirstScreen(rg.evaluate([row], "rag")).notes[-1] == f"not read: {note}"


def test_a_column_that_is_mostly_empty_is_not_said_to_be_unread():
    rows = [{"id": f"{n}", "answer": "Rome", "err": "timeout" if n == 1 else ""} for n in range(4)]
    assert "not read" not in "".join(FirstScreen(rg.evaluate(rows, "rag")).notes)


def test_without_question_and_answer_the_options_of_all_are_said_first():
    row = {"id": "1", "they asked": "where?", "it said": "Rome", "reference": "Rome"}
    options = "--map question=COLUMN --map answer=COLUMN"
    note = f"say which column is which: {options}; not read: 'they asked', 'it said'"
    assert FirstScreen(rg.evaluate([row], "rag")).notes[-1] == note


def test_a_field_that_the_run_is_broken_down_by_is_not_said_to_be_unread():
    run = rg.evaluate([{"id": "1", "answer": "Rome", "domain": "towns"}], "rag")
    assert "not read: 'domain'" in FirstScreen(run).notes[-1]
    assert "not read" not in "".join(FirstScreen(run, by=["domain"]).notes)


def test_a_column_that_is_named_as_references_may_be_is_read():
    named = screen([{"id": "1", "answer": "Rome", "truth": "Rome"}])
    assert named.headline == "default: exact_match 1.00, 1 question."


def test_a_run_without_any_value_says_so():
    run = rg.evaluate([{"id": "q1", "answer": "x"}], ["exact_match"])
    shown = printed(run)
    assert shown.startswith("Nothing was scored.\n")
    assert "not scored, the sample has no references: exact_match" in shown


def test_time_is_in_the_table_where_nothing_else_was_scored_and_below_it_whatever_was():
    rows = [{"id": "q1", "answer": "x", "reference": "x", "latency_s": 0.5}]
    line = "default: median 0.50 s, p95 0.50 s"
    assert line in printed(rg.evaluate(rows, "exact_match"))
    shown = printed(rg.evaluate(rows, "latency_s"))
    assert shown.startswith("default: latency_s 0.50, 1 question.")
    assert line in shown


def test_what_differs_from_the_best_beyond_chance_is_marked_after_correction():
    # b misses 6 of 20, p = 2/64 alone; with three pairs to correct it is above 0.05.
    found = screen(answers({"a": 20, "b": 14}))
    assert marks(found) == ["", "*"]
    assert found.notes == [
        "* p < 0.05 against the row's best: randomization test, Holm for 1 test (1 metric, 1 pair)"
    ]
    found = screen(answers({"a": 20, "b": 14, "c": 13}))
    assert marks(found) == ["", "", "*"]


def test_systems_are_ordered_by_the_headline_and_the_rest_is_counted():
    found = screen(answers({"a": 1, "b": 20, "c": 15, "d": 3, "e": 2}))
    assert screen_table(found).header == ("metric", "b", "c", "d", "n")
    assert "not shown: 2 more systems" in found.notes


def test_rows_without_a_score_are_counted_by_system():
    rows = answers({"a": 20, "b": 20})
    rows[3]["answer"] = rows[4]["answer"] = None
    found = screen(rows)
    assert screen_table(found).rows[0][-1].text == "18 20"
    assert "without a score: a 2 missing; --full has the bounds of the means" in found.notes


def test_the_worst_answers_are_named_with_the_question_to_open(tmp_path):
    rows = [{**row, "question": "Where is the seat?"} for row in answers({"a": 18, "b": 20})]
    run = rg.evaluate(rows, "rag", folder=tmp_path / "my run")
    found = FirstScreen(run)
    (text, id), *_ = found.worst
    assert (text, id) == (
        "a: 2 of 20 answers: likely wrong, nothing of the reference is stated",
        "q18",
    )
    assert found.commands == (
        f"ragauge show '{tmp_path}/my run' q18",
        f"ragauge show '{tmp_path}/my run' --full",
    )


def test_without_findings_the_lowest_scores_are_named():
    found = screen(answers({"a": 19, "b": 18}))
    assert found.worst == [
        ("b: exact_match 0.00", "q18"),
        ("a: exact_match 0.00", "q19"),
        ("b: exact_match 0.00", "q19"),
    ]
    assert screen(answers({"a": 20})).worst == []


@pytest.fixture
def ten(handbook):
    """The answers of the bundled example to its first ten questions."""
    frame = rg.load(handbook).frame
    return frame.filter(frame["id"].rank("dense") <= 10).to_dicts()


def test_three_systems_fit_on_a_screen(ten, tmp_path):
    run = rg.evaluate(ten, folder=tmp_path / "r")
    lines = printed(run).splitlines()
    assert len(lines) <= 25
    assert all(len(line) <= 100 for line in lines if not line.startswith(("next: ", "all: ")))
    whole = "\n".join(lines)
    for text in ("careful is ahead by answer: correct 0.9", "grounding", "retrieval", "behaviour"):
        assert text in whole
    assert " ↑" not in next(line for line in lines if "dont_know" in line), "neither is better"


def test_full_prints_everything(handbook):
    run = rg.evaluate(handbook, ["number_match"])
    shown = printed(run, full=True)
    assert shown.startswith("custom · 90 answers · 3 systems")
    assert "worst 0.622" in " ".join(shown.split())


def test_systems_without_a_common_question_are_not_compared_and_why():
    rows = answers({"a": 15, "b": 5})
    for row in rows:
        row["id"] = f"{row['system']}{row['id']}"
    assert screen(rows).headline == (
        "a has the best exact_match 0.75, next b 0.25; not compared, because no question has a "
        "score for both."
    )


def test_of_two_systems_with_the_same_mean_on_too_little_to_compare_none_is_the_best():
    assert screen(answers({"a": 1, "b": 1})[::20]).headline == (
        "a and b have the same exact_match, 1.00."
    )


def test_one_system_with_scores_is_not_called_the_best():
    rows = answers({"a": 10, "b": 0})
    for row in rows[20:]:
        row["answer"] = None
    assert screen(rows).headline == "a is the only system with a score: exact_match 0.50."


def test_long_names_that_begin_alike_stay_apart():
    names = [f"experiments-of-november-model-{size}" for size in ("small", "base", "large")]
    found = screen(answers({names[0]: 18, names[1]: 10, names[2]: 2}))
    assert screen_table(found).header[1:4] == (
        "…ovember-model-small",
        "…november-model-base",
        "…ovember-model-large",
    )
    assert found.headline.startswith("…ovember-model-small is best: ")
    assert all(text.startswith("…") for text, _ in found.worst)


def test_the_screen_keeps_to_25_lines_with_everything_there_is_to_say(ten, tmp_path):
    rows = ten
    for at, row in enumerate(rows):
        row["answer"] = None if at % 7 == 0 else row["answer"]
        row["contexts"] = None if at % 5 == 0 else row["contexts"]
    metrics = ["rag", "token_f1", "rougeL", "exact_match", "rouge1"]
    run = rg.evaluate(rows, metrics, folder=tmp_path / "r")
    found = FirstScreen(run)
    lines = printed(run).splitlines()
    assert len(lines) <= 25
    assert lines[-2].startswith("next: ") and lines[-1].startswith("all:  ")
    n_rows = sum(" ↑ " in line or " ↓ " in line for line in lines)
    assert f"not shown: {len(found.metrics) - n_rows - 1} more metrics" in "".join(lines)


def test_an_id_of_digits_is_not_read_as_a_number_of_the_finding():
    rows = [{**row, "id": str(30 + at)} for at, row in enumerate(answers({"a": 12}))]

    worst = [
        line for line in printed(rg.evaluate(rows, ["rag"])).splitlines() if "likely wrong" in line
    ]

    assert worst
    assert all(re.search(r"  id \d\d$", line) for line in worst)


FINDINGS = """
name = "mine"
[[metric]]
label = "exact_match"
[[metric]]
label = "token_f1"
[[metric]]
label = "number_match"
[[finding]]
when = "exact_match = 0"
says = "not the exact words"
[[finding]]
when = "token_f1 < 0.5"
says = "other words"
precision = 0.93
[[finding]]
when = "token_f1 < 0.6"
says = "perhaps other words"
precision = 0.89
[[finding]]
when = "token_f1 < 0.7"
says = "never measured"
first_screen = false
[[finding]]
when = "exact_match = 0 and number_match is null"
says = "no number at issue"
"""


def found_by(tmp_path, text: str, rows) -> rg.Run:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return rg.evaluate(rows, path)


def test_the_first_screen_has_only_findings_that_are_certain_enough(tmp_path):
    run = found_by(tmp_path, FINDINGS, answers({"a": 18}))
    n = [f"a: 2 of 20 answers: {says}" for says in ("not the exact words", "other words")]
    assert [text for text, _ in FirstScreen(run).worst] == [
        *n,
        "a: 2 of 20 answers: no number at issue",
    ]
    listed = FORMATS["md"].write(run_report(run)).replace("\\", "")
    assert "perhaps other words (right in 89% of labelled cases)" in listed
    assert "never measured" in listed


def test_each_of_the_worst_opens_another_question_if_there_is_one(tmp_path):
    worst = FirstScreen(found_by(tmp_path, FINDINGS, answers({"a": 10}))).worst
    assert len({id for _, id in worst}) == len(worst) == 3


def test_a_suite_with_findings_lists_no_low_scores(tmp_path):
    text = FINDINGS.replace('when = "exact_match = 0', 'when = "exact_match > 1')
    rows = [{**row, "answer": row["answer"] + "!?"} for row in answers({"a": 20})]
    run = found_by(tmp_path, text.replace("token_f1 < 0", "token_f1 < -0"), rows)
    assert FirstScreen(run).worst == []


def test_a_long_reason_leaves_room_for_the_metrics_it_is_about():
    @rg.metric(version=1)
    def of_a_lost_server(answer: str) -> rg.Score:
        """0 to 1."""
        return rg.Score.failed("no answer in 4 attempts and 2 s, the last time: " + "lost " * 30)

    run = rg.evaluate([{"id": "q1", "answer": "Rome"}], [of_a_lost_server])
    (note,) = [note for note in FirstScreen(run).not_scored if note.startswith("not scored")]
    assert note.startswith("not scored, no answer in 4 attempts and 2 s, the last time: lost")
    assert note.endswith("…: of_a_lost_server") and len(note) <= 96


TOLD = (
    ("Wer hat den Vertrag unterschrieben?", "Der Vertrag wurde von Anna Weber unterschrieben."),
    ("Wann fährt der erste Zug?", "Der erste Zug fährt um neun Uhr."),
    ("图书馆什么时候开放？", "图书馆九点开放。"),
    ("When does the library open?", "The library opens at nine."),
    ("1931", "1931"),
)


def test_answers_in_languages_without_measured_agreement_are_scored_marked_and_counted(tmp_path):
    rows = [
        {"id": f"q{at}", "question": asked, "answer": said, "reference": said, "contexts": [said]}
        for at, (asked, said) in enumerate(TOLD)
    ]
    rg.evaluate(rows, ["correct", "support", "token_f1"], folder=tmp_path / "r", batch_size=2)
    run = rg.open_run(tmp_path / "r")
    assert run.scores["value"].is_not_null().sum() >= 14
    marked = run.scan().explode("flags").drop_nulls("flags").collect()
    of_correct = marked.filter(pl.col("metric").str.starts_with("correct"))
    languages = {"q0": "language:de", "q1": "language:de", "q2": "language:zh"}
    assert dict(of_correct.select("id", "flags").iter_rows()) == languages
    assert not marked["metric"].str.starts_with("token_f1").any()
    line = "caution: correct, support: agreement unknown in the language of 3 of 5 answers (de 2, zh 1)"
    assert printed(run).count("agreement unknown") == 1
    for text in (printed(run), printed(run, full=True)):
        assert line in re.sub(r"\s+", " ", text)
    assert "agreement unknown" not in printed(rg.evaluate(rows[3:], "correct"))
