"""A question to a judge, and the strict reading of its reply."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Generic, TypeVar, cast

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
        fields = self._object(text)
        self._check_no_echo(text)
        return self.read(fields)

    def _object(self, text: str) -> dict[str, Any]:
        """The reply's object, checked against the schema."""
        if self.word is not None and "{" not in text:
            properties = cast(
                "Mapping[str, Mapping[str, Sequence[str]]]", self.schema["properties"]
            )
            menu = properties[self.word]["enum"]
            return {self.word: read_word(text, menu)}
        return read_json(text, self.schema)

    def _check_no_echo(self, text: str) -> None:
        """ReplyError if the reply only repeats an object from the judged texts: then the text spoke, not the judge."""
        start, end = text.find("{"), text.rfind("}")
        given = [
            text for texts in self.texts.values() for text in listed(texts or ()) if "{" in text
        ]
        if not given or start < 0:
            return
        repeated = "".join(text[start : end + 1].split())
        # Equal characters have equal sums, whatever their order; so hardly any place is looked at closely.
        total, signs = sum(map(hash, repeated)), sorted(repeated)
        for judged in given:
            compact = "".join(judged.split())
            if any(sorted(each) == signs for each in _alike(compact, len(repeated), total)):
                raise ReplyError("the reply only repeats an object from the texts to be judged")


def listed(texts: str | Sequence[str]) -> Sequence[str]:
    """The texts; a single text is one of them."""
    return (texts,) if isinstance(texts, str) else texts


def _alike(text: str, size: int, total: int) -> Iterator[str]:
    """The parts of the text with this size that begin like an object and whose characters' hashes have this sum."""
    if len(text) < size:
        return
    sums = list(accumulate(map(hash, text), initial=0))
    for found in _OBJECT.finditer(text, 0, len(text) - size + 1):
        start = found.start()
        if sums[start + size] - sums[start] == total:
            yield text[start : start + size]
