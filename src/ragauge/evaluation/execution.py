"""Execute an evaluation: measure its batches, store them, and finish the run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.engine.corpus import compute_corpus_features
from ragauge.engine.graph import Plan
from ragauge.progress import Scored
from ragauge.run import Run
from ragauge.runs.identity import judges_of, now
from ragauge.runs.manifest import Manifest
from ragauge.runs.stored_results import has_results, write_results
from ragauge.samples.fields import REASON, STATUS
from ragauge.samples.samples import Columns, RowRange, SampleFile, Samples, to_columns

if TYPE_CHECKING:
    import polars as pl

    from ragauge.engine.resources import Resources
    from ragauge.on_ray.executor import Ray
    from ragauge.runs.store import RunFolder

Progress = Callable[[int, int], None]
"""Called with the number of rows done and the total number of rows."""


def batch_of(plan: Plan, samples: Samples, number: int, size: int) -> Columns | RowRange:
    """The columns that the plan needs of a batch; of samples in a file, where they are."""
    columns = columns_read(plan, samples)
    start, stop = number * size, (number + 1) * size
    if isinstance(samples.rows, SampleFile):
        return RowRange(samples.rows.path, start, stop, columns)
    return to_columns(samples.part(start, stop, columns))


def columns_read(plan: Plan, samples: Samples) -> list[str]:
    """The columns of the samples that measuring needs."""
    always = {"id", "system", STATUS, REASON}
    return [name for name in samples.columns if name in plan.columns | always]


def n_batches(samples: Samples, manifest: Manifest) -> int:
    return -(-len(samples) // manifest.batch_size)


def unfinished_batches(samples: Samples, manifest: Manifest, folder: "RunFolder") -> list[int]:
    """The numbers of the batches that are not finished in this folder. Writes nothing.

    All batches if the folder holds another run, which `RunFolder.open` rejects.
    """
    numbers = range(n_batches(samples, manifest))
    stored = folder.manifest() if folder.has_manifest() else None
    if stored is None or stored.key != manifest.key:
        return list(numbers)
    size = manifest.batch_size
    return [
        number
        for number in numbers
        if not folder.scores_part(number).exists()
        or not folder.has_part(
            number, samples.part(number * size, (number + 1) * size, ["id", "system"])
        )
    ]


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of an evaluation's batches, with `workers` processes at most."""

    plan: Plan
    samples: Samples
    resources: "Resources"
    manifest: Manifest
    workers: int
    progress: Progress | None
    executor: "Ray | None" = None
    """Where batches are measured, if not on this machine alone."""
    by: Sequence[str] | None = None
    """The fields of the stored summaries; None leaves those of a finished run as they are."""

    def in_memory(self) -> Run:
        import polars as pl

        from ragauge.runs.scores import InMemory

        if self.executor is not None:
            return self._through_folder()
        numbers = range(n_batches(self.samples, self.manifest))
        parts = dict(self._measured(numbers))
        scores = pl.concat([parts[number] for number in numbers])
        return Run(self.samples, InMemory(scores), self._finished())

    def _through_folder(self) -> Run:
        """The run in memory, of parts that a cluster writes to a folder that is not kept."""
        from ragauge.runs.scores import InMemory, collected
        from ragauge.samples.temporary_file import TemporaryFolder

        folder = TemporaryFolder()
        run = self.in_folder(folder.path / "run")
        scores = collected(run.source.scan(), folder.path)
        evidence = collected(run.source.scan_evidence(), folder.path)
        source = InMemory(scores.with_columns(evidence["evidence"]))
        return Run(self.samples, source, run.manifest)

    def in_folder(self, path: Path) -> Run:
        """The run in a folder, which may be at a URL."""
        from ragauge.runs.store import RunFolder

        with RunFolder.for_writing(path, self.manifest.key) as folder:
            return Run.of(folder.put_all(self._stored_in(folder)))

    def _stored_in(self, folder: "RunFolder") -> Run:
        from ragauge.runs.store import SUMMARIES, has_unfinished
        from ragauge.views.run_report import write_summaries

        path, stored = folder.path, folder.open(self.manifest, self.samples)
        if stored.finished:
            run = Run.of(replace(folder.read(), samples=self.samples))
            if not any(has_unfinished(run.collect(piece.scan())) for piece in run.source.pieces()):
                if self.by is not None or not all((path / name).exists() for name in SUMMARIES):
                    write_summaries(run, path, self.by or ())
                _store_results(run)
                return run
            folder.reopen()
        numbers = unfinished_batches(self.samples, self.manifest, folder)
        if self.executor is None:
            measured = self._measured(numbers)
        elif not self.plan.for_judges().nodes:
            measured = self._measured_on(self.executor, numbers)
        else:
            measured = self._measured_on_both(self.executor, numbers, folder)
        for number, part in measured:
            folder.write_part(number, part)
        finished = replace(self._finished(), started=stored.started)
        run = Run.of(folder.finish(finished, self.samples, n_batches(self.samples, self.manifest)))
        write_summaries(run, path, self.by or ())
        _store_results(run)
        return run

    def _finished(self) -> Manifest:
        usage = _usage(self.plan, self.resources)
        return replace(self.manifest, finished=now(), judging=usage)

    def _measured(self, numbers: Sequence[int]) -> "Iterable[tuple[int, pl.DataFrame]]":
        from ragauge.engine.executors import choose

        plan, samples = self.plan, self.samples
        resources, size = self.resources, self.manifest.batch_size
        if numbers:
            compute_corpus_features(plan, samples, resources)
        executor = choose(plan, len(samples), self.workers, resources)
        tell = self._teller(numbers, reports=executor.reports)
        for number, part in executor.map(
            plan, ((number, batch_of(plan, samples, number, size)) for number in numbers)
        ):
            tell(number)
            yield number, part

    def _measured_on(
        self, executor: "Ray", numbers: Sequence[int]
    ) -> "Iterable[tuple[int, pl.DataFrame]]":
        """Have these batches measured by a cluster."""
        from ragauge.on_ray.worker import Job
        from ragauge.runs.identity import code_of_run

        if not numbers:
            return
        compute_corpus_features(self.plan, self.samples, self.resources)
        size, columns = self.manifest.batch_size, columns_read(self.plan, self.samples)
        job = Job(self.plan, self.resources, code_of_run(self.plan, self.resources), size)
        batches = (
            (number, self.samples.part(number * size, (number + 1) * size, columns))
            for number in numbers
        )
        tell = self._teller(numbers, reports=False)
        for number, part in executor.scored(job, batches):
            tell(number)
            yield number, part

    def _measured_on_both(
        self, executor: "Ray", numbers: Sequence[int], folder: "RunFolder"
    ) -> "Iterable[tuple[int, pl.DataFrame]]":
        """Have a cluster measure what asks no judge; then ask the judges from here, batch by batch."""
        from ragauge.on_ray.executor import merged, split

        alone, judged = split(self.plan)
        apart = folder.apart()
        there = replace(self, plan=alone, progress=None)
        if alone.nodes:
            rest = [n for n in numbers if not apart.has_part(n, self._rows(n))]
            for number, part in there._measured_on(executor, rest):
                apart.write_part(number, part)
        here = replace(self, plan=judged)
        for number, part in here._measured(numbers):
            if not alone.nodes and not alone.metrics:
                yield number, part
                continue
            if alone.nodes:
                others = apart.part(number)
            else:  # their metrics are all unavailable
                ((_, others),) = replace(there, workers=1)._measured([number])
            yield number, merged([others, part], self._rows(number), self.plan)
        folder.remove_apart()

    def _rows(self, number: int) -> "pl.DataFrame":
        """The ids and systems of a batch."""
        size = self.manifest.batch_size
        return self.samples.part(number * size, (number + 1) * size, ["id", "system"])

    def _teller(self, numbers: Sequence[int], *, reports: bool) -> Callable[[int], None]:
        """Tells those who watch the run that the batch with a number is done.

        `reports`: the listener knows already what was computed.
        """
        n, size = len(self.samples), self.manifest.batch_size
        n_rows = {number: min(size, n - number * size) for number in numbers}
        done = n - sum(n_rows.values())

        def tell(number: int) -> None:
            nonlocal done
            done += n_rows[number]
            if not reports:
                self.resources.listener(Scored(n_rows[number] * len(self.plan.nodes)))
            if self.progress:
                self.progress(done, n)

        return tell


