"""Score, compare and fuse rankings; the numbers match trec_eval."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

import click

from ragauge.cli.declare import argument, declare, group, option
from ragauge.cli.output import FILES, FORMATS, OutputOptions, print_data, write_report
from ragauge.cli.streams import say, saying_if_waiting
from ragauge.errors import PlanError
from ragauge.report.writing import ENDINGS, one_of

if TYPE_CHECKING:
    from ragauge.rankings.fusion import Method

ALSO = ("tsv",)
"""trec_eval's own format, which only `-o` has."""


@declare("rank")
def command(
    sources: tuple[str, ...] = argument("QRELS RUN...", required=True),
    *,
    measures: tuple[str, ...] = option(
        "Measure to compute: ndcg@10, or trec_eval's P_10, recall.5,10, official. Repeatable.",
        "-m",
        "--measure",
    ),
    per_query: bool = option("Also report the values of each query.", "-q", "--per-query"),
    compare: bool = option("Compare every pair of runs, not only with the first."),
    writing: OutputOptions = group(
        output={
            "help": f"Write to this {FILES} file, to a .tsv file (trec_eval's format), or tsv to standard output. "
            "Repeatable."
        }
    ),
    report: Path | None = option(
        "Also write a page for the browser to this HTML file: runs, comparisons, queries."
    ),
    complete: bool = option(
        "Average over all judged queries; a query without results scores 0.", "-c", "--complete"
    ),
    min_grade: int = option(
        "Lowest grade that counts as relevant.", "-l", "--min-grade", default=1, min=1
    ),
    depth: int | None = option(
        "Use only the first N documents of each query.", "-M", "--depth", min=1
    ),
    judged_only: bool = option("Remove unjudged documents from the runs.", "-J", "--judged-only"),
    undefined: Literal["zero", "leave-out"] = option(
        "Count a query without relevant documents as 0, or leave it out of the mean.",
        default="zero",
    ),
    compat: Literal["trec9", "trec10"] = option(
        "Read document scores as 32-bit floats, as trec_eval 9 does, or as 64-bit floats.",
        default="trec9",
    ),
    seed: int = option("Random seed of intervals and tests.", default=0, min=0),
    fuse: str | None = option(
        "Fuse the runs (rrf, combsum, combmnz …) instead of scoring them; takes no QRELS.",
        metavar="METHOD",
    ),
    weights: str | None = option("With --fuse: one weight per run, e.g. 0.7,0.3."),
    k: int | None = option("With --fuse rrf: the constant k.  [default: 60]", min=0),
    norm: str | None = option(
        "With --fuse: the score normalisation.  [default: depends on the method]"
    ),
) -> None:
    """Score runs against relevance judgements; print means with 95 % confidence intervals.

    QRELS and RUN are TREC files (spaces or tabs, also .gz), Parquet, CSV, JSON or BEIR folders. For
    samples with context_ids and relevant, give the same file twice. Each further run is compared
    with the first by a paired randomization test with Holm correction. `ragauge metrics` lists all
    measures.

    \b
    ragauge rank qrels.txt bm25.run dense.run -m ndcg@10 -m recall@100
    ragauge rank qrels.txt bm25.run -m official -q -o tsv      trec_eval's output format
    ragauge rank --fuse rrf bm25.run dense.run -o fused.run
    """
    if fuse is not None:
        scoring = (measures, per_query, compare, complete, judged_only, report, writing.form, seed)
        if any(scoring) or min_grade != 1 or undefined != "zero":
            raise click.UsageError(
                "--fuse only writes a run; score that run with a second ragauge rank"
            )
        if k is not None and fuse != "rrf":
            raise click.UsageError(f"--k applies only to --fuse rrf, not to {fuse}")
        given: dict[str, Any] = {"k": k, "norm": norm, "depth": depth, "compat": compat}
        _fuse(sources, fuse, writing.output, given, weights)
        return
    if weights is not None or k is not None or norm is not None:
        raise click.UsageError("--weights, --k and --norm need --fuse METHOD")
    if len(sources) < 2:
        raise click.UsageError("give the judgements and at least one run: QRELS RUN...")
    if compare and len(sources) < 3:
        raise click.UsageError("--compare needs at least two runs; add another RUN")
    targets = writing.targets(sources, ALSO, prints=True)
    if compare and any(form in ("tsv", "csv") for form, _ in targets):
        others = one_of(name for name in FORMATS if name != "csv")
        raise click.UsageError(f"--compare cannot be written as tsv or csv; use {others}")
    # NumPy starts a thread for each core when it is imported, for products of matrices. There are none here,
    # and the start takes as long as a hundred queries.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from ragauge.rankings.rank import DEFAULT_MEASURES, rank
    from ragauge.rankings.tables import RankingTable, ranking_report, to_tsv
    from ragauge.storage.atomic_files import write_bytes

    with saying_if_waiting(sources):
        ranked = rank(
            sources[0],
            list(sources[1:]),
            measures or DEFAULT_MEASURES,
            min_grade=min_grade,
            complete=complete,
            depth=depth,
            judged_only=judged_only,
            undefined="zero" if undefined == "zero" else "leave_out",
            compat=compat,
            seed=seed,
        )
    table = RankingTable(ranked, all_pairs=compare)
    for form, path in targets:
        if form not in ALSO:
            shown = ranking_report(table, form, per_query=per_query)
            write_report(shown, [(form, path)], full=True)
            continue
        text = to_tsv(ranked, per_query=per_query)
        written = text.encode(
            "utf-8", "surrogateescape"
        )  # names that are not UTF-8 keep their bytes
        if path is not None:
            write_bytes(path, written)
            say(f"wrote {path}")
        elif sys.stdout.isatty():
            print_data(text)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(written)
    say(*table.notes)
    if report is not None:
        from ragauge.page.ranking_page import write_ranking_page

        write_ranking_page(ranked, report)
        say(f"open {report} in a browser")


