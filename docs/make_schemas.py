"""Generates src/ragauge/schemas/*.json from the tables and types of the readers: python docs/make_schemas.py

JSON Schema 2020-12 of a row of samples, a configuration, a suite, a check, a manifest and a summary.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import ragauge
from ragauge import suite
from ragauge.comparing.comparison import FRAME, MetricComparison
from ragauge.evaluation import config
from ragauge.judges.config import KEYS as JUDGE_KEYS
from ragauge.judges.config import LANGUAGE
from ragauge.label import PRECISIONS
from ragauge.loaders.documents import CONTAINER_KEYS, INNER_KEYS, TEXT_KEYS
from ragauge.loaders.pairing import Prefer
from ragauge.loaders.shapes.conversations import CHATS, OF_TURN
from ragauge.loaders.table import ANSWERING, ASKING
from ragauge.on_ray.executor import CLIENT
from ragauge.runs.findings import FindingMatch, MetricCaution
from ragauge.runs.manifest import (
    DIGEST,
    MAX_DIGITS,
    Manifest,
    MetricDisplay,
    PlanNode,
    StoredCode,
    StoredData,
    StoredUsage,
)
from ragauge.runs.summary import SUMMARY
from ragauge.samples.fields import FIELDS, NEITHER, NO, YES
from ragauge.score import KeptEvidence, Status

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(ragauge.__path__[0]) / "schemas"

Schema = dict[str, Any]
STRING: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
AT_LEAST_1: Schema = {"type": "integer", "minimum": 1}
ABOVE_0: Schema = {"type": "number", "exclusiveMinimum": 0}
NOT_NEGATIVE: Schema = {"type": "number", "minimum": 0}
TYPES: dict[object, Schema] = {
    str: STRING,
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    list: {"type": "array", "items": STRING},
    dict: {"type": "object", "additionalProperties": STRING},
    NoneType: {"type": "null"},
    object: {},
}
"""What a type of Python's is in JSON; lists and tables hold texts, unless a schema below says otherwise."""


def text(pattern: str) -> Schema:
    return {"type": "string", "pattern": pattern}


NOT_BLANK = text(r"\S")
LABEL = text(r"^\s*[A-Za-z_]([^@]|@(?!\s*$))*$")


def table_of(values: Schema, **more: object) -> Schema:
    return {"type": "object", "additionalProperties": values, **more}


def list_of(items: Schema, **more: object) -> Schema:
    return {"type": "array", "items": items, **more}


