"""English questions from single sentences, with exact references and without a model.

A clause is asked for one part of it: the part is taken out, and `How many beds`, `When` or `Where` comes
before what is left in the order of a question.
"""

import re
from collections.abc import Iterator

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import Clause, clauses
from ragauge.questions.english_amounts import (
    QuestionAnswer,
    amounts,
    dated,
    lead_date,
    measure,
    part,
    with_other_number,
)

MIN_WORDS, MAX_WORDS = 3, 26
"""Words of a question."""
LISTING = en.set_of("""include contain comprise cover offer provide require support accept sell serve exclude need combine list
    feature display teach produce""")
"""Verbs whose whole object is a good answer."""
VAGUE_VERBS = en.set_of("""have do make take get give go come become be say tell keep set let put mean run see know call think hold bring
    leave remain last cost weigh stand lie live work stay arrive die appear happen occur range differ vary depend join
    face raise result belong apply pay find show help""")
"""Verbs whose object alone makes no question: `What does X have?`"""
PLACED = en.set_of("""located based born headquartered situated held built founded established buried kept stored published live stand
    lie meet work begin start end hang park""")
"""Participles and verbs whose place can be asked for."""
ROLE = re.compile(
    r"\b(?:\w{3,}(?:ist|ician|ographer|wright|teacher|maker)|president|minister|director|manager|writer|author|poet|king|queen|"
    r"actor|actress|player|teacher|doctor|engineer|founder|chair(?:man)?|secretary|officer|professor|singer|composer|lawyer|"
    r"farmer|shepherd|coach|leader|governor|mayor|senator|judge|explorer|inventor|designer|painter|warden|keeper|captain|"
    r"general|soldier|nurse|volunteer|editor|historian|publisher|reporter|graduate|pioneer|contributor|owner|lecturer|pilot|"
    r"carpenter|baker|student|deputy|friend|merchant|physician|surgeon|architect|man|woman|son|daughter|brother|sister|wife|husband)s?\b"
)
BODY = r"(?:the|an?) (?:[\w-]+ ){0,2}(?:[Tt]eam|[Cc]ent(?:re|er)|[Dd]epartment|[Oo]ffice|[Aa]gency|[Dd]esk|[Cc]ompany|[Cc]ouncil|[Cc]ommittee|[Bb]oard|lead|[a-z]{3,}(?:er|or|ist))\b(?: (?:in|of|at|for) .*)?"
"""What does something and is no person with a name, with what describes it."""
PERSON = r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Dame|Prof)\.? )?[A-Z][\w'’-]+(?: [A-Z]\.)?(?: [A-Z][\w'’-]+){1,2}"
NAMED_PLACE = r"(?:the )?[A-Z][\w'’-]+(?:,? (?:[A-Z][\w'’-]+|of|the|and))*"
VAGUE_THINGS = re.compile(
    r"(?:one of|kind of|part of|number of|lot of|good|great|better|bit|member)\b"
)
"""Words of definitions that say too little."""


def questions_of(
    sentence: str, names: en.Names, document: str
) -> Iterator[tuple[Clause, QuestionAnswer]]:
    """All questions that the clauses of a sentence answer, each with its clause."""
    for clause in clauses(sentence, names, document):
        found: list[QuestionAnswer] = []
        if not clause.is_negative:
            of_whole = (_means, _objects, _definition) if clause.is_whole else ()
            alone = (lead_date, _reason, _agent, measure)
            for find in (dated, amounts, _places, *of_whole, *alone):
                found += find(clause)
            found += [*_which(clause, names), *_cloze(clause)]
        yield from ((clause, each) for each in (*found, *_yes_no(clause)) if is_good(each.question))


def is_good(question: str) -> bool:
    """Whether a question has a fit length and points to nothing outside itself."""
    words = re.findall(r"[\w'’-]+", question.lower())
    if not MIN_WORDS <= len(words) <= MAX_WORDS or en.points_outside(question):
        return False
    least = 2 if len(words) < 6 else 3
    return len(en.content_words(question)) >= least - (words[0] in ("what", "who"))


