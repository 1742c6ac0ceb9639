"""Check the questions of a test set against the documents: is each sound, and if not, what is wrong."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import log1p

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents, near_duplicates
from ragauge.language.references.contradictions import asks_yes_or_no_only
from ragauge.language.references.match import match_reference
from ragauge.language.refusals.asked import asked_by
from ragauge.language.stop_words import is_content_word
from ragauge.language.words import words
from ragauge.questions.evidence import Gold, PassageIndex, share_stated, stems_of
from ragauge.questions.question import Checked, CheckResult, Question
from ragauge.questions.wording import (
    MAX_REFUSAL,
    is_refusal,
    pattern,
    why_malformed,
    why_not_standalone,
    why_type_differs,
)

GROUNDED = 0.5
"""The least share of a long reference's words that its passage must state; a short one is there whole."""
NEARLY = 0.75
"""The least share of a short reference's words, if no number is missing."""
SPOKEN_OF = 0.3
"""The least share of the words of a yes/no question, or of its answer, that its passage must have."""
MANY_WORDS = 3
"""Content words from which a question says enough for a passage that has them all to speak of the same."""
MANY_NUMBERS = 15
"""A passage with more numbers is a table from which an answer may be computed."""
SHORT = 5
ALIKE, ALIKE_WITH_ANSWER = 0.8, 0.6
"""The similarity of the words of two questions from which they are one: of any two, and of two with one answer."""
VARIANTS = ("follow-up", "terse", "misspelt")
"""Types of questions that ask what another one asks, as users do."""

_QUOTED = re.compile(r"[`\"“«「]([^`\"”»」]+)[`\"”»」]|\w+_\w+")
_NUMBER = re.compile(r"\d[\d.,]*")
_CHOICE = re.compile(r"\b(or|oder|ou|o)\b|还是", re.IGNORECASE)
_YES_NO = re.compile(
    r"\W*((?P<yes>yes|true|ja|oui|s[ií]|是的?|对的?)|no|false|nein|non|不是|否|不对)(?=\s*([,;:!，。；]|\.(?!\s*\d)|[-–—]\s|$))",
    re.IGNORECASE,
)


_Checks = dict[str, CheckResult]
_OK = CheckResult("ok")


def _problem(name: str, reason: str | None, value: float | None = None) -> CheckResult:
    """The problem, if there is a reason."""
    return CheckResult("problem", value, reason, name) if reason else _OK


def not_checked(reason: str) -> CheckResult:
    return CheckResult("not checked", None, reason)


@lru_cache(maxsize=2)
def _index(
    documents: Documents,
) -> tuple[PassageIndex, dict[str, tuple[_Checks, dict[str, float]]]]:
    """The passages, and the checks of questions so far: who makes a set checks it many times."""
    return PassageIndex(documents), {}


def gold_passages(question: Question, documents: Documents) -> list[Passage]:
    """The passages that answer a question, as its gold contexts or its relevant ids say; none where neither is known."""
    return list(dict.fromkeys(_index(documents)[0].gold(question).passages))


def is_stated(question: str, references: Sequence[str], answer: str) -> bool | None:
    """Whether an answer states one of the references; None for a yes or no that is said in other words."""
    if not _is_yes_no(question, references):
        found = (_stated(question, each, [answer], is_computed=False) for each in references)
        return any(each.status == "ok" for each in found)
    said = _YES_NO.match(answer)
    expected = [found for each in references if (found := _YES_NO.match(each))]
    if said and expected:
        return any(bool(said["yes"]) == bool(each["yes"]) for each in expected)
    return False if is_refusal(answer) else None


def _is_yes_no(question: str, references: Sequence[str]) -> bool:
    return asks_yes_or_no_only(question) or any(map(_YES_NO.match, references))


