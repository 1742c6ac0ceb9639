"""English questions from single sentences, with exact references and without a model.

A clause is asked for one part of it: the part is taken out, and `How many beds`, `When` or `Where` comes
before what is left in the order of a question.
"""

import re
from collections.abc import Iterator, Mapping
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
    PREPOSITIONS,
    Clause,
    Names,
    clauses,
    content_words,
    is_bare,
    is_participle,
    is_plural,
    past_of,
    points_outside,
    set_of,
    third_of,
    verbs,
    with_names,
)

PATTERNS: Mapping[str, tuple[str, float]] = {
    "date": ("temporal", 3.5),
    "count": ("number", 3.5),
    "money": ("number", 3.5),
    "measure": ("number", 3.5),
    "time": ("number", 3.0),
    "counted subject": ("number", 3.0),
    "agent": ("single fact", 3.5),
    "definition": ("single fact", 3.0),
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
MIN_WORDS, MAX_WORDS = 3, 26
"""Words of a question."""
TIMES = set_of("minutes hours days weeks months years seconds nights")
SCALES = set_of("hundred thousand million billion trillion")
LISTING = set_of("""include contain comprise cover offer provide require support accept sell serve exclude need combine list
    feature display teach produce""")
"""Verbs whose whole object is a good answer."""
VAGUE_VERBS = set_of("""have do make take get give go come become be say tell keep set let put mean run see know call think hold bring
    leave remain last cost weigh stand lie live work stay arrive die appear happen occur range differ vary depend join
    face raise result belong apply pay find show help""")
"""Verbs whose object alone makes no question: `What does X have?`"""
PAYING = set_of("cost charge earn pay raise receive spend lose")
PLACED = set_of("""located based born headquartered situated held built founded established buried kept stored published live stand
    lie meet work begin start end hang park""")
"""Participles and verbs whose place can be asked for."""
ROLE = re.compile(
    r"\b(?:\w{3,}(?:ist|ician|ographer|wright|teacher|maker)|president|minister|director|manager|writer|author|poet|king|queen|"
    r"actor|actress|player|teacher|doctor|engineer|founder|chair(?:man)?|secretary|officer|professor|singer|composer|lawyer|"
    r"farmer|shepherd|coach|leader|governor|mayor|senator|judge|explorer|inventor|designer|painter|warden|keeper|captain|"
    r"general|soldier|nurse|volunteer|editor|historian|publisher|reporter|graduate|pioneer|contributor|owner|lecturer|pilot|"
    r"carpenter|baker|student|deputy|friend|merchant|physician|surgeon|architect|man|woman|son|daughter|brother|sister|wife|husband)s?\b"
)
PERSON = r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Dame|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z]\.)?(?: [A-Z][\w'’-]+){1,2}"
NAMED_PLACE = r"(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*"
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
VAGUE_THINGS = re.compile(
    r"(?:one of|kind of|part of|number of|lot of|good|great|better|bit|member)\b"
)
"""Words of definitions that say too little."""


class Asked(NamedTuple):
    """A question and its answer; `comparing` and `value` as in a draft."""

    pattern: str
    question: str
    answer: str
    comparing: str = ""
    value: str = ""

    @property
    def question_type(self) -> str:
        return PATTERNS[self.pattern][0]

    @property
    def worth(self) -> float:
        return PATTERNS[self.pattern][1]


class Part(NamedTuple):
    """A part of a clause's rest that can be asked for, with the words that ask.

    `answer`: the reference; `leftover`: the rest without the part.
    """

    pattern: str
    ask: str
    answer: str
    leftover: str = ""
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
    if not MIN_WORDS <= len(words) <= MAX_WORDS or points_outside(question):
        return False
    return len(content_words(question)) >= (2 if len(words) < 6 else 3) - (
        words[0] in ("what", "who")
    )


def _of_clause(clause: Clause, names: Names) -> Iterator[Asked]:
    if not clause.is_negative:
        finders = [_dates, _amounts, _places]
        if clause.is_whole:
            finders += [_means, _objects, _definition]
        for part in (part for find in finders for part in find(clause)):
            if not _ends_open(part.leftover):
                question = _question(part.ask, clause.asked(part.leftover))
                yield Asked(
                    part.pattern, question, part.answer, _comparing(clause, part), part.value
                )
        yield from _lead_date(clause)
        yield from _reason(clause)
        yield from _agent(clause)
        yield from _measure(clause)
        yield from _which(clause, names)
        yield from _counted_subject(clause)
        yield from _cloze(clause)
    yield from _yes_no(clause)


def _comparing(clause: Clause, part: Part) -> str:
    """How two subjects are compared of which the same is said: `Which has more beds`."""
    things = part.ask.removeprefix("How many ")
    frame = {
        "count": f"{clause.verb} more {things} {part.leftover}",
        "money": f"{clause.verb} more {part.leftover}" if clause.main == "cost" else "",
        "date": f"{clause.verb} {part.leftover} earlier" if part.ask == "When" else "",
    }.get(part.pattern, "")
    return f"Which {' '.join(frame.split())}" if frame else ""


def _question(*parts: str) -> str:
    text = re.sub(r"\b(?:also|still|even) ", "", " ".join(parts))
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", text)).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"


def _ends_open(text: str) -> bool:
    open_words = PREPOSITIONS | DETERMINERS | JOINING | {"and", "early", "late", "mid"}
    return text.lower().rstrip(",").split(" ")[-1] in open_words - {"about", "over"}


def _dates(clause: Clause) -> Iterator[Part]:
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


def _lead_date(clause: Clause) -> Iterator[Asked]:
    """`In 1998, X opened …`: when did X open …?"""
    found = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    is_date = found and [each.text for each in dates(clause.lead)] == [found["date"]]
    if not found or not is_date or not CALENDAR.search(found["date"]) or is_bare(clause.subject):
        return
    question = _question("When", clause._replace(lead="").asked())
    if len(content_words(question)) > 2 and not set(clause.rest.split()) & JOINING:
        yield Asked("date", question, found["date"])


def _amounts(clause: Clause) -> Iterator[Part]:
    """An amount of money, a time or a count."""
    rest, own_dates = clause.rest, dates(clause.rest)
    for number in quantities(rest):
        in_date = any(date.start < number.end and number.start < date.end for date in own_dates)
        if number.is_year or number.only_matches or in_date:
            continue
        with_unit = re.match(r"([\d$€£][\d.,]*) ([a-z]{3,})", number.text)
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
    if not is_time or _ends_open(head) or set(head.split()) & JOINING:
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


def _places(clause: Clause) -> Iterator[Part]:
    found = re.match(
        rf"(?P<how>(?:\w+ )?)(?P<place>(?:in|at|near|on|beside) {NAMED_PLACE})$", clause.rest
    )
    if found is None or dates(clause.rest) or clause.lead or clause.ending[:1] in ("–", "("):
        return
    how = found["how"].strip()
    if (how or clause.main) in PLACED:
        yield Part("place", "Where", found["place"], how)


def _means(clause: Clause) -> Iterator[Part]:
    """`… by doing …`: how?"""
    found = re.search(r"^(?P<head>.+?),? (?P<how>by \w+ing .+)$", clause.rest)
    if found is None or clause.lead or len(content_words(found["head"])) < 2:
        return
    if clause.main or clause.auxiliary not in BE or is_participle(found["head"].split(" ")[0]):
        yield Part("means", "How", found["how"], found["head"])


def _objects(clause: Clause) -> Iterator[Part]:
    """The whole object of the verb: one thing or several."""
    rest, first = clause.rest, clause.rest.split(" ")[0]
    items = re.split(r", (?:and |or )?| and | or ", rest)
    is_list = len(items) >= 3 and all(0 < len(item.split()) <= 7 for item in items)
    if clause.main in LISTING:
        is_object = first not in ("that", "for", "to", "how", "in")
    else:
        is_object = (
            clause.main not in VAGUE_VERBS | {""}
            and (clause.auxiliary != "did" or bool(clause.lead))
            and bool(re.match(r"(?:the|an?) |[a-z]+s\b", rest))
            and first not in PREPOSITIONS | JOINING | {"always", "its"}
        )
    is_clear = len(content_words(clause.subject)) > (0 if clause.subject[0].isupper() else 1)
    is_cut = clause.ending[:1] in (",", ":", "(") and not is_list
    if not is_object or is_cut or not is_clear or is_bare(clause.subject):
        return
    if len(content_words(rest)) > 1:
        yield Part("listed objects" if is_list else "object", "What", rest)


def _definition(clause: Clause) -> Iterator[Part]:
    """`X is a Y that …`, `X means Y`."""
    rest, subject = _whole_rest(clause), clause.subject.split(" ")
    first, _, others = rest.partition(" ")
    if is_bare(clause.subject) or subject[0] in DETERMINERS - ARTICLES:
        return
    if clause.main == "mean" and rest and not re.match(r"(?:with|in|by|from|to|for)\b", rest):
        yield Part("meaning", "What", rest)
    if clause.main or clause.auxiliary not in ("is", "was") or first not in ARTICLES:
        return
    describing = re.search(r" (?:of|in|for|at|from|who|that|which|where|with|on|to)\b|,", rest)
    if VAGUE_THINGS.match(others) or len(content_words(rest)) < 2:
        return
    if first == "the" and (
        not describing or re.match(r"(?:first|last|only|most|\w+est)\b", others)
    ):
        return
    head = rest[: describing.start()] if describing else rest
    is_person = clause.subject[0].isupper() and ROLE.search(head)
    role = re.split(" of | for ", clause.subject)[0].split()[-1]
    is_role = subject[0] == "the" and ROLE.search(role)
    yield Part("definition", "Who" if is_person or is_role else "What", rest)


def _whole_rest(clause: Clause) -> str:
    """The rest with a relative clause that belongs to it."""
    following = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if following is None or points_outside(following[0]):
        return clause.rest
    return f"{clause.rest}{'' if following[0][0] in ', ' else ' '}{following[0]}".rstrip()


def _reason(clause: Clause) -> Iterator[Asked]:
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    if because and not is_bare(clause.subject) and not points_outside(because["why"]):
        yield Asked("reason", _question("Why", clause.asked()), because["why"].strip())


def _agent(clause: Clause) -> Iterator[Asked]:
    """`X was founded by NAME …`: who founded X?"""
    found = re.match(
        rf"(?P<how>\w+)(?P<particle> (?:out|up|off|down|over))? (?P<between>[^,]*?)\bby "
        rf"(?P<name>{PERSON}(?: and {PERSON})?)(?P<behind>.*)$",
        clause.rest,
    )
    if found is None or clause.auxiliary not in BE or clause.main or not past_of(found["how"]):
        return
    if re.match(r"\s*['’]s|\s+and\b", found["behind"]):
        return
    is_past = clause.auxiliary in ("was", "were")
    verb = past_of(found["how"]) if is_past else third_of(found["how"])
    behind = f"{found['between']} {found['behind']} {clause.lead}"
    question = _question("Who", f"{verb}{found['particle'] or ''}", clause.subject, behind)
    yield Asked("agent", question, found["name"])


def _measure(clause: Clause) -> Iterator[Asked]:
    """`X has a maximum depth of 112 metres`: what is the maximum depth of X?"""
    found = re.match(
        r"an? (?P<what>(?:[a-z-]+ ){0,2}[a-z-]+) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d[^,;]*)$",
        clause.rest,
    )
    be = {"does": "is", "did": "was"}.get(clause.auxiliary)
    if found and be and clause.main in ("have", "cover", "reach") and not clause.lead:
        question = _question("What", be, "the", found["what"], "of", clause.subject)
        yield Asked("measure", question, found["value"])


def _which(clause: Clause, names: Names) -> Iterator[Asked]:
    """`Ninestone Hut opens only from …`: which hut opens only from …?"""
    words = clause.subject.removeprefix("the ").split()
    rest, kind = f"{clause.rest} {clause.lead}".strip(), words[-1].lower()
    is_known = {word.lower() for word in words[:-1]} & set(re.findall(r"\w+", rest.lower()))
    if (
        len(words) in (2, 3)
        and all(word[0].isupper() for word in words)
        and names.small[f"a {kind}"]
        and len(content_words(rest)) > 2
        and not clause.ending.startswith("that")
        and not kind.endswith(("s", "ing"))
        and not is_known
    ):
        yield Asked("which", _question("Which", kind, clause.verb, rest), clause.subject)


def _counted_subject(clause: Clause) -> Iterator[Asked]:
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
        yield Asked("counted subject", _question("How many", things, said), clause.subject)


def _cloze(clause: Clause) -> Iterator[Asked]:
    """A sentence with a blank for its only number, for what no other pattern can ask."""
    found = [each for each in quantities(clause.rest) if not each.only_matches]
    is_one = len(found) == 1 and re.fullmatch(r"[$€£]?\d[\d.,]*%?", found[0].text)
    if not is_one or not clause.is_whole or len(content_words(clause.rest)) < 2:
        return
    rest = f"{clause.rest[: found[0].start]}___{clause.rest[found[0].end :]}"
    sentence = " ".join(part for part in (clause.subject, clause.verb, rest, clause.lead) if part)
    question = f"Which number is missing: “{sentence[0].upper()}{sentence[1:]}”?"
    yield Asked("cloze", question, found[0].text)


def _yes_no(clause: Clause) -> Iterator[Asked]:
    is_possible = clause.auxiliary in MODALS - {"can", "must"} and not clause.is_negative
    if (
        len(content_words(clause.rest)) < 2
        or clause.ending.startswith(("or", "that"))
        or is_possible
        or is_bare(clause.subject)
        or clause.subject == "you"
        or set(clause.rest.lower().split()) & JOINING
        or clause.rest.count(",") > 1
        or not clause.is_whole
    ):
        return
    question = _question(clause.asked())
    if clause.is_negative:
        if not re.match(r"\w+ing\b", clause.rest):
            yield Asked("denied", question, "No")
        return
    changed = _with_other_number(clause.rest)
    if changed is not None:
        yield Asked("changed number", _question(clause.asked(changed)), "No")
    yield Asked("confirmed", question, "Yes")


def _with_other_number(rest: str) -> str | None:
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
