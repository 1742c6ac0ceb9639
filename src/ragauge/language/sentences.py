"""Sentences of a text: by our own rules, or by NLTK or spaCy."""

import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from ragauge.errors import MissingExtraError, PlanError
from ragauge.language.claims.anchors_spacy import installed_pipeline
from ragauge.language.text import sentences

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktTokenizer
    from spacy.language import Language

Splitter = Literal["rules", "nltk", "spacy"]

WORD = re.compile(r"[^\W_]")
CITATIONS = re.compile(r"(?:\[\d{1,3}(?:(?:, ?|[-–])\d{1,3})*\]\s*)+[.,;]?")
SURROGATE = re.compile("[\ud800-\udfff]")
SENTENCE_PIPES = frozenset(("tok2vec", "transformer", "parser", "senter", "sentencizer"))


def split_sentences(text: str, splitter: Splitter = "rules") -> tuple[str, ...]:
    """The sentences of a text, in order, trimmed.

    Pieces without a letter or digit (a line of dashes, an emoji) or with only citations ("[1]") are
    not sentences. "nltk" is NLTK's English Punkt model: MissingExtraError without NLTK, PlanError if
    the model is not installed. "spacy" is the parser of the first installed English pipeline, or
    spaCy's rule-based sentencizer if there is none or the text is too long for it; MissingExtraError
    without spaCy. Nothing is ever downloaded.

    >>> split_sentences("- Pay by Jan. 5.\\n- It is $5.\\n---")
    ('- Pay by Jan. 5.', '- It is $5.')
    """
    if splitter == "nltk":
        pieces: Sequence[str] = _punkt().tokenize(text)
    elif splitter == "spacy":
        nlp = _parser() or _sentencizer()
        nlp = nlp if len(text) <= nlp.max_length else _sentencizer()
        others = [pipe for pipe in nlp.pipe_names if pipe not in SENTENCE_PIPES]
        doc = nlp(SURROGATE.sub("\ufffd", text), disable=others)
        pieces = [text[sentence.start_char : sentence.end_char] for sentence in doc.sents]
    else:
        pieces = sentences(text)
    trimmed = map(str.strip, pieces)
    return tuple(
        piece for piece in trimmed if WORD.search(piece) and not CITATIONS.fullmatch(piece)
    )


@cache
def _punkt() -> "PunktTokenizer":
    try:
        from nltk.tokenize.punkt import PunktTokenizer
    except ImportError:
        raise MissingExtraError('splitter="nltk" needs nltk', "nltk") from None
    try:
        return PunktTokenizer("english")
    except LookupError:
        problem = (
            'splitter="nltk" needs NLTK\'s Punkt model, which is not installed; get it with: '
            'python -m nltk.downloader punkt_tab, or use splitter="rules"'
        )
        raise PlanError([problem]) from None


@cache
def _parser() -> "Language | None":
    if find_spec("spacy") is None:
        raise MissingExtraError('splitter="spacy" needs spaCy', "spacy")
    return installed_pipeline()


@cache
def _sentencizer() -> "Language":
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = sys.maxsize
    return nlp
