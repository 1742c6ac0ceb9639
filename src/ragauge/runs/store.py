"""Run folders: a manifest, the samples, and a dataset of scores in parts.

    manifest.json             what the numbers are made of; `finished` is null until all parts are there
    samples.parquet           what was scored
    scores/000000.parquet …   the scores of one batch each, without their evidence
    evidence/000000.parquet … the evidence of the same rows in the same order
    summary.json, summary.md

A part is there when its scores are: its evidence is written first.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.engine.frames import EVIDENCE, KEYS, SCORES, TYPES
from ragauge.errors import FilterError, StoreError
from ragauge.runs.files import read_frame, store_errors, write_frame, write_text
from ragauge.runs.manifest import FORMAT, Manifest
from ragauge.runs.run import Run
from ragauge.runs.scores import InParts
from ragauge.sample import Samples
from ragauge.score import NOT_ASKED, Flag

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
SAMPLES = "samples.parquet"
SCORES_FOLDER = "scores"
EVIDENCE_FOLDER = "evidence"
SUMMARIES = ("summary.json", "summary.md")
FORMER = ("scores.parquet", "parts")
"""What run folders of format 1 hold beside these."""


def has_unfinished(scores: "pl.DataFrame") -> bool:
    """Whether the same run may score some of these rows better when it is made again."""
    import polars as pl

    unfinished = (
        (pl.col("status") == "failed")
        | pl.col("reason").str.starts_with(NOT_ASKED).fill_null(value=False)
        | pl.col("flags").list.contains(str(Flag.LOST_PARTS))
    )
    return bool(scores.select(unfinished.any()).item())


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run on disk, finished or not."""

    path: Path

    def open(self, manifest: Manifest, samples: Samples) -> Manifest:
        """Make the folder for this run, or resume the one that has its key.

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
        # The manifest first: it distinguishes a run that has begun from other people's files.
        write_text(self.path / MANIFEST, manifest.to_json())
        write_frame(self.path / SAMPLES, samples.frame)
        return manifest

    def _check_own(self) -> None:
        """StoreError when the folder holds something that is not a run."""
        with store_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            others = [file.name for file in self.path.iterdir() if not file.name.startswith(".")]
        if others:
            raise StoreError(
                f"{self.path}: holds something else ({sorted(others)[0]!r}) and no run; "
                "choose an empty folder or a new one"
            )

    def manifest(self) -> Manifest:
        """The manifest; StoreError when there is none, or it is of another format or damaged."""
        path = self.path / MANIFEST
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            why = f"it has no {MANIFEST}" if self.path.is_dir() else "it is not a folder"
            raise StoreError(
                f"{self.path}: is not a run folder: {why}; give one that ragauge run made"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path}: cannot be read: {error}") from None
        self._check_format(_format(text))
        try:
            return Manifest.from_json(text)
        except (ValueError, TypeError, KeyError, RecursionError, FilterError) as error:
            raise StoreError(
                f"{path}: is damaged ({error!s:.80}); run it again into another folder"
            ) from None

    def _check_format(self, format: int) -> None:
        if format > FORMAT:
            raise StoreError(
                f"{self.path / MANIFEST}: was written by a newer ragauge; upgrade to read it"
            )
        if 0 < format < FORMAT:
            raise StoreError(
                f"{self.path / MANIFEST}: was written by an earlier ragauge in a format that this version "
                "does not read; run it again into another folder"
            )

    def scores_part(self, number: int) -> Path:
        return self.path / SCORES_FOLDER / f"{number:06}.parquet"

    def evidence_part(self, number: int) -> Path:
        return self.path / EVIDENCE_FOLDER / f"{number:06}.parquet"

    def has_part(self, number: int, rows: "pl.DataFrame") -> bool:
        """Whether the batch of these rows is finished.

        It is not where a file is damaged or holds other rows, nor where scores failed or no judge was
        asked for them: those are tried again. `rows` are the batch's samples.
        """
        if not self.scores_part(number).exists():
            return False
        try:
            scores = self._table(self.scores_part(number), SCORES)
            evidence = self._table(self.evidence_part(number), EVIDENCE)
        except StoreError:
            return False
        if has_unfinished(scores) or not scores.select(KEYS).equals(evidence.select(KEYS)):
            return False
        pairs = ["id", "system"]
        return scores.select(pairs).unique().sort(pairs).equals(rows.select(pairs).sort(pairs))

    def reopen(self) -> None:
        """Mark a finished run unfinished, to try again what failed."""
        write_text(self.path / MANIFEST, replace(self.manifest(), finished=None).to_json())

    def write_part(self, number: int, scores: "pl.DataFrame") -> None:
        """Write a batch's scores, with the columns of SCORES and EVIDENCE."""
        write_frame(self.evidence_part(number), scores.select(EVIDENCE))
        write_frame(self.scores_part(number), scores.select(SCORES))

    def finish(self, manifest: Manifest, samples: Samples, n_parts: int) -> Run:
        """Mark the run finished; all its parts are there."""
        run = Run(samples, self._parts(n_parts), manifest, self.path)
        write_text(self.path / MANIFEST, manifest.to_json())
        return run

    def remove(self) -> None:
        """Remove the run's own files, and nothing else that may be beside them."""
        with store_errors(self.path):
            for name in (SCORES_FOLDER, EVIDENCE_FOLDER, SAMPLES, *SUMMARIES, *FORMER, MANIFEST):
                path = self.path / name
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def data_source(self) -> str:
        """What the run's samples were read from, whatever format the folder has; empty if unknown."""
        try:
            table = json.loads((self.path / MANIFEST).read_text("utf-8"))
            return str(table["data"]["source"])
        except (OSError, ValueError, TypeError, LookupError, RecursionError):
            return ""

    def read(self) -> Run:
        """The finished run; StoreError when it is not finished."""
        manifest = self.manifest()
        if not manifest.finished:
            raise StoreError(
                f"{self.path}: is not finished; run the same command again to finish it"
            )
        frame = self._table(self.path / SAMPLES, ("id", "system"))
        samples = Samples(frame, str(manifest.data.get("source", "")))
        n_parts = -(-len(samples) // max(manifest.batch_size, 1))
        return Run(samples, self._parts(n_parts), manifest, self.path)

    def _parts(self, n_parts: int) -> InParts:
        """The parts of the dataset; StoreError when one is missing or is not a part."""
        scores = tuple(self.scores_part(number) for number in range(n_parts))
        evidence = tuple(self.evidence_part(number) for number in range(n_parts))
        for path, columns in (
            *((path, SCORES) for path in scores),
            *((path, EVIDENCE) for path in evidence),
        ):
            self._check_columns(path, columns, _schema(path, self.path))
        return InParts(scores, evidence)

    def _table(self, path: Path, columns: Sequence[str]) -> "pl.DataFrame":
        """One of the run's tables; StoreError when it is damaged or not ours."""
        frame = read_frame(path, self.path)
        self._check_columns(path, columns, frame.schema)
        return frame

    def _check_columns(
        self, path: Path, columns: Sequence[str], schema: "Mapping[str, pl.DataType]"
    ) -> None:
        missing = [name for name in columns if name not in schema]
        wrong = [name for name in columns if name in schema and str(schema[name]) != TYPES[name]]
        if missing or wrong:
            what = (
                f"it has no {', '.join(missing)}" if missing else f"its {wrong[0]} has another type"
            )
            raise StoreError(
                f"{path}: is not a table of ragauge: {what}; remove {self.path} and run it again"
            )


def _schema(path: Path, folder: Path) -> "Mapping[str, pl.DataType]":
    """The columns and types of a Parquet file, read from its end; StoreError when it is damaged."""
    import polars as pl

    try:
        with path.open("rb") as file:  # polars reads * and [ in a path as patterns
            return pl.read_parquet_schema(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(
            f"{path}: cannot be read: {error!s:.200}; remove {folder} and run it again"
        ) from None


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
