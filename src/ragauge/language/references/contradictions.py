"""What an answer states in place of what the reference states: another yes or no, date or number."""

import re
from collections.abc import Sequence, Set

from ragauge.language.dates.dates import dates
from ragauge.language.dates.parts import Date, DateIndex
from ragauge.language.facts.reader import read
from ragauge.language.facts.vocabulary import vocabulary
from ragauge.language.keywords import by_value
from ragauge.language.numbers.match import ExpectedNumber, NumberMatch, is_denied
from ragauge.language.numbers.other_languages import quantities_of
from ragauge.language.numbers.units import MONEY
from ragauge.language.references.compared_text import ComparedText
from ragauge.language.refusals.refusals import find_refusals
from ragauge.language.stems import stem
from ragauge.language.stop_words import is_content_word
from ragauge.language.text import word_set

NEGATIONS = word_set("not never neither nor cannot")
BEFORE_T = word_set(
    "isn wasn aren weren doesn didn don hasn haven hadn couldn wouldn shouldn won can"
)
"""What stands before the t of `isn't`, which is a word of its own."""
LIMITS = word_set("only unless except but although however partly partially")
"""Words with which an answer is neither a plain yes nor a plain no."""
PASSIVES = word_set("was were is are be been being got")
_NOT, _BEFORE_T = ("|".join(sorted(each)) for each in (NEGATIONS, BEFORE_T))


def _are_opposites(one: str, other: str) -> bool:
    known = vocabulary().opposites
    theirs = known.get(other, frozenset())
    return any((pair, 1 - side) in theirs for pair, side in known.get(one, ()))


def is_negated(words: Sequence[str]) -> bool:
    """Whether lower-cased words have a negation: `not`, `never`, `no`, the t of `isn't`."""
    known = NEGATIONS | {"no", "none", "without"}
    pairs = zip(("", *words), words, strict=False)
    return any(word in known or (word == "t" and before in BEFORE_T) for before, word in pairs)


def polarity(question: Sequence[str], answer: Sequence[str]) -> str | None:
    """What an answer without yes or no says to a question for it; None if it does not take up the question.

    Both are lower-cased words.
    """
    # `was defeated` is `was lost`, the opposite of `won`.
    answer = [
        "lost" if word in ("defeated", "beaten") and before in PASSIVES else word
        for before, word in zip(("", *answer), answer, strict=False)
    ]
    stems = {stem(word) for word in question}
    new = [word for word in answer if stem(word) not in stems]
    differ = any(_are_opposites(one, other) for one in question for other in new)
    if not differ and not any(is_content_word(word) and stem(word) in stems for word in answer):
        return None
    if LIMITS & set(answer) or any(len(word) > 6 and word.endswith("less") for word in answer):
        return None  # `flightless` denies what it does not say
    is_turned = False
    # `Is A longer than B?`: whether the answer compares them in the other order
    if "than" in question:
        at = question.index("than")
        compared = question[at - 1]
        first, second = (
            {stem(word) for word in part if is_content_word(word)}
            for part in (question[: at - 1], question[at + 1 :])
        )
        if not any(
            stem(word) == stem(compared) or _are_opposites(word, compared) for word in answer
        ):
            return None
        names = [stem(word) for word in answer if stem(word) in first ^ second]
        is_turned = bool(names) and names[0] not in first
    is_no = (differ != (is_negated(answer) != is_negated(question))) != is_turned
    return "no" if is_no else "yes"


_DENIES = re.compile(
    rf"(?:(?<! if)(?<! or)(?<! why)(?<! whether) (?:{_NOT})| (?:{_BEFORE_T}) t"
    r"| (?:rather than|instead of|other than))(?: [a-z]+(?= by))?(?: (?:by|in|on|at|from|to|for|with|of|as|be|called|named)){0,2}$"
)
"""A negation and small words right before what it denies: `not by` before `Jane Austen`."""
_DENIED_AFTER = re.compile(
    r"(?:(?:did|does|do) (?:not|never)|(?:didn|doesn|don) t) [^ ]"
    rf"|(?:(?:is|was|are|were|has|had|have) (?:not|never)|(?:{_BEFORE_T}) t)"
    r" (?!only|just|merely|alone|simply)((?:[^ ]+ ){1,3})"
)
"""What denies the text before it: `did not write it`, and `is not the capital` if the question has these words."""
_REACH = 60
"""Characters before a text in which its denial is looked for."""


def denial(words: str, part: str, asked: Set[str] = frozenset()) -> str | None:
    """The words that deny `part` if `words` denies it wherever it has it; None if it has it undenied or not.

    Both are lower-cased words without articles, with a space before each; `asked`: the stems of the question.
    """
    text, wanted = f"{words} ", f"{part} "
    if not part or wanted not in text:
        return None
    after = _DENIED_AFTER.match(text, len(wanted)) if text.startswith(wanted) else None
    if after and (after[1] is None or not asked.isdisjoint(map(stem, after[1].split()))):
        return "not"
    before = [each[-_REACH:] for each in f" {text}".split(wanted)[:-1]]
    found = [match[0].strip() for each in before if (match := _DENIES.search(each))]
    return re.sub(r"^\w+ t\b", "not", found[-1]) if len(found) == len(before) else None


RESTATES = 25
"""Words of an answer without yes or no that is taken for one if it restates the question."""
ASKS_YES_OR_NO = re.compile(
    r"\W*(?:is|are|was|were|has|have|had|did|does|do|can|could|will|would|should|may|must|am)\b",
    re.IGNORECASE,
)
_ASKS_MORE = re.compile(r"\b(?:what|which|who|whom|whose|when|where|how)\b", re.IGNORECASE)
AFFIRMATIONS = word_set("absolutely certainly definitely indeed correct affirmative") | {
    "of course"
}
"""Beginnings that mean yes."""
SHORT_REPLY = re.compile(
    r"\W*(?:they|it|he|she|we|you|that|this|there)\s(?:is|are|was|were|has|have|had|did|does|do|ca|can|could|will|would|should|may|must)"
    r"(n['’]t|\snot)?\s?(?:[.,;!]|\Z)",
    re.IGNORECASE,
)
"""`They can't; their wings are too short.` and `It does.`"""


