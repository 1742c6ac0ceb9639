"""The facts that a text states: amounts, dates, codes and names."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from itertools import pairwise, takewhile
from operator import attrgetter
from typing import Literal, NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.numbers.other_forms import Measure, measures, shares_out_of
from ragauge.language.numbers.other_languages import quantities_of, times_of_day
from ragauge.language.numbers.quantity import DIVIDING, Quantity
from ragauge.language.numbers.units import MONEY, converted, is_measure, is_time, unit_of
from ragauge.language.numbers.words import value_of
from ragauge.language.text import DESIGNATIONS, word_set
from ragauge.language.words import RANKS, WORD_VALUES

NEAR = 3
"""Tokens beside an amount, or after a negation, that belong to it."""
Kind = Literal["amount", "date", "code", "member", "frequency"]
BEHIND = ("or ", "and ", "oder ", "como ", "au m", "minimum", "maximum", "以")
"""How a bound begins that stands behind its number: `16 or over`."""
SIGNS = frozenset(",;:.()，；：。（）|")
"""Signs at which what belongs to an amount or a negation ends."""
BUSINESS = ("working", "business", "calendar")
"""Before days that are others: `5 business days` are not 5 days."""
CAPITALS = ("go", "to")
"""French units that are words of English in small letters: `500 Go`, but `9 to 5`."""
ENDINGS = ("st", "nd", "rd", "th")
"""Of ordinals in English, in words."""
DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
NO_MONTHS = frozenset(("march", "may", "mayo", "sept"))
"""Words of English or French that are months of another language, or in capitals only."""
YEARS = range(1100, 2101)
"""Numbers of four digits without a unit that are years."""
_DESIGNATION = "|".join((*DESIGNATIONS, "vitamine", "vitamina", "维生素", "tarif"))
_CODE = re.compile(
    r"(?<![^\W\u3000-\uffff])(?P<head>[A-Z][A-Za-z]{0,11})[- ]?(?P<tail>\d+(?:\.\d+)*[A-Za-z]?(?: ?\([a-z0-9]{1,3}\))*)(?![^\W\u3000-\uffff]|%|[-.,:–]\d)"
    r"|(?P<version>\b[Vv](?:ersion|ersión|\.)? ?|版本 ?)(?P<number>\d+(?:\.\d+)*)(?!\w)"
    rf"|(?P<kind>(?i:\b(?:{_DESIGNATION})|维生素) ?(?=[A-Z](?![\w'’-]))|\b[A-Z][a-z]{{2,}} (?=[A-Z]\d|[A-Z](?!\s+[A-Z])))"
    r"(?P<letter>[A-Z]\d{0,2})(?![\w'’-]|\.\w)"
    r"|(?<![A-Za-z0-9])(?P<before>[A-Z])出?(?P<noun>[口座区栋班组馆厅线型])"
)
_LONG = re.compile(
    r"(?<![\w.,+-])(?:(?:\+\d{1,3}|\(?0\d+\)?)(?:[ /()-]{1,2}\d+)+|\(?\d{2,5}\)?[ -]{1,2}\d{1,7}(?:-\d{1,7})+)(?![\w%-]|[.,:]\d)"
)
"""What may be a telephone number or an ISBN."""
_MAY_BE_CODE = re.compile(r"\d|[A-Z](?![^\W\u3000-\uffff]|['’-])")
"""What every code has; searched first, because it is fast."""
MIN_DIGITS = 7
_GERMAN_PLACE = re.compile(r"(\w{4,}?)s?te[nr]?")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_CHINESE_LABEL = re.compile(
    r"([0-9]{1,3}|[一二三四五六七八九十]{1,3})号(馆|楼|线|厅|门|口|台|桌|房|院|路)"
)
AT_HOURS = ("at", "until", "till")
BEFORE_HOURS = word_set(
    "open opens opened close closes closed shut shuts start starts started begin begins end ends ended finish finishes"
    " leave leaves left arrive arrives arrived depart departs meet meets serve serves"
)
AFTER_HOURS = ("", ".", ",", ";", "!", "?", "and", "or", "on", "every", "but")
"""What stands before and after an hour in words: `opens its doors at nine`."""
_BEFORE_HYPHEN = re.compile(r"(\w+)-$")
_CHINESE_DAY = re.compile(
    r"([一二三四五六七八九十]{1,2}|1?\d)月([一二三四五六七八九十]{1,3}|[123]?\d)[日号]"
)
_GERMAN_DAY = re.compile(
    r"(?i:(?:\A(?=\d\d\.\d\d)|\b(?:am|vom|bis|zum|den|dem|ab|seit) ))([0-3]?\d)\. ?([01]?\d)\.(?!\d)"
    r"|\A(?i:le |el |am |on )?([0-3]?\d)/([01]?\d)\.?\Z"
)
_MAY_BE_DAY = re.compile(r"\d(?:\. ?\d{1,2}\.(?!\d)|/\d{1,2}\.?\Z)")
_ENDING_ZEROS = re.compile(r"(?:\.0)+$")
_ORDINAL = re.compile(r"(?<![\w.,])([0-9]{1,3})(?=st|nd|rd|th)[a-z]{2}\b")
_ROMAN = re.compile(
    r"\b(?P<head>[A-Z][\w'’-]{1,30}) (?P<roman>(?:XL|L?X{0,3})(?:IX|IV|VI{0,3}|I{1,3}))(?![\w'’]|\.\w)"
)
_ROMANS = {"I": 1, "V": 5, "X": 10, "L": 50}
_INITIAL = re.compile(r"\.\s+[A-Z]")
"""What follows the initial of a name: `John S. Smith`."""

BOUNDS = {"least": "at least", "most": "at most", "exact": "exactly"}
"""How a bound is shown, where not by its name."""
_PARTED = re.compile(r"[$€£]? ?\b\d{1,3}(?: ?[,.] (?!\d{4})\d{3}| [,.] ?\d{3})\b")
"""A number with a space inside, as some tokenizers leave it: `26, 000`."""


class Part(NamedTuple):
    """What a part of a text says, and its start and end; of tokens in lower case."""

    text: str
    start: int
    end: int


class Fact(NamedTuple):
    """Something of which a text may state another: its span, and what it says.

    `value`: a number, the days between one time and the next, the parts of a date, the head and tail of a code (`AES`, `128`), or a class and its
    member (`colour`, `2`). Of amounts: the `unit`,
    the period that a rate is `per`, and the `bound` (`least`, `most`, `exact`, `over`, `under`); "" where not stated.
    """

    kind: Kind
    text: str
    start: int
    end: int
    value: Decimal | Date | tuple[str, str]
    unit: str = ""
    per: str = ""
    bound: str = ""
    is_negated: bool = False

    @property
    def head(self) -> str:
        """The head of a code, or the class of a member; "" of other facts."""
        return self.value[0] if isinstance(self.value, tuple) else ""

    @property
    def shown(self) -> str:
        """What it says, with what a negation, a bound or a period adds."""
        bound = f"{BOUNDS.get(self.bound, self.bound)} " if self.bound else ""
        per = f" per {self.per}" if self.per else ""
        return "not " * self.is_negated + bound + self.text + per


def facts_of_text(text: str, tokens: Sequence[Part], ends: Set[int]) -> list[Fact]:
    """All facts of a text in order, none inside another; `ends`: those of its sentences."""
    found: list[Fact] = []
    words, known = {token.text for token in tokens}, vocabulary()
    for time in times_of_day(text):  # before dates, which do not read `in the morning`
        hours, minutes = divmod(int(time.value), 60)
        parts: dict[str, int | str] = {"hour": hours % 12 or 12, "minute": minutes}
        if time.unit == "time":
            parts["half"] = "pm" if 12 <= hours < 24 else "am"
        found.append(_of_date(Date(time.text, time.start, time.end, parts)))
    found += sorted(
        [*map(_of_date, dates(text)), *_named_dates(text, tokens, words)],
        key=lambda fact: fact.start - fact.end,  # `first of March` before `March`
    )
    amounts = sorted(_amounts(text, tokens), key=lambda fact: (fact.start, -fact.end))
    found += [
        *_romans(text),
        *_codes(text, tokens, ends, words),
        *_frequencies(text, tokens),
        *amounts,
    ]
    # Words of a class of which one holds in a place: a weekday, a colour; but not `the last 12 months`.
    starts, classes = {fact.start for fact in amounts}, known.classes
    for name, start, end in () if words.isdisjoint(classes) else tokens:
        if name in classes and end + 1 not in starts:
            found.append(Fact("member", text[start:end], start, end, classes[name]))
    for each in _ORDINAL.finditer(text):
        found.append(Fact("member", each[0], *each.span(), ("place", each[1])))
    kept: list[Fact] = []
    taken: set[int] = set()
    for fact in found:  # dates before codes before amounts
        if taken.isdisjoint(range(fact.start, fact.end)):
            kept.append(fact)
            taken.update(range(fact.start, fact.end))
    return sorted(kept, key=lambda fact: fact.start)


def _of_date(date: Date) -> Fact:
    return Fact("date", date.text, date.start, date.end, date)


def _named_dates(text: str, tokens: Sequence[Part], words: Set[str]) -> Iterator[Fact]:
    """`17. Oktober 1984`, `the first of March`, `im Juni`: a month's name of any language with the numbers beside it; `at nine`."""
    known = vocabulary()
    for found in _CHINESE_DAY.finditer(text) if "月" in text else ():
        month, day = (int(n) if n.isdecimal() else value_of(n) or 0 for n in found.groups())
        if month <= 12 and day <= 31:
            yield _of_date(Date(found[0], *found.span(), {"month": month, "day": day}))
    for found in _GERMAN_DAY.finditer(text) if _MAY_BE_DAY.search(text) else ():  # `am 14.10.`
        day, month = (int(each) for each in found.groups() if each)
        span = (found.start(1) if found[1] else found.start(3)), found.end()
        if 0 < day <= 31 and 0 < month <= 12:
            is_open = bool(found[3]) and day <= 12  # `3/5`
            of_year = {"month": month, "day": day}
            yield _of_date(Date(text[slice(*span)], *span, of_year, either_order=is_open))

    for at, token in enumerate(() if words.isdisjoint(AT_HOURS) else tokens[:-1]):
        number = tokens[at + 1]
        if token.text in AT_HOURS and 0 < (hour := WORD_VALUES.get(number.text, 0)) <= 12:
            before = [each.text for each in tokens[max(0, at - 4) : at]]
            after = tokens[at + 2].text if at + 2 < len(tokens) else ""
            if after in AFTER_HOURS and not BEFORE_HOURS.isdisjoint(before):
                start, end = token.start, number.end
                yield _of_date(Date(text[start:end], start, end, {"hour": hour, "minute": 0}))

    if words.isdisjoint(known.months):
        return

    def numbers(parts: Sequence[Part], *, is_before: bool) -> list[tuple[int, Part]]:
        found: list[tuple[int, Part]] = []
        for each in parts:
            word, start, end = each
            above = _BEFORE_HYPHEN.search(text, max(0, start - 10), start)  # `twenty-first`
            tens = [int(n.value) for n in (quantities_of(above[1]) if above else ())]
            if word.isdecimal():
                found.append((int(word), each))
            elif (rank := _rank(word)) and (tens or not above):
                begin = above.start() if above else start
                found.append((rank + sum(tens), Part(word, begin, end)))
            elif is_before and end in spelled:  # `veinticinco de mayo`
                found.append((int(spelled[end].value), Part(word, spelled[end].start, end)))
            elif is_before and (place := _GERMAN_PLACE.fullmatch(word)):
                found += [(int(n.value), each) for n in quantities_of(place[1]) if n.spelled]
        return found

    spelled = {each.end: each for each in quantities_of(text) if each.spelled and not each.unit}

    for at, token in enumerate(tokens):
        if token.text not in known.months or text[token.start : token.end] == "may":
            continue
        before = numbers(tokens[max(0, at - 2) : at], is_before=True)
        after = numbers(tokens[at + 1 : at + 3], is_before=False)
        if (
            before
            and before[-1][1].text.endswith(ENDINGS)
            and before[-1][1].end == tokens[at - 1].end
        ):
            before = []  # `the first March meeting`
        parts: dict[str, int | str] = {"month": known.months[token.text]}
        start, end = token.start, token.end
        if before and before[-1][0] in range(1, 32):
            parts["day"], start = before[-1][0], before[-1][1].start
        if after and after[0][0] in YEARS:
            parts["year"], end = after[0][0], after[0][1].end
        elif (
            after
            and after[0][0]
            and after[0][1] == tokens[at + 1]
            and not after[0][1].text[0].isdecimal()
        ):
            parts["day"], end = after[0][0], after[0][1].end  # `March first`
        is_planet = token.text == "mars" and text[start].isupper()
        is_plain = len(token.text) > 3 or token.text == "mai"  # no abbreviation
        if len(parts) > 1 or (is_plain and not is_planet and token.text not in NO_MONTHS):
            yield _of_date(Date(text[start:end], start, end, parts))


