"""Where modules come from: the user's own files, installed packages, the standard library."""

import importlib.util
import sys
import sysconfig
from functools import cache
from pathlib import Path

from ragauge.modules import find_spec

OWN = "ragauge"


@cache
def file_of(module: str) -> Path | None:
    """The source file of a module, whether or not anything has imported it; None where it has none."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return _file_or_archive(file) if file else None
    spec = find_spec(module, importlib.util.find_spec)
    return None if spec is None or spec.origin is None else _file_or_archive(spec.origin)


def source_file(module: str) -> Path | None:
    """The source file of a module; None for one without, and for a name that cannot be one."""
    try:
        return file_of(module)
    except (ImportError, ValueError):
        return None


def is_own_module(module: str) -> bool:
    """Whether a module is the user's: not ragauge's, not the standard library's, not installed."""
    top = module.partition(".")[0]
    path = None if top == OWN or is_standard(top) else source_file(module)
    return path is not None and not is_installed(path)


def _file_or_archive(name: str) -> Path | None:
    """The file; of a module in a zip archive, the archive."""
    path = Path(name)
    return next((place for place in (path, *path.parents) if place.is_file()), None)


@cache
def is_standard(top: str) -> bool:
    """Whether a top-level name is the standard library's, and no file of the user's hides it."""
    if top not in sys.stdlib_module_names:
        return False
    path = file_of(top)
    return path is None or is_installed(path)


@cache
def _installed_places() -> tuple[str, ...]:
    names = ("purelib", "platlib", "stdlib", "platstdlib")
    paths = sysconfig.get_paths()
    return tuple({str(Path(paths[name]).resolve()) for name in names if name in paths})


def is_installed(path: Path) -> bool:
    """Whether the file belongs to an installed package, and not to the user's own code."""
    resolved = path.resolve()
    if {"site-packages", "dist-packages"} & set(resolved.parts):
        return True
    return any(str(resolved).startswith(place) for place in _installed_places())
