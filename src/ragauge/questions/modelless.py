"""Questions without a model: from sentences, tables, lists and headings that are questions."""

import re
from collections import Counter
from collections.abc import Iterator

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.language.detection import language_of
from ragauge.language.text import sentence_spans
from ragauge.questions.clauses import clauses
from ragauge.questions.draft import Draft, Source
from ragauge.questions.english import is_good, questions_of
from ragauge.questions.english_words import (
    DETERMINERS,
    JOINING,
    MODALS,
    POINTING,
    PREPOSITIONS,
    content_words,
    is_plural,
    points_outside,
    set_of,
    verbs,
)
from ragauge.questions.names import Names
from ragauge.questions.translated import questions_in

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
MARKUP = re.compile(
    r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|^#+\s*|^>\s*|^\s*(?:[-*•+]|\d{1,3}[.)])\s+",
    re.MULTILINE,
)
LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)")
CITATION = re.compile(r"\s?\[\d{1,3}\]|\s*\((?:page|p\.|see|cf\.)[^)]*\)")
BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+(\S.*)$", re.MULTILINE)
NOISE = re.compile(
    r"\b(?:to|from|the|of|by|our|and|using)[A-Z]|[#|©•<>=]|https?:|\.\.\.|…| - .* - |[a-z][A-Z][a-z]+[a-z][A-Z]"
)
"""Signs of menus, code and headings that ran into a sentence."""
MAX_CELL_WORDS, MAX_ANSWER_WORDS, MAX_SENTENCE = 6, 14, 400


ASKING = re.compile(
    r"(?:What|Who|Which|When|Where|Why|How|Is|Are|Can|Do|Does|May|Must|Should|Was|Did)\b"
)
NOUNS = set_of(
    """price cost fee name date year size weight height length capacity population area code colour color status type
    version default value meaning remedy definition rate limit time duration speed distance number total amount address phone email owner author
    source language country city region capital unit symbol grade score level model material function purpose effect cause
    treatment symptom dose deadline contact department role"""
)
"""Headers of columns whose cells can be asked for; others need the documents to write `the …` of them."""


NO_NOUNS = (JOINING | POINTING | MODALS | PREPOSITIONS | DETERMINERS) | set_of(
    "to is are and you your notes description example question comment remarks means patch"
)
"""Words of headers that do not name what the cells are."""


def drafts(documents: Documents) -> list[Draft]:
    """All questions that the documents answer, in the order of the passages."""
    names = Names.read(documents.texts)
    first = {(each.document, each.heading): each.id for each in reversed(documents.passages)}
    return [
        draft
        for passage in documents.passages
        for draft in _of_passage(
            passage, names, is_first=first[passage.document, passage.heading] == passage.id
        )
    ]


def _of_passage(passage: Passage, names: Names, *, is_first: bool) -> Iterator[Draft]:
    if passage.kind == "table":
        yield from _of_table(passage, names)
        return
    if is_first:
        yield from _of_heading(passage)
    yield from _of_lines(passage)
    language = language_of(passage.text) or "en"
    if language == "en":
        yield from _of_lists(passage, names)
        yield from _of_sentences(passage, names)
        return
    for sentence, source in _sentences(passage):
        for question, reference, form, subject in questions_in(language, sentence):
            yield Draft(
                question,
                (reference,),
                (source,),
                form.question_type,
                f"{language} {form.question_type}",
                subject,
                form.worth,
            )


def plain(text: str) -> str:
    """A text without Markdown's signs, citations and line breaks."""
    text = MARKUP.sub("", LINK.sub(r"\1", CITATION.sub("", text)))
    return re.sub(r"\s+", " ", text).strip()


def _sentences(passage: Passage) -> Iterator[tuple[str, Source]]:
    """Whole sentences of prose: each in plain words, with its place."""
    text = FENCE.sub(lambda found: " " * len(found[0]), passage.text)
    for start, end in sentence_spans(text):
        sentence = plain(text[start:end])
        is_whole = (
            sentence[:1].isalnum() and sentence.endswith((".", "。")) and not NOISE.search(sentence)
        )
        if is_whole and end - start <= MAX_SENTENCE:
            yield (
                re.sub(r"^[A-Z][^.!?]{2,60}\.\s+(?=[A-Z])", "", sentence),
                Source.within(passage, start, end),
            )


