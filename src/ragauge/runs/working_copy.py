"""Runs whose folder is at a URL, such as s3://bucket/run: a working copy on this machine.

A run is made and read in its working copy, a folder in the user's cache. It begins with what the URL has;
each file of the run is put there when it is written, the finished manifest last.

    .copy.json      the files that are the same here and there
    .holder         the name of this copy in leases
    .lock           locked by the process that fetches or writes
"""

import hashlib
import json
import os
import re
import tempfile
import time
import uuid
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from ragauge.errors import PlanError, StoreError
from ragauge.runs.file_names import (
    APART,
    EVIDENCE_FOLDER,
    FILES,
    MANIFEST,
    OF_PEOPLE,
    SCORES_FOLDER,
    SESSIONS,
)
from ragauge.runs.lease import Lease
from ragauge.storage.atomic_files import store_errors, write_text
from ragauge.storage.file_lock import lock
from ragauge.storage.object_store import EXTRAS, key_of, store_at
from ragauge.storage.regular_file import as_url, read_regular

COPIES, HOLDER, LOCK = ".copy.json", ".holder", ".lock"
OF_RUN = re.compile(
    "|".join(
        (
            *map(re.escape, FILES),
            rf"({re.escape(APART)}/)?({SCORES_FOLDER}|{EVIDENCE_FOLDER})/\d{{6,12}}\.parquet",
            rf"{SESSIONS}/[0-9a-f-]{{1,80}}\.jsonl",
        )
    )
)
"""The names of a run's files in its folder; nothing else is fetched."""
TAGS = ("ETag", "etag", "md5Hash", "generation", "mtime", "LastModified", "updated", "created")
"""What changes with a file's content, by the names that file systems give it."""
MAX_BOOKKEEPING = 500_000_000
AT_ONCE = 8
"""Files that are fetched at the same time."""
WAIT_S, WAIT_AT_MOST_S = 0.2, 60.0
"""For another process that fetches the same run."""
WRITER = b"writer"
"""In the lock's file while a run is written."""


def url_of_run(place: str | os.PathLike[str]) -> str | None:
    """The URL of a run's folder in an object store; None for a folder. PlanError for other URLs."""
    url = as_url(place)
    if url is None:
        return None
    scheme, _, rest = url.partition("://")
    scheme, key = scheme.lower(), re.sub("/+", "/", rest).strip("/")  # as a Path writes it
    if scheme not in EXTRAS or not key:
        kinds = "s3://BUCKET/RUN or gs://BUCKET/RUN"
        raise PlanError([f"a run cannot be at {url!r:.200}; give a folder, or {kinds}"])
    return f"{scheme}://{key}"


