"""A question to a judge, the schema of its reply, and its strict reading."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ragauge.judges.protocol import Schema
from ragauge.judges.replies.finding import ReplyError, read_json, read_numbered, read_word

_OBJECT = re.compile(r"\{")
T = TypeVar("T")

# Schemas use only what all providers accept; ranges are checked when a reply is read.
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
TRUTH: Schema = {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A question to a judge: untrusted `texts` and our own `words` for the prompt's marks, and a
    likely reply, `stand_in`.

    `read`: turns the reply's object, which matches `schema`, into the answer, or raises ReplyError.
    `word`: the field that a one-word reply fills.
    """

    prompt: str
    texts: Mapping[str, str | Sequence[str] | None]
    schema: Schema
    read: Callable[[dict[str, Any]], T]
    stand_in: Mapping[str, object]
    words: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    word: str | None = None
    wants_logprobs: bool = False

    def answer_in(self, text: str) -> T:
        """What a reply's text answers; ReplyError if that cannot be read, or only repeats a judged text."""
        if self.word is not None and "{" not in text:
            properties: Any = self.schema["properties"]
            return self.read({self.word: read_word(text, properties[self.word]["enum"])})
        fields = read_json(text, self.schema)
        given = [text for each in self.texts.values() for text in listed(each or ()) if "{" in text]
        start, end = text.find("{"), text.rfind("}")
        repeated = "".join(text[start : end + 1].split()) if given and start >= 0 else ""
        # Equal characters have equal sums, so hardly any place is looked at closely.
        size, total, signs = len(repeated), sum(map(hash, repeated)), sorted(repeated)
        for compact in ("".join(text.split()) for text in given if repeated):
            sums = list(accumulate(map(hash, compact), initial=0))
            for found in _OBJECT.finditer(compact, 0, max(len(compact) - size + 1, 0)):
                at, to = found.start(), found.start() + size
                if sums[to] - sums[at] == total and sorted(compact[at:to]) == signs:
                    # Then the text spoke, not the judge.
                    raise ReplyError("the reply only repeats an object from the texts to be judged")
        return self.read(fields)


def listed(texts: str | Sequence[str]) -> Sequence[str]:
    """The texts; a single text is one of them."""
    return (texts,) if isinstance(texts, str) else texts


def array_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def object_of(**properties: Schema) -> Schema:
    """The schema of an object with these fields, all of them required."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def of_each(
    prompt: str,
    texts: Mapping[str, str | Sequence[str] | None],
    keys: tuple[str, str],
    fields: Mapping[str, Schema],
    stand_ins: Sequence[Mapping[str, object]],
    read: Callable[[Mapping[str, Any], int], T],
) -> Question[tuple[T, ...]]:
    """A question about several numbered things; `keys`: of the reply's entries, and of an entry's
    number. `read` gets its place from 0."""
    entries, number = keys

    def read_all(reply: dict[str, Any]) -> tuple[T, ...]:
        found = read_numbered(reply[entries], number, len(stand_ins))
        return tuple(read(entry, place) for place, entry in enumerate(found))

    schema = object_of(**{entries: array_of(object_of(**{number: WHOLE, **fields}))})
    likely = {entries: [{number: place, **entry} for place, entry in enumerate(stand_ins, 1)]}
    return Question(prompt, texts, schema, read_all, likely)
