"""Run folders: a manifest, the samples, and a dataset of scores in parts.

    manifest.json             what determines the numbers; `finished` is null until the run completes
    samples.parquet           the samples
    scores/000000.parquet …   the scores of one batch each, without their evidence
    evidence/000000.parquet … the evidence of the same rows in the same order
    questions.parquet         where the rows of each question are, if the run is large
    summary.json, summary.md
    results.json              what a large run computed from all its scores, so that showing it is quick
    report.html               the page of `ragauge run`
    labels.jsonl              what people said in the review queue, if they did
    labels/…                  what they said in that of a run at a URL, a file for each session

Evidence is written before scores, so a part is complete if its scores exist.
"""

import json
import os
import re
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.engine.measure import EVIDENCE, KEYS, SCORES
from ragauge.errors import FilterError, StoreError
from ragauge.runs import integrity
from ragauge.runs.manifest import (
    EVIDENCE_FOLDER,
    FORMAT,
    INDEX,
    MANIFEST,
    MAX_BYTES,
    OF_PEOPLE,
    REPORT,
    RESULTS,
    SAMPLES,
    SCORES_FOLDER,
    SUMMARIES,
    Manifest,
)
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.scores import InParts, write_index
from ragauge.runs.working_copy import WorkingCopy, fetched, url_of_run, writing
from ragauge.samples.file import SampleFile, rows_at_once
from ragauge.samples.samples import Samples
from ragauge.score import NOT_ASKED, Flag
from ragauge.storage.atomic_files import (
    copy_file,
    read_frame,
    remove_left_over,
    store_errors,
    write_frame,
    write_text,
)
from ragauge.storage.regular_file import exists, is_folder, read_regular

if TYPE_CHECKING:
    import polars as pl

MAX_CHECKED = 200
"""Most parts that are all looked into when a run is opened."""
FORMAT_1_FILES = ("scores.parquet", "parts")
"""What else a run folder of format 1 contains."""


