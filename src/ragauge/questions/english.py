"""English questions from single sentences, with exact references and without a model.

A clause is asked for one part of it: the part is taken out, and `How many beds`, `When` or `Where` comes
before what is left in the order of a question.
"""

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
    PREPOSITIONS,
    Clause,
    Names,
    clauses,
    content_words,
    is_bare,
    is_plural,
    past_of,
    points_outside,
    set_of,
    third_of,
    verbs,
    with_names,
)

MIN_WORDS, MAX_WORDS = 3, 26
"""Words of a question."""
TIMES = set_of("minutes hours days weeks months years seconds nights")
LISTING = set_of("""include contain comprise cover offer provide require support accept consist sell serve exclude need combine list
    feature display teach produce""")
"""Verbs whose whole object is a good answer."""
VAGUE_VERBS = set_of("""have do make take get give go come become be say tell keep set let put mean run see know call think hold bring
    leave remain last cost weigh stand lie live work stay arrive die appear happen occur range differ vary depend join
    face raise result belong apply pay find show help""")
"""Verbs whose object alone makes no question: `What does X have?`"""
PAYING = set_of("cost charge earn pay raise receive spend lose total grant")
PLACED = set_of("""located based born headquartered situated held built founded established buried kept stored published live stand
    lie meet work begin start end hang park""")
