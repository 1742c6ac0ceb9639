"""What a worker does: an actor that has the plan and its encoders, and scores the batches that it is given."""

import gc
import os
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ragauge.errors import ClusterError, EncoderError, RagaugeError
from ragauge.on_ray.versions import Versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from ragauge.engine.graph import Plan
    from ragauge.engine.resources import Resources
    from ragauge.label import SettingValue
    from ragauge.runs.code import UserCode

ON_GPUS = ("ragauge.encoders.huggingface",)
"""Modules of encoders that use a GPU if there is one, and all processors of a node otherwise."""


@dataclass(frozen=True, slots=True)
class Model:
    """An encoder of the plan as the driver has it. `settings` name it."""

    settings: "Mapping[str, SettingValue]"
    identity: "Mapping[str, str | int | float | None]"
    is_large: bool


@dataclass(frozen=True, slots=True)
class Job:
    """All that workers need to score a run's batches of `batch_size` rows. `code` is the user's, which travels too."""

    plan: "Plan"
    resources: "Resources"
    code: "UserCode"
    batch_size: int

    def models(self) -> tuple[Model, ...]:
        """The encoders of the plan."""
        found: dict[str, Model] = {}
        for node in self.plan.nodes:
            if "encoder" in node.definition.resources:
                encoder = self.resources.encoder_of(node.settings)
                named = {key: node.settings.get(key) for key in ("model", "precision")}
                found[repr(named)] = Model(
                    {key: value for key, value in named.items() if value is not None},
                    encoder.identity,
                    type(encoder.encoder).__module__ in ON_GPUS,
                )
        return tuple(found.values())


class Worker:
    """The actor. Its errors are returned and not raised, so that they stay as they are."""

    def __init__(self, versions: Versions, packed: bytes, models: "tuple[Model, ...]") -> None:
        os.environ.setdefault("POLARS_MAX_THREADS", "1")  # the batches are the parallel work
        self._models = models
        self._refused = versions.difference_here()
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
        for model in self._models:
            name = model.identity.get("name")
            try:
                encoder = self._job.resources.encoder_of(model.settings)
            except EncoderError as error:
                return ClusterError(f"a node cannot open the encoder {name}: {error}")
            if dict(encoder.identity) != dict(model.identity):
                return ClusterError(
                    f"a node has another encoder {name} than this machine: {dict(encoder.identity)} instead of "
                    f"{dict(model.identity)}"
                )
        return ""

    def scored(self, rows: "pl.DataFrame") -> "pl.DataFrame | RagaugeError":
        """The scores of a batch."""
        from ragauge.engine.frames import score_frame
        from ragauge.samples.samples import to_columns

        try:
            return score_frame(self._job.plan, to_columns(rows), self._job.resources)
        except RagaugeError as error:
            return error
