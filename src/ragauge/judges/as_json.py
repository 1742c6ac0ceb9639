"""Fast JSON of requests: the same text for a reply's key, for the ledger and for the wire.

Most of a request is one long text, and most of the rest repeats in many requests.
"""

import json
import marshal
from functools import lru_cache

PLAIN = 2
"""The version of `marshal` that gives the same bytes for the same value."""
_CONTROLS = bytes(range(0x20))
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_AS_GIVEN = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def sorted_json(value: object) -> str:
    """JSON without spaces, with sorted keys and unescaped non-ASCII characters.

    >>> sorted_json({"b": [1, "é"], "a": None})
    '{"a":null,"b":[1,"é"]}'
    """
    return _SORTED.encode(value)


def text_json(text: str) -> str:
    """As `sorted_json` of a text, but faster for long texts."""
    plain = text
    for sign, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        if sign in plain:
            plain = plain.replace(sign, escape)
    encoded = plain.encode("utf-8", "surrogatepass")
    has_others = len(encoded.translate(None, _CONTROLS)) < len(encoded)
    return sorted_json(text) if has_others else f'"{plain}"'


def kept_json(value: object, *, is_sorted: bool = True) -> str:
    """As `sorted_json`, cached for values that repeat; `is_sorted=False` keeps the order of keys."""
    try:
        return _packed_json(marshal.dumps(value, PLAIN), is_sorted)  # pyright: ignore[reportArgumentType]
    except (ValueError, TypeError):  # has types that are not JSON's
        return _encoded(value, is_sorted)


@lru_cache(maxsize=256)
def _packed_json(packed: bytes, is_sorted: bool) -> str:
    return _encoded(marshal.loads(packed), is_sorted)


def _encoded(value: object, is_sorted: bool) -> str:
    return (_SORTED if is_sorted else _AS_GIVEN).encode(value)