def _rank(word: str) -> int:
    """3 for `third` and `dritten`; 0 for other words."""
    name, number = vocabulary().classes.get(word, ("", ""))
    return RANKS.get(word) or (int(number) if name == "place" else 0)


def _romans(text: str) -> Iterator[Fact]:
    """`Phase III` is `Phase 3`; numerals of one letter are read with other letters."""
    for found in _ROMAN.finditer(text):
        roman, head = found["roman"], found["head"]
        values = [_ROMANS[sign] for sign in roman]
        value = sum(
            -each if each < following else each
            for each, following in zip(values, (*values[1:], 0), strict=True)
        )
        if len(roman) > 1:
            start = found.start("head")
            yield Fact("code", f"{head} {roman}", start, found.end(), (head.lower(), str(value)))


def _codes(text: str, tokens: Sequence[Part], ends: Set[int], words: Set[str]) -> Iterator[Fact]:
    known = vocabulary()
    for found in _LONG.finditer(text):
        digits = "".join(filter(str.isdigit, found[0]))
        if len(digits) >= MIN_DIGITS:
            yield Fact("code", found[0], *found.span(), ("", digits.lstrip("0")))
    for found in _CHINESE_LABEL.finditer(text) if "号" in text else ():
        number, head = found.groups()
        tail = number if number.isdecimal() else str(value_of(number))
        yield Fact("code", found[0], *found.span(), (head, tail))
    are_named = not words.isdisjoint(DESIGNATIONS)
    for token, number in pairwise(tokens) if are_named else ():  # `section five`
        if number.text in WORD_VALUES and token.text in DESIGNATIONS:
            start, end = token.start, number.end
            value = token.text, str(WORD_VALUES[number.text])
            yield Fact("code", text[start:end], start, end, value)
    for found in _CODE.finditer(text) if _MAY_BE_CODE.search(text) else ():
        word = found["head"] or found["kind"] or found["noun"]
        head = (word or "version").strip().lower()
        tail = found["tail"] or found["number"] or found["letter"] or found["before"]
        tail = tail.lower().replace(" ", "")
        if found["letter"] and (value := _ROMANS.get(tail.upper())):
            tail = str(value)
        if head == "version":  # 3.12.0 is 3.12
            tail = _ENDING_ZEROS.sub("", tail)
        is_money = word and word.strip().isupper() and unit_of(word.strip()) in MONEY
        others = (known.functions - {"war"}, known.months, known.bounds)  # German; `World War I`
        is_word = any(head in each for each in others)
        if is_money or (word and is_word and " " in found[0]):
            continue
        if found["tail"] and "-" not in found[0]:  # a year, or with a unit: `Teig 6 Stunden`
            at = bisect_left(tokens, found.end(), key=attrgetter("start"))
            has_unit = 0 < at < len(tokens) and tokens[at - 1].end == found.end()
            unit = tokens[at].text if has_unit else ""
            is_year = tail.isdigit() and int(tail) in YEARS
            if is_year or unit in known.units or unit_of(unit or " ") is not None:
                continue
        if not _INITIAL.match(text, found.end()) or found.end() + 1 in ends:
            yield Fact("code", found[0], *found.span(), (head, tail))


