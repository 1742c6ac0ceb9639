"""Read files of benchmarks and evaluation tools that hold more, or other things, than a row for each answer."""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragauge.errors import Problem
from ragauge.loaders.mapping import field_of
from ragauge.loaders.shapes.reader import Values, found, read_rows
from ragauge.loaders.table import (
    ASKING,
    Table,
    items_in,
    last_text,
    mapping_in,
    mappings_in,
    text_of,
)
from ragauge.samples.fields import Row

Read = tuple[Sequence[Row], str]  # the rows, and what they were read from


def recognised(table: Table, keep: Collection[str] = ()) -> Table:
    """The table with a row for each answer, or each question, that such a file holds; others as they are."""
    if table.rows and not set(keep) & set(table.columns):
        readers = (_promptfoo_results, _promptfoo_table, _helm_requests, _events, _articles)
        read = next((read for reader in readers if (read := reader(table.rows))), None)
        if read is not None:
            table = replace(table, rows=tuple(read[0]), notes=(*table.notes, f"read {read[1]}"))
    columns = set(table.columns) - set(keep)
    made = [row.values.get("result") for row in table.rows]
    right = [row.values.get("ground_truth") for row in table.rows]
    is_bfcl = any(map(_calls_of, (*right, *made))) or any(map(_calls_in, made))
    if "result" in columns and (is_bfcl or any(_logged(row.values) for row in table.rows)):
        messages = (_with_messages(row.values) for row in table.rows)
        table = table.with_values(messages, "read 'result' of BFCL as messages")
    if "ground_truth" in columns or any(columns >= keys for keys in TO_READ):
        return read_rows(table, (_tau_bench, _right_in_bfcl, _asked_in_bfcl), keep)
    return table


EXPECTS_TEXT = (  # assertions of promptfoo whose value is an expected answer, or words of it
    "equals", "similar", "factuality", "contains", "icontains", "model-graded-factuality",
)  # fmt: skip
_OUTPUT = re.compile(r"\[(?P<provider>[^\]]+)\] ")
_VERDICT = re.compile(r"\[(?:PASS|FAIL|ERROR)\] ?(?:\([^)]*\) ?)?")
_EXPECTED = re.compile(
    rf"(?:(?P<kind>{'|'.join(EXPECTS_TEXT)})(?:\([^)]*\))?:)?(?P<text>.*)", re.DOTALL
)
_ASSERTION = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\([^)]*\))?:")


def _promptfoo_results(rows: Sequence[Row]) -> Read | None:
    read: list[Row] = []
    for row in rows:
        values, names = row.values, row.values.keys()
        is_test = {"promptIdx", "promptId", "testCase", "testIdx"} & names
        is_test = is_test or {"prompt", "success"} <= names
        is_run = {"response", "provider", "gradingResult"} & names
        if not (isinstance(values.get("vars"), Mapping) and is_test and is_run):
            return None
        output = response = values.get("response")
        if isinstance(response, Mapping):
            output = found(values, "response.output")
        answer = output if output is None or isinstance(output, str) else str(output)
        given: Values = {"answer": answer}
        if values.get("testIdx") is not None:
            given["id"] = str(values["testIdx"])
        if name := found(values, "provider.id | provider: text"):
            prompt = values.get("promptIdx")
            given["system"] = f"{name} (prompt {prompt})" if prompt else name
        assertions = mappings_in(found(values, "testCase.assert"))
        right = [each.get("value") for each in assertions if each.get("type") in EXPECTS_TEXT]
        expected = [text for text in right if isinstance(text, str)]
        given = _with_variables(given, mapping_in(values["vars"]), expected)
        read.append(Row(given, row.source, row.line))
    return read, "the results of promptfoo: a row per test and provider"


def _promptfoo_table(rows: Sequence[Row]) -> Read | None:
    names = dict.fromkeys(name for row in rows for name in row.values)
    outputs = {name: matched["provider"] for name in names if (matched := _OUTPUT.match(name))}
    cells = [row.values.get(name) for row in rows for name in outputs]
    if not cells or not all(isinstance(cell, str) and _VERDICT.match(cell) for cell in cells):
        return None
    read: list[Row] = []
    for number, row in enumerate(rows):
        expected: list[str] = []
        of_test = {name: cell for name, cell in row.values.items() if name not in outputs}
        others = {name: cell for name, cell in of_test.items() if not name.startswith("__expected")}
        for cell in (cell for name, cell in of_test.items() if name not in others):
            if isinstance(cell, str) and (matched := _EXPECTED.fullmatch(cell)):
                text = matched["text"].strip()
                if text and (matched["kind"] or not _ASSERTION.match(matched["text"])):
                    expected.append(text)
        for name, provider in outputs.items():
            answer = _VERDICT.sub("", cast(str, row.values[name]), count=1)
            given: Values = {"id": str(number), "system": provider, "answer": answer}
            read.append(Row(_with_variables(given, others, expected), row.source, row.line))
    return read, "the table of promptfoo: a row per test and provider"


