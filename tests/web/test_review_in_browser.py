"""The review queue in a real browser: by keyboard alone, blind, and with nothing lost on the way."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import ragauge as rg
from ragauge.people.review import Review
from ragauge.web.server import serving
from ragauge.web.sites import ReviewSite

pytestmark = pytest.mark.slow
"""`make test` starts a browser for the hostile texts only, which open every view."""

ROWS = [
    {
        "id": f"q{n:02}", "system": ("zebra", "quagga")[n % 2], "question": f"Question {n}?",
        "answer": f"It is {n if n % 3 else n + 1}.", "reference": f"It is {n}.", "contexts": [f"Passage {n}."],
    }
    for n in range(20)
]  # fmt: skip


@pytest.fixture
def review(tmp_path) -> Review:
    run = rg.evaluate(ROWS, ["exact_match", "number_match"], folder=tmp_path / "run")
    return Review(run.review_queue())


class Desk:
    """The page of one reviewer, and what their browser complained about."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.complaints: list[str] = []
        page.set_default_timeout(8_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, place: str = "") -> None:
        self.page.goto(f"{self.url}{place}")
        self.page.wait_for_selector("article, .finished")

    def press(self, key: str, until: str) -> None:
        self.page.keyboard.press(key)
        self.page.wait_for_selector(until)

    def texts_of(self, selector: str) -> list[str]:
        return self.page.locator(selector).all_inner_texts()

    @property
    def question(self) -> str:
        return self.page.inner_text("article h2")

    @property
    def silent(self) -> bool:
        return not self.complaints and self.page.evaluate("window.seen") == []

    def next_question(self) -> None:
        before = self.question
        self.page.keyboard.press("Enter")
        for _ in range(250):
            if self.page.locator(".finished").count():
                return
            if self.page.locator(".choice").count() and self.question != before:
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"still {before}")


@pytest.fixture
def desks(browser, review, watch) -> Iterator[Any]:
    contexts: list[Any] = []
    with serving(ReviewSite(review, "ann")) as server:

        def desk(name: str = "", scheme: str = "light") -> Desk:
            context = browser.new_context(
                color_scheme=scheme,
                viewport={"width": 1360, "height": 900},
                reduced_motion="reduce",
            )
            contexts.append(context)
            stored = f"localStorage.setItem('ragauge-rater', {json.dumps(name)});" if name else ""
            context.add_init_script(watch + stored)
            return Desk(context.new_page(), server.url)

        yield desk
        for context in contexts:
            context.close()


def test_twenty_answers_are_reviewed_with_the_keyboard_alone(desks, review):
    desk = desks()
    desk.open()
    given: dict[str, int | None] = {}
    for n in range(20):
        key, value = [("y", 1), ("2", 0), ("u", None)][n % 3]
        given[desk.question] = value
        if n == 4:
            desk.page.keyboard.press("w")
            desk.page.keyboard.type("10 and 0 are typed here")
            desk.page.keyboard.press("Escape")
        desk.press(key, ".saved")
        desk.next_question()
    assert "Nothing is left for you" in desk.page.inner_text(".finished")
    assert "20 of 20 done" in desk.page.inner_text(".progress")
    labels = review.labels()
    assert len(given) == 20
    found = {
        f"Question {int(id[1:])}?": each.labels[0].value for (id, _), each in labels.answers.items()
    }
    assert found == given
    assert labels.raters == ("ann",)
    notes = [label.note for label in review.log().labels]
    assert notes[4] == "10 and 0 are typed here" and not any(notes[:4] + notes[5:])
    # Only now there is a report.
    assert desk.texts_of("nav a") == ["Review"]
    desk.page.click("text=open the report")
    desk.page.wait_for_selector(".matrix")
    desk.page.keyboard.press("q")
    desk.page.wait_for_selector(".line .id")
    assert desk.texts_of("nav a") == ["Overview", "Compare", "Questions", "Review"]
    desk.page.click("nav >> text=Review")
    desk.page.wait_for_selector(".finished")
    assert desk.silent


