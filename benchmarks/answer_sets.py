"""Answers with references that people labelled: EVOUNA-NQ and FinanceBench.

    answer_sets(Path(os.environ["RAGAUGE_DATA"]))["financebench"][0].is_correct

Each set has the answers of several systems to the same questions; cases of one question share their id.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EVOUNA_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """One system's answer to one question, and what people said of it.

    `references` are alternatives: an answer that agrees with one of them is correct. `is_refusal` is None
    where the set does not label refusals.
    """

    id: str
    question: str
    references: tuple[str, ...]
    answer: str
    is_correct: bool
    is_refusal: bool | None
    system: str


def answer_sets(folder: Path) -> dict[str, list[AnswerCase]]:
    """The cases of each set, by the set's name; `folder` holds evouna and financebench."""
    return {
        "evouna-nq": list(evouna(folder / "evouna" / "NQ.json")),
        "financebench": list(financebench(folder / "financebench")),
    }


def evouna(path: Path) -> Iterator[AnswerCase]:
    """Short answers to questions about entities and dates, by five systems.

    Questions marked improper, rows without a judgement and empty answers are left out.
    """
    for number, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        if row["improper"]:
            continue
        references = alternatives(row["golden_answer"])
        for system in EVOUNA_SYSTEMS:
            answer, is_correct = row[f"answer_{system}"], row[f"judge_{system}"]
            if is_correct is not None and answer and answer.strip():
                question = row["question"]
                yield AnswerCase(
                    f"nq-{number}", question, references, answer, is_correct, None, system
                )


def alternatives(golden: str) -> tuple[str, ...]:
    """The alternatives of a golden answer, which a slash separates.

    >>> alternatives("small intestine/the small intestine/small intestine")
    ('small intestine', 'the small intestine')
    """
    return tuple(dict.fromkeys(text.strip() for text in golden.split("/") if text.strip()))


def financebench(folder: Path) -> Iterator[AnswerCase]:
    """Answers from annual reports by four systems: numbers, and sentences of up to a paragraph.

    A file is a system. The reference is the file's own, so a percentage may be a fraction there (0.019).
    """
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem == "financebench_open_source":
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            label = row["label"]
            yield AnswerCase(
                row["financebench_id"],
                row["question"],
                (str(row["gold_answer"]),),
                str(row["model_answer"]),
                label == "Correct Answer",
                label == "Refusal",
                path.stem,
            )
