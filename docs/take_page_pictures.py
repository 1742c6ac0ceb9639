"""Take the pictures that the documentation shows: the first screen of `ragauge demo`, and the report page.

    python docs/take_page_pictures.py

Evaluates the bundled example, writes docs/images/first-screen.svg, opens the page in Debian's chromium,
light and dark, and writes docs/images/page-*.png; the review view comes from its server. Look at them after
a change of screen or page.
"""

import re
import shutil
import tempfile
from io import BytesIO, StringIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import BrowserContext, sync_playwright

import ragauge as rg
from ragauge.people.review import Review
from ragauge.web.server import serving
from ragauge.web.sites import ReviewSite

DOCS = Path(__file__).parent
ANSWERS = DOCS.parent / "examples" / "handbook" / "answers.jsonl"
PLACES = {
    "overview": ("", ".matrix"),
    "compare": ("#/compare", ".changes h3"),
    "list": ("#/questions?sort=worst&chip=system+%3D+%22hasty%22", ".line"),
    "question": ("#/questions?sort=worst&id=q05&why=keyword_coverage", ".evidence"),
}


COLORS = 160
"""Colours of a picture: a page has few, and so the file stays small."""


def take_first_screen(run: rg.Run) -> None:
    """The first screen as a picture of a terminal."""
    from dataclasses import replace

    from rich.console import Console

    from ragauge.report.terminal import print_report
    from ragauge.views.first_screen import run_report

    shown = replace(run, folder=Path("ragauge-demo"))
    out = Console(file=StringIO(), width=98, record=True, force_terminal=True)
    out.print("$ make demo", style="dim")
    print_report(out, run_report(shown))
    # The fonts of the reader's machine: the picture makes no request.
    svg = re.sub(r"@font-face \{.*?\}", "", out.export_svg(title="ragauge"), flags=re.DOTALL)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    svg = re.sub(r"terminal-\d+", "screen", svg)
    (DOCS / "images" / "first-screen.svg").write_text(
        "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n", "utf-8"
    )


def write_small(picture: bytes, path: Path) -> None:
    """A screenshot with few colours."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def write_film(pictures: list[Path]) -> None:
    """The pictures one after the other, for the README."""
    frames = [
        Image.open(each).convert("RGB").resize((960, 600)).quantize(COLORS) for each in pictures
    ]
    frames[0].save(
        DOCS / "images" / "page.gif",
        save_all=True,
        append_images=frames[1:],
        duration=2500,
        loop=0,
        optimize=True,
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as started:
        run = rg.evaluate(ANSWERS, "rag", folder=Path(scratch) / "handbook")
        take_first_screen(run)
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
                write_small(tab.screenshot(), DOCS / "images" / f"page-{name}-{scheme}.png")
                tab.close()
            take_review(run, context, DOCS / "images" / f"page-review-{scheme}.png")
        browser.close()
    write_film([DOCS / "images" / f"page-{name}-light.png" for name in PLACES])


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
    (run.folder / "labels.jsonl").unlink()


if __name__ == "__main__":
    main()
