"""The words of a text, read once for all metrics, and what its dates and numbers may begin with."""

import re
from itertools import chain

from ragauge.language.characters import lower_letters
from ragauge.language.reading_cache import ReadingCache
from ragauge.language.stems import CJK
from ragauge.language.text import ASCII_WORDS, composed, sentence_spans, word_set

WORD = re.compile(rf"[{CJK}]|(?:(?![{CJK}])[\w\u0300-\u036f])+")


def words(text: str) -> list[str]:
    """The lower-cased words of a text without punctuation; each kanji, hanzi and kana is one.

    >>> words("Don't panic: 東京 has U.S. maps")
    ['don', 't', 'panic', '東', '京', 'has', 'u', 's', 'maps']
    """
    if text.isascii():
        return text.translate(ASCII_WORDS).split()
    return WORD.findall(composed(lower_letters(text)))


MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DATE_NAMES = frozenset(
    (*MONTHS, *(name[:3] for name in MONTHS), *WEEKDAYS, *(f"{name}s" for name in WEEKDAYS))
) | word_set("sept noon midnight century centuries quarter")
"""The words of which every date that begins with a name has one."""
SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
LARGE = ("hundred", "thousand", "million", "billion", "trillion")
WORD_VALUES = {word: value for value, word in enumerate(SMALL.split())} | {
    word: 20 + 10 * i for i, word in enumerate(TENS.split())
}
NUMBER_WORDS = {*WORD_VALUES, *LARGE} | word_set(
    "dozen half third quarter fifth sixth seventh eighth ninth tenth"
)
"""The words of which every number and every share in words has one."""
_NAMES = DATE_NAMES | NUMBER_WORDS
_NTH = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
RANKS = {word: rank for rank, word in enumerate(_NTH.split(), start=1)}
"""The ordinals in words and their ranks, up to the twentieth."""


class Words:
    """The words of a text in order.

    The text is kept with spaces for all signs, not as words: a string a word takes ten times the memory.
    """

    __slots__ = ("_text", "date_names", "number_names", "spaced")

    def __init__(self, text: str) -> None:
        self.spaced = f" {text.translate(ASCII_WORDS)} " if text.isascii() else ""
        """An ASCII text in lower case, with a space for each sign between words, at the start and at the end."""
        self._text = "" if self.spaced else text
        spaced = self.spaced
        if not spaced or "_" in text:  # all but ASCII letters and digits separates
            plain = text.replace("_", " ").encode("ascii", "replace").decode()
            spaced = plain.translate(ASCII_WORDS)
        separate = spaced.split()
        named = _NAMES.intersection(separate)
        self.date_names = named & DATE_NAMES if named else named
        """Its words that every date that begins with a name has; looking for one takes ten times as long."""
        self.number_names = named & NUMBER_WORDS if named else named
        """Its words of which every number in words has one."""

    @property
    def listed(self) -> list[str]:
        return self.spaced.split() or words(self._text)


words_of = ReadingCache(Words)
"""The `Words` of a text; each distinct text is read once."""


CLOSERS = "])}>\"'»”’ "
APART = '[](){}<>;@#$%&?!*"`«»“”„‘’\u2012\u2013\u2014\u2015'
"""Characters that are always separate tokens."""
APART_RUN = re.compile(rf"[{re.escape(APART)}]++")
APART_AS_SPACES = "".join(" " if sign in APART else sign for sign in map(chr, range(128)))
"""Translation table of ASCII: a space for separate tokens, every other character unchanged."""

