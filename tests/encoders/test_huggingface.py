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
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from ragauge.errors import EncoderError, MissingExtraError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

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
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SMALL = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2}
SIZES = {**SMALL, "intermediate_size": 32}
LAYERS = {
    "bert": (0, 1, 2, 3),
    "roberta": (0, 1, 3),
    "deberta": (1, 3),
    "deberta_v2": (1, 2),
    "t5": (0, 2, 3),
}
"""Of the other models layer 2 is compared."""

Build = Callable[[Path], None]


def word_pieces():
    """A tokenizer of BERT's kind for the corpus."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        CORPUS,
        trainers.WordPieceTrainer(vocab_size=120, special_tokens=SPECIAL, show_progress=False),
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def save_word_pieces(folder: Path, limit: int = 64) -> int:
    names = dict(zip(["pad", "unk", "cls", "sep", "mask"], SPECIAL, strict=True))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=word_pieces(),
        model_max_length=limit,
        **{f"{name}_token": token for name, token in names.items()},
    )
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def save_byte_pairs(folder: Path, special: list[str], kind: str, **settings: object) -> int:
    """A tokenizer of GPT-2's and RoBERTa's kind, by the class that transformers has for it."""
    from tokenizers import ByteLevelBPETokenizer

    made = ByteLevelBPETokenizer()
    made.train_from_iterator(CORPUS, 330, 1, special_tokens=special, show_progress=False)
    folder.mkdir(exist_ok=True)
    made.save_model(str(folder))
    tokenizer = getattr(transformers, kind).from_pretrained(folder, **settings)
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def save_unigrams(folder: Path, limit: int = 64) -> int:
    """A tokenizer of T5's kind: no mark at the start, one at the end."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=150,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    made.train_from_iterator(CORPUS, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=limit,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
    )
    tokenizer.save_pretrained(folder)
    return len(tokenizer)


def save_model(folder: Path, kind: str, **settings: object) -> None:
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**settings)
    model = getattr(transformers, f"{kind}Model")(config)
    with torch.no_grad():
        # Weights as they are made first hardly tell one token from another.
        for weights in model.parameters():
            weights.add_(torch.randn_like(weights) * 0.1)
    model.save_pretrained(folder)


def bert(folder: Path, kind: str = "Bert", **settings: object) -> None:
    n = save_word_pieces(folder)
    save_model(folder, kind, vocab_size=n, **{**SIZES, "max_position_embeddings": 64, **settings})


def roberta(folder: Path) -> None:
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    n = save_byte_pairs(folder, special, "RobertaTokenizer", model_max_length=64)
    save_model(folder, "Roberta", vocab_size=n, max_position_embeddings=66, **SIZES)


def deberta(folder: Path) -> None:
    n = save_byte_pairs(folder, SPECIAL, "DebertaTokenizer", model_max_length=64)
    relative = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
    save_model(folder, "Deberta", vocab_size=n, position_biased_input=False, **relative, **SIZES)


def deberta_v2(folder: Path) -> None:
    n = save_word_pieces(folder)
    relative = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}
    more = {"conv_kernel_size": 3, "norm_rel_ebd": "layer_norm", "share_att_key": True}
    save_model(
        folder,
        "DebertaV2",
        vocab_size=n,
        position_biased_input=False,
        max_relative_positions=64,
        **relative,
        **more,
        **SIZES,
    )


def t5(folder: Path) -> None:
    n = save_unigrams(folder)
    save_model(folder, "T5", vocab_size=n, d_model=16, d_kv=8, d_ff=32, num_layers=3, num_heads=2)


def gpt2(folder: Path) -> None:
    n = save_byte_pairs(folder, ["<|endoftext|>"], "GPT2Tokenizer", model_max_length=64)
    save_model(folder, "GPT2", vocab_size=n, n_embd=16, n_layer=3, n_head=2, n_positions=64)


def bart(folder: Path, kind: str = "Bart") -> None:
    n = save_word_pieces(folder)
    ffn = {"encoder_ffn_dim": 32, "decoder_ffn_dim": 32}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    layers = {"encoder_layers": 3, "decoder_layers": 1}
    save_model(
        folder, kind, vocab_size=n, d_model=16, max_position_embeddings=64, **ffn, **heads, **layers
    )


