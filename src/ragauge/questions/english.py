"""English questions from single sentences, with exact references: a part of a clause is taken out, and `How many beds` comes before what is left."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import Clause, clauses, verb_at
from ragauge.questions.question import Draft

MIN_WORDS, MAX_WORDS, MANY = 3, 26, 1_000
TITLE, PERSON, BODY, NAME = map(en.pattern, ("title", "person", "body", "name"))
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
    for clause in clauses(sentence, names):
        of_clause: list[Draft] = []
        if not clause.is_negative:
            of_clause += [*_dated(clause), *_amounts(clause), *_parts(clause), *_definition(clause)]
            of_clause += _doer(clause)
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
    if is_cut or not MIN_WORDS <= len(words) <= MAX_WORDS:
        return False
    least = 2 if len(words) < 6 else 3
    return len(en.content_words(question)) >= least - (words[0] in ("what", "who"))


def _draft(pattern: str, question: str, answer: str, subject: str, origin: str = "") -> Draft:
    kind, worth = en.TABLE["kinds"][pattern]
    return Draft(question, (answer,), (), kind, pattern, subject, worth, origin=origin)


def _asked(clause: Clause, pattern: str, ask: str, answer: str, leftover: str) -> Draft:
    """The question for a part of a clause's rest: `leftover` is the rest without it, `ask` the words that ask."""
    question = en.as_question(ask, clause.asked(leftover))
    return _draft(pattern, question, answer.rstrip(","), clause.subject)


def _condition(sentence: str) -> Iterator[Draft]:
    """`If you lose a key, the desk lends another`: what happens if you lose a key? `To hire one, ask`: how do you hire one?"""
    sentence = re.sub("^In order to", "To", sentence).replace(", then ", ", ")
    found = re.fullmatch(r"(If|When|To) ([^,;:()\"]+), (?!that )([^;:—–\"“]+)\.", sentence)
    if found is None or en.points_outside(re.sub(r"\bthey\b", "", sentence)):
        return
    word, given, answer = found.groups()
    plain = re.sub(r"\s*\([^()]*\)", "", re.sub("['’]ll\\b", " will", answer))
    case, then, n_said = en.tokens_of(given), en.tokens_of(plain), len(en.content_words(given))
    if OPEN_CASE.search(given) or REFERRING.search(answer):
        return
    about, owed = "" if n_said > 3 else "you", OWING.match(answer)
    if word == "To":
        is_step = owed or (_is_order(then) and then[0] not in ("have", "know", "think"))
        if is_step and n_said > 1 and en.form_of(case[0]) == "base" and "you" not in case[:2]:
            step = answer[owed.end() :] if owed else answer
            about = "you" if len(case) < 4 else ""
            yield _draft("condition", f"How do you {given}?", step, about)
    elif not _is_broken(case, then):
        question = f"{word.lower()} {given}?"
        if owed and owed[1]:
            asked, answer = f"What {owed[1]} you do {question}", answer[owed.end() :]
            yield _draft("condition", asked, answer, about)
        elif _is_order(then):
            yield _draft("condition", f"What should you do {question}", answer, about)
        elif _happens(case, then) and not WISH.match(given):
            yield _draft("condition", f"What happens {question}", answer, about)


def _is_order(then: Sequence[str]) -> bool:
    """Whether words tell what to do: `ask the warden`, `declare the string safe`."""
    is_known = then[0] in en.words_of("telling") or en.form_of(then[0]) == "base"
    return is_known or (_verb_of(then) is None and then[1:2] in (["a"], ["the"], ["your"]))


def _verb_of(then: Sequence[str]) -> int | None:
    return verb_at(then[: [*then, ","].index(",")])


