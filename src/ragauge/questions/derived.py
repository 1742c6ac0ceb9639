"""Questions made from other questions: comparisons, two hops, unanswerable ones, and as users type them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from ragauge.language.dates.dates import dates
from ragauge.language.numbers.numbers import quantities
from ragauge.questions.draft import NO_ANSWER, Draft
from ragauge.questions.english import PERSON
from ragauge.questions.english_words import ARTICLES, AUXILIARIES, content_words
from ragauge.questions.names import Names

MAX_COMPARED = 4
"""Most comparisons of one kind: more would be one question in many clothes."""
MAX_HOP_WORDS = 30
NO_VARIANTS = ("yes/no", "cloze", "table look-up")
INVENTED = "Hartwell Marlow Denholm Calverton Ashdown Thornbury Wexcombe Lindale Orsett Brantham"
"""Names for things that no document has; the first that the documents do not use is taken."""


def derived(drafts: Sequence[Draft], texts: Mapping[str, str], seed: int) -> list[Draft]:
    """The questions that these make possible, in order: each is changed in one way only."""
    return [
        *_comparisons(drafts),
        *_two_hops(drafts),
        *_unanswerable(drafts, texts),
        *_ambiguous(drafts),
        *_follow_ups(drafts),
        *_as_typed(drafts, Random(f"{seed} typed")),
    ]


def _comparisons(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Two subjects of which different passages state the same: which has more, which came first?"""
    groups: dict[str, dict[str, Draft]] = defaultdict(dict)
    for draft in drafts:
        is_named = re.search(r"\b[A-Z]", draft.subject)
        if draft.comparing and is_named and draft.subject.split()[0] not in ("their", "its"):
            groups[draft.comparing].setdefault(draft.subject, draft)
    for comparing, by_subject in groups.items():
        pairs = [
            (left, right)
            for left, right in pairwise(by_subject.values())
            if left.sources != right.sources
        ]
        for left, right in pairs[:MAX_COMPARED]:
            is_left = _wins(comparing, left.value, right.value)
            if is_left is None:
                continue
            winner, loser = (left, right) if is_left else (right, left)
            values = f"{winner.references[0]}; {loser.subject}: {loser.references[0]}"
            yield Draft(
                f"{comparing}, {left.subject} or {right.subject}?",
                (f"{winner.subject} ({values})",),
                (*left.sources, *right.sources),
                "comparison",
                "compared",
                left.subject,
            )


def _wins(comparing: str, value: str, other: str) -> bool | None:
    """Whether the first is the answer; None where the two cannot be told apart."""
    if comparing.endswith(" earlier"):
        years = [date.year for text in (value, other) for date in dates(f"in {text}")[:1]]
        first, second = (*years, None, None)[:2]
        return None if first is None or second is None or first == second else first < second
    numbers = [found[0] for text in (value, other) if (found := quantities(text))]
    if len({number.unit for number in numbers}) != 1 or len({each.value for each in numbers}) != 2:
        return None
    return numbers[0].value > numbers[1].value


