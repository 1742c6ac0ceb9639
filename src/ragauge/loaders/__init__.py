"""Files and objects as samples: `load` finds the format, the fields and whatever is wrong."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ragauge.errors import PlanError
from ragauge.loaders import legalbench
from ragauge.loaders.assembly import Answers, assemble
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
) -> Samples:
    """Samples of a file (.jsonl .ndjson .json .csv .tsv, also .gz; .parquet), frame or list.

    A mapping of system to source loads several systems. `map` names the column to read as a field,
    where the name does not tell; `system` names who gave all the answers. `gold` holds questions,
    references and gold contexts, and is joined by id: a question that a system did not answer
    becomes a row without an answer. Notes say what was mapped, left out or made up.

    Raises DataError with every problem in the data, PlanError when asked for what cannot be.

    >>> samples = load([{"qid": "q1", "response": "Paris", "reference": "Paris"}])
    >>> samples.columns
    ('id', 'system', 'answer', 'references')
    >>> samples.notes
    ("read 'qid' as id, 'response' as answer, 'reference' as references",)
    """
    with gc_paused():
        return _load(source, map or {}, system, gold)


def _load(
    source: Source | Mapping[str, Source],
    chosen: Mapping[str, str],
    system: str | None,
    gold: Source | None,
) -> Samples:
    problems = check_chosen(chosen)
    if problems:
        raise PlanError(problems)
    answers = _answers(source, system)
    expected = None if gold is None else read_source(gold)
    if expected is not None and legalbench.are_pairs([one.table for one in answers], expected):
        return legalbench.assemble_pairs(answers, expected, chosen)
    answers = [replace(one, table=legalbench.recognised(one.table)) for one in answers]
    expected = None if expected is None else legalbench.recognised(expected)
    return assemble(answers, expected, chosen)


def _answers(source: Source | Mapping[str, Source], system: str | None) -> list[Answers]:
    if not isinstance(source, Mapping):
        return [Answers(read_source(source), system)]
    sources = cast(Mapping[object, Source], source)
    if system is not None:
        raise PlanError([f"several systems are given by name: leave out system={system!r}"])
    _check_systems(sources)
    return [Answers(read_source(one), str(name)) for name, one in sources.items()]


def _check_systems(sources: Mapping[object, Source]) -> None:
    if not sources:
        raise PlanError(["no system is given: name at least one source"])
    for name, one in sources.items():
        if not isinstance(name, str) or not name.strip():
            raise PlanError([f"a system's name must be text, got {name!r}"])
        if isinstance(one, list | tuple) and one and not isinstance(cast(object, one[0]), Mapping):
            wrong = f"{name!r} must name a system and hold its rows as dicts"
            raise PlanError([f"{wrong}; columns are loaded as a frame: pl.DataFrame(…)"])
