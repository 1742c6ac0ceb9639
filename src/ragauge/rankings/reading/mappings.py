"""Read mappings of query → documents, retrieved or judged, in the shapes of Python and JSON.

Only judged documents of a run are looked up: the rank of one is 1 plus the number of higher scores.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

import numpy as np

from ragauge.errors import DataError, Problem
from ragauge.rankings.arrays import ComparedScores, Compat, Floats, Ints, precision_of
from ragauge.rankings.judgements import JudgedRun, Judgements, bytes_of, numbered
from ragauge.rankings.reading.columns import (
    MAX_SHOWN,
    are_plain_names,
    not_a_name,
    not_a_number,
    numbers,
    short,
)
from ragauge.rankings.reading.rows import (
    LARGEST_GRADE,
    Rows,
    field_of_texts,
    refuse,
    refuse_bad_names,
    texts_of,
)

PIECE = 1 << 14
"""Documents processed at a time: few enough for their scores to stay in the cache."""
WORTH_SORTING = 1_000
"""The number of comparisons that takes as long as sorting the scores of one query."""

Scores = Mapping[str, float]

SHAPES = "{document: score}, [document, …] best first, or [[document, score], …]"
JUDGED_SHAPES = "{document: grade} or [document, …]"


# Judgements


def judgements_of(judged: Mapping[object, object], source: str) -> Judgements:
    """Make judgements of query → document → grade, or query → relevant documents."""
    problems: list[Problem] = []
    read: dict[str, Mapping[str, int]] = {}
    for given, grades in judged.items():
        query = _query(given, read, source, problems)
        read[query] = dict(_graded(query, grades, source, problems))
    if not read:
        problems.append(Problem("is empty: it judges no query", source))
    refuse(problems)
    return Judgements.from_mapping(read, source)


def _graded(
    query: str, grades: object, source: str, problems: list[Problem]
) -> Iterator[tuple[str, int]]:
    if isinstance(grades, Mapping):
        given = list(cast(Mapping[object, object], grades).items())
        if _are_plain(given):
            yield from cast(list[tuple[str, int]], given)
            return
    elif isinstance(grades, list | tuple | set | frozenset):
        given = [(document, 1) for document in cast(Sequence[object], grades)]
    else:
        what = f"is {short(grades)}; a query's judgements are {JUDGED_SHAPES}"
        problems.append(Problem(what, source, id=query))
        return
    seen: dict[str, int] = {}
    for place, (document, grade) in enumerate(given, 1):
        problem = not_a_name(document) or _not_a_grade(document, grade)
        name = str(document)
        if problem is None and (name in seen or not name):
            problem = _repeated(name, "judged", seen.get(name, 0), place)
        if problem is not None:
            problems.append(Problem(problem, source, id=query))
            continue
        seen[name] = place
        yield name, int(cast(float, grade))


def _are_plain(given: Sequence[tuple[object, object]]) -> bool:
    """Whether all names are texts and all grades small whole numbers, checked without a loop."""
    names, grades = zip(*given, strict=True) if given else ((), ())
    if set(map(type, grades)) != {int} or not are_plain_names(names) or "" in names:
        return False
    whole = cast(Sequence[int], grades)
    return max(abs(min(whole)), max(whole)) < LARGEST_GRADE


def _repeated(name: str, what: str, first: int, second: int) -> str:
    if not name:
        return f"has a document without a name, at position {second}"
    return (
        f"document {name!r} is {what} twice for its query, at positions {first} and {second}; "
        "remove one"
    )


def _not_a_grade(document: object, grade: object) -> str | None:
    problem = not_a_number(grade)
    if problem is not None:
        return f"grade of document {short(document)} {problem}"
    value = float(cast(float, grade))
    if value != value // 1 or abs(value) >= LARGEST_GRADE:
        return f"grade of document {short(document)} is not a whole number: {value:g}"
    return None


# Runs in one shape


def scored(run: Mapping[object, object], source: str) -> Iterator[tuple[str, Scores]]:
    """The queries of a run, each with its documents' scores; DataError for other values."""
    if set(map(type, run.values())) == {dict} and are_plain_names(run) and "" not in run:
        yield from cast(Mapping[str, Scores], run).items()
        return
    seen: dict[str, Mapping[str, int]] = {}
    for given, retrieved in run.items():
        problems: list[Problem] = []
        query = _query(given, seen, source, problems)
        refuse(problems)
        seen[query] = {}
        yield query, _scores(query, retrieved, source)
    if not seen:
        raise DataError([Problem("is empty: it ranks no document", source)])


def _query(given: object, seen: Mapping[str, object], source: str, problems: list[Problem]) -> str:
    query = str(given)
    problem = not_a_name(given)
    if problem is None and not query:
        problem = "is empty; every query needs a name"
    if problem is None and query in seen:
        problem = "is duplicate, as text and as number"
    if problem is not None:
        problems.append(Problem(f"query {short(given)} {problem}", source))
    return query