def xlnet(folder: Path) -> None:
    save_model(
        folder,
        "XLNet",
        vocab_size=save_word_pieces(folder),
        d_model=16,
        n_layer=3,
        n_head=2,
        d_inner=32,
    )


def distilbert(folder: Path) -> None:
    n = save_word_pieces(folder)
    save_model(folder, "DistilBert", vocab_size=n, dim=16, n_layers=3, n_heads=2, hidden_dim=32)


def xlm(folder: Path) -> None:
    n = save_word_pieces(folder)
    save_model(folder, "XLM", vocab_size=n, emb_dim=16, n_layers=3, n_heads=2, n_langs=1)


BUILDS: dict[str, Build] = {
    one.__name__: one
    for one in (bert, roberta, deberta, deberta_v2, t5, gpt2, bart, xlnet, distilbert, xlm)
} | {
    "albert": lambda folder: bert(folder, "Albert", embedding_size=8),
    "mpnet": lambda folder: bert(folder, "MPNet", max_position_embeddings=66),
    "mbart": lambda folder: bart(folder, "MBart"),
    "qwen3": lambda folder: bert(folder, "Qwen3", num_key_value_heads=2, head_dim=8),
}


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """The folder of the tiny model of a kind, made when first asked for."""
    root = tmp_path_factory.mktemp("models")

    def folder(kind: str) -> Path:
        if not (root / kind).exists():
            BUILDS[kind](root / kind)
        return root / kind

    return folder


@pytest.fixture(scope="module")
def encoder_of(folder_of):
    """The encoder of the tiny model of a kind."""
    return cache(lambda kind: HuggingFace(str(folder_of(kind))))


@pytest.fixture
def copy_of(folder_of, tmp_path):
    """A copy of a tiny model's folder, to be damaged."""

    def copied(kind: str) -> Path:
        return Path(shutil.copytree(folder_of(kind), tmp_path / kind))

    return copied


