"""The identity of a run: the key and manifest made from its plan, data, code and models."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar, cast

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

K = TypeVar("K")


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
    code = _code_table(plan, resources)
    described = plan.describe()
    tables = cast("list[dict[str, object]]", described["nodes"])
    for node, table in zip(plan.nodes, tables, strict=True):
        if digest := user_code([node.definition.function]).digest():
            table["code"] = digest
    fixed = [described, data["sha256"], data["order"], code, seed, batch_size]
    notes = [
        f"not scored, {reason}: {names}"
        for reason, names in _grouped((m.unavailable or "", m.name) for m in plan.unavailable)
    ]
    if resources.evidence != "all":  # it is no part of the key
        of = "scores that failed or have a flag" if resources.evidence == "failed" else "no score"
        notes.append(f"evidence is kept of {of}")
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
        {
            "python": platform.python_version(),
            "system": platform.platform(terse=True),
            **{name: version_of(name) for name in ("numpy", "polars")},
        },
        (*samples.notes, *notes),
        tuple(
            StoredFinding.of(finding, suite, plan.metrics)
            for suite in plan.suites
            for finding in suite.findings
        ),
        now(),
        models=tuple(_model_notes(plan)),
        families={name: says for suite in plan.suites for name, says in suite.families.items()},
    )


def _code_table(plan: Plan, resources: Resources) -> dict[str, object]:
    """The code, encoders and judges of a run, as the manifest stores them."""
    encoders, judges = _encoders(plan, resources), judges_of(plan, resources)
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
        # A recording may change under the same name, so its content counts.
        recordings = [session.judge.digest for session in judges]
        table["judges"] = [
            {**session.identity} if digest is None else {**session.identity, "recording": digest}
            for session, digest in zip(judges, recordings, strict=True)
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
    used: dict[str, CachedEncoder] = {}
    for node in plan.nodes:
        if "encoder" in node.definition.resources:
            encoder = resources.encoder_of(node.settings)
            used[json.dumps(dict(encoder.identity), sort_keys=True)] = encoder
    return [used[identity] for identity in sorted(used)]


def _model_notes(plan: Plan) -> Iterator[str]:
    """Which model or judge scored each metric, and which threshold was applied."""
    nodes: dict[str | None, Mapping[str, SettingValue]] = {
        node.key: node.settings for node in plan.nodes
    }
    by_model: list[tuple[str, str]] = []
    by_judge: list[tuple[str, str]] = []
    by_threshold: list[tuple[tuple[str, float], str]] = []
    for metric in plan.metrics:
        settings = nodes.get(metric.node, {})
        model, layer, threshold = map(settings.get, ("model", "layer", "threshold"))
        if settings.get("judge"):
            by_judge.append((str(settings["judge"]), metric.name))
        if model:
            precision = settings.get("precision")
            at = f" (layer {layer})" if layer is not None and "layer=" not in metric.name else ""
            shown = str(model) if precision == "fp32" else f"{model} ({precision})"
            by_model.append((shown, metric.name + at))
            if isinstance(threshold, float):
                by_threshold.append(((str(model), threshold), metric.name))
    yield from (f"by {model}: {names}" for model, names in _grouped(by_model))
    yield from (f"judged by {judge}: {names}" for judge, names in _grouped(by_judge))
    for (model, threshold), names in _grouped(by_threshold):
        own = model_info(model).threshold
        best = "" if own is None else f' (threshold="model", {own:g}, agrees best with people)'
        yield (
            f"{names}: the threshold {threshold:g} is applied to {model}{best}; "
            "thresholds of different models are not comparable"
        )


def _grouped(pairs: Iterable[tuple[K, str]]) -> Iterator[tuple[K, str]]:
    """Each key with its names as one text, in order."""
    found: dict[K, list[str]] = {}
    for key, name in pairs:
        found.setdefault(key, []).append(name)
    return ((key, ", ".join(names)) for key, names in found.items())


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
