"""Read mappings of query → documents, retrieved or judged, in the shapes of Python and JSON.

Only judged documents of a run are looked up: the rank of one is 1 plus the number of higher scores.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.hits import Compat, Floats, Ints
from ragauge.rankings.reading.fields import (
    ComparedScores,
    bytes_of,
    compared,
    field_of,
    sort_keys,
    texts_of,
)
from ragauge.rankings.reading.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.rows import (
    MAX_SHOWN,
    Rows,
    are_grades,
    are_plain_names,
    not_a_name,
    not_a_number,
    numbers,
    refuse,
    refuse_bad_names,
    short,
)

PIECE = 1 << 14
"""Documents processed at a time: few enough for their scores to stay in the cache."""

Scores = Mapping[str, float]


def judgements_of(judged: Mapping[object, object], source: str) -> Judgements:
    """Make judgements of query → document → grade, or query → relevant documents."""
    problems: list[Problem] = []
    read: dict[str, Scores] = {}
    for given, documents in judged.items():
        query = _query(given, read, source, problems)
        read[query] = {}
        if isinstance(documents, Mapping):
            read[query] = _by_name(query, cast(Scores, documents), source, problems, "judged")
        elif isinstance(documents, list | tuple | set | frozenset):
            pairs = [(document, 1) for document in cast(Collection[object], documents)]
            read[query] = _by_name(query, pairs, source, problems, "judged")
        else:
            shapes = "{document: grade} or [document, …]"
            what = f"is {short(documents)}; a query's judgements are {shapes}"
            problems.append(Problem(what, source, id=query))
    if not read:
        problems.append(Problem("is empty: it judges no query", source))
    refuse(problems)
    values = numbers(tuple(chain.from_iterable(grades.values() for grades in read.values())))
    if values is None or not are_grades(values).all():
        refuse(
            Problem(f"grade of document {short(document)} {problem}", source, id=query)
            for query, grades in read.items()
            for document, grade in grades.items()
            if (problem := not_a_number(grade) or _not_whole(grade))
        )
    return Judgements.from_mapping(cast("dict[str, dict[str, int]]", read), source)


def _not_whole(grade: float) -> str | None:
    value = float(grade)
    return None if are_grades(np.array([value])).all() else f"is not a whole number: {value:g}"


def scored(run: Mapping[object, object], source: str) -> Iterator[tuple[str, Scores]]:
    """The queries of a run, each with its documents' scores; DataError for other values."""
    if set(map(type, run.values())) == {dict} and are_plain_names(run) and "" not in run:
        yield from cast(Mapping[str, Scores], run).items()
        return
    seen: set[str] = set()
    for given, retrieved in run.items():
        problems: list[Problem] = []
        query = _query(given, seen, source, problems)
        refuse(problems)
        seen.add(query)
        if isinstance(retrieved, Mapping):
            yield query, cast(Scores, retrieved)
            continue
        what = "" if isinstance(retrieved, list | tuple) else f"is {short(retrieved)}"
        listed = list(cast(Sequence[object], () if what else retrieved))
        pairs = [(document, -place) for place, document in enumerate(listed)]
        if listed and isinstance(listed[0], list | tuple):
            pairs = cast("list[tuple[object, int]]", listed)
            for place, pair in enumerate(listed, 1):
                if not isinstance(pair, list | tuple) or len(cast(Sequence[object], pair)) != 2:
                    what = what or f"position {place} is {short(cast(object, pair))}"
        if what:
            shapes = "{document: score}, [document, …] best first, or [[document, score], …]"
            what = f"{what}; a query's documents are {shapes}"
            raise DataError([Problem(what, source, id=query)])
        scores = _by_name(query, pairs, source, problems)
        refuse(problems)
        yield query, scores
    if not seen:
        raise DataError([Problem("is empty: it ranks no document", source)])


def _query(given: object, seen: Collection[str], source: str, problems: list[Problem]) -> str:
    query = str(given)
    problem = not_a_name(given)
    if problem is None and not query:
        problem = "is empty; every query needs a name"
    if problem is None and query in seen:
        problem = "is duplicate, as text and as number"
    if problem is not None:
        problems.append(Problem(f"query {short(given)} {problem}", source))
    return query


def _by_name(
    query: str,
    given: Scores | Sequence[tuple[object, float]],
    source: str,
    problems: list[Problem],
    verb: str = "retrieved",
) -> Scores:
    """The scores or grades by the documents' ids as texts; appends bad and repeated ids."""
    names = given if isinstance(given, Mapping) else [name for name, _ in given]
    if are_plain_names(names) and "" not in names:
        if isinstance(given, Mapping):
            return given
        scores = dict(cast("Sequence[tuple[str, float]]", given))
        if len(scores) == len(given):
            return scores
    given = list(given.items()) if isinstance(given, Mapping) else given
    scores, seen = dict[str, float](), dict[str, int]()
    for place, (given_name, value) in enumerate(given, 1):
        name = str(given_name)
        problem = not_a_name(given_name) or (None if name else "has no name")
        if problem:
            problem = f"document {short(given_name)} at position {place} {problem}"
        elif seen.setdefault(name, place) != place:
            at = f"at positions {seen[name]} and {place}"
            problem = f"document {name!r} is {verb} twice for its query, {at}; remove one"
        if problem:
            problems.append(Problem(problem, source, id=query))
        scores[name] = value
    return scores


