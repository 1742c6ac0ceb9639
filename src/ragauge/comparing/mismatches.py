"""Why the numbers of two runs cannot be compared: other questions, gold, metrics, settings or models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import polars as pl

from ragauge.comparing.systems import ComparedSystem
from ragauge.encoders.models import EMBEDDED
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
    columns = [
        name
        for name in ("question", *GOLD)
        if name in base.run.samples.columns and name in other.run.samples.columns
    ]
    left, right = (
        side.run.samples.scan().filter(pl.col("system") == side.system).select("id", *columns)
        for side in (base, other)
    )
    both = left.join(right, on="id", how="inner", suffix=" ")
    n = int(base.run.collect(both.select(pl.len())).item())
    if not n:
        first, second = (
            side.run.collect(ids.select(pl.col("id").min())).item()
            for side, ids in ((base, left), (other, right))
        )
        yield Problem(
            f"has no question in common with {base.place} (ids such as {first!r} and {second!r}); "
            "questions are paired by id",
            other.place,
        )
    for name in columns:
        yield from _differing(both, n, name, base, other)


def _differing(
    both: "pl.LazyFrame", n_common: int, name: str, base: ComparedSystem, other: ComparedSystem
) -> Iterator[Problem]:
    one, two = pl.col(name), pl.col(f"{name} ")
    # What is equal as it is needs no closer look, so only the rest is read into memory.
    apart = both.filter(one.is_not_null() & two.is_not_null() & one.ne_missing(two))
    rows = base.run.collect(apart.select("id", one, two)).sort("id")
    pairs = zip(rows["id"], rows[name].to_list(), rows[f"{name} "].to_list(), strict=True)
    found: list[tuple[str, object, object]] = [
        (id, here, there) for id, here, there in pairs if _plain(here) != _plain(there)
    ]
    if found:
        id, here, there = found[0]
        n = f"{len(found):,} of {n_common:,} common questions"
        what = "question text" if name == "question" else name
        yield Problem(
            f"other {what} than in {base.place} for {n}, here {_short(there)}, there {_short(here)}; {ADVICE}",
            other.place,
            field=name,
            id=id,
        )


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
    if base.run is other.run:
        return
    here, there = ({metric.name: metric for metric in side.run.metrics} for side in (base, other))
    for name in names:
        if name in here and name in there:
            why = _metric_problem(base, other, here[name], there[name])
            if why:
                yield f"{name}: {why}"


def _metric_problem(
    base: ComparedSystem, other: ComparedSystem, one: MetricDisplay, two: MetricDisplay
) -> str:
    if one.version != two.version:
        return f"version {one.version} in {base.place}, version {two.version} in {other.place}; run both again"
    if without_precision(one.metric) != without_precision(two.metric):
        return f"{one.metric} in {base.place}, {two.metric} in {other.place}"
    if not one.aggregate.is_same(two.aggregate):
        return f"aggregated by other code in {other.place} than in {base.place}"
    manifests = base.run.manifest, other.run.manifest
    plans = [_needed(manifests[0], one.metric), _needed(manifests[1], two.metric)]
    if changed := _changed_code(*plans):
        return (
            f"the code of {changed} is other in {other.place} than in {base.place}, but its version is not; run "
            "both again, and raise the version whenever a number changes"
        )
    plans = [_without_code(plan) for plan in plans]
    if plans[0] != plans[1]:
        return f"other settings in {other.place} than in {base.place}: {_first_setting(*plans)}"
    for kind in ("judges", "models"):
        used = [
            _used(manifest, kind, plan) for manifest, plan in zip(manifests, plans, strict=True)
        ]
        if used[0] != used[1]:
            return f"other {kind} in {other.place} than in {base.place}: {_first_difference(*used)}"
    return ""


def _needed(manifest: Manifest, label: str) -> Nodes:
    """The nodes of the plan that a metric's values depend on, by key, without the precision of encoders."""
    nodes: dict[str, Mapping[str, object]] = {
        cast(str, node["key"]): node
        for node in cast("Sequence[Mapping[str, object]]", manifest.plan.get("nodes", ()))
    }
    waiting = [
        cast("str | None", metric[2])
        for metric in cast("Sequence[Sequence[object]]", manifest.plan.get("metrics", ()))
        if metric[0] == label
    ]
    needed: dict[str, Mapping[str, object]] = {}
    while waiting:
        key = waiting.pop()
        if key in nodes and key not in needed:
            needed[key] = nodes[key]
            waiting += cast("Sequence[str]", nodes[key]["inputs"])
    return {without_precision(key): _in_any_precision(node) for key, node in needed.items()}


def _in_any_precision(node: Mapping[str, object]) -> Mapping[str, object]:
    settings = cast("Mapping[str, object]", node.get("settings") or {})
    inputs = cast("Sequence[object]", node["inputs"])
    return {
        **{name: value for name, value in node.items() if name != "key"},
        "settings": {k: v for k, v in settings.items() if k != "precision" or v not in PRECISIONS},
        "inputs": [without_precision(str(name)) for name in inputs],
    }


