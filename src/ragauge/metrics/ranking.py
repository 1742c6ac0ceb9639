"""The ranking measures as metrics, so that samples and TREC files share the same formulas."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import ragauge.rankings.measures  # noqa: F401  # pyright: ignore[reportUnusedImport]  # declares them
from ragauge.features.rankings import Match, Ranking
from ragauge.label import SettingValue
from ragauge.metric import metric
from ragauge.rankings.hits import MEASURES, Floats, Measure
from ragauge.rankings.hits import measure as declare_measure
from ragauge.score import Score


def scores(name: str, rankings: Sequence[Ranking], **settings: SettingValue) -> list[Score]:
    """A measure's score of each ranking; the rankings share one table."""
    declared, table = MEASURES[name], rankings[0].table
    rows = np.array([ranking.row for ranking in rankings])
    assert all(ranking.table is table for ranking in rankings), "a batch's rankings share a table"
    hits = table if np.array_equal(rows, np.arange(table.n)) else table.take(rows)
    values = declared.values(hits, settings)
    names = [name for ranking in rankings for name in ranking.names]
    evidence = declared.evidence(names, hits, settings)
    cells = zip(values.value.tolist(), values.undefined.tolist(), evidence, strict=True)
    return [
        Score.undefined(values.reason(row) or "") if is_undefined else Score(value, evidence=shown)
        for row, (value, is_undefined, shown) in enumerate(cells)
    ]


def _declare(measure: Measure) -> None:
    """Declare the measure as a metric: a function of the column `ranking` and its settings."""
    column = inspect.Parameter("ranking", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    settings = list(inspect.signature(measure.function).parameters.values())[1:]
    if measure.by_text:
        match = column.replace(
            name="match", kind=column.KEYWORD_ONLY, default="id", annotation=Match
        )
        settings.insert(len(settings) - (settings[-1].name == "k"), match)
    # A partial with the name can be pickled for another process; a nested function cannot.
    function = partial(scores, measure.name)
    copied = {
        name: getattr(measure.function, name) for name in ("__name__", "__doc__", "__module__")
    }
    vars(function).update(copied, __signature__=inspect.Signature([column, *settings]))
    vars(function)["__wrapped__"] = measure.function
    metric(
        name=measure.name,
        version=measure.version,
        batch=True,
        low=measure.low,
        high=measure.high,
        lower_is_better=measure.lower_is_better,
        aggregate=measure.aggregation,
        ranked=measure.ranked,
    )(function)


def measure(
    *, name: str | None = None, **options: Any
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Declare a ranking measure and its metric; the function is returned unchanged.

    The function takes Hits and settings and returns (n,) numbers. The options are those of
    `ragauge.rankings.hits.measure`.
    """

    def declare(function: Callable[..., Floats]) -> Callable[..., Floats]:
        declare_measure(name=name, **options)(function)
        _declare(MEASURES[name or function.__name__])
        return function

    return declare


for _measure in tuple(MEASURES.values()):
    _declare(_measure)
