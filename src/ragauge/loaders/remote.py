"""Copies of sources in object stores (s3://, gs://), in a temporary folder for as long as they are read."""

import glob
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, cast

from ragauge.errors import DataError, MissingExtraError, Problem, StoreError
from ragauge.loaders.sources import KINDS, kind_of_file
from ragauge.samples.file import TemporaryFolder
from ragauge.storage.object_store import (
    EXTRAS,
    advice_for,
    file_system,
    key_of,
    reason_of,
    scheme_of,
)
from ragauge.storage.regular_file import as_url


class Copies:
    """Copies of sources in object stores, in a temporary folder; all other sources stay as they are."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self.places: dict[str, str] = {}  # beginnings of the copies' paths, and their URLs

    def of(self, source: object) -> object:
        """The source, or the path of its copy."""
        url = as_url(source) if isinstance(source, str | Path) else None
        if url is None or scheme_of(url) not in EXTRAS:
            return source
        try:
            return self._copied(url, file_system(url))
        except (DataError, MissingExtraError, StoreError):
            raise
        except FileNotFoundError:
            raise DataError([Problem("no such file or folder", url)]) from None
        except Exception as error:  # each file system has errors of its own
            reason = f"cannot be read: {reason_of(error)}; {advice_for(url, error)}"
            raise DataError([Problem(reason, url)]) from error

    def of_systems(self, sources: object) -> object:
        """The sources of systems by name, or the paths of their copies; never of data, whose addresses are not fetched."""
        by_name = cast(Mapping[object, object], sources)
        copies = {name: self.of(source) for name, source in by_name.items()}
        return copies if self.places else sources

    def _copied(self, url: str, files: Any) -> Path:
        """Copy the file, the folder or all files of the pattern at a URL; the path to read instead."""
        files.invalidate_cache()
        base, _, pattern = url.rpartition("/")
        if glob.has_magic(url):
            parts = url.split("/")
            first = next(at for at, part in enumerate(parts) if glob.has_magic(part))
            base, pattern = "/".join(parts[:first]), "/".join(parts[first:])
            names = files.glob(url)
        elif files.isfile(url):
            names = [url]
        else:
            names, base, pattern = files.ls(url, detail=False), url, ""
        self._folder = self._folder or TemporaryFolder()
        folder = self._folder.path / f"{len(self.places)}"
        folder.mkdir()
        self.places[str(folder)] = base.rstrip("/")
        for name in names:
            place = PurePosixPath(key_of(str(name))[len(key_of(base)) :].lstrip("/"))
            if ".." in place.parts or not place.name or place.name.startswith("."):
                continue
            if len(names) > 1 and kind_of_file(Path(place.name)) is None:
                continue
            copy = folder / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            files.get_file(name, str(copy))
        if not any(folder.iterdir()):
            known = ", ".join(KINDS)
            raise DataError([Problem(f"has no data files ({known}), or does not exist", url)])
        return folder / pattern if pattern else folder

    def named(self, text: str) -> str:
        """The text with the URL for the path of each copy."""
        for copy, url in self.places.items():
            text = text.replace(copy, url)
        return text


@contextmanager
def copied() -> Generator[Copies]:
    """Copies of remote sources; problems with what was read name the URLs."""
    copies = Copies()
    try:
        yield copies
    except DataError as error:
        if not copies.places:
            raise
        problems = [
            replace(each, source=copies.named(each.source), message=copies.named(each.message))
            for each in error.problems
        ]
        raise DataError(problems) from None
