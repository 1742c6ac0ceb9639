"""The trained reader as one ONNX graph that computes in 8-bit whole numbers, as the embedded encoder's int8.onnx does.

Inputs: `words` (pairs, tokens, 384), the encoder's vectors of the words, and `kinds` (pairs, tokens), 0 for the claim and 1 for the passage;
pairs of a batch have equal lengths. Output: `log_odds` (pairs,) that the passage says what the claim says.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).parents[2]))
import hatch_build
from hatch_build import EPSILON, WEIGHT_STEPS, WIDTH, Graph

MOST_TOKENS = 160
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
    """A graph that holds all weights itself. Matrices are 8-bit whole numbers; each column has its own step."""

    def __init__(self) -> None:
        super().__init__(None)
        self.in_whole_numbers = True

    def stored(self, name: str, array: Any) -> str:
        return self.small(name, np.asarray(array, np.float32))

    def matrix(self, name: str, array: Any) -> str:
        step = np.maximum(np.abs(array).max(axis=0), 1e-9).astype(np.float32) / WEIGHT_STEPS
        whole = self.small(f"{name}.stored", np.round(array / step).astype(np.int8))
        self.node("Cast", [whole], f"{name}.cast", to=TensorProto.FLOAT)
        return self.node("Mul", [f"{name}.cast", self.small(f"{name}.step.stored", step)], name)


def graph_of(weights: Mapping[str, Any]) -> bytes:
    """The graph of the weights of train.py's `Reader`."""
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
    graph = ReaderGraph()
    states = _embedded(graph, weights)
    for layer in range(n_layers):
        states = hatch_build._layer(graph, tensors, layer, states)
    _head(graph, weights, states)
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["pairs", "tokens", WIDTH]),
        helper.make_tensor_value_info("kinds", TensorProto.INT64, ["pairs", "tokens"]),
    ]
    outputs = [helper.make_tensor_value_info("log_odds", TensorProto.FLOAT, ["pairs"])]
    made = helper.make_graph(graph.nodes, "reader", inputs, outputs, graph.initializers)
    opsets = [helper.make_opsetid(name, version) for name, version in graph.opsets.items()]
    return helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString()


def _embedded(graph: Graph, weights: Mapping[str, Any]) -> str:
    places = graph.small("places.half", weights["pos.weight"][:MOST_TOKENS].astype(np.float16))
    graph.node("Cast", [places], "places", to=TensorProto.FLOAT)
    zero = graph.small("zero", np.array([0]))
    graph.node("Shape", ["kinds"], "n_tokens", start=1, end=2)
    graph.node("Shape", ["kinds"], "shape.kinds")
    graph.node("Concat", ["shape.kinds", graph.small("rest", np.array([-1]))], "shape", axis=0)
    graph.node("Slice", ["places", zero, "n_tokens", zero], "places.used")
    graph.node("Gather", [graph.stored("types", weights["types.weight"]), "kinds"], "kinds.vectors")
    graph.node("Add", ["words", "places.used"], "placed")
    graph.node("Add", ["placed", "kinds.vectors"], "summed")
    gamma, beta = (graph.stored(f"ln.{kind}", weights[f"ln.{kind}"]) for kind in ("weight", "bias"))
    return graph.node(
        "LayerNormalization", ["summed", gamma, beta], "hidden_0", axis=-1, epsilon=EPSILON
    )


def _head(graph: Graph, weights: Mapping[str, Any], states: str) -> None:
    """From the first token's state and the mean of the claim's to the log-odds of the first of three classes."""
    one, first = graph.small("one", np.float32(1)), graph.small("at_first", np.array(0))
    last, tokens = graph.small("last", np.array([-1])), graph.small("tokens", np.array([1]))
    graph.node("Cast", ["kinds"], "kinds.single", to=TensorProto.FLOAT)
    graph.node("Sub", [one, "kinds.single"], "is_claim")
    graph.node("Unsqueeze", ["is_claim", last], "is_claim.column")
    graph.node("Mul", [states, "is_claim.column"], "of_claim")
    graph.node("ReduceSum", ["of_claim", tokens], "of_claim.sum", keepdims=0)
    graph.node("ReduceSum", ["is_claim.column", tokens], "n_claim", keepdims=0)
    graph.node("Div", ["of_claim.sum", "n_claim"], "mean")
    graph.node("Gather", [states, first], "first_state", axis=1)
    graph.node("Concat", ["first_state", "mean"], "pooled", axis=1)
    value = "pooled"
    for name in ("mid", "head"):
        weight = graph.stored(f"{name}.weight", np.ascontiguousarray(weights[f"{name}.weight"].T))
        value = graph.node(
            "Gemm",
            [value, weight, graph.stored(f"{name}.bias", weights[f"{name}.bias"])],
            f"{name}.out",
        )
        if name == "mid":
            value = graph.node("Tanh", [value], "mid.active")
    graph.node("Gather", [value, first], "says", axis=1)
    graph.node("Slice", [value, tokens, graph.small("n_classes", np.array([3])), tokens], "others")
    graph.node("ReduceLogSumExp", ["others", tokens], "others.sum", keepdims=0)
    graph.node("Sub", ["says", "others.sum"], "log_odds")
