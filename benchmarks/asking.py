"""A small pipeline, asked 1,000 questions at 128 at once: seconds, memory, and what kills lose.

    python benchmarks/asking.py [--kills 20] [--peers PYTHON]

The pipeline ranks 200 short texts by BM25 and asks a stub model on loopback, which takes 200 ms and counts what it was
asked. Each tool runs in a process of its own. `--peers` is a Python with pydantic-evals and inspect-ai.
"""

import argparse
import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

N, AT_ONCE, LATENCY_S = 1_000, 128, 0.2
WORDS = [
    "river",
    "mountain",
    "library",
    "harbour",
    "garden",
    "market",
    "station",
    "bridge",
    "school",
    "tower",
]
TEXTS = [
    f"The {WORDS[n % 10]} number {n} opens at {n % 12 + 1} and costs {n * 7}." for n in range(200)
]
QUESTIONS = [f"When does the {WORDS[n % 10]} number {n % 200} open, visit {n}?" for n in range(N)]
BOUND_S = math.ceil(N / AT_ONCE) * LATENCY_S


# The pipeline -------------------------------------------------------------------------------------


def tokens(text: str) -> list[str]:
    return [word.strip("?.,").lower() for word in text.split()]


TERMS = [Counter(tokens(text)) for text in TEXTS]
IDF = {
    word: math.log(1 + len(TERMS) / n) for word, n in Counter(w for t in TERMS for w in t).items()
}


def retrieve(question: str, k: int = 3) -> list[str]:
    asked = [word for word in tokens(question) if word in IDF]
    scored = [
        (sum(IDF[word] * 2.2 * t[word] / (t[word] + 1.2) for word in asked if word in t), -place)
        for place, t in enumerate(TERMS)
    ]
    return [TEXTS[-place] for _, place in sorted(scored, reverse=True)[:k]]


async def answer(question: str) -> dict[str, object]:
    contexts = retrieve(question)
    body = json.dumps({"question": question, "contexts": contexts}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(os.environ["STUB_PORT"]))
    head = f"POST / HTTP/1.1\r\nhost: stub\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    reply = json.loads((await reader.read()).partition(b"\r\n\r\n")[2])
    writer.close()
    return {"answer": reply["answer"], "contexts": contexts}


# The stub -----------------------------------------------------------------------------------------


async def serve() -> None:
    asked: Counter[str] = Counter()

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        except asyncio.IncompleteReadError:  # whoever asked was killed
            return
        size = int(head.partition("content-length:")[2].split()[0])
        body = json.loads(await reader.readexactly(size))
        asked[body["question"]] += 1
        if asked.total() == N // 2:
            print("half", flush=True)
        await asyncio.sleep(LATENCY_S)
        reply = json.dumps({"answer": body["contexts"][0]}).encode()
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + reply)
        writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps([asked.total(), len(asked)]), flush=True)
    os._exit(0)


