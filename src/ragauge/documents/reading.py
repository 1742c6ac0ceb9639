"""Read documents: files and folders of any format, chunks of an index, and objects of other libraries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragauge.documents.passage import Passage, passages_of


@dataclass(frozen=True, slots=True)
class Problem:
    """A document that could not be read, and why."""

    document: str
    reason: str


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents that were read, as passages.

    `texts` has each document's whole text, in which the passages' offsets count. `left_out` counts what
    became no passage: duplicates, boilerplate, near empty, unreadable.
    """

    passages: list[Passage]
    texts: dict[str, str]
    problems: list[Problem] = field(default_factory=list[Problem])
    left_out: Counter[str] = field(default_factory=Counter[str])


def read_documents(paths: Sequence[str | Path | object]) -> Documents:
    """Read documents."""
    passages: list[Passage] = []
    texts: dict[str, str] = {}
    for path in paths:
        if not isinstance(path, str | Path):
            continue
        root = Path(path)
        files = (
            sorted(each for each in root.rglob("*") if each.is_file()) if root.is_dir() else [root]
        )
        for file in files:
            texts[str(file)] = file.read_text("utf-8")
            passages += passages_of(str(file), texts[str(file)])
    return Documents(passages, texts)
