"""Text for comparison by metrics: the four named normalisations, and sentences."""

import re
import string
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal

from ragauge.language.characters import normal_form

Normalization = Literal["lower_ws", "strip_lower", "squad", "none"]
Span = tuple[int, int]
"""Start and end of a piece of text, as in text[start:end]."""

ARTICLE = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = re.compile(rf"[{re.escape(string.punctuation)}]++")

LINE_BREAKS = "\n\r\f\v\x85\u2028\u2029"
STOPS = ".!?…؟।॥۔።፧፨։។៕"
"""Marks that end a sentence when whitespace follows."""
FULL_WIDTH_STOPS = "。！？｡．။"
"""Marks that always end a sentence."""
OPENERS = "([{\"'“‘«„‚¿¡*_`"
CJK = "\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f"
"""Kana and ideographs, among which a stop needs no space after it."""
QUOTE_ENDS = "\"'”’“‘»«)`"
"""Before a lower-case word, these close a quotation inside the sentence."""
CLOSER = r"""["'”’»›)\]}*_」』】）〉》]|\[\d{1,3}\]"""
# German closes with the marks that open in English, French closes after a space, and brackets right
# after a stop are citations.
SPACED_CLOSER = (
    rf"(?:{CLOSER}|[“‘«‹`†‡¹²³⁰-⁹]|\[{{1,2}}[^\[\]\n]{{1,24}}\]{{1,2}}|【[^【】\n]{{1,24}}】"
    r"|[ \u00a0\u202f]»(?![^\W_]))"
)
# A single character class at the start keeps the search fast; the look-behinds distinguish the four
# kinds. A run matches only from its first character, so the search stays linear. The look-ahead with a
# back-reference keeps all closers, as a possessive quantifier would, which Python 3.11.2 gets wrong
# after a group. At most 64 closers: a note such as [p.1] has a stop of its own, from which all that follow
# would be read again.
STOP = re.compile(
    rf"[{STOPS}{FULL_WIDTH_STOPS}{LINE_BREAKS}](?:"
    rf"(?<=[{STOPS}])(?<![{STOPS}]{{2}})[{STOPS}]*+(?=(?P<closers>{SPACED_CLOSER}{{0,64}}))(?P=closers)(?!\S)"
    rf"|(?<=[{FULL_WIDTH_STOPS}])[{FULL_WIDTH_STOPS}]*+(?:{CLOSER})*"
    rf"|(?<=[{LINE_BREAKS}])\s*+"
    rf"|(?<=[{CJK}][!?])[!?]*+(?:{CLOSER})*(?=[{CJK}「『《（])"
    r")"
)
SINGLE_PERIOD = re.compile(rf"\.(?![{STOPS}])")
SPACE = re.compile(r"\s*+")
DECIMAL = re.compile(r"\d．\d")
BLANK_LINE = re.compile(rf"(?:\r\n|(?!\r\n)[{LINE_BREAKS}])\s*?[{LINE_BREAKS}]")
NEXT_WORD = re.compile(rf"\s*+[{re.escape(OPENERS)}]{{0,4}}([^\W\d_]{{0,12}})")
"""What follows a stop, as the three below."""
NEXT_NUMBER = re.compile(
    r"\s*+(?:[#§$€£]?\d|[(\[]\d{1,3}[a-z]?(?:\.\d{1,3})?[)\]]|[IVX]{2,6}\b|[A-Z]-?\d)"
)
LONE_PERIOD = re.compile(r"\s*+\.(?!\.)")
NEXT_LETTER = re.compile(r"\s*+(?:[^\W\d_]|e[jx])\.(?!\w)")
NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}"
LETTER = r"(?:[^\W\d_\u1100-\uffff]|[가나다라마바사아자차카타파하])"
LIST_ITEM = re.compile(
    r"[-–—*+•‣▪◦●·∙⁃○■□◆◇★☆►▶➢➤→✓✔✗✘✅❌☐☑☒]\ufe0f?\s|#{1,6}\s|\||[-=*_]{3,}(?!\S)"
    rf"|[(\[]?(?:{NUMBER}|{LETTER}|[ivx]{{2,5}})[.)\]]\s|\d{{1,3}}、|[①-⑳]"
)
LONE_MARKER = re.compile(r"(?:[•‣▪●◦]|\d{1,2}[.)]|[a-z][.)])\s*")
HEADING = re.compile(r"#{1,6}\s|\|")
LIST_NUMBER = re.compile(
    rf"(?:#{{1,6}} )?[*(\[]{{0,3}}(?:§ ?)?(?:{NUMBER}|{LETTER}|[ivxIVX]{{2,5}}|[QA]\d{{1,2}})"
    r"|[*(\[]{0,3}(?:Article|Chapter|Clause|Figure|Part|Question|Rule|Section|Step|Table)"
    rf" (?:{NUMBER}[A-Za-z]?|[A-Z]|[IVX]{{2,5}})"
)
"""A number at the start of a line, whose period does not end a sentence; Q1, Step 1 and Section 2 too."""
INLINE_LIST_NUMBER = re.compile(r"(?::\s[1ai]|;\s(?:and\s|or\s)?\d)\Z")
"""The number of an item within a line: "by rules: 1. …; 2. …"."""
SPACED_LETTERS = re.compile(r"(?:^|[\s(])[^\W\d_]\.\s[^\W\d_]\Z")
"""The second letter of "z. B." or "p. m."."""
DOTTED = re.compile(r"(?:.*[-–—/:\d])?(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}")
"""U.S, p.m, J.-P, non-U.S, 5:30p.m."""
WORD_START = re.compile(r".*[-–—/]")
"""The part before the abbreviation in mid-Jan and Dr./Mr."""
QUOTATIVE = re.compile(r"と(?!ても|ころ|にかく|りあえず|きどき|もに|もかく)|って")
"""The Japanese particles that follow a quotation."""
WRAPPED_LINE = 60
"""A line at least this long continues in the next one, unless it ends with a stop or a colon."""
UNFINISHED = frozenset(["the", "an", "Mr.", "Mrs.", "Ms.", "Dr.", "Prof."])
"""A line that ends with one of these continues in the next one, however short it is."""

