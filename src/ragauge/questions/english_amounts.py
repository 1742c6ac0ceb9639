"""Questions whose answer is a date, a time, an amount of money or a count."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import Clause

PATTERNS: Mapping[str, tuple[str, float]] = {
    "date": ("temporal", 3.5),
    "count": ("number", 3.5),
    "money": ("number", 3.5),
    "measure": ("number", 3.5),
    "time": ("number", 3.0),
    "agent": ("single fact", 3.5),
    "definition": ("single fact", 3.0),
    "identity": ("single fact", 3.0),
    "meaning": ("single fact", 3.0),
    "means": ("single fact", 3.0),
    "place": ("single fact", 3.0),
    "reason": ("single fact", 3.0),
    "which": ("single fact", 2.0),
    "object": ("single fact", 2.0),
    "listed objects": ("list", 2.8),
    "denied": ("yes/no", 1.5),
    "changed number": ("yes/no", 1.4),
    "confirmed": ("yes/no", 1.0),
    "cloze": ("cloze", 1.0),
}
"""The type and the worth of the questions of each pattern."""


class QuestionAnswer(NamedTuple):
    """A question that a sentence answers; `comparing` and `value` as in a draft."""

    pattern: str
    question: str
    answer: str
    comparing: str = ""
    value: str = ""


TIMES = en.set_of("minutes hours days weeks months years seconds nights")
SCALES = en.set_of("hundred thousand million billion trillion")
PAYING = en.set_of("cost charge earn pay raise receive spend lose")
BOUND = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|more than|less than|at least|at most|up to|only|exactly"
    r"|no more than|just)$"
)
CALENDAR = re.compile(r"\d{4}|\d{1,2} [A-Z]|[A-Z]\w+ \d|\d{1,2}[:.]\d\d|\d [ap]\.?m")
NUMBERED = en.set_of(
    "number version form type level class part phase rule no step channel room stage grade"
)
"""Nouns that a number names and does not count: `channel 7`."""
MEASURED = en.set_of("old tall high long wide deep ago later away of more less after before")
"""Words behind an amount that make it another thing than a count: `20 years old`."""
MEASURES = en.set_of(
    """depth length height width weight capacity speed area population pressure temperature diameter size volume power limit rate price budget fee
    range duration thickness distance salary age elevation discount value term period penalty fine"""
)
COUNTED = re.compile(r"(?:[a-z][\w-]* ){0,2}[a-z][\w-]*")
CURRENCY = r"(?:dollars?|euros?|USD|EUR|pence|cents)"


def part(
    clause: Clause, pattern: str, ask: str, answer: str, leftover: str = "", value: str = ""
) -> Iterator[QuestionAnswer]:
    """The question for a part of a clause's rest: `leftover` is the rest without it, `ask` the words that ask.

    Two subjects of which the same is said are compared by it: `Which has more beds`.
    """
    if en.ends_open(leftover):
        return
    comparing = ""
    if pattern == "count":
        comparing = f"{clause.verb} more {ask.removeprefix('How many ')} {leftover}"
    elif pattern == "money" and clause.main == "cost":
        comparing = f"{clause.verb} more {leftover}"
    elif pattern == "date" and ask == "When":
        # `opened in a former factory`: where is no part of what is compared
        said = re.sub(r"(^|^\w+(?:ed|t) )(?:in|on|at|by|with|for) .*", r"\1", leftover)
        comparing = f"{clause.verb} {said} earlier"
    comparing = " ".join(f"Which {comparing}".split()) if comparing else ""
    question = en.as_question(ask, clause.asked(leftover))
    yield QuestionAnswer(pattern, question, answer.rstrip(","), comparing, value)


def dated(clause: Clause) -> Iterator[QuestionAnswer]:
    """`in 1994`, `from 15 May to 10 October`, `until 30 June`."""
    rest = clause.rest
    found = [date for date in dates(rest) if CALENDAR.search(date.text)]
    if not 0 < len(found) < 3:
        return
    first, last, is_range = found[0], found[-1], len(found) == 2
    behind = rest[last.end :]
    before = re.search(
        r"(?:^|\s)(in|on|since|from|by|until|between|at)\s+(?:the )?$", rest[: first.start]
    )
    goes_on = re.match(r"\s*(?:\w+ )?(?:to|and|or|-|–)\b|[ ,]*\d{4}", behind)
    if before is None or goes_on:
        return
    how = before[1]
    is_joined = re.fullmatch(r"\s*(?:to|and|until|through)\s*", rest[first.end : last.start])
    if (not is_joined or how not in ("from", "between")) if is_range else how == "between":
        return
    leftover = f"{rest[: before.start()].rstrip()} {behind.strip()}".strip()
    inner = leftover.lower().split()[1:]
    has_verb = any(en.form_of(word) == "past" for word in inner)
    is_amount = clause.auxiliary in en.BE and bool(quantities(leftover.split(" ")[0]))
    if (
        is_amount
        or set(inner) & en.JOINING
        or has_verb
        or (not leftover and clause.main in ("", "have", "take"))
    ):
        return
    is_when = is_range or how not in ("since", "from", "by", "until")
    ask = "When" if is_when else f"{how.capitalize()} when"
    span = rest[first.start : last.end]
    answer = f"{how} {span}" if is_range else span
    yield from part(clause, "date", ask, answer, leftover, first.text)


def lead_date(clause: Clause) -> Iterator[QuestionAnswer]:
    """`In 1998, X opened …`: when did X open …?"""
    found = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    is_date = found and [each.text for each in dates(clause.lead)] == [found["date"]]
    if not found or not is_date or not CALENDAR.search(found["date"]):
        return
    question = en.as_question("When", clause._replace(lead="").asked())
    if len(en.content_words(question)) > 2 and en.JOINING.isdisjoint(clause.rest.split()):
        yield QuestionAnswer("date", question, found["date"])


def amounts(clause: Clause) -> Iterator[QuestionAnswer]:
    """An amount of money, a time or a count."""
    rest, own_dates = clause.rest, dates(clause.rest)
    for number in quantities(rest):
        in_date = any(date.start < number.end and number.start < date.end for date in own_dates)
        if number.is_year or number.only_matches or in_date:
            continue
        with_unit = re.match(r"(\S+) ([a-z]{3,})", number.text)
        text = with_unit[1] if with_unit and with_unit[2] not in SCALES else number.text
        before, behind = rest[: number.start].strip(), rest[number.start + len(text) :]
        is_open = behind[:1] not in ("", " ", ",") or re.match(r"\s*(?:to|or|and|[-–x×])\s", behind)
        if is_open or before.lower().split(" ")[-1] in NUMBERED:
            continue
        if bound := BOUND.search(before):
            before, text = before[: bound.start()].strip(), f"{bound[0]} {text}"
        tail = re.split(r"[,;:]| and | or | [-–] ", behind, maxsplit=1)[0].strip()
        is_money = re.search(rf"[$€£]|\b{CURRENCY}\b", f"{text} {tail.split(' ')[0]}")
        found = (_money if is_money else _count)(clause, before, text, tail)
        if found is not None:
            yield from part(clause, *found, number.text)


def _money(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """The pattern, the words that ask, the answer and what is left; None for what is no price."""
    if before:
        is_price = clause.auxiliary in en.MODALS and before in PAYING
    else:
        is_said = clause.auxiliary in en.BE and not clause.main
        is_clear = len(en.content_words(clause.subject)) > 1
        is_price = (is_said and is_clear) or clause.main.split(" ")[-1] in PAYING
    if not is_price or re.match(r"(?:less|more)\b", tail):
        return None
    unit = re.match(rf"{CURRENCY}\b", tail)
    answer = f"{number} {unit[0]}" if unit else number
    return "money", "How much", answer, f"{before} {tail[unit.end() :] if unit else tail}".strip()


def _count(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """As `_money`, of a count or a time."""
    # The plural noun that is counted, with the words before it.
    found, things = COUNTED.match(tail), ""
    words = found[0].split() if found else []
    for n, word in enumerate(words, 1):
        if word in en.DETERMINERS | SCALES | {"times"} or f"{word}s" in TIMES:  # `30 minute talks`
            return None
        if en.is_plural(word):
            things = " ".join(words[:n])
            break
        if word in en.verbs() or word in en.PREPOSITIONS | en.JOINING | en.AUXILIARIES | {"and"}:
            return None
    leftover = tail[len(things) :].strip()
    following = leftover.lower().split(" ")[0]
    if not things or following in MEASURED:
        return None
    if not before:
        is_stated = not clause.main and clause.auxiliary in en.BE and clause.subject != "there"
        if is_stated or following not in en.BEFORE_NOUNS | en.JOINING | {"", "to"}:
            return None
        return "count", f"How many {things}", f"{number} {things}", leftover
    head, _, preposition = before.rpartition(" ")
    is_time = things.split()[-1] in TIMES and preposition in ("for", "within", "after")
    if not is_time or en.ends_open(head) or not en.JOINING.isdisjoint(head.split()):
        return None
    many = f"{preposition.capitalize()} how many {things}"
    how = "For how long" if preposition == "for" else many
    return "time", how, f"{number} {things}", f"{head} {leftover}".strip()


def measure(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X has a maximum depth of 112 metres`: what is the maximum depth of X?"""
    found = re.match(
        rf"an? (?P<what>(?:[a-z-]+ ){{0,2}}(?:{'|'.join(sorted(MEASURES))})) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d[^,;]*)$",
        clause.rest,
    )
    be = {"does": "is", "did": "was"}.get(clause.auxiliary)
    if found and be and clause.main in ("have", "cover", "reach") and not clause.lead:
        question = en.as_question("What", be, "the", found["what"], "of", clause.subject)
        yield QuestionAnswer("measure", question, found["value"])


def with_other_number(rest: str) -> str | None:
    """The rest with another whole number in place of its only one, or another year."""
    years = re.findall(r"\b(?:1[89]|20)\d\d\b", rest)
    if len(years) == 1 and dates(rest):
        return rest.replace(years[0], str(int(years[0]) - 4))
    found = [each for each in quantities(rest) if not each.is_year and not each.only_matches]
    if len(found) != 1 or dates(rest):
        return None
    text, before = found[0].text, rest[: found[0].start]
    digits = re.sub(r"[^\d,]", "", text)
    value = int(digits.replace(",", "") or 0)
    is_bounded = re.search(r"\b(?:least|most|than|up to|over|under|within)\b", rest)
    is_plain = re.fullmatch(r"[$€£]?\d{1,3}(?:,\d{3})*%?", text)
    is_name = before.strip().split(" ")[-1].lower() in NUMBERED
    if not is_plain or value < 3 or is_bounded or is_name:
        return None
    other = value * 2 if value < 50 else value + value // 4
    if "%" in text and other >= 100:
        other = value // 2
    changed = text.replace(digits, f"{other:,}" if "," in digits else str(other))
    return before + changed + rest[found[0].end :]
