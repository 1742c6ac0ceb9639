"""What a worker does: measure the batches that it is given by number, and store their parts.

Nothing here prints or raises: how a batch ended is returned as an Outcome.
"""

import gc
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ragauge.errors import RagaugeError, StoreError
from ragauge.on_ray.versions import Versions

if TYPE_CHECKING:
    from ragauge.engine.graph import Plan
    from ragauge.engine.resources import Resources
    from ragauge.on_ray.storage import AtUrl, Storage
    from ragauge.runs.code import UserCode

Ending = Literal["stored", "refused", "no storage", "lost", "failed"]
"""How a batch ended.

`refused`: the worker's versions differ. `no storage`: its node cannot read the samples or write the part.
`lost`: an actor that it needs is gone.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """All that workers need to measure a run's batches.

    `samples`: the file of samples, of which `columns` are read. `folder`: the run's folder. Both are on
    storage that all nodes reach.
    """

    key: str
    plan: "Plan"
    resources: "Resources"
    samples: Path
    columns: Sequence[str]
    folder: Path
    batch_size: int
    code: "UserCode"
    cache: str | Path | None = None
    """The driver's file of vectors, for encoders on its machine."""
    storage: "Storage | AtUrl | None" = None
    """Where the samples are and the parts go instead, if the nodes do not reach the folder, or it is at a URL."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A job on its way to a worker. `packed` is read only if the versions are the same."""

    key: str
    versions: Versions
    packed: bytes


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a batch ended, where, and how many samples its part has."""

    number: int
    ending: Ending
    node: str
    n_rows: int = 0
    error: RagaugeError | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Opened:
    key: str
    job: Job | None
    refused: str = ""


_opened: _Opened | None = None
"""The job of this worker process: it reads its plan once."""
_crew: int = 0
"""The number of the crew of encoders that it uses."""


def measure_batch(
    read: Callable[[Any], Any], envelope: Any, key: str, number: int, crew: tuple[int, Any]
) -> Outcome:
    """Measure one batch of a job and store its part.

    `read` gets what a reference of Ray refers to: the job's envelope, and the crew of encoders, which has
    the number 0 if there is none. A worker reads each once.
    """
    global _opened, _crew
    if _opened is None or _opened.key != key:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the batches are the parallel work
        _opened, _crew = _open(read(envelope)), 0
        gc.freeze()
    job, node = _opened.job, _node()
    if job is None:
        return Outcome(number, "refused", node, reason=_opened.refused)
    try:
        if crew[0] != _crew:
            read(crew[1]).serve(job.resources, node)
            _crew = crew[0]
        return Outcome(number, "stored", node, n_rows=_store(job, number))
    except StoreError as error:
        return Outcome(number, "no storage", node, error=error)
    except RagaugeError as error:
        return Outcome(number, "failed", node, error=error)
    except BaseException as error:  # by name, so that runs without encoders import none
        if type(error).__name__ != "EncoderLostError":
            raise
        return Outcome(number, "lost", node, reason=str(error))


def _node() -> str:
    from importlib import import_module

    ray: Any = import_module("ray")
    return ray.get_runtime_context().get_node_id()


def _open(envelope: Envelope) -> _Opened:
    import pickle

    refused = envelope.versions.difference_here()
    if refused:
        return _Opened(envelope.key, None, refused)
    try:
        return _Opened(envelope.key, cast(Job, pickle.loads(envelope.packed)))
    except Exception as error:  # whatever importing or unpickling code that is not there raises
        return _Opened(envelope.key, None, f"{type(error).__name__}: {error!s:.200}")


def _store(job: Job, number: int) -> int:
    from ragauge.engine.frames import score_frame
    from ragauge.engine.row_range import RowRange
    from ragauge.runs.store import RunFolder

    start = number * job.batch_size
    if job.storage is not None:
        return _store_there(job, job.storage, number)
    if not job.samples.exists():
        raise StoreError(
            f"{job.samples}: is not there; the run's folder must be shared by all nodes"
        )
    columns = RowRange(job.samples, start, start + job.batch_size, job.columns).read()
    RunFolder(job.folder).write_part(number, score_frame(job.plan, columns, job.resources))
    return len(columns["id"])


def _store_there(job: Job, storage: "Storage | AtUrl", number: int) -> int:
    """Measure a batch whose rows are in an object store, and put its part there."""
    from ragauge.engine.frames import score_frame
    from ragauge.sample import to_columns

    start = number * job.batch_size
    columns = to_columns(storage.samples(start, start + job.batch_size, job.columns))
    storage.put_part(number, score_frame(job.plan, columns, job.resources))
    return len(columns["id"])
