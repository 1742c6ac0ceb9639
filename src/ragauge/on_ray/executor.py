"""`rg.Ray`: where a run's batches are measured, if not on this machine alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragauge.errors import PlanError
from ragauge.storage.object_store import EXTRAS, scheme_of

if TYPE_CHECKING:
    import polars as pl

    from ragauge.engine.graph import Plan
    from ragauge.on_ray.flight import Batch
    from ragauge.on_ray.worker import Job

CLIENT = "ray://"


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
            problem = f"workers must be a whole number of at least 1, got {self.workers!r:.80}"
            raise PlanError([problem])
        if self.storage is not None and scheme_of(self.storage) not in EXTRAS:
            way_out = "leave it out: rows and scores go through Ray"
            raise PlanError([f"cannot use {self.storage!r:.80} as storage; {way_out}"])

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

    def scored(self, job: "Job", batches: "Iterator[Batch]") -> "Iterator[Batch]":
        """The scores of a job's batches by number, as soon as each is ready.

        Raises ClusterError if the cluster cannot be used, and what a metric raises.
        """
        from ragauge.on_ray.connection import connected
        from ragauge.on_ray.flight import Flight
        from ragauge.on_ray.worker import staged

        own = {"workers": self.workers, "object_store_memory": self.object_store_memory}
        with staged(job.code.files) as modules, connected(self.address, modules, own) as cluster:
            yield from Flight(cluster, job, self.workers).scored(batches)


def split(plan: "Plan") -> "tuple[Plan, Plan]":
    """The metrics of a plan that depend on no judge, and those that do, each with the nodes they need.

    The cluster measures the former, and the judges are asked from here: one process asks, so limits of rate
    and budget hold for all, and replies are kept before they count.
    """
    return (
        plan.only(metric for metric in plan.metrics if metric.node not in plan.judged),
        plan.only(metric for metric in plan.metrics if metric.node in plan.judged),
    )


def merged(frames: Iterable["pl.DataFrame"], rows: "pl.DataFrame", plan: "Plan") -> "pl.DataFrame":
    """The scores of a batch in the order of a run: by sample, as in `rows`, then by metric of the plan."""
    import polars as pl

    places = {metric.metric: place for place, metric in enumerate(plan.metrics)}
    order = rows.select("id", "system").with_row_index("row of a score")
    placed = pl.concat(list(frames)).join(
        order, on=["id", "system"], how="left", maintain_order="left"
    )
    place = pl.col("metric").replace_strict(places, return_dtype=pl.Int64)
    return placed.sort("row of a score", place, maintain_order=True).drop("row of a score")
