"""An object store between this machine and the workers, for clusters without a shared folder.

A run's folder at a URL (`AtUrl`) is that store itself. Otherwise (`Storage`) it is one on the way:
the driver puts the samples there; workers read their rows and put their parts there; the driver fetches
each part into the run's folder, and in the end removes everything that it put there.
"""

import io
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragauge.engine.frames import EVIDENCE, SCORES
from ragauge.errors import PlanError, StoreError
from ragauge.runs.file_names import EVIDENCE_FOLDER, SAMPLES, SCORES_FOLDER
from ragauge.storage.object_store import EXTRAS, file_system, reason_of, store_at

if TYPE_CHECKING:
    import polars as pl

KINDS = {**EXTRAS, "file": "ray"}
"""The extra that reads each kind of URL."""


@dataclass(frozen=True, slots=True)
class Storage:
    """A folder in an object store, such as `s3://bucket/prefix`, of one run's batches."""

    url: str

    @classmethod
    def checked(cls, url: str) -> "Storage":
        """The storage with this URL; PlanError unless it is one of a kind that can be used."""
        scheme, found, rest = url.partition("://")
        if scheme not in KINDS or not found or not rest.strip("/"):
            kinds = "s3://BUCKET/PREFIX or gs://BUCKET/PREFIX"
            raise PlanError([f"cannot use {url!r:.80} as storage; give {kinds}"])
        return cls(url.rstrip("/"))

    def under(self, *names: str) -> "Storage":
        return Storage("/".join((self.url, *names)))

    def put_samples(self, path: Path) -> None:
        """Put the file of samples there, unless it is there already."""
        with self._errors("written") as files:
            place = f"{self.url}/{SAMPLES}"
            if not files.exists(place) or files.size(place) != path.stat().st_size:
                files.makedirs(self.url, exist_ok=True)
                files.put_file(str(path), place)

    def samples(self, start: int, stop: int, columns: Sequence[str]) -> "pl.DataFrame":
        return _samples_at(self.url, start, stop, columns)

    def put_part(self, number: int, scores: "pl.DataFrame") -> None:
        """Put a part there, completely or not at all."""
        packed = io.BytesIO()
        scores.write_parquet(packed, compression="zstd", compression_level=1)
        with self._errors("written") as files:
            files.makedirs(self.url, exist_ok=True)
            files.pipe_file(self._part(number), packed.getvalue())

    def parts(self) -> set[int]:
        """The numbers of the parts that are there, of a run whose driver was killed."""
        with self._errors("read") as files:
            files.invalidate_cache()
            if not files.exists(self.url):
                return set()
            names = [str(name).rpartition("/")[2] for name in files.ls(self.url, detail=False)]
        return {
            int(name[:-8]) for name in names if name.endswith(".parquet") and name[:-8].isdigit()
        }

    def take_part(self, number: int) -> "pl.DataFrame | None":
        """A part from there; None if it is damaged."""
        import polars as pl

        with self._errors("read") as files:
            packed = files.cat_file(self._part(number))
        try:
            return pl.read_parquet(io.BytesIO(packed))
        except pl.exceptions.PolarsError:
            return None

    def remove_part(self, number: int) -> None:
        with self._errors("removed") as files:
            files.rm_file(self._part(number))

    def remove(self) -> None:
        """Remove the folder and what it has."""
        with self._errors("removed") as files:
            files.invalidate_cache()
            if files.exists(self.url):
                files.rm(self.url, recursive=True)

    def _part(self, number: int) -> str:
        return f"{self.url}/{number:06}.parquet"

    @contextmanager
    def _errors(self, what: str) -> Generator[Any]:
        """The file system of the URL; its errors as StoreError."""
        files = file_system(self.url, KINDS[self.url.partition("://")[0]])
        try:
            yield files
        except Exception as error:  # each file system has errors of its own
            raise StoreError(f"{self.url}: cannot be {what}: {reason_of(error)}") from error


@dataclass(frozen=True, slots=True)
class AtUrl:
    """A run's folder at a URL: workers read its samples, and put their parts at `parts` as the run keeps them."""

    url: str
    parts: str

    def samples(self, start: int, stop: int, columns: Sequence[str]) -> "pl.DataFrame":
        return _samples_at(self.url, start, stop, columns)

    def put_part(self, number: int, scores: "pl.DataFrame") -> None:
        """Put a part there, the scores last: with them it is complete."""
        for folder, columns in ((EVIDENCE_FOLDER, EVIDENCE), (SCORES_FOLDER, SCORES)):
            packed = io.BytesIO()
            scores.select(columns).write_parquet(packed, compression="zstd")
            place = f"{self.parts}/{folder}/{number:06}.parquet"
            with store_at(place, "written") as files:
                files.pipe_file(place, packed.getvalue())


def _samples_at(url: str, start: int, stop: int, columns: Sequence[str]) -> "pl.DataFrame":
    """Rows `start` to `stop` of the samples in a folder; only what they need is read."""
    import polars as pl

    try:
        lazy = pl.scan_parquet(f"{url}/{SAMPLES}", glob=False)
        return lazy.slice(start, stop - start).select(columns).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{url}: the samples cannot be read: {reason_of(error)}") from None
