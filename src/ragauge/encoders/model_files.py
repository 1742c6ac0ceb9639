"""The files of a Hugging Face model that are read: settings, vocabularies and safetensors."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import itemgetter
from pathlib import Path, PurePosixPath
from threading import RLock
from typing import Any, cast

import numpy as np

from ragauge.encoders.protocol import Floats
from ragauge.errors import EncoderError
from ragauge.storage.regular_file import check_regular, is_file, is_folder, read_regular

MAX_JSON_BYTES = 500_000_000

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "model-*-of-*.safetensors")
_VOCABULARY = ("tokenizer.json", "vocab.json", "*.txt", "*.model", "*.codes")
_SETTINGS = (
    "config.json",
    "adapter_config.json",
    "modules.json",
    "*_config.json",
    "config_sentence_transformers.json",
    "special_tokens_map.json",
    "added_tokens.json",
)
_READ = (*_WEIGHTS, *_VOCABULARY, *_SETTINGS)
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl", "*.pickle")
_REFUSED_BY_HUB = (
    *("RepositoryNotFoundError", "RevisionNotFoundError", "GatedRepoError"),
    *("DisabledRepoError", "HFValidationError"),
)
OPENING = RLock()
"""Progress bars and log levels are settings of the process, and a model is loaded once."""


def located(name: str, revision: str | None) -> tuple[Path, str | None]:
    """The folder with the model's files, and the hub's commit; None for a user's folder."""
    folder = Path(name).expanduser()
    if is_folder(folder):
        return folder, None
    if is_file(folder):
        what = "is a file; give the folder that holds config.json and model.safetensors"
        raise EncoderError(f"{name} {what}")
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or name.startswith("."):
        way_out = "give one that is there, or a name on the hub as 'organisation/model'"
        raise EncoderError(f"{name}: there is no such folder; {way_out}")
    hub = package("huggingface_hub")
    patterns = [*_READ, *(f"0_Transformer/{pattern}" for pattern in _READ), "*_Pooling/config.json"]
    with OPENING, muted_bars(package("huggingface_hub.utils")):
        try:
            found = hub.snapshot_download(name, revision=revision, allow_patterns=patterns)
        except Exception as error:  # the hub's exceptions and those of its HTTP client
            kind = type(error).__name__
            where = f"{name} at revision {revision!r}" if revision else name
            if kind in _REFUSED_BY_HUB:
                raise EncoderError(
                    f"{where}: the hub has no such model or revision, or does not show it to you; "
                    "check the name, or log in with: hf auth login"
                ) from None
            raise EncoderError(
                f"{where}: neither a folder here, nor in the hub's cache, and the hub cannot be "
                f"reached ({kind}: {first_line(error)}); download it once with: "
                f"hf download {name}, or give a folder",
                is_down=True,
            ) from None
    return Path(found), Path(found).name


def fingerprint(name: str, root: Path, inner: Path, wanted: str | None) -> str:
    """The SHA-256 of a folder's used files; EncoderError if another one is expected."""
    files = {path for folder in (root, inner) for pattern in _READ for path in folder.glob(pattern)}
    files |= set(root.glob("*_Pooling/config.json"))
    whole = hashlib.sha256()
    try:
        for path in sorted(files):
            check_regular(path)
            with path.open("rb") as file:
                own = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.relative_to(root).as_posix()} {own}\n".encode())
    except OSError as error:
        raise EncoderError(f"{error.filename}: cannot be read: {error.strerror}") from None
    found = f"sha256:{whole.hexdigest()}"
    if wanted not in (None, found):
        raise EncoderError(
            f"{name}: the folder's files have the fingerprint {found}, not the revision {wanted}; "
            "give the right folder, or leave the revision out"
        )
    return found


def checked_config(name: str, folder: Path) -> dict[str, Any]:
    """Read config.json. EncoderError if it requires files or code outside the model."""
    if not (folder / "config.json").is_file():
        raise EncoderError(f"{folder} has no config.json, so it is not a transformers model")
    if (folder / "adapter_config.json").is_file():
        what = "is an adapter to another model (adapter_config.json)"
        raise EncoderError(f"{name} {what}; merge the two and save the whole")
    config = object_in(folder / "config.json")
    if weights := config.get("transformers_weights"):
        what = f"config.json names {weights!r} as its weights"
        raise EncoderError(f"{name}: {what}; only model.safetensors is read")
    return config


