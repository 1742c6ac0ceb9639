"""Rank passages by BM25."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragauge.language.stems import stemmed

K1, B = 1.2, 0.75


class Bm25:
    """Passages ranked by BM25 (Robertson and Zaragoza 2009, with Lucene's idf, which is never negative).

    The terms are the stems of `language.stems`: each Chinese or Japanese character is one.
    """

    def __init__(self, texts: Sequence[str], *, k1: float = K1, b: float = B) -> None:
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

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """The score of each text for a query, at least 0; 0 where they share no term."""
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
        order = np.argsort(-scores, kind="stable")[:n]
        return [int(place) for place in order if scores[place] > 0]


def terms(text: str) -> list[str]:
    """The terms of a text, with repeats."""
    return [word.stem for word in stemmed(text)]