N_WORST = 20
"""Rows stored of each metric's worst ones."""


def _store_results(run: Run) -> None:
    """Store what a large run shows first, so that it is not computed again: its summary, also by fields with few
    values, outcomes, distributions, findings, worst rows, and the comparison of its first screen.

    A run whose aggregates cannot all be computed here stores nothing.
    """
    from ragauge.comparing.differences import comparisons_of
    from ragauge.page.distributions import DISTRIBUTIONS, distributions
    from ragauge.page.slices import SLICES, can_be_stored, run_slices
    from ragauge.runs.findings import find
    from ragauge.runs.summary import worst_rows
    from ragauge.views.first_screen import FirstScreen

    if run.folder is None or not has_results(run) or run.stored_results or run.problems:
        return
    _ = FirstScreen(run).compared  # makes the comparison that is stored
    worst = worst_rows(run, run.metrics, N_WORST)
    results: dict[str, object] = {
        "summary": run.summary().to_dicts(),
        "outcomes": run.outcomes.as_data(),
        "findings": [asdict(match) for match in find(run)],
        "comparisons": [[base, asdict(made)] for base, made in comparisons_of(run).items()],
        "worst": {label: [list(row) for row in rows.iter_rows()] for label, rows in worst.items()},
        DISTRIBUTIONS: [[*key, bins] for key, bins in distributions(run).items()],
    }
    slices = run_slices(run)
    if can_be_stored(slices):
        results[SLICES] = {name: each.as_data() for name, each in slices.items()}
    write_results(run.folder, run.manifest, results)


def _usage(plan: Plan, resources: "Resources") -> Mapping[str, object]:
    """For each judge of the plan, its usage, and details such as parameters that the model rejects."""
    return {
        session.name: {**session.usage.as_data(), **session.judge.details()}
        for session in judges_of(plan, resources)
    }
