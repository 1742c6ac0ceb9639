"""MetricLabel: a metric as an object, `rg.metrics.ndcg`, that is called to choose settings."""

import inspect

from ragauge import catalog
from ragauge.label import Label, frozen


class MetricLabel(Label):
    """A label that can be called: `rg.metrics.ndcg(k=10)` is the label `ndcg@10`.

    It is accepted wherever a label is; without a call, the metric has its default settings.
    """

    __slots__ = ()

    def __call__(self, **settings: object) -> "MetricLabel":
        """The canonical label with these settings; LabelError lists every invalid one.

        >>> str(metric_label("ndcg")(k=10, ideal="all"))
        'ndcg(ideal="all")@10'
        """
        given = {name: frozen(value) for name, value in settings.items()}
        return _canonical(Label(self.name, {**self.settings, **given}))

    @property
    def __signature__(self) -> inspect.Signature:
        """The settings with their defaults, for completion in interactive sessions."""
        metric, values = catalog.find(self)
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(setting.name, kind, default=values[setting.name])
            for setting in metric.settings
        ]
        return inspect.Signature(parameters)


def metric_label(name: str) -> MetricLabel:
    """The metric with this name and its default settings; LabelError if it is unknown.

    Names of other tools give our label.

    >>> str(metric_label("answer_relevancy"))
    'answer_relevance'
    """
    return _canonical(Label(name))


def _canonical(label: Label) -> MetricLabel:
    metric, settings = catalog.find(label)
    canonical: Label = metric.label(settings)
    return MetricLabel(canonical.name, canonical.settings)


def names() -> list[str]:
    """The names of all metrics that are Python names; `ragas:faithfulness` is not.

    >>> names()[0], "ndcg" in names()
    ('G', True)
    """
    return [name for name in catalog.metrics() if name.isidentifier()]