def _two_hops(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question about a thing, with the thing described by what another passage says of it."""
    by_subject: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        if draft.question_type not in ("yes/no", "cloze"):
            # What a question ends with is no part of a longer name: `… the keeper of Penlow?`
            last = re.search(r"(?<= )(?:[A-Z][\w’'-]+ ?)+(?=\?$| \()", draft.question)
            names = {draft.subject.removeprefix("the "), last[0] if last else ""}
            for name in names - {""}:
                by_subject[name].append(draft)
    for first in drafts:
        described, name = _description(first)
        of_name = re.compile(rf"\b(?:the )?{re.escape(name)}\b(?!['’]| [A-Z\d])")
        for second in by_subject.get(name, ()) if described else ():
            question = of_name.sub(lambda _, by=described: by, second.question, count=1)
            is_near = second.sources[0].passage.id == first.sources[0].passage.id
            is_told = set(content_words(described)) & set(content_words(second.references[0]))
            is_short = len(question.split()) <= MAX_HOP_WORDS
            if question != second.question and is_short and not (is_near or is_told):
                yield Draft(
                    question[0].upper() + question[1:],
                    second.references,
                    (*first.sources, *second.sources),
                    "multi-hop",
                    "described",
                    second.subject,
                    hops=2,
                )


def _description(draft: Draft) -> tuple[str, str]:
    """Words of a draft that describe a name without naming it, and the name."""
    asked = draft.question.rstrip("?").partition(" (")[0]
    answer = draft.references[0]
    if draft.pattern in ("which", "agent"):
        doer = "the person who" if re.fullmatch(PERSON, answer) else "the organisation that"
        kind, _, said = asked.removeprefix("Which ").partition(" ")
        described = f"{doer} {said}" if kind == "Who" else f"the {kind} that {said}"
        return described, answer.removeprefix("the ")
    if draft.pattern == "identity" and asked.startswith("Who is the "):
        return asked.removeprefix("Who is "), answer
    is_kind = re.match(r"an? \w+(?: [\w-]+){1,6}$", answer)
    if draft.pattern == "definition" and is_kind and draft.subject[:1].isupper():
        return f"the {answer.split(' ', 1)[1]}", draft.subject
    return "", ""


def _ambiguous(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question that several things may be meant by; the reference has the answer for each.

    `How many beds does the hut have?` of two huts, and questions that differ in their headings alone.
    """
    groups: dict[str, dict[str, Draft]] = defaultdict(dict)
    for draft in drafts:
        if draft.pattern == "definition" or draft.question_type in NO_VARIANTS:
            continue
        asked, _, heading = draft.question.rstrip("?)").partition(" (")
        if heading:
            groups[f"{asked}?"].setdefault(heading, draft)
        elif re.fullmatch(r"(?:the )?(?:[A-Z][\w’'-]+ ){1,3}[A-Za-z][a-z]{2,}", draft.subject):
            name = re.compile(rf"\b(?:the )?{re.escape(draft.subject.removeprefix('the '))}\b")
            kind = draft.subject.split()[-1].lower()
            question = name.sub(f"the {kind}", draft.question, count=1)
            groups[question].setdefault(draft.subject, draft)
    for question, by_name in groups.items():
        found = list(by_name.items())[:MAX_COMPARED]
        answers = {draft.references[0].lower() for _, draft in found}
        if len(found) > 1 and len(answers) == len(found):
            yield Draft(
                question,
                ("; ".join(f"{name}: {draft.references[0]}" for name, draft in found),),
                tuple(source for _, draft in found for source in draft.sources),
                "ambiguous",
                "without its name",
            )


def _follow_ups(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question about `it`, after a question that says what it is."""
    said = {
        draft.subject: draft
        for draft in drafts
        if draft.pattern == "definition" and draft.question.startswith("What ")
    }
    for draft in drafts:
        first = said.get(draft.subject)
        asked = draft.question.rstrip("?").partition(" (")[0]
        question = re.sub(rf"\b{re.escape(draft.subject)}\b(?!['’])", "it", asked, count=1)
        is_plain = draft.pattern != "definition" and draft.question_type != "cloze"
        if draft.pattern in ("object", "listed objects"):  # `What does it have?`
            continue
        if first and is_plain and re.search(r"\b(?:is|was|does|did|has|can) it\b", question):
            yield replace(
                draft,
                question=f"{question}?",
                question_type="follow-up",
                pattern=f"follow-up {draft.pattern}",
                history=(first.question, first.references[0]),
                origin=draft.question,
                comparing="",
            )


def _unanswerable(drafts: Sequence[Draft], texts: Mapping[str, str]) -> Iterator[Draft]:
    """A question about a thing of the same kind that no document knows, or about another year."""
    whole, names = "\n".join(texts.values()), Names(texts)
    free = [name for name in INVENTED.split() if name not in whole]
    years = {int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", whole)}
    types = ("number", "temporal", "table look-up", "single fact")
    for at, draft in enumerate(drafts):
        is_fit = draft.question_type in types and draft.worth >= 2.5
        if not is_fit or draft.pattern in ("definition", "agent"):
            continue
        question = _with_other_year(draft.question, years) or (
            _with_other_name(draft, free[at % len(free)], names) if free else None
        )
        if question is not None:
            yield replace(
                draft,
                question=question,
                references=(NO_ANSWER,),
                question_type="unanswerable",
                answerable=False,
                pattern="changed subject",
                comparing="",
            )


def _with_other_year(question: str, years: set[int]) -> str | None:
    found = re.search(r"\bin ((?:19|20)\d\d)\b", question)
    if found is None or not years:
        return None
    other = next(year for year in range(int(found[1]) + 1, 2200) if year not in years)
    is_near = other <= max(years) + 1
    return f"{question[: found.start(1)]}{other}{question[found.end(1) :]}" if is_near else None


def _with_other_name(draft: Draft, name: str, names: Names) -> str | None:
    """`Lantern Hut` as `Hartwell Hut`, `Tern X2` as `Tern X7`: a name that no document has."""
    subject = draft.subject.removeprefix("the ")
    words = subject.split()
    if not 1 <= len(words) <= 3 or not all(word[0].isupper() for word in words):
        return None
    asked, bracket, heading = draft.question.partition(" (")
    if (len(words) == 1 and not names.capital[subject.lower()]) or subject not in asked:
        return None
    if coded := re.fullmatch(r"(?P<head>[A-Z]+-?)\d", words[-1]):
        codes = [f"{coded['head']}{n}" for n in range(9, 0, -1)]
        free = [code for code in codes if not names.capital[code.lower()]]
        if not free:
            return None
        words[-1] = free[0]
    else:
        words[1 if len(words) > 1 and names.small[words[0].lower()] else 0] = name
    return f"{asked.replace(subject, ' '.join(words))}{bracket}{heading}"


def _as_typed(drafts: Sequence[Draft], random: Random) -> Iterator[Draft]:
    """Terse and misspelt: one of each for a question, of which the plan takes few."""
    for draft in drafts:
        if draft.question_type == "yes/no" or draft.worth < 2.5 or len(draft.question.split()) > 14:
            continue
        words = draft.question.rstrip("?").split()
        typed: dict[str, str] = {}
        terse = [word for word in words if word.lower() not in AUXILIARIES | ARTICLES | {"do"}]
        if words[0] == "What" and len(terse) > 2:
            terse = terse[1:]
        if len(terse) > 2:
            typed["terse"] = " ".join(terse).lower()
        places = [at for at, word in enumerate(words) if re.fullmatch(r"[a-z]{6,}", word)]
        if places:
            at = random.choice(places)
            changed = [*words[:at], _misspelt(words[at], random), *words[at + 1 :]]
            typed["misspelt"] = f"{' '.join(changed)}?"
        for kind, question in typed.items():
            yield replace(
                draft,
                question=question,
                question_type=kind,
                origin=draft.question,
                pattern=f"{kind} {draft.pattern}",
                comparing="",
            )


def _misspelt(word: str, random: Random) -> str:
    """The word with two different neighbouring letters exchanged, not the first or the last."""
    pairs = enumerate(pairwise(word))
    places = [at for at, (one, other) in pairs if 0 < at < len(word) - 2 and one != other]
    if not places:
        return word[:-2] + word[-1]
    at = random.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