ASCII_WORDS = "".join(
    sign.lower() if sign.isalnum() or sign == "_" else " " for sign in map(chr, range(128))
)
"""Table for `str.translate`, which is faster than `re`: words lower-cased, all other ASCII as spaces."""


def word_set(listed: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(listed.split())


def rows(table: str) -> list[list[str]]:
    """The words of each row of a table; rows end at bars and line breaks."""
    return [row.split() for row in table.strip().replace("\n", "|").split("|")]


def by_word(table: str) -> dict[str, int]:
    """The number at the beginning of each row by the other words in it."""
    return {word.replace("_", " "): int(n) for n, *words in rows(table) for word in words}


TITLES = word_set("""
    mr mrs dr prof brig capt lt cmdr sgt cpl pvt supt atty asst messrs mme mlle fr br mt vs v cf viz
    approx e.g i.e eg ie esp n.b nb p.s bd bzw vgl evtl ggf inkl zzgl sog insb bspw sra sres dra ud
    uds ee sig dott им ул просп акад проф डॉ
""")
"""Abbreviations that never end a sentence."""
REFERENCES = word_set("""
    no nos fig figs art arts chap par sect cir op bk div ph nr nrn abb abs kap núm núms pág págs
""")
"""Abbreviations if a number follows, words otherwise."""
LETTER_REFERENCES = frozenset("pcns")
"""Page, circa, note, section."""
MEASURES = word_set("""
    hr hrs min mins max avg std temp yr yrs wk wks lb lbs oz kg km cm mm ml mg gal gals qt
    tsp tbsp yd yds cc mph sq in sec secs vol vols ch para pt pts pp cl reg eq eqs ibid depts
    mar sun sat wed apt rm ex стр рис руб коп тыс млн млрд
""")
"""Abbreviations that end a sentence unless a lower-case word or a number follows."""
AND_SO_ON = word_set("etc usw")
"""Abbreviations that end a sentence unless a lower-case word follows."""
SHORT_NAMES = word_set("""
    inc ltd co corp llc llp plc bros jr sr esq al jan feb apr jun jul aug sep sept oct nov dec
    mon tue tues thu thurs fri ave blvd rd hwy ln st ft ms ca calif fla minn mich wis tenn okla conn
    ariz colo va eds est ext tel misc intl natl govt assoc assn dept univ bldg ste incl excl resp
    dkt civ crim evid educ ct supp av uu rev hon gen col maj adm gov sen sens rep pres
""")
"""Abbreviations that end a sentence only if a typical first word follows."""
ABBREVIATIONS = TITLES | REFERENCES | MEASURES | AND_SO_ON | SHORT_NAMES
FIRST_WORDS = word_set("""
    The This That These Those There They Then Thus It Its He She His Her We Our You Your I My In On
    At As An A And But Or So If For From By With When While Where What Who Why How Although Because
    However Therefore Moreover Furthermore Also After Before Since During Under Some Many Most Each
    Every All Any No Not Both Such Please Their Yes Here Later Once Until Unless Only Several
    Another Other Others Finally Instead Is Are Was Were Has Have Had Does Did Could Would
    Should Now Nothing Nobody Everyone Someone Anyone Whether Which Whose Within Without Despite
    Nevertheless Meanwhile Additionally Consequently Similarly Overall Otherwise Indeed Perhaps
    Maybe Unfortunately Currently Recently
""")
DESIGNATIONS = word_set("""
    vitamin hepatitis influenza plan option type class grade group part section phase answer
    appendix exhibit schedule figure table category level point choice version letter form tier zone
    block room unit
""")
"""A capital letter after one of these is not an initial: vitamin C, plan B."""
BEFORE_I = word_set("am and as can could did do does had have nor or so than war was would")
"""An I after one of these is not an initial: so did I, World War I."""
ORDINALS = word_set("""
    januar januars februar februars märz april mai juni juli august augusts september septembers
    oktober oktobers november novembers dezember dezembers jahrhundert jahrhunderts weltkrieg
    weltkriegs auflage
""")
"""German words, lower-cased, after which a number with a period is an ordinal."""


def normalize(text: str, how: Normalization) -> str:
    """The text, normalised by one of the named methods.

    - `lower_ws`: lower-case, each run of whitespace as one space, trimmed;
    - `strip_lower`: trimmed, lower-case; whitespace inside is kept;
    - `squad`: lower-case, without ASCII punctuation and the articles a, an and the, then
      whitespace as in `lower_ws`; as in the official SQuAD 1.1 script;
    - `none`: unchanged.

    All but `none` compose to NFC first, so that both encodings of "é" are equal.

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
    """The text in NFC."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return normal_form("NFC", text)


def excerpt(text: str, limit: int = 1_000) -> str:
    """The beginning of the text, for evidence, with the number of characters left out.

    >>> excerpt("abcdef", 4)
    'abcd… (2 characters more)'
    """
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} characters more)"


