"""WordPiece tokenizer of lower-casing BERT models, with the ids and offsets of the Rust crate.

The reference is the package `tokenizers` 0.23.3: BertNormalizer, BertPreTokenizer and WordPiece, with
its Unicode tables: 8.0 for categories and 9.0 for the order of marks, whatever Python's version.
`_LETTERS_ONLY` and the tables beside it list later changes. Decompositions and lower case are
Python's: they never change for characters of Unicode 9.0, and newer characters are in no BERT
vocabulary, so their word is [UNK] either way.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from ragauge.encoders.local import Span, Tokens

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_WORD_LENGTH = 100
"""A longer word is [UNK], as for the models."""

MAX_REMEMBERED_LENGTH = 20
MAX_REMEMBERED = 100_000
"""Maximum length and number of the pieces of text whose tokens are cached."""

_SPECIAL = re.compile("|".join(map(re.escape, SPECIAL_TOKENS)))
_OTHER_SPACE = re.compile("[\t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")

_LETTER, _ALONE, _MOVABLE = "wam"
_WORDS = re.compile("a|[wm]+")

_Found = tuple[tuple[int, ...], tuple[Span, ...]]
"""Ids of a piece of text, and each token's offsets in the piece."""


class WordPiece:
    """Tokenizer of a lower-casing BERT model. Safe to share between threads.

    `vocabulary`: the lines of the model's vocab.txt. ValueError if one of `SPECIAL_TOKENS` is
    missing. A special token spelled out in a text counts as that token. Characters that the models
    ignore (controls, formats, private use, lone surrogates, U+FFFD) give no token.

    >>> tokenizer = WordPiece([*SPECIAL_TOKENS, "play", "##ing", "!"])
    >>> tokenizer.tokenize("Playing!")
    Tokens(ids=[2, 5, 6, 7, 3], spans=[(0, 0), (0, 4), (4, 7), (7, 8), (0, 0)], before=1, after=1)
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        ids = {entry: number for number, entry in enumerate(vocabulary)}
        if missing := [token for token in SPECIAL_TOKENS if token not in ids]:
            what = f"the vocabulary of {len(vocabulary)} entries lacks {', '.join(missing)}"
            raise ValueError(f"{what}; give the lines of a BERT model's vocab.txt")
        self._special = {token: ids[token] for token in SPECIAL_TOKENS}
        self._heads = _Entries(ids)
        self._tails = _Entries({key[2:]: ids[key] for key in ids if key.startswith("##")})
        self._kinds = _Kinds()
        self._letters = _Letters()
        self._remembered: dict[str, _Found] = {}

    def tokenize(self, text: str) -> Tokens:
        """The tokens of the whole text, uncut, between [CLS] and [SEP]."""
        ids, spans = [self._special["[CLS]"]], [(0, 0)]
        start = 0
        for special in _SPECIAL.finditer(text):
            self._read(text[start : special.start()], start, ids, spans)
            ids.append(self._special[special.group()])
            spans.append(special.span())
            start = special.end()
        self._read(text[start:], start, ids, spans)
        ids.append(self._special["[SEP]"])
        spans.append((0, 0))
        return Tokens(ids, spans, before=1, after=1)

    def _read(self, text: str, start: int, ids: list[int], spans: list[Span]) -> None:
        """Add the tokens of a text without special tokens that begins at `start`."""
        remembered = self._remembered
        for chunk in _OTHER_SPACE.sub(" ", text).split(" "):
            found = remembered.get(chunk) or self._chunk(chunk)
            ids += found[0]
            for first, end in found[1]:
                spans.append((start + first, start + end))
            start += len(chunk) + 1

    def _chunk(self, chunk: str) -> _Found:
        """The tokens of a text without white space; each punctuation mark and ideograph is a separate word."""
        ids: list[int] = []
        spans: list[Span] = []
        for match in _WORDS.finditer(chunk.translate(self._kinds)):
            at, end_of_word = match.span()
            word = chunk[at:end_of_word]
            found = self._remembered.get(word)
            if not found:
                read = self._reordered if _MOVABLE in match.group() else self._folded
                letters, places = read(word)
                pieces = self._pieces(letters)
                parts = tuple((places[start], places[end - 1] + 1) for _, start, end in pieces)
                found = tuple(number for number, _, _ in pieces), parts
                self._remember(word, found)
            ids += found[0]
            spans += [(at + first, at + end) for first, end in found[1]]
        found = tuple(ids), tuple(spans)
        self._remember(chunk, found)
        return found

    def _remember(self, text: str, found: _Found) -> None:
        if len(text) <= MAX_REMEMBERED_LENGTH:
            if len(self._remembered) >= MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[text] = found

    def _pieces(self, letters: str) -> list[tuple[int, int, int]]:
        """Id, start and end of the word's vocabulary entries, each the longest that fits."""
        unknown = [(self._special["[UNK]"], 0, len(letters))]
        if len(letters) > MAX_WORD_LENGTH:
            return unknown
        pieces: list[tuple[int, int, int]] = []
        start, entries = 0, self._heads
        while start < len(letters):
            found = entries.longest_at(letters, start)
            if found is None:
                return unknown
            pieces.append((found[0], start, found[1]))
            start, entries = found[1], self._tails
        return pieces

    def _folded(self, word: str) -> tuple[str, Sequence[int]]:
        """The normalised word, and the index in the word from which each of its letters comes."""
        letters = word.translate(self._letters)
        if word.isascii() and len(letters) == len(word):
            return letters, range(len(word))
        of = self._letters
        return letters, [at for at, character in enumerate(word) for _ in of[ord(character)]]

    def _reordered(self, word: str) -> tuple[str, Sequence[int]]:
        """The same for a word with marks that normalisation reorders and does not drop.

        The crate reorders no offsets: the n-th character has that of the n-th before, further parts
        that of the one before.
        """
        read = [at for at, character in enumerate(word) if not _is_unread(character)]
        parts = [
            (part, number == 0)
            for at in read
            for number, part in enumerate(unicodedata.normalize("NFD", word[at]))
        ]
        ranks = [_combining_class(part) for part, _ in parts]
        starters = accumulate(rank == 0 for rank in ranks)
        keys = [n_starters << 8 | rank for n_starters, rank in zip(starters, ranks, strict=True)]
        order = sorted(range(len(parts)), key=keys.__getitem__)
        old_places = accumulate((parts[n][1] for n in order), initial=-1)
        next(old_places)
        kept = [(parts[n][0], read[old]) for n, old in zip(order, old_places, strict=True)]
        kept = [(part.lower(), place) for part, place in kept if _category(part) != "Mn"]
        return "".join(part for part, _ in kept), [place for _, place in kept]


