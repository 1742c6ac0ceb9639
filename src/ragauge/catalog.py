"""All known metrics and features: this package's, those of installed plug-ins, and the user's own."""

import functools
import importlib
import pkgutil
from collections.abc import Sequence

from ragauge.errors import LabelError, PlanError, did_you_mean
from ragauge.label import Label, SettingValue
from ragauge.metric import FEATURES, METRICS, Feature, Metric
from ragauge.plugins import load, offered
from ragauge.rankings.names import read_measure
from ragauge.storage.tomlfile import shipped_toml

ALIASES = "aliases.toml"


def metrics() -> dict[str, Metric]:
    """Every metric by name, sorted."""
    _import_all()
    return dict(sorted(METRICS.items()))


def features() -> dict[str, Feature]:
    """Every feature by name, sorted."""
    _import_all()
    return dict(sorted(FEATURES.items()))


def find(label: Label) -> tuple[Metric, dict[str, SettingValue]]:
    """The metric that a label names and all its settings; LabelError says what is unknown.

    Names of metrics in trec_eval, ragas, deepeval and promptfoo are accepted too.
    """
    known = metrics()
    if label.name not in known:
        label = read_label(str(label))
    if label.name not in known:
        raise LabelError("\n".join([unknown(label), *BROKEN]))
    metric = known[label.name]
    return metric, metric.read_settings(label.settings)


def read_label(text: str) -> Label:
    """The parsed label, with the name of a metric in another tool replaced by ours.

    An unknown name is kept. LabelError if the text does not parse, or names several measures.
    """
    label, error = None, LabelError(text)
    try:
        # promptfoo's names have hyphens, which labels have not.
        is_alias = any(text in names for names in shipped_toml(ALIASES).values())
        label = Label(text) if is_alias else Label.parse(text)
    except LabelError as not_parsed:
        error = not_parsed
    if label and label.name in metrics():
        return label
    if label and label.name in shipped_toml(ALIASES)["same"]:
        ours = Label.parse(shipped_toml(ALIASES)["same"][label.name])
        return Label(ours.name, {**ours.settings, **label.settings})
    try:
        first, *others = read_measure(text)
    except LabelError:
        if label:
            return label
        said = "" if "(" in text else unknown(text)
        raise LabelError(said) if "mean '" in said else error from None
    if others:
        names = f"{first.shown}, {others[0].shown} …"
        raise LabelError(f"{text!r} means several measures, {names}; name one of them")
    return first.label


def unknown(label: Label | str, others: Sequence[str] = ()) -> str:
    """The error message for an unknown metric: the nearest known one, and how it differs.

    `others`: names that are not metrics but may be meant.
    """
    name = label if isinstance(label, str) else label.name
    rest = str(label)[len(name) :]
    if nearest := shipped_toml(ALIASES)["nearest"].get(name):
        what = f"the nearest is {nearest['metric']}: {nearest['missing']}"
        return f"there is no metric {name!r}; {what}"
    known = (*metrics(), *others, *shipped_toml(ALIASES)["same"])
    # `ROUGE-L`, `recall_at_5` and `precision@k` are written in other ways here.
    plain, _, cut_off = name.replace("_at_", "@").partition("@")
    meant = {_plain(each): each for each in reversed(known)}
    meant |= {_plain(each): ours for each, ours in shipped_toml(ALIASES)["short"].items()}
    if ours := meant.get(_plain(plain)):
        rest = rest or (f"@{cut_off if cut_off.isdigit() else 10}" if cut_off else "")
        return f"unknown metric {str(label)!r}; did you mean {ours + rest!r}?"
    hint = did_you_mean(name, known) or "; list them with: ragauge metrics"
    return f"unknown metric {name!r}{hint}"


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


@functools.cache
def _import_all() -> None:
    for package in ("ragauge.features", "ragauge.metrics"):
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
            importlib.import_module(f"{package}.{module.name}")
    for name in offered("metrics"):
        # Importing the module runs its `@metric` and `@feature` decorators.
        try:
            load("metrics", name)
        except PlanError as error:
            BROKEN.extend(error.problems)


BROKEN: list[str] = []
"""Plug-ins that could not be imported, and why; all other metrics stay available."""