def _with_variables(
    given: Values, variables: Mapping[str, object], expected: Sequence[str]
) -> Values:
    """The variables of a test beside its output: an answer among them is the expected one."""
    for key, value in variables.items():
        field = field_of(key)
        field = "references" if field == "answer" else field
        if field is not None and field not in given:
            given[field] = value
        elif isinstance(value, str | int | float):
            given.setdefault(key, value)
    if expected:
        given.setdefault("references", list(expected))
    return given


HELM = {
    "id": "instance.id",
    "system": "request.model",
    "question": "instance.input.text",
    "answer": "result.completions[0].text",
    "references": "instance.references",
    "split": "instance.split",
}


def _helm_requests(rows: Sequence[Row]) -> Read | None:
    if not all({"instance", "result"} <= row.values.keys() for row in rows):
        return None
    read: list[Row] = []
    for row in rows:
        values = {name: found(row.values, path) for name, path in HELM.items()}
        if isinstance(answer := values["answer"], str):
            choices = mapping_in(row.values.get("output_mapping"))
            values["answer"] = choices.get(answer.strip(), answer)
        given = items_in(values["references"])
        right = [each for each in given if "correct" in items_in(found(each, "tags"))]
        texts = [found(each, "output.text: text") for each in right]
        values["references"] = [text for text in texts if text is not None] or None
        read.append(Row(values, row.source, row.line))
    return read, "the requests of HELM"


def _events(rows: Sequence[Row]) -> Read | None:
    """One row for each sample of OpenAI's evals: question and answer, what was expected, whether it matched."""
    events: list[Row] = []
    for row in rows:
        is_event = {"sample_id", "type", "data"} <= row.values.keys()
        if is_event and isinstance(row.values["data"], Mapping):
            events.append(row)
        elif not {"spec", "final_report"} & row.values.keys():
            return None
    if not events:
        return None
    models = [name for row in rows for name in items_in(found(row.values, "spec.completion_fns"))]
    samples: dict[object, Row] = {}
    for row in events:
        id, event = row.values["sample_id"], mapping_in(row.values["data"])
        sample = samples.setdefault(id, Row({"id": id}, row.source, row.line))
        values = cast(Values, sample.values)
        if models:
            values["system"] = ", ".join(map(str, models))
        if row.values["type"] == "sampling":
            prompt, sampled = event.get("prompt"), event.get("sampled")
            values["question"] = prompt if isinstance(prompt, str) else last_text(prompt, ASKING)
            values["answer"] = text_of(items_in(sampled)[0] if items_in(sampled) else sampled)
        names = ("expected", "options", "ideal")
        if (right := next((event[name] for name in names if event.get(name)), None)) is not None:
            values["references"] = [right] if isinstance(right, str) else right
        if isinstance(event.get("correct"), bool):
            values["correct"] = event["correct"]
    counted = f"{len(rows):,} events of OpenAI's evals as {len(samples):,} samples"
    return list(samples.values()), counted


def _articles(rows: Sequence[Row]) -> Read | None:
    """One row for each question of SQuAD."""
    read: list[Row] = []
    for row in rows:
        paragraphs = mappings_in(row.values.get("paragraphs"))
        paragraphs = [p for p in paragraphs if isinstance(p.get("qas"), list) and "context" in p]
        if not paragraphs:
            return None
        for paragraph, question in (
            (p, each) for p in paragraphs for each in mappings_in(p["qas"])
        ):
            is_impossible = question.get("is_impossible")
            texts = [answer.get("text") for answer in mappings_in(question.get("answers"))]
            values: Values = {
                "id": question.get("id"),
                "question": question.get("question"),
                "references": list(dict.fromkeys(texts)) if "answers" in question else None,
                "gold_contexts": [paragraph["context"]],
                "answerable": None if is_impossible is None else not is_impossible,
                "title": row.values.get("title"),
            }
            read.append(Row(values, row.source, row.line))
    return read, f"{len(rows):,} articles of SQuAD as {len(read):,} questions"


TAU_BENCH, TAU2_BENCH = {"task_id", "reward", "traj"}, {"task_id", "reward_info", "messages"}


