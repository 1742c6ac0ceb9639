"""What the tests of reading in pieces share."""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import DataError
from ragauge.loaders import gold, questions, sources
from ragauge.loaders.loading import load
from ragauge.samples.samples import Samples

Rows = Sequence[dict[str, Any]]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and batches of a few rows."""
    monkeypatch.setattr(sources, "PIECE_BYTES", 300)
    for module in (gold, questions):
        monkeypatch.setattr(module, "COMPARED_AT_ONCE", 7)


@pytest.fixture
def check_same_problems() -> Callable[..., str]:
    """Checks that reading in pieces and in memory find the same problems, and returns them."""

    def check(source: object, **options: Any) -> str:
        messages: list[list[str]] = []
        for in_pieces in (False, True):
            with pytest.raises(DataError) as raised:
                load(source, in_pieces=in_pieces, **options)
            messages.append(sorted(map(str, raised.value.problems)))
        assert messages[0] == messages[1]
        return "\n".join(messages[1])

    return check


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as JSON Lines, also packed."""

    def write(rows: Rows, name: str = "a.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def check_same_samples() -> Callable[..., Samples]:
    """Checks that reading in pieces and in memory give the same samples, and returns them."""

    def check(source: object, *, at_once: bool = False, **options: Any) -> Samples:
        in_memory = load(source, in_pieces=False, **options)
        in_pieces = load(source, in_pieces=True, **options)
        assert in_pieces.is_file
        assert not in_memory.is_file
        assert (in_pieces.notes[:-1] if at_once else in_pieces.notes) == in_memory.notes
        assert in_pieces.source == in_memory.source
        assert in_pieces.columns == in_memory.columns
        assert in_pieces.frame.equals(in_memory.frame)
        assert in_pieces.frame.schema == in_memory.frame.schema
        return in_pieces

    return check


@pytest.fixture(scope="module")
def also_in_pieces(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the module loads from files, and its rows from files, is the same in many pieces."""
    folder, numbers = tmp_path_factory.mktemp("rows"), count()

    def on_disk(source: object) -> object:
        """Rows as a file, and systems of rows as files; anything else as it is."""
        if isinstance(source, dict) and all(isinstance(own, list) for own in source.values()):
            return {name: on_disk(own) for name, own in source.items()}
        if not isinstance(source, list) or not all(isinstance(row, dict) for row in source):
            return source
        path = folder / f"{next(numbers)}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in source))
        return path

    def paths(files: object) -> list[Path]:
        each = list(files.values()) if isinstance(files, dict) else [files]
        return [path for path in map(Path, each) if path.is_file()]

    def outcome(in_pieces: bool, source: object, options: dict[str, Any]) -> object:
        try:
            samples = load(source, in_pieces=in_pieces, **options)
        except DataError as error:
            return sorted(map(str, error.problems))
        notes = [note for note in samples.notes if not note.startswith("read as a whole")]
        return samples.frame.to_dict(as_series=False), samples.frame.schema, notes, samples.source

    def load_both(source: object, **options: Any) -> Samples:
        try:
            files = on_disk(source)
            given = options | {"gold": on_disk(options.get("gold"))}
            piece = max(30, sources.size_of(paths(files)) // 20)
        except (TypeError, ValueError, OSError):  # neither files nor rows of JSON
            return load(source, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sources, "PIECE_BYTES", piece)
            for module in (gold, questions):
                patch.setattr(module, "COMPARED_AT_ONCE", 2)
            assert outcome(False, files, given) == outcome(True, files, given)
        return load(source, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request.module, "load", load_both)
        yield
