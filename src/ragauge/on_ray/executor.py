"""`rg.Ray`: connect to a cluster, or start Ray here; batches out, scores back, also where workers are lost."""

import atexit
import copyreg
import os
import socket
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ragauge.errors import ClusterError, MissingExtraError, PlanError, RagaugeError
from ragauge.on_ray.worker import ON_GPUS, Job, Worker, staged, versions
from ragauge.storage.object_store import EXTRAS, scheme_of

if TYPE_CHECKING:
    import polars as pl

    from ragauge.engine.graph import Plan

ADDRESS = "RAY_ADDRESS"
NO_STATISTICS = "RAY_USAGE_STATS_ENABLED"
NOT_ON_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""With 0, all of Ray's servers listen on the loopback interface only, on Linux too."""
MAX_REASON = 300
LOOKED_AT_EVERY_S = 1.0
"""Ray ends this process some seconds after its own process on this machine has ended."""
HEAD_MAY_BE_AWAY_S = 45.0
"""A head that is started again within this time goes on; after 60 s, Ray ends this process without a word."""
DISCONNECTED_IN_S = 5.0


@dataclass(slots=True)
class Cluster:
    """A connected cluster. `ray`: the package. `is_own`: Ray was started here, for this run only."""

    ray: Any
    is_own: bool
    is_lost: bool = False
    """Whether Ray is gone, so that a call of it could take minutes or end this process."""
    _looked_s: float = float("-inf")
    _head_seen_s: float = field(default_factory=time.monotonic)

    def is_there(self) -> bool:
        """Whether the head of the cluster answers; ClusterError if Ray ended here, or the head is away for long."""
        now = time.monotonic()
        if now - self._looked_s > LOOKED_AT_EVERY_S:
            self._looked_s = now
            raylet, head = _places(self.ray)
            if head is None or _listens(head):
                self._head_seen_s = now
            problem = ""
            if raylet is not None and not _listens(raylet):
                problem = "Ray on this machine has ended"
            elif now - self._head_seen_s > HEAD_MAY_BE_AWAY_S:
                away = f"{HEAD_MAY_BE_AWAY_S:.0f} s"
                problem = f"the head of the Ray cluster has not answered for {away}"
            if problem:
                self.is_lost = True
                kept = "finished batches are kept, and the same command resumes"
                raise ClusterError(f"{problem}; {kept}")
        return self._head_seen_s >= self._looked_s

    def disconnect(self) -> None:
        """End the connection; not longer than some seconds if the cluster is gone."""
        shutdown: Any = self.ray.shutdown
        if not self.is_lost:
            with suppress(Exception):  # a cluster that is gone already
                shutdown()
            return
        with suppress(AttributeError):
            atexit.unregister(import_module("ray._private.worker").shutdown)
        ending = threading.Thread(target=shutdown, daemon=True)
        ending.start()
        ending.join(DISCONNECTED_IN_S)


def _places(ray: Any) -> "tuple[str | None, tuple[str, int] | None]":
    """The socket of Ray's process here, and the address of the cluster's head, if known."""
    try:
        node = import_module("ray._private.worker").global_worker.node
        raylet, head = node.raylet_socket_name, str(node.gcs_address)
    except AttributeError:
        return None, None
    host, _, port = head.rpartition(":")
    return str(raylet), (host.strip("[]"), int(port)) if port.isdigit() else None


def _listens(place: str | tuple[str, int]) -> bool:
    """Whether a process listens there; so it is if that cannot be tried."""
    family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.settimeout(2)
            probe.connect(place)
    except OSError as error:
        return not isinstance(error, ConnectionRefusedError | FileNotFoundError)
    return True