def _places(clause: Clause) -> Iterator[QuestionAnswer]:
    found = re.match(
        rf"(?P<how>(?:\w+ )?)(?P<place>(?:in|at|near|on|beside) {NAMED_PLACE})$", clause.rest
    )
    if found is None or dates(clause.rest) or clause.lead or clause.ending[:1] in ("–", "("):
        return
    how = found["how"].strip()
    if (how or clause.main) in PLACED:
        yield from part(clause, "place", "Where", found["place"], how)


def _means(clause: Clause) -> Iterator[QuestionAnswer]:
    """`… by doing …`: how?"""
    found = re.search(r"^(?P<head>.+?),? (?P<how>by [a-z]+ing .+)$", clause.rest)
    if found is None or clause.lead or len(en.content_words(found["head"])) < 2:
        return
    if (
        clause.main
        or clause.auxiliary not in en.BE
        or en.is_participle(found["head"].split(" ")[0])
    ):
        yield from part(clause, "means", "How", found["how"], found["head"])


def _objects(clause: Clause) -> Iterator[QuestionAnswer]:
    """The whole object of the verb: one thing or several."""
    rest, first = clause.rest, clause.rest.split(" ")[0]
    items = re.split(r", (?:and |or )?| and | or ", rest)
    is_list = len(items) >= 3 and all(0 < len(item.split()) <= 7 for item in items)
    if clause.main in LISTING and clause.auxiliary != "did":
        is_object = first not in en.PREPOSITIONS | {"that", "how", "as"}
    else:
        is_object = (
            clause.main not in VAGUE_VERBS | {""}
            and (clause.auxiliary != "did" or bool(clause.lead))
            and bool(re.match(r"(?:the|an?) |[a-z]+s\b", rest))
            and first not in en.PREPOSITIONS | en.JOINING | {"always", "its"}
        )
    is_cut = clause.ending[:1] in (",", ":", "(") and not is_list
    if not is_object or is_cut:
        return
    content = en.content_words(rest)
    if len(content) > 1 and re.search(r"[^\W\d_]{2,}", " ".join(content)):
        yield from part(clause, "listed objects" if is_list else "object", "What", rest)


