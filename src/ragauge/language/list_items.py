"""The items of a list in a text, each with a code, a name or both, and which of them two lists share."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ragauge.language.characters import plain_signs
from ragauge.language.patterns import BoundedPattern
from ragauge.language.text import normalize

BULLET = re.compile(r"^[ \t]*(?:[*•+-]|\d{1,3}[.)])[ \t]+(\S.*)$", re.MULTILINE)
BOLD = re.compile(r"\*\*([^*]+)\*\*|__([^_]+)__")
LINK = re.compile(r"\[([^\]\n]{0,1000})\]\([^)\n]{0,2000}\)")
TAG = re.compile(r"</?[A-Za-z]{1,10}>")
MARKUP = re.compile(r"[*_`]+")
EDGES = " .,;:-—()[]"
TIGHT = re.compile(r"\s*([/-])\s*")
"""`/` and `-` with the spaces around them; `plain_signs` has made `–` a `-`."""
BEHIND_NAME = re.compile(r"[:(\[—]|\s-|-\s")
"""What may begin an explanation: colon, bracket, or a dash that is not inside a word; spaces and dashes before it are
stripped from the name."""

_KINDS = r"(?:Article|Chapter|Clause|Form|Part|Rule|Section|§)"
_NUMBER = r"\d+(?:[.-]\d+)*[A-Za-z]?"
_CODE = rf"(?:(?:{_KINDS}\s*)?[A-Z]{{1,3}}(?:\s?[-/]\s?|\.){_NUMBER}|{_KINDS}\s*{_NUMBER})"
CODE_FIRST = re.compile(rf"\s*({_CODE})(?:\s*[:(\[)\]—]|\s+-|-+\s|\.?\s*$)")
CODE_LAST = re.compile(rf"(?:[:(\[—]\s*|\s-\s*)({_CODE})\s*[)\]]?[.,;]?\s*$")
"""`Rule C-1:` before a name, or `(Rule C-1)` after it: the codes known without a pattern."""
KIND = re.compile(rf"{_KINDS}\s*(?=[a-z]{{1,3}}[-/.]\d)", re.IGNORECASE)
"""The kind before a code with letters, which may be left out: `Rule C-1` is `C-1`."""
MAX_SHORT_NAMES = 20


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list; `code` or `name` is empty if it has none.

    `short_names`: what the name may be without an explanation behind it, longest first.
    """

    code: str = ""
    name: str = ""
    short_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.code, self.name)))


def list_items(text: str, codes: BoundedPattern | None = None) -> list[ListItem]:
    """The bullets of a text, each item once, and the codes that match the pattern anywhere in it.

    >>> [str(item) for item in list_items("* **Rule C-1:** Limits / Sums\\n* Rating Plan")]
    ['rule c-1: limits/sums', 'rating plan']
    """
    text = plain_signs(text)
    items: list[ListItem] = []
    coded: dict[str, int] = {}
    named: dict[str, int] = {}
    codes_in_text = [_normal(match[0]) for match in (codes.findall(text) if codes else ())]
    for item in (*_bullets(text, codes), *map(ListItem, filter(None, codes_in_text))):
        place = coded.get(item.code) if item.code else named.get(item.name)
        if place is None and item.code and item.name:
            # A name without a code is the same item; under another code it is not.
            place = named.get(item.name)
            place = None if place is None or items[place].code else place
        if place is None:
            place = len(items)
            items.append(item)
        elif not items[place].code:
            items[place] = replace(items[place], code=item.code)
        if item.code:
            coded.setdefault(item.code, place)
        if item.name:
            named.setdefault(item.name, place)
    return items


def shared_items(expected: Sequence[ListItem], given: Sequence[ListItem]) -> set[int]:
    """The places of the expected items that are given too, by their code or else by their name.

    A given item is one expected item at most: the one with its code, or else with the longest of
    its names. `Rule C-1` and `C-1` are the same code, `Rule C-1` and `Form C-1` are not.
    """
    codes = {item.code: place for place, item in enumerate(expected) if item.code}
    without_kind = {KIND.sub("", code, count=1): place for code, place in codes.items()}
    names: dict[str, list[int]] = {}
    for place, item in enumerate(expected):
        if item.name:
            names.setdefault(item.name, []).append(place)
    found: set[int] = set()
    for item in given:
        bare = KIND.sub("", item.code, count=1)
        by_code = codes.get(item.code, codes.get(bare))
        if by_code is None and bare == item.code:
            by_code = without_kind.get(bare)
        if by_code is not None:
            found.add(by_code)
            continue
        named = next((names[each] for each in (item.name, *item.short_names) if each in names), ())
        if named:
            found.add(next((place for place in named if place not in found), named[0]))
    return found


def _bullets(text: str, codes: BoundedPattern | None) -> Iterator[ListItem]:
    for line in BULLET.finditer(text):
        bullet = TAG.sub("", LINK.sub(r"\1", line[1]))
        coded = codes.findall(bullet) if codes else ()
        if len(coded) > 1:
            continue  # several codes, which are items of their own
        if coded:
            code = _normal(MARKUP.sub("", coded[0][0]))
            rest = MARKUP.sub("", bullet[: coded[0].start()])
            if not rest.strip(EDGES):
                rest = MARKUP.sub("", bullet[coded[0].end() :])
        else:
            code, rest = _split(MARKUP.sub("", bullet))
        name, short_names = _normal(rest), _short_names(rest)
        # A name in bold ends with it; behind a code in bold the name follows.
        bold = BOLD.match(bullet)
        in_bold = _split(MARKUP.sub("", bold[1] or bold[2]), known=code)[1] if bold else ""
        if bold_name := _normal(in_bold):
            name, short_names = bold_name, (name, *short_names, *_short_names(bold_name))
        if code or name:
            yield ListItem(code, name, short_names)


def _split(text: str, known: str = "") -> tuple[str, str]:
    """The code and the name of an item's text without markup. `known` is a code that it may hold."""
    if match := CODE_FIRST.match(text):
        return _normal(match[1]), text[match.end(1) :]
    if match := CODE_LAST.search(text):
        return _normal(match[1]), text[: match.start()]
    tight = _normal(text)
    if known and tight.startswith(known):
        return known, tight[len(known) :]
    return "", text


def _short_names(text: str) -> tuple[str, ...]:
    """The name without what is behind a colon, bracket or dash, the longest first."""
    ends = islice(BEHIND_NAME.finditer(text), MAX_SHORT_NAMES)
    names = [_normal(text[: match.start()]) for match in ends]
    return tuple(dict.fromkeys(name for name in reversed(names) if name))


def _normal(text: str) -> str:
    return TIGHT.sub(r"\1", normalize(text, "lower_ws")).strip(EDGES)