def _tau_bench(values: Values, announce: dict[str, None]) -> None:
    """A trajectory. Its reward, 1 or 0, compares the database at the end: `state_match` repeats it."""
    of_version = (TAU_BENCH, "traj"), (TAU2_BENCH, "messages")
    said = next((said for keys, said in of_version if values.keys() >= keys), None)
    if said is None or not isinstance(values[said], list):
        return
    values |= mapping_in(values.pop("reward_info", None))
    values |= {"cost_usd": values.pop("agent_cost")} if "agent_cost" in values else {}
    task, trial, reward = values.pop("task_id"), values.pop("trial", None), values.get("reward")
    values |= {"id": str(task), "messages": values.pop(said), "expected_state": {"reward": 1}}
    values["state"] = None if reward is None else {"reward": reward}
    values.pop("info", None)
    if isinstance(trial, int):
        values |= {"id": f"{task}#{trial + 1}", "repeat_of": str(task), "repeat": trial + 1}
    announce[f"{said!r} of tau-bench as messages, its reward as the state at the end"] = None


TO_READ = (TAU_BENCH, TAU2_BENCH, {"question", "function"})


def _asked_in_bfcl(values: Values, announce: dict[str, None]) -> None:
    """A case: what the user says at its only turn, and the tools."""
    turns, tools = items_in(values.get("question")), mappings_in(values.get("function"))
    asked = last_text(turns[0], ASKING) if len(turns) == 1 else None
    if asked is None or not tools:
        return
    values["question"] = asked
    del values["function"]
    values["tools"] = [{**tool, "name": _name_of(tool.get("name"))} for tool in tools]
    announce["the messages of BFCL as question, 'function' as tools"] = None


def _name_of(given: object) -> str:
    """A tool's name as BFCL gives it to models that are called with tools: `math.add` is `math_add`."""
    return str(given).replace(".", "_")


def _right_in_bfcl(values: Values, announce: dict[str, None]) -> None:
    right = values.get("ground_truth")
    turns = items_in(right)
    if turns and all(isinstance(turn, list) for turn in turns):
        calls = [_calls_in(_listed(turn)) for turn in turns]
        if [*map(len, calls)] != [len(items_in(turn)) for turn in turns]:
            return
        # A call by position is right whatever it is given: its file names no parameters.
        values["expected_calls"] = [[_as_call(*call) for call in turn] for turn in calls]
    elif calls := _calls_of(right):
        values["expected_calls"] = [_as_call(*call) for call in calls]
    else:
        return
    del values["ground_truth"]
    announce["'ground_truth' of BFCL as expected_calls"] = None


def _as_call(name: str, arguments: object) -> Values:
    is_by_place = any(key.isdecimal() for key in mapping_in(arguments))
    return {"name": name} if is_by_place else {"name": name, "arguments": arguments}


def _with_messages(values: Mapping[str, object]) -> Mapping[str, object]:
    """The row with what a model did as messages: a result of calls or a text, or the log of several turns."""
    made = values.get("result")
    messages = _logged(values)
    if not messages:
        calls = _calls_of(made) or _calls_in(made)
        if not calls and not isinstance(made, str) and made != []:
            return values
        messages = [_reply(made or "", calls)]
    kept = {name: each for name, each in values.items() if name not in ("result", "inference_log")}
    # Of the calls is said in other files what is right: a text is scored as no call.
    return {"tools": None, **kept, "messages": messages}


def _reply(made: object, calls: Sequence[tuple[str, object]]) -> Values:
    message: Values = {"role": "assistant", "content": "" if calls else made}
    if calls:
        message["tool_calls"] = [{"name": name, "arguments": each} for name, each in calls]
    return message


def _logged(values: Mapping[str, object]) -> list[object]:
    """The messages of the turns in BFCL's log: what the user says, each step's calls, and their results."""
    messages: list[object] = []
    for turn in mappings_in(values.get("inference_log")):
        messages += items_in(turn.get("begin_of_turn_query"))
        for each in (each for step in turn.values() for each in mappings_in(step)):
            said = each.get("content")
            if each.get("role") == "assistant":
                calls = _calls_of(said) or _calls_in(said)
                messages.append(_reply("" if said in ("[]", []) else said, calls))
            elif each.get("role") == "tool":
                messages.append({"role": "tool", "content": said})
            elif "tool_calls" not in mapping_in(messages[-1] if messages else None):
                calls = _calls_in(_listed(each.get("model_response_decoded")))
                messages[-1:] = [_reply(None, calls)] if calls else messages[-1:]
    return messages


def _listed(calls: object) -> str:
    """Calls in Python source, each a text, as the source of their list."""
    return f"[{', '.join(map(str, items_in(calls)))}]"


