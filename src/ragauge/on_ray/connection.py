"""Connect to a Ray cluster, or start Ray on this machine without its dashboard and statistics."""

import atexit
import os
import socket
import threading
import time
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ragauge.errors import ClusterError, MissingExtraError

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