def _definition(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X is a Y that …`, `X means Y`; a relative clause behind the rest belongs to it."""
    rest, subject = clause.rest, clause.subject.split(" ")
    if subject[0] in en.DETERMINERS - en.ARTICLES:
        return
    relative = re.match(r",? ?(?:who|which|where)\b(?:[^,;:—–]|,(?=\d{3}))*", clause.ending)
    if relative and not en.points_outside(relative[0]):
        rest = f"{rest}{'' if relative[0][0] in ', ' else ' '}{relative[0]}".rstrip()
    first, _, others = rest.partition(" ")
    if clause.main == "mean" and rest and not re.match(r"(?:with|in|by|from|to|for)\b", rest):
        yield from part(clause, "meaning", "What", rest)
    if clause.main or clause.auxiliary not in ("is", "was"):
        return
    if first not in en.ARTICLES:
        # `The speed limit is 8 km/h`, `The warden is Ada Cole`
        is_value = quantities(rest)[:1] and quantities(rest)[0].start == 0
        is_name = re.fullmatch(NAMED_PLACE, rest)
        if subject[0] == "the" and len(rest.split()) <= 6 and (is_value or is_name):
            role = re.split(" (?:of|for) ", clause.subject)[0]
            is_role = ROLE.search(role) or re.search(r"(?:er|or|ist|man|ian|head|chair)$", role)
            is_person = re.fullmatch(PERSON, rest) and is_role
            yield from part(clause, "identity", "Who" if is_person else "What", rest)
        return
    describing = re.search(r" (?:of|in|for|at|from|who|that|which|where|with|on|to)\b|,", rest)
    if VAGUE_THINGS.match(others) or len(en.content_words(rest)) < 2:
        return
    is_one_of_many = not describing or re.match(r"(?:first|last|only|most|\w+est)\b", others)
    if first == "the" and is_one_of_many:
        return
    kind = rest[: describing.start()] if describing else rest
    is_person = clause.subject[0].isupper() and ROLE.search(kind)
    role = re.split(" of | for ", clause.subject)[0].split()[-1]
    is_role = subject[0] == "the" and ROLE.search(role)
    yield from part(clause, "definition", "Who" if is_person or is_role else "What", rest)


def _reason(clause: Clause) -> Iterator[QuestionAnswer]:
    because = re.match(r",? ?(?P<why>(?:because|so that) [^;:]+)", clause.ending)
    if because and not en.points_outside(because["why"]):
        question = en.as_question("Why", clause.asked())
        yield QuestionAnswer("reason", question, because["why"].strip())


def _agent(clause: Clause) -> Iterator[QuestionAnswer]:
    """`X was founded by NAME …`: who founded X?"""
    found = re.match(
        rf"(?P<how>\w+)(?P<particle> (?:out|up|off|down|over))? (?P<between>[^,]*?)\bby "
        rf"(?P<name>{PERSON}(?: and {PERSON})?|{BODY}|[A-Z]\w+(?: [A-Z]\w+)*)(?P<behind>.*)$",
        clause.rest,
    )
    if (
        found is None
        or clause.auxiliary not in en.BE
        or clause.main
        or found["how"] not in en.verbs()
    ):
        return
    between = found["between"].split()
    others = en.JOINING | en.AUXILIARIES | {"not"}
    is_other = not others.isdisjoint(between) or any(map(en.is_participle, between))
    if is_other or re.match(r"\s*['’]s|\s+and\b", found["behind"]):
        return
    verb = en.verbs()[found["how"]]
    form = verb.past if clause.auxiliary in ("was", "were") else verb.third
    behind = f"{found['between']} {found['behind']} {clause.lead}"
    question = en.as_question("Who", f"{form}{found['particle'] or ''}", clause.subject, behind)
    yield QuestionAnswer("agent", question, found["name"])


def _which(clause: Clause, names: en.Names) -> Iterator[QuestionAnswer]:
    """`Ninestone Hut opens only from …`: which hut opens only from …?"""
    words = clause.subject.removeprefix("the ").split()
    rest, kind = f"{clause.rest} {clause.lead}".strip(), words[-1].lower()
    if (
        len(words) in (2, 3)
        and all(word[0].isupper() for word in words)
        and (names.small[f"a {kind}."] or names.small[f"the {kind} of"])
        and len(en.content_words(rest)) > 2
        and not clause.ending.startswith("that")
        and not kind.endswith(("s", "ing"))
        and set(map(str.lower, words[:-1])).isdisjoint(re.findall(r"\w+", rest.lower()))
    ):
        question = en.as_question("Which", kind, clause.verb, rest)
        yield QuestionAnswer("which", question, clause.subject)


def _cloze(clause: Clause) -> Iterator[QuestionAnswer]:
    """A sentence with a blank for its only number, for what no other pattern can ask."""
    found = [each for each in quantities(clause.rest) if not each.only_matches]
    is_one = len(found) == 1 and re.fullmatch(r"[$€£]?\d[\d.,]*%?", found[0].text)
    if not is_one or not clause.is_whole or len(en.content_words(clause.rest)) < 2:
        return
    rest = f"{clause.rest[: found[0].start]}___{clause.rest[found[0].end :]}"
    sentence = " ".join(filter(None, (clause.subject, clause.verb, rest, clause.lead)))
    question = f"Which number is missing: “{sentence[0].upper()}{sentence[1:]}”?"
    yield QuestionAnswer("cloze", question, found[0].text)


def _yes_no(clause: Clause) -> Iterator[QuestionAnswer]:
    is_possible = clause.auxiliary in en.MODALS - {"can", "must"} and not clause.is_negative
    if (
        len(en.content_words(clause.rest)) < 2
        or clause.ending.startswith(("or", "that", "who", "which"))
        or is_possible
        or clause.subject == "you"
        or set(clause.rest.lower().split()) & en.JOINING
        or clause.rest.count(",") > 1
        or not clause.is_whole
    ):
        return
    question = en.as_question(clause.asked())
    if clause.is_negative:
        if not re.match(r"\w+ing\b", clause.rest):
            yield QuestionAnswer("denied", question, "No")
        return
    changed = with_other_number(clause.rest)
    if changed is not None:
        yield QuestionAnswer("changed number", en.as_question(clause.asked(changed)), "No")
    yield QuestionAnswer("confirmed", question, "Yes")
