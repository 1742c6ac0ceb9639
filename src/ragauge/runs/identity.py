"""The identity of a run: the key and manifest made from its plan, data, code and models."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from ragauge.encoders.models import model_info
from ragauge.engine.graph import Plan
from ragauge.engine.resources import Resources
from ragauge.label import SettingValue
from ragauge.runs.cautions import WORDS, median_words
from ragauge.runs.code import UserCode, package_digest, user_code, version_of
from ragauge.runs.manifest import Manifest, MetricDisplay, StoredFinding
from ragauge.samples.samples import Samples

if TYPE_CHECKING:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.judges.session import JudgeSession


def manifest_of(
    plan: Plan, samples: Samples, seed: int, batch_size: int, resources: Resources
) -> Manifest:
    """The manifest of a run that has not started."""
    data: dict[str, object] = {
        "source": samples.source,
        "sha256": samples.fingerprint(),
        "order": samples.order(),
        "n_samples": len(samples),
        "systems": list(samples.systems),
        WORDS: median_words(samples),
    }
    code = _code_table(plan, resources)
    described = _described(plan)
    fixed = [described, data["sha256"], data["order"], code, seed, batch_size]
    key = hashlib.sha256(json.dumps(fixed, sort_keys=True, default=list).encode()).hexdigest()
    return Manifest(
        key,
        plan.name,
        tuple(MetricDisplay.of(metric) for metric in plan.metrics),
        cast(Mapping[str, object], json.loads(json.dumps(described, default=list))),
        data,
        code,
        seed,
        batch_size,
        _git_commit(),
        _machine(),
        (*samples.notes, *_unavailable_notes(plan), *_evidence_notes(resources)),
        tuple(
            StoredFinding.of(finding, suite, plan.metrics)
            for suite in plan.suites
            for finding in suite.findings
        ),
        now(),
        models=tuple(_model_notes(plan)),
        families={name: says for suite in plan.suites for name, says in suite.families.items()},
    )


def _described(plan: Plan) -> dict[str, object]:
    """The plan, each node that is not ragauge's with a digest of its code."""
    described = plan.describe()
    nodes = cast("list[dict[str, object]]", described["nodes"])
    for node, table in zip(plan.nodes, nodes, strict=True):
        if digest := user_code([node.definition.function]).digest():
            table["code"] = digest
    return described


def _code_table(plan: Plan, resources: Resources) -> dict[str, object]:
    """The code, encoders and judges of a run, as the manifest stores them."""
    encoders = _encoders(plan, resources)
    judges = judges_of(plan, resources)
    code = code_of_run(plan, resources)
    sources = f"{package_digest()} {code.digest()}"
    table: dict[str, object] = {
        "ragauge": version_of("ragauge") or "unknown",
        "sha256": hashlib.sha256(sources.encode()).hexdigest(),
        "packages": code.versions(),
        "modules": sorted(code.files),
    }
    if encoders:
        table["models"] = [dict(encoder.identity) for encoder in encoders]
    if judges:
        table["judges"] = [_identity(judge) for judge in judges]
        table["repeats"] = resources.judging.repeat
        table["window"] = resources.judging.window
    return table


def code_of_run(plan: Plan, resources: Resources) -> UserCode:
    """The user's code that the numbers of a plan depend on: metrics, aggregates, encoders and judges."""
    functions: list[object] = [node.definition.function for node in plan.nodes]
    functions += [
        metric.definition.aggregate
        for metric in plan.metrics
        if metric.definition is not None and callable(metric.definition.aggregate)
    ]
    functions += [type(session.encoder) for session in _encoders(plan, resources)]
    for session in judges_of(plan, resources):
        judge: object = session.judge.source
        while judge is not None:  # a judge may wrap another one, or call a function
            functions += [type(judge), getattr(judge, "function", None)]
            judge = getattr(judge, "judge", None)
    return user_code(function for function in functions if function is not None)


def judges_of(plan: Plan, resources: Resources) -> "list[JudgeSession]":
    """The judges that the plan uses, in the order in which they were given."""
    used = {
        str(node.settings.get("judge") or "")
        for node in plan.nodes
        if "judge" in node.definition.resources
    }
    if not used:
        return []
    return [session for name, session in resources.judges.items() if name in used]


def _encoders(plan: Plan, resources: Resources) -> "list[CachedEncoder]":
    """The encoders that the plan uses, in a fixed order."""
    used: dict[str, CachedEncoder] = {}
    for node in plan.nodes:
        if "encoder" in node.definition.resources:
            encoder = resources.encoder_of(node.settings)
            used[json.dumps(dict(encoder.identity), sort_keys=True)] = encoder
    return [used[identity] for identity in sorted(used)]


def _identity(judge: "JudgeSession") -> Mapping[str, object]:
    """What determines a judge's replies; for a recording also its content, which may change."""
    digest = judge.judge.digest
    return {**judge.identity} if digest is None else {**judge.identity, "recording": digest}


def _unavailable_notes(plan: Plan) -> Iterable[str]:
    by_reason: dict[str, list[str]] = {}
    for metric in plan.unavailable:
        by_reason.setdefault(metric.unavailable or "", []).append(metric.name)
    return [f"not scored, {reason}: {', '.join(names)}" for reason, names in by_reason.items()]


def _evidence_notes(resources: Resources) -> Iterable[str]:
    # A note and no part of the key: evidence changes no number.
    if resources.evidence != "all":
        of = "scores that failed or have a flag" if resources.evidence == "failed" else "no score"
        yield f"evidence is kept of {of}"


def _model_notes(plan: Plan) -> Iterable[str]:
    """Which model or judge scored each metric, and which threshold was applied."""
    nodes: dict[str | None, Mapping[str, SettingValue]] = {
        node.key: node.settings for node in plan.nodes
    }
    by_model: dict[str, list[str]] = {}
    by_judge: dict[str, list[str]] = {}
    by_threshold: dict[tuple[str, float], list[str]] = {}
    for metric in plan.metrics:
        settings = nodes.get(metric.node, {})
        model, layer = settings.get("model"), settings.get("layer")
        threshold, precision = settings.get("threshold"), settings.get("precision")
        if settings.get("judge"):
            by_judge.setdefault(str(settings["judge"]), []).append(metric.name)
        if not model:
            continue
        with_precision = str(model) if precision == "fp32" else f"{model} ({precision})"
        at = f" (layer {layer})" if layer is not None and "layer=" not in metric.name else ""
        by_model.setdefault(with_precision, []).append(metric.name + at)
        if isinstance(threshold, float):
            by_threshold.setdefault((str(model), threshold), []).append(metric.name)
    yield from (f"by {model}: {', '.join(names)}" for model, names in by_model.items())
    yield from (f"judged by {judge}: {', '.join(names)}" for judge, names in by_judge.items())
    for (model, threshold), names in by_threshold.items():
        own = model_info(model).threshold
        best = "" if own is None else f' (threshold="model", {own:g}, agrees best with people)'
        yield (
            f"{', '.join(names)}: the threshold {threshold:g} is applied to {model}{best}; "
            "thresholds of different models are not comparable"
        )


def _machine() -> dict[str, object]:
    import platform

    packages = {name: version_of(name) for name in ("numpy", "polars")}
    return {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        **packages,
    }


def _git_commit() -> str | None:
    import subprocess

    try:
        git = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return git.stdout.strip() if git.returncode == 0 else None


def now() -> str:
    """The current time in UTC, to the second, as in a manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")
