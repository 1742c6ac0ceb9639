"""The code that a run's numbers depend on: ragauge's version and sources, and the user's own files.

Of ragauge all rooms count that make numbers, as one digest. Of the user's functions the files count that
they are defined in and that these import, also inside functions; of their own file only what they name.
"""

import ast
import hashlib
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from inspect import unwrap
from itertools import accumulate
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from ragauge.judges.providers.factory import names_in, script_digest
from ragauge.loaders.table import parsed_module

OWN = "ragauge"
WITHOUT_NUMBERS = (
    "cli", "comparing", "gating", "loaders", "network", "on_ray", "page", "people", "report", "runs", "storage",
    "views", "web",
)  # fmt: skip
"""Rooms of ragauge whose changes change no score. What is loaded counts by the samples' own digest."""
COMPUTING = (
    "numpy", "onnxruntime", "polars", "rapidfuzz", "regex", "snowballstemmer",
    "nltk", "ragas", "sacrebleu", "spacy", "torch", "transformers",
)  # fmt: skip
"""Packages whose versions count; the last six are installed where they are wanted."""
DATA = (".toml", ".json", ".txt", ".csv", ".npz")
"""Suffixes of data files that belong to a module of the same name."""
SCHEME = "files:"
"""Before a digest of the user's code. Those of earlier versions are without, and cannot be computed any more."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@cache
def package_digest() -> str:
    """SHA-256 of the sources of this ragauge that make numbers."""
    return digest_of_sources(Path(__file__).parents[1])


def digest_of_sources(package: Path) -> str:
    """SHA-256 of a package's Python and TOML files, without the rooms that make no numbers."""
    files = {path.relative_to(package): path for path in package.rglob("*.*")}
    return _digest(
        f"{name.as_posix()} {_digest(path.read_bytes())}"
        for name, path in sorted(files.items())
        if path.suffix in (".py", ".toml") and path.name != "trust.toml"
        if name.parts[0] not in WITHOUT_NUMBERS
    )


