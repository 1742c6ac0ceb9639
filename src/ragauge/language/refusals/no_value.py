"""Answers that refuse without saying so: advice where to look, or a method, in place of what is asked for.

"Refer to note 4 of the report for the fee" and "Divide the cost of sales by the average inventory" give no
figure where the question wants one. Both count only with a question that wants a value and does not ask where
to look or what to do.
"""

from collections.abc import Sequence
from functools import lru_cache

from ragauge.language.refusals.asked import has_number_for, has_value_for
from ragauge.language.refusals.question import Asked
from ragauge.language.refusals.sentences import Sentence
from ragauge.language.refusals.words import PAPER, TERM_OR_WORK, pattern

REFERS_ELSEWHERE = "refers elsewhere"
ONLY_A_METHOD = "only a method"
SOMETHING_ELSE = "the question, and something else"

_ELSEWHERE = (
    rf"(?:{PAPER}|{TERM_OR_WORK}|websites?|sites?|pharmacists?|doctors?|physicians?|lawyers?|solicitors?|attorneys?|administrators?"
    r"|departments?|teams?|manufacturers?|vendors?|authorit(?:y|ies)|sales|support|professionals?|experts?|advis[eo]rs?|news|standings|results"
    r"|listings?|services?|offices?|annual|financials|md&a|press|relations|10-[kq])"
)
_REFERS = pattern(
    r"(?:\A\W*(?:please |kindly |so |then |instead,? |otherwise,? |for (?:[^ ,;.]+ ){1,12}?)?"
    r"|\b(?:you|one|readers?|users?|investors)(?:'d| would| will|'ll| can| could| may| might| should| must| need to| have to"
    r"|'d need to| would need to| will need to|'d have to| would have to)? (?:[a-z]+ (?:to )?){0,2}?"
    r"|\b(?:i|we)(?:'d| would)? (?:[a-z]+ )?(?:suggest|recommend|advise|encourage) (?:that )?(?:you |to |you to )?"
    r"|\b(?:best|advisable|recommended|worth|better|please) (?:to )?)"
    r"(?:find (?=[^;.]{0,80}? (?:on|in|at) )|check|consult|refer(?: to)?|see|look(?: (?:at|in|up|into|to))?|review|contact|ask|visit|search|examine|read|verify|speak (?:to|with)|reach out to|get in touch with|call|use (?:the )?figures)"
    rf"(?:ing|ting)?\b[^;.]{{0,80}}?\b{_ELSEWHERE}\b"
    r"|\b(?:having|taking|have|take) a look (?:there|at|in)\b"
    r"|\b(?:would|will|should) (?:[a-z]+ )?be (?:found|disclosed|reported|listed|given|stated|included|shown|published) (?:in|on|at|by)\b"
    r"|\b(?:is|are) (?:typically|usually|normally|generally|commonly|often) (?:found|disclosed|reported|listed|included|given|stated"
    r"|published|available|explained) (?:in|on|at|by)\b"
)
"""Advice to look elsewhere: "You should consult the annual report"."""
_YOU_FIND = pattern(r"\W*you (?:can|could|may|might|will|should)(?: [a-z]+ly| also)? find\b")
_USES_METHOD = pattern(
    r"\b(?:divid(?:e|ing)|subtract(?:ing)?|multiply(?:ing)?|plug(?:ging)?(?: [a-z]+){0,3} in|(?:use|using|apply|applying) the (?:following )?formula"
    r"|(?:is|are) (?:calculated|computed|determined|obtained|derived) (?:by|as|using|from)|formula (?:is|for))\b"
)
_WANTS_METHOD = pattern(
    r"\bhow (?:can|could|do|does|did|should|would|to|is|are|was|were)\b|\b(?:formula|method|steps?|define|definition|explain|describe"
    r"|meaning|means?|difference|should|where|whom|contact|recommend\w*|advice|advise|procedure|approach|way to)\b"
)
"""It asks how to do it or what it means."""


@lru_cache(maxsize=256)
def _wants_method(question: str) -> bool:
    return _WANTS_METHOD.search(question) is not None


CONSTANTS = frozenset(("1", "2", "3", "4", "5", "12", "52", "100", "100%", "360", "365"))
"""Numbers of formulas."""


def without_a_value(sentences: Sequence[Sentence], asked: Asked) -> tuple[int, str] | None:
    """The index of the sentence that refers elsewhere or gives only a method, and which of the two.

    None if a sentence gives a value of the kind that the question asks for, or if it asks for none.
    """
    if not asked.wants_value or asked.seeks_place or _wants_method(asked.text):
        return None
    is_typed = asked.wants_number or not asked.kind.isdisjoint(("name", "date"))
    for each in sentences:
        gives_an_example = each.states_a_number and each.supposes
        if is_typed and not gives_an_example and has_value_for(each, asked, CONSTANTS):
            return None
        if each.answers_yes_or_no:
            return None
        if gives_an_example:
            continue
        if each.answers and not each.advises:
            return None
        if not is_typed and (
            has_number_for(each, asked)
            or not (each.accompanies_gap or _YOU_FIND.match(each.text) is not None)
        ):
            return None
    if is_typed and (index := _only_compares(sentences)) is not None:
        return index, SOMETHING_ELSE
    for index, each in enumerate(sentences):
        if _REFERS.search(each.text):
            return index, REFERS_ELSEWHERE
        if asked.wants_number and (each.gives_method or _USES_METHOD.search(each.text)):
            return index, ONLY_A_METHOD
    return None


def _only_compares(sentences: Sequence[Sentence]) -> int | None:
    """The index of the sentence on what a source has, if all others restate the question or do the same.

    "The question asks for the boiling point. The data sheet has density and colour."
    """
    asks = [index for index, each in enumerate(sentences) if each.restates_question]
    tells = [index for index, each in enumerate(sentences) if each.speaks_of_source]
    others = [index for index in tells if index not in asks]
    return others[0] if asks and others and len(asks) + len(others) >= len(sentences) - 1 else None