def is_blank(text: str) -> bool:
    """Whether a text has no visible character: only whitespace, controls and formats, or nothing.

    >>> is_blank(" \\n\\u200f"), is_blank("。")
    (True, False)
    """
    return not any(sign.isprintable() and not sign.isspace() for sign in text)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order, without the whitespace around them.

    >>> sentences("Dr. Lee paid $3.50. Why? The fee is due on Jan. 5.")
    ('Dr. Lee paid $3.50.', 'Why?', 'The fee is due on Jan. 5.')
    """
    return tuple(text[start:end] for start, end in sentence_spans(text))


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The span of each sentence; together they cover everything but whitespace.

    The rules are for English prose, lists and CJK text, with common abbreviations of some other
    languages. A sentence ends at a run of stops with its closing quotes, brackets and [1]-marks,
    followed by whitespace (not needed after 。！？). It does not end after an initial, a list number,
    or an abbreviation, unless what follows shows that the abbreviation is the last word. It also ends
    at a blank line, and at a line break before a list item or after a line that is not wrapped, not
    unfinished and not continued in lower case.
    """
    spans: list[Span] = []
    start = _skip_space(text, 0)
    for stop in STOP.finditer(text, start):
        if stop.start() >= start and _ends_sentence(text, start, stop):
            if stop[0][0] not in LINE_BREAKS:
                spans.append((start, stop.end()))
            elif line := text[start : stop.start()].rstrip():
                spans.append((start, start + len(line)))
            start = _skip_space(text, stop.end())
    if last := text[start:].rstrip():
        spans.append((start, start + len(last)))
    return tuple(spans)


