"""Any Hugging Face model, by its name on the hub or a folder, through transformers and torch.

Nothing that a model brings along is run: weights are read as safetensors only, and code of the
model's own is refused. Token vectors are those of bert-score, sentence vectors those of
sentence-transformers; neither package is needed.
"""

import copy
import hashlib
import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path, PurePosixPath
from threading import RLock
from typing import Any, Literal, cast

import numpy as np

from ragauge.encoders.embedded import available_processors
from ragauge.encoders.local import TOKENS_A_BATCH, LocalEncoder
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.encoders.tokens import Tokens
from ragauge.errors import EncoderError, MissingExtraError

Precision = Literal["fp32", "fp16", "bf16"]
_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
TOKENS_A_BATCH_ON_GPU = 16_384
USUAL_LIMIT = 512
"""Tokens that are read of a text where neither tokenizer nor model says how many it takes."""
_INSANE_LIMIT = 1_000_000
"""transformers writes 10^30 for a tokenizer that knows no limit."""

_PACKAGES = ("torch", "transformers", "safetensors", "huggingface_hub")
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
_SENTENCE_CONFIGS = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)

_SPACE_BEFORE = ("GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer")
"""Tokenizers whose words begin with their space; bert-score puts one before the first word too."""
_LAYERS = (
    ("layer",),  # xlnet
    ("encoder", "block"),  # t5
    ("encoder", "layer"),  # bert, roberta, deberta
    ("encoder", "layers"),
    ("transformer", "layer"),  # distilbert
    ("layers",),  # the encoders of bart and its kin, and most decoders
    ("block",),
    ("h",),  # gpt2
    ("decoder", "layers"),  # opt
)
"""Where models of different kinds keep their layers."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPENING = RLock()
"""Bars and log levels are those of the whole process, and a model is loaded once."""
_COMPUTING = RLock()
"""torch's count of its threads is that of the whole process."""

Pooling = Callable[[Floats], Floats]


def _mean(hidden: Floats) -> Floats:
    return hidden.mean(axis=0)


def _first(hidden: Floats) -> Floats:
    return hidden[0]


def _last(hidden: Floats) -> Floats:
    return hidden[-1]


def _highest(hidden: Floats) -> Floats:
    return hidden.max(axis=0)


# The mean over the root of the length points where the mean points, and vectors have length 1.
_POOLINGS: Mapping[str, Pooling] = {
    "mean": _mean,
    "mean_sqrt_len_tokens": _mean,
    "cls": _first,
    "lasttoken": _last,
    "max": _highest,
}


