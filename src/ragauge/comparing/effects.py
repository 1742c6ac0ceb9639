"""What each varied setting does on its own: its main effect, paired by question."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ragauge.comparing.comparison import SettingEffect
from ragauge.comparing.pair import Pair, mean_estimate, ratio_of
from ragauge.comparing.paired_scores import MetricScores
from ragauge.comparing.systems import ComparedSystem
from ragauge.runs.manifest import MetricDisplay

if TYPE_CHECKING:
    Ints = NDArray[np.int64]

VARIANT = "variant."
"""How the fields begin that say which settings a system was asked with."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change of one setting, and the pairs of systems (by place) that differ in it alone."""

    setting: str
    before: str
    after: str
    pairs: tuple[tuple[int, int], ...]


def setting_changes(systems: Sequence[ComparedSystem]) -> list[SettingChange]:
    """Each setting's changes from its first value to every other one; none for fewer than three systems.

    The first is the least number, or that of the first system where not all are numbers.

    Systems without fields `variant.*` take no part. Where two systems have the same settings and the same
    name before them, nothing tells which pairs with which, and there are no changes.
    """
    variants = [_variant(system) for system in systems]
    keys: list[tuple[str, dict[str, str]]] = []
    for each, own in zip(systems, variants, strict=True):
        # Before its settings: `small` of `small top_k=3`.
        places = [at for name in own if (at := each.system.find(f"{name}=")) >= 0]
        keys.append((each.system[: min(places)].strip() if places else "", own))
    if len(systems) < 3 or any(own and keys.count((name, own)) > 1 for name, own in keys):
        return []
    found: list[SettingChange] = []
    for setting in dict.fromkeys(name for own in variants for name in own):
        values = list(dict.fromkeys(own[setting] for own in variants if setting in own))
        with suppress(ValueError):
            values = sorted(values, key=float)
        first, *others = values
        for value in others:
            changed = [
                (at, keys.index(goal))
                for at, (name, own) in enumerate(keys)
                if own.get(setting) == first and (goal := (name, {**own, setting: value})) in keys
            ]
            if changed:
                found.append(SettingChange(setting, first, value, tuple(changed)))
    return found


def _variant(system: ComparedSystem) -> dict[str, str]:
    """The settings that a system was asked with, as text; empty if its rows name none."""
    samples = system.run.samples
    names = [name for name in samples.columns if name.startswith(VARIANT)]
    if not names:
        return {}
    rows = samples.scan().filter(pl.col("system") == system.system).select(names)
    first = rows.select(pl.all().drop_nulls().first()).collect().to_dicts()
    values = cast("dict[str, object]", first[0] if first else {})
    return {
        name.removeprefix(VARIANT): str(value)
        for name, value in values.items()
        if value is not None
    }


def setting_effects(
    changes: Sequence[SettingChange],
    metrics: Sequence[MetricDisplay],
    scores: Mapping[str, MetricScores],
    clusters: "Ints | None",
) -> Iterator[SettingEffect]:
    """The effect of each change on each metric that is a mean, on the questions that all its pairs have scored.

    It is the mean over questions of each one's mean difference over the pairs.
    """
    for change in changes:
        for metric in metrics:
            of_metric = scores[metric.name]
            questions = np.arange(len(of_metric.values[0]))
            for places in change.pairs:  # each leaves those that it has scored
                questions = Pair(metric, of_metric, questions, *places).common
            if metric.aggregate.kind != "mean" or not len(questions):
                continue
            pairs = [Pair(metric, of_metric, questions, *places) for places in change.pairs]
            own = None if clusters is None else clusters[questions]
            found = mean_estimate(
                metric, np.mean([pair.differences for pair in pairs], axis=0), own
            )
            assert found is not None
            ratio: tuple[float | None, ...] = ()
            if all(pair.has_ratio for pair in pairs):
                logs = np.mean([pair.tested_differences for pair in pairs], axis=0)
                ratio = ratio_of(mean_estimate(metric, logs, own))
            yield SettingEffect(
                *(change.setting, change.before, change.after, metric.metric),
                *(found.value, found.low, found.high, len(questions), len(pairs)),
                *ratio,
            )
