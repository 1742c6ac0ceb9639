"""Every stage of the scan against the plain slow way."""

import math
from collections import Counter

import numpy as np
import pytest
from cases import cases
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragauge.rankings.reading.fields import (
    Field,
    Names,
    digests,
    field_of,
    padded,
    paired,
    ranks,
    repeats,
    starts_of_blocks,
    text_of,
)
from ragauge.rankings.reading.scan import MalformedError, decimals, integers, split

NAMES = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.text(st.sampled_from("ab0é日"), min_size=1, max_size=25).map(str.encode),
    st.sampled_from([b"d1", b"d2", b"12345678", b"12345678\0", b"123456789", b"x" * 100]),
)
BLANKS = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\x0b"])
WORDS = st.text(st.sampled_from("aq0.#-é日"), min_size=1, max_size=12).map(str.encode)


def field(names: list[bytes]) -> Field:
    """A field as it stands in a file: something follows the last name."""
    whole = field_of([*map(text_of, names), "."])
    return whole.take(np.arange(len(names)))


def spelled(found: Field) -> list[bytes]:
    return [found.name(row) for row in range(len(found))]


# Lines into fields


@st.composite
def texts(draw: st.DrawFn, n_fields: int = 4) -> bytes:
    """Files of lines with some fields, blank ones and comments; some are as even as can be."""
    between = draw(st.one_of(st.none(), st.sampled_from([b" ", b"\t"])))
    lines: list[bytes] = []
    for _ in range(draw(st.integers(1, 8))):
        words = [draw(WORDS) for _ in range(n_fields)]
        if between is not None:
            lines.append(between.join(words) + b"\n")
            continue
        n_more = draw(st.integers(0, 2))
        words += [draw(WORDS) for _ in range(n_more)]
        line = b"".join(word + draw(BLANKS) for word in words).rstrip()
        lead = draw(st.sampled_from([b"", b" ", b"\t "]))
        end = draw(
            st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n", b"\n \t\n", b"\n# a b\n", b"\n#\n"])
        )
        lines.append(lead + line + end)
    return b"".join(lines)


def slowly_split(text: bytes, wanted: tuple[int, ...]) -> list[list[bytes]]:
    lines = [line for line in text.split(b"\n") if not line.lstrip().startswith(b"#")]
    rows = [fields for line in lines if (fields := line.split())]
    return [[fields[place] for fields in rows] for place in wanted]


@settings(max_examples=3 * settings.default.max_examples)
@given(texts())
@example(b"#a b c d\n")
@example(b"a b c d\n#x\n")
@example(b"a b c #\n")
@example(b"a\tb c\td\na b\tc d\n")
def test_split_gives_the_words_of_every_line(text):
    wanted = (0, 2, 3)
    found = split(padded(text), wanted, 4, at_most=False)
    assert [spelled(one) for one in found] == slowly_split(text, wanted)


def test_a_line_whose_first_field_begins_with_a_hash_is_a_comment():
    (found,) = split(padded(b" #q b c d\n#q b c d\nq# b c d\n"), (0,), 4, at_most=False)
    assert spelled(found) == [b"q#"]


def test_a_field_more_is_fine_where_others_may_follow():
    (found,) = split(padded(b"a b c d e\na b c d\n"), (3,), 4, at_most=False)
    assert spelled(found) == [b"d", b"d"]
    with pytest.raises(MalformedError, match="5 fields"):
        split(padded(b"a b c d e\na b c d\n"), (3,), 4, at_most=True)


# Names into numbers


def test_short_neighbours_and_long_names_have_numbers_of_their_own():
    names = [str(number).encode() for number in range(20_000)]
    names += [b"doc-with-a-long-name-%d" % number for number in range(20_000)]
    assert len(np.unique(digests(field(names)))) == len(names)


def test_the_same_name_in_another_group_is_another_number():
    digest = digests(field([b"d"] * 1000))
    assert len(np.unique(paired(digest, np.arange(-500, 500)))) == 1000


@given(st.lists(NAMES, min_size=1, max_size=30))
def test_blocks_start_where_the_name_changes(names):
    expected = [row for row in range(len(names)) if row == 0 or names[row] != names[row - 1]]
    assert starts_of_blocks(field(names)).tolist() == expected