def check(questions: Sequence[Question], documents: Documents) -> list[Checked]:
    """Check each question against the documents and the other questions, by code.

    The problems: `malformed` (no question, an answer that is in it or of another kind, a wrong span),
    `not_standalone`, `answer_not_in_documents`, `contradicted`, `also_answered_elsewhere` (`relevant`
    lacks a passage that answers it), `answerable_after_all`, `duplicate`. What a check cannot decide, such
    as a computed answer, is `not checked` and no problem.
    """
    (index, known), first_of = _index(documents), _duplicates(questions)
    checked: list[Checked] = []
    for place, question in enumerate(questions):
        key = repr((question.whole, question.references, question.gold_contexts, question.relevant, question.answerable))  # fmt: skip
        if key not in known:
            known[key] = _checks(replace(question, question=question.whole), index)
        checks, relevant = known[key]
        first = questions[first_of[place]] if place in first_of else None
        again = first and f"it asks the same as {first.id}: {first.question[:80]!r}"
        checks = {**checks, "duplicate": _problem("duplicate", again)}
        problems = [each.problem for each in checks.values() if each.status == "problem"]
        if relevant != question.relevant:
            question = replace(question, relevant=relevant)
        checked.append(Checked(question, not problems, list(dict.fromkeys(problems)), checks))
    return checked


def _checks(question: Question, index: PassageIndex) -> tuple[_Checks, dict[str, float]]:
    """The checks that need no other question, and the relevant passages with those that answer it too."""
    text, relevant = question.question, question.relevant
    checks: _Checks = {"form": _problem("malformed", why_malformed(text))}
    if not any(map(str.isalnum, text)):
        return checks, relevant
    gold, asked = index.gold(question), asked_by(text)
    checks["stands_alone"] = _problem("not_standalone", why_not_standalone(text))
    wrong = "; ".join([*gold.misplaced, *gold.missing])
    name = "malformed" if gold.misplaced else "answer_not_in_documents"
    checks["span"] = _problem(name, wrong)
    if not question.gold_contexts:
        checks["span"] = not_checked("it has no gold passage")
    if question.answerable:
        checks["answer_form"] = _answer_form(question)
        checks["grounded"] = _grounded(question, gold, index)
        if checks["grounded"].status == "ok":
            checks["unique"], relevant = _unique(question, gold, index)
    else:
        checks["unanswerable"] = _unanswerable(question, index)
    there = {stem for each in gold.passages for place in index.places(each) for stem in place.stems}
    is_shared = asked.content and gold.passages
    overlap = len(asked.content & there) / len(asked.content) if is_shared else None
    located = "ok" if gold.passages else "not checked"
    rank = index.rank(text, gold.passages) if gold.passages else None
    checks["bm25_rank"] = CheckResult(located, rank)
    checks["overlap"] = CheckResult(located, overlap)
    checks["n_words"] = CheckResult("ok", len(words(text)))
    return checks, relevant


def _answer_form(question: Question) -> CheckResult:
    """Whether the references can be answers to the question."""
    text, references = question.question, question.references
    if not references:
        return not_checked("it has no reference")
    shown, is_closed = repr(references[0][:60]), _is_yes_no(text, references)
    blank = [each for each in references if not any(map(str.isalnum, each))]
    differs = [why for each in references if (why := why_type_differs(text, each))]
    asked, given = " ".join(words(text)), [" ".join(words(each)) for each in references]
    is_given_away = all(len(each) > 2 and f" {each} " in f" {asked} " for each in given)
    wrong: str | None = None
    if blank:
        wrong = f"its answer is empty: {blank[0]!r}"
    elif not is_closed and all(_stem_set(each) == _stem_set(text) for each in references):
        wrong = "its answer is the question itself"
    elif all(map(is_refusal, references)):
        wrong = f"its answer is a refusal: {shown}"
    elif len(differs) == len(references):
        wrong = differs[0]
    elif is_given_away and not (is_closed or _CHOICE.search(text)):
        wrong = f"the question gives its answer {shown} away"
    return _problem("malformed", wrong)


