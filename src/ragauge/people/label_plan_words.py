"""The table of `ragauge label-plan`: labels needed by width of the interval."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from ragauge.people.calibration_words import short
from ragauge.report.report import Report, Table
from ragauge.stats.label_plan import LabelNeed


@dataclass(frozen=True)
class LabelPlan:
    """The labels needed by system and margin; the system is empty where none is meant.

    `metric` is the metric that helps, None without one; `correlation` is its correlation with the labels.
    """

    needs: "Mapping[str, Sequence[LabelNeed]]"
    metric: str | None
    correlation: float

    @property
    def headline(self) -> str:
        """What the metric saves at the margin next to ± 0.05."""
        near = [
            min(needs, key=lambda each: abs(each.margin - 0.05)) for needs in self.needs.values()
        ]
        need = max(near, key=lambda each: (each.with_metric is None, each.with_metric or 0))
        each = "A rate" if len(near) == 1 else "The rate of each system"
        name = "the metric" if self.metric is None else short(self.metric)
        if need.by_sampling is None and need.with_metric is None:
            return (
                f"{each} within ± {need.margin:g} needs more than the {need.n_rows:,} answers there "
                f"are; labels of all give ± {need.least_margin:.2f}."
            )
        if need.by_sampling is None or need.with_metric is None or self.correlation <= 0:
            n = need.with_metric if need.by_sampling is None else need.by_sampling
            return f"{each} within ± {need.margin:g} needs {n:,} labels."
        saved = 1 - need.with_metric / need.by_sampling
        return (
            f"{each} within ± {need.margin:g} needs {need.with_metric:,} labels with {name} "
            f"(correlation {self.correlation:.2f}), {need.by_sampling:,} without: {saved:.0%} fewer."
        )

    @property
    def report(self) -> Report:
        """The labels needed by width of the interval; in JSON null where there are too few answers."""
        table = Table(self.header, self.rows, wraps=True)
        return Report(self.headline, tables=(table,), data=self._data)

    def _data(self) -> dict[str, object]:
        systems = {system: [asdict(need) for need in needs] for system, needs in self.needs.items()}
        return {"metric": self.metric, "correlation": self.correlation, "systems": systems}

    @property
    def header(self) -> tuple[str, ...]:
        """The columns: a row for each margin, or with several systems a row for each system."""
        if len(self.needs) == 1:
            return ("within ±", "labels alone", "with the metric")
        margins = [f"± {need.margin:g}" for need in next(iter(self.needs.values()))]
        return ("labels with the metric (alone)", *margins)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        if len(self.needs) == 1:
            (needs,) = self.needs.values()
            return tuple(
                (
                    f"{need.margin:g}",
                    _number(need.by_sampling, need),
                    _number(need.with_metric, need),
                )
                for need in needs
            )
        return tuple(
            (short(system), *(_both(need) for need in needs))
            for system, needs in self.needs.items()
        )


def _both(need: "LabelNeed") -> str:
    if need.with_metric is None:
        return f"> {need.n_rows:,}"
    alone = f"> {need.n_rows:,}" if need.by_sampling is None else f"{need.by_sampling:,}"
    return f"{need.with_metric:,} ({alone})"


def _number(n: int | None, need: "LabelNeed") -> str:
    return f"more than {need.n_rows:,}" if n is None else f"{n:,}"
