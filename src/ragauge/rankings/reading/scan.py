"""Read the fields of TREC files with array operations: `split` finds those of all lines, `decimals` and `integers`
read scores and grades."""

from collections.abc import Sequence

import numpy as np

from ragauge.rankings.hits import Bools, Bytes, Floats, Ints, Words
from ragauge.rankings.reading.fields import WORD, Field, windows

MAX_FIELD_LENGTH = 1 << 18
"""Bytes of the longest allowed name: names are read eight bytes at a time."""

_SPACE, _TAB, _NEWLINE, _RETURN, _HASH = b" \t\n\r#"
_MINUS, _PLUS, _DOT = b"-+."
_LAST = np.array([((1 << (8 * n)) - 1) << (64 - 8 * n) for n in range(WORD + 1)], np.uint64)
"""Masks that keep the last n bytes of a word."""
_ZEROS = np.uint64(0x3030303030303030)
"""Eight times the digit 0."""
_TEN_TO = np.array([10**n for n in range(20)], np.uint64)
_EXACT_UP_TO = np.uint64(2**53)
_u64 = np.uint64


class MalformedError(Exception):
    """A line that cannot be read; `at` is an offset into the text, in that line."""

    def __init__(self, at: int, problem: str) -> None:
        self.at, self.problem = at, problem
        super().__init__(at, problem)


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
        n_early = np.clip(n_fraction - WORD, 0, WORD)
        early, is_digits = _digits(text, np.maximum(end - WORD, 0), n_early)
        late += early * _TEN_TO[WORD]
        is_plain &= is_digits
    mantissa *= _TEN_TO.take(n_fraction, mode="clip")
    mantissa += late
    # Up to 2^53 both are exact, so their quotient is correctly rounded.
    values = mantissa.astype(np.float64) / _TEN_TO.take(n_fraction, mode="clip").astype(np.float64)
    large = np.flatnonzero((mantissa > _EXACT_UP_TO) & is_plain)
    if len(large) and np.finfo(np.longdouble).nmant >= 63:
        wide = mantissa[large].astype(np.longdouble)
        wide /= _TEN_TO[n_fraction[large]].astype(np.longdouble)
        values[large] = narrow = wide.astype(np.float64)
        # Rounded twice: the second can be wrong only if the first result is exactly half way.
        large = large[np.abs(wide - narrow) * 2 == np.spacing(np.abs(narrow))]
    is_plain[large] = False
    np.negative(values, out=values, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        spelled = field.name(row)
        try:
            values[row] = float(spelled) if b"_" not in spelled else np.nan
            what = "is not a number" if b"_" in spelled else "is not finite"
        except ValueError:
            values[row], what = np.nan, "is not a number"
        if not np.isfinite(values[row]):
            raise MalformedError(int(start[row]), f"score {_shown(spelled)} {what}")
    return values


def _even_decimals(field: Field) -> Floats | None:
    """The numbers if all are plain and have as many decimals as the first, 1 to 7; else None."""
    text, begin, end = field.text, field.start, field.end
    n_fraction = field.name(0)[::-1].find(b".") if len(field) else 0
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
    both = windows(text, before=2 * WORD, n_words=2)[end].view("<u8").reshape(-1, 2)
    shift = 8 * (n_fraction + 1)
    whole = (both[:, 1] << _u64(shift)) | (both[:, 0] >> _u64(64 - shift))
    whole = (whole ^ _ZEROS) & _LAST.take(n_whole)
    fraction = (both[:, 1] ^ _ZEROS) & _LAST[n_fraction]
    if int(n_whole.max()) + n_fraction <= WORD:
        digits = fraction | (whole >> _u64(8 * n_fraction))
        if not _are_digits(digits).all():
            return None
        mantissa = _joined(digits)
    else:
        if not (_are_digits(whole) & _are_digits(fraction)).all():
            return None
        mantissa = _joined(whole) * _TEN_TO[n_fraction] + _joined(fraction)
        if mantissa.max() > _EXACT_UP_TO:
            return None
    values = mantissa.astype(np.float64)
    values /= 10.0**n_fraction
    if has_negative:
        np.negative(values, out=values, where=is_negative)
    return values


def _dots(text: Bytes, start: Ints, end: Ints) -> Ints:
    """The offset of each number's decimal point; its end if it has none."""
    dots = end.copy()
    rows = np.arange(len(end))
    # Most numbers of a file have as many decimals as the first.
    usual = text[start[0] : end[0]].tobytes()[::-1].find(b".") if len(end) else 0
    for n_fraction in (max(usual, 0), *range(2 * WORD + 1)):
        at = end[rows] - 1 - n_fraction
        is_dot = (text.take(at, mode="clip") == _DOT) & (at >= start[rows])
        dots[rows[is_dot]] = at[is_dot]
        rows = rows[~is_dot]
        if not len(rows):
            break
    return dots


def _digits(text: Bytes, end: Ints, n: Ints) -> tuple[Words, Bools]:
    """The number in the last n (0 to 8) bytes before `end`, and whether all are digits."""
    digits = (windows(text, before=WORD)[end] ^ _ZEROS) & _LAST.take(n, mode="clip")
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


def integers(field: Field) -> Ints:
    """Parse the field as whole numbers. MalformedError for anything else."""
    is_negative = field.text[field.start] == _MINUS
    length = field.length - is_negative
    number, is_plain = _digits(field.text, field.end, np.minimum(length, WORD))
    is_plain &= (length >= 1) & (length <= WORD)
    numbers = number.astype(np.int64)
    np.negative(numbers, out=numbers, where=is_negative)
    for row in np.flatnonzero(~is_plain).tolist():
        spelled = field.name(row)
        digits = spelled[1:] if spelled[:1] in (b"+", b"-") else spelled
        if not digits.isdigit() or len(digits.lstrip(b"0")) > 9:
            what = "is too large" if digits.isdigit() else "is not a whole number"
            raise MalformedError(int(field.start[row]), f"grade {_shown(spelled)} {what}")
        numbers[row] = int(spelled)
    return numbers


def _shown(spelled: bytes) -> str:
    return repr(spelled[:40].decode("utf-8", "replace"))
