"""Each of the forty kinds has tests, and `pytest -k fault_NN` collects them."""

import ast
import runpy
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


KINDS = runpy.run_path(str(Path(__file__).with_name("kinds.py")))["KINDS"]


@cache
def names_in(file: str) -> dict[str, bool]:
    """The tests of a file by name, and whether each is slow throughout."""
    tree = ast.parse((TESTS / file).read_text())
    return {
        node.name: any(ast.unparse(one) == "pytest.mark.slow" for one in node.decorator_list)
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_there_are_forty_kinds():
    assert list(KINDS) == list(range(1, 41))


@pytest.mark.parametrize("number", KINDS, ids="{:02}".format)
def test_the_kind_has_tests_that_exist(number):
    kind = KINDS[number]
    named = [(file, name) for file, names in kind.tests.items() for name in names]
    missing = [f"{file}::{name}" for file, name in named if name not in names_in(file)]
    assert not missing


def test_the_tests_of_a_kind_are_selected_by_its_number(request):
    """The keyword that `tests/conftest.py` gives them."""
    items = {
        (item.path.relative_to(TESTS).as_posix(), item.originalname): item
        for item in request.session.items
        if hasattr(item, "originalname") and item.path.is_relative_to(TESTS)
    }
    for number, kind in KINDS.items():
        for file, names in kind.tests.items():
            for name in names:
                if item := items.get((file, name)):
                    assert f"fault_{number:02}" in item.extra_keyword_matches
