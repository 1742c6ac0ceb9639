"""TREC files: scanned in pieces on several threads, and read the plain slow way."""

import gzip
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO, TextIOWrapper
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragauge.errors import DataError, Problem
from ragauge.loaders.formats import files
from ragauge.rankings.hits import Compat
from ragauge.rankings.reading import trec
from ragauge.rankings.reading.fields import digests, field_of, mixed, text_of
from ragauge.rankings.reading.judgements import JudgedRun, Judgements, match_rows_to_qrels
from ragauge.rankings.reading.sources import run_frame
from ragauge.rankings.reading.streams import is_trec, packed_at, refuse_read_twice
from ragauge.rankings.reading.trec import read_qrels, scan_run

FORMATS = ("{!r}", "{:.4f}", "{:e}", "{:.17f}", "{:+.2f}")


@pytest.fixture
def small_pieces() -> Iterator[pytest.MonkeyPatch]:
    """Files are read in pieces of a few lines, on two threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "PIECE", 100)
        patch.setattr(trec, "SINGLE_BELOW", 0)
        yield patch


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def problem_of(read: Callable[[], object]) -> Problem:
    with pytest.raises(DataError) as caught:
        read()
    (problem,) = caught.value.problems
    return problem


def judged(judgements: Judgements) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {query: {} for query in judgements.queries}
    for row, grade in enumerate(judgements.grade.tolist()):
        query = judgements.queries[judgements.query[row]]
        found[query][text_of(judgements.document.name(row))] = grade
    return found


def ranks_of(retrieved: JudgedRun) -> dict[tuple[str, str], int]:
    judgements = retrieved.judgements
    names = [text_of(judgements.document.name(row)) for row in retrieved.judgement]
    queries = [judgements.queries[judgements.query[row]] for row in retrieved.judgement]
    return dict(zip(zip(queries, names, strict=True), retrieved.rank.tolist(), strict=True))


def sizes_of(retrieved: JudgedRun) -> dict[str, int]:
    return dict(zip(retrieved.judgements.queries, retrieved.n_retrieved.tolist(), strict=True))


class Case:
    """A random run with random judgements, as files and as they are."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        longest = self.chance.choice([1, 2, 5, 9, 17, 40, 70])
        names = sorted({self._name(longest) for _ in range(30)})
        queries = [
            f"q{n}" + "x" * self.chance.choice([0, 9]) for n in range(self.chance.randint(1, 6))
        ]
        self.qrels = {
            query: {name: self.chance.choice([-1, 0, 0, 1, 2]) for name in self._some(names, 12)}
            for query in queries
            if self.chance.random() < 0.8
        } or {"q": {"d": 1}}
        shape = self.chance.choice(FORMATS).format
        self.run = {
            query: {name: shape(self._score()) for name in self._some(names, len(names))}
            for query in queries
            if self.chance.random() < 0.8
        } or {"q": {"d": "1"}}
        self.qrels_path = written(folder / "qrels", self._qrels_text())
        self.run_path = written(folder / "run", self._run_text())

    def _name(self, longest: int) -> str:
        return "".join(
            self.chance.choice("abAB01-_é") for _ in range(self.chance.randint(1, longest))
        )

    def _some(self, names: list[str], most: int) -> list[str]:
        return self.chance.sample(names, self.chance.randint(1, min(most, len(names))))

    def _score(self) -> float:
        some = self.chance.random()
        whole = float(self.chance.randint(-3, 3))
        near = [some, round(some, 1), whole, 1e-8 * some, 1 + 1e-9 * some, 12345678.123456789]
        return self.chance.choice(near)

    def _qrels_text(self) -> str:
        lines = [f"{q} 0 {name} {n}\n" for q, row in self.qrels.items() for name, n in row.items()]
        if self.chance.random() < 0.5:
            self.chance.shuffle(lines)
        return "".join(lines)

    def _run_text(self) -> str:
        rows = [(q, name, text) for q, row in self.run.items() for name, text in row.items()]
        how = self.chance.choice(["as it is", "sorted", "shuffled"])
        if how == "sorted":
            rows.sort(key=lambda row: (row[0], -float(row[2])))
        elif how == "shuffled":
            self.chance.shuffle(rows)
        blanks = self.chance.choice([[" "], ["\t"], ["  "], [" ", "\t ", "   "]])
        end = self.chance.choice(["\n", "\r\n"])
        is_loose = len(blanks) > 1
        text = "".join(self._line(row, blanks, end, is_loose) for row in rows)
        return text.rstrip() if self.chance.random() < 0.5 else text

    def _line(self, row: tuple[str, str, str], blanks: list[str], end: str, is_loose: bool) -> str:
        query, name, score = row
        fields = [query, "Q0", name, "0", score, "tag"]
        if is_loose and self.chance.random() < 0.1:
            fields.append("more")
        line = fields[0] + "".join(self.chance.choice(blanks) + one for one in fields[1:]) + end
        after = [end, f"# note{end}", f" \t{end}"] if is_loose else [end]
        return line + (self.chance.choice(after) if self.chance.random() < 0.05 else "")

    def ranks(self, compat: Compat) -> dict[tuple[str, str], int]:
        """Where the judged documents stand, worked out one by one."""
        precision = np.float32 if compat == "trec9" else np.float64
        found: dict[tuple[str, str], int] = {}
        for query, scores in self.run.items():
            keys = {name: (precision(float(text)), name.encode()) for name, text in scores.items()}
            best_first = sorted(scores, key=keys.__getitem__, reverse=True)
            for rank, name in enumerate(best_first, 1):
                if name in self.qrels.get(query, {}):
                    found[query, name] = rank
        return found


