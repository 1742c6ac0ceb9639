"""Measure how often the findings of the suite rag are right, on answers that people labelled.

    RAGAUGE_DATA=… python benchmarks/findings.py [--all]

"likely wrong" is right where people call the answer wrong, "refused" where they label a refusal. EVOUNA-NQ has no labels of refusals: there a
finding of a refusal is right where the answer is wrong. Without `--all`, 600 of EVOUNA's questions.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

from agreement_sets import fields_of
from answer_sets import AnswerCase, answer_sets

import ragauge as rg
from ragauge.runs.findings import find

N_QUESTIONS = 600
SEED = 7


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds evouna and financebench")
    print("| set | finding | rows | right |")
    print("|---|---|---|---|")
    for name, cases in answer_sets(Path(folder)).items():
        chosen = cases if "--all" in sys.argv else some_questions(cases)
        labels = {(case.id, case.system): case for case in chosen}
        run = rg.evaluate([fields_of(case) for case in chosen], workers=2)
        counts: dict[str, list[bool]] = {}
        for match in find(run):
            right = [is_right(match.says, labels[id, match.system]) for id in match.ids]
            counts.setdefault(match.says, []).extend(right)
        for says, right in counts.items():
            print(f"| {name} | {says} | {len(right)} | {sum(right) / len(right):.3f} |")


def some_questions(cases: Sequence[AnswerCase]) -> list[AnswerCase]:
    """The cases of a sample of the questions."""
    ids = list(dict.fromkeys(case.id for case in cases))
    chosen = set(Random(SEED).sample(ids, min(N_QUESTIONS, len(ids))))
    return [case for case in cases if case.id in chosen]


def is_right(says: str, case: AnswerCase) -> bool:
    if says.startswith("refused") and case.is_refusal is not None:
        return case.is_refusal
    return not case.is_correct


if __name__ == "__main__":
    main()
