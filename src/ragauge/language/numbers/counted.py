"""What numbers count: their nouns and rates, and whether equal numbers of two texts count other things."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter
from typing import NamedTuple

from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.quantity import Quantity, between
from ragauge.language.numbers.units import is_measure, is_time, unit_of
from ragauge.language.stems import CJK, stem
from ragauge.language.stop_words import NLTK_ENGLISH
from ragauge.language.text import word_set

_BARE = ("", "version")
_NEAR = 100
"""Characters between numbers of which one may be taken for the other; farther ones may be of another matter."""
_HOW_MANY = re.compile(r"\bhow many\b", re.IGNORECASE)


class Counted(NamedTuple):
    """What a number counts: stems of its nouns; what it is per ("user" and "month" of `$2 per user per month`).

    Whether it counts working time, and whether its nouns stand before it.
    """

    things: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    is_working_time: bool = False
    is_before: bool = False


_REACH = 60
"""Characters before and after a number in which its words are looked for."""
_TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:['’][a-z]+)?|\n| [-–—] |[^\s-]")
_JOINING = word_set("of for in on the all their its calendar full old long")
"""Words between a number and its noun, and between the words of a noun."""
_ENDS = NLTK_ENGLISH | word_set("和 与 及 und total altogether overall answer result sum")
_MOST_NOUNS = 4
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_PER = word_set("per / pro")
"""What needs no period after it: `per user`."""
_WORKING = re.compile(
    r"\s*(?:(?:business|working)[ -](?:minute|hour|day|week|month|year)|werktag|arbeitstag|个?工作[日天]"
    r"|(?:jours?\s)?ouvr(?:é|able)|(?:días?\s)?(?:hábil|laborable))",
    re.IGNORECASE,
)
_EACH = re.compile("每(小时|[年月天日周])")
_IN_GERMAN = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+(?:er|e|n)\b")
"""A German noun that may be a plural: `3 Kinder`."""
_TIMES = word_set("s min hour day week month quarter year")
_PERSONS = word_set("head capita people persons")
_LABEL = re.compile(r"([^\W\d_][\w'’-]*(?:[ ][^\W\d_][\w'’-]*){0,2})[ ]?[:=(][ ]?$")
_LABEL_ENDS = frozenset(":=(")
_RANGE = re.compile(r"(?:\s?[-–—]\s?|\s(?:to|or)\s)[0-9]{1,9}")
"""The rest of a range, whose first number counts the same: `5-7 business days`."""
_BETWEEN_LISTED = r"\s([^\W\d_]+)(?:\s?,|\s(?:and|und|et|y))\s"
_NEXT_LISTED = re.compile(rf"{_BETWEEN_LISTED}([^\W_]+)")
_LAST_LISTED = re.compile(rf"([^\W_]+){_BETWEEN_LISTED}$")
_CLAUSE_END = re.compile(r"\s*(?:[.,;:!?()\n]|\Z|(?:and|but|und|et|y|aber|mais|pero)\b)")
_CLAUSE_START = re.compile(r"[.,;:!?()\n0-9]")
_PLURALS = word_set(
    "people children men women feet teeth mice geese staff crew police personnel aircraft fish sheep cattle"
)


def counted(text: str, quantity: Quantity) -> Counted:
    """What the words beside a number say that it counts."""
    start, end, unit = quantity.start, quantity.end, quantity.unit
    if low := _RANGE.match(text, end):
        end = low.end()
    adverbs, reach = vocabulary().rates, max(0, start - _REACH)
    before = _CLAUSE_START.split(text[reach:start])[-1].lower().split()
    nouns, rates = _words_after(text, end)
    rates.update(adverbs[word] for word in before if word in adverbs)
    rates.update(vocabulary().periods[each] for each in _EACH.findall("".join(before)))
    if (below := unit.partition("/")[2]) and not is_measure(unit):
        rates.add(below)
    is_plural = any(map(_is_plural, nouns)) or _IN_GERMAN.match(text, min(end + 1, len(text)))
    if not (unit or quantity.value == 1 or is_plural or _is_listed(text, start, end)):
        nouns = []  # the 3 of `3 paid late` counts what is said elsewhere
    may_be_labelled = not (nouns or _LABEL_ENDS.isdisjoint(text[max(0, start - 3) : start]))
    if may_be_labelled and (label := _LABEL.search(text, reach, start)):
        nouns = [word for word in label[1].lower().split() if word not in _ENDS]
    is_before = not nouns and _CLAUSE_END.match(text, end) is not None
    if is_before:  # `the fee is $30`, `Ada scored 3`
        others = (_ENDS, vocabulary().functions, adverbs)
        nouns = [word for word in before if word.isalpha() and not any(word in o for o in others)]
        nouns = nouns[-_MOST_NOUNS:]
    is_working = _WORKING.match(text, end) is not None
    return Counted(frozenset(map(stem, nouns)), frozenset(rates), is_working, is_before)


def _words_after(text: str, end: int) -> tuple[list[str], set[str]]:
    """The nouns after a number, and what it is per: `per month`, `/month`, `a month`, `per user`."""
    nouns: list[str] = []
    rates: set[str] = set()
    adverbs, period = vocabulary().rates, ""
    tokens = (each[0].lower() for each in _TOKEN.finditer(text, end, end + _REACH))
    for word, following in pairwise(chain(tokens, [""])):
        rate = adverbs.get(word, "")
        if word in vocabulary().per and following.isalpha():
            unit = vocabulary().periods.get(following) or unit_of(following)
            if unit and (is_time(unit) or unit == "quarter"):
                rate = unit
            elif word in _PER:  # not of `£38 each come to £76`
                rate = "person" if following in _PERSONS else unit or stem(following)
            period = following if rate else period
        if rate:
            rates.add(rate)
        elif word not in _JOINING and word != period:
            is_name = word.isalpha() or _YEAR.fullmatch(word)
            if period or word in _ENDS or not is_name or len(nouns) == _MOST_NOUNS:
                break
            nouns.append(word)
    return nouns, rates


def _is_listed(text: str, start: int, end: int) -> bool:
    """Whether a word that is no plural parts the number from another one: `4 red and 3 blue`."""
    after = _NEXT_LISTED.match(text, end)
    before = _LAST_LISTED.search(text, max(0, start - _REACH), start)
    pairs = ([after.group(2, 1)] if after else []) + ([before.group(1, 2)] if before else [])
    return any(
        (number.isdigit() or number.lower() in vocabulary().numbers)
        and not _is_plural(word.lower())
        for number, word in pairs
    )


def _is_plural(word: str) -> bool:
    return (word[-1] == "s" and word[-2:] != "ss") or word in _PLURALS or word > "\u3000"


class CountedNumbers:
    """What the numbers of a text count.

    `asked`: the stems of what the question asks the number of, which a number without a noun counts.
    """

    def __init__(self, text: str, found: Sequence[Quantity], asked: Collection[str] = ()) -> None:
        self._text, self._found, self.asked = text, found, frozenset(asked)
        self._read: dict[int, Counted] = {}

    def of(self, quantity: Quantity) -> Counted:
        if quantity.end not in self._read:
            known = counted(self._text, quantity)
            if self.asked and not quantity.unit and (known.is_before or not known.things):
                known = known._replace(things=self.asked, is_before=False)
            self._read[quantity.end] = known
        return self._read[quantity.end]

    @cached_property
    def _in_order(self) -> list[Quantity]:
        stated = (each for each in self._found if not (each.is_year or each.only_matches))
        return sorted(stated, key=attrgetter("start"))

    def has_closer(self, things: frozenset[str], n_shared: int, number: Quantity) -> bool:
        """Whether another number near this one counts more of these things than are shared."""
        return any(
            abs(other.value) != abs(number.value)
            and (other.unit in _BARE) == (number.unit in _BARE)
            and len(things & self.of(other).things) > n_shared
            for other in between(self._in_order, number.start - _NEAR, number.start + _NEAR + 1)
        )


def count_other_things(
    one: Quantity, counts: CountedNumbers, other: Quantity, others: CountedNumbers
) -> bool:
    """Whether two equal numbers of two texts are of different things.

    They are if their rates differ (`per month`, `per year`), if one is of working time (`business days`), or if
    their nouns differ and beside one of them is another number with the noun of the other: `2 adults and 3 children`
    has not the 3 of `3 adults`, but `3 grown-ups` has, as has `3 seniors`, since no list says which nouns mean the same.
    Where nouns may stand before the number (`the fee is $30`, `Ada scored 3`), both sides must have such a number.
    """
    first, second = counts.of(one), others.of(other)
    periods = first.rates & _TIMES, second.rates & _TIMES
    if _are_apart(first.rates, second.rates) or _are_apart(*periods):
        return True
    if first.is_working_time != second.is_working_time:
        return is_time(one.unit) or is_time(other.unit)
    n_shared = len(first.things & second.things)
    if not (first.things and second.things) or n_shared == len(first.things):
        return False
    if n_shared and first.things == counts.asked:
        return False  # the question may say more of them than is needed
    here = others.has_closer(first.things, n_shared, other)
    there = counts.has_closer(second.things, n_shared, one)
    needs_both = one.unit or other.unit or first.is_before or second.is_before
    return here and there if needs_both else here or there


def each_thing_once(found: Iterable[Quantity], counts: CountedNumbers) -> list[Quantity]:
    """The numbers of a text, each value once for each of the things that it counts: `3 adults and 3 children`."""
    by_number: dict[object, list[Quantity]] = defaultdict(list)
    for number in found:
        own, same = counts.of(number), by_number[number.number]
        others = map(counts.of, same[:10])
        if all(_are_apart(own.things, o.things) or _are_apart(own.rates, o.rates) for o in others):
            same.append(number)
    return [number for same in by_number.values() for number in same]


def _are_apart(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and one.isdisjoint(other)


def asked_things(question: str | None) -> frozenset[str]:
    """The stems of what the question asks the number of.

    >>> sorted(asked_things("How many young adults are there?"))
    ['adult', 'young']
    """
    found = _HOW_MANY.search(question or "")
    number = Quantity(found[0], *found.span(), Decimal(2)) if found else None
    return counted(question or "", number).things if number else frozenset()