@settings(
    max_examples=3 * settings.default.max_examples // 2, suppress_health_check=list(HealthCheck)
)
@given(
    st.integers(0, 10**9),
    st.sampled_from([60, 300, 1 << 20]),
    st.sampled_from([1, 2]),
    st.sampled_from(["trec9", "trec10"]),
)
def test_a_run_is_seen_as_when_it_is_sorted_line_by_line(
    tmp_path_factory, seed, piece, n_threads, compat
):
    case = Case(seed, tmp_path_factory.mktemp("case"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "PIECE", piece)
        judgements = read_qrels(case.qrels_path)
        found = scan_run(case.run_path, judgements, compat=compat, n_threads=n_threads)
        rows = trec.rows_of_trec(packed_at(case.run_path))
        whole = match_rows_to_qrels(rows, judgements, compat)
    assert judged(judgements) == case.qrels
    assert ranks_of(found) == case.ranks(compat)
    assert sizes_of(found) == {query: len(case.run.get(query, {})) for query in case.qrels}
    assert found.n_unjudged_queries == len(case.run.keys() - case.qrels.keys())
    # Read whole, it says the same.
    assert ranks_of(whole) == case.ranks(compat)
    assert whole.tag == "tag" and whole.n_unjudged_queries == found.n_unjudged_queries
    expected = {(q, name, float(text)) for q, row in case.run.items() for name, text in row.items()}
    assert set(run_frame(case.run_path).rows()) == expected


QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n"
RUN = "q1 Q0 b 1 2.5 me\nq1 Q0 a 2 1.5 me\nq2 Q0 c 1 9 me\nq2 Q0 a 2 8 me\n"
JUDGED = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}
RANKS = {("q1", "a"): 2, ("q1", "b"): 1, ("q2", "a"): 2}


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text,
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", " \t  "),
        lambda text: text.replace("\n", "\n\n\n"),
        lambda text: "# made by hand\n" + text.replace("\n", "\n# x\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\ufeff# x\n\n" + text,
        lambda text: "  " + text.replace("\n", " \n \t"),
        lambda text: "\n" * 300 + text + "\n" * 300,
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_same_files_are_the_same_however_spelled(tmp_path, small_pieces, spell, packed):
    for piece in (40, 1 << 20):
        small_pieces.setattr(trec, "PIECE", piece)
        pack = gzip.compress if packed else bytes
        judgements = read_qrels(written(tmp_path / "qrels", pack(spell(QRELS).encode())))
        found = scan_run(written(tmp_path / "run", pack(spell(RUN).encode())), judgements)
        assert judged(judgements) == JUDGED
        assert ranks_of(found) == RANKS


def test_the_tag_is_known_whatever_blanks_are_around_it(tmp_path, small_pieces):
    judgements = read_qrels(written(tmp_path / "qrels", QRELS))
    for text, tag in ((RUN + "\n" * 300, "me"), (f"q1 Q0 a 1 0.5{' ' * 5_000}mine\n", "mine")):
        assert scan_run(written(tmp_path / "run", text), judgements).tag == tag


def test_a_file_of_several_zstd_frames_is_read_to_its_end(tmp_path):
    zstd = pytest.importorskip("zstandard")
    pack = zstd.ZstdCompressor().compress
    frames = b"".join(pack(line.encode()) for line in QRELS.splitlines(keepends=True))
    judgements = read_qrels(written(tmp_path / "qrels.zst", frames))
    assert ranks_of(scan_run(written(tmp_path / "run", RUN), judgements)) == RANKS


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_a_zstd_file_that_is_cut_off_is_an_error_and_no_shorter_run(tmp_path, share):
    zstd = pytest.importorskip("zstandard")
    packed = zstd.ZstdCompressor().compress(b"".join(b"q%d 0 d 1\n" % at for at in range(9_999)))
    path = written(tmp_path / "qrels.zst", packed[: int(share * len(packed))])
    with pytest.raises(DataError, match="not a complete zstd file"):
        read_qrels(path)


def test_names_that_are_not_utf8_are_bytes_like_any_other(tmp_path):
    judgements = read_qrels(written(tmp_path / "qrels", b"q 0 \xff\xfe 1\nq 0 \xc3 1\n"))
    found = scan_run(
        written(tmp_path / "run", b"q Q0 \xc3 1 1 t\nq Q0 \xff\xfe 2 1 t\n"), judgements
    )
    assert sorted(found.rank.tolist()) == [1, 2]
    assert found.rank[found.judgement == 0].tolist() == [1]  # FF is above C3


def test_very_long_names_and_queries_longer_than_a_piece_are_read(tmp_path, small_pieces):
    long = "d" * 4_000
    lines = [f"q1 Q0 {long}{n} {n} {-n} t\n" for n in range(3)]
    lines += [f"q2 Q0 d{n} {n} {-n} t\n" for n in range(500)]
    judgements = read_qrels(written(tmp_path / "qrels", f"q1 0 {long}2 1\nq2 0 d499 1\n"))
    found = scan_run(written(tmp_path / "run", "".join(lines)), judgements)
    assert found.rank.tolist() == [3, 500]


def test_queries_that_lie_interleaved_are_gathered(tmp_path, small_pieces):
    lines = [f"q{n % 7} Q0 d{n:03} 1 {n} t\n" for n in range(210)]
    # d203 to d209 are the best of their queries, d196 to d202 the next.
    judgements = read_qrels(
        written(tmp_path / "qrels", "".join(f"q{n % 7} 0 d{n:03} 1\n" for n in range(196, 203)))
    )
    found = scan_run(written(tmp_path / "run", "".join(lines)), judgements)
    assert found.rank.tolist() == [2] * 7
    assert set(sizes_of(found).values()) == {30}


# Faults


def lines_of(n: int, bad: str, at: int) -> str:
    """n good lines of a run, of three queries, with a bad one after `at` of them."""
    lines = [f"q{n // 40} Q0 d{n} 1 {n}.5 t" for n in range(n)]
    return "\n".join([*lines[:at], bad, *lines[at:]]) + "\n"


@cases(
    ("q9 Q0 d", "has 3 fields"),
    ("q9", "has 1 field"),
    ("q9 Q0 d 1 2", "has 5 fields"),
    ("q9 Q0 d 1 nan t", "not finite"),
    ("q9 Q0 d 1 -inf t", "not finite"),
    ("q9 Q0 d 1 1e999 t", "not finite"),
    ("q9 Q0 d 1 high t", "not a number"),
    ("q9 Q0 d 1 1_0 t", "not a number"),
)
def test_a_bad_line_of_a_run_is_named(bad, said, tmp_path, small_pieces):
    judgements = read_qrels(written(tmp_path / "qrels", QRELS))
    for head, at in product(("", "\ufeff", "# x\n\n"), (0, 1, 57, 119, 120)):
        path = written(tmp_path / "run", head + lines_of(120, bad, at))
        for read in (partial(scan_run, path, judgements), partial(run_frame, path)):
            problem = problem_of(read)
            assert said in problem.message, (head, at)
            assert (problem.source, problem.line) == (str(path), head.count("\n") + at + 1)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("head", ["", "# x\n\n", "\ufeff"])
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("q1 0 d", "has 3 fields"),
        ("q1 0 d 1 t", "has 5 fields"),
        ("q1 0 d 0.5", "not a whole number"),
        ("q1 0 d x", "not a whole number"),
        ("q1 0 d nan", "not a whole number"),
        ("q1 0 a 99999999999999", "grade '99999999999999' is too large"),
    ],
)
def test_a_bad_line_of_judgements_is_named(tmp_path, bad, said, head, packed):
    text = f"{head}{QRELS}{bad}\n{QRELS}".encode()
    path = written(tmp_path / "qrels", gzip.compress(text) if packed else text)
    problem = problem_of(lambda: read_qrels(path))
    assert said in problem.message
    assert problem.line == head.count("\n") + 4


