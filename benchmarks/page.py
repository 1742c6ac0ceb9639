"""Time from navigation until the report page is ready, in a real browser, and the size of its file.

    python benchmarks/page.py [--questions 10000 50000] [--rounds 3]

Makes answers of four systems with texts, contexts, eight metrics and their evidence, writes the page
and opens it from its file in Debian's chromium. Ready means that the browser has painted the headline
(overview), the first questions of the list (questions), or a question's reasons (question). Times are
medians over rounds, each with a fresh browser profile.
"""

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import ragauge as rg

SYSTEMS = {"alpha": 0.1, "beta": 0.25, "gamma": 0.4, "delta": 0.6}
"""How often a system replaces a word of the reference."""
WORDS = [
    "the",
    "hut",
    "opens",
    "in",
    "spring",
    "fee",
    "is",
    "five",
    "pounds",
    "per",
    "night",
    "members",
    "pay",
    "less",
    "warden",
    "keeps",
    "a",
    "book",
    "dogs",
    "sleep",
    "outside",
    "boots",
    "are",
    "left",
    "by",
    "door",
    "stove",
    "uses",
    "peat",
    "water",
    "comes",
    "from",
    "burn",
    "path",
    "crosses",
    "bog",
    "bridge",
    "was",
    "built",
    "by",
    "volunteers",
    "after",
    "flood",
]
METRICS = [
    *("number_match", "keyword_coverage", "token_f1", "exact_match"),
    *("recall@5", "ndcg@10", "number_precision", "dont_know"),
]
PLACES = {
    "overview": ("#/", "main.overview .matrix"),
    "questions": ("#/questions?sort=worst", ".line .id"),
    "filter": (
        "#/questions?where=number_match+%3C+0.5+and+answer+~+%22hut%22&sort=worst",
        ".line .id",
    ),
    "question": ("#/questions?id={last}&why=all", ".detail .evidence"),
    "compare": ("#/compare", ".changes h3"),
}

WATCH = """
const look = () => {
  if (document.querySelector(SELECTOR)) requestAnimationFrame(() => { window.readyAt = performance.now(); });
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Counts by the browser's own clock, from navigation to the frame after the element is there."""


def write_answers(path: Path, n_questions: int) -> None:
    """Generated answers, as JSON lines; the same for the same number."""
    rng = random.Random(0)

    def text(n: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(n))

    with path.open("w") as file:
        for place in range(n_questions):
            question, reference = f"{text(9)}?", f"{text(12)}. It costs ${rng.randint(1, 900)}."
            contexts = [text(60) for _ in range(6)]
            for system, noise in SYSTEMS.items():
                kept = [w if rng.random() > noise else rng.choice(WORDS) for w in reference.split()]
                order = rng.sample(range(6), 4)
                row = {
                    "id": f"q{place:05}",
                    "system": system,
                    "question": question,
                    "reference": reference,
                    "answer": " ".join(kept) + f" {text(10)}",
                    "contexts": [contexts[at] for at in order],
                    "context_ids": [f"d{place}-{at}" for at in order],
                    "relevant": {f"d{place}-0": 1, f"d{place}-1": 1},
                    "kind": ("fact", "list", "why")[place % 3],
                }
                file.write(json.dumps(row) + "\n")


def ready_times(browser: Any, page: Path, last: str) -> dict[str, float]:
    """Seconds from navigation until each place of the page is painted."""
    found: dict[str, float] = {}
    for name, (place, selector) in PLACES.items():
        context = browser.new_context(viewport={"width": 1360, "height": 900})
        tab = context.new_page()
        tab.add_init_script(WATCH.replace("SELECTOR", json.dumps(selector)))
        tab.goto(page.as_uri() + place.format(last=last), wait_until="commit")
        while not (at := tab.evaluate("window.readyAt ?? 0")):
            time.sleep(0.02)
        found[name] = at / 1000
        context.close()
    return found


def measure(n_questions: int, rounds: int, folder: Path) -> None:
    from playwright.sync_api import sync_playwright

    answers, page = folder / f"{n_questions}.jsonl", folder / f"{n_questions}.html"
    write_answers(answers, n_questions)
    run = rg.evaluate(answers, METRICS, folder=folder / str(n_questions))
    start = time.perf_counter()
    run.report(page)
    written = time.perf_counter() - start
    size = page.stat().st_size
    print(f"{n_questions:,} x {len(SYSTEMS)}: {size / 1e6:.1f} MB, written in {written:.1f} s")
    chromium = shutil.which("chromium")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        times = [ready_times(browser, page, f"q{n_questions - 1:05}") for _ in range(rounds)]
        browser.close()
    for name in PLACES:
        print(f"  {name:10} {statistics.median(each[name] for each in times):.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for n in given.questions:
            measure(n, given.rounds, Path(scratch))
