"""`ragauge rank`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ragauge.cli.output import print_data
from ragauge.cli.streams import say, saying_if_waiting
from ragauge.errors import PlanError
from ragauge.report.plain import for_terminal

if TYPE_CHECKING:
    from ragauge.rankings.fusion import Method
    from ragauge.rankings.tables import RankingTable

FORMATS = ("tsv", "json", "csv", "md", "tex")
"""`-o csv` writes to standard output; `-o scores.csv` writes to that file."""
ALSO_CALLED = {"latex": "tex", "markdown": "md"}


@click.command("rank", short_help="Score, compare and fuse rankings; the numbers match trec_eval.")
@click.argument("sources", metavar="QRELS RUN...", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="Measure to compute: ndcg@10, or trec_eval's P_10, recall.5,10, official. Repeatable.",
)
@click.option("-q", "--per-query", is_flag=True, help="Also report the values of each query.")
@click.option(
    "--compare", is_flag=True, help="Compare every pair of runs, not only with the first."
)
@click.option(
    "-o",
    "--output",
    multiple=True,
    help="Write tsv, json, csv, md or tex to standard output, or to a file such as scores.csv.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    help="Also write a page for the browser to this HTML file: runs, comparisons, queries.",
)
@click.option(
    "-c",
    "--complete",
    is_flag=True,
    help="Average over all judged queries; a query without results scores 0.",
)
@click.option(
    "-l",
    "--min-grade",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@click.option(
    "-M",
    "--depth",
    type=click.IntRange(min=1),
    help="Use only the first N documents of each query.",
)
@click.option("-J", "--judged-only", is_flag=True, help="Remove unjudged documents from the runs.")
@click.option(
    "--undefined",
    type=click.Choice(["zero", "leave-out"]),
    default="zero",
    show_default=True,
    help="Count a query without relevant documents as 0, or leave it out of the mean.",
)
@click.option(
    "--compat",
    type=click.Choice(["trec9", "trec10"]),
    default="trec9",
    show_default=True,
    help="Read document scores as 32-bit floats, as trec_eval 9 does, or as 64-bit floats.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed of intervals and tests.",
)
@click.option(
    "--fuse",
    metavar="METHOD",
    help="Fuse the runs (rrf, combsum, combmnz …) instead of scoring them; takes no QRELS.",
)
@click.option("--weights", help="With --fuse: one weight per run, e.g. 0.7,0.3.")
@click.option(
    "--k", type=click.IntRange(min=0), help="With --fuse rrf: the constant k.  [default: 60]"
)
@click.option(
    "--norm", help="With --fuse: the score normalisation.  [default: depends on the method]"
)
def command(
    sources: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    compare: bool,
    output: tuple[str, ...],
    report: Path | None,
    complete: bool,
    min_grade: int,
    depth: int | None,
    judged_only: bool,
    undefined: str,
    compat: str,
    seed: int,
    fuse: str | None,
    weights: str | None,
    k: int | None,
    norm: str | None,
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
        scoring = measures or per_query or compare or complete or judged_only or report
        if scoring or min_grade != 1 or undefined != "zero" or seed:
            raise click.UsageError(
                "--fuse only writes a run; score that run with a second ragauge rank"
            )
        if k is not None and fuse != "rrf":
            raise click.UsageError(f"--k applies only to --fuse rrf, not to {fuse}")
        given: dict[str, object] = {"k": k, "norm": norm, "depth": depth, "compat": compat}
        _fuse(sources, fuse, output, given, weights)
        return
    if weights is not None or k is not None or norm is not None:
        raise click.UsageError("--weights, --k and --norm need --fuse METHOD")
    if len(sources) < 2:
        raise click.UsageError("give the judgements and at least one run: QRELS RUN...")
    if compare and len(sources) < 3:
        raise click.UsageError("--compare needs at least two runs; add another RUN")
    targets = _targets(output, sources)
    if compare and any(form in ("tsv", "csv") for form, _ in targets):
        raise click.UsageError(
            "--compare cannot be written as tsv or csv; use the table, json, md or tex"
        )
    from ragauge.rankings.rank import DEFAULT_MEASURES, rank
    from ragauge.rankings.tables import RankingTable

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
            compat="trec9" if compat == "trec9" else "trec10",
            seed=seed,
        )
    _show(RankingTable(ranked, all_pairs=compare), targets, report, per_query=per_query)


def _show(
    table: "RankingTable",
    targets: Sequence[tuple[str, Path | None]],
    report: Path | None,
    *,
    per_query: bool,
) -> None:
    """Write the formats and the report page; print the table unless a format took its place."""
    for form, path in targets:
        _write(table, form, path, per_query=per_query)
    if all(path is not None for _, path in targets):
        _print(table, per_query=per_query)
    for note in table.notes:
        say(note)
    if report is not None:
        from ragauge.page.ranking_page import write_ranking_page

        write_ranking_page(table.ranked, report)
        say(f"open {report} in a browser")


def _targets(output: Sequence[str], sources: Sequence[str]) -> list[tuple[str, Path | None]]:
    """The requested formats and their files, None for standard output."""
    targets: list[tuple[str, Path | None]] = []
    problems: list[str] = []
    for target in output:
        path = Path(target)
        form = path.suffix.lower().removeprefix(".") or target
        form = ALSO_CALLED.get(form, form)
        if form not in FORMATS:
            problems.append(
                f"{target!r}: unknown format; -o takes {', '.join(FORMATS)}, or a file such as scores.csv"
            )
        targets.append((form, path if path.suffix else None))
    if sum(path is None for _, path in targets) > 1:
        problems.append(
            "only one format can go to standard output; give the others a file: -o scores.csv"
        )
    files = [path for _, path in targets if path is not None]
    if files:
        from ragauge.storage.atomic_files import misplaced

        problems += misplaced(files, [Path(source) for source in sources])
    if problems:
        raise PlanError(problems)
    return targets


def _write(table: "RankingTable", form: str, path: Path | None, *, per_query: bool) -> None:
    from ragauge.rankings.tables import as_json, to_csv, to_latex, to_markdown, to_tsv

    writers = {
        "tsv": lambda: to_tsv(table.ranked, per_query=per_query),
        "csv": lambda: to_csv(table.ranked, per_query=per_query),
        "json": lambda: as_json(table, per_query=per_query),
        "md": lambda: to_markdown(table, per_query=per_query),
        "tex": lambda: to_latex(table, per_query=per_query),
    }
    text = writers[form]()
    # Names that are not UTF-8 keep their bytes in trec_eval's format.
    written = text.encode("utf-8", "surrogateescape" if form == "tsv" else "backslashreplace")
    if path is None and form == "tsv" and not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(written)
    elif path is None:
        print_data(text)
    else:
        from ragauge.storage.atomic_files import write_atomically

        write_atomically(path, lambda file: file.write(written))
        say(f"wrote {path}")


def _print(table: "RankingTable", *, per_query: bool) -> None:
    from ragauge.report.terminal import console, print_table

    out = console(sys.stdout)
    # Build every table before printing, so that an error leaves no half-printed output.
    tables = [(table.header, list(table.rows))]
    if _width(*tables[0]) > out.width:
        tables = [(table.long_header, list(table.long_rows))]
    if per_query:
        tables.insert(0, (table.query_header, list(table.query_rows)))
    if table.compared:
        tables.append((table.compared_header, list(table.compared_rows)))
    out.print(table.title, style="bold")
    for header, rows in tables:
        out.width = max(out.width, _width(header, rows))
        print_table(out, header, rows)
    if table.legend:
        out.print(for_terminal(table.legend), soft_wrap=True)


def _width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """The width of a table without wrapping."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return sum(widths) + 3 * len(widths)


