"""Switch one rule of the language package off at a time, and print what changes on every labelled set.

    RAGAUGE_DATA=… python benchmarks/ablation.py --contrast contrast.jsonl NAME=NEUTRAL…

NAME is a function or a table below ragauge.language (`numbers.question_numbers.in_one_direction`) and NEUTRAL a Python
expression that takes its place (`lambda number, found, asked: found`); several joined by " & " go together. A rule without which no figure is lower by
.003 or more is not worth its lines. The vectors of the first measurement are kept, so a rule takes seconds.
"""

import argparse
import functools
import gc
import json
import os
import random
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "contrast"))

from agreement_sets import LabelledSet, labelled_sets
from measure import is_right

import ragauge as rg
from ragauge.features import correctness
from ragauge.language.reading_cache import ReadingCache
from ragauge.metrics import groundedness

SMALLEST = 0.003
REFERENCE = ("correct", "number_match", "keyword_coverage", "answer_completeness")
CONTEXT = ("support", "hallucination", "number_precision")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--contrast", type=Path, required=True)
    parser.add_argument(
        "--part", action="append", choices=("correct", "refusal", "supported", "contrast")
    )
    parser.add_argument("--rows", type=int, default=150, help="rows of each set with contexts")
    given = parser.parse_args()
    keep_vectors()
    parts = given.part or ["correct", "refusal", "supported", "contrast"]
    sets = [
        each
        for each in samples(Path(os.environ["RAGAUGE_DATA"]), given.rows)
        if each.claim in parts
    ]
    cases = [json.loads(line) for line in given.contrast.read_text("utf-8").splitlines()]
    cases = cases if "contrast" in parts else []
    whole = figures(sets, cases)
    for name, value in whole.items():
        print(f"{name}: {value:.4f}")
    for rule in given.rules:
        with switched_off(rule):
            found = figures(sets, cases)
        changes = {name: found[name] - whole[name] for name in whole}
        shown = sorted((change, name) for name, change in changes.items() if abs(change) >= 1e-4)
        verdict = "KEEP" if any(change <= -SMALLEST for change, _ in shown) else "goes"
        print(f"\n{verdict} {rule}", *(f"\n  {c:+.4f} {n}" for c, n in shown), flush=True)


def samples(folder: Path, n_rows: int) -> list[LabelledSet]:
    """All sets, fewer rows of the large ones."""
    found: list[LabelledSet] = []
    for each in labelled_sets(folder, is_whole=False):
        if each.claim == "equivalent":
            continue
        limit = n_rows if each.claim == "supported" else 1_500
        found.append(sampled_to(each, limit) if each.claim != "refusal" else each)
    return found


def sampled_to(whole: LabelledSet, n: int) -> LabelledSet:
    if len(whole.rows) <= n:
        return whole
    rows = random.Random(0).sample(list(whole.rows), n)
    return LabelledSet(whole.name, whole.kind, whole.claim, rows, whole.n_all)