FAR_APART = "".join(f"q{n % 3} Q0 d{n} 1 {n} t\n" for n in range(300)) + "q0 Q0 d3 1 5 t\n"


@pytest.mark.parametrize(
    ("text", "line", "first", "name"),
    [
        ("q2 Q0 x 1 1 t\n\nq1 Q0 x 1 3 t\nq1 Q0 y 2 2 t\n# c\nq1 Q0 x 3 1 t\n", 6, 3, "x"),
        ("q2 Q0 x 1 1 t\n\nu Q0 x 1 3 t\nu Q0 y 2 2 t\n# c\nu Q0 x 3 1 t\n", 6, 3, "x"),
        # Interleaved, of an unjudged query, and where only the unjudged query is parted.
        (FAR_APART, 301, 4, "d3"),
        ("q1 Q0 a 1 1 t\nu Q0 x 1 1 t\nq1 Q0 b 1 1 t\nu Q0 x 1 2 t\n", 4, 2, "x"),
        ("u Q0 x 1 1 t\nq1 Q0 a 1 1 t\nu Q0 x 1 2 t\n", 3, 1, "x"),
    ],
)
@pytest.mark.parametrize("piece", [100, 1 << 20])
def test_a_document_retrieved_twice_is_named_with_both_lines(
    tmp_path, small_pieces, piece, text, line, first, name
):
    small_pieces.setattr(trec, "PIECE", piece)
    judgements = read_qrels(written(tmp_path / "qrels", QRELS + "q0 0 z 1\n"))
    path = written(tmp_path / "run", text)
    for read in (lambda: scan_run(path, judgements), lambda: run_frame(path)):
        problem = problem_of(read)
        assert problem.line == line and f"{name!r}" in problem.message
        assert f"first at line {first};" in problem.message


