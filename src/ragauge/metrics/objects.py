"""MetricLabel: a metric as an object, `rg.metrics.ndcg`, that is called to choose settings."""

import inspect

from ragauge.errors import LabelError, did_you_mean
from ragauge.label import Label, frozen
from ragauge.metric import METRICS, PRECISION, Metric


class MetricLabel(Label):
    """A label that can be called: `rg.metrics.ndcg(k=10)` is the label `ndcg@10`.

    It is accepted wherever a label is; without a call, the metric has its default settings.
    """

    __slots__ = ()

    def __call__(self, **settings: object) -> "MetricLabel":
        """The canonical label with these settings; LabelError lists every invalid one.

        >>> from ragauge.metrics import ndcg
        >>> str(ndcg(k=10, ideal="all"))
        'ndcg(ideal="all")@10'
        """
        given = {name: frozen(value) for name, value in settings.items()}
        return _canonical(Label(self.name, {**self.settings, **given}))

    @property
    def __signature__(self) -> inspect.Signature:
        """The settings with their defaults, for completion in interactive sessions."""
        metric = _declared(self.name)
        values = metric.read_settings(self.settings)
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(setting.name, kind, default=values[setting.name])
            for setting in metric.settings
        ]
        return inspect.Signature(parameters)


def metric_label(name: str) -> MetricLabel:
    """The metric with this name and its default settings; LabelError if none is declared."""
    return _canonical(Label(name))


def _canonical(label: Label) -> MetricLabel:
    metric = _declared(label.name)
    settings = metric.read_settings(label.settings)
    asked = {name: settings[name] for name in {PRECISION} & label.settings.keys()}
    return MetricLabel(metric.name, {**metric.label(settings).settings, **asked})


def _declared(name: str) -> Metric:
    if name not in METRICS:
        hint = did_you_mean(name, METRICS) or "; list them with: ragauge metrics"
        raise LabelError(f"unknown metric {name!r}{hint}")
    return METRICS[name]


def names() -> list[str]:
    """The names of all metrics that are Python names; `ragas:faithfulness` is not."""
    return [name for name in sorted(METRICS) if name.isidentifier()]
