"""Measure how well `number_match` agrees with people on references that have numbers.

    RAGAUGE_DATA=… python benchmarks/number_match.py

FinanceBench: four runs, each answer labelled by people as correct, incorrect or a refusal (which is not
correct). The questions are split into two halves: the rules were developed on the first, the second only
verifies. EVOUNA: the answers of five systems to the questions whose references have numbers.

Columns: rows; AUROC of `number_match` as it is, without the question, and with equal values only; and how many
of the answers that score 1.0 people call correct. (Not called numbers.py, which would hide Python's own.)
"""

import json
import os
import re
import sys
import time
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ragauge.language.numbers.agreement import Agreement
from ragauge.language.numbers.match import match_numbers

EVOUNA_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
ROW = "{:44} {:>6} {:>8} {:>12} {:>12} {:>18}"
EQUAL = Agreement(rounding="none", percent="distinct")
_UNITS = re.compile(r"million|billion|thousand|percent|USD|dollars", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3}")


class Answer(NamedTuple):
    """A labelled answer; `key` says to which half its question belongs."""

    key: str
    question: str
    references: Sequence[str]
    answer: str
    is_correct: bool

    @property
    def is_first_half(self) -> bool:
        return zlib.crc32(self.key.encode()) % 2 == 0

    @property
    def wants_one_number(self) -> bool:
        """Whether the reference is a number and nothing else, such as 1577 or `$1.6 billion`."""
        return not any(_WORD.search(_UNITS.sub("", reference)) for reference in self.references)


class Scored(NamedTuple):
    answer: Answer
    score: float
    without_question: float
    equal_only: float


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds financebench and evouna")
    header = ("", "rows", "AUROC", "no question", "equal only", "correct at 1.0")
    print(ROW.format(*header))
    finance = scored(financebench(Path(folder) / "financebench"))
    groups: dict[str, Callable[[Scored], bool]] = {
        "all with numbers": lambda _: True,
        "reference is one number": lambda each: each.answer.wants_one_number,
    }
    halves: dict[str, Callable[[Scored], bool]] = {
        "": lambda _: True,
        ", first half": lambda each: each.answer.is_first_half,
        ", second half": lambda each: not each.answer.is_first_half,
    }
    for group, belongs in groups.items():
        for half, is_in in halves.items():
            chosen = [each for each in finance if belongs(each) and is_in(each)]
            print(row(f"financebench, {group}{half}", chosen))
    for system, answers in evouna(Path(folder) / "evouna" / "NQ.json").items():
        print(row(f"evouna, {system}", scored(answers)))
    answers = [each.answer for each in finance]
    print(f"\n{microseconds_per_answer(answers):.0f} µs per answer, with finding the numbers")


def financebench(folder: Path) -> list[Answer]:
    paths = [path for path in sorted(folder.glob("*.jsonl")) if "open_source" not in path.name]
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [
        Answer(
            row["financebench_id"],
            row["question"],
            [str(row["gold_answer"])],
            str(row["model_answer"]),
            row["label"] == "Correct Answer",
        )
        for row in rows
    ]


def evouna(path: Path) -> dict[str, list[Answer]]:
    """The answers of each system; questions marked improper are left out."""
    rows = [row for row in json.loads(path.read_text("utf-8")) if not row["improper"]]
    return {
        system: [
            Answer(
                row["question"],
                row["question"],
                row["golden_answer"].split("/"),
                row[f"answer_{system}"] or "",
                row[f"judge_{system}"],
            )
            for row in rows
        ]
        for system in EVOUNA_SYSTEMS
    }


def scored(answers: Sequence[Answer]) -> list[Scored]:
    """The answers whose references have numbers, with their scores."""
    found: list[Scored] = []
    for each in answers:
        texts = each.references, each.answer
        values = (
            match_numbers(each.question, *texts).share,
            match_numbers(None, *texts).share,
            match_numbers(None, *texts, EQUAL).share,
        )
        if None not in values:
            found.append(Scored(each, *(value or 0.0 for value in values)))
    return found


def row(name: str, answers: Sequence[Scored]) -> str:
    labels = [each.answer.is_correct for each in answers]
    columns = zip(*(each[1:] for each in answers), strict=True)
    aurocs = [f"{auroc(column, labels):.3f}" for column in columns]
    at_one = [each.answer.is_correct for each in answers if each.score == 1]
    trust = f"{sum(at_one)}/{len(at_one)} = {sum(at_one) / len(at_one):.3f}"
    return ROW.format(name, len(answers), *aurocs, trust)


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that a correct answer scores higher than another one; ties count half."""
    right = [score for score, is_correct in zip(scores, labels, strict=True) if is_correct]
    wrong = sorted(s for s, is_correct in zip(scores, labels, strict=True) if not is_correct)
    wins = sum(bisect_left(wrong, score) + bisect_right(wrong, score) for score in right)
    return wins / (2 * len(right) * len(wrong))


def microseconds_per_answer(answers: Sequence[Answer]) -> float:
    start = time.process_time()
    for each in answers:
        match_numbers(each.question, each.references, each.answer)
    return 1e6 * (time.process_time() - start) / len(answers)


if __name__ == "__main__":
    main()