def _quantities(text: str, tokens: Sequence[Part]) -> Iterator[Quantity]:
    """The quantities with the units of all languages; `1 h 30 min` is one."""
    known, places = vocabulary(), [token.start for token in tokens]
    parted = {at for each in _PARTED.finditer(text) for at in range(*each.span())}
    found: list[Quantity] = []
    for each in quantities_of(text):
        last = bisect_left(places, each.end)
        if each.unit == "JPY" and "¥" in each.text and _CHINESE.search(text):
            each = each._replace(unit="CNY")
        # `3 millions d'euros`, `两个小时`
        n_between = 2 * bool(each.scale) + text.startswith(("个", "個"), each.end)
        for at in range(last, min(last + 1 + n_between, len(tokens))):
            word, is_low = tokens[at].text, text[tokens[at].start].islower()
            is_other = (is_low and word in CAPITALS) or (word == "an" and each.value < 1)
            if not each.unit and word in known.units and not is_other:  # not `half an hour`
                each = each._replace(unit=known.units[word], end=tokens[at].end)
        country = known.dollars
        is_year = YEARS[0] <= each.value <= YEARS[-1]
        # `24 paid days`, `50 Schweizer Franken`
        if not (each.unit or is_year) and last + 1 < len(tokens):
            word, (noun, _, end) = tokens[last].text, tokens[last + 1]
            unit = known.units.get(noun) or unit_of(noun) or ""
            is_plain = word.isalpha() and noun.isalpha()  # not of `3 people $20 each`
            is_plain = is_plain and word not in known.functions and word not in BUSINESS
            if is_plain and (is_time(unit) or unit in MONEY):
                unit = country.get(word, unit) if unit == "USD" else unit
                each = each._replace(unit=unit, end=end)
        elif each.unit in ("USD", "MXN"):  # `30 dollars canadiens`, `900 pesos argentinos`
            for behind in tokens[bisect_left(places, each.end) :][:1]:
                each = each._replace(unit=country.get(behind.text, each.unit))
        found.append(each)
    whole = [each for each in measures(text, found) if each.quantity.unit]
    for part, of, share in shares_out_of(text, found):  # `one in four`
        share = share._replace(value=100 * share.value, unit="%", only_matches=False)
        whole.append(Measure(share, (part, of)))
    inside = {part.start for each in whole for part in each.parts}
    found = [each for each in found if each.start not in inside]
    for each in (*found, *(each.quantity for each in whole)):
        is_vague = each.only_matches and not is_time(each.unit)
        if not (each.is_year or is_vague or each.start in parted):
            yield each


