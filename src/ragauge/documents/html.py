"""HTML as text with Markdown's headings, lists and tables; navigation, scripts and styles are left out."""

import re
from html.parser import HTMLParser

HIDDEN = frozenset(("script", "style", "template", "noscript", "svg", "head", "iframe", "object"))
NAVIGATION = frozenset(("nav", "footer", "aside", "form", "button", "select", "menu"))
BLOCKS = frozenset((
    "p", "div", "nav", "footer", "aside", "form", "menu", "section", "article", "main", "header", "ul", "ol",
    "dl", "dd", "dt", "pre", "hr", "blockquote", "table", "figure", "figcaption", "address", "details",
    "summary", "body",
))  # fmt: skip
_HEADING = re.compile("h[1-6]")
_SPACE = re.compile(r"[^\S\n]*\n\s*\n\s*")


def text_of_html(html: str) -> str:
    """The text that a reader of the page sees, without its navigation.

    A tag that is never closed hides nothing: then the navigation stays.

    >>> text_of_html("<nav>Home</nav><h1>Leave</h1><p>It is <b>30</b> days.<table><tr><th>a<td>1</table>")
    '# Leave\\n\\nIt is 30 days.\\n\\n| a | 1 |'
    """
    reader = _Reader(html, HIDDEN | NAVIGATION)
    if reader.hidden:
        reader = _Reader(html, HIDDEN - {"head"})
    return _SPACE.sub("\n\n", "".join(reader.pieces)).strip()


class _Reader(HTMLParser):
    def __init__(self, html: str, skipped: frozenset[str]) -> None:
        super().__init__()
        self.skipped = skipped
        self.hidden = ""  # the outermost skipped element that is open
        self.pieces: list[str] = []
        self.in_row = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if self.hidden:
            return
        if tag in self.skipped:
            self.hidden = tag
        elif tag in ("td", "th"):
            self.pieces.append(" | " if self.in_row else "| ")
            self.in_row = True
        elif tag == "tr":
            self._end_row()
            self.pieces.append("\n")
        elif not self.in_row:
            opening = "\n\n" if tag in BLOCKS else {"li": "\n- ", "br": "\n"}.get(tag, "")
            self.pieces.append(f"\n\n{'#' * int(tag[1])} " if _HEADING.fullmatch(tag) else opening)

    def handle_endtag(self, tag: str) -> None:
        if self.hidden:
            if tag == self.hidden:
                self.hidden = ""
                self.pieces.append("\n\n" if tag in BLOCKS else "")
        elif tag in ("tr", "table"):
            self._end_row()
            self.pieces.append("\n\n" if tag == "table" else "")
        elif not self.in_row and (tag in BLOCKS or _HEADING.fullmatch(tag)):
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            data = re.sub(r"\s+", " ", data)
            at_start = not self.pieces or self.pieces[-1].endswith(("\n", " "))
            self.pieces.append(data.lstrip() if at_start else data)

    def _end_row(self) -> None:
        if self.in_row:
            self.pieces.append(" |")
        self.in_row = False
