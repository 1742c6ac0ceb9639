"""The trained reader as one ONNX graph that computes in 8-bit whole numbers, as the embedded encoder's int8.onnx does.

It takes the encoder's own matrices from minilm/weights.bin and holds what is added to each as two thin matrices of 8-bit whole numbers, whose
product onnxruntime adds when it opens the graph.

Inputs: `ids` (pairs, tokens) and `kinds` (pairs, tokens), 0 for the claim and 1 for the passage; pairs of a batch have equal lengths.
Output: `log_odds` (pairs,) that the passage says what the claim says.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parents[2]))
import hatch_build
from hatch_build import EPSILON, Graph

MOST_TOKENS = 160
ENCODER = Path(__file__).parents[2] / "src" / "ragauge" / "encoders" / "minilm"
PARTS = ("query", "key", "value")
NAMES = {
    "out": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}
"""The reader's names of a layer's parts, and BERT's."""


class ReaderGraph(Graph):
    """A graph whose large matrices are the encoder's and an addition of low rank."""

    def __init__(self, rank: int) -> None:
        super().__init__(None)
        self.in_whole_numbers = True
        self.rank = rank
        self.encoder = {
            one.name: one
            for one in onnx.load(ENCODER / "fp32.onnx", load_external_data=False).graph.initializer
        }

    def stored(self, name: str, array: Any) -> str:
        half = self.small(f"{name}.stored", np.asarray(array, np.float16))
        return self.node("Cast", [half], name, to=TensorProto.FLOAT)

    def matrix(self, name: str, array: Any) -> str:
        theirs = self.shared(f"{name}.half")
        base = numpy_helper.to_array(theirs, str(ENCODER.parent)).astype(np.float32)
        left, sizes, right = np.linalg.svd(array - base, full_matrices=False)
        root = np.sqrt(sizes[: self.rank])
        thin = [
            self.whole(f"{name}.left", left[:, : self.rank] * root, 0),
            self.whole(f"{name}.right", root[:, None] * right[: self.rank], 1),
        ]
        self.node("Cast", [theirs.name], f"{name}.encoder", to=TensorProto.FLOAT)
        self.node("MatMul", thin, f"{name}.added")
        return self.node("Add", [f"{name}.encoder", f"{name}.added"], name)

    def shared(self, name: str) -> TensorProto:
        """A tensor of the encoder, which stays in its file."""
        tensor = TensorProto()
        tensor.CopyFrom(self.encoder[name])
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = f"{ENCODER.name}/{entry.value}"
        self.initializers.append(tensor)
        return tensor

    def whole(self, name: str, array: Any, axis: int) -> str:
        """The array in 8-bit steps; each column (axis 0) or row (1) has a step of its own."""
        step = (
            np.maximum(np.abs(array).max(axis=axis, keepdims=True), 1e-9).astype(np.float32) / 127
        )
        whole = self.small(f"{name}.stored", np.round(array / step).astype(np.int8))
        self.node("Cast", [whole], f"{name}.cast", to=TensorProto.FLOAT)
        return self.node("Mul", [f"{name}.cast", self.small(f"{name}.step", step)], name)


def graph_of(weights: Mapping[str, Any], rank: int) -> bytes:
    """The graph of the weights of train.py's `Reader`, which differ from the encoder's by matrices of this rank."""
    tensors: dict[str, Any] = {}
    n_layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for layer in range(n_layers):
        for kind in ("weight", "bias"):
            parts = np.split(weights[f"layers.{layer}.qkv.{kind}"], 3)
            for part, array in zip(PARTS, parts, strict=True):
                tensors[f"encoder.layer.{layer}.attention.self.{part}.{kind}"] = array
            for ours, theirs in NAMES.items():
                tensors[f"encoder.layer.{layer}.{theirs}.{kind}"] = weights[
                    f"layers.{layer}.{ours}.{kind}"
                ]
    graph = ReaderGraph(rank)
    states = _embedded(graph, weights)
    for layer in range(n_layers):
        states = hatch_build._layer(graph, tensors, layer, states)
    _head(graph, weights, states)
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["pairs", "tokens"]),
        helper.make_tensor_value_info("kinds", TensorProto.INT64, ["pairs", "tokens"]),
    ]
    outputs = [helper.make_tensor_value_info("log_odds", TensorProto.FLOAT, ["pairs"])]
    made = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid(name, version) for name, version in graph.opsets.items()]
    return helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString()


