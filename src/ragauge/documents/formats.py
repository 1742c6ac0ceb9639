"""HTML, DOCX and PDF as text, with Markdown's headings, lists and tables; what is too large, encrypted or without text says so."""

import io
import logging
import re
import zipfile
import zlib
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

from ragauge.errors import MissingExtraError
from ragauge.report.plain import counted

HIDDEN = frozenset(("script", "style", "template", "noscript", "svg", "head", "iframe", "object"))
NAVIGATION = frozenset(("nav", "footer", "aside", "form", "button", "select", "menu"))
BLOCKS = frozenset((
    "p", "div", "nav", "footer", "aside", "form", "menu", "section", "article", "main", "header", "ul", "ol",
    "dl", "pre", "hr", "blockquote", "table", "figure", "figcaption", "address", "details",
    "summary", "body",
))  # fmt: skip
MAX_CELL = 40
"""Most words of a cell; a table with a longer one lays out a page."""
_HEADING = re.compile("h[1-6]")
_SPACE = re.compile(r"[^\S\n]*\n\s*\n\s*")
_TITLE = re.compile(r"<title[^>]*>([^<|]*)", re.IGNORECASE)
_ROW, _CELL, _BOLD = "\x1e", "\x1f", "\x1d"
"""What ends a row, begins a cell, and is around bold words, until all is read."""
_BOLD_LINE = re.compile(f"^ *{_BOLD}([^{_BOLD}\n]{{3,60}}[^{_BOLD}\n.:!?]){_BOLD} *$", re.MULTILINE)


def text_of_html(html: str) -> str:
    """The text that a reader of the page sees, without its navigation; its title where it has no heading.

    A tag that is never closed hides nothing: then the navigation stays. A table that lays out the page is none.

    >>> text_of_html("<nav>Home</nav><h1>Leave</h1><p>It is <b>30</b> days.<table><tr><th>a<td>b<tr><td>1<td>2</table>")
    '# Leave\\n\\nIt is 30 days.\\n\\n| a | b |\\n| 1 | 2 |'
    """
    reader = _Reader(html, HIDDEN | NAVIGATION)
    if reader.hidden:
        reader = _Reader(html, HIDDEN - {"head"})
    text = ""
    for part in "".join(reader.pieces).split(_ROW):
        before, *cells = part.split(_CELL)
        if not cells:
            text += before if before.strip() or "\n\n" in before else ""
        elif len(cells) == 1 or any(len(cell.split()) > MAX_CELL for cell in cells):
            text += "\n\n".join((before, *cells, ""))  # it lays out the page
        else:
            row = " | ".join(" ".join(cell.split()) for cell in cells)
            text += f"{before.rstrip(' ')}| {row} |\n"
    text = _BOLD_LINE.sub(r"\n\n#### \1\n\n", text).replace(_BOLD, "")
    text = _SPACE.sub("\n\n", re.sub(r"(\n- )\s+", r"\1", text)).strip()
    title = _TITLE.search(html)
    if title is None or not title[1].strip() or re.search("^#+ ", text, re.MULTILINE):
        return text
    return f"# {' '.join(unescape(title[1]).split())}\n\n{text}"


class _Reader(HTMLParser):
    def __init__(self, html: str, skipped: frozenset[str]) -> None:
        super().__init__()
        self.skipped = skipped
        self.hidden = ""  # the outermost skipped element that is open
        self.pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if self.hidden:
            return
        if tag in self.skipped:
            self.hidden = tag
        elif _HEADING.fullmatch(tag):
            self.pieces.append(f"\n\n{'#' * int(tag[1])} ")
        else:
            self.pieces.append(_OPENING.get(tag, "\n\n" if tag in BLOCKS else ""))

    def handle_endtag(self, tag: str) -> None:
        if self.hidden not in ("", tag):
            return
        self.hidden = ""
        ends = {"tr": _ROW, "table": f"{_ROW}\n\n", "b": _BOLD, "strong": _BOLD}
        is_block = tag in BLOCKS or _HEADING.fullmatch(tag)
        self.pieces.append(ends.get(tag, "\n\n" if is_block else ""))

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            data = re.sub(r"\s+", " ", data)
            at_start = not self.pieces or self.pieces[-1].endswith(("\n", " ", _CELL))
            self.pieces.append(data.lstrip() if at_start else data)


_OPENING = {
    **dict.fromkeys(("td", "th"), _CELL),
    **{"tr": _ROW, "table": f"\n\n{_ROW}", "li": "\n- ", "br": "\n"},
    **{"dt": "\n- ", "dd": ": ", "b": _BOLD, "strong": _BOLD},
}


