"""Whether an answer gives another name in place of the expected one: `Luke Skywalker` for `Anakin Skywalker`."""

import re
from collections.abc import Sequence
from functools import cache

from ragauge.language.content_words import is_content_word
from ragauge.language.references.compared_text import ARTICLES, ComparedText, without_accents
from ragauge.language.stems import Word

MAX_NAME = 5
"""Words of a name, with its particles."""
PARTICLES = frozenset(
    ("van", "von", "der", "den", "de", "del", "della", "di", "da", "du", "la", "le", "bin", "ibn", "al", "el")
)  # fmt: skip
TITLES = frozenset(
    title
    for titles in (
        "mr mrs ms miss dr sir dame lord lady king queen prince princess duke duchess earl count baron",
        "president vice prime minister chancellor senator governor mayor congressman general captain",
        "colonel major admiral lieutenant sergeant justice judge pope saint st emperor empress tsar czar",
        "sultan shah professor prof coach actor actress singer author director composer chairman chair",
        "chairwoman ceo cfo founder father mother brother sister uncle aunt rev reverend bishop cardinal",
    )
    for title in titles.split()
)
SUFFIXES = frozenset(("jr", "sr", "junior", "senior", "esq"))
FORMS_OF_NAMES = (
    "bill billy will william wilhelm guillermo guglielmo",
    "bob bobby rob robert",
    "dick rick richard",
    "ted teddy ned ed edward theodore edmund",
    "hank henry harry",
    "peggy meg maggie margaret",
    "liz lisa betty bess beth libby elizabeth",
    "tony anthony antonio",
    "sandy sasha alexander",
    "polly mary",
    "nancy ann anne",
    "kate kathy kitty kathleen karen catherine cathy ekaterina",
    "karl carl chuck charlie charles carlos",
    "john jack ivan ian juan giovanni hans sean",
    "george jorge jurgen jiri yuri",
    "joseph joe jose giuseppe",
    "james jim jimmy jacob santiago",
    "fritz friedrich fred",
    "nell eleanor helen ellen",
    "peter pedro pietro",
)
"""First names of which one may be another form of the other though their letters differ."""
ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
PRONOUN = re.compile(r"\s(?!(?:of|was|is|and|in|who|had|as)\b)[a-z]")
"""Behind an `I` that is no number: `by George I think`."""
_SPACE = re.compile(r"[\s.\-–]{1,3}")


def other_name(
    question: ComparedText, reference: str, expected: ComparedText, answer: str, given: ComparedText
) -> str | None:
    """The name that the answer has in place of the reference's: another first name, or another number behind it.

    >>> from ragauge.language.references.compared_text import read_text
    >>> asked, reference = read_text("Who wore the mask?"), "Anakin Skywalker"
    >>> for answer in ("Luke Skywalker", "Skywalker", "Annie Skywalker"):
    ...     other_name(asked, reference, read_text(reference), answer, read_text(answer))
    'Luke Skywalker'
    """
    if not _is_one_name(reference, expected):
        return None
    words = [word for word in expected.words if word.lowered not in SUFFIXES]
    if len(words) < 2:
        return None
    if _is_roman(reference, words[-1]):
        return _other_number(question, words, answer, given)
    if words[-1].stem in question.stems:
        return None
    return _other_first_name(question, words, answer, given)


def _is_one_name(reference: str, expected: ComparedText) -> bool:
    """Whether the reference is a few words with capitals: neither a list, nor a title with a subtitle."""
    words = [word for word in expected.words if word.lowered not in PARTICLES | ARTICLES | {"of"}]
    return (
        2 <= len(words) <= len(expected.words) <= MAX_NAME
        and all(reference[word.start].isupper() for word in words)
        and not any(sign in reference for sign in ",;:/&(")
    )


def _is_roman(text: str, word: Word) -> bool:
    return bool(ROMAN.fullmatch(text, word.start, word.end))


def _other_number(
    question: ComparedText, words: Sequence[Word], answer: str, given: ComparedText
) -> str | None:
    """`Edward VII` for `Edward VIII`."""
    *_, name, number = words
    ours: list[tuple[Word, Word]] = []
    for before, word in zip(given.words, given.words[1:], strict=False):
        is_number = before.lowered == name.lowered and _is_roman(answer, word)
        if (
            is_number
            and word.stem not in question.stems
            and not (word.lowered == "i" and PRONOUN.match(answer, word.end))
        ):
            ours.append((before, word))
    if not ours or any(word.lowered == number.lowered for _, word in ours):
        return None
    return answer[ours[0][0].start : ours[0][1].end]


def _other_first_name(
    question: ComparedText, words: Sequence[Word], answer: str, given: ComparedText
) -> str | None:
    """`Luke Skywalker` for `Anakin Skywalker`, if that is how the answer names every Skywalker."""
    *firsts, last = words
    wanted = [without_accents(word.lowered) for word in firsts if _counts(word, question)]
    found: str | None = None
    for at, word in enumerate(given.words):
        if word.lowered != last.lowered or not answer[word.start].isupper():
            continue
        names = [each for each in _before(answer, given.words, at) if _counts(each, question)]
        ours = [without_accents(each.lowered) for each in names]
        if not ours and found:
            continue  # `Luke Skywalker … Skywalker`
        missing = [name for name in wanted if not any(_is_form(name, each) for each in ours)]
        if not _are_others(ours, wanted) or not given.plain.isdisjoint(missing):
            return None
        found = found or answer[names[0].start : word.end]
    return found


def _before(answer: str, words: Sequence[Word], at: int) -> list[Word]:
    """The words with capitals that lead up to a surname, behind the last title: not `Apple CEO` of `Apple CEO Cook`."""
    names: list[Word] = []
    after = words[at]
    for word in reversed(words[max(0, at - MAX_NAME) : at]):
        if not _SPACE.fullmatch(answer, word.end, after.start) or word.lowered in TITLES:
            break
        if word.lowered not in PARTICLES:
            is_initial = word.end - word.start == 1
            if not answer[word.start].isupper() or not (
                is_initial or is_content_word(word.lowered)
            ):
                break
            names.append(word)
        after = word
    return names[::-1]


def _counts(word: Word, question: ComparedText) -> bool:
    """Whether a word before a surname may be a first name that the question does not ask about."""
    return (
        word.lowered not in TITLES | PARTICLES | ARTICLES | {"of"}
        and word.stem not in question.stems
    )


def _are_others(ours: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether each side has a name, and no mere initial, that is no form of a name of the other side."""
    return _has_own(ours, wanted) and _has_own(wanted, ours)


def _has_own(names: Sequence[str], others: Sequence[str]) -> bool:
    return any(
        len(name) > 2 and name.isalpha() and not any(_is_form(name, other) for other in others)
        for name in names
    )


def _is_form(one: str, other: str) -> bool:
    """Whether two first names may be one: equal first letters, as of initials and most short forms, or known forms."""
    if one[0] == other[0] or (min(len(one), len(other)) > 2 and (one in other or other in one)):
        return True
    return not _forms().get(one, frozenset[int]()).isdisjoint(_forms().get(other, ()))


@cache
def _forms() -> dict[str, frozenset[int]]:
    """The groups that each first name belongs to."""
    found: dict[str, frozenset[int]] = {}
    for at, names in enumerate(FORMS_OF_NAMES):
        for name in names.split():
            found[name] = found.get(name, frozenset()) | {at}
    return found
