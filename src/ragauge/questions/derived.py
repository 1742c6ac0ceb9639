"""Questions made from other questions: comparisons, unanswerable ones, and as users type them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from random import Random

from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.question import NO_ANSWER, Draft

MAX_COMPARED = 4
INVENTED = "Hartwell Marlow Denholm Calverton Ashdown Thornbury Wexcombe Lindale Orsett Brantham"
"""en.Names for things that no document has; the first that the documents do not use is taken."""


def derived(drafts: Sequence[Draft], texts: Mapping[str, str], seed: int) -> list[Draft]:
    """The questions that these make possible, in order: each is changed in one way only."""
    return [
        *_comparisons(drafts),
        *_unanswerable(drafts, texts),
        *_follow_ups(drafts),
        *_as_typed(drafts, Random(f"{seed} typed")),
    ]


def _comparisons(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Two subjects of which different passages, or two rows of a table, state the same: which has more?"""
    groups: dict[tuple[str, str], dict[str, Draft]] = defaultdict(dict)
    for draft in drafts:
        if draft.comparing and re.search(r"\b[A-Z]", draft.subject):
            table = draft.sources[0].passage.id if draft.pattern == "cell" else ""
            groups[draft.comparing, table].setdefault(draft.subject, draft)
    for (comparing, _), by_subject in groups.items():
        for left, right in islice(pairwise(by_subject.values()), MAX_COMPARED):
            numbers = [found[0] for each in (left, right) if (found := quantities(each.value))]
            is_equal = len({number.value for number in numbers}) < 2
            if is_equal or len({number.unit for number in numbers}) > 1:
                continue
            is_left = numbers[0].value > numbers[1].value
            winner, loser = (left, right) if is_left else (right, left)
            question = f"{comparing}, {left.subject} or {right.subject}?"
            is_of_table = left.sources[0].passage is right.sources[0].passage
            if is_of_table and (heading := re.search(r" \([^()]*\)\?$", left.question)):
                question = question[:-1] + heading[0]
            stated = f"{winner.references[0]}; {loser.subject}: {loser.references[0]}"
            answer, sources = f"{winner.subject} ({stated})", (*left.sources, *right.sources)
            yield Draft(question, (answer,), sources, "comparison", "compared", left.subject)


def _follow_ups(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """A question about `it`, after a question that says what it is."""
    said = {
        each.subject: each
        for each in drafts
        if each.question.startswith("What is ") and each.pattern == "definition"
    }
    for draft in drafts:
        first = said.get(draft.subject)
        # `What does it have?` is no question.
        if first is None or draft.pattern in ("definition", "listed objects", "cloze"):
            continue
        question = re.sub(rf"\b{re.escape(draft.subject)}\b(?!['’])", "it", draft.question, count=1)
        if re.search(r"\b(?:is|was|does|did|has|can) it\b", question):
            yield replace(
                draft.variant(question, "follow-up", f"follow-up {draft.pattern}"),
                history=(first.question, first.references[0]),
            )


def _unanswerable(drafts: Sequence[Draft], texts: Mapping[str, str]) -> Iterator[Draft]:
    """A question about a thing of the same kind that no document knows: `Hartwell Hut` for `Lantern Hut`; or about another year."""
    whole, names = "\n".join(texts.values()), en.Names(texts)
    free = [name for name in INVENTED.split() if name not in whole]
    years = {int(year) for year in re.findall(r"\b(?:19|20)\d\d\b", whole)}
    types = ("number", "temporal", "single fact")
    for at, draft in enumerate(drafts):
        is_fit = draft.question_type in types
        if not is_fit or draft.pattern == "definition":
            continue
        # `What does Wexcombe support?` could be asked of anything; a new name is one.
        if len(en.content_words(draft.question)) < 4 or re.search(
            r" (?:do|are|were|have|their) ", draft.question
        ):
            continue
        subject = draft.subject.removeprefix("the ")
        words, (asked, bracket, heading) = subject.split(), draft.question.partition(" (")
        is_named = 1 <= len(words) <= 3 and all(word[0].isupper() for word in words)
        is_named = is_named and en.words_of("calendar").isdisjoint(words)
        # `the Mayor` is no name.
        is_name = len(words) > 1 or (draft.subject == subject and names.capital[subject.lower()])
        found = re.search(r"\bin ((?:19|20)\d\d)\b", asked)
        if found and len(re.findall(r"\b(?:19|20)\d\d\b", asked)) == 1:
            year = next(year for year in range(int(found[1]), 2200) if year not in years)
            question = f"{asked[: found.start(1)]}{year}{asked[found.end(1) :]}"
        elif free and is_named and is_name and not subject.isupper() and subject in asked:
            # `Hartwell Hut` for `Lantern Hut`, and `Hartwell` for `Great Britain`
            kind = words[-1:] if len(words) > 1 and names.small[words[-1].lower()] else []
            name = " ".join((free[at % len(free)], *kind))
            question = asked.replace(subject if kind else draft.subject, name)
        else:
            continue
        changed = draft.variant(f"{question}{bracket}{heading}", "unanswerable", "changed subject")
        answer = NO_ANSWER.get(draft.pattern.split(" ")[0], NO_ANSWER["en"])  # `de number`
        yield replace(changed, references=(answer,), answerable=False, origin="")


def _as_typed(drafts: Sequence[Draft], random: Random) -> Iterator[Draft]:
    """Terse and misspelt: one of each for a question, of which the plan takes few."""
    for draft in drafts:
        words = draft.question.rstrip("?").split()
        is_told = draft.pattern in ("condition", "heading")
        if is_told or draft.question_type in ("yes/no", "cloze") or len(words) > 14:
            continue
        plain = re.sub("[(),:]", "", draft.question.rstrip("?")).split()
        terse = [word for word in plain if word.lower() not in en.BE | en.DO | en.ARTICLES]
        if words[0] == "What" and len(terse) > 2:
            terse = terse[2:] if terse[1] in ("happens", "you") else terse[1:]
        if len(terse) > 2:
            yield draft.variant(" ".join(terse).lower(), "terse", f"terse {draft.pattern}")
        # Two different neighbouring letters of a word are exchanged, not the first or the last.
        swaps = [
            (at, n)
            for at, word in enumerate(words)
            for n, (one, other) in enumerate(pairwise(word))
            if re.fullmatch(r"[a-z]{6,}", word) and 0 < n < len(word) - 2 and one != other
        ]
        if swaps:
            at, n = random.choice(swaps)
            word = words[at]
            words[at] = word[:n] + word[n + 1] + word[n] + word[n + 2 :]
            question = f"{' '.join(words)}?"
            yield draft.variant(question, "misspelt", f"misspelt {draft.pattern}")
