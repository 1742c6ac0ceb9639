"""What the tests of reading in pieces share."""

from collections.abc import Callable

import pytest

from ragauge.errors import DataError
from ragauge.loaders import load
from ragauge.loaders.in_pieces import gold as gold_join
from ragauge.loaders.in_pieces import load as reading


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces and batches of a few rows."""
    monkeypatch.setattr(reading.load_in_pieces, "__kwdefaults__", {"piece_bytes": 300})
    monkeypatch.setattr(gold_join, "COMPARED_AT_ONCE", 7)


@pytest.fixture
def check_same_problems() -> Callable[..., str]:
    """Checks that reading in pieces and in memory find the same problems, and returns them."""

    def check(source: object, **options: object) -> str:
        messages: list[list[str]] = []
        for in_pieces in (False, True):
            with pytest.raises(DataError) as raised:
                load(source, in_pieces=in_pieces, **options)
            messages.append(sorted(map(str, raised.value.problems)))
        assert messages[0] == messages[1]
        return "\n".join(messages[1])

    return check
