"""Read runs of LangSmith: a row for each step of a trace, or a root with its child_runs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.table import Table
from ragauge.loaders.traces.texts import documents_in, parsed
from ragauge.loaders.traces.trace import Step, Trace, as_table

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
    traces: dict[str, Trace] = {}
    problems: list[Problem] = []
    n_runs = 0
    for row in table.rows:
        for run in _with_children(row.values):
            n_runs += 1
            id = run.get("trace_id") or row.values.get("trace_id") or row.values.get("id")
            if id is None:
                problems.append(Problem("is a run without a trace id", row.source, row.line))
                continue
            trace = traces.setdefault(str(id), Trace(str(id), row.source, row.line))
            trace.steps.append(_step(run, n_runs))
            if not run.get("parent_run_id"):
                given = {ours: run.get(name) for name, ours in KEPT.items()}
                trace.extra |= {name: value for name, value in given.items() if value}
    runs = Table(
        table.rows, table.source, table.notes, (*table.problems, *problems), table.all_text
    )
    return as_table(traces.values(), runs, f"{n_runs:,} runs", {})


def _with_children(run: Values) -> Iterator[Values]:
    """The run and, depth first, all runs inside it."""
    waiting = [run]
    while waiting:
        each = waiting.pop()
        yield each
        inner = parsed(each.get(CHILDREN))
        items = cast(Sequence[object], inner) if isinstance(inner, list) else ()
        waiting += [cast(Values, item) for item in reversed(items) if isinstance(item, Mapping)]


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
