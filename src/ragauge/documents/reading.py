"""Read documents: files and folders of any format, chunks of an index, and objects of other libraries."""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ragauge.documents.formats import UnreadableError, text_of_docx, text_of_html, text_of_pdf
from ragauge.documents.passage import MAX_TABLE_WORDS, MAX_WORDS, Passage, passages_of
from ragauge.errors import DataError, PlanError, Problem
from ragauge.language.words import words
from ragauge.loaders.documents import ID_KEYS, TEXT_KEYS, parts_of
from ragauge.loaders.formats import csv, json, jsonl
from ragauge.loaders.formats.files import unopened, windows_1252
from ragauge.loaders.table import Table
from ragauge.storage.regular_file import as_url, is_folder, read_regular

MAX_BYTES = 256 * 2**20
NEAR_EMPTY = 4
"""A passage of fewer words is left out."""
SAME = 0.95
"""The similarity of the words of two passages from which they are one, if their numbers are the same."""
FROM_UNITS, SHARE_OF_UNITS = 3, 0.3
"""A line is boilerplate if at least this many documents or pages, and this share of them, have it."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents that were read, as passages.

    `texts` has each document's whole text, in which the passages' offsets count. `left_out` counts what
    became no passage: duplicates, boilerplate, near empty, unreadable. `duplicate_of` has the passage that
    was kept for the id of each one that was not.
    """

    passages: list[Passage]
    texts: dict[str, str]
    problems: list[Problem] = field(default_factory=list[Problem])
    left_out: Counter[str] = field(default_factory=Counter[str])
    duplicate_of: dict[str, str] = field(default_factory=dict[str, str])


_Rows = list[Mapping[str, object]]


def read_documents(
    given: Sequence[str | Path | object], *, max_words: int = MAX_WORDS
) -> Documents:
    """Read files, folders, and documents as objects, in the order given; a folder's files by name.

    Text, Markdown, HTML, DOCX, PDF (needs pypdf), and JSONL, JSON or CSV: rows with a text are chunks of
    an index and keep their ids; a CSV without texts is a table. Objects are dicts with a text, or
    documents of LangChain, LlamaIndex or Haystack. A document that cannot be read is in `problems`, and
    its reason counted; DataError if no passage is left, PlanError for something else than these.

    >>> read_documents([{"id": "d1", "text": "Leave is 30 days a year."}]).passages[0].id
    'd1'
    """
    found = Documents([], {})
    chunks: list[tuple[str, Mapping[str, object]]] = []
    for name, read in _sources(given, found):
        try:
            content = read()
        except UnreadableError as error:
            found.problems.append(Problem(str(error), name))
            found.left_out["unreadable"] += 1
            continue
        if isinstance(content, str):
            found.texts[name] = content
        else:
            chunks += [(f"{name}#{number}", parts) for number, parts in enumerate(content, 1)]
    skipped = _boilerplate(found.texts, found.left_out)
    made = [
        passage
        for name, text in found.texts.items()
        for passage in passages_of(name, text, max_words, skipped)
    ]
    made += _chunk_passages(chunks, found, max_words)
    # Kept are passages that say something and of which no earlier one says the same.
    members = [frozenset(words(f"{passage.heading} {passage.text}")) for passage in made]
    numbers = [frozenset(word for word in each if any(map(str.isdigit, word))) for each in members]
    duplicates = near_duplicates(members, SAME, kinds=numbers)
    for place, passage in enumerate(made):
        if len(words(passage.text)) < NEAR_EMPTY:
            found.left_out["near empty"] += 1
        elif place in duplicates:
            found.left_out["duplicates"] += 1
            found.duplicate_of[passage.id] = made[duplicates[place]].id
        else:
            found.passages.append(passage)
    if not found.passages:
        named = [str(each) for each in given if isinstance(each, str | Path)]
        counts = ", ".join(f"{n} {what}" for what, n in found.left_out.items())
        known = "; .txt, .md, .html, .pdf, .docx, .jsonl, .json, .csv are read"
        text = f"no text was found{f' ({counts})' if counts else known}"
        raise DataError(found.problems or [Problem(text, ", ".join(named) or "documents")])
    return found


def _sources(
    given: Sequence[object], found: Documents
) -> Iterator[tuple[str, Callable[[], str | _Rows]]]:
    """Each document's name, and what reads it."""
    objects: _Rows = []
    for each in given:
        if isinstance(each, str | Path):
            for path in _files(Path(each), found.left_out):
                yield str(path), partial(_read_file, path)
        elif (parts := parts_of(each)) is not None:
            objects.append(parts)
        else:
            kind = type(each).__name__
            problem = f"a {kind} is not a document; give paths, dicts with a text, or documents of LangChain, LlamaIndex or Haystack"
            raise PlanError([problem])
    if objects:
        yield "document", lambda: objects


def _files(path: Path, left_out: Counter[str]) -> Iterator[Path]:
    if (url := as_url(path)) is not None:
        raise PlanError([f"{url}: documents are read from this machine; download it first"])
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise DataError([Problem(unopened(path, error), str(path))]) from None
    if not is_folder(path):
        yield path
        return
    for file in sorted(path.rglob("*")):
        if file.is_dir() or any(part.startswith(".") for part in file.relative_to(path).parts):
            continue
        if file.suffix.lower() in _READERS:
            yield file
        else:
            left_out["other formats"] += 1


def _read_file(path: Path) -> str | _Rows:
    suffix = path.suffix.lower()
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableError(f"has over {MAX_BYTES:,} bytes; split it")
        if suffix in _TABLES:
            return _of_table(_TABLES[suffix](path))
        return _READERS.get(suffix, _decoded)(read_regular(path, MAX_BYTES))
    except OSError as error:
        raise UnreadableError(unopened(path, error)) from None