"""Participles and verbs whose place can be asked for."""
ROLE = re.compile(
    r"\b(?:\w{3,}(?:ist|ician|ographer|wright|teacher|maker)|president|minister|director|manager|writer|author|poet|king|queen|"
    r"actor|actress|player|teacher|doctor|engineer|founder|chair(?:man)?|secretary|officer|professor|singer|composer|lawyer|"
    r"farmer|shepherd|coach|leader|governor|mayor|senator|judge|explorer|inventor|designer|painter|warden|keeper|captain|"
    r"general|soldier|nurse|volunteer|editor|historian|publisher|reporter|graduate|pioneer|contributor|owner|lecturer|pilot|"
    r"carpenter|baker|merchant|physician|surgeon|architect|man|woman|son|daughter|brother|sister|wife|husband)s?\b"
)
PERSON = r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Dame|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z]\.)?(?: [A-Z][\w'’-]+){1,2}"
NAMED_PLACE = r"(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*"
BOUND = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|more than|less than|at least|at most|up to|only|exactly"
    r"|no more than|just)$"
)
BROKEN_OFF = re.compile(
    r",(?! (?:and|but|which|who|where|so|an?|the|with|in|on|at|from|for|after|before|because)\b)"
)
"""A comma behind a clause from which its last words cannot be kept."""
CALENDAR = re.compile(r"\d{4}|\d{1,2} [A-Z]|[A-Z]\w+ \d|\d{1,2}[:.]\d\d|\d [ap]\.?m")
NUMBERED = set_of(
    "number version form type level class part phase rule no step channel room stage grade"
)
"""Nouns that a number names and does not count: `channel 7`."""
MEASURED = set_of("old tall high long wide deep ago later away of more less after before")
"""Words behind an amount that make it another thing than a count: `20 years old`."""
COUNTED = re.compile(r"(?:[a-z][\w-]* ){0,2}[a-z][\w-]*")


class Asked(NamedTuple):
    """A question and its answer; `comparing` and `value` as in a draft."""

    question: str
    answer: str
    question_type: str
    pattern: str
    worth: float
    comparing: str = ""
    value: str = ""


class Part(NamedTuple):
    """A part of a clause's rest that can be asked for, with the words that ask.

    `answer`: the reference; `leftover`: the rest without the part.
    """

    ask: str
    answer: str
    leftover: str
    question_type: str
    pattern: str
    worth: float
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
        for find in (_dates, _amounts, _places, _means, _objects, _definition):
            for part in find(clause):
                if not _ends_open(part.leftover):
                    question = _question(part.ask, clause.asked(part.leftover))
                    yield Asked(
                        question, part.answer, *part[3:6], _comparing(clause, part), part.value
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
    parts = tuple(re.sub(r"\b(?:also|still|even) ", "", part) for part in parts)
    text = re.sub(r"\s+([,.?])", r"\1", re.sub(r"\s+", " ", " ".join(parts))).strip(" ,;")
    return f"{text[0].upper()}{text[1:]}?"


def _ends_open(text: str) -> bool:
    words = text.lower().split()
    left = PREPOSITIONS | DETERMINERS | JOINING | {"and", "early", "late", "mid"}
    return bool(words) and words[-1].strip(",") in left - {
        "about",
        "on",
        "in",
        "up",
        "over",
        "out",
    } | {"in", "on"}


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
    if before is None or re.match(r"\s*(?:\w+ )?(?:to|and|or|-|–)\b", behind):
        return
    how, is_range = before[1], len(found) == 2
    gap = rest[found[0].end : found[-1].start] if is_range else " to "
    if not re.fullmatch(r"\s*(?:to|and|until|through)\s*", gap) or (
        is_range and how not in ("from", "between")
    ):
        return
    if how == "between" and not is_range:
        return
    single = {"since": "Since when", "from": "From when", "by": "By when", "until": "Until when"}
    ask = "When" if is_range else single.get(how, "When")
    leftover = f"{rest[: before.start()].rstrip()} {behind.strip()}".strip()
    inner = leftover.lower().split()[1:]
    if (
        set(inner) & JOINING
        or any(verbs().get(word, ("", ""))[1] == "past" for word in inner)
        or (not leftover and not clause.main)
        or (clause.main in ("have", "take") and not leftover)
    ):
        return
    answer = f"{how} {span}" if is_range else span
    yield Part(ask, answer, leftover, "temporal", "date", 3.5, found[0].text)


def _lead_date(clause: Clause) -> Iterator[Asked]:
    """`In 1998, X opened …`: when did X open …?"""
    found = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    stated = dates(clause.lead) if found else ()
    if (
        found
        and len(stated) == 1
        and stated[0].text == found["date"]
        and CALENDAR.search(found["date"])
    ):
        question = _question("When", clause._replace(lead="").asked())
        if len(content_words(question)) > 2 and not is_bare(clause.subject):
            yield Asked(question, found["date"], "temporal", "date", 3.5)


def _amounts(clause: Clause) -> Iterator[Part]:
    rest, own_dates = clause.rest, dates(clause.rest)
    for number in quantities(rest):
        in_date = any(date.start < number.end and number.start < date.end for date in own_dates)
        if number.is_year or number.only_matches or in_date:
            continue
        text = (
            number.text.split(" ")[0]
            if re.match(r"[\d$€£][\d.,]* [a-z]{3,}", number.text)
            else number.text
        )
        before, behind = rest[: number.start].strip(), rest[number.start + len(text) :]
        is_open = behind[:1] not in ("", " ", ",") or re.match(r"\s*(?:to|or|and|[-–x×])\s", behind)
        if is_open or before.lower().split(" ")[-1] in NUMBERED:
            continue
        bound = BOUND.search(before)
        stated = f"{bound[0]} {text}" if bound else text
        before = before[: bound.start()].strip() if bound else before
        tail = re.split(r"[,;:]| and | or | [-–] ", behind, maxsplit=1)[0].strip()
        part = _amount(clause, before, stated, tail)
        if part is not None:
            yield part._replace(value=number.text)


def _amount(clause: Clause, before: str, number: str, tail: str) -> Part | None:
    """The number of `before` number `tail`, as an amount of money, a share, a time or a count."""
    is_be = clause.auxiliary in BE and not clause.main
    is_clear = len(content_words(clause.subject)) > 1
    if re.search(
        r"[$€£]|\b(?:dollars?|euros?|USD|EUR|pence|cents)\b", f"{number} {tail.split(' ')[0]}"
    ):
        is_modal = clause.auxiliary in MODALS and before in PAYING
        is_price = not before and ((is_be and is_clear) or clause.main.split(" ")[-1] in PAYING)
        if not (is_price or is_modal) or re.match(r"(?:less|more)\b", tail):
            return None
        unit = re.match(r"(?:dollars?|euros?|USD|EUR|pence|cents)\b", tail)
        leftover = f"{before} {tail[unit.end() :] if unit else tail}".strip()
        return Part(
            "How much", f"{number} {unit[0]}" if unit else number, leftover, "number", "money", 3.5
        )
    if "%" in number or re.match(r"%|percent|per cent", tail):
        share = re.match(
            r"(?:percent |per cent |% )?of (?P<of>(?:[\w'’-]+ ?){1,6}?)(?=$| (?:in|on|by|for|at|from|with)\b)",
            tail,
        )
        if is_be and is_clear and not before:
            return Part("What", f"{number} {tail}".strip(), "", "number", "value", 2.5)
        if before or is_be or share is None:
            return None
        ask = f"What percentage of {share['of'].strip()}"
        return Part(ask, number, tail[share.end() :].strip(), "number", "share", 3.0)
    things = _things(tail)
    if things is None:
        return None
    leftover = tail[len(things) :].strip()
    if leftover.split(" ")[0] in MEASURED:
        return None
    head, _, preposition = before.rpartition(" ")
    is_time = things.split()[-1] in TIMES
    if not before and ((is_time and clause.main in ("last", "take")) or clause.main == "weigh"):
        ask = "How much" if clause.main == "weigh" else "How long"
        return Part(ask, f"{number} {things}", leftover, "number", "duration", 3.5)
    if not before and is_be and clause.subject != "there":
        ask = "How long" if is_time else "What"
        is_whole = is_clear and not leftover and " of " in clause.subject
        return Part(ask, f"{number} {things}", "", "number", "value", 3.0) if is_whole else None
    if not before:
        return Part(f"How many {things}", f"{number} {things}", leftover, "number", "count", 3.5)
    if (
        is_time
        and preposition.lower() in ("for", "within", "after")
        and not _ends_open(head)
        and not set(head.split()) & JOINING
    ):
        ask = (
            "For how long"
            if preposition.lower() == "for"
            else f"{preposition.capitalize()} how many {things}"
        )
        return Part(ask, f"{number} {things}", f"{head} {leftover}".strip(), "number", "time", 3.0)
    return None


def _things(tail: str) -> str | None:
    """The plural noun that is counted, with the words before it."""
    found = COUNTED.match(tail)
    words = found[0].split() if found else []
    for n, word in enumerate(words, 1):
        if word in DETERMINERS:
            return None
        if is_plural(word):
            return None if word == "times" else " ".join(words[:n])
        if word in verbs() or word in PREPOSITIONS | JOINING | AUXILIARIES | DETERMINERS | {"and"}:
            return None
    return None


def _places(clause: Clause) -> Iterator[Part]:
    found = re.match(
        rf"(?P<how>(?:\w+ )?)(?P<place>(?:in|at|near|on|beside) {NAMED_PLACE})$", clause.rest
    )
    if found is None or dates(clause.rest) or clause.lead:
        return
    how = found["how"].strip()
    if (how or clause.main) in PLACED and not (clause.ending and clause.ending[0] in "–("):
        yield Part("Where", found["place"], how, "single fact", "place", 3.0)


def _means(clause: Clause) -> Iterator[Part]:
    """`… by doing …`: how?"""
    found = re.search(r"^(?P<head>.+?),? (?P<how>by \w+ing .+)$", clause.rest)
    if found and not clause.lead and len(content_words(found["head"])) > 1:
        yield Part("How", found["how"], found["head"], "single fact", "means", 3.0)


def _objects(clause: Clause) -> Iterator[Part]:
    """The whole object of the verb, or the items that the subject is."""
    rest = clause.rest
    items = re.split(r", (?:and |or )?| and | or ", rest)
    is_list = len(items) >= 3 and all(0 < len(item.split()) <= 7 for item in items)
    kind, worth = ("list", 2.6) if is_list else ("single fact", 1.8)
    if (
        not rest
        or (clause.ending and clause.ending[0] in ",:(" and not is_list)
        or len(content_words(rest)) < 2
    ):
        return
    if is_bare(clause.subject):
        return
    is_clear = len(content_words(clause.subject)) > (0 if clause.subject[0].isupper() else 1)
    if re.match(r"an? (?:[\w-]+ ){1,3}of (?:about )?[$€£]?\d", rest):
        return
    if clause.main in LISTING and is_clear and not re.match(r"(?:that|for|to|how|in)\b", rest):
        tail = "of" if rest.startswith("of ") else ""
        if clause.main != "consist" or tail:
            yield Part("What", rest.removeprefix("of "), tail, kind, "object", worth + 0.5)
    elif (
        clause.main
        and clause.main not in VAGUE_VERBS
        and (clause.auxiliary != "did" or clause.lead)
        and is_clear
        and re.match(r"(?:the|an?) |[a-z]+s\b", rest)
    ):
        if rest.split()[0] not in PREPOSITIONS | JOINING | {"as", "always", "its"}:
            yield Part("What", rest, "", kind, "object", worth)
    elif (
        clause.auxiliary == "are"
        and is_list
        and clause.subject.startswith("the ")
        and not re.search(r"(?:ed|ing|en)\b", items[0])
    ):
        yield Part("What", rest, "", "list", "members", worth)


def _definition(clause: Clause) -> Iterator[Part]:
    """`X is a Y that …`, `X means Y`, `X is used for Y`, `X stands for Y`."""
    rest, words = _whole_rest(clause), clause.rest.split()
    if is_bare(clause.subject) or re.match(r"the (?:first|last|only|most|\w+est)\b", rest):
        return
    use = re.match(r"(?:used (?P<how>for|to)|(?P<name>known as|called|named)) (?P<answer>.+)", rest)
    meaning = re.match(r"(?P<how>(?:to|for) )?(?P<answer>(?!with|in|by|from).+)", rest)
    if use and clause.auxiliary in BE:
        ask = use["name"] or "used for"
        answer = f"to {use['answer']}" if use["how"] == "to" else use["answer"]
        yield Part("What", answer, ask, "single fact", "use", 2.5)
    elif (
        clause.main in ("mean", "refer", "stand")
        and meaning
        and (clause.main == "mean" or meaning["how"])
    ):
        yield Part(
            "What", meaning["answer"], (meaning["how"] or "").strip(), "single fact", "meaning", 3.0
        )
    elif (
        clause.auxiliary in ("is", "was")
        and not clause.main
        and len(words) > 1
        and words[0] in ARTICLES
    ):
        is_vague = re.match(
            r"(?:an? )?(?:one of|kind of|part of|number of|lot of|good|great|better|bit|member)\b",
            rest.split(" ", 1)[1],
        )
        if is_vague or len(content_words(rest)) < 2:
            return
        head = re.split(r" (?:of|in|for|at|from|who|that|with|on|to)\b|,", rest)[0]
        is_person = bool(ROLE.search(head)) and clause.subject[0].isupper()
        is_role = bool(ROLE.search(clause.subject.split(" of ")[0].split(" for ")[0].split()[-1]))
        yield Part(
            "Who" if is_person or is_role else "What", rest, "", "single fact", "definition", 3.0
        )


def _whole_rest(clause: Clause) -> str:
    """The rest with a relative clause that belongs to it."""
    following = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if following is None or points_outside(following[0]):
        return clause.rest
    return clause.rest + (following[0] if following[0][0] in ", " else f" {following[0]}")


def _reason(clause: Clause) -> Iterator[Asked]:
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    if because and not is_bare(clause.subject) and not points_outside(because["why"]):
        yield Asked(
            _question("Why", clause.asked()), because["why"].strip(), "single fact", "reason", 3.0
        )


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
    behind = f"{found['between'].strip()} {found['behind'].strip()} {clause.lead}".strip()
    question = _question("Who", f"{verb}{found['particle'] or ''}", clause.subject, behind)
    yield Asked(question, found["name"], "single fact", "agent", 3.5)


def _measure(clause: Clause) -> Iterator[Asked]:
    """`X has a maximum depth of 112 metres`: what is the maximum depth of X?"""
    found = re.match(
        r"an? (?P<what>(?:[a-z-]+ ){0,2}[a-z-]+) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d[^,;]*)$",
        clause.rest,
    )
    if found and clause.main in ("have", "cover", "reach") and not clause.lead:
        question = _question(
            "What",
            clause.auxiliary.replace("does", "is").replace("did", "was"),
            "the",
            found["what"],
            "of",
            clause.subject,
        )
        if clause.auxiliary in ("does", "did"):
            yield Asked(question, found["value"], "number", "measure", 3.5)


def _which(clause: Clause, names: Names) -> Iterator[Asked]:
    """`Ninestone Hut opens only from …`: which hut opens only from …?"""
    words = clause.subject.removeprefix("the ").split()
    rest = f"{clause.rest} {clause.lead}".strip()
    if (
        len(content_words(rest)) < 3
        or clause.ending.startswith("that")
        or not all(word[:1].isupper() for word in words)
    ):
        return
    last, others = words[-1].lower(), {word.lower() for word in words[:-1]}
    is_known = bool(others & set(re.findall(r"\w+", rest.lower())))
    if (
        len(words) in (2, 3)
        and names.small[last] >= 2
        and last != "you"
        and not last.endswith(("s", "ing"))
        and not is_known
    ):
        yield Asked(
            _question("Which", last, clause.verb, rest), clause.subject, "single fact", "which", 2.0
        )
    elif (
        re.fullmatch(PERSON, clause.subject)
        and clause.auxiliary == "did"
        and last not in names.small
        and re.search(r"[A-Z]\w+|\d", rest)
    ):
        yield Asked(_question("Who", clause.verb, rest), clause.subject, "single fact", "who", 2.0)


def _counted_subject(clause: Clause) -> Iterator[Asked]:
    """`Two wardens live in each hut`: how many wardens …? `Four ponies carry …: A, B and C`: which ponies …?"""
    number, _, things = clause.subject.partition(" ")
    found = quantities(number)
    is_state = clause.verb in BE and not re.match(
        r"\w+ed\b|(?:in|on|at|for)\b|kept|held", clause.rest
    )
    if (
        not found
        or found[0].value < 2
        or is_state
        or _things(things) != things
        or clause.lead.startswith("of")
    ):
        return
    said = f"{clause.verb} {clause.rest} {clause.lead}"
    if len(content_words(said)) > 1:
        yield Asked(
            _question("How many", things, said),
            f"{number} {things}",
            "number",
            "counted subject",
            3.0,
        )
        named = re.match(r": (?P<items>[^:;]+,? (?:and|or) [^:;,]+)$", clause.ending)
        if named and len(re.split(r", | and | or ", named["items"])) >= found[0].value:
            yield Asked(
                _question("Which", things, said), named["items"], "list", "named items", 3.5
            )


def _cloze(clause: Clause) -> Iterator[Asked]:
    """A sentence with a blank for its only number, for what no other pattern can ask."""
    found = [each for each in quantities(clause.rest) if not each.only_matches]
    if (
        len(found) != 1
        or BROKEN_OFF.match(clause.ending)
        or not re.fullmatch(r"[$€£]?\d[\d.,]*%?", found[0].text)
        or len(content_words(clause.rest)) < 2
    ):
        return
    rest = f"{clause.rest[: found[0].start]}___{clause.rest[found[0].end :]}"
    sentence = " ".join(part for part in (clause.subject, clause.verb, rest, clause.lead) if part)
    yield Asked(
        f"Which number is missing: “{sentence[0].upper()}{sentence[1:]}”?",
        found[0].text,
        "cloze",
        "cloze",
        1.0,
    )


def _yes_no(clause: Clause) -> Iterator[Asked]:
    is_possible = clause.auxiliary in MODALS - {"can", "must"} and not clause.rest.startswith("be ")
    if (
        len(content_words(clause.rest)) < 2
        or clause.ending.startswith(("or", "that"))
        or is_possible
        or is_bare(clause.subject)
        or set(clause.rest.lower().split()) & JOINING
        or clause.rest.count(",") > 1
        or BROKEN_OFF.match(clause.ending)
    ):
        return
    question = _question(clause.asked())
    if clause.is_negative:
        if not re.match(r"\w+ing\b", clause.rest):
            yield Asked(question, "No", "yes/no", "denied", 1.5)
        return
    changed = _with_other_number(clause.rest)
    if changed is not None:
        yield Asked(_question(clause.asked(changed)), "No", "yes/no", "changed number", 1.4)
    yield Asked(question, "Yes", "yes/no", "confirmed", 1.0)


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
