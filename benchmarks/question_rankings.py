"""Do questions made by rules rank retrieval systems as people's questions do?

    RAGAUGE_DATA=/path/to/data python benchmarks/question_rankings.py [--questions 200]

Twelve systems: BM25 in three settings, shared words, the embedded encoder, and both fused, each on passages of at most 60 and
200 words. Each has the mean reciprocal rank of a passage that overlaps the gold one, on people's questions and on those that
`rg.questions` makes from the same documents; Kendall's τ-b compares the two orders. For scale: τ between two random halves of
people's questions.
"""

import argparse
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from questions import SETS
from scipy.stats import kendalltau

import ragauge as rg
from ragauge.documents.passage import Passage, passages_of
from ragauge.documents.reading import Documents
from ragauge.encoders import open_encoder
from ragauge.questions.evidence import Bm25, PassageIndex, terms
from ragauge.questions.question import Question

DEPTH = 50
Rows = Sequence[tuple[str, list[tuple[str, int, int]]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=200)
    n = parser.parse_args().questions
    folder = Path(os.environ["RAGAUGE_DATA"])
    for name in ("PrivacyQA", "FinanceBench"):
        people, documents = SETS[name](folder)
        made = [each.question for each in rg.questions(documents, n).kept]
        print(f"{name}: {len(people)} questions of people, {len(made)} made")
        sets = [gold_of(people, documents), gold_of(made, documents)]
        ranks = {
            system: [np.array(each) for each in found] for system, found in systems(documents, sets)
        }
        for system, (human, ours) in ranks.items():
            print(f"  {system:24} people {human.mean():.3f}   made {ours.mean():.3f}")
        print(
            f"  τ {tau([each.mean() for each, _ in ranks.values()], [each.mean() for _, each in ranks.values()]):.2f}"
        )
        print(
            f"  τ between halves of people's questions {halves([each for each, _ in ranks.values()]):.2f}"
        )
        kinds = np.array(
            [each.question_type for each in made if each.answerable and each.gold_contexts]
        )
        for kind in sorted(set(kinds)):
            picked = kinds == kind
            if picked.sum() >= 10:
                value = tau(
                    [h.mean() for h, _ in ranks.values()],
                    [o[picked].mean() for _, o in ranks.values()],
                )
                print(f"    of {kind} only ({picked.sum()}): {value:.2f}")


def tau(one: Sequence[float], other: Sequence[float]) -> float:
    return float(kendalltau(one, other).statistic)


def halves(ranks: Sequence[np.ndarray], n: int = 200) -> float:
    draw, found = random.Random(0), []
    for _ in range(n):
        order = draw.sample(range(len(ranks[0])), len(ranks[0]))
        left, right = order[: len(order) // 2], order[len(order) // 2 :]
        found.append(tau([r[left].mean() for r in ranks], [r[right].mean() for r in ranks]))
    return float(np.mean(found))


def gold_of(questions: Sequence[Question], documents: Documents) -> Rows:
    """The questions with the spans of their documents that answer them."""
    index = PassageIndex(documents)
    rows: list[tuple[str, list[tuple[str, int, int]]]] = []
    for each in questions:
        if not each.answerable:
            continue
        spans = [
            (context["document"], context["start"], context["end"])
            for context in each.gold_contexts
            if "start" in context and "end" in context and "document" in context
        ]
        passages = index.gold(each).passages
        names = {name.rpartition("/")[2]: name for name in documents.texts}
        spans = [
            (names.get(name.rpartition("/")[2], name), start, end) for name, start, end in spans
        ]
        rows.append((each.question, spans or [(p.document, p.start, p.end) for p in passages]))
    return [row for row in rows if row[1]]


def systems(documents: Documents, sets: Sequence[Rows]) -> Iterator[tuple[str, list[list[float]]]]:
    encoder = open_encoder(precision="int8")
    vectors = [encoder.encode([question for question, _ in rows]) for rows in sets]
    for size in (60, 200):
        passages = [
            p for name, text in documents.texts.items() for p in passages_of(name, text, size)
        ]
        texts = [f"{p.heading} {p.text}" for p in passages]
        scorers = {
            "bm25": Bm25(texts).scores,
            "bm25 b=0": Bm25(texts, b=0.0).scores,
            "bm25 k1=0": Bm25(texts, k1=0.0).scores,
            "shared words": shared(texts),
        }
        for name, scorer in scorers.items():
            yield (
                f"{name}, {size} words",
                [
                    [reciprocal(scorer(question), passages, spans) for question, spans in rows]
                    for rows in sets
                ],
            )
        matrix = encoder.encode(texts)
        bm25 = scorers["bm25"]
        yield (
            f"encoder, {size} words",
            [
                [
                    reciprocal(matrix @ vector, passages, spans)
                    for vector, (_, spans) in zip(found, rows, strict=True)
                ]
                for found, rows in zip(vectors, sets, strict=True)
            ],
        )
        yield (
            f"fused, {size} words",
            [
                [
                    reciprocal(fused(bm25(question), matrix @ vector), passages, spans)
                    for vector, (question, spans) in zip(found, rows, strict=True)
                ]
                for found, rows in zip(vectors, sets, strict=True)
            ],
        )


def shared(texts: Sequence[str]):
    members = [set(terms(text)) for text in texts]

    def scores(question: str) -> np.ndarray:
        asked = set(terms(question))
        return np.array([float(len(asked & each)) for each in members])

    return scores


def fused(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return sum(1 / (60 + np.argsort(np.argsort(-each, kind="stable"))) for each in (one, other))


def reciprocal(
    scores: np.ndarray, passages: Sequence[Passage], spans: list[tuple[str, int, int]]
) -> float:
    """The reciprocal rank of the first passage that overlaps a gold span; 0 beyond the depth."""
    for rank, place in enumerate(np.argsort(-scores, kind="stable")[:DEPTH], 1):
        found = passages[place]
        if any(
            found.document == name and found.start < end and start < found.end
            for name, start, end in spans
        ):
            return 1 / rank
    return 0.0


if __name__ == "__main__":
    main()
