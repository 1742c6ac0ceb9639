"""People's labels from files, frames and lists, as one frame for people and judges alike; what a word, a grade or a preference is as a number."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Literal, cast

from ragauge.errors import DataError, PlanError, Problem, did_you_mean
from ragauge.loaders.mapping import ALIASES, absent, field_of
from ragauge.loaders.sources import read_source
from ragauge.loaders.table import Table, listed
from ragauge.samples.fields import FieldError, whole_text
from ragauge.score import LARGEST
from ragauge.storage.memory import gc_paused

if TYPE_CHECKING:
    import polars as pl

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
YES_COLUMNS = ("correct", "supported")
"""Columns that may hold the labels, where no other is named with such a word."""
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
            words = [name for name in free if folded(name) in WORDS]
            if not raters and len(words) == 1 and folded(words[0]) in YES_COLUMNS:
                columns["value"] = words[0]
        if "system" not in columns and "other" in columns and "winner" in names:
            columns["system"] = "winner"  # winner and loser: the winner is preferred
            if columns.get("value") == "winner":
                del columns["value"]
        has_labels = "value" in columns or raters or columns.get("system") == "winner"
        unread = [name for name in names if name not in columns.values()]
        value = quote(unread[0]) if len(unread) == 1 else "COLUMN"
        problems = {
            f"has no column of ids or of questions; {there}; --map id=COLUMN": not (
                {"id", "question"} & columns.keys()
            ),
            f"has no column of labels; {there}; --map value={value}": not has_labels,
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
    if not abs(number) <= LARGEST:
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


Kind = Literal["binary", "graded", "preference"]
KINDS: tuple[Kind, ...] = ("binary", "graded", "preference")
NO_RATER = "people"  # the rater of labels without one
NAMES = ("id", "question", "system", "other", "metric", "rater")


@dataclass(frozen=True)
class Verdicts:
    """Verdicts of raters on answers: people, judges and metrics alike.

    `frame` has a row for each verdict: id, system, other, metric, rater, value, answer, and question (its text)
    where some labels have no id. `value` is 1 or 0 if `kind` is "binary", any number if "graded"; for "preference" it is
    1 if `system` is preferred to `other`, -1 if `other` is, 0 for a tie. Null: `system` if the source names none,
    `metric` if the verdict is about no metric in particular, `answer` if it is not repeated. `settled`
    has the answers on which somebody decided after the raters disagreed: id, system, metric, settled.
    """

    frame: "pl.DataFrame"
    kind: Kind
    source: str = "labels"
    notes: tuple[str, ...] = ()
    settled: "pl.DataFrame | None" = None

    def __len__(self) -> int:
        return self.frame.height

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of the raters, sorted."""
        return tuple(sorted(self.frame["rater"].unique().to_list()))

    def __repr__(self) -> str:
        return f"<Verdicts {len(self):,} {self.kind} of {', '.join(self.raters[:5])}>"


def load_verdicts(
    source: object,
    *,
    map: Mapping[str, str | Sequence[str]] | None = None,
    yes: Collection[str] = (),
    yes_from: float | None = None,
    skip: Collection[str] = (),
    kind: Kind | None = None,
) -> Verdicts:
    """Read labels from a file (.csv .tsv .json .jsonl .parquet), a frame, or a list of dicts.

    A row is one label: `id` of the question or, without one, its text in `question`, `system`, `rater`, and the label itself (`value`, `label`,
    `verdict`, `score` …; words such as yes/no, correct/incorrect, pass/fail, or numbers). `metric` limits
    a label to one metric. Preferences name two systems (`system_a` and `system_b`) and the preferred
    one. Several raters may also have a column each (`annotator_1`, `annotator_2`), or the label is a
    list. Empty labels are no labels.

    `map` maps a field to its column, "value" also to several columns, one for each rater. `yes`: the
    labels that mean yes; all others mean no. `yes_from`: grades from this one on mean yes. `skip`: labels
    that say nothing, such as "unsure". Raises DataError with every problem and its place.

    >>> labels = load_verdicts([{"id": "q1", "label": "correct"}, {"id": "q2", "label": "wrong"}])
    >>> labels.kind, labels.frame["value"].to_list()
    ('binary', [1.0, 0.0])
    """
    problems = _problems_of_options(map or {}, yes, yes_from, kind)
    if problems:
        raise PlanError(problems)
    with gc_paused():
        table = source if isinstance(source, Table) else read_source(source)
        if table.problems:
            raise DataError(table.problems)
        if not table.rows:
            raise DataError([Problem("holds no labels; is it the right file?", table.source)])
        return _read(table, LabelColumns.of(table, map or {}), yes, yes_from, skip, kind)


