"""Show or clear the cache of vectors and judge replies."""

import json
from pathlib import Path

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.output import CACHE, RUNS, OutputOptions, print_data, write_report
from ragauge.cli.streams import say
from ragauge.report.plain import for_terminal
from ragauge.report.report import Cell, Report, Table, figure
from ragauge.storage.regular_file import exists


@declare("cache")
def command(
    file: Path | None = None,
    *,
    reply: str | None = option("Print one judge call: its prompt and its reply.", metavar="KEY"),
    clear: bool = option("Delete all entries."),
    writing: OutputOptions,
) -> int:
    """Show or clear the cache of vectors and judge replies.

    FILE defaults to ragauge-runs/cache.sqlite. Deleted vectors are computed again when needed, and
    deleted replies are paid for again. The evidence of a judged score contains the KEY of each call.
    """
    from ragauge.judges.protocol import reply_ledger
    from ragauge.storage.cache import Cache

    path = file or RUNS / CACHE
    targets = writing.targets([path])
    if not exists(path):
        say(f"{path} does not exist: nothing is cached")
        return 0
    cache, ledger = Cache(path), reply_ledger(path)
    if reply is not None:
        calls = ledger.show(reply)
        if len(calls) != 1:
            what = "several calls" if calls else "no call"
            raise click.UsageError(f"{what} with the key {reply!r} in {ledger.path}")
        judge, prompt, request, answer = calls[0]
        click.echo(f"{judge} was asked {prompt!r}:\n")
        for message in request["messages"]:
            click.echo(f"--- {message['role']}\n{for_terminal(message['content'], lines=True)}")
        click.echo(f"--- reply\n{for_terminal(answer['text'], lines=True)}\n")
        details = {name: each for name, each in answer.items() if name not in ("text", "logprobs")}
        print_data(json.dumps(details, ensure_ascii=False) + "\n")
        return 0
    counts = cache.counts()
    rows = [
        (kind, figure(n), Cell(f"{size / 2**20:,.1f} MiB", value=size))
        for kind, (n, size) in counts.items()
    ]
    tables = [Table(("content", "entries", "size"), rows, wraps=True, caption="Cache")]
    if totals := ledger.totals():
        judged = [
            (
                judge,
                *map(figure, numbers),
                Cell("–" if cost is None else f"${cost:,.4f}", value=cost),
            )
            for judge, *numbers, cost in totals
        ]
        header = ("judge", "replies", "tokens in", "tokens out", "cost")
        tables.append(Table(header, judged, wraps=True, caption="Replies of judges"))
    write_report(Report("", tables=tables), targets)
    if clear:
        cache.clear()
        ledger.clear()
        n = sum(n for n, _ in counts.values()) + sum(n for _, n, *_ in totals)
        say(f"deleted {n:,} {'entry' if n == 1 else 'entries'} from {path}")
    ledger.close()
    cache.close()
    return 0
