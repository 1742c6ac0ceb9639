"""What a large run computed from all its scores when it ended, stored so that showing it needs no score.

The file is only a copy. It is used if it says that it was made from the scores that the manifest lists,
by this version of ragauge, and if its own digest is right; otherwise everything is computed from the
scores, with the same numbers. It holds nothing that people's labels change.
"""

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.runs.manifest import Manifest
from ragauge.storage.atomic_files import write_text
from ragauge.storage.regular_file import read_regular

if TYPE_CHECKING:
    from ragauge.runs.scored_run import ScoredRun

RESULTS = "results.json"
MIN_ANSWERS = 20_000
"""Runs of more answers store their results; those of fewer are computed in a second or two."""
MAX_BYTES = 50_000_000
VERSION = 2
"""Raised whenever what is stored changes its form or its numbers."""


def has_results(run: "ScoredRun") -> bool:
    """Whether a run is stored, finished and so large that its results are stored."""
    is_stored = run.folder is not None and bool(run.manifest.digests)
    return is_stored and len(run.samples) > MIN_ANSWERS


def read_results(folder: Path, manifest: Manifest) -> Mapping[str, object]:
    """The stored results by name; empty if there are none that belong to the run's scores."""
    try:
        head, _, body = read_regular(folder / RESULTS, MAX_BYTES).partition(b"\n")
        if json.loads(head) != _head(manifest, body):
            return {}
        return cast("Mapping[str, object]", json.loads(body))
    except (OSError, ValueError, RecursionError):
        return {}


def write_results(folder: Path, manifest: Manifest, results: Mapping[str, object]) -> None:
    """Store results as JSON data, unless a number is not finite or there is too much of them."""
    try:
        body = json.dumps(results, allow_nan=False).encode()
    except ValueError:
        return
    text = f"{json.dumps(_head(manifest, body))}\n{body.decode()}"
    if len(text) <= MAX_BYTES:
        write_text(folder / RESULTS, text)


def _head(manifest: Manifest, body: bytes) -> dict[str, object]:
    """What must hold for a body to be used: the code, the scores and the body itself."""
    scores = json.dumps([manifest.key, manifest.seed, sorted(manifest.digests.items())])
    return {
        "version": VERSION,
        "ragauge": metadata.version("ragauge"),
        "scores": hashlib.sha256(scores.encode()).hexdigest(),
        "results": hashlib.sha256(body).hexdigest(),
    }