def _changed_code(one: Nodes, two: Nodes) -> str:
    """The first metric or feature whose code differs, as far as both runs tell."""
    for key in sorted({*one, *two}):
        codes = [str(plan.get(key, {}).get("code") or "") for plan in (one, two)]
        if is_other(*codes):
            return key
    return ""


def _without_code(nodes: Nodes) -> Nodes:
    return {
        key: {name: value for name, value in node.items() if name != "code"}
        for key, node in nodes.items()
    }


def _first_setting(one: Nodes, two: Nodes) -> str:
    for key in sorted({*one, *two}):
        if one.get(key) != two.get(key):
            if key not in one or key not in two:
                return key
            for name in ("version", "settings", "where", "inputs"):
                if one[key].get(name) != two[key].get(name):
                    shown = f"{_short(one[key].get(name))} and {_short(two[key].get(name))}"
                    return f"{name} of {key}: {shown}"
    return "the plan"


def _used(manifest: Manifest, kind: str, nodes: Nodes) -> Sequence[object]:
    """The judges or encoders of a run, if one of the nodes names one in its settings."""
    setting = "judge" if kind == "judges" else "model"
    named = {
        cast("Mapping[str, object]", node.get("settings") or {}).get(setting)
        for node in nodes.values()
    } - {None, ""}
    used = cast("Sequence[Mapping[str, object]]", manifest.code.get(kind) or ()) if named else ()
    alike = [{name: model[name] for name in model if name != "precision"} for model in used]
    return [each for at, each in enumerate(alike) if each not in alike[:at]]


def _first_difference(one: Sequence[object], two: Sequence[object]) -> str:
    for left, right in zip(one, two, strict=False):
        if left != right and isinstance(left, Mapping) and isinstance(right, Mapping):
            mine, theirs = cast("Mapping[str, object]", left), cast("Mapping[str, object]", right)
            for name in sorted({*mine, *theirs}):
                if mine.get(name) != theirs.get(name):
                    return f"{name} {_short(mine.get(name))} and {_short(theirs.get(name))}"
    return f"{len(one)} and {len(two)}"


def refuse(sides: Sequence[ComparedSystem], names: Sequence[str]) -> None:
    """Raise DataError for other data than the base's, PlanError for other metrics, settings or models."""
    base, *others = sides
    problems = [problem for other in others for problem in check_data(base, other)]
    if problems:
        raise DataError(problems)
    reasons = [reason for other in others for reason in check_metrics(base, other, names)]
    if reasons:
        raise PlanError([f"cannot compare {reason}; {ADVICE}" for reason in reasons])


def notes_on(sides: Sequence[ComparedSystem], names: Sequence[str]) -> tuple[str, ...]:
    """What `refuse` would have refused, as notes; raises DataError if there is no common question."""
    base, *others = sides
    data = [problem for other in others for problem in check_data(base, other)]
    lost = [problem for problem in data if "no question in common" in problem.message]
    if lost:
        raise DataError(lost)
    metrics = [reason for other in others for reason in check_metrics(base, other, names)]
    return tuple(
        f"compared all the same: {str(why).removesuffix(f'; {ADVICE}')}"
        for why in (*data, *metrics)
    )


def other_precisions(runs: Sequence[ScoredRun]) -> Iterator[str]:
    """A note for each encoder that computed in several precisions: what that changes, as measured."""
    used: dict[str, list[str]] = {}
    for run in runs:
        for model in cast("Sequence[Mapping[str, object]]", run.manifest.code.get("models") or ()):
            found, precision = used.setdefault(str(model.get("name")), []), model.get("precision")
            if precision is not None and str(precision) not in found:
                found.append(str(precision))
    for name, found in used.items():
        if len(found) > 1:
            effect = EFFECT if name == EMBEDDED else ""
            yield f"the encoder {name} computed in {' and '.join(found)}{effect}"


def other_versions(runs: Sequence[ScoredRun]) -> tuple[str, ...]:
    """A note if runs were made with other versions of ragauge or of packages that metrics use."""
    used: dict[str, list[str]] = {}
    for run in runs:
        code = run.manifest.code
        stored = code.get("packages")
        packages: dict[str, object] = {}
        if isinstance(stored, Mapping):
            packages.update(cast("Mapping[str, object]", stored))
        for name, version in {"ragauge": code.get("ragauge"), **packages}.items():
            known = str(version or "unknown")
            if known not in used.setdefault(name, []):
                used[name].append(known)
    apart = [f"{name} {' and '.join(found)}" for name, found in used.items() if len(found) > 1]
    if not apart:
        return ()
    return (f"evaluated with different versions: {', '.join(apart)}",)
