"""How the page shows answers: Markdown as text styles with the marks of the raw text, worst first, and every system at every width."""

import pytest

import ragauge as rg

pytestmark = pytest.mark.slow

MARKDOWN = {
    "**bold** and *em*, ~~gone~~": [["P.text", "bold and em, gone", "strong bold", "em em", "s gone"]],
    "***both*** and **a *b***": [["P.text", "both and a b", "em both", "strong both", "strong a ", "em b", "strong b"]],
    "`a*b*c` and ``x ` y``": [["P.text", "a*b*c and x ` y", "code a*b*c", "code x ` y"]],
    "snake_case_name, 2*3*4, x**2 + y**2, 5 * 6 * 7": [["P.text", "snake_case_name, 2*3*4, x**2 + y**2, 5 * 6 * 7"]],
    "这是**重点**内容，_不_错": [["P.text", "这是重点内容，不错", "strong 重点", "em 不"]],
    r"\*not em\* and **open": [["P.text", "*not em* and **open"]],
    "# Title #\ntext\nmore": [["P.heading", "Title"], ["P.text", "text more"]],
    "- one\n- two **b**\n  1. in\n\nafter": [["P.item", "• one"], ["P.item", "• two b", "strong b"], ["P.item", "1. in"], ["P.text", "after"]],
    "1. **A**\n   goes on\n2) B": [["P.item", "1. A", "strong A"], ["P.text", "goes on"], ["P.item", "2) B"]],
    "```py\n*x* = 1\n```\nend": [["PRE", "*x* = 1"], ["P.text", "end"]],
    "~~~\nnever closed": [["PRE", "never closed"]],
    "| a | b |\n|---|--:|\n| **1** | 2 |": [["TABLE", "a b 1 2", "strong 1"]],
    "a | b, no table\n\n---\n\n> as it is": [["P.text", "a | b, no table"], ["HR", ""], ["P.text", "> as it is"]],
    "[x](javascript:alert(1)) ![i](http://127.0.0.1:9/i.png) <b>": [["P.text", "[x](javascript:alert(1)) ![i](http://127.0.0.1:9/i.png) <b>"]],
    "**<img src=x onerror=alert(1)>**": [["P.text", "<img src=x onerror=alert(1)>", "strong <img src=x onerror=alert(1)>"]],
}  # fmt: skip


def test_markdown_of_an_answer_becomes_text_styles(opened, tmp_path):
    parts = """() => [...document.querySelectorAll(".answer td .markdown > *")].map((block) => [
  block.tagName + (block.classList.length > 1 ? "." + block.classList[1] : ""),
  block.innerText.replaceAll(/\\s+/g, " ").trim(),
  ...[...block.querySelectorAll("strong, em, s, code")].map((one) => `${one.tagName.toLowerCase()} ${one.innerText}`),
])"""
    rows = [{"id": f"q{at}", "answer": text, "reference": "x"} for at, text in enumerate(MARKDOWN)]
    page = opened(rg.evaluate(rows, "exact_match").report(tmp_path / "r.html"), "#/questions")
    for at, (text, wanted) in enumerate(MARKDOWN.items()):
        page.go(f"#/questions?id=q{at}")
        page.page.wait_for_selector(f".detail[aria-label='Question q{at}'] .markdown")
        assert page.page.evaluate(parts) == wanted, text
    assert page.page.locator(".answer :is(a, img, b)").count() == 0
    assert page.complaints == []


def test_marks_are_where_the_raw_text_has_them(opened, tmp_path):
    # number_precision and support do not matter here: hallucination marks what no context supports, by places in the raw text.
    answer = "😀 **The hut** opened in `1968` for *$75,000* and\n- closed in **1994**."
    row = {"id": "q1", "answer": answer, "contexts": ["The hut opened in 1968."]}
    run = rg.evaluate([row], "hallucination")
    page = opened(run.report(tmp_path / "r.html"), "#/questions?id=q1&plain=1")
    page.page.wait_for_selector(".answer mark")
    plain = "".join(page.texts(".answer mark"))
    assert "$75,000" in plain and "1994" in plain and "1968" not in plain
    page.go("#/questions?id=q1")
    page.page.wait_for_selector(".answer .markdown mark")
    assert "".join(page.texts(".answer mark")) == plain.replace("**", "").replace("*", "")
    assert page.texts(".answer em mark") == ["$75,000"]