def _scores(query: str, retrieved: object, source: str) -> Scores:
    if isinstance(retrieved, Mapping):
        return cast(Scores, retrieved)
    if not isinstance(retrieved, list | tuple):
        what = f"is {short(retrieved)}; a query's documents are {SHAPES}"
        raise DataError([Problem(what, source, id=query)])
    listed = cast(Sequence[object], retrieved)
    if listed and isinstance(listed[0], list | tuple):
        names, values = _pairs(query, listed, source)
    else:
        names, values = listed, range(0, -len(listed), -1)
    refuse(_unnamed(query, names, source))
    named = [str(name) for name in names]
    scores = dict(zip(named, cast(Sequence[float], values), strict=True))
    if len(scores) < len(named):
        refuse(_twice(query, named, source))
    return scores


def _pairs(
    query: str, listed: Sequence[object], source: str
) -> tuple[Sequence[object], Sequence[object]]:
    for place, pair in enumerate(listed, 1):
        if not _is_pair(pair):
            what = f"position {place} is {short(pair)}; a query's documents are {SHAPES}"
            raise DataError([Problem(what, source, id=query)])
    names, values = zip(*cast(Sequence[tuple[object, object]], listed), strict=True)
    return names, values


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(cast(Sequence[object], value)) == 2


def _unnamed(query: str, names: Sequence[object], source: str) -> list[Problem]:
    if are_plain_names(names) and "" not in names:
        return []
    return [
        Problem(f"document {short(name)} at position {place} {problem}", source, id=query)
        for place, name in enumerate(names, 1)
        if (problem := not_a_name(name) or (None if name != "" else "has no name")) is not None
    ]


def _twice(query: str, names: Sequence[str], source: str) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        first = seen.setdefault(name, place)
        if first != place:
            yield Problem(_repeated(name, "retrieved", first, place), source, id=query)


def _texted(query: str, scores: Scores, source: str) -> Scores:
    """The scores with all document ids as texts; ids may also be whole numbers."""
    names = list(cast(Mapping[object, float], scores))
    if are_plain_names(names) and "" not in scores:
        return scores
    refuse(_unnamed(query, names, source))
    named = [str(name) for name in names]
    texted = dict(zip(named, scores.values(), strict=True))
    if len(texted) < len(named):
        refuse(_twice(query, named, source))
    return texted


def rows_of_mapping(run: Mapping[object, object], source: str) -> Rows:
    """All documents of a run in any shape, and their scores."""
    queries, names, values, sizes = list[str](), list[str](), list[Floats](), list[int]()
    for query, given in scored(run, source):
        scores = _texted(query, given, source)
        if not scores:
            continue
        queries.append(query)
        names += scores
        sizes.append(len(scores))
        values.append(_numbers([(query, scores)], source))
    if not queries:
        raise DataError([Problem("is empty: it ranks no document", source)])
    first = np.cumsum([0, *sizes[:-1]])
    rows = Rows(
        source,
        field_of_texts(queries),
        first,
        field_of_texts(names),
        np.concatenate(values),
        lambda row: row + 1,
    )
    refuse_bad_names(rows)
    return rows


def _numbers(queries: Sequence[tuple[str, Scores]], source: str) -> Floats:
    """The scores of some queries, concatenated."""
    values = tuple(chain.from_iterable(scores.values() for _, scores in queries))
    try:
        found = numbers(values)
    except (TypeError, ValueError, OverflowError, struct.error):
        found = np.full(1, np.nan)
    if not np.isfinite(found).all():
        refuse(_not_finite(queries, source))
    return found


def _not_finite(queries: Sequence[tuple[str, Scores]], source: str) -> list[Problem]:
    return [
        Problem(f"score of document {short(document)} {problem}", source, id=query)
        for query, scores in queries
        for document, score in scores.items()
        if (problem := not_a_number(score)) is not None
    ][:MAX_SHOWN]


# Runs matched to judgements


def match_mapping_to_qrels(
    run: Mapping[object, object], judgements: Judgements, compat: Compat, source: str
) -> JudgedRun:
    """The run matched to the judgements; only judged documents are looked up."""
    look = _Look(judgements, compat, source)
    n_queries = 0
    searched = np.zeros(judgements.n_queries, np.bool_)
    found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for piece in _pieces(run, source):
        n_queries += len(piece)
        searched[[look.number[query] for query, _ in piece if query in look.number]] = True
        found.append(look.through(piece))
    judgement, rank = map(np.concatenate, zip(*found, strict=True))
    rising = np.argsort(judgement)
    n_unjudged = n_queries - int(searched.sum())
    n_retrieved = np.array(look.n_retrieved, np.int64)
    return JudgedRun(
        judgements,
        n_retrieved,
        judgement[rising],
        rank[rising],
        n_unjudged,
        searched=searched,
    )


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


