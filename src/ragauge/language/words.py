"""The words of a text, read once for all metrics, and what its dates and numbers may begin with."""

import re

from ragauge.language.characters import lower_letters
from ragauge.language.kept_readings import KeptReadings
from ragauge.language.text import ASCII_WORDS, composed

WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])[\w\u0300-\u036f])+"
)


def words(text: str) -> list[str]:
    """The lower-cased words of a text without punctuation; each kanji, hanzi and kana is one.

    >>> words("Don't panic: 東京 has U.S. maps")
    ['don', 't', 'panic', '東', '京', 'has', 'u', 's', 'maps']
    """
    if text.isascii():
        return text.translate(ASCII_WORDS).split()
    return WORD.findall(composed(lower_letters(text)))


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


DATE_NAMES = _set("""
    jan january feb february mar march apr april may jun june jul july aug august sep sept september
    oct october nov november dec december noon midnight century centuries quarter
    monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays
    saturday saturdays sunday sundays
""")
"""The words of which every date that begins with a name has one."""
NUMBER_WORDS = _set("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety dozen
    hundred thousand million billion trillion
    half third quarter fifth sixth seventh eighth ninth tenth
""")
"""The words of which every number and every share in words has one."""
_NAMES = DATE_NAMES | NUMBER_WORDS


class Words:
    """The words of a text in order.

    The text is kept with spaces for all signs, not as words: a string a word takes ten times the memory.
    """

    __slots__ = ("_text", "date_names", "may_spell_numbers", "spaced")

    def __init__(self, text: str) -> None:
        self.spaced = f" {text.translate(ASCII_WORDS)} " if text.isascii() else ""
        """An ASCII text in lower case, with a space for each sign between words, at the start and at the end."""
        self._text = "" if self.spaced else text
        separate = self.spaced.split() if self.spaced and "_" not in text else _ascii_words(text)
        named = _NAMES.intersection(separate)
        self.date_names = named & DATE_NAMES if named else named
        """Its words that every date that begins with a name has; looking for one takes ten times as long."""
        self.may_spell_numbers = bool(named) and not NUMBER_WORDS.isdisjoint(named)
        """Whether there may be numbers in words."""

    @property
    def may_name_dates(self) -> bool:
        """Whether a date may begin with a name."""
        return bool(self.date_names)

    @property
    def listed(self) -> list[str]:
        return self.spaced.split() or words(self._text)


def _ascii_words(text: str) -> list[str]:
    """The words of ASCII letters and digits; all else, also underscores, separates them."""
    plain = text.replace("_", " ").encode("ascii", "replace").decode()
    return plain.translate(ASCII_WORDS).split()


words_of = KeptReadings(Words)
"""The `Words` of a text; each distinct text is read once."""
