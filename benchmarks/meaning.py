"""Compare encoding, BERTScore and the sentence matrix with sentence-transformers and bert-score.

    python benchmarks/meaning.py [--work encode bertscore matrix cache memory] [--times 3]

All in one process, with one thread per processor; ours and the peers alternate. Prints the median time
of several turns, and the peers' as ratios to ours. The peers run the same model: its weights are
written to a folder once, in the format they read. Texts are made of words of the bundled handbook with
a fixed random seed.

    encode      1,000 texts: sentence-transformers' encode
    bertscore   1,000 pairs of texts: BERTScorer.score in one call; both once with texts of 8 to 60
                words, all lengths alike often, and once with lengths as answers have them
                (log-normal, median 20 words), where the peers' batches hold more padding
    matrix      200 answers, 8 sentences each, against 8 reference sentences: one big call of
                BERTScorer.score, and a call for each pair (of 4 answers, times 50)
    cache       the 1,000 pairs again, in a new process, from the cache
    memory      100,000 answers stream through bertscore and semantic_similarity: peak memory
"""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
FOLDER = Path(tempfile.gettempdir()) / "ragauge-meaning-benchmark"
HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "handbook.md"
Work = Callable[[], object]


def sentences(n: int, least: int, most: int, seed: int) -> list[str]:
    """`n` sentences of random length, made of the handbook's words."""
    words = re.findall(r"[A-Za-z]{2,}", HANDBOOK.read_text("utf-8"))
    chance = random.Random(seed)
    return [
        " ".join(chance.choices(words, k=chance.randint(least, most))).capitalize() + "."
        for _ in range(n)
    ]


def answers_of(n: int, seed: int) -> list[str]:
    """`n` texts with lengths typical of answers: most are short, some are long."""
    chance = random.Random(seed)
    lengths = [min(150, max(3, round(chance.lognormvariate(3, 0.8)))) for _ in range(n)]
    return [sentences(1, length, length, seed + at)[0] for at, length in enumerate(lengths, 1)]


def timed(works: dict[str, Work], times: int) -> dict[str, float]:
    """The median seconds of each, in turns."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(times):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in taken.items()}


def report(title: str, seconds: dict[str, float]) -> None:
    """Print one line for each, with its ratio to the first."""
    first = next(iter(seconds.values()))
    print(f"\n{title}")
    for name, each in seconds.items():
        print(f"  {name:44} {each:9.3f} s {each / first:8.2f} x")
    sys.stdout.flush()


def even(n: int, seed: int) -> list[str]:
    return sentences(n, 8, 60, seed)


KINDS = {"8 to 60 words": even, "lengths of answers": answers_of}


def model_folder() -> Path:
    """The embedded model as transformers reads it, made by the tests' own fixture."""
    folder = FOLDER / "model"
    if not (folder / "modules.json").is_file():
        sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
        from conftest import write_minilm

        folder.mkdir(parents=True, exist_ok=True)
        write_minilm(folder)
    return folder


def scorer() -> "object":
    from bert_score import BERTScorer

    made = BERTScorer(model_type=str(model_folder()), num_layers=6, device="cpu")
    made._tokenizer.model_max_length = 512  # it crashes on long texts otherwise
    return made


def encode(times: int) -> None:
    from sentence_transformers import SentenceTransformer

    from ragauge.encoders.embedded import MiniLM

    ours, whole = MiniLM(), MiniLM("int8")
    theirs = SentenceTransformer(str(model_folder()), device="cpu")
    for kind, texts in KINDS.items():
        for model in (ours, whole, theirs):
            model.encode(texts(20, 9))
        given = texts(1_000, 1)
        works: dict[str, Work] = {
            "ragauge": partial(ours.encode, given),
            "ragauge int8": partial(whole.encode, given),
            "sentence-transformers": partial(theirs.encode, given, normalize_embeddings=True),
            "sentence-transformers, batches of 128": partial(
                theirs.encode, given, batch_size=128, normalize_embeddings=True
            ),
        }
        report(f"encode: 1,000 texts, {kind}", timed(works, times))


def matched(answers: list[str], references: list[str], precision: str) -> None:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.encoders.embedded import MiniLM
    from ragauge.features.matches import ALIKE, token_match

    token_match(
        answers, references, [ALIKE] * len(answers), encoder=CachedEncoder(MiniLM(precision))
    )


