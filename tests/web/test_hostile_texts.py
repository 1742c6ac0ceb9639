"""Texts that try to be code: inert in every field and every view."""

import pytest

import ragauge as rg

CORPUS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "'><iframe srcdoc='<script>parent.alert(1)</script>'>",
    "javascript:alert(1)",
    "<a href=javascript:alert(1)>x</a>",
    "<style>@import 'http://127.0.0.1:9/x.css';</style>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<base href='http://127.0.0.1:9/'>",
    "<form action=http://127.0.0.1:9/><input name=x></form>",
    "{{constructor.constructor('alert(1)')()}}",
    "<!--<script>alert(1)//-->",
    "]]><script>alert(1)</script>",
    "\u2028alert(1)\u2029",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "__proto__",
    "constructor",
)  # fmt: skip


def rows() -> list[dict[str, object]]:
    return [
        {
            "id": f"{at}{text}",
            "system": system,
            "question": text,
            "answer": f"{text} and 3 more, said {system}",
            "reference": f"{text} or 4",
            "contexts": [text, f"the context {text}"],
            "context_ids": [text, "d2"],
            "relevant": {text: 1},
            "kind": CORPUS[at % 3],
            "note": text,
        }
        for at, text in enumerate(CORPUS)
        for system in ("<b>one</b>", "two<img src=x onerror=alert(1)>")
    ]


def test_hostile_texts_stay_texts_in_every_view(opened, tmp_path):
    judge = rg.ScriptedJudge({"verdict": CORPUS[2]})
    metrics = [
        "number_match",
        "keyword_coverage",
        "token_f1",
        "recall@5",
        "hallucination",
        "answer_class",
    ]
    run = rg.evaluate(rows(), metrics, judge=judge)
    page = opened(run.report(tmp_path / "report.html"))
    for place in ("", "#/compare", "#/questions"):
        page.go(place)
        page.page.wait_for_timeout(100)
    ids = page.ids()
    assert set(ids) >= {f"{at}{' '.join(text.split())}" for at, text in enumerate(CORPUS[:8])}
    page.go("#/questions?sort=worst&why=all&diff=1")
    for _ in CORPUS:
        page.page.keyboard.press("j")
        page.page.wait_for_timeout(20)
    page.page.wait_for_selector(".detail .evidence")
    page.go(
        "#/questions?where="
        + "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&id="
        + "%3Csvg+onload%3Dalert(1)%3E"
    )
    page.page.wait_for_timeout(50)
    assert page.complaints == []
    made = page.page.evaluate(
        "[...document.querySelectorAll('img, iframe, form, base, object, embed, math, main script, main style')].map((one) => one.outerHTML)"
    )
    assert made == []
    handlers = page.page.evaluate(
        "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes].map((each) => each.name)).filter((name) => name.startsWith('on'))"
    )
    assert handlers == []
    links = page.page.evaluate("[...document.links].map((link) => link.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)


@pytest.mark.slow
def test_the_corpus_is_inert_in_the_review_view(browser, watch, tmp_path):
    from ragauge.people.review import Review
    from ragauge.web.server import serving
    from ragauge.web.sites import ReviewSite

    run = rg.evaluate(rows(), ["exact_match"], folder=tmp_path / "run")
    review = Review(run.review_queue(n_sample=len(CORPUS)))
    complaints: list[str] = []
    with serving(ReviewSite(review, "ann")) as server:
        context = browser.new_context()
        context.add_init_script(watch)
        page = context.new_page()
        page.set_default_timeout(8_000)
        page.on("console", lambda message: complaints.append(message.text))
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(server.url)
        for item in review.queue.items:
            page.wait_for_selector(".choice")
            page.fill("#note", item.id)
            page.keyboard.press("Escape")
            page.keyboard.press("c")
            page.keyboard.press("1")
            page.wait_for_selector(".saved")
            assert (
                page.locator(
                    "article :is(img, script, a, iframe, svg, form, style, meta, base)"
                ).count()
                == 0
            )
            assert " ".join(item.id.split()) in " ".join(page.inner_text(".saved").split())
            page.keyboard.press("Enter")
        page.wait_for_selector(".finished")
        assert page.evaluate("window.seen") == []
        context.close()
    assert complaints == []
    assert all(url.startswith(server.url) for url in requests)
    assert {label.note for label in review.log().labels} == {i.id for i in review.queue.items}
