"""The program that mutates source files: what it changes, and where the change takes effect."""

import importlib.util
import runpy
from pathlib import Path

import pytest

MUTATE = runpy.run_path(str(Path(__file__).with_name("mutate.py")))
SOURCE = """
LIMIT = 3

class Counter:
    def next(self, at: int) -> int | None:
        if at < LIMIT and not self.done:
            return at + 1
        return None
"""
CHANGES = {
    "at < LIMIT -> at <= LIMIT": 2,
    "at < LIMIT and (not self.done) -> at < LIMIT or not self.done": 2,
    "not self.done -> self.done": None,
    "if at < LIMIT and (not self.done): -> if not (at < LIMIT and (not self.done)):": None,
    "return at + 1 -> return None": None,
    "at + 1 -> at - 1": 0,
    "1 -> 2": 3,
}


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "counter.py"
    path.write_text(SOURCE)
    return path, {mutant.change: mutant for maker in MUTATE["mutants"](path) if (mutant := maker())}


def test_each_change_of_a_function_is_made_and_none_outside(made):
    _, mutants = made
    assert mutants.keys() == CHANGES.keys()
    assert {mutant.function for mutant in mutants.values()} == {("Counter.next", 5)}


def test_live_functions_take_the_changed_code(made):
    path, mutants = made
    spec = importlib.util.spec_from_file_location("counter", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    counter = module.Counter()
    counter.done = False
    bound = counter.next  # as another module that has imported it
    assert bound(1) == 2
    MUTATE["exchange"](mutants["at + 1 -> at - 1"])  # it looks at every object of this process
    assert bound(1) == 0
    for change, expected in CHANGES.items():
        exec(mutants[change].code, names := {})
        counter = names["Counter"]()
        counter.done = False
        assert counter.next(1) == expected, change