MAX_UNPACKED = 50 * 2**20
"""Most bytes that a DOCX or characters that a PDF may unpack to: either can hold a thousand times its size."""
MAX_TAGS = 4_000_000
"""Most tags of a DOCX: an empty one of four characters takes a hundred bytes of memory."""
MAX_PAGES = 5_000
PAGE_BREAK = "\n\f\n"
"""Between the pages of a PDF: a line that most pages have is their header or footer."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLE = re.compile(r"(?:heading|überschrift|berschrift|titre|ttulo|title)\s*(\d?)", re.IGNORECASE)


class UnreadableError(Exception):
    """A document that cannot be read; the message says why and what to do."""


class _Document(ElementTree.TreeBuilder):
    def doctype(self, *_: object) -> None:
        """Refuses it before any of its entities is read."""
        raise UnreadableError("has a document type, which no Word document has")


def text_of_docx(content: bytes) -> str:
    """The paragraphs, headings and tables of a Word document, in order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            part = packed.getinfo("word/document.xml")
            with packed.open(part) as file:  # the size that the archive states may be false
                xml = file.read(MAX_UNPACKED + 1)
        if len(xml) > MAX_UNPACKED:
            raise UnreadableError(f"unpacks to over {MAX_UNPACKED:,} bytes; split it")
        if xml.count(b"<") > MAX_TAGS:
            raise UnreadableError(f"has over {MAX_TAGS:,} tags; split it")
        document = ElementTree.fromstring(xml, ElementTree.XMLParser(target=_Document()))
    except KeyError:
        raise UnreadableError("is a zip archive but not a Word document") from None
    except _DAMAGED as error:
        if content.startswith(b"\xd0\xcf\x11\xe0"):
            reason = "is encrypted, or in Word's old format; save it as .docx without a password"
            raise UnreadableError(reason) from None
        raise UnreadableError(f"is not a complete Word document: {error}") from None
    body = document.find(f"{_W}body")
    blocks = () if body is None else _outermost(body, "p", "tbl")
    return "\n\n".join(filter(None, map(_block, blocks)))


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, RuntimeError, OSError, NotImplementedError, EOFError),
    *(ElementTree.ParseError, LookupError, ValueError),
)


def _outermost(element: ElementTree.Element, *names: str) -> Iterator[ElementTree.Element]:
    """The elements of these names within an element that are in no other of them, in order."""
    tags = {f"{_W}{name}" for name in names}
    left = [*reversed(element)]
    while left:
        found = left.pop()
        if found.tag in tags:
            yield found
        else:
            left.extend(reversed(found))


def _block(element: ElementTree.Element) -> str:
    """A paragraph, a heading, or the rows of a table."""
    if element.tag == f"{_W}tbl":
        rows = (map(_words, _outermost(row, "tc")) for row in _outermost(element, "tr"))
        return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    style = element.find(f"{_W}pPr/{_W}pStyle")
    heading = _STYLE.match("" if style is None else style.get(f"{_W}val", ""))
    mark = "- " if element.find(f"{_W}pPr/{_W}numPr") is not None else ""
    mark = f"{'#' * min(int(heading[1] or 1), 6)} " if heading else mark
    text = _words(element)
    return text and f"{mark}{text}"


def _words(element: ElementTree.Element) -> str:
    signs = {f"{_W}tab": " ", f"{_W}br": " "}
    texts = (
        each.text or "" if each.tag == f"{_W}t" else signs.get(each.tag, "")
        for each in element.iter()
    )
    return " ".join("".join(texts).split())


PRINTED = str.maketrans(
    {
        "\xad": "-",
        **dict(zip("\x1b\x1c\x1d\x1e\x1f", ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    }
)
"""A hyphen that is seen, and the ligatures of TeX's fonts where a PDF does not say what they are."""


def text_of_pdf(content: bytes) -> str:
    """The text of a PDF's pages. Needs pypdf; MissingExtraError without it."""
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("reading PDF needs pypdf", "documents") from None
    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # its remarks on damaged files
    pages: list[str] = []
    size = 0
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("is encrypted; save it without a password")
        if len(reader.pages) > MAX_PAGES:
            raise UnreadableError(f"has over {MAX_PAGES:,} pages; split it")
        for page in reader.pages:
            pages.append(page.extract_text().translate(PRINTED))
            size += len(pages[-1])
            if size > MAX_UNPACKED:
                raise UnreadableError(f"has over {MAX_UNPACKED:,} characters; split it")
    except UnreadableError:
        raise
    except Exception as error:  # pypdf lets errors of many kinds through on a damaged file
        reason = f"cannot be read as a PDF: {type(error).__name__}: {error!s:.200}"
        raise UnreadableError(reason) from None
    if not "".join(pages).strip():
        n_pages = counted(len(pages), "page")
        what = f"has no text on its {n_pages}: a scan; run OCR on it first"
        raise UnreadableError(what if pages else "has no pages")
    return PAGE_BREAK.join(pages)