# NLTK matches commas and colons together with the next character, and dashes in twos. Hence "a,b"
# is two words, "a,5" and "a-b" are none, and "a---b" leaves only the a.
COMMA = re.compile(r"[:,](\D|$)")
DOTS_OR_DASHES = re.compile(r"\.\.++|--")
OPENING_APOSTROPHE = re.compile(r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", re.IGNORECASE)
CLOSING_APOSTROPHE = re.compile(r"(?<=[^'])'(?=[ ;@#$%&?!`«“„‘\u2012-\u2015]|[:,](?!\d)|\.\.)")
SHORT_CLITIC = re.compile(r"(?<=[^' ])'[sSmMdD]?(?= )")
LONG_CLITIC = re.compile(r"(?<=[^' ])(?:'ll|'LL|'re|'RE|'ve|'VE|n't|N'T)(?= )")

FUSED = {
    each.replace(" ", ""): each.split()
    for each in ("can not", "gim me", "gon na", "got ta", "lem me", "wan na")
}
_PAIRS = "|".join("({})({})".format(*pair) for pair in FUSED.values())
# Only the last pair needs a space behind it: so does NLTK's own pattern of `wan na`.
FUSED_WITH_SIGNS = re.compile(rf"(?i)\b(?:{_PAIRS}(?= )|(d)('ye)|(more)('n))\b")
TIS, TWAS = (re.compile(rf" 't({verb})\b", re.IGNORECASE) for verb in ("is", "was"))


def alphanumeric_words(text: str) -> list[str]:
    """The lower-cased alphanumeric words of a text, in order, with repeats.

    The tokens of NLTK's `NLTKWordTokenizer`, run on each of our `sentences`, for which `str.isalnum`
    holds. So a word that contains another character is dropped ("and/or", "1,000", "U.S.",
    "state-of-the-art"), "don't" gives "do", and "cannot" gives two words. Text without spaces, such
    as Chinese, is one word between two punctuation marks. Text is not composed to NFC: a combining
    mark is not alphanumeric. Word characters and whitespace are those of `re`; NLTK 3.10.4 uses the
    `regex` package, which differs next to combining marks, numerals such as ½, and control characters.

    >>> alphanumeric_words("It's state-of-the-art; we cannot say 1,000 (or 5%).")
    ['it', 'we', 'can', 'not', 'say', 'or', '5']
    """
    sentences = [_without_final_period(text[start:end]) for start, end in sentence_spans(text)]
    if "'" in text:
        sentences = [CLOSING_APOSTROPHE.sub(" ", sentence) for sentence in sentences]
    joined = "\n".join(sentences)
    # The same for ASCII, faster.
    apart = joined.translate(APART_AS_SPACES) if joined.isascii() else APART_RUN.sub(" ", joined)
    found: list[str] = []
    for piece in apart.split():
        if piece.isalnum():
            found.append(piece)
        elif piece[-1] in ",:" and piece[:-1].isalnum():
            found.append(piece[:-1])
        else:
            found.extend(_words_among_signs(piece))
    found = list(map(str.lower, found))
    if FUSED.keys().isdisjoint(found):
        return found
    return list(chain.from_iterable(FUSED.get(word, (word,)) for word in found))


def _without_final_period(sentence: str) -> str:
    """The sentence without its final period, the only single period that NLTK separates.

    NLTK takes a quote after a space for an opening one; then the period is not final.
    """
    body = sentence.rstrip(CLOSERS)
    if body[-1:] != "." or body[-2:] in (".", ".."):
        return sentence
    closers = sentence[len(body) :]
    return sentence if ' "' in closers or " ''" in closers else body[:-1] + " "


def _words_among_signs(piece: str) -> list[str]:
    """The words of a piece that contains other characters."""
    if "," in piece or ":" in piece:
        piece = COMMA.sub(r" \1", piece)
    piece = DOTS_OR_DASHES.sub(" ", piece)
    if "'" in piece:
        piece = OPENING_APOSTROPHE.sub("' ", piece).replace("''", " ") + " "
        piece = LONG_CLITIC.sub(" ", SHORT_CLITIC.sub(" ", piece))
    words: list[str] = []
    for part in piece.split():
        if not part.isalnum() and FUSED_WITH_SIGNS.search(f"{part} "):
            part = FUSED_WITH_SIGNS.sub(
                lambda fused: " {} {} ".format(*filter(None, fused.groups())), f"{part} "
            )
            for contraction in (TIS, TWAS):
                part = contraction.sub(r" \1 ", part)
        words += filter(str.isalnum, part.split())
    return words
