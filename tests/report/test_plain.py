"""Text from outside, made safe for each place where it is shown."""

import csv
import io
import re
import shlex
import shutil
import subprocess

import pytest
from cases import cases

from ragauge.report.plain import (
    data_for_pipe,
    data_for_terminal,
    distinct_names,
    for_csv,
    for_latex,
    for_markdown,
    for_terminal,
    shell_word,
    shortened,
    show_command,
)
from ragauge.report.writing import csv_lines, html_text, markdown_table

ESCAPES = {
    "\x1b[31mred\x1b[0m": r"\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil\x07link\x1b]8;;\x07": r"\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "\x9b31m": r"\x9b31m",
    "a\rb\tc\nd\be": r"a\rb\tc\nd\x08e",
    "\u202eevil\u202c": r"\u202eevil\u202c",
    "\u2066x\u2069\u200f\u061c": r"\u2066x\u2069\u200f\u061c",
    "zero\u200bwidth\ufeff\u00ad": r"zero\u200bwidth\ufeff\xad",
    "line\u2028sep\u2029\x85": r"line\u2028sep\u2029\x85",
    "half \ud800": r"half \ud800",
    "tag \U000e0041": r"tag \ue0041",
    "\x00": r"\x00",
}


@pytest.mark.parametrize(("text", "shown"), ESCAPES.items())
def test_what_a_terminal_would_obey_or_hide_is_written_out(text, shown):
    assert for_terminal(text) == shown


def test_ordinary_text_of_any_script_stays_as_it_is():
    for text in ("[/foo] [red]x", "naïve 東京 שלום 😀 １２", "50 % – §", "a\\b {{7*7}} %s $HOME"):
        assert for_terminal(text) == text


def test_what_is_shown_once_may_be_shown_again():
    for text in [*ESCAPES, "::error::x", "##[group]"]:
        once = for_terminal(text)
        assert for_terminal(once) == once


def test_lines_stay_where_they_are_wanted_and_are_each_escaped():
    assert for_terminal("a\n::error::b\x1b", lines=True) == "a\n:\\:error::b\\x1b"


@cases("::error file=x::y", "  ::add-mask::x", "see ::warning::y", "::Error::x", "::anything::x",
 "##[error]x", "a ##vso[task.complete]x"
)  # fmt: skip
def test_commands_to_a_build_log_are_broken_in_the_middle(text):
    # Whatever a table does: no line of what is shown can begin with a whole command.
    shown = for_terminal(text)
    for start in range(len(shown)):
        assert not re.match(r"::(error|warning|add-mask)|##\w*\[", shown[start:], re.IGNORECASE)
    assert not shown.lstrip().startswith("::")


def test_colons_in_code_stay():
    assert for_terminal("std::vector and a::b") == "std::vector and a::b"


@pytest.mark.parametrize("cell", ["-", "=", "--5", "+cmd|'/c calc'!A0", "\tx", "\u200b=1"])
def test_a_cell_that_a_spreadsheet_would_run_gets_a_quote(cell):
    assert for_csv(cell) == f"'{cell}"


@cases("-0.133", "-5", "+3", "-1e-5", "-12%", "-.5", "a=b", "x@y.z", "", "007", "NA", "1-2")
def test_numbers_and_ordinary_text_stay_as_they_are(cell):
    assert for_csv(cell) == cell


def test_any_cell_can_be_written_and_read_back():
    for cell in ("a\rb", "a\nb", 'a"b', "a,b", "half \ud800", "nul \x00", "'quoted"):
        _, line = csv_lines(("cell", "other"), [(cell, "next")])
        (row,) = csv.reader(io.StringIO(line, newline=""))
        assert row == [for_csv(cell), "next"]
        assert line.encode().endswith(b"next\n")


def test_markdown_shows_every_mark_as_itself():
    text = r"|a| `b` *c* _d_ <e> [f](g) ![h](i) #j ~k~ $l$ &lt; \m {n} - +"
    shown = for_markdown(text)
    assert re.search(r"(?<!\\)[|`*_<>\[\]()#~$&{}!+-]", shown) is None
    assert re.sub(r"\\(.)", r"\1", shown) == text


