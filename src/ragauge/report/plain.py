"""Text from outside made safe for where it is shown: one place for each kind of place."""

import re
import unicodedata
from collections.abc import Sequence

# Controls, bidirectional marks and isolates, zero-width and line separators, and halves of pairs.
UNSEEN_CHARACTERS = (
    r"\x00-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
UNSEEN = re.compile(f"[{UNSEEN_CHARACTERS}]")
# What a build log obeys. Named ones stand anywhere: a table may wrap right before them.
WORKFLOW_COMMAND = re.compile(
    r"^\s*::|::(?=error|warning|notice|debug|group|endgroup|echo|(?:add|set|save|stop|remove)-)"
    r"|##(?=\w*\[)",
    re.IGNORECASE,
)
FORMULA = re.compile(rf"[\s{UNSEEN_CHARACTERS}]*+[=+\-@＝＋－＠]|\s*[\t\r\n]")
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?")
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # \textquotedbl is not there in LaTeX's default encoding
    # After the end of a row these would be its options.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}


def for_terminal(text: str, *, lines: bool = False) -> str:
    """The text with everything unseen written out, and nothing that a terminal or CI would obey.

    With `lines`, line ends stay; else the text is on one line.

    >>> for_terminal("a\\x1b[31mb\\nc")
    'a\\\\x1b[31mb\\\\nc'
    """
    if lines:
        return "\n".join(for_terminal(line) for line in text.splitlines())
    shown = UNSEEN.sub(_written_out, text)
    # Between the two signs, so that no line can break just before both.
    return WORKFLOW_COMMAND.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", shown)


def for_csv(text: str) -> str:
    """The text as a cell that no spreadsheet runs: a formula gets a quote before it.

    >>> for_csv("=1+1"), for_csv("-0.133")
    ("'=1+1", '-0.133')
    """
    text = text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def for_markdown(text: str) -> str:
    """The text as a cell of a Markdown table, every mark of Markdown and HTML escaped.

    >>> for_markdown("a|<b>")
    'a\\\\|\\\\<b\\\\>'
    """
    shown = for_terminal(text)
    return MARKDOWN.sub(r"\\\1", shown)


def for_latex(text: str) -> str:
    """The text as LaTeX shows it.

    >>> for_latex("50 % of R&D")
    '50 \\\\% of R\\\\&D'
    """
    return "".join(LATEX.get(one, one) for one in for_terminal(text))


def some(names: Sequence[str], n: int) -> str:
    """The first n names, and how many more there are.

    >>> some(("a", "b", "c"), 2)
    'a, b … 1 more'
    """
    rest = len(names) - n
    return ", ".join(names[:n]) + (f" … {rest:,} more" if rest > 0 else "")


def shortened(text: str, width: int) -> str:
    """The text in at most `width` columns, an ellipsis where it was cut.

    >>> shortened("evaluation", 6)
    'evalu…'
    """
    if len(text) <= width and _width(text) <= width:
        return text
    kept = text[:width]
    while kept and _width(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)


def _written_out(found: re.Match[str]) -> str:
    one = found[0]
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    if one in known:
        return known[one]
    return f"\\x{ord(one):02x}" if ord(one) < 256 else f"\\u{ord(one):04x}"
