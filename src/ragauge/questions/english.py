"""English questions from single sentences, with exact references and without a model.

A clause is asked for one part of it: the part is taken out, and `How many beds`, `When` or `Where` comes
before what is left in the order of a question. A subject is asked for by what is said of it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import Quantity, quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import Clause, clauses

PATTERNS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("date", "frequency"), ("temporal", 3.5)),
    **dict.fromkeys(("count", "money", "measure"), ("number", 3.5)),
    "time": ("number", 3.2),
    "agent": ("single fact", 3.5),
    **dict.fromkeys(("definition", "identity", "condition", "means"), ("single fact", 3.0)),
    **dict.fromkeys(("place", "reason", "which"), ("single fact", 3.0)),
    "complement": ("single fact", 2.6),
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
PERSON = rf"(?:(?:{en.TITLE})?[A-Z][\w'’-]+(?: [A-Z]\.)?(?: [A-Z][\w'’-]+){{1,2}}|{en.TITLE}[A-Z][\w'’-]+)"
BODY = r"(?:the|an?) (?:[\w-]+ ){0,2}(?:[Tt]eam|[Cc]ent(?:re|er)|[Dd]epartment|[Oo]ffice|[Aa]gency|[Dd]esk|[Cc]ompany|[Cc]ouncil|[Cc]ommittee|[Bb]oard|firm|lead|(?!\w*(?:river|water|weather|paper|puter|server|tower|power|motor|sensor|sewer|letter|winter|summer|number|layer|filter|order)\b)[a-z]{3,}(?:er|or|ist))\b(?: (?:in|of|at|for) .*)?"
"""What does something and is no person with a name, with what describes it."""
NAME = r"(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*"
WHEN = rf"(?:in|on|at|over|until|from|between|every|each|by) (?:[a-z]+ )*{en.CALENDAR}(?: (?:and|to|until|or) (?:the )?{en.CALENDAR})?"
FORMS = tuple(
    (pattern, ask, re.compile(f"(?P<left>{left}),? (?P<answer>{answer})"))
    for pattern, ask, left, answer in (
        ("definition", "What", "mean", r"(?!in|by|with|from|to|for)\S+ .+"),
        ("object", "What", rf"(?:{en.LISTING})", rf"(?!(?:{'|'.join(en.PREPOSITIONS | en.JOINING)})\b).+"),
        ("complement", "What", rf"(?:[a-z]+ly )?(?:{en.COMPLEMENTS})", r"(?!(?:\w+ing|what|how|which)\b).+"),
        ("complement", "What", "used", "(?:to|for) .+"),
        ("place", "Where", rf"(?:{en.PLACED})", rf"(?:in|at|near|on|beside|under) (?:{NAME}|(?:the|an?) (?:[\w’'`/.-]+ ?){{1,6}}|`[^`]+`)"),
        ("means", "How", r"\S+.*?", "by [a-z]+ing .+"),
        ("frequency", "How often", ".+?", r"(?:at (?:least|most) |up to |no more than )?(?:once|twice|[a-z]+ times) (?:an? |per |each |every )\w+|every (?:\w+ )?(?:second|minute|hour|day|week|month|year|night)s?"),
        ("date", "When", ".+?", rf"during (?!(?:the|an?) time)[^,\d]+|(?:before|after) (?:every|each|the|an?) [a-z][a-z-]+(?: [a-z][a-z-]+)?|on the \d+(?:st|nd|rd|th)(?: of (?:each|every|the) \w+)?|{WHEN}"),
    )
)  # fmt: skip
"""Patterns of a verb with what follows it: what is `left` in the question, and the `answer`."""
BOUND = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|more than|less than|at least|at most|up to|only|exactly|no more than|just)$"
)
WITH_DIGITS = re.compile(r"\d{4}|\d{1,2} [A-Z]|[A-Z]\w+ \d|\d{1,2}[:.]\d\d|\d [ap]\.?m")
CURRENCY = r"(?:dollars?|euros?|pounds|USD|EUR|pence|cents)"
SIZED = re.compile(
    rf"an? (?P<what>(?:[a-z-]+ ){{0,2}}(?:{'|'.join(sorted(en.MEASURES))})) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d(?:[^,;]|,\d)*)"
)
"""`a maximum depth of 112 metres`"""
PAYING, VAGUE = en.words_of("paying"), en.words_of("vague")


class QuestionAnswer(NamedTuple):
    """A question that a sentence answers, and what it is about; `comparing`, `value` and `origin` as in a draft."""

    pattern: str
    question: str
    answer: str
    subject: str
    comparing: str = ""
    value: str = ""
    origin: str = ""


def questions_of(sentence: str, names: en.Names) -> Iterator[QuestionAnswer]:
    """All questions that a sentence answers."""
    found = [*_condition(sentence)]
    for clause in clauses(sentence, names):
        of_clause: list[QuestionAnswer] = []
        if not clause.is_negative:
            of_clause += [*_dated(clause), *_amounts(clause), *_parts(clause), *_definition(clause)]
            of_clause += [*_agent(clause), *_subject(clause)]
        has_number = any(PATTERNS[each.pattern][0] in ("number", "temporal") for each in of_clause)
        if has_number:
            of_clause = [each for each in of_clause if each.pattern != "identity"]
        found += [*of_clause, *_statement(clause, has_number=has_number)]
        if not has_number:
            found += _cloze(clause)
    yield from (each for each in found if is_good(each.question))


def is_good(question: str) -> bool:
    """Whether a question has a fit length and points to nothing outside itself."""
    words = re.findall(r"[\w'’-]+", question.lower())
    if not MIN_WORDS <= len(words) <= MAX_WORDS or en.points_outside(question):
        return False
    least = 2 if len(words) < 6 else 3
    return len(en.content_words(question)) >= least - (words[0] in ("what", "who"))


def _part(
    clause: Clause, pattern: str, ask: str, answer: str, leftover: str = "", value: str = ""
) -> Iterator[QuestionAnswer]:
    """The question for a part of a clause's rest: `leftover` is the rest without it, `ask` the words that ask.

    Two subjects of which the same is said are compared by it: `Which has more beds`.
    """
    comparing = ""
    if ask.startswith("How many") and pattern == "count":
        comparing = f"Which {clause.verb} more {ask.removeprefix('How many ')} {leftover}"
    elif clause.main == "cost" and pattern == "money":
        comparing = f"Which {clause.verb} more {leftover}"
    question = en.as_question(ask, clause.asked(leftover))
    comparing = " ".join(comparing.split())
    yield QuestionAnswer(pattern, question, answer.rstrip(","), clause.subject, comparing, value)


def _condition(sentence: str) -> Iterator[QuestionAnswer]:
    """`If you lose a key, the desk lends another`: what happens if you lose a key?"""
    found = re.fullmatch(r"((?:If|When) ([^,;:()\"]+)), (?!that )([^;:—–\"]+)\.", sentence)
    if found is None:
        return
    case, then = en.tokens_of(found[2]), en.tokens_of(found[3])
    has_verb = any(word in en.AUXILIARIES or word in en.verbs() for word in case[1:])
    pointing = en.POINTING - {"they"} | {"was", "were", "had", "did"}
    if not has_verb or len(then) < 4 or not pointing.isdisjoint((*case, *then)):
        return
    is_told = then[0] in ("do", "don't", "please", "never") or en.form_of(then[0]) == "base"
    ask = "What should you do" if is_told else "What happens"
    about = "" if len(en.content_words(found[2])) > 3 else "you"
    question = f"{ask} {found[1][0].lower()}{found[1][1:]}?"
    yield QuestionAnswer("condition", question, found[3], about)


def _dated(clause: Clause) -> Iterator[QuestionAnswer]:
    """`In 1994, …`, `in 1994`, `from 15 May to 10 October`, `until 30 June`."""
    rest = clause.rest
    lead = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    if lead and WITH_DIGITS.search(lead["date"]) and not quantities(rest):
        question = en.as_question("When", clause._replace(lead="").asked())
        yield QuestionAnswer("date", question, lead["date"], clause.subject)
    found = [date for date in dates(rest) if WITH_DIGITS.search(date.text)]
    if not 0 < len(found) < 3:
        return
    first, last, is_range = found[0], found[-1], len(found) == 2
    behind = rest[last.end :]
    before = re.search(
        r"(?:^|\s)(in|on|since|from|by|until|between|at)\s+(?:the )?$", rest[: first.start]
    )
    if before is None or re.match(r"\s*(?:\w+ )?(?:to|and|or|-|–)\b|[ ,]*\d{4}", behind):
        return
    how, joined = before[1], rest[first.end : last.start]
    is_joined = how in ("from", "between") and re.fullmatch(
        r"\s*(?:to|and|until|through)\s*", joined
    )
    if not is_joined if is_range else how == "between":
        return
    leftover = f"{rest[: before.start()].rstrip()} {behind.strip()}".strip()
    inner = leftover.lower().split()[1:]
    has_verb = not en.JOINING.isdisjoint(inner) or "past" in map(en.form_of, inner)
    if has_verb or (quantities(leftover) and not clause.main):
        return
    is_when = is_range or how not in ("since", "from", "by", "until")
    ask = "When" if is_when else f"{how.capitalize()} when"
    span = rest[first.start : last.end]
    yield from _part(
        clause, "date", ask, f"{how} {span}" if is_range else span, leftover, first.text
    )


def _amounts(clause: Clause) -> Iterator[QuestionAnswer]:
    """Amounts of money, times, counts and sizes."""
    rest, numbers = clause.rest, quantities(clause.rest)
    sized = SIZED.fullmatch(rest) if clause.main in ("have", "cover", "reach") else None
    if sized:
        be = "was" if clause.auxiliary == "did" else "is"
        question = en.as_question("What", be, "the", sized["what"], "of", clause.subject)
        yield QuestionAnswer("measure", question, sized["value"], clause.subject)
    ends: dict[int, Quantity] = {}
    for one, other in pairwise(numbers):
        if rest[one.end : other.start].strip() in ("to", "–", "-"):
            ends[one.start] = other
    joined = {number.start for number in ends.values()}
    for number in numbers:
        if number.is_year or number.only_matches or number.start in joined:
            continue
        last = ends.get(number.start, number)  # `two to four days` is one amount
        with_unit = re.match(r"(\S+) ([a-z]{3,})", last.text)
        text = with_unit[1] if with_unit and with_unit[2] not in en.SCALES else last.text
        before, behind = rest[: number.start].strip(), rest[last.start + len(text) :]
        text = rest[number.start : last.start] + text
        is_open = behind[:1] not in ("", " ", ",") or re.match(
            r"\s*(?:(?:to|or|and|[-–x×])\s|per \w+ and |an? \w+ and )", behind
        )
        if is_open:
            continue
        if bound := BOUND.search(before):
            before, text = before[: bound.start()].strip(), f"{bound[0]} {text}"
        tail = re.split(r"[,;:]| and | or | [-–] ", behind, maxsplit=1)[0].strip()
        is_money = re.search(rf"[$€£]|\b{CURRENCY}\b", f"{text} {tail.split(' ')[0]}")
        found = (_money if is_money else _count)(clause, before, text, tail)
        if found is not None:
            yield from _part(clause, *found, number.text)


def _money(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """The pattern, the words that ask, the answer and what is left; None for what is no price."""
    is_said = clause.auxiliary in en.BE and not before and not clause.main
    is_price = before in PAYING or (not before and clause.main.split(" ")[-1] in PAYING)
    if not is_price and not (is_said and len(en.content_words(clause.subject)) > 1):
        return None
    unit = re.match(rf"{CURRENCY}\b", tail)
    answer = f"{number} {unit[0]}" if unit else number
    return "money", "How much", answer, f"{before} {tail[unit.end() :] if unit else tail}".strip()


def _count(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """As `_money`, of a count, a size or a time."""
    main = clause.main.split(" ")[-1]
    is_stated = not clause.main and clause.auxiliary in en.BE
    if not before and number.endswith("%") and tail.startswith("of "):
        return "count", f"What percentage {tail}", number, ""
    things = _counted(tail)
    leftover = tail[len(things) :].strip()
    following, _, more = leftover.lower().partition(" ")
    amount = f"{number} {things}".strip()
    if is_stated and not before and following in en.SIZES and not more:
        return "measure", f"How {following}", amount, ""
    if not before and main == "weigh" and not leftover:
        return "measure", "How much", amount, ""
    what = re.match(
        r"of (?P<what>[a-z][a-z -]*?)(?P<more>(?: (?:for|in|at|per|a|on) .*)?)$", leftover
    )
    is_unit = bool(quantities(amount)[0].unit)
    if what and is_unit and not (before or {*things.split()} & en.TIMES):  # `85 kg of flour`
        return "count", f"How much {what['what']}", amount, what["more"].strip()
    if not things or following in en.MEASURED:
        return None
    is_time = things.split()[-1] in en.TIMES
    if following == "of":  # `60 days of the trip`
        amount, leftover = f"{amount} {leftover}", ""
    if not before:
        if is_stated or following not in en.BEFORE_NOUNS | en.JOINING | {"", "to"}:
            return None
        if is_time and main in ("take", "last"):
            return "time", "How long", amount, leftover
        return "count", f"How many {amount.removeprefix(number).strip()}", amount, leftover
    head, _, preposition = before.rpartition(" ")
    # With another amount or a verb beside it, it is not clear what it belongs to.
    is_mixed = quantities(f"{head} {leftover}") or {*head.split()} & (en.JOINING | {"and"})
    is_for = is_time and preposition in ("for", "within", "after")
    if not is_for or is_mixed or en.ends_open(head):
        return None
    many = f"{preposition.capitalize()} how many {things}"
    how = "For how long" if preposition == "for" else many
    return "time", how, amount, f"{head} {leftover}".strip()


def _counted(tail: str) -> str:
    """The plural noun that is counted, with the words before it; "" if there is none."""
    found = re.match(r"(?:[a-z][\w-]* ){0,2}[a-z][\w-]*", tail)
    words = found[0].split() if found else []
    for n, word in enumerate(words, 1):
        if en.is_plural(word):
            return " ".join(words[:n])
        if f"{word}s" in en.TIMES or word in en.BEFORE_NOUNS or word in en.JOINING:
            return ""  # `30 minute talks`
    return ""


def _parts(clause: Clause) -> Iterator[QuestionAnswer]:
    """What one of the `FORMS` finds, and why: `because …`, `so that …`."""
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    if because and not en.points_outside(because["why"].replace("they ", "")):
        question = en.as_question("Why", clause.asked())
        yield QuestionAnswer("reason", question, because["why"].strip(), clause.subject)
    for pattern, ask, form in FORMS if clause.is_whole else ():
        found = form.fullmatch(f"{clause.main} {clause.rest}".strip())
        if found is None or not _fits(clause, pattern, found["left"], found["answer"].strip()):
            continue
        left, answer = found["left"], found["answer"].strip()
        items = re.split(r", (?:and |or )?| and | or ", answer)
        if pattern == "object" and len(items) > 2:
            pattern = "listed objects"
        left = "used for" if left == "used" else left
        question = en.as_question(ask, clause.auxiliary, clause.subject, left, clause.lead)
        yield QuestionAnswer(pattern, question, answer, clause.subject)


def _fits(clause: Clause, pattern: str, left: str, answer: str) -> bool:
    """Whether the part of one of the `FORMS` answers its question."""
    words, is_amount = left.split(), bool(quantities(answer)) and not answer.startswith("on the")
    if pattern == "complement":
        return not dates(answer)
    if not en.JOINING.isdisjoint(words):
        return False
    if pattern == "object":
        items = re.split(r", (?:and |or )?| and | or ", answer)
        is_list = len(items) > 2 and all(0 < len(item.split()) <= 7 for item in items)
        is_list = is_list and not items[0].isdigit()
        is_cut = len(items) > 2 or re.match(r"[:(]|,(?! (?:which|who))", clause.ending)
        is_vague = words[-1] in en.words_of("vague_verbs")
        is_one = len(en.content_words(answer)) > 1 and not (is_vague or is_cut)
        return clause.subject != "you" and (is_list or is_one)
    if pattern == "place":
        is_time = re.search(rf"\b(?:{en.CALENDAR}|time|week|year|month|day|end|event)\b", answer)
        return not (is_time or is_amount)
    if pattern in ("date", "frequency"):
        is_done = clause.main not in ("", "be", "have", "take") or clause.subject == "you"
        is_past = clause.auxiliary in ("was", "were", "did") and answer.endswith("day")
        is_unclear = is_past or (pattern == "date" and is_amount)
        return not is_unclear and (is_done or any(map(en.is_participle, words)))
    return pattern == "definition" or len(en.content_words(left)) > 1


def _definition(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X is a Y that …`, `the X is NAME`; a relative clause behind the rest belongs to it."""
    rest, subject = clause.rest, clause.subject.split(" ")
    is_one = clause.auxiliary in ("is", "was") and not (clause.main or quantities(subject[0]))
    if not is_one or not clause.is_whole or subject[0] in en.DETERMINERS - en.ARTICLES:
        return
    relative = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if relative and not en.points_outside(relative[0]):
        rest = f"{rest}{'' if relative[0][0] in ', ' else ' '}{relative[0]}".rstrip()
    first, _, others = rest.partition(" ")
    is_role = subject[0] == "the" and en.ROLE.search(re.split(" (?:of|for) ", clause.subject)[0])
    if first not in en.ARTICLES:
        # `The speed limit is 8 km/h`, `The warden is Ada Cole`
        is_value = bool(quantities(rest)) and quantities(rest)[0].start == 0
        is_name = re.fullmatch(rf"{NAME}|{PERSON}", rest)
        is_vague = en.SIZES.intersection(rest.split()) or subject[-1] in VAGUE
        is_short = subject[0] == "the" and len(rest.split()) <= 6
        if is_short and (is_value or is_name) and not is_vague:
            yield from _part(
                clause, "identity", "Who" if is_role and not is_value else "What", rest
            )
        return
    describing = re.search(r" (?:of|in|for|at|from|by|who|that|which|where|with|on|to)\b|,", rest)
    is_vague = re.match(
        r"(?:one of|kind of|part of|number of|lot of|good|great|better|bit|member)\b", others
    )
    is_one_of_many = not describing or re.match(r"(?:first|last|only|most|\w+est)\b", others)
    if is_vague or len(en.content_words(rest)) < 2 or (first == "the" and is_one_of_many):
        return
    kind = rest[: describing.start()] if describing else rest
    is_person = clause.subject[0].isupper() and en.ROLE.search(kind)
    yield from _part(clause, "definition", "Who" if is_person or is_role else "What", rest)


