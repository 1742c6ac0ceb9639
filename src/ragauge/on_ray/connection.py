"""Connect to a Ray cluster, or start Ray on this machine without its dashboard and statistics."""

import os
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ragauge.errors import ClusterError, MissingExtraError

ADDRESS = "RAY_ADDRESS"
NO_STATISTICS = "RAY_USAGE_STATS_ENABLED"
NOT_ON_LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""With 0, all of Ray's servers listen on the loopback interface only, on Linux too."""
MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Cluster:
    """A connected cluster. `ray`: the package. `is_own`: Ray was started here, for this run only."""

    ray: Any
    is_own: bool


@contextmanager
def connected(
    address: str | None, modules: Sequence[str], *, workers: int | None, object_store_memory: int
) -> Generator[Cluster]:
    """The cluster, whose workers can import these modules; Ray that was started here ends with the block.

    Raises ClusterError if the cluster cannot be reached, MissingExtraError without Ray.
    """
    # Set before Ray is imported, which sends statistics of its use otherwise.
    os.environ[NO_STATISTICS] = "0"
    address = address or os.environ.get(ADDRESS)
    with _on_loopback(is_wanted=address is None):
        ray = _ray()
        if ray.is_initialized():  # the user's own connection stays as it is
            yield Cluster(ray, is_own=False)
            return
        given: dict[str, object] = {"log_to_driver": False, "logging_level": "ERROR"}
        if modules:
            given["runtime_env"] = {"py_modules": list(modules)}
        if address is None:
            given |= {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
                "object_store_memory": object_store_memory,
            }
        else:
            given["address"] = address
        try:
            with _silent():
                _connect(ray, given)
                yield Cluster(ray, is_own=address is None)
        finally:
            with suppress(Exception):  # a cluster that is gone already
                ray.shutdown()


@contextmanager
def _silent() -> Generator[None]:
    """Keep Ray's reports of lost workers and nodes, with the end of their logs, off standard output.

    They are in Ray's own logs; `log_to_driver` does not stop them.
    """
    worker: Any = import_module("ray._private.worker")
    name = "print_to_stdstream"
    before = getattr(worker, name, None)
    setattr(worker, name, _print_nothing)
    try:
        yield
    finally:
        setattr(worker, name, before)


def _print_nothing(*_: object, **__: object) -> None:
    pass


def _ray() -> Any:
    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise MissingExtraError("running on Ray needs the package ray", "ray") from None


def _connect(ray: Any, given: dict[str, object]) -> None:
    address = given["address"]
    try:
        with warnings.catch_warnings(action="ignore"):
            ray.init(**given)
    except Exception as error:  # Ray raises errors of many kinds, some of other packages
        reason = " ".join(str(error).split())[:MAX_REASON] or type(error).__name__
        if address == "local":
            raise ClusterError(f"Ray cannot be started on this machine: {reason}") from error
        raise ClusterError(
            f"the Ray cluster {address} cannot be used: {reason.rstrip('.')}; is it running, with the same "
            "versions of Ray and Python as here? If it asks for a token, set RAY_AUTH_MODE=token"
        ) from error


@contextmanager
def _on_loopback(*, is_wanted: bool) -> Generator[None]:
    """Have Ray that is started here listen on the loopback interface only."""
    if not is_wanted:
        yield
        return
    before = os.environ.get(NOT_ON_LOOPBACK)
    os.environ[NOT_ON_LOOPBACK] = "0"
    try:
        with suppress(ImportError):  # Ray reads the variable once, when it is imported
            constants = import_module("ray._private.ray_constants")
            constants.ENABLE_RAY_CLUSTER = False  # pyright: ignore[reportAttributeAccessIssue]
        yield
    finally:
        if before is None:
            del os.environ[NOT_ON_LOOPBACK]
        else:
            os.environ[NOT_ON_LOOPBACK] = before
