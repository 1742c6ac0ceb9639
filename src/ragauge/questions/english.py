"""English questions from single sentences, with exact references: a part of a clause is taken out, and `How many beds` comes before what is left."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import Clause, clauses, verb_at
from ragauge.questions.definitions import definitions
from ragauge.questions.question import Draft

EXPLETIVE = re.compile(
    r"it (?:(?:is|was|may be|might be|can be|will be) (?:\w+ly |often )?(?:necessary|possible|because|likely|unlikely|important|better|best|hard|easy|difficult|worth|useful|helpful|recommended|advisable|common|time|up|as|that)\b|(?:may|might|could) happen)"
)
INNER = re.compile(r"\b(?:it|they|them)\b")
MIN_WORDS, MAX_WORDS, MIN_SAID, MANY, MAX_BEFORE_DATE = 3, 26, 3, 1_000, 9
CURRENCY, BOUND, WITH_DIGITS, COUNTED, UNCLEAR, OPEN_CASE, WISH, REFERRING, OWING = (
    re.compile(en.pattern(each))
    for each in (
        *("currency", "bound", "with_digits", "counted", "unclear", "open_case"),
        *("wish", "referring", "owing"),
    )
)
FORMS = [
    (pattern, ask, re.compile(f"(?P<left>{en.filled(left)}),? (?P<answer>{en.filled(answer)})"))
    for pattern, ask, left, answer in en.TABLE["forms"]["parts"]
]
"""Patterns of a verb with what follows it: what is `left` in the question, and the `answer`."""


def questions_of(sentence: str, names: en.Names) -> Iterator[Draft]:
    """All questions that a sentence answers, without their source."""
    found = [*_condition(sentence)]
    for question, answer, subject in definitions(sentence, names):
        found.append(_draft("definition", question, answer, subject))
    for clause in clauses(sentence, names):
        of_clause: list[Draft] = []
        if not clause.is_negative:
            of_clause += [*_dated(clause), *_amounts(clause), *_parts(clause), *_identity(clause)]
        has_number = any(each.question_type in ("number", "temporal") for each in of_clause)
        found += [*of_clause, *_statement(clause, has_number=has_number)]
    for each in found:
        signs = Counter(each.question + each.references[0])
        is_open = signs['"'] % 2 or signs["("] != signs[")"] or signs["“"] != signs["”"]
        if is_good(each.question) and not is_open:
            yield each


def is_good(question: str) -> bool:
    """Whether a question has a fit length and points to nothing outside itself."""
    words = re.findall(r"[\w'’-]+", question.lower())
    # `their` needs a plural before it.
    own = words.index("their") if "their" in words else 0
    is_cut = own and not any(map(en.is_plural, {*words[1:own]} - {"happens"}))
    is_cut = is_cut or UNCLEAR.search(f"{question.rstrip('?')}?") or en.points_outside(question)
    # `When does the store began its sales?`
    is_cut = is_cut or (words[1:2] in (["did"], ["does"]) and not en.only_past().isdisjoint(words))
    if is_cut or not MIN_WORDS <= len(words) <= MAX_WORDS:
        return False
    least = 2 if len(words) < 6 else 3
    return len(en.content_words(question)) >= least - (words[0] in ("what", "who"))


def _draft(pattern: str, question: str, answer: str, subject: str = "", origin: str = "") -> Draft:
    kind, worth = en.TABLE["kinds"][pattern]
    return Draft(question, (answer,), (), kind, pattern, subject, worth, origin=origin)


def _asked(clause: Clause, pattern: str, ask: str, answer: str, leftover: str) -> Draft:
    """The question for a part of a clause's rest: `leftover` is the rest without it, `ask` the words that ask."""
    question = en.as_question(ask, clause.asked(leftover))
    return _draft(pattern, question, answer.rstrip(","), clause.subject)


