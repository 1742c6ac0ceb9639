"""`ragauge cache`."""

import sys
from pathlib import Path

import click

from ragauge.cli import say
from ragauge.cli.run_command import CACHE, RUNS


@click.command("cache", short_help="Say what is kept between runs, or clear it.")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--clear", is_flag=True, help="Remove all entries.")
def command(file: Path | None, clear: bool) -> int:
    """Say what is kept between runs in FILE, or clear it.

    FILE is ragauge-runs/cache.sqlite when not given. It holds vectors of texts by content; what is
    removed is computed again when it is needed.
    """
    from ragauge.cache import Cache
    from ragauge.report.terminal import console, print_table

    path = file or RUNS / CACHE
    if not path.exists():
        say(f"{path} is not there: nothing is kept")
        return 0
    cache = Cache(path)
    counts = cache.counts()
    rows = [(kind, f"{n:,}", f"{size / 2**20:,.1f} MiB") for kind, (n, size) in counts.items()]
    print_table(console(sys.stdout), ("kept", "entries", "size"), rows)
    if clear:
        cache.clear()
        say(f"removed {sum(n for n, _ in counts.values()):,} entries from {path}")
    cache.close()
    return 0