def has_unfinished(scores: "pl.LazyFrame | pl.DataFrame") -> bool:
    """Whether running again may give values to some of these rows that have none."""
    import polars as pl

    unfinished = (
        (pl.col("status") == "failed")
        | pl.col("reason").str.starts_with(NOT_ASKED).fill_null(value=False)
        | pl.col("flags").list.contains(str(Flag.LOST_PARTS))
    )
    return bool(scores.lazy().select(unfinished.any()).collect().item())


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk, finished or not. Of a run at a URL, `path` is its working copy on this machine."""

    path: Path
    url: str | None = None

    @classmethod
    def at(cls, place: str | os.PathLike[str], *, key: str | None = None) -> "RunFolder":
        """The folder of a run, or the copy of one at a URL. With a `key` it may be new, and of
        another run has the manifest only."""
        url = url_of_run(place)
        return cls(Path(place)) if url is None else cls(fetched(url, key), url)

    @classmethod
    @contextmanager
    def for_writing(cls, place: Path, key: str) -> "Generator[RunFolder]":
        """The folder of the run with this key; of one at a URL the folder here in which it is made."""
        url = url_of_run(place)
        with nullcontext(place) if url is None else writing(url, key) as path:
            yield cls(path, url)

    @property
    def place(self) -> str:
        """The folder's URL or path, as people know it."""
        return self.url or str(self.path)

    def named(self, text: str) -> str:
        """A text with the URL for the working copy's path."""
        return text if self.url is None else text.replace(str(self.path), self.url)

    @contextmanager
    def _named_errors(self) -> Generator[None]:
        try:
            yield
        except StoreError as error:
            raise StoreError(self.named(str(error))) from error.__cause__

    def put_all(self, url: str) -> "RunFolder":
        """Copy the run that has ended in this folder to its URL; returns its working copy."""
        WorkingCopy(url, self.path).put_all()
        return RunFolder.at(url)

    def open(self, manifest: Manifest, samples: Samples) -> Manifest:
        """Create the folder for this run, or resume the run with the same key in it; returns the
        stored manifest, or the given one.

        Raises StoreError if the folder holds another run or other files.
        """
        self._remove_left_over()
        with self._named_errors():
            if self.has_manifest():
                stored = self.manifest()
                if stored.key != manifest.key:
                    raise StoreError(
                        f"{self.path}: holds another run ({stored.suite}, {stored.started}); "
                        "choose another folder or remove it"
                    )
                if stored.finished or (self.path / SAMPLES).exists():
                    return stored
            else:
                with store_errors(self.path):
                    self.path.mkdir(parents=True, exist_ok=True)
                    names = [file.name for file in self.path.iterdir()]
                names = [name for name in names if not name.startswith(".")]
                if others := [name for name in names if name not in OF_PEOPLE]:
                    raise StoreError(
                        f"{self.path}: is not a run folder: it contains {min(others)!r}; "
                        "choose an empty folder or a new one"
                    )
            # The manifest first: it distinguishes a started run from other people's files.
            write_text(self.path / MANIFEST, manifest.to_json())
            path = self.path / SAMPLES
            if isinstance(samples.rows, SampleFile):
                copy_file(samples.rows.path, path)
            else:
                write_frame(path, samples.frame, row_group_size=rows_at_once(samples.frame))
            return manifest

    def _remove_left_over(self) -> None:
        """Remove temporary files of runs that were killed."""
        names = (MANIFEST, SAMPLES, *SUMMARIES, RESULTS, REPORT)
        remove_left_over(self.path, "|".join(map(re.escape, names)))
        for folder in (self.path / SCORES_FOLDER, self.path / EVIDENCE_FOLDER):
            remove_left_over(folder, r"\d{6,}\.parquet")

    def has_manifest(self) -> bool:
        return exists(self.path / MANIFEST)

    def manifest(self) -> Manifest:
        """The manifest; raises StoreError if it is missing, damaged or of another format."""
        path = self.path / MANIFEST
        try:
            text = read_regular(path, MAX_BYTES).decode()
        except (FileNotFoundError, NotADirectoryError):
            why = f"it has no {MANIFEST}" if is_folder(self.path) else "it is not a folder"
            raise StoreError(
                f"{self.path}: is not a run folder: {why}; give one that ragauge run made"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path}: cannot be read: {error}") from None
        with suppress(ValueError, TypeError, LookupError, RecursionError):
            format = json.loads(text)["format"]
            if format > FORMAT:
                raise StoreError(f"{path}: was written by a newer ragauge; upgrade to read it")
            if 0 < format < FORMAT:
                raise StoreError(
                    f"{path}: was written by an earlier ragauge in a format that this version "
                    "does not read; run it again into another folder"
                )
        try:
            return Manifest.from_json(text)
        except (ValueError, TypeError, KeyError, RecursionError, FilterError) as error:
            raise StoreError(
                f"{path}: is damaged ({error!s:.80}); run it again into another folder"
            ) from None

    def scores_part(self, number: int) -> Path:
        return self.path / SCORES_FOLDER / f"{number:06}.parquet"

    def evidence_part(self, number: int) -> Path:
        return self.path / EVIDENCE_FOLDER / f"{number:06}.parquet"

    def has_part(self, number: int, rows: "pl.DataFrame") -> bool:
        """Whether this batch is finished: whole, undamaged, and with nothing to be retried."""
        paths = self.scores_part(number), self.evidence_part(number)
        try:
            for path, columns in zip(paths, (SCORES, EVIDENCE), strict=True):
                integrity.check_schema(path, self.path, columns)
            scores, evidence = (read_frame(path, self.path) for path in paths)
        except StoreError:
            return False
        is_whole = scores.select(KEYS).equals(evidence.select(KEYS))
        if has_unfinished(scores) or not is_whole or integrity.problem_of_scores(scores):
            return False
        pairs = ["id", "system"]
        return scores.select(pairs).unique().sort(pairs).equals(rows.select(pairs).sort(pairs))

    def reopen(self) -> None:
        """Mark a finished run as unfinished, to retry what failed."""
        write_text(self.path / MANIFEST, replace(self.manifest(), finished=None).to_json())

    def write_part(self, number: int, scores: "pl.DataFrame") -> None:
        """Write a batch's scores, with the columns of SCORES and EVIDENCE."""
        write_frame(self.evidence_part(number), scores.select(EVIDENCE), is_one_of_many=True)
        write_frame(self.scores_part(number), scores.select(SCORES), is_one_of_many=True)

    def finish(self, manifest: Manifest, samples: Samples) -> ScoredRun:
        """Mark the run as finished, once all its parts are written."""
        parts = self._parts(len(samples), manifest.batch_size)
        files = sorted((self.path / SAMPLES, *parts.scores, *parts.evidence))
        digests = {
            file.relative_to(self.path).as_posix(): integrity.digest_of(file, self.path)
            for file in files
        }
        manifest = replace(manifest, digests=digests)
        write_index(self.path, samples)
        write_text(self.path / MANIFEST, manifest.to_json())
        return ScoredRun(samples, parts, manifest, self.path, self.url)

    def remove(self) -> None:
        """Remove the run's own files and no others."""
        folders = (SCORES_FOLDER, EVIDENCE_FOLDER)
        files = (SAMPLES, INDEX, *SUMMARIES, RESULTS, REPORT, *FORMAT_1_FILES, MANIFEST)
        with store_errors(self.path):
            for path in (self.path / name for name in (*folders, *files)):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def origin(self) -> tuple[str, bool]:
        """The source of a run's samples, if known, and whether judges scored them; of any
        format."""
        try:
            table = json.loads(read_regular(self.path / MANIFEST, MAX_BYTES))
            return str(table["data"]["source"]), bool(table.get("judging"))
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return "", False

    def read(self) -> ScoredRun:
        """The finished run; StoreError if it is not finished. Of many or large parts only some are
        checked (see `doctor --check`)."""
        with self._named_errors():
            manifest = self.manifest()
            self._remove_left_over()
            if not manifest.finished:
                raise StoreError(
                    f"{self.path}: is not finished; run the same command again to finish it"
                )
            source = str(manifest.data.get("source", ""))
            samples = Samples(integrity.read_samples(self.path, manifest), source)
            parts = self._parts(len(samples), manifest.batch_size)
            self._check(parts.scores, SCORES, manifest)
            self._check(parts.evidence, EVIDENCE, manifest)
            return ScoredRun(samples, parts, manifest, self.path, self.url)

    def _parts(self, n_rows: int, batch_size: int) -> InParts:
        size = max(batch_size, 1)
        numbers = range(-(-n_rows // size))
        scores = tuple(map(self.scores_part, numbers))
        return InParts(scores, tuple(map(self.evidence_part, numbers)), size)

    def _check(self, paths: Sequence[Path], columns: Sequence[str], manifest: Manifest) -> None:
        """Raise StoreError if a part is missing or damaged; of many or large ones the first and last are read."""
        for path in (path for path in paths if not path.exists()):
            integrity.check_is_file(path, self.path)
        ends = paths[0], paths[-1]
        is_small = sum(path.stat().st_size for path in paths) <= integrity.MAX_CHECKED_BYTES
        for path in paths if is_small and len(paths) <= MAX_CHECKED else ends:
            integrity.check_is_file(path, self.path)
            if path in ends or not manifest.digests:
                integrity.check_schema(path, self.path, columns)
            integrity.check_digest(path, self.path, manifest.digests)
            if columns == SCORES and not manifest.digests:
                problem = integrity.problem_of_scores(read_frame(path, self.path))
                integrity.refuse(problem, path, self.path)


def put_files(run: ScoredRun, *names: str) -> None:
    """Put files in the folder of a run at its URL, if it has one, once the run has ended."""
    if run.url is not None and run.folder is not None:
        WorkingCopy(run.url, run.folder).put(*(run.folder / name for name in names))