def _decoded(content: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 with a mark, or Windows-1252."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text: str | None = content.decode(encoding)
    except UnicodeDecodeError:
        text = windows_1252(content)
    if text is None:
        raise UnreadableError("is not text in UTF-8; save it as UTF-8")
    if "\0" in text:
        raise UnreadableError("is not text: it has NUL characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _of_table(table: Table) -> str | _Rows:
    """Rows with texts as chunks; the rows of another CSV as one table."""
    if table.problems:
        raise UnreadableError(table.problems[0].message)
    values = [row.values for row in table.rows]
    found = [parts for row in values if (parts := parts_of(row)) is not None]
    if found or not table.all_text:
        if values and not found:
            raise UnreadableError(f"has no text in its rows; name it one of {', '.join(TEXT_KEYS)}")
        return found
    rows = [table.columns, *([row.get(name) for name in table.columns] for row in values)]
    return "\n".join(
        f"| {' | '.join('' if cell is None else ' '.join(str(cell).split()) for cell in row)} |"
        for row in rows
    )


_TABLES: dict[str, Callable[[Path], Table]] = {
    ".jsonl": jsonl.read_jsonl,
    ".ndjson": jsonl.read_jsonl,
    ".json": json.read_json,
    ".csv": partial(csv.read_csv, delimiter=","),
    ".tsv": partial(csv.read_csv, delimiter="\t"),
}


_READERS: dict[str, Callable[[bytes], str]] = {
    **dict.fromkeys((".txt", ".text", ".md", ".mdx", ".markdown", ".rst", *_TABLES), _decoded),
    **dict.fromkeys((".html", ".htm", ".xhtml"), lambda content: text_of_html(_decoded(content))),
    ".docx": text_of_docx,
    ".pdf": text_of_pdf,
}


def _chunk_passages(
    chunks: Sequence[tuple[str, Mapping[str, object]]], found: Documents, max_words: int
) -> Iterator[Passage]:
    """Each chunk as one passage, unless it is as long as a document; one without an id has that given."""
    for number, parts in chunks:
        text = next(str(parts[key]) for key in TEXT_KEYS if isinstance(parts.get(key), str))
        ids = (parts[key] for key in ID_KEYS if parts.get(key) not in (None, ""))
        name = str(next(ids, number))
        if name in found.texts:
            if found.texts[name] != text:
                found.problems.append(Problem("two texts have this id; the first was kept", name))
            found.left_out["duplicates"] += 1
            continue
        found.texts[name] = text
        if len(words(text)) > MAX_TABLE_WORDS:
            yield from passages_of(name, text, max_words)
        else:
            yield Passage(name, name, 0, len(text), text)


def _boilerplate(texts: Mapping[str, str], left_out: Counter[str]) -> frozenset[str]:
    """Lines that many documents have, or many pages of one at their top or bottom, where numbers may differ: notices, headers, footers."""
    found = _frequent([_lines(text) for text in texts.values()])
    n_found = len(found)
    for text in texts.values():
        pages = [_lines(page) for page in text.split("\f")]
        edges = [{*page[:2], *page[-2:]} for page in pages]
        masked = _frequent([{_NUMBER.sub("0", line) for line in edge} for edge in edges])
        found |= {line for edge in edges for line in edge if _NUMBER.sub("0", line) in masked}
        n_found += len(masked)
    if n_found:
        left_out["boilerplate"] += n_found
    return frozenset(found)


def _lines(text: str) -> list[str]:
    """The lines of prose."""
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and line[0] not in "#|" and " | " not in line]


def _frequent(units: Sequence[Iterable[str]]) -> set[str]:
    """The lines that many of the units have."""
    counts = Counter(line for unit in units for line in set(unit))
    least = max(FROM_UNITS, SHARE_OF_UNITS * len(units))
    return {line for line, n in counts.items() if n >= least}


def near_duplicates(
    sets: Sequence[frozenset[str]],
    threshold: float,
    are_same: Callable[[int, int], bool] = lambda _, __: True,
    kinds: Sequence[Hashable] = (),
) -> dict[int, int]:
    """For each set that has a Jaccard similarity of at least `threshold` with an earlier one, that earlier one.

    Only sets of the same one of `kinds` are compared, if given; `are_same` says of two places whether nothing else tells them apart.

    Exact, by prefix filtering (Bayardo et al. 2007): two sets that are so similar share one of their
    n - ceil(threshold * n) + 1 rarest members. An earlier one is never a duplicate itself;
    empty sets resemble nothing. `threshold` is in (0, 1].

    >>> near_duplicates([frozenset("abcd"), frozenset("xyz"), frozenset("abcde")], 0.8)
    {2: 0}
    """
    frequency = Counter(member for members in sets for member in members)
    duplicates: dict[int, int] = {}
    index: dict[tuple[Hashable, str], list[int]] = {}
    for place, members in enumerate(sets):
        least = math.ceil(threshold * len(members))
        rarest = sorted(members, key=lambda member: (frequency[member], member))
        kind = kinds[place] if kinds else None
        prefix = [(kind, member) for member in rarest[: len(members) - least + 1]]
        for other in sorted({other for key in prefix for other in index.get(key, ())}):
            shared = len(members & sets[other])
            is_like = shared >= threshold * (len(members) + len(sets[other]) - shared)
            if is_like and are_same(place, other):
                duplicates[place] = other
                break
        else:
            for key in prefix:
                index.setdefault(key, []).append(place)
    return duplicates