def asks_yes_or_no_only(question: str) -> bool:
    """Whether a question wants a yes or no, and not also a number, a name or a date.

    >>> asks_yes_or_no_only("Did it grow?"), asks_yes_or_no_only("Did it grow, and by how much?")
    (True, False)
    """
    return bool(ASKS_YES_OR_NO.match(question)) and not _ASKS_MORE.search(question)


def said_to(
    question: str, asked: ComparedText, expected: ComparedText, answer: str, given: ComparedText
) -> str | None:
    """Yes or no, if the reference is only that, and a short answer says it in other words."""
    if not expected.words or expected.words[0].lowered not in ("yes", "no"):
        return None
    ours = [word.lowered for word in given.words]
    if {"yes", "no"} & set(ours) or len(ours) > RESTATES or not ASKS_YES_OR_NO.match(question):
        return None
    # Only words of the question follow: `No, penguins cannot fly.`
    if not {word.stem for word in expected.content} - {"ye", "no", "yes"} <= asked.stems:
        return None
    if any(refusal.decides for refusal in find_refusals(answer, question)):
        return None
    if not AFFIRMATIONS.isdisjoint((*ours[:1], " ".join(ours[:2]))):
        return "yes"
    if short := SHORT_REPLY.match(answer):
        return "no" if short[1] else "yes"
    return polarity([word.lowered for word in asked.words], ours)


YES_OR_NO = re.compile(
    r"\W*(?:(?:(yes|ja|oui|sí)|no|nein|non)\b(?!\.\s?\d)|(是的|可以|对)(?=[，,。])|(?:不|否|不是|不可以|不能|不行|不对|不用)(?=[，,。]))",
    re.IGNORECASE,
)
"""How an answer begins that says yes (one of the groups) or no."""
OTHER_SIGN = " with the other sign"


def agrees(question: str, reference: str, answer: str) -> str:
    """The yes or no with which both answer and reference begin, if the question does not ask for more; "" if none.

    >>> agrees("Is water included?", "No, it is charged.", "No, it's extra.")
    'no'
    """
    said, expected = _yes_or_no(answer), _yes_or_no(reference)
    if said != expected or _ASKS_MORE.search(question):
        return ""
    if not ASKS_YES_OR_NO.match(question):  # `No one won` does not agree with `No idea`
        rests = (YES_OR_NO.sub("", text, count=1).lstrip() for text in (reference, answer))
        if any(rest[:1].isalnum() for rest in rests):
            return ""
    return said


def _yes_or_no(text: str) -> str:
    found = YES_OR_NO.match(text)
    return "" if not found else "yes" if found[1] or found[2] else "no"


def stated_instead(
    question: str, reference: str, answer: str, numbers: NumberMatch
) -> tuple[str, str] | None:
    """What the answer states in place of a yes or no, a date or a number of the reference, and of what; None if nothing contradicts.

    `numbers`: the reference's numbers in the answer.

    >>> stated_instead("When was it built?", "In 1905", "In 1899", NumberMatch(()))
    ('1899', '1905')
    """
    ours, theirs = _yes_or_no(answer), _yes_or_no(reference)
    if ours and theirs:
        if ours != theirs:
            return ours, theirs
        if asks_yes_or_no_only(question):
            return None  # numbers behind the same yes or no may be others: `Yes, to $4 million.`
    # A date that repeats the question's is not meant for the reference's.
    known = DateIndex(_dates(question))
    wanted = [date for date in _dates(reference) if not known.supports(date)]
    stated = _dates(answer) if wanted else ()
    if new := [date for date in stated if not known.supports(date)]:
        index = DateIndex(stated)
        if not any(index.agrees(date) or index.supports(date) for date in wanted):
            return new[0].text, wanted[0].text
    if numbers.expected and not numbers.matched:
        return _other_number(question, reference, answer, numbers.expected[0])
    return None


def _dates(text: str) -> list[Date]:
    """The dates and times of a text, in any language of its facts; `1577` by itself is none."""
    facts = (fact for statement in read(text) for fact in statement.facts)
    found = [fact.value for fact in facts if isinstance(fact.value, Date)]
    return [*dates(text), *(date for date in found if not date.text.isdecimal())]


def _other_number(
    question: str, reference: str, answer: str, expected: ExpectedNumber
) -> tuple[str, str] | None:
    """The last number of the answer that could be the expected one, and the expected one.

    The expected number itself if the answer says that it fell where the reference says that it rose.
    """
    known = {quantity.number for quantity in quantities_of(question)}
    numbers = [each for each in quantities_of(reference) if each.text == expected.number]
    units = {each.unit for each in numbers}
    is_any = not units or "" in units  # neither `$5` nor `note 5` is meant for `5%`
    units |= units if MONEY.isdisjoint(units) else MONEY
    in_words = any(each.spelled for each in numbers)
    stated = [
        each
        for each in quantities_of(answer)
        if (each.counts or (in_words and each.spelled and each.value != 1))
        and each.number not in known
        and (is_any or each.unit in units)
        and not is_denied(answer, each.start)
    ]
    if not stated:
        return None
    same = [each.text for each in stated if by_value(each) == expected.value]
    return (f"{same[-1]}{OTHER_SIGN}" if same else stated[-1].text), expected.number
