"""Which columns of a file hold the labels, their raters, and the answers that they are about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import DataError, Problem, did_you_mean
from ragauge.loaders.mapping import ALIASES, field_of
from ragauge.loaders.table import Table, listed

LABEL_FIELDS = ("id", "question", "system", "other", "metric", "rater", "value", "answer")
_OWN_NAMES = {
    "other": "system_b model_b loser opponent",
    "system": "system_a model_a",
    "metric": "criterion criteria dimension aspect",
    "rater": "annotator coder labeler labeller reviewer assessor worker rater_id annotator_id "
    "worker_id rater_name annotator_name",
    "value": "label verdict score rating grade human_label human_score human_verdict annotation "
    "judgement judgment gold_label is_correct preference preferred winner choice",
}
_ALIASES = {
    **{
        alias: field
        for alias, field in ALIASES.items()
        if field in ("id", "question", "system", "answer")
    },
    **{alias: field for field, names in _OWN_NAMES.items() for alias in [field, *names.split()]},
}
FIRST_CHOICE = ("value", "label")
"""Of several columns that could be the label, these are taken in this order."""
RATER_COLUMN = re.compile(
    r"(?:rater|annotator|coder|labell?er|reviewer|assessor|human|label|rating|judge)s?[_ \-]?\w+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The column of each field; `raters` are the columns of labels, one for each rater."""

    columns: Mapping[str, str]
    raters: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def shown_value(self) -> str:
        return listed([repr(name) for name in self.raters or (self.columns["value"],)])

    @classmethod
    def of(cls, table: Table, chosen: Mapping[str, str | Sequence[str]]) -> "LabelColumns":
        names = table.columns()
        given = {
            field: [column] if isinstance(column, str) else list(column)
            for field, column in chosen.items()
        }
        problems = [
            f"has no column {name!r} for {field}{did_you_mean(name, names)}; "
            f"the columns are {listed([repr(each) for each in names], most=30)}"
            for field, columns in given.items()
            for name in columns
            if name not in names
        ]
        if problems:
            raise DataError([Problem(problem, table.source) for problem in problems])
        raters = tuple(given["value"]) if len(given.get("value", ())) > 1 else ()
        columns = {field: found[0] for field, found in given.items()}
        found = _candidates(names, columns)
        if "id" in columns or "id" in found:
            # Questions are read only for rows without an id, so which column has them is no question to ask.
            found = {
                field: some
                for field, some in found.items()
                if field != "question" or len(some) == 1
            }
        for field, candidates in found.items():
            columns[field] = _chosen(field, candidates, table)
        if "value" not in columns:
            raters = _rater_columns(names, columns)
        if "system" not in columns and "other" in columns and "winner" in names:
            columns["system"] = "winner"  # winner and loser: the winner is preferred
            if columns.get("value") == "winner":
                del columns["value"]
        _check_columns(columns, raters, table)
        renamed = [f"{name!r} as {field}" for field, name in columns.items() if name != field]
        notes = [f"read {', '.join(renamed)}"] if renamed and not raters else []
        if raters:
            notes.append(
                f"read {listed([repr(name) for name in raters])} as the labels of a rater each"
            )
        return cls(columns, raters, tuple(notes))


def _candidates(names: Sequence[str], columns: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        field = field_of(name, _ALIASES)
        if field is not None and field not in columns and name not in columns.values():
            found.setdefault(field, []).append(name)
    return found


def _chosen(field: str, candidates: Sequence[str], table: Table) -> str:
    for name in (field, *FIRST_CHOICE) if field == "value" else (field,):
        if name in candidates:
            return name
    if len(candidates) == 1:
        return candidates[0]
    raise DataError(
        [
            Problem(
                f"{' and '.join(map(repr, candidates))} could each be {field}; choose one: "
                f"--map {field}=COLUMN",
                table.source,
            )
        ]
    )


def _rater_columns(names: Sequence[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    free = [name for name in names if name not in columns.values()]
    found = tuple(name for name in free if RATER_COLUMN.fullmatch(name))
    return found if len(found) > 1 else ()


def _check_columns(columns: Mapping[str, str], raters: Sequence[str], table: Table) -> None:
    there = listed([repr(name) for name in table.columns()], most=30)
    is_won = columns.get("system") == "winner"
    problems: list[str] = []
    if "id" not in columns and "question" not in columns:
        problems.append(
            f"has no column of ids or of questions; its columns are {there}; --map id=COLUMN"
        )
    if "value" not in columns and not raters and not is_won:
        problems.append(f"has no column of labels; its columns are {there}; --map value=COLUMN")
    if "other" in columns and "system" not in columns:
        problems.append("names one of two systems; a preference needs both: --map system=COLUMN")
    if problems:
        raise DataError([Problem(problem, table.source) for problem in problems])