def choice(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def closed(properties: Mapping[str, Schema], required: Sequence[str] = ()) -> Schema:
    """An object with these keys and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def from_keys(
    keys: Mapping[str, type],
    notes: Mapping[str, str],
    needed: Sequence[str] = (),
    *,
    texts: Schema = STRING,
    **narrower: Schema,
) -> Schema:
    """A table of TOML from its reader's keys. `narrower`: what the reader asks of a value beyond its type."""
    types = {**TYPES, str: texts, list: list_of(texts)}
    made = {key: dict(narrower.get(key, types[kind])) for key, kind in keys.items()}
    for key in made.keys() & notes.keys():
        made[key]["description"] = notes[key]
    return closed(made, needed)


def notes_of(module: object) -> dict[str, dict[str, str]]:
    """The comments of the example in a module's docstring, by table and key."""
    notes: dict[str, dict[str, str]] = {"": {}}
    table = ""
    for line in (module.__doc__ or "").splitlines():
        found = re.match(r"    (?:\[+([\w.]+)\]+|(\w+) = .*?)(?:\s{2,}# (.*))?$", line)
        if found is None:
            continue
        header, key, comment = found.groups()
        table = header or table
        notes.setdefault(table, {})
        if comment:
            notes["" if header else table][header or key] = comment
    return notes


IN_64_BITS = {"exclusiveMinimum": -(2**63), "exclusiveMaximum": 2**63}
"""How large a stored number is, so that a frame can hold it."""
BOUNDS = {
    **dict.fromkeys(
        ("calls", "cached", "prompt_tokens", "completion_tokens", "failed"), COUNT | IN_64_BITS
    ),
    "seed": COUNT | IN_64_BITS,
    "digits": {**COUNT, "maximum": MAX_DIGITS},
}
"""What dataclasses ask of these fields beyond their types."""


def from_type(kind: Any, *, is_open: bool = False) -> Schema:
    """What `read_dataclass` reads as this type. `is_open`: other fields may be anything."""
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        types = get_type_hints(kind)
        needed = [each.name for each in fields(kind) if each.default is each.default_factory]
        made = closed({name: BOUNDS.get(name) or from_type(types[name]) for name in types}, needed)
        return {**made, "additionalProperties": is_open}
    if origin in (Union, UnionType):
        return choice(*map(from_type, inner))
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return list_of(from_type(inner[0]))
    if origin is Mapping:
        return table_of(from_type(inner[1]))
    return TYPES[kind] | (IN_64_BITS if kind in (int, float) else {})


TEXT: Schema = {"type": ["string", "number"]}
ID = choice(NOT_BLANK, TYPES[int])
GRADE: Schema = {"type": "integer", "exclusiveMinimum": -(2**31), "exclusiveMaximum": 2**31}
TO_DOCUMENT: Schema = {"$ref": "#/$defs/document"}


def with_any(keys: Iterable[str], value: Schema) -> list[Schema]:
    """An object that has one of these keys, with such a value."""
    return [{"required": [key], "properties": {key: value}} for key in keys]


DOCUMENT = choice(*with_any(TEXT_KEYS, STRING), *with_any(INNER_KEYS, TO_DOCUMENT))
RESULT = choice(*with_any(CONTAINER_KEYS, {"type": "array"}))
MESSAGE: Schema = {"type": "object", "anyOf": [{"required": ["role"]}, {"required": ["choices"]}]}
WORDS = "|".join(
    "".join(f"[{letter.upper()}{letter}]" for letter in word) for word in (*YES, *NO, *NEITHER)
)
FLAG = choice(TYPES[bool], {"enum": [0, 1]}, text(rf'^[" ]*({WORDS})(\.0)?[" ]*$'))
WHOLE = r"\d+(_\d+)*"
NUMBER = text(rf"^\s*\+?({WHOLE}\.?({WHOLE})?|\.{WHOLE})([eE][+-]?{WHOLE})?\s*$")
OF_KIND: dict[str, Schema] = {
    "flag": choice(FLAG, list_of(FLAG, minItems=1, maxItems=1)),
    "id": ID,
    "text": TEXT,
    "texts": choice(TEXT, list_of(TEXT)),
    "numbers": list_of(TYPES[float]),
    "number": choice(NOT_NEGATIVE, NUMBER),
    "grades": choice(
        table_of(GRADE, propertyNames=NOT_BLANK),
        list_of(choice(ID, closed({"id": ID, "grade": GRADE}, ["id", "grade"])), uniqueItems=True),
    ),
    "json": {},
}


def chat(roles: Sequence[str]) -> Schema:
    """Messages, one of them by one of these roles."""
    by = with_any(("role", "type", "speaker"), {"enum": list(roles)})
    return list_of({"type": "object"}, contains=choice(*by))


CALLS = list_of({"type": "object"})
EXPECTED_CALLS = choice(
    TYPES[NoneType],
    text(r"^\s*\["),
    CALLS,
    list_of(choice(TYPES[NoneType], CALLS, list_of(CALLS))),
)
"""Of a conversation: calls of its only turn, or a list over its turns."""


WITH_SCORE = {"prefixItems": [choice(TEXT, TO_DOCUMENT), TYPES[float]]}
PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2, **WITH_SCORE}
CONTEXT = choice(TEXT, TO_DOCUMENT, PAIR)
CONTEXTS = choice(TEXT, TO_DOCUMENT, {"type": "object", **RESULT}, list_of(CONTEXT))
AS_LOADED = {
    "question": choice(TEXT, MESSAGE, chat(ASKING)),
    "answer": choice(TEXT, MESSAGE, chat(ANSWERING)),
    "contexts": CONTEXTS,
    "gold_contexts": CONTEXTS,
}
"""Fields that `load` also takes as other tools write them: chats, documents."""