def test_a_document_judged_twice_is_named_with_both_lines(tmp_path):
    path = written(tmp_path / "qrels", "q1 0 a 1\nq2 0 a 1\n\nq1 0 b 1\nq1 0 a 0\n")
    problem = problem_of(lambda: read_qrels(path))
    assert problem.line == 5 and "line 1" in problem.message and "'a'" in problem.message


@cases(
    (b"", "is empty|holds no"),
    (b"\n \n# x\n", "is empty|holds no"),
    (b"\xef\xbb\xbf", "is empty|holds no"),
    ("q1 Q0 a 1 1 t\n".encode("utf-16"), "UTF-16"),
    (b"PK\x03\x04....", "zip"),
    (b"PAR1....", "Parquet"),
    (gzip.compress(b"q1 0 a 1\n" * 50, mtime=0)[:-9], "gzip"),
    (b"\x1f\x8bnot", "gzip"),
    (gzip.compress(b"", mtime=0), "is empty|holds no"),
)
def test_files_that_are_something_else_are_named(content, said, tmp_path):
    path = written(tmp_path / "file", content)
    judgements = read_qrels(written(tmp_path / "qrels", QRELS))
    for read in (lambda: read_qrels(path), lambda: scan_run(path, judgements)):
        with pytest.raises(DataError, match=said) as caught:
            read()
        assert caught.value.problems[0].source == str(path)