def _is_title(sentence: str) -> bool:
    """Whether most of its words have capitals, as in titles and menus."""
    words = [word for word in re.findall(r"[^\W\d_]+", sentence) if len(word) > 3]
    return sum(word[0].isupper() for word in words) > 0.6 * len(words) + 1


def _of_sentences(passage: Passage, names: Names) -> Iterator[Draft]:
    subject, before = "", None
    for sentence, source in _sentences(passage):
        sources: tuple[Source, ...] = (source,)
        pronoun = re.match(r"(?:It|He|She) (?=\w)", sentence)
        if pronoun and subject and before:
            sentence, sources = f"{subject} {sentence[pronoun.end() :]}", (before, source)
            sentence = sentence[0].upper() + sentence[1:]
        if _is_title(sentence):
            continue
        for clause, asked in questions_of(sentence, names, passage.document):
            # A statement that repeats its question would be no answer; with another number it is.
            is_changed = asked.pattern == "changed number"
            references = (f"No. {sentence}" if is_changed else asked.answer,)
            yield Draft(
                asked.question,
                references,
                sources,
                asked.question_type,
                asked.pattern,
                clause.subject,
                asked.worth,
                comparing=asked.comparing,
                value=asked.value,
                # Of a statement and the same with another number only one is asked.
                origin=clause.asked() if asked.question_type == "yes/no" else "",
            )
        if pronoun is None:
            subject, before = _antecedent(sentence, names, passage.document), source


def _antecedent(sentence: str, names: Names, document: str) -> str:
    """What `it`, `he` or `she` of the next sentence is: the subject of a sentence that says what that is."""
    found = next(clauses(sentence, names, document), None)
    is_definition = (
        found is not None
        and found.auxiliary in ("is", "was")
        and re.match(r"(?:an?|the) ", found.rest)
    )
    return found.subject if found is not None and is_definition else ""


def _of_heading(passage: Passage) -> Iterator[Draft]:
    """A heading that is a question, with the first sentence below it."""
    heading = plain(passage.heading.split(" > ")[-1])
    first = next(_sentences(passage), None)
    if (
        heading.endswith("?")
        and ASKING.match(heading)
        and first is not None
        and not BULLET.match(passage.text)
        and first[1].start < passage.start + 5
        and _is_clear(heading)
        and _is_answered(heading, first[0])
        and not first[0].lower().startswith(("for example", "it depends", "see "))
    ):
        yield Draft(heading, (first[0],), (first[1],), "single fact", "heading", heading, 4.0)


def _of_lines(passage: Passage) -> Iterator[Draft]:
    """A line of its own that is a question, with the first sentence below it."""
    for found in re.finditer(
        r"^(?:\*\*)?(?:Q[:.]\s*)?([A-Z][^\n?]{12,150}\?)(?:\*\*)?\s*\n+\s*(?:A[:.]\s*)?([A-Z][^\n]{8,400}?[.!])(?=\s|$)",
        passage.text,
        re.MULTILINE,
    ):
        if _is_clear(found[1]) and ASKING.match(found[1]) and _is_answered(found[1], found[2]):
            source = Source.within(passage, found.start(2), found.end(2))
            yield Draft(
                plain(found[1]),
                (plain(found[2]),),
                (source,),
                "single fact",
                "question and answer",
                "",
                4.0,
            )


def _is_clear(question: str) -> bool:
    """Whether a question of the document stands alone; `I` and `my` are the reader."""
    return is_good(re.sub(r"\b(?:I|[Mm]y|me|we|our)\b", "you", question.rstrip("?")))


def _is_answered(question: str, answer: str) -> bool:
    """Whether the words of the first sentence below a question show that it is the answer."""
    asked = set(content_words(question))
    is_near = bool(asked & set(content_words(answer))) or answer.startswith(
        ("Yes", "No", "To ", "By ", "In ")
    )
    return is_near and len(asked) > 2 and not points_outside(answer) and not answer.endswith("?")


def _of_lists(passage: Passage, names: Names) -> Iterator[Draft]:
    """A sentence that ends with a colon, with the items below it."""
    for found in re.finditer(
        r"(?P<intro>[^\n.:]{8,160}):\s*\n+(?P<items>(?:[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S.*(?:\n+|$)){2,12})",
        passage.text,
    ):
        items = [plain(item).rstrip(".;,") for item in BULLET.findall(found["items"])]
        if any(len(item.split()) > MAX_ANSWER_WORDS or ":" in item for item in items):
            continue
        end = found.start("items") + len(found["items"].rstrip())
        source = Source.within(passage, found.start("intro"), end)
        for question, subject in _asked_of_list(plain(found["intro"]), names, passage.document):
            yield Draft(
                question, ("; ".join(items),), (source,), "list", "list items", subject, 3.0
            )


