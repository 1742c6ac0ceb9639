"""The embedded encoder beside the model that it is, and the packages that usually run it."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ragauge.encoders.embedded import LAYERS, MiniLM
from ragauge.errors import EncoderError

UPSTREAM = json.loads((Path(__file__).parent / "upstream_vectors.json").read_text("utf-8"))
"""What sentence-transformers 6.2.0 makes of these texts with the model's original weights."""
TEXTS = [
    "The yearly fee of Lantern Hut is $1,604.50.",
    "It was 5% less in 2021.",
    "雪が降る。 Il neige à l'été ❄️",
    "القسط هو ٦٠٤ دولارًا",
    "fee",
    "A longer sentence about nothing in particular, which has some thirty tokens or so in it, and "
    "commas; and a semicolon.",
    "",
    " \n ",
    "👨‍👩‍👧 🇬🇧",
]
MODEL = MiniLM(threads=2)


def cosines(left, right):
    return (np.asarray(left) * np.asarray(right)).sum(axis=1)


def test_vectors_are_those_of_the_original_weights_but_for_their_rounding():
    ours = MODEL.encode([one["text"] for one in UPSTREAM])
    assert cosines(ours, [one["vector"] for one in UPSTREAM]).min() > 0.99999


@pytest.mark.slow
def test_vectors_are_those_of_sentence_transformers(minilm_folder):
    package = pytest.importorskip("sentence_transformers")
    theirs = package.SentenceTransformer(str(minilm_folder), device="cpu").encode(
        [*TEXTS, "word " * 400], normalize_embeddings=True
    )
    assert MODEL.encode([*TEXTS, "word " * 400]) == pytest.approx(theirs, abs=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("layer", range(LAYERS + 1))
def test_states_of_every_layer_are_those_of_transformers(minilm_folder, layer):
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(minilm_folder).eval()
    for text in TEXTS:
        (tokens,) = MODEL.tokenize([text])
        with torch.inference_mode():
            out = model(torch.tensor([tokens.ids]), output_hidden_states=True)
        theirs = out.hidden_states[layer][0].numpy()
        ours = MODEL.hidden(np.array([tokens.ids]), layer)[0]
        assert ours == pytest.approx(theirs, abs=2e-5)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
@pytest.mark.slow
def test_a_text_has_the_same_vector_whatever_stands_beside_it(precision):
    texts = [*TEXTS, *(f"{text} {number}" for number in range(40) for text in TEXTS)]
    together = MiniLM(precision, threads=2).encode(texts)
    alone = MiniLM(precision, threads=1)
    assert all(
        np.array_equal(alone.encode([text])[0], vector)
        for text, vector in zip(texts[:60], together, strict=False)
    )
    assert np.array_equal(alone.encode(texts[::-1])[::-1], together)
    alone.tokens_a_batch = 64
    assert np.array_equal(alone.encode(texts), together)


def test_whole_numbers_are_near_single_precision():
    texts = [f"{text} {number}" for number in range(3) for text in TEXTS if text.strip()]
    near = cosines(MiniLM("int8").encode(texts), MODEL.encode(texts))
    assert near.mean() > 0.99
    assert near.min() > 0.97


def test_special_tokens_and_places_in_the_text_are_marked():
    text = "  Naïve fees: $5 "
    (found,) = MODEL.encode_tokens([text])
    assert found.special.tolist() == [True, *[False] * 5, True]
    assert found.spans is not None
    pieces = [text[start:end] for start, end in found.spans]
    assert pieces == ["", "Naïve", "fees", ":", "$", "5", ""]
    assert found.n_tokens == len(found.ids) == 7
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_a_long_text_is_cut_and_says_so_or_is_read_whole():
    text = "word " * 520
    cut, whole = (MODEL.encode_tokens([text], long_text=way)[0] for way in ("cut", "windows"))
    assert (len(cut.ids), cut.n_tokens, cut.is_cut) == (512, 522, True)
    assert (len(whole.ids), whole.n_tokens, whole.is_cut) == (522, 522, False)
    assert cut.special[[0, -1]].all()
    assert whole.special.sum() == 2
    assert MODEL.count_tokens([text]) == [(522, 256)]


def test_windows_see_what_a_cut_does_not():
    start = "The hut is open in summer. " * 60
    texts = [start + "Dogs are free.", start + "The fee is five pounds."]
    assert np.array_equal(*MODEL.encode(texts))
    assert not np.array_equal(*MODEL.encode(texts, long_text="windows"))
    one, other = (MODEL.encode(TEXTS, long_text=way) for way in ("cut", "windows"))
    assert np.array_equal(one, other), "of a text that fits"


def test_a_layer_or_precision_that_is_not_there_is_refused():
    for layer in (-1, 7):
        with pytest.raises(EncoderError, match=f"layers 0 to 6, not {layer}"):
            MODEL.encode_tokens(["fee"], layer=layer)
    with pytest.raises(EncoderError, match="fp32 and int8, not 'fp16'"):
        MiniLM("fp16")


@pytest.fixture
def copied(tmp_path) -> Path:
    """A copy of the model's folder."""
    return Path(shutil.copytree(MODEL.folder, tmp_path / "minilm"))


@pytest.mark.parametrize("file", ["fp32.onnx", "weights.bin", "vocab.txt", "MADE"])
def test_an_installation_without_a_file_says_which(copied, file):
    (copied / file).unlink()
    with pytest.raises(EncoderError, match=f"{file} is missing.*install ragauge again"):
        MiniLM(folder=copied)


@pytest.mark.parametrize("file", ["fp32.onnx", "weights.bin"])
def test_a_file_that_was_cut_short_is_an_error(copied, file):
    data = (copied / file).read_bytes()
    (copied / file).write_bytes(data[: len(data) // 2])
    with pytest.raises(EncoderError, match=r"cannot be read.*install ragauge again"):
        MiniLM(folder=copied).encode(["fee"])


def test_a_copy_opens_its_own_model():
    MODEL.encode(["fee"])
    copy = pickle.loads(pickle.dumps(MODEL))
    assert "_session" not in copy.__dict__
    assert np.array_equal(copy.encode(["fee"]), MODEL.encode(["fee"]))


def test_the_identity_tells_precisions_and_graphs_apart_and_holds_no_path(copied):
    assert MODEL.identity != MiniLM("int8").identity
    assert str(MODEL.folder) not in json.dumps(MODEL.identity)
    (copied / "MADE").write_text("another of the same weights")
    assert MiniLM(folder=copied).identity == {**MODEL.identity, "graph": "another"}


ALONE = """
import sys, socket

def refuse(*_, **__):
    raise OSError("no sockets here")

socket.socket.connect = refuse
from ragauge.encoders.embedded import MiniLM
print(MiniLM().encode(["fee"]).shape)
print(sorted({"torch", "transformers", "tokenizers", "onnx"} & set(sys.modules)))
"""


def test_it_needs_no_torch_no_hub_and_no_socket_and_leaves_nothing_in_the_home_folder(tmp_path):
    """onnxruntime keeps an id of the device and a queue of events there unless told not to."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        capture_output=True,
        text=True,
        check=False,
        env={**env, "HOME": str(tmp_path)},
    )
    assert (done.stdout, done.stderr) == ("(1, 384)\n[]\n", "")
    assert list(tmp_path.rglob("*")) == []


def test_no_texts_give_no_vectors():
    assert MODEL.encode([]).shape[0] == 0
    assert MODEL.encode_tokens([]) == []
