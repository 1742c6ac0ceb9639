"""A run as people use it: what is read of it, and what is done with it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, overload

from ragauge.comparing.comparison import PERMUTATIONS, Comparison, CorrectionName, Pairs, TestName
from ragauge.comparing.systems import SystemLike
from ragauge.people.review_queue import MARGIN, N_SAMPLE
from ragauge.report.writing import Rendered
from ragauge.runs.scored_run import ScoredRun

if TYPE_CHECKING:
    import polars as pl

    from ragauge.gating.gate import Gate
    from ragauge.gating.rules import Rule
    from ragauge.loaders.labels import Kind
    from ragauge.people.calibrate import Calibration
    from ragauge.people.review_queue import ReviewQueue
    from ragauge.people.review_verdicts import ReviewLabels
    from ragauge.runs.steadiness import Steadiness


@dataclass(frozen=True, repr=False)
class Run(ScoredRun):
    """The result of an evaluation: scores of samples, and the manifest of how they were computed.

    `print(run)` shows the first screen. `folder` is where it is stored; None for a run in memory. Of a run
    at a URL, `folder` is the working copy on this machine.
    """

    @classmethod
    def of(cls, scored: ScoredRun) -> Self:
        """The run with these scores."""
        return cls(**{each.name: getattr(scored, each.name) for each in fields(scored)})

    def worst(self, metric: str, n: int = 10) -> "pl.DataFrame":
        """The n rows with the worst value of a metric, worst first: id, system, value, answer.

        `metric` is a label or a shown name. If lower is better, the highest values are the worst. Rows
        without a value are left out; ties are ordered by id and system.
        """
        listed = super().worst(metric, n)

        def shown() -> str:
            from ragauge.report.writing import to_html
            from ragauge.views.question import answers_report

            return to_html(answers_report(self, metric, listed))

        # On this frame alone: in a notebook it shows short texts, what is made from it as usual.
        setattr(listed, "_repr_html_", shown)  # noqa: B010
        return listed

    def compare(
        self,
        base: SystemLike,
        *candidates: SystemLike,
        metrics: Sequence[str] | str | None = None,
        by: Sequence[str] | str = (),
        cluster: str | None = None,
        pairs: Pairs = "base",
        test: TestName = "randomization",
        correction: CorrectionName = "holm",
        allow_mismatch: bool = False,
        n_permutations: int = PERMUTATIONS,
        seed: int | None = None,
    ) -> Comparison:
        """Compare systems of this run question by question: `run.compare("baseline", "candidate")`.

        A side may also be another run with one system, or a pair (run, system). `seed` is by default that
        of the run. `ragauge.compare` explains the arguments and the result.
        """
        from ragauge.comparing.compare import compare

        return compare(
            base,
            *candidates,
            run=self,
            metrics=metrics,
            by=by,
            cluster=cluster,
            pairs=pairs,
            test=test,
            correction=correction,
            allow_mismatch=allow_mismatch,
            n_permutations=n_permutations,
            seed=self.manifest.seed if seed is None else seed,
        )

    def steadiness(self, metric: str, threshold: float | None = None) -> "tuple[Steadiness, ...]":
        """How steady each system is, where questions were asked several times (`ask(…, repeat=5)`); else empty.

        An answer passes where the metric, a label or shown name, is at least the threshold (by default the
        middle of its scale). `pass_one`, `pass_any` and `pass_all` are pass@1, pass@k and pass^k, means over the
        questions of their unbiased estimators; `components` says how values vary within and between questions.

        >>> import ragauge as rg
        >>> asked = iter(["Rome", "Paris", "Paris", "Paris"])
        >>> questions = [{"id": id, "question": id, "reference": "Paris"} for id in ("a", "b")]
        >>> answers = rg.ask(questions, lambda question: next(asked), repeat=2, concurrency=1)
        >>> (found,) = rg.evaluate(answers, "exact_match").steadiness("exact_match")
        >>> found.pass_one, found.pass_any, found.pass_all
        (0.75, 1.0, 0.5)
        """
        from ragauge.runs.steadiness import steadiness

        return steadiness(self, self.metric(metric), threshold)

    def show(self, id: str) -> Rendered:
        """One question to look at: its answers with their scores, reasons and evidence, cut short.

        It shows as text at a Python prompt and as HTML in a notebook. `of_question` has the same as a
        frame, in full.

        >>> import ragauge as rg
        >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Paris"}], "exact_match")
        >>> print(run.show("q1").text.splitlines()[0])
        q1 · 1 answer
        """
        self.check_question(id)
        from ragauge.report.writing import to_html, to_terminal
        from ragauge.views.question import question_report

        shown = question_report(self, id, is_brief=True)
        return Rendered(to_terminal(shown, width=100), to_html(shown))

    @overload
    def report(self, path: str | Path) -> Path: ...
    @overload
    def report(self) -> Rendered: ...
    def report(self, path: str | Path | None = None) -> Path | Rendered:
        """Write the run as one HTML file that opens in a browser, and return its path.

        The page has the summary, the comparisons, and each question with its texts, scores and
        evidence. It needs no server and no network. Without a path, a notebook shows the page in a
        frame; a page of more than 10 MB has to be written. Raises PlanError for a name that does not end
        in .html, StoreError if the file cannot be written.

        >>> import ragauge as rg, tempfile, pathlib
        >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Paris"}], "exact_match")
        >>> file = run.report(pathlib.Path(tempfile.mkdtemp()) / "report.html")
        >>> file.read_text()[:15]
        '<!doctype html>'
        """
        from ragauge.page.page import page_frame, write_page

        if path is None:
            return page_frame(self)
        write_page([self], Path(path))
        return Path(path)

    def gate(
        self,
        rules: "Sequence[str | Rule] | str" = (),
        *,
        baseline: "Run | str | None" = None,
        max_drop: "Mapping[str, float] | float | None" = None,
        on: Literal["point", "bound"] = "point",
        allow_lost: int = 0,
        allow_mismatch: bool = False,
        systems: Sequence[str] = (),
    ) -> "Gate":
        """Whether the run keeps rules such as `"recall@10 >= 0.35"` or `"failed <= 0"`; see `gate`.

        >>> import ragauge as rg
        >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Rome"}], "exact_match")
        >>> run.gate(["exact_match >= 0.9", "failed <= 0"]).passed
        True
        """
        from ragauge.gating.gate import gate

        return gate(
            self,
            rules,
            baseline=baseline,
            max_drop=max_drop,
            on=on,
            allow_lost=allow_lost,
            allow_mismatch=allow_mismatch,
            systems=systems,
        )

    def __str__(self) -> str:
        """The first screen, as `ragauge run` prints it."""
        from ragauge.report.writing import to_terminal
        from ragauge.views.first_screen import run_report

        return to_terminal(run_report(self))

    def calibrate(
        self,
        labels: object = None,
        *,
        metrics: Sequence[str] = (),
        thresholds: Mapping[str, float] | None = None,
        map: Mapping[str, str | Sequence[str]] | None = None,
        yes: Collection[str] = (),
        yes_from: float | None = None,
        skip: Collection[str] = (),
        kind: "Kind | None" = None,
        sample_only: bool = False,
        cluster: str | None = None,
        seed: int | None = None,
    ) -> "Calibration":
        """How far each metric agrees with people's labels, and each system's rate corrected by them.

        `labels` is a file, a frame, a list of dicts, `Verdicts`, or the name of a field of the samples; None
        takes the labels that `ragauge review` stored in the run's folder, with `sample_only` only those of
        its random sample. `ragauge.loaders.labels` says how labels are read and what `map`, `yes`, `yes_from`, `skip` and `kind` mean. `metrics` limits the comparison;
        `thresholds` sets from which value a metric's verdict is yes (default: the middle of its scale).
        `cluster` names a field whose values are drawn together in intervals, such as the document of a question.
        Labels of answers that the run does not have, and of answers that have changed since, do not
        count, and `notes` say so. Raises DataError, or PlanError, for labels that cannot be used.

        >>> import ragauge as rg
        >>> rows = [
        ...     {"id": str(n), "answer": "Rome" if n % 2 else "Oslo", "reference": "Rome"}
        ...     for n in range(20)
        ... ]
        >>> run = rg.evaluate(rows, "exact_match")
        >>> found = run.calibrate([{"id": str(n), "label": n % 2} for n in range(20)])
        >>> found.best.auroc.value, round(found.best.auroc.low, 2)
        (1.0, 0.8)
        """
        from ragauge.people.calibrate import calibrate

        return calibrate(
            self,
            labels,
            metrics=metrics,
            thresholds=thresholds,
            map=map,
            yes=yes,
            yes_from=yes_from,
            skip=skip,
            kind=kind,
            sample_only=sample_only,
            cluster=cluster,
            seed=seed,
        )

    def review_queue(
        self,
        *,
        about: str | None = None,
        metrics: Sequence[str] = (),
        thresholds: Mapping[str, float] | None = None,
        margin: float = MARGIN,
        n_sample: int = N_SAMPLE,
        reasons: Sequence[str] = (),
        seed: int | None = None,
    ) -> "ReviewQueue":
        """The answers that a person should look at, and why, the most urgent first.

        Disputes first (the parts of `answer_match` disagree; judges disagree with each other or with the
        offline metric; a metric marked the score), then values within `margin` of their threshold (a share
        of the scale), those of which `answer_match` lacks a part, and `n_sample` answers drawn at random
        with `seed` (that of the run by default).

        People say whether the answer matches the reference. With `about`, the name of a metric, they say
        yes or no to that metric instead. `metrics` replaces the metrics that are looked at: the judges'
        verdicts on the answer, and the first offline one of `correct`, `fuzzy_match`, `exact_match` …
        `thresholds` is as for `calibrate`. `reasons` limits the queue to some kinds of reasons.

        >>> import ragauge as rg
        >>> rows = [{"id": f"q{n}", "answer": "Rome", "reference": "Rome"} for n in range(9)]
        >>> queue = rg.evaluate(rows, "exact_match").review_queue(n_sample=2)
        >>> [(item.kinds, item.reasons[0].says) for item in queue.items]
        [(('sample',), 'drawn at random'), (('sample',), 'drawn at random')]
        """
        from ragauge.people.review_queue import review_queue

        return review_queue(
            self,
            about=about,
            metrics=metrics,
            thresholds=thresholds,
            margin=margin,
            n_sample=n_sample,
            reasons=reasons,
            seed=seed,
        )

    def labels(self, about: str | None = None) -> "ReviewLabels":
        """What people said of the answers in the review queue, as far as it still applies.

        `about` is the metric that the labels are about; None for "does the answer match the reference".
        The automatic scores stay as they are. Each answer has its labels, their state (labelled, unsure,
        conflict, settled) and the value that counts, with the names of those who gave it. A label whose
        question, answer or references have changed since is stale: counted, but not applied.

        >>> import ragauge as rg
        >>> run = rg.evaluate([{"id": "q1", "answer": "Rome", "reference": "Rome"}], "exact_match")
        >>> len(run.labels())
        0
        """
        from ragauge.people.review_verdicts import labels_of

        return labels_of(self, about)

    def _repr_html_(self) -> str:
        from ragauge.report.writing import to_html
        from ragauge.views.first_screen import run_report

        return to_html(run_report(self))
