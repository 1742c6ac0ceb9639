"""Read what benchmarks of agents leave: BFCL's possible answers and results, tau-bench's trajectories."""

import ast
from collections.abc import Collection, Mapping

from ragauge.conversations.tool_calls import list_of, mapping_of
from ragauge.loaders.shapes.reader import Shape, Values, read_rows
from ragauge.loaders.table import Table
from ragauge.samples.samples import Row

TAU_BENCH = {"traj", "reward", "task_id"}
BFCL_MADE, BFCL_RIGHT = "result", "ground_truth"


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with these benchmarks' rows as conversations; others as they are."""
    columns = set(table.columns()) - set(keep)
    if BFCL_MADE in columns and any(map(_is_of_bfcl, table.rows)):
        read = [_with_messages(row.values) for row in table.rows]
        table = table.with_values(read, "read 'result' of BFCL as messages")
    if not (columns >= TAU_BENCH or BFCL_RIGHT in columns):
        return table
    return read_rows(table, (_tau_bench, _right_in_bfcl, BFCL_ASKED), keep)


BFCL_ASKED = Shape(
    takes={"question": "question[0]: message", "tools": "function: list"},
    unless=(),
    note="the messages of BFCL as question, 'function' as tools",
)


def _tau_bench(values: Values, announce: dict[str, None]) -> None:
    """A trajectory. Its reward, 1 or 0, compares the database at the end: `state_match` repeats it."""
    if not values.keys() >= TAU_BENCH or not isinstance(values["traj"], list):
        return
    task, trial = values.pop("task_id"), values.pop("trial", None)
    values |= {"id": str(task), "messages": values.pop("traj"), "expected_state": {"reward": 1}}
    values["state"] = {"reward": values["reward"]}
    values.pop("info", None)
    if isinstance(trial, int):
        values |= {"id": f"{task}#{trial + 1}", "repeat_of": str(task), "repeat": trial + 1}
    announce["'traj' of tau-bench as messages, its reward as the state at the end"] = None


def _right_in_bfcl(values: Values, announce: dict[str, None]) -> None:
    if _named_arguments(values.get(BFCL_RIGHT)):
        values["expected_calls"] = values.pop(BFCL_RIGHT)
        announce["'ground_truth' of BFCL as expected_calls"] = None


def _is_of_bfcl(row: Row) -> bool:
    right, made = row.values.get(BFCL_RIGHT), row.values.get(BFCL_MADE)
    return bool(_named_arguments(right) or _named_arguments(made) or _calls_of(made))


def _named_arguments(calls: object) -> list[tuple[str, object]]:
    """The names and arguments of calls as BFCL writes them, [{name: arguments}]; empty if it is something else."""
    items = [mapping_of(call) for call in list_of(calls) or ()]
    named = [next(iter(call.items())) for call in items if len(call) == 1]
    is_each = len(named) == len(items) and all(isinstance(each, str | Mapping) for _, each in named)
    return named if is_each else []


def _with_messages(values: Mapping[str, object]) -> Mapping[str, object]:
    """The row with the result of a model as a message: calls, also such as `[book(city="Oslo")]`, or a text."""
    made = values.get(BFCL_MADE)
    calls = _named_arguments(made) or _calls_of(made)
    if not calls and not isinstance(made, str):
        return values
    message: Values = {"role": "assistant", "content": "" if calls else made}
    if calls:
        message["tool_calls"] = [{"name": name, "arguments": each} for name, each in calls]
    kept = {name: value for name, value in values.items() if name != BFCL_MADE}
    return kept | {"messages": [message]}


def _calls_of(text: object) -> list[tuple[str, object]]:
    """The calls of a list in Python source, with literal keyword arguments; none if it is something else."""
    if not isinstance(text, str) or not text.lstrip().startswith("["):
        return []
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
        nodes = parsed.elts if isinstance(parsed, ast.List) else []
        return [
            (ast.unparse(node.func), {str(each.arg): ast.literal_eval(each.value) for each in node.keywords})
            for node in nodes
            if isinstance(node, ast.Call) and not node.args
        ]  # fmt: skip
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
