"""The page in a real browser: what it shows, its addresses, its keys, and that it stays silent."""

import pytest

import ragauge as rg
from ragauge.errors import FilterError
from ragauge.runs.findings import find
from ragauge.runs.numbers import number
from ragauge.where import Filter

pytestmark = pytest.mark.slow
"""`make test` starts a browser for the hostile texts only, which open every view."""

PLACES = (
    "",
    "#/compare",
    "#/compare?base=careful&other=hasty&metric=number_precision",
    "#/questions",
    "#/questions?chip=system+%3D+%22hasty%22",
    "#/questions?id=q05&why=all&diff=1",
    "#/questions?where=nothing",
    "#/questions?where=number_match+%3C+0.5&sort=worst",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_opens_from_a_file_without_a_request_or_a_complaint(
    opened, handbook_page, scheme
):
    page = opened(handbook_page, scheme=scheme)
    for place in PLACES:
        page.go(place)
        page.page.wait_for_timeout(60)
    assert page.complaints == []
    assert len(page.requests) == 1
    assert page.page.evaluate("document.documentElement.dataset.theme") == scheme
    page.page.set_viewport_size({"width": 400, "height": 800})
    for place in PLACES:
        page.go(place)
        page.page.wait_for_timeout(60)
        width = page.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 400, f"{place or '#/'} is {width} wide"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(opened, handbook_page, violations, scheme):
    page = opened(handbook_page, scheme=scheme)
    for place in PLACES:
        page.go(place)
        page.page.wait_for_timeout(150)
        assert violations(page.page) == [], place
    page.page.keyboard.press("?")
    assert violations(page.page) == []


def test_the_overview_shows_the_numbers_of_the_terminal(opened, handbook_page, handbook_run):
    from ragauge.report.report import Cell
    from ragauge.views.first_screen import FirstScreen, screen_table

    screen = FirstScreen(handbook_run)
    page = opened(handbook_page)
    assert page.texts("h1") == [screen.headline]
    shown = [
        text.replace("*", "").strip() for text in page.texts(".matrix:not(.slices) .cell .mean")
    ]
    cells = [cell for row in screen_table(screen).rows for cell in row if isinstance(cell, Cell)]
    wanted = [cell.text for cell in cells if not cell.is_quiet]
    assert sorted(shown) == sorted(wanted)


def test_a_filter_stays_over_reload_and_back(opened, handbook_page):
    page = opened(handbook_page, "#/questions")
    everything = page.ids()
    page.page.fill("#where", "number_match < 0.5 and system = 'hasty'")
    filtered = page.ids()
    assert 0 < len(filtered) < len(everything)
    page.page.click(".line >> nth=0")
    page.page.wait_for_selector(".detail .question")
    address = page.page.evaluate("location.hash")
    assert "where=" in address and "id=" in address
    page.page.reload()
    page.page.wait_for_selector(".detail .question")
    assert page.ids() == filtered
    assert page.page.input_value("#where") == "number_match < 0.5 and system = 'hasty'"
    assert page.page.evaluate("location.hash") == address
    page.page.go_back()
    page.settle()
    assert page.page.locator(".detail").count() == 0
    assert page.ids() == filtered


def test_a_chip_and_a_choice_are_steps_of_the_history(opened, handbook_page):
    page = opened(handbook_page, "#/questions")
    everything = page.ids()
    page.page.click(".chip >> text=comparison")
    chosen = page.ids()
    assert 0 < len(chosen) < len(everything)
    page.page.select_option("label:has-text('Sort') select", "best")
    assert sorted(page.ids()) == sorted(chosen)
    page.page.go_back()
    assert page.ids() == chosen
    page.page.go_back()
    assert page.ids() == everything


def test_the_keyboard_alone_leads_from_the_overview_to_a_question_and_back(opened, handbook_page):
    page = opened(handbook_page)
    keys = page.page.keyboard
    keys.press("3")
    first, second, *_ = page.ids()
    keys.press("j")
    page.page.wait_for_selector(f".detail[aria-label='Question {first}'] .question")
    keys.press("j")
    page.page.wait_for_selector(f".detail[aria-label='Question {second}'] .question")
    keys.press("e")
    page.page.wait_for_selector(".evidence")
    keys.press("d")
    page.page.wait_for_selector(".answer ins")
    keys.press("Escape")
    page.page.wait_for_selector(".detail", state="detached")
    keys.press("/")
    keys.type("id = 'q05'")
    assert page.ids() == ["q05"]
    keys.press("Escape")  # leaves the field
    keys.press("Enter")
    page.page.wait_for_selector(".detail[aria-label='Question q05'] .question")
    keys.press("1")
    page.page.wait_for_selector("main.overview .matrix")
    keys.press("?")
    listed = dict(zip(page.texts("dialog dd"), page.texts("dialog dt"), strict=True))
    assert "Next question · questions" in listed and listed["Overview"] == "1o"
    assert page.page.get_attribute("nav a >> nth=0", "title") == "Overview (1 or o)"
    keys.press("Escape")
    page.page.wait_for_selector("dialog", state="detached")
    assert page.complaints == []


def test_the_theme_is_remembered(opened, handbook_page):
    page = opened(handbook_page, scheme="light")
    page.page.keyboard.press("t")
    assert page.page.evaluate("document.documentElement.dataset.theme") == "dark"

    def is_kept() -> bool:
        page.page.reload()
        page.page.wait_for_selector("main > *")
        return page.page.evaluate("document.documentElement.dataset.theme") == "dark"

    page.until(is_kept)  # the browser stores it in another process, which takes a moment


def test_a_count_in_the_matrix_is_a_link_to_its_answers(opened, handbook_page):
    page = opened(handbook_page)
    row = page.page.locator(".slices tbody tr", has_text="fact").first
    n = int(row.locator("th a").inner_text().split()[0])
    row.locator("th a").click()
    page.ids()
    assert f"{n} answers" in page.text("#found")
    page.go("#/")
    link = page.page.locator(".cell a", has_text="undefined").first
    n = int(link.inner_text().split()[0])
    link.click()
    page.ids()
    assert f"{n} answers" in page.text("#found")


def test_what_cannot_be_read_is_said_and_the_list_stays(opened, handbook_page):
    page = opened(handbook_page, "#/questions")
    before = page.ids()
    page.page.fill("#where", "number_match <")
    assert "expected a value" in page.text("#found")
    page.page.fill("#where", "nothing = 1")
    assert 'there is no field "nothing"' in page.text("#found")
    assert page.ids() == before
    page.go("#/questions?id=nobody")
    assert page.texts(".missing") == ["There is no question “nobody”."]


def test_a_finding_lists_the_answers_that_python_finds(opened, tmp_path, handbook):
    run = rg.evaluate(handbook, "answer-quality")
    page = opened(run.report(tmp_path / "report.html"))
    page.page.set_viewport_size(
        {"width": 1360, "height": 3000}
    )  # the list has elements for what is seen
    matches = {(match.system, match.says): match.ids for match in find(run)}
    assert matches
    assert len(page.texts(".findings li")) == len(matches)
    for at in range(len(matches)):
        page.go("#/")
        page.page.wait_for_selector(".findings")
        text = page.texts(".findings li")[at]
        ((_, ids),) = [(key, ids) for key, ids in matches.items() if f"{key[0]}: {key[1]}" in text]
        page.page.click(f".findings li >> nth={at} >> .number")
        page.until(lambda ids=ids: sorted(page.ids()) == sorted(ids))


ROWS = [
    {"id": "a1", "name": "Zoë", "year": 2019, "flag": True, "kind": "fact"},
    {"id": "a2", "name": 'bob "B" O\'Neil', "year": 2020, "flag": False, "kind": None},
    {"id": "a3", "name": "😀 smile", "year": None, "flag": None, "kind": "list"},
    {"id": "a4", "name": "\uffff last", "year": -3, "flag": True, "kind": "FACT"},
]
FILTERS = (
    "year >= 2020", "year < 2020", "year = 2019", "year != 2019", "year in (2019, 2020)",
    "year not in (2019)", "year is null", "year is not null", "not year = 2019", "year",
    "flag", "not flag", "flag = true", "flag != true", "flag is null", "flag in (true)",
    'kind = "fact"', "kind ~ 'FA'", 'kind not in ("fact", "list")', "kind > 'a'", "name > 'z'",
    'name ~ "zoë"', "name ~ '\\\"b'", "name = 'bob \\\"B\\\" O\\'Neil'", "name < '\U0001f600'",
    "`year` = 2019 or (kind = 'list' and not flag)", "year>=-3 AND year<=2.019e3", "name ~ ''",
    'id = "a1" or id = "a2" and year = 2019', "not not flag", "year == 2020",
    # Errors: the words differ, but both refuse.
    "year = 'x'", "kind = 1", "flag > 'a'", "kind", "year >", "and", "(year = 1", "year = 1 2",
    "year = 1e999", "unknown = 1", "year ~", "year is 3", "name = “x”", "2019 = year",
)  # fmt: skip


def check_filter(page, text: str, rows, known: set[str] | None = None) -> None:
    """The page selects what Python does, or says that it cannot read the filter."""
    page.page.fill("#where", text)
    try:
        read = Filter.parse(text)
        unknown = known is not None and read.fields - known
        wanted = None if unknown else [row["id"] for row in rows if read.matches(row)]
    except FilterError:
        wanted = None
    shown = page.ids()
    is_error = page.page.get_attribute("#where", "aria-invalid") == "true"
    assert is_error == (wanted is None), f"{text}: {page.text('#found')}"
    if wanted is not None:
        assert shown == wanted, text


def test_a_filter_selects_what_it_selects_in_python(opened, tmp_path):
    rows = [{**row, "answer": "x", "reference": "x"} for row in ROWS]
    run = rg.evaluate(rows, "exact_match")
    page = opened(run.report(tmp_path / "report.html"), "#/questions")
    page.ids()
    for text in FILTERS:
        check_filter(page, text, ROWS, {"id", "name", "year", "flag", "kind"})


LIST_ROWS = [
    {"id": "b1", "contexts": ["It's", 'a "b"'], "context_ids": ["x", "y"], "context_scores": [0.5, 0.25]},
    {"id": "b2", "contexts": ["two\nlines", "tab\there"], "relevant": {"x": 1, "z": 2}},
    {"id": "b3", "contexts": [], "context_ids": [], "weights": [1.0, -0.0, 2e-5, 1e16, 1e22, 1234567.0], "price": 3.0},
    {"id": "b5", "weights": [1], "price": 0.25, "year": 19},
    {"id": "b4", "contexts": ["both ' and \"", "zero\u200bwidth 😀 ÄÖ back\\slash"], "tags": ["x"]},
]  # fmt: skip
LIST_FILTERS = (
    "context_ids ~ 'x'", "contexts ~ 'äö'", "context_ids ~ \"', '\"", "context_ids is null", "context_ids is not null",
    "not context_ids ~ 'x'", "contexts ~ \"it's\"", "contexts ~ 'two\\\\nlines'", "contexts ~ 'a \"b\"'",
    "contexts ~ \"both \\\\'\"", "contexts ~ '\\\\u200b'", "contexts ~ '😀'", "contexts is null", "contexts ~ '[]'",
    "context_scores ~ 0.5", "context_scores ~ '[0.5, 0.25]'", "relevant ~ 'z'", "relevant ~ \"'grade': 2\"",
    "references ~ 'x'", "context_ids ~ 'x' and references ~ 'X'", "tags ~ 'x'", "contexts = 'x'", "contexts",
    "contexts > 1", "contexts in ('x')", "contexts != 'x'", "weights ~ '[1.0, -0.0, 2e-05, 1e+16, 1e+22, 1234567.0]'",
    "weights ~ 1", "weights ~ '[1,'", "weights ~ '[1.0]'", "price ~ '3.0'", "price ~ 3",
    "price = 3", "year ~ '19'", "year ~ 19", "price ~ '.25'",
)  # fmt: skip


@pytest.mark.parametrize("form", [pytest.param("file", marks=pytest.mark.slow), "server"])
def test_a_filter_searches_lists_as_in_python(opened, tmp_path, form):
    from ragauge.web.server import serving
    from ragauge.web.sites import Viewer

    rows = [{**row, "system": s, "answer": s, "reference": "x"} for row in LIST_ROWS for s in "pq"]
    run = rg.evaluate(rows, "exact_match")
    if form == "file":
        check_lists(opened(run.report(tmp_path / "report.html"), "#/questions"), run)
        return
    with serving(Viewer([run])) as server:
        check_lists(opened(server.url, "#/questions"), run)


def check_lists(page, run: rg.Run) -> None:
    rows = run.samples.frame.filter(system="p").to_dicts()
    page.ids()
    for text in LIST_FILTERS:
        check_filter(page, text, rows)


@pytest.mark.usefixtures("own_metrics")
def test_numbers_have_the_digits_of_python(opened, tmp_path):
    values = [0.125, 0.375, 0.5, 0.005, 0.015, 0.025, 1 / 3, 2 / 3, 0.235, 0.995, 0.0, 1.0]

    @rg.metric(version=1)
    def given(answer: str) -> float:
        return float(answer)

    rows = [{"id": f"q{at:02}", "answer": repr(value)} for at, value in enumerate(values)]
    run = rg.evaluate(rows, "given")
    page = opened(run.report(tmp_path / "report.html"), "#/questions?sort=data")
    page.ids()
    from dataclasses import replace

    few = replace(run.metrics[0], digits=2)
    assert page.texts(".line .value") == [
        f"{run.samples.systems[0]} {number(few, value)}" for value in values
    ]


def test_fixed_and_broken_questions_are_those_that_cross_the_middle(opened, tmp_path):
    # exact_match of old and new: q1 0 → 1 fixed, q2 1 → 0 broken, q3 1 → 1, q4 old has no answer.
    rows = [
        {"id": id, "system": system, "question": id, "answer": answer, "reference": "Rome"}
        for id, answers in (("q1", ("Oslo", "Rome")), ("q2", ("Rome", "Oslo")), ("q3", ("Rome", "Rome")), ("q4", (None, "Rome")))
        for system, answer in zip(("old", "new"), answers, strict=True)
    ]  # fmt: skip
    run = rg.evaluate(rows, "exact_match")
    page = opened(run.report(tmp_path / "report.html"), "#/compare?base=old&other=new")
    page.page.wait_for_selector(".changes h3")
    fixed, broken = page.texts(".changes h3")
    assert fixed.startswith("Fixed 1") and broken.startswith("Broken 1")
    assert page.texts(".changes .id") == ["q1", "q2"]
    assert "new is better on 1, equal on 1, worse on 1" in page.text("main")
    assert "1: old missing, new scored" in page.texts(".unpaired")[0]


@pytest.mark.parametrize("width", [360, 768])
def test_the_comparison_shows_the_means_and_differences_of_common_questions(
    opened, tmp_path, width
):
    # old is right on q1 and q2 of 2; new on q1 and q3 of 3: on q1 and q2 it is 1.00 against 0.50.
    rows = [
        {"id": id, "system": system, "question": id, "answer": answer, "reference": "Rome"}
        for id, system, answer in (("q1", "old", "Rome"), ("q2", "old", "Rome"), ("q1", "new", "Rome"), ("q2", "new", "Oslo"), ("q3", "new", "Rome"))
    ]  # fmt: skip
    run = rg.evaluate(rows, "exact_match")
    page = opened(run.report(tmp_path / "report.html"), "#/compare?base=old&other=new")
    page.page.set_viewport_size({"width": width, "height": 800})
    page.page.wait_for_selector(".differences td")
    assert page.texts(".differences td")[:3] == ["1.00", "0.50", "−0.50"]
    box = page.page.locator(".differences td").nth(2).bounding_box()
    assert box["x"] + box["width"] <= width


def test_quality_is_shown_against_time_with_the_front_and_times_are_compared_by_their_ratio(
    opened, tmp_path
):
    # old is quick and wrong, new slow and right; bad is wrong and slower than old, so it is not on the front.
    rows = [
        {"id": f"{id}#{n}", "repeat_of": id, "system": system, "answer": answer, "reference": "Rome", "latency_s": latency_s}
        for system, answer, latency_s in (("old", "Oslo", 1.0), ("new", "Rome", 4.0), ("bad", "Oslo", 2.0))
        for id in "abc" for n in (1, 2)
    ]  # fmt: skip
    run = rg.evaluate(rows, ["exact_match", "latency_s"])
    page = opened(run.report(tmp_path / "report.html"))
    assert "custom · 3 questions · 3 systems · 18 answers" in page.texts(".lead p")[0]
    assert page.page.locator(".tradeoffs svg").count() == 1
    assert page.page.locator(".tradeoffs circle.ring").count() == 1
    title = page.page.locator(".tradeoffs g:has(circle.ring) title").text_content()
    assert title == "bad: exact_match 0.00, latency_s 2.00"
    page.go("#/compare?base=old&other=new")
    page.page.wait_for_selector(".differences td")
    assert "×4.00" in page.texts(".differences td")
    page.page.keyboard.press("s")
    page.until(lambda: "×0.25" in page.texts(".differences td"))


def test_swapping_turns_the_signs(opened, handbook_page):
    page = opened(handbook_page, "#/compare?base=hasty&other=careful")
    before = page.texts(".differences td:nth-child(4)")
    page.page.keyboard.press("s")
    page.until(lambda: page.texts(".differences td:nth-child(4)") != before)
    assert "base=careful" in page.page.evaluate("location.hash")
    after = page.texts(".differences td:nth-child(4)")
    turned = [text.replace("+", "·").replace("−", "+").replace("·", "−") for text in before]
    assert after == turned != before


def test_a_dot_of_the_scatter_opens_its_question(opened, handbook_page):
    page = opened(handbook_page, "#/compare?base=hasty&other=careful&metric=number_match")
    page.page.wait_for_selector("canvas")
    box = page.page.locator("canvas").bounding_box()
    # hasty 0, careful 1: the upper left corner.
    page.page.mouse.click(box["x"] + 14, box["y"] + 14)
    page.page.wait_for_selector(".detail .question")
    assert page.page.evaluate("location.hash").startswith("#/questions?id=q")


def open_question(opened, run: rg.Run, path, id: str):
    page = opened(run.report(path / "report.html"), f"#/questions?id={id}&why=all")
    page.page.wait_for_selector(".evidence")
    return page


def test_a_claim_is_shown_with_its_verdict_and_its_quote_in_the_context(opened, tmp_path):
    claims = {
        "sentences": [
            {"sentence": 1, "claims": ["It is 😀 blue.", "It is old."], "claim_free": False}
        ]
    }
    support = {
        "verdicts": [
            {"claim": 1, "reason": "says so", "supported": True, "context": 2, "quote": "the 😀 hut is blue"},
            {"claim": 2, "reason": "no age", "supported": False, "context": 0, "quote": ""},
        ]
    }  # fmt: skip
    judge = rg.ScriptedJudge({"claims": claims, "support": support})
    row = {
        "id": "q1", "question": "What is it like?", "answer": "It is 😀 blue and old.",
        "contexts": ["Nothing.", "We know 😀 that the 😀 hut is blue, and more."],
    }  # fmt: skip
    run = rg.evaluate([row], "faithfulness", judge=judge)
    assert run.scores["value"].to_list() == [0.5], run.scores["reason"].to_list()
    page = open_question(opened, run, tmp_path, "q1")
    assert page.texts(".evidence .verdicts li") == [
        "✓ It is 😀 blue. – says so context 2: We know 😀 that the 😀 hut is blue, and more.",
        "✗ It is old. – no age",
    ]
    assert page.texts(".evidence mark.quote") == ["the 😀 hut is blue"]
    assert page.texts(".passages mark.quote") == ["the 😀 hut is blue"]
    page.page.click(".call summary >> nth=0")
    assert '"It is old."' in page.texts(".call pre")[0]


def test_words_numbers_hits_and_reasons_are_shown(opened, tmp_path):
    row = {
        "id": "q1", "question": "How much?", "answer": "The fee is $5 in spring.", "reference": "The fee is $6 in autumn.",
        "contexts": ["one", "two"], "context_ids": ["d1", "d2"], "relevant": {"d2": 2},
    }  # fmt: skip
    run = rg.evaluate(
        [row, {**row, "id": "q2", "reference": "none"}],
        ["number_match", "keyword_coverage", "recall@5"],
    )
    page = open_question(opened, run, tmp_path, "q1")
    assert page.texts(".word.bad")[0] == "✗ 6"
    assert {"✗ autumn", "✓ rank 2: d2 grade 2"} <= set(page.texts(".word"))
    assert page.texts(".passages .hit .rank") == ["2 ✓ relevant d2"]
    page.go("#/questions?id=q2")
    page.page.wait_for_selector(".detail[aria-label='Question q2'] .status")
    assert page.texts(".score .value")[0] == "undefined the reference has no numbers"


def test_the_weakest_sentence_of_the_reference_is_marked(opened, tmp_path):
    row = {"id": "q1", "answer": "Dogs are free.", "reference": "Dogs are free. The fee is $5."}
    run = rg.evaluate([row], ["sentence_coverage", "bertscore"])
    page = open_question(opened, run, tmp_path, "q1")
    (worst,) = [text for text in page.texts(".part") if text.startswith("weakest in the reference")]
    assert "$" in worst and "[" not in worst  # BERTScore's words with their numbers, not JSON
    (weakest,) = page.texts(".verdicts .weakest")
    assert weakest.startswith("✗ The fee is $5.") and "weakest" in weakest
    assert len(page.texts(".sentence-matrix td.weakest")) == 1


def test_words_that_differ_from_the_reference_are_marked(opened, tmp_path):
    row = {"id": "q1", "answer": "The fee is five pounds", "reference": "The fee is six pounds"}
    arabic = {"id": "q2", "question": "كم تبلغ الرسوم؟", "answer": "خمسة.", "reference": "خمسة."}
    run = rg.evaluate([row, arabic], "exact_match")
    page = opened(run.report(tmp_path / "report.html"), "#/questions?id=q1&diff=1")
    page.page.wait_for_selector(".answer ins")
    assert (page.texts(".answer ins"), page.texts(".answer del")) == (["five"], ["six"])
    page.go("#/questions?id=q2")
    page.page.wait_for_selector(".detail[aria-label='Question q2'] .question")
    from_right = "(e) => { const r = document.createRange(); r.selectNodeContents(e); return e.getBoundingClientRect().right - r.getBoundingClientRect().right }"
    assert page.page.locator(".detail .question").evaluate(from_right) < 2


def test_rankings_have_the_same_page_without_a_complaint(opened, tmp_path):
    from ragauge.page.ranking_page import write_ranking_page
    from ragauge.rankings.rank import rank

    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {
        "one": {"q1": {"a": 1.0}, "q2": {"b": 1.0}},
        "two": {"q1": {"b": 1.0}, "q2": {"b": 1.0}},
    }
    write_ranking_page(rank(qrels, runs, ["mrr", "recall@10"]), tmp_path / "r.html")
    page = opened(tmp_path / "r.html")
    assert "2 queries · 2 runs · 4 rankings" in page.text(".lead")
    page.go("#/compare?base=one&other=two")
    page.page.wait_for_selector(".changes h3")
    assert page.texts(".changes .id") == ["q1"]
    page.go("#/questions?id=q1")
    page.page.wait_for_selector(".answers")
    assert page.texts(".line .text") == ["q1", "q2"]
    assert page.texts(".score .value") == ["1.0000", "0.0000", "1.0000", "0.0000"]
    assert page.complaints == []


def test_what_people_say_is_beside_the_scores_and_can_be_filtered(opened, tmp_path):
    from ragauge.people.review import Review

    rows = [{"id": f"q{n}", "answer": "oak", "reference": "elm"} for n in range(3)]
    run = rg.evaluate(rows, ["exact_match"], folder=tmp_path / "run")
    review = Review(run.review_queue())
    review.save(review.queue.by_key[review.queue.items[0].key], "ann", 1)
    id = review.queue.items[0].id
    page = opened(run.report(tmp_path / "report.html"))
    page.page.wait_for_selector("main:has-text('labels: 1 of 3 answers by ann')")
    page.go(f"#/questions?where=%60people+say%60+~+%22match%22&id={id}")
    assert page.ids() == [id]
    page.page.wait_for_selector(".detail:has-text('match · ann')")
    assert page.complaints == []


def test_a_notebook_shows_the_same_page_in_a_frame(opened, handbook_run, handbook_page, tmp_path):
    notebook = tmp_path / "notebook.html"
    frame = handbook_run.report()
    notebook.write_text(f"<!doctype html><main><p>A cell</p>{frame._repr_html_()}</main>")
    page = opened(notebook)
    inner = page.page.frame_locator("iframe")
    inner.locator("main.overview .matrix").first.wait_for()
    shown = opened(handbook_page)
    assert inner.locator("h1").inner_text() == shown.text("h1")
    inner.locator("nav a", has_text="Questions").click()
    inner.locator(".line").first.click()
    inner.locator(".detail .question").wait_for()
    inner.locator(".line").nth(1).click()
    second = inner.locator(".line .id").nth(1).inner_text()
    inner.locator(f".detail[aria-label='Question {second}'] .question").wait_for()
    inner.locator("button.chip", has_text="all reasons").click()
    inner.locator(".evidence").first.wait_for()
    inner.locator("nav a", has_text="Compare").click()
    inner.locator(".changes h3").first.wait_for()
    assert page.page.url == notebook.as_uri()
    assert [text for text in page.complaints if "about:srcdoc" not in text] == []


def test_a_page_that_is_too_large_for_a_notebook_says_how_to_see_it(handbook_run, monkeypatch):
    monkeypatch.setattr("ragauge.page.page.MAX_FRAME", 100_000)
    shown = handbook_run.report()
    assert "iframe" not in shown.html
    assert 'run.report("report.html")' in shown.text and "ragauge view RUN" in shown.text
