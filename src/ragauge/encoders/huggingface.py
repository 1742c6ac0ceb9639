"""Any Hugging Face model through transformers and torch; a model's own code is never run."""

import copy
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from itertools import takewhile
from threading import RLock
from typing import Any, Literal, cast

import numpy as np

from ragauge.encoders import model_files
from ragauge.encoders.embedded import available_processors
from ragauge.encoders.local import TOKENS_PER_BATCH, LocalEncoder, Tokens
from ragauge.encoders.model_files import Sentences, first_line, package
from ragauge.encoders.protocol import Floats, Ints, LongText, TokenVectors
from ragauge.errors import EncoderError, MissingExtraError

Precision = Literal["fp32", "fp16", "bf16"]
_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
TOKENS_PER_GPU_BATCH = 16_384
USUAL_LIMIT = 512
"""Tokens read of a text if neither tokenizer nor model has a limit."""
_UNSET_LIMIT = 1_000_000
"""transformers uses 10^30 for a tokenizer without a limit."""

_PACKAGES = ("torch", "transformers", "safetensors", "huggingface_hub")
_SPACE_BEFORE = ("GPT2Tokenizer", "RobertaTokenizer", "BartTokenizer", "LongformerTokenizer")
"""Tokenizers whose words begin with their space; bert-score puts one before the first word too."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_AS_IT_IS = {"trust_remote_code": False, "local_files_only": True}
_LAYERS = (
    ("layer",),  # xlnet
    ("encoder", "block"),  # t5
    ("encoder", "layer"),  # bert, roberta, deberta
    ("encoder", "layers"),
    ("transformer", "layer"),  # distilbert
    ("layers",),  # the encoders of bart and similar models, and most decoders
    ("block",),
    ("h",),  # gpt2
    ("decoder", "layers"),  # opt
)
_COMPUTING = RLock()
"""torch's number of threads is a setting of the whole process."""


