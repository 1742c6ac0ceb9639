"""FAULTS.md 8, 9 and 10: names that a spreadsheet, a terminal or LaTeX would obey."""

import csv
import io
import json
import re
import shutil
import subprocess
import unicodedata

import polars as pl
import pytest
from pylatexenc.latexwalker import (
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
)

from ragauge.report.plain import INVISIBLE, for_csv, for_terminal
from ragauge.report.writing import latex_table

SIGNS = "".join(map(chr, (*range(0x20, 0x2FFFF), *range(0xE0000, 0xE1000))))
FORMS = [sign for sign in SIGNS if unicodedata.normalize("NFKC", sign)[:1] in set("=+-@−")]
HIDDEN = [sign for sign in SIGNS if unicodedata.category(sign) in ("Cf", "Zl", "Zp", "Cs")]
NAMES = (
    r"\end{tabular}\input{/etc/passwd}",
    r"\\ \hline & %",
    "50 % of R&D_x^2",
    "{unbalanced",
    "unbalanced}",
    "$x$ \\(y\\) \\[z\\]",
    "~^<>|\"'`#",
    "[2em] at the start",
    "*",
    "\\verb|x|\\",
    "::error::x",
    "\\begin{verbatim}",
    "a\nb\r\nc\u2028d",
    "\x1b[31mred\u202e",
    "^^5cinput x",
    "東京 שלום 😀",
    "",
)


def test_every_format_character_is_written_out():
    assert len(HIDDEN) > 2_000
    assert [sign for sign in HIDDEN if not INVISIBLE.fullmatch(sign)] == []
    shown = for_terminal("".join(HIDDEN))
    assert shown.isascii()


def test_every_form_of_what_begins_a_formula_gets_a_quote():
    assert len(FORMS) > 20
    for sign in FORMS:
        for before in ("", " ", "\u00a0", "\u200b", "\u061c\u2066", "\ufeff\t", "\u180e\u0600"):
            cell = f"{before}{sign}1+1"
            assert for_csv(cell) == f"'{cell}", cell.encode("unicode_escape")


def parsed(table: str) -> LatexEnvironmentNode:
    """The tabular of a table that LaTeX can read; an error for anything unbalanced."""
    nodes, _, _ = LatexWalker(table, tolerant_parsing=False).get_latex_nodes()
    (outer,) = [node for node in nodes if isinstance(node, LatexEnvironmentNode)]
    assert outer.environmentname == "table"
    inner = [node for node in outer.nodelist if isinstance(node, LatexEnvironmentNode)]
    (tabular,) = inner
    assert tabular.environmentname == "tabular"
    return tabular


MACROS = {
    *("toprule", "midrule", "bottomrule", "\\", "&", "%", "$", "#", "_", "{", "}", "symbol"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar"),
    *("textbf", "downarrow", "uparrow", "underline", "leq", "geq"),
    *("ifdefined", "Uchar", "else", "fi"),
}


def macros(nodes) -> set[str]:
    """The commands in some nodes, inside groups too."""
    found: set[str] = set()
    for node in nodes:
        assert not isinstance(node, LatexCommentNode | LatexEnvironmentNode), node
        if isinstance(node, LatexMacroNode):
            found.add(node.macroname)
            found |= macros(one for one in (node.nodeargd.argnlist or []) if one is not None)
        elif isinstance(node, LatexGroupNode | LatexMathNode):
            found |= macros(node.nodelist)
    return found


def rows(tabular: LatexEnvironmentNode) -> list[int]:
    """The number of cells of each row."""
    counts, now = [], 1
    for node in tabular.nodelist:
        if isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
            now += 1
        elif isinstance(node, LatexMacroNode) and node.macroname == "\\":
            counts.append(now)
            now = 1
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_a_table_in_latex_has_its_rows_and_columns_whatever_is_in_it(name):
    table = latex_table(name, (name, "b"), [(name, name), ("x", name)], "lr", legend=name)
    tabular = parsed(table)
    assert rows(tabular) == [2, 2, 2]
    assert macros(tabular.nodelist) <= MACROS
    assert "^^" not in table
    # A bracket or star after a line break is an option of it.
    assert not re.search(r"\\\\\s*[\[*]", table)


def has_latex() -> bool:
    """Whether pdflatex is installed with the package that the tables use."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    return (
        subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode
        == 0
    )


@pytest.mark.slow
@pytest.mark.skipif(not has_latex(), reason="pdflatex and booktabs are not installed")
def test_pdflatex_sets_tables_of_hostile_names(tmp_path):
    names = [
        *NAMES, *(SIGNS[at : at + 30] for at in range(0, 0x3100, 30)), "Ωß – « » ≥ − ± ąę", "e\u0301", "العربية", r"\\ifx\\undefined", "^^M^^5c",
        "\\csname end\\endcsname", "\\def\\x{\\x}\\x", "#1", "\\catcode`\\%=0", "%\\end{table}", "\\fi", "\\else", "}" * 50,
    ]  # fmt: skip
    tables = [
        latex_table(name, (name, "b"), [(name, name), ("x", name)], "lr", legend=name)
        for name in names
    ]
    # Each on a page of its own: LaTeX keeps few floats at a time.
    body = "\n\\clearpage\n".join(tables)
    head = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\\raggedright"
    (tmp_path / "t.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    command = [
        "pdflatex",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-no-shell-escape",
        "t.tex",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:].decode("utf-8", "replace")
    assert f"({len(names)} pages".encode() in done.stdout


def test_the_files_of_a_run_with_hostile_names_can_be_read_back(ragauge, tmp_path):
    names = [*NAMES[:-1], *(f"{sign}1+1" for sign in FORMS[:8])]
    rows_ = [
        {"id": f"q{at}", "system": name, "answer": "x", "reference": "x", "kind": name}
        for at, name in enumerate(names)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_))
    outputs = [one for kind in ("csv", "tex", "md") for one in ("-o", f"s.{kind}")]
    done = ragauge("run", "a.jsonl", "-m", "exact_match", "--by", "kind", *outputs, "--no-report", "--full")  # fmt: skip
    assert done.code == 0, done.err
    assert not INVISIBLE.search(done.out.replace("\n", ""))
    tex = (tmp_path / "s.tex").read_text()
    for table in re.findall(r"\\begin\{table\}.*?\\end\{table\}\n", tex, re.DOTALL):
        counts = rows(parsed(table))
        assert len(set(counts)) == 1
        assert len(counts) > len(names)
    cells = list(csv.reader(io.StringIO((tmp_path / "s.csv").read_text())))
    assert len({len(row) for row in cells}) == 1
    assert not [cell for row in cells for cell in row if cell != for_csv(cell)]
    assert pl.read_csv(tmp_path / "s.csv").height == len(names)
