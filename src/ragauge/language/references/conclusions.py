"""Where an answer states its result, as opposed to the steps towards it."""

import re
from collections.abc import Iterator

_CUES = (
    r"therefore|thus|hence|so|consequently|accordingly|in conclusion|to conclude|in summary|to summari[sz]e"
    r"|in short|overall|as a result|(?:the )?final (?:answer|result)|(?:the )?answer(?: is)?"
)
_CUE = re.compile(rf"(?:\A|[.!?:]\s|\n)[\s*_#>-]{{0,8}}({_CUES})\b", re.IGNORECASE)
_END = re.compile(r"[.!?](?=\s|\Z)|\n\s{0,8}\n")


def conclusions(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences that a word such as "therefore" marks as the result, the last first.

    >>> text = "It was 7 - 2. Therefore, it is 5. See page 3."
    >>> [text[start:end] for start, end in conclusions(text)]
    ['Therefore, it is 5']
    """
    limit = len(text)
    for cue in reversed(list(_CUE.finditer(text))):
        end = _END.search(text, cue.end(), limit)
        yield cue.start(1), end.start() if end else limit
        limit = cue.start(1)