class HuggingFace(LocalEncoder):
    """A transformers model stored as safetensors.

    `name`: on the hub, or a folder. `revision`: a branch, tag or commit on the hub; for a folder, its
    expected model_files.fingerprint from `identity`. `device`: torch's name; None for a GPU if there is one.
    `precision`: of weights and computation. `threads`: None for one per processor.

    Opening reads settings only; weights are loaded at first use. `encode` follows the model's
    sentence-transformers settings for pooling and length; without them it takes the mean.
    `encode_tokens` equals bert-score for a single text: the text is stripped, a space precedes the
    first word if the model's words begin with one, and layer n is the output of the model without its
    later layers. Layer 0 is the embeddings. For a text without tokens, the end token is read.

    On a CPU, a text has the same vector to the last bit in any batch (on Intel through the environment
    variable MKL_CBWR=AUTO,STRICT, which is set unless it already is, and works if torch was not used
    before); on a GPU nearly so, because sums depend on the batch size. EncoderError for a model that is
    missing, damaged, needs its own code, or has pickled weights only; MissingExtraError without torch
    and transformers.
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
            what = f"{name}: precision is one of {', '.join(_DTYPES)}, not {precision!r}"
            raise EncoderError(what)
        for needed in _PACKAGES:
            if find_spec(needed) is None:
                raise MissingExtraError(f"the model {name!r} needs {needed}", "hf")
        self.name = name
        self.precision = precision
        self.device = device
        self.threads = threads or available_processors()
        root, commit = model_files.located(name, revision)
        self.sentences = Sentences.read(name, root)
        self.folder = root / self.sentences.inner
        config = model_files.checked_config(name, self.folder)
        model_files.check_weights(name, self.folder)
        sizes = "hidden_size", "d_model", "n_embd", "dim", "emb_dim"
        counts = "num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers"
        self.identity = {
            "name": name,
            "revision": commit or model_files.fingerprint(name, root, self.folder, revision),
            "precision": precision,
            "dimension": model_files.first_number(config, *sizes),
            "n_layers": model_files.first_number(config, *counts),
        }

    def encode(self, texts: Sequence[str], *, long_text: LongText = "cut") -> Floats:
        return super().encode(self.sentences.read_as(texts), long_text=long_text)

    def count_tokens(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        return super().count_tokens(self.sentences.read_as(texts))

    def encode_tokens(
        self, texts: Sequence[str], *, layer: int | None = None, long_text: LongText = "cut"
    ) -> list[TokenVectors]:
        self._up_to(layer)
        found = super().encode_tokens(self._words(texts), layer=layer, long_text=long_text)
        for place, (vectors, text) in enumerate(zip(found, texts, strict=True)):
            if vectors.spans is not None:  # offsets in the original text
                before = len(text) - len(text.lstrip())
                spans = np.maximum(vectors.spans - len(self._before_words), 0) + before
                spans[vectors.special] = 0
                found[place] = replace(vectors, spans=spans)
        return found

    def token_ids(self, texts: Sequence[str], *, long_text: LongText = "cut") -> list[Ints]:
        return super().token_ids(self._words(texts), long_text=long_text)

    def tokenize(self, texts: Sequence[str]) -> list[Tokens]:
        # Tokenizers reject lone surrogates; the replacement keeps offsets.
        clean = [_SURROGATE.sub("\ufffd", text) for text in texts]
        if not clean:
            return []
        own = self._fast_tokens(clean) if self._tokenizer.is_fast else self._slow_tokens(clean)
        return [tokens if len(tokens) else self._nothing for tokens in own]

    def hidden(self, ids: Ints, layer: int | None) -> Floats:
        torch = package("torch")
        model = self._up_to(layer)
        if ids.max() >= self._n_embeddings:
            raise EncoderError(
                f"{self.name}: its tokenizer gives the token {ids.max()}, and its weights have "
                f"{self._n_embeddings}; they do not belong together"
            )
        try:
            return self._computed(model, ids)
        except torch.cuda.OutOfMemoryError as error:
            raise EncoderError(
                f"{self.name}: the GPU has no room for {ids.shape[0]} texts of {ids.shape[1]} "
                "tokens; lower tokens_a_batch, or choose device='cpu'"
            ) from error

    def pool(self, hidden: Floats) -> Floats:
        return self.sentences.pooling(hidden)

    def _run_all(self, run: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
        torch = package("torch")
        if self._device.type != "cpu":
            for batch in batches:
                run(batch)
            return
        # With several threads torch splits the sums of small batches, so that a text's vector depends
        # on its batch; batches run in parallel instead.
        with _COMPUTING:
            before = torch.get_num_threads()
            torch.set_num_threads(1)
            try:
                super()._run_all(run, batches)
            finally:
                torch.set_num_threads(before)

    @cached_property
    def max_tokens(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The least of what tokenizer and positions allow; USUAL_LIMIT where neither says."""
        positions = getattr(self._model.config, "max_position_embeddings", None) or 0
        for module in self._model.modules():
            # RoBERTa and similar models count positions from the padding's number on.
            offset = getattr(module, "padding_idx", None)
            table = getattr(module, "position_embeddings", None)
            if isinstance(offset, int) and hasattr(table, "num_embeddings"):
                positions = cast(Any, table).num_embeddings - offset - 1
        limits = (int(self._tokenizer.model_max_length), int(positions))
        return min((it for it in limits if 0 < it < _UNSET_LIMIT), default=USUAL_LIMIT)

    @cached_property
    def sentence_tokens(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return min(self.sentences.most_tokens or self.max_tokens, self.max_tokens)

    @cached_property
    def tokens_a_batch(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return TOKENS_PER_BATCH if self._device.type == "cpu" else TOKENS_PER_GPU_BATCH

    def _words(self, texts: Sequence[str]) -> list[str]:
        stripped = (text.strip() for text in texts)
        return [self._before_words + text if text else text for text in stripped]

    @cached_property
    def _before_words(self) -> str:
        names = {kind.__name__.removesuffix("Fast") for kind in type(self._tokenizer).__mro__}
        return " " if names.intersection(_SPACE_BEFORE) else ""

    def _fast_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        wanted = {"return_offsets_mapping": True, "return_special_tokens_mask": True}
        found = self._tokenizer(texts, truncation=False, padding=False, verbose=False, **wanted)
        columns = (found[name] for name in ("input_ids", "offset_mapping", "special_tokens_mask"))
        tokens: list[Tokens] = []
        for ids, spans, mask in zip(*columns, strict=True):
            before = sum(1 for _ in takewhile(bool, mask))
            after = sum(1 for _ in takewhile(bool, reversed(mask[before:])))
            tokens.append(Tokens(ids, spans, before, after))
        return tokens

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
        """The token read for a text without tokens if the tokenizer adds no special tokens."""
        of = self._tokenizer
        marks = (of.eos_token_id, of.bos_token_id, of.pad_token_id, of.unk_token_id)
        mark = next((token for token in marks if token is not None), 0)
        return Tokens([mark], [(0, 0)] if of.is_fast else None, 1, 0)

    @cached_property
    def _device(self) -> Any:
        torch = package("torch")
        has_gpu = bool(torch.cuda.is_available())
        wanted = self.device or ("cuda" if has_gpu else "cpu")
        try:
            device = torch.device(wanted)
        except RuntimeError as error:
            what = f"{self.name}: {wanted!r} is not a device: {first_line(error)}"
            raise EncoderError(what) from None
        if device.type == "cuda" and not has_gpu:
            raise EncoderError(f"{self.name}: torch finds no GPU for {wanted!r}; leave device out")
        return device

    @cached_property
    def _tokenizer(self) -> Any:
        with self._loading():
            auto = package("transformers").AutoTokenizer
            tokenizer = auto.from_pretrained(str(self.folder), **_AS_IT_IS)
            # Without its files transformers makes an empty tokenizer, for which all words are unknown.
            files = {"tokenizer.json", *tokenizer.vocab_files_names.values()}
            is_there = any((self.folder / file).is_file() for file in files)
            if tokenizer.vocab_files_names and not is_there:
                raise EncoderError(
                    f"{self.name}: none of its tokenizer's files is in {self.folder} "
                    f"({', '.join(sorted(files))}); download it again"
                )
            return tokenizer

    @contextmanager
    def _loading(self) -> Generator[None]:
        """Load one model at a time, without output; any error becomes an EncoderError."""
        with model_files.OPENING, ExitStack() as settings:
            log = package("transformers").utils.logging
            settings.callback(log.set_verbosity, log.get_verbosity())
            log.set_verbosity_error()
            try:
                settings.enter_context(model_files.muted_bars(package("huggingface_hub.utils")))
                if log.is_progress_bar_enabled():
                    settings.callback(log.enable_progress_bar)
                    log.disable_progress_bar()
                yield
            except EncoderError:
                raise
            except Exception as error:
                # The exception depends on what is damaged: safetensors, tokenizers, torch.
                raise EncoderError(
                    f"{self.name}: cannot be loaded: {type(error).__name__}: {first_line(error)}; "
                    "download it again, or choose another"
                ) from error

    @cached_property
    def _model(self) -> Any:
        transformers = package("transformers")
        with self._loading():
            config = self._loaded_config()
            encoders = transformers.MODEL_FOR_TEXT_ENCODING_MAPPING
            auto = transformers.AutoModelForTextEncoding if type(config) in encoders else None
            options = {"config": config, "use_safetensors": True, "output_loading_info": True}
            load = (auto or transformers.AutoModel).from_pretrained
            model, found = load(str(self.folder), **options, **_AS_IT_IS)
            # Heads for sentences are left out of many checkpoints, and are of no use here.
            missing = sorted(key for key in found["missing_keys"] if "pooler" not in key)
            if missing:
                raise EncoderError(
                    f"{self.name}: its weights do not fit its config.json: {len(missing)} are missing "
                    f"({missing[0]}), so the vectors would be random; if it brings code of its own, "
                    "that is never run: choose another model"
                )
            if hasattr(model, "decoder") and hasattr(model, "encoder"):
                model = model.encoder
            model.config.use_cache = False
            dtype = getattr(package("torch"), _DTYPES[self.precision])
            model.eval().to(device=self._device, dtype=dtype)
            self._computed(model, np.zeros((1, 1), np.int64))
            return model

    def _loaded_config(self) -> Any:
        transformers = package("transformers")
        config = model_files.object_in(self.folder / "config.json")
        kind = config.get("model_type")
        if kind not in transformers.CONFIG_MAPPING:
            if config.get("auto_map"):
                raise EncoderError(
                    f"{self.name} needs code of its own (model_type {kind!r} with auto_map in config.json), "
                    "and a model's code is never run; choose a model of a standard architecture"
                )
            raise EncoderError(
                f"{self.name}: transformers {transformers.__version__} knows no model_type {kind!r} "
                "(config.json); a newer transformers may"
            )
        config = transformers.AutoConfig.from_pretrained(str(self.folder), **_AS_IT_IS)
        # A config may name a compiled kernel on the hub here, which would be downloaded and run.
        config._attn_implementation = None
        return config

    def _computed(self, model: Any, ids: Ints) -> Floats:
        """The states that the model gives for texts of equal length: (b, t) ids to (b, t, d)."""
        torch = package("torch")
        with torch.inference_mode():
            given = torch.from_numpy(ids).to(self._device)
            states = model(input_ids=given, attention_mask=torch.ones_like(given))[0]
            return cast(Floats, states.float().cpu().numpy())

    @cached_property
    def _n_embeddings(self) -> int:
        return int(self._model.get_input_embeddings().weight.shape[0])

    @cached_property
    def _by_layer(self) -> dict[int, Any]:
        return {}

    def _up_to(self, layer: int | None) -> Any:
        """The model without later layers, as bert-score 0.3.13 truncates it; the weights are shared."""
        with model_files.OPENING:
            if layer is None:
                return self._model
            if layer not in self._by_layer:
                shared = (*self._model.parameters(), *self._model.buffers())
                cut = copy.deepcopy(self._model, {id(tensor): tensor for tensor in shared})
                holder, attribute = _layers_of(self.name, cut)
                layers = getattr(holder, attribute)
                n = layers if isinstance(layers, int) else len(layers)
                if not 0 <= layer <= n:
                    what = f"{self.name} has the layers 0 (the embeddings) to {n}, not {layer}"
                    raise EncoderError(what)
                setattr(holder, attribute, layer if isinstance(layers, int) else layers[:layer])
                try:
                    self._computed(cut, np.zeros((1, 1), np.int64))
                except Exception as error:  # for example DeBERTa v2 and v3 without layers
                    what = f"{self.name} cannot compute layer {layer} by itself"
                    raise EncoderError(f"{what}: {first_line(error)}; choose another") from error
                self._by_layer[layer] = cut
            return self._by_layer[layer]


def _layers_of(name: str, model: Any) -> tuple[Any, str]:
    """The object and its attribute that hold the layers, or their number."""
    if isinstance(getattr(model, "n_layers", None), int):  # xlm
        return model, "n_layers"
    if hasattr(getattr(model, "encoder", None), "albert_layer_groups"):
        return model.encoder.config, "num_hidden_layers"
    for *path, attribute in _LAYERS:
        holder = model
        for part in path:
            holder = getattr(holder, part, None)
        if hasattr(getattr(holder, attribute, None), "__len__"):
            return holder, attribute
    raise EncoderError(
        f"{name}: it is not known where a {type(model).__name__} keeps its layers; leave the "
        "layer out, for the last one"
    )
