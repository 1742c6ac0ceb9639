"""What a worker does: an actor that has the plan and its encoders, and scores the batches that it is given."""

import gc
import os
import pickle
import platform
import shutil
import tempfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import ClusterError, EncoderError, RagaugeError
from ragauge.runs.code import data_beside, package_digest, version_of

if TYPE_CHECKING:
    import polars as pl

    from ragauge.encoders.cached import CachedEncoder
    from ragauge.engine.graph import Plan
    from ragauge.engine.resources import Resources
    from ragauge.label import SettingValue
    from ragauge.runs.code import UserCode

    Identity = Mapping[str, str | int | float | None]

ON_GPUS = ("ragauge.encoders.huggingface",)
"""Modules of encoders that use a GPU if there is one, and all processors of a node otherwise."""


def versions(packages: Iterable[str]) -> dict[str, str]:
    """What this process computes with: Python, ragauge with a digest of its sources, and these packages."""
    own = f"{version_of('ragauge') or 'from sources'} (sources {package_digest()[:8]})"
    others = {name: version_of(name) or "is missing" for name in packages}
    return {"Python": platform.python_version(), "ragauge": own, **others}


def difference(wanted: Mapping[str, str]) -> str:
    """What differs in this process from `versions` of another one, as text; empty if nothing does."""
    here = versions(name for name in wanted if name not in ("Python", "ragauge"))
    differing = (name for name, found in here.items() if found != wanted[name])
    return "; ".join(f"{name} {here[name]} instead of {wanted[name]}" for name in differing)


@contextmanager
def staged(files: Mapping[str, Path]) -> Generator[list[str]]:
    """Copies of the user's modules, given by name, with the data beside them: paths for `py_modules` of Ray."""
    with tempfile.TemporaryDirectory(prefix="ragauge-modules-") as folder:
        for module, file in files.items():
            if module == "__main__":  # its functions travel with the job
                continue
            *parents, stem = module.split(".")
            data, place = data_beside(file), Path(folder, *parents)
            # Ray takes single .py files and folders: a single file with data becomes a package.
            if file.name == "__init__.py" or (data and not parents):
                place, stem = place / stem, "__init__"
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place / f"{stem}{file.suffix}")
            for other in data:
                for copied in {f"{stem}{other.suffix}", other.name}:
                    shutil.copyfile(other, place / copied)
        yield sorted(str(path) for path in Path(folder).iterdir())


@dataclass(frozen=True, slots=True)
class Job:
    """All that workers need to score a run's batches of `batch_size` rows. `code` is the user's, which travels too."""

    plan: "Plan"
    resources: "Resources"
    code: "UserCode"
    batch_size: int

    def encoders(self) -> "list[tuple[Mapping[str, SettingValue], CachedEncoder]]":
        """The encoders of the plan, and the settings that name them."""
        nodes = [node for node in self.plan.nodes if "encoder" in node.definition.resources]
        named = [(node.settings.get("model"), node.settings.get("precision")) for node in nodes]
        found: list[tuple[Mapping[str, SettingValue], CachedEncoder]] = []
        for model, precision in dict.fromkeys(named):
            settings = {"model": model, "precision": precision}
            found.append((settings, self.resources.encoder_of(settings)))
        return found


class Worker:
    """The actor. Its errors are returned and not raised, so that they stay as they are."""

    def __init__(
        self,
        wanted: Mapping[str, str],
        packed: bytes,
        encoders: "Sequence[tuple[Mapping[str, SettingValue], Identity]]",
    ) -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the batches are the parallel work
        self._encoders = encoders
        self._refused = difference(wanted)
        if self._refused:
            return
        try:
            self._job = cast(Job, pickle.loads(packed))
        except Exception as error:  # whatever importing or unpickling code that is not there raises
            self._refused = f"{type(error).__name__}: {error!s:.200}"
        gc.freeze()

    def ready(self) -> str | RagaugeError:
        """Why this worker would score otherwise than the driver, or the error of an encoder; empty if it is ready."""
        if self._refused:
            return self._refused
        for settings, identity in self._encoders:
            name = identity.get("name")
            try:
                here = dict(self._job.resources.encoder_of(settings).identity)
            except EncoderError as error:
                return ClusterError(f"a node cannot open the encoder {name}: {error}")
            if here != dict(identity):
                return ClusterError(
                    f"a node has another encoder {name} than this machine: {here} instead of {dict(identity)}"
                )
        return ""

    def scored(self, rows: "pl.DataFrame") -> "pl.DataFrame | RagaugeError":
        """The scores of a batch."""
        from ragauge.engine.measure import score_frame
        from ragauge.samples.samples import to_columns

        try:
            return score_frame(self._job.plan, to_columns(rows), self._job.resources)
        except RagaugeError as error:
            return error
