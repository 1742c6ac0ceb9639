"""Load files and objects as samples: `load` detects the format and the fields."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ragauge.errors import PlanError
from ragauge.loaders import legalbench
from ragauge.loaders.assembly import Answers, assemble
from ragauge.loaders.conflicts import Prefer, check_prefer
from ragauge.loaders.formats import Source, read_source
from ragauge.loaders.legalbench import load_passages
from ragauge.loaders.mapping import check_chosen
from ragauge.memory import gc_paused
from ragauge.sample import Samples

__all__ = ["Source", "load", "load_passages"]


def load(
    source: Source | Mapping[str, Source],
    *,
    map: Mapping[str, str] | None = None,
    system: str | None = None,
    gold: Source | None = None,
    prefer: Prefer | None = None,
    by_place: bool = False,
) -> Samples:
    """Load samples from a file (.jsonl .ndjson .json .csv .tsv, also .gz; .parquet), frame or list.

    A mapping of system name to source loads several systems. `map` maps a field to the column to
    read for it; `system` names the system that gave all the answers. `gold` holds questions,
    references and gold contexts: a question that a system did not answer becomes a row without an
    answer. `notes` say which columns were mapped or left out, and what a system or the gold lacks.

    Rows of several systems, and of the gold, belong together by id; where there is no id, by the text
    of the question (case and whitespace ignored). `by_place=True` pairs the n-th rows instead. If an
    id has two question texts, or a question has conflicting gold, that is an error; `prefer` settles
    it: "gold" uses the gold's value, "answers" each answer's own, "first" that of the first source.

    Raises DataError with every problem in the data, PlanError for invalid arguments.

    >>> samples = load([{"qid": "q1", "response": "Paris", "reference": "Paris"}])
    >>> samples.columns
    ('id', 'system', 'answer', 'references')
    >>> samples.notes
    ("read 'qid' as id, 'response' as answer, 'reference' as references",)
    """
    with gc_paused():
        return _load(source, map or {}, system, gold, prefer=prefer, by_place=by_place)


def _load(
    source: Source | Mapping[str, Source],
    chosen: Mapping[str, str],
    system: str | None,
    gold: Source | None,
    *,
    prefer: Prefer | None,
    by_place: bool,
) -> Samples:
    problems = [*check_chosen(chosen), *check_prefer(prefer, has_gold=gold is not None)]
    if problems:
        raise PlanError(problems)
    answers = _answers(source, system)
    expected = None if gold is None else read_source(gold)
    if expected is not None and legalbench.are_pairs(
        [system.table for system in answers], expected
    ):
        return legalbench.assemble_pairs(answers, expected, chosen)
    if expected is None and len(answers) == 1:
        answers = [replace(given, table=legalbench.recognised(given.table)) for given in answers]
    expected = None if expected is None else legalbench.recognised(expected)
    return assemble(answers, expected, chosen, prefer=prefer, by_place=by_place)


def _answers(source: Source | Mapping[str, Source], system: str | None) -> list[Answers]:
    if not isinstance(source, Mapping):
        return [Answers(read_source(source), system)]
    sources = cast(Mapping[object, Source], source)
    if system is not None:
        raise PlanError([f"the sources already name their systems; remove system={system!r}"])
    _check_systems(sources)
    return [Answers(read_source(given), str(name)) for name, given in sources.items()]


def _check_systems(sources: Mapping[object, Source]) -> None:
    if not sources:
        raise PlanError(["no system given; give at least one {system: source}"])
    for name, rows in sources.items():
        if not isinstance(name, str) or not name.strip():
            raise PlanError([f"the name of a system must be non-empty text, got {name!r}"])
        if (
            isinstance(rows, list | tuple)
            and rows
            and not isinstance(cast(object, rows[0]), Mapping)
        ):
            problem = f"{name!r} must be a system with a list of row dicts"
            raise PlanError([f"{problem}; for a dict of columns pass a frame: pl.DataFrame(…)"])
