"""The engine: run a plan over one batch of samples, computing each node once."""

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ragauge.engine.batch import Batch
from ragauge.engine.cells import Scores
from ragauge.engine.disputes import with_disputes
from ragauge.engine.repeats import with_repeats
from ragauge.samples.samples import Columns

# The engine's modules import those of the plan and the resources for their types only: the code that a
# run's key depends on is found by following imports, and those modules compute no number.
if TYPE_CHECKING:
    from ragauge.engine.graph import Plan
    from ragauge.engine.resources import Resources


def measure(plan: "Plan", columns: Columns, resources: "Resources") -> list[Scores]:
    """The scores of each metric of the plan, in the plan's order, for every row.

    Corpus features that `resources` do not have are computed from these rows alone.
    Raises MetricError, which names the metric and the sample, if a metric or feature raises an error.
    """
    batch = Batch(columns, resources)
    with _cancel_scope(plan):
        batch.run_all(plan.nodes)
        scores = with_repeats(plan, batch)
    return with_disputes(plan, scores) if len(batch.resources.judge_names) > 1 else scores


def _cancel_scope(plan: "Plan") -> AbstractContextManager[None]:
    if not plan.has_async_nodes:
        return nullcontext()
    from ragauge.calls.loop import cancel_scope

    return cancel_scope()