@contextmanager
def connected(
    address: str | None, modules: Sequence[str], own: Mapping[str, int | None]
) -> Generator[Cluster]:
    """The cluster, whose workers can import these modules; Ray that was started here, with its
    `own` settings, ends with the block.

    Raises ClusterError if the cluster cannot be reached, MissingExtraError without Ray.
    """
    # Set before Ray is imported, which sends statistics of its use otherwise.
    os.environ[NO_STATISTICS] = "0"
    address = address or os.environ.get(ADDRESS)
    with _on_loopback() if address is None else nullcontext():
        try:
            ray: Any = import_module("ray")
        except ModuleNotFoundError as error:
            if error.name != "ray":
                raise
            raise MissingExtraError("running on Ray needs the package ray", "ray") from None
        if ray.is_initialized():  # the user's own connection stays as it is
            yield Cluster(ray, is_own=False)
            return
        given: dict[str, object] = {"log_to_driver": False, "logging_level": "ERROR"}
        given["address"] = address or "local"
        if modules:
            given["runtime_env"] = {"py_modules": list(modules)}
        if address is None:
            given |= {"num_cpus": own["workers"], "include_dashboard": False}
            given["object_store_memory"] = own["object_store_memory"]
        cluster = Cluster(ray, is_own=address is None)
        try:
            with _silent():
                try:
                    with warnings.catch_warnings(action="ignore"):
                        ray.init(**given)
                except Exception as error:  # Ray raises errors of many kinds
                    reason = " ".join(str(error).split())[:MAX_REASON] or type(error).__name__
                    raise ClusterError(
                        f"Ray cannot be started on this machine: {reason}"
                        if address is None
                        else f"the Ray cluster {address} cannot be used: {reason.rstrip('.')}; is it running, "
                        "with the same versions of Ray and Python as here? If it asks for a token, set "
                        "RAY_AUTH_MODE=token"
                    ) from error
                yield cluster
        finally:
            cluster.disconnect()


@contextmanager
def _silent() -> Generator[None]:
    """Keep Ray's reports of lost workers and nodes, which are in its logs, off standard output."""
    worker: Any = import_module("ray._private.worker")
    before = getattr(worker, "print_to_stdstream", None)
    worker.print_to_stdstream = lambda *_, **__: None  # pyright: ignore[reportUnknownLambdaType]
    try:
        yield
    finally:
        worker.print_to_stdstream = before


@contextmanager
def _on_loopback() -> Generator[None]:
    """Have Ray that is started here listen on the loopback interface only."""
    before = os.environ.get(NOT_ON_LOOPBACK)
    os.environ[NOT_ON_LOOPBACK] = "0"
    with suppress(ImportError):  # Ray reads the variable once, when it is imported
        constants: Any = import_module("ray._private.ray_constants")
        constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        del os.environ[NOT_ON_LOOPBACK]
        os.environ.update({} if before is None else {NOT_ON_LOOPBACK: before})


CLIENT = "ray://"
WAIT_S = 0.2
"""An interrupt is noticed only between waits, so each is short."""
NODES_EVERY_S = 2.0
MAX_TRIES = 10
"""A batch whose worker ends this often ends the run: most likely the batch ends the worker."""
LOST = (
    "WorkerCrashedError", "NodeDiedError", "LocalRayletDiedError", "ActorDiedError", "ActorUnavailableError",
    "RayActorError", "ObjectLostError", "OwnerDiedError", "ObjectFetchTimedOutError", "OutOfMemoryError",
    "ActorUnschedulableError", "OutOfDiskError",
)  # fmt: skip
"""Ray's errors of a task that may end well elsewhere, or on another try."""
NumberedFrame = tuple[int, "pl.DataFrame"]


@dataclass(frozen=True, slots=True)
class Ray:
    """A Ray cluster that measures a run's batches: `rg.evaluate(…, folder="run", executor=rg.Ray())`.

    `address`: a cluster, such as `ray://host:10001`; "auto" for one that runs on this machine. Without
    it, the cluster that RAY_ADDRESS names, else Ray is started on this machine and ended after the run.
    `workers`: batches measured at the same time; without it, one per CPU of the cluster.
    `object_store_memory`: bytes of Ray's object store, if Ray is started here.

    `storage` is not needed any more, and changes nothing: rows and scores go through Ray. Rows, numbers and the
    run's folder are those of a run without Ray. Judges are asked by this process.
    """

    address: str | None = None
    workers: int | None = None
    object_store_memory: int = 256 * 2**20
    storage: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and (isinstance(self.workers, bool) or self.workers < 1):
            must = f"workers must be a whole number of at least 1, got {self.workers!r:.80}"
            raise PlanError(must)
        if self.storage is not None and scheme_of(self.storage) not in EXTRAS:
            way_out = "leave it out: rows and scores go through Ray"
            raise PlanError(f"cannot use {self.storage!r:.80} as storage; {way_out}")

    @classmethod
    def named(cls, text: str, workers: int | None = None, storage: str | None = None) -> "Ray":
        """The cluster that `--on` names: `ray`, or an address that begins with `ray://`."""
        if text != "ray" and (not text.startswith(CLIENT) or text == CLIENT):
            way_out = "give ray, or a cluster's address as in ray://host:10001"
            raise PlanError(f"cannot run on {text!r:.80}; {way_out}")
        return cls(None if text == "ray" else text, workers, storage=storage)

    def scored(self, job: Job, batches: Iterator[NumberedFrame]) -> Iterator[NumberedFrame]:
        """The scores of a job's batches by number, as soon as each is ready; or ClusterError."""
        own = {"workers": self.workers, "object_store_memory": self.object_store_memory}
        with staged(job.code.files) as modules, connected(self.address, modules, own) as cluster:
            yield from Flight(cluster, job, self.workers).scored(batches)


