"""What metrics need beside columns: encoders, opened once, and what is known of the whole data."""

import pickle
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.encoders.known import EMBEDDED
from ragauge.errors import EncoderError
from ragauge.label import SettingValue
from ragauge.metric import Definition

if TYPE_CHECKING:
    from ragauge.cache import Cache
    from ragauge.encoders.protocol import Encoder, LongText
    from ragauge.encoders.shared import SharedEncoder


NOT_SAID = ""
WHAT_ENCODERS_HAVE = ("name", "identity", "encode")


class Resources:
    """The resources of one run.

    `encoder`: the one that metrics take whose label names no other; a model's name or an Encoder.
    `cache`: the file where vectors are kept between runs; None for none. A copy in another process
    opens its own.
    """

    def __init__(
        self, encoder: "Encoder | str | None" = None, *, cache: str | Path | None = None
    ) -> None:
        self._given = _opened(encoder) if isinstance(encoder, str) else encoder
        if self._given is not None:
            _check_encoder(self._given)
        self._cache_path = cache
        self._shared: dict[tuple[str, str], SharedEncoder] = {}
        self._tokens: dict[tuple[str, str], set[tuple[int | None, LongText]]] = {}
        self.corpus: dict[str, object] = {}
        """By a node's key, what a corpus feature made of the whole data."""
        self.threads: int | None = None
        """Batches that an encoder computes at the same time; None for one a processor."""

    def defaults(self) -> Mapping[str, Mapping[str, SettingValue]]:
        """For each resource that is there the settings that name it in a label."""
        if self._given is None:
            return {"encoder": {"model": EMBEDDED, "precision": "fp32"}}
        precision = str(self._given.identity.get("precision") or "fp32")
        return {"encoder": {"model": self._given.name, "precision": precision}}

    def arguments(
        self, definition: Definition, settings: Mapping[str, SettingValue]
    ) -> dict[str, object]:
        """The keyword arguments of a definition's function: its settings and its resources."""
        given: dict[str, object] = {
            name: value for name, value in settings.items() if name not in definition.implied
        }
        if "encoder" in definition.resources:
            given["encoder"] = self.encoder_of(settings)
        return given

    def encoder_of(self, settings: Mapping[str, SettingValue]) -> "SharedEncoder":
        """The encoder that settings name. EncoderError when it cannot be opened."""
        from ragauge.encoders.shared import SharedEncoder

        key = model, precision = self._model_of(settings)
        if key not in self._shared:
            encoder = self._named(model, precision)
            if self.threads is not None and hasattr(encoder, "threads"):
                encoder.threads = self.threads  # pyright: ignore[reportAttributeAccessIssue]
            self._shared[key] = SharedEncoder(encoder, self.cache)
            self._shared[key].wanted_tokens = frozenset(self._tokens.get(key, ()))
        _check_layer(self._shared[key], settings.get("layer"))
        return self._shared[key]

    def _named(self, model: str, precision: str) -> "Encoder":
        """The encoder that was given where it has that name, else one that is opened by the name."""
        given = self._given
        if given is None or given.name != model:
            return _opened(model, precision)
        own = str(given.identity.get("precision") or "fp32")
        if own == precision:
            return given
        if model == EMBEDDED:
            return _opened(model, precision)
        raise EncoderError(
            f"a label asks for {model} in {precision}, but the encoder that was given is in {own}; "
            "give it in that precision, or leave it out of the label"
        )

    def expect(self, settings: Iterable[Mapping[str, SettingValue]]) -> None:
        """Tell before any work which encoders' tokens will be asked for, so that a text whose vector
        is asked for too is computed once."""
        for one in settings:
            layer, long_text = one.get("layer", NOT_SAID), one.get("long_text")
            if (layer is None or isinstance(layer, int)) and long_text in ("cut", "windows"):
                self._tokens.setdefault(self._model_of(one), set()).add((layer, long_text))

    def _model_of(self, settings: Mapping[str, SettingValue]) -> tuple[str, str]:
        default = self.defaults()["encoder"]
        model = str(settings.get("model") or default["model"])
        return model, str(settings.get("precision") or default["precision"])

    @cached_property
    def cache(self) -> "Cache | None":
        """The open cache, where one is asked for."""
        from ragauge.cache import Cache

        return None if self._cache_path is None else Cache(self._cache_path)

    def is_portable(self) -> bool:
        """Whether another process can have a copy."""
        try:
            pickle.dumps(self)
        except Exception:  # whatever a user's own encoder raises, it stays here then
            return False
        return True

    def __getstate__(self) -> dict[str, object]:
        kept = {name: value for name, value in self.__dict__.items() if name != "cache"}
        return {**kept, "_shared": {}}


def _check_layer(encoder: "SharedEncoder", layer: SettingValue) -> None:
    last = encoder.identity.get("n_layers")
    if isinstance(layer, int) and isinstance(last, int) and not 0 <= layer <= last:
        raise EncoderError(f"{encoder.name} has the layers 0 to {last}, not {layer}")


def _check_encoder(given: object) -> None:
    lacking = [name for name in WHAT_ENCODERS_HAVE if not hasattr(given, name)]
    if lacking:
        raise EncoderError(
            f"encoder must be a model's name or an encoder, got {given!r:.80}, "
            f"which has no {', '.join(lacking)}"
        )


def _opened(model: str, precision: str = "fp32") -> "Encoder":
    from ragauge.encoders.opening import open_encoder

    return open_encoder(model, precision=precision)
