"""Read the gold of a file of its own: name its fields, read its cells."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ragauge.errors import Problem
from ragauge.loaders.in_pieces.decisions import Decisions
from ragauge.loaders.mapping import ALIASES_IN_GOLD, GIVEN_BY_ANSWERS
from ragauge.loaders.table import Table
from ragauge.samples.frame import problems_of


@dataclass(frozen=True, slots=True)
class GoldTable:
    """Gold in memory, with fields as columns. `given`: the names of its columns in its file."""

    table: Table
    given: Collection[str] = ()

    @classmethod
    def of(cls, gold: Table, chosen: Mapping[str, str]) -> "GoldTable":
        """The gold with fields as names, and with the problems of its values."""
        columns = gold.columns()
        if not gold.rows:
            return cls(gold, columns)
        here = {
            field: column
            for field, column in chosen.items()
            if column in columns and field not in GIVEN_BY_ANSWERS
        }
        decisions = Decisions(here, has_all_rows=True, aliases=ALIASES_IN_GOLD)
        of_values: list[Problem] = []
        rows = tuple(decisions.read(gold, of_values))
        names = (Problem(text, gold.source) for text in decisions.naming().problems)
        problems = [*gold.problems, *names, *of_values]
        if rows and not problems:
            problems = problems_of(rows)
        notes = (*gold.notes, *decisions.notes())
        return cls(Table(rows, gold.source, notes, tuple(problems)), columns)
