"""Read the fields of TREC files with array operations.

`split` finds the fields of all lines, `digests` hashes each name to one number, `decimals` and
`integers` read scores and grades. `lookup` and `ordering` work on the results.

A field of all lines is a pair of arrays: it starts at `start` (n,) and ends before `end` (n,), both
offsets into `text`, an array of bytes. SLACK bytes on either side of the text may be read, so that
eight bytes can be fetched wherever a field starts or ends; their content does not matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from ragauge.rankings.arrays import Bools, Bytes, Floats, Ints, Words

SLACK = 16
"""Bytes before and after a text that may be read: two words."""

MAX_FIELD_LENGTH = 1 << 18
"""Bytes of the longest allowed name: names are read eight bytes at a time."""

_SPACE, _TAB, _NEWLINE, _RETURN, _HASH = b" \t\n\r#"
_MINUS, _PLUS, _DOT = b"-+."
WORD = 8
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number near 2^64 / golden ratio: multiplying by it spreads neighbours over all bits."""


def _u64(number: int) -> np.uint64:
    return np.uint64(number)


_FIRST = np.array([(1 << (8 * n)) - 1 for n in range(WORD + 1)], np.uint64)
"""Masks that keep the first n bytes of a word."""
_LAST = np.array([((1 << (8 * n)) - 1) << (64 - 8 * n) for n in range(WORD + 1)], np.uint64)
"""Masks that keep the last n bytes of a word."""
_ZEROS = np.uint64(0x3030303030303030)
"""Eight times the digit 0."""
_TEN_TO = np.array([10**n for n in range(20)], np.uint64)


class MalformedError(Exception):
    """A line that cannot be read; `at` is an offset into the text, in that line."""

    def __init__(self, at: int, problem: str) -> None:
        self.at = at
        self.problem = problem
        super().__init__(at, problem)


@dataclass(frozen=True, eq=False)
class Field:
    """One field of every line: where it starts and ends in `text`."""

    text: Bytes
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def length(self) -> Ints:
        """The number of bytes of the field on each line, (n,)."""
        return self.end - self.start

    @cached_property
    def longest(self) -> int:
        return int(self.length.max(initial=0))

    def take(self, rows: Ints) -> "Field":
        """The field of these lines only."""
        return Field(self.text, self.start[rows], self.end[rows])

    def name(self, row: int) -> bytes:
        """The field of one line as bytes."""
        return self.text[self.start[row] : self.end[row]].tobytes()

    def words(self, at: int, rows: Ints | None = None) -> Words:
        """Bytes `at` to `at + 8` of each field as one number, with zeros after the field's end."""
        start = self.start if rows is None else self.start[rows]
        length = self.length if rows is None else self.length[rows]
        if at:
            # Never past the end: a short field may be the last of the text.
            start = start + np.minimum(length, at)
            length = length - at
        return _windows(self.text)[start] & _FIRST.take(length, mode="clip")

    def same(self, rows: Ints, other: "Field", other_rows: Ints) -> Bools:
        """Whether each row's field equals that of the other row, byte for byte."""
        length = self.length[rows]
        same = length == other.length[other_rows]
        for at in range(0, int(length.max(initial=0)), WORD):
            left = np.flatnonzero(same & (length > at))
            mine, theirs = self.words(at, rows[left]), other.words(at, other_rows[left])
            same[left] = mine == theirs
        return same


def padded(text: bytes | bytearray | memoryview) -> Bytes:
    """The text as an array for `Field`: a view with SLACK around it.

    >>> bytes(padded(b"q1 0 d1 1"))
    b'q1 0 d1 1'
    """
    around = np.zeros(len(text) + 2 * SLACK, np.uint8)
    around[SLACK : SLACK + len(text)] = np.frombuffer(text, np.uint8)
    return around[SLACK : SLACK + len(text)]


def field_of(names: Sequence[bytes]) -> Field:
    """A field made of separate names.

    >>> field_of([b"d1", b"", b"d20"]).name(2)
    b'd20'
    """
    length = np.fromiter(map(len, names), np.int64, len(names))
    end = np.cumsum(length)
    return Field(padded(b"".join(names)), end - length, end)


def _windows(text: Bytes, *, before: int = 0, n_words: int = 1) -> Words:
    """The word of eight bytes, or several words, at every offset, from `before` the text on.

    Several words are one record: take rows first, then view them as words.
    """
    base = cast(Bytes, text.base)
    first = text.__array_interface__["data"][0] - base.__array_interface__["data"][0] - before
    kind = "<u8" if n_words == 1 else f"V{WORD * n_words}"
    return np.ndarray((len(text) + before + 1,), kind, base, first, (1,))


