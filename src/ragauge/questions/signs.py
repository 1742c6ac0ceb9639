"""Signs by which a question can be understood alone and is worth asking; the plan takes those with most of them."""

import re
from collections import Counter
from collections.abc import Mapping
from math import log1p

from ragauge.questions import english_words as en
from ragauge.questions.question import Draft, Source

MAX_BEFORE, NEAR, FREQUENT, SHORT = 4_000, 400, 1.5, 500
"""Characters of a section before a sentence, and those just before it; the mean logarithm of how often a document says a word that it is about; words of a short document."""
MIN_SIGNS, MIN_OF = 5, {"condition": 6, "listed objects": 6, "confirmed": 7}
"""With fewer signs no question is written; of some forms with fewer than others."""
OF_ONE = ("definition", "count", "money", "date", "frequency")
"""Forms that ask about one thing: of `the district` the heading must say which."""
ONE_OF = re.compile(r"the \w+est ")
HEADING = re.compile(r"\n(?:#{1,6} |[=~^*-]{3,}\n)")
END = re.compile(r"[.!?](?=\s|$)")
OF_PERSON = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b")
OF_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|suppose|imagine|let.s|consider|listing|figure|shown)\b",
    re.IGNORECASE,
)
BEFORE_SUBJECT = re.compile(rf"\b(?i:{'|'.join(sorted(en.AUXILIARIES))}) ")
GENERAL = re.compile(
    r"(?:an?|each|every|any|all|no) (?!of )|`|(?!(?:the|this|its|your) )(?:\w+ )?(?!always\b)[a-z-]+[^su\W]s "
)
"""What is asked about is each thing of a kind: `What happens if a guest …?`, `Do beds …?`"""


class Signs:
    """The signs of questions about documents.

    Each is more frequent among questions that were judged sound than among the others, of handbooks and of prose.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._counts: dict[str, Counter[str]] = {}

    def count(self, draft: Draft, source: Source, titles: str) -> int:
        """How many signs a question has, of ten; `titles`: the headings above its sentence, and the file's name."""
        passage = source.passage
        text, at = self._texts[passage.document], passage.start + source.start
        section = HEADING.split(text[max(0, at - MAX_BEFORE) : at])[-1]
        if passage.document not in self._counts:
            self._counts[passage.document] = Counter(_words(text))
        counts, words = (
            self._counts[passage.document],
            [*map(_one, en.content_words(draft.question))],
        )
        said, of_titles = set(_words(section)), {*map(_one, en.content_words(titles))}
        is_of_title = not of_titles.isdisjoint(words)
        before = re.compile(" (?:if|when) ") if draft.pattern == "condition" else BEFORE_SUBJECT
        is_general = bool(GENERAL.match(before.split(draft.question, 1)[-1]))
        about = {*map(_one, en.content_words(draft.subject))}
        is_the = draft.subject.startswith("the ") and draft.subject.islower()
        # `the group`, `the largest district`: which one? `The repair café` is known by its name.
        is_any = draft.pattern == "definition" or len(about) < 2 or ONE_OF.match(draft.subject)
        if draft.pattern in OF_ONE and is_the and is_any and not about <= of_titles:
            return 0
        is_one = draft.pattern == "confirmed" and not is_general
        if is_one or re.search(r"\b(?:if|when) [A-Z][a-z]", draft.question):
            return 0
        return sum(
            (
                is_of_title,
                is_of_title or not draft.subject.startswith("the "),
                sum(log1p(counts[word]) for word in words) >= FREQUENT * len(words)
                or counts.total() < SHORT,
                not said or sum(word in said for word in words) > 1,
                len(words) >= (2 if draft.pattern in ("definition", "identity") else 5),
                is_general,
                END.search(section.rpartition("\n\n")[2]) is None,
                OF_EXAMPLE.search(section[-NEAR:]) is None,
                source.text.count(",") < 2,
                OF_PERSON.search(passage.text) is None,
            )
        )


def _words(text: str) -> list[str]:
    return [*map(_one, re.findall(r"\w[\w'’-]*", text.lower()))]


def _one(word: str) -> str:
    return word.removesuffix("s")