def bertscore(times: int) -> None:
    theirs = scorer()
    for kind, texts in KINDS.items():
        answers, references = texts(1_000, 2), texts(1_000, 2_003)
        theirs.score(answers[:20], references[:20])
        works: dict[str, Work] = {
            "ragauge": partial(matched, answers, references, "fp32"),
            "ragauge int8": partial(matched, answers, references, "int8"),
            "BERTScorer.score, one call": partial(theirs.score, answers, references),
        }
        title = f"bertscore: 1,000 pairs, {kind} (ours opens its model each time)"
        report(title, timed(works, times))


def matrix(times: int) -> None:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.encoders.embedded import MiniLM
    from ragauge.features.sentences import sentence_matrix

    theirs = scorer()
    answers = [tuple(sentences(8, 8, 30, 10_000 + at)) for at in range(200)]
    references = [tuple(sentences(8, 8, 30, 20_000 + at)) for at in range(200)]
    pairs = [
        (one, other)
        for answer, reference in zip(answers, references, strict=True)
        for one in answer
        for other in reference
    ]

    def pairwise() -> None:
        for one, other in pairs[: 4 * 64]:
            theirs.score([one], [other])

    theirs.score(*map(list, zip(*pairs[:64], strict=True)))
    seconds = timed(
        {
            "ragauge": lambda: sentence_matrix(
                answers, references, encoder=CachedEncoder(MiniLM())
            ),
            "ragauge int8": lambda: sentence_matrix(
                answers, references, encoder=CachedEncoder(MiniLM("int8"))
            ),
            "BERTScorer.score, one call of 12,800 pairs": lambda: theirs.score(
                *map(list, zip(*pairs, strict=True))
            ),
            "BERTScorer.score, a call for each pair": pairwise,
        },
        times,
    )
    seconds["BERTScorer.score, a call for each pair"] *= 200 / 4
    report("matrix: 200 answers of 8 x 8 sentences", seconds)


CACHED = """
import sys, json, time
import ragauge as rg
rows = json.load(open(sys.argv[1]))
start = time.perf_counter()
rg.evaluate(rows[:1], ["exact_match"])  # what a first evaluation imports
before = time.perf_counter()
run = rg.evaluate(rows, ["bertscore"], cache=sys.argv[2])
print(time.perf_counter() - before, run.scores["value"].sum())
"""


def cache(times: int) -> None:
    """A first run and later ones, each in a separate process."""
    FOLDER.mkdir(exist_ok=True)
    rows = FOLDER / "rows.json"
    pairs = zip(sentences(1_000, 8, 60, 2), sentences(1_000, 8, 60, 3), strict=True)
    rows.write_text(
        json.dumps(
            [{"id": str(at), "answer": a, "reference": r} for at, (a, r) in enumerate(pairs)]
        )
    )
    file = FOLDER / "cache.sqlite"
    for one in FOLDER.glob("cache.sqlite*"):
        one.unlink()

    def run() -> tuple[float, str]:
        done = subprocess.run(
            [sys.executable, "-c", CACHED, str(rows), str(file)],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, total = done.stdout.split()
        return float(seconds), total

    first, total = run()
    again = [run() for _ in range(times)]
    assert {other for _, other in again} == {total}
    later = statistics.median(seconds for seconds, _ in again)
    size = sum(one.stat().st_size for one in FOLDER.glob("cache.sqlite*")) / 2**20
    print(f"\ncache: 1,000 pairs, bertscore with evidence; the file holds {size:.0f} MiB")
    print(f"  first run {first:.2f} s, from the cache {later:.3f} s: {first / later:.0f} x")


def memory(_times: int) -> None:
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / "answers.jsonl"
    answers, references = sentences(100_000, 5, 20, 4), sentences(1_000, 5, 20, 5)
    with file.open("w") as out:
        for at, answer in enumerate(answers):
            row = {"id": str(at), "answer": answer, "reference": references[at % 1_000]}
            out.write(json.dumps(row) + "\n")
    script = (
        "import sys, time, resource; import ragauge as rg; start = time.perf_counter()\n"
        "run = rg.evaluate(sys.argv[1], ['semantic_similarity', 'bertscore'])\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "print(f'{time.perf_counter() - start:.0f} s, peak {peak:,.0f} MiB')\n"
        "own = run.scores.estimated_size('mb')\n"
        "print(f'of which the scores and their evidence are {own:,.0f} MB')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True
    )
    print(f"\nmemory: 100,000 answers, in process, no cache\n  {done.stdout.strip()}")


WORKS = {one.__name__: one for one in (encode, bertscore, matrix, cache, memory)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--work", nargs="+", choices=WORKS, default=list(WORKS))
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    resources.files("ragauge")  # fails early where the package is not installed
    for name in asked.work:
        WORKS[name](asked.times)


if __name__ == "__main__":
    main()