class _Entries:
    """Entries of the vocabulary by their text, and their maximum length."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self._ids = ids
        self._most: dict[str, int] = {}
        for entry in ids:
            self._most[entry[:2]] = max(self._most.get(entry[:2], 1), len(entry))

    def longest_at(self, letters: str, start: int) -> tuple[int, int] | None:
        """Id and end of the longest entry at `start`, or None."""
        most = self._most.get(letters[start : start + 2], 1)
        for end in range(min(len(letters), start + most), start, -1):
            if (number := self._ids.get(letters[start:end])) is not None:
                return number, end
        return None


class _Letters(dict[int, str]):
    """Each character's normal form: decomposed, without accents, in lower case; may be empty."""

    def __missing__(self, code: int) -> str:
        self[code] = "".join(part.lower() for part in _unaccented(chr(code)))
        return self[code]


class _Kinds(dict[int, str]):
    """Each character's kind: a separate word, a letter, or a mark that may be reordered."""

    def __missing__(self, code: int) -> str:
        letters = _unaccented(chr(code))
        if _within(code, _IDEOGRAPHS) or any(map(_is_punctuation, letters)):
            self[code] = _ALONE
        else:
            self[code] = _MOVABLE if any(map(_combining_class, letters)) else _LETTER
        return self[code]


@lru_cache(4096)
def _unaccented(character: str) -> str:
    if _is_unread(character):
        return ""
    parts = unicodedata.normalize("NFD", character)
    return "".join(part for part in parts if _category(part) != "Mn")


def _is_unread(character: str) -> bool:
    return character == "\ufffd" or _category(character) in ("Cc", "Cf", "Co", "Cs")


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    return _category(character)[0] == "P"


@lru_cache(4096)
def _category(character: str) -> str:
    """The general category in Unicode 8.0, as far as tokenizers distinguish them."""
    if character in _CHANGED:
        return _CHANGED[character]
    return "Lo" if _within(ord(character), _LETTERS_ONLY) else unicodedata.category(character)


@lru_cache(4096)
def _combining_class(character: str) -> int:
    """The combining class of a mark in Unicode 9.0; 0 for all other characters."""
    code = ord(character)
    if _within(code, _LETTERS_ONLY) and not _within(code, _NEW_MARKS):
        return 0
    return unicodedata.combining(character)


def _within(code: int, borders: Sequence[int]) -> bool:
    return bisect_right(borders, code) % 2 == 1


def _ranges(text: str) -> tuple[int, ...]:
    """Alternating starts and ends (exclusive) of ascending ranges of hexadecimal code points."""
    ends = [span.split("-") for span in text.split()]
    return tuple(n for pair in ends for n in (int(pair[0], 16), int(pair[-1], 16) + 1))


# The crate leaves out 2B820 to 2B91F.
_IDEOGRAPHS = _ranges("""
    3400-4DBF 4E00-9FFF F900-FAFF 20000-2A6DF 2A700-2B81F 2B920-2CEAF 2F800-2FA1F
""")

# Ranges where Unicode 8.0 has only letters, symbols, spacing marks and gaps, but a later version (up
# to 18.0 was checked) has marks to drop, punctuation or format characters.
_LETTERS_ONLY = _ranges("""
    5C8-5F2 61D 7FA-815 85F-8E2 9E4-A00 A76-A80 AF1-B00 B4E-B55 C01-C3D C64-C80 C82-CBB CE4-D00
    D02-D40 D64-DC9 EBA ECE-F03 1715-1731 180F-18A8 1ABF-1AFF 1B45-1B59 1B74-1B7F 1DF6-1DFB
    2E43-2FFF A827-A873 A8C5-A8CD A8FE-A925 A9BD-A9BF 10B9D-11000 1104E-1107E 110C2-110FF
    111CE-111DA 1123E-112A8 11302-1133B 11375-114B2 11644-116AA 116B8-1171C 1173F-1246F
    12475-16A6D 16B45-16F8E 16F93-1BC9C 1BCA4-1D164 1D245-1D9FF 1DAB0-1E8CF 1E8D7-E0000
""")

# New in Unicode 9.0: marks that are in the crate's order but not in its categories.
_NEW_MARKS = _ranges("8D4-8E1 1DFB 11442 11446 11C3F 1E000-1E02A 1E944-1E94A")

# Characters whose category was different in Unicode 8.0.
_CHANGED = {"\u166d": "Po", "\u1734": "Mn", "\U000111c9": "Po", "\U0001171e": "Mn"}
