"""Planted faults that `ragauge questions check` finds, by kind, and its false alarms on people's questions.

    python benchmarks/questions.py [--cases 20]

The faults are planted in the made-up corpus of tests/questions/planted_questions.py. With RAGAUGE_DATA set to the folder
of shared data sets, questions of people are checked too: each one called faulty is an alarm, most of them false.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "questions"))

from planted_questions import FAULTS, corpus, planted

from ragauge.documents.reading import Documents, read_documents
from ragauge.questions.checks import check
from ragauge.questions.question import Question


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20, help="cases of each kind")
    n = parser.parse_args().cases
    print(f"{'fault':28} found   of   named right   false alarms")
    totals = Counter[str]()
    for kind, (_, _, names) in FAULTS.items():
        rows, questions, ids = planted(kind, n)
        checked = check(questions, read_documents(rows))
        faulty = [each for each in checked if each.question.id in ids]
        found = sum(not each.sound for each in faulty)
        right = sum(not set(names.split()).isdisjoint(each.problems) for each in faulty)
        alarms = sum(not each.sound for each in checked) - found
        print(f"{kind:28} {found:5} {len(faulty):4} {right:13} {alarms:14}")
        totals.update(found=found, planted=len(faulty), alarms=alarms)
    print(f"{totals['found']} of {totals['planted']} found, {totals['alarms']} false alarms")
    rows, questions = corpus()
    unsound = sum(not each.sound for each in check(questions, read_documents(rows)))
    print(f"{'sound questions':28} {unsound} alarms of {len(questions)}")
    if folder := os.environ.get("RAGAUGE_DATA"):
        for name, questions, documents in people(Path(folder)):
            checked = check(questions, documents)
            unsound = [each for each in checked if not each.sound]
            kinds = Counter(problem for each in unsound for problem in each.problems)
            share = (
                f"{len(unsound)} alarms of {len(questions)} ({len(unsound) / len(questions):.1%})"
            )
            print(f"{name:28} {share}", dict(kinds) or "")


def people(folder: Path) -> Iterator[tuple[str, list[Question], Documents]]:
    """Questions of people with their documents."""
    nothing = read_documents([{"id": "none", "text": "This document says nothing at all."}])
    rows = json.loads((folder / "evouna/NQ.json").read_text())
    plain = [Question(str(n), row["question"]) for n, row in enumerate(rows) if row["question"]]
    yield "NQ (alone)", plain, nothing
    queries = (
        line.split("\t") for line in (folder / "llmjudge/queries.tsv").read_text().splitlines()
    )
    yield (
        "TREC DL (alone)",
        [Question(each[0], each[1]) for each in queries if len(each) > 1],
        nothing,
    )
    rows = _lines(folder / "financebench/financebench_open_source.jsonl")
    evidence = [
        {"id": f"{row['financebench_id']}-{n}", "text": each["evidence_text"]}
        for row in rows
        for n, each in enumerate(row["evidence"])
    ]
    yield (
        "FinanceBench",
        [
            Question(
                row["financebench_id"],
                row["question"],
                [row["answer"]],
                relevant={
                    f"{row['financebench_id']}-{n}": 1.0 for n in range(len(row["evidence"]))
                },
            )
            for row in rows
        ],
        read_documents(evidence),
    )
    rows = json.loads((folder / "privacy_qa/privacy_qa.json").read_text())["tests"]
    yield (
        "PrivacyQA",
        [
            Question(
                str(n),
                row["query"],
                gold_contexts=[
                    {
                        "document": each["file_path"].split("/")[1],
                        "start": each["span"][0],
                        "end": each["span"][1],
                        "text": each["answer"],
                    }
                    for each in row["snippets"]
                ],
            )
            for n, row in enumerate(rows)
        ],
        read_documents([folder / "privacy_qa/corpus"]),
    )
    talks = json.loads((folder / "mtrag/human_evaluations.json").read_text())
    yield (
        "MTRAG (last turn)",
        [
            Question(
                task["task_id"],
                next(turn["text"] for turn in reversed(task["input"]) if turn["speaker"] == "user"),
                [target["text"] for target in task["targets"]],
                relevant={each["document_id"]: 1.0 for each in task["contexts"]},
            )
            for task in talks["tasks"]
        ],
        read_documents(
            [{"id": each["document_id"], "text": each["text"]} for each in talks["documents"]]
        ),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


if __name__ == "__main__":
    main()
