"""Tiny random models are saved to disk and read by the real code, beside the reference packages.

The references: bert-score 0.3.13, sentence-transformers 6.2.0.
"""

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from cases import cases

from ragauge.errors import EncoderError, MissingExtraError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from tokenizers import models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

from ragauge.encoders.huggingface import HuggingFace  # noqa: E402

pytestmark = pytest.mark.slow

CORPUS = [
    "The river Rhine flows through Basel and Cologne.",
    "Who wrote the manual? A team of 12 people, in 2019.",
    "It costs $604.50, taxes included; ask the front desk.",
]
TEXTS = [
    "The river flows through Cologne.",
    "Who wrote it?",
    "  The manual costs $604.50!  \n",
    "Basel 😀 the Rhine",
    "המדריך עלה 604",
]


# The models


def saved(tokenizer, folder: Path) -> int:
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def word_pieces(folder: Path) -> int:
    """A tokenizer of BERT's kind for the corpus; the number of its entries."""
    special = {
        f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")
    }
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    options = {"special_tokens": [*special.values()], "show_progress": False}
    made.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=120, **options))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    whole = {"tokenizer_object": made, "model_max_length": 64, **special}
    return saved(transformers.PreTrainedTokenizerFast(**whole), folder)


def byte_pairs(kind: str, special: list[str], folder: Path) -> int:
    """A tokenizer of GPT-2's and RoBERTa's kind, by the class that transformers has for it."""
    made = tokenizers.ByteLevelBPETokenizer()
    made.train_from_iterator(CORPUS, 330, 1, special_tokens=special, show_progress=False)
    folder.mkdir(exist_ok=True)
    made.save_model(str(folder))
    of_kind = getattr(transformers, f"{kind}Tokenizer")
    return saved(of_kind.from_pretrained(folder, model_max_length=64), folder)


def unigrams(folder: Path) -> int:
    """A tokenizer of T5's kind: no mark at the start, one at the end."""
    special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    made = tokenizers.Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    options = {"special_tokens": [*special.values()], "show_progress": False}
    trainer = trainers.UnigramTrainer(vocab_size=150, unk_token="<unk>", **options)
    made.train_from_iterator(CORPUS, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    whole = {"tokenizer_object": made, "model_max_length": 64, **special}
    return saved(transformers.PreTrainedTokenizerFast(**whole), folder)


def save_model(folder: Path, kind: str, **settings: object) -> None:
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**settings)
    model = getattr(transformers, f"{kind}Model")(config)
    with torch.no_grad():
        # Weights as they are made first hardly tell one token from another.
        for weights in model.parameters():
            weights.add_(torch.randn_like(weights) * 0.1)
    model.save_pretrained(folder)


