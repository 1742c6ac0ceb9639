"""An evaluation: batches of samples measured by a plan, stored as they finish, and the run that they make."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ragauge.calls import Listener, Measured, ignore
from ragauge.engine.graph import Plan
from ragauge.engine.plan import make_plan
from ragauge.engine.resources import Resources, compute_corpus_features
from ragauge.engine.selection import MetricLike, fitting, precision_of, suites_of
from ragauge.errors import PlanError
from ragauge.evaluation.config import NO_CACHE
from ragauge.judges.config import JudgeConfig, judge_config_of
from ragauge.run import Run
from ragauge.runs.identity import judges_of, manifest_of, now
from ragauge.runs.manifest import APART, Manifest
from ragauge.runs.outcomes import has_results, write_results
from ragauge.runs.scored_run import ScoredRun
from ragauge.runs.working_copy import url_of_run
from ragauge.samples.fields import REASON, STATUS, Columns
from ragauge.samples.file import SampleFile
from ragauge.samples.samples import RowRange, Samples, to_columns
from ragauge.score import KeptEvidence

if TYPE_CHECKING:
    import polars as pl

    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.loaders.pairing import Prefer
    from ragauge.on_ray.executor import Ray
    from ragauge.runs.store import RunFolder

    Parts = Iterable[tuple[int, pl.DataFrame]]

BATCH_SIZE, MAX_BATCH_SIZE = 1_000, 10_000
SHARED = 8
"""Batches of a run for several workers are a multiple of this, so that two, four or eight end together."""
PARTS = 200
"""Parts of a large run, unless its batches would exceed MAX_BATCH_SIZE rows."""
BATCH_BYTES = 4 * 2**20
"""Most bytes of samples in a batch of more than BATCH_SIZE rows."""
ROWS_SAMPLED = 100
Progress = Callable[[int, int], None]
"""Called with the number of rows done and the total number of rows."""


def usual_batch_size(samples: Samples) -> int:
    """1,000 rows, or fewer that workers share evenly; of many short samples more, so that a large run has not too many parts."""
    wanted = min(len(samples) // PARTS // BATCH_SIZE * BATCH_SIZE, MAX_BATCH_SIZE)
    if len(samples) <= SHARED * BATCH_SIZE // 2:
        return BATCH_SIZE
    if wanted <= BATCH_SIZE:
        rounds = -(-len(samples) // (SHARED * BATCH_SIZE))
        return -(-len(samples) // (SHARED * rounds))
    first = samples.part(0, ROWS_SAMPLED)
    size = sum(len(str(row)) for row in first.iter_rows()) / first.height
    return max(BATCH_SIZE, min(wanted, int(BATCH_BYTES / size) // BATCH_SIZE * BATCH_SIZE))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A prepared evaluation; `manifest.key` identifies its run by all that makes its numbers.

    It is run by `workers` processes at most, or by another `executor`; `progress` is told of finished batches.
    """

    plan: Plan
    samples: Samples
    resources: Resources
    manifest: Manifest
    workers: int = 1
    progress: Progress | None = None
    executor: "Ray | None" = None

    @classmethod
    def prepare(
        cls,
        samples: object,
        metrics: MetricLike | Sequence[MetricLike],
        *,
        encoder: "Encoder | str | None" = None,
        judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None" = None,
        cache: str | Path | None = None,
        seed: int = 0,
        batch_size: int | None = None,
        evidence: KeptEvidence = "all",
    ) -> "Evaluation":
        """Prepare an evaluation; takes the arguments of `evaluate`, raises PlanError with every problem."""
        check(batch_size=1 if batch_size is None else batch_size, seed=seed, cache=cache)
        if evidence not in get_args(KeptEvidence):
            known = ", ".join(get_args(KeptEvidence))
            raise PlanError(f"evidence is {evidence!r:.80}; choose one of {known}")
        samples = loaded(samples)
        suites = fitting(suites_of(metrics), samples)
        cache, config = None if cache == NO_CACHE else cache, judge_config_of(judge)
        precision = precision_of(suites)
        resources = Resources(encoder, precision=precision, cache=cache, judging=config)
        plan = make_plan(suites, samples.columns, resources.defaults(), resources.judge_names)
        encoding = [node for node in plan.nodes if "encoder" in node.definition.resources]
        resources.expect_tokens(node.settings for node in encoding)
        resources.evidence = evidence
        size = usual_batch_size(samples) if batch_size is None else batch_size
        return cls(plan, samples, resources, manifest_of(plan, samples, seed, size, resources))

    def run(
        self,
        folder: str | Path | None = None,
        *,
        workers: int = 1,
        progress: Progress | None = None,
        listener: Listener = ignore,
        executor: "Ray | None" = None,
        by: Sequence[str] | None = None,
    ) -> Run:
        """Run the evaluation and store it in `folder` if one is given; see `evaluate`.

        `listener` gets an event for each step (worker processes report batches only). The stored
        summaries are also by the fields `by`; None leaves those of a finished run as they are.
        """
        check(folder=folder)
        self.resources.watch(listener)
        made = replace(self, workers=workers, progress=progress, executor=executor)
        return made._in_memory() if folder is None else made._in_folder(Path(folder), by)

    def close(self, judge: object) -> None:
        """Close the judges that were given by name: whoever opens one closes it."""
        given = cast("Sequence[object]", judge if isinstance(judge, list | tuple) else [judge])
        self.resources.close_judges([name for name in given if isinstance(name, str)])

    @property
    def n_batches(self) -> int:
        return -(-len(self.samples) // self.manifest.batch_size)

    def rows(self, number: int, columns: Sequence[str] = ("id", "system")) -> "pl.DataFrame":
        """Some columns of a batch's samples."""
        size = self.manifest.batch_size
        return self.samples.part(number * size, (number + 1) * size, columns)

    def columns_read(self) -> list[str]:
        """The columns of the samples that measuring needs."""
        always = {"id", "system", STATUS, REASON}
        return [name for name in self.samples.columns if name in self.plan.columns | always]

    def first(self, n: int) -> Columns:
        """The columns that the plan needs of the first rows."""
        return to_columns(self.samples.part(0, n, self.columns_read()))

    def batch(self, number: int) -> Columns | RowRange:
        """The columns that the plan needs of a batch; of samples in a file, where they are."""
        if isinstance(self.samples.rows, SampleFile):
            start = number * self.manifest.batch_size
            stop = start + self.manifest.batch_size
            return RowRange(self.samples.rows.path, start, stop, self.columns_read())
        return to_columns(self.rows(number, self.columns_read()))

    def unfinished_batches(self, folder: "RunFolder | None") -> list[int]:
        """The batches that are not finished in this folder; all, if it has another run."""
        numbers = list(range(self.n_batches))
        stored = folder.manifest() if folder and folder.has_manifest() else None
        if folder is None or stored is None or stored.key != self.manifest.key:
            return numbers
        return [
            number
            for number in numbers
            if not folder.scores_part(number).exists()
            or not folder.has_part(number, self.rows(number))
        ]

    def _in_memory(self) -> Run:
        import polars as pl

        from ragauge.runs.scores import InMemory, collected

        if self.executor is None:
            numbers = range(self.n_batches)
            parts = dict(self._measured(numbers))
            scores = pl.concat([parts[number] for number in numbers])
            return Run(self.samples, InMemory(scores), self._finished())
        # A cluster writes its parts to a folder that is not kept.
        from ragauge.samples.file import TemporaryFolder

        folder = TemporaryFolder()
        run = self._in_folder(folder.path / "run", None)
        scores = collected(run.source.scan(), folder.path)
        evidence = collected(run.source.scan_evidence(), folder.path)
        source = InMemory(scores.with_columns(evidence["evidence"]))
        return Run(self.samples, source, run.manifest)

    def _in_folder(self, path: Path, by: Sequence[str] | None) -> Run:
        """The run in a folder, which may be at a URL."""
        from ragauge.runs.store import SUMMARIES, RunFolder, has_unfinished
        from ragauge.views.run_files import write_summaries

        with RunFolder.for_writing(path, self.manifest.key) as folder:
            stored = folder.open(self.manifest, self.samples)
            kept = folder.read() if stored.finished else None
            if kept and any(has_unfinished(kept.collect(it.scan())) for it in kept.source.pieces()):
                folder.reopen()
                kept = None
            made = self._measured_into(folder, stored.started) if kept is None else kept
            run = Run.of(replace(made, samples=self.samples))
            has_summaries = all((folder.path / name).exists() for name in SUMMARIES)
            if kept is None or by is not None or not has_summaries:
                write_summaries(run, folder.path, by or ())
            _store_results(run)
            if folder.url is None:
                return run
            return Run.of(replace(folder.put_all(folder.url).read(), samples=self.samples))

    def _measured_into(self, folder: "RunFolder", started: str) -> ScoredRun:
        """Measure the batches that are not finished, store their scores, and finish the run."""
        numbers = self.unfinished_batches(folder)
        has_both = self.executor and self.plan.for_judges().nodes
        measured = self._measured_on_both(numbers, folder) if has_both else self._measured(numbers)
        for number, part in measured:
            folder.write_part(number, part)
        return folder.finish(replace(self._finished(), started=started), self.samples)

    def _finished(self) -> Manifest:
        """The manifest of the finished run, with each judge's usage and details of it."""
        usage = {
            session.name: {**session.usage.as_data(), **session.judge.details()}
            for session in judges_of(self.plan, self.resources)
        }
        return replace(self.manifest, finished=now(), judging=usage)

    def _measured(self, numbers: Sequence[int]) -> "Parts":
        """Have these batches measured, and tell of each."""
        if not numbers:
            return
        compute_corpus_features(self.plan, self.samples, self.resources)
        if self.executor is None:
            from ragauge.engine.measure import choose

            measuring, reports = choose(self.plan, len(self.samples), self.workers, self.resources)
            batches = ((number, self.batch(number)) for number in numbers)
            measured = measuring(self.plan, batches, self.resources)
        else:
            from ragauge.on_ray.worker import Job
            from ragauge.runs.identity import code_of_run

            code, reports = code_of_run(self.plan, self.resources), False
            job = Job(self.plan, self.resources, code, self.manifest.batch_size)
            rows = ((number, self.rows(number, self.columns_read())) for number in numbers)
            measured = self.executor.scored(job, rows)
        n, size = len(self.samples), self.manifest.batch_size
        n_rows = {number: min(size, n - number * size) for number in numbers}
        done = n - sum(n_rows.values())
        for number, part in measured:
            done += n_rows[number]
            if not reports:
                self.resources.listener(Measured(n_rows[number]))
            if self.progress:
                self.progress(done, n)
            yield number, part

    def _measured_on_both(self, numbers: Sequence[int], folder: "RunFolder") -> "Parts":
        """Have a cluster measure what asks no judge; then ask the judges from here, batch by batch."""
        from ragauge.on_ray.executor import merged, split
        from ragauge.runs.store import RunFolder
        from ragauge.storage.atomic_files import read_frame

        alone, judged = split(self.plan)
        if not alone.nodes:
            yield from replace(self, executor=None)._measured(numbers)
            return
        apart = RunFolder(folder.path / APART)
        rest = [number for number in numbers if not apart.has_part(number, self.rows(number))]
        for number, part in replace(self, plan=alone, progress=None)._measured(rest):
            apart.write_part(number, part)
        for number, part in replace(self, plan=judged, executor=None)._measured(numbers):
            others = read_frame(apart.scores_part(number), apart.path)
            evidence = read_frame(apart.evidence_part(number), apart.path)["evidence"]
            both = [others.with_columns(evidence), part]
            yield number, merged(both, self.rows(number), self.plan)
        shutil.rmtree(apart.path, ignore_errors=True)


N_WORST = 20


def _store_results(run: Run) -> None:
    """Store what a large run shows first, unless an aggregate cannot be computed here."""
    from ragauge.comparing.systems import comparisons_of
    from ragauge.page.breakdowns import (
        DISTRIBUTIONS,
        SLICES,
        can_be_stored,
        distributions,
        run_slices,
    )
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
        results[SLICES] = slices
    write_results(run.folder, run.manifest, results)


def check(
    *,
    batch_size: int = 1,
    workers: int = 1,
    seed: int = 0,
    folder: str | Path | None = None,
    cache: str | Path | None = None,
) -> None:
    """Raise PlanError if a value is out of range or not a path."""
    numbers = (("batch_size", batch_size, 1), ("workers", workers, 1), ("seed", seed, 0))
    for name, number, least in numbers:
        if not isinstance(number, int) or number < least:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PlanError(f"{name} must be a whole number of at least {least}, got {number!r}")
        if number >= 2**63:  # what a manifest holds
            raise PlanError(f"{name} must be below 2^63, got {number!r:.60}")
    if folder is not None and not (isinstance(folder, str | Path) and str(folder)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise PlanError(f"folder must be a path, got {folder!r}")
    if folder is not None:
        url_of_run(folder)
    for name, path in (("folder", folder), ("cache", cache)):
        if "\0" in str(path):
            raise PlanError(f"{name} has a NUL character: {str(path)!r:.80}")


def loaded(
    samples: object, gold: object = None, prefer: "Prefer | None" = None, *, by_place: bool = False
) -> Samples:
    """The samples; PlanError for options of loading with samples that are loaded already."""
    from ragauge.loaders.loading import load

    if isinstance(own := getattr(samples, "samples", None), Samples):  # rg.Answers
        samples = own
    if not isinstance(samples, Samples):
        return load(samples, gold=gold, prefer=prefer, by_place=by_place)
    given = {"gold": gold is not None, "prefer": prefer is not None, "by_place": by_place}
    if names := ", ".join(name for name, is_given in given.items() if is_given):
        raise PlanError(f"the samples are loaded already; give {names} to rg.load")
    return samples
