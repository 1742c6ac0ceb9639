"""What the server serves: the page of some runs, or the review queue of one, which takes labels, and then its report.

Of `ragauge review serve`:

    GET  /                             the page of the queue, with nothing of the run
    GET  /review/queue?rater=NAME      the queue as this person sees it
    GET  /review/item/KEY?rater=NAME   one answer: its texts; after a label also the verdicts
    POST /review/label                 {key, rater, value, note, settles}
    POST /review/undo                  {key, rater, label}
    GET  /report?rater=NAME            the page of `ragauge view`
    GET  /chunk/NAME?rater=NAME        a part of it

The report shows automatic scores, so a person gets it and its parts only once nothing is left for them in
the queue. Labels and items are JSON. Keys are looked up in the queue; none is ever made into a path.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, urlsplit

from ragauge.errors import PlanError
from ragauge.page.chunks import RunChunks
from ragauge.page.combined import with_combined
from ragauge.page.overview import Overview
from ragauge.page.page import END, document, packed, policy, report_view, review_page_view
from ragauge.page.review_view import item_view, queue_view
from ragauge.people.review import Review
from ragauge.people.review_labels import Value, read_line
from ragauge.people.review_queue import ReviewItem
from ragauge.report.plain import counted
from ragauge.runs.scored_run import ScoredRun
from ragauge.web.guard import Refusal

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PER_BLOCK = 50
"""Questions whose texts and evidence are read from the store at a time."""
HTML = "text/html; charset=utf-8"
KEPT = 64
"""Chunks that are kept in memory."""
QUEUE, ITEM = "/review/queue", "/review/item/"
REPORT, CHUNK = "/report", "/chunk/"
LABEL, UNDO = "/review/label", "/review/undo"
FIELDS: Mapping[str, tuple[str, ...]] = {
    LABEL: ("key", "rater", "value", "note", "settles"),
    UNDO: ("key", "rater", "label"),
}


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


@dataclass(frozen=True)
class ReviewSite:
    """The review queue of a run. `rater` is the name that the page suggests."""

    review: Review
    rater: str = ""
    _readers: set[str] = field(default_factory=set[str], repr=False, compare=False)
    """The people who have had the report: they know its scores from then on."""

    @cached_property
    def viewer(self) -> Viewer:
        return Viewer([self.review.queue.run], source="reviewed")

    @cached_property
    def _lock(self) -> Lock:
        # polars is not asked for two things at once: each request has a thread of its own.
        return Lock()

    @property
    def policy(self) -> str:
        return self.viewer.policy

    @cached_property
    def page(self) -> Content:
        """The page of the queue."""
        return Content(HTML, document(review_page_view(), self.policy) + END)

    can_write = True

    def find(self, address: str) -> Content | Refusal | None:
        """The content of an address; PlanError for one without a usable name of a person."""
        if address == "/":
            return self.page
        parts = urlsplit(address)
        if "//" in address or "#" in address or parts.path == "/":
            return None
        if parts.path == REPORT or parts.path.startswith(CHUNK):
            rater = self._rater(parts.query)
            with self._lock:
                n = 0 if rater in self._readers else len(self.review.pending(rater))
                if n:
                    left = f"{counted(n, 'answer')} in the queue"
                    return Refusal(403, f"the report shows automatic scores: first label {left}")
                self._readers.add(rater)
            return self.viewer.find("/" if parts.path == REPORT else parts.path)
        item = self._item(parts.path)
        if parts.path != QUEUE and item is None:
            return None
        rater = self._rater(parts.query)
        with self._lock:
            if item is None:
                return _json(queue_view(self.review, rater))
            return _json(item_view(self.review, item, rater))

    def _rater(self, query: str) -> str:
        """The person that a query names, or the suggested one; PlanError for an unusable name."""
        found = parse_qsl(query)
        if query and [name for name, _ in found] != ["rater"]:
            raise PlanError("the address takes one rater and nothing else")
        rater = (found[0][1] if found else "") or self.rater
        self.review.check_rater(rater)
        return rater

    def _item(self, address: str) -> ReviewItem | None:
        key = address.removeprefix(ITEM) if address.startswith(ITEM) else ""
        return self.review.queue.by_key.get(key)

    def write(self, address: str, body: bytes) -> Content | Refusal | None:
        """Store a label, or take one back, and answer with the item as it is now."""
        if address not in FIELDS:
            is_known = address in ("/", QUEUE) or self._item(address)
            return Refusal(405, "this address only reads") if is_known else None
        sent = read_line(body)
        if isinstance(sent, str) or set(sent) != set(FIELDS[address]):
            return Refusal(400, f"the body must be a JSON object with {', '.join(FIELDS[address])}")
        rater, item = sent["rater"], self._item(f"{ITEM}{sent['key']}")
        if item is None:
            return Refusal(404, "the queue has no such answer")
        if not isinstance(rater, str):
            return Refusal(400, "rater must be text")
        if not isinstance(sent.get("settles", False), bool):
            return Refusal(400, "settles must be true or false")
        with self._lock:  # what else is wrong is a PlanError
            if address == LABEL:
                said = cast(Value, sent["value"]), cast(str, sent["note"])
                how = {"settles": sent["settles"] is True, "has_seen": rater in self._readers}
                self.review.save(item, rater, *said, **how)
            else:
                self.review.undo(str(sent["label"]), rater)
            return _json(item_view(self.review, item, rater))


def _json(view: "DataclassInstance") -> Content:
    text = json.dumps(asdict(view), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Content("application/json", text.encode("utf-8", "backslashreplace"))
