"""Load transformers models without running their own code, truncate them, and run them."""

import copy
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast

from ragauge.encoders.model_files import OPENING, first_line, muted_bars, object_in, package
from ragauge.encoders.protocol import Floats, Ints
from ragauge.errors import EncoderError

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


@contextmanager
def loading(name: str) -> Generator[None]:
    """Load one model at a time, without output; any error becomes an EncoderError."""
    with OPENING, ExitStack() as settings:
        log = package("transformers").utils.logging
        settings.callback(log.set_verbosity, log.get_verbosity())
        log.set_verbosity_error()
        try:
            settings.enter_context(muted_bars(package("huggingface_hub.utils")))
            if log.is_progress_bar_enabled():
                settings.callback(log.enable_progress_bar)
                log.disable_progress_bar()
            yield
        except EncoderError:
            raise
        except Exception as error:
            # The exception depends on what is damaged: safetensors, tokenizers, torch.
            raise EncoderError(
                f"{name}: cannot be loaded: {type(error).__name__}: {first_line(error)}; "
                "download it again, or choose another"
            ) from error


def loaded_tokenizer(name: str, folder: Path) -> Any:
    """The model's tokenizer. EncoderError if its files are missing."""
    transformers = package("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **_AS_IT_IS)
    # Without its files transformers makes an empty tokenizer, for which all words are unknown.
    files = {"tokenizer.json", *tokenizer.vocab_files_names.values()}
    if tokenizer.vocab_files_names and not any((folder / file).is_file() for file in files):
        raise EncoderError(
            f"{name}: none of its tokenizer's files is in {folder} ({', '.join(sorted(files))}); "
            "download it again"
        )
    return tokenizer


def loaded_model(name: str, folder: Path) -> Any:
    """The model's encoder, ready to compute. EncoderError if weights are missing."""
    transformers = package("transformers")
    config = _loaded_config(name, folder)
    encoders = transformers.MODEL_FOR_TEXT_ENCODING_MAPPING
    auto = transformers.AutoModelForTextEncoding if type(config) in encoders else None
    options = {"config": config, "use_safetensors": True, "output_loading_info": True}
    load = (auto or transformers.AutoModel).from_pretrained
    model, found = load(str(folder), **options, **_AS_IT_IS)
    # Heads for sentences are left out of many checkpoints, and are of no use here.
    missing = sorted(key for key in found["missing_keys"] if "pooler" not in key)
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
    transformers = package("transformers")
    config = object_in(folder / "config.json")
    kind = config.get("model_type")
    if kind not in transformers.CONFIG_MAPPING:
        if config.get("auto_map"):
            raise EncoderError(
                f"{name} needs code of its own (model_type {kind!r} with auto_map in config.json), "
                "and a model's code is never run; choose a model of a standard architecture"
            )
        raise EncoderError(
            f"{name}: transformers {transformers.__version__} knows no model_type {kind!r} "
            "(config.json); a newer transformers may"
        )
    config = transformers.AutoConfig.from_pretrained(str(folder), **_AS_IT_IS)
    # A config may name a compiled kernel on the hub here, which would be downloaded and run.
    config._attn_implementation = None
    return config


def without_later_layers(name: str, model: Any, layer: int) -> Any:
    """The model as bert-score 0.3.13 truncates it; EncoderError for a layer that it lacks."""
    # Everything is copied but the weights.
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
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
        for part in path:
            holder = getattr(holder, part, None)
        if hasattr(getattr(holder, attribute, None), "__len__"):
            return holder, attribute
    raise EncoderError(
        f"{name}: it is not known where a {type(model).__name__} keeps its layers; leave the "
        "layer out, for the last one"
    )


def computed(model: Any, ids: Ints, device: Any) -> Floats:
    """The states that the model gives for texts of equal length: (b, t) ids to (b, t, d)."""
    torch = package("torch")
    with torch.inference_mode():
        given = torch.from_numpy(ids).to(device)
        states = model(input_ids=given, attention_mask=torch.ones_like(given))[0]
        return cast(Floats, states.float().cpu().numpy())
