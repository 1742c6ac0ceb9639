"""Read exported traces as samples: question, retrieved documents and answer of each trace.

Phoenix and other OpenInference tools export spans, Langfuse exports traces and observations.
"""

from ragauge.loaders.table import Table
from ragauge.loaders.traces import langfuse, openinference

__all__ = ["recognised"]


def recognised(table: Table) -> Table:
    """The table, converted to one row per trace if its rows are spans, observations or traces."""
    if openinference.are_spans(table):
        return openinference.as_samples(table)
    return langfuse.as_samples(table) if langfuse.are_traces(table) else table
