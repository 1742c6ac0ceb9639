"""`ragauge prompts`."""

import sys
from pathlib import Path

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.output import print_data
from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.storage.regular_file import exists, read_regular


@declare("prompts")
def command(
    folder: Path | None = None,
    *,
    show: str | None = option("Print one prompt.", metavar="NAME"),
    language: str | None = option(
        "Use the prompts in this language: de, es, fr or zh.", metavar="XX"
    ),
) -> int:
    """List the judge prompts, or export them to FOLDER for editing.

    Edit the files but keep their placeholders, then use them with `ragauge run --prompts FOLDER`.
    ragauge uses its own prompt for a file you delete. Existing files are not overwritten.
    """
    from ragauge.judges.prompts import Prompts, file_of
    from ragauge.report.terminal import console, print_table

    prompts = Prompts(language=language)
    if show is not None:
        if show not in prompts.by_name:
            raise click.UsageError(
                f"no prompt {show!r}; the prompts are {', '.join(prompts.by_name)}"
            )
        print_data(file_of(prompts.by_name[show]))
        return 0
    if folder is None:
        rows = [
            (name, str(prompt.version), prompts.digest([name]), ", ".join(sorted(prompt.marks)))
            for name, prompt in prompts.by_name.items()
        ]
        print_table(console(sys.stdout), ("prompt", "version", "digest", "placeholders"), rows)
        return 0
    _write(folder, {f"{name}.md": file_of(prompt) for name, prompt in prompts.by_name.items()})
    say(f"wrote {len(prompts.by_name)} prompts to {folder}; use them with --prompts {folder}")
    return 0


def _is_other(path: Path, text: str) -> bool:
    """Whether something else is at the path."""
    try:
        return exists(path) and read_regular(path, len(text.encode())) != text.encode()
    except OSError:
        return True


def _write(folder: Path, files: dict[str, str]) -> None:
    from ragauge.storage.atomic_files import store_errors, write_text

    with store_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    # What a killed process wrote of them is the same, and is completed.
    present = [name for name, text in files.items() if _is_other(folder / name, text)]
    if present:
        raise StoreError(f"{folder / present[0]} already exists; choose another folder")
    for name, text in files.items():
        write_text(folder / name, text)
