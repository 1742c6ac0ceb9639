"""The code that a run's numbers depend on: the plan's functions and everything that they import.

Imports are followed through the source files: at the top of a module and inside functions, but not
those for type checkers only. Modules of ragauge and of the user are identified by content, other
packages by name and version. The standard library is ignored.
"""

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import cast

OWN = "ragauge"
SIMPLE = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset, list, dict, set)
"""Types of notebook globals that their `repr` identifies."""


@dataclass(frozen=True, slots=True)
class Code:
    """The code of functions, with everything that they import.

    `modules`: SHA-256 of the content of each module of ragauge and of the user, by name.
    `packages`: version of each other package, by name. `cells`: code of functions without a file, as
    in a notebook.
    """

    modules: Mapping[str, str]
    packages: Mapping[str, str]
    cells: tuple[str, ...] = ()

    def digest(self) -> str:
        """SHA-256 of all modules, packages and cells."""
        fixed = [sorted(self.modules.items()), sorted(self.packages.items()), sorted(self.cells)]
        return hashlib.sha256(repr(fixed).encode()).hexdigest()


def code_of(functions: Iterable[object], modules: Iterable[str] = ()) -> Code:
    """The code of these functions, classes and modules, with everything that they import."""
    walk = _Walk({OWN})
    for function in functions:
        walk.add_function(function)
    for module in modules:
        walk.add(module, is_own=True)
    walk.follow()
    return Code(walk.modules, walk.packages, tuple(sorted(walk.cells)))


class _Walk:
    """A walk along imports: the code found so far."""

    def __init__(self, own: set[str]) -> None:
        self.own = own
        """Top-level names of packages whose modules are identified by content, even if installed."""
        self.modules: dict[str, str] = {}
        self.packages: dict[str, str] = {}
        self.cells: set[str] = set()
        self._waiting: list[str] = []

    def add_function(self, function: object) -> None:
        """Add the modules of a function; of a partial or wrapped function, all of them."""
        for part in _layers(function):
            module = str(getattr(part, "__module__", None) or "")
            if module == "__main__" and _file_of("__main__") is None:
                self._add_cell(part)
            elif module:
                self.add(module, is_own=True)

    def add(self, module: str, *, is_own: bool = False) -> None:
        """Add a module to follow; `is_own`: its package is identified by content, not by version."""
        top = module.partition(".")[0]
        if is_own:
            self.own.add(top)
        is_standard = top in sys.stdlib_module_names and module != "__main__"
        if not is_standard and module not in self.modules and module not in self._waiting:
            self._waiting.append(module)

    def follow(self) -> None:
        while self._waiting:
            module = self._waiting.pop()
            path = _file_of(module)
            if path is None or module in self.modules:
                continue
            top = module.partition(".")[0]
            if top not in self.own and _is_installed(path):
                self.packages[top] = _version_of(top)
                continue
            source = path.read_bytes()
            self.modules[module] = _digest_with_data(path, source)
            for parent in _parents(module):
                self.add(parent)
            if path.suffix == ".py":
                for imported in _imports(source, module, path.name == "__init__.py"):
                    self.add(imported)

    def _add_cell(self, function: object) -> None:
        """Add a function without a file: its code, and the globals that it names."""
        code = getattr(function, "__code__", None)
        if not isinstance(code, CodeType):
            self.cells.add(repr(function))
            return
        text = _code_text(code)
        if text in self.cells:
            return
        self.cells.add(text)
        namespace = cast("FunctionType", function).__globals__
        for name in sorted(_names(code)):
            if name in namespace:
                self._add_global(name, namespace[name])

    def _add_global(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType):
            self.add(value.__name__)
        elif isinstance(value, SIMPLE):
            self.cells.add(f"{name} = {_constant(cast(object, value))}")
        elif callable(value):
            module = str(getattr(value, "__module__", "") or "")
            if module == "__main__":
                self._add_cell(value)
            elif module:
                self.add(module)


def _layers(function: object) -> Iterator[object]:
    """A function and the functions inside it: of a partial, or wrapped by a decorator."""
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        part = waiting.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting += [getattr(part, name, None) for name in ("func", "__wrapped__")]
        if isinstance(part, FunctionType):
            inner = [cell.cell_contents for cell in part.__closure__ or () if _has_content(cell)]
            waiting += [value for value in inner if isinstance(value, FunctionType | type)]


def _has_content(cell: object) -> bool:
    try:
        cell.cell_contents  # type: ignore[attr-defined]  # pyright: ignore  # noqa: B018
    except ValueError:
        return False
    return True


