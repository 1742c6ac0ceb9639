"""Measure answers per second and memory of all metrics that need no model.

    python benchmarks/throughput.py [--rows 100000] [--workers 2] [--profile]

Makes answers of about 60 words with three contexts each (seeded), writes them as JSON lines, and
runs the suites answer-quality and reference-free on them end to end: load, plan, measure, store,
summarise. Prints the seconds of each stage, samples a second, and the peak memory of this process
and of its largest worker.
"""

import argparse
import cProfile
import json
import multiprocessing
import os
import pstats
import random
import resource
import tempfile
import threading
import time
from pathlib import Path

import ragauge as rg
from ragauge.engine.measure import score_frame
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources
from ragauge.engine.selection import suites_of

SUITES = ["answer-quality", "reference-free"]
SUBJECTS = (
    *("The company", "The Riverside depot", "Our northern branch", "Miss Alder", "The council"),
    *("A volunteer", "Acme Tools", "The ferry office", "Every member", "The warden"),
)
VERBS = (
    *("released", "opened", "reported", "sold", "may extend", "approved", "is", "suggested"),
    *("built", "reduced", "looks after", "could replace", "wrote about", "reviewed"),
)
OBJECTS = (
    *("the new ferry", "a second workshop", "its annual budget", "the borrowing rules"),
    *("lending of tools", "the old timetable", "a list of repairs", "the winter schedule"),
)
NUMBERED = (
    *("in March {year}", "for ${money:,}", "by {percent}%", "after {count} days"),
    *("on {day} May {year}", "according to page {count}", "with {count} members"),
    *("at 9:30 on weekdays", "under Rule C-{digit}"),
)
PLAIN = (
    *("with the help of its neighbours", "as the members had asked", "because of the weather"),
    *("before the season began", "in spite of many doubts", "for the first time", "once again"),
)


def make_text(rng: random.Random, n_sentences: int) -> str:
    """Sentences of about twelve words; a number or date in every second one, and claims."""
    sentences: list[str] = []
    for _ in range(n_sentences):
        tail = rng.choice(NUMBERED if rng.random() < 0.5 else PLAIN).format(
            year=rng.randint(1990, 2026),
            money=rng.randint(100, 90_000),
            percent=rng.randint(1, 99) / 4,
            count=rng.randint(2, 60),
            day=rng.randint(1, 28),
            digit=rng.randint(1, 9),
        )
        words = [rng.choice(SUBJECTS), rng.choice(VERBS), rng.choice(OBJECTS), tail]
        sentences.append(" ".join(words) + rng.choice([".", ", as agreed.", " this season."]))
    return " ".join(sentences)


def write_answers(path: Path, n_rows: int) -> None:
    rng = random.Random(20_260_101)
    with path.open("w") as file:
        for row in range(n_rows):
            contexts = [make_text(rng, 5) for _ in range(3)]
            answer = f"{contexts[0][:160].rsplit(' ', 1)[0]}. {make_text(rng, 3)}"
            sample = {
                "id": f"q{row:06}",
                "question": f"What did {rng.choice(SUBJECTS).lower()} do in {rng.randint(1990, 2026)}?",
                "answer": answer,
                "references": [make_text(rng, 2)],
                "contexts": contexts,
            }
            file.write(json.dumps(sample) + "\n")


def processor_s() -> float:
    """Seconds of processor time that this process and its finished workers have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Workers(threading.Thread):
    """Watches the memory of the worker processes; `peak_mb` is the largest that one had."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mb = 0.0
        self.start()

    def run(self) -> None:
        while True:
            for process in multiprocessing.active_children():
                self.peak_mb = max(self.peak_mb, peak_mb(process.pid))
            time.sleep(0.2)


def peak_mb(pid: int | None) -> float:
    """The peak resident memory of a process, as Linux counts it; 0 where it does not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line), 0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--profile", action="store_true", help="where the time goes, on 2,000 rows")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        write_answers(answers, 2_000 if options.profile else options.rows)
        if options.profile:
            profile(answers)
            return
        workers = Workers()
        start = time.perf_counter()
        samples = rg.load(answers)
        loaded = time.perf_counter()
        run = rg.evaluate(samples, SUITES, folder=Path(folder) / "run", workers=options.workers)
        measured = time.perf_counter()
        run.summary()
        done = time.perf_counter()
        words = samples.frame["answer"].str.split(" ").list.len().mean()
        print(f"{len(samples):,} answers of {words:.0f} words, {options.workers} workers")
        print(f"load       {loaded - start:8.1f} s")
        print(f"evaluate   {measured - loaded:8.1f} s   (measure, store, summary files)")
        print(f"summarise  {done - measured:8.1f} s")
        print(f"in all     {len(samples) / (done - start):8,.0f} samples/s")
        print(f"evaluate   {len(samples) / (measured - loaded):8,.0f} samples/s")
        print(f"processor  {processor_s() / len(samples) * 1e6:8,.0f} µs a sample, all processes")
        print(
            f"peak       {peak_mb(os.getpid()):8,.0f} MB here, {workers.peak_mb:,.0f} MB the largest worker"
        )


def profile(answers: Path) -> None:
    samples = rg.load(answers)
    plan = make_plan(suites_of(SUITES), samples.columns)
    columns = samples.batch(0, len(samples))
    score_frame(plan, samples.batch(0, 10), Resources())
    profiler = cProfile.Profile()
    profiler.enable()
    score_frame(plan, columns, Resources())
    profiler.disable()
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
