"""Read one JSON document: a list of objects, an object that contains such a list, or columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import cast

from ragauge.conversations.exports import exported
from ragauge.conversations.transcript import role_of
from ragauge.errors import Problem
from ragauge.loaders.formats.files import text_lines
from ragauge.loaders.formats.jsonl import (
    JsonError,
    JsonReader,
    kind_of,
    object_problem,
    read_jsonl,
    repeated_problem,
    skip_blank,
)
from ragauge.loaders.mapping import field_of, folded
from ragauge.loaders.shapes.conversations import CHATS
from ragauge.loaders.shapes.nested import is_result
from ragauge.loaders.table import Table, items_in, listed, mapping_in, mappings_in, unreadable
from ragauge.samples.fields import Row

MAX_DOCUMENT_LINE = 2**30  # longest line of a document in bytes; a document is often a single line
SAMPLE_LISTS = (  # usual keys of the samples, for documents with several lists
    "samples", "data", "examples", "results", "rows", "records", "items", "questions", "tests",
    "test_cases", "test_results", "predictions", "answers", "dataset",
)  # fmt: skip

_Object = dict[str, object]
_Lists = Mapping[str, Sequence[object]]


def read_json(path: Path) -> Table:
    """The document's objects with their lines; rows made from columns have none."""
    source = str(path)
    problems: list[Problem] = []
    text = "".join(line for _, line in text_lines(path, problems, longest=MAX_DOCUMENT_LINE))
    if problems:
        return Table((), source, problems=tuple(problems))
    if not text or text.isspace():
        return unreadable(source, "holds no samples: the file is empty")
    walk = _Walk(text, source)
    try:
        document = walk.document()
    except JsonError as error:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        are_objects = all(line.startswith("{") and line.endswith("}") for line in lines)
        if "follows the value" in error.problem and are_objects:
            note = "read as JSON Lines: it has one object per line"
            return replace(read_jsonl(path), notes=(note,))
        return unreadable(source, *error.place_in(text))
    if isinstance(document, list):
        items = cast("list[object]", document)
        messages = exported(items) or items
        if _are_messages(items) and all("role" in mapping_in(each) for each in messages):
            return Table((Row({"messages": items}, source, 1),), source, (), tuple(walk.problems))
        return walk.table(items)
    if isinstance(document, dict):
        return _from_members(cast(_Object, document), walk)
    return unreadable(source, f"is {kind_of(document)}, but must be a list of objects")


class _Walk:
    """Parses the two outer levels of a JSON text; keeps the lines of items and the duplicate keys."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self._lines: dict[int, tuple[Sequence[object], Sequence[int]]] = {}
        """Lists and the lines of their items, by the list's `id`, which is its own as long as the list is kept."""
        self._text, self._place, self._line, self._counted_to = text, 0, 1, 0
        self._reader = JsonReader()

    def document(self) -> object:
        """The only value of the text."""
        members: _Object = {}
        is_object = self._at("{")
        for _ in self._between("{", "}") if is_object else ():
            if not self._at('"'):
                raise JsonError("is not JSON: expecting a name in double quotes", self._place)
            line, name = self.line_at(self._place), cast(str, self._value())
            if name in members:
                self.problems.append(Problem(repeated_problem((name,)), self.source, line))
            self._take(":")
            members[name] = self._items_or_value()
        document = members if is_object else self._items_or_value()
        if not self._at(""):
            raise JsonError("is not JSON: something follows the value", self._place)
        return document

    def line_at(self, place: int) -> int:
        """The line of a place. Call it with rising places."""
        self._line += self._text.count("\n", self._counted_to, place)
        self._counted_to = max(place, self._counted_to)
        return self._line

    def keep_lines(self, items: Sequence[object], lines: Sequence[int]) -> None:
        self._lines[id(items)] = items, lines

    def lines_of(self, items: Sequence[object]) -> Sequence[int]:
        """The lines of a list's items; empty if they are not known."""
        return self._lines.get(id(items), (items, ()))[1]

    def table(self, items: Sequence[object], notes: tuple[str, ...] = ()) -> Table:
        """The objects of a list as rows, with their lines if they are known; other items are problems."""
        rows: list[Row] = []
        lines: Sequence[int | None] = self.lines_of(items) or [None] * len(items)
        for item, line in zip(items, lines, strict=True):
            problem = f"is {kind_of(item)}, but must be an object"
            if isinstance(item, dict):
                rows.append(Row(cast(_Object, item), self.source, line))
                problem = object_problem(cast(_Object, item))
            if problem:
                self.problems.append(Problem(problem, self.source, line))
        return Table(tuple(rows), self.source, notes, tuple(self.problems))

    def _at(self, mark: str) -> bool:
        """Whether the mark comes next; an empty mark means the end of the text."""
        self._place = skip_blank(self._text, self._place)
        return self._text[self._place : self._place + 1] == mark

    def _take(self, mark: str, expected: str = "") -> None:
        if not self._at(mark):
            raise JsonError(f"is not JSON: expecting {expected or repr(mark)}", self._place)
        self._place += 1

    def _between(self, opening: str, closing: str) -> Iterator[None]:
        """Stop at each thing between the two marks, which the caller then reads."""
        self._take(opening)
        is_more = not self._at(closing)
        while is_more:
            yield
            if is_more := self._at(","):
                self._place = skip_blank(self._text, self._place + 1)
        self._take(closing, f"',' or {closing!r}")

    def _items_or_value(self) -> object:
        if not self._at("["):
            return self._value()
        items, lines = list[object](), list[int]()
        for _ in self._between("[", "]"):
            lines.append(self.line_at(self._place))
            items.append(self._value())
        self.keep_lines(items, lines)
        return items

    def _value(self) -> object:
        start = self._place
        value, self._place = self._reader.read(self._text, start)
        if repeated := self._reader.take_repeated():
            line = self.line_at(start)
            self.problems.append(Problem(repeated_problem(repeated), self.source, line))
        return value


