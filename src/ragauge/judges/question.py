"""A question to a judge, and the strict reading of its reply."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Generic, TypeVar

from ragauge.judges.protocol import Schema
from ragauge.judges.replies.checking import ReplyError
from ragauge.judges.replies.finding import read_json, read_word

_OBJECT = re.compile(r"\{")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A question to a judge, and how to read its reply.

    `texts`: untrusted texts for the prompt's marks. `words`: our own values. `read`: turns the reply's
    object, which matches `schema`, into the answer, or raises ReplyError. `word`: the field that a
    one-word reply fills. `stand_in`: a likely reply.
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
        given = [
            text for texts in self.texts.values() for text in listed(texts or ()) if "{" in text
        ]
        start, end = text.find("{"), text.rfind("}")
        if given and start >= 0 and _is_in(given, "".join(text[start : end + 1].split())):
            # Then the text spoke, not the judge.
            raise ReplyError("the reply only repeats an object from the texts to be judged")
        return self.read(fields)


def listed(texts: str | Sequence[str]) -> Sequence[str]:
    """The texts; a single text is one of them."""
    return (texts,) if isinstance(texts, str) else texts


def _is_in(texts: Sequence[str], repeated: str) -> bool:
    """Whether an object in a text has the characters of `repeated`, in any order and without its spaces."""
    # Equal characters have equal sums, whatever their order; so hardly any place is looked at closely.
    size, total, signs = len(repeated), sum(map(hash, repeated)), sorted(repeated)
    for text in texts:
        compact = "".join(text.split())
        sums = list(accumulate(map(hash, compact), initial=0))
        for found in _OBJECT.finditer(compact, 0, max(len(compact) - size + 1, 0)):
            start = found.start()
            is_alike = sums[start + size] - sums[start] == total
            if is_alike and sorted(compact[start : start + size]) == signs:
                return True
    return False