def _fuse(
    sources: Sequence[str],
    method: str,
    output: Sequence[str],
    given: dict[str, Any],
    weights: str | None,
) -> None:
    """Write the fused run to the output file, or to standard output."""
    import gzip

    from ragauge.storage.atomic_files import misplaced, write_atomically

    if len(output) > 1:
        raise click.UsageError("--fuse writes one run; give -o once")
    path = Path(output[0]) if output else None
    problems = misplaced([path] if path else [], [Path(source) for source in sources])
    formats = (*FORMATS, *ALSO, *(ending[1:] for ending in ENDINGS))
    if path is not None and path.suffix.lower()[1:] in (*formats, "parquet", "jsonl", "zst"):
        problems.append(f"{path}: a fused run is TREC text; use the ending .run, .txt or .run.gz")
    if path is not None and not path.suffix and path.name in formats:
        problems.append(f"{path}: a fused run is TREC text; give a file such as fused.run")
    if problems:
        raise PlanError(problems)
    try:
        numbers = None if weights is None else [float(weight) for weight in weights.split(",")]
    except ValueError:
        raise PlanError(f"--weights takes comma-separated numbers, got {weights!r}") from None
    from ragauge.rankings.fusion import fuse, write_run

    settings = {name: value for name, value in given.items() if value is not None}
    with saying_if_waiting(sources):
        fused = fuse(sources, cast("Method", method), weights=numbers, **settings)
    if path is None:
        write_run(fused, sys.stdout.buffer, tag=method)
        return
    is_packed = path.suffix.lower() == ".gz"

    def write(file: BinaryIO) -> None:
        packing = (
            gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if is_packed else nullcontext(file)
        )
        with packing as packed:
            write_run(fused, cast(BinaryIO, packed), tag=method)

    write_atomically(path, write)
    say(f"wrote {path}")
