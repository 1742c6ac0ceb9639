"""A run's tables, read strictly: their digests, their columns, and values in every row."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.engine.measure import EVIDENCE, KEYS, SCORES
from ragauge.engine.measure import TYPES as COLUMN_TYPES
from ragauge.errors import StoreError
from ragauge.runs.manifest import MANIFEST, SAMPLES, Manifest
from ragauge.samples.fields import FIELDS
from ragauge.samples.file import SampleFile
from ragauge.samples.samples import Samples
from ragauge.score import Status
from ragauge.storage.atomic_files import read_frame

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.store import RunFolder

TYPES = {
    **dict.fromkeys(("id", "text", "json"), "String"),
    "texts": "List(String)",
    "numbers": "List(Float64)",
    "number": "Float64",
    "grades": "List(Struct({'id': String, 'grade': Int64}))",
}
"""The type that a column of samples has, by the kind of its field, as polars prints it."""
LARGE_SAMPLES = 16 * 2**20
"""Samples whose file has at least this many bytes are read piece by piece."""
SMALL_BATCHES = 8
"""So are samples that are read in more batches than this: repeated texts take little room in the file."""
MAX_CHECKED_BYTES = 50_000_000
"""Most bytes of scores, and of evidence, that are all checked when a run is opened; `ragauge doctor --check`
checks any number, and of a question its own parts are checked."""
SURROGATE = re.compile("[\ud800-\udfff]")
PLAIN = ("String", "Boolean", "Int", "UInt", "Float", "Date", "Time", "Datetime", "Decimal", "Null")
"""How the types of a slice field begin."""


def refuse(problem: str, path: Path, folder: Path) -> None:
    """Raise StoreError for the problem of a table, if it has one."""
    if problem:
        raise StoreError(f"{path}: is damaged: {problem}; {_way_out(folder)}")


def problem_of_samples(frame: "pl.DataFrame") -> str:
    """Why a table is not one of samples; empty if it is."""
    if frame.is_empty():
        return "it has no rows"
    for name, kind in frame.schema.items():
        field, shown = FIELDS.get(name), str(kind)
        is_right = shown == TYPES.get(field.kind, shown) if field else shown.startswith(PLAIN)
        if not is_right:
            return f"its {name} has another type"
        numbers = frame[name].explode() if shown == "List(Float64)" else frame[name]
        if numbers.dtype.is_float() and not numbers.is_finite().all():
            return f"a value of its {name} is not a number"
    keys = frame.select("id", "system")
    if any(keys[name].null_count() for name in keys.columns):
        return "a row has no id or no system"
    return "two rows have the same id and system" if keys.is_duplicated().any() else ""


def problem_of_scores(scores: "pl.DataFrame") -> str:
    """Why a row is not a score; empty if all are."""
    import polars as pl

    value, status = pl.col("value"), pl.col("status")
    is_ok = (status == str(Status.OK)).fill_null(value=False)
    has_no_key = pl.any_horizontal(pl.col("id", "system", "metric").is_null())
    rules = {
        "a row has no id, system or metric": has_no_key,
        "a status is unknown": ~status.is_in(list(map(str, Status))).fill_null(value=False),
        "a value is not a number": ~value.is_finite().fill_null(value=True),
        "a value and its status do not fit": is_ok != value.is_not_null(),
        "a row has no list of flags": pl.col("flags").is_null(),
    }
    named = (rule.any().alias(problem) for problem, rule in rules.items())
    broken = scores.select(named).row(0, named=True)
    return next((problem for problem, is_broken in broken.items() if is_broken), "")


def problem_of_evidence(evidence: "pl.DataFrame") -> str:
    """Why a text is not evidence; empty if all are."""
    for text in evidence["evidence"].drop_nulls().unique():
        try:
            is_object = isinstance(json.loads(text), dict)
        except (ValueError, RecursionError):
            is_object = False
        if not is_object:
            return f"the evidence {text!r:.40} is not a JSON object"
    return ""


def digest_of(file: Path, folder: Path) -> str:
    """The SHA-256 of a file of the folder; StoreError if it cannot be read."""
    check_is_file(file, folder)
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"{file}: cannot be read: {reason}; {_way_out(folder)}") from None


def check_digest(file: Path, folder: Path, digests: Mapping[str, str]) -> None:
    """Raise StoreError if a file of the folder is not as its run wrote it; without digests (an
    earlier version), if it is no file."""
    wanted = digests.get(file.relative_to(folder).as_posix())
    if wanted is None:
        check_is_file(file, folder)
    elif digest_of(file, folder) != wanted:
        refuse("it is not as the run wrote it", file, folder)


def check_is_file(file: Path, folder: Path) -> None:
    """Raise StoreError for what is not a file: reading a pipe, for example, would not end."""
    if not file.is_file():
        what = "is not a file" if file.exists() else "is missing"
        raise StoreError(f"{file}: the run is damaged: this part {what}; {_way_out(folder)}")


def _way_out(folder: Path) -> str:
    return f"restore it from a copy, or remove {folder} and run it again"


def read_samples(folder: Path, manifest: Manifest) -> "pl.DataFrame | SampleFile":
    """The samples: a frame, or many of them as the file that is read piece by piece."""
    path = folder / SAMPLES
    is_small = not path.exists() or path.stat().st_size < LARGE_SAMPLES
    if is_small:
        check_digest(path, folder, manifest.digests)
    check_schema(path, folder, ("id", "system"))
    file = SampleFile(path)
    is_openable = not SURROGATE.search(str(path.absolute()))  # polars opens no other path
    if not is_small or (is_openable and file.height > SMALL_BATCHES * file.rows_at_once):
        return file
    frame = read_frame(path, folder)
    refuse(problem_of_samples(frame), path, folder)
    return frame


def check_schema(path: Path, folder: Path, columns: Iterable[str]) -> None:
    """Raise StoreError if a Parquet file has other columns, or its end, which has them, is damaged."""
    import polars as pl

    again = f"remove {folder} and run it again"
    try:
        with path.open("rb") as file:  # polars reads * and [ in a path as patterns
            schema = pl.read_parquet_schema(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"{path}: cannot be read: {error!s:.200}; {again}") from None
    wrong = [name for name in columns if str(schema.get(name)) != COLUMN_TYPES[name]]
    missing = ", ".join(name for name in wrong if name not in schema)
    if wrong:
        what = f"it has no column {missing}" if missing else f"its {wrong[0]} has another type"
        raise StoreError(f"{path}: is not a part of a run: {what}; {again}")


def check_run(folder: "RunFolder") -> Iterator[tuple[str, str]]:
    """Check the manifest, the samples and each part, which is read and forgotten; writes nothing.

    What was checked, and what is wrong with it; an empty text if nothing is.
    """
    try:
        manifest = folder.manifest()
    except StoreError as error:
        yield MANIFEST, str(error)
        return
    unfinished = "the run is not finished; run the same command again to finish it"
    yield MANIFEST, "" if manifest.finished else unfinished
    if not manifest.finished and not (folder.path / SAMPLES).exists():
        return  # it has just begun, or is at a URL, from where only finished runs are fetched
    try:
        samples = _read(folder, SAMPLES, manifest)
    except StoreError as error:
        yield SAMPLES, str(error)
        return
    data, problem = manifest.data, problem_of_samples(samples)
    if problem:
        pass
    elif samples.height != data.get("n_samples"):
        problem = f"has {samples.height:,} rows, but the manifest counts {data.get('n_samples')}"
    elif samples["system"].unique().sort().to_list() != data.get("systems"):
        problem = "has other systems than the manifest"
    elif Samples(samples).fingerprint() != data.get("sha256"):
        problem = "has other content than the manifest says (its fingerprint differs)"
    yield SAMPLES, problem
    if problem:
        return
    size = max(manifest.batch_size, 1)
    n_parts = -(-samples.height // size)
    for number in range(n_parts):
        try:
            problem = _problem_of_part(folder, number, samples[number * size :][:size], manifest)
        except StoreError as error:
            problem = str(error)
        yield f"part {number}", problem
    if folder.scores_part(n_parts).exists():
        yield f"part {n_parts}", f"the run has only {n_parts:,} parts; remove this one"


def _problem_of_part(
    folder: "RunFolder", number: int, rows: "pl.DataFrame", manifest: Manifest
) -> str:
    """Why scores and evidence are not those of the batch with these samples."""
    frames: list[pl.DataFrame] = []
    paths = folder.scores_part(number), folder.evidence_part(number)
    for path, columns in zip(paths, (SCORES, EVIDENCE), strict=True):
        name = path.relative_to(folder.path).as_posix()
        frame = _read(folder, name, manifest)
        for column in columns:
            if str(frame.schema.get(column)) != COLUMN_TYPES[column]:
                return f"{name}: its column {column} is missing or has another type"
        frames.append(frame)
    scores, evidence = frames
    if problem := problem_of_scores(scores) or problem_of_evidence(evidence):
        return problem
    if not scores.select(KEYS).equals(evidence.select(KEYS)):
        return "its evidence has other rows than its scores"
    metrics = {metric.metric for metric in manifest.metrics}
    if unknown := set(scores["metric"].unique()) - metrics:
        return f"it has scores of {min(unknown)!r:.80}, which the manifest does not name"
    if scores.select(KEYS).is_duplicated().any():
        return "it has two scores of the same answer and metric"
    if scores.select("id", "system").join(rows, on=["id", "system"], how="anti").height:
        return "it has scores of answers that are not in its batch"
    return ""


def _read(folder: "RunFolder", name: str, manifest: Manifest) -> "pl.DataFrame":
    path = folder.path / name
    check_digest(path, folder.path, manifest.digests if manifest.finished else {})
    return read_frame(path, folder.path)
