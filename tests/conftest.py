import json
import os
import time
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import settings

from ragauge import catalog
from ragauge.metric import FEATURES, METRICS

settings.register_profile("any machine", deadline=None)  # how long it takes says nothing here
settings.load_profile("any machine")

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it; the terminal's width is the test's own

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "answers.jsonl"


@pytest.fixture
def own_metrics():
    """Metrics and features that a test declares are forgotten after it."""
    catalog.metrics()
    metrics, features = dict(METRICS), dict(FEATURES)
    yield
    for known, before in ((METRICS, metrics), (FEATURES, features)):
        known.clear()
        known.update(before)


@pytest.fixture
def handbook():
    """The bundled example's answers."""
    return HANDBOOK


class BoundedTime:
    """Fails when what is done within takes processor time that only a worse than linear way takes."""

    limit_s = 30.0

    def __enter__(self) -> None:
        self.start = time.process_time()

    def __exit__(self, *raised: object) -> None:
        assert time.process_time() - self.start < self.limit_s, "takes more than linear time"


@pytest.fixture
def bounded_time() -> BoundedTime:
    return BoundedTime()


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory) -> Path:
    """The embedded model with its weights as stored, in the form that the reference packages read."""
    for package in ("torch", "transformers", "onnx"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("all-MiniLM-L6-v2")
    write_minilm(folder)
    return folder


def write_minilm(folder: Path) -> None:
    """Write the embedded model as transformers and sentence-transformers read it."""
    import onnx
    import torch
    import transformers

    ours = Path(str(resources.files("ragauge"))) / "encoders" / "minilm"
    graph = onnx.load(str(ours / "fp32.onnx")).graph
    stored = {one.name: torch.tensor(onnx.numpy_helper.to_array(one)) for one in graph.initializer}
    stored = {name: array.float() for name, array in stored.items()}
    sizes = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12}
    config = transformers.BertConfig(**sizes, intermediate_size=1536, layer_norm_eps=1e-12)
    model = transformers.BertModel(config)
    model.load_state_dict(_as_bert(stored, model.state_dict()))
    model.save_pretrained(folder)
    words = str(ours / "vocab.txt")
    transformers.BertTokenizerFast(vocab=words, model_max_length=512).save_pretrained(folder)
    (folder / "1_Pooling").mkdir()
    pooling = {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 256}))
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for at, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))


def _as_bert(stored, wanted):
    """The weights under the names that transformers gives them."""
    state = {name: tensor * 0 for name, tensor in wanted.items()}
    state["embeddings.word_embeddings.weight"] = stored["words"]
    state["embeddings.position_embeddings.weight"] = stored["places.half"]
    norms = {"embeddings.": "embedded"}
    for number in range(6):
        theirs, ours = f"encoder.layer.{number}.", f"layer{number + 1}."
        for at, part in enumerate(("query", "key", "value")):
            columns = slice(384 * at, 384 * (at + 1))
            state[f"{theirs}attention.self.{part}.weight"] = stored[f"{ours}qkv.half"][:, columns].T
            state[f"{theirs}attention.self.{part}.bias"] = stored[f"{ours}qkv.bias"][columns]
        after = f"hidden_{number + 1}"
        for their, name, bias in (
            ("attention.output.", "out", f"{ours}attended.bias"),
            ("intermediate.", "wide", f"{ours}wide.bias"),
            ("output.", "narrow", f"{after}.bias"),
        ):
            state[f"{theirs}{their}dense.weight"] = stored[f"{ours}{name}.half"].T
            state[f"{theirs}{their}dense.bias"] = stored[bias]
        norms |= {f"{theirs}attention.output.": f"{ours}attended", f"{theirs}output.": after}
    for their, name in norms.items():
        state[f"{their}LayerNorm.weight"] = stored[f"{name}.gamma"]
        state[f"{their}LayerNorm.bias"] = stored[f"{name}.beta"]
    return {name: tensor.contiguous() for name, tensor in state.items()}
