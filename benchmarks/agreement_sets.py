"""The labelled sets of `agreement.py`: rows to score, with what people say of each."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from answer_sets import AnswerCase, answer_sets
from grounded_sets import GroundedCase, grounded_sets

SEED = 0
Claim = Literal["correct", "refusal", "supported", "equivalent"]
"""What people say of a row."""
SAMPLE: Mapping[Claim, int] = {"correct": 3_000, "supported": 300, "equivalent": 1_500}
"""Most rows of a sample, by what people say of the rows; other sets are never sampled."""
EQUIVALENT = 4.0
"""The grade from which people call two sentences equivalent."""

KINDS = {
    "entity": "names and dates",
    "number": "single numbers of finance",
    "sentence": "sentences of finance",
    "refusal": "refusals",
    "dialogue": "dialogue",
    "claim": "claims and documents",
    "summary": "sentences of summaries",
    "pair": "pairs of sentences",
    "similarity": "similar sentences",
}


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """One answer. Rows of a `unit` depend on each other: they share a question or a document."""

    fields: dict[str, object]
    is_yes: bool
    unit: str
    grade: float | None = None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Rows of one source. `kind` is a key of KINDS; `n_all` counts the rows before sampling."""

    name: str
    kind: str
    claim: Claim
    rows: Sequence[LabelledRow]
    n_all: int

    @property
    def systems(self) -> list[str]:
        return [str(row.fields["system"]) for row in self.rows]


def labelled_sets(folder: Path, *, is_whole: bool) -> list[LabelledSet]:
    """All sets, sampled unless `is_whole`."""
    whole = [*reference_sets(folder), *context_sets(folder), similar_sentences(folder)]
    return whole if is_whole else [sampled(each) for each in whole]


def sampled(whole: LabelledSet) -> LabelledSet:
    """Some of the set's units with all their rows, drawn with SEED, in the set's order.

    Units are drawn until the next one would give more than the rows wanted.
    """
    n_left = SAMPLE.get(whole.claim, len(whole.rows))
    if len(whole.rows) <= n_left:
        return whole
    sizes: dict[str, int] = {}
    for row in whole.rows:
        sizes[row.unit] = sizes.get(row.unit, 0) + 1
    units = list(sizes)
    random.Random(SEED).shuffle(units)
    chosen: set[str] = set()
    for unit in units:
        if sizes[unit] > n_left:
            break
        chosen.add(unit)
        n_left -= sizes[unit]
    rows = [row for row in whole.rows if row.unit in chosen]
    return LabelledSet(whole.name, whole.kind, whole.claim, rows, len(whole.rows))


def reference_sets(folder: Path) -> Iterable[LabelledSet]:
    cases = answer_sets(folder)
    yield correct("evouna-nq", "entity", cases["evouna-nq"])
    finance = cases["financebench"]
    yield correct("financebench numbers", "number", filter(has_one_number, finance))
    others = (case for case in finance if not has_one_number(case))
    yield correct("financebench sentences", "sentence", others)
    rows = [LabelledRow(fields_of(case), bool(case.is_refusal), case.id) for case in finance]
    yield LabelledSet("financebench refusals", "refusal", "refusal", rows, len(rows))


def correct(name: str, kind: str, cases: Iterable[AnswerCase]) -> LabelledSet:
    rows = [LabelledRow(fields_of(case), case.is_correct, case.id) for case in cases]
    return LabelledSet(name, kind, "correct", rows, len(rows))


def fields_of(case: AnswerCase) -> dict[str, object]:
    return {
        "id": case.id,
        "system": case.system,
        "question": case.question,
        "answer": case.answer,
        "references": list(case.references),
    }


def has_one_number(case: AnswerCase) -> bool:
    """Whether the reference is a number and nothing else."""
    try:
        float(case.references[0].strip("$%").replace(",", ""))
    except ValueError:
        return False
    return True


GROUNDED_KINDS = {
    "begin": "dialogue",
    "q2": "dialogue",
    "qags": "summary",
    "summedits": "summary",
    "snli": "pair",
    "conjnli": "pair",
}


def context_sets(folder: Path) -> Iterable[LabelledSet]:
    for name, cases in grounded_sets(folder).items():
        kind = GROUNDED_KINDS.get(name.split()[0], "claim")
        rows = [
            LabelledRow(grounded_fields(number, case), case.is_supported, "\n".join(case.contexts))
            for number, case in enumerate(cases)
            if case.is_supported is not None
        ]
        yield LabelledSet(name, kind, "supported", rows, len(rows))


def grounded_fields(number: int, case: GroundedCase) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": str(number),
        "system": case.system or "one",
        "answer": case.answer,
        "contexts": list(case.contexts),
    }
    return fields if case.question is None else {**fields, "question": case.question}


def similar_sentences(folder: Path) -> LabelledSet:
    """Pairs of sentences with grades of 0 to 5 (STS 2015); pairs without a grade are left out."""
    rows: list[LabelledRow] = []
    text = (folder / "sts" / "sts2015.tsv").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines()):
        grade, one, other = line.split("\t")[:3]
        if grade:
            fields: dict[str, object] = {
                "id": str(number),
                "system": "one",
                "answer": one,
                "references": [other],
            }
            rows.append(LabelledRow(fields, float(grade) >= EQUIVALENT, str(number), float(grade)))
    return LabelledSet("sts 2015", "similarity", "equivalent", rows, len(rows))
