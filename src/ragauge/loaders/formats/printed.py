"""Read lists as Python prints them into a cell: pandas' lists, numpy's arrays, LangChain's documents."""

import ast
import re
import warnings
from itertools import accumulate, pairwise
from threading import Lock
from typing import cast

MAX_LENGTH = 2 * 2**20  # longest printed list that is read, in characters; JSON lists have no limit
MAX_DEPTH = 20

# A string that is not closed matches too, without a group: otherwise the search would go on inside it, from each
# escaped quote to its end.
_STRING = re.compile(
    r"'(?:[^'\\\n]|\\.)*(?:(?P<single>')|)|\"(?:[^\"\\\n]|\\.)*(?:(?P<double>\")|)", re.DOTALL
)
_FAILURES = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)


class PrintedArray(list[object]):
    """The texts of an array that numpy printed, which is announced where it is read."""


class UnreadableError(Exception):
    """The text is not a printed list that can be read; the message says why."""


def printed_list(text: str) -> object:
    """The value that Python printed as this text; UnreadableError for anything else.

    >>> printed_list("['a', 'b']"), printed_list("['a' 'b']"), printed_list("array(['a'], dtype=object)")
    (['a', 'b'], ['a', 'b'], ['a'])
    >>> printed_list("[Document(page_content='a', metadata={'id': 'd1'})]")
    [{'page_content': 'a', 'metadata': {'id': 'd1'}}]
    """
    marks = re.findall(r"[\[\](){}]", _STRING.sub("", text[: MAX_LENGTH + 1]))
    depths = accumulate(1 if mark in "[({" else -1 for mark in marks)
    if len(text) > MAX_LENGTH or max(depths, default=0) > MAX_DEPTH:
        raise UnreadableError("nor a Python list short and flat enough to read; write it as JSON")
    array = _printed_array(text)
    if array is not None:
        return array
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            return _value(parsed_expression(text.strip()).body)
    except _FAILURES:
        raise UnreadableError('nor a Python list; write a list of texts as ["…", "…"]') from None


def _printed_array(text: str) -> list[object] | None:
    """The texts of an array that numpy printed without commas; None for other texts."""
    strings = [found for found in _STRING.finditer(text) if found.lastgroup]
    between = [text[a.end() : b.start()] for a, b in pairwise(strings)]
    if "" in between:  # as SQL and CSV escape a quote
        raise UnreadableError('nor a Python list: quotes are doubled; write it as ["…", "…"]')
    gaps = [gap.strip() for gap in between]
    if "" not in gaps:
        return None
    ends = text[: strings[0].start()].strip() + text[strings[-1].end() :].strip()
    if ends != "[]" or any(gaps):
        raise UnreadableError("nor a Python list: a printed numpy array that is not complete")
    texts = (ast.literal_eval(parsed_expression(string.group())) for string in strings)
    return PrintedArray(cast("list[object]", list(texts)))


def _value(node: ast.expr) -> object:
    """The value of a literal, in which arrays and objects may be calls."""
    match node:
        case ast.Constant(value=value) if value is ...:
            raise ValueError("a list that was printed without its middle")
        case ast.List() | ast.Tuple():
            return [_value(item) for item in node.elts]
        case ast.Call(func=ast.Name(id="array"), args=[array]):
            return _value(array)
        case ast.Call(func=ast.Name(), args=[], keywords=[_, *_]):
            return {each.arg: _value(each.value) for each in node.keywords if each.arg is not None}
        case ast.Call():
            raise ValueError("a call without named arguments")
        case _:
            return cast(object, ast.literal_eval(node))


_LOCK = Lock()


def parsed(source: str | bytes) -> ast.Module:
    """The tree of a module's source; raises what `ast.parse` raises.

    CPython 3.11 counts the depth of all trees that are built at the same time in one place, and ends with a
    SystemError if two threads build one (its issue 106905).
    """
    with _LOCK:
        return ast.parse(source)


def parsed_expression(text: str) -> ast.Expression:
    """The tree of one expression; `ast.literal_eval` reads a literal's value from it."""
    with _LOCK:
        return ast.parse(text.lstrip(" \t"), mode="eval")
