"""Questions without a model: from sentences, tables, lists and headings that are questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.language.detection import language_of
from ragauge.language.numbers.numbers import quantities
from ragauge.language.text import sentence_spans
from ragauge.questions import english_words as en
from ragauge.questions.clauses import clauses
from ragauge.questions.english import is_good, questions_of
from ragauge.questions.english_amounts import MEASURES, NUMBERED, PATTERNS
from ragauge.questions.question import Draft, Source
from ragauge.questions.translated import questions_in

FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
MARKUP = re.compile(
    r"\*\*|(?<![\w`])_{1,2}(?=\w)|(?<=\w)_{1,2}(?![\w`])|(?<![\w`])\*(?=\w)|(?<=\w)\*(?![\w`])|^#+\s*|^>\s*|^\s*(?:[-*•+]|\d{1,3}[.)])\s+",
    re.MULTILINE,
)
LINK = re.compile(r"(?<!\w)!?\[([^\]\n]{0,300})\](?:\([^)\n]{0,1000}\))?")
CITATION = re.compile(r"\s?\[\d{1,3}\]|\s*\((?:page|p\.|see|cf\.)[^)]*\)")
BULLET = re.compile(r"^[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+(\S.*)$", re.MULTILINE)
LIST = re.compile(
    r"(?P<intro>[^\n.:]{8,160}):\s*\n+(?P<items>(?:[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+\S.*(?:\n+|$)){2,12})"
)
QUESTION_AND_ANSWER = re.compile(
    r"^(?:\*\*)?(?:Q[:.]\s*)?([A-Z][^\n?]{12,150}\?)(?:\*\*)?\s*\n+\s*(?:A[:.]\s*)?([A-Z][^\n]{8,400}?[.!])(?=\s|$)",
    re.MULTILINE,
)
NOISE = re.compile(
    r"\b(?:to|from|the|of|by|our|and|using)[A-Z]|[#|©•<>=]|\{%|https?:|\.\.\.|…| - .* - |[a-z][A-Z][a-z]+[a-z][A-Z]"
)
"""Signs of menus, code and headings that ran into a sentence."""
CALENDAR = en.set_of(
    """January February March April May June July August September October November December
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday"""
)
MAX_CELL_WORDS, MAX_ANSWER_WORDS, MAX_SENTENCE, MAX_TITLE_WORDS = 6, 14, 400, 9
ASKING = re.compile(
    r"(?:What|Who|Which|When|Where|Why|How|Is|Are|Can|Do|Does|May|Must|Should|Was|Did)\b"
)
CODED = re.compile(r"\b(?:year|date|code|number|phone|id)\b")
"""Columns whose numbers are not compared."""
YEAR = re.compile(r"(?:FY ?|Q[1-4] )?(?:19|20)\d\d")
NOUNS = MEASURES | en.set_of(
    """cost name date year code colour color status type version default meaning remedy definition time number total amount
    address phone email owner author source language country city region capital unit symbol grade score level model material
    function purpose effect cause treatment symptom dose deadline contact department role"""
)
"""Headers of columns whose cells can be asked for; others need the documents to write `the …` of them."""
NO_NOUNS = (en.JOINING | en.POINTING | en.MODALS | en.BEFORE_NOUNS) | en.set_of(
    "to is are and you your notes description example question comment remarks means patch"
)
"""Words of headers that do not name what the cells are."""


def drafts(documents: Documents) -> list[Draft]:
    """All questions that the documents answer, in the order of the passages."""
    names = en.Names(documents.texts)
    headings: set[tuple[str, str]] = set()
    found: list[Draft] = []
    for passage in documents.passages:
        place = passage.document, passage.heading
        if passage.kind == "table":
            found += _of_table(passage, names)
        else:
            found += _of_passage(passage, names, is_first=place not in headings)
        headings.add(place)
    answers: dict[str, set[str]] = defaultdict(set)
    for draft in found:
        answers[draft.question.lower()].update(each.lower() for each in draft.references)
    # With two answers it is not clear which is meant; two tables may have the same cell.
    return [each for each in found if len(answers[each.question.lower()]) == 1]


def _of_passage(passage: Passage, names: en.Names, *, is_first: bool) -> Iterator[Draft]:
    first, source = next(_sentences(passage), ("", None))
    heading = plain(passage.heading.split(" > ")[-1])
    is_asked = is_first and heading.endswith("?") and not BULLET.match(passage.text)
    is_told = not first.lower().startswith(("for example", "it depends", "see "))
    if is_asked and is_told and source and source.start < 5 and _answers(heading, first):
        yield Draft(heading, (first,), (source,), "single fact", "heading", heading, 4.0)
    for found in QUESTION_AND_ANSWER.finditer(passage.text):
        if _answers(found[1], found[2]):
            sources, answers = (Source(passage, *found.span(2)),), (plain(found[2]),)
            pattern = "question and answer"
            yield Draft(plain(found[1]), answers, sources, "single fact", pattern, worth=4.0)
    language = language_of(passage.text) or "en"
    if language == "en":
        yield from _of_lists(passage, names)
        yield from _of_sentences(passage, names)
        return
    for sentence, source in _sentences(passage):
        for question, answer, form, subject in questions_in(language, sentence):
            kind = form.question_type
            pattern = f"{language} {kind}"
            yield Draft(question, (answer,), (source,), kind, pattern, subject, form.worth)


def plain(text: str) -> str:
    """A text without Markdown's signs, citations and line breaks."""
    text = re.sub(r"\\(?=[^\w\s])", "", text)
    text = MARKUP.sub("", LINK.sub(r"\1", CITATION.sub("", text)))
    return re.sub(r"\s+", " ", text).strip()


