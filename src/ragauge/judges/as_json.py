"""What judges are told, as JSON: the same text for the key of a reply, for the ledger and for the wire.

Most of a request is one long text, and most of the rest is the same in many requests.
"""

import json
import marshal
from functools import lru_cache

PLAIN = 2
"""The form of `marshal` that is the same for the same value."""
_CONTROLS = bytes(range(0x20))
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_AS_GIVEN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def sorted_json(value: object) -> str:
    """JSON without blanks, fields in alphabetical order, signs beyond ASCII as they are.

    >>> sorted_json({"b": [1, "é"], "a": None})
    '{"a":null,"b":[1,"é"]}'
    """
    return _SORTED.encode(value)


def text_json(text: str) -> str:
    """A text as `sorted_json` has it, which goes through it sign by sign."""
    plain = text
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        if sign in plain:
            plain = plain.replace(sign, escape)
    encoded = plain.encode("utf-8", "surrogatepass")
    has_others = len(encoded.translate(None, _CONTROLS)) < len(encoded)
    return sorted_json(text) if has_others else f'"{plain}"'


def kept_json(value: object, *, is_sorted: bool = True) -> str:
    """What is the same in many calls, as `sorted_json` has it, or with its fields in their order."""
    try:
        return _packed_json(marshal.dumps(value, PLAIN), is_sorted)  # pyright: ignore[reportArgumentType]
    except (ValueError, TypeError):  # holds what is not of JSON's own types
        return _encoded(value, is_sorted)


@lru_cache(maxsize=256)
def _packed_json(packed: bytes, is_sorted: bool) -> str:
    return _encoded(marshal.loads(packed), is_sorted)


def _encoded(value: object, is_sorted: bool) -> str:
    return (_SORTED if is_sorted else _AS_GIVEN).encode(value)
