"""`ragauge rank`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from ragauge.cli import say
from ragauge.errors import PlanError
from ragauge.report.plain import for_terminal

if TYPE_CHECKING:
    from ragauge.rankings.fusion import Method
    from ragauge.report.rankings import RankingTable

FORMATS = ("tsv", "json", "csv", "md", "tex")
"""As the whole of -o they go to standard output; as a file's ending, to that file."""
ALSO_CALLED = {"latex": "tex", "markdown": "md"}


@click.command("rank", short_help="Score and compare rankings, with trec_eval's numbers.")
@click.argument("sources", metavar="QRELS RUN...", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="By the field's name or trec_eval's: ndcg@10, P_10, recall.5,10, official.",
)
@click.option("-q", "--per-query", is_flag=True, help="Each query's values too.")
@click.option("--compare", is_flag=True, help="Compare every pair of runs.")
@click.option("-o", "--output", multiple=True, help="tsv json csv md tex, or a file ending so.")
@click.option("-c", "--complete", is_flag=True, help="Average over all judged queries.")
@click.option(
    "-l",
    "--min-grade",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The least grade that is relevant.",
)
@click.option(
    "-M", "--depth", type=click.IntRange(min=1), help="Only the first N documents of each query."
)
@click.option("-J", "--judged-only", is_flag=True, help="Without documents that nobody judged.")
@click.option(
    "--undefined",
    type=click.Choice(["zero", "leave-out"]),
    default="zero",
    show_default=True,
    help="What a query without relevant documents adds to a mean.",
)
@click.option(
    "--compat",
    type=click.Choice(["trec9", "trec10"]),
    default="trec9",
    show_default=True,
    help="Compare scores in 32 bits or in 64.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of intervals and tests.",
)
@click.option("--fuse", metavar="METHOD", help="Fuse the runs (rrf combsum combmnz …); no QRELS.")
@click.option("--weights", help="For --fuse: one number a run, 0.7,0.3.")
@click.option(
    "--k", type=click.IntRange(min=0), help="For --fuse rrf: its constant.  [default: 60]"
)
@click.option("--norm", help="For --fuse: how scores are normalised.  [default: the method's own]")
def command(
    sources: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    compare: bool,
    output: tuple[str, ...],
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
    """Score runs against QRELS and print their means with 95 % intervals.

    QRELS and RUNs are TREC files (spaces or tabs, also .gz), Parquet, CSV, JSON, BEIR folders, or
    samples with context_ids and relevant (then name the file twice). Several runs are compared with
    the first one: a paired randomization test, corrected for their number. All measures:
    ragauge metrics.

    \b
    ragauge rank qrels.txt bm25.run dense.run -m ndcg@10 -m recall@100
    ragauge rank qrels.txt bm25.run -m official -q -o tsv      trec_eval's own output
    ragauge rank --fuse rrf bm25.run dense.run -o fused.run
    """
    if fuse is not None:
        scoring = measures or per_query or compare or complete or judged_only
        if scoring or min_grade != 1 or undefined != "zero" or seed:
            raise click.UsageError("--fuse writes a run; score it with ragauge rank afterwards")
        if k is not None and fuse != "rrf":
            raise click.UsageError(f"--k is the constant of rrf; {fuse} has none")
        given: dict[str, object] = {"k": k, "norm": norm, "depth": depth, "compat": compat}
        _fuse(sources, fuse, output, given, weights)
        return
    if weights is not None or k is not None or norm is not None:
        raise click.UsageError("--weights, --k and --norm belong to --fuse; name its method")
    if len(sources) < 2:
        raise click.UsageError("name the judgements and at least one run: QRELS RUN...")
    if compare and len(sources) < 3:
        raise click.UsageError("--compare takes two runs or more; name another RUN")
    targets = _targets(output, sources)
    if compare and any(form in ("tsv", "csv") for form, _ in targets):
        raise click.UsageError("--compare goes with the table, json, md and tex")
    from ragauge.rankings.rank import DEFAULT_MEASURES, rank
    from ragauge.report.rankings import RankingTable

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
    table = RankingTable(ranked, all_pairs=compare)
    for form, path in targets:
        _write(table, form, path, per_query=per_query)
    if all(path is not None for _, path in targets):
        _print(table, per_query=per_query)
    for note in table.notes:
        say(note)


def _targets(output: Sequence[str], sources: Sequence[str]) -> list[tuple[str, Path | None]]:
    """Each format asked for and where it goes, None for standard output; PlanError otherwise."""
    targets: list[tuple[str, Path | None]] = []
    problems: list[str] = []
    for one in output:
        path = Path(one)
        form = path.suffix.lower().removeprefix(".") or one
        form = ALSO_CALLED.get(form, form)
        if form not in FORMATS:
            problems.append(f"{one!r}: cannot write that; -o takes {', '.join(FORMATS)}, or a file")
        targets.append((form, path if path.suffix else None))
    if sum(path is None for _, path in targets) > 1:
        problems.append("standard output takes one format; give the others a file: -o scores.csv")
    files = [path for _, path in targets if path is not None]
    if files:
        from ragauge.report.tables import misplaced

        problems += misplaced(files, [Path(source) for source in sources])
    if problems:
        raise PlanError(problems)
    return targets


def _write(table: "RankingTable", form: str, path: Path | None, *, per_query: bool) -> None:
    from ragauge.report.rankings import as_json, to_csv, to_latex, to_markdown, to_tsv

    writers = {
        "tsv": lambda: to_tsv(table.ranked, per_query=per_query),
        "csv": lambda: to_csv(table.ranked, per_query=per_query),
        "json": lambda: as_json(table, per_query=per_query),
        "md": lambda: to_markdown(table, per_query=per_query),
        "tex": lambda: to_latex(table, per_query=per_query),
    }
    text = writers[form]()
    # Names that are no UTF-8 keep their bytes in trec_eval's layout.
    written = text.encode("utf-8", "surrogateescape" if form == "tsv" else "backslashreplace")
    if path is None and form == "tsv":
        sys.stdout.flush()
        sys.stdout.buffer.write(written)
    elif path is None:
        click.echo(text, nl=False)
    else:
        from ragauge.runs.files import write_atomically

        write_atomically(path, lambda file: file.write(written))
        say(f"wrote {path}")


def _print(table: "RankingTable", *, per_query: bool) -> None:
    from ragauge.report.terminal import console, print_table

    out = console(sys.stdout)
    # All is made before the first line is printed: what fails leaves nothing half said.
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
    """The columns that a table takes with nothing folded."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return sum(widths) + 3 * len(widths)


def _fuse(
    sources: Sequence[str],
    method: str,
    output: Sequence[str],
    given: dict[str, object],
    weights: str | None,
) -> None:
    """Write the fused run to the file named, or to standard output."""
    import gzip

    from ragauge.report.tables import misplaced

    if len(output) > 1:
        raise click.UsageError("--fuse writes one run; give -o once")
    path = Path(output[0]) if output else None
    problems = misplaced([path] if path else [], [Path(one) for one in sources])
    if path is not None and path.suffix.lower().lstrip(".") in (
        *FORMATS,
        "parquet",
        "jsonl",
        "zst",
    ):
        problems.append(f"{path}: a fused run is TREC text; name it .run, .txt or .run.gz")
    if path is not None and not path.suffix and path.name in FORMATS:
        problems.append(f"{path}: a fused run is TREC text; name a file")
    if problems:
        raise PlanError(problems)
    from ragauge.rankings.fusion import write_run
    from ragauge.rankings.rank import fuse
    from ragauge.runs.files import write_atomically

    settings = {name: value for name, value in given.items() if value is not None}
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
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise PlanError([f"--weights takes numbers with commas between, got {text!r}"]) from None
