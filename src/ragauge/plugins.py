"""What others add to ragauge: packages, by entry points of the groups `ragauge.metrics`, `ragauge.loaders` and so on; and Python files."""

import functools
import importlib.util
import sys
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
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


class _Uncached(SourceFileLoader):
    """Compiles the file each time: bytecode of an edit in the same second would be run for the new text."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def import_file(file: Path, prefix: str) -> ModuleType:
    """Execute a .py file as a module named after it; ImportError if it is not Python."""
    name = f"{prefix}_{file.stem}"
    while name in sys.modules and sys.modules[name].__file__ != str(file.absolute()):
        name += "_"
    loader = _Uncached(name, str(file.absolute())) if file.suffix == ".py" else None
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
