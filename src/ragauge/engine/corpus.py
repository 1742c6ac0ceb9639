"""Corpus features: values computed once from all questions of a run, whatever systems answered them."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import repeat
from typing import TYPE_CHECKING, cast

from ragauge.engine.task import source_line
from ragauge.errors import EncoderError, MetricError, RagaugeError
from ragauge.samples.samples import to_columns
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.engine.graph import Node, Plan
    from ragauge.engine.resources import Resources
    from ragauge.samples.samples import Samples


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

    if name not in samples.columns:
        n_questions = samples.scan().select(pl.col("id").n_unique()).collect().item()
        return repeat(None, n_questions)
    first = pl.col(name).drop_nulls().first()
    columns = samples.scan().select("id", name)
    return columns.group_by("id", maintain_order=True).agg(first).collect()[name].to_list()


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