def _asked_of_list(intro: str, names: Names, document: str) -> Iterator[tuple[str, str]]:
    """What the sentence before a list asks for, with its subject."""
    following = re.match(
        r"The following (?P<asked>(?:[\w-]+ ){1,4}(?:are|can|may|must|will) .+)", intro
    )
    if following and not points_outside(following["asked"]):
        yield f"Which {following['asked']}?", ""
    for clause in clauses(f"{intro} the items.", names, document):
        if clause.main and clause.rest == "the items" and content_words(clause.subject):
            yield f"What {clause.asked('')}?", clause.subject


def _of_table(passage: Passage, names: Names) -> Iterator[Draft]:
    """`What is the COLUMN of ROW?` for each cell that a column and a row name."""
    rows = [(found.start(), found[0]) for found in re.finditer(r"[^\n]+", passage.text)]
    cells = [
        (start, line, [plain(cell) for cell in line.strip().strip("|").split("|")])
        for start, line in rows
    ]
    cells = [row for row in cells if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row[2])]
    if len(cells) < 3:
        return
    header = cells[0][2]
    counts = Counter(row[0] for _, _, row in cells[1:])
    top = plain(passage.heading.split(" > ")[-1])
    for start, line, row in cells[1:]:
        if len(row) != len(header) or counts[row[0]] > 1 or not _names_row(row[0]):
            continue
        for column, cell in zip(header[1:], row[1:], strict=True):
            question = _of_cell(column, row[0], header[0], top, names) if _is_answer(cell) else None
            if question is not None:
                source = Source.within(passage, start, start + len(line))
                yield Draft(
                    question,
                    (cell,),
                    (source,),
                    "table look-up",
                    "cell",
                    row[0],
                    3.0,
                )


def _names_row(cell: str) -> bool:
    words = cell.split()
    return (
        0 < len(words) <= MAX_CELL_WORDS
        and bool(re.search(r"[^\W\d_]{2}|^[A-Z]+-?\d", cell))
        and not re.search(r"[?:;,\"“]", cell)
        and words[0].lower() not in PREPOSITIONS | JOINING | {"to", "everything", "all"}
        and cell.lower() not in ("total", "other", "yes", "no")
    )


def _is_answer(cell: str) -> bool:
    return (
        0 < len(cell.split()) <= MAX_ANSWER_WORDS
        and bool(re.search(r"\w", cell))
        and cell.lower() not in ("n/a", "none", "yes", "no", "x")
    )


def _of_cell(column: str, row: str, first: str, heading: str, names: Names) -> str | None:
    """`What is the COLUMN of the FIRST ROW (HEADING)?`; None for a column that is no noun."""
    column = re.sub(r"^[Tt]he ", "", column)
    words = re.findall(r"[\w'’%-]+", column.lower())
    if not 0 < len(words) <= 4 or set(words) & NO_NOUNS or re.search(r"\d{4}|[?!]$", column):
        return None
    last = words[-1]
    is_known = last in NOUNS or last.removesuffix("s") in NOUNS or names.small[f"the {last} of"]
    is_title = (
        column[0].isupper() and last not in verbs() and not last.endswith(("ed", "ing", "est"))
    )
    if not (is_known or is_title) or not re.search(r"[a-z]{3}", last):
        return None
    what = re.sub(r"^(?:the|an?) ", "", first.lower())
    is_kind = re.fullmatch(r"[a-z-]+(?: [a-z-]+)?", what) and not set(what.split()) & NO_NOUNS
    is_said = what in ("name", "item") or what.split()[-1:] == row.lower().split()[-1:]
    thing = f"the {what} {row}" if is_kind and not is_said else row
    is_clear = row[0].isupper() or set(content_words(heading)) <= set(
        content_words(f"{column} {row} {what}")
    )
    name = column if sum(sign.isupper() for sign in column) > 1 else column.lower()
    verb = "are" if is_plural(last) else "is"
    return f"What {verb} the {name} of {thing}{'' if is_clear else f' ({heading})'}?"
