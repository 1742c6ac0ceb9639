"""Questions made from other questions: comparisons, two hops, unanswerable ones, and as users type them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from random import Random
from typing import Any

from ragauge.language.numbers.numbers import quantities
from ragauge.questions.english import PERSON
from ragauge.questions.english_words import ARTICLES, AUXILIARIES, Names, content_words
from ragauge.questions.question import NO_ANSWER, Draft

MAX_COMPARED = 4
"""Most comparisons of one kind: more would be one question in many clothes."""
MAX_HOP_WORDS = 30
NO_VARIANTS = ("yes/no", "cloze", "table look-up")
ASKING = ("What", "Who", "Which", "When", "Where", "Why", "How")
NAMES = re.compile(
    r"\b(?:by|of|for|in|at|with|from|to|does|did|is|was|has|can) (?:the )?([A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*)(?!['’])"
)
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
    """Two subjects of which different passages state the same: which has more?"""
    groups: dict[tuple[str, str], dict[str, Draft]] = defaultdict(dict)
    for draft in drafts:
        if draft.comparing and re.search(r"\b[A-Z]", draft.subject):
            table = draft.sources[0].passage.id if draft.pattern == "cell" else ""
            groups[draft.comparing, table].setdefault(draft.subject, draft)
    for (comparing, _), by_subject in groups.items():
        pairs = (two for two in pairwise(by_subject.values()) if two[0].sources != two[1].sources)
        for left, right in islice(pairs, MAX_COMPARED):
            numbers = [found[0] for each in (left, right) if (found := quantities(each.value))]
            is_equal = len({number.value for number in numbers}) < 2
            if is_equal or len({number.unit for number in numbers}) > 1:
                continue
            is_left = numbers[0].value > numbers[1].value
            winner, loser = (left, right) if is_left else (right, left)
            question = f"{comparing}, {left.subject} or {right.subject}?"
            if left.question.endswith(")?") and left.sources[0].passage is right.sources[0].passage:
                question = f"{question[:-1]} {left.question[left.question.rindex('(') :]}"
            stated = f"{winner.references[0]}; {loser.subject}: {loser.references[0]}"
            answer, sources = f"{winner.subject} ({stated})", (*left.sources, *right.sources)
            yield Draft(question, (answer,), sources, "comparison", "compared", left.subject)


def _two_hops(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question about a thing, with the thing described by what another passage says of it."""
    by_name: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        if draft.question_type not in ("yes/no", "cloze"):
            asked = draft.question.partition(" (")[0].rstrip("?")
            for name in dict.fromkeys((draft.subject.removeprefix("the "), *NAMES.findall(asked))):
                by_name[name].append(draft)
    for first in drafts:
        described, name = _description(first)
        of_name = re.compile(rf"\b(?:the )?{re.escape(name)}\b(?!['’]| [A-Z\d])")
        for second in by_name.get(name, ()) if described else ():
            asked, bracket, heading = second.question.partition(" (")
            question = of_name.sub(lambda _, by=described: by, asked, count=1)
            is_near = second.sources[0].passage.id == first.sources[0].passage.id
            is_told = set(content_words(described)) & set(content_words(second.references[0]))
            if question == asked or is_near or is_told or name in heading:
                continue
            question = f"{question[0].upper()}{question[1:]}{bracket}{heading}"
            if len(question.split()) <= MAX_HOP_WORDS:
                sources, about = (*first.sources, *second.sources), second.subject
                kind = "multi-hop"
                yield Draft(question, second.references, sources, kind, "described", about, hops=2)


def _description(draft: Draft) -> tuple[str, str]:
    """Words of a draft that describe a name without naming it, and the name."""
    asked, answer = draft.question.rstrip("?").partition(" (")[0], draft.references[0]
    is_person = re.fullmatch(PERSON, answer)
    if draft.pattern == "agent" or (draft.pattern == "which" and is_person):
        doer = "the person who" if is_person else "the organisation that"
        return f"{doer} {asked.removeprefix('Who ')}", answer.removeprefix("the ")
    if asked.startswith(("Who is the ", "What is the ")) and is_person:  # a sentence or a cell
        return asked.removeprefix("Who is ").removeprefix("What is "), answer
    is_kind = re.match(r"(?:an?|the) \w+(?: [\w-]+){1,8}$", answer)
    is_telling = answer.startswith("the ") or len(content_words(answer)) > 2
    if draft.pattern == "definition" and is_kind and is_telling and draft.subject[:1].isupper():
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
        if len(found) > 1 and len({each.references[0].lower() for _, each in found}) == len(found):
            answer = "; ".join(f"{name}: {draft.references[0]}" for name, draft in found)
            sources = tuple(source for _, draft in found for source in draft.sources)
            yield Draft(question, (answer,), sources, "ambiguous", "without its name")


