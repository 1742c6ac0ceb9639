"""Encoders on a cluster: an actor per node, or per GPU, holds the models that all workers there use.

So a model is loaded once a node, not once a worker, and texts that several batches have are encoded once.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ragauge.encoders.cached import NoVector
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.errors import ClusterError, EncoderError, RagaugeError

if TYPE_CHECKING:
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.engine.graph import Plan
    from ragauge.engine.resources import Resources
    from ragauge.label import SettingValue
    from ragauge.on_ray.connection import Cluster

ACTOR_CPUS = 0.01
"""Of an actor: it fits beside a node's tasks, which leave this much of each CPU."""
ON_GPUS = ("ragauge.encoders.huggingface",)
"""Modules of encoders that use a GPU if there is one."""
T = TypeVar("T")


class EncoderLostError(BaseException):
    """The actor is gone. Not an Exception: no metric may take it for its own error; the batch is retried."""


@dataclass(frozen=True, slots=True)
class Model:
    """What a worker knows of an encoder without opening it. `settings` name it."""

    settings: "Mapping[str, SettingValue]"
    name: str
    identity: Mapping[str, str | int | float | None]
    max_tokens: int
    is_on_gpu: bool


def models_of(plan: "Plan", resources: "Resources") -> tuple[Model, ...]:
    """The encoders of a plan."""
    found: dict[str, Model] = {}
    for node in plan.nodes:
        if "encoder" not in node.definition.resources:
            continue
        encoder = resources.encoder_of(node.settings)
        named = {key: node.settings.get(key) for key in ("model", "precision")}
        found[repr(named)] = Model(
            {key: value for key, value in named.items() if value is not None},
            encoder.name,
            encoder.identity,
            getattr(encoder.encoder, "max_tokens", 0),
            type(encoder.encoder).__module__ in ON_GPUS,
        )
    return tuple(found.values())


class EncoderActor:
    """The encoders of one node, with a memory of the vectors that they made."""

    def __init__(self, resources: "Resources", models: Sequence[Model]) -> None:
        self._resources = resources
        self._models = models
        self._checked: dict[int, CachedEncoder] = {}

    def encode(self, place: int, texts: Sequence[str], long_text: LongText) -> "Floats | Exception":
        """The vectors of the texts; an error is returned, not raised, so that it stays as it is."""
        try:
            found = self._encoder(place).vectors(texts, long_text=long_text)
            return np.array([_vector(found[text]) for text in texts], np.float32)
        except RagaugeError as error:
            return error

    def encode_tokens(
        self, place: int, texts: Sequence[str], layer: int | None, long_text: LongText
    ) -> "list[TokenVectors] | Exception":
        try:
            found = self._encoder(place).tokens(texts, layer=layer, long_text=long_text)
            return [_present(found[text]) for text in texts]
        except RagaugeError as error:
            return error

    def token_ids(
        self, place: int, texts: Sequence[str], long_text: LongText
    ) -> "list[Ints] | Exception":
        try:
            return self._encoder(place).token_ids(texts, long_text=long_text)
        except RagaugeError as error:
            return error

    def count_tokens(
        self, place: int, texts: Sequence[str]
    ) -> "list[tuple[int, int]] | Exception | None":
        try:
            return self._encoder(place).encoder.count_tokens(texts)
        except RagaugeError as error:
            return error

    def _encoder(self, place: int) -> "CachedEncoder":
        """The encoder of a model; ClusterError if it is not the one that the driver has."""
        if place not in self._checked:
            model = self._models[place]
            try:
                encoder = self._resources.encoder_of(model.settings)
            except EncoderError as error:
                raise ClusterError(
                    f"a node cannot open the encoder {model.name}: {error}"
                ) from error
            if dict(encoder.identity) != dict(model.identity):
                raise ClusterError(
                    f"a node has another encoder {model.name} than this machine: "
                    f"{dict(encoder.identity)} instead of {dict(model.identity)}"
                )
            self._checked[place] = encoder
        return self._checked[place]