def _grounded(question: Question, gold: Gold, index: PassageIndex) -> CheckResult:
    """Whether the gold passages state a reference; the nearest passages, if no gold passage is given."""
    text = question.question
    references = [each for each in question.references if any(map(str.isalnum, each))]
    if not references:
        return not_checked("it has no reference")
    passages = dict.fromkeys(each.text for each in gold.passages)
    headings = dict.fromkeys(each.heading for each in gold.passages)
    joined = ("\n".join(passages), "\n".join(gold.texts))
    joined += ("\n".join((*headings, joined[1])),) if joined[1] else ()
    given = list(dict.fromkeys(each for each in (*gold.texts, *joined) if each.strip()))
    texts = given or _texts_near(question, index)
    if not texts:
        reason = "no passage shares a word with the question"
        return _problem("answer_not_in_documents", reason, 0.0)
    # A number may follow from others where the question says so, or nothing there speaks of just what it asks.
    near = gold.passages or index.nearest(text, 3)
    known = max(
        (each.covers(text) for passage in near for each in index.places(passage)), default=0
    )
    n_numbers = len(_NUMBER.findall("\n".join(gold.texts or [each.text for each in near])))
    is_said, is_many = pattern("computed").search(text), n_numbers > MANY_NUMBERS
    is_computed = known < (1 if is_said else NEARLY if is_many else 0)
    best = max(
        (_stated(text, reference, texts, is_computed=is_computed) for reference in references),
        key=lambda each: (each.status == "ok", each.status == "not checked", each.value or 0),
    )
    if best.status == "problem" and not given:
        return replace(best, reason=best.reason.replace("its passage", "the nearest passage"))
    return best


def _texts_near(question: Question, index: PassageIndex) -> list[str]:
    """The places that speak of what is asked, or else the nearest passages."""
    text = question.question
    near = index.nearest(text)
    for reference in question.references:
        near += index.nearest(f"{text} {reference}", 3)
    near = list(dict.fromkeys(near))
    content = asked_by(text).content
    places = [place for passage in near for place in index.places(passage)]
    most = max((len(content & place.stems) for place in places), default=0)
    is_short = all(len(words(each)) <= MAX_REFUSAL for each in question.references)
    if is_short and most >= GROUNDED * len(content):
        return [place.text for place in places if len(content & place.stems) >= NEARLY * most]
    return [each.text for each in near]


def _stated(
    question: str, reference: str, texts: Sequence[str], *, is_computed: bool
) -> CheckResult:
    """Whether one of the texts states a reference."""
    matches = [match_reference(question, reference, text) for text in texts]
    best = max(matches, key=share_stated)
    share = share_stated(best)
    if _is_yes_no(question, [reference]):
        content = asked_by(question).content
        shares = [len(content & stems_of(text)) / len(content) for text in texts if content]
        share = max((share, *shares)) if content else 1.0
        if share < SPOKEN_OF and not is_computed:
            return _problem("answer_not_in_documents", "its passage does not speak of it", share)
        return not_checked("yes or no: only that its passage speaks of it was checked")
    missing = [word.text for word in best.wanted if word.credit < GROUNDED]
    numbers = [word for word in missing if any(map(str.isdigit, word))]
    is_short = len(best.wanted) <= SHORT
    least = GROUNDED if not is_short else 1.0 if numbers else NEARLY
    is_otherwise = bool(numbers and best.contradiction)
    if share >= least and not is_otherwise:
        return CheckResult("ok", share)
    if not any(is_content_word(word.text) for word in best.wanted):
        return not_checked("its answer has no word that can be looked for")
    if is_computed and (numbers or is_short):
        return not_checked("its answer may be computed")
    if is_otherwise and best.contradiction:
        there, here = best.contradiction
        return _problem("contradicted", f"its passage says {there!r}, its answer {here!r}", share)
    listed = ", ".join(missing[:5])
    return _problem("answer_not_in_documents", f"its passage does not say {listed!r}", share)


