"""A question to a judge, and the strict reading of its reply."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from ragauge.judges.protocol import Schema
from ragauge.judges.replies.checking import ReplyError
from ragauge.judges.replies.finding import read_json, read_word

MAX_OBJECTS_CHECKED = 100
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
        given = [one for texts in self.texts.values() for one in listed(texts or ()) if "{" in one]
        if not given or start < 0:
            return
        compact = "".join(text[start : end + 1].split())
        signs = sorted(compact)
        if any(
            compact in one or _holds(one, signs) for one in ("".join(one.split()) for one in given)
        ):
            raise ReplyError("the reply only repeats an object from the texts to be judged")


def listed(texts: str | Sequence[str]) -> Sequence[str]:
    """The texts; a single text is one of them."""
    return (texts,) if isinstance(texts, str) else texts


def _holds(text: str, signs: Sequence[str]) -> bool:
    """Whether the text has an object of the same characters in another order."""
    starts = [place for place, sign in enumerate(text) if sign == "{"][:MAX_OBJECTS_CHECKED]
    return any(sorted(text[start : start + len(signs)]) == signs for start in starts)