def split(plan: "Plan") -> "tuple[Plan, Plan]":
    """The metrics of a plan that depend on no judge, for the cluster, and those that do, each with
    the nodes they need.

    One process, this one, asks judges, so limits of rate and budget hold for all, and replies are
    kept before they count.
    """
    return (
        plan.only(metric for metric in plan.metrics if metric.node not in plan.judged),
        plan.only(metric for metric in plan.metrics if metric.node in plan.judged),
    )


def merged(frames: Iterable["pl.DataFrame"], rows: "pl.DataFrame", plan: "Plan") -> "pl.DataFrame":
    """The scores of a batch in the order of a run: by sample, as in `rows`, then by metric of the plan."""
    import polars as pl

    row, keys = "row of a score", ["id", "system"]
    order, scores = rows.select(keys).with_row_index(row), pl.concat(list(frames))
    placed = scores.join(order, on=keys, how="left", maintain_order="left")
    places = {metric.metric: place for place, metric in enumerate(plan.metrics)}
    place = pl.col("metric").replace_strict(places, return_dtype=pl.Int64)
    return placed.sort(row, place, maintain_order=True).drop(row)


class Place(NamedTuple):
    """A worker's place: its number on a node, the node's id, and the node's address and host."""

    number: int
    node: str
    name: str


