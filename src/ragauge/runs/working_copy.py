"""Runs whose folder is at a URL, such as s3://bucket/run: copies on this machine, in the user's cache.

A run is made in a folder here and copied to the URL when it is finished, the manifest last, so that what is
not complete is no run. The same command resumes the run or the copy: what was copied is not copied again.
A run is read in a copy, for which only what is new is fetched: a file that is the same here and there has a
time of change here that is made of what the object store says of it.

    NAME-URL/           the copy that is read
    NAME-URL-KEY/       the run with this key while it is made and copied; then it becomes the copy
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ragauge.errors import PlanError, StoreError
from ragauge.runs.manifest import (
    EVIDENCE_FOLDER,
    FILES,
    MANIFEST,
    MAX_BYTES,
    OF_PEOPLE,
    SCORES_FOLDER,
    SESSIONS,
)
from ragauge.storage.atomic_files import lock
from ragauge.storage.object_store import EXTRAS, key_of, store_at
from ragauge.storage.regular_file import as_url, read_regular

PART = re.compile(rf"({SCORES_FOLDER}|{EVIDENCE_FOLDER})/\d{{6,12}}\.parquet")
OF_RUN = re.compile(
    "|".join((*map(re.escape, FILES), PART.pattern, rf"{SESSIONS}/[0-9a-f-]{{1,80}}\.jsonl"))
)
"""The names of a run's files in its folder; nothing else is fetched or put."""
ANY = re.compile(".+", re.DOTALL)
TAGS = ("ETag", "etag", "md5Hash", "generation", "mtime", "LastModified", "updated", "created")
"""What changes with a file's content, by the names that file systems give it."""
AT_ONCE = 8
Listed = Mapping[str, Mapping[str, Any]]
"""Files at a URL by their names in the run's folder, as the file system describes them."""


def is_file_of_run(path: Path, folder: Path) -> bool:
    """Whether a path, links followed, is one of the run's own files in its folder."""
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    return OF_RUN.fullmatch(Path(name).as_posix()) is not None


def url_of_run(place: str | os.PathLike[str]) -> str | None:
    """The URL of a run's folder in an object store; None for a folder. PlanError for other URLs."""
    if (url := as_url(place)) is None:
        return None
    scheme, _, rest = url.partition("://")
    scheme, key = scheme.lower(), re.sub("/+", "/", rest).strip("/")  # as a Path writes it
    if scheme not in EXTRAS or not key:
        kinds = "s3://BUCKET/RUN or gs://BUCKET/RUN"
        raise PlanError(f"a run cannot be at {url!r:.200}; give a folder, or {kinds}")
    return f"{scheme}://{key}"


def fetched(url: str, key: str | None = None) -> Path:
    """A folder on this machine with what the run's folder at a URL has now; of an unfinished run
    only the manifest.

    With a `key`, the folder in which that run is made, if it has begun here, and of another run
    only the manifest. Raises StoreError if there is no run, unless a key is given.
    """
    if key is not None and ((made := _folder_of(url, key)) / MANIFEST).exists():
        return made
    copy = WorkingCopy(url, _folder_of(url))
    copy.create()
    there = copy.listed()
    if MANIFEST not in there and key is None:
        raise StoreError(
            f"{url}: is not a run folder: it has no {MANIFEST}; give one that ragauge run made"
        )
    copy.fetch(there, lambda name: name == MANIFEST)
    manifest = copy.manifest()
    is_wanted = manifest.get("finished") if key is None else manifest.get("key") == key
    copy.fetch(there, lambda name: is_wanted or _is_label(name))
    return copy.path


@contextmanager
def writing(url: str, key: str) -> Generator[Path]:
    """The folder in which the run with this key is made, for the one process here that makes it.

    It has what the URL has of the same run. Raises StoreError if other files are there; if another run is,
    the folder is its copy, which is only good to be refused.
    """
    read, made = WorkingCopy(url, fetched(url, key)), WorkingCopy(url, _folder_of(url, key))
    is_there = (read.path / MANIFEST).exists()
    if is_there and read.manifest().get("key") != key:
        yield read.path
        return
    there = [] if is_there else [name for name in read.listed(names=ANY) if not _is_label(name)]
    if others := [name for name in there if name[0] != "." and not OF_RUN.fullmatch(name)]:
        raise StoreError(
            f"{url}: is not a run folder: it contains {min(others)!r:.200}; choose an empty folder or "
            "a new one"
        )
    lock_file = made.path.with_suffix(".lock")
    with _writing_here(url, lock_file):
        handle = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not lock(handle):
            raise StoreError(
                f"{url}: another process on this machine writes this run; wait until it has ended"
            )
        if is_there and read.path != made.path and not made.path.exists():
            read.path.rename(made.path)
        made.create()
        yield made.path
    finally:
        os.close(handle)


