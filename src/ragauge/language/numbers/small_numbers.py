"""The words for the numbers below a hundred, and whether a text ends in such a word."""

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORD_VALUES = {word: value for value, word in enumerate(SMALL.split())} | {
    word: 20 + 10 * i for i, word in enumerate(TENS.split())
}
_AFTER_ONE = ("hundred", "thousand", "million", "billion", "trillion")


def ends_in_number(plain: str, end: int) -> bool:
    """Whether the last word before `end` is a number in words."""
    words = plain[max(0, end - 12) : end].lower().replace("-", " ").split()
    return bool(words) and (words[-1] in WORD_VALUES or words[-1] in _AFTER_ONE)