def _condition(sentence: str) -> Iterator[Draft]:
    """`If …, the desk will lend …`: what happens if …? `To hire …, ask …`: how do you hire …?"""
    sentence = re.sub("^In order to", "To", sentence).replace(", then ", ", ")
    found = re.fullmatch(r"(If|When|To) ([^,;:()\"]+), (?!that )([^;:—–\"“]+)\.", sentence)
    if found is None:
        return
    word, given, answer = found.groups()
    # The sentence itself says what `it` is: `If you have a car, park it outside`.
    is_known = re.search(
        r"\b(?:an?|the|your|any|no|each|every) (?!lot|bit|few|little|number)[a-z]|\b(?:someone|somebody)\b",
        given,
    )
    said = INNER.sub("", answer) if is_known else re.sub(r"\bthey\b", "", answer)
    if en.points_outside(f"{given}, {said}"):
        return
    plain = re.sub(r"\s*\([^()]*\)", "", re.sub("['’]ll\\b", " will", answer))
    case, then, owed = en.tokens_of(given), en.tokens_of(plain), OWING.match(answer)
    # `If you wait too long`, `it is better` say too little; `also` goes on.
    n_case, n_then = (
        sum(word not in en.words_of("light") for word in en.content_words(each))
        for each in (given, plain)
    )
    is_short = min(n_case, n_then + (not _is_order(then))) < MIN_SAID or "also" in (*case, *then)
    if is_short or OPEN_CASE.search(given) or REFERRING.search(answer):
        return
    if word == "To":
        is_step = owed or _is_order(then)
        is_step = is_step and case[0] not in en.words_of("thinking")
        if is_step and en.form_of(case[0]) == "base" and "you" not in case[:2]:
            step = answer[owed.end() :] if owed else answer
            yield _draft("condition", f"How do you {given}?", step)
    elif not _is_broken(case, then):
        question = f"{word.lower()} {given}?"
        if owed and owed[1]:
            asked, answer = f"What {owed[1]} you do {question}", answer[owed.end() :]
            yield _draft("condition", asked, answer)
        elif _is_order(then):
            yield _draft("condition", f"What should you do {question}", answer)
        elif _happens(case, then) and not WISH.match(given):
            yield _draft("condition", f"What happens {question}", answer)


def _is_order(then: Sequence[str]) -> bool:
    """Whether words tell what to do: `ask the warden`, `declare the string safe`, and not `spend approval is needed`."""
    first, at = then[0], _verb_of(then)
    if first in en.words_of("telling"):
        return True
    # `trust in others can erode`
    is_clause = at == 2 or (at and then[at] in en.AUXILIARIES)
    if is_clause or first in en.words_of("thinking") or re.search("['’]", first):
        return False
    return en.form_of(first) == "base" or (at is None and then[1:2] in (["a"], ["the"], ["your"]))


def _verb_of(then: Sequence[str]) -> int | None:
    return verb_at(then[: [*then, ","].index(",")])


def _happens(case: Sequence[str], then: Sequence[str]) -> bool:
    """Whether words say what happens: not `you are at least 21`, `the assembly refused`, `asking is better`, `he plans it`."""
    at, first = _verb_of(then), then[0]
    if at is None or case[0].endswith("ing") or first in ("now", "chances", "things"):
        return False
    if en.form_of(first) == "base" or EXPLETIVE.match(" ".join(then)):
        return False
    verb, following = then[at], [*then, ""][at + 1]
    is_done = en.is_participle(following) and verb not in en.MODALS
    is_due = is_done or not (en.MODALS - {"may", "might", "should"}).isdisjoint(then[1:3])
    if first == "you":
        return is_due and then[2:3] not in (["want"], ["find"])
    is_now = en.form_of(verb) in ("third", "base") and not en.ROLE.search(" ".join(then[:at]))
    return is_done or is_now or verb in en.MODALS or (verb in en.BE and not first.endswith("ing"))


def _is_broken(case: Sequence[str], then: Sequence[str]) -> bool:
    """Whether a condition or what follows it is no clause, says little, or was so once."""
    begins, verb = {case[0], then[0]}, verb_at(case)
    return (
        not begins.isdisjoint(en.JOINING | {"and", "however"})
        or any(en.is_participle(word) or en.form_of(word) == "third" for word in begins)
        or then[0] in en.PREPOSITIONS
        or (
            (en.verbs().keys() | en.AUXILIARIES).isdisjoint(case[1:])
            and not (case[0].endswith("ing") and then[0] == "you")
        )
        or not {"was", "were", "had", "did"}.isdisjoint((*case, *then))
        or (verb and case[0] not in ("you", "your") and en.form_of(case[verb]) == "past")
        or "would" in then
        or then[0] == "they"
    )


