"""References that say that there is no number: `nm` or `not meaningful` in a table of ratios."""

import re

_NONE_EXPECTED = re.compile(r"(?:nm|NM|n/m|N/M|n\.m\.|N\.M\.|[Nn]ot meaningful)\.?")
_NONE_STATED = re.compile(
    r"\b(?:nm|n/m|n\.m\.?|n/a|(?:not?|without) (?:a )?(?:meaningful(?:ly)?|meaning|applicable|defined)|meaningless|undefined"
    r"|cannot be meaningfully)\b",
    re.IGNORECASE,
)
_AFTER_DIGIT = re.compile(r"[0-9]\s?\Z")


def wants_no_number(reference: str) -> bool:
    """Whether the reference is nothing but the mark of a number that would not be meaningful.

    >>> wants_no_number("n/m"), wants_no_number("500 nm")
    (True, False)
    """
    return _NONE_EXPECTED.fullmatch(reference.strip()) is not None


def says_no_number(answer: str) -> str:
    """The words by which the answer says that a number is not meaningful; "" if it does not.

    >>> says_no_number("The ratio is not meaningful."), says_no_number("The ratio is 5 nm.")
    ('not meaningful', '')
    """
    for found in _NONE_STATED.finditer(answer):
        if not _AFTER_DIGIT.search(answer[max(0, found.start() - 2) : found.start()]):
            return found[0]
    return ""
