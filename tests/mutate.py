"""Random mutants of source files, and how many of them the given tests notice.

    python tests/mutate.py src/ragauge/stats/intervals.py --tests tests/stats -n 40 --seed 1

A mutant is one change within one function: a comparison, a boolean or arithmetic operator, a number, a
condition, a returned value, a statement that is left out. The tests are collected once; each mutant is a
forked process in which the code of the live functions is exchanged, and which runs the tests that called
the changed function until one fails. What is executed while a module is imported is not changed, nor is
anything in the processes that a test starts.
"""

import argparse
import ast
import contextlib
import copy
import gc
import importlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.main import pytest_runtestloop as run_items

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
KILLED, SURVIVED, OUT_OF_TIME, NOT_CALLED = "killed", "survived", "out of time", "not called"


@dataclass(frozen=True)
class Mutant:
    """One changed file."""

    path: Path
    line: int
    change: str
    function: tuple[str, int]
    """Qualified name and first line of the outermost function that holds the change."""
    code: CodeType = field(repr=False)


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one thing changed, in each way that there is."""
    match node:
        case ast.Compare(ops=[only]) | ast.BoolOp(op=only) | ast.BinOp(op=only):
            if type(only) in OTHER:
                changed = copy.copy(node)
                other = OTHER[type(only)]()
                setattr(
                    changed, *(("ops", [other]) if isinstance(node, ast.Compare) else ("op", other))
                )
                yield changed
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.If() | ast.IfExp() | ast.While():
            changed = copy.copy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield changed
        case ast.Return(value=ast.expr()):
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                yield ast.Return(ast.Constant(None))
        case (
            ast.Expr(value=ast.Call())
            | ast.AugAssign()
            | ast.Raise()
            | ast.Continue()
            | ast.Break()
        ):
            yield ast.Pass()


class Replaced(ast.NodeTransformer):
    """A tree in which one node is another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self.new, node) if node is self.old else self.generic_visit(node)


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[tuple[str, int], ast.AST]]:
    """The outermost functions and methods, each with its qualified name and first line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield (f"{prefix}{node.name}", first), node


def mutants(path: Path) -> Iterator[Callable[[], Mutant | None]]:
    """Makers of every mutant of a file."""
    text = path.read_text("utf-8")
    for function, node in functions(ast.parse(text)):
        in_body = [inner for statement in node.body for inner in ast.walk(statement)]
        for at, inner in enumerate(in_body):
            for number, _ in enumerate(variants(inner)):
                yield lambda function=function, at=at, number=number: _made(
                    path, text, function, at, number
                )


def _made(path: Path, text: str, function: tuple[str, int], at: int, number: int) -> Mutant | None:
    tree = ast.parse(text)
    body = dict(functions(tree))[function].body
    old = [inner for statement in body for inner in ast.walk(statement)][at]
    new = list(variants(old))[number]
    before = ast.unparse(old)
    changed = ast.fix_missing_locations(Replaced(old, new).visit(tree))
    change = f"{before.splitlines()[0]:.60} -> {ast.unparse(new).splitlines()[0]:.60}"
    try:
        return Mutant(path, old.lineno, change, function, compile(changed, str(path), "exec"))
    except SyntaxError:
        return None


def exchange(mutant: Mutant) -> None:
    """Give each live function of the file the mutant's code."""
    by_place = {(code.co_qualname, code.co_firstlineno): code for code in codes(mutant.code)}
    gc.unfreeze()  # what the suite froze is not among the objects
    for function in gc.get_objects():
        if type(function) is FunctionType and is_of(function.__code__, mutant.path):
            place = (function.__code__.co_qualname, function.__code__.co_firstlineno)
            with contextlib.suppress(
                ValueError
            ):  # it holds other variables of the function around it
                function.__code__ = by_place.get(place, function.__code__)


