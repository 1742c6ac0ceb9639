"""What `ragauge view` serves: the page of some runs, and its chunks, made when the page asks for them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

from ragauge.page.chunks import RunChunks
from ragauge.page.combined import with_combined
from ragauge.page.overview import Overview
from ragauge.page.page import END, document, packed, policy, report_view
from ragauge.runs.scored_run import ScoredRun

PER_BLOCK = 50
"""Questions whose texts and evidence are read from the store at a time."""
HTML = "text/html; charset=utf-8"
KEPT = 64
"""Chunks that are kept in memory."""


@dataclass(frozen=True, slots=True)
class Content:
    """What an address answers with."""

    type: str
    body: bytes


@dataclass(frozen=True)
class Viewer:
    """The page of some runs and its chunks, by address."""

    runs: Sequence[ScoredRun]
    source: str = "server"
    """What the page calls where it comes from: "server", or "reviewed" after a review."""

    can_write = False

    def write(self, address: str, body: bytes) -> None:
        """Nothing can be written to the viewer."""

    @cached_property
    def policy(self) -> str:
        return policy("'self'")

    @cached_property
    def page(self) -> Content:
        """The page without its chunks."""
        view = report_view(self._chunks, self.source)
        return Content(HTML, document(view, self.policy) + END)

    @cached_property
    def _chunks(self) -> tuple[RunChunks, ...]:
        # Beside its queue, a run shows no labels: they are for after one's own.
        how: dict[str, Any] = {"per_block": PER_BLOCK, "people": self.source == "server"}
        runs = enumerate(with_combined(self.runs))
        return tuple(RunChunks(Overview(run), place, **how) for place, run in runs)

    @cached_property
    def _makers(self) -> Mapping[str, Callable[[], bytes]]:
        """What makes each chunk, by its address."""
        made = [{**each.columns(), **each.blocks()} for each in self._chunks]
        return {f"/chunk/{name}": make for each in made for name, make in each.items()}

    @cached_property
    def _made(self) -> Callable[[str], bytes]:
        # polars is not asked for two chunks at once: each request has a thread of its own.
        lock = Lock()

        @lru_cache(KEPT)
        def made(address: str) -> bytes:
            with lock:
                content = self._makers[address]()
            return packed(content)

        return made

    def find(self, address: str) -> Content | None:
        """The content of an address; None for any that is not exactly one of the page's own."""
        if address == "/":
            return self.page
        if address not in self._makers:
            return None
        return Content("application/octet-stream", self._made(address))
