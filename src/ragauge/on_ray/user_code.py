"""The user's own modules, such as files of metrics, on their way to the workers."""

import shutil
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ragauge.runs.code import data_beside


@contextmanager
def staged(files: Mapping[str, Path]) -> Generator[list[str]]:
    """Copies of the user's modules, given by name: paths for `py_modules` of Ray."""
    with tempfile.TemporaryDirectory(prefix="ragauge-modules-") as folder:
        for name, file in files.items():
            if name != "__main__":  # its functions travel with the job
                _copy(name, file, Path(folder))
        yield sorted(str(path) for path in Path(folder).iterdir())


def _copy(module: str, file: Path, folder: Path) -> None:
    """Copy a module's file, and its data beside it, to where it is imported from as this module."""
    *parents, name = module.split(".")
    data = data_beside(file)
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
