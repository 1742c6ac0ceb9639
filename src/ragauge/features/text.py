"""Text as metrics compare it: the four named normalisations, and sentences."""

import re
import string
import unicodedata
from typing import Literal

Normalization = Literal["lower_ws", "strip_lower", "squad", "none"]
Span = tuple[int, int]
"""Where a piece of text starts and ends, as in text[start:end]."""

ARTICLE = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = re.compile(rf"[{re.escape(string.punctuation)}]++")

LINE_BREAKS = "\n\r\f\v\x85\u2028\u2029"
FULL_WIDTH_STOPS = "。！？｡"
STOPS = ".!?…؟।۔"
OPENERS = "([{\"'“‘«*_"
CLOSER = r"""(?:["'”’»›)\]}*_」』】）〉》]|\[\d{1,3}\])"""
# One character class up front keeps the search fast; the look-behinds then tell the three kinds
# apart. Every run is entered at its first character only, so the search stays linear.
STOP = re.compile(
    rf"[{STOPS}{FULL_WIDTH_STOPS}{LINE_BREAKS}](?:"
    rf"(?<=[{STOPS}])(?<![{STOPS}]{{2}})[{STOPS}]*+{CLOSER}*+(?!\S)"
    rf"|(?<=[{FULL_WIDTH_STOPS}])[{FULL_WIDTH_STOPS}]*+{CLOSER}*+"
    rf"|(?<=[{LINE_BREAKS}])\s*+)"
)
SINGLE_PERIOD = re.compile(rf"\.(?![{STOPS}])")
SPACE = re.compile(r"\s*+")
BLANK_LINE = re.compile(rf"(?>\r\n|[{LINE_BREAKS}])\s*?[{LINE_BREAKS}]")
NEXT_WORD = re.compile(rf"[{re.escape(OPENERS)}]{{0,4}}([^\W\d_]{{0,12}})")
LIST_ITEM = re.compile(
    r"[-–—*+•‣▪◦●·]\s|[(\[]?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[^\W\d_]|[ivx]{2,5})[.)\]]\s"
)
LIST_NUMBER = re.compile(
    r"(?:#{1,6} )?[*(\[]{0,3}(?:\d{1,3}(?:\.\d{1,3}){0,4}|[^\W\d_]|[ivxIVX]{2,5})"
)
DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
WRAPPED_LINE = 60
"""A line at least this long goes on in the next one, unless a stop or a colon ends it."""


ASCII_WORDS = "".join(
    sign.lower() if sign.isalnum() or sign == "_" else " " for sign in map(chr, range(128))
)
"""For `str.translate`, faster than `re`: the words of an ASCII text lower-cased, spaces for the rest."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


TITLES = _set("""
    mr mrs ms dr prof rev hon gen col maj capt lt cmdr sgt adm gov sen rep pres supt messrs mme mlle
    st mt ft vs cf viz approx ca dept univ assn e.g i.e
""")
"""Abbreviations that never end a sentence."""
REFERENCES = _set("""
    no nos fig figs eq eqs sec secs sect art arts vol vols ch chap par para pt p pp cl reg
""")
"""Abbreviations when a number follows, words otherwise."""
MEASURES = _set("etc hr hrs min mins yr yrs wk wks lb lbs oz kg km cm mm mph sq")
"""Abbreviations that end a sentence unless a lower-case word or a number follows."""
SHORT_NAMES = _set("""
    inc ltd co corp llc llp plc bros jr sr esq al jan feb apr jun jul aug sep sept oct nov dec
    mon tue tues wed thu thurs fri ave blvd rd hwy calif fla minn mich wis tenn okla conn ariz
    colo va eds est ext tel misc intl natl govt assoc
""")
"""Abbreviations that end a sentence only when a usual first word follows."""
ABBREVIATIONS = TITLES | REFERENCES | MEASURES | SHORT_NAMES
FIRST_WORDS = _set("""
    The This That These Those There They Then Thus It Its He She His Her We Our You Your I My In On
    At As An A And But Or So If For From By With When While Where What Who Why How Although Because
    However Therefore Moreover Furthermore Also After Before Since During Under Some Many Most Each
    Every All Any No Not Both Such Please
