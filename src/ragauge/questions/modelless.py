"""Questions without a model: from sentences, tables and headings that are questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePath

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.language.detection import language_of
from ragauge.language.numbers.numbers import quantities
from ragauge.questions import english_words as en
from ragauge.questions.clauses import clauses
from ragauge.questions.definitions import PERSON
from ragauge.questions.english import questions_of
from ragauge.questions.headings import asked_in
from ragauge.questions.question import Draft, Source
from ragauge.questions.sentences import plain, sentences
from ragauge.questions.signs import MIN_OF, MIN_SIGNS, Signs
from ragauge.questions.translated import CELL, questions_in

MAX_CELL_WORDS, MAX_ANSWER_WORDS, MAX_TITLE_WORDS = 6, 14, 9
MAX_DOCUMENTS = 200
"""Documents that say which names are common."""
SAMPLE = re.compile(
    r"\b(?:examples?|templates?|samples?|scenarios?|jokes?|exercises?|activities|references|preface|foreword|further \w+)\b",
    re.IGNORECASE,
)
"""In a heading: what is below it is said of nothing real."""
DEFINITE = re.compile(r"\b(?:the|your|this) [a-z]")
"""What another text may have another one of."""
ONCE = re.compile(r"^W(?!hen).* (?:did|was|were) .*\w|^Who (?!was)[a-z]+ ")
"""What happened once: `Why were Britain and France allowed more ships?`"""
YEAR = re.compile(r"(?:FY ?|Q[1-4] )?(?:19|20)\d\d")
NOUNS = en.words_of("measures") | en.words_of("nouns")
NO_NAMES = en.PREPOSITIONS | en.JOINING | {"to", "everything", "all", "total", "other", "yes", "no"}
NO_NOUNS = en.JOINING | en.POINTING | en.MODALS | en.BEFORE_NOUNS | en.words_of("no_nouns")


class Titles:
    """The headings of documents: which of them say what a question is about."""

    def __init__(self, passages: Sequence[Passage], texts: Mapping[str, str]) -> None:
        self._texts, self._common = [*texts.values()][:MAX_DOCUMENTS], dict[str, bool]()
        self._documents: dict[str, set[str]] = defaultdict(set)
        for passage in passages:
            for title in (passage.heading or _name(passage)).split(" > "):
                self._documents[title].add(passage.document)

    def _is_common(self, name: str) -> bool:
        """Whether a quarter of the documents has a name: what it is about."""
        if name not in self._common:
            n = sum(name in text for text in self._texts)
            self._common[name] = n > max(2, len(self._texts) / 4)
        return self._common[name]

    def beside(self, question: str, subject: str, passage: Passage) -> str | None:
        """The question, with the headings above it, or the file's name, if it does not name what it is about; None if they do not either.

        `Is the noise level 68 decibels (Molenaar G2 grinder)?`
        """
        is_name = any(sign.isupper() for sign in subject) and not re.fullmatch(r"the \w+", subject)
        about = question.replace(subject, "")
        is_once = ONCE.search(about) and not re.search(r"\d", question)
        if is_name and not (is_once or self._is_common(subject) or DEFINITE.search(about)):
            return question
        titles = (passage.heading or _name(passage)).split(" > ")
        own = [each for each in titles if not re.search(r"^$|\?$|[<^{]", each)]
        # A heading tells nothing whose words are in the question or in another heading.
        told = set(en.content_words(question))
        telling: list[str] = []
        for each in sorted(own, key=len, reverse=True):
            words = set(en.content_words(plain(each)))
            if not told >= words:
                telling.append(each)
                told |= words
        telling.sort(key=own.index)
        while len(" ".join(telling).split()) > MAX_TITLE_WORDS:
            is_long = len(telling[0].split()) > MAX_TITLE_WORDS
            telling.pop(0 if is_long else -1)
        if any(len(self._documents[each]) == 1 for each in telling):
            sign = re.search(r"\s?[?？]$", question)
            end = sign.start() if sign else len(question)
            return f"{question[:end]} ({', '.join(map(plain, telling))}){question[end:]}"
        # Without `telling`, the question says the headings itself; else other documents have them too.
        is_bare = re.fullmatch(r"(?:the|your) [a-z-]+|you", subject)
        return None if not is_name and (telling if own else is_bare) else question


def _name(passage: Passage) -> str:
    """The name of a passage's file in words; "" for other documents."""
    path = PurePath(passage.document)
    name = re.sub(r"[\W_]+", " ", path.stem).strip() if path.suffix else ""
    return name if re.search(r"[^\W\d_]{4}", name) else ""


