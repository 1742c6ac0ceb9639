"""The user's own modules, such as files of metrics, on their way to the workers."""

import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from ragauge.runs.module_files import is_own_module, source_file

DATA = (".toml", ".json", ".txt", ".csv", ".npz")
"""Suffixes of data files that go with a module of the same name."""


@contextmanager
def staged(modules: Iterable[str]) -> Generator[list[str]]:
    """Copies of those of these modules that workers cannot install: paths for `py_modules` of Ray."""
    own = {
        name: file
        for name in modules
        if name != "__main__" and is_own_module(name) and (file := source_file(name)) is not None
    }
    with tempfile.TemporaryDirectory(prefix="ragauge-modules-") as folder:
        for name, file in own.items():
            _copy(name, file, Path(folder))
        yield sorted(str(path) for path in Path(folder).iterdir())


def _copy(module: str, file: Path, folder: Path) -> None:
    """Copy a module's file, and its data beside it, to where it is imported from as this module."""
    *parents, name = module.split(".")
    data = [
        other
        for other in file.parent.glob(f"{file.stem}.*")
        if other.suffix in DATA and other.is_file()
    ]
    # Ray takes single .py files and folders: a single file with data becomes a package.
    if file.name == "__init__.py" or (data and not parents):
        place, stem = folder.joinpath(*parents, name), "__init__"
    else:
        place, stem = folder.joinpath(*parents), name
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place / f"{stem}{file.suffix}")
    for other in data:
        for copied in {f"{stem}{other.suffix}", other.name}:
            shutil.copyfile(other, place / copied)
