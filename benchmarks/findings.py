"""Measure how often the findings of the suite rag are right, on answers that people labelled.

    RAGAUGE_DATA=… python benchmarks/findings.py [--all] [--support | --refusals]

"likely wrong" is right where people call the answer wrong, "refused" where they do too, as every question of these sets has an answer. The
thresholds were chosen on one half of the questions; the table is of the other half. Recall: of the answers that people call wrong (of the
refusals among them, where they are labelled, for "refused"). Without `--all`, 1,200 of EVOUNA's questions. `--support` prints instead
how often answers with a low `support` are unsupported, for each set with contexts. `--refusals` prints how often the findings about
questions without an answer, and about refusals beside passages with the answer, are right.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from zlib import crc32

from agreement_sets import context_sets, fields_of
from answer_sets import AnswerCase, answer_sets

import ragauge as rg
from ragauge.runs.findings import IDS_KEPT, find
from ragauge.stats.agreement import share_interval

N_QUESTIONS, N_SUPPORT = 1_200, 160
SEED = 7
LOW_SUPPORT = 0.1


def main() -> None:
    folder = os.environ.get("RAGAUGE_DATA")
    if not folder:
        sys.exit("RAGAUGE_DATA is not set: give the folder that holds evouna and financebench")
    if "--support" in sys.argv:
        print_support(Path(folder))
        return
    if "--refusals" in sys.argv:
        print_refusals(Path(folder))
        return
    print("| set | finding | found | precision (95 %) | recall (95 %) |")
    print("|---|---|---|---|---|")
    totals: dict[str, list[int]] = {}
    for name, cases in answer_sets(Path(folder)).items():
        half = [case for case in cases if crc32(case.id.encode()) % 2]
        for says, counts in counts_of(
            half if "--all" in sys.argv else some_questions(half)
        ).items():
            print_row(name, says, counts)
            before = totals.setdefault(says, [0, 0, 0, 0])
            totals[says] = [one + other for one, other in zip(before, counts, strict=True)]
    for says, counts in totals.items():
        print_row("both", says, counts)


def counts_of(cases: Sequence[AnswerCase]) -> dict[str, list[int]]:
    """For each finding: right ones, found ones; found ones among those that it should find, all of these."""
    by_system: dict[str, dict[str, AnswerCase]] = {}
    for case in cases:
        by_system.setdefault(case.system, {})[case.id] = case
    counts: dict[str, list[int]] = {}
    for each in by_system.values():
        assert len(each) <= 2 * IDS_KEPT
        run = rg.evaluate([fields_of(case) for case in each.values()])
        found = {match.says: set(match.ids) for match in find(run)}
        for finding in run.manifest.findings:
            ids = found.get(finding.says, set())
            if {"recall@10"} & finding.metrics.keys():
                continue
            wanted = {id for id, case in each.items() if should_find(finding.says, case)}
            n_right = sum(not each[id].is_correct for id in ids)
            own = counts.setdefault(finding.says, [0, 0, 0, 0])
            for at, n in enumerate((n_right, len(ids), len(ids & wanted), len(wanted))):
                own[at] += n
    return counts


def should_find(says: str, case: AnswerCase) -> bool:
    if says.startswith("refused"):
        return bool(case.is_refusal)
    return not case.is_correct and not case.is_refusal


def print_row(name: str, says: str, counts: Sequence[int]) -> None:
    n_right, n_found, n_hit, n_wanted = counts
    print(f"| {name} | {says} | {n_found} | {share(n_right, n_found)} | {share(n_hit, n_wanted)} |")


def share(n: int, of: int) -> str:
    if not of:
        return "–"
    low, high = share_interval(n / of, of)
    return f"{n / of:.2f} ({low:.2f} to {high:.2f})"


def some_questions(cases: Sequence[AnswerCase]) -> list[AnswerCase]:
    """The cases of a sample of the questions."""
    ids = list(dict.fromkeys(case.id for case in cases))
    chosen = set(Random(SEED).sample(ids, min(N_QUESTIONS // 2, len(ids))))
    return [case for case in cases if case.id in chosen]


def print_support(folder: Path) -> None:
    print(f"| set | support below {LOW_SUPPORT} | unsupported (95 %) |")
    print("|---|---|---|")
    n_low = n_right = 0
    for each in context_sets(folder):
        rows = Random(SEED).sample(list(each.rows), min(N_SUPPORT, len(each.rows)))
        samples = [{**row.fields, "id": str(at)} for at, row in enumerate(rows)]
        values = rg.evaluate(samples, ['support(precision="int8")']).scores.select("id", "value")
        low = [int(id) for id, value in values.rows() if value is not None and value < LOW_SUPPORT]
        wrong = sum(not rows[at].is_yes for at in low)
        n_low, n_right = n_low + len(low), n_right + wrong
        if low:
            print(f"| {each.name} | {len(low)} of {len(rows)} | {share(wrong, len(low))} |")
    print(f"| all | {n_low} | {share(n_right, n_low)} |")


INVENTS, REFUSES = "invents an answer", "refuses although"
READ_AS_ANSWERS = {"Can my employer", "What is Placer ", "How can I incre"}
"""How the questions of MTRAG begin whose gold answer answers, though the set calls them unanswerable; read by us."""


def print_refusals(folder: Path) -> None:
    """Right: of "invents …" where the label is not a refusal, of "refuses …" where it is.

    FinanceBench: for the first its refusals and wrong answers, as if no question had an answer; for the second all, with the
    evidence as passages. MTRAG: gold answers to its unanswerable questions; three systems' to answerable ones.
    """
    finance = answer_sets(folder)["financebench"]
    lines = (folder / "financebench" / "financebench_open_source.jsonl").read_text().splitlines()
    evidence = {
        row["financebench_id"]: [each["evidence_text"] for each in row["evidence"]]
        for row in map(json.loads, lines)
    }
    no_answer = [
        ({**fields_of(case), "answerable": False}, bool(case.is_refusal))
        for case in finance
        if not case.is_correct
    ]
    passages = [({**fields_of(c), **_found(evidence[c.id])}, bool(c.is_refusal)) for c in finance]
    print("| set | finding | found | precision (95 %) | of refusals |\n|---|---|---|---|---|")
    for says, sets in {
        INVENTS: {"financebench": no_answer, "mtrag": list(_mtrag_gold(folder))},
        REFUSES: {"financebench": passages, "mtrag": list(_mtrag_systems(folder))},
    }.items():
        all_rows = [row for rows in sets.values() for row in rows]
        for name, rows in {**sets, "both": all_rows}.items():
            run = rg.evaluate(
                [{**row, "id": str(at), "system": "all"} for at, (row, _) in enumerate(rows)]
            )
            matches = [match for match in find(run) if match.says.startswith(says)]
            refusals = [rows[int(id)][1] for match in matches for id in match.ids]
            n_right = refusals.count(says == REFUSES)
            n_refusals = sum(is_refusal for _, is_refusal in rows)
            print(
                f"| {name} | {says} | {len(refusals)} of {len(rows)} | {share(n_right, len(refusals))}",
                end=" ",
            )
            print(f"| {share(sum(refusals), n_refusals)} |")


def _found(texts: Sequence[str]) -> dict[str, object]:
    return {"contexts": list(texts), "gold_contexts": list(texts)}


def _mtrag_gold(folder: Path) -> Iterator[tuple[dict[str, object], bool]]:
    for line in (folder / "mtrag" / "un_tasks.jsonl").read_text().splitlines():
        task = json.loads(line)
        if task["answerability"] == ["UNANSWERABLE"]:
            question, answer = task["input"][-1]["text"], task["targets"][0]["text"]
            row = {"question": question, "answer": answer, "answerable": False}
            yield row, question[:15] not in READ_AS_ANSWERS


def _mtrag_systems(folder: Path) -> Iterator[tuple[dict[str, object], bool]]:
    """People were not asked whether they are refusals: none is, as its questions can be answered and the answers were rated."""
    known = json.loads((folder / "mtrag" / "human_evaluations.json").read_text())
    texts = {each["document_id"]: each["text"] for each in known["documents"]}
    tasks = {each["task_id"]: each for each in known["tasks"]}
    for each in known["evaluations"]:
        task = tasks[each["task_id"]]
        row = {
            "question": task["input"][-1]["text"],
            "answer": each["model_response"],
            "references": [task["targets"][0]["text"]],
        }
        yield row | _found([texts[context["document_id"]] for context in task["contexts"]]), False


if __name__ == "__main__":
    main()
