"""Whether a worker would compute what the driver computes: same Python, same ragauge, same code."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ragauge.on_ray.user_code import DATA
from ragauge.runs.code import version_of
from ragauge.runs.module_files import source_file

MAX_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Versions:
    """What a process computes with.

    `modules`: SHA-256 of each module that the metrics depend on, ragauge's and the user's, by name.
    `packages`: the versions of other packages, by name.
    """

    python: str
    ragauge: str
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    packages: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def here(cls, modules: Iterable[str], packages: Mapping[str, str]) -> "Versions":
        """Those of this process. Code in `__main__` travels with the job, so it is not compared."""
        digests = {name: module_digest(name) or "" for name in modules if name != "__main__"}
        return cls(platform.python_version(), installed_ragauge(), digests, packages)

    def difference_here(self) -> str | None:
        """What differs in this process, as text; None if nothing does."""
        if (python := platform.python_version()) != self.python:
            return f"Python {python} instead of {self.python}"
        if (ours := installed_ragauge()) != self.ragauge:
            return f"ragauge {ours} instead of {self.ragauge}"
        return None

    def code_difference_here(self) -> str | None:
        """The packages and modules that differ in this process; None if none does."""
        found = [
            f"{name} {version_of(name) or 'is missing'} instead of {wanted}"
            for name, wanted in self.packages.items()
            if version_of(name) != wanted
        ]
        for name, digest in self.modules.items():
            if (here := module_digest(name)) != digest:
                found.append(f"the module {name} {'differs' if here else 'is missing'}")
        if not found:
            return None
        more = len(found) - MAX_SHOWN
        return "; ".join(found[:MAX_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def module_digest(name: str) -> str | None:
    """SHA-256 of a module's file and of the data beside it; None if there is no such module."""
    path = source_file(name)
    if path is None:
        return None
    digest = hashlib.sha256(path.read_bytes())
    for other in sorted(path.parent.glob(f"{path.stem}.*")):
        if other.suffix in DATA and other.is_file():
            digest.update(other.suffix.encode())
            digest.update(other.read_bytes())
    return digest.hexdigest()


def installed_ragauge() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ragauge")
    except PackageNotFoundError:  # it is run from its sources, whose modules are compared
        return "from sources"