def _skip_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the sentence that began at `start` ends at this stop."""
    marks, at = stop[0], stop.end()
    if marks[0] in LINE_BREAKS:
        return _ends_at_line_break(text, start, stop)
    if marks == ".":
        return _ends_at_period(text, start, stop)
    if SINGLE_PERIOD.match(marks):
        is_within = marks[1] in QUOTE_ENDS and _next_word(text, at)[:1].islower()
        return not is_within and _ends_at_period(text, start, stop)
    if marks[-1] in "」』" and QUOTATIVE.match(text, at):
        return False
    if marks[0] in FULL_WIDTH_STOPS:
        return marks != "．" or DECIMAL.match(text, stop.start() - 1) is None
    return not _next_word(text, at)[:1].islower()


def _ends_at_line_break(text: str, start: int, stop: re.Match[str]) -> bool:
    if (
        BLANK_LINE.match(stop[0])
        or LIST_ITEM.match(text, stop.end())
        or (text[start] in "#|" and HEADING.match(text, start))
    ):
        return True
    if text[stop.end() : stop.end() + 1].islower():
        return False
    line = text[max(start, stop.start() - WRAPPED_LINE) : stop.start()]
    if len(line) >= WRAPPED_LINE and not any(mark in line for mark in LINE_BREAKS):
        return line.rstrip().endswith(":")
    # Not after only a list number or bullet, nor after a word that needs another.
    is_marker = len(line) < 8 and LONE_MARKER.fullmatch(line)
    return not (is_marker or UNFINISHED.intersection(line.rsplit(None, 1)[-1:]))


def _ends_at_period(text: str, start: int, stop: re.Match[str]) -> bool:
    before = text[max(start, stop.start() - 24) : stop.start()]
    if before[-8:].isalpha() and len(before) >= 8:  # longer than any abbreviation
        return True
    if len(before) < 24 and LIST_NUMBER.fullmatch(before):
        return False
    words = before.rsplit(None, 2)
    if not words or before[-1].isspace():  # as in tokenised text, but not in ". . ."
        if LONE_PERIOD.match(text, stop.end()):
            return False
        return not (before.rstrip().endswith(".") and _next_word(text, stop.end())[:1].islower())
    word = words[-1].lstrip(OPENERS)
    if len(word) > 1:
        is_known = not word.isalpha() or word.lower() in ABBREVIATIONS
        return not is_known or _ends_after_word(text, words, stop.end())
    return not word or _ends_after_letter(text, before, words, stop.end())


def _ends_after_letter(text: str, before: str, words: Sequence[str], end: int) -> bool:
    """After an initial, a letter of "z. B.", a variable, a digit."""
    letter, previous = before[-1], words[-2] if len(words) > 1 else ""
    following = _next_word(text, end)
    if INLINE_LIST_NUMBER.search(before):
        return False
    if not letter.isalpha():
        return following.lower() not in ORDINALS
    if NEXT_LETTER.match(text, end):
        return False
    if SPACED_LETTERS.search(before):
        return following in FIRST_WORDS
    if letter.islower():
        is_abbreviation = not letter.isascii() and following[:1].islower()  # 1990 г. в Москве
        is_reference = letter in LETTER_REFERENCES and NEXT_NUMBER.match(text, end)
        return letter != "v" and not is_abbreviation and not is_reference
    if not letter.isupper():  # of a script without case; Hangul and CJK signs are words
        return letter >= "\u1100"
    if previous.lower() in (BEFORE_I if letter == "I" else DESIGNATIONS):
        return not following[:1].islower()
    return following in FIRST_WORDS


def _ends_after_word(text: str, words: Sequence[str], end: int) -> bool:
    """After an abbreviation, a number, or a word with a period or hyphen."""
    word = words[-1].lstrip(OPENERS)
    following, takes_number = _next_word(text, end), NEXT_NUMBER.match(text, end) is not None
    if word[-1].isdecimal():
        return not (len(word) == 2 and word.isdecimal() and following.lower() in ORDINALS)
    name = WORD_START.sub("", word.lower())
    if name == "in" and not (len(words) > 1 and words[-2][-1].isdecimal()):
        return True
    if name in TITLES:
        return False
    if name in REFERENCES:
        return not takes_number
    if name in AND_SO_ON or name in MEASURES:
        return not following[:1].islower() and not (takes_number and name in MEASURES)
    return following in FIRST_WORDS if name in SHORT_NAMES or DOTTED.fullmatch(word) else True


def _next_word(text: str, end: int) -> str:
    """The letters after the stop; "" if something else follows."""
    found = NEXT_WORD.match(text, end)
    return found[1] if found else ""


class SpanSet:
    """Some spans, in any order and with overlaps, to find without trying each whether a place is in one of them."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))
        """The furthest end of all spans up to each."""

    def __contains__(self, place: int) -> bool:
        return self.covers(place, place + 1)

    def covers(self, start: int, end: int) -> bool:
        """Whether one of the spans covers start:end."""
        last = bisect_right(self._starts, start)
        return last > 0 and end <= self._ends[last - 1]
