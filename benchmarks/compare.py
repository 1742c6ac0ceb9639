"""Compare systems on stored scores, beside ranx's `compare` and a loop over scipy's permutation test.

    python benchmarks/compare.py [--work pairs metrics large sparse] [--times 3] [--peers PYTHON]

Every measurement is a process of its own that imports, opens the run and compares; its time and peak memory
are taken from outside. Ratios are of processor time, since other work delays the clock. scipy and ranx are run by `--peers` (an interpreter; by default this one) where it
can import them, on a few pairs, scaled up. The scores are generated once, in a temporary folder.

    pairs    50 systems x 250 questions, all 1,225 pairs, 1 metric, 10,000 permutations
    metrics  the same with 10 metrics: 12,250 comparisons
    large    2 systems x 100,000 questions x 15 metrics
    sparse   `pairs`, where each system lacks 5 other questions
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

FOLDER = Path(tempfile.gettempdir()) / "ragauge-compare-benchmark"
WORKS = {  # systems, questions, metrics, questions that each system lacks
    "pairs": (50, 250, 1, 0),
    "metrics": (50, 250, 10, 0),
    "large": (2, 100_000, 15, 0),
    "sparse": (50, 250, 1, 5),
}
BATCH = 1_000
KINDS = 3
"""Metric 0 is continuous, 1 has five grades, 2 is binary, 3 is continuous again …"""


# Data


def values(n_systems: int, n: int, metric: int) -> np.ndarray:
    """Scores in [0, 1] of systems that differ a little, (systems, n)."""
    random = np.random.default_rng(metric)
    ability = np.linspace(0, 0.1, n_systems)[:, None]
    scores = np.clip(random.random(n) + ability + random.normal(0, 0.2, (n_systems, n)), 0, 1)
    kind = metric % KINDS
    return scores if kind == 0 else np.round(scores * 4) / 4 if kind == 1 else np.round(scores)


def make(work: str) -> Path:
    """The run folder of one workload; written once."""
    from ragauge.runs.manifest import Manifest, MetricDisplay
    from ragauge.runs.store import RunFolder
    from ragauge.samples.samples import Samples

    folder = FOLDER / work
    if (folder / "made").exists():
        return folder
    n_systems, n, n_metrics, n_lacking = WORKS[work]
    names = [f"m{at:02}" for at in range(n_metrics)]
    systems = [f"s{at:02}" for at in range(n_systems)]
    ids = [f"q{at:06}" for at in range(n)]
    samples = Samples(pl.DataFrame({"id": ids * n_systems, "system": np.repeat(systems, n)}))
    by_metric = [values(n_systems, n, at).ravel() for at in range(n_metrics)]
    lacks = (np.arange(n)[None, :] // max(n_lacking, 1) == np.arange(n_systems)[:, None]).ravel()
    metrics = tuple(MetricDisplay(name, name, 1) for name in names)
    manifest = Manifest("benchmark", "benchmark", metrics, {}, {}, {}, batch_size=BATCH)
    stored = RunFolder(folder)
    stored.open(manifest, samples)
    n_parts = -(-len(samples) // BATCH)
    for number in range(n_parts):
        rows = slice(number * BATCH, (number + 1) * BATCH)
        some = samples.frame[rows]
        score = np.column_stack([column[rows] for column in by_metric]).ravel()
        has_score = ~np.repeat(lacks[rows], n_metrics) if n_lacking else np.ones(len(score), bool)
        stored.write_part(number, part(some, names, score, has_score))
    stored.finish(replace(manifest, finished="2026-11-22T00:00:00+00:00"), samples, n_parts)
    (folder / "made").touch()
    return folder


def part(
    samples: pl.DataFrame, names: list[str], score: np.ndarray, has_score: np.ndarray
) -> pl.DataFrame:
    """The scores of a batch as a run stores them, by sample and then by metric."""
    n = len(score)
    of_row = np.repeat(np.arange(samples.height), len(names))
    return pl.DataFrame(
        {
            "id": samples["id"].gather(of_row),
            "system": samples["system"].gather(of_row),
            "metric": names * samples.height,
            "value": pl.Series(np.where(has_score, score, np.nan)).fill_nan(None),
            "status": np.where(has_score, "ok", "failed"),
            "reason": pl.Series([None] * n, dtype=pl.String),
            "flags": pl.Series([[]] * n, dtype=pl.List(pl.String)),
            "parts": pl.Series([None] * n, dtype=pl.List(pl.Float64)),
            "evidence": pl.Series([None] * n, dtype=pl.String),
        }
    )


# Work of the child processes; each prints the processor seconds of the comparison itself


def ours(folder: Path) -> None:
    import ragauge as rg

    run = rg.open_run(folder)
    start = time.process_time()
    comparison = run.compare(*run.samples.systems, pairs="all")
    print(json.dumps({"compare_s": time.process_time() - start, "rows": len(comparison.rows)}))


def scipys(_: Path, n_pairs: int = 5) -> None:
    """scipy.stats.permutation_test on a few pairs, scaled up to 1,225."""
    from scipy.stats import permutation_test

    scores = values(50, 250, 0)
    start = time.process_time()
    for other in range(1, 1 + n_pairs):
        permutation_test(
            (scores[0] - scores[other],),
            lambda x, axis: np.mean(x, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=10_000,
            rng=np.random.default_rng(0),
        )
    print(json.dumps({"compare_s": (time.process_time() - start) * 1_225 / n_pairs}))


def ranxs(_: Path, n_runs: int = 3) -> None:
    """ranx.compare of runs of 250 queries with 10 documents each, scaled up from 3 to 1,225 pairs.

    It is compiled before the clock starts.
    """
    from ranx import Qrels, Run, compare

    random = np.random.default_rng(0)
    documents = [f"d{at}" for at in range(10)]
    queries = [f"q{at:03}" for at in range(250)]
    qrels = Qrels(
        {query: {name: int(random.integers(1, 4)) for name in documents[:4]} for query in queries}
    )
    runs = [
        Run(
            {
                query: dict(zip(documents, random.random(10).tolist(), strict=True))
                for query in queries
            },
            name=f"s{at:02}",
        )
        for at in range(n_runs)
    ]
    settings = {"metrics": ["ndcg@10"], "stat_test": "fisher", "n_permutations": 10_000}
    compare(qrels, runs[:2], **settings)
    start = time.process_time()
    compare(qrels, runs, **settings)
    n_pairs = n_runs * (n_runs - 1) // 2
    print(json.dumps({"compare_s": (time.process_time() - start) * 1_225 / n_pairs}))


CHILDREN = {"ours": ours, "scipy": scipys, "ranx": ranxs}


def measure(python: str, child: str, folder: Path) -> dict[str, float]:
    """Seconds of the process and of the comparison, and the peak memory, from outside."""
    command = [python, __file__, "--child", child, str(folder)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{child} failed")
    found = json.loads(printed.splitlines()[-1])
    spent = usage.ru_utime + usage.ru_stime
    times = {"total_s": time.perf_counter() - start, "processor_s": spent}
    return {**found, **times, "peak_mb": usage.ru_maxrss / 1024}


def has(python: str, package: str) -> bool:
    found = subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False)
    return found.returncode == 0


def report(work: str, times: int, peers: str) -> None:
    folder = make(work)
    found = [measure(sys.executable, "ours", folder) for _ in range(times)]
    total, processor, compared, peak = (
        statistics.median(each[name] for each in found)
        for name in ("total_s", "processor_s", "compare_s", "peak_mb")
    )
    n_systems, n, n_metrics, _ = WORKS[work]
    print(f"{work}: {n_systems} systems x {n:,} questions x {n_metrics} metrics")
    print(
        f"  ragauge  {total:8.2f} s in all ({processor:.2f} s of processors), {compared:8.2f} s of them comparing, "
        f"{peak:6.0f} MB"
    )
    if work != "pairs":
        return
    for peer in ("ranx", "scipy"):
        if not has(peers, peer):
            print(f"  {peer}: not installed in {peers}, skipped")
            continue
        theirs = measure(peers, peer, folder)["compare_s"]
        print(f"  {peer:8} {theirs:8.1f} s  {theirs / compared:6.1f} x")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", nargs="*", choices=list(WORKS), default=list(WORKS))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--peers", default=sys.executable)
    parser.add_argument("--child", nargs=2)
    options = parser.parse_args()
    if options.child:
        CHILDREN[options.child[0]](Path(options.child[1]))
        return
    for work in options.work:
        report(work, options.times, options.peers)


if __name__ == "__main__":
    main()
