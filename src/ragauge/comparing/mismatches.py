"""Why the numbers of two runs cannot be compared: other questions, gold, metrics, settings or models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import polars as pl

from ragauge.comparing.systems import ComparedSystem
from ragauge.encoders import EMBEDDED
from ragauge.errors import DataError, PlanError, Problem
from ragauge.label import PRECISIONS, without_precision
from ragauge.runs.code import is_other
from ragauge.runs.manifest import Manifest, MetricDisplay
from ragauge.runs.scored_run import ScoredRun

GOLD = ("references", "gold_contexts", "relevant", "answerable")
ADVICE = "give --allow-mismatch (allow_mismatch=True) to compare them all the same"
SHOWN = 80
"""Most characters of a text in a message."""
EFFECT = ", which moves means by at most 0.008 and single values by 0.008 on average"
"""Of int8 against fp32 with the embedded encoder, on labelled answers: benchmarks/precision.py."""
Nodes = Mapping[str, Mapping[str, object]]


def check_data(base: ComparedSystem, other: ComparedSystem) -> Iterator[Problem]:
    """The questions and gold in which two runs differ; the first id of each kind, and how many."""
    if base.run is other.run:
        return
    has = base.run.samples.columns, other.run.samples.columns
    columns = [name for name in ("question", *GOLD) if all(name in columns for columns in has)]
    left, right = (
        side.run.samples.scan().filter(pl.col("system") == side.system).select("id", *columns)
        for side in (base, other)
    )
    both = left.join(right, on="id", how="inner", suffix=" ")
    n = int(base.run.collect(both.select(pl.len())).item())
    if not n:
        least = pl.col("id").min()
        first, second = base.run.collect(left.select(least)), other.run.collect(right.select(least))
        ids = f"ids such as {first.item()!r} and {second.item()!r}"
        what = f"has no question in common with {base.place} ({ids}); questions are paired by id"
        yield Problem(what, other.place)
    for name in columns:
        one, two = pl.col(name), pl.col(f"{name} ")
        # What is equal as it is needs no closer look, so only the rest is read into memory.
        apart = both.filter(one.is_not_null() & two.is_not_null() & one.ne_missing(two))
        rows = base.run.collect(apart.select("id", one, two)).sort("id").iter_rows()
        if found := [row for row in rows if _plain(row[1]) != _plain(row[2])]:
            id, here, there = found[0]
            what = "question text" if name == "question" else name
            where = f"{base.place} for {len(found):,} of {n:,} common questions"
            texts = f"here {_short(there)}, there {_short(here)}"
            message = f"other {what} than in {where}, {texts}; {ADVICE}"
            yield Problem(message, other.place, field=name, id=id)


def _plain(value: object) -> object:
    """A question as it is paired: case and white space ignored."""
    return " ".join(value.lower().split()) if isinstance(value, str) else value


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")


def check_metrics(
    base: ComparedSystem, other: ComparedSystem, names: Sequence[str]
) -> Iterator[str]:
    """How two runs differ in version, settings, models or prompts of the metrics with these names."""
    here, there = ({metric.name: metric for metric in side.run.metrics} for side in (base, other))
    for name in names if base.run is not other.run else ():
        if name in here and name in there:
            # The first difference says enough.
            why = next(_differences(base, other, here[name], there[name]), "")
            yield from [f"{name}: {why}"] if why else []


def _differences(
    base: ComparedSystem, other: ComparedSystem, one: MetricDisplay, two: MetricDisplay
) -> Iterator[str]:
    """How a metric differs between two runs."""
    where = f"in {other.place} than in {base.place}"
    if one.version != two.version:
        yield f"version {one.version} in {base.place}, version {two.version} in {other.place}; run both again"
    if without_precision(one.metric) != without_precision(two.metric):
        yield f"{one.metric} in {base.place}, {two.metric} in {other.place}"
    if not one.aggregate.is_same(two.aggregate):
        yield f"aggregated by other code {where}"
    manifests = base.run.manifest, other.run.manifest
    left, right = _needed(manifests[0], one.metric), _needed(manifests[1], two.metric)
    keys = sorted({*left, *right})
    for key in keys:
        if is_other(*(str(nodes.get(key, {}).get("code") or "") for nodes in (left, right))):
            how = "run both again, and raise the version whenever a number changes"
            yield f"the code of {key} is other {where}, but its version is not; {how}"
    for key in keys:
        if key not in left or key not in right:
            yield f"other settings {where}: {key}"
            continue
        for name in ("version", "settings", "where", "inputs"):
            mine, theirs = left[key].get(name), right[key].get(name)
            if mine != theirs:
                yield f"other settings {where}: {name} of {key}: {_short(mine)} and {_short(theirs)}"
    for kind in ("judges", "models"):
        mine, theirs = _used(manifests[0], kind, left), _used(manifests[1], kind, right)
        for model, its in zip(mine, theirs, strict=False):
            for name in sorted({*model, *its}):
                own = model.get(name), its.get(name)
                if own[0] != own[1]:
                    yield f"other {kind} {where}: {name} {_short(own[0])} and {_short(own[1])}"
        if len(mine) != len(theirs):
            yield f"other {kind} {where}: {len(mine)} and {len(theirs)}"


def _needed(manifest: Manifest, label: str) -> Nodes:
    """The nodes of the plan that a metric's values depend on, by key, without the precision of encoders."""
    plan = cast("Mapping[str, Sequence[Any]]", manifest.plan)
    nodes: dict[str, Mapping[str, Any]] = {node["key"]: node for node in plan.get("nodes", ())}
    waiting = [str(metric[2]) for metric in plan.get("metrics", ()) if metric[0] == label]
    needed: dict[str, Mapping[str, object]] = {}
    while waiting:
        key = waiting.pop()
        if key not in nodes or without_precision(key) in needed:
            continue
        inputs = list(map(str, nodes[key]["inputs"]))
        waiting += inputs
        settings = cast("Mapping[str, object]", nodes[key].get("settings") or {}).items()
        needed[without_precision(key)] = {
            **nodes[key],
            "settings": {k: v for k, v in settings if k != "precision" or v not in PRECISIONS},
            "inputs": [without_precision(name) for name in inputs],
        }
    return needed