@dataclass
class Flight:
    """The batches of a job on a cluster. `limit`: how many are scored at a time, if limited."""

    cluster: Cluster
    job: Job
    limit: int | None = None

    def __post_init__(self) -> None:
        self._workers: dict[Place, Any] = {}
        self._running: dict[Any, tuple[Place, NumberedFrame | None]] = {}
        """The batch in flight by Ray's reference; None for a worker that starts."""
        self._again: list[NumberedFrame] = []
        self._tries: Counter[int] = Counter()
        self._nodes_known_s = float("-inf")
        encoders = self.job.encoders()
        self._is_large = any(type(each.encoder).__module__ in ON_GPUS for _, each in encoders)
        cache = self.job.resources.cache_path if self.cluster.is_own else None
        resources = self.job.resources.for_workers(cache)
        if not self._is_large:
            resources.threads = 1  # the workers are the parallel work
        packed = self.cluster.ray.put(_packed(replace(self.job, resources=resources)))
        identities = [(settings, encoder.identity) for settings, encoder in encoders]
        self._arguments = versions(self.job.code.versions()), packed, identities

    def scored(self, batches: Iterator[NumberedFrame]) -> Iterator[NumberedFrame]:
        """The scores of these batches by number, in the order in which they are ready."""
        ready: list[NumberedFrame] = []
        try:
            while True:
                self._follow_nodes()
                idle = self._workers.keys() - {place for place, _ in self._running.values()}
                for place in sorted(idle):
                    if (batch := self._again.pop() if self._again else next(batches, None)) is None:
                        break
                    reference = self._workers[place].scored.remote(batch[1])
                    self._running[reference] = place, batch
                    idle.remove(place)
                yield from ready  # while the next batches are scored
                if idle and not any(batch for _, batch in self._running.values()):
                    return  # whoever is idle had nothing to do
                ready = list(self._ended())
        finally:
            if not self.cluster.is_lost:
                for worker in self._workers.values():
                    self.cluster.ray.kill(worker)

    def _follow_nodes(self) -> None:
        """Have workers on all nodes that are there, those that came later too.

        Each takes a CPU; with a large model a GPU, or a whole node if the cluster has no GPU.
        """
        if not self.cluster.is_there() or time.monotonic() - self._nodes_known_s < NODES_EVERY_S:
            return
        self._nodes_known_s = time.monotonic()
        ray = self.cluster.ray
        nodes = [node for node in ray.nodes() if node["Alive"]]
        on_gpus = self._is_large and any(node["Resources"].get("GPU") for node in nodes)
        places: dict[Place, int] = {}
        for node in nodes:
            n_cpus, n_gpus = (int(node["Resources"].get(name, 0)) for name in ("CPU", "GPU"))
            n = n_gpus if on_gpus else min(n_cpus, 1) if self._is_large else n_cpus
            name = f"{node['NodeManagerAddress']} ({node['NodeManagerHostname']})"
            takes = 0 if on_gpus else n_cpus if self._is_large else 1
            places |= {Place(at, str(node["NodeID"]), name): takes for at in range(n)}
        if not places:
            raise ClusterError("no node of the Ray cluster has a CPU to work with")
        strategies: Any = import_module("ray.util.scheduling_strategies")
        n_free = len(places) if self.limit is None else self.limit - len(self._workers)
        # One on each node, then a second one on each.
        new = sorted(places.keys() - self._workers.keys(), key=lambda place: place.number)
        for place in new[:n_free]:
            near = strategies.NodeAffinitySchedulingStrategy(place.node, soft=False)
            actor = ray.remote(Worker).options(
                scheduling_strategy=near, num_cpus=places[place], num_gpus=int(on_gpus)
            )
            self._workers[place] = actor.remote(*self._arguments)
            self._running[self._workers[place].ready.remote()] = place, None

    def _ended(self) -> Iterator[NumberedFrame]:
        """The scores that have come back; a batch that was lost is added to `_again`."""
        ray = self.cluster.ray
        if not self._running:
            time.sleep(WAIT_S)
            return
        done, _ = ray.wait(list(self._running), num_returns=1, timeout=WAIT_S)
        for reference in done:
            place, batch = self._running.pop(reference)
            try:
                result = ray.get(reference)
            except ray.exceptions.RayError as error:
                self._lose(place, batch, error)
                continue
            if isinstance(result, str) and result:
                raise ClusterError(
                    f"node {place.name} of the Ray cluster has {result}; install the same versions on "
                    "all nodes as here"
                )
            if isinstance(result, RagaugeError):
                raise result
            if batch is not None:
                yield batch[0], cast("pl.DataFrame", result)

    def _lose(self, place: Place, batch: NumberedFrame | None, error: Exception) -> None:
        """Forget a worker that has ended; raise ClusterError for other errors, and if a batch was lost too often."""
        if type(error).__name__ not in LOST:
            cause = getattr(error, "cause", None) or error
            last = str(cause).strip().splitlines()[-1:] or [""]
            reason = f"{type(cause).__name__}: {last[0]:.300}"
            raise ClusterError(f"a worker of the Ray cluster cannot work: {reason}") from error
        self._workers.pop(place, None)
        self._nodes_known_s = float("-inf")
        if batch is not None:
            self._again.append(batch)
            self._tries[batch[0]] += 1
            if self._tries[batch[0]] >= MAX_TRIES:
                start = batch[0] * self.job.batch_size
                raise ClusterError(
                    f"the rows from {start:,} to {start + self.job.batch_size:,} ended their worker "
                    f"{MAX_TRIES} times ({type(error).__name__}); give workers more memory, or find the "
                    "rows with --limit and --where"
                )


def _packed(job: Job) -> bytes:
    """The job pickled; functions of a script or notebook travel with their code."""
    kind = type(sys.modules["ragauge"])
    if kind is not ModuleType:  # lazy_loader's, which a function of a notebook names as `rg`
        copyreg.pickle(kind, lambda module: (import_module, (module.__name__,)))
    pickler: Any = import_module("ray.cloudpickle")
    try:
        return pickler.dumps(job)
    except Exception as error:  # objects of the user's own, such as encoders, may raise anything
        reason = f"{type(error).__name__}: {' '.join(str(error).split()):.300}"
        way_out = "define them in a file, and leave out what cannot be pickled"
        raise PlanError(
            f"the metrics cannot be sent to Ray's workers: {reason}; {way_out}"
        ) from error
