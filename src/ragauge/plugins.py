"""What installed packages add to ragauge: entry points of the groups `ragauge.metrics`, `ragauge.loaders` and so on."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ragauge.errors import EncoderError, JudgeError, PlanError, RagaugeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["metrics", "loaders", "writers", "judges", "encoders"]


@functools.cache
def offered(kind: Kind) -> "Mapping[str, EntryPoint]":
    """The entry points of a kind by name; of two with one name, the second by what it names. Nothing is imported."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"ragauge.{kind}"):
        found[entry.value if entry.name in found else entry.name] = entry
    return found


def load(kind: Kind, name: str) -> Any:
    """What the package offers under the name; PlanError, which names the package, if it cannot be imported."""
    try:
        return offered(kind)[name].load()
    # A package of other people may raise anything when it is imported, or exit.
    except (Exception, SystemExit) as error:
        raise PlanError(
            f"the {kind} of {_owner(kind, name)} cannot be imported: "
            f"{type(error).__name__}: {error}; fix or uninstall it"
        ) from error


def open_model(
    kind: Literal["judges", "encoders"], name: str, settings: Mapping[str, object]
) -> Any:
    """The judge or encoder `PREFIX:MODEL` of a package that offers the prefix, or None."""
    prefix, _, model = name.partition(":")
    if not model or prefix not in offered(kind):
        return None
    model_class = load(kind, prefix)
    try:
        return model_class(model, **settings)
    except RagaugeError:
        raise
    except Exception as error:
        failure = JudgeError if kind == "judges" else EncoderError
        raise failure(
            f"{name!r} of {_owner(kind, prefix)} cannot be opened: {type(error).__name__}: {error!s:.300}"
        ) from error


def _owner(kind: Kind, name: str) -> str:
    entry = offered(kind)[name]
    return f"{entry.dist.name if entry.dist else 'an installed package'} ({entry.value})"
