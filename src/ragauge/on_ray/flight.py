"""Batches in flight: a few per worker, and again those whose worker or node was lost."""

import copyreg
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ragauge.errors import ClusterError, PlanError, RagaugeError
from ragauge.on_ray.batches import Envelope, Job, Outcome, measure_batch
from ragauge.on_ray.connection import Cluster
from ragauge.on_ray.versions import Versions
from ragauge.progress import NodeLeftOut

if TYPE_CHECKING:
    from ragauge.on_ray.encoders import Actors

CPUS = 0.99
"""Of a task. What it leaves is enough for the actors of encoders, so that they take no task's place."""
PER_WORKER = 2
"""Batches in flight for each worker: the next one waits on the cluster while one is measured."""
WAIT_S = 0.2
"""An interrupt is noticed only between waits, so each is short."""
NODES_EVERY_S = 2.0
MAX_TRIES = 10
"""A batch whose worker ends this often ends the run: most likely the batch ends the worker."""
LOST = (
    "WorkerCrashedError",
    "NodeDiedError",
    "LocalRayletDiedError",
    "ActorDiedError",
    "ActorUnavailableError",
    "ObjectLostError",
    "OwnerDiedError",
    "ObjectFetchTimedOutError",
    "OutOfMemoryError",
    "TaskUnschedulableError",
    "OutOfDiskError",
)
"""Ray's errors of a task that may end well elsewhere, or on another try."""


@dataclass(slots=True)
class Flight:
    """The batches of a job on a cluster. `workers`: how many are measured at a time, if limited."""

    cluster: Cluster
    job: Job
    workers: int | None = None
    left_out: dict[str, RagaugeError] = field(default_factory=dict[str, RagaugeError])
    """Nodes that cannot read the samples or write parts, with the error."""
    _tries: dict[int, int] = field(default_factory=dict[int, int])
    _running: dict[Any, int] = field(default_factory=dict[Any, int])
    """The number of each batch in flight, by Ray's reference."""
    _nodes: Sequence[Mapping[str, Any]] = ()
    _nodes_known_s: float = float("-inf")

    def measured(self, numbers: Sequence[int]) -> Iterator[int]:
        """Measure these batches; the number of each one when its part is stored."""
        ray = self.cluster.ray
        envelope = ray.put(self._envelope())
        actors = self._actors()
        task = ray.remote(_remote_batch)
        waiting = list(reversed(numbers))
        try:
            while waiting or self._running:
                while waiting and len(self._running) < self._most_running():
                    if actors is not None:
                        actors.follow(self._usable_nodes())
                    self._start(task, envelope, waiting.pop(), actors)
                for outcome in self._finished(waiting):
                    if outcome.ending == "stored":
                        yield outcome.number
                    else:
                        self._settle(outcome, waiting)
        finally:
            if not self.cluster.is_lost:
                for reference in self._running:
                    ray.cancel(reference, force=True)
                if actors is not None:
                    actors.end()

    def _actors(self) -> "Actors | None":
        """The actors of the plan's encoders; None if it has none."""
        job = self.job
        if not any("encoder" in node.definition.resources for node in job.plan.nodes):
            return None
        from ragauge.on_ray.encoders import Actors, models_of

        cache = job.cache if self.cluster.is_own else None
        return Actors(
            self.cluster, models_of(job.plan, job.resources), job.resources.for_workers(cache)
        )

    def _envelope(self) -> Envelope:
        versions = Versions.here(self.job.code.versions())
        return Envelope(self.job.key, versions, _packed(self.job))

    def _start(self, task: Any, envelope: Any, number: int, actors: "Actors | None") -> None:
        options: dict[str, object] = {"num_cpus": CPUS, "max_retries": 0}
        if self.left_out:
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(self.left_out)})"}
        crew = (0, None) if actors is None else (actors.number, actors.crew)
        # References in a tuple are not read by Ray for each task.
        reference = task.options(**options).remote((envelope,), self.job.key, number, crew)
        self._running[reference] = number

    def _most_running(self) -> int:
        n_workers = max(1, sum(_n_tasks(node) for node in self._usable_nodes()))
        if self.workers is not None:
            n_workers = min(n_workers, self.workers)
        return PER_WORKER * n_workers

    def _usable_nodes(self) -> list[Mapping[str, Any]]:
        if self.cluster.is_there() and time.monotonic() - self._nodes_known_s > NODES_EVERY_S:
            self._nodes = self.cluster.ray.nodes()
            self._nodes_known_s = time.monotonic()
        return [
            node for node in self._nodes if node["Alive"] and node["NodeID"] not in self.left_out
        ]

    def _finished(self, waiting: list[int]) -> Iterator[Outcome]:
        """The outcomes of batches that have ended; those that were lost wait again."""
        ray = self.cluster.ray
        self.cluster.is_there()
        done, _ = ray.wait(list(self._running), num_returns=1, timeout=WAIT_S)
        for reference in done:
            number = self._running.pop(reference)
            try:
                yield ray.get(reference)
            except ray.exceptions.RayError as error:
                self._retry(number, error, waiting)

    def _retry(self, number: int, error: Exception, waiting: list[int]) -> None:
        """Let a lost batch wait again; raise ClusterError for other errors, and if it was lost too often."""
        kind = type(error).__name__
        if kind not in LOST:
            raise ClusterError(
                f"a worker of the Ray cluster cannot work: {_reason(error)}"
            ) from error
        self._count_loss(number, kind)
        waiting.append(number)

    def _count_loss(self, number: int, reason: str) -> None:
        self._tries[number] = self._tries.get(number, 0) + 1
        self._nodes_known_s = float("-inf")
        if self._tries[number] >= MAX_TRIES:
            start = number * self.job.batch_size
            raise ClusterError(
                f"the rows from {start:,} to {start + self.job.batch_size:,} ended their worker {MAX_TRIES} "
                f"times ({reason}); give workers more memory, or find the rows with --limit and --where"
            )

    def _settle(self, outcome: Outcome, waiting: list[int]) -> None:
        """Leave out the node of a batch that could not be stored there; raise the error of any other."""
        if outcome.ending == "refused":
            raise ClusterError(
                f"node {self._name(outcome.node)} of the Ray cluster has {outcome.reason}; install the same "
                "versions on all nodes as here"
            )
        if outcome.ending == "lost":
            self._count_loss(outcome.number, outcome.reason)
            waiting.append(outcome.number)
            return
        assert outcome.error is not None
        if outcome.ending == "failed":
            raise outcome.error
        if outcome.node not in self.left_out:
            self.left_out[outcome.node] = outcome.error
            name, n_left = self._name(outcome.node), len(self._usable_nodes())
            if not n_left:
                raise outcome.error
            self.job.resources.listener(NodeLeftOut(name, str(outcome.error)))
        waiting.append(outcome.number)

    def _name(self, node_id: str) -> str:
        """A node's address and host, as people know it."""
        for node in self.cluster.ray.nodes():
            if node["NodeID"] == node_id:
                return f"{node['NodeManagerAddress']} ({node['NodeManagerHostname']})"
        return node_id[:12]


