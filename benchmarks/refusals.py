"""Measure how well `dont_know` finds the refusals that people labelled, by run.

    RAGAUGE_DATA=… python benchmarks/refusals.py

FinanceBench: four runs, each answer labelled by people as correct, incorrect or a refusal. EVOUNA:
the answers of five systems that people judged correct; each classified as a refusal is a mistake.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ragauge.metrics.refusal import dont_know

EVOUNA_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
ROW = "{:38} {:>8} {:>24} {:>24} {:>24} {:>24}"

Answers = Sequence[tuple[str, str, bool]]
"""Questions and answers, each with whether people label it a refusal."""


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds financebench and evouna")
    runs = financebench(Path(folder) / "financebench")
    runs["all"] = [each for answers in runs.values() for each in answers]
    print(ROW.format("", "", "default", "", "graphrag", ""))
    print(ROW.format("financebench", "refusals", *2 * ("recall", "precision")))
    for name, answers in runs.items():
        print(financebench_row(name, answers))
    print()
    print(ROW.format("evouna", "correct", *2 * ("taken for a refusal", "")))
    for name, correct in evouna(Path(folder) / "evouna" / "NQ.json").items():
        print(evouna_row(name, correct))
    print()
    print(f"{microseconds_per_answer(runs['all']):.0f} µs of processor time per answer")


def financebench(folder: Path) -> dict[str, Answers]:
    """The answers of each run, under its file's name."""
    paths = [path for path in sorted(folder.glob("*.jsonl")) if "open_source" not in path.name]
    return {path.stem: labelled_answers(path) for path in paths}


def labelled_answers(path: Path) -> Answers:
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["question"], str(row["model_answer"]), row["label"] == "Refusal") for row in rows]


def evouna(path: Path) -> dict[str, Answers]:
    """The correct answers of each system, no refusals; questions marked improper are left out."""
    rows = [row for row in json.loads(path.read_text(encoding="utf-8")) if not row["improper"]]
    return {
        system: [
            (row["question"], row[f"answer_{system}"], False)
            for row in rows
            if row[f"judge_{system}"]
        ]
        for system in EVOUNA_SYSTEMS
    }


def financebench_row(name: str, answers: Answers) -> str:
    labelled = [is_refusal for _, _, is_refusal in answers]
    cells: list[str] = []
    for found in (by_rules(answers), by_phrases(answers)):
        hits = sum(map(min, found, labelled))
        cells += [share(hits, sum(labelled)), share(hits, sum(found))]
    return ROW.format(name, sum(labelled), *cells)


def evouna_row(name: str, correct: Answers) -> str:
    rules, phrases = sum(by_rules(correct)), sum(by_phrases(correct))
    n = len(correct)
    return ROW.format(name, n, share(rules, n), "", share(phrases, n), "")


def by_rules(answers: Answers) -> list[bool]:
    return [dont_know(answer, question).value == 1.0 for question, answer, _ in answers]


def by_phrases(answers: Answers) -> list[bool]:
    return [dont_know(answer, phrases="graphrag").value == 1.0 for _, answer, _ in answers]


def share(part: int, whole: int) -> str:
    return f"{part} / {whole} = {part / whole:.1%}" if whole else f"{part} / 0"


def microseconds_per_answer(answers: Answers) -> float:
    start = time.process_time()
    for question, answer, _ in answers:
        dont_know(answer, question)
    return (time.process_time() - start) / len(answers) * 1e6


if __name__ == "__main__":
    main()