class HuggingFace(LocalEncoder):
    """A transformers model that is kept as safetensors.

    `name`: on the hub, or a folder. `revision`: a branch, tag or commit of the hub; of a folder
    the fingerprint that it must have, as `identity` gives it. `device`: torch's name for it; None
    for a GPU where there is one. `precision`: of weights and numbers. `threads`: None for one a
    processor.

    Opening reads settings only; weights are read when first needed. `encode` pools as the
    settings of sentence-transformers say, without those by the mean, and reads as many tokens as
    they say. `encode_tokens` gives what bert-score gives for one text by itself: the ends of the
    text are stripped, a space is put before the first word where the model's words begin with
    theirs, and layer n is what the model gives when its later layers are taken out, whatever
    stands behind the last of them. Layer 0 is the embeddings. Of a text without any token, the end
    mark is read.

    On a processor a text has the same vector to the last bit in whatever company; on a GPU, whose
    sums depend on the size of a batch, nearly so. EncoderError for a model that is not there, is
    damaged, brings code of its own, or is kept in pickles only; MissingExtraError without torch and
    transformers.
    """

    reads_alike = False

    def __init__(
        self,
        name: str,
        *,
        revision: str | None = None,
        device: str | None = None,
        precision: Precision | str = "fp32",
        threads: int | None = None,
    ) -> None:
        if precision not in _DTYPES:
            raise EncoderError(
                f"{name}: precision is one of {', '.join(_DTYPES)}, not {precision!r}"
            )
        for package in _PACKAGES:
            if find_spec(package) is None:
                raise MissingExtraError(f"the model {name!r} needs {package}", "hf")
        self.name = name
        self.precision = precision
        self.device = device
        self.threads = threads or available_processors()
        root, commit = _located(name, revision)
        self.sentences = _Sentences.read(name, root)
        self.folder = root / self.sentences.inner
        config = _checked_config(name, self.folder)
        _check_weights(name, self.folder)
        self.identity = {
            "name": name,
            "revision": commit or _fingerprint(name, root, self.folder, revision),
            "precision": precision,
            "dimension": _first_number(
                config, "hidden_size", "d_model", "n_embd", "dim", "emb_dim"
            ),
            "n_layers": _first_number(
                config, "num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers"
            ),
        }

    # What the base asks for -----------------------------------------------------------------------

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        return super().encode(self.sentences.read_as(texts), long_text=long_text)

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        return super().count_tokens(self.sentences.read_as(texts))

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        self._up_to(layer)
        found = super().encode_tokens(self._words(texts), layer=layer, long_text=long_text)
        return [self._in_place(one, text) for one, text in zip(found, texts, strict=True)]

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        return super().token_ids(self._words(texts), long_text=long_text)

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        # A lone surrogate is no text to a tokenizer; its place is kept.
        clean = [_SURROGATE.sub("\ufffd", text) for text in texts]
        if not clean:
            return []
        own = self._fast_tokens(clean) if self._tokenizer.is_fast else self._slow_tokens(clean)
        return [tokens if len(tokens) else self._nothing for tokens in own]

    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        torch = _package("torch")
        model = self._up_to(layer)
        if ids.max() >= self._n_embeddings:
            raise EncoderError(
                f"{self.name}: its tokenizer gives the token {ids.max()}, and its weights have "
                f"{self._n_embeddings}; they do not belong together"
            )
        try:
            return _computed(model, ids, self._device)
        except torch.cuda.OutOfMemoryError as error:
            raise EncoderError(
                f"{self.name}: the GPU has no room for {ids.shape[0]} texts of {ids.shape[1]} "
                "tokens; lower tokens_a_batch, or choose device='cpu'"
            ) from error

    def pool(self, hidden: Floats) -> Floats:
        return self.sentences.pooling(hidden)

    def _run_all(self, run: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
        torch = _package("torch")
        if self._device.type != "cpu":
            for batch in batches:
                run(batch)
            return
        # With threads of its own torch splits the sums of small batches, so that a text's vector
        # differs by the company it is in; batches run side by side instead.
        with _COMPUTING:
            before = torch.get_num_threads()
            torch.set_num_threads(1)
            try:
                super()._run_all(run, batches)
            finally:
                torch.set_num_threads(before)

    # How much is read -----------------------------------------------------------------------------

    @cached_property
    def max_tokens(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The least of what tokenizer and positions allow; USUAL_LIMIT where neither says."""
        limits = [limit for limit in self._limits() if 0 < limit < _INSANE_LIMIT]
        return min(limits, default=USUAL_LIMIT)

    @cached_property
    def sentence_tokens(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return min(self.sentences.most_tokens or self.max_tokens, self.max_tokens)

    @cached_property
    def tokens_a_batch(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return TOKENS_A_BATCH if self._device.type == "cpu" else TOKENS_A_BATCH_ON_GPU

    def _limits(self) -> list[int]:
        positions = getattr(self._model.config, "max_position_embeddings", None) or 0
        for module in self._model.modules():
            # RoBERTa and its kin count positions from the padding's number on.
            offset = getattr(module, "padding_idx", None)
            table = getattr(module, "position_embeddings", None)
            if isinstance(offset, int) and hasattr(table, "num_embeddings"):
                positions = cast(Any, table).num_embeddings - offset - 1
        return [int(self._tokenizer.model_max_length), int(positions)]

    # Texts as bert-score reads them ---------------------------------------------------------------

    def _words(self, texts: Sequence[str]) -> list[str]:
        stripped = (text.strip() for text in texts)
        return [self._before_words + text if text else text for text in stripped]

    def _in_place(self, found: TokenVectors, text: str) -> TokenVectors:
        """The tokens with their places in the text as it was given."""
        if found.spans is None:
            return found
        before = len(text) - len(text.lstrip())
        spans = np.maximum(found.spans - len(self._before_words), 0) + before
        spans[found.special] = 0
        return replace(found, spans=spans)

    @cached_property
    def _before_words(self) -> str:
        names = {one.__name__.removesuffix("Fast") for one in type(self._tokenizer).__mro__}
        return " " if names.intersection(_SPACE_BEFORE) else ""

    # Tokens ---------------------------------------------------------------------------------------

    def _fast_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        found = self._tokenizer(
            texts,
            truncation=False,
            padding=False,
            return_offsets_mapping=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        return [
            Tokens(ids, spans, *_special_ends(mask))
            for ids, spans, mask in zip(
                found["input_ids"],
                found["offset_mapping"],
                found["special_tokens_mask"],
                strict=True,
            )
        ]

    def _slow_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        bare = self._tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]
        whole = self._tokenizer(texts, add_special_tokens=True, verbose=False)["input_ids"]
        found: list[Tokens] = []
        for inner, ids in zip(bare, whole, strict=True):
            n_special = len(ids) - len(inner)
            starts = (at for at in range(n_special + 1) if ids[at : at + len(inner)] == inner)
            before = next(starts, 0) if inner else n_special
            found.append(Tokens(ids, None, before, n_special - before))
        return found

    @cached_property
    def _nothing(self) -> Tokens:
        """What is read of a text without tokens where the tokenizer adds no marks."""
        of = self._tokenizer
        marks = (of.eos_token_id, of.bos_token_id, of.pad_token_id, of.unk_token_id)
        mark = next((one for one in marks if one is not None), 0)
        return Tokens([mark], [(0, 0)] if of.is_fast else None, 1, 0)

    # The model ------------------------------------------------------------------------------------

    @cached_property
    def _device(self) -> Any:
        torch = _package("torch")
        has_gpu = bool(torch.cuda.is_available())
        wanted = self.device or ("cuda" if has_gpu else "cpu")
        try:
            device = torch.device(wanted)
        except RuntimeError as error:
            raise EncoderError(
                f"{self.name}: {wanted!r} is no device: {_first_line(error)}"
            ) from None
        if device.type == "cuda" and not has_gpu:
            raise EncoderError(f"{self.name}: torch finds no GPU for {wanted!r}; leave device out")
        return device

    @cached_property
    def _tokenizer(self) -> Any:
        with _loading(self.name):
            return _loaded_tokenizer(self.name, self.folder)

    @cached_property
    def _model(self) -> Any:
        torch = _package("torch")
        with _loading(self.name):
            model = _loaded_model(self.name, self.folder)
            model.to(device=self._device, dtype=getattr(torch, _DTYPES[self.precision]))
            _computed(model, np.zeros((1, 1), np.int64), self._device)
            return model

    @cached_property
    def _n_embeddings(self) -> int:
        return int(self._model.get_input_embeddings().weight.shape[0])

    @cached_property
    def _by_layer(self) -> dict[int, Any]:
        return {}

    def _up_to(self, layer: int | None) -> Any:
        """The model without the layers after that one; the weights are shared."""
        with _OPENING:
            if layer is None:
                return self._model
            if layer not in self._by_layer:
                cut = _without_later_layers(self.name, self._model, layer)
                try:
                    _computed(cut, np.zeros((1, 1), np.int64), self._device)
                except Exception as error:  # DeBERTa v2 and v3 without any layer, to name one
                    raise EncoderError(
                        f"{self.name} cannot compute layer {layer} by itself: "
                        f"{_first_line(error)}; choose another"
                    ) from error
                self._by_layer[layer] = cut
            return self._by_layer[layer]


# Where a model is ---------------------------------------------------------------------------------


def _located(name: str, revision: str | None) -> tuple[Path, str | None]:
    """The folder with the model's files, and the hub's commit; None for a folder of the user's."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder, None
    if folder.is_file():
        raise EncoderError(
            f"{name} is a file; give the folder that holds config.json and model.safetensors"
        )
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) or name.startswith("."):
        raise EncoderError(
            f"{name}: there is no such folder; give one that is there, or a name on the hub as "
            "'organisation/model'"
        )
    return _downloaded(name, revision)


def _downloaded(name: str, revision: str | None) -> tuple[Path, str]:
    """The hub's files of a model, those that are read here and no others, from cache or network."""
    hub = _package("huggingface_hub")
    patterns = [*_READ, *(f"0_Transformer/{one}" for one in _READ), "*_Pooling/config.json"]
    with _OPENING, _muted_bars(_package("huggingface_hub.utils")):
        try:
            found = hub.snapshot_download(name, revision=revision, allow_patterns=patterns)
        except Exception as error:  # the hub's exceptions and those of what it fetches with
            kind = type(error).__name__
            where = f"{name} at revision {revision!r}" if revision else name
            if kind in _REFUSED_BY_HUB:
                raise EncoderError(
                    f"{where}: the hub has no such model or revision, or does not show it to you; "
                    "check the name, or log in with: hf auth login"
                ) from None
            raise EncoderError(
                f"{where}: neither a folder here, nor in the hub's cache, and the hub cannot be "
                f"reached ({kind}: {_first_line(error)}); download it once with: "
                f"hf download {name}, or give a folder",
                is_down=True,
            ) from None
    folder = Path(found)
    return folder, folder.name


def _fingerprint(name: str, root: Path, inner: Path, wanted: str | None) -> str:
    """The SHA-256 of all files of a folder that are read; EncoderError when another is wanted."""
    files = {path for folder in (root, inner) for one in _READ for path in folder.glob(one)}
    files |= set(root.glob("*_Pooling/config.json"))
    whole = hashlib.sha256()
    try:
        for path in sorted(files):
            with path.open("rb") as file:
                own = hashlib.file_digest(file, "sha256").hexdigest()
            whole.update(f"{path.relative_to(root).as_posix()} {own}\n".encode())
    except OSError as error:
        raise EncoderError(f"{error.filename}: cannot be read: {error.strerror}") from None
    found = f"sha256:{whole.hexdigest()}"
    if wanted not in (None, found):
        raise EncoderError(
            f"{name}: the folder's files have the fingerprint {found}, not the revision {wanted}; "
            "give the folder that was meant, or leave the revision out"
        )
    return found


# What a model says of itself ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sentences:
    """How sentence-transformers makes a vector of a text with this model.

    `inner`: the transformer's folder within the model's. `pooling`: tokens to text.
    `most_tokens`: None for as many as the model takes. `before`: put before every text.
    """

    inner: str = "."
    pooling: Pooling = _mean
    most_tokens: int | None = None
    is_lowered: bool = False
    before: str = ""

    @classmethod
    def read(cls, name: str, root: Path) -> "_Sentences":
        """EncoderError for what cannot be done here."""
        path = root / "modules.json"
        modules = cast(list[dict[str, str]], _json(path, list)) if path.is_file() else []
        inner = _checked_modules(name, modules)
        said = _first_said(root / inner / one for one in _SENTENCE_CONFIGS)
        most = said.get("max_seq_length")
        if not (most is None or (isinstance(most, int) and most > 2)):
            raise EncoderError(f"{name}: max_seq_length is {most!r}, not a number of tokens")
        if said.get("transformer_task") not in (None, "feature-extraction"):
            raise EncoderError(
                f"{name} is made for {said['transformer_task']!r}; a model that gives vectors is "
                "needed"
            )
        prompts = _first_said([root / "config_sentence_transformers.json"])
        named = cast(dict[str | None, str], prompts.get("prompts") or {})
        before = named.get(prompts.get("default_prompt_name")) or ""
        own = [one["path"] for one in modules if _kind(one) == "Pooling"]
        pooled = _first_said(root / _within(name, one) / "config.json" for one in own)
        if before and pooled.get("include_prompt") is False:
            raise EncoderError(f"{name} leaves its prompt out when pooling, which is not done here")
        return cls(inner, _pooling(name, pooled), most, bool(said.get("do_lower_case")), before)

    def read_as(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts as the model is to read them."""
        if not self.is_lowered and not self.before:
            return texts
        whole = [self.before + text for text in texts]
        return [text.lower() for text in whole] if self.is_lowered else whole


def _checked_modules(name: str, modules: Sequence[Mapping[str, str]]) -> str:
    """The folder of the transformer. EncoderError for a module that is not computed here."""
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


def _pooling(name: str, said: Mapping[str, Any]) -> Pooling:
    """EncoderError for a pooling that is not computed here, and for several at once."""
    flags = [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, is_on in said.items()
        if key.startswith("pooling_mode_") and is_on
    ]
    flags = ["mean_sqrt_len_tokens" if one == "mean_sqrt_len" else one for one in flags]
    modes = said.get("pooling_mode") or flags or "mean"
    modes = [modes] if isinstance(modes, str) else list(modes)
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise EncoderError(
            f"{name}: pools by {' and '.join(map(str, modes))}; only one of "
            f"{', '.join(_POOLINGS)} is computed here; choose another model"
        )
    return _POOLINGS[modes[0]]


def _checked_config(name: str, folder: Path) -> dict[str, Any]:
    """config.json. EncoderError where it asks for files or code beside the model's own."""
    if not (folder / "config.json").is_file():
        raise EncoderError(f"{folder} has no config.json, so it is no transformers model")
    if (folder / "adapter_config.json").is_file():
        raise EncoderError(
            f"{name} is an adapter to another model (adapter_config.json); merge the two and save "
            "the whole"
        )
    config = _object(folder / "config.json")
    if "transformers_weights" in config:
        raise EncoderError(
            f"{name}: config.json names {config['transformers_weights']!r} as its weights; only "
            "model.safetensors is read"
        )
    return config


def _check_weights(name: str, folder: Path) -> None:
    """EncoderError when the weights are not there as safetensors."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        return
    if index.is_file():
        parts = set(cast(dict[str, str], _object(index).get("weight_map") or {}).values())
        for part in sorted(parts):
            # A name with a folder in it could reach out of the model's.
            if not re.fullmatch(r"model-[\w.-]+\.safetensors", part):
                raise EncoderError(f"{index}: names {part!r} as weights; only model-*.safetensors")
            if not (folder / part).is_file():
                raise EncoderError(f"{name}: {part} is missing in {folder}; download it again")
        if parts:
            return
    pickles = sorted(path.name for one in _PICKLES for path in folder.glob(one))
    if pickles:
        raise EncoderError(
            f"{name}: has its weights only as {pickles[0]}, a pickle, which runs code when it is "
            "read and so is not; save it as safetensors, or choose a model that is"
        )
    raise EncoderError(
        f"{name}: there is no model.safetensors (weights kept as pickles, pytorch_model.bin or "
        ".pt, are not read: they run code); save it as safetensors, or choose a model that is"
    )


def _object(path: Path) -> dict[str, Any]:
    return cast(dict[str, Any], _json(path, dict))


def _json(path: Path, kind: type) -> object:
    try:
        said: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise EncoderError(
            f"{path}: cannot be read: {_first_line(error)}; download it again"
        ) from None
    if not isinstance(said, kind):
        raise EncoderError(f"{path}: holds no JSON {kind.__name__}; download it again")
    return said


def _first_said(paths: Iterable[Path]) -> dict[str, Any]:
    """The settings in the first of these files that is there; none where none is."""
    nothing: dict[str, Any] = {}
    return next((_object(path) for path in paths if path.is_file()), nothing)


def _first_number(config: Mapping[str, Any], *names: str) -> int | None:
    found = (config.get(one) for one in names)
    return next((one for one in found if isinstance(one, int)), None)


# Loading ------------------------------------------------------------------------------------------


def _package(name: str) -> Any:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    return import_module(name)


@contextmanager
def _loading(name: str) -> Generator[None]:
    """In silence, one at a time, and with EncoderError for all that goes wrong."""
    with _OPENING:
        log = _package("transformers").utils.logging
        verbosity = log.get_verbosity()
        log.set_verbosity_error()
        try:
            with _muted_bars(_package("huggingface_hub.utils")):
                bars = log.is_progress_bar_enabled()
                log.disable_progress_bar()
                try:
                    yield
                finally:
                    if bars:
                        log.enable_progress_bar()
        except EncoderError:
            raise
        except Exception as error:
            # What a broken model raises depends on what broke: safetensors, tokenizers, torch.
            raise EncoderError(
                f"{name}: cannot be loaded: {type(error).__name__}: {_first_line(error)}; "
                "download it again, or choose another"
            ) from error
        finally:
            log.set_verbosity(verbosity)


@contextmanager
def _muted_bars(of: Any) -> Generator[None]:
    """Without the hub's progress bars."""
    muted = of.are_progress_bars_disabled()
    of.disable_progress_bars()
    try:
        yield
    finally:
        if not muted:
            of.enable_progress_bars()


def _loaded_tokenizer(name: str, folder: Path) -> Any:
    transformers = _package("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        str(folder), trust_remote_code=False, local_files_only=True
    )
    # Without its files transformers makes an empty tokenizer, to which all words are unknown.
    files = {"tokenizer.json", *tokenizer.vocab_files_names.values()}
    if tokenizer.vocab_files_names and not any((folder / one).is_file() for one in files):
        raise EncoderError(
            f"{name}: none of its tokenizer's files is in {folder} ({', '.join(sorted(files))}); "
            "download it again"
        )
    return tokenizer


def _loaded_model(name: str, folder: Path) -> Any:
    """The model's encoder, ready to compute. EncoderError when its weights are not all there."""
    transformers = _package("transformers")
    config = _loaded_config(name, folder)
    encoders = transformers.MODEL_FOR_TEXT_ENCODING_MAPPING
    auto = transformers.AutoModelForTextEncoding if type(config) in encoders else None
    model, found = (auto or transformers.AutoModel).from_pretrained(
        str(folder),
        config=config,
        use_safetensors=True,
        trust_remote_code=False,
        local_files_only=True,
        output_loading_info=True,
    )
    # Heads for sentences are left out of many checkpoints, and are of no use here.
    missing = sorted(one for one in found["missing_keys"] if "pooler" not in one)
    if missing:
        raise EncoderError(
            f"{name}: its weights do not fit its config.json: {len(missing)} are missing "
            f"({missing[0]}), so the vectors would be random; if it brings code of its own, that is "
            "never run: choose another model"
        )
    if hasattr(model, "decoder") and hasattr(model, "encoder"):
        model = model.encoder
    model.config.use_cache = False
    return model.eval()


def _loaded_config(name: str, folder: Path) -> Any:
    transformers = _package("transformers")
    said = _object(folder / "config.json")
    kind = said.get("model_type")
    if kind not in transformers.CONFIG_MAPPING:
        if said.get("auto_map"):
            raise EncoderError(
                f"{name} needs code of its own (model_type {kind!r} with auto_map in config.json), "
                "and a model's code is never run; choose a model of a standard architecture"
            )
        raise EncoderError(
            f"{name}: transformers {transformers.__version__} knows no model_type {kind!r} "
            "(config.json); a newer transformers may"
        )
    config = transformers.AutoConfig.from_pretrained(
        str(folder), trust_remote_code=False, local_files_only=True
    )
    # A config may name a compiled kernel of the hub here, which would be fetched and run.
    config._attn_implementation = None
    return config


def _without_later_layers(name: str, model: Any, layer: int) -> Any:
    """The model as bert-score truncates it (`get_model` of bert-score 0.3.13).

    EncoderError for a layer that the model does not have.
    """
    # Everything is copied but the weights.
    shared = {id(one): one for one in (*model.parameters(), *model.buffers())}
    cut = copy.deepcopy(model, shared)
    holder, attribute = _layers_of(name, cut)
    layers = getattr(holder, attribute)
    n_layers = layers if isinstance(layers, int) else len(layers)
    if not 0 <= layer <= n_layers:
        raise EncoderError(f"{name} has the layers 0 (the embeddings) to {n_layers}, not {layer}")
    setattr(holder, attribute, layer if isinstance(layers, int) else layers[:layer])
    return cut


def _layers_of(name: str, model: Any) -> tuple[Any, str]:
    """The object and its attribute that hold the layers, or their number."""
    if isinstance(getattr(model, "n_layers", None), int):  # xlm
        return model, "n_layers"
    if hasattr(getattr(model, "encoder", None), "albert_layer_groups"):
        return model.encoder.config, "num_hidden_layers"
    for *path, attribute in _LAYERS:
        holder = model
        for one in path:
            holder = getattr(holder, one, None)
        if hasattr(getattr(holder, attribute, None), "__len__"):
            return holder, attribute
    raise EncoderError(
        f"{name}: it is not known where a {type(model).__name__} keeps its layers; leave the "
        "layer out, for the last one"
    )


def _computed(model: Any, ids: Ints, device: Any) -> Floats:
    """The states that the model gives for texts of equal length: (b, t) ids to (b, t, d)."""
    torch = _package("torch")
    with torch.inference_mode():
        given = torch.from_numpy(ids).to(device)
        states = model(input_ids=given, attention_mask=torch.ones_like(given))[0]
        return cast(Floats, states.float().cpu().numpy())


def _special_ends(mask: Sequence[int]) -> tuple[int, int]:
    """How many special tokens stand before and behind the text."""
    before = sum(1 for _ in takewhile(bool, mask))
    return before, sum(1 for _ in takewhile(bool, reversed(mask[before:])))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]