def _from_members(members: _Object, walk: _Walk) -> Table:
    """The samples of an object: its columns, the object as the only row, or the rows under one of its keys."""
    source = walk.source

    def found(rows: Iterable[Row], *notes: str, problem: str = "") -> Table:
        problems = [*walk.problems, *([Problem(problem, source)] if problem else ())]
        return Table(tuple(rows), source, notes, tuple(problems))

    members = _with_inner_list(_in_columns(members, walk))
    lists = {name: items_in(members[name]) for name in members if isinstance(members[name], list)}
    if any(_are_messages(items) for name, items in lists.items() if name in CHATS):
        return found([Row(members, source, 1)])
    columns = [name for name in lists if field_of(name) and not _are_objects(lists[name])]
    if columns and len(lists) == len(members):
        lengths = {name: len(items) for name, items in lists.items()}
        if len(set(lengths.values())) > 1:
            counted = listed([f"{length} of {name!r}" for name, length in lengths.items()])
            return found((), problem=f"has columns of different lengths: {counted}")
        cells = zip(*lists.values(), strict=True)
        return found(Row(dict(zip(lists, values, strict=True)), source) for values in cells)
    examples, predictions = (lists.get(name, ()) for name in ("examples", "predictions"))
    if len(examples) == len(predictions) and all(map(_are_objects, (examples, predictions))):
        pairs: list[object] = [  # LlamaIndex's examples with the predictions for them
            {**example, **other}
            if isinstance(example, dict) and isinstance(other, dict)
            else example
            for example, other in zip(examples, predictions, strict=True)
        ]
        walk.keep_lines(pairs, walk.lines_of(examples))
        return walk.table(pairs)
    if (judged := judged_together(members)) is not None:
        note = f"read the results of {listed([repr(name) for name in lists])} together"
        return walk.table(judged, (note,))
    # One trace as Langfuse exports it.
    is_trace = "observations" in lists and bool({"input", "output", "trace"} & members.keys())
    is_sample = not members.keys() & set(SAMPLE_LISTS) and any(
        isinstance(member, str) and field_of(name) in ("question", "answer")
        for name, member in members.items()
    )
    if is_trace or is_sample or is_result(members):
        return found([Row(members, source, 1)])
    key = _sample_list(lists)
    if keyed := keyed_rows(members) or (rows_by_system(members) if key is None else None):
        return found((Row(values, source) for values in keyed[0]), keyed[1])
    if key is None:
        has = f"has the keys {listed([repr(name) for name in members])}" if members else "is empty"
        text = f"{has}, but must be a list of objects, or have such a list under 'samples'"
        if is_ranking(members):
            text = f"{has} with a number for each document: score it with 'ragauge rank QRELS RUN'"
        return found((), problem=text)
    left_out = listed([repr(name) for name in members if name != key])
    notes = (f"read the samples under {key!r}, left out {left_out}",) if left_out else ()
    return walk.table(lists[key], notes)