def test_a_folder_and_a_file_that_is_not_there_are_named(tmp_path):
    for path, said in ((tmp_path, "folder"), (tmp_path / "qrel", "no such file")):
        assert said in problem_of(lambda: read_qrels(path)).message  # noqa: B023
    written(tmp_path / "qrels", QRELS)
    assert "'qrels'" in problem_of(lambda: read_qrels(tmp_path / "qrel")).message


# Two names with one digest


QUERY, OTHER, REST = (
    np.frombuffer(text, np.uint64) for text in (b"query-of", b"other-of", b"-sixteen")
)
ALIKE = (b"query-of-sixteen", b"other-of" + (mixed(QUERY) ^ mixed(OTHER) ^ REST).tobytes())
"""Names with one digest: it is mixed(mixed(first 8 bytes) ^ last 8 bytes), so for any other first
bytes there are last ones that make up for them."""


def test_the_two_names_have_one_digest_and_may_stand_in_a_file():
    one, other = digests(field_of(list(map(text_of, ALIKE)))).tolist()
    assert one == other
    assert b"\0" not in ALIKE[1] and len(ALIKE[1].split()) == 1


def test_judged_queries_with_one_digest_are_two(tmp_path):
    lines = [b"%b 0 d%d 1\n" % (ALIKE[n % 2], n) for n in range(4)]
    judgements = read_qrels(written(tmp_path / "qrels", b"".join([*lines, b"q 0 d0 1\n"])))
    assert judgements.queries == (*map(text_of, ALIKE), "q")
    assert judgements.query.tolist() == [0, 0, 1, 1, 2]
    names = [judgements.document.name(row) for row in range(5)]
    assert names == [b"d0", b"d2", b"d1", b"d3", b"d0"]


def test_retrieved_queries_with_one_digest_are_two(tmp_path):
    # Each retrieves d, which would be refused if they were taken for one.
    lines = [b"%b Q0 %b 1 1 t\n" % (query, doc) for query in ALIKE for doc in (b"d", b"e")]
    together = written(tmp_path / "together", b"q Q0 d 1 1 t\n" + b"".join(lines))
    parted = written(tmp_path / "parted", b"".join(lines[::2]) + b"q Q0 d 1 1 t\n" + lines[3])
    judgements = Judgements.from_mapping({"q": {"d": 1}})
    judged_too = Judgements.from_mapping({"q": {"d": 1}, text_of(ALIKE[1]): {"e": 1}})
    for path, size in ((together, 2), (parted, 2)):
        assert scan_run(path, judgements).n_unjudged_queries == 2
        found = scan_run(path, judged_too)
        assert found.n_unjudged_queries == 1
        assert sizes_of(found) == {"q": 1, text_of(ALIKE[1]): size}
        rows = trec.rows_of_trec(packed_at(path))
        assert match_rows_to_qrels(rows, judgements, "trec9").n_unjudged_queries == 2


# Pipes and standard input


HAS_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@pytest.fixture
def piped() -> Iterator[Callable[[str | bytes], Path]]:
    """A function that gives the path of a pipe which holds a text, to be read once."""
    if not Path("/dev/fd").is_dir():
        pytest.skip("open pipes have no names here")
    open_ends: list[int] = []

    def pipe(content: str | bytes) -> Path:
        reading, writing = os.pipe()
        open_ends.append(reading)
        with os.fdopen(writing, "wb") as file:  # 64 kB fit without a reader
            file.write(content if isinstance(content, bytes) else content.encode())
        return Path(f"/dev/fd/{reading}")

    yield pipe
    for end in open_ends:
        os.close(end)