def _embedded(graph: ReaderGraph, weights: Mapping[str, Any]) -> str:
    graph.node("Gather", [graph.shared("words").name, "ids"], "words.half")
    graph.node("Cast", ["words.half"], "words.single", to=TensorProto.FLOAT)
    places = graph.stored("places", weights["pos.weight"][:MOST_TOKENS])
    zero = graph.small("zero", np.array([0]))
    graph.node("Shape", ["kinds"], "n_tokens", start=1, end=2)
    graph.node("Shape", ["kinds"], "shape.kinds")
    graph.node("Concat", ["shape.kinds", graph.small("rest", np.array([-1]))], "shape", axis=0)
    graph.node("Slice", [places, zero, "n_tokens", zero], "places.used")
    graph.node("Gather", [graph.stored("types", weights["types.weight"]), "kinds"], "kinds.vectors")
    graph.node("Add", ["words.single", "places.used"], "placed")
    graph.node("Add", ["placed", "kinds.vectors"], "summed")
    gamma, beta = (graph.stored(f"ln.{kind}", weights[f"ln.{kind}"]) for kind in ("weight", "bias"))
    return graph.node(
        "LayerNormalization", ["summed", gamma, beta], "hidden_0", axis=-1, epsilon=EPSILON
    )


def _head(graph: ReaderGraph, weights: Mapping[str, Any], states: str) -> None:
    """From the first token's state and the mean of the claim's to the log-odds of the first of three classes."""
    one, first = graph.small("one", np.float32(1)), graph.small("at_first", np.array(0))
    last, tokens = graph.small("last", np.array([-1])), graph.small("tokens", np.array([1]))
    graph.node("Cast", ["kinds"], "kinds.single", to=TensorProto.FLOAT)
    graph.node("Sub", [one, "kinds.single"], "is_claim")
    # Products of each pair by itself, so that its sums do not depend on the batch.
    graph.node("Unsqueeze", ["is_claim", tokens], "is_claim.row")
    graph.node("MatMul", ["is_claim.row", states], "of_claim.sum")
    graph.node("Unsqueeze", ["is_claim", last], "is_claim.column")
    graph.node("ReduceSum", ["is_claim.column", tokens], "n_claim", keepdims=1)
    graph.node("Div", ["of_claim.sum", "n_claim"], "mean")
    ends = [graph.small(name, np.array([value])) for name, value in (("at_zero", 0), ("at_one", 1))]
    graph.node("Slice", [states, *ends, tokens], "first_state")
    graph.node("Concat", ["first_state", "mean"], "pooled.row", axis=2)
    value = graph.node("Transpose", ["pooled.row"], "pooled", perm=[0, 2, 1])
    for name in ("mid", "head"):
        graph.node(
            "MatMul",
            [graph.whole(f"{name}.weight", weights[f"{name}.weight"], 1), value],
            f"{name}.product",
        )
        bias = graph.stored(f"{name}.bias", weights[f"{name}.bias"][:, None])
        value = graph.node("Add", [f"{name}.product", bias], f"{name}.out")
        if name == "mid":
            value = graph.node("Tanh", [value], "mid.active")
    value = graph.node("Squeeze", [value, graph.small("column", np.array([2]))], "logits")
    graph.node("Gather", [value, first], "says", axis=1)
    graph.node("Slice", [value, tokens, graph.small("n_classes", np.array([3])), tokens], "others")
    graph.node("ReduceLogSumExp", ["others", tokens], "others.sum", keepdims=0)
    graph.node("Sub", ["says", "others.sum"], "log_odds")
