"""ranx's `Qrels`, `Run`, `evaluate`, `compare`, `fuse` and `optimize_fusion`, computed by ragauge: `from ragauge.compat.ranx import …`.

Names, arguments and results are those of ranx 0.3. Values are trec_eval's and differ in three places: documents with equal
scores are ordered by id, descending, where ranx keeps an order of its own; `bpref` is a number where ranx has NaN; `rbp`
counts a document as relevant or not, where ranx weighs it by its grade. Not covered, with an error that says so: data sets and
runs from the network, plots, Tukey's test, and the methods and norms that FUSIONS and NORMS do not name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragauge.compat import refusing
from ragauge.compat.ranx.data import Qrels as Qrels
from ragauge.compat.ranx.data import Run as Run
from ragauge.compat.ranx.data import Values, dicts_of
from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.rankings.rank import RankingResult
    from ragauge.report.report import Report as Written

FUSIONS = {
    "rrf": "rrf", "isr": "isr", "bordafuse": "borda", "sum": "combsum", "wsum": "combsum", "mnz": "combmnz",
    "anz": "combanz", "max": "combmax", "min": "combmin", "med": "combmed",
}  # fmt: skip
"""ranx's names of fusion methods, and ours."""
NORMS = {
    "min-max": "min-max", "sum": "sum", "zmuv": "z-score", "rank": "rank", "max": "none", "borda": "none", None: "none",
}  # fmt: skip
"""ranx's norms, and ours; `max` and `borda` are computed here."""
MAX_P = 0.01


