"""`ragauge rank`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from ragauge.cli import say
from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.report.rankings import RankingTable
    from ragauge.retrieval.fusion import Method, Norm

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
@click.option("--seed", type=int, default=0, show_default=True, help="Of intervals and tests.")
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
    samples with context_ids and relevant. Several runs are compared with the first one: a paired
    randomization test, corrected for their number.

    \b
    ragauge rank qrels.txt bm25.run dense.run -m ndcg@10 -m recall@100
    ragauge rank qrels.txt bm25.run -m official -q -o tsv      trec_eval's own output
    ragauge rank --fuse rrf bm25.run dense.run -o fused.run
    """
    if fuse is not None:
        if measures or per_query or compare or complete or judged_only:
            raise click.UsageError("--fuse writes a run; score it with ragauge rank afterwards")
        _fuse(sources, fuse, output, k=k, norm=norm, weights=weights, depth=depth)
        return
    if weights is not None or k is not None or norm is not None:
        raise click.UsageError("--weights, --k and --norm belong to --fuse; name its method")
    if len(sources) < 2:
        raise click.UsageError("name the judgements and at least one run: QRELS RUN...")
    if compare and len(sources) < 3:
        raise click.UsageError("--compare takes two runs or more; name another RUN")
    targets = _targets(output, sources)
    from ragauge.ranking import DEFAULT_MEASURES, rank
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
    from ragauge.report.tables import misplaced

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
    problems += misplaced(files, [Path(source) for source in sources])
    if problems:
        raise PlanError(problems)
    return targets


def _write(table: "RankingTable", form: str, path: Path | None, *, per_query: bool) -> None:
    from ragauge.report.rankings import as_json, to_csv, to_latex, to_markdown, to_tsv
    from ragauge.store import write_text

    writers = {
        "tsv": lambda: to_tsv(table.ranked, per_query=per_query),
        "csv": lambda: to_csv(table.ranked, per_query=per_query),
        "json": lambda: as_json(table, per_query=per_query),
        "md": lambda: to_markdown(table),
        "tex": lambda: to_latex(table),
    }
    text = writers[form]()
    if path is None:
        click.echo(text, nl=False)
    else:
        write_text(path, text)
        say(f"wrote {path}")


def _print(table: "RankingTable", *, per_query: bool) -> None:
    from ragauge.report.terminal import console, print_table

    out = console(sys.stdout)
    out.print(table.title, style="bold")
    if per_query:
        print_table(out, table.query_header, table.query_rows)
    print_table(out, table.header, table.rows)
    if table.compared:
        print_table(out, table.compared_header, table.compared_rows)


def _fuse(
    sources: Sequence[str],
    method: str,
    output: Sequence[str],
    *,
    k: int | None,
    norm: str | None,
    weights: str | None,
    depth: int | None,
) -> None:
    """Write the fused run to the file named, or to standard output."""
    from ragauge.report.tables import misplaced

    if len(output) > 1:
        raise click.UsageError("--fuse writes one run; give -o once")
    path = Path(output[0]) if output else None
    if path is not None and (problems := misplaced([path], [Path(one) for one in sources])):
        raise PlanError(problems)
    from ragauge.ranking import fuse
    from ragauge.retrieval.fusion import write_run
    from ragauge.store import write_atomically

    fused = fuse(
        sources,
        cast("Method", method),
        k=60 if k is None else k,
        norm=cast("Norm | None", norm),
        weights=_numbers(weights),
        depth=depth,
    )
    if path is None:
        write_run(fused, sys.stdout.buffer, tag=method)
    else:
        write_atomically(path, lambda file: write_run(fused, file, tag=method))
        say(f"wrote {path}")


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise PlanError([f"--weights takes numbers with commas between, got {text!r}"]) from None