@cache
def version_of(package: str) -> str:
    """The version of an installed package; empty if there is none of this name."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class UserCode:
    """The user's code that functions depend on: its modules' `files` by name, the `texts` that
    count (of a notebook's functions their digests), and the names of the installed `packages` that
    it imports."""

    files: Mapping[str, Path]
    texts: frozenset[str]
    packages: frozenset[str]

    def digest(self) -> str:
        """The same on every machine and in every folder; empty where there is no such code."""
        return SCHEME + _digest(sorted(self.texts)) if self.texts else ""

    def versions(self) -> dict[str, str]:
        """The versions of all packages that count, by name."""
        found = {name: version_of(name) for name in sorted({*COMPUTING, *self.packages})}
        return {name: known for name, known in found.items() if known}


def is_other(digest: str, other: str) -> bool:
    """Whether two digests are of different code; one that is empty or of an earlier version tells nothing."""
    both_new = digest.startswith(SCHEME) == other.startswith(SCHEME)
    return bool(digest and other) and digest != other and both_new


def user_code(functions: Iterable[object]) -> UserCode:
    """The code that functions, classes or the classes of instances depend on, as far as it is the user's."""
    files: dict[str, Path] = {}
    texts, packages = set[str](), set[str]()
    standard_library = _standard_library()
    for function in functions:
        named: Any = cast(Any, function).func if isinstance(function, partial) else function
        named = unwrap(named) if isinstance(named, FunctionType) else named
        if not (getattr(named, "__qualname__", "") and named.__module__):
            named = cast(Any, type(named))
        home, seen = str(named.__module__), set[str]()
        waiting = [] if home.partition(".")[0] in (OWN, "builtins") else [home]
        if home == "__main__" and file_of(home) is None:  # a notebook
            parts = vars(named).values() if isinstance(named, type) else [named]
            for part in (part for part in parts if isinstance(part, FunctionType)):
                texts.add(script_digest(part))
                # The modules that it names, or that what it names is from.
                for name in names_in(part.__code__):
                    value = part.__globals__.get(name)
                    attribute = "__name__" if isinstance(value, ModuleType) else "__module__"
                    waiting.append(str(getattr(value, attribute, name)))
        while waiting:
            module = waiting.pop()
            path = None if module in seen else file_of(module)
            seen.add(module)
            if path is None:
                continue
            real = path.resolve()
            installed = {"site-packages", "dist-packages"} & {*real.parts, *path.absolute().parts}
            if installed or real.is_relative_to(standard_library):
                packages.add(module.partition(".")[0])
                continue
            files[module] = path
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            if module == "__main__":  # of `python -m package.module`
                package = getattr(sys.modules[module], "__package__", None) or ""
            name = str(named.__qualname__).partition(".")[0] if module == home else ""
            text, imported = _read(path.read_bytes(), package, name)
            texts |= {text, *(_digest(data.read_bytes()) for data in data_beside(path))}
            waiting += [*imported, *accumulate(module.split(".")[:-1], "{}.{}".format)]
    return UserCode(files, frozenset(texts), frozenset(packages - sys.stdlib_module_names))


@cache
def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()


def file_of(module: str) -> Path | None:
    """The file of a module, found without importing its package; None for ragauge's own."""
    top, *_ = names = list(accumulate(module.split("."), "{}.{}".format))
    if top == OWN:
        return None
    name = getattr(sys.modules.get(module), "__file__", None)
    try:
        spec = importlib.util.find_spec(top) if module not in sys.modules else None
        for inner in names[1:]:
            places = spec and spec.submodule_search_locations
            spec = PathFinder.find_spec(inner, list(places)) if places else None
        name = name or (spec and spec.origin)
    except (ImportError, KeyError, ValueError):
        pass
    return Path(name) if name and Path(name).is_file() else None


def data_beside(path: Path) -> list[Path]:
    """The data files beside a module's file that have its name."""
    return [other for other in map(path.with_suffix, DATA) if other.is_file()]


@lru_cache(maxsize=512)
def _read(source: bytes, package: str, name: str) -> tuple[str, tuple[str, ...]]:
    """What counts of a source, and the modules that it imports; with a name, what that depends on."""
    try:
        body = _reached(parsed_module(source).body, name)
        imported = list[str]()
        for part in [part for statement in body for part in ast.walk(statement)]:
            if isinstance(part, ast.Import):
                imported += (alias.name for alias in part.names)
            elif isinstance(part, ast.ImportFrom):
                parents = package.split(".")[: 1 - part.level or None] if part.level else []
                base = ".".join([*parents, *filter(None, [part.module])])
                # Of `from a import b` both `a` and `a.b`, which may be one.
                imported += (base, *(f"{base}.{alias.name}" for alias in part.names))
            elif isinstance(part, FUNCTIONS) and ast.get_docstring(part) is not None:
                part.body = part.body[1:] or [ast.Pass()]
        return "\n".join(map(ast.unparse, body)), tuple(imported)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # compiled, or too deep
        return _digest(source), ()


def _reached(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The statements at the top of a module that a name depends on; all of them if none binds it."""
    binding: dict[str, list[ast.stmt]] = {}
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store):
                part = part.value  # of `a.b = c` it is `a`
            elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
                continue
            bound = getattr(part, "asname", None) or getattr(part, "name", getattr(part, "id", ""))
            binding.setdefault(str(bound).partition(".")[0], []).append(statement)
    if name not in binding:
        return body
    reached, waiting = set[int](), [name, "*"]
    while waiting:
        for statement in binding.pop(waiting.pop(), ()):
            if id(statement) not in reached:  # it binds many names
                reached.add(id(statement))
                waiting += [part.id for part in ast.walk(statement) if isinstance(part, ast.Name)]
    return [statement for statement in body if id(statement) in reached]


def _digest(content: bytes | Iterable[str]) -> str:
    data = content if isinstance(content, bytes) else "\n".join(content).encode()
    return hashlib.sha256(data).hexdigest()
