"""Numbers whose decimal mark is the comma, where nothing else can be meant: `1.234,5`, `1.234.567`, `12,5 %`."""

import re

from ragauge.language.numbers.units import FOREIGN_SCALES

_UNIT = (
    r"(?=[ \u00a0]?(?:%|[€£]|\$(?![0-9])|(?:percent|per cent|M(?:io|rd)|thousand|[mbtr]{1,2}illions?|[mbt]n"
    rf"|(?i:{FOREIGN_SCALES}|euros?|dollars?|prozent)"
    r"|EUR|USD|CHF|SEK|NOK|DKK|PLN|CZK|BRL)\b))"
)
_NUMBER_ENDS = r"(?![0-9]|[.,][0-9])"
# At most 12 groups: with no bound, each number of `345 345 345 …` would look at all others.
_CONTINENTAL = re.compile(
    rf"[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{2,12}}(?:,[0-9]{{1,2}})?{_NUMBER_ENDS}"
    r"|[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){1,12}|(?:'[0-9]{3}){1,12}|(?:[\u00a0][0-9]{3}){1,12}),[0-9]{1,2}"
    rf"{_NUMBER_ENDS}"
    rf"|(?:[0-9]{{1,3}}(?:[ ][0-9]{{3}}){{0,12}}|[0-9]{{4,15}}),[0-9]{{1,2}}{_UNIT}"
    rf"|(?:(?<=[€£$])|(?<=EUR[ ]))[0-9]{{1,3}},[0-9]{{2}}{_NUMBER_ENDS}"
    rf"|[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{1,12}}(?=[ \u00a0](?:(?i:{FOREIGN_SCALES})|M(?:io|rd))\b)"
)
_SEPARATORS = re.compile("[.'\u00a0 ]")
_FOREIGN_STARTS = frozenset("MmBb")
_PARTS_OF_ADDRESS = 4
_BEFORE_VERSION = ("ersion ", "elease ")


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_GERMAN = re.compile(
    rf"(?:[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}}){{1,12}}(?:,[0-9]{{1,15}})?|[0-9]{{1,15}},[0-9]{{1,15}}){_NUMBER_ENDS}"
)
_SEPARATED = re.compile(r"[0-9][.,][0-9]")
_GERMAN_WORDS = _set(
    "der das und ist sind beträgt betrug kostet kosten für mit nicht ein eine einen auf bei im zum zur wurde wurden"
    " hat haben liegt lag es von insgesamt uhr prozent"
)
_OTHER_WORDS = _set("the and of is are was were with for to at from")


def is_german(text: str) -> bool:
    """Whether words of the text say that it is German, where it has numbers with points or commas in them.

    >>> is_german("Es kamen 1.250 Gäste."), is_german("1.250 guests came.")
    (True, False)
    """
    if not _SEPARATED.search(text):
        return False
    words = {word.strip('.,;:!?()"') for word in text.lower().split()}
    return not words.isdisjoint(_GERMAN_WORDS) and words.isdisjoint(_OTHER_WORDS)


def may_be_continental(plain: str, digits: str, end: int) -> bool:
    """Whether the number that ends here, if it is read as English, may go on; a fast check."""
    after = plain[end : end + 1]
    return (
        (after == "," and plain[end + 1 : end + 2].isdigit())
        or (after == " " and plain[end + 1 : end + 2].isdigit())
        or (after in " \u00a0" and "." in digits and plain[end + 1 : end + 2] in _FOREIGN_STARTS)
        or digits.count(".") > 1
    )


def continental_end(plain: str, start: int, *, is_german: bool = False) -> int:
    """Where the number that starts here ends, if it has a decimal comma or points between thousands; else 0.

    >>> continental_end("1.234,5", 0), continental_end("1,234.5", 0)
    (7, 0)
    """
    found = _GERMAN.match(plain, start) if is_german else None
    found = found or _CONTINENTAL.match(plain, start)
    if found is None or _is_address(found[0]) or plain.endswith(_BEFORE_VERSION, 0, start):
        return 0
    return found.end()


def in_english(digits: str) -> str:
    """The number in digits with a decimal point only.

    >>> in_english("1.234,5")
    '1234.5'
    """
    return _SEPARATORS.sub("", digits).replace(",", ".")


def _is_address(digits: str) -> bool:
    """Whether it is an IP address: `192.168.100.200`."""
    parts = digits.split(".")
    return len(parts) == _PARTS_OF_ADDRESS and all(
        part.isdigit() and int(part) < 256 for part in parts
    )