def sample() -> Schema:
    """A row of samples: one system's answer to one question, or a conversation, with lists over its turns."""
    properties = {
        name: {
            **choice({"type": "null"}, AS_LOADED.get(name) or OF_KIND[field.kind]),
            "description": f"{field.meaning}; null: {field.null}; empty: {field.empty}",
        }
        for name, field in FIELDS.items()
    }
    single = {name: {"anyOf": properties[name]["anyOf"]} for name in OF_TURN}
    for name in OF_TURN:
        value: Schema = {"$ref": f"#/$defs/{name}"}
        properties[name] |= choice(value, list_of(value))
    return {
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "if": choice(*({"required": [name]} for name in CHATS)),
        "then": {"properties": {"expected_calls": EXPECTED_CALLS}},
        "else": {"properties": {name: {"$ref": f"#/$defs/{name}"} for name in OF_TURN}},
        "$defs": {"document": {"type": "object", **DOCUMENT}, **single},
    }


def configuration() -> Schema:
    """A configuration of `ragauge run` (ragauge.toml). Paths are relative to the file."""
    notes = notes_of(config)
    of_texts = partial(from_keys, texts=NOT_BLANK)
    url = text("^https?://.")
    judge = of_texts(
        JUDGE_KEYS,
        notes["judge"],
        model=choice(NOT_BLANK, list_of(NOT_BLANK, minItems=1, uniqueItems=True)),
        base_url=url,
        price=list_of(NOT_NEGATIVE, minItems=2, maxItems=2),
        max_cost_usd=ABOVE_0,
        temperature=NOT_NEGATIVE,
        language=text(f"^{LANGUAGE.pattern}$"),
        **dict.fromkeys(
            ("repeat", "max_calls", "max_tokens", "window", "rpm", "tpm", "concurrency"), AT_LEAST_1
        ),
    )
    encoder = of_texts(
        config.ENCODER_KEYS,
        notes["encoder"],
        base_url=url,
        precision={"enum": list(PRECISIONS)},
        dimensions=AT_LEAST_1,
    )
    gate = of_texts(
        config.GATE_KEYS,
        notes["gate"],
        max_drop=choice(NOT_NEGATIVE, table_of(NOT_NEGATIVE)),
        on={"enum": list(config.DROP_JUDGED_ON)},
    )
    columns = {each: {**NOT_BLANK, "description": FIELDS[each].meaning} for each in FIELDS}
    suites = choice({"enum": list(suite.shipped_suites())}, text(r"\.toml$"))
    made = of_texts(
        config.KEYS,
        notes[""],
        prefer={"enum": list(get_args(Prefer))},
        evidence={"enum": list(get_args(KeptEvidence))},
        encoder=encoder,
        judge=judge,
        gate=gate,
        map=closed(columns),
        metrics=list_of(LABEL),
        on=text(f"^(ray|{CLIENT}.+)$"),
        suites=list_of(suites),
        systems=table_of(NOT_BLANK),
        seed=COUNT,
        **dict.fromkeys(("limit", "workers"), AT_LEAST_1),
    )
    return {**made, "not": {"required": ["data", "systems"]}}


SCALE = {**ABOVE_0, "maximum": suite.MAX_SCALE}
DIGITS = {**COUNT, "maximum": suite.MAX_DIGITS}
RULE_VALUES = {
    **dict.fromkeys(suite.RULES, STRING),
    "number": TEXT,
    "contains_any": TYPES[list],
    "list_coverage": from_keys(suite.LIST_KEYS, {}),
}


def check() -> Schema:
    """A table [[check]] of a suite: rules for some questions only."""
    notes = notes_of(suite)
    rule = {**closed(RULE_VALUES), "minProperties": 1, "maxProperties": 1}
    return from_keys(
        suite.CHECK_KEYS,
        notes["check"],
        ["rules"],
        rules=table_of(rule, minProperties=1, propertyNames=NOT_BLANK),
        holds=table_of(NOT_BLANK, propertyNames=NOT_BLANK),
        **dict.fromkeys(("where", "mean"), NOT_BLANK),
    )


