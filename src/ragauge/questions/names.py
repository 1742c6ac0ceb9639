"""How documents write their names."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import partial

from ragauge.questions.english_words import (
    ARTICLES,
    AUXILIARIES,
    JOINING,
    OTHERS,
    POINTING,
    PREPOSITIONS,
    VAGUE,
)

NO_NAMES = {"your"} | ARTICLES | OTHERS | POINTING | JOINING | PREPOSITIONS


class Names:
    """How documents write words inside of sentences: which are names, and what `the hut` may be.

    `capital`, `small`: how often a word begins with either letter; `small` also counts `a hut`, `the hut`,
    `the hut of`, and `a hut.` where a sign follows. `by_head`: for each document, the names that end with a word.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.capital, self.small = Counter[str](), Counter[str]()
        new_heads = partial(defaultdict[str, Counter[str]], Counter[str])
        self.by_head: dict[str, dict[str, Counter[str]]] = defaultdict(new_heads)
        for document, text in texts.items():
            for word in re.findall(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                (self.capital if word[0].isupper() else self.small)[word.lower()] += 1
            for article, noun, end in re.findall(
                r"\b([Tt]he|[Aa]n?) ([a-z]+)\b( of\b|[.,;:)]| (?:is|was|has|with|that|which|in|at|on|for|to|and)\b)?",
                text,
            ):
                phrase = f"{'the' if article.lower() == 'the' else 'a'} {noun}"
                self.small.update(
                    [phrase, f"{phrase}{end if end == ' of' else '.'}"] if end else [phrase]
                )
            for found in re.findall(r"(?:[A-Z][\w’'-]+ ){1,3}[A-Z][\w’'-]+", text):
                words = found.split()
                if words[0].lower() in NO_NAMES:
                    words = words[1:]
                is_plain = all(re.search(r"[a-z]", word) for word in words)
                if len(words) > 1 and is_plain and AUXILIARIES.isdisjoint(map(str.lower, words)):
                    self.by_head[document][words[-1].lower()][" ".join(words)] += 1

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        return self.capital[word.lower()] > self.small[word.lower()]

    def resolved(self, head: str, document: str) -> str | None:
        """The one name of the document that ends with this word."""
        found = self.by_head[document].get(head, Counter[str]())
        return next(iter(found)) if len(found) == 1 and head not in VAGUE else None
