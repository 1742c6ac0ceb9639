"""`rg.Ray`: where a run's batches are measured, if not on this machine alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragauge.errors import PlanError, StoreError
from ragauge.on_ray.storage import Storage

if TYPE_CHECKING:
    from ragauge.on_ray.batches import Job

CLIENT = "ray://"
MAX_ROUNDS = 3
"""Times that parts are measured again that an object store does not give back as they were."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A Ray cluster that measures a run's batches: `rg.evaluate(…, folder="run", executor=rg.Ray())`.

    `address`: a cluster, such as `ray://host:10001`; "auto" for one that runs on this machine. Without
    it, the cluster that RAY_ADDRESS names, else Ray is started on this machine and ended after the run.
    `workers`: batches measured at the same time; without it, one per CPU of the cluster.
    `object_store_memory`: bytes of Ray's object store, if Ray is started here.

    `storage`: a URL such as "s3://bucket/prefix", through which rows and scores go between this machine and
    the nodes. Without it, the run's folder must be at such a URL, or on storage that all nodes reach under the same path. Rows, numbers and the
    run's folder are those of a run without Ray. Judges are asked by this process.
    """

    address: str | None = None
    workers: int | None = None
    object_store_memory: int = 256 * 2**20
    storage: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and (isinstance(self.workers, bool) or self.workers < 1):
            raise PlanError(
                [f"workers must be a whole number of at least 1, got {self.workers!r:.80}"]
            )
        if self.storage is not None:
            Storage.checked(self.storage)

    @classmethod
    def named(cls, text: str, workers: int | None = None, storage: str | None = None) -> "Ray":
        """The cluster that `--on` names: `ray`, or an address that begins with `ray://`."""
        if text == "ray":
            return cls(workers=workers, storage=storage)
        if text.startswith(CLIENT) and len(text) > len(CLIENT):
            return cls(text, workers, storage=storage)
        raise PlanError(
            [f"cannot run on {text!r:.80}; give ray, or a cluster's address as in ray://host:10001"]
        )

    def store(self, job: "Job", numbers: Sequence[int]) -> Iterator[int]:
        """Measure these batches of a job; the number of each one when its part is stored.

        Raises ClusterError if the cluster cannot be used, StoreError if no node can read the samples or
        write parts, and what a metric raises.
        """
        if self.storage is not None and job.storage is None:
            yield from self._through(Storage.checked(self.storage), job, numbers)
            return
        from ragauge.on_ray.connection import connected
        from ragauge.on_ray.flight import Flight
        from ragauge.on_ray.user_code import staged

        with (
            staged(job.code.files) as modules,
            connected(
                self.address,
                modules,
                workers=self.workers,
                object_store_memory=self.object_store_memory,
            ) as cluster,
        ):
            yield from Flight(cluster, job, self.workers).measured(numbers)

    def _through(self, storage: Storage, job: "Job", numbers: Sequence[int]) -> Iterator[int]:
        """Measure batches whose rows and parts go through an object store into the job's folder."""
        from ragauge.runs.store import RunFolder

        folder = RunFolder(job.folder)
        of_run = storage.under(f"ragauge-{job.key[:16]}")
        there = of_run.under(job.folder.name if job.folder != job.samples.parent else "parts")
        waiting = dict.fromkeys(numbers)

        def take(number: int) -> bool:
            """Bring a part here; whether it is good."""
            part = there.take_part(number)
            if part is not None:
                folder.write_part(number, part)
            there.remove_part(number)
            return part is not None

        for number in sorted(there.parts() & waiting.keys()):
            if take(number):
                del waiting[number]
                yield number
        if waiting:
            there.put_samples(job.samples)
        for _ in range(MAX_ROUNDS):  # more than one only if a part was damaged on its way
            if not waiting:
                break
            for number in self.store(replace(job, storage=there), list(waiting)):
                if take(number):
                    del waiting[number]
                    yield number
        if waiting:
            raise StoreError(
                f"{there.url}: {len(waiting):,} parts were damaged {MAX_ROUNDS} times on their way; check the "
                "storage, then run the same command again"
            )
        of_run.remove()