def suite_file() -> Schema:
    """A suite: which metrics to compute, how they are displayed, and checks of single answers."""
    notes = notes_of(suite)
    metric = from_keys(
        suite.METRIC_KEYS,
        notes["metric"],
        ["label"],
        label=LABEL,
        name=NOT_BLANK,
        scale=SCALE,
        digits=DIGITS,
        show={"enum": list(suite.SHOWN_AS)},
        only_for={"enum": ["", *suite.ONLY_FOR]},
    )
    family = from_keys(suite.FAMILY_KEYS, notes["family"], list(suite.FAMILY_KEYS))
    share = {**NOT_NEGATIVE, "maximum": 1}
    finding = from_keys(
        suite.FINDING_KEYS, notes["finding"], ["when", "says"], when=NOT_BLANK, precision=share
    )
    some = (
        {"required": [key], "properties": {key: {"minItems": 1}}} for key in ("metric", "check")
    )
    lists = {"family": family, "metric": metric, "check": check(), "finding": finding}
    made = from_keys(
        suite.SUITE_KEYS,
        notes[""],
        ["name"],
        name=NOT_BLANK,
        scale=SCALE,
        digits=DIGITS,
        precision={"enum": list(suite.EMBEDDED_PRECISIONS)},
        **{key: list_of(item) for key, item in lists.items()},
    )
    return {**made, **choice(*some)}


def manifest() -> Schema:
    """manifest.json of a run folder: what determines the run's numbers, and how its scores are read."""
    made = from_type(Manifest)
    parts = [STRING, {}, from_type(str | None)]
    metric = {"type": "array", "minItems": len(parts), "prefixItems": parts}
    plan = {"nodes": list_of(from_type(PlanNode, is_open=True)), "metrics": list_of(metric)}
    usage = from_type(StoredUsage, is_open=True)
    made["properties"] |= {
        "plan": {"type": "object", "properties": plan},
        "data": from_type(StoredData, is_open=True),
        "code": from_type(StoredCode, is_open=True),
        "judging": table_of(usage),
        DIGEST: STRING,
    }
    kept = {"finished": STRING, "digests": {"minProperties": 1}}
    return {
        **made,
        "if": {"required": [*kept], "properties": kept},
        "then": {"required": [DIGEST]},
    }


def summary() -> Schema:
    """summary.json of a run folder, and what `ragauge run --output FILE.json` writes, which also has `scores`."""
    of_column = {
        **dict.fromkeys((*SUMMARY, "count"), from_type(float | None)),
        **dict.fromkeys(("system", "metric", "name", "note"), STRING),
        **dict.fromkeys(("n", *map(str, Status)), COUNT),
    }
    # With a breakdown, a row also has the field that it breaks down by.
    row = closed(of_column, ["system", *SUMMARY]) | {"additionalProperties": True}
    rows = list_of(row)
    properties = {
        "suite": STRING,
        "data": from_type(StoredData, is_open=True),
        "notes": TYPES[list],
        "cautions": list_of(from_type(MetricCaution)),
        "metrics": list_of(from_type(MetricDisplay)),
        "summary": rows,
        "by": table_of(rows),
        "comparison": choice(comparison(), TYPES[NoneType]),
        "findings": list_of(from_type(FindingMatch)),
    }
    return closed({**properties, "scores": list_of({"type": "object"})}, list(properties))


def comparison() -> Schema:
    """The systems of a run compared with each other."""
    types = get_type_hints(MetricComparison)
    compared = [name for name in FRAME if name not in ("field", "value")]
    row = closed(
        {**{name: from_type(types[name]) for name in compared}, "verdict": STRING}, compared
    )
    properties = {
        **dict.fromkeys(("pairs", "test", "correction", "method"), STRING),
        **dict.fromkeys(("n_tests", "n_permutations", "seed"), COUNT),
        "rows": list_of(row),
    }
    return closed(properties, list(properties))


SCHEMAS = {
    "sample": sample,
    "config": configuration,
    "suite": suite_file,
    "check": check,
    "manifest": manifest,
    "summary": summary,
}


def schemas() -> dict[str, str]:
    """The text of each schema's file, by its name."""
    texts: dict[str, str] = {}
    for name, make in SCHEMAS.items():
        head = {"$schema": DRAFT, "title": f"ragauge {name}", "description": make.__doc__}
        texts[f"{name}.json"] = json.dumps(head | make(), ensure_ascii=False, indent=1) + "\n"
    return texts


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in schemas().items():
        (FOLDER / file).write_text(text, "utf-8")