def test_a_hostile_answer_is_read_at_once(opened, tmp_path):
    texts = ["*a " * 30_000, "**a" * 30_000, "`" * 90_000, "[" * 90_000, "|-" * 40_000, "> " * 40_000, "*a " * 15_000 + "a* " * 15_000]  # fmt: skip
    rows = [{"id": f"q{at}", "answer": text, "reference": "x"} for at, text in enumerate(texts)]
    page = opened(rg.evaluate(rows, "exact_match").report(tmp_path / "r.html"), "#/questions")
    for at in range(len(texts)):
        page.go(f"#/questions?id=q{at}")
        page.page.wait_for_selector(f".detail[aria-label='Question q{at}'] .markdown")
    assert page.complaints == []


def test_the_list_is_worst_first_and_shows_how_the_worst_answer_begins(opened, tmp_path):
    answers = {
        "q1": ("Rome", "**Rome**"),
        "q2": ("Rome", "- *Oslo*, I think"),
        "q3": (None, "Rome"),
    }
    rows = [
        {"id": id, "system": system, "question": id, "answer": answer, "reference": "Rome"}
        for id, pair in answers.items()
        for system, answer in zip(("old", "new"), pair, strict=True)
    ]
    page = opened(rg.evaluate(rows, "token_f1").report(tmp_path / "r.html"), "#/questions")
    assert page.ids() == ["q2", "q1", "q3"]
    page.page.wait_for_selector(".line .snippet")
    assert page.texts(".line .snippet") == ["new: Oslo, I think", "old: Rome", "new: Rome"]
    assert page.texts(".chip-group > .soft") == ["system"]
    page.go("#/questions?sort=data")
    assert page.ids() == ["q1", "q2", "q3"]


def many_systems(n: int, tmp_path):
    rows = [
        {"id": f"q{q}", "system": f"gpt-4o_mini+rerank/top-20_run_{s}", "question": "Where?", "answer": f"Rome {'x ' * s}", "reference": "Rome", "kind": "ab"[q % 2]}
        for q in range(4)
        for s in range(n)
    ]  # fmt: skip
    return rg.evaluate(rows, ["token_f1", "exact_match"]).report(tmp_path / f"{n}.html")


@pytest.mark.parametrize("n", [2, 4, 9])
def test_every_system_is_on_the_screen(opened, tmp_path, n):
    page = opened(many_systems(n, tmp_path))
    for width in (1280, 1360, 1920):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.settle()
        boxes = [each.bounding_box() for each in page.page.locator(".matrix thead .system").all()]
        assert len(boxes) == 3 * n
        assert all(box["x"] + box["width"] <= width for box in boxes)
        assert page.page.locator(".hint").count() == 0


def test_what_does_not_fit_can_be_scrolled_and_says_so(opened, tmp_path):
    page = opened(many_systems(9, tmp_path), "#/questions?id=q0")
    page.page.wait_for_selector(".hint")
    assert "all 9 systems" in page.text(".hint")
    assert page.page.get_attribute(".shadows", "data-more") == "right"
    for _ in range(4):
        if page.page.locator("[aria-label='Scroll to the right']").is_enabled():
            page.page.click("[aria-label='Scroll to the right']")
            page.page.wait_for_timeout(50)
    page.until(lambda: page.page.get_attribute(".shadows", "data-more") == "left")
    last = page.page.locator(".answers thead .system").last.bounding_box()
    assert last["x"] + last["width"] <= 1360


@pytest.mark.parametrize("width", [360, 400])
@pytest.mark.parametrize("n", [2, 4, 9])
def test_on_a_narrow_screen_systems_are_chosen(opened, tmp_path, n, width):
    page = opened(many_systems(n, tmp_path))
    page.page.set_viewport_size({"width": width, "height": 800})
    for place, shown in (("#/", 2), ("#/questions?id=q0", 1), ("#/compare", 2), ("#/questions", 0)):
        page.go(place)
        page.page.wait_for_timeout(60)
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width, place
        heads = page.page.locator(".wide >> nth=0 >> thead .system")
        assert heads.count() == shown, place
        assert all(
            box["x"] + box["width"] <= width for box in (one.bounding_box() for one in heads.all())
        )
    if n > 2:
        page.go("#/")
        page.page.wait_for_selector(".matrix")
        last = page.page.locator(".system select >> nth=1 >> option").last.inner_text()
        page.page.select_option(".system select >> nth=1", last)
        page.until(lambda: last in page.texts(".matrix thead .system bdi"))
        assert "second=" in page.page.evaluate("location.hash")