def _sentences(passage: Passage) -> Iterator[tuple[str, Source]]:
    """Whole sentences of prose: each in plain words, with its place."""
    text = FENCE.sub(lambda found: " " * len(found[0]), passage.text)
    for start, end in sentence_spans(text):
        sentence = plain(text[start:end])
        is_whole = sentence[:1].isalnum() and sentence.endswith((".", "。"))
        if is_whole and end - start <= MAX_SENTENCE and not NOISE.search(sentence):
            sentence = re.sub(r"^[A-Z][^.!?]{2,60}\.\s+(?=[A-Z])", "", sentence)
            yield sentence, Source(passage, start, end)


def _of_sentences(passage: Passage, names: en.Names) -> Iterator[Draft]:
    subject, before = "", None
    for sentence, source in _sentences(passage):
        sources: tuple[Source, ...] = (source,)
        pronoun = re.match(r"(?:It|He|She) (?=\w)", sentence)
        if pronoun and subject and before:
            sentence, sources = f"{subject} {sentence[pronoun.end() :]}", (before, source)
            sentence = sentence[0].upper() + sentence[1:]
        long_words = [word for word in re.findall(r"[^\W\d_]+", sentence) if len(word) > 3]
        if sum(word[0].isupper() for word in long_words) > 0.6 * len(long_words) + 1:
            continue  # a title or a menu
        for clause, asked in questions_of(sentence, names, passage.document):
            kind, worth = PATTERNS[asked.pattern]
            question = _in_context(asked.question, clause.subject, passage, names)
            if question is None:
                continue
            # A statement that repeats its question would be no answer; with another number it is.
            is_changed = asked.pattern == "changed number"
            answer = f"No. {sentence}" if is_changed else asked.answer
            # Of a statement and the same with another number only one is asked.
            origin = clause.asked() if kind == "yes/no" else ""
            about, pattern = clause.subject, asked.pattern
            draft = Draft(question, (answer,), sources, kind, pattern, about, worth, origin=origin)
            yield replace(draft, comparing=asked.comparing, value=asked.value)
        if pronoun is None:
            # `It`, `he` or `she` of the next sentence is the subject of a sentence that says what that is.
            said, before = next(clauses(sentence, names, passage.document), None), source
            is_said = said and said.auxiliary in ("is", "was")
            is_thing = said and is_said and re.match("(?:an?|the) ", said.rest)
            subject = said.subject if said and is_thing else ""


