"""The sentences of some texts that share most words with another text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

from ragauge.language.stems import Word
from ragauge.language.text import sentence_spans

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_WORDS = 40
"""A longer sentence is cut into pieces of this many words, and so is a text without punctuation."""
PREFIX = 4
"""Words with the same first letters count half: forms that have different stems, and compounds."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, or a piece of a long one: the position of its text, its span there, and its words."""

    text: int
    start: int
    end: int
    words: Sequence[Word]


def sentences_of(text: str, words: Sequence[Word], position: int = 0) -> Iterator[Sentence]:
    """The sentences of a text that have words, cut into pieces of at most MAX_WORDS words.

    `words` are those of the text; `position` is that of the text among others.

    >>> from ragauge.language.stems import stemmed
    >>> text = "It is open. Why?"
    >>> [(one.start, one.end) for one in sentences_of(text, stemmed(text))]
    [(0, 11), (12, 16)]
    """
    first = 0
    for start, end in sentence_spans(text):
        after = first
        while after < len(words) and words[after].start < end:
            after += 1
        for at in range(first, after, MAX_WORDS):
            own = words[at : min(at + MAX_WORDS, after)]
            is_first, is_last = at == first, at + MAX_WORDS >= after
            yield Sentence(
                position, start if is_first else own[0].start, end if is_last else own[-1].end, own
            )
        first = after


class SentenceIndex:
    """The distinct sentences of several texts, for finding those that share most words with another."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        import numpy as np

        # Passages of a retriever overlap: a repeated sentence must not take the place of another.
        distinct: dict[tuple[str, ...], Sentence] = {}
        for sentence in sentences:
            distinct.setdefault(tuple(word.lowered for word in sentence.words), sentence)
        self.sentences = tuple(distinct.values())
        with_stem: dict[str, list[int]] = {}
        with_prefix: dict[str, list[int]] = {}
        for place, sentence in enumerate(self.sentences):
            stems = {word.stem for word in sentence.words}
            for stem in stems:
                with_stem.setdefault(stem, []).append(place)
            for prefix in {stem[:PREFIX] for stem in stems}:
                with_prefix.setdefault(prefix, []).append(place)
        self._with_stem = {stem: np.array(places) for stem, places in with_stem.items()}
        self._with_prefix = {prefix: np.array(places) for prefix, places in with_prefix.items()}

    def nearest(self, stems: Iterable[str], most: int) -> list[int]:
        """The places of at most `most` sentences, the nearest first; of equal ones the first in the texts.

        A shared stem counts log(1 + n / m), if m of the n sentences have it, and a shared prefix half
        of that. Sentences that share nothing come last, in the order of the texts.

        >>> from ragauge.language.stems import stemmed
        >>> texts = ("Dogs bark.", "Cats purr. Birds sing.")
        >>> index = SentenceIndex(
        ...     one for at, text in enumerate(texts) for one in sentences_of(text, stemmed(text), at)
        ... )
        >>> index.nearest(["cat", "sing", "bird"], 2)
        [2, 1]
        """
        import numpy as np

        wanted = dict.fromkeys(stems)
        points = np.zeros(len(self.sentences))
        self._add(points, wanted, self._with_stem, 1.0)
        self._add(points, dict.fromkeys(stem[:PREFIX] for stem in wanted), self._with_prefix, 0.5)
        return np.argsort(-points, kind="stable")[:most].tolist()

    def _add(
        self,
        points: "npt.NDArray[np.float64]",
        wanted: Iterable[str],
        places: "Mapping[str, npt.NDArray[np.integer]]",
        weight: float,
    ) -> None:
        for part in wanted:
            if (found := places.get(part)) is not None:
                points[found] += weight * log1p(len(self.sentences) / len(found))
