"""Check that a change leaves every number the same, to the last digit.

    RAGAUGE_DATA=… python benchmarks/same_numbers.py write before.parquet [--all]
    RAGAUGE_DATA=… python benchmarks/same_numbers.py compare before.parquet after.parquet

`write` scores the bundled example and the data sets of RAGAUGE_DATA with every suite, and ranks the
TREC runs with every measure. It uses only public names, so that it also runs on older versions.
`compare` reads two such files, prints what differs and exits 1 if anything does. Labels are compared in
their canonical spelling, so that a renamed setting is not a difference. Metrics that need an encoder
are scored on every tenth question of the large sets, without `--all` on all.
"""

import csv
import gzip
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import ragauge as rg
from ragauge.errors import LabelError

ROOT = Path(__file__).parents[1]
HANDBOOK = ROOT / "examples" / "handbook"
SUITES = ["factual-qa", "answer-quality", "graphrag", "passage-retrieval", "reference-free"]
MODEL_SUITES = {"factual-qa", "graphrag"}
METRICS = [
    *("token_f1", "rougeL", "rouge1", "rouge2", "bleu", "chrf", "fuzzy_match", "dont_know"),
    *("number_match", "number_precision", "keyword_coverage", "answer_completeness"),
    *("hallucination", "topic_drift", "hybrid_relevance", "question_coverage"),
]
MODEL_METRICS = ["support", "bertscore_recall", "semantic_similarity", "sentence_coverage"]
MEASURES = [
    *(
        "map",
        "ndcg",
        "ndcg@10",
        "mrr",
        "recall@100",
        "precision@10",
        "bpref",
        "r_precision",
        "success@5",
    ),
    *("rbp(p=0.8)", "err@20", "judged@10"),
]
KEPT = ["set", "id", "system", "metric", "value", "status", "reason"]
Row = dict[str, Any]


def main() -> None:
    match sys.argv[1:]:
        case ["write", target, *rest]:
            write(Path(target), every="--all" in rest)
        case ["compare", before, after]:
            sys.exit(compare(Path(before), Path(after)))
        case _:
            sys.exit(__doc__)


def write(target: Path, *, every: bool) -> None:
    frames: list[pl.DataFrame] = []
    for name, rows, asked in work(every):
        start = time.perf_counter()
        run = rg.evaluate(rows, asked)
        scores = run.scores.with_columns(pl.lit(name).alias("set")).select(KEPT)
        frames.append(scores)
        seconds = time.perf_counter() - start
        print(f"{name}: {scores.height:,} scores in {seconds:.1f} s", file=sys.stderr, flush=True)
    frames.append(judged_handbook())
    frames += rankings()
    pl.concat(frames).write_parquet(target)


def work(every: bool) -> Iterator[tuple[str, object, list[str]]]:
    """Each data set with what is asked of it; sets that are not there are left out."""
    model_free = [suite for suite in SUITES if suite not in MODEL_SUITES]
    yield "handbook", str(HANDBOOK / "answers.jsonl"), [*SUITES, *METRICS, *MODEL_METRICS]
    for name, rows in data_sets():
        few = rows if every or len(rows) < 3_000 else rows[::10]
        yield name, rows, [*model_free, *METRICS]
        yield f"{name}, by model", few, [*sorted(MODEL_SUITES), *MODEL_METRICS]


def data_sets() -> Iterator[tuple[str, list[Row]]]:
    folder = Path(os.environ.get("RAGAUGE_DATA") or sys.exit("set RAGAUGE_DATA to the data folder"))
    yield "evouna", list(evouna(folder / "evouna" / "NQ.json"))
    yield "financebench", list(financebench(folder / "financebench"))
    yield "wice", list(wice(folder / "wice" / "claim_dev.jsonl"))
    yield "begin", list(begin(folder / "begin"))
    yield "qags", list(qags(folder / "qags"))
    yield "privacy_qa", list(privacy_qa(folder / "privacy_qa" / "privacy_qa.json"))
    yield "medical", list(medical(folder / "graphrag_bench" / "medical_questions.json"))
    yield "sts", list(sts(folder / "sts" / "sts2015.tsv"))
    yield "snli", list(entailment(folder / "entailment" / "snli-dev.jsonl.gz"))[:3_000]


