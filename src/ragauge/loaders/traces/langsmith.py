"""Read runs of LangSmith: a row for each step of a trace, or a root with its child_runs."""

from collections.abc import Iterator, Mapping

from ragauge.loaders.attributes import mappings_in
from ragauge.loaders.table import Table
from ragauge.loaders.traces.texts import documents_in, parsed
from ragauge.loaders.traces.trace import Step, Traces, as_table

CHILDREN = "child_runs"
KEPT = {"name": "trace_name", "tags": "tags"}
"""What of a root becomes an extra field of the sample."""

Values = Mapping[str, object]


def are_runs(table: Table) -> bool:
    """Whether the rows are runs of which some have a parent or children; roots alone are samples."""
    columns = set(table.columns())
    if not {"run_type", "inputs", "outputs"} <= columns:
        return False
    return any(row.values.get(name) for row in table.rows for name in ("parent_run_id", CHILDREN))


def as_samples(table: Table) -> Table:
    """One row per trace."""
    traces = Traces()
    n_runs = 0
    for row in table.rows:
        for run in _with_children(row.values):
            n_runs += 1
            id = run.get("trace_id") or row.values.get("trace_id") or row.values.get("id")
            if (trace := traces.of(id, row, "is a run without a trace id")) is None:
                continue
            trace.steps.append(_step(run, n_runs))
            if not run.get("parent_run_id"):
                given = {ours: run.get(name) for name, ours in KEPT.items()}
                trace.extra |= {name: value for name, value in given.items() if value}
    return as_table(traces, table, f"{n_runs:,} runs")


def _with_children(run: Values) -> Iterator[Values]:
    """The run and, depth first, all runs inside it."""
    waiting = [run]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(mappings_in(parsed(each.get(CHILDREN))))


def _step(run: Values, number: int) -> Step:
    kind = str(run.get("run_type")).lower()
    output = run.get("outputs")
    error = run.get("error")
    return Step(
        id=run.get("id") or number,
        parent=run.get("parent_run_id") or None,
        start=str(run.get("start_time") or ""),
        input=run.get("inputs"),
        output=output,
        documents=documents_in(output, texts=True) or [] if kind == "retriever" else None,
        is_rerank="rerank" in str(run.get("name")).lower(),
        is_model=kind == "llm",
        error=str(error) if error else None,
    )