def _calls_of(given: object) -> list[tuple[str, object]]:
    """The names and arguments of calls as BFCL writes them, [{name: arguments}]; none if it is something else."""
    calls = [list(mapping_in(call).items()) for call in items_in(given)]
    is_each = all(len(call) == 1 and isinstance(call[0][1], str | Mapping) for call in calls)
    return [(_name_of(call[0][0]), call[0][1]) for call in calls] if is_each else []


def _calls_in(text: object) -> list[tuple[str, object]]:
    """The calls of a list in Python source with literal arguments, those without a name by their place; none of others."""
    if not isinstance(text, str) or not text.lstrip().startswith("["):
        return []
    calls: list[tuple[str, object]] = []
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
        for node in parsed.elts if isinstance(parsed, ast.List) else ():
            if isinstance(node, ast.Call):
                named = ((each.arg, each.value) for each in node.keywords)
                arguments = [*enumerate(node.args), *named]
                given = {str(name): ast.literal_eval(value) for name, value in arguments}
                calls.append((_name_of(ast.unparse(node.func)), given))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    return calls


def is_legalbench(table: Table, column: str) -> bool:
    """Whether the table is LegalBench-RAG's, its gold ("snippets") or its "retrieved_passages", without ids."""
    return {"query", column} <= {*table.columns} and "id" not in map(field_of, table.columns)


def as_legalbench(table: Table, column: str = "") -> Table:
    """The table with positions as ids and snippets as `gold_contexts`, if it is LegalBench-RAG's or must be, by `column`."""
    known = (name for name in ("snippets", "retrieved_passages") if is_legalbench(table, name))
    if not (column := column or next(known, "")):
        return table
    ids = [name for name in table.columns if field_of(name) == "id"]
    notes = [f"left out column {name!r}: rows are paired by position" for name in ids]
    problems, rows = list(table.problems), list[Values]()
    for at, row in enumerate(table.rows, 1):
        missing = [name for name in ("query", column) if row.values.get(name) is None]
        problems += [Problem("is missing", row.source, row.line, name) for name in missing]
        values = {name: value for name, value in row.values.items() if name not in ids}
        rows.append({"id": str(at)} | values)
        if column == "snippets":
            snippets = rows[-1].pop(column, None) or ()
            answers = [mapping_in(snippet).get("answer") for snippet in items_in(snippets)]
            texts = [text for text in answers if isinstance(text, str)]
            unread = (n for n, text in enumerate(answers, 1) if not isinstance(text, str))
            wrong = [f"item {n} has no text under 'answer'" for n in unread]
            wrong = wrong if isinstance(snippets, list | tuple) else ["must be a list of objects"]
            problems += [Problem(problem, row.source, row.line, column) for problem in wrong]
            rows[-1]["gold_contexts"] = texts
    if n := sum(row["gold_contexts"] == [] for row in rows if column == "snippets"):
        notes.append(f"{n} of {len(rows)} queries {'has' if n == 1 else 'have'} no gold snippet")
    return replace(table.with_values(rows, *notes), problems=tuple(problems))


def legalbench_pairs(predictions: Sequence[Table], gold: Table) -> tuple[list[Table], Table]:
    """Predictions and their gold, with a problem where one does not match the gold at its position."""
    gold = as_legalbench(gold, "snippets")
    paired: list[Table] = []
    for given in predictions:
        table = as_legalbench(given, "retrieved_passages")
        problems = [] if table.problems or gold.problems else _unpaired(table, gold)
        paired.append(replace(table, problems=(*table.problems, *problems)))
    return paired, gold


def _unpaired(predictions: Table, gold: Table) -> list[Problem]:
    """What differs between predictions and the gold at their positions."""
    problems: list[Problem] = []
    n_here, n_gold = len(predictions.rows), len(gold.rows)
    if n_here != n_gold:
        text = f"number of predictions ({n_here}) differs from the number of queries in {gold.source} ({n_gold}); both are paired by position"
        problems.append(Problem(text, predictions.source))
    for row, expected in zip(predictions.rows, gold.rows, strict=False):
        if row.values["query"] == expected.values["query"]:
            continue
        texts = [repr(each.values["query"]) for each in (row, expected)]
        here, there = (text if len(text) <= 80 else f"{text[:79]}…" for text in texts)
        place = gold.source if expected.line is None else f"{gold.source}:{expected.line}"
        text = f"is {here}, but {there} at the same position in {place}"
        id = cast(str, row.values["id"])
        problems.append(Problem(text, row.source, row.line, "query", id))
        if n_here != n_gold:
            break  # after a gap, all later positions differ
    return problems
