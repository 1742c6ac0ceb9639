"""What a metric requires, directly or through the features and parts that it takes."""

from collections.abc import Callable, Collection, Iterator

from ragauge import catalog
from ragauge.metric import Definition


def uses_judge(metric: Definition, is_part: Callable[[str], bool]) -> bool:
    """Whether the metric's value depends on a judge; `is_part` as in `_needed`."""
    return any("judge" in needed.resources for needed in _needed(metric, is_part))


def prompts_of(metric: Definition) -> set[str]:
    """The prompts of a metric and of the features that it needs."""
    return {name for needed in _needed(metric) for name in needed.prompts}


def missing_resources(metric: Definition, available: Collection[str]) -> str:
    """The missing resources of a metric and of the features that it needs, as text."""
    names = [name for needed in _needed(metric) for name in needed.resources]
    missing = dict.fromkeys(name for name in names if name not in available)
    return " and ".join(map(_with_article, missing))


def option_for(missing: str) -> str:
    """The option that provides a missing resource."""
    return (
        "give one with --judge (judge= from Python)"
        if "judge" in missing
        else "give one with --encoder"
    )


def _needed(
    definition: Definition, is_part: Callable[[str], bool] = lambda _: False
) -> Iterator[Definition]:
    """The definition, then the features that it needs, directly or not.

    A parameter that takes another metric's score is followed if `is_part` of its name.
    """
    seen: set[str] = set()

    def walk(definition: Definition) -> Iterator[Definition]:
        yield definition
        for column in definition.columns:
            if column.name in seen or (column.takes_score and not is_part(column.name)):
                continue
            known = catalog.metrics() if column.takes_score else catalog.features()
            if column.name in known:
                seen.add(column.name)
                yield from walk(known[column.name])

    return walk(definition)


def _with_article(resource: str) -> str:
    return {"encoder": "an encoder", "judge": "a judge"}.get(resource, "something")