def close(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and float(np.abs(left - right).max()) < 1e-5


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


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


def as_bert_score_computes(
    folder: Path, kind: str, layer: int
) -> Callable[[list[int]], np.ndarray]:
    from bert_score.utils import bert_encode, get_model

    assert "t5" not in str(folder.parent), "bert-score tells T5 by the letters in its path"
    if kind == "gpt2":  # which bert-score does not truncate
        model = transformers.GPT2Model.from_pretrained(folder)
        model.h = model.h[:layer]
    else:
        model = get_model(str(folder), layer)

    def compute(ids: list[int]) -> np.ndarray:
        given = torch.tensor([ids])
        return bert_encode(model, given, torch.ones_like(given))[0].numpy()

    return compute


@pytest.mark.parametrize("kind", BUILDS)
def test_token_vectors_are_those_of_bert_score_at_every_layer(kind, folder_of):
    pytest.importorskip("bert_score")
    folder = folder_of(kind)
    encoder = HuggingFace(str(folder))
    read = read_by_bert_score(folder)
    for layer in LAYERS.get(kind, (2,)):
        compute = as_bert_score_computes(folder, kind, layer)
        for ids, found in zip(read, encoder.encode_tokens(TEXTS, layer=layer), strict=True):
            assert found.ids.tolist() == ids
            assert close(found.vectors, unit(compute(ids))), layer


@pytest.mark.parametrize("kind", BUILDS)
def test_no_layer_named_is_the_last(kind, encoder_of):
    encoder = encoder_of(kind)
    assert encoder.identity["n_layers"] == 3
    last = encoder.encode_tokens(TEXTS[:1])[0].vectors
    assert (last == encoder.encode_tokens(TEXTS[:1], layer=3)[0].vectors).all()
    assert not close(last, encoder.encode_tokens(TEXTS[:1], layer=2)[0].vectors)
    assert last.shape[1] == encoder.identity["dimension"] == 16


def test_a_layer_that_cannot_be_computed_by_itself_is_refused(encoder_of):
    # Neither can bert-score: without any layer transformers' DeBERTa v2 breaks.
    with pytest.raises(EncoderError, match="cannot compute layer 0 by itself"):
        encoder_of("deberta_v2").encode_tokens(["a"], layer=0)


@pytest.mark.parametrize("layer", [-1, 4])
def test_a_layer_that_is_not_there_is_refused_with_the_range(layer, encoder_of):
    with pytest.raises(EncoderError, match=rf"layers 0 \(the embeddings\) to 3, not {layer}"):
        encoder_of("bert").encode_tokens(["a"], layer=layer)


@pytest.mark.parametrize("kind", ["bert", "roberta", "gpt2", "t5", "deberta"])
def test_tokens_know_where_they_stand_in_the_text_as_given(kind, encoder_of):
    text = "  \tThe Rhine 😀 in Basel \n"
    found = encoder_of(kind).encode_tokens([text])[0]
    pieces = [text[start:end] for start, end in found.spans[~found.special]]
    # All but white space is in some token, and the first begins where the text does.
    assert {*range(len(text))} - {at for s, e in found.spans for at in range(s, e)} <= {
        at for at, sign in enumerate(text) if sign.isspace()
    }
    assert pieces[0].strip() == text.strip()[: len(pieces[0].strip())]
    assert (found.spans[found.special] == 0).all()


@pytest.mark.parametrize(
    ("kind", "marks"), [("bert", 2), ("roberta", 2), ("t5", 1), ("gpt2", 0), ("deberta", 2)]
)
def test_marks_around_the_text_are_special_and_what_a_text_says_is_not(kind, marks, encoder_of):
    found = encoder_of(kind).encode_tokens(["The [SEP] </s> Rhine"])[0]
    assert found.special.sum() == marks
    if marks == 2:
        assert found.special[[0, -1]].all()


ODD = ["", " \n\t", "😀😀", "שלום", "\x00", "a\ud800b", "مرحبا", "世界", "\ufeff", "e\u0301" * 99]


@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta", "t5", "gpt2"])
def test_any_text_has_vectors_of_length_one(kind, encoder_of):
    encoder = encoder_of(kind)
    for text in ODD:
        tokens = encoder.encode_tokens([text], layer=2)[0]
        for vectors in (encoder.encode([text]), tokens.vectors):
            assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        assert len(tokens.ids) >= 1
        if not text.strip():
            assert tokens.special.all()
    if kind == "gpt2":  # which puts no marks around a text: one without tokens is the end mark
        assert encoder.encode_tokens([""])[0].ids.tolist() == [0]
    assert (encoder.encode(["", "Rhine"])[0] == encoder.encode([""])[0]).all()
    assert len(encoder.encode([])) == 0
    assert encoder.encode_tokens([]) == encoder.token_ids([]) == encoder.count_tokens([]) == []


def test_token_ids_are_those_of_the_token_vectors(encoder_of):
    encoder = encoder_of("roberta")
    texts = [*TEXTS, "", "Rhine " * 99]
    for long_text in ("cut", "windows"):
        ids = encoder.token_ids(texts, long_text=long_text)
        vectors = encoder.encode_tokens(texts, long_text=long_text)
        assert [one.tolist() for one in ids] == [one.ids.tolist() for one in vectors]


def test_a_slow_tokenizer_gives_tokens_without_places(tmp_path):
    # ByT5 has no vocabulary: its tokens are the bytes, three on, and 1 ends a text.
    transformers.ByT5Tokenizer(extra_ids=0).save_pretrained(tmp_path)
    save_model(
        tmp_path, "T5", vocab_size=259, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2
    )
    encoder = HuggingFace(str(tmp_path))
    empty, found = encoder.encode_tokens(["", "ab"])
    assert found.ids.tolist() == [100, 101, 1]
    assert found.special.tolist() == [False, False, True]
    assert found.spans is None
    assert empty.ids.tolist() == [1]
    assert empty.special.all()


def test_a_long_text_is_cut_with_its_marks_kept_and_said_to_be(encoder_of):
    encoder = encoder_of("bert")
    short, long = encoder.encode_tokens(["Rhine", "Rhine " * 99])
    assert not short.is_cut
    assert (long.is_cut, len(long.ids), long.ids[-1]) == (True, 64, 3)
    assert long.n_tokens == 99 * (len(short.ids) - 2) + 2
    assert encoder.count_tokens(["Rhine " * 99]) == [(long.n_tokens, 64)]


def test_windows_give_every_token_a_vector(encoder_of):
    encoder = encoder_of("bert")
    text = " ".join(CORPUS * 3)
    whole = encoder.encode_tokens([text], long_text="windows")[0]
    cut = encoder.encode_tokens([text])[0]
    assert len(whole.ids) == whole.n_tokens > 64
    assert not whole.is_cut
    # The first quarter of the first window is nowhere deeper than there.
    assert close(whole.vectors[:16], cut.vectors[:16])
    assert not close(encoder.encode([text]), encoder.encode([text], long_text="windows"))


def save_sentences(folder: Path, *, inner: str = "", pooling: str = "mean", **settings: object):
    """The files that sentence-transformers has beside a model's own."""
    package = "sentence_transformers.models"
    modules = [
        ("0", inner, "Transformer"),
        ("1", "1_Pooling", "Pooling"),
        ("2", "2_N", "Normalize"),
    ]
    rows = [
        {"idx": int(name), "name": name, "path": path, "type": f"{package}.{kind}"}
        for name, path, kind in modules
    ]
    (folder / "modules.json").write_text(json.dumps(rows))
    (folder / inner / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": 20, "do_lower_case": False, **settings})
    )
    (folder / "1_Pooling").mkdir()
    modes = {
        f"pooling_mode_{one}": one.startswith(pooling)
        for one in ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "lasttoken")
    }
    modes["pooling_mode_mean_sqrt_len_tokens"] = pooling == "mean_sqrt"
    modes["pooling_mode_mean_tokens"] = pooling == "mean"
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 16, **modes})
    )


