"""Several files as one source: a folder of data files, or a pattern such as `answers/*.jsonl`."""

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from ragauge.loaders.table import Table, listed, unreadable
from ragauge.storage.regular_file import exists, is_folder

KINDS = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""Endings of the files that a set may hold; those of text also packed."""
SAME = {".ndjson": ".jsonl"}
"""Other endings of the same kind."""
PACKED = (".gz", ".zst")
RUN = "manifest.json"
UNFINISHED = "answers.sqlite"
"""What a folder of `ragauge ask` has before its answers are written."""


def kind_of_file(path: Path) -> str | None:
    """The ending that says how a file of rows is read, without that of its packing; None for others.

    >>> kind_of_file(Path("a.jsonl.gz"))
    '.jsonl'
    """
    name = path.name.lower()
    for packing in PACKED:
        name = name.removesuffix(packing)
    kind = next((kind for kind in KINDS if name.endswith(kind)), None)
    is_packed = name != path.name.lower()
    return None if kind == ".parquet" and is_packed else kind


MAX_PATTERN = 4_096
"""Characters of a pattern, as bytes of a path on Linux: reading one takes quadratic time."""
MAX_LEVELS = 4
"""Most `**` of a pattern: each way to divide the folders of a path among them is tried."""


def is_set(path: Path) -> bool:
    """Whether the path names several files: a folder, or a pattern that is no file's name."""
    # Unlike Path.is_dir, False for names that no file can have.
    return os.path.isdir(path) or (  # noqa: PTH112
        len(str(path)) <= MAX_PATTERN and glob.has_magic(str(path)) and not os.path.lexists(path)
    )


def files_of_set(path: Path) -> Sequence[Path] | Table:
    """The files in the order of their names, or an empty table with the problem."""
    if is_folder(path):
        if exists(path / RUN):
            return unreadable(
                str(path), "is the folder of a run; look at it with: ragauge show FOLDER"
            )
        found = [file for file in path.iterdir() if not file.name.startswith(".")]
    elif path.parts.count("**") > MAX_LEVELS:
        return unreadable(str(path), f"has more than {MAX_LEVELS} `**`; one matches any folders")
    else:
        names = glob.glob(str(path), recursive=True)  # noqa: PTH207 - the path is the pattern
        found = [Path(name) for name in dict.fromkeys(names)]
    files = sorted(file for file in found if kind_of_file(file) and file.is_file())
    kinds = sorted({SAME.get(kind, kind) for file in files if (kind := kind_of_file(file))})
    what = "is a folder" if is_folder(path) else "is a pattern"
    if not files:
        known = ", ".join(KINDS)
        problem = f"{what} without data files ({known}); give a file"
        if exists(path / UNFINISHED):
            problem = "has no answers yet: ragauge ask was ended before; run the same command again"
        return unreadable(str(path), problem)
    if len(kinds) > 1:
        return unreadable(
            str(path),
            f"{what} with files of several kinds ({listed(kinds)}); choose one kind by a pattern: "
            f"{path / '*' if is_folder(path) else path.parent / '*'}{kinds[0]}",
        )
    return files


def together(path: Path, tables: Sequence[Table]) -> Table:
    """The rows of all files as one table."""
    return Table(
        tuple(row for table in tables for row in table.rows),
        str(path),
        tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        tuple(problem for table in tables for problem in table.problems),
        all_text=any(table.all_text for table in tables),
        may_print_lists=any(table.may_print_lists for table in tables),
    )