def _amounts(text: str, tokens: Sequence[Part]) -> Iterator[Fact]:
    """The amounts, each with the unit, bound and period beside it."""
    known, places = vocabulary(), [token.start for token in tokens]
    ends = SIGNS | known.times | known.once.keys()
    for quantity in _quantities(text, tokens):
        unit, digits, start, end = quantity.unit, quantity.text, quantity.start, quantity.end
        above, _, below = unit.partition("/")
        is_rate = is_time(below) and not is_measure(unit)  # `mg/day`, not `km/h`
        unit = above if is_rate else unit
        first, last = bisect_left(places, start), bisect_left(places, end)
        before, after = (
            [*takewhile(lambda word: word not in ends, (each.text for each in part))]
            for part in (tokens[max(0, first - NEAR) : first][::-1], tokens[last : last + NEAR + 1])
        )
        if not unit and before and known.units.get(before[0]) == "%":
            unit = "%"
        if not unit and len(digits) == 4 and digits.isdigit() and int(digits) in YEARS:
            yield _of_date(Date(digits, start, quantity.end, {"year": int(quantity.value)}))
            continue
        per = (_period(after)[0] or _period(before[::-1])[0]) if unit else ""
        per = (known.periods.get(below, below) if is_rate else "") or per
        is_free = not any(each[0].isdigit() for each in after)
        beside = (*before, *(each for each in after if is_free or each.startswith(BEHIND)))
        bound = next((known.bounds[each] for each in beside if each in known.bounds), "")
        yield Fact("amount", text[start:end], start, end, quantity.value, unit, per, bound)


