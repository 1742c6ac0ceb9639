"""Read exported traces as samples: question, retrieved documents and answer of each trace.

Phoenix and other OpenInference tools export spans, Langfuse traces and observations, LangSmith runs.
"""

from ragauge.loaders.table import Table
from ragauge.loaders.traces import langfuse, langsmith, openinference

__all__ = ["recognised"]


def recognised(table: Table) -> Table:
    """The table, converted to one row per trace if its rows are spans, observations or traces."""
    if openinference.are_spans(table):
        return openinference.as_samples(table)
    if langsmith.are_runs(table):
        return langsmith.as_samples(table)
    return langfuse.as_samples(table) if langfuse.are_traces(table) else table