# Stage 1: lines into fields


def split(text: Bytes, wanted: Sequence[int], n_fields: int, *, at_most: bool) -> list[Field]:
    """The wanted fields of every line that is neither blank nor a comment.

    `text` ends with a line feed. Fields are separated by any white space; a line whose first field
    begins with # is a comment. MalformedError for a line with fewer than `n_fields` fields, or with
    more if `at_most`, for a zero byte, which names cannot contain, and for a carriage return within a line.
    """
    fields = _split_evenly(text, wanted, n_fields)
    if fields is None:
        fields = _split_loosely(text, wanted, n_fields, at_most)
    for field in fields:
        if field.longest > MAX_FIELD_LENGTH:
            row = int(field.length.argmax())
            what = f"has a field of {field.longest:,} bytes; the limit is {MAX_FIELD_LENGTH:,}"
            raise MalformedError(int(field.start[row]), what)
    return fields


def _split_evenly(text: Bytes, wanted: Sequence[int], n_fields: int) -> list[Field] | None:
    """The fields if each line has exactly `n_fields`, one space or tab apart, else None."""
    at = np.flatnonzero(text <= _SPACE)
    n, left = divmod(len(at), n_fields)
    if left or not n:
        return None
    ends = [at[place::n_fields] for place in range(n_fields)]
    first = np.empty(n, np.int64)
    first[0], first[1:] = 0, ends[-1][:-1] + 1
    has_all = at[0] > 0 and int((at[1:] - at[:-1]).min()) > 1
    is_even = (text[ends[-1]] == _NEWLINE).all() and any(
        np.count_nonzero(text == between) == n * (n_fields - 1) for between in (_SPACE, _TAB)
    )
    if not (has_all and is_even) or (text[first] == _HASH).any():
        return None
    starts = {place: ends[place - 1] + 1 if place else first for place in wanted}
    return [Field(text, starts[place], np.ascontiguousarray(ends[place])) for place in wanted]


def _split_loosely(text: Bytes, wanted: Sequence[int], n_fields: int, at_most: bool) -> list[Field]:
    is_zero = text == 0
    if is_zero.any():
        raise MalformedError(int(is_zero.argmax()), "contains a zero byte; save it as UTF-8")
    returns = np.flatnonzero(text[:-1] == _RETURN)
    after = text[returns + 1]
    lone = returns[(after != _NEWLINE) & (after != _RETURN)]
    if len(lone):  # the rows after it would be read as further fields of one line, and lost
        what = "has a carriage return within a line; save it with \\n or \\r\\n line ends"
        raise MalformedError(int(lone[0]), what)
    is_blank = (text == _SPACE) | ((text >= _TAB) & (text <= _RETURN))
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1]) + 1
    if len(is_blank) and not is_blank[0]:
        edges = np.concatenate([[0], edges])
    start, end = edges[0::2], edges[1::2]
    line = np.searchsorted(np.flatnonzero(text == _NEWLINE), start)
    first = np.flatnonzero(np.diff(line, prepend=-1))
    count = np.diff(first, append=len(start))
    is_line = text[start[first]] != _HASH
    first, count = first[is_line], count[is_line]
    bad = count != n_fields if at_most else count < n_fields
    if bad.any():
        row = int(bad.argmax())
        has = f"has {count[row]} field{'' if count[row] == 1 else 's'}"
        raise MalformedError(int(start[first[row]]), has)
    return [Field(text, start[first + place], end[first + place]) for place in wanted]


# Stage 2: names into numbers


def mixed(words: Words) -> Words:
    """The words mixed so that each bit depends on all others; distinct words stay distinct."""
    stirred = words ^ (words >> _u64(32))
    stirred *= _SPREAD
    stirred ^= stirred >> _u64(29)
    return stirred


def digests(field: Field) -> Words:
    """A hash of each name, (n,): equal for equal names, and almost never for others.

    Names of up to eight bytes without a zero byte never share a number.
    """
    digest = mixed(field.words(0))
    length = field.length
    rows = np.flatnonzero(length > WORD) if field.longest > WORD else length[:0]
    at = WORD
    while len(rows):
        digest[rows] = mixed(digest[rows] ^ field.words(at, rows))
        at += WORD
        rows = rows[length[rows] > at]
    return digest


def paired(digest: Words, number: Ints) -> Words:
    """The digests of names within a group, such as documents within the query's number."""
    return mixed(digest ^ _spread(number))