def _parents(module: str) -> Iterator[str]:
    """The packages that contain a module, which are imported with it."""
    parts = module.split(".")
    for n in range(1, len(parts)):
        yield ".".join(parts[:n])


@lru_cache(maxsize=1_024)
def _imports(source: bytes, module: str, is_package: bool) -> tuple[str, ...]:
    """The names of the modules that a source imports, at the top or inside functions."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # not valid Python for this version: only its content counts
        return ()
    return tuple(_imported(tree, module, is_package=is_package))


def _imported(tree: ast.AST, module: str, *, is_package: bool) -> Iterator[str]:
    package = module if is_package else module.rpartition(".")[0]
    for statement in _statements(tree):
        if isinstance(statement, ast.Call):
            yield ast.literal_eval(statement.args[0])
            continue
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
            continue
        base = statement.module or ""
        if statement.level:
            parents = package.split(".")
            kept = parents[: len(parents) - statement.level + 1]
            base = ".".join([*kept, *([base] if base else [])])
        yield base
        # `from package import module` imports the module too.
        yield from (
            f"{base}.{alias.name}"
            for alias in statement.names
            if alias.name != "*" and _file_of(f"{base}.{alias.name}") is not None
        )


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom | ast.Call]:
    """The import statements of a tree, and its calls of `import_module` with a literal name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield from _statements(other)
        else:
            if isinstance(node, ast.Call) and _names_module(node):
                yield node
            yield from _statements(node)


def _names_module(call: ast.Call) -> bool:
    name = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
    first = call.args[0] if call.args else None
    return name == "import_module" and isinstance(getattr(first, "value", None), str)


@cache
def _file_of(module: str) -> Path | None:
    """The source file of a module, imported or not; None if it has none."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return Path(file) if file and Path(file).is_file() else None
    spec = _spec_of(module)
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        return None
    return Path(spec.origin)


def _spec_of(module: str) -> ModuleSpec | None:
    """The import spec of a module, found without importing its package."""
    places: list[str] | None = None
    spec = None
    name = ""
    for word in module.split("."):
        if spec is not None and places is None:  # its parent is not a package
            return None
        name = f"{name}.{word}" if name else word
        try:
            spec = PathFinder.find_spec(name, places)
            locations = spec and spec.submodule_search_locations
            places = None if locations is None else list(locations)
        except (ImportError, KeyError, ValueError):
            return None
        if spec is None:
            return None
    return spec


def _digest_with_data(path: Path, source: bytes) -> str:
    """SHA-256 of a module and of the data files beside it with the same name."""
    digest = hashlib.sha256(source)
    for other in sorted(path.parent.glob(f"{path.stem}.*")):
        if other.suffix in (".toml", ".json", ".txt", ".csv", ".npz") and other.is_file():
            digest.update(other.name.encode())
            digest.update(other.read_bytes())
    return digest.hexdigest()


@cache
def _installed_places() -> tuple[str, ...]:
    names = ("purelib", "platlib", "stdlib", "platstdlib")
    paths = sysconfig.get_paths()
    return tuple({str(Path(paths[name]).resolve()) for name in names if name in paths})


def _is_installed(path: Path) -> bool:
    """Whether the file belongs to an installed package rather than to the user's code."""
    resolved = path.resolve()
    if {"site-packages", "dist-packages"} & set(resolved.parts):
        return True
    return any(str(resolved).startswith(place) for place in _installed_places())


@cache
def _version_of(package: str) -> str:
    """The version of the distribution of a top-level package; all versions if there are several."""
    try:
        return version(package)
    except PackageNotFoundError:
        pass
    names = sorted(set(_distributions().get(package, ())))
    return ", ".join(f"{name} {version(name)}" for name in names) or "unknown"


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _names(code: CodeType) -> set[str]:
    """The global names that a code object reads, its inner functions included."""
    names = set(code.co_names)
    for constant in cast("tuple[object, ...]", code.co_consts):
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _code_text(code: CodeType) -> str:
    """A code object as text, without memory addresses or the order of sets."""
    constants = [_constant(value) for value in cast("tuple[object, ...]", code.co_consts)]
    return repr((code.co_code, constants, code.co_names))


def _constant(value: object) -> str:
    if isinstance(value, CodeType):
        return _code_text(value)
    if isinstance(value, frozenset | set):
        return repr(sorted(map(repr, cast("set[object]", value))))
    return repr(value)
