"""How many contradictions between turns `consistency` finds, and how many consistent conversations and turns of MTRAG it calls one.

    RAGAUGE_DATA=FOLDER python benchmarks/contrast/turns.py

turns.jsonl was used to write its rules. turns_unseen.jsonl was written by somebody who had not read them, and scored by its total only, with
every experiment of the last change of rules (12 found at first, 16 in the end). In both a conversation ends with a contradiction or, as its `-twin`, with an
answer that is another one for a reason, or the same in other words; those whose id begins with e, f or g are all
consistent: they ask about one thing after another, or what is said changes. Those with g gave 4 false alarms of 30 when they were first scored;
those with h were written after version 14, which found 5 of 16 with a false alarm.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import ragauge as rg


def main() -> None:
    for name in ("turns", "turns_unseen"):
        lines = Path(__file__).with_name(f"{name}.jsonl").read_text().splitlines()
        found = {True: list[bool](), False: list[bool]()}
        for row in map(json.loads, lines):
            found[row["contradicts"]].append(contradicting(row["turns"]) > 0)
        shown = [f"{sum(each)} of {len(each)}" for each in (found[True], found[False])]
        print(f"{name}: finds {shown[0]}, false alarms {shown[1]}")
    if folder := os.environ.get("RAGAUGE_DATA"):
        n, n_turns = 0, 0
        for line in (Path(folder) / "mtrag" / "un_tasks.jsonl").read_text().splitlines():
            task = json.loads(line)
            texts = [each["text"] for each in (*task["input"], *task["targets"])]
            turns = list(zip(texts[::2], texts[1::2], strict=True))
            n_turns += len(turns) - 1
            n += contradicting(turns)
        print(f"MTRAG: calls {n} of {n_turns} turns one")


def contradicting(turns: Iterable[tuple[str, str]]) -> int:
    """The number of turns that contradict an earlier one."""
    roles = ("user", "assistant")
    messages = [
        {"role": role, "content": text}
        for turn in turns
        for role, text in zip(roles, turn, strict=True)
    ]
    evidence = rg.score("consistency", messages=messages).evidence
    return len({each["turn"] for each in evidence["contradictions"]}) if evidence else 0


if __name__ == "__main__":
    main()
