"""`ragauge prompts`."""

import sys
from pathlib import Path

import click

from ragauge.cli import say
from ragauge.errors import StoreError


@click.command("prompts", short_help="List what judges are asked, or write it down to change it.")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--show", metavar="NAME", help="Print one prompt.")
@click.option("--language", metavar="XX", help="The prompts in this language: de, es, fr, zh.")
def command(folder: Path | None, show: str | None, language: str | None) -> int:
    """List the prompts that judges are asked with, or write them into FOLDER.

    Change there what you like and keep the marks; `ragauge run --prompts FOLDER` asks with them then.
    A file that is not there is taken from ragauge. Nothing is overwritten.
    """
    from ragauge.judges.prompts import Prompts, file_of
    from ragauge.report.terminal import console, print_table

    prompts = Prompts(language=language)
    if show is not None:
        if show not in prompts.by_name:
            raise click.UsageError(f"no prompt {show!r}; they are {', '.join(prompts.by_name)}")
        click.echo(file_of(prompts.by_name[show]), nl=False)
        return 0
    if folder is None:
        rows = [
            (one.name, str(one.version), prompts.digest([one.name]), ", ".join(sorted(one.marks)))
            for one in prompts.by_name.values()
        ]
        print_table(console(sys.stdout), ("prompt", "version", "digest", "marks"), rows)
        return 0
    _write(folder, {f"{one.name}.md": file_of(one) for one in prompts.by_name.values()})
    say(f"wrote {len(prompts.by_name)} prompts into {folder}; use them with --prompts {folder}")
    return 0


def _write(folder: Path, files: dict[str, str]) -> None:
    from ragauge.runs.files import store_errors, write_text

    with store_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    present = [name for name in files if (folder / name).exists()]
    if present:
        raise StoreError(f"{folder / present[0]} is there already; name another folder")
    for name, text in files.items():
        write_text(folder / name, text)
