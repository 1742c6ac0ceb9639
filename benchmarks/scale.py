"""How many rows a run scores, and the most memory of all its processes, as the number of rows grows.

    python benchmarks/scale.py 100000 500000 1000000
    python benchmarks/scale.py 10000000                       # an hour and more on 2 cores
    python benchmarks/scale.py 100000 --road memory           # everything in memory, to compare
    python benchmarks/scale.py 100000 --words 60 --contexts 3 # longer answers, with contexts
    python benchmarks/scale.py 100000 --turns 10              # turns of conversations with tool calls

Each size is a run of `ragauge run` in a process of its own on generated answers, so what is measured is
what a user gets. The memory is that of the process and its workers together, read from /proc every 0.2 s; pages that they
share count once. The processor time is that of all its
processes, and is what compares two runs on a machine that does other things too. Then `ragauge show` opens the run and
shows its first screen, and one question. Linux only.
"""

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

METRICS = (
    "exact_match",
    "token_f1",
    "rougeL",
    "keyword_coverage",
    "number_match",
    "dont_know",
)
OF_CONVERSATIONS = (
    "tool_call_match",
    "invalid_calls",
    "repeated_calls",
    "steps",
    "tool_errors",
    "consistency",
    "unanswered_questions",
    "token_f1",
)
WORDS = [
    "premium",
    "deductible",
    "coverage",
    "claim",
    "policy",
    "refund",
    "annual",
    "limit",
    "member",
    "payment",
    "invoice",
    "contract",
    "term",
    "notice",
    "period",
    "dental",
    "hospital",
    "surgery",
    "therapy",
    "medicine",
    "clinic",
    "partner",
    "child",
    "family",
]


@dataclass(frozen=True, slots=True)
class Measured:
    """The seconds of a command on the clock and of processors, and the most memory of its processes
    together, in MB."""

    seconds: float
    processor_s: float
    peak_mb: float


def answers(n: int, n_words: int, n_contexts: int) -> Iterator[dict[str, object]]:
    """Generated answers, the same for the same arguments."""
    order = random.Random(0)
    for at in range(n):
        fact = f"The {order.choice(WORDS)} {order.choice(WORDS)} is ${order.randint(1, 900)}."
        other = f"The {order.choice(WORDS)} {order.choice(WORDS)} is ${order.randint(1, 900)}."
        more = " ".join(order.choices(WORDS, k=max(n_words - 5, 0)))
        row: dict[str, object] = {
            "id": f"q{at}",
            "question": f"What is the {order.choice(WORDS)} of case {at}?",
            "answer": "I do not know." if at % 20 == 0 else f"{fact} {more}".strip(),
            "reference": fact if order.random() < 0.5 else other,
            "topic": order.choice("abc"),
        }
        if n_contexts:
            row["contexts"] = [
                f"{fact} {' '.join(order.choices(WORDS, k=n_words))}" for _ in range(n_contexts)
            ]
        yield row


def conversations(n: int, n_turns: int) -> Iterator[dict[str, object]]:
    """Generated conversations with n turns together, every third of them with a tool call."""
    order = random.Random(0)
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    search = {"type": "function", "function": {"name": "search", "parameters": parameters}}
    for at in range(n // n_turns):
        messages: list[dict[str, object]] = []
        references: list[list[str]] = []
        expected: list[list[object] | None] = []
        for turn in range(n_turns):
            word, k = order.choice(WORDS), order.randint(1, 60)
            fact = f"The {word} opens at {k % 12 + 1} and costs {k} dollars."
            question = f"What about the {word} on day {turn} of case {at}?"
            messages.append({"role": "user", "content": question})
            expected.append(None)
            if turn % 3 == 0:
                expected[-1] = [{"name": "search", "arguments": {"q": word}}]
                call = {"name": "search", "arguments": json.dumps({"q": word})}
                made = {"id": f"c{turn}", "type": "function", "function": call}
                messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
                messages.append({"role": "tool", "tool_call_id": f"c{turn}", "content": fact})
            answer = f"{fact} You can book it {k} days before."
            messages.append({"role": "assistant", "content": answer})
            references.append([fact])
        told = {"references": references, "expected_calls": expected, "tools": [search]}
        yield {"id": f"c{at}", "messages": messages, **told}


def tree(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree(int(child))
    except OSError:
        return


def memory_kb(pid: int) -> int:
    """Its memory, of shared pages its share."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def processor_s() -> float:
    """Processor seconds of all children that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(command: Sequence[str], log: Path) -> Measured:
    """Run a command and watch the memory of its processes from outside."""
    start, before = time.perf_counter(), processor_s()
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        peak = 0
        while process.poll() is None:
            peak = max(peak, sum(map(memory_kb, tree(process.pid))))
            time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{log.read_text()}")
    return Measured(time.perf_counter() - start, processor_s() - before, peak / 1024)


def run_command(
    data: Path, folder: Path, road: str, workers: int, metrics: Sequence[str]
) -> list[str]:
    """The command of a run; in memory by way of Python, because the command chooses by size."""
    if road == "command":
        wanted = [word for metric in metrics for word in ("-m", metric)]
        options = ["--folder", str(folder), "--cache", "none", "-j", str(workers), "--quiet"]
        return [sys.executable, "-m", "ragauge", "run", str(data), *wanted, *options]
    code = (
        "import ragauge as rg\n"
        "if __name__ == '__main__':\n"
        f"    samples = rg.load({str(data)!r}, in_pieces={road == 'pieces'})\n"
        f"    print(rg.evaluate(samples, {[*metrics]!r}, folder={str(folder)!r}, workers={workers}))\n"
    )
    script = folder.with_suffix(".py")
    script.write_text(code)
    return [sys.executable, str(script)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="+", type=int)
    parser.add_argument("--road", choices=("command", "memory", "pieces"), default="command")
    parser.add_argument("--words", type=int, default=5)
    parser.add_argument("--contexts", type=int, default=0)
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the data and runs; kept")
    given = parser.parse_args()
    home = given.keep or Path(tempfile.mkdtemp(prefix="ragauge-scale-", dir="/var/tmp"))
    home.mkdir(parents=True, exist_ok=True)
    print(
        "| rows | seconds | rows/s | processor s | µs a row | peak MB | first screen s (MB) "
        "| one question s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    try:
        for n in given.rows:
            data, folder = home / f"{n}.jsonl", home / f"run-{n}-{given.road}"
            with data.open("w") as file:
                made = (
                    conversations(n, given.turns)
                    if given.turns
                    else answers(n, given.words, given.contexts)
                )
                file.writelines(json.dumps(row) + "\n" for row in made)
            metrics = OF_CONVERSATIONS if given.turns else METRICS
            command = run_command(data, folder, given.road, given.workers, metrics)
            run = measured(command, home / "run.log")
            show = [sys.executable, "-m", "ragauge", "show", str(folder)]
            screen = measured(show, home / "show.log")
            middle = f"c{n // given.turns // 2}" if given.turns else f"q{n // 2}"
            one = measured([*show, middle], home / "show.log")
            print(
                f"| {n:,} | {run.seconds:.1f} | {n / run.seconds:,.0f} | "
                f"{run.processor_s:.1f} | {run.processor_s / n * 1e6:.0f} | {run.peak_mb:.0f} | "
                f"{screen.seconds:.1f} ({screen.peak_mb:.0f}) | {one.seconds:.2f} |",
                flush=True,
            )
    finally:
        if given.keep is None:
            shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
