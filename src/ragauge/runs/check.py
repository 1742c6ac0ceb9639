"""Check a stored run against its manifest, file by file and row by row."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.engine.frames import EVIDENCE, KEYS, SCORES, TYPES
from ragauge.errors import StoreError
from ragauge.runs.integrity import (
    check_digest,
    problem_of_evidence,
    problem_of_samples,
    problem_of_scores,
)
from ragauge.runs.manifest import Manifest
from ragauge.runs.store import MANIFEST, SAMPLES, RunFolder
from ragauge.samples.samples import Samples
from ragauge.storage.atomic_files import read_frame

if TYPE_CHECKING:
    import polars as pl

PAIR = ["id", "system"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was checked, and what is wrong with it; `problem` is empty if nothing is."""

    what: str
    problem: str = ""


def check_run(folder: RunFolder) -> Iterator[CheckResult]:
    """Check the manifest, the samples and each part of scores and evidence. Writes nothing.

    A part is read once and forgotten, so that runs of any size can be checked.
    """
    try:
        manifest = folder.manifest()
    except StoreError as error:
        yield CheckResult(MANIFEST, str(error))
        return
    unfinished = "the run is not finished; run the same command again to finish it"
    yield CheckResult(MANIFEST, "" if manifest.finished else unfinished)
    if not manifest.finished and not (folder.path / SAMPLES).exists():
        return  # it has just begun, or is at a URL, from where only finished runs are fetched
    try:
        samples = _read(folder, SAMPLES, manifest)
        problem = problem_of_samples(samples) or _problem_of_data(samples, manifest)
    except StoreError as error:
        samples, problem = None, str(error)
    yield CheckResult(SAMPLES, problem)
    if samples is None or problem:
        return
    size = max(manifest.batch_size, 1)
    n_parts = -(-samples.height // size)
    for number in range(n_parts):
        rows = samples[number * size : (number + 1) * size]
        try:
            problem = _problem_of_part(folder, number, rows, manifest)
        except StoreError as error:
            problem = str(error)
        yield CheckResult(f"part {number}", problem)
    if folder.scores_part(n_parts).exists():
        yield CheckResult(f"part {n_parts}", f"the run has only {n_parts:,} parts; remove this one")


def _problem_of_data(samples: "pl.DataFrame", manifest: Manifest) -> str:
    """Why these are not the samples that the manifest describes."""
    data = manifest.data
    if samples.height != data.get("n_samples"):
        return f"has {samples.height:,} rows, but the manifest counts {data.get('n_samples')}"
    if samples["system"].unique().sort().to_list() != data.get("systems"):
        return "has other systems than the manifest"
    if Samples(samples).fingerprint() != data.get("sha256"):
        return "has other content than the manifest says (its fingerprint differs)"
    return ""


def _problem_of_part(
    folder: RunFolder, number: int, rows: "pl.DataFrame", manifest: Manifest
) -> str:
    """Why scores and evidence are not those of the batch with these samples."""
    paths = folder.scores_part(number), folder.evidence_part(number)
    names = [path.relative_to(folder.path).as_posix() for path in paths]
    scores, evidence = (_read(folder, name, manifest) for name in names)
    for name, frame, columns in zip(names, (scores, evidence), (SCORES, EVIDENCE), strict=True):
        wrong = [column for column in columns if str(frame.schema.get(column)) != TYPES[column]]
        if wrong:
            return f"{name}: its column {wrong[0]} is missing or has another type"
    if problem := problem_of_scores(scores) or problem_of_evidence(evidence):
        return problem
    if not scores.select(KEYS).equals(evidence.select(KEYS)):
        return "its evidence has other rows than its scores"
    metrics = {metric.metric for metric in manifest.metrics}
    if unknown := set(scores["metric"].unique()) - metrics:
        return f"it has scores of {min(unknown)!r:.80}, which the manifest does not name"
    if scores.select(KEYS).is_duplicated().any():
        return "it has two scores of the same answer and metric"
    if scores.select(PAIR).unique().join(rows, on=PAIR, how="anti").height:
        return "it has scores of answers that are not in its batch"
    return ""


def _read(folder: RunFolder, name: str, manifest: Manifest) -> "pl.DataFrame":
    path = folder.path / name
    check_digest(path, folder.path, manifest.digests if manifest.finished else {})
    return read_frame(path, folder.path)
