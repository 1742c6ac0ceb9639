"""ranx's judgements and rankings: dictionaries that read and write files."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from ragauge.compat import not_covered
from ragauge.errors import PlanError

Values = Mapping[str, Mapping[str, float]]


class _ByQuery(dict[str, dict[str, float]]):
    """Query → document → value; ranx's class takes a dict, and reads and writes files of TREC, JSON and Parquet."""

    def __init__(self, values: Values | None = None, name: str | None = None) -> None:
        super().__init__({query: {**docs} for query, docs in (values or {}).items()})
        self.name = name
        self.scores: dict[str, dict[str, float]] = {}
        """By measure the value of each query, after `evaluate`."""
        self.mean_scores: dict[str, float] = {}
        """By measure the mean, after `evaluate`."""

    def to_dict(self) -> dict[str, dict[str, float]]:
        """A plain dictionary of it."""
        return {query: {**docs} for query, docs in self.items()}

    @classmethod
    def from_dict(cls, values: Values, name: str | None = None) -> Self:
        return cls(values, name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """From a pandas or polars frame with a row for each query and document."""
        rows = zip(df[q_id_col], df[doc_id_col], df[score_col], strict=True)
        return cls(dicts_of(rows), name)

    @classmethod
    def from_parquet(cls, path: str, pd_kwargs: object = None, **columns: Any) -> Self:  # noqa: ARG003
        """From a Parquet file with a row for each query and document; `columns` as in `from_df`."""
        import polars as pl

        return cls.from_df(pl.read_parquet(path), **columns)

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """From TREC text (also .gz), JSON, Parquet or CSV; DataError if it cannot be read."""
        import polars as pl

        if kind == "json" and Path(path).suffix != ".json":
            return cls(json.loads(Path(path).read_text("utf-8")), name)
        if Path(path).suffix == ".parq":
            return cls.from_parquet(path, name=name)
        from ragauge.rankings.reading.fields import texts_of
        from ragauge.rankings.reading.sources import read_judgements, run_frame

        if issubclass(cls, Qrels):
            read = read_judgements(path)
            numbers, grades = map(int, read.query), map(int, read.grade)
            queries = (read.queries[number] for number in numbers)
            rows = zip(queries, texts_of(read.document), grades, strict=True)
            return cls(dicts_of(rows), name)
        run = run_frame(path)
        number = pl.col("query").cast(pl.Enum(run["query"].unique(maintain_order=True)))
        best_first = run.sort(number, "score", "doc", descending=[False, True, True])
        return cls(dicts_of(best_first.iter_rows()), name or Path(path).stem)

    def save(self, path: str, kind: str | None = None) -> None:
        """Write JSON, Parquet (.parq, .parquet) or TREC text, by the ending of the path or `kind`."""
        import polars as pl

        ending = kind or Path(path).suffix.removeprefix(".")
        rows = [(query, doc, value) for query, docs in self.items() for doc, value in docs.items()]
        if ending == "json":
            Path(path).write_text(json.dumps(self), encoding="utf-8")
        elif ending in ("parq", "parquet"):
            pl.DataFrame(rows, ["q_id", "doc_id", "score"], orient="row").write_parquet(path)
        elif isinstance(self, Qrels):
            lines = [f"{query} 0 {doc} {grade}\n" for query, doc, grade in rows]
            Path(path).write_text("".join(lines), encoding="utf-8")
        else:
            from ragauge.rankings.fusion import fuse, write_run

            with Path(path).open("wb") as file:
                write_run(fuse([self], "combsum", norm="none"), file, tag=self.name or "run")

    def make_comparable(self, qrels: Values) -> Self:
        """Keep judged queries only; one that is missing has no documents."""
        kept = {query: self.get(query, {}) for query in qrels}
        self.clear()
        self.update(kept)
        return self

    @classmethod
    def from_ranxhub(cls, name: str) -> Self:
        what = f"{name!r} would be downloaded, which is not covered"
        raise PlanError(f"{what}; save it to a file and read that: {cls.__name__}.from_file(…)")

    from_ir_datasets = from_ranxhub

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(not_covered("ranx", f"{type(self).__name__}.{name}"))


class Qrels(_ByQuery):
    """Judgements: query → document → grade."""


class Run(_ByQuery):
    """A ranking: query → document → score. `scores` and `mean_scores` are filled by `evaluate`."""


def dicts_of(rows: Iterable[tuple[Any, Any, float]]) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        made.setdefault(str(query), {})[str(document)] = value
    return made
