"""`rg.Ray`: where a run's batches are measured, if not on this machine alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.on_ray.batches import Job

CLIENT = "ray://"


@dataclass(frozen=True, slots=True)
class Ray:
    """A Ray cluster that measures a run's batches: `rg.evaluate(…, folder="run", executor=rg.Ray())`.

    `address`: a cluster, such as `ray://host:10001`; "auto" for one that runs on this machine. Without
    it, the cluster that RAY_ADDRESS names, else Ray is started on this machine and ended after the run.
    `workers`: batches measured at the same time; without it, one per CPU of the cluster.
    `object_store_memory`: bytes of Ray's object store, if Ray is started here.

    The run's folder must be on storage that all nodes reach under the same path. Rows, numbers and the
    run's folder are those of a run without Ray. Judges are asked by this process.
    """

    address: str | None = None
    workers: int | None = None
    object_store_memory: int = 256 * 2**20

    def __post_init__(self) -> None:
        if self.workers is not None and (isinstance(self.workers, bool) or self.workers < 1):
            raise PlanError(
                [f"workers must be a whole number of at least 1, got {self.workers!r:.80}"]
            )

    @classmethod
    def named(cls, text: str, workers: int | None = None) -> "Ray":
        """The cluster that `--on` names: `ray`, or an address that begins with `ray://`."""
        if text == "ray":
            return cls(workers=workers)
        if text.startswith(CLIENT) and len(text) > len(CLIENT):
            return cls(text, workers)
        raise PlanError(
            [f"cannot run on {text!r:.80}; give ray, or a cluster's address as in ray://host:10001"]
        )

    def store(self, job: "Job", numbers: Sequence[int]) -> Iterator[int]:
        """Measure these batches of a job; the number of each one when its part is stored.

        Raises ClusterError if the cluster cannot be used, StoreError if no node can read the samples or
        write parts, and what a metric raises.
        """
        from ragauge.on_ray.connection import connected
        from ragauge.on_ray.flight import Flight
        from ragauge.on_ray.user_code import staged

        with (
            staged(job.code.modules) as modules,
            connected(
                self.address,
                modules,
                workers=self.workers,
                object_store_memory=self.object_store_memory,
            ) as cluster,
        ):
            yield from Flight(cluster, job, self.workers).measured(numbers)