def copies_folder() -> Path:
    """Where working copies are: in the user's folder for caches."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        caches = Path(given) if given else Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in some containers
        caches = Path(tempfile.gettempdir())
    return caches / "ragauge" / "runs"


def fetched(url: str, key: str | None = None) -> Path:
    """A folder on this machine with what the run's folder at a URL has now.

    Of an unfinished run, and with `key` of a run with another key, only the manifest. Raises StoreError if
    there is no run, unless a key is given: then it may be a new one.
    """
    with _locked(url, is_writer=False) as path:
        copy = WorkingCopy(url, path)
        if not copy.fetch_manifest() and key is None:
            raise StoreError(
                f"{url}: is not a run folder: it has no {MANIFEST}; give one that ragauge run made"
            )
        manifest = copy.manifest()
        if manifest.get("finished") if key is None else manifest.get("key") in (None, key):
            copy.fetch()
    return path


@contextmanager
def writing(url: str, key: str) -> "Generator[WorkingCopy]":
    """The working copy of the run with this key, for the one process that writes it.

    It has what the URL has; of a run with another key only the manifest. Raises StoreError if another
    process writes it, or if other files are there.
    """
    with _locked(url, is_writer=True) as path:
        copy = WorkingCopy(url, path)
        copy.fetch_manifest()
        copy.check_no_others()
        if copy.manifest().get("key", key) != key:
            yield copy  # only to be refused: it is not touched
            return
        copy.lease = Lease(url, _holder(path))
        with copy.lease.held():
            copy.fetch()
            try:
                yield copy
            finally:
                copy.remember()


@contextmanager
def briefly_open(url: str) -> "Generator[WorkingCopy]":
    """The working copy of a run, to fetch or put a few files that no other process writes; StoreError if one
    on this machine writes the run."""
    with _locked(url, is_writer=False) as path:
        yield WorkingCopy(url, path)


@dataclass(slots=True)
class WorkingCopy:
    """A run's folder at a URL, and its copy at `path` on this machine."""

    url: str
    path: Path
    lease: Lease | None = None
    _same: dict[str, list[object]] = field(default_factory=dict[str, list[object]])
    """Of each file that is the same here and there: its size, its tag there, its time here."""

    def __post_init__(self) -> None:
        try:
            table: object = json.loads(read_regular(self.path / COPIES, MAX_BOOKKEEPING))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(table, dict):
            known = cast("dict[str, object]", table)
            self._same = {
                name: cast("list[object]", each)
                for name, each in known.items()
                if isinstance(each, list) and len(cast("list[object]", each)) == 3
            }

    def manifest(self) -> Mapping[str, object]:
        """What the manifest here says; empty if it cannot be read."""
        try:
            table: object = json.loads(read_regular(self.path / MANIFEST, MAX_BOOKKEEPING))
        except (OSError, ValueError, RecursionError):
            return {}
        return cast("Mapping[str, object]", table) if isinstance(table, dict) else {}

    def fetch_manifest(self) -> bool:
        """Fetch the manifest if the one here is another; whether there is one."""
        there = self._listed(MANIFEST)
        if MANIFEST not in there:
            self._remove_here(MANIFEST)
            return False
        self._fetch_if_new(MANIFEST, there[MANIFEST])
        return True

    def check_no_others(self) -> None:
        """Raise StoreError if the URL has files but no run."""
        if (self.path / MANIFEST).exists():
            return
        names = self._listed()
        others = [
            name
            for name in names
            if not name.startswith(".") and name.partition("/")[0] not in OF_PEOPLE
        ]
        if others:
            raise StoreError(
                f"{self.url}: is not a run folder: it contains {min(others)!r:.200}; choose an empty folder or "
                "a new one"
            )

    def fetch(self, folder: str = "") -> None:
        """Make the copy, or only one of its folders, the same as what is at the URL."""
        found = self._listed(folder)
        there = {name: entry for name, entry in found.items() if OF_RUN.fullmatch(name)}
        for name in self._names_here(folder) - there.keys():
            self._remove_here(name)
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            for _ in pool.map(self._fetch_if_new, there, there.values()):
                pass
        finally:
            pool.shutdown(cancel_futures=True)
        self.remember()

    def get(self, *paths: Path) -> None:
        """Fetch files, by their places here, that workers have put at the URL."""
        for name in map(self._name_of, paths):
            place = f"{self.url}/{name}"
            with store_at(place, "read") as files:
                files.invalidate_cache()
                entry: Mapping[str, Any] = files.info(place)
            self._fetch_if_new(name, entry)

    def put(self, *paths: Path) -> None:
        """Put files at the URL, each completely or not at all, unless they are there already."""
        if self.lease is not None:
            self.lease.check()
        for path in paths:
            name = self._name_of(path)
            if self._is_same(name):
                continue
            place = f"{self.url}/{name}"
            with store_at(place, "written") as files:
                files.put_file(str(path), place)
                files.invalidate_cache()
                self._note(name, files.info(place))

    def put_all(self) -> None:
        """Put whatever is not there yet, and the manifest last: if it is finished there, all else is there."""
        self.put(*(self.path / name for name in sorted(self._names_here() - {MANIFEST})))
        self.put(self.path / MANIFEST)
        self.remember()

    def remove(self, folder: str) -> None:
        """Remove a folder of the run at the URL."""
        place = f"{self.url}/{folder}"
        with store_at(place, "written") as files:
            files.invalidate_cache()
            if files.exists(place):
                files.rm(place, recursive=True)

    def remember(self) -> None:
        """Write down which files are the same here and there."""
        write_text(self.path / COPIES, json.dumps(self._same))

    def _name_of(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix()

    def _listed(self, under: str = "") -> dict[str, Mapping[str, Any]]:
        """The files at the URL, or only one of them, by their names in the run's folder."""
        with store_at(self.url, "read") as files:
            files.invalidate_cache()
            place = f"{self.url}/{under}" if under else self.url
            found = cast("dict[str, Mapping[str, Any]]", files.find(place, detail=True))
        inside = key_of(self.url) + "/"
        places = {key_of(place): entry for place, entry in found.items()}
        return {
            place[len(inside) :]: entry
            for place, entry in places.items()
            if place.startswith(inside) and place != inside
        }

    def _names_here(self, folder: str = "") -> set[str]:
        paths = (path for path in (self.path / folder).rglob("*") if path.is_file())
        names = (path.relative_to(self.path).as_posix() for path in paths)
        return {name for name in names if OF_RUN.fullmatch(name)}

    def _fetch_if_new(self, name: str, entry: Mapping[str, Any]) -> None:
        if self._is_same(name) and self._same[name][:2] == [entry["size"], _tag(entry)]:
            return
        path = self.path / name
        temporary = path.with_name(f".{path.name}.fetched")
        with store_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with store_at(f"{self.url}/{name}", "read") as files:
            files.get_file(f"{self.url}/{name}", str(temporary))
        # Others may label at this moment: what they added is whole lines, and is fetched again next time.
        may_grow = name.startswith(f"{SESSIONS}/")
        if temporary.stat().st_size != entry["size"] and not may_grow:
            raise StoreError(f"{self.url}/{name}: changed while it was read; try again")
        temporary.replace(path)
        self._note(name, entry)

    def _note(self, name: str, entry: Mapping[str, Any]) -> None:
        """Note that a file is the same here and there."""
        self._same[name] = [entry["size"], _tag(entry), (self.path / name).stat().st_mtime_ns]

    def _is_same(self, name: str) -> bool:
        """Whether a file here is as it was when it was last fetched or put."""
        try:
            found = (self.path / name).stat()
        except OSError:
            return False
        known = self._same.get(name)
        return known is not None and [found.st_size, found.st_mtime_ns] == [known[0], known[-1]]

    def _remove_here(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)
        self._same.pop(name, None)


@contextmanager
def _locked(url: str, *, is_writer: bool) -> Generator[Path]:
    """The folder of a URL's working copy, which no other process changes; StoreError if one writes the run."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", url.rpartition("/")[2])[:40] or "run"
    path = copies_folder() / f"{name}-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(
            f"{path}: the working copy of {url} cannot be written: {error.strerror or error}; set XDG_CACHE_HOME "
            "to a folder with room"
        ) from error
    try:
        began = time.monotonic()
        while not lock(handle):
            is_written = os.pread(handle, len(WRITER), 0) == WRITER
            if is_written or time.monotonic() - began > WAIT_AT_MOST_S:
                what = "writes" if is_written else "fetches"
                raise StoreError(
                    f"{url}: another process on this machine {what} this run; wait until it has ended"
                )
            time.sleep(WAIT_S)
        os.ftruncate(handle, 0)
        if is_writer:
            os.write(handle, WRITER)
        yield path
    finally:
        os.close(handle)


def _holder(path: Path) -> str:
    """The name of a working copy in leases; a lease of its own is left over from a killed process."""
    file = path / HOLDER
    try:
        return read_regular(file, 100).decode()
    except (OSError, UnicodeDecodeError):
        write_text(file, uuid.uuid4().hex)
    return read_regular(file, 100).decode()


def _tag(entry: Mapping[str, Any]) -> str:
    """What tells a file's content from an earlier one; the same whether it was listed or looked up."""
    value = next((entry[name] for name in TAGS if entry.get(name) is not None), "")
    return str(value.timestamp() if isinstance(value, datetime) else value)