def figures(sets: Sequence[LabelledSet], cases: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The area under the ROC curve of every metric on every set; on contrast cases the share right by kind."""
    found: dict[str, float] = {}
    for each in sets:
        wanted = {"refusal": ("dont_know",), "supported": CONTEXT}.get(each.claim, REFERENCE)
        rows = [
            {**row.fields, "id": str(place), "system": "x"} for place, row in enumerate(each.rows)
        ]
        values = scores(rows, wanted)
        for metric in wanted:
            known = [p for p in range(len(rows)) if str(p) in values[metric]]
            is_yes = [each.rows[p].is_yes for p in known]
            if min(sum(is_yes), len(is_yes) - sum(is_yes)) < 10:
                continue
            sign = -1 if metric == "hallucination" else 1
            ours = [sign * values[metric][str(p)] for p in known]
            found[f"{metric}, {each.name}"] = auc(ours, is_yes)
            if metric == "dont_know":
                found["dont_know, found"] = sum(v for v, y in zip(ours, is_yes, strict=True) if y)
                found["dont_know, false"] = -sum(
                    v for v, y in zip(ours, is_yes, strict=True) if not y
                )
            if metric in ("correct", "number_match"):
                right = sum((value >= 0.5) == yes for value, yes in zip(ours, is_yes, strict=True))
                found[f"{metric}, {each.name}, accuracy"] = right / len(ours)
        if each.name == "evouna-nq":
            refused = scores(rows, ["dont_know"])["dont_know"]
            found["dont_know, evouna false"] = -sum(
                refused[str(p)] for p, row in enumerate(each.rows) if row.is_yes
            )
    return found | (contrasts(cases) if cases else {})


def contrasts(cases: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The share of answers on the right side of .5, by kind and language, and the area."""
    found: dict[str, float] = {}
    rows = [
        {"references": [c["reference"]]}
        | {key: c[key] for key in ("id", "question", "contexts", "answer")}
        for c in cases
    ]
    values = scores(rows, ["correct", "support"])
    for metric in ("correct", "support"):
        groups: dict[str, list[bool]] = defaultdict(list)
        truth: list[bool] = []
        ours: list[float] = []
        for case in cases:
            value, right = values[metric].get(case["id"], 0.5), is_right(case, metric)
            is_on_side = value > 0.5 if right else value < 0.5
            for group in (
                "contrast",
                f"contrast {case['language']}",
                f"contrast {case['kind']} {right}",
            ):
                groups[group].append(is_on_side)
            truth.append(right)
            ours.append(value)
        found |= {f"{metric}, {name}": sum(g) / len(g) for name, g in groups.items()}
        found[f"{metric}, contrast AUC"] = auc(ours, truth)
    return found


def scores(
    rows: Sequence[Mapping[str, object]], labels: Sequence[str]
) -> dict[str, dict[str, float]]:
    result = rg.evaluate([dict(row) for row in rows], list(labels))
    found: dict[str, dict[str, float]] = {label: {} for label in labels}
    for row in result.scores.iter_rows(named=True):
        if row["value"] is not None:
            found[row["metric"].partition("(")[0]][row["id"]] = row["value"]
    return found


def auc(values: Sequence[float], is_yes: Sequence[bool]) -> float:

    yes = [v for v, y in zip(values, is_yes, strict=True) if y]
    no = sorted(v for v, y in zip(values, is_yes, strict=True) if not y)
    return sum(bisect_left(no, v) + bisect_right(no, v) for v in yes) / 2 / (len(yes) * len(no))


def keep_vectors() -> None:
    """Token matches and cosines of sentences depend on texts only."""
    known: dict[object, Any] = {}
    match, compare = correctness.token_match, groundedness.sentence_cosines

    def kept_match(answer: Any, reference: Any, *rest: Any, **options: Any) -> Any:
        pairs = list(zip(answer, reference, strict=True))
        new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if new:
            found = match(
                [a for a, _ in new], [r for _, r in new], [rest[0][0]] * len(new), **options
            )
            known.update(zip(new, found, strict=True))
        return [known[pair] for pair in pairs]

    def kept_cosines(comparisons: Any, encoder: Any) -> Iterator[Any]:
        keys = [
            (c.answer, tuple((w.start, w.end) for w in c.words), tuple(c.texts))
            for c in comparisons
        ]
        new = {key: c for key, c in zip(keys, comparisons, strict=True) if key not in known}
        known.update(zip(new, compare(list(new.values()), encoder), strict=True))
        return iter([known[key] for key in keys])

    correctness.token_match, groundedness.sentence_cosines = kept_match, kept_cosines  # type: ignore


@contextmanager
def switched_off(rule: str) -> Iterator[None]:
    """With the neutral value in every module that has imported the name."""
    undo: list[tuple[Any, str, Any]] = []
    for part in rule.split(" & "):
        path, _, neutral = part.partition("=")
        module, _, name = path.strip().rpartition(".")
        original = getattr(import_module(f"ragauge.language.{module}"), name)
        replaced = eval(neutral)
        for each in [m for n, m in sys.modules.items() if n.startswith("ragauge")]:
            for key, value in list(vars(each).items()):
                if value is original:
                    undo.append((each, key, value))
                    setattr(each, key, replaced)
        if not undo:
            raise LookupError(rule)
    forget()
    yield
    for each, key, value in undo:
        setattr(each, key, value)
    forget()


def forget() -> None:
    """Clear what functions remember of texts."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper):
            if (each.__module__ or "").startswith("ragauge.language"):
                each.cache_clear()
        elif isinstance(each, ReadingCache):
            each._kept.clear()


if __name__ == "__main__":
    main()