def _problems_of_options(
    chosen: Mapping[str, object], yes: Collection[str], yes_from: float | None, kind: Kind | None
) -> list[str]:
    problems = [
        f"--map: unknown field {field!r}{did_you_mean(field, LABEL_FIELDS)}; a label has {', '.join(LABEL_FIELDS)}"
        for field in chosen
        if field not in LABEL_FIELDS
    ]
    if kind is not None and kind not in KINDS:
        problems.append(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if isinstance(yes, str):
        problems.append(f"yes must be a list of words, got {yes!r}; give [{yes!r}]")
    if yes_from is not None and not math.isfinite(yes_from):
        problems.append(f"yes_from is {yes_from!r}; give a finite number")
    if yes and yes_from is not None:
        problems.append("give the words that mean yes, or the grade from which it is yes, not both")
    return problems


@dataclass(frozen=True, slots=True)
class _Verdict:
    """One verdict, and its place in the source."""

    names: Mapping[str, str | None]
    source: str
    line: int | None
    number: float
    is_word: bool

    def problem(self, message: str) -> Problem:
        id = self.names["id"] or self.names["question"]
        return Problem(f"is {self.number:g}, {message}", self.source, self.line, "value", id)


def _read(
    table: Table,
    columns: LabelColumns,
    yes: Collection[str],
    yes_from: float | None,
    skip: Collection[str],
    kind: Kind | None,
) -> Verdicts:
    skipped = set(map(folded, skip))
    is_preference = "other" in columns.fields or kind == "preference"
    read, n_empty, problems = _verdicts(table, columns, yes, skipped, is_preference=is_preference)
    if not read and not problems:
        named = listed([repr(name) for name in columns.of_labels])
        problems.append(Problem(f"every label is empty (column {named})", table.source))
    verdicts: dict[object, _Verdict] = {}
    for verdict in read:
        before = verdicts.setdefault(tuple(verdict.names[name] for name in NAMES), verdict)
        if before.number != verdict.number:
            rater = verdict.names["rater"]
            place = table.source if before.line is None else f"{table.source}:{before.line}"
            more = "; if these are two people, add a column rater" if rater == NO_RATER else ""
            text = f"but {rater!r} gave {before.number:g} at {place}; keep one{more}"
            problems.append(verdict.problem(text))
    grades = [each for each in verdicts.values() if each.number not in (0.0, 1.0)]
    found: Kind = "preference" if is_preference else kind or ("graded" if grades else "binary")
    if found == "graded" and kind is None and any(each.is_word for each in verdicts.values()):
        text = "but other labels are yes or no; give one kind of label"
        problems.append(grades[0].problem(text))
    if found == "binary" and grades and not problems:
        problems.append(grades[0].problem("not 0 or 1"))
    if problems:
        raise DataError(problems)
    notes = [*table.notes, *columns.notes]
    if yes:
        notes.append(_counted_as_no(table, columns, yes, skipped))
    if n_empty:
        notes.append(f"rows without a label: {n_empty:,}")
    if n_twice := len(read) - len(verdicts):
        notes.append(f"labels that a rater gave twice, counted once: {n_twice:,}")
    if found != "graded" and yes_from is not None:
        what = "preferences" if is_preference else "yes and no"
        notes.append(f"--yes-from {yes_from:g} changes nothing: the labels are {what}, not grades")
    numbers = [each.number for each in verdicts.values()]
    if found == "graded" and yes_from is not None:
        numbers, found = [float(number >= yes_from) for number in numbers], "binary"
    import polars as pl

    has_ids = all(each.names["id"] for each in verdicts.values())
    texts = [name for name in NAMES if name != "question" or not has_ids]
    given = {name: [each.names[name] for each in verdicts.values()] for name in (*texts, "answer")}
    frame = pl.DataFrame(given, schema=dict.fromkeys(given, pl.String))
    frame = frame.insert_column(len(texts), pl.Series("value", numbers, pl.Float64))
    return Verdicts(frame, found, table.source, tuple(notes))


def _verdicts(
    table: Table,
    columns: LabelColumns,
    yes: Collection[str],
    skipped: Collection[str],
    *,
    is_preference: bool,
) -> tuple[list[_Verdict], int, list[Problem]]:
    """The verdicts of all rows, how many labels are empty or skipped, and what is wrong with others."""
    verdicts: list[_Verdict] = []
    n_empty = 0
    problems: list[Problem] = []
    unread: dict[str, list[Problem]] = {}
    for row in table.rows:
        given = {field: row.values.get(column) for field, column in columns.fields.items()}
        names = {name: _text(given.get(name)) for name in (*NAMES, "answer")}
        id = names["id"] or names["question"]
        if id is None:
            what = "no id" if "question" not in given else "neither an id nor a question"
            problems.append(Problem(f"has a label but {what}", table.source, row.line, "id"))
            continue
        if names["id"]:
            names["question"] = None
        rater = names["rater"] or NO_RATER
        label: object = 1 if columns.is_won else given.get("value")
        labels: list[tuple[str, object]] = [(rater, label)]
        if columns.raters and not columns.is_won:
            labels = [(name, row.values.get(name)) for name in columns.raters]
        elif isinstance(label, list | tuple):
            labels = [
                (f"rater {at}", each) for at, each in enumerate(cast("Sequence[object]", label), 1)
            ]
        labels = [(rater, label) for rater, label in labels if _text(label) is not None]
        n_empty += not labels
        for rater, label in labels:
            if folded(label) in skipped:
                n_empty += 1
                continue
            who, field = names | {"rater": rater}, "value"
            try:
                for field, text in who.items():  # noqa: B007 - the field is named below
                    whole_text(text or "")
                if is_preference:
                    number = preference_value(label, who["system"] or "", who["other"] or "")
                    is_word = True
                else:
                    number, is_word = label_value(label, yes)
            except LabelValueError as error:
                problem = Problem(str(error), table.source, row.line, "value", id)
                unread.setdefault(str(error), []).append(problem)
            except FieldError as error:
                problems.append(Problem(str(error), table.source, row.line, field))
            else:
                verdicts.append(_Verdict(who, table.source, row.line, number, is_word))
    for message, alike in unread.items():
        if len(alike) > 1:
            message += f" (and {len(alike) - 1:,} more like it)"
        if not is_preference and "neither" in message:
            message += "; name the words that mean yes (--yes WORD, all others are no) or leave it out (--skip WORD)"
        problems.append(replace(alike[0], message=message))
    return verdicts, n_empty, problems


def _text(given: object) -> str | None:
    return None if given is None else str(given).strip() or None


def _counted_as_no(
    table: Table, columns: LabelColumns, yes: Collection[str], skipped: Collection[str]
) -> str:
    """What counted as no, as the words for yes were given; DataError if one of them is no label."""
    cells = (row.values.get(name) for row in table.rows for name in columns.of_labels)
    given = (cell for cell in cells if cell is not None and folded(cell) not in {"", *skipped})
    counts = Counter(map(str, given))
    known = set(map(folded, counts))
    if missing := [word for word in yes if folded(word) not in known]:
        words = listed([repr(value) for value in counts], most=20)
        text = f"no label is {missing[0]!r}; the labels are {words}"
        raise DataError([Problem(text, table.source)])
    means_yes = set(map(folded, yes))
    no = [f"{value!r} ({n:,})" for value, n in counts.items() if folded(value) not in means_yes]
    return f"counted as no: {listed(no) or 'nothing'}"