def _fuse(
    sources: Sequence[str],
    method: str,
    output: Sequence[str],
    given: dict[str, object],
    weights: str | None,
) -> None:
    """Write the fused run to the output file, or to standard output."""
    import gzip

    from ragauge.storage.atomic_files import misplaced

    if len(output) > 1:
        raise click.UsageError("--fuse writes one run; give -o once")
    path = Path(output[0]) if output else None
    problems = misplaced([path] if path else [], [Path(source) for source in sources])
    if path is not None and path.suffix.lower().lstrip(".") in (
        *FORMATS,
        "parquet",
        "jsonl",
        "zst",
    ):
        problems.append(f"{path}: a fused run is TREC text; use the ending .run, .txt or .run.gz")
    if path is not None and not path.suffix and path.name in FORMATS:
        problems.append(f"{path}: a fused run is TREC text; give a file such as fused.run")
    if problems:
        raise PlanError(problems)
    from ragauge.rankings.fusion import write_run
    from ragauge.rankings.rank import fuse
    from ragauge.storage.atomic_files import write_atomically

    settings = {name: value for name, value in given.items() if value is not None}
    with saying_if_waiting(sources):
        fused = fuse(
            sources, cast("Method", method), weights=_numbers(weights), **cast("Any", settings)
        )
    if path is None:
        write_run(fused, sys.stdout.buffer, tag=method)
        return

    def write(file: BinaryIO) -> None:
        if path.suffix.lower() != ".gz":
            write_run(fused, file, tag=method)
            return
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
            write_run(fused, cast(BinaryIO, packed), tag=method)

    write_atomically(path, write)
    say(f"wrote {path}")


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(weight) for weight in text.split(",")]
    except ValueError:
        raise PlanError([f"--weights takes comma-separated numbers, got {text!r}"]) from None