class _Look:
    """Looks up a run's judged documents piece by piece."""

    def __init__(self, judgements: Judgements, compat: Compat, source: str) -> None:
        self.source = source
        self.precision = precision_of(compat)
        self.number = numbered(judgements.queries)
        self.documents = texts_of(judgements.document)
        edges = np.arange(judgements.n_queries + 1)
        self.first = cast(list[int], np.searchsorted(judgements.query, edges).tolist())
        self.n_retrieved = [0] * judgements.n_queries

    def through(self, piece: list[tuple[str, Scores]]) -> tuple[Ints, Ints]:
        """The judgements whose documents the piece's queries retrieved, and their ranks."""
        scores = self._narrowed(_numbers(piece, self.source))
        place, judgement, score, unavailable = self._look_up(piece)
        # A missing id may be present as a whole number: only then must all names be converted.
        texted = [(at, _texted(*piece[at], self.source)) for at in unavailable]
        if any(scores_by_text is not piece[at][1] for at, scores_by_text in texted):
            for at, scores_by_text in texted:
                piece[at] = piece[at][0], scores_by_text
            place, judgement, score, _ = self._look_up(piece)
        if not place:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        size = np.fromiter((len(given) for _, given in piece), np.int64, len(piece))
        own = self._narrowed(numbers(score))
        hits = _Hits(scores, np.cumsum(size) - size, size, np.array(place, np.int64), own)
        above, level = hits.above_and_level()
        rank = above + 1
        self._settle(piece, hits, np.flatnonzero(level > 1), judgement, rank)
        return np.array(judgement, np.int64), rank

    def _look_up(
        self, piece: list[tuple[str, Scores]]
    ) -> tuple[list[int], list[int], list[float], list[int]]:
        """The query's place, judgement and score of each judged document that is found, and the
        places of queries with one that is not."""
        place, judgement, score, unavailable = list[int](), list[int](), list[float](), list[int]()
        for at, (query, scores) in enumerate(piece):
            number = self.number.get(query)
            if number is None:
                continue
            self.n_retrieved[number] = len(scores)
            for row in range(self.first[number], self.first[number + 1]):
                value = scores.get(self.documents[row])
                if value is None:
                    unavailable.append(at)
                else:
                    place.append(at)
                    judgement.append(row)
                    score.append(value)
        return place, judgement, score, list(dict.fromkeys(unavailable))

    def _narrowed(self, scores: Floats) -> ComparedScores:
        """The scores in the precision in which they are compared."""
        with np.errstate(over="ignore"):  # beyond the range of 32 bits all scores are equal
            return cast(ComparedScores, scores.astype(self.precision))

    def _settle(
        self,
        piece: list[tuple[str, Scores]],
        hits: "_Hits",
        tied: Ints,
        judgement: list[int],
        rank: Ints,
    ) -> None:
        """Add to the ranks of tied hits the number of higher names in their tie."""
        ties: dict[tuple[int, float], dict[str, int]] = {}
        for hit in tied.tolist():
            key = int(hits.place[hit]), float(hits.score[hit])
            if key not in ties:
                names = list(_texted(*piece[key[0]], self.source))
                like = np.flatnonzero(hits.scores_of(key[0]) == hits.score[hit])
                higher_first = sorted((names[at] for at in like), key=bytes_of, reverse=True)
                ties[key] = numbered(higher_first)
            rank[hit] += ties[key][self.documents[judgement[hit]]]


@dataclass(frozen=True, slots=True, eq=False)
class _Hits:
    """Judged documents among the scores of a piece.

    A query's scores (q,) start at `first`, and there are `size` of them; a hit (h,) belongs to the
    query at `place` and has `score`.
    """

    scores: ComparedScores
    first: Ints
    size: Ints
    place: Ints
    score: ComparedScores

    def scores_of(self, place: int) -> ComparedScores:
        return self.scores[self.first[place] : self.first[place] + self.size[place]]

    def above_and_level(self) -> tuple[Ints, Ints]:
        """The number of scores of its query above each hit's, and the number equal, both (h,)."""
        n_pairs = int(self.size[self.place].sum())
        few = 2 * len(self.scores) + WORTH_SORTING * len(self.size)
        return self._by_comparing() if n_pairs <= few else self._by_sorting()

    def _by_comparing(self) -> tuple[Ints, Ints]:
        size = self.size[self.place]
        first = self.first[self.place]
        spans = zip(first.tolist(), (first + size).tolist(), strict=True)
        others = np.concatenate([self.scores[start:end] for start, end in spans])
        own, begin = np.repeat(self.score, size), np.cumsum(size) - size
        return (
            np.add.reduceat(others > own, begin, dtype=np.int64),
            np.add.reduceat(others == own, begin, dtype=np.int64),
        )

    def _by_sorting(self) -> tuple[Ints, Ints]:
        below, up_to = np.empty_like(self.place), np.empty_like(self.place)
        begin = np.flatnonzero(np.diff(self.place, prepend=-1))
        for start, end in zip(begin.tolist(), [*begin[1:].tolist(), len(self.place)], strict=True):
            rising = np.sort(self.scores_of(int(self.place[start])))
            below[start:end] = np.searchsorted(rising, self.score[start:end], "left")
            up_to[start:end] = np.searchsorted(rising, self.score[start:end], "right")
        return self.size[self.place] - up_to, up_to - below
