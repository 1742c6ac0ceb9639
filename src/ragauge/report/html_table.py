"""What a notebook shows: small HTML tables, texts escaped and cut, no scripts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

CELL_WIDTH = 60
"""Characters of a text in a cell; the rest is cut."""
MAX_ROWS = 10
CELL_STYLE = "text-align: {side}; vertical-align: top"


@dataclass(frozen=True, slots=True, repr=False)
class Rendered:
    """Something to look at: `text` at a Python prompt, `html` in a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def html_text(text: str, width: int | None = CELL_WIDTH) -> str:
    """The text with HTML escaped, white space collapsed and invisible characters as escapes, cut at `width`.

    >>> html_text("a <b>\\n" + "c" * 60, 10), html_text("\\u202ex")
    ('a &lt;b&gt; ccc…', '\\\\u202ex')
    """
    plain = " ".join(text.split())
    if width is not None and len(plain) > width:
        plain = f"{plain[: width - 1]}…"
    return escape("".join(char if char.isprintable() else ascii(char)[1:-1] for char in plain))


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], alignment: Sequence[str] = ()
) -> str:
    """A table of cells that are HTML already; `alignment` is each column's side, left by default."""
    sides = list(alignment) or ["left"] * len(header)
    head = f"<thead>{_row('th', header, sides)}</thead>" if any(header) else ""
    body = "".join(_row("td", row, sides) for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def small(html: str) -> str:
    """HTML in small grey letters."""
    return f'<span style="font-size: smaller; opacity: 0.7">{html}</span>'


def _row(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    pairs = zip(cells, sides, strict=True)
    inner = "".join(
        f'<{tag} style="{CELL_STYLE.format(side=side)}">{cell}</{tag}>' for cell, side in pairs
    )
    return f"<tr>{inner}</tr>"