def _remote_batch(envelope: tuple[Any], key: str, number: int, crew: tuple[int, Any]) -> Outcome:
    """The task: `measure_batch` in a worker process."""
    ray: Any = import_module("ray")
    return measure_batch(ray.get, envelope[0], key, number, crew)


def _packed(job: Job) -> bytes:
    """The job pickled; functions of a script or notebook travel with their code."""
    kind = type(sys.modules["ragauge"])
    if kind is not ModuleType:  # lazy_loader's, which a function of a notebook names as `rg`
        copyreg.pickle(kind, _module_by_name)
    pickler: Any = import_module("ray.cloudpickle")
    try:
        return pickler.dumps(job)
    except Exception as error:  # objects of the user's own, such as encoders, may raise anything
        reason = " ".join(str(error).split())
        raise PlanError(
            [
                f"the metrics cannot be sent to Ray's workers: {type(error).__name__}: {reason:.300}; define them "
                "in a file, and leave out what cannot be pickled"
            ]
        ) from error


def _module_by_name(module: ModuleType) -> tuple[Callable[[str], ModuleType], tuple[str]]:
    return import_module, (module.__name__,)


def _n_tasks(node: Mapping[str, Any]) -> int:
    return int(node["Resources"].get("CPU", 0) / CPUS)


def _reason(error: Exception) -> str:
    cause = getattr(error, "cause", None) or error
    last = str(cause).strip().splitlines()[-1:] or [""]
    return f"{type(cause).__name__}: {last[0]:.300}"
