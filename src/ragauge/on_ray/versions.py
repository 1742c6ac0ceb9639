"""Whether a worker would compute what the driver computes: same Python, same ragauge, same packages."""

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ragauge.runs.code import package_digest, version_of


@dataclass(frozen=True, slots=True)
class Versions:
    """What a process computes with. `sources`: digest of ragauge's own; `packages`: versions of others, by name."""

    python: str
    ragauge: str
    sources: str
    packages: Mapping[str, str]

    @classmethod
    def here(cls, packages: Mapping[str, str]) -> "Versions":
        """Those of this process, with the versions of these packages."""
        return cls(platform.python_version(), version_of("ragauge"), package_digest(), packages)

    def difference_here(self) -> str:
        """What differs in this process, as text; empty if nothing does."""
        return "; ".join(self._differences())

    def _differences(self) -> Iterator[str]:
        here = Versions.here({name: version_of(name) for name in self.packages})
        if here.python != self.python:
            yield f"Python {here.python} instead of {self.python}"
        if here.ragauge != self.ragauge:
            yield f"ragauge {here.ragauge or 'from sources'} instead of {self.ragauge}"
        elif here.sources != self.sources:
            yield f"ragauge {here.ragauge or 'from sources'} with other sources"
        for name, wanted in self.packages.items():
            if (found := here.packages[name]) != wanted:
                yield f"{name} {found or 'is missing'} instead of {wanted}"
