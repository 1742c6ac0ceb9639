"""What all repeats of a judge share: whether it is down, and its pending calls."""

from collections import deque
from typing import TYPE_CHECKING

from ragauge.judges.protocol import Reply
from ragauge.score import Score

if TYPE_CHECKING:
    import asyncio

DOWN_LIMIT = 3
"""After this many requests in a row that find the judge down, it is not asked again."""
MAX_OPEN_QUESTIONS = 256
"""Questions whose prompts are written at a time, which bounds memory."""


class SharedState:
    """State that all repeats of a judge share: whether it is down, and its pending calls."""

    def __init__(self) -> None:
        self.writing = _FairSemaphore(MAX_OPEN_QUESTIONS)
        self.calls: set[asyncio.Future[Reply] | None] = set()
        self.n_down = 0
        self.reason = ""

    @property
    def is_down(self) -> bool:
        return self.n_down >= DOWN_LIMIT

    def found_down(self, reason: str) -> None:
        """Count a request that found the judge down; at the limit, cancel the pending calls."""
        self.n_down += 1
        self.reason = reason
        if self.is_down:
            for call in self.calls:
                if call is not None:
                    call.cancel()

    def failed(self) -> Score:
        return Score.failed(f"{self.reason}; not asked again in this run")


class _FairSemaphore:
    """A semaphore that serves waiters in order.

    asyncio's own scans all waiters at each release.
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self.waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        if self.room > 0:
            self.room -= 1
            return
        import asyncio

        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.room += 1