def _agent(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X was founded by NAME`: who founded X?"""
    found = re.match(
        rf"(?P<how>\w+) (?P<between>[^,]*?)\bby (?P<name>{PERSON}(?: and {PERSON})?|{BODY}|[A-Z]\w+(?: [A-Z]\w+)*)"
        r"(?!\s*['’]s|\s+(?:and|or|together|[a-z]+s)\b)(?P<behind>(?![\w’'-]).*)$",
        clause.rest,
    )
    verb = en.verbs().get(found["how"]) if found else None
    if not found or not verb or clause.auxiliary not in en.BE:
        return
    if not any(map(en.is_participle, found["between"].split())):
        form = verb.past if clause.auxiliary in ("was", "were") else verb.third
        behind = f"{found['between']} {found['behind']} {clause.lead}"
        question = en.as_question("Who", form, clause.subject, behind)
        yield QuestionAnswer("agent", question, found["name"], clause.subject)


def _subject(clause: Clause) -> Iterator[QuestionAnswer]:
    """Who it is of whom something is said: `Ida Lund invented …`: who invented …?"""
    rest, words = f"{clause.rest} {clause.lead}".strip(), clause.subject.split()
    words = words[words[0] == "the" :]
    is_named = len(words) <= 4 and all(word[0].isupper() for word in words)
    is_doer = len(words) > 1 or clause.auxiliary == "did"
    is_somebody = is_doer and clause.main.split(" ")[-1] in en.words_of("done_by_somebody")
    is_somebody = is_somebody or bool(re.match(en.TITLE, " ".join(words)))
    if is_named and is_somebody and clause.is_whole and len(en.content_words(rest)) > 2:
        question = en.as_question("Who", clause.verb, rest)
        yield QuestionAnswer("which", question, clause.subject, clause.subject)


def _statement(clause: Clause, *, has_number: bool) -> Iterator[QuestionAnswer]:
    """The statement as a question, also with another number."""
    rest, subject, origin = clause.rest, clause.subject, clause.asked()
    is_possible = clause.auxiliary in en.MODALS - {"can", "must"} and not clause.is_negative
    if (
        len(en.content_words(rest)) < 2
        or clause.ending.startswith(("or", "that", "who", "which"))
        or is_possible
        or set(rest.lower().split()) & en.JOINING
        or rest.count(",") > 1
        or not clause.is_whole
        or (clause.auxiliary in ("is", "was") and quantities(subject.split(" ")[0]))
        or subject == "you"
    ):
        return
    question = en.as_question(origin)
    if clause.is_negative:
        yield QuestionAnswer("denied", question, "No", subject, origin=origin)
        return
    if has_number and (changed := with_other_number(rest)):
        other = en.as_question(clause.asked(changed))
        yield QuestionAnswer("changed number", other, "No", subject, origin=origin)
    yield QuestionAnswer("confirmed", question, "Yes", subject, origin=origin)


def _cloze(clause: Clause) -> Iterator[QuestionAnswer]:
    """The statement with a blank in place of its only number: no time, no `one of 18`, no address."""
    rest, subject = clause.rest, clause.subject
    found = re.findall(r"(?<![\w.,/-])[$€£]?\d[\d.,]*\b%?", rest)
    is_open = clause.is_negative or not clause.is_whole or clause.ending.startswith("and")
    if len(found) != 1 or is_open or dates(f"in {found[0]}") or dates(rest):
        return
    before, text, behind = rest.partition(found[0])
    is_part = re.search(r"\b(?:at|of) $", before) or re.match(" [A-Z]|\\w|[-/]| years?\\b", behind)
    if not is_part and len(en.content_words(rest)) > 1:
        said = en.as_question(subject, clause.verb, f"{before}___{behind}", clause.lead)[:-1]
        about = subject if any(sign.isupper() for sign in subject) else ""
        yield QuestionAnswer("cloze", f"Which number is missing: “{said}”?", text, about)


def with_other_number(rest: str) -> str | None:
    """The rest with another whole number in place of its only one, or another year."""
    found = re.findall(r"(?<![\w.,/-])[$€£]?(\d{1,3}(?:,\d{3})+|\d+)(?![\w/-]|[.,:]\d)", rest)
    is_bounded = re.search(r"\b(?:least|most|than|up to|over|under|within)\b", rest)
    value = int(found[0].replace(",", "")) if len(found) == 1 else 0
    if re.fullmatch(r"(?:1[89]|20)\d\d", str(value)) and dates(rest):
        other = value - 4
    elif value < 3 or is_bounded or dates(rest):
        return None
    else:
        other = value * 2 if value < 50 else value + value // 4
        other = value // 2 if other > 99 >= value and "%" in rest else other
    return rest.replace(found[0], f"{other:,}" if "," in found[0] else str(other))