# Numbers


def number_of(text: str) -> str | float:
    try:
        value = float(text) if "_" not in text else math.nan
    except ValueError:
        return "refused"
    return value if math.isfinite(value) else "refused"


FORMATS = (
    "{!r} {:.0f} {:.1f} {:.4f} {:.9f} {:.17f} {:e} {:.20e} {:+.3f} {:g} {:.16g} {:.17g} {:012.4f}"
)
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e4, 1e4),
    st.floats(0, 1),
    st.integers(-(10**18), 10**18).map(lambda n: n / 1024),  # halves of the last place
    st.sampled_from([0.0, -0.0, 0.5, 1e-300, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**53 + 2]),
)
SPELLED = st.one_of(
    st.tuples(FLOATS, st.sampled_from(FORMATS.split())).map(lambda one: one[1].format(one[0])),
    st.from_regex(r"[-+]?[0-9]{0,20}\.?[0-9]{0,20}(e[-+]?[0-9]{1,3})?", fullmatch=True).filter(bool),
    st.sampled_from(
        ["1.", ".5", "-.5", "+1", "1e5", "1E-3", "00012", "9007199254740993", "9007199254740992.5",
         "0.1234567890123456789", "18446744073709551615", "18446744073709551616", "1.0000000000000002"]
    ),
)  # fmt: skip


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(SPELLED.filter(lambda text: number_of(text) != "refused"), min_size=1, max_size=20))
def test_decimals_are_pythons_floats_to_the_last_bit(texts):
    found = decimals(field([text.encode() for text in texts]))
    assert [value.hex() for value in found.tolist()] == [float(text).hex() for text in texts]


@cases(
    (decimals, "nan inf -inf Infinity 1e999 -1e999 x 1_000 1,5 0x10 - . + --1 1.2.3 ٣٤ 1e e5"),
    (integers, f"1.0 0.5 x - + --1 1e3 1_0 nan ٣ {'9' * 19}"),
)
def test_what_is_no_number_is_refused_where_it_stands(parse, texts):
    for text in texts.split():
        names = field([b"1", text.encode(), b"2"])
        with pytest.raises(MalformedError) as caught:
            parse(names)
        assert caught.value.at == names.start[1], text


@given(st.lists(st.integers(-(10**9) + 1, 10**9 - 1).map(str), min_size=1, max_size=20))
def test_integers_are_pythons(texts):
    texts = [*texts, "+3", "007", "-0", "00000000000012"]
    assert integers(field([text.encode() for text in texts])).tolist() == [
        int(text) for text in texts
    ]


# Known names


def test_names_whose_numbers_collide_are_told_apart_by_their_bytes():
    # By hand: the same number for all, as if digests had failed.
    names = field([b"a", b"b", b"c"])
    found = Names(names)
    same = digests(names).take([1, 1, 1])
    rows, entry = found.find(names, same)
    assert (rows.tolist(), entry.tolist()) == ([1], [1])


# Where lines stand


def test_a_zero_byte_is_refused_where_it_stands():
    with pytest.raises(MalformedError, match="zero byte") as refused:
        split(padded(b"q b c d\nq b\0 c d\n"), (0,), 4, at_most=False)
    assert refused.value.at == 11


def test_ties_of_names_longer_than_any_word_are_ordered_too():
    names = [b"x" * 70 + bytes([mark]) for mark in b"acb"] + [b"x" * 69]
    query, scores = np.zeros(4, np.int64), np.ones(4, np.float32)
    # c, b, a, then the shorter one.
    assert ranks(query, scores, np.arange(4), field(names)).tolist() == [3, 1, 2, 4]


# What stands twice


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 20), max_size=60))
def test_repeats_are_what_a_counter_counts_over_one(numbers):
    found = repeats(np.array(numbers, np.uint64))
    counts = Counter(numbers)
    assert all(one < other and numbers[one] == numbers[other] for one, other in found)
    in_pairs = {row for pair in found for row in pair}
    assert in_pairs == {row for row, number in enumerate(numbers) if counts[number] > 1}
