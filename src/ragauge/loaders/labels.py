"""Labels of people: which columns hold them, and what a word, a grade or a preference is as a number."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ragauge.errors import DataError, Problem
from ragauge.loaders.mapping import ALIASES, absent, field_of
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
_OF_ANSWERS = ("id", "question", "system", "answer")
_ALIASES = {
    **{alias: field for alias, field in ALIASES.items() if field in _OF_ANSWERS},
    **{alias: field for field, names in _OWN_NAMES.items() for alias in [field, *names.split()]},
}
_RATER_COLUMN = re.compile(
    r"(?:rater|annotator|coder|labell?er|reviewer|assessor|human|label|rating|judge)s?[_ \-]?\w+",
    re.IGNORECASE,
)

_YES_AND_NO = {
    1.0: "yes y true t correct right pass passed good supported relevant faithful consistent accept "
    "accepted positive ok",
    0.0: "no n false f incorrect wrong fail failed bad unsupported irrelevant unfaithful "
    "inconsistent reject rejected negative",
}
_PREFERENCES = {
    1.0: "a left first system_a model_a answer_a response_a",
    -1.0: "b right second system_b model_b answer_b response_b",
    0.0: "tie ties tied equal both neither same draw none tie_(bothbad)",
}
_NO = ("correct", "supported", "relevant", "faithful", "consistent")
WORDS = {
    **{word: value for value, words in _YES_AND_NO.items() for word in words.split()},
    **{f"not {word}": 0.0 for word in _NO},
}
PREFERENCES = {word: value for value, words in _PREFERENCES.items() for word in words.split()}
NUMBERS = {"1": 1.0, "+1": 1.0, "0": 0.0, "-1": -1.0}  # of these no system's name is one


class LabelValueError(ValueError):
    """A value that is no label; the message says why."""


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """The column of each field; `raters` are the columns of labels, one for each rater."""

    fields: Mapping[str, str]
    raters: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_won(self) -> bool:
        """Whether a row is a verdict without a label of its own: it names the winner and the loser."""
        return self.fields.get("system") == "winner" and "value" not in self.fields

    @property
    def of_labels(self) -> tuple[str, ...]:
        """The columns that hold labels."""
        return self.raters or tuple(name for field, name in self.fields.items() if field == "value")

    @classmethod
    def of(cls, table: Table, chosen: Mapping[str, str | Sequence[str]]) -> "LabelColumns":
        """The columns that the user chose, and the others by their names; DataError where neither tells them."""
        names = table.columns
        there = f"its columns are {listed([repr(name) for name in names], most=30)}"
        given = {
            field: [column] if isinstance(column, str) else list(column)
            for field, column in chosen.items()
        }
        pairs = [(field, name) for field, columns in given.items() for name in columns]
        if missing := [absent(*pair, names) for pair in pairs if pair[1] not in names]:
            raise DataError([Problem(problem, table.source) for problem in missing])
        raters = tuple(given["value"]) if len(given.get("value", ())) > 1 else ()
        columns = _by_names(table, {field: found[0] for field, found in given.items()})
        if "value" not in columns:
            free = [name for name in names if name not in columns.values()]
            raters = tuple(name for name in free if _RATER_COLUMN.fullmatch(name))
            raters = raters if len(raters) > 1 else ()
        if "system" not in columns and "other" in columns and "winner" in names:
            columns["system"] = "winner"  # winner and loser: the winner is preferred
            if columns.get("value") == "winner":
                del columns["value"]
        has_labels = "value" in columns or raters or columns.get("system") == "winner"
        problems = {
            f"has no column of ids or of questions; {there}; --map id=COLUMN": not (
                {"id", "question"} & columns.keys()
            ),
            f"has no column of labels; {there}; --map value=COLUMN": not has_labels,
            "names one of two systems; a preference needs both: --map system=COLUMN": (
                "other" in columns and "system" not in columns
            ),
        }
        if any(problems.values()):
            raise DataError([Problem(text, table.source) for text in problems if problems[text]])
        if raters:
            note = f"read {listed([repr(name) for name in raters])} as the labels of a rater each"
            return cls(columns, raters, (note,))
        renamed = [f"{name!r} as {field}" for field, name in columns.items() if name != field]
        return cls(columns, raters, (f"read {', '.join(renamed)}",) if renamed else ())


def _by_names(table: Table, chosen: dict[str, str]) -> dict[str, str]:
    """The chosen columns, and of each other field the column that its name tells."""
    found: dict[str, list[str]] = {}
    for name in table.columns:
        field = field_of(name, _ALIASES)
        if field is not None and field not in chosen and name not in chosen.values():
            found.setdefault(field, []).append(name)
    has_ids = "id" in chosen or "id" in found
    columns = dict(chosen)
    for field, names in found.items():
        if field == "question" and has_ids and len(names) > 1:
            continue  # questions are read only for rows without an id
        own = (field, "label") if field == "value" else (field,)
        name = next((name for name in own if name in names), names[0])
        if len(names) > 1 and name not in own:
            problem = f"{' and '.join(map(repr, names))} could each be {field}; choose one: --map {field}=COLUMN"
            raise DataError([Problem(problem, table.source)])
        columns[field] = name
    return columns


def folded(given: object) -> str:
    """The text of a value for comparison: lower case, single spaces; 1.0 is 1."""
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    return " ".join(str(given).casefold().split())


def label_value(given: object, yes: Collection[str] = ()) -> tuple[float, bool]:
    """The value of a label, and whether it is 1 or 0 in words; with `yes`, these words are 1, all others 0. Raises LabelValueError."""
    word = folded(given)
    if yes:
        return float(word in map(folded, yes)), True
    if word in WORDS:
        return WORDS[word], True
    try:
        number = float(given if isinstance(given, int | float) else word)
    except (ValueError, OverflowError):
        raise LabelValueError(f"{given!r:.60} is neither yes nor no nor a number") from None
    if not math.isfinite(number):
        raise LabelValueError(f"is {number}; leave the cell empty where there is no label")
    return number, False


def preference_value(given: object, first: str, second: str) -> float:
    """1 if the first system is preferred, -1 if the second is, 0 for a tie. Raises LabelValueError."""
    word = folded(given)
    named = {folded(first): 1.0, folded(second): -1.0}.get(word)
    placed = PREFERENCES.get(word, PREFERENCES.get(word.replace(" ", "_")))
    if named is not None and placed not in (None, named):
        raise LabelValueError(
            f"{given!r:.60} could be the name of a system or its place; give system_a, system_b or tie"
        )
    found = [value for value in (named, placed, NUMBERS.get(word)) if value is not None]
    if found:
        return found[0]
    raise LabelValueError(
        f"{given!r:.60} is no preference; give the preferred system, a or b, tie, or 1, -1 and 0"
    )
