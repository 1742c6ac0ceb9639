"""Corpus features: values computed once from all questions of a run, whatever systems answered them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ragauge.engine.task import source_line
from ragauge.errors import EncoderError, MetricError, RagaugeError
from ragauge.score import Score

if TYPE_CHECKING:
    from ragauge.engine.graph import Node, Plan
    from ragauge.engine.resources import Resources
    from ragauge.sample import Samples


def compute_corpus_features(plan: "Plan", samples: "Samples", resources: "Resources") -> None:
    """Compute corpus features, counting each question once however many systems answered it."""
    for node in plan.nodes:
        if node.definition.corpus:
            names = [source.column for source in node.inputs if source.column]
            columns = [_by_question(samples, name) for name in names]
            resources.corpus[node.key] = of_corpus(node, columns, resources)


def _by_question(samples: "Samples", name: str) -> list[object]:
    """For each question, the first non-null cell of a column."""
    import polars as pl

    if name not in samples.columns:
        return [None] * samples.frame["id"].n_unique()
    first = pl.col(name).drop_nulls().first()
    return samples.frame.group_by("id", maintain_order=True).agg(first)[name].to_list()


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
