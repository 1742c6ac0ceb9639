"""What a run is known by: its plan, data, code and models, as its manifest says them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, cast

from ragauge.encoders.models import model_info
from ragauge.engine.plan import Plan
from ragauge.engine.resources import Resources
from ragauge.label import SettingValue
from ragauge.runs.code import Code, code_of
from ragauge.runs.manifest import Manifest, MetricDisplay, StoredFinding
from ragauge.sample import Samples

if TYPE_CHECKING:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.judges.session import JudgeSession

ENGINE = "ragauge.engine.engine"
"""Makes scores of what the plan's functions return: a part of every run's code."""


def manifest_of(
    plan: Plan, samples: Samples, seed: int, batch_size: int, resources: Resources
) -> Manifest:
    data: dict[str, object] = {
        "source": samples.source,
        "sha256": samples.fingerprint(),
        "order": _order(samples),
        "n_samples": len(samples),
        "systems": list(samples.systems),
    }
    encoders = _encoders(plan, resources)
    judges = judges_of(plan, resources)
    made_by = _code(plan, encoders, judges)
    code: dict[str, object] = {"ragauge": _version("ragauge"), "sha256": made_by.digest()}
    code["packages"] = dict(sorted(made_by.packages.items()))
    code["modules"] = sorted(made_by.modules)
    if encoders:
        code["models"] = [dict(one.identity) for one in encoders]
    if judges:
        code["judges"] = [_identity(one) for one in judges]
        code["repeats"] = resources.judging.repeat
        code["window"] = resources.judging.window
    described = plan.describe()
    fixed = [described, data["sha256"], data["order"], code, seed, batch_size]
    key = hashlib.sha256(json.dumps(fixed, sort_keys=True, default=list).encode()).hexdigest()
    return Manifest(
        key,
        plan.name,
        tuple(MetricDisplay.of(asked) for asked in plan.metrics),
        cast(Mapping[str, object], json.loads(json.dumps(described, default=list))),
        data,
        code,
        seed,
        batch_size,
        _git_commit(),
        _machine(),
        (*samples.notes, *_lacking_notes(plan)),
        tuple(StoredFinding.of(one, suite) for suite in plan.suites for one in suite.findings),
        now(),
        models=tuple(_model_notes(plan)),
    )


def judges_of(plan: Plan, resources: Resources) -> "list[JudgeSession]":
    """The judges that the plan asks, in the order in which they were given."""
    asked = {
        str(node.settings.get("judge") or "")
        for node in plan.nodes
        if "judge" in node.definition.resources
    }
    if not asked:
        return []
    return [one for name, one in resources.judges.items() if name in asked]


def _encoders(plan: Plan, resources: Resources) -> "list[CachedEncoder]":
    """The encoders that the plan uses, in a fixed order."""
    used: dict[str, CachedEncoder] = {}
    for node in plan.nodes:
        if "encoder" in node.definition.resources:
            encoder = resources.encoder_of(node.settings)
            used[json.dumps(dict(encoder.identity), sort_keys=True)] = encoder
    return [used[identity] for identity in sorted(used)]


def _identity(judge: "JudgeSession") -> Mapping[str, object]:
    """What fixes a judge's replies; of a recording its content too, for it may come to be another."""
    digest = judge.judge.digest
    return {**judge.identity} if digest is None else {**judge.identity, "recording": digest}


def _lacking_notes(plan: Plan) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for asked in plan.unavailable:
        by_reason.setdefault(asked.unavailable or "", []).append(asked.name)
    return [f"not scored, {reason}: {', '.join(names)}" for reason, names in by_reason.items()]


def _model_notes(plan: Plan) -> Iterable[str]:
    """Which model each metric's numbers are of, and what a threshold means for it."""
    nodes: dict[str | None, Mapping[str, SettingValue]] = {
        node.key: node.settings for node in plan.nodes
    }
    by_model: dict[str, list[str]] = {}
    by_judge: dict[str, list[str]] = {}
    by_threshold: dict[tuple[str, float], list[str]] = {}
    for asked in plan.metrics:
        settings = nodes.get(asked.node, {})
        model, layer = settings.get("model"), settings.get("layer")
        threshold, precision = settings.get("threshold"), settings.get("precision")
        if settings.get("judge"):
            by_judge.setdefault(str(settings["judge"]), []).append(asked.name)
        if not model:
            continue
        whose = str(model) if precision == "fp32" else f"{model} ({precision})"
        at = f" (layer {layer})" if layer is not None and "layer=" not in asked.name else ""
        by_model.setdefault(whose, []).append(asked.name + at)
        if isinstance(threshold, float):
            by_threshold.setdefault((str(model), threshold), []).append(asked.name)
    yield from (f"by {model}: {', '.join(names)}" for model, names in by_model.items())
    yield from (f"judged by {judge}: {', '.join(names)}" for judge, names in by_judge.items())
    for (model, threshold), names in by_threshold.items():
        own = model_info(model).threshold
        people = (
            ""
            if own is None
            else (f', where {own:g} (threshold="model") separates best what people call equivalent')
        )
        yield (
            f"{', '.join(names)}: the threshold {threshold:g} is applied to {model}{people}; "
            "the same number means something else for every model"
        )


def _order(samples: Samples) -> str:
    """SHA-256 of the rows' order: finished batches are used again only when it is the same."""
    digest = hashlib.sha256()
    for name in ("id", "system"):
        digest.update(json.dumps(samples.frame[name].to_list()).encode())
    return digest.hexdigest()


@cache
def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _machine() -> dict[str, object]:
    import platform

    packages = {name: _version(name) for name in ("numpy", "polars")}
    return {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        **packages,
    }


def _code(
    plan: Plan, encoders: "Sequence[CachedEncoder]", judges: "Sequence[JudgeSession]"
) -> Code:
    """The code of the plan's functions, its encoders and judges, with all that they import."""
    functions: list[object] = [node.definition.function for node in plan.nodes]
    functions += [
        metric.definition.aggregate
        for metric in plan.metrics
        if metric.definition is not None and callable(metric.definition.aggregate)
    ]
    opened = [session.encoder for session in encoders]
    functions += [type(one) for one in (*encoders, *opened)]
    functions += [type(session) for session in judges]
    functions += [part for session in judges for part in _layers_of(session.judge.source)]
    return code_of(functions, [ENGINE])


def _layers_of(judge: object) -> Iterable[object]:
    """The class of a judge, of a user's judge inside it, and the function that it calls."""
    while judge is not None:
        yield type(judge)
        yield getattr(judge, "function", None)
        judge = getattr(judge, "judge", None)


def _git_commit() -> str | None:
    import subprocess

    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() if found.returncode == 0 else None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
