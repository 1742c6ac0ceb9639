"""What the footer of a Parquet file says of its size, read before anything is unpacked.

The footer is a Thrift struct in the compact protocol (apache/parquet-format, parquet.thrift); only the
fields that bound the work are kept.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

MAGIC = b"PAR1"
MAX_FOOTER_BYTES = 256 * 2**20
MAX_DEPTH = 30

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)

Struct = dict[int, object]
"""The fields of a Thrift struct by their numbers; texts are left out."""


class FooterError(ValueError):
    """The footer cannot be read, or does not fit its file."""


@dataclass(frozen=True, slots=True)
class Footer:
    """The rows of a file, and the values and unpacked bytes of all its columns."""

    n_rows: int
    n_values: int
    unpacked_bytes: int


def read_footer(path: Path) -> Footer:
    """The footer of a Parquet file; FooterError if a column lies outside the file."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size < 12:
            raise FooterError("it is too short")
        file.seek(size - 8)
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MAGIC or not 0 < length <= min(size - 12, MAX_FOOTER_BYTES):
            raise FooterError("it has no footer")
        file.seek(size - 8 - length)
        content = file.read(length)
    try:
        return _footer(_Thrift(content).struct(), size)
    except (IndexError, TypeError, AttributeError):
        raise FooterError("its footer is damaged") from None


def _footer(table: Struct, size: int) -> Footer:
    columns = list(_columns(table))
    for column in columns:
        # A reader that trusts such an offset reads beyond the end of the file.
        first = min([at for at in (_count(column, 9), _count(column, 11)) if at > 0], default=0)
        if not 0 < first <= first + _count(column, 7) <= size - 8:
            raise FooterError("a column lies outside the file")
    return Footer(
        n_rows=_count(table, 3),
        n_values=sum(_count(column, 5) for column in columns),
        unpacked_bytes=sum(_count(column, 6) for column in columns),
    )


def _columns(table: Struct) -> Iterator[Struct]:
    """The metadata of each column of each group of rows."""
    for group in cast("list[Struct]", table.get(4, [])):
        for chunk in cast("list[Struct]", group.get(1, [])):
            yield cast("Struct", chunk[3]) if 3 in chunk else {}


def _count(table: Struct, number: int) -> int:
    value = table.get(number, 0)
    if not isinstance(value, int) or value < 0:
        raise FooterError("its footer is damaged")
    return value


class _Thrift:
    """Reads Thrift's compact protocol; IndexError where the bytes end too early."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def struct(self, depth: int = 0) -> Struct:
        fields: Struct = {}
        number = 0
        while kind := self._byte():
            step, kind = kind >> 4, kind & 15
            number = number + step if step else self._integer()
            value = self._value(kind, depth + 1)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, depth: int, *, in_list: bool = False) -> object:
        if depth > MAX_DEPTH:
            raise FooterError("its footer is nested too deeply")
        if kind in (_TRUE, _FALSE):  # in a field the kind is the value
            return self._skip(1) if in_list else None
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRUCT:
            return self.struct(depth)
        if kind in (_LIST, _SET):
            head = self._byte()
            n, of = head >> 4, head & 15
            n = self._unsigned() if n == 15 else n
            if n > len(self._content):
                raise FooterError("its footer is damaged")
            return [self._value(of, depth + 1, in_list=True) for _ in range(n)]
        if kind in (_BYTE, _DOUBLE, _BINARY):
            return self._skip({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unsigned())
        raise FooterError("its footer is damaged")

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def _skip(self, n: int) -> None:
        self._at += n

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise FooterError("its footer is damaged")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
