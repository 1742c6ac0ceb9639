"""The shapes of the free parts of a manifest, as far as anything reads them; ValueError where one is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

from ragauge.runs.fields import read_dataclass


@dataclass(frozen=True, slots=True)
class _Usage:
    """What a run keeps of a judge's calls."""

    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    calls_without_count: int
    refused_by_budget: int
    cost_usd: float | None
    dropped: Mapping[str, str]
    failed: int = 0
    over_budget_usd: float | None = None
    in_flight_at_budget: int = 0
    is_recorded: bool = False
    address: str | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "cached", "prompt_tokens", "completion_tokens", "failed"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the plan: what two runs are compared by."""

    key: str
    inputs: tuple[str, ...]
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class _Data:
    systems: tuple[str, ...] = ()
    n_samples: int = 0
    source: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class _Code:
    judges: tuple[Mapping[str, object], ...] = ()
    models: tuple[Mapping[str, object], ...] = ()
    repeats: int = 1


def check_shapes(
    *,
    plan: Mapping[str, object],
    data: Mapping[str, object],
    code: Mapping[str, object],
    judging: Mapping[str, object],
) -> None:
    """Raise ValueError naming the first field that has another shape than what reads it expects."""
    for node in _items(plan, "nodes", "plan"):
        _check(_Node, node, "plan.nodes")
    for metric in _items(plan, "metrics", "plan"):
        parts = cast("list[object]", metric) if isinstance(metric, list) else []
        key = parts[2] if len(parts) > 2 else 0
        if not parts or not isinstance(parts[0], str) or not (key is None or isinstance(key, str)):
            raise ValueError(f"plan.metrics has {metric!r:.40}")
    _check(_Data, data, "data")
    _check(_Code, code, "code")
    for judge, usage in judging.items():
        _check(_Usage, usage, f"judging.{judge}")


def _check(kind: type[object], value: object, place: str) -> None:
    """Check the fields that the type names; others may be anything."""
    known = {one.name for one in fields(cast(Any, kind))}
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        value = {name: table[name] for name in table if name in known}
    read_dataclass(kind, cast(object, value), place)


def _items(table: Mapping[str, object], name: str, place: str) -> list[object]:
    value = table.get(name, [])
    if not isinstance(value, list):
        raise ValueError(f"{place}.{name} is {value!r:.40}, which is of the wrong type")  # noqa: TRY004
    return cast("list[object]", value)