def _in_context(question: str, subject: str, passage: Passage, names: en.Names) -> str | None:
    """The question, with the headings above it if it does not say what it is about; None if they do not either.

    `Is the noise level 68 decibels (Molenaar G2 grinder)?`
    """
    words = subject.split()
    if words[0] in NUMBERED | {"the", "your", "you"}:  # also `version 3.2`
        is_clear = any(sign.isupper() for sign in subject)
    else:
        content = [word for word in en.content_words(question) if word.capitalize() not in CALENDAR]
        said = set(re.findall(r"(?<!^)\b[A-Z][\w-]+|(?<=\D)\d+\b", question)) - CALENDAR
        is_asked = len(content) > 2 or " " in subject or question.startswith(("What is", "Who is"))
        is_clear = len(content) > 3 or bool(said and is_asked)
    if is_clear:
        return question
    asked = set(en.content_words(question))
    titles = [plain(title) for title in passage.heading.split(" > ") if not title.endswith("?")]
    telling = [title for title in titles if not asked >= set(en.content_words(title))]
    while len(" ".join(telling).split()) > MAX_TITLE_WORDS:
        telling.pop()
    if telling:
        return f"{question[:-1]} ({', '.join(telling)})?"
    noun = words[-1].lower()
    is_known = len(words) > 2 or names.small[f"the {noun}"] >= 3
    return (
        question
        if titles or (is_known and noun not in en.VAGUE and words[0] not in ("your", "you"))
        else None
    )


def _answers(question: str, answer: str) -> bool:
    """Whether a question of a document stands alone, and the sentence below it seems to be its answer."""
    asked = set(en.content_words(question))
    begins = ("Yes", "No", "To ", "By ", "In ")
    is_near = asked & set(en.content_words(answer)) or answer.startswith(begins)
    # `I` and `my` are the reader.
    own = re.sub(r"\b(?:I|[Mm]y|me|we|our)\b", "you", question.rstrip("?"))
    return bool(
        is_near
        and len(asked) > 2
        and ASKING.match(question)
        and is_good(own)
        and not (en.points_outside(answer) or answer.endswith("?"))
    )


def _of_lists(passage: Passage, names: en.Names) -> Iterator[Draft]:
    """A sentence that ends with a colon, with the items below it."""
    for found in LIST.finditer(passage.text):
        items = [plain(item).rstrip(".;,") for item in BULLET.findall(found["items"])]
        if any(len(item.split()) > MAX_ANSWER_WORDS or ":" in item for item in items):
            continue
        intro, listed = plain(found["intro"]), "; ".join(items)
        end = found.start("items") + len(found["items"].rstrip())
        sources = (Source(passage, found.start("intro"), end),)
        following = re.match(
            r"The following (?P<asked>(?:[\w-]+ ){1,4}(?:are|can|may|must|will) .+)", intro
        )
        if following and not en.points_outside(following["asked"]):
            yield Draft(f"Which {following['asked']}?", (listed,), sources, "list", "list items")
        for clause in clauses(f"{intro} the items.", names, passage.document):
            if clause.main and clause.rest == "the items" and en.content_words(clause.subject):
                question = f"What {clause.asked('')}?"
                yield Draft(question, (listed,), sources, "list", "list items", clause.subject)


