"""Schemas of replies, for the tests of what reads them."""

import pytest

from ragauge.judges.replies.finding import ReplyError

MENU = ["CORRECT", "WRONG", "DON'T KNOW"]


def schema(*required, **types):
    """An object whose properties have these types, or schemas of their own."""
    properties = {name: {"type": of} if isinstance(of, str) else of for name, of in types.items()}
    return {"type": "object", "properties": properties, "required": list(required)}


def listed(items):
    return {"type": "array", "items": items}


SCORE = schema("score", score="integer", reason="string")
CLAIMS = schema("claims", claims=listed({"type": "string"}))
VERDICT = schema("claim", "supported", claim="integer", supported="boolean")
VERDICTS = schema("verdicts", verdicts=listed(VERDICT))
FLAGS = schema("flags", flags=listed({"type": "boolean"}))


def problem_of(call, *arguments):
    with pytest.raises(ReplyError) as caught:
        call(*arguments)
    return str(caught.value)
