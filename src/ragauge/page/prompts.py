"""The texts of the prompts that a run's judges were asked with, as far as this version of ragauge has them."""

from collections.abc import Iterator, Mapping
from hashlib import sha256

from ragauge import catalog
from ragauge.engine.graph_builder import prompts_of
from ragauge.errors import LabelError
from ragauge.judges.prompts import DIGEST_LENGTH, Prompts
from ragauge.label import Label
from ragauge.metric import PROMPTS
from ragauge.runs.scored_run import ScoredRun

LANGUAGES = (None, "de", "es", "fr", "zh")


def prompts_of_run(run: ScoredRun) -> Mapping[str, str]:
    """The templates by name. A run stores a digest of its prompts, not their texts.

    Without those of a metric whose digest is that of other prompts, as of a folder of the user's.
    """
    found: dict[str, str] = {}
    for names, digest in _asked(run):
        for language in LANGUAGES:
            known = Prompts(language=language)
            if _digest(known, names) == digest:
                found.update({name: known.by_name[name].text for name in names})
                break
    return found


def _asked(run: ScoredRun) -> Iterator[tuple[tuple[str, ...], str]]:
    """The names of the prompts of each judged metric, and the digest in its label."""
    for metric in run.metrics:
        if metric.unavailable:
            continue
        try:
            label = Label.parse(metric.metric)
        except LabelError:  # a check's name
            continue
        digest = label.settings.get(PROMPTS)
        known = catalog.metrics().get(label.name) if digest else None
        if known is not None:
            yield tuple(sorted(prompts_of(known))), str(digest)


def _digest(prompts: Prompts, names: tuple[str, ...]) -> str:
    """The digest that a label has of these prompts; empty if one of them is not ragauge's."""
    if any(name not in prompts.by_name for name in names):
        return ""
    text = "".join(prompts.digest([name]) for name in names)
    return sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