def codes(code: CodeType) -> Iterator[CodeType]:
    """This code and all within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def import_file(path: Path) -> None:
    """Import a file of the package, so that its functions exist before a test asks for them."""
    parts = path.with_suffix("").parts
    start = len(parts) - 1 - parts[::-1].index("ragauge")
    importlib.import_module(".".join(part for part in parts[start:] if part != "__init__"))


def is_of(code: CodeType, path: Path) -> bool:
    return code.co_filename == str(path)


class Mutating:
    """Runs the collected tests on each mutant instead of once."""

    def __init__(self, mutants: list[Mutant], patience_s: float) -> None:
        self.mutants, self.patience_s = mutants, patience_s
        self.results: list[tuple[Mutant, str]] = []
        self.calls: dict[str, set[str]] = {}
        self.failed = False
        self.phase = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        self.phase = item.nodeid.split("::")[0]  # a fixture may be shared by all tests of the file
        try:
            return (yield)
        finally:
            self.phase = item.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = session.items
        for path in {mutant.path for mutant in self.mutants}:
            import_file(path)
        start = time.monotonic()
        calls = self._in_child(session, items, None)
        if not isinstance(calls, dict):
            print("the tests fail without any change, or not in a forked process")
            return True
        limit = self.patience_s + 3 * (time.monotonic() - start)
        for mutant in self.mutants:
            called = calls.get(f"{mutant.path}:{mutant.function[1]}", ())
            own = [
                item for item in items if {item.nodeid, item.nodeid.split("::")[0]} & set(called)
            ]
            result = self._in_child(session, own, mutant, limit) if own else NOT_CALLED
            self.results.append((mutant, str(result)))
            print(f"{result}: {mutant.path.name}:{mutant.line}: {mutant.change}", flush=True)
        return True

    def _in_child(self, session, items, mutant: Mutant | None, limit: float = 9e9) -> object:
        """What a process says that runs these tests: its calls, or how it ended."""
        reader, writer = os.pipe()
        if (pid := os.fork()) == 0:
            self._run(session, items, mutant, writer)
        os.close(writer)
        give_up = time.monotonic() + limit
        said = b""
        os.set_blocking(reader, False)
        while True:
            with contextlib.suppress(BlockingIOError):
                if not (piece := os.read(reader, 1 << 16)):
                    break
                said += piece
                continue
            if time.monotonic() > give_up:
                os.killpg(pid, signal.SIGKILL)
                said = json.dumps(OUT_OF_TIME).encode()
                break
            time.sleep(0.02)
        os.close(reader)
        os.waitpid(pid, 0)
        return json.loads(said or json.dumps(KILLED))  # it may have ended the process

    def _run(self, session, items, mutant: Mutant | None, writer: int) -> None:
        os.setpgid(0, 0)
        os.set_inheritable(writer, False)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(nothing, stream)
        if mutant is None:
            sys.setprofile(self._note)
            threading.setprofile(self._note)
        else:
            exchange(mutant)
        session.items = items
        session.config.option.maxfail = 1
        try:
            run_items(session)
        except BaseException:
            self.failed = True
        sys.setprofile(None)
        result: object = KILLED if self.failed else SURVIVED
        if mutant is None and not self.failed:
            result = {place: sorted(tests) for place, tests in self.calls.items()}
        with open(writer, "w") as file:
            json.dump(result, file)
        os._exit(0)

    def _note(self, frame, event: str, _: object) -> None:
        if event == "call" and "/ragauge/" in frame.f_code.co_filename:
            place = f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}"
            self.calls.setdefault(place, set()).add(self.phase)


def sample(paths: list[Path], n: int, seed: int) -> list[Mutant]:
    """This many mutants of these files, each equally likely."""
    makers = [maker for path in paths for maker in mutants(path)]
    random.Random(seed).shuffle(makers)
    found = (mutant for maker in makers if (mutant := maker()) is not None)
    return [mutant for _, mutant in zip(range(n), found, strict=False)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sources", nargs="+", type=Path, help="files or folders")
    parser.add_argument("--tests", nargs="+", required=True, help="what pytest is called with")
    parser.add_argument("-n", type=int, default=40, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=20, help="seconds, beside three times what the tests take")  # fmt: skip
    given, more = parser.parse_known_args()
    paths = [path.resolve() for source in given.sources for path in ([source] if source.is_file() else sorted(source.rglob("*.py")))]  # fmt: skip
    mutating = Mutating(sample(paths, given.n, given.seed), given.patience)
    pytest.main(["-q", "-p", "no:cacheprovider", *given.tests, *more], plugins=[mutating])
    results = [result for _, result in mutating.results]
    noticed = results.count(KILLED) + results.count(OUT_OF_TIME)
    print(
        f"seed {given.seed}: {noticed} of {len(results)} mutants noticed, {results.count(NOT_CALLED)} not called"
    )


if __name__ == "__main__":
    main()
