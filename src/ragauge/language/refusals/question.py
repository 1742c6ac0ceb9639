"""What a question asks for: its things, names and numbers, and the kind of its answer."""

import re
from dataclasses import dataclass
from functools import lru_cache

from ragauge.language.content_words import is_content_word
from ragauge.language.refusals.words import pattern, without_long_gaps
from ragauge.language.stems import stemmed

_YES_NO = pattern(
    r"(?:[^?]*[,:] )?(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|must|might"
    r"|isn't|aren't|doesn't|don't|didn't)\b"
)
_ABOUT_ABSENCE = pattern(
    r"\b(?:not|no|never|none|nothing|nobody|without|missing|lack(?:s|ing)?|left? out|leaves? out|leave out|omit(?:s|ted)?"
    r"|unknown|undisclosed|unstated|undefined|absent|silent|blank|empty|gaps?|leaves? open|fail(?:s|ed)?|unable|cannot"
    r"|redacted|excluded?|exclusions?|limitations?|limits of|unclear|unresolved|critici[sz]\w*|criticisms?|weakness(?:es)?|problems?|anonymous"
    r"|n/a|mean|means)\b|n't\b"
)
_ASKS_FOR = (
    (pattern(r"\bwho(?:se|m)?\b"), "name names author person identity"),
    (pattern(r"\bwhen\b|\bwhat (?:year|date|day|time)\b"), "date year time day month hour hours"),
    (pattern(r"\bwhere\b"), "place location city address country"),
    (
        pattern(r"\bhow (?:many|much)\b"),
        "number count figure amount total sum percentage share price cost",
    ),
    (pattern(r"\bwhy\b"), "reason reasons cause causes"),
    (
        pattern(r"\bhow (?:tall|high|deep|long|old|far|big|large|wide|heavy|fast)\b"),
        "height depth length age distance size area width weight speed duration",
    ),
)
"""Questions, with the words for what they ask for."""
_COMPOUND = pattern(
    r"\A\W*(?:what|which) (?:is|are|was|were)(?: the| its| their)? (?:[a-z-]+ ){1,3}?and (?:the |its |their )?(?:[a-z-]+ ){1,2}?(?:of|for|in|on|at)\b|"
    r"\b(?:and|or),? (?:also )?(?:who|what|when|where|which|why|how|did|does|is|are|was|were|has|have|will|by how)\b"
)
"""It asks two things: "How much did it grow, and what is expected?", "What are the height and weight of it?"."""
_WHERE_TO_FIND = pattern(
    r"\bwhere (?:can|could|should|may|might|must|do|to|would) (?:i|we|you|one|find|get)\b"
    r"|\bwhere (?:is|are) [^?]{1,60} (?:found|listed|kept|published|available|located|stored)\b"
)
"""It asks where to look, so that another place answers it."""
_WANTS_NUMBER = pattern(
    r"\bwhat (?:did|does|do|will|would) [^?]{1,60} (?:earn|cost|pay|spend|weigh|measure|charge|make)\b"
    r"|\bhow (?:many|much|often|tall|high|deep|long|old|far|big|large|wide|heavy|fast|hot|cold)\b|\bat what\b"
    r"|\b(?:what|which) (?:percentage|share|proportion|number|amount|year|date|age|price|fraction|temperature|pressure|voltage"
    r"|speed|weight|dose|size|time|duration|rate|level of)\b"
    r"|\b(?:calculate|compute|estimate)\b"
    r"|\bwhat (?:is|was|were|are|'s) [^?]{0,80}?\b(?:ratio|turnover|margin|revenues?|conversion|intensity|leverage|coverage|range|income|profit|net sales|cash flow|balance|growth rate|rate|percentage|amount|number of"
    r"|price|cost|dose|dosage|temperature|height|salary|fee|weight|length|altitude|capex|ebitda|dpo|dio|dso|roa|roe|eps|latency|throughput|capacity|population|score|premium|budget|deposit|limit"
    r"|(?:boiling|melting|freezing|flash) point|density|diameter|depth|width|volume|mass|speed|frequency|voltage|half-life|headcount|turnout|yield|wavelength|resolution|altitude)\b"
)
_AND = re.compile(r"\b([A-Za-z]+) and (?:(?:the|its|their|his|her) )?([A-Za-z]+)\b")
_DIGIT = re.compile(r"\d")
_TIME = re.compile(
    r"(?:fy|q|h)?\d+\Z|(?:mon|tues|wednes|thurs|fri|satur|sun)days?\Z|(?:janu|febru)ary\Z|march\Z|april\Z|june\Z"
    r"|july\Z|august\Z|(?:septem|octo|novem|decem)ber\Z"
)
"""Years, quarters, weekdays and months: parts of what is asked for, unlike other names."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, as stems of words.

    `thing` are the content words that are no names; `kind` the nouns for the answer ("date" of a question
    with "when"); `content` the same with names. `wants_value` is False for yes-no questions and questions about
    what is missing. `specific` are names and words with digits ("XR-20", "Q4"). `phrases` are the words that ask ("how many"); `seeks_place`: it asks where to find something. `joined`
    are pairs of stems with "and" between them.
    """

    text: str
    thing: frozenset[str]
    kind: frozenset[str]
    content: frozenset[str]
    wants_value: bool
    is_yes_no: bool
    specific: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    is_on_absence: bool = False
    is_compound: bool = False
    wants_number: bool = False
    seeks_place: bool = False
    joined: tuple[frozenset[str], ...] = ()


