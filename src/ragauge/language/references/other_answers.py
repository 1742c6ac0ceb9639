"""Whether an answer gives something else in place of a name, though it has words of it."""

from ragauge.language.references.compared_text import ComparedText
from ragauge.language.references.named_beside import named_beside
from ragauge.language.references.other_names import other_name


def other_answer(
    question: str,
    asked: ComparedText,
    reference: str,
    expected: ComparedText,
    answer: str,
    given: ComparedText,
) -> str | None:
    """What the answer gives instead of the reference: another person of that name, or what it names the reference beside.

    >>> from ragauge.language.references.compared_text import read_text
    >>> question, reference = "Which planet has most moons?", "Saturn"
    >>> answer = "Jupiter has most moons, ahead of Saturn."
    >>> other_answer(question, read_text(question), reference, read_text(reference), answer, read_text(answer))
    'Jupiter'
    """
    named = other_name(asked, reference, expected, answer, given)
    return named or named_beside(question, asked, expected, answer, given)
