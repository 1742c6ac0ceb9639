"""Compute the means of seven measures with one package; `ranking.py` runs this as a process.

    python benchmarks/ranking_means.py ragauge|pytrec_eval|ir_measures|ranx QRELS RUN...

Prints the process's peak in MB and the means. It imports only what the package needs.
"""

import sys

MEASURES = ("ndcg_cut_10", "map", "recip_rank", "recall_100", "recall_1000", "P_10", "success_5")
OURS = ("ndcg@10", "map", "mrr@10", "recall@100", "recall@1000", "precision@10", "success@5")


def ragauge(qrels: str, *runs: str) -> list[float]:
    from ragauge.rankings.rank import rank

    ranked = rank(qrels, list(runs), OURS)
    return [ranked.mean(measure, run) or 0.0 for run in ranked.runs for measure in OURS]


def pytrec_eval(qrels: str, *runs: str) -> list[float]:
    import pytrec_eval

    with open(qrels) as file:  # noqa: PTH123
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(MEASURES))
    means: list[float] = []
    for run in runs:
        with open(run) as file:  # noqa: PTH123
            results = evaluator.evaluate(pytrec_eval.parse_run(file))
        means += [
            pytrec_eval.compute_aggregated_measure(
                measure, [values[measure] for values in results.values()]
            )
            for measure in MEASURES
        ]
    return means


def ir_measures(qrels: str, *runs: str) -> list[float]:
    import ir_measures
    from ir_measures import AP, RR, P, R, Success, nDCG

    asked = [nDCG @ 10, AP, RR @ 10, R @ 100, R @ 1000, P @ 10, Success @ 5]
    judged = list(ir_measures.read_trec_qrels(qrels))
    means: list[float] = []
    for run in runs:
        results = ir_measures.calc_aggregate(asked, judged, ir_measures.read_trec_run(run))
        means += [results[measure] for measure in asked]
    return means


def ranx(qrels: str, *runs: str) -> list[float]:
    from ranx import Qrels, Run, evaluate

    asked = ["ndcg@10", "map", "mrr@10", "recall@100", "recall@1000", "precision@10", "hit_rate@5"]
    judged = Qrels.from_file(qrels, kind="trec")
    means: list[float] = []
    for run in runs:
        results = evaluate(judged, Run.from_file(run, kind="trec"), asked, make_comparable=True)
        means += [float(results[measure]) for measure in asked]
    return means


def main() -> None:
    name, *files = sys.argv[1:]
    packages = {one.__name__: one for one in (ragauge, pytrec_eval, ir_measures, ranx)}
    means = packages[name](*files)
    import resource

    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, *means)


if __name__ == "__main__":
    main()