def _of_table(passage: Passage, names: en.Names) -> Iterator[Draft]:
    """`What is the COLUMN of ROW?` for each cell that a column and a row name."""
    rows = [
        (found.span(), [plain(cell) for cell in found[0].strip().strip("|").split("|")])
        for found in re.finditer(r"[^\n]+", passage.text)
    ]
    rows = [row for row in rows if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row[1])]
    if len(rows) < 3:
        return
    (_, header), *others = rows
    # Without a name for its rows, the rows of a table are what the columns have: `| | 2022 | 2023 |`.
    is_turned = not header[0] or all(map(YEAR.fullmatch, header[1:]))
    counts = Counter(cells[0] for _, cells in others)
    heading = plain(passage.heading.split(" > ")[-1])
    for span, cells in others:
        name = cells[0]
        if len(cells) != len(header) or counts[name] > 1 or not _names_row(name):
            continue
        for column, cell in zip(header[1:], cells[1:], strict=True):
            is_plain = re.search(r"^[^<]*\w[^<]*$", cell)
            is_short = is_plain and 0 < len(cell.split()) <= MAX_ANSWER_WORDS
            if not is_short or cell.lower() in ("n/a", "na", "tbd", "none", "yes", "no", "x"):
                continue
            asked = (name, column, "") if is_turned else (column, name, header[0])
            if question := _of_cell(*asked, cell, heading, names):
                amount, noun = quantities(cell)[:1], column.lower()
                is_amount = amount and amount[0].start == 0 and not CODED.search(noun)
                is_compared = is_amount and (amount[0].unit or {*noun.split()} & MEASURES)
                is_long = re.search(r"window|period|term|duration|time|length|distance|range", noun)
                comparing = f"Which has the {'longer' if is_long else 'higher'} {noun}"
                if question.startswith("How many"):
                    is_compared, comparing = True, f"Which has more {noun}"
                compared = comparing if is_compared and not is_turned else ""
                yield Draft(
                    question,
                    (cell,),
                    (Source(passage, *span),),
                    "table look-up",
                    "cell",
                    name,
                    comparing=compared,
                    value=cell,
                )


def _names_row(cell: str) -> bool:
    words = cell.split()
    return (
        0 < len(words) <= MAX_CELL_WORDS
        and bool(re.search(r"[^\W\d_]{2}|^[A-Z]+-?\d", cell))
        and not re.search(r"[?:;,\"“]", cell)
        and words[0].lower() not in en.PREPOSITIONS | en.JOINING | {"to", "everything", "all"}
        and cell.lower() not in ("total", "other", "yes", "no")
    )


def _of_cell(
    column: str, row: str, first: str, cell: str, heading: str, names: en.Names
) -> str | None:
    """`What is the COLUMN of the FIRST ROW (HEADING)?`; None for a column that is no noun."""
    column = re.sub(r"^[Tt]he ", "", column)
    words = re.findall(r"[\w'’%-]+", column.lower())
    if not 0 < len(words) <= 4 or set(words) & NO_NOUNS or re.search(r"\d{4}|[?!]$", column):
        return None
    last = words[-1]
    is_count = len(words) == 1 and en.is_plural(last) and re.fullmatch(r"\d[\d,]*", cell)
    is_known = {last, last.removesuffix("s")} & NOUNS or names.small[f"the {last} of"] or is_count
    is_title = (
        column[0].isupper() and not en.form_of(last) and not last.endswith(("ed", "ing", "est"))
    )
    if not (is_known or is_title) or not re.search(r"[a-z]{3}", last):
        return None
    what = re.sub(r"^(?:the|an?) ", "", first.lower())
    if what.split()[-1:] == words[-1:]:  # `the day of the day`
        return None
    is_kind = re.fullmatch(r"[a-z-]+(?: [a-z-]+)?", what) and NO_NOUNS.isdisjoint(what.split())
    is_said = what in ("name", "item") or what.split()[-1:] == row.lower().split()[-1:]
    thing = f"the {what} {row}" if is_kind and not is_said else row
    told = set(en.content_words(f"{column} {row} {what}"))
    is_clear = (first and row[0].isupper()) or set(en.content_words(heading)) <= told
    about = "" if is_clear else f" ({heading})"
    if is_count and not YEAR.fullmatch(row):
        return f"How many {last} does {thing} have{about}?"
    name = column if sum(sign.isupper() for sign in column) > 1 else column.lower()
    joined = "for" if YEAR.fullmatch(row) else "of"
    return f"What {'are' if en.is_plural(last) else 'is'} the {name} {joined} {thing}{about}?"