LAYERS = {"num_hidden_layers": 3, "num_attention_heads": 2}
SIZES = {"hidden_size": 16, "intermediate_size": 32, **LAYERS}
TO_64, TO_66 = {"max_position_embeddings": 64}, {"max_position_embeddings": 66}
RELATIVE = {
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "position_biased_input": False,
}
V2 = {"max_relative_positions": 64, "position_buckets": 8, "conv_kernel_size": 3}
V2 |= {"norm_rel_ebd": "layer_norm", "share_att_key": True}
HALVES = {
    f"{half}_{name}": value
    for half in ("encoder", "decoder")
    for name, value in (("ffn_dim", 32), ("attention_heads", 2), ("layers", 3))
}
T5 = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_heads": 2}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
OF_ROBERTA = partial(byte_pairs, "Roberta", ["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
OF_DEBERTA = partial(byte_pairs, "Deberta", SPECIAL)
OF_GPT2 = partial(byte_pairs, "GPT2", ["<|endoftext|>"])
MODELS: dict[str, tuple[str, Callable[[Path], int], dict[str, object], tuple[int, ...]]] = {
    "bert": ("Bert", word_pieces, SIZES | TO_64, (0, 1, 2, 3)),
    "albert": ("Albert", word_pieces, SIZES | TO_64 | {"embedding_size": 8}, (2,)),
    "mpnet": ("MPNet", word_pieces, SIZES | TO_66, (2,)),
    "roberta": ("Roberta", OF_ROBERTA, SIZES | TO_66, (0, 1, 3)),
    "deberta": ("Deberta", OF_DEBERTA, SIZES | RELATIVE, (1, 3)),
    "deberta_v2": ("DebertaV2", word_pieces, SIZES | RELATIVE | V2, (1, 2)),
    "t5": ("T5", unigrams, T5 | {"num_layers": 3}, (0, 2, 3)),
    "gpt2": ("GPT2", OF_GPT2, {"n_embd": 16, "n_layer": 3, "n_head": 2, "n_positions": 64}, (2,)),
    "bart": ("Bart", word_pieces, {"d_model": 16} | TO_64 | HALVES, (2,)),
    "mbart": ("MBart", word_pieces, {"d_model": 16} | TO_64 | HALVES, (2,)),
    "xlnet": ("XLNet", word_pieces, {"d_model": 16, "n_layer": 3, "n_head": 2, "d_inner": 32}, (2,)),
    "distilbert": ("DistilBert", word_pieces, {"dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 32}, (2,)),
    "xlm": ("XLM", word_pieces, {"emb_dim": 16, "n_layers": 3, "n_heads": 2, "n_langs": 1}, (2,)),
    "qwen3": ("Qwen3", word_pieces, SIZES | TO_64 | {"num_key_value_heads": 2, "head_dim": 8}, (2,)),
}  # fmt: skip
"""By name: transformers' class, the tokenizer, the settings, and the layers that are compared."""


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """The folder of the tiny model of a kind, made when first asked for."""
    root = tmp_path_factory.mktemp("models")

    def folder(name: str) -> Path:
        if not (root / name).exists():
            kind, tokenizer, settings, _ = MODELS[name]
            n = tokenizer(root / name)
            save_model(root / name, kind, vocab_size=n, **settings)
        return root / name

    return folder


@pytest.fixture(scope="module")
def encoder_of(folder_of):
    """The encoder of the tiny model of a kind."""
    return cache(lambda name: HuggingFace(str(folder_of(name))))


@pytest.fixture
def copy_of(folder_of, tmp_path):
    """A copy of a tiny model's folder, to be damaged."""
    return lambda name: Path(shutil.copytree(folder_of(name), tmp_path / name))


def close(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and float(np.abs(left - right).max()) < 1e-5


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


# Tokens and layers


def read_by_bert_score(folder: Path) -> list[list[int]]:
    """The ids of the texts by bert-score's `sent_encode`.

    It asks for a space before the first word in each call, which transformers 5 no longer heeds
    there; asked for when the tokenizer is made, it is put as with earlier ones.
    """
    from bert_score.utils import sent_encode

    reader = transformers.AutoTokenizer.from_pretrained(folder)
    if type(reader).__name__.startswith(("Roberta", "GPT2")):
        reader = transformers.AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    return [sent_encode(reader, text) for text in TEXTS]


def computed_by_bert_score(folder: Path, kind: str, layer: int, ids: list[int]) -> np.ndarray:
    from bert_score.utils import bert_encode, get_model

    assert "t5" not in str(folder.parent), "bert-score tells T5 by the letters in its path"
    if kind == "gpt2":  # which bert-score does not truncate
        model = transformers.GPT2Model.from_pretrained(folder)
        model.h = model.h[:layer]
    else:
        model = get_model(str(folder), layer)
    given = torch.tensor([ids])
    return bert_encode(model, given, torch.ones_like(given))[0].numpy()


@pytest.mark.parametrize("kind", MODELS)
def test_token_vectors_are_those_of_bert_score_at_every_layer(kind, folder_of, encoder_of):
    pytest.importorskip("bert_score")
    folder, encoder = folder_of(kind), encoder_of(kind)
    for layer in MODELS[kind][-1]:
        found = encoder.encode_tokens(TEXTS, layer=layer)
        for ids, tokens in zip(read_by_bert_score(folder), found, strict=True):
            assert tokens.ids.tolist() == ids
            assert close(tokens.vectors, unit(computed_by_bert_score(folder, kind, layer, ids)))
    last, third, second = (
        encoder.encode_tokens(TEXTS[:1], layer=layer)[0].vectors for layer in (None, 3, 2)
    )
    assert (last == third).all() and not close(last, second)
    assert (encoder.identity["n_layers"], encoder.identity["dimension"]) == (3, last.shape[1])


@cases(
    ("bert", -1, r"layers 0 \(the embeddings\) to 3, not -1"),
    ("bert", 4, r"layers 0 \(the embeddings\) to 3, not 4"),
    # Neither can bert-score: without any layer transformers' DeBERTa v2 breaks.
    ("deberta_v2", 0, "cannot compute layer 0 by itself"),
)
def test_a_layer_that_cannot_be_computed_is_refused(kind, layer, says, encoder_of):
    with pytest.raises(EncoderError, match=says):
        encoder_of(kind).encode_tokens(["a"], layer=layer)


MARKS = {"bert": 2, "roberta": 2, "deberta": 2, "t5": 1, "gpt2": 0}
"""How many marks a tokenizer puts around a text."""


@pytest.mark.parametrize(("kind", "n_marks"), MARKS.items())
def test_tokens_know_where_they_stand_and_only_marks_around_the_text_are_special(
    kind, n_marks, encoder_of
):
    text = "  \tThe [SEP] </s> Rhine 😀 in Basel \n"
    found = encoder_of(kind).encode_tokens([text])[0]
    # All but white space is in some token, and the first begins where the text does.
    within = {at for start, end in found.spans for at in range(start, end)}
    assert not "".join(sign for at, sign in enumerate(text) if at not in within).strip()
    start, end = found.spans[~found.special][0]
    assert text.strip().startswith(text[start:end].strip())
    assert (found.spans[found.special] == 0).all()
    assert found.special.sum() == n_marks
    assert n_marks < 2 or found.special[[0, -1]].all()


@pytest.mark.parametrize("kind", MARKS)
def test_any_text_has_vectors_of_length_one(kind, encoder_of):
    odd = [
        "",
        " \n\t",
        "😀😀",
        "שלום",
        "\x00",
        "a\ud800b",
        "مرحبا",
        "世界",
        "\ufeff",
        "e\u0301" * 99,
    ]
    encoder = encoder_of(kind)
    for text in odd:
        tokens = encoder.encode_tokens([text], layer=2)[0]
        for vectors in (encoder.encode([text]), tokens.vectors):
            assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        assert len(tokens.ids) >= 1
        assert text.strip() or tokens.special.all()
    if kind == "gpt2":  # which puts no marks around a text: one without tokens is the end mark
        assert encoder.encode_tokens([""])[0].ids.tolist() == [0]
    assert (encoder.encode(["", "Rhine"])[0] == encoder.encode([""])[0]).all()
    assert len(encoder.encode([])) == 0
    assert encoder.encode_tokens([]) == encoder.token_ids([]) == encoder.count_tokens([]) == []


def test_a_slow_tokenizer_gives_tokens_without_places(tmp_path):
    # ByT5 has no vocabulary: its tokens are the bytes, three on, and 1 ends a text.
    transformers.ByT5Tokenizer(extra_ids=0).save_pretrained(tmp_path)
    save_model(tmp_path, "T5", vocab_size=259, num_layers=2, **T5)
    empty, found = HuggingFace(str(tmp_path)).encode_tokens(["", "ab"])
    assert found.ids.tolist() == [100, 101, 1]
    assert found.special.tolist() == [False, False, True]
    assert found.spans is None
    assert (empty.ids.tolist(), empty.special.tolist()) == ([1], [True])


def test_a_long_text_is_cut_with_its_marks_kept_and_said_to_be(encoder_of):
    encoder = encoder_of("bert")
    short, long = encoder.encode_tokens(["Rhine", "Rhine " * 99])
    assert not short.is_cut
    assert (long.is_cut, len(long.ids), long.ids[-1]) == (True, 64, 3)
    assert long.n_tokens == 99 * (len(short.ids) - 2) + 2
    assert encoder.count_tokens(["Rhine " * 99]) == [(long.n_tokens, 64)]
    texts = [*TEXTS, "", "Rhine " * 99]
    for long_text in ("cut", "windows"):
        vectors = encoder.encode_tokens(texts, long_text=long_text)
        ids = encoder.token_ids(texts, long_text=long_text)
        assert [one.tolist() for one in ids] == [one.ids.tolist() for one in vectors]


# Vectors of sentences

MODES = {
    "cls": "cls_token",
    "mean": "mean_tokens",
    "max": "max_tokens",
    "mean_sqrt": "mean_sqrt_len_tokens",
    "lasttoken": "lasttoken",
}
SENTENCES = [*TEXTS, "The river Rhine flows through Basel. " * 5]


def save_sentences(folder: Path, *, inner: str = "", pooling: str = "mean", **settings: object):
    """The files that sentence-transformers has beside a model's own."""
    places = {inner: "Transformer", "1_Pooling": "Pooling", "2_N": "Normalize"}
    rows = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (path, kind) in enumerate(places.items())
    ]
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{mode}": name == pooling for name, mode in MODES.items()}
    for file, content in {
        "modules.json": rows,
        f"{inner}/sentence_bert_config.json".lstrip("/"): {"max_seq_length": 20, **settings},
        "1_Pooling/config.json": {"word_embedding_dimension": 16, **modes},
    }.items():
        (folder / file).write_text(json.dumps(content))


def assert_as_sentence_transformers(folder: Path, n_tokens: int = 20) -> None:
    package = pytest.importorskip("sentence_transformers")
    model = package.SentenceTransformer(str(folder), device="cpu")
    theirs = unit(np.stack([model.encode(text, convert_to_numpy=True) for text in SENTENCES]))
    encoder = HuggingFace(str(folder))
    assert encoder.sentence_tokens == n_tokens <= encoder.max_tokens
    assert close(encoder.encode(SENTENCES), theirs)


@cases(
    *((kind, "mean") for kind in ("bert", "roberta", "deberta_v2", "mpnet", "t5", "qwen3")),
    *(("bert", pooling) for pooling in MODES if pooling != "mean"),
)
def test_vectors_are_those_of_sentence_transformers(kind, pooling, copy_of):
    folder = copy_of(kind)
    save_sentences(folder, pooling=pooling, do_lower_case=False)
    assert_as_sentence_transformers(folder)


def test_a_folder_that_sentence_transformers_saves_today_is_read(copy_of, tmp_path):
    package = pytest.importorskip("sentence_transformers")
    from sentence_transformers.models import Pooling, Transformer

    modules = [Transformer(str(copy_of("bert")), max_seq_length=12), Pooling(16, "cls")]
    model = package.SentenceTransformer(modules=modules, device="cpu")
    model.save(str(tmp_path / "saved"))
    assert_as_sentence_transformers(tmp_path / "saved", 12)


def test_the_old_layout_with_the_transformer_in_a_folder_of_its_own_is_read(folder_of, tmp_path):
    shutil.copytree(folder_of("bert"), tmp_path / "0_Transformer")
    save_sentences(tmp_path, inner="0_Transformer")
    assert_as_sentence_transformers(tmp_path)


def test_texts_are_lowered_and_prompted_where_the_model_says_so(copy_of, encoder_of):
    folder = copy_of("roberta")
    save_sentences(folder, do_lower_case=True)
    prompts = {"prompts": {"q": "Who: "}, "default_prompt_name": "q"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    assert_as_sentence_transformers(folder)
    plain, lowered = (
        each.token_ids(["The Rhine"])[0]
        for each in (encoder_of("roberta"), HuggingFace(str(folder)))
    )
    assert (plain == lowered).all(), "tokens are those of the text as given"


def test_without_settings_of_sentence_transformers_tokens_are_averaged(folder_of, encoder_of):
    encoder = encoder_of("bert")
    ids = torch.tensor([encoder.tokenize(["The Rhine"])[0].ids])
    model = transformers.BertModel.from_pretrained(folder_of("bert")).eval()
    with torch.no_grad():
        mean = model(ids).last_hidden_state[0].mean(0).numpy()
    assert close(encoder.encode(["The Rhine"])[0], unit(mean))


# The same numbers


def script_of(
    code: str, *arguments: object, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name != "MKL_CBWR"} | environment,
    )


IN_COMPANY = """
import sys
import numpy as np
from ragauge.encoders.huggingface import HuggingFace

encoder = HuggingFace(sys.argv[1], threads=2)
import torch

torch.set_num_threads(2)
texts = ["Who wrote it", "The Rhine", "in 2019", "a team", *(f"Rhine {n}" for n in range(40))]
together, reverse = encoder.encode(texts), encoder.encode(texts[::-1])[::-1]
alone = np.concatenate([encoder.encode([text]) for text in texts])
assert torch.get_num_threads() == 2
assert (together == alone).all()
assert (together == reverse).all()
"""
"""In a process of its own, for what came before in it decides too how torch multiplies."""


def test_a_text_has_the_same_vector_to_the_last_bit_in_any_company(tmp_path):
    # Of the size at which torch with two threads splits the sums of a short text, but not of many.
    n = word_pieces(tmp_path)
    wide = {"hidden_size": 384, "intermediate_size": 1536, "num_attention_heads": 12}
    save_model(tmp_path, "Bert", vocab_size=n, num_hidden_layers=2, **wide)
    done = script_of(IN_COMPANY, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_a_text_has_the_same_vectors_whatever_else_is_asked_of_it(encoder_of, name):
    from ragauge.encoders.cached import CachedEncoder

    encoder = encoder_of(name)
    together = CachedEncoder(encoder)
    together.wanted_tokens = frozenset({(encoder.identity["n_layers"], "cut")})
    vectors, tokens = together.vectors(TEXTS), together.tokens(TEXTS)
    alone = CachedEncoder(encoder)
    for text in TEXTS:
        assert np.array_equal(vectors[text].vector, alone.vectors([text])[text].vector)
        assert np.array_equal(tokens[text].vectors, alone.tokens([text])[text].vectors)


def test_another_process_gets_settings_and_no_weights(encoder_of):
    encoder = encoder_of("bert")
    expected = encoder.encode(TEXTS)
    copied = pickle.dumps(encoder)
    assert len(copied) < 2_000
    again = pickle.loads(copied)
    assert again.identity == encoder.identity
    assert (again.encode(TEXTS) == expected).all()


def test_identity_says_what_fixes_the_vectors(folder_of, encoder_of):
    identity = json.loads(json.dumps(encoder_of("bert").identity))
    assert identity.pop("revision").startswith("sha256:")
    fixed = {"precision": "fp32", "dimension": 16, "n_layers": 3}
    assert identity == {"name": str(folder_of("bert")), **fixed}


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_the_fingerprint_is_that_of_the_files_that_are_read(file, copy_of):
    folder = copy_of("bert")
    before = HuggingFace(str(folder)).identity["revision"]
    (folder / "README.md").write_text("not read")
    assert HuggingFace(str(folder), revision=before).identity["revision"] == before
    with (folder / file).open("ab") as opened:
        opened.write(b" ")
    assert HuggingFace(str(folder)).identity["revision"] != before
    with pytest.raises(EncoderError, match=f"not the revision {before}"):
        HuggingFace(str(folder), revision=before)


@pytest.mark.parametrize(("precision", "off"), [("fp16", 2e-2), ("bf16", 1e-1)])
def test_half_precision_is_near_and_says_so(precision, off, folder_of, encoder_of):
    encoder = HuggingFace(str(folder_of("bert")), precision=precision)
    found, full = encoder.encode(TEXTS), encoder_of("bert").encode(TEXTS)
    assert encoder.identity["precision"] == precision
    assert found.dtype == np.float32
    assert 0 < np.abs(found - full).max() < off


def test_weights_kept_in_half_precision_are_computed_in_single(copy_of):
    folder = copy_of("bert")
    model = transformers.BertModel.from_pretrained(folder)
    model.half().save_pretrained(folder)
    states = HuggingFace(str(folder)).encode(TEXTS)
    model.float().save_pretrained(folder)
    assert close(states, HuggingFace(str(folder)).encode(TEXTS))


# Damage, code and pickles


class Bomb:
    def __reduce__(self):
        return (Path.touch, (Path("bomb-went-off"),))


BOMB = pickle.dumps(Bomb())


@pytest.fixture
def nothing_runs(tmp_path, monkeypatch):
    """A folder in which neither the bomb nor a model's code may leave its mark."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not [*tmp_path.glob("bomb-went-off"), *tmp_path.glob("code-ran")]


def changed(file: str, **settings: object) -> Callable[[Path], None]:
    """A change of settings in a JSON file of a model; None drops the setting."""

    def change(folder: Path) -> None:
        content = json.loads((folder / file).read_text()) | settings
        kept = {name: value for name, value in content.items() if value is not None}
        (folder / file).write_text(json.dumps(kept))

    return change


def written(file: str, content: bytes | None) -> Callable[[Path], None]:
    """A file of a model with this content, or without that file."""

    def change(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        if content is not None:
            (folder / file).write_bytes(content)

    return change


def cut(share: float) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        whole = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(whole[: int(share * len(whole))])

    return change


def module(place: int, **settings: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        rows = json.loads((folder / "modules.json").read_text())
        rows[place] |= settings
        (folder / "modules.json").write_text(json.dumps(rows))

    return change


def add_code(folder: Path) -> None:
    """Code that the config names, and that leaves a mark where it is run."""
    (folder / "own.py").write_text("import pathlib; pathlib.Path('code-ran').touch()\n")
    maps = {"AutoConfig": "own.Config", "AutoModel": "own.Model"}
    changed("config.json", auto_map=maps)(folder)


def of_another_model(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"]["zebra"] = 999
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


def not_finite(folder: Path) -> None:
    model = transformers.BertModel.from_pretrained(folder)
    with torch.no_grad():
        model.encoder.layer[1].output.dense.bias.fill_(float("nan"))
    model.save_pretrained(folder)


def only(file: str, content: bytes = BOMB) -> list[Callable[[Path], None]]:
    """Another file in the place of the weights."""
    return [written("model.safetensors", None), written(file, content)]


def index(part: str) -> list[Callable[[Path], None]]:
    content = json.dumps({"weight_map": {"a": part}}).encode()
    return only("model.safetensors.index.json", content)


POOLING, INNER = "1_Pooling/config.json", "sentence_transformers.models"
CLS, MEAN = "pooling_mode_cls_token", "pooling_mode_mean_tokens"
REFUSED: list[tuple[list[Callable[[Path], None]], str]] = [
    ([changed(POOLING, **{MEAN: False, "pooling_mode_weightedmean_tokens": True})], "pools by weightedmean; only one of"),
    ([changed(POOLING, **{CLS: True, MEAN: True})], "pools by cls and mean; only one of"),
    ([changed(POOLING, pooling_mode=["mean", "max"])], "pools by mean and max; only one of"),
    ([module(1, type=f"{INNER}.Dense")], rf"its module '{INNER}.Dense' .* is not computed here"),
    ([module(1, type="evil.Pooling")], "its module 'evil.Pooling' .* is not computed here"),
    ([module(1, type="sentence_transformers.Router")], "its module 'sentence_transformers.Router' .* is not computed"),
    ([module(0, path="../other")], "outside of the model"),
    ([module(1, path="/etc")], "outside of the model"),
    ([module(1, path="a/../../b")], "outside of the model"),
    (only("pytorch_model.bin"), "only as pytorch_model.bin, a pickle, which runs code"),
    (only("model.pt"), "only as model.pt, a pickle, which runs code"),
    (only("weights.pkl"), "only as weights.pkl, a pickle, which runs code"),
    (index("pytorch_model-1.bin"), "names 'pytorch_model-1.bin' as weights"),
    (index("../model-1.safetensors"), "names '../model-1.safetensors' as weights"),
    (index("/x.safetensors"), "names '/x.safetensors' as weights"),
    ([add_code, changed("config.json", model_type="brand-new")], "a model's code is never run"),
    ([changed("config.json", model_type="brand-new")], "knows no model_type 'brand-new'"),
    # What code of its own would have fitted, the standard class fills with random numbers.
    ([add_code, changed("config.json", num_hidden_layers=4)], "16 are missing .*so the vectors would be random"),
    ([written("adapter_config.json", b'{"base_model_name_or_path": "evil/base"}')], "is an adapter to another model"),
    ([changed("config.json", transformers_weights="adapter_model.bin")], "names 'adapter_model.bin' as its weights"),
    ([written("config.json", None)], "has no config.json"),
    ([written("model.safetensors", None)], "there is no model.safetensors"),
    # transformers would make one that knows no word, and say nothing.
    ([written("tokenizer.json", None)], "none of its tokenizer's files is in|cannot be loaded"),
    *(([cut(share)], "cannot be loaded: .*download it again") for share in (0, 0.001, 0.99)),
    *(([written("config.json", content)], "config.json") for content in (b"", b"{", b"\xff\xfe", b"7", b"[" * 200_000)),
    *(([written("modules.json", content)], "modules.json") for content in (b"{", b"7")),
    ([of_another_model], "gives the token 999.*they do not belong together"),
    ([not_finite], "not finite numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), REFUSED)
@pytest.mark.usefixtures("nothing_runs")
def test_a_model_that_is_damaged_or_would_run_code_is_refused(changes, said, copy_of):
    folder = copy_of("bert")
    save_sentences(folder)
    for change in changes:
        change(folder)
    with pytest.raises(EncoderError, match=said):
        HuggingFace(str(folder)).encode(["a zebra"])


KERNEL = dict.fromkeys(("attn_implementation", "_attn_implementation"), "evil/kernel")
"""Of the hub, and not fetched."""


@cases(
    [written(f"{name}.bin", BOMB) for name in ("pytorch_model", "training_args", "adapter_model")],
    [
        add_code,
        changed("tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Slow", "own.Fast"]}),
        changed("config.json", **KERNEL),
    ],
    ids=["pickles", "code"],
)
@pytest.mark.usefixtures("nothing_runs")
def test_pickles_and_code_beside_what_can_be_read_without_are_not_read(
    changes, copy_of, encoder_of
):
    folder = copy_of("bert")
    for change in changes:
        change(folder)
    expected = encoder_of("bert").encode(TEXTS)
    assert (HuggingFace(str(folder)).encode(TEXTS) == expected).all()


@cases(
    # bert-score fails here: its tokenizers say 10^30, which is too big a number for them to cut at.
    ("roberta", None, 64),  # of 66 positions two are taken by the padding
    ("t5", int(1e30), 512),
    ("bert", 900, 64),
)
def test_a_limit_that_is_absent_or_beyond_the_positions_is_that_of_the_model(
    kind, limit, read, copy_of
):
    folder = copy_of(kind)
    changed("tokenizer_config.json", model_max_length=limit)(folder)
    encoder = HuggingFace(str(folder))
    assert encoder.max_tokens == read
    assert len(encoder.encode_tokens(["Rhine " * 999])[0].ids) == read


def test_weights_in_several_files_are_read_and_a_missing_one_is_named(copy_of, encoder_of):
    folder = copy_of("bert")
    model = transformers.BertModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="10KB")
    parts = sorted(folder.glob("model-*.safetensors"))
    assert len(parts) > 1
    assert (HuggingFace(str(folder)).encode(TEXTS) == encoder_of("bert").encode(TEXTS)).all()
    parts[0].unlink()
    with pytest.raises(EncoderError, match=f"{parts[0].name} is missing"):
        HuggingFace(str(folder))


def test_what_cannot_be_opened_is_said(folder_of, monkeypatch):
    bert = str(folder_of("bert"))
    for name in ("./nowhere", "/no/such/folder", "a/b/c", "~/nowhere/at-all", "x y"):
        with pytest.raises(EncoderError, match="there is no such folder"):
            HuggingFace(name)
    with pytest.raises(EncoderError, match="is a file; give the folder"):
        HuggingFace(f"{bert}/model.safetensors")
    with pytest.raises(EncoderError, match="one of fp32, fp16, bf16, not 'int8'"):
        HuggingFace(bert, precision="int8")
    with pytest.raises(EncoderError, match="'abacus' is not a device"):
        HuggingFace(bert, device="abacus").encode(["a"])
    if not torch.cuda.is_available():
        with pytest.raises(EncoderError, match="finds no GPU for 'cuda:0'"):
            HuggingFace(bert, device="cuda:0").encode(["a"])
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs torch; .*ragauge\[hf\]"):
        HuggingFace(bert)


# The hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(tmp_path, monkeypatch, folder_of):
    """A cache of the hub in which lies org/tiny, and no network."""
    from huggingface_hub import constants

    own = tmp_path / "hub" / "models--org--tiny"
    shutil.copytree(folder_of("bert"), own / "snapshots" / COMMIT)
    (own / "refs").mkdir()
    (own / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return own


def test_a_model_of_the_hub_is_known_by_its_commit_and_needs_no_pickle(hub, encoder_of):
    for revision in (None, "main", COMMIT):
        encoder = HuggingFace("org/tiny", revision=revision)
        assert (encoder.name, encoder.identity["revision"]) == ("org/tiny", COMMIT)
    assert (encoder.encode(TEXTS) == encoder_of("bert").encode(TEXTS)).all()
    (hub / "snapshots" / COMMIT / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=r"pytorch_model.bin or .pt, are not read"):
        HuggingFace("org/tiny")


@cases(("org/other", None), ("org/tiny", "v2"), ("tiny", None))
@pytest.mark.usefixtures("hub")
def test_a_hub_that_cannot_be_reached_is_said(name, revision):
    says = f"{name}.*cannot be reached.*hf download {name}"
    with pytest.raises(EncoderError, match=says) as raised:
        HuggingFace(name, revision=revision)
    assert raised.value.is_down


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's API as a download needs, over one folder as org/tiny."""

    folder: Path
    asked: list[str]

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.partition("?")[0]
        self.asked.append(path)
        files = [one for one in sorted(self.folder.rglob("*")) if one.is_file()]
        names = {one.relative_to(self.folder).as_posix(): one for one in files}
        wanted = path.removeprefix(f"/org/tiny/resolve/{COMMIT}/")
        if wanted in names:
            self.reply(names[wanted].read_bytes())
        elif path.startswith(f"/api/models/org/tiny/tree/{COMMIT}"):
            self.reply([{"type": "file", "path": one, "size": 1, "oid": one} for one in names])
        elif path.startswith("/api/models/org/tiny"):
            siblings = [{"rfilename": one} for one in names]
            self.reply({"id": "org/tiny", "sha": COMMIT, "siblings": siblings})
        else:
            self.reply({}, 404)

    def reply(self, content: object, status: int = 200) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        headers = {"ETag": f'"{len(body)}"', "X-Repo-Commit": COMMIT, "Content-Length": len(body)}
        self.send_response(status)
        for name, value in (
            headers | ({"X-Error-Code": "RepoNotFound"} if status == 404 else {})
        ).items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """In silence."""


OPENED = """
import json, sys
import ragauge.errors
from ragauge.encoders.huggingface import HuggingFace

try:
    encoder = HuggingFace(sys.argv[1])
    print(json.dumps([encoder.identity["revision"], encoder.encode(["a"]).shape]))
except ragauge.errors.EncoderError as error:
    print(error)
"""
"""In a process of its own: the hub's address is read at import."""


def test_of_the_hubs_files_only_those_that_are_read_are_fetched(copy_of, tmp_path):
    folder = copy_of("bert")
    save_sentences(folder)
    (folder / "onnx").mkdir()
    for file in (
        "pytorch_model.bin",
        "training_args.bin",
        "onnx/model.onnx",
        "own.py",
        "README.md",
    ):
        (folder / file).write_bytes(b"not to be fetched")
    handler = type("Own", (Hub,), {"folder": folder, "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        online = {
            "HF_HUB_OFFLINE": "0",
            "HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "HF_HOME": str(tmp_path / "home"),
            "NO_PROXY": "127.0.0.1",
        }
        done = script_of(OPENED, "org/tiny", **online)
        other = script_of(OPENED, "org/other", **online)
        server.shutdown()
    assert (done.stdout, done.stderr) == (json.dumps([COMMIT, [1, 16]]) + "\n", "")
    fetched = {
        one.partition(f"/resolve/{COMMIT}/")[2] for one in handler.asked if "/resolve/" in one
    }
    assert fetched - {"special_tokens_map.json"} == {
        *("config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"),
        *("sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json"),
    }
    assert "the hub has no such model or revision" in other.stdout, other.stderr


READING = """
import os, sys
from ragauge.encoders.huggingface import HuggingFace

encoder = HuggingFace(sys.argv[1])
encoder.identity
assert not {"torch", "transformers"} & set(sys.modules)
encoder.encode(["The Rhine " * 900])
assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"
"""


def test_opening_imports_no_torch_and_reading_prints_nothing(copy_of):
    folder = copy_of("bert")
    # A checkpoint without a head for sentences, of which transformers has a table to print.
    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
    model.save_pretrained(folder)
    done = script_of(READING, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