def _frequencies(text: str, tokens: Sequence[Part]) -> Iterator[Fact]:
    """`twice a week`, `every 14 days`, `weekly`: the days between one time and the next."""
    known, words = vocabulary(), [*(token.text for token in tokens), *[""] * 4]
    if known.often.isdisjoint(words):
        return
    values = {each.start: each.value for each in quantities_of(text) if each.value > 0}

    def times(at: int) -> tuple[Decimal | int, int]:
        """How often the words at a place say, and how many they are."""
        if words[at] in known.once:
            return known.once[words[at]], 1
        is_number = words[at + 1] in known.times and tokens[at].start in values
        return (values[tokens[at].start], 2) if is_number else (0, 0)

    def interval(at: int) -> tuple[Decimal, str, int]:
        """How many of which period the words say, and where they end: `other day`, `14 jours`, `half hour`."""
        each, at = Decimal(1), at + (words[at] in known.articles)
        kind, place = known.classes.get(words[at], ("", ""))
        if words[at] in known.half:
            each, at = DIVIDING.divide(each, Decimal(2)), at + 1 + (words[at + 1] == "-")
        elif words[at] in known.other or (kind == "place" and place != "0"):  # `third week`
            each, at = Decimal(2 if words[at] in known.other else place), at + 1
        elif words[at] and tokens[at].start in values:
            each, at = values[tokens[at].start], at + 1
        word = words[at]
        unit = known.periods.get(word) or known.units.get(word) or unit_of(word or " ") or ""
        return each, unit, at + 1

    last = -1
    for at, token in enumerate(tokens):
        if at <= last:
            continue
        n, size = times(at)
        end, each, period = at + size, Decimal(1), ""
        if n:
            period, n_words = _period(words[end : end + 3])
            end += n_words
            if not period and words[end] in known.every | known.within:  # `once every 14 days`
                each, period, end = interval(end + 1)
        elif token.text in known.every:  # `every other day`, `tous les 14 jours`, `每天三次`
            each, period, end = interval(at + 1)
            if period and end < len(tokens):
                n, size = times(end)
                end += size
        else:
            period, end = known.rates.get(token.text, ""), at + 1
        days = DAYS.get(period) or converted(Decimal(1), unit_of(period or " ") or period, "day")
        if days:
            last, start = end - 1, token.start
            end = tokens[last].end
            value = DIVIDING.divide(each * days, Decimal(n or 1))
            yield Fact("frequency", text[start:end], start, end, value, "day")


def _period(words: Sequence[str]) -> tuple[str, int]:
    """What a rate is per, the period behind `per` or in `monthly`, and the number of words up to it."""
    known = vocabulary()
    for n, (before, word) in enumerate(zip(("", *words), words, strict=False), 1):
        if word in known.rates or (word in known.periods and before in known.per):
            return known.rates.get(word) or known.periods[word], n
    return "", 0
