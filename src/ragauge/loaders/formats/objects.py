"""Read samples given as objects: dataclasses, named tuples, pydantic models and other tools' classes.

ragas' SingleTurnSample, deepeval's LLMTestCase and Golden, LlamaIndex's Response and any class of
the user's own have named values, which are read as columns. Data sets of such objects keep them in
an attribute.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from ragauge.loaders.documents import is_list, parts_of
from ragauge.loaders.mapping import field_of
from ragauge.loaders.table import listed
from ragauge.loaders.values import items_in, named_values, value_of
from ragauge.samples.fields import plain_value

COLLECTIONS = ("samples", "test_cases", "goldens", "examples", "predictions")
"""Where a data set keeps its samples; the first that has any is read."""
CONVERSATIONS = ("turns", "messages")
METADATA = ("additional_metadata", "metadata", "meta")
NOT_ENOUGH = {None, "id", "system", "context_scores", "contexts"}
"""Fields that a retrieved document has too."""


def samples_in(source: object) -> tuple[Sequence[object], tuple[str, ...]] | None:
    """The samples of a data set or of a single sample, with notes; None for other objects."""
    if isinstance(source, Mapping | str) or is_list(source):
        return None
    found = {name: items for name in COLLECTIONS if (items := items_in(value_of(source, name)))}
    if found:
        first, *rest = found
        notes = tuple(f"read its {first}, left out its {len(found[name])} {name}" for name in rest)
        return found[first], notes
    if any(isinstance(value_of(source, name), list) for name in COLLECTIONS):
        return (), ()
    if named_values(source) is not None and isinstance(values_of(source), Mapping):
        return (source,), ()
    return None


def values_of(item: object) -> Mapping[str, object] | str:
    """The item's values by column; the problem as text if it is not a sample."""
    named = named_values(item)
    kind = type(item).__name__
    if named is None:
        return f"is {kind}, not a dict of column name to value"
    conversation = _conversation_in(named)
    if conversation is not None:
        return _conversation(named)
    fields = {field_of(name) for name in named}
    is_result = {"source_nodes", "documents"} & named.keys()
    if fields <= NOT_ENOUGH and not is_result:
        if parts_of(item) is not None:
            return (
                f"is a {kind}, a retrieved document and not a sample; "
                "put the documents of a question into its contexts"
            )
        names = listed([repr(name) for name in named])
        return f"is a {kind} without question, answer or reference; its attributes are {names}"
    given = {
        name: value
        for name, value in named.items()
        if value is not None and not (field_of(name) is None and _is_default(item, name, value))
    }
    return _with_metadata(given)


def _is_default(item: object, name: str, value: object) -> bool:
    """Whether a pydantic model's value is that of its class: it says nothing of the sample."""
    declared: object = getattr(type(item), "model_fields", None)
    if not isinstance(declared, Mapping) or name not in declared:
        return False
    default: object = getattr(cast(Mapping[str, object], declared)[name], "default", None)
    return isinstance(value, bool | str | int | float) and value == default


def _conversation_in(named: Mapping[str, object]) -> str | None:
    """The attribute that holds several messages instead of one text."""
    for name in CONVERSATIONS:
        if isinstance(named.get(name), list) and not named.keys() & {"question", "input", "answer"}:
            return name
    asked = named.get("user_input")  # ragas' MultiTurnSample
    return "user_input" if isinstance(asked, list) else None


def _conversation(named: Mapping[str, object]) -> Mapping[str, object] | str:
    """The values of a conversation, with its messages and calls as plain objects."""
    try:
        given = {name: value for name, value in named.items() if value is not None and value != []}
        plain: object = json.loads(json.dumps(given, default=plain_value))
    except (TypeError, ValueError) as error:
        return f"is a conversation whose messages cannot be read: {error}"
    return _with_metadata(cast("Mapping[str, object]", plain))


def _with_metadata(values: Mapping[str, object]) -> Mapping[str, object]:
    """The values, with texts and numbers of the metadata as columns beside them.

    An entry that could be a field other than id or answerable stays in the metadata.
    """
    flat = dict(values)
    for holder in METADATA:
        metadata = flat.get(holder)
        if not isinstance(metadata, Mapping):
            continue
        kept: dict[str, object] = {}
        for key, value in cast(Mapping[object, object], metadata).items():
            name, is_plain = str(key), isinstance(value, str | int | float)
            if is_plain and name not in flat and field_of(name) in (None, "id", "answerable"):
                flat[name] = value
            else:
                kept[name] = value
        if kept:
            flat[holder] = kept
        else:
            del flat[holder]
    return flat


def as_list(source: object) -> list[object] | None:
    """The items of a generator or other iterable; None for values that are not iterated."""
    if isinstance(source, str | bytes | Mapping | set | frozenset) or not isinstance(
        source, Iterable
    ):
        return None
    return list(cast(Iterable[object], source))