def evaluate(
    qrels: Values,
    run: Values,
    metrics: str | Sequence[str],
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """The mean of each metric, or its values by query in the order of the sorted queries.

    A float for one metric, a dict for several; with `return_std` a dict of mean and standard deviation, without
    `return_mean` a NumPy array. The queries of both must be the same, unless `make_comparable`: then judged queries
    without a ranking count 0, and others are left out. `threads` is accepted and has no effect. PlanError for queries
    that differ, LabelError for an unknown metric.

    >>> evaluate({"q": {"a": 1}}, {"q": {"b": 0.9, "a": 0.4}}, ["mrr", "recall@1"])
    {'mrr': 0.5, 'recall@1': 0.0}
    """
    import numpy as np

    names = [metrics] if isinstance(metrics, str) else list(metrics)
    ranked = _ranked(qrels, {"run": run}, names, make_comparable)
    found: dict[str, Any] = {}
    for name, measure in zip(names, ranked.names, strict=True):
        by_query = _values(ranked, measure)
        values = np.array([by_query[query] for query in sorted(by_query)])
        mean = float(values.mean())
        found[name] = mean if return_mean else values
        if return_std:
            found[name] = {"mean": mean, "std": float(values.std())}
        if isinstance(run, Run) and save_results_in_run:
            run.scores[name], run.mean_scores[name] = by_query, mean
    return found[names[0]] if len(names) == 1 else found


@dataclass
class Report:
    """A comparison as ranx reports it: printed, letters name the runs that a run is significantly better than.

    p values are not corrected for the number of tests, as in ranx; `ranking` is ragauge's result, with intervals and Holm's
    correction.
    """

    ranking: "RankingResult"
    model_names: list[str]
    metrics: list[str]
    stat_test: str
    rounding_digits: int
    show_percentages: bool
    results: dict[str, dict[str, float]]
    comparisons: dict[tuple[str, str], dict[str, dict[str, Any]]] = field(default_factory=dict)
    """By pair of runs and metric, `p_value` and whether it is `significant`."""
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]] = field(default_factory=dict)
    """By pair of runs and metric, the numbers of queries W, T and L."""

    def to_table(self) -> str:
        """The table as text."""
        from ragauge.report.writing import to_terminal

        letters = str.maketrans("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
        return to_terminal(self._table(lambda better_than: better_than.translate(letters)))

    __str__ = __repr__ = to_table

    def to_latex(self) -> str:
        """The table in LaTeX (package booktabs); the best of each metric is bold."""
        from ragauge.report.writing import to_latex

        return to_latex(self._table(str))

    def to_dict(self) -> dict[str, Any]:
        """Scores, p values and wins of each run, in ranx's form."""
        kept = ("stat_test", "metrics", "model_names")
        found: dict[str, Any] = {name: getattr(self, name) for name in kept}
        for model in self.model_names:
            found[model] = {"scores": self.results[model], "comparisons": {}, "win_tie_loss": {}}
        for (model, other), tests in self.comparisons.items():
            p_values = {metric: test["p_value"] for metric, test in tests.items()}
            found[model]["comparisons"][other] = p_values
            found[model]["win_tie_loss"][other] = self.win_tie_loss[model, other]
        return found

    def save(self, path: str) -> None:
        """Write `to_dict` as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=4), encoding="utf-8")

    def _table(self, marked: Callable[[str], str]) -> "Written":
        from ragauge.report.report import Cell, Table
        from ragauge.report.report import Report as Written

        letters = dict(zip(self.model_names, cycle("abcdefghijklmnopqrstuvwxyz"), strict=False))
        best = {name: max(run[name] for run in self.results.values()) for name in self.metrics}
        rows: list[list[str | Cell]] = []
        for model, values in self.results.items():
            row: list[str | Cell] = [letters[model], model]
            for name, value in values.items():
                worse = [
                    letters[other]
                    for (one, other), tests in self.comparisons.items()
                    if one == model and tests[name]["significant"]
                    if value > self.results[other][name]
                ]
                text = _shown(value, self.rounding_digits, self.show_percentages)
                row.append(Cell(text, marked("".join(worse)), is_best=value == best[name]))
            rows.append(row)
        caption = f"Letters: significantly better than that run by {self.stat_test}'s test"
        header = ["#", "Model", *(name.upper() for name in self.metrics)]
        return Written("", tables=[Table(header, rows, n_names=2, caption=caption)])


def compare(
    qrels: Values,
    runs: Sequence[Run],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = MAX_P,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> Report:
    """The runs with their means, and each pair with Student's paired t test, or with `stat_test="fisher"` the randomization test.

    `threads` has no effect. PlanError for two runs of one name, and for Tukey's test.
    """
    import numpy as np

    from ragauge.stats import paired_t_test, randomization_test

    if stat_test not in ("student", "fisher"):
        raise PlanError(f"stat_test={stat_test!r} is not covered; these are: student, fisher")
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    given = {run.name or f"run_{number}": run for number, run in enumerate(runs, 1)}
    if len(given) < len(runs):
        raise PlanError("two runs have one name; give each its own: Run(…, name=…)")
    ranked = _ranked(qrels, given, names, make_comparable, seed=random_seed)
    values = {
        (model, name): np.array([*_values(ranked, name, model).values()])
        for model, name in product(given, names)
    }
    means = {model: {name: float(values[model, name].mean()) for name in names} for model in given}
    report = Report(ranked, [*given], names, stat_test, rounding_digits, show_percentages, means)
    for pair in permutations(given, 2):
        report.comparisons[pair], report.win_tie_loss[pair] = {}, {}
        for name in names:
            gains = values[pair[0], name] - values[pair[1], name]
            if stat_test == "student":
                p = paired_t_test(gains)
                # Without spread there is no t: equal runs, or one ahead by the same everywhere.
                p = float(not gains.any()) if p is None else p
            else:
                drawn = randomization_test(gains, n_permutations=n_permutations, seed=random_seed)
                p = drawn.p_value
            report.comparisons[pair][name] = {"p_value": p, "significant": p <= max_p}
            wins = {"W": gains > 0, "T": gains == 0, "L": gains < 0}
            report.win_tie_loss[pair][name] = {sign: int(n.sum()) for sign, n in wins.items()}
    return report


def fuse(
    runs: Sequence[Values],
    kind: str = "wsum",
    norm: str | None = "min-max",
    method: str = "rrf",
    params: Mapping[str, Any] | None = None,
) -> Run:
    """One run of several. `method` is rrf, isr, bordafuse, sum, wsum, mnz, anz, max, min or med; others are not covered.

    `params`: `k` of rrf, `weights` of wsum. `norm`: min-max, max, sum, zmuv, rank, borda or None. PlanError for others.
    """
    from ragauge.rankings.fusion import BY_RANK
    from ragauge.rankings.fusion import fuse as fuse_runs

    problems = [
        f"{name}={value!r} is not covered; these are: {', '.join(map(str, known))}"
        for name, value, known in (("method", method, FUSIONS), ("norm", norm, NORMS))
        if value not in known
    ]
    if problems:
        raise PlanError(problems)
    given = dict(params or {})
    ours: Any = FUSIONS[method]
    known: Any = None if ours in BY_RANK else NORMS[norm]
    # A run of weight 0 adds its documents at the end, as in ranx.
    weights = [max(weight, 1e-300) for weight in given.get("weights", ())] or None
    k = given.get("k", 60)
    votes = _NORMED[norm](runs) if norm in _NORMED and known else [*runs]
    frame = fuse_runs(votes, ours, norm=known, k=k, weights=weights, compat="trec10")
    return Run(dicts_of(frame.select("query", "doc", "score").iter_rows()), method)


def _by_highest(runs: Sequence[Values]) -> Sequence[Values]:
    def scaled(docs: Mapping[str, float]) -> dict[str, float]:
        highest = max([1e-9, *docs.values()])
        return {doc: score / highest for doc, score in docs.items()}

    return [{query: scaled(docs) for query, docs in run.items()} for run in runs]


def _by_place(runs: Sequence[Values]) -> Sequence[Values]:
    """From 1 down by the share of the documents of all runs that come before; those that a run lacks share the rest."""
    found: list[dict[str, Mapping[str, float]]] = [{} for _ in runs]
    for query in dict.fromkeys(query for run in runs for query in run):
        pool = dict.fromkeys(doc for run in runs for doc in run.get(query, ()))
        for made, run in zip(found, runs, strict=True):
            docs = run.get(query, {})
            unplaced = 0.5 - (len(docs) - 1) / (2 * len(pool)) if pool else 0.0
            best_first = sorted(docs, key=lambda doc: docs[doc], reverse=True)
            places = {doc: 1 - place / len(pool) for place, doc in enumerate(best_first)}
            made[query] = {**dict.fromkeys(pool, unplaced), **places}
    return found


_NORMED = {"max": _by_highest, "borda": _by_place}


@dataclass
class OptimizationReport:
    """The metric's mean by the params that `optimize_fusion` tried."""

    metric: str
    results: dict[str, float]
    rounding_digits: int = 3
    show_percentages: bool = False

    def to_table(self) -> str:
        """A line for each of the params."""
        width = max(map(len, self.results))
        shown = (self.rounding_digits, self.show_percentages)
        lines = (f"{name:{width}}  {_shown(value, *shown)}" for name, value in self.results.items())
        return "\n".join([f"{'params':{width}}  {self.metric}", *lines])

    __str__ = __repr__ = to_table


def plot(*_: object, **__: object) -> Any:
    raise PlanError("ranx's plot is not covered; print(compare(…)) is a table of the runs")


def optimize_fusion(
    qrels: Values,
    runs: Sequence[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,
    step: float | None = None,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    **ignored: object,
) -> Any:
    """The best `params` of `fuse` on the queries: weights of wsum that sum to 1, or k of rrf from 10 to 100; of several the last.

    `step` is .1 for weights and 10 for k. With `return_optimization_report` also an OptimizationReport. PlanError for other
    methods.
    """
    if method == "wsum":
        n = round(1 / (step or 0.1))
        shares = [part for part in product(range(n + 1), repeat=len(runs)) if sum(part) == n]
        tried = [{"weights": tuple(share / n for share in part)} for part in shares]
    elif method == "rrf":
        tried = [{"k": k} for k in range(10, 101, int(step or 10))]
    else:
        raise PlanError(f"optimize_fusion(method={method!r}) is not covered; these are: wsum, rrf")
    fused = (fuse(runs, norm=norm, method=method, params=params) for params in tried)
    found = [evaluate(qrels, run, metric) for run in fused]
    _, place = max((value, place) for place, value in enumerate(found))
    names = [str(*params.values()) for params in tried]
    shown = (rounding_digits, show_percentages)
    report = OptimizationReport(metric, dict(zip(names, found, strict=True)), *shown)
    return (tried[place], report) if return_optimization_report else tried[place]


def _values(ranked: "RankingResult", measure: str, run: str | None = None) -> dict[str, float]:
    """By query the value of a run; 0 where ranx has no other."""
    return {query: value or 0.0 for query, value in ranked.per_query(measure, run).items()}


def _shown(value: float, digits: int, is_percentage: bool) -> str:
    return f"{value * 100:.{max(digits - 2, 0)}f}" if is_percentage else f"{value:.{digits}f}"


def _ranked(
    qrels: Values,
    runs: Mapping[str, Values],
    metrics: list[str],
    make_comparable: bool,
    *,
    seed: int = 0,
) -> "RankingResult":
    from ragauge.rankings.rank import rank

    for name, run in runs.items():
        apart = sorted({*run} ^ {*qrels})
        if apart and not make_comparable:
            what = f"{name} and the judgements have other queries, {apart[0]!r} for one"
            raise PlanError(f"{what}; make_comparable=True takes those judged")
    judged = {q: {doc: int(grade) for doc, grade in docs.items()} for q, docs in qrels.items()}
    return rank(judged, runs, metrics, complete=True, compat="trec10", seed=seed)


__getattr__ = refusing("ranx")
