"""A model's sentence-transformers settings: how it reads a text and pools its tokens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any, cast

import numpy as np

from ragauge.encoders.model_files import first_settings, json_in
from ragauge.encoders.protocol import Floats
from ragauge.errors import EncoderError

_SENTENCE_CONFIGS = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)

Pooling = Callable[[Floats], Floats]


_mean: Pooling = partial(np.mean, axis=0)
# The mean divided by the root of the length has the mean's direction, and vectors have length 1.
_POOLINGS: Mapping[str, Pooling] = {
    "mean": _mean,
    "mean_sqrt_len_tokens": _mean,
    "cls": itemgetter(0),
    "lasttoken": itemgetter(-1),
    "max": partial(np.max, axis=0),
}


@dataclass(frozen=True, slots=True)
class Sentences:
    """How sentence-transformers turns a text into a vector with this model.

    `inner`: the transformer's folder within the model's. `pooling`: tokens to text.
    `most_tokens`: None for as many as the model takes. `before`: put before every text.
    """

    inner: str = "."
    pooling: Pooling = _mean
    most_tokens: int | None = None
    is_lowered: bool = False
    before: str = ""

    @classmethod
    def read(cls, name: str, root: Path) -> "Sentences":
        """Read a model's settings. EncoderError for unsupported ones."""
        path = root / "modules.json"
        modules = cast(list[dict[str, str]], json_in(path, list)) if path.is_file() else []
        inner = _checked_modules(name, modules)
        settings = first_settings(root / inner / file for file in _SENTENCE_CONFIGS)
        most = settings.get("max_seq_length")
        if not (most is None or (isinstance(most, int) and most > 2)):
            raise EncoderError(f"{name}: max_seq_length is {most!r}, not a number of tokens")
        if settings.get("transformer_task") not in (None, "feature-extraction"):
            raise EncoderError(
                f"{name} is made for {settings['transformer_task']!r}; a model that gives vectors is "
                "needed"
            )
        prompts = first_settings([root / "config_sentence_transformers.json"])
        named = cast(dict[str | None, str], prompts.get("prompts") or {})
        before = named.get(prompts.get("default_prompt_name")) or ""
        own = [module["path"] for module in modules if _kind(module) == "Pooling"]
        pooled = first_settings(root / _within(name, path) / "config.json" for path in own)
        if before and pooled.get("include_prompt") is False:
            raise EncoderError(f"{name} excludes its prompt from pooling, which is not supported")
        return cls(inner, _pooling(name, pooled), most, bool(settings.get("do_lower_case")), before)

    def read_as(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts as the model must read them."""
        if not self.is_lowered and not self.before:
            return texts
        whole = [self.before + text for text in texts]
        return [text.lower() for text in whole] if self.is_lowered else whole


def _checked_modules(name: str, modules: Sequence[Mapping[str, str]]) -> str:
    """The folder of the transformer. EncoderError for an unsupported module."""
    for place, module in enumerate(modules):
        known = ("Pooling", "Normalize") if place else ("Transformer",)
        is_theirs = str(module.get("type")).startswith("sentence_transformers.")
        if not is_theirs or _kind(module) not in known:
            raise EncoderError(
                f"{name}: its module {module.get('type')!r} (modules.json) is not computed here, "
                "only Transformer, Pooling and Normalize in this order; choose another model"
            )
    return _within(name, modules[0].get("path", "")) if modules else "."


def _kind(module: Mapping[str, str]) -> str:
    return str(module.get("type")).rpartition(".")[2]


def _within(name: str, path: str) -> str:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\\" in path or ":" in path:
        raise EncoderError(f"{name}: modules.json names {path!r}, which is outside of the model")
    return str(parts)


def _pooling(name: str, settings: Mapping[str, Any]) -> Pooling:
    """Raise EncoderError for an unsupported pooling, or several at once."""
    flags = [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, is_on in settings.items()
        if key.startswith("pooling_mode_") and is_on
    ]
    flags = ["mean_sqrt_len_tokens" if flag == "mean_sqrt_len" else flag for flag in flags]
    modes = settings.get("pooling_mode") or flags or "mean"
    modes = [modes] if isinstance(modes, str) else list(modes)
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise EncoderError(
            f"{name}: pools by {' and '.join(map(str, modes))}; only one of "
            f"{', '.join(_POOLINGS)} is computed here; choose another model"
        )
    return _POOLINGS[modes[0]]
