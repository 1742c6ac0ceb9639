"""Compare the scoring of rankings, from TREC files and from memory, with other packages.

    python benchmarks/ranking.py [--work a b c d command order memory pairs] [--times 5] [--peers PYTHON]

Every measurement is a separate process that starts, imports, reads the files and computes the means of
seven measures. Prints the median of several, and the peers' as ratios to ours. Only peers that
`--peers` (an interpreter; by default this one) can import are run. The data are generated once, in a
temporary folder.

    (a) 6,980 queries x 1,000 documents, 1.1 relevant each     MS MARCO's shape, 7 million lines
    (b) 100 queries x 1,000, 200 judged each, graded
    (c) 50 runs of 250 queries x 1,000, 100 judged each, graded
    (d) 100,000 queries x 10, 1.1 relevant each                 the shape of RAG
    command (b) by the command `ragauge rank`, in turns with a script of pytrec_eval
    order   (a) with its lines shuffled within queries, and all over; (a) as Parquet
    memory  (a) from pytrec_eval's dicts
    pairs   1,225 pairs of 50 systems, 10,000 permutations each
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from ranking_means import MEASURES, OURS

FOLDER = Path(tempfile.gettempdir()) / "ragauge-ranking-benchmark"
MEANS = Path(__file__).with_name("ranking_means.py")
PEERS = ("pytrec_eval", "ir_measures", "ranx")


# Data


def make_run(path: Path, n_queries: int, n_documents: int, seed: int) -> Iterator[np.ndarray]:
    """Write a run best first; yields each query's documents."""
    random = np.random.default_rng(seed)
    with path.open("w") as file:
        for query in range(n_queries):
            documents = random.choice(8_841_823, size=n_documents, replace=False)
            scores = np.sort(random.random(n_documents) * 30)[::-1]
            rows = enumerate(zip(documents.tolist(), scores.tolist(), strict=True), 1)
            file.write(
                "".join(
                    f"{1_000_000 + query} Q0 {document} {rank} {score:.6f} bm25k12\n"
                    for rank, (document, score) in rows
                )
            )
            yield documents


def make(work: str) -> None:
    """The files of one workload, unless they are there."""
    if (FOLDER / f"{work}.made").exists():
        return
    FOLDER.mkdir(exist_ok=True)
    random = np.random.default_rng(7)
    n_queries, n_documents, n_runs = {
        "a": (6_980, 1_000, 1),
        "b": (100, 1_000, 1),
        "c": (250, 1_000, 50),
        "d": (100_000, 10, 1),
    }[work]
    with (FOLDER / f"{work}.qrels").open("w") as qrels:
        for run in range(n_runs):
            path = FOLDER / f"{work}{run or ''}.run"
            for query, documents in enumerate(make_run(path, n_queries, n_documents, run)):
                if run == 0:
                    qrels.writelines(judge(work, query, documents, random))
    (FOLDER / f"{work}.made").touch()


def judge(
    work: str, query: int, documents: np.ndarray, random: np.random.Generator
) -> Iterator[str]:
    """The judgements of one query."""
    if work in "ad":
        grades = [1] * (2 if random.random() < 0.1 else 1)
    else:
        n = 200 if work == "b" else 100
        grades = random.integers(0, 4, n).tolist()
    judged = random.choice(documents, size=min(len(grades), len(documents)), replace=False)
    for document, grade in zip(judged.tolist(), grades, strict=False):
        yield f"{1_000_000 + query} 0 {document} {grade}\n"


def shuffle() -> None:
    """(a) with its lines shuffled within each query, and all over, and as Parquet."""
    make("a")
    if (FOLDER / "order.made").exists():
        return
    import polars as pl

    random = np.random.default_rng(3)
    lines = (FOLDER / "a.run").read_text().splitlines(keepends=True)
    blocks = np.arange(len(lines)).reshape(6_980, 1_000)
    within = random.permuted(blocks, axis=1).ravel()
    for name, order in (("within", within), ("over", random.permutation(len(lines)))):
        with (FOLDER / f"{name}.run").open("w") as file:
            file.writelines(lines[at] for at in order.tolist())
    rows = [line.split() for line in lines]
    frame = pl.DataFrame(
        {
            "query": [row[0] for row in rows],
            "doc": [row[2] for row in rows],
            "score": [float(row[4]) for row in rows],
        }
    )
    frame.write_parquet(FOLDER / "a.parquet")
    (FOLDER / "order.made").touch()


# What is measured


def in_a_process(python: str, name: str, arguments: list[str]) -> tuple[float, float, list[float]]:
    """Seconds from start to end, the peak in MB, and the means."""
    start = time.perf_counter()
    done = subprocess.run(
        [python, str(MEANS), name, *arguments], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr else name)
    peak, *means = done.stdout.split()
    return seconds, float(peak), [float(mean) for mean in means]


def side_by_side(title: str, arguments: list[str], times: int, peers: str) -> float:
    """Our median seconds; prints them, and the peers' as ratios."""
    print(title, flush=True)
    runs = [in_a_process(sys.executable, "ragauge", arguments) for _ in range(times)]
    seconds = statistics.median(run[0] for run in runs)
    print(f"    {'ragauge':12} {seconds:8.3f} s              {runs[0][1]:6.0f} MB", flush=True)
    for name in PEERS if peers else ():
        try:
            found = in_a_process(peers, name, arguments)
            few = [found] + [
                in_a_process(peers, name, arguments) for _ in range(2 if found[0] < 10 else 0)
            ]
        except RuntimeError as error:
            print(f"    {name:12} not measured: {error}")
            continue
        median = statistics.median(run[0] for run in few)
        # pytrec_eval has no cut-off for the reciprocal rank.
        same = [
            abs(one - other) < 1e-6
            for at, (one, other) in enumerate(zip(runs[0][2], found[2], strict=True))
            if not (name == "pytrec_eval" and at % len(OURS) == OURS.index("mrr@10"))
        ]
        agree = "the same means" if all(same) else f"{same.count(False)} means differ"
        print(
            f"    {name:12} {median:8.3f} s  {median / seconds:7.1f} x  {found[1]:6.0f} MB  {agree}",
            flush=True,
        )
    return seconds


