"""Measure how often the findings of the suite rag are right, on answers that people labelled.

    RAGAUGE_DATA=… python benchmarks/findings.py [--all] [--support]

"likely wrong" is right where people call the answer wrong, "refused" where they do too, as every question of these sets has an answer. The
thresholds were chosen on one half of the questions; the table is of the other half. Recall: of the answers that people call wrong (of the
refusals among them, where they are labelled, for "refused"). Without `--all`, 1,200 of EVOUNA's questions. `--support` prints instead
how often answers with a low `support` are unsupported, for each set with contexts.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from zlib import crc32

from agreement_sets import context_sets, fields_of
from answer_sets import AnswerCase, answer_sets

import ragauge as rg
from ragauge.runs.findings import IDS_KEPT, find
from ragauge.stats.score_intervals import share_interval

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


if __name__ == "__main__":
    main()
