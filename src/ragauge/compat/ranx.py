"""ranx's `Qrels`, `Run`, `evaluate`, `compare` and `fuse`, computed by ragauge: `from ragauge.compat.ranx import …`.

Names, arguments and results are those of ranx 0.3. Values are trec_eval's and differ in three places: documents with equal
scores are ordered by id, descending, where ranx keeps an order of its own; `bpref` is a number where ranx has NaN; `rbp`
counts a document as relevant or not, where ranx weighs it by its grade. What is not covered raises an error that says so.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.rankings.result import RankingResult

Values = Mapping[str, Mapping[str, float]]
FUSIONS = {
    "rrf": "rrf", "isr": "isr", "bordafuse": "borda", "sum": "combsum", "wsum": "combsum", "mnz": "combmnz",
    "anz": "combanz", "max": "combmax", "min": "combmin", "med": "combmed",
}  # fmt: skip
"""ranx's names of fusion methods, and ours."""
NORMS = {"min-max": "min-max", "sum": "sum", "zmuv": "z-score", "rank": "rank", None: "none"}
MAX_P = 0.01


class _ByQuery:
    """Values by query and document; ranx's class takes a dict, and reads files of TREC and JSON."""

    def __init__(self, values: Values | None = None, name: str | None = None) -> None:
        self.values: dict[str, dict[str, float]] = {
            query: {**docs} for query, docs in (values or {}).items()
        }
        self.name = name
        self.scores: dict[str, dict[str, float]] = {}
        """By measure the value of each query, after `evaluate`."""
        self.mean_scores: dict[str, float] = {}
        """By measure the mean, after `evaluate`."""

    @property
    def keys(self) -> list[str]:
        """The queries, sorted."""
        return sorted(self.values)

    def __getitem__(self, query: str) -> dict[str, float]:
        return self.values[query]

    def __len__(self) -> int:
        return len(self.values)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Query → document → grade or score."""
        return {query: {**docs} for query, docs in self.values.items()}

    @classmethod
    def from_dict(cls, values: Values, name: str | None = None) -> "Any":
        return cls(values, name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> "Any":
        """From a pandas or polars frame with a row for each query and document."""
        rows = zip(df[q_id_col], df[doc_id_col], df[score_col], strict=True)
        return cls(_by_query(rows), name)

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> "Any":  # noqa: ARG003
        """From TREC text (also .gz), JSON, Parquet or CSV, whatever `kind` says; DataError if it cannot be read."""
        from ragauge.rankings.reading.fields import texts_of
        from ragauge.rankings.reading.sources import read_judgements, run_frame

        if issubclass(cls, Qrels):
            read = read_judgements(path)
            numbers, grades = map(int, read.query), map(int, read.grade)
            queries = (read.queries[number] for number in numbers)
            rows = zip(queries, texts_of(read.document), grades, strict=True)
            return cls(_by_query(rows), name)
        run = run_frame(path, compat="trec10")
        return cls(_by_query(run.iter_rows()), name or Path(path).stem)


class Qrels(_ByQuery):
    """Judgements: query → document → grade."""


class Run(_ByQuery):
    """A ranking: query → document → score. `scores` and `mean_scores` are filled by `evaluate`."""


def evaluate(
    qrels: Qrels | Values,
    run: Run | Values,
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
        by_query = {query: value or 0.0 for query, value in ranked.per_query(measure).items()}
        values = np.array([by_query[query] for query in sorted(by_query)])
        mean = float(values.mean())
        found[name] = mean if return_mean else values
        if return_std:
            found[name] = {"mean": mean, "std": float(values.std())}
        if isinstance(run, Run) and save_results_in_run:
            run.scores[name], run.mean_scores[name] = by_query, mean
    return found[names[0]] if len(names) == 1 else found


def compare(
    qrels: Qrels | Values,
    runs: Sequence[Run],
    metrics: Sequence[str],
    stat_test: str = "fisher",
    n_permutations: int = 1000,
    max_p: float = MAX_P,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> "RankingResult":
    """The runs with their means, intervals and paired randomization tests, Holm-corrected: ragauge's `RankingResult`.

    Print it, or use its `summary` and `compare()`. Fisher's randomization test only: `stat_test` "student" and
    "tukey" are not covered. `n_permutations`, `rounding_digits` and `show_percentages` have no effect.
    """
    if stat_test != "fisher":
        instead = "ragauge compares rankings by the randomization test"
        raise PlanError([f"stat_test={stat_test!r} is not covered; {instead}"])
    given = {run.name or f"run_{number}": run for number, run in enumerate(runs, 1)}
    if len(given) < len(runs):
        raise PlanError(["two runs have one name; give each its own: Run(…, name=…)"])
    return _ranked(qrels, given, list(metrics), make_comparable, seed=random_seed)


def fuse(
    runs: Sequence[Run],
    kind: str = "wsum",
    norm: str | None = "min-max",
    method: str = "rrf",
    params: Mapping[str, Any] | None = None,
) -> Run:
    """One run of several. `method` is rrf, isr, bordafuse, sum, wsum, mnz, anz, max, min or med; others are not covered.

    `params`: `k` of rrf, `weights` of wsum. `norm`: min-max, sum, zmuv, rank or None. PlanError for others.
    """
    from ragauge.rankings.fusion import BY_RANK
    from ragauge.rankings.rank import fuse as fuse_runs

    problems = [
        f"{name}={value!r} is not covered; these are: {', '.join(map(str, known))}"
        for name, value, known in (("method", method, FUSIONS), ("norm", norm, NORMS))
        if value not in known
    ]
    if problems:
        raise PlanError(problems)
    given = dict(params or {})
    frame = fuse_runs(
        [run.values for run in runs],
        cast("Any", FUSIONS[method]),
        norm=None if FUSIONS[method] in BY_RANK else cast("Any", NORMS[norm]),
        k=given.get("k", 60),
        weights=given.get("weights"),
        compat="trec10",
    )
    return Run(_by_query(frame.select("query", "doc", "score").iter_rows()), method)


def _by_query(rows: Iterable[tuple[Any, Any, float]]) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        made.setdefault(str(query), {})[str(document)] = value
    return made


def _ranked(
    qrels: Qrels | Values,
    runs: Mapping[str, Run | Values],
    metrics: list[str],
    make_comparable: bool,
    *,
    seed: int = 0,
) -> "RankingResult":
    from ragauge.rankings.rank import rank

    values = qrels.values if isinstance(qrels, Qrels) else qrels
    by_name = {name: run.values if isinstance(run, Run) else run for name, run in runs.items()}
    for name, run in by_name.items():
        apart = sorted({*run} ^ {*values})
        if apart and not make_comparable:
            what = f"{name} and the judgements have other queries, {apart[0]!r} for one"
            raise PlanError([f"{what}; make_comparable=True takes those judged"])
    judged = {
        query: {doc: int(grade) for doc, grade in docs.items()} for query, docs in values.items()
    }
    return rank(judged, by_name, metrics, complete=True, compat="trec10", seed=seed)