def test_latex_shows_every_sign_as_itself():
    shown = for_latex(r"\input{x} 50 % & $1 #2 a_b ~ ^ <> | " + '"q"')
    assert r"\input" not in shown
    assert re.search(r"(?<!\\)[%&$#_]", shown) is None
    # What is left of commands are those of our own, and the braces are in pairs.
    names = set(re.findall(r"\\([a-z]+)", shown))
    assert names == {
        "textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater",
        "textbar", "symbol",
    }  # fmt: skip
    unescaped = re.sub(r"\\[{}]", "", shown)
    assert unescaped.count("{") == unescaped.count("}")


@pytest.mark.parametrize("text", ["[x]", "*", "[2em] a"])
def test_after_the_end_of_a_row_latex_takes_nothing_for_an_option(text):
    assert for_latex(text)[0] == "{"


def test_shortening_counts_columns_and_marks_the_cut():
    assert shortened("evaluation", 6) == "evalu…"
    assert shortened("東京都庁", 6) == "東京…", "each sign is two columns wide"
    assert shortened("short", 5) == "short"
    assert shortened("x" * 10_000_000, 3) == "xx…"


@pytest.mark.parametrize("escape", [for_terminal, for_csv, for_markdown])
@pytest.mark.parametrize("sign", ["\n", ":"])
def test_a_long_text_is_escaped_in_linear_time(sign, escape, assert_linear_time):
    assert_linear_time(escape, lambda n: sign * n, 200_000)


NAMES = [
    "q1", "two words", "it's", 'say "hi"', "$HOME", "`id`", "a;b", "new\nline", "tab\tand'quote",
    "ünï", "zero\u200bwidth", "::error::x", "##[debug]", "back\\slash\x07", "\U000e0041", "#x",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_shell_reads_names_back():
    words = [shell_word(name) for name in NAMES]
    assert [for_terminal(word) for word in words] == words, "nothing is left to escape"
    command = ["bash", "-c", f"printf '%s\\0' {' '.join(words)}"]
    done = subprocess.run(command, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert done.stdout.decode().split("\0")[:-1] == NAMES


@cases(
    ("run", "q1", ["run", "q1"]),
    ("run", "-x", ["--", "run", "-x"]),
    ("-run", "q1", ["--", "-run", "q1"]),
    ("run", None, ["run", "--full"]),
    ("-run", None, ["--full", "--", "-run"]),
)
def test_a_name_with_a_dash_is_no_option(folder, id, words):
    assert shlex.split(show_command(folder, id)) == ["ragauge", "show", *words]


def test_data_keeps_its_line_ends_and_a_pipe_all_but_controls():
    assert data_for_terminal('{"id": "a\u202eb"}\n') == '{"id": "a\\u202eb"}\n'
    assert data_for_pipe("a\x1b[31m, \u200f") == "a\\u001b[31m, \u200f"


def test_names_that_are_cut_differ_where_that_is_possible():
    cut = {
        ("model-of-may-large", "model-of-may-small"): ("…may-large", "…may-small"),
        ("a-model-of-1-may", "b-model-of-1-may"): ("a-model-o…", "b-model-o…"),
        ("a-1-model-of-may", "a-2-model-of-may", "a-1-model-of-jun"): (
            "a-1-…f-may",
            "a-2-…f-may",
            "a-1-…f-jun",
        ),
        ("a\n", "a\\n"): ("a\\n", "a\\n"),
    }
    for names, shown in cut.items():
        assert tuple(distinct_names(names, 10).values()) == shown


def test_html_is_escaped_and_cut_and_markdown_keeps_its_columns():
    assert html_text("a <b>\n" + "c" * 60, 10) == "a &lt;b&gt; ccc…"
    assert html_text("\u202ex") == "\\u202ex"
    lines = ["| run | map |", "| :-- | --: |", "| a\\|b | 0.5 |"]
    assert list(markdown_table(("run", "map"), [("a|b", "0.5")], "lr")) == lines