@contextmanager
def stub() -> Iterator[tuple[list[int], IO[str]]]:
    """The stub; afterwards, how many requests it got, and for how many questions. The file has a line when half are there."""
    process = subprocess.Popen(
        [sys.executable, __file__, "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    os.environ["STUB_PORT"] = process.stdout.readline().strip()
    found: list[int] = []
    yield found, process.stdout
    process.stdin.close()
    found += json.loads(process.stdout.read().splitlines()[-1])


# The tools ----------------------------------------------------------------------------------------


def with_ragauge() -> None:
    import ragauge as rg

    rows = [{"id": str(n), "question": question} for n, question in enumerate(QUESTIONS)]
    rg.ask(rows[:1], len)  # imports what takes long, as the imports of the peers do
    start = time.perf_counter()
    answers = rg.ask(rows, answer, concurrency=AT_ONCE, folder=os.environ["FOLDER"])
    print(time.perf_counter() - start, len(answers))


def with_nothing() -> None:
    """The same function under a semaphore: the least that this machine takes now."""

    async def ask_all() -> list[object]:
        at_once = asyncio.Semaphore(AT_ONCE)

        async def ask(question: str) -> object:
            async with at_once:
                return await answer(question)

        return await asyncio.gather(*map(ask, QUESTIONS))

    start = time.perf_counter()
    answers = asyncio.run(ask_all())
    print(time.perf_counter() - start, len(answers))


def with_pydantic_evals() -> None:
    from pydantic_evals import Case, Dataset

    dataset = Dataset(
        name="asking", cases=[Case(name=question, inputs=question) for question in QUESTIONS]
    )
    start = time.perf_counter()
    report = dataset.evaluate_sync(answer, max_concurrency=AT_ONCE, progress=False)
    print(time.perf_counter() - start, len(report.cases))


def with_inspect_ai() -> None:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def pipeline():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.output.completion = str((await answer(state.input_text))["answer"])
            return state

        return solve

    samples = [Sample(input=question, id=str(n)) for n, question in enumerate(QUESTIONS)]
    start = time.perf_counter()
    (log,) = evaluate(
        Task(dataset=samples, solver=pipeline()), model=None, max_samples=AT_ONCE,
        max_tasks=1, display="none", log_dir=os.environ["FOLDER"],
    )  # fmt: skip
    print(time.perf_counter() - start, len(log.samples or ()))


TOOLS = {
    "asyncio alone": with_nothing, "ragauge": with_ragauge, "pydantic-evals": with_pydantic_evals, "inspect-ai": with_inspect_ai,
}  # fmt: skip


def measured(python: str, tool: str) -> str:
    """Seconds and answers, peak memory and processor time of a tool in a process of its own."""
    with tempfile.TemporaryDirectory() as folder, stub():
        os.environ["FOLDER"] = folder
        process = subprocess.Popen([python, __file__, tool], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        said = process.stdout.read().split()
        _, status, used = os.wait4(process.pid, 0)
        if status or len(said) != 2:
            return f"{tool:15} could not be measured"
        seconds = float(said[0])
        return (
            f"{tool:15} {seconds:5.2f} s ({BOUND_S / seconds:4.0%} of the bound)  {said[1]} answers  "
            f"{used.ru_maxrss / 1024:4.0f} MB  {used.ru_utime + used.ru_stime:4.1f} s of a processor"
        )


def killed(kills: int) -> str:
    """What the stub was asked when ragauge is killed this many times, and whether the answers are the same."""
    import ragauge as rg

    with tempfile.TemporaryDirectory() as folder, stub() as (asked, _):
        os.environ["FOLDER"] = folder
        for n in range(1, kills + 1):
            process = subprocess.Popen(
                [sys.executable, __file__, "ragauge"], stdout=subprocess.DEVNULL
            )
            while process.poll() is None and kept(folder) < n * N // (kills + 1):
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        subprocess.run([sys.executable, __file__, "ragauge"], stdout=subprocess.DEVNULL, check=True)
        rows = rg.load(Path(folder) / "answers.jsonl").frame
        right = [retrieve(question)[0] for question in QUESTIONS]
        is_same = rows["answer"].to_list() == right
    return (
        f"killed {kills} times: {rows.height} answers, {'the same' if is_same else 'OTHERS'}; the stub was asked "
        f"{asked[0]:,} times for {asked[1]:,} questions, {asked[0] - asked[1]:,} in flight at a kill"
    )


def killed_once(python: str, tool: str) -> str:
    """What the stub was asked when a tool is killed after half of the questions and started again."""
    with tempfile.TemporaryDirectory() as folder, stub() as (asked, half):
        os.environ["FOLDER"] = folder
        command = [python, __file__, tool]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        half.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return f"{tool:15} killed once at {N // 2:,}: the stub was asked {asked[0]:,} times for {asked[1]:,} questions"


def kept(folder: str) -> int:
    import sqlite3

    try:
        database = sqlite3.connect(f"file:{folder}/answers.sqlite?mode=ro", uri=True)
        return int(database.execute("select count(*) from replies").fetchone()[0])
    except sqlite3.Error:
        return 0


def main() -> None:
    if len(sys.argv) == 2 and sys.argv[1] in TOOLS:
        TOOLS[sys.argv[1]]()
        return
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--peers", help="a Python with pydantic-evals and inspect-ai")
    options = parser.parse_args()
    print(f"{N:,} questions, {AT_ONCE} at once, {LATENCY_S * 1_000:.0f} ms: bound {BOUND_S:.2f} s")
    for tool in TOOLS:
        is_peer = tool not in ("asyncio alone", "ragauge")
        if not is_peer or options.peers:
            python = options.peers if is_peer else sys.executable
            print(measured(python, tool), killed_once(python, tool), sep="\n", flush=True)
    if options.kills:
        print(killed(options.kills))


if __name__ == "__main__":
    main()