""")


def normalize(text: str, how: Normalization) -> str:
    """The text as one of the named normalisations has it.

    - `lower_ws`: lower-case, every run of whitespace to one space, trimmed;
    - `strip_lower`: ends trimmed, lower-case; whitespace inside is kept;
    - `squad`: lower-case, without ASCII punctuation and the articles a, an and the, then
      whitespace as in `lower_ws`; as the official SQuAD 1.1 script does it;
    - `none`: unchanged.

    All but `none` compose to NFC first, so that the two spellings of "é" are equal.

    >>> normalize("The  Big-Bang ", "lower_ws"), normalize("The  Big-Bang ", "squad")
    ('the big-bang', 'bigbang')
    """
    if how == "none":
        return text
    text = composed(text).lower()
    if how == "strip_lower":
        return text.strip()
    if how == "squad":
        text = ARTICLE.sub(" ", PUNCTUATION.sub("", text))
    return " ".join(text.split())


def composed(text: str) -> str:
    """The text in NFC.

    >>> composed("e\\u0301") == "\\u00e9"
    True
    """
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)


def excerpt(text: str, limit: int = 1_000) -> str:
    """The text for evidence: what is cut off is marked and counted.

    >>> excerpt("abcdef", 4)
    'abcd… (2 characters more)'
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} characters more)"


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order, without the whitespace around them.

    >>> sentences("Dr. Lee paid $3.50. Why? The fee is due on Jan. 5.")
    ('Dr. Lee paid $3.50.', 'Why?', 'The fee is due on Jan. 5.')
    """
    return tuple(text[start:end] for start, end in sentence_spans(text))


def sentence_spans(text: str) -> tuple[Span, ...]:
    """Where each sentence starts and ends; together they hold all but whitespace.

    By rules, for English prose, lists and CJK text. A sentence ends at a run of stops with the
    quotes, brackets and [1]-marks that close after it, and then whitespace (none after 。！？); not
    after an initial, a list number, or an abbreviation that what follows does not mark as the last
    word. A blank line ends one, and so does a line break before a list item or after a line that is
    neither wrapped nor carried on in lower case.

    >>> sentence_spans("One. Two")
    ((0, 4), (5, 8))
    """
    spans: list[Span] = []
    start = _skip_space(text, 0)
    for stop in STOP.finditer(text, start):
        if _ends_sentence(text, start, stop):
            if stop[0][0] in LINE_BREAKS:
                _append(spans, text, start, stop.start())
            else:
                spans.append((start, stop.end()))
            start = _skip_space(text, stop.end())
    _append(spans, text, start, len(text))
    return tuple(spans)


def _skip_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    end = start + len(text[start:end].rstrip())
    if start < end:
        spans.append((start, end))


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the sentence that began at `start` ends at this stop."""
    marks = stop[0]
    if marks == "." or SINGLE_PERIOD.match(marks):
        return _ends_at_period(text, start, stop)
    if marks[0] in FULL_WIDTH_STOPS:
        return True
    if marks[0] in LINE_BREAKS:
        return _ends_at_line_break(text, start, stop)
    return not _next_word(text, stop)[:1].islower()


def _ends_at_line_break(text: str, start: int, stop: re.Match[str]) -> bool:
    at = stop.start()
    if BLANK_LINE.match(stop[0]) or LIST_ITEM.match(text, stop.end()):
        return True
    if text[stop.end() : stop.end() + 1].islower():
        return False
    line = text[max(start, at - WRAPPED_LINE) : at]
    is_wrapped = len(line) == WRAPPED_LINE and not any(mark in line for mark in LINE_BREAKS)
    return not is_wrapped or line.rstrip().endswith(":")


def _ends_at_period(text: str, start: int, stop: re.Match[str]) -> bool:
    at = stop.start()
    before = text[max(start, at - 24) : at]
    if before[-8:].isalpha() and len(before) >= 8:  # longer than any abbreviation
        return True
    if len(before) < 24 and LIST_NUMBER.fullmatch(before):
        return False
    words = before.rsplit(None, 1)
    word = words[-1].lstrip(OPENERS) if words and not before[-1].isspace() else ""
    lowered = word.lower()
    if len(word) > 1 and "." not in word and lowered not in ABBREVIATIONS:
        return True
    if lowered in TITLES:
        return False
    if lowered in REFERENCES:
        return not _number_follows(text, stop)
    if lowered in MEASURES:
        return not _next_word(text, stop)[:1].islower() and not _number_follows(text, stop)
    is_initial = len(word) == 1 and word.isupper()
    if is_initial or lowered in SHORT_NAMES or DOTTED.fullmatch(word):
        return _next_word(text, stop) in FIRST_WORDS
    return True


def _next_word(text: str, stop: re.Match[str]) -> str:
    """The letters after the stop, or none when something else stands there."""
    found = NEXT_WORD.match(text, _skip_space(text, stop.end()))
    return found[1] if found else ""


def _number_follows(text: str, stop: re.Match[str]) -> bool:
    at = _skip_space(text, stop.end())
    return text[at : at + 1].isdecimal()
