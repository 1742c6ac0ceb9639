"""Encoders take the GPUs of a cluster, here ones that a node only declares: an actor for each."""

from pathlib import Path
from typing import Any

import pytest

import ragauge as rg
from ragauge.encoders import open_encoder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
ROWS = [
    {"id": f"q{at}", "answer": f"It costs {at % 7}.", "reference": f"The price is {at % 5}."}
    for at in range(60)
]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """A small BERT with random weights, as Hugging Face stores it."""
    torch = pytest.importorskip("torch", reason="pip install 'ragauge[hf]'")
    transformers = pytest.importorskip("transformers", reason="pip install 'ragauge[hf]'")
    folder = tmp_path_factory.mktemp("models") / "bert"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "it", "costs", "the", "price", "is", "."]
    (folder / "vocab.txt").write_text("\n".join([*words, *map(str, range(10))]) + "\n")
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words) + 10,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def gpus_taken(cluster: Any, encoder: Any, folder: Path) -> tuple[rg.Run, set[float]]:
    """A run on the cluster, and how many of its GPUs actors held when a batch was done."""
    import ray

    taken: set[float] = set()

    def look(done: int, n: int) -> None:
        total = ray.cluster_resources().get("GPU", 0)
        taken.add(total - ray.available_resources().get("GPU", 0))

    run = rg.evaluate(
        ROWS,
        "semantic_similarity",
        encoder=encoder,
        folder=folder,
        batch_size=10,
        executor=rg.Ray(cluster.address),
        progress=look,
    )
    return run, taken


def test_a_hugging_face_model_has_an_actor_on_each_gpu_and_another_encoder_none(
    cluster, model, tmp_path
):
    cluster.add_node(num_cpus=1, num_gpus=2, object_store_memory=200 * 2**20)
    encoder = open_encoder(model=str(model), device="cpu")
    here = rg.evaluate(ROWS, "semantic_similarity", encoder=encoder, batch_size=10)
    there, taken = gpus_taken(cluster, encoder, tmp_path / "there")
    assert max(taken) == 2
    assert there.scores.equals(here.scores)
    _, taken = gpus_taken(cluster, None, tmp_path / "embedded")
    assert taken == {0}
