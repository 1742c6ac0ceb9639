"""Read verdicts of people from files, frames and lists: one frame for people and judges alike."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from ragauge.errors import DataError, PlanError, Problem, did_you_mean
from ragauge.loaders.label_columns import LABEL_FIELDS, LabelColumns
from ragauge.loaders.label_values import LabelValueError, folded, label_value, preference_value
from ragauge.loaders.sources import read_source
from ragauge.loaders.table import Table, listed
from ragauge.samples.fields import FieldError, whole_text
from ragauge.storage.memory import gc_paused

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["binary", "graded", "preference"]
KINDS: tuple[Kind, ...] = ("binary", "graded", "preference")
NO_RATER = "people"
"""The rater of labels without one."""
NAMES = ("id", "question", "system", "other", "metric", "rater")


@dataclass(frozen=True)
class Verdicts:
    """Verdicts of raters on answers: people, judges and metrics alike.

    `frame` has a row for each verdict: id, system, other, metric, rater, value, answer; with
    labels without an id also question where some have no id, with the text of the question. `value` is 1 or
    0 if `kind` is "binary", any number if "graded"; for "preference" it is 1 if `system` is preferred to
    `other`, -1 if `other` is, 0 for a tie. `system` is null if the source names none, `metric` if the
    verdict is about no metric in particular, `answer` if the source does not repeat the answer. `settled`
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


@dataclass(frozen=True, slots=True)
class _Verdict:
    """One verdict and its place in the source."""

    values: Mapping[str, object]
    line: int | None
    number: float
    is_word: bool


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
    _check(map or {}, yes, yes_from, kind)
    with gc_paused():
        table = source if isinstance(source, Table) else read_source(source)
        if table.problems:
            raise DataError(table.problems)
        return _read(table, map or {}, yes, yes_from, skip, kind)


def _check(
    chosen: Mapping[str, object], yes: Collection[str], yes_from: float | None, kind: Kind | None
) -> None:
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
    if problems:
        raise PlanError(problems)


def _read(
    table: Table,
    chosen: Mapping[str, str | Sequence[str]],
    yes: Collection[str],
    yes_from: float | None,
    skip: Collection[str],
    kind: Kind | None,
) -> Verdicts:
    if not table.rows:
        raise DataError([Problem("holds no labels; is it the right file?", table.source)])
    naming = LabelColumns.of(table, chosen)
    is_preference = "other" in naming.columns or kind == "preference"
    problems: list[Problem] = []
    verdicts, n_empty = _verdicts(table, naming, yes, skip, problems, is_preference=is_preference)
    if not verdicts and not problems:
        problems.append(
            Problem(f"every label is empty (column {naming.shown_value})", table.source)
        )
    kept, n_twice = _once(verdicts, table.source, problems)
    found: Kind = "preference" if is_preference else kind or _kind_of(kept, table, problems)
    if problems:
        raise DataError(problems)
    notes = [*table.notes, *naming.notes, *_yes_notes(table, naming, yes, skip)]
    if n_empty:
        notes.append(f"rows without a label: {n_empty:,}")
    if n_twice:
        notes.append(f"labels that a rater gave twice, counted once: {n_twice:,}")
    if found != "graded" and yes_from is not None:
        what = "preferences" if found == "preference" else "yes and no"
        notes.append(f"--yes-from {yes_from:g} changes nothing: the labels are {what}, not grades")
    if found == "graded" and yes_from is not None:
        kept = [replace(each, number=float(each.number >= yes_from)) for each in kept]
        found = "binary"
    if found == "binary" and (strange := [v for v in kept if v.number not in (0.0, 1.0)]):
        raise DataError(
            [_problem(strange[0], table.source, f"is {strange[0].number:g}, not 0 or 1")]
        )
    return Verdicts(_frame(kept), found, table.source, tuple(notes))


def _verdicts(
    table: Table,
    naming: LabelColumns,
    yes: Collection[str],
    skip: Collection[str],
    problems: list[Problem],
    *,
    is_preference: bool,
) -> tuple[list[_Verdict], int]:
    """The verdicts of all rows, and how many rows have none."""
    skipped = {folded(word) for word in skip}
    found: list[_Verdict] = []
    unread: dict[str, tuple[int, Problem]] = {}
    n_empty = 0
    for row in table.rows:
        values = {field: row.values.get(column) for field, column in naming.columns.items()}
        id, question = _text(values.get("id")), _text(values.get("question"))
        if not id and not question:
            what = "no id" if "question" not in naming.columns else "neither an id nor a question"
            problems.append(Problem(f"has a label but {what}", table.source, row.line, "id"))
            continue
        given = list(_given(row.values, values, naming))
        n_empty += not given
        for rater, label in given:
            if folded(label) in skipped:
                n_empty += 1
                continue
            who = {
                "id": id,
                "question": None if id else question,
                "rater": rater,
                **{n: _text(values.get(n)) for n in ("system", "other", "metric", "answer")},
            }
            if broken := _broken_text(who):
                name, message = broken
                problems.append(Problem(message, table.source, row.line, name))
                continue
            try:
                if is_preference:
                    first, second = who["system"] or "", who["other"] or ""
                    number, is_word = preference_value(label, first, second), True
                else:
                    number, is_word = label_value(label, yes)
            except LabelValueError as error:
                n, first_problem = unread.get(
                    str(error),
                    (0, Problem(str(error), table.source, row.line, "value", id or question)),
                )
                unread[str(error)] = (n + 1, first_problem)
                continue
            found.append(_Verdict(who, row.line, number, is_word))
    problems += _unread_problems(unread, is_preference=is_preference)
    return found, n_empty


