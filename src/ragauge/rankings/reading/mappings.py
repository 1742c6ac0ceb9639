"""Read mappings of query → documents, retrieved or judged, in the shapes of Python and JSON.

Only judged documents of a run are looked up: the rank of one is 1 plus the number of higher scores.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.hits import Compat, Floats, Ints
from ragauge.rankings.judgements import JudgedRun, Judgements
from ragauge.rankings.reading.fields import bytes_of, field_of, texts_of
from ragauge.rankings.reading.lookup import ComparedScores, compared
from ragauge.rankings.reading.rows import (
    LARGEST_GRADE,
    MAX_SHOWN,
    Rows,
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
WORTH_SORTING = 1_000
"""The number of comparisons that takes as long as sorting the scores of one query."""

Scores = Mapping[str, float]

SHAPES = "{document: score}, [document, …] best first, or [[document, score], …]"
JUDGED_SHAPES = "{document: grade} or [document, …]"


def judgements_of(judged: Mapping[object, object], source: str) -> Judgements:
    """Make judgements of query → document → grade, or query → relevant documents."""
    problems: list[Problem] = []
    read: dict[str, Mapping[str, int]] = {}
    for given, grades in judged.items():
        query = _query(given, read, source, problems)
        read[query] = _graded(query, grades, source, problems)
    if not read:
        problems.append(Problem("is empty: it judges no query", source))
    refuse(problems)
    return Judgements.from_mapping(read, source)


def _graded(query: str, judged: object, source: str, problems: list[Problem]) -> Mapping[str, int]:
    """The grades of a query's documents; appends what is wrong with them."""
    if isinstance(judged, Mapping):
        grades = cast(Mapping[object, object], judged)
        if (
            set(map(type, grades.values())) == {int}
            and are_plain_names(grades)
            and "" not in grades
        ):
            whole = cast(Collection[int], grades.values())
            if max(abs(min(whole)), max(whole)) < LARGEST_GRADE:
                return cast(Mapping[str, int], grades)
        given = list(grades.items())
    elif isinstance(judged, list | tuple | set | frozenset):
        given = [(document, 1) for document in cast(Collection[object], judged)]
    else:
        what = f"is {short(judged)}; a query's judgements are {JUDGED_SHAPES}"
        problems.append(Problem(what, source, id=query))
        return {}
    seen: dict[str, int] = {}
    found: dict[str, int] = {}
    for place, (document, grade) in enumerate(given, 1):
        problem, name = not_a_name(document), str(document)
        if problem is None:
            of_grade = not_a_number(grade)
            if of_grade is None:
                value = float(cast(float, grade))
                if value != value // 1 or abs(value) >= LARGEST_GRADE:
                    of_grade = f"is not a whole number: {value:g}"
            if of_grade is not None:
                problem = f"grade of document {short(document)} {of_grade}"
            elif not name:
                problem = f"has a document without a name, at position {place}"
            elif name in seen:
                problem = _repeated(name, "judged", seen[name], place)
        if problem is not None:
            problems.append(Problem(problem, source, id=query))
            continue
        seen[name] = place
        found[name] = int(cast(float, grade))
    return found


def _repeated(name: str, what: str, first: int, second: int) -> str:
    at = f"at positions {first} and {second}"
    return f"document {name!r} is {what} twice for its query, {at}; remove one"


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
        names = cast(Sequence[object], () if what else retrieved)
        values: Collection[float] = range(0, -len(names), -1)
        if names and isinstance(names[0], list | tuple):
            for place, pair in enumerate(names, 1):
                if not isinstance(pair, list | tuple) or len(cast(Sequence[object], pair)) != 2:
                    what = what or f"position {place} is {short(cast(object, pair))}"
        if what:
            raise DataError(
                [Problem(f"{what}; a query's documents are {SHAPES}", source, id=query)]
            )
        if names and isinstance(names[0], list | tuple):
            names, values = zip(*cast(Sequence[tuple[object, float]], names), strict=True)
        yield query, _by_name(query, names, values, source)
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
    query: str, names: Collection[object], values: Collection[float], source: str
) -> Scores:
    """The scores by the documents' ids as texts; DataError for bad and repeated ids."""
    named = cast(Collection[str], names)
    if not are_plain_names(names) or "" in names:
        refuse(
            Problem(f"document {short(name)} at position {place} {problem}", source, id=query)
            for place, name in enumerate(names, 1)
            if (problem := not_a_name(name) or (None if name != "" else "has no name")) is not None
        )
        named = [str(name) for name in names]
    scores = dict(zip(named, values, strict=True))
    if len(scores) < len(named):
        seen: dict[str, int] = {}
        refuse(
            Problem(_repeated(name, "retrieved", seen[name], place), source, id=query)
            for place, name in enumerate(named, 1)
            if seen.setdefault(name, place) != place
        )
    return scores


def _texted(query: str, scores: Scores, source: str) -> Scores:
    """The scores with all document ids as texts; ids may also be whole numbers."""
    if are_plain_names(scores) and "" not in scores:
        return scores
    return _by_name(query, scores.keys(), scores.values(), source)


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
    edges = np.cumsum([0, *(len(given) for _, given in piece)])
    query = np.array(place)
    start, end = edges[query], edges[query + 1]
    size = end - start
    if int(size.sum()) <= 2 * len(scores) + WORTH_SORTING * len(piece):
        spans = zip(start.tolist(), end.tolist(), strict=True)
        others = np.concatenate([scores[first:last] for first, last in spans])
        repeated, begin = np.repeat(own, size), np.cumsum(size) - size
        rank = np.add.reduceat(others > repeated, begin, dtype=np.int64) + 1
        n_equal = np.add.reduceat(others == repeated, begin, dtype=np.int64)
    else:
        rank, n_equal = np.empty_like(query), np.empty_like(query)
        begins = np.flatnonzero(np.diff(query, prepend=-1)).tolist()
        for first, last in zip(begins, [*begins[1:], len(query)], strict=True):
            rising = np.sort(scores[start[first] : end[first]])
            up_to = np.searchsorted(rising, own[first:last], "right")
            rank[first:last] = len(rising) - up_to + 1
            n_equal[first:last] = up_to - np.searchsorted(rising, own[first:last], "left")
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
