"""Questions whose answer is a date, a time, an amount of money or a count."""

import re
from collections.abc import Iterator

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions.clauses import Clause
from ragauge.questions.draft import Part, QuestionAnswer
from ragauge.questions.english_words import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    JOINING,
    MODALS,
    PREPOSITIONS,
    as_question,
    content_words,
    ends_open,
    is_bare,
    is_plural,
    set_of,
    verbs,
)

TIMES = set_of("minutes hours days weeks months years seconds nights")
SCALES = set_of("hundred thousand million billion trillion")
PAYING = set_of("cost charge earn pay raise receive spend lose")
BOUND = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|more than|less than|at least|at most|up to|only|exactly"
    r"|no more than|just)$"
)
CALENDAR = re.compile(r"\d{4}|\d{1,2} [A-Z]|[A-Z]\w+ \d|\d{1,2}[:.]\d\d|\d [ap]\.?m")
NUMBERED = set_of(
    "number version form type level class part phase rule no step channel room stage grade"
)
"""Nouns that a number names and does not count: `channel 7`."""
MEASURED = set_of("old tall high long wide deep ago later away of more less after before")
"""Words behind an amount that make it another thing than a count: `20 years old`."""
COUNTED = re.compile(r"(?:[a-z][\w-]* ){0,2}[a-z][\w-]*")
CURRENCY = r"(?:dollars?|euros?|USD|EUR|pence|cents)"


def dated(clause: Clause) -> Iterator[Part]:
    """`in 1994`, `from 15 May to 10 October`, `until 30 June`."""
    rest = clause.rest
    found = [date for date in dates(rest) if CALENDAR.search(date.text)]
    if not 0 < len(found) < 3:
        return
    span, behind = rest[found[0].start : found[-1].end], rest[found[-1].end :]
    before = re.search(
        r"(?:^|\s)(in|on|since|from|by|until|between|at)\s+(?:the )?$", rest[: found[0].start]
    )
    goes_on = re.match(r"\s*(?:\w+ )?(?:to|and|or|-|–)\b|[ ,]*\d{4}", behind)
    if before is None or goes_on:
        return
    how, is_range = before[1], len(found) == 2
    gap = rest[found[0].end : found[-1].start]
    is_joined = re.fullmatch(r"\s*(?:to|and|until|through)\s*", gap)
    if (is_range and not (is_joined and how in ("from", "between"))) or (
        not is_range and how == "between"
    ):
        return
    leftover = f"{rest[: before.start()].rstrip()} {behind.strip()}".strip()
    inner = leftover.lower().split()[1:]
    has_verb = any(verbs().get(word, ("", ""))[1] == "past" for word in inner)
    if set(inner) & JOINING or has_verb or (not leftover and clause.main in ("", "have", "take")):
        return
    is_when = is_range or how not in ("since", "from", "by", "until")
    ask = "When" if is_when else f"{how.capitalize()} when"
    answer = f"{how} {span}" if is_range else span
    yield Part("date", ask, answer, leftover, found[0].text)


def lead_date(clause: Clause) -> Iterator[QuestionAnswer]:
    """`In 1998, X opened …`: when did X open …?"""
    found = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    is_date = found and [each.text for each in dates(clause.lead)] == [found["date"]]
    if not found or not is_date or not CALENDAR.search(found["date"]) or is_bare(clause.subject):
        return
    question = as_question("When", clause._replace(lead="").asked())
    if len(content_words(question)) > 2 and not set(clause.rest.split()) & JOINING:
        yield QuestionAnswer("date", question, found["date"])


def amounts(clause: Clause) -> Iterator[Part]:
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
        part = (_money if is_money else _count)(clause, before, text, tail)
        if part is not None:
            yield part._replace(value=number.text)


def _money(clause: Clause, before: str, number: str, tail: str) -> Part | None:
    is_clear = len(content_words(clause.subject)) > 1
    is_be = clause.auxiliary in BE and not clause.main
    if before:
        is_price = clause.auxiliary in MODALS and before in PAYING
    else:
        is_price = (is_be and is_clear) or clause.main.split(" ")[-1] in PAYING
    if not is_price or re.match(r"(?:less|more)\b", tail):
        return None
    unit = re.match(rf"{CURRENCY}\b", tail)
    leftover = f"{before} {tail[unit.end() :] if unit else tail}".strip()
    return Part("money", "How much", f"{number} {unit[0]}" if unit else number, leftover)


