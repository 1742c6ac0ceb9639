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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "questions"))

from planted_questions import FAULTS, corpus, planted

from ragauge.documents.reading import Documents, read_documents
from ragauge.questions.checks import check
from ragauge.questions.question import GoldContext, Question


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
    for name, read in SETS.items():
        yield name, *read(folder)


def _natural_questions(folder: Path) -> tuple[list[Question], Documents]:
    rows = json.loads((folder / "evouna/NQ.json").read_text())
    return _alone(row["question"] for row in rows)


def _trec(folder: Path) -> tuple[list[Question], Documents]:
    lines = (folder / "llmjudge/queries.tsv").read_text().splitlines()
    return _alone(line.partition("\t")[2] for line in lines)


def _alone(texts: Iterable[str]) -> tuple[list[Question], Documents]:
    nothing = read_documents([{"id": "none", "text": "This document says nothing at all."}])
    return [Question(str(n), text) for n, text in enumerate(texts) if text], nothing


def _financebench(folder: Path) -> tuple[list[Question], Documents]:
    file = folder / "financebench/financebench_open_source.jsonl"
    questions: list[Question] = []
    evidence: list[dict[str, str]] = []
    for row in map(json.loads, file.read_text().splitlines()):
        id = row["financebench_id"]
        texts = {f"{id}-{n}": each["evidence_text"] for n, each in enumerate(row["evidence"])}
        relevant = dict.fromkeys(texts, 1.0)
        questions.append(Question(id, row["question"], [row["answer"]], relevant=relevant))
        evidence += [{"id": id, "text": text} for id, text in texts.items()]
    return questions, read_documents(evidence)


def _privacy_qa(folder: Path) -> tuple[list[Question], Documents]:
    rows = json.loads((folder / "privacy_qa/privacy_qa.json").read_text())["tests"]
    questions = [
        Question(str(n), row["query"], gold_contexts=[_span(each) for each in row["snippets"]])
        for n, row in enumerate(rows)
    ]
    return questions, read_documents([folder / "privacy_qa/corpus"])


def _span(snippet: dict[str, Any]) -> GoldContext:
    document, (start, end) = snippet["file_path"].split("/")[1], snippet["span"]
    return {"document": document, "start": start, "end": end, "text": snippet["answer"]}


def _mtrag(folder: Path) -> tuple[list[Question], Documents]:
    talks = json.loads((folder / "mtrag/human_evaluations.json").read_text())
    questions = [
        Question(
            task["task_id"],
            [turn["text"] for turn in task["input"] if turn["speaker"] == "user"][-1],
            [target["text"] for target in task["targets"]],
            relevant={each["document_id"]: 1.0 for each in task["contexts"]},
        )
        for task in talks["tasks"]
    ]
    rows = [{"id": each["document_id"], "text": each["text"]} for each in talks["documents"]]
    return questions, read_documents(rows)


SETS: dict[str, Callable[[Path], tuple[list[Question], Documents]]] = {
    "NQ (alone)": _natural_questions,
    "TREC DL (alone)": _trec,
    "FinanceBench": _financebench,
    "PrivacyQA": _privacy_qa,
    "MTRAG (last turn)": _mtrag,
}


if __name__ == "__main__":
    main()
