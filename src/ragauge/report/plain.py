"""Escape untrusted text for the terminal, the shell, CSV, Markdown and LaTeX, each in one place; shorten names."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from shlex import quote

# Controls, all format characters (bidirectional marks and isolates, zero-width characters …), line separators,
# lone surrogates, fillers and variation selectors.
INVISIBLE_CHARACTERS = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
INVISIBLE = re.compile(f"[{INVISIBLE_CHARACTERS}]")
# Patterns that only some formats need are compiled when they are used: every command imports this module.
CONTROLS_IN_DATA = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
INVISIBLE_IN_DATA = rf"(?![\n\t])[{INVISIBLE_CHARACTERS}]"
# Commands that CI services execute from a log. A named command is matched anywhere in a line,
# because a table may wrap just before it.
WORKFLOW_COMMAND = re.compile(
    r"^\s*::|::(?=error|warning|notice|debug|group|endgroup|echo|(?:add|set|save|stop|remove)-)"
    r"|##(?=\w*\[)",
    re.IGNORECASE,
)
# What a formula begins with, also in the forms that normalisation turns into it, and as a minus sign.
FORMULA = (
    rf"[\s{INVISIBLE_CHARACTERS}]*+[=+\-@\u207a-\u207c\u208a-\u208c\u2212\u2a74-\u2a76\ufb29\ufe62\ufe63\ufe66\ufe6b"
    r"\uff0b\uff0d\uff1d\uff20]|\s*[\t\r\n]"
)
NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?"
MARKDOWN = r"([\\`*_{}\[\]<>()#+!|~&$-])"
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
    '"': r"\symbol{34}",  # \textquotedbl does not exist in LaTeX's default encoding
    # At the start of a row LaTeX would read these as options of the line break before.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "\u2212": "$-$",
    "\u2264": r"$\leq$",
    "\u2265": r"$\geq$",
}
# What pdflatex sets with its default encoding and fonts, found by trying all characters up to U+3100.
UNSET = (
    r"[^\x20-\x7e\xa1-\xaa\xac\xae-\xba\xbc-\xcf\xd1-\xdd\xdf-\xef\xf1-\xfd\xff\u0100-\u0103\u0106-\u010f"
    r"\u0112-\u0117\u011a-\u0125\u0128-\u012d\u0130\u0131\u0134-\u0137\u0139-\u013e\u0141-\u0148\u014c-\u0165"
    r"\u0168-\u0171\u0174-\u017e\u0218-\u021b\u1e9e\u2010-\u2014\u2018\u2019\u201c\u201d\u2020-\u2022\u2026\u2030"
    r"\u20ac\u2122\u2190-\u2193\u2212\u2264\u2265]+"
)
SHELL = re.compile(f"{INVISIBLE.pattern}|['\\\\]|(?<=:):|(?<=#)#")


def for_terminal(text: str, *, lines: bool = False) -> str:
    """Escape invisible characters and anything that a terminal or CI service would execute; `lines` keeps line ends."""
    if lines:
        return "\n".join(for_terminal(line) for line in text.splitlines())

    def escaped(match: re.Match[str]) -> str:
        code = ord(match[0])
        form = "\\x{:02x}" if code < 256 else "\\u{:04x}"
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(match[0]) or form.format(code)

    shown = INVISIBLE.sub(escaped, text)
    # The backslash goes between the two characters, so that no line can start with both.
    return WORKFLOW_COMMAND.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", shown)


def data_for_terminal(text: str) -> str:
    """A file's text as a terminal shows it: invisible characters but line ends and tabs by their numbers; JSON stays the same data."""
    return re.sub(INVISIBLE_IN_DATA, _by_units, text)


def data_for_pipe(text: str) -> str:
    """The same for what a program may read, or reach a terminal through `head`: only controls by their numbers."""
    return re.sub(CONTROLS_IN_DATA, _by_units, text)


def _by_units(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def for_csv(text: str) -> str:
    """The text as a CSV cell; a formula gets a leading quote, so that no spreadsheet runs it."""
    text = text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
    return f"'{text}" if re.match(FORMULA, text) and not re.fullmatch(NUMBER, text) else text


def for_markdown(text: str) -> str:
    """The text as a cell of a Markdown table, with Markdown and HTML syntax escaped."""
    return re.sub(MARKDOWN, r"\\\1", for_terminal(text))


def for_latex(text: str) -> str:
    """The text with LaTeX syntax escaped; pdflatex reads the numbers of characters that only XeLaTeX and LuaLaTeX can set."""

    def by_number(match: re.Match[str]) -> str:
        numbers = " ".join(f"U+{ord(char):04X}" for char in match[0])
        return rf"\ifdefined\Uchar {match[0]}\else {numbers}\fi{{}}"

    return re.sub(UNSET, by_number, "".join(LATEX.get(char, char) for char in for_terminal(text)))


def no_interval(low: float | None, n: int, unit: str) -> str:
    """Why the aggregate of n units has no interval, by its lower end; empty if it has one."""
    if low is not None:
        return ""
    return (
        f"no interval: only 1 {unit}" if n == 1 else "no interval: all are equal on an open scale"
    )


def counted(n: int, noun: str) -> str:
    """The number with its noun: `1 answer`, `1,000 answers`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def some(names: Sequence[str], n: int) -> str:
    """The first n names and the number of the others: `a, b … 1 more`."""
    rest = len(names) - n
    return ", ".join(names[:n]) + (f" … {rest:,} more" if rest > 0 else "")


def shortened(text: str, width: int) -> str:
    """The text in at most `width` columns, with an ellipsis if it was cut."""
    if len(text) <= width and _width(text) <= width:
        return text
    kept = text[:width]
    while kept and _width(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"


def distinct_names(names: Sequence[str], width: int) -> Mapping[str, str]:
    """Each name in at most `width` columns, cut at its end, beginning or middle so that no two look the same if possible."""
    shown, half = [for_terminal(name) for name in names], width // 2

    def end(text: str, width: int) -> str:
        return shortened(text[::-1], width)[-2::-1]

    def form(cut: Callable[[str], str]) -> list[str]:
        return [name if shortened(name, width) == name else cut(name) for name in shown]

    starts = form(lambda name: shortened(name, width))
    ends = form(lambda name: f"…{end(name, width)}")
    both = form(lambda name: f"{shortened(name, half)}{end(name, width - half + 1)}")
    best = max((starts, ends, both), key=lambda form: len(set(form)))
    return dict(zip(names, best, strict=True))


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def shell_word(text: str) -> str:
    """The text as one word of a shell command, with no character that a terminal hides or obeys."""
    if not INVISIBLE.search(text) and not WORKFLOW_COMMAND.search(text):
        return quote(text)
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}

    def escaped(match: re.Match[str]) -> str:
        code = ord(match[0])
        form = "\\x{:02x}" if code < 128 else "\\u{:04x}" if code < 65536 else "\\U{:08x}"
        return known.get(match[0]) or form.format(code)

    return f"$'{SHELL.sub(escaped, text)}'"


def show_command(folder: object, id: str | None = None) -> str:
    """The command that shows a question of a run; without an id, everything about the run."""
    names = [str(folder)] if id is None else [str(folder), id]
    # After "--" a name that begins with a dash is no option.
    options = "" if id is not None else " --full"
    words = " ".join(map(shell_word, names))
    is_dashed = any(name.startswith("-") for name in names)
    return f"ragauge show{options} -- {words}" if is_dashed else f"ragauge show {words}{options}"
