"""English questions from single sentences, with exact references and without a model."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions.clauses import (
    ARTICLES,
    AUXILIARIES,
    BE,
    DETERMINERS,
    JOINING,
    MODALS,
    POINTING,
    PREPOSITIONS,
    Clause,
    Names,
    clauses,
    content_words,
    past_of,
    verbs,
    with_names,
)

MIN_WORDS, MAX_WORDS = 4, 26
"""Words of a question."""
TIMES = ("minute", "hour", "day", "week", "month", "year", "second", "night", "working day")
LISTING = frozenset(
    [
        "include",
        "includes",
        "included",
        "contain",
        "contains",
        "comprise",
        "comprises",
        "cover",
        "covers",
        "offer",
        "offers",
        "provide",
        "provides",
        "require",
        "requires",
        "support",
        "supports",
        "accept",
        "accepts",
        "consist",
        "consists",
        "sell",
        "sells",
        "serve",
        "serves",
        "exclude",
        "excludes",
    ]
)
"""Verbs whose whole object is a good answer."""
VAGUE_VERBS = frozenset(
    [
        "have",
        "do",
        "make",
        "take",
        "get",
        "give",
        "go",
        "come",
        "become",
        "be",
        "say",
        "tell",
        "keep",
        "set",
        "let",
        "put",
        "mean",
        "run",
        "see",
        "know",
        "call",
        "think",
        "hold",
        "bring",
        "leave",
        "remain",
        "last",
        "cost",
        "weigh",
        "stand",
        "lie",
        "live",
        "work",
        "stay",
        "arrive",
        "die",
        "appear",
        "happen",
        "occur",
        "range",
        "differ",
        "vary",
        "depend",
    ]
)
"""Verbs whose object alone makes no question: `What does X have?`"""
PLACED = frozenset(
    [
        "located",
        "based",
        "born",
        "headquartered",
        "situated",
        "held",
        "built",
        "founded",
        "established",
        "buried",
        "kept",
        "stored",
        "published",
    ]
)
"""Participles whose place can be asked for."""
NOUNS_OF_PEOPLE = re.compile(
    r"\b(?:\w+(?:ist|ician|ographer|wright)|president|minister|director|manager|writer|author|poet|king|queen|actor|actress|player|teacher|\w*teacher|doctor|"
    r"engineer|founder|chair|chairman|secretary|officer|professor|singer|composer|lawyer|farmer|shepherd|coach|leader|governor|mayor|"
    r"senator|judge|explorer|inventor|designer|painter|warden|keeper|captain|general|soldier|nurse|volunteer|member|driver)\b"
)
PERSON = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Dame|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z]\.)?(?: [A-Z][\w'’-]+){1,2}"
)
COUNTED = re.compile(
    r"(?P<noun>(?:[a-z][\w-]* ){0,2}[a-z][\w-]*s|(?:[a-z][\w-]* ){0,2}(?:people|men|women|children))(?= |$)"
)


class Asked(NamedTuple):
    """A question and its answer; `kind` and `value` as in a draft."""

    question: str
    answer: str
    question_type: str
    pattern: str
    worth: float
    kind: str = ""
    value: str = ""


def questions_of(sentence: str, names: Names, document: str) -> Iterator[tuple[Clause, Asked]]:
    """All questions that the clauses of a sentence answer, each with its clause."""
    for clause in clauses(sentence, names, document):
        clause = clause._replace(rest=with_names(clause.rest, names, document))
        for asked in _of_clause(clause, names):
            if is_good(asked.question):
                yield clause, asked


def is_good(question: str) -> bool:
    """Whether a question has a fit length and points to nothing outside itself."""
    words = re.findall(r"[\w'’-]+", question.lower())
    if not MIN_WORDS - 1 <= len(words) <= MAX_WORDS or set(words) & POINTING:
        return False
    return len(content_words(question)) >= (2 if len(words) < 5 else 3) - (
        words[0] in ("what", "who")
    )


def _of_clause(clause: Clause, names: Names) -> Iterator[Asked]:
    if not clause.is_negative:
        yield from _definition(clause)
        yield from _dates(clause)
        yield from _amounts(clause)
        yield from _agent(clause)
        yield from _place(clause)
        yield from _object(clause)
        yield from _reason(clause)
        yield from _which(clause, names)
    yield from _yes_no(clause)


def _question(*parts: str) -> str:
    text = " ".join(part for part in parts if part)
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"


def _definition(clause: Clause) -> Iterator[Asked]:
    """`X is a Y that …`, `X means Y`, `X is used for Y`."""
    if clause.auxiliary in ("is", "was", "are") and not clause.main:
        words = clause.rest.split()
        rest = _whole_rest(clause)
        if clause.auxiliary != "are" and len(words) > 1 and words[0] in ARTICLES:
            if re.search(r"\b(?:one of|kind of thing)\b", rest):
                return
            is_person = bool(NOUNS_OF_PEOPLE.search(rest)) and bool(
                PERSON.fullmatch(clause.subject)
            )
            is_specific = words[0] in ("a", "an") and len(content_words(rest)) > 1
            if clause.subject.split()[0] in ("the",) or is_specific or words[0] == "the":
                wh = "Who" if is_person or _is_role(clause.subject) else "What"
                yield Asked(_question(wh, clause.asked("")), rest, "single fact", "definition", 3.0)
        elif len(words) > 2 and words[:2] in (
            ["used", "for"],
            ["used", "to"],
            ["called", words[1]],
            ["known", "as"],
        ):
            tail = {"for": "used for", "to": "used for", "as": "known as"}.get(words[1], "called")
            answer = " ".join(words[1:] if tail in ("called",) or words[1] == "to" else words[2:])
            yield Asked(_question("What", clause.asked(tail)), answer, "single fact", "use", 2.5)
    elif clause.main in ("mean", "refer", "stand", "define") and clause.rest:
        tail = re.match(r"(?:to|for)\b", clause.rest)
        if clause.main in ("mean", "define") or tail:
            answer = clause.rest[tail.end() :].strip() if tail else clause.rest
            yield Asked(
                _question("What", clause.asked(tail[0] if tail else "")),
                answer,
                "single fact",
                "meaning",
                3.0,
            )


def _whole_rest(clause: Clause) -> str:
    """The rest with a relative clause that belongs to it."""
    following = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if following is None or set(re.findall(r"\w+", following[0].lower())) & (
        POINTING - {"who", "which"}
    ):
        return clause.rest
    return clause.rest + (following[0] if following[0][0] in ", " else " " + following[0])


def _is_role(subject: str) -> bool:
    return bool(NOUNS_OF_PEOPLE.search(subject.split(" of ")[0].split(" for ")[0].split()[-1]))


def _dates(clause: Clause) -> Iterator[Asked]:
    rest = clause.rest
    found = [date for date in dates(rest) if _is_calendar(date.text)]
    if not found:
        return
    first, last = found[0], found[-1]
    before = re.search(
        r"(?:^|\s)(in|on|since|from|by|until|before|after|between|at|for)\s+(?:the )?$",
        rest[: first.start],
    )
    if before is None:
        return
    behind = rest[last.end :]
    span = rest[first.start : last.end]
    if len(found) > 2 or (
        len(found) == 2
        and not re.fullmatch(r".{4,30} (?:to|and|until|through|or|–|-) .{4,30}", span)
    ):
        return
    if re.match(r"\s*(?:\w+ )?(?:to|and|or|-|–)\b", behind) and len(found) == 1:
        return
    how = before[1]
    is_range = how in ("from", "between")
    if how in ("before", "after", "at", "for") or (
        (len(found) == 2) != is_range and (how, len(found)) != ("from", 1)
    ):
        return
    wh = {
        "since": "Since when",
        "from": "From when" if len(found) == 1 else "When",
        "by": "By when",
        "until": "Until when",
    }.get(how, "When")
    leftover = f"{rest[: before.start()].rstrip()} {behind.strip()}".strip()
    if (
        clause.auxiliary in BE
        and not leftover
        and not clause.main
        and len(clause.subject.split()) < 2
    ):
        return
    if _ends_open(rest[: before.start()]) or (
        clause.main and not leftover and clause.main in verbs() and clause.main in ("have", "take")
    ):
        return
    answer = (
        rest[before.start() : last.end].strip()
        if how in ("from", "between") and len(found) == 2
        else span
    )
    key = f"{clause.auxiliary} {clause.main} {leftover}"
    yield Asked(
        _question(wh, clause.asked(leftover)),
        answer,
        "temporal",
        f"date {how}",
        3.5,
        f"date {key}",
        first.text,
    )


def _is_calendar(text: str) -> bool:
    return bool(
        re.search(
            r"\d{4}|\d{1,2} [A-Z]|[A-Z]\w+ \d|January|February|March|April|June|July|August|September|October|November|December",
            text,
        )
    )


def _ends_open(text: str) -> bool:
    words = text.lower().split()
    return bool(words) and words[-1].strip(",") in PREPOSITIONS | DETERMINERS | JOINING | {
        "and",
        "early",
        "late",
        "mid",
    }


def _amounts(clause: Clause) -> Iterator[Asked]:
    rest = clause.rest
    own_dates = dates(rest)
    for quantity in quantities(rest):
        if (
            quantity.is_year
            or quantity.only_matches
            or any(date.start < quantity.end and quantity.start < date.end for date in own_dates)
        ):
            continue
        asked = _amount(clause, rest[: quantity.start].strip(), quantity.text, rest[quantity.end :])
        if asked is not None:
            yield asked


BOUNDS = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|more than|less than|at least|at most|up to|only|exactly|no more than|just)$"
)


def _amount(clause: Clause, before: str, number: str, behind: str) -> Asked | None:
    """The question for one amount of the rest: `before` number `behind`."""
    bound = BOUNDS.search(before)
    stated = f"{bound[0]} " if bound else ""
    before = before[: bound.start()].strip() if bound else before
    if (
        behind[:1] not in ("", " ", ",", "-")
        or behind.startswith("-")
        or re.match(r"\s*(?:to|or|and|-|–|x|×)\s*[$€£]?\d", behind)
    ):
        return None
    noun = COUNTED.match(behind.lstrip())
    is_money = bool(
        re.search(r"[$€£]|dollar|euro|pound|USD|EUR", number + " " + behind.lstrip().split(" ")[0])
    )
    tail = re.split(r"[,;:]| and | or |(?<=\w) [-–] ", behind, maxsplit=1)[0].strip()
    if re.match(r"\s*(?:and|or)\b", behind):
        return None
    aux_is_be = clause.auxiliary in BE and not clause.main
    if (
        not before
        and is_money
        and (
            aux_is_be
            or clause.main
            in (
                "cost",
                "charge",
                "earn",
                "pay",
                "raise",
                "receive",
                "spend",
                "lose",
                "total",
                "grant",
            )
        )
    ):
        if aux_is_be and len(content_words(clause.subject)) < 2:
            return None
        return Asked(
            _question("How much", clause.asked(tail)),
            f"{stated}{number}",
            "number",
            "money",
            3.5,
            f"money {clause.main} {tail}",
            number,
        )
    if is_money or (
        before
        and before.split()[-1].lower()
        in (
            "number",
            "version",
            "form",
            "type",
            "level",
            "class",
            "part",
            "phase",
            "rule",
            "no",
            "step",
        )
    ):
        return None
    if "%" in number or tail.startswith(("%", "percent")):
        share = re.match(
            r"(?:percent )?of (?P<of>(?:[\w'’-]+ ?){1,6}?)(?=$| (?:in|on|by|for|at|from|with)\b)",
            tail,
        )
        if (
            not before
            and not aux_is_be
            and share
            and not set(share["of"].lower().split()) & POINTING
        ):
            asked = clause.asked(tail[share.end() :].strip())
            return Asked(
                _question("What percentage of", share["of"].strip(), asked),
                f"{stated}{number}",
                "number",
                "share",
                3.0,
            )
        if not before and aux_is_be and len(content_words(clause.subject)) > 1:
            return Asked(
                _question("What", clause.asked("")),
                f"{stated}{number} {tail}".strip(),
                "number",
                "value",
                2.5,
            )
        return None
    if noun is None or set(noun["noun"].split()) & (
        POINTING | AUXILIARIES | PREPOSITIONS | JOINING | {"times", "and", "or"}
    ):
        return None
    things = _unit(noun["noun"])
    if things is None:
        return None
    leftover = tail[len(things) :].strip()
    answer = f"{stated}{number} {things}"
    if leftover.startswith(
        ("old", "tall", "high", "long", "wide", "deep", "ago", "later", "and ", "or ", "of")
    ):
        if leftover.startswith("long") and not before and aux_is_be:
            return Asked(
                _question("How long", clause.asked(leftover[4:].strip())),
                f"{answer} long",
                "number",
                "length",
                3.0,
            )
        return None
    singular = things.removesuffix("s")
    if not before and clause.main in ("last", "take") and singular in TIMES:
        return Asked(
            _question("How long", clause.asked(leftover)),
            answer,
            "number",
            "duration",
            3.5,
            f"duration {clause.main} {leftover}",
            number,
        )
    if not before and not aux_is_be:
        kind = f"count {clause.main} {things} {leftover}"
        return Asked(
            _question("How many", things, clause.asked(leftover)),
            answer,
            "number",
            "count",
            3.5,
            kind,
            number,
        )
    if (
        before
        and before.split()[-1].lower() == "for"
        and singular in TIMES
        and not _ends_open(before.rsplit(" ", 1)[0] if " " in before else "")
    ):
        head = before.rsplit(" ", 1)[0] if " " in before else ""
        return Asked(
            _question("For how long", clause.asked(f"{head} {leftover}")),
            answer,
            "number",
            "how long",
            3.0,
        )
    if (
        before.lower() in ("within", "after", "for", "over", "across", "in")
        and len(leftover.split()) < 8
        and singular not in ("time",)
    ):
        return Asked(
            _question(f"{before.capitalize()} how many", things, clause.asked(leftover)),
            answer,
            "number",
            f"count {before}",
            2.5,
        )
    words = before.split()
    if len(words) > 1 and words[-1].lower() in ("within",) and singular in TIMES:
        return Asked(
            _question(
                "Within how many", things, clause.asked(" ".join(words[:-1]) + " " + leftover)
            ),
            answer,
            "number",
            "count within",
            3.0,
        )
    return None


def _unit(noun: str) -> str | None:
    """The counted noun without words that belong to what follows it."""
    words = noun.split()
    for n in range(1, len(words) + 1):
        word = words[n - 1]
        is_plural = (word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word in (
            "people",
            "men",
            "women",
            "children",
        )
        if is_plural:
            return " ".join(words[:n])
        if word in verbs() or word in PREPOSITIONS:
            return None
    return None


def _agent(clause: Clause) -> Iterator[Asked]:
    """`X was founded by NAME …` → Who founded X?"""
    if clause.auxiliary not in BE or clause.main:
        return
    found = re.match(
        rf"(?P<how>\w+(?: \w+)?) (?P<between>[^,]*?)\bby (?P<name>(?:the )?{PERSON.pattern}(?: and {PERSON.pattern})?)(?P<behind>.*)$",
        clause.rest,
    )
    if found is None or re.match(r"\s*['’]s|\s+and\b", found["behind"]):
        return
    participle = found["how"].split()[0]
    past = past_of(participle)
    if past is None or " " in found["how"]:
        return
    behind = f"{found['between'].strip()} {found['behind'].strip()} {clause.lead}".strip()
    wh = "Who" if not found["name"].startswith("the ") else "Which organisation"
    yield Asked(
        _question(wh, past, clause.subject, behind), found["name"], "single fact", "agent", 3.5
    )


def _place(clause: Clause) -> Iterator[Asked]:
    found = re.match(
        r"(?P<how>(?:[\w]+ )?)(?P<prep>in|at|near|on|beside) (?P<name>(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*)$",
        clause.rest,
    )
    if (
        found is None
        or dates(found["name"])
        or clause.lead
        or (clause.ending and not re.match(r"[,.;]| ?because", clause.ending))
    ):
        return
    how = found["how"].strip()
    if how in PLACED or (
        not how and clause.main in ("live", "stand", "lie", "meet", "work", "begin", "start", "end")
    ):
        yield Asked(
            _question("Where", clause.asked(how)),
            f"{found['prep']} {found['name']}",
            "single fact",
            "place",
            3.0,
        )


def _object(clause: Clause) -> Iterator[Asked]:
    """Verbs such as `include`, whose whole object is the answer; `are A, B and C`."""
    parts = re.split(r", (?:and |or )?| and | or ", clause.rest)
    is_list = len(parts) >= 3 and all(0 < len(part.split()) <= 7 for part in parts)
    kind = "list" if is_list else "single fact"
    rest = clause.rest
    is_specific = len(content_words(clause.subject)) >= (1 if clause.subject[0].isupper() else 2)
    if clause.ending and clause.ending[0] in ",:" and is_list is False:
        return
    if (
        clause.main
        and clause.verb in LISTING
        and rest
        and not rest.lower().startswith(("that ", "for ", "to ", "how ", "in "))
    ):
        tail = "of" if rest.startswith("of ") else ""
        if clause.main == "consist" and not tail:
            return
        answer = rest.removeprefix("of ")
        if len(content_words(answer)) >= 2 and is_specific:
            yield Asked(
                _question("What", clause.asked(tail)),
                answer,
                kind,
                "object",
                2.5 if is_list else 1.8,
            )
    elif (
        clause.main
        and clause.main not in VAGUE_VERBS
        and is_specific
        and re.match(r"(?:the|a|an)\b|[a-z]+s\b", rest)
    ):
        if len(content_words(rest)) >= 2 and rest.split()[0] not in PREPOSITIONS | JOINING | {
            "as",
            "always",
            "its",
        }:
            yield Asked(_question("What", clause.asked("")), rest, kind, "object", 1.6)
    elif (
        clause.auxiliary == "are"
        and is_list
        and not re.search(r"\w+(?:ed|ing)\b", parts[0])
        and clause.subject.startswith("the ")
    ):
        yield Asked(_question("What", clause.asked("")), rest, "list", "members", 2.5)


def _reason(clause: Clause) -> Iterator[Asked]:
    """`… because …` → Why …?; `… by doing …` → How …?"""
    because = re.match(r",? ?because (?P<why>[^;:]+)", clause.ending)
    if because and not POINTING & set(re.findall(r"\w+", because["why"].lower())):
        yield Asked(
            _question("Why", clause.asked()),
            f"because {because['why'].strip()}",
            "single fact",
            "reason",
            3.0,
        )
    how = re.search(r",? by (?P<how>\w+ing .+)$", clause.rest)
    if how and not clause.lead and len(content_words(clause.rest[: how.start()])) > 1:
        answer = f"by {how['how']}"
        yield Asked(
            _question("How", clause.asked(clause.rest[: how.start()])),
            answer,
            "single fact",
            "means",
            3.0,
        )


def _which(clause: Clause, names: Names) -> Iterator[Asked]:
    """`Ninestone Hut opens only from …` → Which hut opens only from …?"""
    words = clause.subject.removeprefix("the ").split()
    rest = f"{clause.rest} {clause.lead}".strip()
    n_content = len(content_words(rest))
    if not clause.verb or n_content < 3 or clause.ending.startswith(("and", "or")):
        return
    verb = clause.verb
    if (
        len(words) in (2, 3)
        and all(word[:1].isupper() for word in words)
        and names.small[words[-1].lower()] >= 2
    ):
        head = words[-1].lower()
        if head.endswith("s") or {word.lower() for word in words[:-1]} & set(
            re.findall(r"\w+", rest.lower())
        ):
            return
        yield Asked(
            _question("Which", head, verb, rest), clause.subject, "single fact", "which", 2.0
        )
    elif (
        PERSON.fullmatch(clause.subject)
        and clause.verb in verbs()
        and verbs()[clause.verb][1] == "past"
        and words[-1].lower() not in names.small
        and re.search(r"[A-Z]\w+|\d", rest)
    ):
        yield Asked(_question("Who", verb, rest), clause.subject, "single fact", "who", 2.0)


def _yes_no(clause: Clause) -> Iterator[Asked]:
    if len(content_words(clause.rest)) < 2 or clause.ending.startswith(("and", "or")):
        return
    question = _question(clause.asked())
    if clause.is_negative:
        yield Asked(question, "No", "yes/no", "denied", 1.5)
        return
    if clause.auxiliary in MODALS - {"can", "may", "must"} or clause.auxiliary in (
        "could",
        "would",
    ):
        return
    yield Asked(question, "Yes", "yes/no", "confirmed", 1.0)
    changed = _with_other_number(clause.rest)
    if changed is not None:
        yield Asked(_question(clause.asked(changed)), "No", "yes/no", "changed number", 1.2)


def _with_other_number(rest: str) -> str | None:
    """The rest with another whole number in place of its only one."""
    found = [each for each in quantities(rest) if not each.is_year and not each.only_matches]
    if (
        len(found) != 1
        or dates(rest)
        or not re.fullmatch(r"[$€£]?\d{1,3}(?:,\d{3})*%?", found[0].text)
    ):
        return None
    digits = re.search(r"\d[\d,]*", found[0].text)
    value = int(digits[0].replace(",", "")) if digits else 0
    if not value >= 3 or re.search(r"\b(?:least|most|than|up to|over|under|within)\b", rest):
        return None
    other = value * 2 if value < 50 else value + value // 4
    if "%" in found[0].text and other >= 100:
        other = value // 2
    text = found[0].text.replace(
        digits[0] if digits else "", f"{other:,}" if "," in found[0].text else str(other)
    )
    return rest[: found[0].start] + text + rest[found[0].end :]