def evouna(path: Path) -> Iterator[Row]:
    for at, row in enumerate(json.loads(path.read_text("utf-8"))):
        for key in [key for key in row if key.startswith("answer_")]:
            if not row["golden_answer"] or row[key] is None:
                continue
            yield {
                "id": f"q{at}",
                "system": key.removeprefix("answer_"),
                "question": row["question"],
                "answer": row[key],
                "references": row["golden_answer"].split("/"),
            }


def financebench(folder: Path) -> Iterator[Row]:
    evidence: dict[str, list[str]] = {}
    for row in lines(folder / "financebench_open_source.jsonl"):
        texts = [one.get("evidence_text") or "" for one in row.get("evidence") or []]
        evidence[row["financebench_id"]] = texts
    for file in sorted(folder.glob("*.jsonl")):
        if file.stem == "financebench_open_source":
            continue
        for row in lines(file):
            yield {
                "id": row["financebench_id"],
                "system": file.stem,
                "question": row["question"],
                "answer": row.get("model_answer") or row.get("answer") or "",
                "reference": row.get("gold_answer") or row.get("answer") or "",
                "contexts": evidence.get(row["financebench_id"], []),
            }


def wice(path: Path) -> Iterator[Row]:
    for at, row in enumerate(lines(path)):
        contexts = row["evidence"][:60]
        yield {"id": f"w{at}", "question": "?", "answer": row["claim"], "contexts": contexts}


def begin(folder: Path) -> Iterator[Row]:
    for file in sorted(folder.glob("*.tsv")):
        with file.open(encoding="utf-8", newline="") as opened:
            for at, row in enumerate(csv.DictReader(opened, delimiter="\t")):
                yield {
                    "id": f"{file.stem} {at}",
                    "question": row["message"],
                    "answer": row["response"],
                    "contexts": [row["knowledge"]],
                    "reference": row["knowledge"],
                }


def qags(folder: Path) -> Iterator[Row]:
    for file in sorted(folder.glob("*.jsonl")):
        for at, row in enumerate(lines(file)):
            texts = [one["sentence"] for one in row["summary_sentences"]]
            yield {
                "id": f"{file.stem} {at}",
                "question": "What happened?",
                "answer": " ".join(texts),
                "contexts": [row["article"]],
                "reference": row["article"],
            }


def privacy_qa(path: Path) -> Iterator[Row]:
    """Each question with the gold passages of its neighbours as what was retrieved."""
    tests = json.loads(path.read_text("utf-8"))["tests"]
    gold = [[one["answer"] for one in test["snippets"]] for test in tests]
    for at, test in enumerate(tests):
        contexts = [*gold[at - 1], *gold[at][:1], *gold[(at + 1) % len(tests)]]
        yield {
            "id": f"p{at}",
            "question": test["query"],
            "answer": gold[at][0],
            "contexts": contexts,
            "gold_contexts": gold[at],
            "references": gold[at],
        }


