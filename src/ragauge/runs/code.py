"""The code that a run's numbers depend on: everything that the plan's functions import, found by code.

From the modules of the functions the imports are followed through the source files: those at the top
of a module and those inside functions, but not those for type checkers only. Modules of this package
and the user's own count by their content, other packages by name and version. The standard library
does not count.
"""

import dis
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from ragauge.runs.imported_modules import imports
from ragauge.runs.module_files import OWN, file_of, is_installed, is_standard

if TYPE_CHECKING:
    import numpy as np

SCALARS = (type(None), bool, int, float, complex, str, bytes, PurePath, range, date, time)
"""Types of values whose `repr` says what they are."""
NOT_CODE = ("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__")
"""What a class holds that makes no numbers."""


@dataclass(frozen=True, slots=True)
class Code:
    """What numbers are made by.

    `modules`: SHA-256 of the content of each module of this package and of the user's, by name.
    `packages`: version of each other package, by name. `cells`: code of functions that no file holds,
    as in a notebook.
    """

    modules: Mapping[str, str]
    packages: Mapping[str, str]
    cells: tuple[str, ...] = ()

    def digest(self) -> str:
        """SHA-256 of all of it."""
        fixed = [sorted(self.modules.items()), sorted(self.packages.items()), sorted(self.cells)]
        return hashlib.sha256(repr(fixed).encode()).hexdigest()


def code_of(functions: Iterable[object], modules: Iterable[str] = ()) -> Code:
    """The code of these functions (or classes) and of these modules, with all that they import."""
    walk = _Walk({OWN})
    for function in functions:
        walk.add_function(function)
    for module in modules:
        walk.add(module, is_own=True)
    walk.follow()
    return Code(walk.modules, walk.packages, tuple(sorted(walk.cells)))


class _Walk:
    """The closure as it grows."""

    def __init__(self, own: set[str]) -> None:
        self.own = own
        """Top-level names of packages whose modules count by content wherever they are installed."""
        self.modules: dict[str, str] = {}
        self.packages: dict[str, str] = {}
        self.cells: set[str] = set()
        self._waiting: list[str] = []
        self._texts: dict[int, tuple[object, str]] = {}
        """Texts of values by id, with the values, so that no other value gets the id."""
        self._added: dict[int, object] = {}

    def add_function(self, function: object, *, is_own: bool = True) -> None:
        """The modules that a function is from, and the values that it is bound to."""
        for part in _layers(function):
            module = str(getattr(part, "__module__", None) or "")
            is_cell = module == "__main__" and file_of("__main__") is None
            if module and not is_cell:
                self.add(module, is_own=is_own)
            if id(part) in self._added:
                continue
            self._added[id(part)] = part
            if is_cell:
                self._add_cell(part)
            if module.partition(".")[0] != OWN and (bound := _bound(part)):
                self.cells.add(f"{_name_of(part)} {self._text(bound)}")

    def add(self, module: str, *, is_own: bool = False) -> None:
        """A module to follow; what is found of it by name only is its package's version."""
        top = module.partition(".")[0]
        if is_own:
            self.own.add(top)
        counts = module == "__main__" or not is_standard(top)
        if counts and module not in self.modules and module not in self._waiting:
            self._waiting.append(module)

    def follow(self) -> None:
        while self._waiting:
            module = self._waiting.pop()
            path = file_of(module)
            if path is None or module in self.modules:
                continue
            top = module.partition(".")[0]
            if top not in self.own and is_installed(path) and (known := version_of(top)):
                self.packages[top] = known
                continue
            source = path.read_bytes()
            self.modules[module] = _digest_with_data(path, source)
            for parent in _parents(module):
                self.add(parent)
            if path.suffix == ".py":
                package = _package_of(module, is_package=path.name == "__init__.py")
                for imported in imports(source, package):
                    self.add(imported)

    def _add_cell(self, part: object) -> None:
        """A function or class without a file: its code, and the globals that it names."""
        if isinstance(part, type):
            held = {name: value for name, value in vars(part).items() if name not in NOT_CODE}
            bases = [self._text(base) for base in part.__bases__]
            self.cells.add(f"{_name_of(part)} {bases} {self._text(held)}")
            return
        code = getattr(part, "__code__", None)
        if not isinstance(code, CodeType):
            self.add_function(type(part), is_own=False)
            return
        self.cells.add(_shown(code))
        namespace = cast("FunctionType", part).__globals__
        for name in sorted(_names(code)):
            if name in namespace:
                self.cells.add(f"{name} = {self._text(namespace[name])}")
        for module in sorted(_modules_of(code)):
            self.add(module)

    def _text(self, value: object) -> str:
        """What a value is, as text that is the same in each process; code that it holds is added."""
        if isinstance(value, SCALARS):
            return repr(value)
        if isinstance(value, re.Pattern):
            return repr((cast("re.Pattern[str]", value).pattern, value.flags))
        if isinstance(value, ModuleType):
            self.add(value.__name__)
            return value.__name__
        if id(value) not in self._texts:
            self._texts[id(value)] = value, "…"  # a value may hold itself
            self._texts[id(value)] = value, self._text_of_parts(value)
        return self._texts[id(value)][1]

    def _text_of_parts(self, value: object) -> str:
        if isinstance(value, dict):
            table = cast("dict[object, object]", value)
            return str([(self._text(key), self._text(item)) for key, item in table.items()])
        if isinstance(value, list | tuple):
            return str([self._text(item) for item in cast("list[object]", value)])
        if isinstance(value, set | frozenset):
            return str(sorted(self._text(item) for item in cast("set[object]", value)))
        if isinstance(value, staticmethod | classmethod):
            return self._text(cast("object", value.__func__))
        if isinstance(value, property):
            return self._text((value.fget, value.fset))
        if type(value).__module__ == "numpy" and hasattr(value, "tobytes"):
            array = cast("np.ndarray[Any, Any]", value)
            if array.dtype.hasobject:
                return self._text(array.tolist())
            digest = hashlib.sha256(array.tobytes()).hexdigest()
            return f"{array.dtype} {array.shape} {digest}"
        self.add_function(value, is_own=False)
        return _name_of(value)