def check_weights(name: str, folder: Path) -> None:
    """Raise EncoderError if there are no weights as safetensors."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        return
    if index.is_file():
        parts = set(cast(dict[str, str], object_in(index).get("weight_map") or {}).values())
        for part in sorted(parts):
            # A name that contains a folder could point outside the model's folder.
            if not re.fullmatch(r"model-[\w.-]+\.safetensors", part):
                raise EncoderError(f"{index}: names {part!r} as weights; only model-*.safetensors")
            if not (folder / part).is_file():
                raise EncoderError(f"{name}: {part} is missing in {folder}; download it again")
        if parts:
            return
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if pickles:
        raise EncoderError(
            f"{name}: has its weights only as {pickles[0]}, a pickle, which runs code when it is "
            "read and so is not; save it as safetensors, or choose a model that is"
        )
    raise EncoderError(
        f"{name}: there is no model.safetensors (weights kept as pickles, pytorch_model.bin or "
        ".pt, are not read: they run code); save it as safetensors, or choose a model that is"
    )


def object_in(path: Path) -> dict[str, Any]:
    """The JSON object in a file. EncoderError for anything else."""
    return cast(dict[str, Any], json_in(path, dict))


def json_in(path: Path, kind: type) -> object:
    """The content of a JSON file. EncoderError if it is unreadable or of another type."""
    try:
        content: object = json.loads(read_regular(path, MAX_JSON_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        what = f"{path}: cannot be read: {first_line(error)}; download it again"
        raise EncoderError(what) from None
    if not isinstance(content, kind):
        raise EncoderError(f"{path}: holds no JSON {kind.__name__}; download it again")
    return content


def first_settings(paths: Iterable[Path]) -> dict[str, Any]:
    """The settings in the first of these files that exists; empty without one."""
    nothing: dict[str, Any] = {}
    return next((object_in(path) for path in paths if path.is_file()), nothing)


def first_number(config: Mapping[str, Any], *names: str) -> int | None:
    """The first of these settings that is a whole number, or None."""
    found = (config.get(name) for name in names)
    return next((value for value in found if isinstance(value, int)), None)


def package(name: str) -> Any:
    """Import a package of Hugging Face or torch, with telemetry off."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    # Without this, torch's order of summation on an Intel processor depends on the number of texts.
    # It is read at the first matrix product of the process.
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
    return import_module(name)


@contextmanager
def muted_bars(of: Any) -> Generator[None]:
    """Without the hub's progress bars."""
    muted = of.are_progress_bars_disabled()
    of.disable_progress_bars()
    try:
        yield
    finally:
        if not muted:
            of.enable_progress_bars()


def first_line(error: Exception) -> str:
    """The first line of an exception's message; torch adds pages below."""
    return str(error).partition("\n")[0][:300]


_SENTENCE_MODELS = ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
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
    """How sentence-transformers makes vectors: the transformer's folder, tokens to text, most
    tokens (None: the model's), and what is put `before` every text."""

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
        kinds = [str(module.get("type")).rpartition(".")[2] for module in modules]
        for place, (module, kind) in enumerate(zip(modules, kinds, strict=True)):
            is_theirs = str(module.get("type")).startswith("sentence_transformers.")
            known = ("Pooling", "Normalize") if place else ("Transformer",)
            if not is_theirs or kind not in known:
                raise EncoderError(
                    f"{name}: its module {module.get('type')!r} (modules.json) is not computed here, "
                    "only Transformer, Pooling and Normalize in this order; choose another model"
                )
        inner = _within(name, modules[0].get("path", "")) if modules else "."
        configs = (f"sentence_{kind}_config.json" for kind in _SENTENCE_MODELS)
        settings = first_settings(root / inner / file for file in configs)
        most = settings.get("max_seq_length")
        if not (most is None or (isinstance(most, int) and most > 2)):
            raise EncoderError(f"{name}: max_seq_length is {most!r}, not a number of tokens")
        if (task := settings.get("transformer_task")) not in (None, "feature-extraction"):
            raise EncoderError(f"{name} is made for {task!r}; a model that gives vectors is needed")
        prompts = first_settings([root / "config_sentence_transformers.json"])
        named = cast(dict[str | None, str], prompts.get("prompts") or {})
        before = named.get(prompts.get("default_prompt_name")) or ""
        own = [each["path"] for each, kind in zip(modules, kinds, strict=True) if kind == "Pooling"]
        pooled = first_settings(root / _within(name, path) / "config.json" for path in own)
        if before and pooled.get("include_prompt") is False:
            raise EncoderError(f"{name} excludes its prompt from pooling, which is not supported")
        return cls(inner, _pooling(name, pooled), most, bool(settings.get("do_lower_case")), before)

    def read_as(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts as the model must read them."""
        whole = [self.before + text for text in texts]
        return [text.lower() for text in whole] if self.is_lowered else whole


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
