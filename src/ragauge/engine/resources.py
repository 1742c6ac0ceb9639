"""What metrics need beside columns: encoders and judges, opened once, and what is known of the whole
data."""

import pickle
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.encoders.models import EMBEDDED
from ragauge.errors import EncoderError
from ragauge.judges.config import JudgeConfig
from ragauge.label import SettingValue
from ragauge.metric import Definition

if TYPE_CHECKING:
    from ragauge.cache import Cache
    from ragauge.encoders.cached import CachedEncoder
    from ragauge.encoders.protocol import Encoder, LongText
    from ragauge.judges.session import JudgeSession


NOT_SAID = ""
WHAT_ENCODERS_HAVE = ("name", "identity", "encode")


class Resources:
    """The resources of one run.

    `encoder`: the one that metrics take whose label names no other; a model's name or an Encoder.
    `cache`: the file where vectors and replies are kept between runs; None for none. A copy in
    another process opens its own.
    """

    def __init__(
        self,
        encoder: "Encoder | str | None" = None,
        *,
        cache: str | Path | None = None,
        judging: JudgeConfig | None = None,
    ) -> None:
        self._given = _opened(encoder) if isinstance(encoder, str) else encoder
        if self._given is not None:
            _check_encoder(self._given)
        self._cache_path = cache
        self.judging = JudgeConfig() if judging is None else judging
        self._shared: dict[tuple[str, str], CachedEncoder] = {}
        self._tokens: dict[tuple[str, str], set[tuple[int | None, LongText]]] = {}
        self.sample = 0
        """Which asking of the judges this is."""
        self.corpus: dict[str, object] = {}
        """By a node's key, what a corpus feature made of the whole data."""
        self.threads: int | None = None
        """Batches that an encoder computes at the same time; None for one a processor."""

    def defaults(self) -> Mapping[str, Mapping[str, SettingValue]]:
        """For each resource that is there the settings that name it in a label."""
        return {"encoder": self._encoder_defaults(), **self._judge_defaults()}

    def _encoder_defaults(self) -> Mapping[str, SettingValue]:
        if self._given is None:
            return {"model": EMBEDDED, "precision": "fp32"}
        precision = str(self._given.identity.get("precision") or "fp32")
        return {"model": self._given.name, "precision": precision}

    def _judge_defaults(self) -> Mapping[str, Mapping[str, SettingValue]]:
        """The first judge, and the digests of all prompts by name."""
        if not self.judging.judges:
            return {}
        from ragauge.judges.prompts import Prompts

        prompts = Prompts(self.judging.prompts, language=self.judging.language)
        digests = {name: prompts.digest([name]) for name in prompts.by_name}
        return {"judge": {"judge": self.judging.judges[0].name}, "prompts": digests}

    @property
    def judge_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.judging.judges)

    def arguments(
        self, definition: Definition, settings: Mapping[str, SettingValue]
    ) -> dict[str, object]:
        """The keyword arguments of a definition's function: its settings and its resources."""
        given: dict[str, object] = {
            name: value for name, value in settings.items() if name not in definition.implied
        }
        if "encoder" in definition.resources:
            given["encoder"] = self.encoder_of(settings)
        if "judge" in definition.resources:
            given["judge"] = self.judge_of(settings)
        return given

    def judge_of(self, settings: Mapping[str, SettingValue]) -> "JudgeSession":
        """The judge that settings name; the first one where they name none."""
        name = str(settings.get("judge") or self.judge_names[0])
        return self.judges[name] if self.sample == 0 else self.judges[name].for_repeat(self.sample)

    @cached_property
    def judges(self) -> "Mapping[str, JudgeSession]":
        """The judges by name, as metrics use them."""
        from ragauge.judges.budget import Budget
        from ragauge.judges.ledger import Ledger
        from ragauge.judges.prompts import Prompts
        from ragauge.judges.session import WINDOW_TOKENS, JudgeSession

        told = self.judging
        if not told.judges:
            return {}
        # Without a cache the replies of this run are kept for as long as it takes.
        ledger = Ledger(":memory:" if self._cache_path is None else self._cache_path)
        prompts = Prompts(told.prompts, language=told.language)
        if told.mode == "ask":
            told.check_keys()
        return {
            one.name: JudgeSession(
                one,
                ledger=ledger,
                prompts=prompts,
                budget=Budget(told.max_calls, told.max_cost_usd, told.prices.get(one.name)),
                mode=told.mode,
                window=told.window or WINDOW_TOKENS,
            )
            for one in told.judges
        }

    def close_judges(self, names: Collection[str]) -> None:
        """Let go of these judges' connections; whoever asks again opens them anew."""
        for name, one in self.__dict__.get("judges", {}).items():
            if name in names:
                one.close()

    def for_repeat(self, sample: int) -> "Resources":
        """The same resources, whose judges are asked everything once more."""
        other = object.__new__(Resources)
        self.judges  # made once, so that all samples share it  # noqa: B018
        other.__dict__ = {**self.__dict__, "sample": sample}
        return other

    def encoder_of(self, settings: Mapping[str, SettingValue]) -> "CachedEncoder":
        """The encoder that settings name. EncoderError when it cannot be opened."""
        from ragauge.encoders.cached import CachedEncoder

        key = model, precision = self._model_of(settings)
        if key not in self._shared:
            encoder = self._named(model, precision)
            if self.threads is not None and hasattr(encoder, "threads"):
                encoder.threads = self.threads  # pyright: ignore[reportAttributeAccessIssue]
            self._shared[key] = CachedEncoder(encoder, self.cache)
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
        default = self._encoder_defaults()
        model = str(settings.get("model") or default["model"])
        return model, str(settings.get("precision") or default["precision"])

    @cached_property
    def cache(self) -> "Cache | None":
        """The open cache, where one is asked for."""
        from ragauge.cache import Cache

        return None if self._cache_path is None else Cache(self._cache_path)

    def is_portable(self) -> bool:
        """Whether another process can have a copy. Judges are asked by one, which keeps their pace."""
        if self.judging.judges:
            return False
        try:
            pickle.dumps(self)
        except Exception:  # whatever a user's own encoder raises, it stays here then
            return False
        return True

    def __getstate__(self) -> dict[str, object]:
        kept = {
            name: value for name, value in self.__dict__.items() if name not in ("cache", "judges")
        }
        return {**kept, "_shared": {}}


def _check_layer(encoder: "CachedEncoder", layer: SettingValue) -> None:
    last = encoder.identity.get("n_layers")
    if isinstance(layer, int) and isinstance(last, int) and not 0 <= layer <= last:
        raise EncoderError(f"{encoder.name} has the layers 0 to {last}, not {layer}")


def _check_encoder(given: object) -> None:
    unavailable = [name for name in WHAT_ENCODERS_HAVE if not hasattr(given, name)]
    if unavailable:
        raise EncoderError(
            f"encoder must be a model's name or an encoder, got {given!r:.80}, "
            f"which has no {', '.join(unavailable)}"
        )


def _opened(model: str, precision: str = "fp32") -> "Encoder":
    from ragauge.encoders.factory import open_encoder

    return open_encoder(model, precision=precision)