def _in_columns(members: _Object, walk: _Walk) -> _Object:
    """A frame as pandas, MLflow and W&B write it, as lists by column: rows, or values by index; others as they are."""
    names, rows = members.get("columns"), members.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        header, cells = cast("list[object]", names), cast("list[object]", rows)
        is_each = all(isinstance(row, list) for row in cells)
        is_each = is_each and all(len(items_in(row)) == len(header) for row in cells)
        if is_each and all(isinstance(name, str) for name in header):
            lists: _Object = {
                str(name): [items_in(row)[at] for row in cells] for at, name in enumerate(header)
            }
            for column in lists.values():
                walk.keep_lines(items_in(column), walk.lines_of(cells))
            return lists
    frames = {name: dict(mapping_in(given)) for name, given in members.items()}
    is_each = all(isinstance(given, dict) for given in members.values())
    indexes = {tuple(column) for column in frames.values()}
    if not is_each or len(indexes) != 1 or not any(map(str.isdecimal, *indexes)):
        return members
    return {name: list(column.values()) for name, column in frames.items()}


def _with_inner_list(members: _Object) -> _Object:
    """The members, with the samples of an inner object in its place: promptfoo's results.results."""
    if any(isinstance(member, list) for member in members.values()):
        return members
    for name, key in product(SAMPLE_LISTS, SAMPLE_LISTS):
        items = mapping_in(members.get(name)).get(key)
        if isinstance(items, list) and _are_objects(cast("list[object]", items)):
            return {**members, name: cast(object, items)}
    return members


def _sample_list(lists: _Lists) -> str | None:
    """The key of the only list that can be the samples, or None."""
    names = [name for name, items in lists.items() if _are_objects(items)]
    names = names or [name for name, items in lists.items() if not items]
    if len(names) > 1:
        names = [name for name in names if folded(name) in SAMPLE_LISTS]
    return names[0] if len(names) == 1 else None


def _are_messages(items: Sequence[object]) -> bool:
    """Whether the items are what user and assistant say: one conversation."""
    roles = {role_of(item) for item in exported(items) or items}
    return {"user", "assistant"} <= roles and None not in roles


def _are_objects(items: Sequence[object]) -> bool:
    return bool(items) and isinstance(items[0], dict)


TELLING = ("question", "answer", "references", "contexts")  # of which a sample has one
JUDGED = ("query", "response", "contexts", "reference")  # what LlamaIndex's result repeats
SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "eval"})
HOTPOT = {"answer", "sp"}  # HotpotQA's predictions: answers and supporting facts by id
CORPUS = ("queries", "corpus", "relevant_docs")  # of LlamaIndex's questions for embeddings
_SCORED = {"query", "response", "score"}
Values = Mapping[str, object]


KeyedRows = tuple[Sequence[Values], str]  # the rows, and a note on how they were read


def keyed_rows(members: Values) -> KeyedRows | None:
    """The samples by id, or the answers by id; None for an object of another kind."""
    readers = (_questions_of_corpus, _evaluated, _simulated)
    if (read := next((read for reader in readers if (read := reader(members))), None)) is not None:
        return read
    if set(members) == HOTPOT and isinstance(members["answer"], Mapping):
        return keyed_rows(cast(Values, members["answer"]))
    keys = listed([repr(key) for key in members], most=2)
    if members and all(isinstance(value, str) for value in members.values()):
        if len(members) < 2 or not all(any(map(str.isdigit, key)) for key in members):
            return None  # settings rather than answers
        rows = [{"id": key, "answer": text} for key, text in members.items()]
        return rows, f"read the keys ({keys}) as ids and the texts as answers"
    if not members or not all(_is_sample(value) for value in members.values()):
        return None
    samples = {key: mapping_in(value) for key, value in members.items()}
    if any(field_of(name) == "id" for sample in samples.values() for name in sample):
        return list(samples.values()), f"read the samples under the keys {keys}"
    return [
        {"id": key, **sample} for key, sample in samples.items()
    ], f"read the keys ({keys}) as ids"


def _questions_of_corpus(members: Values) -> KeyedRows | None:
    """The questions of LlamaIndex's data set for embeddings, with their passages as gold."""
    if not all(isinstance(members.get(name), Mapping) for name in CORPUS):
        return None
    queries, texts, relevant = (mapping_in(members[name]) for name in CORPUS)
    rows: list[Values] = []
    for id, question in queries.items():
        gold = list(items_in(relevant.get(id)))
        passages = [texts[doc] for doc in gold if isinstance(doc, str) and doc in texts]
        rows.append({"id": id, "question": question, "gold_contexts": passages, "relevant": gold})
    return rows, "read 'queries' as questions and 'relevant_docs' as their gold"