def _changed(draft: Draft, question: str, kind: str, pattern: str, **changes: Any) -> Draft:
    """The draft with another question, which is compared with no other one."""
    own = {"question": question, "question_type": kind, "pattern": pattern, "comparing": ""}
    return replace(draft, **own, **changes)


def _follow_ups(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question about `it`, after a question that says what it is."""
    said = {
        draft.subject: draft
        for draft in drafts
        if draft.pattern == "definition" and draft.question.startswith("What ")
    }
    for draft in drafts:
        first = said.get(draft.subject)
        # `What does it have?` is no question.
        if first is None or draft.pattern in ("definition", "object", "listed objects", "cloze"):
            continue
        asked = draft.question.rstrip("?").partition(" (")[0]
        question = re.sub(rf"\b{re.escape(draft.subject)}\b(?!['’])", "it", asked, count=1)
        if re.search(r"\b(?:is|was|does|did|has|can) it\b", question):
            pattern, history = f"follow-up {draft.pattern}", (first.question, first.references[0])
            more = {"history": history, "origin": draft.question}
            yield _changed(draft, f"{question}?", "follow-up", pattern, **more)


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
        question, asked = None, draft.question
        if found := re.search(r"\bin ((?:19|20)\d\d)\b", asked):
            other = next(year for year in range(int(found[1]) + 1, 2200) if year not in years)
            if other <= max(years) + 1:
                question = f"{asked[: found.start(1)]}{other}{asked[found.end(1) :]}"
        if question is None and free:
            question = _with_other_name(draft, free[at % len(free)], names)
        if question is not None:
            answer = NO_ANSWER.get(draft.pattern.split(" ")[0], NO_ANSWER["en"])  # `de cell`
            more = {"references": (answer,), "answerable": False}
            yield _changed(draft, question, "unanswerable", "changed subject", **more)


def _with_other_name(draft: Draft, name: str, names: Names) -> str | None:
    """`Lantern Hut` as `Hartwell Hut`: a name that no document has."""
    subject = draft.subject.removeprefix("the ")
    words, (asked, bracket, heading) = subject.split(), draft.question.partition(" (")
    is_named = 1 <= len(words) <= 3 and all(word[0].isupper() for word in words)
    if not is_named or subject.isupper() or subject not in asked:
        return None
    if len(words) == 1 and (draft.subject != subject or not names.capital[subject.lower()]):
        return None  # `the Mayor`
    is_title = len(words) > 1 and names.small[words[0].lower()] and subject == draft.subject
    words[1 if is_title else 0] = name
    return f"{asked.replace(subject, ' '.join(words))}{bracket}{heading}"


def _as_typed(drafts: Sequence[Draft], random: Random) -> Iterator[Draft]:
    """Terse and misspelt: one of each for a question, of which the plan takes few."""
    for draft in drafts:
        words = draft.question.rstrip("?").split()
        if draft.question_type == "yes/no" or draft.worth < 2.5 or len(words) > 14:
            continue
        typed: dict[str, str] = {}
        plain = re.sub("[(),:]", "", draft.question.rstrip("?")).split()
        terse = [word for word in plain if word.lower() not in AUXILIARIES | ARTICLES | {"do"}]
        if words[0] == "What" and len(terse) > 2:
            terse = terse[2:] if terse[1] in ("happens", "you") else terse[1:]
        if len(terse) > 2 and words[0] in ASKING:
            typed["terse"] = " ".join(terse).lower()
        if places := [at for at, word in enumerate(words) if re.fullmatch(r"[a-z]{6,}", word)]:
            at = random.choice(places)
            word = words[at]
            # Two different neighbouring letters are exchanged, not the first or the last.
            pairs = enumerate(pairwise(word))
            swaps = [n for n, (one, other) in pairs if 0 < n < len(word) - 2 and one != other]
            if swaps:
                n = random.choice(swaps)
                words[at] = word[:n] + word[n + 1] + word[n] + word[n + 2 :]
                typed["misspelt"] = f"{' '.join(words)}?"
        for kind, question in typed.items():
            pattern = f"{kind} {draft.pattern}"
            yield _changed(draft, question, kind, pattern, origin=draft.question)
