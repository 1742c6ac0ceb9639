"""A comparison as text, in files and in a notebook; names from data are inert in each."""

import io
import json
import re

from cases import cases

import ragauge as rg
from ragauge.comparing.report import SystemsTable, comparison_report
from ragauge.comparing.words import ComparisonView, comparison_notes
from ragauge.report.terminal import console, print_report
from ragauge.report.writing import FORMATS


def rows(right: dict[str, int], n: int = 12, **fields: str) -> list[dict[str, object]]:
    return [
        {"id": f"q{at:02}", "system": system, "answer": "Rome" if at < n_right else "Oslo", "reference": "Rome"} | fields
        for system, n_right in right.items()
        for at in range(n)
    ]  # fmt: skip


def compared(right: dict[str, int], *metrics: str, **options):
    run = rg.evaluate(rows(right), list(metrics) or ["exact_match"])
    return run.compare(*right, **options)


def written(comparison, form: str) -> str:
    return FORMATS[form].write(comparison_report(comparison))


@cases(
    ({"a": 1, "b": 11}, "b is better than a on exact_match (+0.833)."),
    ({"a": 11, "b": 1}, "b is worse than a on exact_match (-0.833)."),
    ({"a": 4, "b": 4}, "b does not differ significantly from a. No question differs."),
    # p 2 / 2². The spread of ten 0 and two 1: 0.389; (2.201 + 0.876) · 0.389 / √12 = 0.346. But two changes, or
    # five, have p above 0.05: eight of 12.
    ({"a": 4, "b": 6}, "b does not differ significantly from a. Nearest: exact_match +0.167, p = 0.500; with 12 "
        "questions a difference of 0.667 could be found."),
    ({"a": 4, "b": 6, "c": 12},
        "c has the best exact_match, 1.000. exact_match: 1 of 2 pairs differ significantly."),
    ({"a": 4, "b": 6, "c": 6},
        "b and c share the best exact_match, 0.500. exact_match: 0 of 2 pairs differ significantly."),
    ({"a": 6, "b": 6, "c": 6},
        "3 systems share the best exact_match, 0.500. exact_match: 0 of 2 pairs differ significantly."),
)  # fmt: skip
def test_the_headline_says_what_the_tests_say(right, headline):
    assert ComparisonView(compared(right)).headline == headline


def test_the_headline_of_one_question():
    view = ComparisonView(rg.evaluate(rows({"a": 0, "b": 1}, n=1), "exact_match").compare("a", "b"))
    why = "only 1 common question: no interval and no test"
    assert view.headline == f"b and a could not be compared: {why}."


def test_the_best_is_marked_and_who_differs_from_the_base():
    table = SystemsTable(ComparisonView(compared({"a": 1, "b": 12, "c": 12}))).table
    ((name, *cells, n),) = table.rows
    assert (name, n) == ("exact_match ↑", "12")
    assert [str(cell) for cell in cells] == ["0.083", "1.000*", "1.000*"]
    assert [cell.is_best for cell in cells] == [False, True, True]


def test_with_every_pair_letters_say_whom_a_system_is_better_than():
    table = SystemsTable(ComparisonView(compared({"x": 1, "y": 12, "z": 2}, pairs="all"))).table
    assert table.header == ("metric", "x (a)", "y (b)", "z (c)", "n")
    ((_, *cells, _),) = table.rows
    assert [str(cell) for cell in cells] == ["0.083", "1.000ac", "0.167"]


def test_of_many_systems_the_terminal_shows_the_base_and_the_best():
    comparison = compared({f"s{at}": at for at in (5, 1, 9, 2, 8, 3, 7)})
    assert SystemsTable(ComparisonView(comparison)).leading(3) == [0, 2, 4]  # s5, s9, s8
    out = io.StringIO()
    print_report(console(out), comparison_report(comparison))
    (header,) = [line for line in out.getvalue().splitlines() if line.startswith("metric")]
    assert header.split() == ["metric", "s5", "s9", "s8", "s7", "s3", "…", "2", "more", "n"]