def drafts(documents: Documents) -> list[Draft]:
    """All questions that the documents answer, in the order of the passages."""
    names, titles = en.Names(documents.texts), Titles(documents.passages, documents.texts)
    signs = Signs(documents.texts)
    languages = {name: language_of(text) or "en" for name, text in documents.texts.items()}
    headings: set[tuple[str, str]] = set()
    found: list[Draft] = []
    for passage in documents.passages:
        if SAMPLE.search(f"{_name(passage)} {passage.heading}"):
            continue
        language, place = languages[passage.document], (passage.document, passage.heading)
        if passage.kind == "table" and language in ("en", *CELL):
            found += _of_table(passage, titles, language)
        elif passage.kind == "prose":
            for draft in asked_in(passage, is_first=place not in headings):
                if question := titles.beside(draft.question, "", passage):
                    found.append(replace(draft, question=question))
            language = language_of(passage.text) or language
            if language == "en":
                found += _of_sentences(passage, names, titles, signs)
            else:
                found += _of_foreign(passage, titles, language)
        headings.add(place)
    answers: dict[str, set[str]] = defaultdict(set)
    first: dict[tuple[str, tuple[str, ...]], Draft] = {}
    for draft in found:
        answers[draft.question.lower()].update(each.lower() for each in draft.references)
        # Below several headings the same is said: one question is enough.
        is_of_name = draft.pattern == "definition" and draft.subject[0].isupper()
        said = () if is_of_name else draft.references
        first.setdefault((draft.question.partition(" (")[0], said), draft)
    # With two answers it is not clear which is meant; two tables may have the same cell.
    return [each for each in first.values() if len(answers[each.question.lower()]) == 1]


def _of_sentences(
    passage: Passage, names: en.Names, titles: Titles, signs: Signs
) -> Iterator[Draft]:
    subject, before = "", None
    above = f"{_name(passage)} {plain(passage.heading)}"
    for sentence, source in sentences(passage):
        sources: tuple[Source, ...] = (source,)
        pronoun = re.match(r"(?:It|He|She) (?=\w)", sentence)
        if pronoun and subject and before:
            sentence, sources = f"{subject} {sentence[pronoun.end() :]}", (before, source)
            sentence = sentence[0].upper() + sentence[1:]
        long_words = [word for word in re.findall(r"[^\W\d_]+", sentence) if len(word) > 3]
        if sum(word[0].isupper() for word in long_words) > 0.6 * len(long_words) + 1:
            continue  # a title or a menu
        for draft in questions_of(sentence, names):
            if question := titles.beside(draft.question, draft.subject, passage):
                n_signs = signs.count(draft, sources[0], above)
                if n_signs >= MIN_OF.get(draft.pattern, MIN_SIGNS):
                    worth = draft.worth + n_signs
                    yield replace(draft, question=question, sources=sources, worth=worth)
        if pronoun is None:
            # `It`, `he` or `she` of the next sentence is the subject of a sentence that says what that is.
            said, before = next(clauses(sentence, names), None), source
            is_thing = (
                said and said.auxiliary in ("is", "was") and re.match("(?:an?|the) ", said.rest)
            )
            subject = said.subject if said and is_thing else ""


def _of_foreign(passage: Passage, titles: Titles, language: str) -> Iterator[Draft]:
    for sentence, source in sentences(passage):
        for question, answer, form, subject in questions_in(language, sentence):
            is_clear = language == "zh" or len(subject.split()) > 3
            text = question if is_clear else titles.beside(question, "", passage)
            if text:
                kind, pattern = form.question_type, f"{language} {form.question_type}"
                yield Draft(text, (answer,), (source,), kind, pattern, subject, form.worth)