def _dated(clause: Clause) -> Iterator[Draft]:
    """`in 1994`, `until 30 June`, `In 1994, …`"""
    is_active = clause.auxiliary == "did" and clause.main not in en.words_of("complete")
    lead = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    # Not `in the United States in 1972`
    begins = [date.start <= MAX_BEFORE_DATE for date in dates(clause.lead)][:1] == [True]
    is_date = lead and begins and WITH_DIGITS.search(lead["date"])
    is_date = is_date and "(" not in clause.lead and len(re.findall(r"\b[a-z]+", clause.lead)) < 6
    is_date = is_date and clause.auxiliary not in en.HAVE and (clause.rest or not is_active)
    is_past = clause.auxiliary in ("did", "was", "were")
    is_date = is_date and (not is_past or re.search(r"\d{3}", clause.lead))
    if lead and is_date and not quantities(clause.rest):
        yield _asked(clause._replace(lead=""), "date", "When", lead["date"], clause.rest)
    found = [date for date in dates(clause.rest) if WITH_DIGITS.search(date.text)]
    if not found:
        return
    start, end = found[0].start, found[-1].end
    before, behind = clause.rest[:start], clause.rest[end:]
    between = clause.rest[found[0].end : found[-1].start]
    how = re.search(r"(?:^|\s)(in|on|since|from|by|until|at|between)\s+(?:the )?$", before)
    is_range = len(found) == 2 and between.strip() in ("to", "and", "until", "through")
    if how is None or not (is_range or (len(found) == 1 and how[1] != "between")):
        return
    leftover = f"{before[: how.start()].rstrip()} {behind.strip()}".strip()
    others = leftover.lower().split()[1:]
    is_cut = re.match(r"\s*(?:\w+ )?(?:to|and|or|-+|–)\b|[ ,]*\d{4}|\s*[A-Z]", behind)
    # `X was a painter born in 1946`
    is_cut = is_cut or re.search(r"\b(?:after|before|since|until)\b", before[: how.start()])
    is_cut = is_cut or (is_past and not re.search(r"\d{3}", clause.rest[start:end]))
    # `relies on what X said in 1968`
    is_cut = is_cut or (
        clause.auxiliary in ("do", "does", "is", "are") and re.search(r"\d{4}", found[0].text)
    )
    is_cut = is_cut or (clause.auxiliary in en.BE and others and leftover.split()[0] in en.ARTICLES)
    is_cut = is_cut or (is_active and not leftover)
    is_cut = is_cut or (clause.auxiliary in en.HAVE and how[1] in ("in", "on", "at"))
    if not is_cut and en.JOINING.isdisjoint(others) and "past" not in map(en.form_of, others):
        is_when = is_range or how[1] in ("in", "on", "at")
        text = f"{how[1]} {clause.rest[start:end]}" if is_range else found[0].text
        yield _asked(
            clause, "date", "When" if is_when else f"{how[1].capitalize()} when", text, leftover
        )


