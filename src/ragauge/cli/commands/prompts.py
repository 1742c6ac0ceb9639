"""List the judge prompts, or export them for editing."""

from pathlib import Path

import click

from ragauge.cli.declare import declare, option
from ragauge.cli.output import OutputOptions, print_data, write_report
from ragauge.cli.streams import say
from ragauge.errors import StoreError
from ragauge.report.report import Report, Table, figure, several
from ragauge.storage.atomic_files import store_errors, write_text
from ragauge.storage.regular_file import exists, read_regular


@declare("prompts")
def command(
    folder: Path | None = None,
    *,
    show: str | None = option("Print one prompt.", metavar="NAME"),
    language: str | None = option(
        "Use the prompts in this language: de, es, fr or zh.", metavar="XX"
    ),
    writing: OutputOptions,
) -> int:
    """List the judge prompts, or export them to FOLDER for editing.

    Edit the files but keep their placeholders, then use them with `ragauge run --prompts FOLDER`.
    ragauge uses its own prompt for a file you delete. Existing files are not overwritten.
    """
    from ragauge.judges.prompts import Prompts, file_of

    prompts = Prompts(language=language)
    if show is not None:
        if show not in prompts.by_name:
            known = ", ".join(prompts.by_name)
            raise click.UsageError(f"no prompt {show!r}; the prompts are {known}")
        print_data(file_of(prompts.by_name[show]))
        return 0
    if folder is None:
        rows = [
            (name, figure(prompt.version), prompts.digest([name]), several(sorted(prompt.marks)))
            for name, prompt in prompts.by_name.items()
        ]
        header = ("prompt", "version", "digest", "placeholders")
        table = Table(header, rows, sides="lrll", wraps=True, caption="Prompts")
        write_report(Report("", tables=[table]), writing.targets())
        return 0
    files = {folder / f"{name}.md": file_of(prompt) for name, prompt in prompts.by_name.items()}
    with store_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        # What a killed process wrote of them is the same, and is completed.
        try:
            is_other = exists(path) and read_regular(path, len(text.encode())) != text.encode()
        except OSError:
            is_other = True
        if is_other:
            raise StoreError(f"{path} already exists; choose another folder")
    for path, text in files.items():
        write_text(path, text)
    say(f"wrote {len(prompts.by_name)} prompts to {folder}; use them with --prompts {folder}")
    return 0
