"""The gold by id, and what is noted when answers are joined with it and with each other."""

from collections.abc import Mapping, Sequence

from ragauge.errors import Problem
from ragauge.loaders.conflicts import Prefer, same_gold
from ragauge.loaders.pairing import BY_PLACE, excerpt, name_of, question_of
from ragauge.loaders.table import listed
from ragauge.samples.samples import DEFAULT_SYSTEM, Row


class Gold:
    """The gold by id, each question once.

    A question without an id may be repeated if the gold is the same; otherwise it is a problem, or
    with `prefer` the first one counts.
    """

    def __init__(self, rows: Sequence[Row], prefer: Prefer | None) -> None:
        self.by_id: dict[str, Row] = {}
        self._n_repeated = 0
        different: list[tuple[Row, Row]] = []
        for row in rows:
            id = name_of(row, "id")
            if id is None:
                continue
            first = self.by_id.setdefault(id, row)
            self._n_repeated += first is not row
            if first is not row and prefer is None and not same_gold(first, row):
                different.append((first, row))
        self.problems = [_conflicting_gold(different)] if different else []

    def notes(self) -> list[str]:
        n = self._n_repeated
        counted = "1 row repeats a question" if n == 1 else f"{n:,} rows repeat a question"
        return [f"{counted} of the gold; the first of each is used"] if n else []


def _conflicting_gold(different: Sequence[tuple[Row, Row]]) -> Problem:
    first, row = different[0]
    n = len({question_of(row) for _, row in different})
    many = f" ({n:,} questions are like this)" if n > 1 else ""
    place = "" if first.line is None else f", first in line {first.line}"
    text = (
        f"{excerpt(row)} is in the gold twice, with different gold{place}{many}; keep one of the two, list all "
        "references in one row, or use the first: --prefer first (in Python prefer=)"
    )
    return Problem(text, row.source, row.line, "question", name_of(row, "id"))


_OTHER_WAYS = (
    "remove the ids to pair rows by the question's text, or, if the rows are in the same order, "
    f"use {BY_PLACE}"
)


def unanswered(gold: Row, system: str) -> Row:
    named: Mapping[str, object] = {"system": system} if system != DEFAULT_SYSTEM else {}
    return Row({**gold.values, **named, "answer": None}, gold.source, gold.line)


def unanswered_note(system: str, first: Sequence[str], n: int, n_questions: int) -> str:
    """The note on `n` questions without an answer of the system, of which `first` are the first ids."""
    counted = f"{n} of {n_questions} questions"
    return f"system {system!r} did not answer {counted}: {listed(list(first), n_all=n)}"


NO_ID_IN_COMMON = f"the answers and the gold have no id in common; {_OTHER_WAYS}"
NOTHING_IN_COMMON = f"the systems have no id in common; {_OTHER_WAYS}"


def unknown_note(system: str, first: Sequence[str], n: int) -> str:
    """The note on `n` answers to questions that the gold does not have, of which `first` are the first."""
    counted = f"{n} question{'s' * (n > 1)} not in the gold"
    return f"system {system!r} answers {counted}; kept: {listed(list(first), n_all=n)}"
