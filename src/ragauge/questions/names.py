"""How documents write their names."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragauge.questions.english_words import (
    ARTICLES,
    AUXILIARIES,
    JOINING,
    OTHERS,
    POINTING,
    PREPOSITIONS,
)


@dataclass(frozen=True)
class Names:
    """How the documents write words inside of sentences: which are names, and what `the hut` may be."""

    capital: Counter[str] = field(default_factory=Counter[str])
    small: Counter[str] = field(default_factory=Counter[str])
    by_head: Mapping[str, Mapping[str, Counter[str]]] = field(
        default_factory=dict[str, Mapping[str, Counter[str]]]
    )

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> "Names":
        capital, small = Counter[str](), Counter[str]()
        by_head: dict[str, dict[str, Counter[str]]] = {}
        for document, text in texts.items():
            heads = by_head.setdefault(document, defaultdict(Counter[str]))
            for found in re.finditer(r"(?<=[\w,] )([^\W\d_][\w’'-]*)", text):
                word = found[1]
                (capital if word[0].isupper() else small)[word.lower()] += 1
            for found in re.finditer(r"\b([Tt]he|[Aa]n?) ([a-z]+)\b( of\b)?", text):
                article = "the" if found[1].lower() == "the" else "a"
                noun = f"{article} {found[2]}"
                small.update([noun, f"{noun} of"] if found[3] else [noun])
            for found in re.finditer(r"(?:[A-Z][\w’'-]+ ){1,3}[A-Z][\w’'-]+", text):
                words = found[0].split()
                if words[0].lower() in ARTICLES | OTHERS | POINTING | JOINING | PREPOSITIONS:
                    words = words[1:]
                is_plain = all(re.search(r"[a-z]", word) for word in words)
                if (
                    len(words) > 1
                    and is_plain
                    and not {word.lower() for word in words} & AUXILIARIES
                ):
                    heads[words[-1].lower()][" ".join(words)] += 1
        return cls(capital, small, by_head)

    def is_name(self, word: str) -> bool:
        """Whether a capital at the beginning of a sentence is the word's own."""
        lower = word.lower()
        if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
            return True
        return self.capital[lower] > self.small[lower]

    def is_common(self, word: str) -> bool:
        return self.small[word.lower()] > 0

    def resolved(self, head: str, document: str, least: int = 1) -> str | None:
        """The one name of the document that ends with this word, if it occurs this often."""
        found = self.by_head.get(document, {}).get(head, Counter[str]())
        return next(iter(found)) if len(found) == 1 and found.total() >= least else None


def with_names(text: str, names: Names, document: str) -> str:
    """The text with `the hut` as the one hut that the document names."""

    def name(found: re.Match[str]) -> str:
        resolved = names.resolved(found[1].lower(), document)
        return found[0] if resolved is None else f"the {resolved}"

    return re.sub(
        r"\bthe ([a-z]+)(?=$|[,.]| (?:of|in|on|at|by|from|and|for|to|with)\b)", name, text
    )
