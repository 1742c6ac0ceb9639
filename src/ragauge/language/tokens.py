"""The alphanumeric words of a text as NLTK's word tokenizer finds them, without NLTK.

NLTK surrounds separate tokens with spaces and splits on whitespace; most of its rules are about
punctuation. Only alphanumeric tokens count here, so punctuation becomes a space, and only pieces
that are not plain words afterwards need its other rules.
"""

import re
from itertools import chain

from ragauge.language.text import sentence_spans

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
    "cannot": ("can", "not"),
    "gimme": ("gim", "me"),
    "gonna": ("gon", "na"),
    "gotta": ("got", "ta"),
    "lemme": ("lem", "me"),
    "wanna": ("wan", "na"),
}
FUSED_WITH_SIGNS = re.compile(
    r"\b(?:(can)(not)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(wan)(na)(?= )"
    r"|(d)('ye)|(more)('n))\b",
    re.IGNORECASE,
)
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
    found: list[str] = []
    for piece in _pieces(text):
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


def _pieces(text: str) -> list[str]:
    """The text split at whitespace and at characters that are always separate tokens."""
    sentences = [_without_final_period(text[start:end]) for start, end in sentence_spans(text)]
    if "'" in text:
        sentences = [CLOSING_APOSTROPHE.sub(" ", sentence) for sentence in sentences]
    joined = "\n".join(sentences)
    if joined.isascii():
        return joined.translate(APART_AS_SPACES).split()  # the same, faster
    return APART_RUN.sub(" ", joined).split()


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
        if part.isalnum():
            words.append(part)
        elif FUSED_WITH_SIGNS.search(f"{part} "):
            apart = FUSED_WITH_SIGNS.sub(_set_apart, f"{part} ")
            for contraction in (TIS, TWAS):
                apart = contraction.sub(r" \1 ", apart)
            words += filter(str.isalnum, apart.split())
    return words


def _set_apart(fused: re.Match[str]) -> str:
    return " {} {} ".format(*filter(None, fused.groups()))