def by_sentence_transformers(folder: Path, texts: list[str]) -> np.ndarray:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    return unit(np.stack([model.encode(text, convert_to_numpy=True) for text in texts]))


SENTENCES = [*TEXTS, "The river Rhine flows through Basel. " * 5]


@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta_v2", "mpnet", "t5", "qwen3"])
def test_vectors_are_those_of_sentence_transformers(kind, copy_of):
    folder = copy_of(kind)
    save_sentences(folder)
    encoder = HuggingFace(str(folder))
    assert encoder.sentence_tokens == 20
    assert encoder.max_tokens > 20
    assert close(encoder.encode(SENTENCES), by_sentence_transformers(folder, SENTENCES))


@pytest.mark.parametrize("pooling", ["mean", "mean_sqrt", "cls", "max", "lasttoken"])
def test_pooling_is_that_of_sentence_transformers(pooling, copy_of):
    folder = copy_of("bert")
    save_sentences(folder, pooling=pooling)
    encoder = HuggingFace(str(folder))
    assert close(encoder.encode(SENTENCES), by_sentence_transformers(folder, SENTENCES))


def test_a_folder_that_sentence_transformers_saves_today_is_read(copy_of, tmp_path):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    from sentence_transformers.models import Pooling, Transformer

    modules = [Transformer(str(copy_of("bert")), max_seq_length=12), Pooling(16, "cls")]
    model = sentence_transformers.SentenceTransformer(modules=modules, device="cpu")
    model.save(str(tmp_path / "saved"))
    encoder = HuggingFace(str(tmp_path / "saved"))
    assert encoder.sentence_tokens == 12
    expected = by_sentence_transformers(tmp_path / "saved", SENTENCES)
    assert close(encoder.encode(SENTENCES), expected)


def test_the_old_layout_with_the_transformer_in_a_folder_of_its_own_is_read(copy_of, tmp_path):
    plain = copy_of("bert")
    root = tmp_path / "old"
    root.mkdir()
    shutil.copytree(plain, root / "0_Transformer")
    save_sentences(root, inner="0_Transformer")
    encoder = HuggingFace(str(root))
    assert encoder.sentence_tokens == 20
    assert close(encoder.encode(SENTENCES), by_sentence_transformers(root, SENTENCES))


