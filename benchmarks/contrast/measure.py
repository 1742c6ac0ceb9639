"""What offline metrics say of answers that differ in one detail or none: the share on the right side of .5, by kind.

    python benchmarks/contrast/measure.py contrast.jsonl --metric correct --metric support
    python benchmarks/contrast/measure.py benchmarks/contrast/scenes.jsonl.gz --unseen --by language

make.py writes the first file. Those of by_hand.jsonl and scenes.jsonl.gz were written without a look at the metrics; a scene has passages, and
questions with a reference, three right and three wrong answers each.
"""

import argparse
import gzip
import json
import random
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path

import ragauge as rg

sys.path.insert(0, str(Path(__file__).parents[1]))
from grounded_sets import held_out_scenes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--metric", action="append", choices=("correct", "support"))
    parser.add_argument("--by", choices=("kind", "language", "part"), default="kind")
    parser.add_argument(
        "--unseen", action="store_true", help="only the scenes that trained nothing"
    )
    parser.add_argument("--rows", type=int, help="answers drawn from a larger file")
    given = parser.parse_args()
    rows = list(cases(given.cases))
    if given.unseen:
        unseen = {scene["id"] for scene in held_out_scenes(to_fit=False)}
        rows = [row for row in rows if str(row["id"]).partition("-")[0] in unseen]
    if given.rows and given.rows < len(rows):
        rows = random.Random(0).sample(rows, given.rows)
    metrics = given.metric or ["correct", "support"]
    values = scored(rows, metrics)
    print(
        f"{len(rows)} cases\n\n| {given.by} | n | {' | '.join(metrics)} |\n|---|---|{'---|' * len(metrics)}"
    )
    groups: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in rows:
        side = "right" if row["is_right"] else "wrong"
        groups[f"{side}: {row['kind']}" if given.by == "kind" else row[given.by]].append(row)
    for name, members in sorted(groups.items()):
        shares = (f"{share_right(members, values[metric], metric):.2f}" for metric in metrics)
        print(f"| {name} | {len(members)} | {' | '.join(shares)} |")
    shares = (f"{share_right(rows, values[metric], metric):.3f}" for metric in metrics)
    areas = (f"{auc(rows, values[metric], metric):.3f}" for metric in metrics)
    missing = (
        str(sum(row["id"] not in values[metric] for row in has_input(rows, metric)))
        for metric in metrics
    )
    print(f"| without a value | | {' | '.join(missing)} |")
    print(f"| all | {len(rows)} | {' | '.join(shares)} |\n| AUC | | {' | '.join(areas)} |")


def cases(path: Path) -> Iterator[Mapping[str, object]]:
    """The answers of a file, also of scenes."""
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode("utf-8")
    for row in map(json.loads, text.splitlines()):
        if "items" not in row:
            yield row
            continue
        for at, item in enumerate(row["items"]):
            answers = [("right", answer) for answer in item["right"]]
            answers += [("wrong", each["answer"]) for each in item["wrong"]]
            for place, (side, answer) in enumerate(answers):
                yield {
                    "id": f"{row['id']}-{at}-{place}",
                    "kind": "scene",
                    "language": row["language"],
                    "question": item["question"],
                    "reference": item["reference"],
                    "contexts": row["passages"],
                    "answer": answer,
                    "is_right": side == "right",
                }


def has_input(rows: Sequence[Mapping[str, object]], metric: str) -> list[Mapping[str, object]]:
    """The rows that have a reference for `correct`, or passages for `support`."""
    wanted = {"reference", "references"} if metric == "correct" else {"contexts"}
    return [row for row in rows if not wanted.isdisjoint(row)]


def scored(
    rows: Sequence[Mapping[str, object]], metrics: Sequence[str]
) -> dict[str, dict[str, float]]:
    """The value of each metric by id."""
    names = ("id", "question", "reference", "references", "contexts", "answer")
    samples = [{name: row[name] for name in names if name in row} for row in rows]
    result = rg.evaluate(samples, metrics=list(metrics))
    values: dict[str, dict[str, float]] = {metric: {} for metric in metrics}
    for score in result.scores.iter_rows(named=True):
        if score["value"] is not None:
            values[score["metric"].partition("(")[0]][score["id"]] = score["value"]
    return values


def is_right(row: Mapping[str, object], metric: str) -> bool:
    """Whether the answer is right; a list without one of its items is backed by its passages all the same."""
    return bool(row["is_right"]) or (metric == "support" and row["kind"] == "item dropped")


def share_right(
    rows: Sequence[Mapping[str, object]], values: Mapping[str, float], metric: str
) -> float:
    """The share of answers on the right side of .5; one without a value is on neither."""
    own = has_input(rows, metric)
    found = ((values.get(str(row["id"]), 0.5), is_right(row, metric)) for row in own)
    n_right = sum(value > 0.5 if right else value < 0.5 for value, right in found)
    return n_right / len(own) if own else nan


def auc(rows: Sequence[Mapping[str, object]], values: Mapping[str, float], metric: str) -> float:
    """The chance that a right answer has the higher value; ties count half."""
    right, wrong = (
        sorted(
            values[str(row["id"])]
            for row in rows
            if is_right(row, metric) is side and row["id"] in values
        )
        for side in (True, False)
    )
    wins = sum(bisect_left(wrong, value) + bisect_right(wrong, value) for value in right) / 2
    return wins / (len(right) * len(wrong))


if __name__ == "__main__":
    main()