def _happens(case: Sequence[str], then: Sequence[str]) -> bool:
    """Whether words say what happens: not `you are at least 21`, `the assembly refused`, `asking is better`, `he has a plan`."""
    at, first = _verb_of(then), then[0]
    if at is None or case[0].endswith("ing") or first in ("now", "chances"):
        return False
    verb, following = then[at], [*then, ""][at + 1]
    is_due = not (en.MODALS - {"may", "might", "should"}).isdisjoint(then[1:3])
    is_due = is_due or (en.is_participle(following) and verb not in en.MODALS)
    is_state = verb in en.HAVE and not en.is_participle(following)
    is_better = first.endswith("ing") and verb in en.BE
    is_past = en.form_of(verb) == "past"
    is_wish = then[2:3] in (["want"], ["find"])
    is_said = first != "you" or (is_due and not is_wish)
    return not (is_past or is_state or is_better) and is_said


def _is_broken(case: Sequence[str], then: Sequence[str]) -> bool:
    """Whether a condition or what follows it is no clause, says little, or was so once."""
    begins, verb = {case[0], then[0]}, verb_at(case)
    return (
        not begins.isdisjoint(en.JOINING | {"and", "however"})
        or any(en.is_participle(word) or en.form_of(word) == "third" for word in begins)
        or then[0] in en.PREPOSITIONS
        or (en.verbs().keys() | en.AUXILIARIES).isdisjoint(case[1:])
        or len({*en.content_words(" ".join(case))} - {"you"}) < 1 + (case[0] == "you")
        or not {"was", "were", "had", "did"}.isdisjoint((*case, *then))
        or (verb and case[0] not in ("you", "your") and en.form_of(case[verb]) == "past")
        or "would" in then
        or then[0] == "they"
    )


def _dated(clause: Clause) -> Iterator[Draft]:
    """`in 1994`, `until 30 June`, `In 1994, …`"""
    is_active = clause.auxiliary == "did" and clause.main not in en.words_of("complete")
    lead = re.fullmatch(r"(?:in|on|at) (?:the )?(?P<date>.+)", clause.lead)
    is_date = lead and WITH_DIGITS.search(lead["date"]) and dates(clause.lead)
    is_date = is_date and "(" not in clause.lead and len(re.findall(r"\b[a-z]+", clause.lead)) < 6
    is_date = is_date and clause.auxiliary not in en.HAVE and (clause.rest or not is_active)
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
    is_past = clause.auxiliary in ("did", "was", "were")
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
        leftover, (head, _, preposition) = tail[len(things) :].strip(), before.rpartition(" ")
        following = leftover.lower().partition(" ")[0]
        if not things or following in en.words_of("sizes") | en.words_of("measured") | {"of"}:
            continue
        is_time = things.split()[-1] in en.words_of("times")
        if (
            clause.auxiliary == "did"
            and number.value >= MANY
            and not dates(f"{clause.rest} {clause.lead}")
        ):
            continue  # the text does not say when there are so many
        is_then = main == "have" and clause.auxiliary == "did"
        if (
            not before
            and main
            and not is_then
            and following in en.BEFORE_NOUNS | en.JOINING | {"", "to"}
        ):
            asked = _asked(clause, "count", f"How many {things}", f"{text} {things}", leftover)
            comparing = f"Which {clause.verb} more {things} {leftover}".strip()
            yield replace(asked, comparing=comparing, value=number.text)
        elif (
            is_time
            and preposition in ("for", "within", "after")
            and not (
                not en.JOINING.isdisjoint(head.split())
                or quantities(f"{head} {leftover}")
                or re.match(r"(?:\w+ )?\w+ing\b", head)
            )
        ):
            many = f"{preposition.capitalize()} how many {things}"
            ask = "For how long" if preposition == "for" else many
            yield _asked(clause, "time", ask, f"{text} {things}", f"{head} {leftover}".strip())


