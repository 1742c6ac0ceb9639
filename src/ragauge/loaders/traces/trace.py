"""A trace as a row of samples, and the notes on all traces of a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ragauge.errors import Problem
from ragauge.loaders.documents import ID_KEYS, TEXT_KEYS, parts_of
from ragauge.loaders.table import Table, listed
from ragauge.loaders.traces.texts import answer_in, keys_of, question_in
from ragauge.samples.samples import Row


@dataclass(frozen=True, slots=True)
class Step:
    """A span or observation: what it is, where in the trace, and the documents it returned.

    `documents` is None if it retrieved nothing of its own; `is_rerank` marks a reranker.
    """

    id: object
    parent: object
    start: str
    input: object = None
    output: object = None
    documents: Sequence[object] | None = None
    is_rerank: bool = False
    is_model: bool = False
    error: str | None = None


@dataclass(slots=True)
class Trace:
    """The steps of one trace, its own input and output if it has them, and its extra fields."""

    id: str
    source: str
    line: int | None
    steps: list[Step] = field(default_factory=list[Step])
    input: object = None
    output: object = None
    extra: dict[str, object] = field(default_factory=dict[str, object])
    fallback: Sequence[object] | None = None
    """Documents found elsewhere, used where no step retrieved any."""


@dataclass(slots=True)
class Traces:
    """The traces of a table by id, the problems of its rows, and what was left out."""

    by_id: dict[str, Trace] = field(default_factory=dict[str, Trace])
    problems: list[Problem] = field(default_factory=list[Problem])
    left_out: dict[str, None] = field(default_factory=dict[str, None])

    def of(self, id: object, row: Row, problem: str) -> Trace | None:
        """The trace with this id, which is a problem of the row if there is none."""
        if id is None:
            self.problems.append(Problem(problem, row.source, row.line))
            return None
        return self.by_id.setdefault(str(id), Trace(str(id), row.source, row.line))


def as_table(traces: Traces, table: Table, kind: str) -> Table:
    """One row per trace, with notes on what is missing, joined or left out."""
    rows: list[Row] = []
    problems = [*table.problems, *traces.problems]
    unasked: dict[str, list[str]] = {}
    failed: list[str] = []
    several: list[str] = []
    empty: list[str] = []
    for trace in traces.by_id.values():
        row, asked = _row(trace, several)
        rows += [] if row is None else [row]
        empty += [trace.id] if row is None else []
        if row is not None and row.values.get("question") is None:
            why = f"input with {listed([repr(key) for key in asked])}" if asked else "no input"
            unasked.setdefault(why, []).append(trace.id)
        if row is not None and "error" in row.values:
            failed.append(trace.id)
    notes = [f"read {kind} as {len(rows):,} traces, one sample each"]
    notes += [
        f"no question in {len(ids):,} traces ({why}): {listed(ids)}" for why, ids in unasked.items()
    ]
    notes += _counted(failed, "traces failed; their error is an extra field")
    notes += _counted(several, "traces retrieved several times; documents joined in order of time")
    notes += _counted(empty, "traces have no question, answer or documents and are left out")
    if traces.left_out:
        notes.append(f"left out of the traces: {listed(list(traces.left_out))}")
    if empty and not rows:
        problems.append(Problem("no trace has a question, an answer or documents", table.source))
    return Table(tuple(rows), table.source, (*table.notes, *notes), tuple(problems))


def _counted(ids: Sequence[str], what: str) -> list[str]:
    return [f"{len(ids):,} {what}: {listed(list(ids))}"] if ids else []


def _row(trace: Trace, several: list[str]) -> tuple[Row | None, list[str]]:
    """The trace's row, or None if it has no content; and the keys of an input without question."""
    steps = sorted(trace.steps, key=lambda step: step.start)
    ids = {step.id for step in steps}
    roots = [step for step in steps if step.parent is None]
    roots = roots or [step for step in steps if step.parent not in ids]
    retrievers = [step for step in steps if step.documents is not None]
    inputs = [trace.input, *(step.input for step in (*roots[:1], *retrievers, *roots[1:]))]
    models = [step.output for step in reversed(steps) if step.is_model]
    whole = [step.output for step in reversed(roots) if step.documents is None]
    # Of several steps without a common one above them, the model's last output is the answer.
    outputs = [trace.output, *(whole + models if len(roots) == 1 else models + whole)]
    documents = _retrieved(steps)
    if len(documents) > 1:
        several.append(trace.id)
    contexts = _joined(documents) if documents else trace.fallback
    question = _first(question_in, inputs)
    answer = _first(answer_in, outputs)
    if question is None and answer is None and contexts is None:
        return None, []
    values: dict[str, object] = {"id": trace.id, "question": question, "answer": answer}
    values |= {} if contexts is None else {"contexts": contexts}
    errors = [step.error for step in steps if step.error is not None]
    values |= {name: value for name, value in trace.extra.items() if name not in values}
    values |= {"error": "; ".join(dict.fromkeys(errors))} if errors else {}
    keys = [key for given in inputs for key in keys_of(given)]
    return Row(values, trace.source, trace.line), keys


def _first(read: Callable[[object], str | None], values: Sequence[object]) -> str | None:
    return next((text for value in values if (text := read(value)) is not None), None)


def _retrieved(steps: Sequence[Step]) -> list[Sequence[object]]:
    """The documents of each retrieval: of the last reranker, else of the outermost retrievers."""
    found = [step for step in steps if step.documents is not None]
    reranked = [step.documents for step in found if step.is_rerank and step.documents]
    if reranked:
        return [reranked[-1]]
    by_id = {step.id: step for step in steps}
    with_documents = {step.id for step in found if step.documents}
    return [
        step.documents
        for step in found
        if step.documents is not None and not _is_inside(step, with_documents, by_id)
    ]


def _is_inside(step: Step, outer: set[object], by_id: Mapping[object, Step]) -> bool:
    """Whether a step that contains this one returned documents too: a retriever of retrievers."""
    seen: set[object] = {step.id}
    parent = by_id.get(step.parent)
    while parent is not None and parent.id not in seen:
        if parent.id in outer:
            return True
        seen.add(parent.id)
        parent = by_id.get(parent.parent)
    return False


def _joined(retrievals: Sequence[Sequence[object]]) -> list[object]:
    """The documents of all retrievals; one that was found again counts once."""
    joined: dict[object, object] = {}
    for documents in retrievals:
        for document in documents:
            parts = parts_of(document) or {"text": document}
            id = next((parts[key] for key in ID_KEYS if parts.get(key) is not None), None)
            text = next((parts[key] for key in TEXT_KEYS if parts.get(key) is not None), None)
            # Within one list nothing is removed: what a retriever returned twice it returned twice.
            key = (str(id), str(text)) if len(retrievals) > 1 else len(joined)
            joined.setdefault(key, document)
    return list(joined.values())
