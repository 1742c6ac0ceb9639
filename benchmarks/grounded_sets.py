"""Answers with contexts that people labelled as supported or not, from the folder RAGAUGE_DATA.

    sets = grounded_sets(Path(os.environ["RAGAUGE_DATA"]))

Dialogue (BEGIN, Q²), claims with their pages (WiCE, FEVER, Fool Me Twice, Factcheck-GPT), sentences of
news summaries (QAGS), edited summaries (SummEdits) and sentence pairs (SNLI, ConjNLI). The terms of each
set are in the folder's README.md; QAGS is for measuring only.
"""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASSAGE = 1_000
"""WiCE documents are split between sentences into passages of about this many characters."""
SUMMEDITS = ("news", "podcast", "sales_call", "sales_email", "samsum", "scitldr")
Q2_LABELS: Mapping[str, bool] = {"consistent": True, "inconsistent": False}


@dataclass(frozen=True, slots=True)
class GroundedCase:
    """An answer, its contexts, and whether people say that the contexts support it.

    `is_supported`: None if people say "partly" or "says nothing to check". `system`: what wrote the
    answer, `question`: what it replies to; None if the set does not say.
    """

    answer: str
    contexts: tuple[str, ...]
    is_supported: bool | None
    system: str | None = None
    question: str | None = None


def grounded_sets(folder: Path) -> dict[str, list[GroundedCase]]:
    """All sets by name, each in the order of its files."""
    pairs = folder / "entailment"
    sets: dict[str, Iterable[GroundedCase]] = {
        "begin cmu": begin(folder / "begin" / "begin_dev_cmu.tsv"),
        "begin wow": begin(folder / "begin" / "begin_dev_wow.tsv"),
        "wice": wice(folder / "wice" / "claim_dev.jsonl"),
        "q2 dodeca": q2(folder / "q2", "dodeca"),
        "q2 memnet": q2(folder / "q2", "memnet"),
        "q2 others": q2_others(folder / "q2"),
        "qags cnndm": qags(folder / "qags" / "mturk_cnndm_part.jsonl"),
        **{f"summedits {name}": entailed(pairs / f"summedits-{name}") for name in SUMMEDITS},
        "fever": entailed(pairs / "fever-dev", held_out_only=True),
        "fever symmetric": entailed(pairs / "fever-symmetric"),
        "fool me twice dev": fool_me_twice(pairs / "fool-me-twice-dev"),
        "fool me twice test": fool_me_twice(pairs / "fool-me-twice-test"),
        "factcheck-gpt": entailed(pairs / "factcheck-gpt"),
        "snli dev": entailed(pairs / "snli-dev", held_out_only=True),
        "snli test": entailed(pairs / "snli-test", held_out_only=True),
        "conjnli": entailed(pairs / "conjnli-adversarial-train", held_out_only=True),
    }
    return {name: list(cases) for name, cases in sets.items()}


def begin(path: Path) -> Iterator[GroundedCase]:
    """Generic responses say nothing that could be attributed: None."""
    labels = {"fully attributable": True, "not fully attributable": False}
    for row in table(path, "\t"):
        label = labels.get(row["begin_label"].lower())
        contexts = (row["knowledge"],)
        yield GroundedCase(row["response"], contexts, label, row["model_name"], row["message"])


def wice(path: Path) -> Iterator[GroundedCase]:
    labels = {"supported": True, "not_supported": False}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield GroundedCase(row["claim"], tuple(passages(row["evidence"])), labels.get(row["label"]))


def passages(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences in runs of at most `PASSAGE` characters, unless one alone is longer."""
    run: list[str] = []
    for sentence in sentences:
        if run and sum(map(len, run)) + len(sentence) > PASSAGE:
            yield " ".join(run)
            run = []
        run.append(sentence)
    yield " ".join(run)


def q2(folder: Path, system: str) -> Iterator[GroundedCase]:
    for label, is_consistent in Q2_LABELS.items():
        for row in table(folder / f"{system}_{label}.csv"):
            contexts = (row["knowledge"],)
            yield GroundedCase(row["response"], contexts, is_consistent, system, row["message"])


def q2_others(folder: Path) -> Iterator[GroundedCase]:
    """The responses of the cross annotation, 1 for inconsistent, that are in none of the four files."""
    known = {
        (case.answer, case.contexts)
        for system in ("dodeca", "memnet")
        for case in q2(folder, system)
    }
    for row in table(folder / "cross_annotation.csv"):
        for system in ("dodeca", "memnet"):
            answer, contexts = row[f"{system}_response"], (row["knowledge"],)
            if (answer, contexts) not in known:
                is_consistent = row[f"{system}_label"] != "1"
                yield GroundedCase(answer, contexts, is_consistent, system, row["message"])


def qags(path: Path) -> Iterator[GroundedCase]:
    """The sentences of summaries; supported if most of the three people say yes."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for sentence in row["summary_sentences"]:
            votes = [vote["response"] == "yes" for vote in sentence["responses"]]
            yield GroundedCase(sentence["sentence"], (row["article"],), 2 * sum(votes) > len(votes))


def is_held_out(key: str, one_in: int = 4) -> bool:
    """Whether the embedded reader has not learned from what has this key; benchmarks/reader/pairs.py."""
    return zlib.crc32(key.encode()) % one_in == 0


def held_out_scenes(*, to_fit: bool) -> Iterator[dict[str, Any]]:
    """The scenes of contrast/scenes.jsonl.gz that the reader has not learned from: one half to fit weights, the other to measure."""
    packed = (Path(__file__).parent / "contrast" / "scenes.jsonl.gz").read_bytes()
    for scene in map(json.loads, gzip.decompress(packed).decode().splitlines()):
        if is_held_out(scene["id"], 10) and is_held_out(scene["id"], 20) is to_fit:
            yield scene


def without_brackets(premise: str) -> str:
    """A sentence of FEVER without the names of brackets."""
    return re.sub(r" ?-[LR][SR]B- ?", " ", premise)


def entailed(stem: Path, *, held_out_only: bool = False) -> Iterator[GroundedCase]:
    for row in unzipped(stem):
        if held_out_only and not is_held_out(without_brackets(row["premise"])):
            continue
        yield GroundedCase(row["hypothesis"], (row["premise"],), supported(row["label"]))


def fool_me_twice(stem: Path) -> Iterator[GroundedCase]:
    """Those held out of the reader's training. The contexts are the retrieved sentences, then those of the gold evidence that are not among them."""
    for row in unzipped(stem):
        if not is_held_out((row["gold_evidence"] or [row["hypothesis"]])[0]):
            continue
        contexts = tuple(dict.fromkeys([*row["retrieved_evidence"], *row["gold_evidence"]]))
        yield GroundedCase(row["hypothesis"], contexts, supported(row["label"]))


def supported(label: str | int) -> bool | None:
    """Neutral and irrelevant contexts support nothing; partial support is neither."""
    if label == "partially-support":
        return None
    return label in (1, "entailment", "SUPPORTS", "completely-support")


def table(path: Path, delimiter: str = ",") -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter=delimiter)


def unzipped(stem: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(f"{stem}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