@dataclass(slots=True)
class WorkingCopy:
    """A run's folder at a URL, and its copy at `path` on this machine."""

    url: str
    path: Path

    def create(self) -> None:
        """Create the folder on this machine; StoreError if it cannot be written."""
        with _writing_here(self.url, self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def manifest(self) -> Mapping[str, object]:
        """What the manifest here says; empty if it cannot be read."""
        try:
            table: object = json.loads(read_regular(self.path / MANIFEST, MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("Mapping[str, object]", table) if isinstance(table, dict) else {}

    def listed(self, folder: str = "", names: re.Pattern[str] = OF_RUN) -> Listed:
        """The run's files at the URL, or in a folder there; or all whose names match."""
        with store_at(self.url, "read") as files:
            files.invalidate_cache()
            found = files.find(f"{self.url}/{folder}".rstrip("/"), detail=True)
        inside = key_of(self.url) + "/"
        places = {key_of(place): entry for place, entry in found.items()}
        return {
            place[len(inside) :]: entry
            for place, entry in places.items()
            if place.startswith(inside) and names.fullmatch(place[len(inside) :])
        }

    def fetch(
        self, there: Listed, is_wanted: Callable[[str], object] = bool, folder: str = ""
    ) -> None:
        """Make the wanted files the same as those that are listed at the URL, and remove those that are not there."""
        for name in self._names_here() - there.keys() if not folder else ():
            if name.partition("/")[0] != SESSIONS:  # another process may be about to put it
                (self.path / name).unlink(missing_ok=True)

        def fetch_file(name: str) -> None:
            path, place = self.path / name, f"{self.url}/{name}"
            with _writing_here(self.url, path):
                path.parent.mkdir(parents=True, exist_ok=True)
                handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            os.close(handle)
            temporary = Path(made)
            try:
                with store_at(place, "read") as files:
                    files.get_file(place, made)
                # Others may label at this moment: what they added is whole lines, and is fetched again next time.
                may_grow = name.startswith(f"{SESSIONS}/")
                if temporary.stat().st_size != there[name]["size"] and not may_grow:
                    raise StoreError(f"{place}: changed while it was read; try again")
                _mark(temporary, there[name])
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)

        _at_once(fetch_file, self._differing(filter(is_wanted, there), there))

    def put(self, *paths: Path) -> None:
        """Put files at the URL, each completely or not at all."""
        for path in paths:
            place = f"{self.url}/{path.relative_to(self.path).as_posix()}"
            with store_at(place, "written") as files:
                files.put_file(str(path), place)
                files.invalidate_cache()
                _mark(path, files.info(place))

    def put_all(self) -> None:
        """Put whatever is not there yet, labels apart, and the manifest last; this is then the copy that is read."""
        there = self.listed()
        here = {name for name in self._names_here() if not _is_label(name)}
        new = self._differing(here, there)
        stale = {name for name in there.keys() - here if PART.fullmatch(name)}
        if new or stale:
            for name in sorted({MANIFEST, *stale} & there.keys()):
                with store_at(f"{self.url}/{name}", "written") as files:
                    files.rm_file(f"{self.url}/{name}")
            _at_once(lambda name: self.put(self.path / name), (n for n in new if n != MANIFEST))
            self.put(self.path / MANIFEST)
        read = _folder_of(self.url)
        if read != self.path:
            shutil.rmtree(read, ignore_errors=True)
            self.path.replace(read)

    def _names_here(self) -> set[str]:
        paths = (path for path in self.path.rglob("*") if path.is_file())
        names = (path.relative_to(self.path).as_posix() for path in paths)
        return {name for name in names if OF_RUN.fullmatch(name)}

    def _differing(self, names: Iterable[str], there: Listed) -> list[str]:
        """Those of these files that are not known to be the same here and there."""

        def is_same(name: str) -> bool:
            if name not in there or not (self.path / name).exists():
                return False
            here, entry = (self.path / name).stat(), there[name]
            return (here.st_size, here.st_mtime_ns) == (entry["size"], _time_of(entry))

        return [name for name in sorted(names) if not is_same(name)]


def _time_of(entry: Mapping[str, Any]) -> int:
    """The time of change, in nanoseconds, by which a file here is known to be the one there."""
    tag = next((entry[known] for known in TAGS if entry.get(known) is not None), "")
    # A time is the same whether it was listed or looked up.
    text = str(tag.timestamp() if isinstance(tag, datetime) else tag)
    return zlib.crc32(text.encode()) % 2**31 * 10**9  # a year before 2038


def _mark(path: Path, entry: Mapping[str, Any]) -> None:
    os.utime(path, ns=(_time_of(entry), _time_of(entry)))


def _is_label(name: str) -> bool:
    return name.partition("/")[0] in OF_PEOPLE


def _at_once(copy: Callable[[str], None], names: Iterable[str]) -> None:
    """Copy files, some at a time; the first error ends it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(copy, names):
            pass


def _folder_of(url: str, key: str | None = None) -> Path:
    """Where the copy of a run is that is read, or made with this key: in the user's folder for caches."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        caches = Path(given) if given else Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in some containers
        caches = Path(tempfile.gettempdir())
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", url.rpartition("/")[2])[:40] or "run"
    made = "" if key is None else f"-{key[:16]}"
    digest = hashlib.sha256(url.encode()).hexdigest()[:16]
    return caches / "ragauge" / "runs" / f"{name}-{digest}{made}"


@contextmanager
def _writing_here(url: str, path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path}: the working copy of {url} cannot be written: {error.strerror or error}; set XDG_CACHE_HOME "
            "to a folder with room"
        ) from error
