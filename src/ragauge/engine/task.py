"""The function of one node, applied to its input cells, or to a whole corpus."""

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import repeat
from traceback import extract_tb
from typing import TYPE_CHECKING, cast

from ragauge.errors import EncoderError, MetricError, RagaugeError
from ragauge.metric import Metric
from ragauge.samples.samples import to_columns
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.engine.graph import Node, Plan
    from ragauge.engine.resources import Resources
    from ragauge.samples.samples import Samples

Cells = Sequence[object]
"""A column: one cell per row, or one cell per pair of row and reference. A cell without a value is None (the
sample has none) or a Score with the reason; nodes that need the cell get no value for the same reason."""
Scores = list[Score | None]
"""A metric's score for each row; None where the metric does not apply to the row."""
ROUNDING = 1e-9
"""A value that exceeds a bound by at most this much is a rounding error and is set to the bound."""


@dataclass(frozen=True, slots=True)
class NodeTask:
    """One node's function, its input cells (`is_complete`: all have a value) and keywords."""

    node: "Node"
    keywords: dict[str, object]
    inputs: Sequence[Cells]
    is_complete: bool
    sample: Callable[[int], str]

    def run_rows(self, selected: Sequence[bool] | None) -> list[object]:
        """Call the function for each selected row that has all its cells."""
        if selected is not None and True not in selected:
            return [None] * len(selected)
        function, keywords, finish = self.node.definition.function, self.keywords, self._finish()
        out: list[object] = []
        with self._errors_at(lambda: len(out)):
            if self.is_complete and selected is None:
                if self.inputs and not isinstance(self.node.definition, Metric):
                    out.extend(map(partial(function, **keywords), *self.inputs))
                    return out
                for cells in zip(*self.inputs, strict=True):
                    out.append(finish(function(*cells, **keywords)))  # noqa: PERF401
                return out
            rows = zip(selected or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
            for is_selected, cells in rows:
                arguments = self._arguments(cells) if is_selected else None
                if arguments is None or isinstance(arguments, Score):
                    out.append(arguments)
                else:
                    out.append(finish(function(*arguments, **keywords)))
        return out

    def start(self, selected: Sequence[bool] | None) -> Cells:
        """Start the function for each selected row on the judges' event loop; returns pending cells."""
        from ragauge.calls.loop import resolve, run, start

        finish = self._finish()

        async def row(at: int, cells: tuple[object, ...]) -> object:
            arguments = self._arguments(await resolve(cells))
            if isinstance(arguments, Score):
                return arguments
            with self._errors_at(lambda: at):
                called = self.node.definition.function(*arguments, **self.keywords)
                return finish(await cast(Awaitable[object], called))

        rows = zip(selected or repeat(True), zip(*self.inputs, strict=True))  # noqa: B905
        work = [row(at, cells) if wanted else None for at, (wanted, cells) in enumerate(rows)]
        return run(start(work))

    def run_batch(self) -> list[object]:
        """Call the function once, with the rows that have all their cells."""
        out = [self._arguments(cells) for cells in zip(*self.inputs, strict=True)]
        ready = {at: row for at, row in enumerate(out) if not isinstance(row, Score)}
        finish = self._finish()

        def called(rows: Sequence[list[object]]) -> list[object]:
            columns = [list(column) for column in zip(*rows, strict=True)]
            returned = self.node.definition.function(*columns, **self.keywords)
            values = list(map(finish, cast(Iterable[object], returned)))
            if len(values) != len(rows):
                raise ValueError(f"returned {len(values)} values for {len(rows)} rows")
            return values

        def failing() -> int:
            """The first row on which the function raises when called with it alone."""
            for at, row in ready.items():
                try:
                    called([row])
                except (Exception, SystemExit):  # the batch raised it already; only the row counts
                    return at
            return next(iter(ready))

        with self._errors_at(failing):
            values = called([*ready.values()]) if ready else []
        found = dict(zip(ready, values, strict=True))
        return [found.get(at, row) for at, row in enumerate(out)]

    def _arguments(self, cells: tuple[object, ...]) -> list[object] | Score:
        """The function's arguments, or why there are none."""
        arguments: list[object] = []
        for column, cell in zip(self.node.definition.columns, cells, strict=True):
            if column.takes_score:
                arguments.append(_as_part(column.name, cell))
            elif isinstance(cell, Score):
                if cell.value is None and not column.nullable:
                    return cell
                arguments.append(cell.value)
            elif cell is None and not column.nullable:
                return Score.missing(f"the sample has no {column.name}")
            else:
                arguments.append(cell)
        return arguments

    def _finish(self) -> Callable[[object], object]:
        """The conversion from a returned value to a cell. Not stored: it would be a reference cycle."""
        return self._score if isinstance(self.node.definition, Metric) else lambda value: value

    def _score(self, value: object) -> Score:
        """A metric's returned value as a Score within the metric's bounds."""
        if not isinstance(value, Score):
            if not isinstance(value, bool | int | float) and not hasattr(value, "__float__"):
                raise TypeError(f"returned {value!r:.80}, not a number, a bool or a Score")
            value = Score(cast(float, value))
        if value.value is None:
            return value
        metric = cast(Metric, self.node.definition)
        low, high, bound = metric.low, metric.high, value.value
        if low is not None and bound < low:
            bound = low
        elif high is not None and bound > high:
            bound = high
        else:
            return value
        if abs(value.value - bound) > ROUNDING:
            raise ValueError(
                f"returned {value.value!r}, outside [{low}, {high}]; set low and high in @metric"
            )
        return replace(value, value=bound)

    @contextmanager
    def _errors_at(self, at: Callable[[], int]) -> Generator[None]:
        """Turn an error in the metric's own code, which is its bug, into MetricError with the row's sample."""
        try:
            yield
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:
            kind = "metric" if isinstance(self.node.definition, Metric) else "feature"
            name = self.node.key.removeprefix("feature ")
            what = f"{type(error).__name__}: {error}"
            raise MetricError(
                f"{kind} {name} raised {what:.500} on {self.sample(at())}; "
                f"fix it in {source_line(self.node.definition.function, error)}"
            ) from error


def source_line(function: Callable[..., object], error: BaseException) -> str:
    """The line of the function's file that raised the error; its first line if that is unknown."""
    code = getattr(getattr(function, "func", function), "__code__", None)
    if code is None:
        return str(getattr(function, "__module__", "its module"))
    frames = extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == code.co_filename]
    return f"{code.co_filename}:{lines[-1] if lines else code.co_firstlineno}"


