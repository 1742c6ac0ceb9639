"""PDF and DOCX as text; what is too large, encrypted or without text says so."""

import io
import re
import zipfile
from xml.etree import ElementTree

from ragauge.errors import MissingExtraError

MAX_UNPACKED = 200 * 2**20
"""Most bytes that a DOCX's text may unpack to: a zip can hold a thousand times its size."""
MAX_PAGES = 5_000
PAGE_BREAK = "\n\f\n"
"""Between the pages of a PDF: a line that most pages have is their header or footer."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(
    r"(?:heading|überschrift|berschrift|titre|ttulo|title)\s*(\d?)", re.IGNORECASE
)


class UnreadableError(Exception):
    """A document that cannot be read; the message says why and what to do."""


def text_of_docx(content: bytes) -> str:
    """The paragraphs, headings and tables of a Word document, in order."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            part = packed.getinfo("word/document.xml")
            if part.file_size > MAX_UNPACKED:
                raise UnreadableError(f"unpacks to over {MAX_UNPACKED:,} bytes")
            with packed.open(part) as file:  # the size that the archive states may be false
                xml = file.read(MAX_UNPACKED + 1)
    except KeyError:
        raise UnreadableError("is a zip archive but not a Word document") from None
    except (zipfile.BadZipFile, RuntimeError, OSError, NotImplementedError, EOFError) as error:
        if content.startswith(b"\xd0\xcf\x11\xe0"):
            reason = "is encrypted, or in Word's old format; save it as .docx without a password"
            raise UnreadableError(reason) from None
        raise UnreadableError(f"is not a complete Word document: {error}") from None
    if len(xml) > MAX_UNPACKED:
        raise UnreadableError(f"unpacks to over {MAX_UNPACKED:,} bytes")
    if b"<!DOCTYPE" in xml[:1_000]:
        raise UnreadableError("has a document type, which no Word document has")
    try:
        body = ElementTree.fromstring(xml).find(f"{_W}body")
    except ElementTree.ParseError as error:
        raise UnreadableError(f"is not a complete Word document: {error}") from None
    return "\n\n".join(filter(None, map(_block, () if body is None else body)))


def _block(element: ElementTree.Element) -> str:
    if element.tag == f"{_W}tbl":
        rows = ([_words(cell) for cell in row.iter(f"{_W}tc")] for row in element.iter(f"{_W}tr"))
        return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    if element.tag != f"{_W}p":
        return "\n\n".join(filter(None, map(_block, element)))
    style = element.find(f"{_W}pPr/{_W}pStyle")
    heading = _HEADING.match("" if style is None else style.get(f"{_W}val", ""))
    item = "- " if element.find(f"{_W}pPr/{_W}numPr") is not None else ""
    text = _words(element)
    return f"{'#' * int(heading[1] or 1)} {text}" if heading and text else text and f"{item}{text}"


def _words(element: ElementTree.Element) -> str:
    signs = {f"{_W}tab": " ", f"{_W}br": " "}
    texts = (
        each.text or "" if each.tag == f"{_W}t" else signs.get(each.tag, "")
        for each in element.iter()
    )
    return " ".join("".join(texts).split())


def text_of_pdf(content: bytes) -> str:
    """The text of a PDF's pages. Needs pypdf; MissingExtraError without it."""
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("reading PDF needs pypdf", "documents") from None
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("is encrypted; save it without a password")
        if len(reader.pages) > MAX_PAGES:
            raise UnreadableError(f"has over {MAX_PAGES:,} pages; split it")
        pages = [page.extract_text() for page in reader.pages]
    except UnreadableError:
        raise
    except Exception as error:  # a damaged PDF raises many kinds
        raise UnreadableError(f"is not a complete PDF: {error!s:.200}") from None
    if not "".join(pages).strip():
        raise UnreadableError(f"has no text on its {len(pages)} pages: a scan; run OCR on it first")
    return PAGE_BREAK.join(pages)