def test_too_few_draws_for_the_family_are_told():
    answers = [
        {"id": f"q{at:02}", "system": system, "answer": "Rome " * (1 + at % period), "reference": "Rome"}
        for at in range(30)
        for system, period in (("a", 5), ("b", 7), ("c", 11))
    ]  # fmt: skip
    run = rg.evaluate(answers, ["token_f1"])

    def on_draws(n):
        view = ComparisonView(run.compare("a", "b", "c", n_permutations=n))
        return [note for note in comparison_notes(view) if "draws" in note]

    (note,) = on_draws(30)
    # Two tests times 1 / 31 is above 0.05.
    assert note.startswith("30 draws cannot give a p below 0.05 after the correction for 2 tests")
    assert on_draws(100) == []


def test_what_a_side_lacks_is_named_with_the_bounds():
    given = [row for row in rows({"a": 6, "b": 9}) if (row["id"], row["system"]) != ("q11", "b")]
    view = ComparisonView(rg.evaluate(given, "exact_match").compare("a", "b"))
    # Three better of twelve, and q11, where a scored 0: b may have 0 or 1 there.
    assert comparison_notes(view)[0] == (
        "exact_match: no score for b on 1 question (q11); with these the change is +0.250 to +0.333"
    )


def test_markdown_has_headline_table_and_notes():
    text = written(compared({"a": 1, "b": 11}), "md")
    assert text.startswith(r"**b is better than a on exact\_match \(\+0.833\).**")
    assert r"| exact\_match ↑ | 0.083 | 0.917 | \+0.833\* |" in text
    assert "paired randomization test" in text
    # Of several systems the best is bold.
    text = written(compared({"a": 1, "b": 11, "c": 3}), "md")
    assert r"| exact\_match ↑ | 0.083 | **0.917**\* | 0.250 | 12 |" in text


def test_latex_has_a_column_for_each_system_and_a_caption_with_the_method():
    text = written(compared({f"s{at}": at for at in range(12)}), "latex")
    assert r"\begin{tabular}{lrrrrrrrrrrrrr}" in text
    assert r"\textbf{0.917}$^{\mathrm{*}}$" in text
    (caption,) = re.findall(r"\\caption\{(.*)\}\n", text)
    parts = ("paired randomization test", "Holm-corrected for 11 tests", "12 questions", "seed 0")
    assert all(part in caption for part in parts)


def test_json_holds_every_question_that_changed_and_the_settings():
    data = json.loads(written(compared({"a": 2, "b": 12}), "json"))
    assert [each["id"] for each in data["rows"][0]["fixed"]] == [f"q{at:02}" for at in range(2, 12)]
    assert (data["test"], data["correction"], data["seed"]) == ("randomization", "holm", 0)
    assert '+0.833<span style="color: firebrick">*</span>' in written(
        compared({"a": 1, "b": 11}), "html"
    )
    assert data["n_tests"] == 1


def test_few_clusters_are_counted_and_said_to_be_too_few():
    given = [{**row, "lang": int(row["id"][1:]) % 2} for row in rows({"a": 4, "b": 7})]
    view = ComparisonView(rg.evaluate(given, ["exact_match"]).compare("a", "b", cluster="lang"))
    assert "; 2 clusters are too few to find any difference." in view.headline
    note = "only 2 clusters by lang: p cannot be below 0.5; do not trust the interval"
    assert note in comparison_notes(view)


def test_metrics_that_a_test_does_not_apply_to_are_counted():
    graded = [{**row, "answer": f"{row['answer']} {row['id']}"} for row in rows({"a": 4, "b": 7})]
    run = rg.evaluate(graded, ["token_f1", "exact_match"])
    why = "(McNemar's test needs scores of 0 and 1; use randomization)"
    headline = ComparisonView(run.compare("a", "b", test="mcnemar")).headline
    assert headline.endswith(f" Not tested: 1 of 2 metrics {why}.")
    none = ComparisonView(run.compare("a", "b", test="mcnemar", metrics="token_f1"))
    assert none.legend.startswith("nothing was tested: McNemar's exact test")
    assert "corrected" not in none.legend


def test_long_names_that_begin_alike_are_told_apart():
    common = "gpt-4o-2024-08-06-with-hybrid-retrieval-and-rerank"
    names = [f"{common}-v2", f"{common}-v3", "claude-sonnet-long-context-no-rerank"]
    view = ComparisonView(compared(dict.fromkeys(names, 6)))
    assert len({view.short(name) for name in names}) == 3
    assert [len(view.short(name)) for name in names] == [20, 20, 20]
    assert view.short(names[0]).endswith("-v2")
