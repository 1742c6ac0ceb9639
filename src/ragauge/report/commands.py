"""Commands to paste into a shell: every name is one word there, whatever characters it has."""

import re
from shlex import quote

from ragauge.report.plain import INVISIBLE, WORKFLOW_COMMAND

SHELL = re.compile(f"{INVISIBLE.pattern}|['\\\\]|(?<=:):|(?<=#)#")


def shell_word(text: str) -> str:
    """The text as one word of a shell command, with no character that a terminal hides or obeys.

    >>> shell_word("q1"), shell_word("it's"), shell_word("a\\nb")
    ('q1', '\\'it\\'"\\'"\\'s\\'', "$'a\\\\nb'")
    """
    if not INVISIBLE.search(text) and not WORKFLOW_COMMAND.search(text):
        return quote(text)
    known = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "'": "\\'", "\\": "\\\\"}

    def escaped(match: re.Match[str]) -> str:
        code = ord(match[0])
        form = "\\x{:02x}" if code < 128 else "\\u{:04x}" if code < 65536 else "\\U{:08x}"
        return known.get(match[0]) or form.format(code)

    return f"$'{SHELL.sub(escaped, text)}'"


def show_command(folder: object, id: str | None = None) -> str:
    """The command that shows a question of a run; without an id, everything about the run.

    >>> show_command("my run", "q1"), show_command("runs/a")
    ("ragauge show 'my run' q1", 'ragauge show runs/a --full')
    >>> show_command("runs/a", "--full")
    'ragauge show -- runs/a --full'
    """
    names = [str(folder)] if id is None else [str(folder), id]
    # After "--" a name that begins with a dash is no option.
    options = "" if id is not None else " --full"
    dashes = " --" if any(name.startswith("-") for name in names) else ""
    words = " ".join(map(shell_word, names))
    return f"ragauge show{options}{dashes} {words}" if dashes else f"ragauge show {words}{options}"
