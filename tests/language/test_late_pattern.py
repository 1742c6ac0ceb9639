"""Patterns that are compiled at their first use."""

import gc
import importlib
import re
import subprocess
import sys

import pytest

from ragauge.language.late_pattern import LatePattern


def test_it_searches_as_the_compiled_pattern_does() -> None:
    text = "No idea; I have NO   idea, none."
    late = LatePattern("no +idea", re.IGNORECASE)

    assert [match.span() for match in late.finditer(text)] == [(0, 7), (16, 25)]
    assert [match.span() for match in late.finditer(text, 1)] == [(16, 25)]
    found = late.search(text, 8, 25)
    assert found is not None
    assert found[0] == "NO   idea"
    assert late.match(text, 1) is None
    assert late.split(text) == ["", "; I have ", ", none."]
    assert late.sub("-", text) == "-; I have -, none."
    assert late.fullmatch("no idea") is not None
    assert late.fullmatch(text) is None


def test_an_invalid_pattern_says_so_when_it_is_used() -> None:
    late = LatePattern("(")

    with pytest.raises(re.error, match="unterminated"):
        late.search("text")


def test_it_has_no_other_attributes() -> None:
    assert not hasattr(LatePattern("a"), "groups")


_RULES = """
import gc
import re

compiled = []
compile_ = re._compiler.compile
re._compiler.compile = lambda pattern, flags=0: compiled.append(pattern) or compile_(pattern, flags)

import ragauge.language.refusals.refusals
from ragauge.language.late_pattern import LatePattern

late = {one.pattern for one in gc.get_objects() if isinstance(one, LatePattern)}
print(len(late), len(late & set(compiled)))
"""


def test_importing_the_rules_for_refusals_compiles_none() -> None:
    counts = subprocess.run(
        [sys.executable, "-c", _RULES], check=True, capture_output=True, text=True
    )

    n_late, n_compiled = map(int, counts.stdout.split())
    assert n_late > 150
    assert n_compiled == 0


def test_every_rule_compiles() -> None:
    importlib.import_module("ragauge.language.refusals.refusals")

    for one in gc.get_objects():
        if type(one) is LatePattern and one.pattern != "(":
            re.compile(one.pattern, one.flags)
