"""The modules that a source file imports, found by its syntax tree."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import cast

from ragauge.python_syntax import parsed
from ragauge.runs.module_files import file_of


@lru_cache(maxsize=1_024)
def imports(source: bytes, package: str) -> tuple[str, ...]:
    """The names of the modules that a source imports, whether at its top or inside functions."""
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # its content counts
        return ()
    has_calls = b"import_module" in source or b"__import__" in source
    return tuple(_imported(_statements(tree, has_calls=has_calls), package))


def _imported(
    statements: Iterable[ast.Import | ast.ImportFrom | ast.Call], package: str
) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.Call):
            name = cast(str, ast.literal_eval(statement.args[0]))
            words = name.lstrip(".")
            yield _absolute(words, len(name) - len(words), package)
            continue
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
            continue
        base = _absolute(statement.module or "", statement.level, package)
        yield base
        # `from package import module` imports the module too.
        yield from (
            f"{base}.{alias.name}"
            for alias in statement.names
            if alias.name != "*" and file_of(f"{base}.{alias.name}") is not None
        )


def _absolute(module: str, level: int, package: str) -> str:
    """The full name of a module that is imported with `level` leading dots."""
    if not level:
        return module
    parents = package.split(".")
    return ".".join([*parents[: len(parents) - level + 1], *([module] if module else [])])


def _statements(
    tree: ast.AST, *, has_calls: bool
) -> Iterator[ast.Import | ast.ImportFrom | ast.Call]:
    """The import statements of a tree, and its calls of `import_module` with a name.

    Without such calls only statements are visited, a tenth of the tree.
    """
    waiting = [tree]  # no recursion: a tree may be deeper than Python's stack
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting += node.orelse
        else:
            if isinstance(node, ast.Call) and _names_module(node):
                yield node
            waiting += ast.iter_child_nodes(node) if has_calls else _inner_statements(node)


def _inner_statements(node: ast.AST) -> Iterator[ast.AST]:
    for block in ("body", "orelse", "handlers", "finalbody", "cases"):
        inner = getattr(node, block, None)
        if isinstance(inner, list):  # the body of a lambda is an expression
            yield from cast("list[ast.AST]", inner)


def _is_type_checking(test: ast.expr) -> bool:
    name = getattr(test, "id", None) or getattr(test, "attr", None)
    return name == "TYPE_CHECKING"


def _names_module(call: ast.Call) -> bool:
    name = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
    first = call.args[0] if call.args else None
    is_import = name in ("import_module", "__import__")
    return is_import and isinstance(getattr(first, "value", None), str)