def _parts(clause: Clause) -> Iterator[Draft]:
    """What one of the `FORMS` finds, and why: `because …`, `so that …`."""
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    is_purpose = clause.auxiliary in en.BE and clause.rest.startswith("to ")
    is_purpose = is_purpose or (
        because and because["why"][0] == "s" and because["why"].count(",") > 1
    )
    if because and not (is_purpose or en.points_outside(because["why"].replace("they ", ""))):
        yield _asked(clause, "reason", "Why", because["why"].strip(), clause.rest)
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
        # `What do sociologists measure?` may be answered in many ways.
        is_thin = len(en.content_words(clause.subject)) < 2 and clause.subject.islower()
        is_one = left in ("include", "contain") and clause.subject.startswith("the ")
        is_thin = (is_thin and "`" not in clause.subject) or (
            clause.auxiliary == "did" and pattern == "object"
        )
        if is_thin and pattern in ("object", "complement") and not is_one:
            continue
        if pattern == "object":
            items = re.split(r", (?:and |or )?| and | or ", answer)
            is_cut = len(items) > 2 or re.match(r"[:(]|,(?! (?:which|who))", clause.ending)
            is_vague = left in en.words_of("vague_verbs") or len(en.content_words(answer)) < 2
            # `Chrome supports HDR10 on HEVC, VP9 and AV1` does not say all that it does.
            is_wide = clause.subject[0].isupper() and left in (
                "support",
                "provide",
                "require",
                "accept",
            )
            is_wide = is_wide or clause.subject == "you"
            # `may include warnings`: and others
            is_wide = is_wide or (left in ("include", "contain") and clause.auxiliary in en.MODALS)
            if is_wide or re.search(r"\b(?:including|like|such as)\b", answer):
                continue
            if len(items) > 2 and all(0 < len(item.split()) <= 7 for item in items):
                pattern = "listed objects"
            elif is_cut or is_vague:
                continue
        elif not _is_event(clause, pattern, left):
            continue
        left = "used for" if left == "used" else left
        question = en.as_question(ask, clause.auxiliary, clause.subject, left, clause.lead)
        yield _draft(pattern, question, answer, clause.subject)


def _is_verb(word: str) -> bool:
    return word in en.AUXILIARIES or en.form_of(word) in ("third", "past")


def _is_event(clause: Clause, pattern: str, left: str) -> bool:
    """Whether what is left of a clause is something done, if it is asked for when, how often or how."""
    if pattern not in ("date", "frequency", "means"):
        return pattern != "complement" or not clause.ending.startswith(":")
    if not clause.main and left.split(" ")[0] in en.ARTICLES:
        return False  # `Torrijas are a dessert eaten during Lent`
    is_done = clause.main not in ("", "be", "have", "take")
    is_done = is_done or any(map(en.is_participle, left.split()))
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