def _as_part(name: str, cell: object) -> Score:
    """The score of a part of a composite: computed, or from a value that the caller gave."""
    if isinstance(cell, Score):
        return cell
    if cell is None:
        return Score.missing(f"the sample has no {name}")
    must = f"{name} must be a score in [0, 1], got"
    if not isinstance(cell, bool | int | float):
        raise TypeError(f"{must} {cell!r:.80}")
    if not 0 <= cell <= 1:
        raise ValueError(f"{must} {cell!r}; divide percentages by 100")
    return Score(cell)


def compute_corpus_features(plan: "Plan", samples: "Samples", resources: "Resources") -> None:
    """Compute corpus features, counting each question once however many systems answered it."""
    for node in plan.nodes:
        if node.definition.corpus:
            names = [source.column for source in node.inputs if source.column]
            in_pieces = samples.is_file and len(names) == 1 and names[0] in samples.columns
            if in_pieces:
                in_pieces = not any(piece[names[0]].null_count() for piece in samples.pieces(names))
            read = _of_filled_column if in_pieces else _by_question
            columns = [read(samples, name) for name in names]
            resources.corpus[node.key] = of_corpus(node, columns, resources)


def _by_question(samples: "Samples", name: str) -> Iterable[object]:
    """For each question, the first non-null cell of a column."""
    import polars as pl

    by_id = samples.scan().group_by("id", maintain_order=True)
    first = (
        pl.col(name).drop_nulls().first() if name in samples.columns else pl.lit(None).alias(name)
    )
    return by_id.agg(first).collect()[name].to_list()


def _of_filled_column(samples: "Samples", name: str) -> Iterator[object]:
    """The same of a column without nulls, piece by piece: in memory is a hash of each question."""
    seen: set[bytes] = set()
    for piece in samples.pieces(["id", name]):
        cells = to_columns(piece)
        for id, cell in zip(cast("list[str]", cells["id"]), cells[name], strict=True):
            key = blake2b(id.encode(), digest_size=12).digest()
            if key not in seen:
                seen.add(key)
                yield cell


def of_corpus(node: "Node", columns: Sequence[Iterable[object]], resources: "Resources") -> object:
    """The value of a corpus feature, computed from columns with one cell per question."""
    keywords = resources.arguments(node.definition, node.settings)
    try:
        return node.definition.function(*columns, **keywords)
    except EncoderError as error:
        return Score.failed(str(error))
    except RagaugeError:
        raise
    except Exception as error:  # an error in the feature's own code is a bug of the feature
        raise MetricError(
            f"feature {node.definition.name} raised {type(error).__name__}: {error!s:.500} "
            f"on the corpus; fix it in {source_line(node.definition.function, error)}"
        ) from error