def _of_table(passage: Passage, titles: Titles, language: str) -> Iterator[Draft]:
    """`What is the COLUMN of ROW?` for each cell that a column and a row name."""
    rows = [
        (found.span(), [plain(cell) for cell in found[0].strip().strip("|").split("|")])
        for found in re.finditer(r"[^\n]+", passage.text)
    ]
    rows = [row for row in rows if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row[1])]
    if len(rows) < 2:
        return
    (_, header), *others = rows
    if SAMPLE.search(" ".join(header)):
        return
    header = [each.replace("_", " ") for each in header]
    # Without a name for its rows, the rows of a table are what the columns have: `| | 2022 | 2023 |`.
    is_turned = not header[0] or all(map(YEAR.fullmatch, header[1:]))
    counts = Counter(cells[0] for _, cells in others)
    full = [cells for _, cells in others if len(cells) == len(header)]
    same = [len(set(column)) < 2 < len(full) for column in zip(*full, strict=True)]
    for span, cells in others:
        name, first = cells[0], cells[0].lower().split(" ")[0]
        is_name = re.search(r"[^\W\d_]{2}|^[A-Z]+-?\d", name) and not re.search(r"[?:;,\"“]", name)
        is_open = first in NO_NAMES or len(name.split()) > MAX_CELL_WORDS
        # `Agency gathers signatures`
        is_open = is_open or any(
            each in en.AUXILIARIES or (en.form_of(each) == "third" and not en.is_plural(before))
            for before, each in pairwise(en.tokens_of(name))
            if before != each
        )
        if len(cells) != len(header) or counts[name] > 1 or is_open or not is_name:
            continue
        for column, cell, is_same in zip(header[1:], cells[1:], same[1:], strict=True):
            is_short = (
                re.search(r"^[^<]*\w[^<]*$", cell)
                and not re.search("://|[{]%", cell)
                and len(cell.split()) <= MAX_ANSWER_WORDS
            )
            if (
                not is_short
                or header.count(column) > 1
                or is_same
                or cell.lower() in ("n/a", "na", "tbd", "none", "yes", "no", "x", "link")
            ):
                continue
            if language in CELL:
                asked = CELL[language].format(column, name) if column else "", ""
            elif is_turned:
                asked = _cell_question(name, column, "", cell)[0], ""
            else:
                asked = _cell_question(column, name, header[0], cell)
            question = titles.beside(asked[0], "", passage) if asked[0] else None
            if question:
                pattern = f"{language} cell" if language in CELL else "cell"
                sources = (Source(passage, *span),)
                draft = Draft(question, (cell,), sources, "table look-up", pattern, name)
                yield replace(draft, comparing=asked[1], value=cell)


def _cell_question(column: str, row: str, first: str, cell: str) -> tuple[str, str]:
    """`What is the COLUMN of the FIRST ROW, in UNIT?`, and how two rows are compared by it; "" for a column that is no noun."""
    column, unit = re.sub(r"^[Tt]he ", "", column), ""
    with_unit = re.fullmatch(r"(?P<what>.+?) \((?P<unit>[^()]+)\)", column)
    if with_unit and re.fullmatch(r"[\d.,]+", cell):
        column, unit = with_unit["what"], f", in {with_unit['unit']}"
    words = re.findall(r"[\w'’%-]+", column.lower())
    is_odd = re.search(r"[?:()]| - |\d$", column)
    if not 0 < len(words) <= 4 or set(words) & NO_NOUNS or is_odd:
        return "", ""
    last = words[-1]
    is_known = {last, last.removesuffix("s")} & NOUNS
    is_count = not unit and en.is_plural(last) and re.fullmatch(r"\d[\d,]*", cell)
    # Without a name for the rows, the columns are years, and the rows what is measured.
    if not (is_known or (is_count and " " not in first) or (column[0].isupper() and not first)):
        return "", ""
    what = re.sub(r"^(?:the|an?) |(?<=\w) name$", "", first.lower())
    is_kind = re.fullmatch(r"[a-z-]+(?: [a-z-]+)?", what) and NO_NOUNS.isdisjoint(what.split())
    is_said = what in ("name", "item") or what.split()[-1:] == row.lower().split()[-1:]
    thing = f"the {what} {row}" if is_kind and not is_said else row
    name = column if sum(sign.isupper() for sign in column) > 1 else column.lower()
    is_role = last in ("owner", "contact") or en.ROLE.search(last)
    if bool(is_role) != bool(PERSON.fullmatch(cell)) and (is_role or not is_known):
        return "", ""
    amount = quantities(cell)[:1]
    comparing = (
        f"Which has the higher {name}" if amount and amount[0].start == 0 and amount[0].unit else ""
    )
    if is_count:
        return f"How many {name} does {thing} have?", comparing
    joined = "for" if YEAR.fullmatch(row) else "of"
    be = "are" if en.is_plural(last) else "is"
    return f"{'Who' if is_role else 'What'} {be} the {name} {joined} {thing}{unit}?", comparing