def paired_in_blocks(digest: Words, number: Ints, n_rows: Ints) -> Words:
    """`paired` for consecutive rows of one group; `n_rows` is each group's number of rows."""
    return mixed(digest ^ np.repeat(_spread(number), n_rows))


def _spread(number: Ints) -> Words:
    return (number.astype(np.uint64) + _u64(1)) * _SPREAD


def starts_of_blocks(field: Field) -> Ints:
    """The rows whose name differs from that of the row before, and the first row."""
    length = field.length
    differs = np.empty(len(field), np.bool_)
    differs[:1] = True
    np.not_equal(length[1:], length[:-1], out=differs[1:])
    for at in range(0, field.longest, WORD):
        words = field.words(at)
        differs[1:] |= words[1:] != words[:-1]
    return np.flatnonzero(differs)


# Stage 3: scores and grades into numbers


def decimals(field: Field) -> Floats:
    """Parse the field as numbers, each correctly rounded.

    Plain decimals are parsed with array operations, all others by Python. MalformedError for
    anything that is not a finite number.
    """
    even = _even_decimals(field)
    if even is not None:
        return even
    text, start, end = field.text, field.start, field.end
    is_negative = text[start] == _MINUS
    begin = start + (is_negative | (text[start] == _PLUS))
    dot = _dots(text, begin, end)
    n_whole, n_fraction = dot - begin, np.maximum(end - dot - 1, 0)
    n_digits = n_whole + n_fraction
    mantissa, is_plain = _digits(text, dot, n_whole)
    late, is_digits = _digits(text, end, np.minimum(n_fraction, WORD))
    is_plain &= is_digits & (n_digits > 0) & (n_digits <= 19)
    is_plain &= (n_whole <= WORD) & (n_fraction <= 2 * WORD)
    if n_fraction.max(initial=0) > WORD:
        early, is_digits = _digits(
            text, np.maximum(end - WORD, 0), np.clip(n_fraction - WORD, 0, WORD)
        )
        late += early * _TEN_TO[WORD]
        is_plain &= is_digits
    mantissa *= _TEN_TO.take(n_fraction, mode="clip")
    mantissa += late
    values = _divided(mantissa, n_fraction, is_plain)
    np.negative(values, out=values, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        values[row] = _one_decimal(field, row)
    return values


def _even_decimals(field: Field) -> Floats | None:
    """The numbers if all are plain and have as many decimals as the first, 1 to 7; else None."""
    text, begin, end = field.text, field.start, field.end
    if not len(field):
        return None
    n_fraction = field.name(0)[::-1].find(b".")
    if not 1 <= n_fraction < WORD:
        return None
    is_negative = text[begin] == _MINUS
    has_negative = bool(is_negative.any())
    n_whole = field.length - (n_fraction + 1)
    n_whole = n_whole - is_negative if has_negative else n_whole
    if n_whole.min() < 0 or n_whole.max() > WORD:
        return None
    if not (text[end - (n_fraction + 1)] == _DOT).all():
        return None
    # The sixteen bytes before the end: the whole digits, the dot, and the decimals last.
    both = _windows(text, before=2 * WORD, n_words=2)[end].view("<u8").reshape(-1, 2)
    shift = 8 * (n_fraction + 1)
    whole = (both[:, 1] << _u64(shift)) | (both[:, 0] >> _u64(64 - shift))
    whole = (whole ^ _ZEROS) & _LAST.take(n_whole)
    fraction = (both[:, 1] ^ _ZEROS) & _LAST[n_fraction]
    if int(n_whole.max()) + n_fraction <= WORD:
        digits = fraction | (whole >> _u64(8 * n_fraction))
        if not _are_digits(digits).all():
            return None
        values = _joined(digits).astype(np.float64)
    else:
        if not (_are_digits(whole) & _are_digits(fraction)).all():
            return None
        mantissa = _joined(whole) * _TEN_TO[n_fraction] + _joined(fraction)
        if mantissa.max() > _u64(2**53):
            return None
        values = mantissa.astype(np.float64)
    values /= 10.0**n_fraction
    if has_negative:
        np.negative(values, out=values, where=is_negative)
    return values


def _dots(text: Bytes, start: Ints, end: Ints) -> Ints:
    """The offset of each number's decimal point; its end if it has none."""
    dots = end.copy()
    if not len(end):
        return dots
    # Most numbers of a file have as many decimals as the first.
    usual = text[start[0] : end[0]].tobytes()[::-1].find(b".")
    rows: Ints | None = None
    for n_fraction in (max(usual, 0), *range(2 * WORD + 1)):
        at = (end if rows is None else end[rows]) - 1 - n_fraction
        is_dot = (text.take(at, mode="clip") == _DOT) & (
            at >= (start if rows is None else start[rows])
        )
        if rows is None:
            dots[is_dot] = at[is_dot]
            rows = np.flatnonzero(~is_dot)
        else:
            dots[rows[is_dot]] = at[is_dot]
            rows = rows[~is_dot]
        if not len(rows):
            break
    return dots


def _digits(text: Bytes, end: Ints, n: Ints) -> tuple[Words, Bools]:
    """The number in the last n (0 to 8) bytes before `end`, and whether all are digits."""
    digits = (_windows(text, before=WORD)[end] ^ _ZEROS) & _LAST.take(n, mode="clip")
    return _joined(digits), _are_digits(digits)


def _are_digits(digits: Words) -> Bools:
    """Whether each of the eight bytes is 0 to 9."""
    return ((digits + _u64(0x7676767676767676)) | digits) & _u64(0x8080808080808080) == 0


def _joined(digits: Words) -> Words:
    """The number of eight decimal digits, one per byte, the first in the lowest byte."""
    # Neighbours are joined to numbers of two, then four, then eight digits.
    joined = (digits * _u64(10 * 2**8 + 1) >> _u64(8)) & _u64(0x00FF00FF00FF00FF)
    joined = (joined * _u64(100 * 2**16 + 1) >> _u64(16)) & _u64(0x0000FFFF0000FFFF)
    return joined * _u64(10_000 * 2**32 + 1) >> _u64(32)


def _divided(mantissa: Words, n_fraction: Ints, is_plain: Bools) -> Floats:
    """mantissa / 10^n_fraction, correctly rounded; other rows are marked as not plain."""
    values = mantissa.astype(np.float64) / _TEN_TO.take(n_fraction, mode="clip").astype(np.float64)
    # Up to 2^53 both are exact, so their quotient is correctly rounded.
    large = np.flatnonzero((mantissa > _u64(2**53)) & is_plain)
    if not len(large):
        return values
    if np.finfo(np.longdouble).nmant < 63:  # no wider floats on this machine
        is_plain[large] = False
        return values
    wide = mantissa[large].astype(np.longdouble)
    wide /= _TEN_TO[n_fraction[large]].astype(np.longdouble)
    narrow = wide.astype(np.float64)
    values[large] = narrow
    # Rounded twice: the second can be wrong only if the first result is exactly half way.
    halfway = np.abs(wide - narrow) * 2 == np.spacing(np.abs(narrow))
    is_plain[large[halfway]] = False
    return values


def _one_decimal(field: Field, row: int) -> float:
    spelled = field.name(row)
    try:
        value = float(spelled) if b"_" not in spelled else None
    except ValueError:
        value = None
    if value is None:
        raise MalformedError(int(field.start[row]), f"score {_shown(spelled)} is not a number")
    if not np.isfinite(value):
        raise MalformedError(int(field.start[row]), f"score {_shown(spelled)} is not finite")
    return value


def integers(field: Field) -> Ints:
    """Parse the field as whole numbers. MalformedError for anything else."""
    is_negative = field.text[field.start] == _MINUS
    length = field.length - is_negative
    number, is_plain = _digits(field.text, field.end, np.minimum(length, WORD))
    is_plain &= (length >= 1) & (length <= WORD)
    numbers = number.astype(np.int64)
    np.negative(numbers, out=numbers, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        numbers[row] = _one_integer(field, row)
    return numbers


def _one_integer(field: Field, row: int) -> int:
    spelled = field.name(row)
    digits = spelled[1:] if spelled[:1] in (b"+", b"-") else spelled
    if not digits.isdigit():
        raise MalformedError(
            int(field.start[row]), f"grade {_shown(spelled)} is not a whole number"
        )
    if len(digits.lstrip(b"0")) > 9:
        raise MalformedError(int(field.start[row]), f"grade {_shown(spelled)} is too large")
    return int(spelled)


def _shown(spelled: bytes) -> str:
    return repr(spelled[:40].decode("utf-8", "replace"))


def keep_freed_memory() -> None:
    """Make the C library keep up to about 64 MB of freed memory instead of returning it.

    The library's limit follows the largest block freed so far. Without this, the system provides
    every array of a megabyte again, page by page, which takes as long as the scanning itself.
    """
    block = np.empty(31 << 20, np.uint8)
    del block
