"""How `support` agrees with people's ratings of faithfulness on answers in conversations (MTRAG): Spearman's ρ.

Beside it the benchmark's own BERTScore precision against the passages, on the same answers of two systems.

    RAGAUGE_DATA=FOLDER .venv/bin/python benchmarks/conversation_support.py
"""

import json
import os
from pathlib import Path
from statistics import mean

import ragauge as rg
from ragauge.stats.agreement import spearman

PEOPLE, PEERS = "faithfulness", "Bert-KPrec"
WRITTEN_BY_PEOPLE = "reference"
"""The name of the system whose answers are the gold ones."""


def main() -> None:
    folder = Path(os.environ["RAGAUGE_DATA"])
    known = json.loads((folder / "mtrag" / "human_evaluations.json").read_text())
    tasks = {task["task_id"]: task for task in known["tasks"]}
    texts = {document["document_id"]: document["text"] for document in known["documents"]}
    rows: list[dict[str, object]] = []
    people: list[float] = []
    peers: list[float] = []
    for found in known["evaluations"]:
        task, given = tasks[found["task_id"]], found["annotations"]
        contexts = [texts[each["document_id"]] for each in task["contexts"]]
        if found["model_id"] == WRITTEN_BY_PEOPLE or PEOPLE not in given or not contexts:
            continue
        row = {"id": found["task_id"], "system": found["model_id"], "contexts": contexts}
        rows.append(
            row | {"question": task["input"][-1]["text"], "answer": found["model_response"]}
        )
        people.append(mean(float(each["value"]) for each in given[PEOPLE].values()))
        peers.append(given[PEERS]["system"]["value"])
    scores = rg.evaluate(rows, "support").scores
    values = {row[:2]: row[2] for row in scores.select("id", "system", "value").iter_rows()}
    ours = [values[row["id"], row["system"]] for row in rows]
    found = (spearman(each, people) for each in (ours, peers))
    print(f"{len(rows)} answers: support {next(found):.3f}, {PEERS} {next(found):.3f}")


if __name__ == "__main__":
    main()
