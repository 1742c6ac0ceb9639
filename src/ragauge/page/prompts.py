"""The texts of the prompts that a run's judges were asked with, as far as this version of ragauge has them."""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from ragauge import catalog
from ragauge.engine.graph_builder import prompts_of
from ragauge.errors import LabelError
from ragauge.judges.prompts import DIGEST_LENGTH, Prompts
from ragauge.label import Label
from ragauge.metric import PROMPTS
from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun

LANGUAGES = (None, "de", "es", "fr", "zh")


def prompts_of_run(run: ScoredRun) -> Mapping[str, str]:
    """The templates by name. A run stores a digest of its prompts, not their texts.

    Without those of a metric whose digest is that of other prompts, as of a folder of the user's.
    """
    found: dict[str, str] = {}
    for _, label in asked_metrics(run):
        metric = catalog.metrics().get(label.name)
        names = sorted(prompts_of(metric)) if metric else []
        for language in LANGUAGES if names else ():
            known = Prompts(language=language)
            if any(name not in known.by_name for name in names):
                continue
            text = "".join(known.digest([name]) for name in names)
            if sha256(text.encode()).hexdigest()[:DIGEST_LENGTH] == label.settings[PROMPTS]:
                found.update({name: known.by_name[name].text for name in names})
                break
    return found


def asked_metrics(run: ScoredRun) -> Iterator[tuple[MetricDisplay, Label]]:
    """The metrics of a judge, with their labels, which have the digest of their prompts."""
    for metric in run.metrics:
        try:
            label = Label.parse(metric.metric)
        except LabelError:  # a check's name
            continue
        if label.settings.get(PROMPTS) and not metric.unavailable:
            yield metric, label
