"""A ledger and its leases for the event loop: a thread handles all waiting orders at once."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast, get_args

from ragauge.calls.ledger import LEASE_S, Entry, Leases, Ledger

if TYPE_CHECKING:
    import asyncio


T = TypeVar("T")
IDLE_S = 0.05
"""A writer's thread ends after this long without work, and restarts when needed."""
RENEW_S = LEASE_S / 3
POLL_S = 0.2
"""How often a run looks whether another one has the reply."""
Kind = Literal["find", "keep", "release", "renew", "claim"]
IN_ORDER: tuple[Kind, ...] = get_args(Kind)
"""Replies are kept before their leases end, or another run would ask again."""


@dataclass(frozen=True, slots=True)
class _Order:
    """What the thread is asked to do, and who waits for it; None if nobody does."""

    kind: Kind
    subject: Any
    answer: "asyncio.Future[Any] | None" = None


class LedgerWriter(Generic[T]):
    """A ledger for the event loop: a thread handles all waiting orders at once.

    Without a ledger it keeps nothing. The thread ends when idle.
    """

    def __init__(self, ledger: Ledger[T] | None) -> None:
        self.ledger = ledger
        self._leases: Leases | None = None
        self._changed = threading.Condition()
        self._waiting: list[_Order] = []
        self._is_at_work = False
        self._is_renewing = False

    async def find(self, key: bytes) -> T | None:
        """The reply with this key, or None."""
        return None if self.ledger is None else await self._put("find", key)

    async def find_or_lease(self, key: bytes) -> T | None:
        """The reply with this key, or None once this run may ask for it: then `release` it afterwards.

        While another run asks the same question, this waits for its reply.
        """
        import asyncio

        if self.ledger is None or not self.ledger.is_shared:
            return await self.find(key)
        while True:
            found = await self._put("claim", key)
            if found == "leased":
                self._keep_renewing()
                return None
            if found != "taken":
                return cast(T, found)
            await asyncio.sleep(POLL_S)

    def release(self, key: bytes) -> None:
        """Let other runs ask for this reply; soon after this returns."""
        if self._leases is not None:
            self._hand_over(_Order("release", key))

    async def keep(self, entry: Entry) -> None:
        """Store the reply, on disk when this returns."""
        if self.ledger is not None:
            await self._put("keep", entry)

    def close(self) -> None:
        """Close the ledger's file."""
        if self._leases is not None:
            self._leases.close()
        if self.ledger is not None:
            self.ledger.close()

    def _keep_renewing(self) -> None:
        """Renew the leases from time to time, as long as there are any."""
        import asyncio

        def renew() -> None:
            self._is_renewing = False
            if self._leases is not None and self._leases.held:
                self._hand_over(_Order("renew", None))
                self._keep_renewing()

        if not self._is_renewing:
            self._is_renewing = True
            asyncio.get_running_loop().call_later(RENEW_S, renew)

    def _put(self, kind: Kind, subject: "bytes | Entry") -> "asyncio.Future[Any]":
        import asyncio

        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._hand_over(_Order(kind, subject, answer))
        return answer

    def _hand_over(self, order: _Order) -> None:
        import asyncio

        with self._changed:
            self._waiting.append(order)
            is_first = len(self._waiting) == 1
        if is_first:  # wake the thread once for all orders of this loop iteration
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        with self._changed:
            if not self._is_at_work:
                self._is_at_work = True
                threading.Thread(target=self._work, name="ragauge ledger", daemon=True).start()
            self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._changed.wait(IDLE_S)
                orders, self._waiting = self._waiting, []
                if not orders:
                    self._is_at_work = False
                    return
            for kind in IN_ORDER:
                wanted = [order for order in orders if order.kind == kind]
                if not wanted:
                    continue
                try:
                    done, error = self._done(kind, [order.subject for order in wanted]), None
                except Exception as raised:  # any error goes to the waiting futures
                    done, error = [None] * len(wanted), raised
                answers = [
                    (order.answer, outcome)
                    for order, outcome in zip(wanted, done, strict=True)
                    if order.answer is not None
                ]

                def resolve(answers: Sequence[Any] = answers, error: Any = error) -> None:
                    for answer, outcome in answers:
                        if not answer.done():
                            answer.set_exception(error) if error else answer.set_result(outcome)

                if answers:
                    answers[0][0].get_loop().call_soon_threadsafe(resolve)

    def _done(self, kind: Kind, subjects: Sequence[Any]) -> Sequence[Any]:
        """Handle all orders of a kind; their outcomes."""
        ledger = cast(Ledger[T], self.ledger)
        if kind == "keep":
            ledger.keep(subjects)
        elif kind == "release" and self._leases is not None:
            self._leases.release(subjects)
        elif kind == "renew" and self._leases is not None:
            self._leases.renew()
        if kind not in ("find", "claim"):
            return [None] * len(subjects)
        found = ledger.find(subjects)
        absent = [key for key in subjects if key not in found]
        if kind == "find" or not absent:
            return [found.get(key) for key in subjects]
        leases = self._leases = self._leases or Leases(ledger.path)
        leased = leases.claim(absent)
        # Another run may have kept a reply just before it gave up its lease.
        late = ledger.find(tuple(leased))
        leases.release(late.keys())
        found |= late
        return [found.get(key) or ("leased" if key in leased else "taken") for key in subjects]