def _used(manifest: Manifest, kind: str, nodes: Nodes) -> Sequence[Mapping[str, object]]:
    """The judges or encoders of a run, each once, if one of the nodes names one in its settings."""
    setting = "judge" if kind == "judges" else "model"
    settings = [cast("Mapping[str, object]", node["settings"]) for node in nodes.values()]
    used = cast("Sequence[Mapping[str, object]]", manifest.code.get(kind) or ())
    if not any(each.get(setting) not in (None, "") for each in settings):
        return ()
    alike = [{name: model[name] for name in model if name != "precision"} for model in used]
    return [each for at, each in enumerate(alike) if each not in alike[:at]]


def notes_on_mismatches(
    sides: Sequence[ComparedSystem], names: Sequence[str], *, is_allowed: bool
) -> list[str]:
    """What is not as in the base, as notes if it is allowed.

    Otherwise raises DataError for other data, PlanError for other metrics, settings or models; in any case
    DataError if there is no common question.
    """
    base, *others = sides
    data = [problem for other in others for problem in check_data(base, other)]
    metrics = [reason for other in others for reason in check_metrics(base, other, names)]
    lost = [problem for problem in data if "no question in common" in problem.message]
    if lost or (data and not is_allowed):
        raise DataError(lost if is_allowed else data)
    if metrics and not is_allowed:
        raise PlanError([f"cannot compare {reason}; {ADVICE}" for reason in metrics])
    reasons = [str(why).removesuffix(f"; {ADVICE}") for why in (*data, *metrics)]
    return [f"compared all the same: {reason}" for reason in reasons]


def other_repeats(runs: Sequence[ScoredRun]) -> Iterator[str]:
    """A note if judges were asked more often in one run than in another."""
    repeats = {str(run.manifest.code.get("repeats") or 1) for run in runs}
    if len(repeats) > 1:
        yield f"the judges were asked {' and '.join(sorted(repeats))} times in different runs"


def other_precisions(runs: Sequence[ScoredRun]) -> Iterator[str]:
    """A note for each encoder that computed in several precisions: what that changes, as measured."""
    used: list[tuple[str, str]] = []
    for run in runs:
        models = cast("Sequence[Mapping[str, object]]", run.manifest.code.get("models") or ())
        known = [model for model in models if model.get("precision") is not None]
        used += [(str(model.get("name")), str(model["precision"])) for model in known]
    for name, found in _several(used).items():
        effect = EFFECT if name == EMBEDDED else ""
        yield f"the encoder {name} computed in {' and '.join(found)}{effect}"


def other_versions(runs: Sequence[ScoredRun]) -> Iterator[str]:
    """A note if runs were made with other versions of ragauge or of packages that metrics use."""
    used: list[tuple[str, str]] = []
    for run in runs:
        code = run.manifest.code
        stored = code.get("packages")
        packages = cast("Mapping[str, object]", stored if isinstance(stored, Mapping) else {})
        versions = {"ragauge": code.get("ragauge"), **packages}
        used += [(name, str(version or "unknown")) for name, version in versions.items()]
    if apart := _several(used):
        names = ", ".join(f"{name} {' and '.join(found)}" for name, found in apart.items())
        yield f"evaluated with different versions: {names}"


def _several(used: Sequence[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """The names with several values, in their order."""
    found: dict[str, dict[str, None]] = {}
    for name, value in used:
        found.setdefault(name, {})[value] = None
    return {name: list(values) for name, values in found.items() if len(values) > 1}