def _definition(clause: Clause) -> Iterator[Draft]:
    """`X is a Y that …`; a relative clause behind the rest belongs to it."""
    rest, subject = clause.rest, clause.subject.split(" ")
    is_one = clause.auxiliary in ("is", "was") and not clause.main and clause.is_whole
    is_done = subject[0].endswith("ing") and len(subject) > 1  # `crushing vassals was a way of …`
    if not is_one or is_done or subject[0] in en.DETERMINERS - en.ARTICLES:
        return
    first, _, others = rest.partition(" ")
    kind = re.split(" (?:of|for) ", clause.subject)[0]
    is_role = subject[0] == "the" and en.ROLE.search(kind.split(" ")[-1])
    if first not in en.ARTICLES:
        yield from _identity(clause, is_role=bool(is_role))
        return
    more = re.match(r"(?:and|or) (?:[a-z]+ly )?(\w+)", clause.ending)
    if more and not _is_verb(more[1]):
        return  # perhaps another noun of it
    relative = re.match(
        r",? ?(?:(?:in|by|for|to|from|through) )?(?:who|which|where|whose)\b(?:[^,;:—–]|,(?=\d{3}))*",
        clause.ending,
    )
    if relative:
        if en.points_outside(relative[0]) or re.match(
            r", (?!and|but|so|which|who|where)", clause.ending[relative.end() :]
        ):
            return  # perhaps a list goes on
        rest = f"{rest}{'' if relative[0][0] in ', ' else ' '}{relative[0]}".rstrip()
    kind = re.split(r" (?:of|in|for|who|that|which|where|with)\b|,", rest)[0]
    describing = en.DESCRIBING.search(rest)
    said, about = en.content_words(rest), en.content_words(clause.subject)
    is_general = first == "the" or not clause.subject[0].isupper()
    if (
        en.SAYING_LITTLE.match(others)
        or not en.words_of("remarks").isdisjoint(others.split(" ")[:2])
        or (subject[-1] in en.words_of("vague") and (subject[0] == "the" or len(subject) == 2))
        or dates(clause.subject)
        or kind.split(" ")[-1] in en.words_of("weak_kinds")
        or (is_general and re.match(r"(?:\w+-)?(?:second|third|most|least|\w+est)\b", others))
        # `Baghdad was a planned city`
        or (clause.auxiliary == "was" and (clause.subject.islower() or len(subject) == 1))
        # `A perk of the job is a discount`
        or (subject[0] in ("a", "an") and not en.PREPOSITIONS.isdisjoint(subject))
        # `Safety is a goal`, `Cotton was the king of the South` say of it what holds of many things.
        or (is_general and not (describing and (first, clause.auxiliary) != ("the", "was")))
        # `Caddy is a log emitter`, `body is another way to give a body`
        or len(said) < (2 if describing else 3)
        or (len(about) == 1 and about[0] in said)
        or (" that " in f" {rest}" and clause.ending.startswith(("and ", "or ")))
    ):
        return
    is_person = is_role or en.ROLE.search(kind) or re.match(r"[^,]* who ", rest)
    is_named = re.search(r"[A-Z]", clause.subject)
    if is_named and is_person and not is_role and not re.fullmatch(PERSON, clause.subject):
        return  # `MacPorts is a package manager`
    who = is_role or (is_person and is_named)
    yield _asked(clause, "definition", "Who" if who else "What", rest, "")


def _identity(clause: Clause, *, is_role: bool) -> Iterator[Draft]:
    """`The speed limit is 8 km/h`, `The warden is Ada Cole`"""
    rest, subject = clause.rest, clause.subject.split(" ")
    found = quantities(rest)
    is_value = bool(found) and found[0].start == 0 and not rest.startswith("one ")
    is_vague = subject[-1] in en.words_of("vague")
    last = rest.split(" ")[-1]
    is_vague = is_vague or last in en.words_of("sizes") | {"away"} or en.is_participle(last)
    # `The meeting is 25 minutes`
    is_time = rest.split(" ")[-1] in en.words_of("times")
    is_vague = is_vague or (is_time and subject[-1] not in en.words_of("measures"))
    if (
        subject[0] == "the"
        and len(rest.split()) <= 6
        and clause.auxiliary == "is"
        and (is_value or re.fullmatch(rf"{NAME}|{PERSON}", rest))
        and not is_vague
    ):
        ask = "Who" if is_role and not is_value else "What"
        yield _asked(clause, "identity", ask, rest, "")