def _unique(
    question: Question, gold: Gold, index: PassageIndex
) -> tuple[CheckResult, dict[str, float]]:
    """Whether other passages answer it too, or say otherwise; and `relevant` with those that answer."""
    text, references = question.question, question.references
    is_short = all(len(words(each)) <= 12 and not _YES_NO.match(each) for each in references)
    if not gold.passages or not is_short:
        return not_checked("its answer is long, or its passage is not given"), question.relevant
    ids = {each.id for each in gold.passages}
    others = [each for each in index.nearest(text) if each.id not in ids]
    is_specific = len(asked_by(text).content) >= MANY_WORDS
    also: list[str] = []
    for place in index.answering(text, others):
        found = [match_reference(text, reference, place.text) for reference in references]
        if any(share_stated(each) == 1.0 for each in found):
            also.append(place.passage.id)
        elif is_specific and place.covers(text) == 1.0:
            sides = [side for each in found for side in each.contradiction or ("", "")]
            if not all(any(map(str.isdigit, side)) for side in sides):
                continue
            there, here = sides[:2]  # another number where the answer has one
            reason = f"{place.passage.id} says {there!r}, its answer {here!r}"
            return _problem("contradicted", reason), question.relevant
    if not also:
        return _OK, question.relevant
    relevant = question.relevant or dict.fromkeys(sorted(ids), 1.0)
    reason = f"{', '.join(also)} {'answers' if len(also) == 1 else 'answer'} it too, and is not in relevant"
    relevant = {**relevant, **dict.fromkeys(also, 1.0)}
    return _problem("also_answered_elsewhere", reason), relevant


def _unanswerable(question: Question, index: PassageIndex) -> CheckResult:
    """Whether no passage answers a question that the documents shall not answer."""
    text = question.question
    answers = [each for each in question.references if not is_refusal(each)]
    is_typed = asked_by(text).is_typed
    if not answers and not is_typed:
        return not_checked("no answer is given, and it asks for no kind of value")
    for place in index.answering(text, index.nearest(text)):
        found = [match_reference(text, each, place.text) for each in answers]
        if 1.0 in map(share_stated, found) or (is_typed and place.gives_value(text)):
            quoted = " ".join(place.text.split())[:100]
            return _problem("answerable_after_all", f"{place.passage.id} answers it: {quoted!r}")
    return _OK


def _duplicates(questions: Sequence[Question]) -> dict[int, int]:
    """The earlier question that each one repeats."""
    sets = [_stem_set(each.whole) for each in questions]
    # Two that differ in a name, a number, or in who, when, where ask for two things; a variant is meant to be alike.
    kinds = [
        (asked.specific, asked.kind, *_QUOTED.findall(asked.text), each.question_type in VARIANTS)
        for each in questions
        for asked in (asked_by(each.whole),)
    ]
    answers = [frozenset(map(str.casefold, each.references)) for each in questions]
    frequency = Counter(stem for stems in sets for stem in stems)
    weight = {stem: log1p(len(sets) / n) for stem, n in frequency.items()}

    def ask_the_same(one: int, other: int) -> bool:
        shared, both = sets[one] & sets[other], sets[one] | sets[other]
        similarity = sum(map(weight.__getitem__, shared)) / sum(map(weight.__getitem__, both))
        least = ALIKE if answers[one].isdisjoint(answers[other]) else ALIKE_WITH_ANSWER
        return similarity >= least

    found = near_duplicates(sets, ALIKE_WITH_ANSWER, ask_the_same, kinds)
    plain: dict[str, int] = {}
    for place, question in enumerate(questions):
        text = " ".join(words(question.whole))
        if text and plain.setdefault(text, place) != place:
            found[place] = plain[text]
    return found


def _stem_set(text: str) -> frozenset[str]:
    return asked_by(text).content or frozenset(words(text))


def with_also_relevant(checked: Sequence[Checked]) -> list[Checked]:
    """The questions, of which those are sound too that only lacked passages that answer them: now they have them."""
    return [
        replace(each, sound=True, problems=[], checks={**each.checks, "unique": _OK})
        if each.problems == ["also_answered_elsewhere"]
        else each
        for each in checked
    ]