def _given(
    row: Mapping[str, object], values: Mapping[str, object], naming: LabelColumns
) -> Iterator[tuple[str, object]]:
    """Each rater's label in a row; empty ones are left out."""
    if naming.columns.get("system") == "winner" and "value" not in naming.columns:
        yield _text(values.get("rater")) or NO_RATER, 1
        return
    if naming.raters:
        pairs = [(name, row.get(name)) for name in naming.raters]
    elif isinstance(values.get("value"), list | tuple):
        items = cast("Sequence[object]", values["value"])
        pairs = [(f"rater {number}", item) for number, item in enumerate(items, start=1)]
    else:
        pairs = [(_text(values.get("rater")) or NO_RATER, values.get("value"))]
    yield from (
        (rater, given) for rater, given in pairs if given is not None and str(given).strip()
    )


def _text(given: object) -> str | None:
    """A name as text; None where there is none."""
    text = "" if given is None else str(given).strip()
    return text or None


def _broken_text(names: Mapping[str, str | None]) -> tuple[str, str] | None:
    """The first name that is no text, and what is wrong with it."""
    for name, text in names.items():
        try:
            whole_text(text or "")
        except FieldError as error:
            return name, str(error)
    return None


def _unread_problems(
    unread: Mapping[str, tuple[int, Problem]], *, is_preference: bool
) -> Iterator[Problem]:
    for n, problem in unread.values():
        more = f" (and {n - 1:,} more like it)" if n > 1 else ""
        advice = (
            ""
            if is_preference or "neither" not in problem.message
            else "; name the words that mean yes (--yes WORD, all others are no) or leave it out (--skip WORD)"
        )
        yield replace(problem, message=f"{problem.message}{more}{advice}")


def _once(
    verdicts: Sequence[_Verdict], source: str, problems: list[Problem]
) -> tuple[list[_Verdict], int]:
    """The verdicts without duplicates; two different ones of a rater on one answer are a problem."""
    first: dict[tuple[object, ...], _Verdict] = {}
    n_twice = 0
    for verdict in verdicts:
        key = tuple(verdict.values[name] for name in NAMES)
        before = first.setdefault(key, verdict)
        if before is verdict:
            continue
        n_twice += 1
        if before.number != verdict.number:
            rater = verdict.values["rater"]
            where = source if before.line is None else f"{source}:{before.line}"
            add = "; if these are two people, add a column rater" if rater == NO_RATER else ""
            problems.append(
                _problem(
                    verdict,
                    source,
                    f"is {verdict.number:g}, but {rater!r} gave {before.number:g} at {where}; keep one{add}",
                )
            )
    return list(first.values()), n_twice


def _problem(verdict: _Verdict, source: str, message: str) -> Problem:
    name = verdict.values["id"] or verdict.values["question"]
    return Problem(message, source, verdict.line, "value", str(name))


def _kind_of(verdicts: Sequence[_Verdict], table: Table, problems: list[Problem]) -> Kind:
    """Whether the labels are yes or no, or grades; words and grades together are a problem."""
    grades = [each for each in verdicts if each.number not in (0.0, 1.0)]
    words = [each for each in verdicts if each.is_word]
    if grades and words:
        problems.append(
            _problem(
                grades[0],
                table.source,
                f"is {grades[0].number:g}, but other labels are yes or no; give one kind of label",
            )
        )
    return "graded" if grades else "binary"


def _yes_notes(
    table: Table, naming: LabelColumns, yes: Collection[str], skip: Collection[str]
) -> Iterator[str]:
    """What counted as no, when the words for yes were given."""
    if not yes:
        return
    known = {folded(word) for word in yes}
    skipped = {folded(word) for word in skip}
    counts: dict[str, int] = {}
    for row in table.rows:
        for column in naming.raters or (naming.columns["value"],):
            given = row.values.get(column)
            if given is not None and folded(given) not in skipped and folded(given):
                counts[str(given)] = counts.get(str(given), 0) + 1
    missing = [word for word in yes if folded(word) not in {folded(value) for value in counts}]
    if missing:
        words = listed([repr(value) for value in counts], most=20)
        raise DataError(
            [Problem(f"no label is {missing[0]!r}; the labels are {words}", table.source)]
        )
    no = [f"{value!r} ({n:,})" for value, n in counts.items() if folded(value) not in known]
    yield f"counted as no: {listed(no) or 'nothing'}"


def _frame(verdicts: Sequence[_Verdict]) -> "pl.DataFrame":
    import polars as pl

    has_ids = all(each.values["id"] for each in verdicts)
    names = [name for name in NAMES if name != "question" or not has_ids]
    columns = {name: [each.values[name] for each in verdicts] for name in names}
    return pl.DataFrame(
        {
            **columns,
            "value": [each.number for each in verdicts],
            "answer": [each.values["answer"] for each in verdicts],
        },
        schema={
            **dict.fromkeys(names, pl.String()),
            "value": pl.Float64(),
            "answer": pl.String(),
        },
    )
