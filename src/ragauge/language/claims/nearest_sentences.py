"""The sentences of texts that share most words with another text, and what an answer states beyond them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log1p

from ragauge.language.stems import Word
from ragauge.language.text import Span, sentence_spans

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
    """
    first = 0
    for start, end in sentence_spans(text):
        after = first
        while after < len(words) and words[after].start < end:
            after += 1
        for at in range(first, after, MAX_WORDS):
            own = words[at : min(at + MAX_WORDS, after)]
            is_first, is_last = at == first, at + MAX_WORDS >= after
            first_place = start if is_first else own[0].start
            yield Sentence(position, first_place, end if is_last else own[-1].end, own)
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
        found: dict[str, list[int]] = {}
        for place, sentence in enumerate(self.sentences):
            stems = {word.stem for word in sentence.words}
            for key in stems | {f"{stem[:PREFIX]}*" for stem in stems}:
                found.setdefault(key, []).append(place)
        self._places = {key: np.array(places) for key, places in found.items()}
        """The places of the sentences with a stem, or with a prefix, which has a `*`."""

    def nearest(self, stems: Iterable[str], most: int) -> list[int]:
        """The places of at most `most` sentences, the nearest first; of equal ones the first in the texts.

        A shared stem counts log(1 + n / m), if m of the n sentences have it, and a shared prefix half
        of that. Sentences that share nothing come last, in the order of the texts.
        """
        import numpy as np

        wanted = dict.fromkeys(stems)
        points = np.zeros(len(self.sentences))
        for key in (*wanted, *dict.fromkeys(f"{stem[:PREFIX]}*" for stem in wanted)):
            if (places := self._places.get(key)) is not None:
                weight = 0.5 if key[-1] == "*" else 1.0
                points[places] += weight * log1p(len(self.sentences) / len(places))
        return np.argsort(-points, kind="stable")[:most].tolist()


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
    for at, (start, end) in enumerate(spans):
        before = FIRST_PARTS.search(answer, max(0, start - MAX_PARTS), start)
        after = LAST_PARTS.match(answer, end, end + MAX_PARTS)
        spans[at] = before.start() if before else start, after.end() if after else end
    return spans


_NOUN = r"""(?:documents?|contexts?|texts?|passages?|excerpts?|information|sources?|articles?|reports?|handbook|manual|guide(?:lines)?|polic(?:y|ies)|records?
|materials?|snippets?|search\ results?|knowledge\ base|page|section|chapter|tables?|data)"""
_ATTRIBUTION = re.compile(
    rf"""
    \[\s*(?:\d{{1,3}}(?:\s*[,;–-]\s*\d{{1,3}})*|(?:source|doc|document|ref)\b[^\]\n]{{0,60}})\s*\]
    | \(\s*(?:sources?|see|from|based\ on|according\ to|cf\.|pages?|pp?\.|quelle|siehe|laut|seite|source|voir|selon|fuentes?|véase|según|página|来源|参见)
      (?![^\W\d_])[^()\n]{{0,120}}(?:\([^()\n]{{0,60}}\)[^()\n]{{0,60}}){{0,3}}\)
    | (?:^|(?<=[.!?。\n]))[\ \t]*(?:\*\*)?(?:sources?|citations?|quellen?|fuentes?|来源)(?:\*\*)?[ ]?[:：][^\n]{{0,300}}$
    | ,?[ ]?\b(?:according\ to|based\ (?:up)?on|as\ (?:stated|described|mentioned|noted|given)\ (?:in|on|by)|laut|gemäß|selon|d['’]après|según|de\ acuerdo\ con)[ ]
      (?:(?:page|section|chapter)[ ][\w.-]{{1,12}}[ ]of[ ])?
      (?:the|this|these|your|our|my|dem|der|den|le|la|les|el|los|las)[ ](?:(?:provided|given|above|retrieved|available|following)[ ])?
      (?:{_NOUN}|handbuch|dokument(?:en)?|text|document|texte|manuel|documento|texto|manual)\b(?:[ ]provided)?
    | (?:^|(?<=[.!?。！？\n]))[\ \t]*(?:all[ ])?(?:this|that)[ ]is[ ](?:(?:stated|described|mentioned|noted|given|found|taken)[ ])?(?:in|on|from|according\ to)[ ]
      (?:(?:page|section|chapter)[ ][\w.-]{{1,12}}[ ]of[ ])?the[ ](?:\w+[ ]version[ ]of[ ]the[ ])?(?:documents?|documentation|contexts?|texts?|passages?|handbook|manual|sources?)[ ]?\.
    | (?:^|(?<=[.!?。！？\n]))[\ \t]*(?:let\ me\ know\ if|(?:please[ ])?feel\ free\ to|(?:please[ ])?do(?:\ not|n['’]t)\ hesitate\ to|i\ hope\ (?:this|that)\ helps
      |if\ you\ have\ (?:any[ ])?(?:other|more|further)\ questions|is\ there\ anything\ else|lassen\ sie\ (?:es[ ])?mich\ wissen|ich\ hoffe,\ (?:das|dies)\ hilft
      |n['’]hésitez\ pas|j['’]espère\ que\ cel|no\ dude\ en|espero\ que\ est|希望这|如(?:果您?)?(?:还)?有其他)[^.!?。！？\n]{{0,200}}[.!?。！？]?
    | (?:根据|依据|按照)(?:所提供的|提供的|上述|以上)?(?:文档|文件|手册|资料|上下文|文本)[，,]?
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def without_attributions(text: str) -> str:
    """The text with spaces in place of what only names a source or turns to the reader; positions stay the same.

    A text that is nothing else stays as it is. A named source ("according to Einstein") may be wrong, so it stays too.

    >>> without_attributions("According to the handbook, it costs $9 [2]. Source: fees-1.").split()
    [',', 'it', 'costs', '$9', '.']
    >>> without_attributions("It costs $9. Let me know if you need anything else!").split()
    ['It', 'costs', '$9.']
    >>> without_attributions("It was built in 1931, according to Ada Grant.")
    'It was built in 1931, according to Ada Grant.'
    """
    rest = _ATTRIBUTION.sub(lambda found: " " * len(found[0]), text)
    return rest if any(map(str.isalnum, rest)) else text