def medical(path: Path) -> Iterator[Row]:
    for at, row in enumerate(json.loads(path.read_text("utf-8"))):
        evidence = row.get("evidence") or row.get("evidence_relations") or "none"
        yield {
            "id": f"m{at}",
            "question": row["question"],
            "question_type": row["question_type"],
            "answer": row["answer"],
            "reference": row["answer"][: len(row["answer"]) // 2] or "none",
            "contexts": evidence if isinstance(evidence, list) else [evidence],
        }


def sts(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as opened:
        for at, row in enumerate(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)):
            left, right = row[-2], row[-1]
            yield {"id": f"s{at}", "question": "?", "answer": left, "reference": right or "none"}


def entailment(path: Path) -> Iterator[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as opened:
        for at, line in enumerate(opened):
            row = json.loads(line)
            premise = row.get("premise") or row.get("gold_evidence") or ""
            premise = premise if isinstance(premise, str) else " ".join(premise)
            answer = row["hypothesis"]
            yield {"id": f"e{at}", "question": "?", "answer": answer, "contexts": [premise]}


def lines(path: Path) -> Iterator[Row]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def judged_handbook() -> pl.DataFrame:
    """The judged demo, from its recorded replies."""
    rows = [row for row in lines(HANDBOOK / "answers.jsonl") if row["id"] in judged_ids()]
    run = rg.evaluate(rows, ["graphrag", "factual-qa"], judge=f"replay:{HANDBOOK / 'judge.jsonl'}")
    return run.scores.with_columns(pl.lit("handbook, judged").alias("set")).select(KEPT)


def judged_ids() -> set[str]:
    import tomllib

    where = tomllib.loads((HANDBOOK / "judged.toml").read_text("utf-8"))["where"]
    return {row["id"] for row in lines(HANDBOOK / "answers.jsonl") if row["id"] in where}


def rankings() -> Iterator[pl.DataFrame]:
    data = Path(os.environ["RAGAUGE_DATA"])
    for name, qrels, run in (
        ("trec", data / "trec_eval" / "qrels.test", data / "trec_eval" / "results.test"),
        ("trec 123", data / "trec_eval" / "qrels.123", data / "trec_eval" / "results.test"),
        ("compat", data / "ir_measures" / "compat.qrels", data / "ir_measures" / "compat.run"),
        ("cwl", data / "ir_measures" / "cwl.qrels", data / "ir_measures" / "cwl.run"),
        (
            "handbook rankings",
            ROOT / "examples" / "rankings" / "qrels.txt",
            ROOT / "examples" / "rankings" / "bm25.run",
        ),
    ):
        try:
            ranked = rg.rank(str(qrels), {"run": str(run)}, MEASURES)
        except rg.RagaugeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        yield per_query(name, ranked)


def per_query(name: str, ranked: Any) -> pl.DataFrame:
    table = ranked.scores
    value = [float(one) if one is not None else None for one in table["value"].to_list()]
    n = table.height
    return pl.DataFrame(
        {
            "set": [name] * n,
            "id": table["query"].cast(pl.String),
            "system": ["run"] * n,
            "metric": table["measure"].cast(pl.String),
            "value": pl.Series(value, dtype=pl.Float64),
            "status": ["ok" if one is not None else "undefined" for one in value],
            "reason": pl.Series([None] * n, dtype=pl.String),
        }
    )


def canonical(label: str) -> str:
    from ragauge import catalog

    try:
        metric, settings = catalog.find(catalog.read_label(label))
    except LabelError:
        return label
    return str(metric.label(settings))


def compare(before: Path, after: Path) -> int:
    left, right = (named(pl.read_parquet(file)) for file in (before, after))
    keys = ["set", "id", "system", "metric"]
    joined = left.join(right, on=keys, how="full", suffix="_after", coalesce=True)
    same = pl.col("value").eq_missing(pl.col("value_after")) & pl.col("status").eq_missing(
        pl.col("status_after")
    )
    differing = joined.filter(~same)
    reasons = joined.filter(same & pl.col("reason").ne_missing(pl.col("reason_after")))
    print(f"{joined.height:,} scores compared, {differing.height:,} differ")
    if differing.height:
        print(differing.group_by("set", "metric").len().sort("len", descending=True).head(40))
        print(differing.head(20))
    changed = reasons.select("reason", "reason_after").unique().sort("reason", "reason_after")
    print(f"{changed.height:,} reasons are worded differently")
    for old, new in changed.head(20).iter_rows():
        print(f"  {old}\n  {new}")
    return 1 if differing.height else 0


def named(scores: pl.DataFrame) -> pl.DataFrame:
    labels = {label: canonical(label) for label in scores["metric"].unique().to_list()}
    return scores.with_columns(pl.col("metric").replace(labels))


if __name__ == "__main__":
    main()
