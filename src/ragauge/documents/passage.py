"""A passage of a document, and the passages of a text: by headings, tables and sentences up to a limit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragauge.language.text import sentence_spans
from ragauge.language.words import words

MAX_WORDS = 200
"""Most words of a passage of prose, unless a single sentence is longer."""
MAX_TABLE_WORDS = 1_000
"""Most words of a passage that is kept whole: a table, or a chunk of an index."""

_LINE = re.compile(r"[^\n]*\n?")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_ADORNMENT = re.compile(r"([=\-~^\"'*+#.`_:])\1{2,}\s*$")
"""Under, and perhaps over, a heading of reStructuredText; its levels are in the order in which they come."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*$|[ :-]*-\|[ :|-]*-[ :]*$|[^|\n]+ \|(?:[^|\n]*\|)*[^|\n]*$")
_FRONT_MATTER = re.compile(r"---\n(?:[^\n]*\n){1,60}?---\n")
"""What the pages of static sites begin with."""
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document that is retrieved as a whole.

    `start` and `end` are offsets in characters of the document's text, and `text` is what lies between
    them. `heading` is the path of the headings above it ("Leave > Sick leave"), of a later part of a long
    table its header row.
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    heading: str = ""
    kind: Literal["prose", "table"] = "prose"


class _Block(NamedTuple):
    start: int
    end: int
    heading: str
    kind: Literal["prose", "table"]


def passages_of(
    document: str, text: str, max_words: int = MAX_WORDS, boilerplate: frozenset[str] = frozenset()
) -> list[Passage]:
    """The passages of a text, in order: each under one heading, of whole sentences, a table for itself.

    Headings are those of Markdown and the title of its front matter, or those of reStructuredText, tables rows with `|`. A table of over 1,000 words is cut between rows.
    Lines of `boilerplate` are in no passage.

    >>> [(p.heading, p.text) for p in passages_of("a.md", "# Leave\\n\\nIt is 30 days. Ask early.")]
    [('Leave', 'It is 30 days. Ask early.')]
    """
    passages: list[Passage] = []
    for block in _blocks(text, boilerplate, is_rst=document.lower().endswith(".rst")):
        for start, end in _spans(text, block, max_words):
            id = f"{document}#{len(passages) + 1}"
            passages.append(
                Passage(id, document, start, end, text[start:end], block.heading, block.kind)
            )
    return passages


def _blocks(text: str, boilerplate: frozenset[str], *, is_rst: bool) -> Iterator[_Block]:
    """Stretches of prose and tables under the headings above them."""
    front = _FRONT_MATTER.match(text)
    title = _TITLE.search(front[0]) if front else None
    headings = [(0, title[1])] if title else []
    start, at, previous, fence = front.end() if front else 0, 0, "", ""
    styles, before = list[str](), ""
    kind: Literal["prose", "table"] = "prose"

    def block(end: int) -> _Block:
        path = " > ".join(dict.fromkeys(title for _, title in headings))
        return _Block(start, end, path, kind)

    for match in _LINE.finditer(text, start):
        line, begin = match[0], match.start()
        under = _ADORNMENT if is_rst else _UNDERLINE
        underlined = under.match(line) if previous.strip() and kind == "prose" else None
        heading = None if fence or is_rst else _HEADING.match(line)
        if not is_rst and (mark := _FENCE.match(line)):  # in code `# note` is no heading
            fence = "" if fence else mark[0]
        if heading or (underlined and at > start - 1 and "|" not in previous):
            yield block(begin if heading else begin - len(previous))
            level = len(heading[1]) if heading else 1 if "=" in line else 2
            if is_rst:
                style = line[:1] + ("over" if before == line else "")
                styles += [] if style in styles else [style]
                level = styles.index(style)
            title = heading[2].rstrip().rstrip("#") if heading else previous
            title = re.sub(r"\s*\{#[^}]*\}\s*$", "", title).strip()
            headings = [*(each for each in headings if each[0] < level), (level, title)]
            start, kind, line = match.end(), "prose", ""
        elif boilerplate and line.strip() in boilerplate:
            yield block(begin)
            start, kind, line = match.end(), "prose", ""
        elif (is_row := bool(_TABLE_ROW.match(line))) != (kind == "table"):
            yield block(begin)
            start, kind = begin, "table" if is_row else "prose"
        before, previous, at = previous, line, begin
    yield block(len(text))


def _spans(text: str, block: _Block, max_words: int) -> Iterator[tuple[int, int]]:
    """Whole sentences, or whole rows of a table, up to the limit."""
    inner = text[block.start : block.end]
    if block.kind == "prose":
        limit, units = max_words, list(sentence_spans(inner))
    else:
        rows = [(row.start(), row[0].rstrip()) for row in _LINE.finditer(inner)]
        limit, units = MAX_TABLE_WORDS, [(at, at + len(row)) for at, row in rows if row.strip()]
    first: int | None = None
    last = size = 0
    for start, end in units:
        n_words = len(words(inner[start:end]))
        if first is not None and size + n_words > limit:
            yield block.start + first, block.start + last
            first, size = None, 0
        first = start if first is None else first
        last, size = end, size + n_words
    if first is not None and size:
        yield block.start + first, block.start + last
