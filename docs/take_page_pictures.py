"""Take the pictures of the report page that the documentation shows.

    python docs/take_page_pictures.py

Evaluates the bundled example, opens its page in Debian's chromium, light and dark, and writes
docs/images/page-*.png; the review view comes from its server. Look at them after a change of the page.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright

import ragauge as rg
from ragauge.runs.review import Review
from ragauge.runs.review_labels import LabelFile
from ragauge.web.review_site import ReviewSite
from ragauge.web.server import serving

DOCS = Path(__file__).parent
ANSWERS = DOCS.parent / "examples" / "handbook" / "answers.jsonl"
PLACES = {
    "overview": ("", ".matrix"),
    "compare": ("#/compare", ".changes h3"),
    "list": ("#/questions?sort=worst&chip=system+%3D+%22hasty%22", ".line"),
    "question": ("#/questions?sort=worst&id=q05&why=keyword_coverage", ".evidence"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as started:
        run = rg.evaluate(ANSWERS, "rag", folder=Path(scratch) / "handbook")
        page = run.report(Path(scratch) / "report.html")
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            context = browser.new_context(
                color_scheme=scheme, viewport={"width": 1280, "height": 800}
            )
            for name, (place, selector) in PLACES.items():
                tab = context.new_page()
                tab.goto(f"{page.as_uri()}{place}")
                tab.wait_for_selector(selector)
                tab.wait_for_timeout(300)
                tab.screenshot(path=DOCS / "images" / f"page-{name}-{scheme}.png")
                tab.close()
            take_review(run, context, DOCS / "images" / f"page-review-{scheme}.png")
        browser.close()


def take_review(run: rg.Run, context: BrowserContext, path: Path) -> None:
    """The review view after a label, beside which the automatic scores are shown."""
    queue = run.review_queue(reasons=["threshold", "sample"])
    with serving(ReviewSite(Review(queue), "ann")) as server:
        tab = context.new_page()
        tab.goto(server.url)
        tab.wait_for_selector("article")
        tab.fill("#note", "the sign and the date differ")
        tab.keyboard.press("Escape")
        tab.keyboard.press("0")
        tab.wait_for_selector(".saved")
        tab.screenshot(path=path, clip={"x": 0, "y": 0, "width": 1280, "height": 640})
        tab.close()
    LabelFile.of(run.folder).path.unlink()


if __name__ == "__main__":
    main()
