"""The identity of a run: the key and manifest made from its plan, data, code and models."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from ragauge.encoders import model_info
from ragauge.engine.graph import Plan
from ragauge.engine.resources import Resources
from ragauge.runs.code import UserCode, package_digest, user_code, version_of
from ragauge.runs.findings import WORDS, median_words
from ragauge.runs.manifest import Manifest, MetricDisplay, StoredFinding
from ragauge.samples.samples import Samples

if TYPE_CHECKING:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.judges.session import JudgeSession


def manifest_of(
    plan: Plan, samples: Samples, seed: int, batch_size: int, resources: Resources
) -> Manifest:
    """The manifest of a run that has not started."""
    import platform

    data: dict[str, object] = {
        "source": samples.source,
        "sha256": samples.fingerprint(),
        "order": samples.order(),
        "n_samples": len(samples),
        "systems": sorted(samples.systems),
        WORDS: median_words(samples),
    }
    code, described = _code_table(plan, resources), plan.describe()
    tables = cast("list[dict[str, object]]", described["nodes"])
    for node, table in zip(plan.nodes, tables, strict=True):
        if digest := user_code([node.definition.function]).digest():
            table["code"] = digest
    fixed = [described, data["sha256"], data["order"], code, seed, batch_size]
    unavailable = defaultdict[str, list[str]](list)
    for metric in plan.unavailable:
        unavailable[metric.unavailable or ""].append(metric.name)
    notes = [f"not scored, {why}: {', '.join(names)}" for why, names in unavailable.items()]
    if resources.evidence != "all":  # it is no part of the key
        of = "scores that failed or have a flag" if resources.evidence == "failed" else "no score"
        notes.append(f"evidence is kept of {of}")
    machine = {"python": platform.python_version(), "system": platform.platform(terse=True)}
    findings = ((finding, suite) for suite in plan.suites for finding in suite.findings)
    return Manifest(
        hashlib.sha256(json.dumps(fixed, sort_keys=True, default=list).encode()).hexdigest(),
        plan.name,
        tuple(MetricDisplay.of(metric) for metric in plan.metrics),
        cast(Mapping[str, object], json.loads(json.dumps(described, default=list))),
        data,
        code,
        seed,
        batch_size,
        _git_commit(),
        machine | {name: version_of(name) for name in ("numpy", "polars")},
        (*samples.notes, *notes),
        tuple(StoredFinding.of(finding, suite, plan.metrics) for finding, suite in findings),
        now(),
        models=tuple(_model_notes(plan)),
        families={name: says for suite in plan.suites for name, says in suite.families.items()},
    )


def _code_table(plan: Plan, resources: Resources) -> dict[str, object]:
    """The code, encoders and judges of a run, as the manifest stores them."""
    code = code_of_run(plan, resources)
    table: dict[str, object] = {
        "ragauge": version_of("ragauge") or "unknown",
        "sha256": hashlib.sha256(f"{package_digest()} {code.digest()}".encode()).hexdigest(),
        "packages": code.versions(),
        "modules": sorted(code.files),
    }
    if encoders := _encoders(plan, resources):
        table["models"] = [dict(encoder.identity) for encoder in encoders]
    if judges := judges_of(plan, resources):
        # A recording may change under the same name, so its content counts.
        recordings = [(session.identity, session.judge.digest) for session in judges]
        table["judges"] = [
            {**identity} if digest is None else {**identity, "recording": digest}
            for identity, digest in recordings
        ]
        table["repeats"] = resources.judging.repeat
        table["window"] = resources.judging.window
    return table


def code_of_run(plan: Plan, resources: Resources) -> UserCode:
    """The user's code that the numbers of a plan depend on: metrics, aggregates, encoders and judges."""
    functions: list[object] = [node.definition.function for node in plan.nodes]
    aggregates = (metric.definition and metric.definition.aggregate for metric in plan.metrics)
    functions += filter(callable, aggregates)
    functions += [type(session.encoder) for session in _encoders(plan, resources)]
    for session in judges_of(plan, resources):
        judge: object = session.judge.source
        while judge is not None:  # a judge may wrap another one, or call a function
            functions += [type(judge), getattr(judge, "function", None)]
            judge = getattr(judge, "judge", None)
    return user_code(function for function in functions if function is not None)


def judges_of(plan: Plan, resources: Resources) -> "list[JudgeSession]":
    """The judges that the plan uses, in the order in which they were given."""
    nodes = [node for node in plan.nodes if "judge" in node.definition.resources]
    used = {str(node.settings.get("judge") or "") for node in nodes}
    return [session for name, session in resources.judges.items() if name in used] if used else []


def _encoders(plan: Plan, resources: Resources) -> "list[CachedEncoder]":
    """The encoders that the plan uses, in a fixed order."""
    nodes = [node for node in plan.nodes if "encoder" in node.definition.resources]
    encoders = [resources.encoder_of(node.settings) for node in nodes]
    used = {json.dumps(dict(each.identity), sort_keys=True): each for each in encoders}
    return [used[identity] for identity in sorted(used)]


def _model_notes(plan: Plan) -> Iterator[str]:
    """Which model or judge scored each metric, and which threshold was applied."""
    settings_of = {node.key: node.settings for node in plan.nodes}
    by_model, by_judge = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    by_threshold = defaultdict[tuple[str, float], list[str]](list)
    for metric in plan.metrics:
        settings = settings_of.get(metric.node or "", {})
        if settings.get("judge"):
            by_judge[str(settings["judge"])].append(metric.name)
        if model := settings.get("model"):
            layer, precision = settings.get("layer"), settings.get("precision")
            at = f" (layer {layer})" if layer is not None and "layer=" not in metric.name else ""
            shown = str(model) if precision == "fp32" else f"{model} ({precision})"
            by_model[shown].append(metric.name + at)
            if isinstance(threshold := settings.get("threshold"), float):
                by_threshold[str(model), threshold].append(metric.name)
    yield from (f"by {model}: {', '.join(names)}" for model, names in by_model.items())
    yield from (f"judged by {judge}: {', '.join(names)}" for judge, names in by_judge.items())
    for (model, threshold), names in by_threshold.items():
        own = model_info(model).threshold
        best = "" if own is None else f' (threshold="model", {own:g}, agrees best with people)'
        yield (
            f"{', '.join(names)}: the threshold {threshold:g} is applied to {model}{best}; "
            "thresholds of different models are not comparable"
        )


def _git_commit() -> str | None:
    import subprocess

    try:
        command = ["git", "rev-parse", "HEAD"]
        git = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
        return git.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None


def now() -> str:
    """The current time in UTC, to the second, as in a manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")
