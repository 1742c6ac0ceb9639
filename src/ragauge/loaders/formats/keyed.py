"""Read a JSON object without a list of samples, whose keys are ids or the names of evaluators."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import cast

from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import listed
from ragauge.loaders.values import items_in, mapping_in, mappings_in

TELLING = ("question", "answer", "references", "contexts")
"""Fields of which a sample has at least one."""
JUDGED = ("query", "response", "contexts", "reference")
"""What LlamaIndex's result of an evaluator says of the answer, and not of its score."""
SPLITS = frozenset({"train", "test", "validation", "valid", "val", "dev", "eval"})
HOTPOT = {"answer", "sp"}  # HotpotQA's predictions: answers and supporting facts by id
CORPUS = ("queries", "corpus", "relevant_docs")
"""LlamaIndex's data set of questions for embeddings: texts by id."""
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
    """The samples of lists by system, or by split; None for an object of another kind.

    Lists are systems if each shares at least half of its questions, by id or text, with the first.
    """
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