def _amounts(clause: Clause) -> Iterator[Draft]:
    """Amounts of money, times and counts, also with `at least`."""
    main = clause.main.split(" ")[-1]
    for number in quantities(clause.rest):
        if number.is_year or number.only_matches:
            continue
        # The number without its unit, which the question has: `30 days`.
        with_unit = re.match(r"(\S+) ([a-z]{3,})", number.text)
        has_unit = with_unit and with_unit[2] not in en.words_of("scales")
        text = with_unit[1] if with_unit and has_unit else number.text
        before = clause.rest[: number.start].strip()
        behind = clause.rest[number.start + len(text) :]
        if behind[:1] not in ("", " ", ",") or re.match(r"\s*(?:to|or|and|[-–x×])\s", behind):
            continue
        if bound := BOUND.search(before):
            before, text = before[: bound.start()].strip(), f"{bound[0]} {text}"
        tail = re.split(r"[,;:]| and | or | [-–] ", behind, maxsplit=1)[0].strip()
        unit = CURRENCY.match(tail)
        if unit or re.search(r"[$€£]", text):
            paying = en.words_of("paying")
            if tail.split(" ")[0] in en.words_of("measured"):
                continue  # `$100 more`
            if before in paying or (not before and main in paying):
                leftover = f"{before} {tail[unit.end() :] if unit else tail}".strip()
                amount = f"{text} {unit[0]}" if unit else text
                yield _asked(clause, "money", "How much", amount, leftover)
            continue
        found = COUNTED.match(tail)
        things = found[0] if found else ""
        leftover = tail[len(things) :].strip()
        following = leftover.lower().partition(" ")[0]
        is_vague = things.split(" ")[-1].removesuffix("s") in en.words_of("vague")
        if (
            not things
            or is_vague
            or following in en.words_of("sizes") | en.words_of("measured") | {"of"}
        ):
            continue
        if (
            clause.auxiliary == "did"
            and number.value >= MANY
            and not dates(f"{clause.rest} {clause.lead}")
        ):
            continue  # the text does not say when there are so many
        is_then = main == "show" or (main == "have" and clause.auxiliary == "did")
        if not before and main and not is_then and following in en.BEFORE_NOUNS | {"", "to"}:
            asked = _asked(clause, "count", f"How many {things}", f"{text} {things}", leftover)
            comparing = f"Which {clause.verb} more {things} {leftover}".strip()
            yield replace(asked, comparing=comparing, value=number.text)


def _parts(clause: Clause) -> Iterator[Draft]:
    """What one of the `FORMS` finds."""
    more = re.match(
        r"(?:(?:and|or) (?:[a-z]+ly )?(\w+)|(?:who|which|that|whose|where|when)\b)", clause.ending
    )
    is_whole = clause.is_whole and not (more and not _is_verb(more[1] or ""))
    for pattern, ask, form in FORMS if is_whole else ():
        found = form.fullmatch(f"{clause.main} {clause.rest}".strip())
        if found is None or found["answer"].split(" ")[0] in en.words_of("vague_answers"):
            continue
        if re.search(r" in (?:\w+ )?ways$", found["answer"]):
            continue
        left, answer = found["left"], found["answer"].strip(" ,")
        is_asked = _is_list if pattern == "listed objects" else _is_event
        if is_asked(clause, pattern, left, answer):
            question = en.as_question(ask, clause.auxiliary, clause.subject, left, clause.lead)
            yield _draft(pattern, question, answer, clause.subject)


def _is_list(clause: Clause, _: str, left: str, answer: str) -> bool:
    """Whether a verb has three or more short objects, and these are all."""
    subject, items = clause.subject, re.split(r", (?:and |or )?| and | or ", answer)
    # `What do sociologists measure?` may be answered in many ways.
    is_thin = len(en.content_words(subject)) < 2 and subject.islower() and "`" not in subject
    is_thin = is_thin and not (left in ("include", "contain") and subject.startswith("the "))
    # `may include warnings`: and others
    is_open = (
        left in en.words_of("open_verbs")
        if subject[0].isupper()
        else left in ("include", "contain") and clause.auxiliary in en.MODALS
    )
    is_open = is_open or re.search(r"\b(?:including|like|such as)\b", answer)
    is_short = len(items) > 2 and all(0 < len(item.split()) < 8 for item in items)
    return is_short and not (is_thin or is_open or subject == "you" or clause.auxiliary == "did")


def _is_verb(word: str) -> bool:
    return word in en.AUXILIARIES or en.form_of(word) in ("third", "past")


