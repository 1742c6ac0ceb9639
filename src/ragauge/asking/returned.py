"""Read what a target returned: a text, our fields, or the result of a pipeline that the loaders know."""

import json
import re
from collections.abc import Coroutine, Mapping, Sequence
from reprlib import Repr
from typing import cast

from ragauge.errors import DataError, Problem, RagaugeError
from ragauge.network.endpoints import Unanswered
from ragauge.report.plain import shortened
from ragauge.samples.fields import FIELDS, FieldError, read_value
from ragauge.samples.samples import Samples

MAX_CHARACTERS = 10_000_000
"""A longer answer is a fault: no model writes it, and no metric reads it."""
SHOWN = 120
SHORTENED = Repr()
SHORTENED.maxother = SHOWN
USAGE = ("usage", "usage_metadata", "token_usage", "response_metadata")
TOKENS = {
    "input_tokens": ("input_tokens", "prompt_tokens", "prompt_token_count"),
    "output_tokens": ("output_tokens", "completion_tokens", "candidates_token_count"),
    "cost_usd": ("cost_usd", "total_cost_usd"),
}
REPORTING = frozenset((*USAGE, *(name for names in TOKENS.values() for name in names)))
OF_TURN = ("conversation", "turn", "whole_conversation")
"""What a loader adds to the messages of a chat; here they are the answer to one question."""
SCALARS = (str, int, float, bool)


def read_returned(value: object, id: str) -> dict[str, object]:
    """The answer, its contexts, its usage and all other fields; Unanswered if it cannot be understood.

    `id`: that of the question: an answer to another one is an error.
    """
    if value is None or isinstance(value, bytes | bool):
        raise _not_understood(value)
    if isinstance(held := _part(value, "answer"), Coroutine):
        held.close()
        what = "returned a coroutine as its answer, which was never awaited; await it"
        raise Unanswered(what, is_final=True)
    given = {"answer": value} if isinstance(value, str) else value
    fields = _plain(given) or _loaded(given)
    if str(fields.pop("id", id)) != id:
        raise Unanswered(f"returned an answer to another question than {id!r}", is_final=True)
    for name in ("system", "question"):
        fields.pop(name, None)
    answer = fields.get("answer")
    if answer is None:
        raise _not_understood(value)
    texts = [cast(str, answer), *cast("Sequence[str]", fields.get("contexts") or ())]
    if (n := sum(map(len, texts))) > MAX_CHARACTERS:
        what = f"{n:,} characters; an answer with its contexts has at most {MAX_CHARACTERS:,}"
        raise Unanswered(f"returned {what}", is_final=True)
    return fields | usage_of(value)


def usage_of(value: object) -> dict[str, object]:
    """The tokens and the cost that a result reports, by our names; those that are no numbers are left out."""
    found: dict[str, object] = {}
    if isinstance(value, str):
        return found
    if isinstance(value, dict) and REPORTING.isdisjoint(cast("dict[str, object]", value)):
        return found
    holders = [cast(object, value), *(_part(cast(object, value), name) for name in USAGE)]
    holders += [_part(holder, "token_usage") for holder in holders[1:]]
    holders = [holder for holder in holders if holder is not None]
    for ours, theirs in TOKENS.items():
        for holder in holders:
            numbers = [_part(holder, name) for name in theirs]
            known = [n for n in numbers if type(n) in (int, float) and cast(float, n) >= 0]
            if known and ours not in found:
                found[ours] = float(cast(float, known[0])) if ours == "cost_usd" else known[0]
    return found


def _part(value: object, name: str) -> object:
    """A field of a mapping, or an attribute of an object."""
    if isinstance(value, Mapping):
        return cast("Mapping[str, object]", value).get(name)
    return None if isinstance(value, SCALARS) else getattr(value, name, None)


def _mapping(value: object) -> Mapping[object, object]:
    return cast("Mapping[object, object]", value if isinstance(value, Mapping) else {})


def _plain(value: object) -> dict[str, object] | None:
    """The fields of a mapping in our own names, which is read many times faster than others."""
    given = _mapping(value)
    if not isinstance(given.get("answer"), str):
        return None
    known = {name: it for name, it in given.items() if name in FIELDS}
    others = {name: it for name, it in given.items() if name not in FIELDS and name not in USAGE}
    if not all(isinstance(it, SCALARS) for it in others.values()):
        return None
    try:
        return {str(name): read_value(str(name), it) for name, it in {**known, **others}.items()}
    except FieldError:  # the loaders read more, and say more
        return None


def _loaded(value: object) -> dict[str, object]:
    """The fields of any sample or result that `load` reads."""
    from ragauge.loaders.loading import load

    samples = value if isinstance(value, Samples) else None
    problem: Problem | None = None
    own = _mapping(value)
    is_ours = "answer" in own
    whole = {name: it for name, it in own.items() if name not in USAGE} if is_ours else value
    # A row of its own, or the answer of one (a message, a component's output).
    for row in () if samples is not None else (whole, {"answer": value}):
        try:
            chosen = {"answer": "answer"} if is_ours and row is whole else None
            found = load([row], map=chosen, in_pieces=False)
        except DataError as error:
            problem = error.problems[0] if row is whole else problem
        except RagaugeError:
            continue
        else:
            if "answer" in found.columns:
                samples = found
                break
    if samples is None and problem is not None and problem.field is not None:
        raise Unanswered(
            f"returned what cannot be read: {problem.field} {problem.message}; it was {_shown(value)}",
            is_final=True,
        )
    if samples is None:
        raise _not_understood(value)
    if len(samples) != 1:
        raise Unanswered(f"returned {len(samples)} samples, not one", is_final=True)
    row = cast("dict[str, object]", samples.frame.to_dicts()[0])
    is_numbered = any("numbered by position" in note for note in samples.notes)
    is_turn = "conversation" in row and _part(value, "conversation") is None
    left_out = (*USAGE, *(OF_TURN if is_turn else ()))
    if is_numbered or (is_turn and _part(value, "id") is None):
        left_out += ("id",)
    fields = {name: it for name, it in row.items() if name not in left_out and it is not None}
    lost = next((note for note in samples.notes if note.startswith("left out '")), None)
    return fields | ({"left_out": lost} if is_ours and lost else {})


def _not_understood(value: object) -> Unanswered:
    if _mapping(value).get("answer", "") is None:
        why = "the answer is null: a system that has none raises an error, or says so in words"
        return Unanswered(why, is_final=True)
    return Unanswered(
        f"returned {_shown(value)}; an answer is a text, a mapping with 'answer', or a result of "
        "LangChain, LlamaIndex, Haystack or OpenAI",
        is_final=True,
    )


def _shown(value: object) -> str:
    """What came, on one line."""
    if value is None:
        return "None"
    if isinstance(value, bytes):
        return f"{len(value):,} bytes, which are no text"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = re.sub(" at 0x[0-9a-fA-F]+", "", SHORTENED.repr(value))
    return f"{type(value).__name__} {shortened(text, SHOWN)}"


def unreadable(value: object, error: Exception) -> Unanswered:
    """A result whose own methods fail."""
    what = f"returned {type(value).__name__}, which cannot be read: {type(error).__name__}: {error}"
    return Unanswered(what, is_final=True)
