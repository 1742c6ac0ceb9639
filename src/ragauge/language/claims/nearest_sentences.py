"""The sentences of some texts that share most words with another text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

from ragauge.language.stems import Word
from ragauge.language.text import Span, sentence_spans

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


SENTENCE_END = re.compile(r"[.!?。！？]\s|[\n。！？]")

MAX_PARTS = 40
"""Characters of the other parts of a compound that are looked for."""
FIRST_PARTS = re.compile(r"(?:(?<!\w)[^\W\d_]+-)+\Z")
LAST_PARTS = re.compile(r"(?:-[^\W\d_]+)+(?!\w)")


def unsupported_runs(answer: str, words: Iterable[tuple[int, int, bool]]) -> list[Span]:
    """Spans of consecutive unsupported words, none across the end of a sentence; compounds such as `low-cost` are whole.

    `words`: start, end and whether it is supported, for each word in order.

    >>> unsupported_runs("no dogs. no cats, birds", [(3, 7, False), (12, 16, False), (18, 23, False)])
    [(3, 7), (12, 23)]
    """
    spans: list[Span] = []
    goes_on = False
    for start, end, is_supported in words:
        if is_supported:
            goes_on = False
        elif goes_on and not SENTENCE_END.search(answer, spans[-1][1] - 1, start):
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
            goes_on = True
    return [(_first_part(answer, start), _last_part(answer, end)) for start, end in spans]


def _first_part(answer: str, start: int) -> int:
    """Where the compound begins whose later part begins at `start`."""
    before = FIRST_PARTS.search(answer, max(0, start - MAX_PARTS), start)
    return before.start() if before else start


def _last_part(answer: str, end: int) -> int:
    """Where the compound ends whose part ends at `end`."""
    after = LAST_PARTS.match(answer, end, end + MAX_PARTS)
    return after.end() if after else end


_ABSOLUTES = {
    word: words
    for words in (
        "all always completely entirely every everyone everything",
        "neither never no nobody none nothing",
        "exclusively only sole solely",
    )
    for word in words.split()
}
"""Each word without exception with those that say the same."""
_SPEAKERS = frozenset(("i", "we"))
_BEFORE = 3
"""A remark on the speaker has "I" or "we" among this many words before: "I have never been there"."""


def absolutes(words: Sequence[Word], others: Sequence[Sequence[Word]]) -> list[Span]:
    """The words that allow no exception ("all", "only", "never") where no other sentence says the same.

    Remarks on the speaker do not count, nor does "No" at the beginning, which answers a question.

    >>> from ragauge.language.stems import stemmed
    >>> text, others = "Only members pay every year.", [stemmed("All members pay.")]
    >>> [text[start:end] for start, end in absolutes(stemmed(text), others)]
    ['Only']
    """
    known = {_ABSOLUTES.get(word.lowered) for each in others for word in each}
    return [
        (word.start, word.end)
        for at, word in enumerate(words)
        if word.lowered in _ABSOLUTES
        and _ABSOLUTES[word.lowered] not in known
        and not any(each.lowered in _SPEAKERS for each in words[max(0, at - _BEFORE) : at])
        and not (at == 0 and word.lowered == "no")
    ]