def test_reload_and_back_keep_the_place(desks):
    desk = desks()
    desk.open()
    first = desk.question
    desk.next_question()
    second = desk.question
    desk.press("0", ".saved")
    desk.page.reload()
    desk.page.wait_for_selector(".saved")
    assert desk.question == second
    desk.page.go_back()
    desk.page.wait_for_selector(".choice")
    assert desk.question == first
    desk.page.keyboard.press("j")
    desk.page.wait_for_selector(".saved")
    assert desk.question == second
    assert desk.silent


def test_undo_shows_the_answer_again_and_takes_the_label_back(desks, review):
    desk = desks()
    desk.open()
    first = desk.question
    desk.press("1", ".saved")
    desk.press("z", ".choice")
    assert desk.question == first and len(review.labels()) == 0
    desk.press("0", ".saved")
    desk.next_question()
    desk.press("z", f"article h2:has-text('{first}')")  # the last label, from the next answer
    assert len(review.labels()) == 0
    assert "0 of 20 done" in desk.page.inner_text(".progress")
    assert desk.silent


def test_a_key_that_is_held_down_labels_one_answer(desks, review):
    desk = desks()
    desk.open()
    for _ in range(5):
        desk.page.keyboard.down("1")  # from the second on a repetition
    desk.page.wait_for_selector(".saved")
    for _ in range(5):
        desk.page.keyboard.down("Enter")
    desk.page.wait_for_selector(".choice")
    desk.page.wait_for_timeout(100)
    assert len(review.log().labels) == 1
    assert "1 of 20 done" in desk.page.inner_text(".progress")


def test_two_reviewers_on_one_answer_see_the_conflict_and_a_third_settles_it(desks, review):
    ann, ben = desks("ann"), desks("ben")
    ann.open()
    ben.open()
    assert ann.question == ben.question
    ann.press("1", ".saved")
    ben.press("0", ".saved")
    shown = ben.page.inner_text(".others")
    assert "ann: match" in shown and "both labels are kept" in shown
    cleo = desks("cleo")
    cleo.open()
    assert "1 conflict to settle" in cleo.page.inner_text(".progress")
    shown = cleo.page.inner_text(".others")
    assert "ann: match" in shown and "ben: contradict" in shown
    cleo.press("0", ".saved")
    assert "cleo, who settled a conflict of ann and ben" in cleo.page.inner_text(".saved")
    assert review.labels().states == {"settled": 1}
    assert len(review.log().labels) == 3
    assert ann.silent and ben.silent and cleo.silent


def test_a_name_is_chosen_once_and_kept(desks, review):
    desk = desks()
    desk.open()
    assert desk.page.input_value(".rater input") == "ann"
    desk.page.fill(".rater input", "dora")
    desk.page.keyboard.press("Tab")
    desk.page.wait_for_timeout(200)
    desk.press("1", ".saved")
    assert review.labels().raters == ("dora",)
    desk.page.reload()
    desk.page.wait_for_selector(".saved")
    assert desk.page.input_value(".rater input") == "dora"
    assert desk.silent


def test_a_label_that_cannot_be_saved_is_said_and_can_be_given_again(desks, review):
    desk = desks()
    desk.open()
    review.stored.path.mkdir()  # in the place of the file
    desk.press("1", "[role=alert]")
    assert "not saved: " in desk.page.inner_text("[role=alert]")
    assert desk.page.locator(".choice").count() == 1
    review.stored.path.rmdir()
    desk.press("1", ".saved")
    assert desk.page.locator("[role=alert]").count() == 0
    assert len(review.labels()) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_review_view(desks, violations, scheme):
    desk = desks(scheme=scheme)
    desk.open()
    for key, selector in (("c", "details[open]"), ("1", ".saved")):
        desk.press(key, selector)
        assert violations(desk.page) == []
