"""English questions from single sentences, with exact references and without a model.

A clause is asked for one part of it: the part is taken out, and `How many beds`, `When` or `Where` comes
before what is left in the order of a question. A subject is asked for by what is said of it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
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
BODY = r"(?:the|an?) (?:[\w-]+ ){0,2}(?:[Tt]eam|[Cc]ent(?:re|er)|[Dd]epartment|[Oo]ffice|[Aa]gency|[Dd]esk|[Cc]ompany|[Cc]ouncil|[Cc]ommittee|[Bb]oard|firm|lead|[a-z]{3,}(?:er|or|ist))\b(?: (?:in|of|at|for) .*)?"
"""What does something and is no person with a name, with what describes it."""
NAME = r"(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*"
WHEN = rf"(?:in|on|at|over|until|from|between|every|each|by) (?:[a-z]+ )*{en.CALENDAR}(?: (?:and|to|until|or) (?:the )?{en.CALENDAR})?"
FORMS = tuple(
    (pattern, ask, re.compile(f"(?P<left>{left}),? (?P<answer>{answer})"))
    for pattern, ask, left, answer in (
        ("definition", "What", "mean", r"(?!in|by|with|from|to|for).+"),
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
CURRENCY = r"(?:dollars?|euros?|USD|EUR|pence|cents)"


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
            for find in (_dated, _amounts, _parts, _definition, _subject):
                of_clause += find(clause, names)
        has_number = any(PATTERNS[each.pattern][0] in ("number", "temporal") for each in of_clause)
        if has_number:
            of_clause = [each for each in of_clause if each.pattern != "identity"]
        found += [*of_clause, *_statement(clause, has_number=has_number)]
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
    if en.ends_open(leftover):
        return
    comparing = ""
    if pattern == "count" and ask.startswith("How many"):
        comparing = f"Which {clause.verb} more {ask.removeprefix('How many ')} {leftover}"
    elif pattern == "money" and clause.main == "cost":
        comparing = f"Which {clause.verb} more {leftover}"
    elif pattern == "date" and ask == "When" and value:
        # `opened in a former factory`: where is no part of what is compared
        said = re.sub(r"(^|^\w+(?:ed|t) )(?:in|on|at|by|with|for) .*", r"\1", leftover)
        comparing = f"Which {clause.verb} {said} earlier"
    question = en.as_question(ask, clause.asked(leftover))
    comparing = " ".join(comparing.split())
    yield QuestionAnswer(pattern, question, answer.rstrip(","), clause.subject, comparing, value)


def _condition(sentence: str) -> Iterator[QuestionAnswer]:
    """`If you lose a key, the desk lends another`: what happens if you lose a key?"""
    found = re.fullmatch(r"((?:If|When) ([^,;:()\"]+)), (?!that )([^;:—–\"]+)\.", sentence)
    case, then = (en.tokens_of(found[2]), en.tokens_of(found[3])) if found else ([], [])
    has_verb = any(word in en.AUXILIARIES or word in en.verbs() for word in case[1:])
    pointing = en.POINTING - {"they"} | {"was", "were", "had", "did"}
    is_open = not case or case[0] in en.POINTING | en.PREPOSITIONS
    if not found or is_open or not has_verb or len(then) < 4 or pointing & {*case, *then}:
        return
    is_told = then[0] in ("do", "don't", "please", "never") or en.form_of(then[0]) == "base"
    ask = "What should you do" if is_told else "What happens"
    about = "" if len(en.content_words(found[2])) > 3 else "you"
    question = f"{ask} {found[1][0].lower()}{found[1][1:]}?"
    yield QuestionAnswer("condition", question, found[3], about)


def _dated(clause: Clause, _: en.Names) -> Iterator[QuestionAnswer]:
    """`in 1994`, `from 15 May to 10 October`, `until 30 June`."""
    # `In 1998, X opened …`
    lead = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    is_date = lead and [each.text for each in dates(clause.lead)] == [lead["date"]]
    is_amount = clause.auxiliary in en.BE and bool(quantities(clause.rest))
    if lead and is_date and WITH_DIGITS.search(lead["date"]) and not is_amount:
        question = en.as_question("When", clause._replace(lead="").asked())
        if len(en.content_words(question)) > 2 and en.JOINING.isdisjoint(clause.rest.split()):
            yield QuestionAnswer("date", question, lead["date"], clause.subject)
    rest = clause.rest
    found = [date for date in dates(rest) if WITH_DIGITS.search(date.text)]
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
    if (
        (quantities(leftover) and not clause.main)
        or set(inner) & en.JOINING
        or has_verb
        or (not leftover and clause.main in ("have", "take"))
    ):
        return
    is_when = is_range or how not in ("since", "from", "by", "until")
    ask = "When" if is_when else f"{how.capitalize()} when"
    span = rest[first.start : last.end]
    answer = f"{how} {span}" if is_range else span
    yield from _part(clause, "date", ask, answer, leftover, first.text)


def _amounts(clause: Clause, _: en.Names) -> Iterator[QuestionAnswer]:
    """An amount of money, a time or a count."""
    rest, own_dates = clause.rest, dates(clause.rest)
    # `a maximum depth of 112 metres`
    sized = re.fullmatch(rf"an? (?P<what>(?:[a-z-]+ ){{0,2}}(?:{'|'.join(sorted(en.MEASURES))})) of (?P<value>(?:about |over |up to |nearly )?[$€£]?\d(?:[^,;]|,\d)*)", rest)  # fmt: skip
    be = {"does": "is", "did": "was"}.get(clause.auxiliary)
    if sized and be and clause.main in ("have", "cover", "reach") and not clause.lead:
        question = en.as_question("What", be, "the", sized["what"], "of", clause.subject)
        yield QuestionAnswer("measure", question, sized["value"], clause.subject)
    numbers = quantities(rest)
    joined = {other.start for one, other in pairwise(numbers) if rest[one.end : other.start].strip() in ("to", "–", "-")}  # fmt: skip
    ends = {one.start: other for one, other in pairwise(numbers) if other.start in joined}
    for number in numbers:
        in_date = any(date.start < number.end and number.start < date.end for date in own_dates)
        if number.is_year or number.only_matches or in_date or number.start in joined:
            continue
        last = ends.get(number.start, number)  # `two to four days` is one amount
        with_unit = re.match(r"(\S+) ([a-z]{3,})", last.text)
        text = with_unit[1] if with_unit and with_unit[2] not in en.SCALES else last.text
        before, behind = rest[: number.start].strip(), rest[last.start + len(text) :]
        text = rest[number.start : last.start] + text
        is_open = behind[:1] not in ("", " ", ",") or re.match(
            r"\s*(?:(?:to|or|and|[-–x×])\s|per \w+ and |an? \w+ and )", behind
        )
        if is_open or before.lower().split(" ")[-1] in en.NUMBERED:
            continue
        if bound := BOUND.search(before):
            before, text = before[: bound.start()].strip(), f"{bound[0]} {text}"
        tail = re.split(r"[,;:]| and | or | [-–] ", behind, maxsplit=1)[0].strip()
        amount_of = re.fullmatch(
            r"of (?P<what>[a-z][a-z -]*?)(?P<more>(?: (?:for|in|at|per|a|on) .*)?)", tail
        )
        if (
            amount_of
            and number.unit
            and " " in text
            and not before
            and text.split()[-1] not in en.TIMES
        ):
            yield from _part(
                clause, "count", f"How much {amount_of['what']}", text, amount_of["more"].strip()
            )
            continue
        if number.unit == "%" and not before and tail.startswith("of "):
            yield from _part(clause, "count", f"What percentage {tail}", text)
            continue
        is_money = re.search(rf"[$€£]|\b{CURRENCY}\b", f"{text} {tail.split(' ')[0]}")
        found = (_money if is_money else _count)(clause, before, text, tail)
        if found is not None:
            yield from _part(clause, *found, number.text)


def _money(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """The pattern, the words that ask, the answer and what is left; None for what is no price."""
    if before:
        is_price = clause.auxiliary in en.MODALS and before in en.PAYING
    else:
        is_said = clause.auxiliary in en.BE and not clause.main
        is_clear = len(en.content_words(clause.subject)) > 1
        is_price = (is_said and is_clear) or clause.main.split(" ")[-1] in en.PAYING
    if not is_price or re.match(r"(?:less|more|below|above|over|under)\b", tail):
        return None
    unit = re.match(rf"{CURRENCY}\b", tail)
    answer = f"{number} {unit[0]}" if unit else number
    return "money", "How much", answer, f"{before} {tail[unit.end() :] if unit else tail}".strip()


def _count(clause: Clause, before: str, number: str, tail: str) -> tuple[str, str, str, str] | None:
    """As `_money`, of a count, a size or a time."""
    # The plural noun that is counted, with the words before it.
    found, things = re.match(r"(?:[a-z][\w-]* ){0,2}[a-z][\w-]*", tail), ""
    words = found[0].split() if found else []
    for n, word in enumerate(words, 1):
        if (
            word in en.DETERMINERS | en.SCALES | {"times"} or f"{word}s" in en.TIMES
        ):  # `30 minute talks`
            return None
        if en.is_plural(word):
            things = " ".join(words[:n])
            break
        if word in en.verbs() or word in en.PREPOSITIONS | en.JOINING | en.AUXILIARIES | {"and"}:
            return None
    leftover = tail[len(things) :].strip()
    following = leftover.lower().split(" ")[0]
    is_stated = not clause.main and clause.auxiliary in en.BE and clause.subject != "there"
    if things and following in en.SIZES and is_stated and not before:
        rest = leftover[len(following) :].strip()
        return None if rest else ("measure", f"How {following}", f"{number} {things}", "")
    is_time = bool(things) and things.split()[-1] in en.TIMES
    if is_time and before and following == "of":  # `within 60 days of the trip`
        things, leftover = f"{things} {leftover}", ""
    elif not things or following in en.MEASURED:
        return None
    if not before:
        if is_stated or following not in en.BEFORE_NOUNS | en.JOINING | {"", "to"}:
            return None
        if is_time and clause.main.split(" ")[-1] in ("take", "last"):
            return "time", "How long", f"{number} {things}", leftover
        return "count", f"How many {things}", f"{number} {things}", leftover
    head, _, preposition = before.rpartition(" ")
    is_for = is_time and preposition in ("for", "within", "after")
    # With another amount beside it, it is not clear what it belongs to.
    if not is_for or en.ends_open(head) or quantities(f"{head} {leftover}"):
        return None
    if not en.JOINING.isdisjoint(head.split()) or " and " in head:
        return None
    many = f"{preposition.capitalize()} how many {things.split(' of ')[0]}"
    how = "For how long" if preposition == "for" else many
    return "time", how, f"{number} {things}", f"{head} {leftover}".strip()


def _parts(clause: Clause, _: en.Names) -> Iterator[QuestionAnswer]:
    """What one of the `FORMS` finds, and why: `because …`, `so that …`."""
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    if because and not en.points_outside(because["why"].replace("they ", "")):
        question = en.as_question("Why", clause.asked())
        yield QuestionAnswer("reason", question, because["why"].strip(), clause.subject)
    said = f"{clause.main} {clause.rest}".strip()
    is_cut = clause.ending[:1] in (",", ":", "(") and not re.match(", (?:which|who)", clause.ending)
    goes_on = clause.ending.startswith("and")
    if not clause.is_whole or clause.subject == "there":
        return
    for pattern, ask, form in FORMS:
        found = form.fullmatch(said)
        if found is None or (clause.lead and pattern != "object"):
            continue
        left, answer = found["left"], found["answer"].strip()
        words, content = left.split(), en.content_words(answer)
        is_amount = bool(quantities(answer)) and not answer.startswith("on the")
        is_done = clause.main not in ("", "be", "have", "take") or clause.subject == "you"
        if pattern == "object":
            items = re.split(r", (?:and |or )?| and | or ", answer)
            is_list = len(items) > 2 and all(0 < len(item.split()) <= 7 for item in items)
            is_fit = is_list or (words[-1] not in en.VAGUE_VERBS and not is_cut)
            is_fit = is_fit and clause.subject != "you" and clause.auxiliary != "did"
            pattern = "listed objects" if is_list else pattern
            is_fit = (
                is_fit and len(content) > 1 and bool(re.search(r"[^\W\d_]{2}", " ".join(content)))
            )
        elif pattern == "complement":
            is_fit = bool(content) and not (
                dates(answer) or goes_on or en.TIMES & {*answer.split()}
            )
            is_fit = is_fit and not (is_amount and len(answer.split()) < 3)
            left = "used for" if left == "used" else left
        elif pattern == "place":
            is_time = re.search(
                rf"\b(?:{en.CALENDAR}|time|week|year|month|day|end|event|case)\b", answer
            )
            is_fit = not (is_time or is_amount or dates(answer) or clause.ending[:1] in ("–", "("))
        elif pattern in ("date", "frequency"):
            is_past = clause.auxiliary in ("was", "were", "did") and answer.endswith("day")
            is_fit = (is_done or any(map(en.is_participle, words))) and not (
                is_past or quantities(left)
            )
            is_fit = is_fit and not (
                pattern == "date" and (is_amount or FORMS[-2][2].fullmatch(left))
            )
            is_fit = is_fit and en.JOINING.isdisjoint(words)
        else:
            is_fit = pattern == "definition" or len(en.content_words(left)) > 1
        if is_fit and (pattern == "complement" or not en.ends_open(left)):
            question = en.as_question(ask, clause.auxiliary, clause.subject, left, clause.lead)
            yield QuestionAnswer(pattern, question, answer, clause.subject)


def _definition(clause: Clause, _: en.Names) -> Iterator[QuestionAnswer]:
    """`X is a Y that …`, `the X is NAME`; a relative clause behind the rest belongs to it."""
    rest, subject = clause.rest, clause.subject.split(" ")
    is_one = clause.auxiliary in ("is", "was") and not (clause.main or quantities(subject[0]))
    if not is_one or not clause.is_whole or subject[0] in en.DETERMINERS - en.ARTICLES:
        return
    relative = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if relative and not en.points_outside(relative[0]):
        rest = f"{rest}{'' if relative[0][0] in ', ' else ' '}{relative[0]}".rstrip()
    first, _space, others = rest.partition(" ")
    role = re.split(" (?:of|for) ", clause.subject)[0]
    if first not in en.ARTICLES:
        # `The speed limit is 8 km/h`, `The warden is Ada Cole`
        is_value = bool(quantities(rest)) and quantities(rest)[0].start == 0
        is_value = is_value or bool(re.fullmatch("`[^`]+`", rest) and len(subject) > 2)
        is_name = re.fullmatch(rf"{NAME}|{PERSON}", rest)
        is_vague = en.SIZES.intersection(rest.split()) or subject[-1] in en.VAGUE
        is_short = subject[0] == "the" and len(rest.split()) <= 6
        if is_short and (is_value or is_name) and not is_vague:
            is_role = en.ROLE.search(role) or re.search(r"(?:er|or|ist|man|ian|head|chair)$", role)
            ask = "Who" if is_role and not is_value else "What"
            yield from _part(clause, "identity", ask, rest)
        return
    describing = re.search(r" (?:of|in|for|at|from|who|that|which|where|with|on|to)\b|,", rest)
    is_vague = re.match(
        r"(?:one of|kind of|part of|number of|lot of|good|great|better|bit|member)\b", others
    )
    is_one_of_many = not describing or re.match(r"(?:first|last|only|most|\w+est)\b", others)
    if is_vague or len(en.content_words(rest)) < 2 or (first == "the" and is_one_of_many):
        return
    kind = rest[: describing.start()] if describing else rest
    is_person = clause.subject[0].isupper() and en.ROLE.search(kind)
    is_role = subject[0] == "the" and en.ROLE.search(role.split()[-1])
    yield from _part(clause, "definition", "Who" if is_person or is_role else "What", rest)


def _subject(clause: Clause, names: en.Names) -> Iterator[QuestionAnswer]:
    """Who or what it is of which something is said.

    `X was founded by NAME`: who founded X? `Ninestone Hut opens only from …`: which hut opens only from …?
    `Rinsing prevents infections`: what prevents infections?
    """
    rest, subject = f"{clause.rest} {clause.lead}".strip(), clause.subject.removeprefix("the ")
    found = re.match(
        rf"(?P<how>\w+)(?P<particle> (?:out|up|off|down|over))? (?P<between>[^,]*?)\bby "
        rf"(?P<name>{PERSON}(?: and {PERSON})?|{BODY}|[A-Z]\w+(?: [A-Z]\w+)*)(?P<behind>.*)$",
        clause.rest,
    )
    if found and clause.auxiliary in en.BE and not clause.main:
        between, verb = found["between"].split(), en.verbs().get(found["how"])
        others = en.JOINING | en.AUXILIARIES | {"not"}
        is_other = not others.isdisjoint(between) or any(map(en.is_participle, between))
        goes_on = re.match(r"\s*['’]s|\s+(?:and|or|together|[a-z]+s)\b", found["behind"])
        if verb and not is_other and not goes_on:
            form = verb.past if clause.auxiliary in ("was", "were") else verb.third
            done = f"{form}{found['particle'] or ''}"
            behind = f"{found['between']} {found['behind']} {clause.lead}"
            question = en.as_question("Who", done, clause.subject, behind)
            yield QuestionAnswer("agent", question, found["name"], clause.subject)
    main = clause.main.split(" ")[-1] or (
        rest.split(" ")[0] if clause.auxiliary in en.MODALS else ""
    )
    words, kind = subject.split(), subject.split()[-1].lower()
    is_named = len(words) <= 4 and all(word[0].isupper() for word in words)
    is_kind = len(words) > 1 and bool(names.small[f"a {kind}."] or names.small[f"the {kind} of"])
    is_repeated = {*map(str.lower, words[:-1])} & {*re.findall(r"\w+", rest.lower())}
    is_definition = not clause.main and rest.startswith(("a ", "an ", "the "))
    if len(en.content_words(rest)) < 3 or not clause.is_whole or is_repeated or is_definition:
        return
    ask, about, verb = "", clause.subject, clause.verb
    if main in en.CAUSING and clause.subject not in ("you", "there"):
        ask, about = "What", ""
        verb = en.verbs()[main].third if clause.auxiliary == "do" else verb
    elif is_named and is_kind and not kind.endswith(("s", "ing")):
        ask = f"Which {kind}"
    elif is_named and not is_kind:
        is_doer = len(words) > 1 or clause.auxiliary == "did"
        is_somebody = is_doer and main in en.DONE_BY_SOMEBODY
        ask = "Who" if re.match(en.TITLE, subject) or is_somebody else ""
    if ask and not clause.ending.startswith("that"):
        question = en.as_question(ask, verb, rest)
        yield QuestionAnswer("which", question, clause.subject, about)


def _statement(clause: Clause, *, has_number: bool) -> Iterator[QuestionAnswer]:
    """The statement as a question, also with another number; with a blank where nothing else asks for its number."""
    rest, subject, origin = clause.rest, clause.subject, clause.asked()
    numbers = [each for each in quantities(rest) if not each.only_matches]
    is_one = len(numbers) == 1 and not dates(rest) and len(en.content_words(rest)) > 1
    if is_one and not (has_number or clause.is_negative or clause.ending.startswith("and")):
        before, text, behind = rest[: numbers[0].start], numbers[0].text, rest[numbers[0].end :]
        is_plain = re.fullmatch(r"[$€£]?\d[\d.,]*%?", text)
        # No time, no `one of 18`, no address
        if is_plain and not re.search(r"\b(?:at|of) $", before) and not re.match(" [A-Z]", behind):
            said = en.as_question(subject, clause.verb, f"{before}___{behind}", clause.lead)[:-1]
            about = subject if any(sign.isupper() for sign in subject) else ""
            yield QuestionAnswer("cloze", f"Which number is missing: “{said}”?", text, about)
    is_possible = clause.auxiliary in en.MODALS - {"can", "must"} and not clause.is_negative
    if (
        len(en.content_words(rest)) < 2
        or clause.ending.startswith(("or", "that", "who", "which"))
        or is_possible
        or set(rest.lower().split()) & en.JOINING
        or rest.count(",") > 1
        or not clause.is_whole
        or (clause.auxiliary in ("is", "was") and quantities(subject.split(" ")[0]))
        or (subject == "you" and (not clause.is_negative or quantities(rest)))
    ):
        return
    question = en.as_question(origin)
    if clause.is_negative:
        if not re.match(r"\w+ing\b", rest):
            yield QuestionAnswer("denied", question, "No", subject, origin=origin)
        return
    if has_number and (changed := with_other_number(rest)):
        other = en.as_question(clause.asked(changed))
        yield QuestionAnswer("changed number", other, "No", subject, origin=origin)
    yield QuestionAnswer("confirmed", question, "Yes", subject, origin=origin)


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