def command(times: int, peers: str) -> None:
    """`ragauge rank` at (b), with intervals and its table, and a script that prints pytrec_eval's means."""
    make("b")
    files = [str(FOLDER / "b.qrels"), str(FOLDER / "b.run")]
    measures = [part for measure in OURS for part in ("-m", measure)]
    commands = {
        "ragauge rank": [str(Path(sys.executable).with_name("ragauge")), "rank", *files, *measures],
        "pytrec_eval": [peers, str(MEANS), "pytrec_eval", *files],
        "import numpy": [sys.executable, "-c", "import numpy"],
    }
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(times):
        for name, arguments in commands.items():
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
            wall, after = (
                time.perf_counter() - start,
                resource.getrusage(resource.RUSAGE_CHILDREN),
            )
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            spent[name].append((used, wall))
    print(f"(b) as a command: seconds of processor and clock, the least and the median of {times}")
    for name, found in spent.items():
        both = [
            f"{min(column):.3f} {statistics.median(column):.3f}"
            for column in zip(*found, strict=True)
        ]
        print(f"    {name:14} {both[0]}   {both[1]}")


def shortest(function: Callable[[], object], times: int) -> float:
    spent: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def memory(times: int) -> None:
    """(a) from pytrec_eval's dicts."""
    make("a")
    from ragauge.rankings.rank import rank

    qrels, run = str(FOLDER / "a.qrels"), str(FOLDER / "a.run")
    print("in memory, (a): means of the seven measures, files read before")
    dicts: dict[str, dict[str, float]] = {}
    judged: dict[str, dict[str, int]] = {}
    with open(run) as lines:  # noqa: PTH123
        for line in lines:
            query, _, document, _, score, _ = line.split()
            dicts.setdefault(query, {})[document] = float(score)
    with open(qrels) as lines:  # noqa: PTH123
        for line in lines:
            query, _, document, grade = line.split()
            judged.setdefault(query, {})[document] = int(grade)
    by_dict = shortest(lambda: rank(judged, dicts, OURS).mean("map"), times)
    print(f"    ragauge, dicts      {by_dict:8.4f} s")
    try:
        import pytrec_eval
    except ImportError:
        return

    def peer() -> None:
        results = pytrec_eval.RelevanceEvaluator(judged, set(MEASURES)).evaluate(dicts)
        for measure in MEASURES:
            pytrec_eval.compute_aggregated_measure(
                measure, [values[measure] for values in results.values()]
            )

    theirs = shortest(peer, min(times, 3))
    print(f"    pytrec_eval, dicts  {theirs:8.4f} s  {theirs / by_dict:.1f} x our dicts")


def pairs(times: int) -> None:
    """All pairs of 50 systems tested, and scipy on some of the pairs, scaled up."""
    from ragauge.stats.tests import pairwise_randomization

    random = np.random.default_rng(1)
    values = random.random((50, 250))
    spent = shortest(lambda: pairwise_randomization(values), times)
    print("1,225 pairs of 50 systems on 250 queries, 10,000 permutations")
    print(f"    ragauge      {spent:8.3f} s")
    try:
        from scipy.stats import permutation_test
    except ImportError:
        return
    start = time.perf_counter()
    for system in range(1, 6):
        permutation_test(
            (values[0] - values[system],),
            np.mean,
            permutation_type="samples",
            n_resamples=10_000,
            vectorized=True,
        )
    theirs = (time.perf_counter() - start) / 5 * 1_225
    print(f"    scipy        {theirs:8.1f} s  {theirs / spent:7.0f} x  (5 pairs, scaled up)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = ["a", "b", "c", "d", "command", "order", "memory", "pairs"]
    parser.add_argument("--work", nargs="*", default=everything, choices=everything)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--peers", default=sys.executable, help="'' for none")
    options = parser.parse_args()
    titles = {
        "a": "(a) 6,980 queries x 1,000",
        "b": "(b) 100 queries x 1,000, 200 judged each",
        "c": "(c) 50 runs x 250 x 1,000",
        "d": "(d) 100,000 queries x 10",
    }
    for work in options.work:
        if work in titles:
            make(work)
            runs = sorted(FOLDER.glob(f"{work}*.run")) if work == "c" else [FOLDER / f"{work}.run"]
            arguments = [str(FOLDER / f"{work}.qrels"), *map(str, runs)]
            side_by_side(titles[work], arguments, options.times, options.peers)
        elif work == "command":
            command(options.times, options.peers)
        elif work == "order":
            shuffle()
            qrels = str(FOLDER / "a.qrels")
            even = side_by_side("(a) sorted", [qrels, str(FOLDER / "a.run")], options.times, "")
            for name in ("within.run", "over.run", "a.parquet"):
                arguments = [qrels, str(FOLDER / name)]
                other = side_by_side(f"(a) {name}", arguments, options.times, "")
                print(f"    {other / even:.1f} x the sorted file")
        else:
            {"memory": memory, "pairs": pairs}[work](options.times)


if __name__ == "__main__":
    main()