def _texted(query: str, scores: Scores, source: str) -> Scores:
    """The scores with all document ids as texts; ids may also be whole numbers."""
    problems: list[Problem] = []
    texted = _by_name(query, scores, source, problems)
    refuse(problems)
    return texted


def rows_of_mapping(run: Mapping[object, object], source: str) -> Rows:
    """All documents of a run in any shape, and their scores."""
    found = [
        (query, _texted(query, scores, source)) for query, scores in scored(run, source) if scores
    ]
    if not found:
        raise DataError([Problem("is empty: it ranks no document", source)])
    first = np.cumsum([0, *(len(scores) for _, scores in found[:-1])])
    queries = field_of([query for query, _ in found])
    documents = field_of([name for _, scores in found for name in scores])
    rows = Rows(source, queries, first, documents, _numbers(found, source))
    refuse_bad_names(rows)
    return rows


def _numbers(queries: Sequence[tuple[str, Scores]], source: str) -> Floats:
    """The scores of some queries, concatenated."""
    found = numbers(tuple(chain.from_iterable(scores.values() for _, scores in queries)))
    if found is None or not np.isfinite(found).all():
        problems = [
            Problem(f"score of document {short(document)} {problem}", source, id=query)
            for query, scores in queries
            for document, score in scores.items()
            if (problem := not_a_number(score)) is not None
        ]
        refuse(problems[:MAX_SHOWN])
    return cast(Floats, found)


def match_mapping_to_qrels(
    run: Mapping[object, object], judgements: Judgements, compat: Compat, source: str
) -> JudgedRun:
    """The run matched to the judgements; only judged documents are looked up."""
    documents = texts_of(judgements.document)
    edges = np.arange(judgements.n_queries + 1)
    first = cast(list[int], np.searchsorted(judgements.query, edges).tolist())
    n_queries, n_retrieved = 0, np.zeros(judgements.n_queries, np.int64)
    searched = np.zeros(judgements.n_queries, np.bool_)
    judgement, ranks = list[int](), [np.zeros(0, np.int64)]
    for piece in _pieces(run, source):
        scores = compared(_numbers(piece, source), compat)
        place, wanted, own = list[int](), list[int](), list[float]()
        for at, (query, given) in enumerate(piece):
            if (number := judgements.numbers.get(query)) is None:
                continue
            searched[number], n_retrieved[number] = True, len(given)
            begin, end = first[number], first[number + 1]
            found = list(map(given.get, documents[begin:end]))
            # A missing id may be there as a whole number: only then must all names be converted.
            if None in found and (texted := _texted(query, given, source)) is not given:
                piece[at] = query, texted
                found = list(map(texted.get, documents[begin:end]))
            for row, score in enumerate(found, begin):
                if score is not None:
                    place.append(at)
                    wanted.append(row)
                    own.append(score)
        n_queries += len(piece)
        if wanted:
            names = [documents[row] for row in wanted]
            judgement += wanted
            own_scores = compared(np.array(own, np.float64), compat)
            ranks.append(_ranks(piece, scores, place, names, own_scores, source))
    rising = np.argsort(judgement)
    rows, rank = np.array(judgement, np.int64)[rising], np.concatenate(ranks)[rising]
    n_unjudged = n_queries - int(searched.sum())
    return JudgedRun(judgements, n_retrieved, rows, rank, n_unjudged, searched=searched)


def _pieces(run: Mapping[object, object], source: str) -> Iterator[list[tuple[str, Scores]]]:
    piece: list[tuple[str, Scores]] = []
    n = 0
    for query, scores in scored(run, source):
        piece.append((query, scores))
        n += len(scores)
        if n >= PIECE:
            yield piece
            piece, n = [], 0
    yield piece


def _ranks(
    piece: Sequence[tuple[str, Scores]],
    scores: ComparedScores,
    place: Sequence[int],
    names: Sequence[str],
    own: ComparedScores,
    source: str,
) -> Ints:
    """The ranks of documents with these names and scores of the queries at these places of the piece, (h,).

    `scores` are those of all documents of the piece; `place` ascends.
    """
    sizes = [len(given) for _, given in piece]
    edges, query = np.cumsum([0, *sizes]), np.array(place)
    keys, own_keys = (
        sort_keys(np.repeat(np.arange(len(piece)), sizes), scores),
        sort_keys(query, own),
    )
    keys.sort()
    before = np.searchsorted(keys, own_keys, "left")
    rank = before - edges[query] + 1
    n_equal = np.searchsorted(keys, own_keys, "right") - before
    # A tied hit comes after the higher names in its tie.
    ties: dict[tuple[int, float], dict[str, int]] = {}
    for hit in np.flatnonzero(n_equal > 1).tolist():
        key = at, value = place[hit], float(own[hit])
        if key not in ties:
            every = list(_texted(*piece[at], source))
            like = np.flatnonzero(scores[edges[at] : edges[at + 1]] == value)
            tied = sorted((every[row] for row in like), key=bytes_of, reverse=True)
            ties[key] = {name: above for above, name in enumerate(tied)}
        rank[hit] += ties[key][names[hit]]
    return rank
