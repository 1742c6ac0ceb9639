"""Rows per second of a run on Ray, beside the same run without it and Ray Data's `map_batches`.

    pip install 'ragauge[ray]' 'ray[data]'
    python benchmarks/ray_cluster.py 100000                  # rows
    python benchmarks/ray_cluster.py 20000 --batch-size 100  # what a batch costs beyond its rows

Each line is a process of its own on generated short answers with the six metrics of scale.py. Ray is
started before the clock; `in process` is `evaluate` with the same number of worker processes. `map_batches` calls the
function that scores a batch on the same rows with as many tasks, and writes its frames with Ray Data, so
it has no checks, summary or resuming. Then `overhead` is what a batch costs on Ray when nothing is
measured: batches of one row and one cheap metric. Seconds are wall clock; `cpu s` is the processor time of
all processes together, Ray's own included, which other programs of a busy machine change less.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scale import METRICS, answers, tree

# Before Ray is imported: no statistics, and servers on the loopback interface only.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
os.environ["POLARS_MAX_THREADS"] = "1"
OBJECT_STORE = 200 * 2**20
N_EMPTY = 500
"""Batches by which the overhead is measured."""


def cpu_s() -> float:
    """The processor time of this process and all that it started, ended ones included."""
    ticks = 0
    for pid in tree(os.getpid()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))  # utime, stime, and those of ended children
    return ticks / os.sysconf("SC_CLK_TCK")


def start_ray(workers: int) -> Any:
    import ray

    ray.init(
        address="local",
        num_cpus=workers,
        include_dashboard=False,
        object_store_memory=OBJECT_STORE,
        log_to_driver=False,
        logging_level="ERROR",
    )

    @ray.remote
    def warm() -> None:
        import ragauge.engine.measure  # noqa: F401

    ray.get([warm.remote() for _ in range(2 * workers)])
    return ray


def in_process(data: Path, folder: Path, workers: int, batch_size: int) -> Callable[[], object]:
    import ragauge as rg

    samples = rg.load(data, in_pieces=True)
    return lambda: rg.evaluate(
        samples, list(METRICS), folder=folder, workers=workers, batch_size=batch_size
    )


def on_ray(data: Path, folder: Path, workers: int, batch_size: int) -> Callable[[], object]:
    import ragauge as rg

    samples = rg.load(data, in_pieces=True)
    start_ray(workers)
    return lambda: rg.evaluate(
        samples, list(METRICS), folder=folder, batch_size=batch_size, executor=rg.Ray()
    )


def map_batches(data: Path, folder: Path, workers: int, batch_size: int) -> Callable[[], object]:
    """The same function on the same rows with Ray Data alone."""
    import ragauge as rg
    from ragauge.evaluation.evaluation import Evaluation

    samples = rg.load(data, in_pieces=True)
    evaluation = Evaluation.prepare(samples, list(METRICS), batch_size=batch_size)
    parquet = folder.with_suffix(".parquet")
    samples.scan().select("id", "system", *sorted(evaluation.plan.columns & set(samples.columns)))
    samples.scan().sink_parquet(parquet, row_group_size=batch_size)
    ray = start_ray(workers)
    plan, resources = evaluation.plan, evaluation.resources.for_workers()

    def scored(table: Any) -> Any:
        import polars as pl

        from ragauge.engine.measure import score_frame
        from ragauge.samples.samples import to_columns

        return score_frame(plan, to_columns(pl.from_arrow(table)), resources).to_arrow(
            compat_level=pl.CompatLevel.oldest()
        )

    def work() -> None:
        ray.data.DataContext.get_current().enable_progress_bars = False
        (
            ray.data.read_parquet(str(parquet))
            .map_batches(scored, batch_format="pyarrow", batch_size=batch_size)
            .write_parquet(str(folder))
        )

    return work


def overhead(data: Path, folder: Path, workers: int, batch_size: int) -> Callable[[], object]:
    """Batches of one row and one metric."""
    import ragauge as rg

    samples = rg.load([{"id": f"q{at}", "answer": "a", "reference": "a"} for at in range(N_EMPTY)])
    start_ray(workers)
    rg.evaluate(samples, "exact_match", folder=folder / "warm", batch_size=50, executor=rg.Ray())
    return lambda: rg.evaluate(
        samples, "exact_match", folder=folder / "run", batch_size=1, executor=rg.Ray()
    )


def overhead_in_process(
    data: Path, folder: Path, workers: int, batch_size: int
) -> Callable[[], object]:
    """The same batches without Ray."""
    import ragauge as rg

    samples = rg.load([{"id": f"q{at}", "answer": "a", "reference": "a"} for at in range(N_EMPTY)])
    return lambda: rg.evaluate(samples, "exact_match", folder=folder / "run", batch_size=1)


WAYS = {
    way.__name__: way for way in (in_process, on_ray, map_batches, overhead, overhead_in_process)
}


def measure(way: str, data: Path, workers: int, batch_size: int) -> None:
    """Print the seconds and the processor time of one way; the work of a process of its own."""
    home = Path(tempfile.mkdtemp(dir=data.parent))
    work = WAYS[way](data, home / "run", workers, batch_size)
    before, start = cpu_s(), time.perf_counter()
    work()
    print(json.dumps([time.perf_counter() - start, cpu_s() - before]))
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()
    shutil.rmtree(home, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int)
    parser.add_argument("--batch-size", type=int, default=1_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--one", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.one, given.data, given.workers[0], given.batch_size)
        return
    home = Path(tempfile.mkdtemp(prefix="ragauge-ray-", dir="/var/tmp"))
    data = home / "answers.jsonl"
    try:
        with data.open("w") as file:
            for row in answers(given.rows, 5, 0):
                file.write(json.dumps(row) + "\n")
        print(
            "| way | workers | seconds | cpu s | rows/s | ms of cpu per batch |\n"
            + "|---" * 6
            + "|"
        )
        for workers in given.workers:
            for way in given.ways:
                command = [
                    sys.executable,
                    __file__,
                    str(given.rows),
                    "--one",
                    way,
                    "--data",
                    str(data),
                ]
                command += ["--workers", str(workers), "--batch-size", str(given.batch_size)]
                done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                seconds, cpu = json.loads(done.stdout.splitlines()[-1])
                is_empty = way.startswith("overhead")
                n = N_EMPTY if is_empty else given.rows
                n_batches = N_EMPTY if is_empty else -(-given.rows // given.batch_size)
                print(
                    f"| {way.replace('_', ' ')} | {workers} | {seconds:.1f} | {cpu:.1f} | "
                    f"{n / seconds:,.0f} | {1000 * cpu / n_batches:.1f} |",
                    flush=True,
                )
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
