"""Anchors by spaCy, if an English pipeline is installed: claims from the parse, numbers and dates from named entities."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from ragauge.errors import LabelError, MissingExtraError
from ragauge.language.claims.claims import Claim, is_pronoun
from ragauge.language.claims.context_index import Anchors, in_order
from ragauge.language.claims.lexicon import HEDGES, NEGATIONS, PRONOUNS
from ragauge.language.dates.parts import Date
from ragauge.language.numbers.quantity import Quantity
from ragauge.language.text import SpanSet

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

Extractor = Literal["auto", "embedded", "spacy"]

# The labels of spaCy's own English pipelines, and of Universal Dependencies.
_SUBJECTS = {"nsubj", "nsubjpass", "nsubj:pass"}
_OBJECTS = {"dobj", "obj", "attr", "oprd"}
_AGENTS = {"agent", "obl:agent"}
_WITHIN_NAME = {"compound", "amod", "poss", "nmod:poss", "flat", "flat:name", "nmod"}
_WITHIN_OF = {"pobj", "nmod"}
_CLAUSES = {"ccomp", "xcomp", "acl", "pcomp", "advcl"}
_RELATIVE_CLAUSES = {"relcl", "acl:relcl"}
_NUMERIC = {"CARDINAL", "MONEY", "PERCENT", "QUANTITY"}
_TEMPORAL = {"DATE", "TIME"}
_BARE_YEAR = re.compile(r"(?<![\w.,])(?:1[1-9]|20)\d\d(?!\w|[.,]\d)", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


def spacy_anchors(
    text: str,
    quantities: Sequence[Quantity],
    dates: Sequence[Date],
    extractor: Extractor = "spacy",
    pipeline: str = "",
) -> Anchors | None:
    """The anchors of the text as an English spaCy pipeline with a parser finds them; none is ever downloaded.

    Of the `quantities` and `dates` that the rules find, it keeps those inside an entity of their kind, or all if the pipeline has no
    entity recogniser. None, for the built-in extractor to take over, if `extractor` is "auto" and no pipeline with a parser is
    installed, or if the text is longer than the pipeline accepts. MissingExtraError if spaCy is needed and missing, LabelError if a
    pipeline is.
    """
    nlp = _named_pipeline(pipeline) if pipeline else installed_pipeline()
    if nlp is None and extractor == "spacy":
        _need_spacy()
        raise LabelError(
            'extractor="spacy" needs an English spaCy pipeline with a parser, and none is '
            'installed; install one, name one with pipeline="…", or use extractor="embedded"'
        )
    if nlp is None or len(text) > nlp.max_length:
        return None
    doc = nlp(_SURROGATE.sub("\ufffd", text))
    numbers = [quantity for quantity in quantities if quantity.is_anchor]
    found: list[Quantity | Date] = [*numbers, *dates]
    if "ner" in nlp.pipe_names:
        numeric, temporal = (_inside(doc, labels) for labels in (_NUMERIC, _TEMPORAL))
        found = [each for each in numbers if not numeric.isdisjoint(range(each.start, each.end))]
        found += [each for each in dates if not temporal.isdisjoint(range(each.start, each.end))]
        # Years that the entity recogniser calls dates and the rules, without a cue, do not.
        known = {place for date in dates for place in range(date.start, date.end)}
        for each in doc.ents:
            year = _BARE_YEAR.search(text, each.start_char, each.end_char)
            if each.label_ in _TEMPORAL and year and year.start() not in known:
                found.append(Date(year[0], *year.span(), {"year": int(year[0])}))
    name = f"spacy {nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    stated = SpanSet((each.start, each.end) for each in found)
    return Anchors(in_order((*found, *_claims(doc, text, stated))), name)


@cache
def installed_pipeline() -> "Language | None":
    """The first installed English pipeline with a parser, by name; None if there is none."""
    names = sorted(entry.name for entry in entry_points(group="spacy_models"))
    for name in names:
        if name.startswith("en_"):
            try:
                return _named_pipeline(name)
            except LabelError:  # for another version of spaCy, or without a parser: try the next
                continue
    return None


@cache
def _named_pipeline(pipeline: str) -> "Language":
    """The pipeline with this package name or path, loaded once."""
    _need_spacy()
    import spacy

    try:
        nlp = spacy.load(pipeline)
    except Exception as error:
        # A broken pipeline may raise anything: spaCy, thinc, pydantic and the disk differ.
        first_line = str(error).partition("\n")[0]
        raise LabelError(
            f"cannot load the spaCy pipeline {pipeline!r}: {first_line}; give the name of an "
            "installed package or the path of a pipeline's folder"
        ) from error
    if nlp.lang != "en" or "parser" not in nlp.pipe_names:
        raise LabelError(
            f"the spaCy pipeline {pipeline!r} has language {nlp.lang!r} with "
            f"{', '.join(nlp.pipe_names) or 'no components'}; an English one with a parser is needed"
        )
    return nlp


def _need_spacy() -> None:
    if find_spec("spacy") is None:
        raise MissingExtraError("anchors by dependency parse need spaCy", "spacy")


def _claims(doc: "Doc", text: str, stated: SpanSet) -> Iterator[Claim]:
    for verb in doc:
        subject, by = _child(verb, _SUBJECTS), _child(verb, _AGENTS)
        if subject is None and verb.dep_ == "conj":
            subject = _child(verb.head, _SUBJECTS)
        elif subject is not None and verb.dep_ in _RELATIVE_CLAUSES:
            subject = verb.head if subject.lower_ in ("who", "which", "that") else subject
        agent = by and (_child(by, _WITHIN_OF) or (by if by.dep_ == "obl:agent" else None))
        object = agent or _child(verb, _OBJECTS)
        if subject is None or object is None or _is_unsure(verb):
            continue
        if verb.sent.text.rstrip().endswith("?") or stated.covers(*_phrase(object)):
            continue
        if _is_pronoun(subject) or _is_pronoun(object):
            continue
        phrases = [_phrase(subject), _phrase(object)]
        start = min(verb.idx, *(start for start, _ in phrases))
        end = max(verb.idx + len(verb.text), *(end for _, end in phrases))
        doer, done_to = (text[slice(*each)] for each in (reversed(phrases) if agent else phrases))
        yield Claim(text[start:end], start, end, doer, verb.text, done_to)


def _child(token: "Token", labels: set[str]) -> "Token | None":
    return next((child for child in token.children if child.dep_ in labels), None)


def _is_unsure(verb: "Token") -> bool:
    """Whether the verb, what governs it, or a word that modifies it hedges or negates."""
    unsure = HEDGES | NEGATIONS
    while True:
        near = [token for token in (verb, *verb.children) if token.dep_ not in _OBJECTS]
        if any(token.lower_ in unsure or token.dep_ == "neg" for token in near):
            return True
        shares_subject = verb.dep_ == "conj" and _child(verb, _SUBJECTS) is None
        if not shares_subject and verb.dep_ not in _CLAUSES:
            return False
        verb = verb.head


def _is_pronoun(token: "Token") -> bool:
    return is_pronoun(token.text) or (token.lower_ in PRONOUNS and token.sent.text.isupper())


def _phrase(token: "Token") -> tuple[int, int]:
    """The span of the noun with its preceding modifiers and its `of` phrase, without an article."""
    start, end = token.idx, token.idx + len(token.text)
    for child in token.children:
        if child.dep_ in _WITHIN_NAME and child.i < token.i and not _is_pronoun(child):
            start = min(start, child.left_edge.idx if child.dep_ == "poss" else child.idx)
        elif child.dep_ == "prep" and child.lower_ == "of":
            inner = _child(child, _WITHIN_OF)
            end = max(end, _phrase(inner)[1] if inner is not None else 0)
        elif child.dep_ in ("nmod", "flat", "flat:name") and child.i > token.i:
            end = max(end, _phrase(child)[1])
    return start, end


def _inside(doc: "Doc", labels: set[str]) -> set[int]:
    """The places inside entities of these kinds."""
    found = [range(each.start_char, each.end_char) for each in doc.ents if each.label_ in labels]
    return {place for each in found for place in each}
