"""Where the documents answer a question: its gold passages, other passages that answer it, and what contradicts it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents, read_documents
from ragauge.language.references.match import ReferenceMatch
from ragauge.language.refusals.asked import asked_by, has_value
from ragauge.language.refusals.sentences import read_sentences
from ragauge.language.stems import stemmed
from ragauge.language.text import sentence_spans
from ragauge.questions.question import GoldContext, Question

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

K1, B = 1.2, 0.75
LOCATED = 90
"""The least similarity (of 100) by which a gold text is part of a passage that was read in another way."""
N_NEAREST = 10
ANSWERS = 0.9
"""The share of the question's content words that a place must have, to be one that speaks of what is asked."""

_SOMEWHERE = re.compile(
    r"\b(in|at|on|near|beside|behind|under|above|next to|between|opposite)\b", re.I
)


class Bm25:
    """Passages ranked by BM25 (Robertson and Zaragoza 2009, with Lucene's idf, which is never negative).

    The terms are the stems of `language.stems`: each Chinese or Japanese character is one.
    """

    def __init__(self, texts: Sequence[str], *, k1: float = K1, b: float = B) -> None:
        import numpy as np

        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=np.float64)
        norms = k1 * (1 - b + b * lengths / (lengths.mean() or 1.0)) if texts else lengths
        postings: dict[str, list[tuple[int, int]]] = {}
        for place, count in enumerate(counts):
            for term, n in count.items():
                postings.setdefault(term, []).append((place, n))
        self.n_texts = len(texts)
        self._weights: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = {}
        for term, found in postings.items():
            places, ns = np.array(found).T
            idf = np.log1p((len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            self._weights[term] = places, idf * ns / (ns + norms[places])

    def scores(self, query: str) -> "npt.NDArray[np.float64]":
        """The score of each text for a query, at least 0; 0 where they share no term."""
        import numpy as np

        total = np.zeros(self.n_texts)
        for term in terms(query):
            if term in self._weights:
                places, weights = self._weights[term]
                total[places] += weights
        return total

    def best(self, query: str, n: int = 10) -> list[int]:
        """The places of the n best texts, best first; ties in the order given. Texts without a shared term are left out.

        >>> Bm25(["the cat sat", "dogs bark", "a cat and a cat"]).best("cats")
        [2, 0]
        """
        scores = self.scores(query)
        order = (-scores).argsort(kind="stable")[:n]
        return [int(place) for place in order if scores[place] > 0]


def terms(text: str) -> list[str]:
    """The terms of a text, with repeats."""
    return [word.stem for word in stemmed(text)]


def documents_of(documents: "Documents | Sequence[object] | str | Path") -> Documents:
    """The documents, read; DataError if they hold no text."""
    if isinstance(documents, Documents):
        return documents
    return read_documents([documents] if isinstance(documents, str | Path) else documents)


class Place(NamedTuple):
    """Two neighbouring sentences of a passage, with the stems of their words and of the heading."""

    passage: Passage
    text: str
    stems: frozenset[str]

    def covers(self, question: str) -> float:
        """The share of the question's content words that are here; 0 if one of its names or numbers is not."""
        asked = asked_by(question)
        if not asked.content or not asked.specific <= self.stems:
            return 0.0
        return len(asked.content & self.stems) / len(asked.content)

    def gives_value(self, question: str) -> bool:
        """Whether it has a value of the kind that the question asks for, which the question does not have."""
        asked = asked_by(question)
        if "locat" in asked.kind and _SOMEWHERE.search(self.text):
            return True
        sentences = read_sentences(self.text, 0, with_question=True)
        return any(has_value(sentence, asked) for sentence in sentences)


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known of where the answer is: its texts, the passages that they are in, and what is wrong with them.

    `misplaced`: spans that have another text; `missing`: texts that the documents lack.
    """

    texts: list[str] = field(default_factory=list[str])
    passages: list[Passage] = field(default_factory=list[Passage])
    misplaced: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])


class PassageIndex:
    """The passages of documents, for looking up what they say of a question."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.passages = documents.passages
        self._numbers = {passage.id: number for number, passage in enumerate(documents.passages)}
        self._by_document: dict[str, list[Passage]] = defaultdict(list)
        for passage in documents.passages:
            self._by_document[passage.document].append(passage)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for document in documents.texts:
            self._by_name[document.rpartition("/")[2]].append(document)
        self._places: dict[str, list[Place]] = {}

    @cached_property
    def _bm25(self) -> Bm25:
        return Bm25([f"{passage.heading} {passage.text}" for passage in self.passages])

    @cached_property
    def _plain_texts(self) -> dict[str, str]:
        return {passage.id: _plain(passage.text) for passage in self.passages}

    def nearest(self, text: str, n: int = N_NEAREST) -> list[Passage]:
        """The best passages for a text by BM25, best first."""
        return [self.passages[place] for place in self._bm25.best(text, n)]

    def rank(self, question: str, gold: Sequence[Passage]) -> int | None:
        """The best rank of a gold passage by BM25, from 1; None if it shares no word with the question."""
        scores = self._bm25.scores(question)
        best = max((scores[self._numbers[passage.id]] for passage in gold), default=0)
        return int((scores > best).sum()) + 1 if best > 0 else None

    def gold(self, question: Question) -> Gold:
        """The gold texts and passages of a question, from its spans, its texts, or its relevant ids."""
        gold = Gold()
        for context in question.gold_contexts:
            self._add(context, gold)
        for id in question.relevant:
            id = self.documents.duplicate_of.get(id, id)
            number = self._numbers.get(id)
            found = self._by_document.get(id, []) if number is None else [self.passages[number]]
            gold.passages.extend(found)
            if not question.gold_contexts:
                gold.texts.extend(passage.text for passage in found)
        return gold

    def _add(self, context: GoldContext, gold: Gold) -> None:
        text, name, document = context["text"], context.get("document"), None
        if name is not None:  # perhaps by the end of its path
            ends = [
                each
                for each in self._by_name.get(name.rpartition("/")[2], ())
                if f"/{each}".endswith(f"/{name.lstrip('./')}")
                or f"/{name}".endswith(f"/{each.lstrip('./')}")
            ]
            found = ends if name not in self.documents.texts else [name]
            document = found[0] if len(found) == 1 else None
            if document is None:
                missing = f"its gold passage is in {name!r}, which is none of the documents"
                gold.missing.append(missing)
        passages = self._by_document.get(document or "", [])
        if document is not None and "start" in context and "end" in context:
            start, end = context["start"], context["end"]
            there = self.documents.texts[document][max(start, 0) : end]
            if not there or (text and _plain(there) != _plain(text)):
                problem = f"{document}[{start}:{end}] is {there[:40]!r}, not {text[:40]!r}"
                gold.misplaced.append(problem)
            gold.texts.append(text or there)
            gold.passages.extend(each for each in passages if each.start < end and start < each.end)
        elif document is not None and not text.strip():
            gold.texts.extend(each.text for each in passages)
            gold.passages.extend(passages)
        else:
            found = self._located(text, passages)
            gold.texts.append(text)
            gold.passages.extend(found)
            if not found and (name is None or document is not None):
                gold.missing.append(f"its gold passage is not in the documents: {text[:60]!r}")

    def _located(self, text: str, among: Sequence[Passage]) -> list[Passage]:
        """The passages that have a text, or that it has; only whitespace may differ, or a few signs."""
        plain, there = _plain(text), self._plain_texts
        candidates = [*(among or self.nearest(text[:2_000]))] if plain else []
        exact = [
            each
            for each in candidates
            if plain in there[each.id] or (len(each.text) >= 40 and there[each.id] in plain)
        ]
        if exact or not plain:
            return exact
        scores = self._bm25.scores(text[:2_000])
        candidates.sort(key=lambda each: -scores[self._numbers[each.id]])
        best = candidates[:3]
        return [each for each in best if fuzz.partial_ratio(plain, there[each.id]) >= LOCATED]

    def places(self, passage: Passage) -> list[Place]:
        """Each sentence of a passage with the one after it; each row of a table with the first one."""
        if passage.id not in self._places:
            if passage.kind == "table":
                rows = [row for row in passage.text.splitlines() if row.strip()]
                texts = [f"{rows[0]}\n{row}" for row in rows[1:]] or rows
            else:
                spans = sentence_spans(passage.text)
                ends = [end for _, end in (*spans[1:], *spans[-1:])]
                pairs = zip(spans, ends, strict=True)
                texts = [passage.text[start:end] for (start, _), end in pairs]
            heading = stems_of(passage.heading)
            places = [Place(passage, text, heading | stems_of(text)) for text in texts]
            self._places[passage.id] = places
        return self._places[passage.id]

    def answering(self, question: str, among: Sequence[Passage]) -> Iterator[Place]:
        """The places that speak of all that is asked, the best of each passage."""
        for passage in among:
            best = max(self.places(passage), key=lambda each: each.covers(question), default=None)
            if best is not None and best.covers(question) >= ANSWERS:
                yield best


def share_stated(found: ReferenceMatch) -> float:
    """The share of the reference's words, besides those of the question, that a text states."""
    if found.is_contained:
        return 1.0
    wanted = found.wanted
    return sum(word.credit for word in wanted) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=10_000)
def stems_of(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(word.stem for word in stemmed(text))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()