def _is_event(clause: Clause, pattern: str, left: str, _: str) -> bool:
    """Whether what is left of a clause is something done, when, how often or how."""
    if not clause.main and left.split(" ")[0] in en.ARTICLES:
        return False  # `Torrijas are a dessert eaten during Lent`
    is_done = clause.main not in ("", "be", "have", "take")
    is_done = is_done or any(map(en.is_participle, left.split()))
    if left.startswith("used to "):
        return False
    if pattern == "means" and clause.auxiliary in en.BE:
        return any(map(en.is_participle, left.split()[:2]))
    if pattern == "means":
        can_do = clause.auxiliary in en.MODALS and not left.startswith("be ")
        is_simple = (en.JOINING | {"no"}).isdisjoint(left.split()) and not left.startswith("have ")
        return (is_done or can_do) and is_simple and len(en.content_words(left)) > 1
    is_open = clause.auxiliary in ("did", "was", "were") or (
        left.split(" ")[-1] in en.BEFORE_NOUNS
        or "," in left
        or any(each in left for each in en.words_of("calendar"))
        or not en.JOINING.isdisjoint(left.split())
    )
    is_measured = re.search(r" (?:minute|hour|day|week|month|year)s?$", left)  # … before it
    return is_done and not (is_open or is_measured or clause.lead)


def _identity(clause: Clause) -> Iterator[Draft]:
    """`The speed limit is 8 km/h`"""
    rest, last = clause.rest, clause.rest.split(" ")[-1]
    noun, found = clause.subject.split(" ")[-1], quantities(rest)
    is_vague = noun in en.words_of("vague") or last in en.words_of("sizes") | {"away"}
    # `The meeting is 25 minutes`
    is_vague = is_vague or (last in en.words_of("times") and noun not in en.words_of("measures"))
    is_value = bool(found) and found[0].start == 0 and not rest.startswith("one ")
    is_short = len(rest.split()) < 7 and clause.auxiliary == "is"
    is_vague = is_vague or en.is_participle(last)
    is_whole = clause.is_whole and not clause.main
    if is_whole and is_value and is_short and clause.subject.startswith("the ") and not is_vague:
        yield _asked(clause, "identity", "What", rest, "")


def _statement(clause: Clause, *, has_number: bool) -> Iterator[Draft]:
    """The statement as a question; without another one about its number also with a blank for it."""
    rest, subject, origin = clause.rest, clause.subject, clause.asked(clause.rest)
    # `It may be late`, `It may not be late`: but `must not` is asked for with `May`.
    is_possible = clause.auxiliary in en.MODALS - {"can", "must"} and not clause.is_negative
    is_possible = is_possible or clause.verb in ("may", "might")
    # `The report was strictly partisan` says little.
    said = [each for each in en.content_words(rest) if clause.main or not en.is_adverb(each)]
    if len(said) < 2 or not clause.is_whole:
        return
    numbers = re.findall(r"(?<![\w.,/-])[$€£]?\d[\d.,]*\b%?", rest)
    if (
        not has_number
        and not clause.is_negative
        and len(numbers) == 1
        and not dates(f"in {numbers[0]}")
    ):
        before, number, behind = rest.partition(numbers[0])
        if not re.match(" [A-Z]|\\w|[-/]| years?\\b", behind):  # no name, no address
            said = en.as_question(subject, clause.verb, f"{before}___{behind}", clause.lead)[:-1]
            about = subject if any(sign.isupper() for sign in subject) else ""
            question = f"Which number is missing: “{said}”?"
            yield _draft("cloze", question, number, about)
    is_cut = clause.ending.startswith(("or", "that", "who", "which")) or rest.count(",") > 1
    # `are leaving`, `are great ways to …`, `are to …`
    is_state = clause.auxiliary in en.BE and re.match("(?:[a-z]+ )?[a-z]+ing |to ", rest)
    is_state = is_state or not en.words_of("remarks").isdisjoint(rest.split(" ")[:3])
    is_state = is_state or rest.startswith("no ") or clause.auxiliary == "did"
    is_said = is_possible or re.match("you(?:r .*)?$", subject)
    if is_cut or is_state or is_said or set(rest.lower().split()) & en.JOINING:
        return
    question = en.as_question(origin)
    if clause.is_negative:
        yield _draft("denied", question, "No", subject, origin)
        return
    yield _draft("confirmed", question, "Yes", subject, origin)