def _vector(found: object) -> Floats:
    if isinstance(found, NoVector):
        raise EncoderError(found.reason)
    return cast("Any", found).vector


def _present(found: TokenVectors | NoVector) -> TokenVectors:
    if isinstance(found, NoVector):
        raise EncoderError(found.reason)
    return found


@dataclass(slots=True)
class RemoteEncoder:
    """An encoder whose work an actor does. `place`: of its model among the actor's."""

    name: str
    identity: Mapping[str, str | int | float | None]
    max_tokens: int
    place: int
    actor: Any

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        return self._asked(self.actor.encode, texts, long_text)

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        return self._asked(self.actor.encode_tokens, texts, layer, long_text)

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        return self._asked(self.actor.token_ids, texts, long_text)

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]] | None:
        return self._asked(self.actor.count_tokens, texts)

    def _asked(self, method: Any, texts: Sequence[str], *others: object) -> Any:
        ray: Any = import_module("ray")
        try:
            result = ray.get(method.remote(self.place, list(texts), *others))
        except ray.exceptions.RayError as error:
            raise EncoderLostError(f"{type(error).__name__}: {error!s:.200}") from error
        if isinstance(result, Exception):
            raise result
        return result


@dataclass(frozen=True, slots=True)
class Crew:
    """The actors of a cluster at some time: the node and the handle of each."""

    models: Sequence[Model]
    actors: Sequence[tuple[str, Any]]

    def serve(self, resources: "Resources", node: str) -> None:
        """Have these resources use the actor of this node, or any if it has none."""
        near = [actor for own, actor in self.actors if own == node] or [
            actor for _, actor in self.actors
        ]
        actor = near[os.getpid() % len(near)]
        for place, model in enumerate(self.models):
            resources.use_encoder(
                model.settings,
                RemoteEncoder(model.name, model.identity, model.max_tokens, place, actor),
            )


@dataclass(slots=True)
class Actors:
    """Starts an actor on each node that has none, and ends those of nodes that are gone."""

    cluster: "Cluster"
    models: Sequence[Model]
    resources: "Resources"
    number: int = 0
    """Counts the crews: a worker reads a crew once."""
    crew: Any = None
    """Ray's reference to the current crew."""
    _handles: dict[tuple[str, int], Any] = field(default_factory=dict[tuple[str, int], Any])

    def follow(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Have an actor on each of these nodes; one per GPU if a model uses GPUs and there are any."""
        n_gpus = {str(node["NodeID"]): int(node["Resources"].get("GPU", 0)) for node in nodes}
        on_gpus = any(model.is_on_gpu for model in self.models) and any(n_gpus.values())
        wanted = {
            (node, place) for node, n in n_gpus.items() for place in range(n if on_gpus else 1)
        }
        if wanted == self._handles.keys() or not wanted:
            return
        ray = self.cluster.ray
        for key in self._handles.keys() - wanted:
            ray.kill(self._handles.pop(key))
        for key in sorted(wanted - self._handles.keys()):
            self._handles[key] = self._started(key[0], n_gpus=1 if on_gpus else 0)
        actors = [(node, handle) for (node, _), handle in sorted(self._handles.items())]
        self.number += 1
        self.crew = ray.put(Crew(self.models, actors))

    def _started(self, node: str, *, n_gpus: int) -> Any:
        ray = self.cluster.ray
        strategies: Any = import_module("ray.util.scheduling_strategies")
        near = strategies.NodeAffinitySchedulingStrategy(node, soft=True)
        actor = ray.remote(EncoderActor).options(
            num_cpus=ACTOR_CPUS,
            num_gpus=n_gpus,
            max_restarts=-1,
            max_task_retries=-1,
            scheduling_strategy=near,
        )
        return actor.remote(self.resources, self.models)

    def end(self) -> None:
        for handle in self._handles.values():
            self.cluster.ray.kill(handle)