@lru_cache(maxsize=4_096)
def asked_by(question: str) -> Asked:
    """What the question asks for.

    >>> asked = asked_by("How tall is the tower?")
    >>> sorted(asked.thing), "height" in asked.kind, asked.wants_value
    (['tall', 'tower'], True, True)
    >>> asked_by("What is missing from the form?").wants_value
    False
    """
    question = without_long_gaps(question)
    words = stemmed(question)
    thing = frozenset(
        word.stem
        for word in words
        if is_content_word(word.lowered)
        and (word.start == 0 or not question[word.start].isupper() or _TIME.match(word.lowered))
    )
    asking = [
        (found[0].lower(), nouns) for asks, nouns in _ASKS_FOR if (found := asks.search(question))
    ]
    kind = " ".join(nouns for _, nouns in asking)
    is_yes_no = _YES_NO.match(question.strip()) is not None
    return Asked(
        question,
        thing,
        frozenset(word.stem for word in stemmed(kind)),
        frozenset(
            word.stem
            for word in words
            if is_content_word(word.lowered) or _is_month_of_may(question, word.start)
        ),
        not is_yes_no and _ABOUT_ABSENCE.search(question) is None,
        is_yes_no,
        frozenset(
            word.stem
            for word in words
            if (is_content_word(word.lowered) or _is_month_of_may(question, word.start))
            and (_DIGIT.search(word.lowered) or (word.start > 0 and question[word.start].isupper()))
        ),
        tuple(words for words, _ in asking),
        _ABOUT_ABSENCE.search(question) is not None,
        _COMPOUND.search(question) is not None,
        _WANTS_NUMBER.search(question) is not None,
        _WHERE_TO_FIND.search(question) is not None,
        _joined(question),
    )


def _joined(question: str) -> tuple[frozenset[str], ...]:
    """The stems of each two things between which the question has "and"."""
    pairs = (
        frozenset(stemmed(word)[0].stem for word in found.groups())
        for found in _AND.finditer(question)
        if all(is_content_word(word.lower()) for word in found.groups())
    )
    return tuple(pair for pair in pairs if len(pair) == 2)


def is_time(stem: str) -> bool:
    """Whether it is a year, a quarter, a weekday or a month.

    >>> is_time("fy2023"), is_time("margin")
    (True, False)
    """
    return _TIME.match(stem) is not None


def _is_month_of_may(question: str, start: int) -> bool:
    return start > 0 and question.startswith("May", start)