def _doer(clause: Clause) -> Iterator[Draft]:
    """`X was founded by NAME`, `NAME invented X`: who did it?"""
    found = re.match(
        rf"(?P<how>\w+) (?P<between>(?:(?!\bby\b)[^,])*)\bby (?P<name>{PERSON}(?: and {PERSON})?|{BODY}|[A-Z]\w+(?: [A-Z]\w+)*)"
        r"(?!\s*['’]s|\s+(?:and|or|together|[a-z]+s)\b)(?P<behind>(?![\w’'-]).*)$",
        clause.rest,
    )
    words = en.tokens_of(found["behind"])[:1] if found else ["nobody"]
    is_whole = words == [] or words[0] in en.PREPOSITIONS | en.JOINING | {",", "to"}
    verb = en.verbs().get(found["how"]) if found else None
    is_body = found and not found["name"][0].isupper()
    # A program may require or support something; a person or an organisation founds it.
    is_somebody = verb and (is_body or verb.base in en.words_of("done_by_somebody"))
    # `It was brought by a competitor`
    is_one = (
        found and found["name"].startswith(("a ", "an ")) and clause.auxiliary in ("was", "were")
    )
    is_whole = is_whole and not is_one and not (found and found["name"] == "the company")
    if found and verb and is_somebody and is_whole and clause.auxiliary in en.BE:
        form = verb.past if clause.auxiliary in ("was", "were") else verb.third
        # A comma begins what else is said of them: `, a former warden of …`.
        behind = "" if found["behind"].startswith(",") else found["behind"]
        behind = f"{found['between']} {behind} {clause.lead}"
        question = en.as_question("Who", form, clause.subject, behind)
        yield _draft("agent", question, found["name"], clause.subject)
    rest, words = f"{clause.rest} {clause.lead}".strip(), clause.subject.split()
    words = words[words[0] == "the" :]
    is_somebody = clause.main.split(" ")[-1] in en.words_of("done_by_somebody")
    # `Who opened in 1812?` asks for no lock.
    is_somebody = is_somebody and f"{rest} ".split(" ")[0] not in en.PREPOSITIONS
    is_somebody = is_somebody and (len(words) > 1 or clause.auxiliary == "did")
    is_named = len(words) <= 4 and all(word[0].isupper() for word in words)
    is_telling = len(en.content_words(rest)) > 2 or re.search(r"\d", rest)
    is_telling = is_telling and clause.is_whole and not re.search("['’]s?\\b", clause.subject)
    # `Congress approved his request`
    is_own = re.fullmatch(PERSON, clause.subject) or not re.search(
        r"\b(?:his|her|their|its)\b", rest
    )
    is_telling = is_telling and is_own
    if is_named and (is_somebody or re.match(TITLE, " ".join(words))) and is_telling:
        question = en.as_question("Who", clause.verb, rest)
        yield _draft("which", question, clause.subject, clause.subject)


def _statement(clause: Clause, *, has_number: bool) -> Iterator[Draft]:
    """The statement as a question, also with another number; without another one also with a blank for its number."""
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
    # `Britain is leaving` is so for some time.
    is_cut = is_cut or (clause.auxiliary in en.BE and re.match("(?:[a-z]+ )?[a-z]+ing ", rest))
    # `is a great way to …`
    is_remark = not en.words_of("remarks").isdisjoint(rest.split(" ")[:2])
    is_cut = is_cut or (clause.auxiliary in en.BE and is_remark)
    is_cut = is_cut or rest.startswith("no ") or (not clause.main and rest.startswith("to "))
    if (
        is_cut
        or is_possible
        or re.match("you(?:r .*)?$", subject)
        or set(rest.lower().split()) & en.JOINING
    ):
        return
    question = en.as_question(origin)
    if clause.is_negative:
        yield _draft("denied", question, "No", subject, origin)
        return
    if has_number and (changed := with_other_number(rest)):
        other = en.as_question(clause.asked(changed))
        yield _draft("changed number", other, "No", subject, origin)
    yield _draft("confirmed", question, "Yes", subject, origin)


def with_other_number(rest: str) -> str | None:
    """The rest with another whole number in place of its only one, or another year."""
    found = re.findall(r"(?<![\w.,/-])[$€£]?(\d{1,3}(?:,\d{3})+|\d+)(?![\w/-]|[.,:]\d)", rest)
    is_bounded = re.search(r"\b(?:least|most|than|up to|over|under|within)\b", rest)
    value = int(found[0].replace(",", "")) if len(found) == 1 else 0
    is_year = re.fullmatch(r"(?:1[89]|20)\d\d", str(value)) and dates(rest)
    if value < 3 or is_bounded or (dates(rest) and not is_year):
        return None
    other = value - 4 if is_year else value // 2 if value > 49 else value * 2
    return rest.replace(found[0], str(other))