def _name_of(part: object) -> str:
    named = part if hasattr(part, "__qualname__") else type(part)
    return f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}"


def _bound(part: object) -> object:
    """The values that a function is bound to: by a closure, as a default, in a partial or an instance.

    Of an instance of an installed class nothing: it may be large, or change while it works.
    """
    if isinstance(part, FunctionType):
        cells = [cell.cell_contents for cell in part.__closure__ or () if _has_content(cell)]
        return [found for found in (cells, part.__defaults__, part.__kwdefaults__) if found]
    if isinstance(part, partial):
        known = cast("partial[object]", part)
        return [known.args, known.keywords]
    if isinstance(part, MethodType):
        return None if isinstance(part.__self__, type) else [part.__self__]
    if isinstance(part, type | BuiltinFunctionType) or not hasattr(part, "__dict__"):
        return None
    module = type(part).__module__
    path = file_of(module)
    is_own = module == "__main__" or (path is not None and not is_installed(path))
    return vars(part) if is_own else None


def _layers(function: object) -> Iterator[object]:
    """A function and those inside it: of a partial, of what a decorator wrapped."""
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
    """The packages that importing a module imports too."""
    parts = module.split(".")
    for n in range(1, len(parts)):
        yield ".".join(parts[:n])


def _package_of(module: str, *, is_package: bool) -> str:
    """The package that the relative imports of a module start from."""
    if module == "__main__":  # of `python -m package.module`
        return getattr(sys.modules[module], "__package__", None) or ""
    return module if is_package else module.rpartition(".")[0]


def _digest_with_data(path: Path, source: bytes) -> str:
    """SHA-256 of a module, and of the data files beside it that have its name."""
    digest = hashlib.sha256(source)
    for other in sorted(path.parent.glob(f"{path.stem}.*")):
        if other.suffix in (".toml", ".json", ".txt", ".csv", ".npz") and other.is_file():
            digest.update(other.name.encode())
            digest.update(other.read_bytes())
    return digest.hexdigest()


@cache
def version_of(package: str) -> str:
    """The version of the distribution that has a top-level package; of several, all; empty: none has."""
    try:
        return version(package)
    except PackageNotFoundError:
        pass
    names = sorted(set(_distributions().get(package, ())))
    return ", ".join(f"{name} {version(name)}" for name in names)


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _names(code: CodeType) -> set[str]:
    """The global names that a code object reads, its inner functions included."""
    found = set(code.co_names)
    for constant in cast("tuple[object, ...]", code.co_consts):
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found


def _modules_of(code: CodeType) -> set[str]:
    """The modules that a code object imports by absolute name, its inner functions included."""
    names = {
        str(step.argval) for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"
    }
    inner = {f"{name}.{word}" for name in names for word in code.co_names}
    names |= {name for name in inner if file_of(name) is not None}
    for constant in cast("tuple[object, ...]", code.co_consts):
        if isinstance(constant, CodeType):
            names |= _modules_of(constant)
    return names - {""}


def _shown(code: CodeType) -> str:
    """A code object as text, without its place in memory and the order of its sets."""
    constants = [_constant(one) for one in cast("tuple[object, ...]", code.co_consts)]
    return repr((code.co_code, constants, code.co_names))


def _constant(value: object) -> str:
    if isinstance(value, CodeType):
        return _shown(value)
    if isinstance(value, frozenset | set):
        return repr(sorted(map(repr, cast("set[object]", value))))
    return repr(value)