def test_texts_are_lowered_and_prompted_where_the_model_says_so(copy_of):
    folder = copy_of("roberta")
    save_sentences(folder, do_lower_case=True)
    prompts = {"prompts": {"q": "Who: "}, "default_prompt_name": "q"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    encoder = HuggingFace(str(folder))
    assert close(encoder.encode(SENTENCES), by_sentence_transformers(folder, SENTENCES))
    plain = HuggingFace(str(copy_of("bert").parent / "roberta"))
    assert (plain.token_ids(["The Rhine"])[0] == encoder.token_ids(["The Rhine"])[0]).all()


def test_without_settings_of_sentence_transformers_tokens_are_averaged(folder_of, encoder_of):
    encoder = encoder_of("bert")
    ids = torch.tensor([encoder.tokenize(["The Rhine"])[0].ids])
    model = transformers.BertModel.from_pretrained(folder_of("bert")).eval()
    with torch.no_grad():
        mean = model(ids).last_hidden_state[0].mean(0).numpy()
    assert close(encoder.encode(["The Rhine"])[0], unit(mean))


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
    n = save_word_pieces(tmp_path)
    wide = {"hidden_size": 384, "intermediate_size": 1536, "num_attention_heads": 12}
    save_model(tmp_path, "Bert", vocab_size=n, num_hidden_layers=2, **wide)
    environment = {name: value for name, value in os.environ.items() if name != "MKL_CBWR"}
    command = [sys.executable, "-c", IN_COMPANY, str(tmp_path)]
    subprocess.run(command, check=True, env=environment)


def test_another_process_gets_settings_and_no_weights(encoder_of):
    encoder = encoder_of("bert")
    expected = encoder.encode(TEXTS)
    copied = pickle.dumps(encoder)
    assert len(copied) < 2_000
    again = pickle.loads(copied)
    assert again.identity == encoder.identity
    assert (again.encode(TEXTS) == expected).all()


def test_identity_says_what_fixes_the_vectors(folder_of):
    folder = str(folder_of("bert"))
    encoder = HuggingFace(folder)
    assert encoder.identity["revision"].startswith("sha256:")
    assert {name: value for name, value in encoder.identity.items() if name != "revision"} == {
        "name": folder,
        "precision": "fp32",
        "dimension": 16,
        "n_layers": 3,
    }
    json.dumps(encoder.identity)


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


class Bomb:
    def __reduce__(self):
        return (Path.touch, (Path("bomb-went-off"),))


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
        if content is None:
            (folder / file).unlink()
        else:
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


def only(file: str, content: bytes) -> Callable[[Path], None]:
    """Another file in the place of the weights."""

    def change(folder: Path) -> None:
        (folder / "model.safetensors").unlink()
        (folder / file).write_bytes(content)

    return change


def index(part: str) -> Callable[[Path], None]:
    return only("model.safetensors.index.json", json.dumps({"weight_map": {"a": part}}).encode())


BOMB = pickle.dumps(Bomb())
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
    ([only("pytorch_model.bin", BOMB)], "only as pytorch_model.bin, a pickle, which runs code"),
    ([only("model.pt", BOMB)], "only as model.pt, a pickle, which runs code"),
    ([only("weights.pkl", BOMB)], "only as weights.pkl, a pickle, which runs code"),
    ([index("pytorch_model-1.bin")], "names 'pytorch_model-1.bin' as weights"),
    ([index("../model-1.safetensors")], "names '../model-1.safetensors' as weights"),
    ([index("/x.safetensors")], "names '/x.safetensors' as weights"),
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
    *(([cut(share)], "cannot be loaded: .*download it again") for share in (0, 0.001, 0.5, 0.99)),
    *(
        ([written(file, content)], file)
        for file in ("config.json", "modules.json")
        for content in (b"", b"{", b"\xff\xfe", b"7", b"[" * 200_000)
    ),
    ([of_another_model], "gives the token 999.*they do not belong together"),
    ([not_finite], "not finite numbers"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_a_model_that_is_damaged_or_would_run_code_is_refused(
    changes, said, copy_of, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    folder = copy_of("bert")
    save_sentences(folder)
    for change in changes:
        change(folder)
    with pytest.raises(EncoderError, match=said):
        HuggingFace(str(folder)).encode(["a zebra"])
    assert not Path("bomb-went-off").exists()
    assert not Path("code-ran").exists()


@pytest.mark.parametrize(
    ("kind", "limit", "read"),
    [
        # bert-score fails here: its tokenizers say 10^30, which is too big a number for them to cut at.
        ("roberta", None, 64),  # of 66 positions two are taken by the padding
        ("t5", int(1e30), 512),
        ("bert", 900, 64),
    ],
)
def test_a_limit_that_is_absent_or_beyond_the_positions_is_that_of_the_model(
    kind, limit, read, copy_of
):
    folder = copy_of(kind)
    changed("tokenizer_config.json", model_max_length=limit)(folder)
    encoder = HuggingFace(str(folder))
    assert encoder.max_tokens == read
    assert len(encoder.encode_tokens(["Rhine " * 999])[0].ids) == read


def test_a_pickle_beside_safetensors_is_not_read(copy_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = copy_of("bert")
    for file in ("pytorch_model.bin", "training_args.bin", "adapter_model.bin"):
        (folder / file).write_bytes(pickle.dumps(Bomb()))
    assert HuggingFace(str(folder)).encode(["a"]).shape == (1, 16)
    assert not Path("bomb-went-off").exists()


def test_weights_in_several_files_are_read_and_a_missing_one_is_named(copy_of):
    folder = copy_of("bert")
    expected = HuggingFace(str(folder)).encode(TEXTS)
    model = transformers.BertModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="10KB")
    parts = sorted(folder.glob("model-*.safetensors"))
    assert len(parts) > 1
    assert (HuggingFace(str(folder)).encode(TEXTS) == expected).all()
    parts[0].unlink()
    with pytest.raises(EncoderError, match=f"{parts[0].name} is missing"):
        HuggingFace(str(folder))


def test_a_model_with_code_for_a_known_architecture_is_read_without(copy_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = copy_of("bert")
    expected = HuggingFace(str(folder)).encode(TEXTS)
    add_code(folder)
    changed("tokenizer_config.json", auto_map={"AutoTokenizer": ["own.Slow", "own.Fast"]})(folder)
    kernel = dict.fromkeys(("attn_implementation", "_attn_implementation"), "evil/kernel")
    changed("config.json", **kernel)(folder)  # of the hub, and not fetched
    assert (HuggingFace(str(folder)).encode(TEXTS) == expected).all()
    assert not Path("code-ran").exists()


@pytest.mark.parametrize(
    "name", ["./nowhere", "/no/such/folder", "a/b/c", "~/nowhere/at-all", "x y"]
)
def test_a_folder_that_is_not_there_is_said_not_to_be(name, folder_of):
    with pytest.raises(EncoderError, match="there is no such folder"):
        HuggingFace(name)
    with pytest.raises(EncoderError, match="is a file; give the folder"):
        HuggingFace(str(folder_of("bert") / "model.safetensors"))


def test_precisions_and_devices_that_are_not_there_are_refused(folder_of):
    with pytest.raises(EncoderError, match="one of fp32, fp16, bf16, not 'int8'"):
        HuggingFace(str(folder_of("bert")), precision="int8")
    with pytest.raises(EncoderError, match="'abacus' is not a device"):
        HuggingFace(str(folder_of("bert")), device="abacus").encode(["a"])
    if not torch.cuda.is_available():
        with pytest.raises(EncoderError, match="finds no GPU for 'cuda:0'"):
            HuggingFace(str(folder_of("bert")), device="cuda:0").encode(["a"])


def test_a_missing_package_is_named_with_its_extra(folder_of, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs torch; .*ragauge\[hf\]"):
        HuggingFace(str(folder_of("bert")))


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


def test_a_model_of_the_hub_is_known_by_its_commit(hub, encoder_of):
    for revision in (None, "main", COMMIT):
        encoder = HuggingFace("org/tiny", revision=revision)
        assert (encoder.name, encoder.identity["revision"]) == ("org/tiny", COMMIT)
    assert (encoder.encode(TEXTS) == encoder_of("bert").encode(TEXTS)).all()


@pytest.mark.parametrize(
    ("name", "revision"), [("org/other", None), ("org/tiny", "v2"), ("tiny", None)]
)
def test_a_hub_that_cannot_be_reached_is_said_and_its_pickles_are_refused(hub, name, revision):
    says = f"{name}.*cannot be reached.*hf download {name}"
    with pytest.raises(EncoderError, match=says) as raised:
        HuggingFace(name, revision=revision)
    assert raised.value.is_down
    (hub / "snapshots" / COMMIT / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=r"pytorch_model.bin or .pt, are not read"):
        HuggingFace("org/tiny")


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
            self.reply(names[wanted].read_bytes(), 200)
        elif path.startswith(f"/api/models/org/tiny/tree/{COMMIT}"):
            rows = [{"type": "file", "path": one, "size": 1, "oid": one} for one in names]
            self.reply(json.dumps(rows).encode(), 200)
        elif path.startswith("/api/models/org/tiny"):
            about = {
                "id": "org/tiny",
                "sha": COMMIT,
                "siblings": [{"rfilename": one} for one in names],
            }
            self.reply(json.dumps(about).encode(), 200)
        else:
            self.reply(b"{}", 404)

    def reply(self, body: bytes, status: int) -> None:
        self.send_response(status)
        for name, value in (("ETag", f'"{len(body)}"'), ("X-Repo-Commit", COMMIT)):
            self.send_header(name, value)
        if status == 404:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """In silence."""


@pytest.fixture
def served(copy_of):
    """The address of a hub, the folder that it serves as org/tiny, and what it was asked for."""
    folder = copy_of("bert")
    handler = type("Own", (Hub,), {"folder": folder, "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", folder, handler.asked
        server.shutdown()


def from_hub(address: str, home: Path, name: str) -> subprocess.CompletedProcess[str]:
    """Open the hub's model in a process of its own: the hub's address is read at import."""
    script = f"""if True:
        import json, ragauge.errors
        from ragauge.encoders.huggingface import HuggingFace
        try:
            encoder = HuggingFace({name!r})
            print(json.dumps([encoder.identity["revision"], encoder.encode(["a"]).shape]))
        except ragauge.errors.EncoderError as error:
            print(error)
    """
    offline = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": address, "HF_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **offline, "NO_PROXY": "127.0.0.1"},
    )


def test_of_the_hubs_files_only_those_that_are_read_are_fetched(served, tmp_path):
    address, folder, asked = served
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
    done = from_hub(address, tmp_path / "home", "org/tiny")
    assert (done.stdout, done.stderr) == (json.dumps([COMMIT, [1, 16]]) + "\n", "")
    fetched = {one.partition(f"/resolve/{COMMIT}/")[2] for one in asked if "/resolve/" in one}
    assert fetched - {"special_tokens_map.json"} == {
        *("config.json", "model.safetensors", "modules.json", "1_Pooling/config.json"),
        *("sentence_bert_config.json", "tokenizer.json", "tokenizer_config.json"),
    }
    done = from_hub(address, tmp_path / "home", "org/other")
    assert "the hub has no such model or revision" in done.stdout, done.stderr


def test_opening_imports_no_torch_and_reading_prints_nothing(copy_of):
    folder = copy_of("bert")
    # A checkpoint without a head for sentences, of which transformers has a table to print.
    model = transformers.BertModel.from_pretrained(folder, add_pooling_layer=False)
    model.save_pretrained(folder)
    script = f"""if True:
        import os, sys
        from ragauge.encoders.huggingface import HuggingFace
        encoder = HuggingFace({str(folder)!r})
        encoder.identity
        assert not {{"torch", "transformers"}} & set(sys.modules)
        encoder.encode(["The Rhine " * 900])
        assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"
    """
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
