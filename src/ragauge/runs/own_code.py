"""The source of a metric that is not ragauge's, to notice that it changed though its version did not.

Only what the function reaches by name counts: another metric in the same file, a comment or a docstring
does not. The text comes from the syntax tree, so it is the same in every version of Python.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ragauge.python_syntax import parsed
from ragauge.runs.module_files import is_own_module, source_file

OWN = "ragauge"


def own_digest(function: object) -> str | None:
    """SHA-256 of the definitions that a user's function reaches.

    None for a function of ragauge, and for one without a file, as in a notebook.
    """
    module = str(getattr(function, "__module__", None) or "")
    if not module or module.partition(".")[0] == OWN:
        return None
    known = _definitions(module)
    if known is None:
        return None
    reached = _Reached()
    name = str(getattr(function, "__qualname__", "")).partition(".")[0]
    if name in known.statements:
        reached.follow(module, name)
    else:  # made by other code, as a lambda in a list is
        reached.add_module(module)
    text = "\n".join(sorted(reached.texts))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Definitions:
    """The statements of a module that bind each name, and what its imports bind: (module, name or "")."""

    statements: Mapping[str, tuple[ast.stmt, ...]]
    imported: Mapping[str, tuple[str, str]]
    text: str


@dataclass
class _Reached:
    """The texts of all definitions found so far."""

    texts: set[str] = field(default_factory=set[str])
    _seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def follow(self, module: str, name: str) -> None:
        """Add the definitions of a name of a module, and those of the names that they use."""
        waiting = [(module, name)]
        while waiting:
            place = waiting.pop()
            if place in self._seen:
                continue
            self._seen.add(place)
            waiting += self._add(*place)

    def _add(self, module: str, name: str) -> Iterator[tuple[str, str]]:
        known = _definitions(module)
        if known is None:
            return
        for statement in known.statements.get(name, ()):
            self.texts.add(f"{name}: {_text(statement)}")
            for part in ast.walk(statement):
                if not isinstance(part, ast.Name):
                    continue
                if part.id in known.imported:
                    other, attribute = known.imported[part.id]
                    if is_own_module(other) and attribute:
                        yield other, attribute
                    elif is_own_module(other):
                        self.add_module(other)
                elif part.id in known.statements:
                    yield module, part.id

    def add_module(self, module: str) -> None:
        known = _definitions(module)
        if known is not None:
            self.texts.add(known.text)


def _definitions(module: str) -> _Definitions | None:
    """The definitions of a module; None if it has no source that can be read."""
    path = source_file(module)
    if path is None or path.suffix != ".py":
        return None
    try:
        return _parsed(path, path.stat().st_mtime_ns, module)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def _parsed(path: Path, _: int, module: str) -> _Definitions:
    tree = parsed(path.read_bytes())
    statements: dict[str, tuple[ast.stmt, ...]] = {}
    imported: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imported.update(_bound_by(statement, module))
            continue
        for name in _names_bound(statement):
            statements[name] = (*statements.get(name, ()), statement)
    for part in ast.walk(tree):  # imports inside functions
        if isinstance(part, ast.Import | ast.ImportFrom):
            for name, place in _bound_by(part, module):
                imported.setdefault(name, place)
    return _Definitions(statements, imported, "\n".join(map(_text, tree.body)))


def _bound_by(
    statement: ast.Import | ast.ImportFrom, module: str
) -> Iterator[tuple[str, tuple[str, str]]]:
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            top = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or top, (top, "")
        return
    package = getattr(sys.modules.get(module), "__package__", None) or ""
    parents = package.split(".")[: len(package.split(".")) - statement.level + 1]
    base = ".".join([*(parents if statement.level else []), *filter(None, [statement.module])])
    for alias in statement.names:
        inner = f"{base}.{alias.name}"
        is_module = source_file(inner) is not None
        yield alias.asname or alias.name, (inner, "") if is_module else (base, alias.name)


def _names_bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {
        part.id
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    } | {
        part.name
        for part in ast.walk(statement)
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def _text(statement: ast.stmt) -> str:
    """A statement without its docstrings."""
    copied = parsed(ast.unparse(statement))
    for part in ast.walk(copied):
        if not isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if ast.get_docstring(part, clean=False) is not None:
            part.body = part.body[1:] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(copied))