@pytest.fixture
def typed(monkeypatch) -> Callable[[str | bytes], None]:
    """A function that puts a text on standard input."""

    def put(content: str | bytes) -> None:
        stream = BytesIO(content if isinstance(content, bytes) else content.encode())
        monkeypatch.setattr("sys.stdin", TextIOWrapper(stream))

    return put


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_pipes_are_read_packed_or_not(piped, pack):
    judgements = read_qrels(piped(pack(QRELS.encode())))
    assert judged(judgements) == JUDGED
    assert ranks_of(scan_run(piped(pack(RUN.encode())), judgements)) == RANKS
    assert run_frame(piped(pack(RUN.encode()))).height == 4


def test_an_interleaved_run_is_read_again_though_its_pipe_is_empty(piped):
    judgements = Judgements.from_mapping({"q1": {"a": 1, "b": 1}, "q2": {"a": 1}})
    text = "q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\nq1 Q0 b 1 2 t\n"
    found = scan_run(piped(text), judgements)
    assert ranks_of(found) == {("q1", "b"): 1, ("q1", "a"): 2, ("q2", "a"): 1}


def test_a_bomb_in_a_pipe_is_stopped(piped, monkeypatch):
    monkeypatch.setattr(files, "RATIO_COUNTS_FROM", 1 << 16)
    path = piped(gzip.compress(b"\n" * (1 << 22)))
    with pytest.raises(DataError, match="unpacks to far more"):
        read_qrels(path)


@HAS_PIPES
def test_what_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr(files, "MAX_UNPACKED_BYTES", 1 << 22)
    with pytest.raises(DataError, match="holds more than"):
        read_qrels("/dev/zero")


def test_a_pipe_that_was_read_already_says_so(piped):
    path = piped(QRELS)
    judgements = read_qrels(path)
    bad = piped("q Q0 d 1 1 t\n\nq Q0 e 1 x t\n")
    problem = problem_of(lambda: scan_run(bad, judgements))
    assert (problem.source, problem.line) == (str(bad), 3)
    assert "read only once" in problem_of(lambda: read_qrels(path)).message


@HAS_PIPES
def test_a_named_pipe_is_trec_whatever_its_name(tmp_path):
    path = tmp_path / "run.csv"
    os.mkfifo(path)
    assert is_trec(path)


def test_a_pipe_given_twice_is_refused_and_files_are_not(piped, tmp_path):
    path, other, file = piped(RUN), piped(RUN), written(tmp_path / "run", RUN)
    refuse_read_twice([path, other, file, file, tmp_path, tmp_path, {}, {}, "none", "none"])
    assert problem_of(lambda: refuse_read_twice([path, file, str(path)])).source == str(path)


def test_standard_input_is_a_run_or_judgements(typed):
    assert is_trec("-")
    typed(QRELS)
    judgements = read_qrels("-")
    assert (judged(judgements), judgements.source) == (JUDGED, "standard input")
    typed(RUN)
    assert ranks_of(scan_run("-", judgements)) == RANKS
    typed(RUN)
    assert run_frame("-").row(3) == ("q2", "a", 8.0)


def test_standard_input_is_read_only_once(typed):
    typed(QRELS)
    judgements = read_qrels("-")
    problem = problem_of(lambda: scan_run("-", judgements))
    assert problem.source == "standard input" and "read only once" in problem.message
    typed("q1 0 d 1\nq1 0\n")
    problem = problem_of(lambda: read_qrels("-"))
    assert (problem.source, problem.line) == ("standard input", 2)
    assert problem_of(lambda: refuse_read_twice(["-", {}, Path("-")])).source == "standard input"


def test_standard_input_that_is_closed_is_an_error(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert "closed" in problem_of(lambda: read_qrels("-")).message


def test_a_name_beyond_any_is_refused_with_its_line(tmp_path):
    judgements = read_qrels(written(tmp_path / "qrels", "q1 0 a 1\n"))
    path = written(tmp_path / "run", f"q1 Q0 a 1 0.5 t\nq1 Q0 {'x' * 300_000} 2 0.4 t\n")
    problem = problem_of(lambda: scan_run(path, judgements))
    assert (problem.line, "300,000 bytes" in problem.message) == (2, True)