def _evaluated(members: Values) -> KeyedRows | None:
    """The answers of several models to the tasks of InspectorRAGet, as MTRAG's, with the medians of people's ratings."""
    names = ("tasks", "documents", "evaluations")
    tasks, documents, given = (mappings_in(members.get(name)) for name in names)
    asked = {"task_id", "model_id", "model_response"}
    is_each = all("task_id" in each for each in tasks) and all(asked <= {*each} for each in given)
    if not given or not is_each:
        return None
    texts = {each.get("document_id"): each for each in documents}
    by_id = {each["task_id"]: each for each in tasks}
    rows: list[Values] = []
    for each in given:
        task = by_id.get(each["task_id"], {})
        row = {name: value for name, value in task.items() if name != "annotations"}
        found = mappings_in(task.get("contexts"))
        row["contexts"] = [{**texts.get(text.get("document_id"), {}), **text} for text in found]
        row |= {"system": each["model_id"], "prediction": each["model_response"]}
        conversation, mark, turn = str(each["task_id"]).rpartition("<::>")
        if mark:  # MTRAG's ids are those of a conversation and a turn
            row |= {"conversation_id": conversation, "turn": turn}
            row.pop("Turn", None)
        for name, rated in mapping_in(each.get("annotations")).items():
            by_person = mapping_in(rated)
            values = [str(mapping_in(rating).get("value")) for rating in by_person.values()]
            numbers = [float(value) for value in values if value.isdecimal()]
            if numbers and "system" not in by_person:
                row[f"people_{name}"] = median(numbers)
        rows.append(row)
    return rows, "read 'evaluations' with their 'tasks' and 'documents', a row for each model"


def _simulated(members: Values) -> KeyedRows | None:
    """The simulated conversations of tau2-bench, with the agent's model as their system."""
    simulations = mappings_in(members.get("simulations"))
    if not simulations or not all({"task_id", "messages"} <= {*each} for each in simulations):
        return None
    agent = mapping_in(mapping_in(members.get("info")).get("agent_info")).get("llm")
    system = {"system": agent} if agent else {}
    return [{**each, **system} for each in simulations], "read the 'simulations' of tau2-bench"


def rows_by_system(members: Values) -> KeyedRows | None:
    """The samples of lists by split, or by system, which share half of their questions with the first; None of others."""
    lists = {
        name: mappings_in(items)
        for name, items in members.items()
        if items_in(items) and all(map(_is_sample, items_in(items)))
    }
    if len(lists) < 2 or len(lists) < len(members):
        return None
    column = "split" if lists.keys() <= SPLITS else "system"
    asked: list[set[str]] = []
    for samples in lists.values() if column == "system" else ():
        named = [{field_of(name): value for name, value in each.items()} for each in samples]
        own = zip(named, samples, strict=True)
        asked.append({repr(a.get("id", a.get("question", id(each)))) for a, each in own})
    if any(len(asked[0] & each) * 2 < max(len(asked[0]), len(each)) for each in asked):
        return None
    rows = [{column: name, **sample} for name, samples in lists.items() for sample in samples]
    names = listed([repr(name) for name in lists], most=5)
    return rows, f"read the samples under {names}, each name as a {column}"


def judged_together(members: Values) -> list[Values] | None:
    """The answers that several evaluators of LlamaIndex judged, each score as an extra field; None for other objects."""
    lists = {name: mappings_in(items) for name, items in members.items()}
    if not all(
        results
        and len(results) == len(items_in(members[name]))
        and all(r.keys() >= _SCORED for r in results)
        for name, results in lists.items()
    ):
        return None
    answers = [[(each["query"], each["response"]) for each in items] for items in lists.values()]
    if not answers or any(each != answers[0] for each in answers):
        return None
    return [
        {name: each[0][name] for name in JUDGED if name in each[0]}
        | {name: result["score"] for name, result in zip(lists, each, strict=True)}
        for each in zip(*lists.values(), strict=True)
    ]


def is_ranking(members: Values) -> bool:
    """Whether it has a number for each document of each query, as rankings and judgements in JSON have."""
    queries = [mapping_in(each).values() for each in members.values()]
    return bool(queries) and all(
        numbers and all(isinstance(number, int | float) for number in numbers)
        for numbers in queries
    )


def _is_sample(value: object) -> bool:
    return any(field_of(name) in TELLING for name in mapping_in(value))