def _count(clause: Clause, before: str, number: str, tail: str) -> Part | None:
    things = _things(tail)
    leftover = tail[len(things or "") :].strip()
    following = leftover.lower().split(" ")[0]
    if things is None or following in MEASURED:
        return None
    if not before:
        is_stated = not clause.main and clause.auxiliary in BE and clause.subject != "there"
        is_end = following in PREPOSITIONS | DETERMINERS | JOINING | {"", "to"}
        if is_stated or not is_end:
            return None
        return Part("count", f"How many {things}", f"{number} {things}", leftover)
    head, _, preposition = before.rpartition(" ")
    is_time = things.split()[-1] in TIMES and preposition in ("for", "within", "after")
    if not is_time or ends_open(head) or set(head.split()) & JOINING:
        return None
    how = (
        "For how long" if preposition == "for" else f"{preposition.capitalize()} how many {things}"
    )
    return Part("time", how, f"{number} {things}", f"{head} {leftover}".strip())


def _things(tail: str) -> str | None:
    """The plural noun that is counted, with the words before it."""
    found = COUNTED.match(tail)
    words = found[0].split() if found else []
    for n, word in enumerate(words, 1):
        if word in DETERMINERS | SCALES | {"times"}:
            return None
        if is_plural(word):
            return " ".join(words[:n])
        if word in verbs() or word in PREPOSITIONS | JOINING | AUXILIARIES | {"and"}:
            return None
    return None


def measure(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X has a maximum depth of 112 metres`: what is the maximum depth of X?"""
    found = re.match(
        r"an? (?P<what>(?:[a-z-]+ ){0,2}[a-z-]+) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d[^,;]*)$",
        clause.rest,
    )
    be = {"does": "is", "did": "was"}.get(clause.auxiliary)
    if found and be and clause.main in ("have", "cover", "reach") and not clause.lead:
        question = as_question("What", be, "the", found["what"], "of", clause.subject)
        yield QuestionAnswer("measure", question, found["value"])


def counted_subject(clause: Clause) -> Iterator[QuestionAnswer]:
    """`Two wardens live in each hut`: how many wardens …?"""
    number, _, things = clause.subject.partition(" ")
    found = quantities(number)
    is_state = clause.verb in BE and not re.match(
        r"\w+ed\b|(?:in|on|at|for)\b|kept|held", clause.rest
    )
    said = f"{clause.verb} {clause.rest} {clause.lead}"
    if (
        found
        and found[0].value >= 2
        and not found[0].is_year
        and not is_state
        and _things(things) == things
        and not clause.lead.startswith("of")
        and len(content_words(said)) > 1
    ):
        yield QuestionAnswer(
            "counted subject", as_question("How many", things, said), clause.subject
        )


def with_other_number(rest: str) -> str | None:
    """The rest with another whole number in place of its only one, or another year."""
    years = re.findall(r"\b(?:1[89]|20)\d\d\b", rest)
    if len(years) == 1 and dates(rest):
        return rest.replace(years[0], str(int(years[0]) - 4))
    found = [each for each in quantities(rest) if not each.is_year and not each.only_matches]
    if (
        len(found) != 1
        or dates(rest)
        or not re.fullmatch(r"[$€£]?\d{1,3}(?:,\d{3})*%?", found[0].text)
    ):
        return None
    digits = re.sub(r"[^\d,]", "", found[0].text)
    value = int(digits.replace(",", ""))
    is_bounded = re.search(r"\b(?:least|most|than|up to|over|under|within)\b", rest)
    if value < 3 or is_bounded or rest[: found[0].start].strip().split(" ")[-1].lower() in NUMBERED:
        return None
    other = value * 2 if value < 50 else value + value // 4
    if "%" in found[0].text and other >= 100:
        other = value // 2
    text = found[0].text.replace(digits, f"{other:,}" if "," in digits else str(other))
    return rest[: found[0].start] + text + rest[found[0].end :]
