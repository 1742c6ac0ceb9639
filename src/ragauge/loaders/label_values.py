"""Read a label: words for yes and no, grades, and preferences between two systems."""

import math
from collections.abc import Collection
from typing import cast

YES = frozenset(
    [
        "yes",
        "y",
        "true",
        "t",
        "correct",
        "right",
        "pass",
        "passed",
        "good",
        "supported",
        "relevant",
        "faithful",
        "consistent",
        "accept",
        "accepted",
        "positive",
        "ok",
    ]
)
NO = frozenset(
    [
        "no",
        "n",
        "false",
        "f",
        "incorrect",
        "wrong",
        "fail",
        "failed",
        "bad",
        "unsupported",
        "irrelevant",
        "unfaithful",
        "inconsistent",
        "reject",
        "rejected",
        "negative",
    ]
) | {"not correct", "not supported", "not relevant", "not faithful", "not consistent"}
FIRST = frozenset(["a", "left", "first", "system_a", "model_a", "answer_a", "response_a"])
SECOND = frozenset(["b", "right", "second", "system_b", "model_b", "answer_b", "response_b"])
TIES = frozenset(["tie", "ties", "tied", "equal", "both", "neither", "same", "draw", "none"]) | {
    "tie (bothbad)"
}

NUMBERS = {"1": 1.0, "+1": 1.0, "0": 0.0, "-1": -1.0}
"""Preferences as numbers: for the first system, for none, for the second."""


class LabelValueError(ValueError):
    """A value that is no label; the message says why."""


def label_value(given: object, yes: Collection[str] = ()) -> tuple[float, bool]:
    """The value of a label, and whether it is a yes or no in words (1 or 0) rather than a number.

    With `yes`, these words are 1 and everything else is 0. Raises LabelValueError.

    >>> label_value("Incorrect"), label_value("4.5"), label_value("refusal", yes=["correct"])
    ((0.0, True), (4.5, False), (0.0, True))
    """
    if yes:
        return float(folded(given) in {folded(word) for word in yes}), True
    if isinstance(given, bool):
        return float(given), True
    if isinstance(given, int | float):
        return _finite(given), False
    word = folded(given)
    if word in YES or word in NO:
        return float(word in YES), True
    return _number(word, given), False


def preference_value(given: object, first: str, second: str) -> float:
    """1 if the first system is preferred, -1 if the second is, 0 for a tie. Raises LabelValueError.

    >>> preference_value("B", "base", "new"), preference_value("base", "base", "new")
    (-1.0, 1.0)
    """
    word = folded(given)
    named = {folded(first): 1.0, folded(second): -1.0}.get(word)
    groups = ((FIRST, 1.0), (SECOND, -1.0), (TIES, 0.0))
    placed = next(
        (value for words, value in groups if {word, word.replace(" ", "_")} & words), None
    )
    if named is not None and placed not in (None, named):
        raise LabelValueError(
            f"{given!r:.60} could be the name of a system or its place; give system_a, system_b or tie"
        )
    if named is not None or placed is not None:
        return cast(float, placed if named is None else named)
    if word in NUMBERS:
        return NUMBERS[word]
    raise LabelValueError(
        f"{given!r:.60} is no preference; give the preferred system, a or b, tie, or 1, -1 and 0"
    )


def folded(given: object) -> str:
    """The text of a value for comparison: lower case, single spaces.

    >>> folded(" Correct  Answer ")
    'correct answer'
    """
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return " ".join(str(given).casefold().split())


def _number(word: str, given: object) -> float:
    try:
        return _finite(float(word))
    except ValueError as error:
        if isinstance(error, LabelValueError):
            raise
    raise LabelValueError(f"{given!r:.60} is neither yes nor no nor a number")


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise LabelValueError(f"is {number}; leave the cell empty where there is no label")
    return float(number)
