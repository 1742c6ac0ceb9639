"""Run folders: finished batches as Parquet parts, a manifest, and the merged scores.

    manifest.json          what the numbers are made of; `finished` is null until all parts are there
    samples.parquet        what was scored
    parts/000000.parquet   the scores of one batch; gone once they are merged
    scores.parquet         all scores
    summary.json, summary.md

Each file is written under another name, flushed to disk and then renamed, so that whatever happens
a file is either whole or not there.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ragauge.errors import StoreError
from ragauge.runs.manifest import FORMAT, Manifest
from ragauge.runs.run import COLUMNS, Run
from ragauge.sample import Samples
from ragauge.score import LOST_PARTS, NOT_ASKED

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
SCORES = "scores.parquet"
PARTS = "parts"
SUMMARIES = ("summary.json", "summary.md")


@contextmanager
def store_errors(path: Path) -> Generator[None]:
    """Failures of disk and permission as StoreError, with the path and the way out."""
    try:
        yield
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        reason = "a file is in the way" if in_the_way else error.strerror or str(error)
        no_room = not in_the_way and not isinstance(error, PermissionError | FileNotFoundError)
        way_out = "free space or choose another place" if no_room else "choose another place"
        raise StoreError(
            f"{path}: cannot be written: {reason}; nothing that was there is lost; {way_out}"
        ) from error


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file whole or not at all; StoreError when the disk refuses, the old file intact."""
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
            _sync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a text file, UTF-8 with Unix line ends on every machine, whole or not at all."""
    # A path that is no UTF-8 may be told of in a text; as JSON its escape reads back.
    written = text.encode("utf-8", "backslashreplace")
    write_atomically(path, lambda file: file.write(written))


def write_frame(
    path: Path, frame: "pl.DataFrame", compression: Literal["zstd", "lz4"] = "zstd"
) -> None:
    """Write a Parquet file whole or not at all."""

    def write(file: BinaryIO) -> None:
        import polars as pl

        try:
            frame.write_parquet(file, compression=compression)
        except pl.exceptions.ComputeError as error:  # polars wraps the disk's refusal
            raise OSError(None, str(error).rpartition("IO error: ")[2]) from error

    write_atomically(path, write)


def read_frame(path: Path) -> "pl.DataFrame":
    """Read a Parquet file; StoreError when it is damaged or no Parquet file."""
    import polars as pl

    try:
        # Opened here: polars reads * and [ in a path as patterns.
        with path.open("rb") as file:
            return pl.read_parquet(file, hive_partitioning=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{path}: cannot be read: {error!s:.200}; remove {path.parent} and run it again"
        ) from None


def has_unfinished(scores: "pl.DataFrame") -> bool:
    """Whether some of the scores may fare better when the same run is made again."""
    if "failed" in scores["status"]:
        return True
    rests_on_less = scores["evidence"].str.contains(f'"{LOST_PARTS}":', literal=True)
    return bool((scores["reason"].str.starts_with(NOT_ASKED) | rests_on_less).any())


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk, finished or not."""

    path: Path

    def open(self, manifest: Manifest, samples: Samples) -> Manifest:
        """Make the folder for this run, or go on with the one that has its key.

        Returns the manifest that counts: the stored one where there is one. StoreError when the
        folder holds another run or something else.
        """
        if (self.path / MANIFEST).exists():
            stored = self.manifest()
            if stored.key != manifest.key:
                raise StoreError(
                    f"{self.path}: holds another run ({stored.suite}, {stored.started}); "
                    "choose another folder or remove it"
                )
            if stored.finished or (self.path / SAMPLES).exists():
                return stored
        else:
            self._check_own()
        # The manifest first: it is what tells a run begun from files of somebody else.
        write_text(self.path / MANIFEST, manifest.to_json())
        write_frame(self.path / SAMPLES, samples.frame)
        return manifest

    def _check_own(self) -> None:
        """StoreError when the folder holds something that no run of ours has begun."""
        with store_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            others = [one.name for one in self.path.iterdir() if not one.name.startswith(".")]
        if others:
            raise StoreError(
                f"{self.path}: holds something else ({sorted(others)[0]!r}) and no run; "
                "choose an empty folder, or one that is not there yet"
            )

    def manifest(self) -> Manifest:
        """The manifest; StoreError when there is none, or one of a newer ragauge."""
        path = self.path / MANIFEST
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            why = f"it has no {MANIFEST}" if self.path.is_dir() else "it is no folder"
            raise StoreError(
                f"{self.path}: is no run folder: {why}; name one that ragauge run made"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path}: cannot be read: {error}") from None
        if _format(text) > FORMAT:
            raise StoreError(f"{path}: was written by a newer ragauge; upgrade to read it")
        try:
            return Manifest.from_json(text)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StoreError(
                f"{path}: is damaged ({error!s:.80}); run it again into another folder"
            ) from None

    def part(self, number: int) -> Path:
        return self.path / PARTS / f"{number:06}.parquet"

    def has_part(self, number: int, rows: "pl.DataFrame") -> bool:
        """Whether the batch of these rows is finished; a part that is damaged or of others is none,
        nor is one with scores that failed or that no judge was asked for: those are tried again.

        `rows` are the batch's samples.
        """
        if not self.part(number).exists():
            return False
        try:
            part = self._table(self.part(number), COLUMNS)
        except StoreError:
            return False
        if has_unfinished(part):
            return False
        pairs = ["id", "system"]
        return part.select(pairs).unique().sort(pairs).equals(rows.select(pairs).sort(pairs))

    def reopen(self, run: Run, batches: "Sequence[pl.DataFrame]") -> None:
        """Make a finished run one that is not: its batches where nothing is to be tried again are kept as
        parts.

        `batches` are the samples of each batch.
        """
        pairs = ["id", "system"]
        for number, rows in enumerate(batches):
            part = run.scores.join(rows.select(pairs), on=pairs, how="semi", maintain_order="left")
            if not has_unfinished(part):
                self.write_part(number, part)
        write_text(self.path / MANIFEST, replace(self.manifest(), finished=None).to_json())

    def write_part(self, number: int, scores: "pl.DataFrame") -> None:
        write_frame(self.part(number), scores, "lz4")  # read once more, then gone

    def finish(self, manifest: Manifest, samples: Samples, n_parts: int) -> Run:
        """Merge the parts into one file and mark the run finished.

        Another process may have finished the same run meanwhile, and taken the parts: then that is
        the run.
        """
        import polars as pl

        try:
            scores = pl.concat([read_frame(self.part(number)) for number in range(n_parts)])
        except StoreError:
            if not self.manifest().finished:
                raise
            scores = self._table(SCORES, COLUMNS)
        else:
            write_frame(self.path / SCORES, scores)
            write_text(self.path / MANIFEST, manifest.to_json())
        shutil.rmtree(self.path / PARTS, ignore_errors=True)
        return Run(samples, scores, manifest, self.path)

    def remove(self) -> None:
        """Remove the run's own files, and nothing else that may stand beside them."""
        with store_errors(self.path):
            shutil.rmtree(self.path / PARTS, ignore_errors=True)
            for name in (SCORES, SAMPLES, *SUMMARIES, MANIFEST):
                (self.path / name).unlink(missing_ok=True)

    def read(self) -> Run:
        """The finished run; StoreError when it is not finished."""
        manifest = self.manifest()
        if not manifest.finished:
            raise StoreError(
                f"{self.path}: is not finished; run the same command again to finish it"
            )
        frame = self._table(SAMPLES, ("id", "system"))
        samples = Samples(frame, str(manifest.data.get("source", "")))
        return Run(samples, self._table(SCORES, COLUMNS), manifest, self.path)

    def _table(self, name: str | Path, columns: Sequence[str]) -> "pl.DataFrame":
        """One of the run's tables; StoreError when it is damaged, or none of ours."""
        frame = read_frame(self.path / name)
        unavailable = [column for column in columns if column not in frame.columns]
        if unavailable:
            raise StoreError(
                f"{self.path / name}: is no table of ragauge: it has no {', '.join(unavailable)}; "
                f"remove {self.path} and run it again"
            )
        return frame


def open_run(folder: str | Path) -> Run:
    """The finished run in a folder that `evaluate` or `ragauge run` made.

    StoreError when there is none, or it is not finished or damaged.

    >>> import tempfile, ragauge as rg
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = rg.evaluate([{"id": "q1", "answer": "I do not know"}], "dont_know", folder=folder)
    ...     rg.open_run(folder).scores["value"].to_list()
    [1.0]
    """
    return RunFolder(Path(folder)).read()


def _format(manifest: str) -> int:
    """The format that the manifest says it has; 0 where it cannot be read."""
    try:
        said = json.loads(manifest)["format"]
    except (ValueError, TypeError, LookupError, RecursionError):
        return 0
    return said if isinstance(said, int) else 0


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Flush the folder's list of names, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
