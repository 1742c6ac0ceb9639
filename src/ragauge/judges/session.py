"""A judge in a run: each question is paid for once, read strictly, and fails on its own."""

import json
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from ragauge.calls import Judged, Listener, ignore
from ragauge.calls.budget import Budget, Usage, estimated_tokens
from ragauge.calls.ledger import Ledger, LedgerWriter
from ragauge.errors import JudgeError, RagaugeError
from ragauge.judges.managed import managed
from ragauge.judges.prompts import Prompts
from ragauge.judges.protocol import (
    Identity,
    Judge,
    Message,
    Reply,
    Request,
    entry_of,
    key_of,
    reply_ledger,
    size_of,
)
from ragauge.judges.question import Question, listed
from ragauge.judges.replies.finding import ReplyError
from ragauge.score import NOT_ASKED, Score

if TYPE_CHECKING:
    import asyncio

WINDOW_TOKENS = 100_000
MAX_REPLY_SHOWN = 4_000
ATTEMPTS_PER_PROMPT = 2
"""Attempts per prompt: a second one if the reply is truncated. A retried question starts at the next number."""
DOWN_LIMIT = 3
"""After this many requests in a row that find the judge down, it is not asked again."""
MAX_OPEN_QUESTIONS = 256
"""Questions whose prompts are written at a time, which bounds memory."""
NO_USABLE_REPLY = "gave no usable reply"

Mode = Literal["ask", "cached", "estimate"]
"""What happens to a question without a kept reply. `ask`: ask it. `cached`: skip it. `estimate`: count it and
assume a likely reply."""
PROMPT_TOKENS = 1_500
TOKENS_PER_ITEM = 100
T = TypeVar("T")
Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, slots=True)
class Answered(Generic[Value]):
    """A judge's answer. `call`: its entry in the evidence."""

    value: Value
    reply: Reply
    call: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """An unreadable reply, and why it is unreadable. `why_before`: of the reply before the repair message."""

    key: bytes
    request: Request
    reply: Reply
    why: str
    why_before: str = ""


class _SharedState:
    """What all repeats of a judge share: whether it is down, and its pending calls."""

    def __init__(self) -> None:
        import asyncio

        self.writing = asyncio.Semaphore(MAX_OPEN_QUESTIONS)
        self.calls: set[asyncio.Future[Reply] | None] = set()
        self.n_down = 0
        self.reason = ""

    @property
    def is_down(self) -> bool:
        return self.n_down >= DOWN_LIMIT

    def failed(self) -> Score:
        return Score.failed(f"{self.reason}; not asked again in this run")


class JudgeSession:
    """One judge for all metrics of a run; questions beyond `budget` are skipped, and none is
    pending twice.

    A judge that is down DOWN_LIMIT times in a row is not asked again, and its pending requests are
    cancelled.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        ledger: Ledger[Reply] | None = None,
        prompts: Prompts | None = None,
        budget: Budget | None = None,
        mode: Mode = "ask",
        window: int = WINDOW_TOKENS,
    ) -> None:
        self.judge = managed(judge)
        if self.judge.is_recorded:
            # Recorded replies are free, and the cache may hold replies of another recording.
            ledger, budget = reply_ledger(":memory:"), None
        self.writer = LedgerWriter(ledger)
        self.prompts = Prompts() if prompts is None else prompts
        self.mode: Mode = mode
        self.window = window
        self.usage = Usage(judge.name, budget or Budget(), ledger)
        self.sample = 0
        self.retry_unreadable = False
        """Whether a question whose kept reply is unreadable is asked once more."""
        self.listener: Listener = ignore
        self._new: set[bytes] = set()
        self._pending: dict[bytes, asyncio.Future[Reply | Score]] = {}
        self._shared = _SharedState()

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def identity(self) -> Identity:
        return self.judge.identity

    def close(self) -> None:
        """Close an endpoint's connections; a later request opens new ones. The user closes their own judge."""
        self.judge.close_connections()

    def for_repeat(self, sample: int) -> "JudgeSession":
        """The same judge, for another repeat."""
        other = copy(self)
        other.sample = sample
        return other

    def for_estimate(self) -> "JudgeSession":
        """The same judge with the same replies, which counts the calls it would make and makes none."""
        other = copy(self)
        other.mode, other.usage, other._pending = "estimate", self.usage.for_estimate(), {}
        return other

    async def ask_all(self, questions: Iterable[Question[T]]) -> list[Answered[T] | Score]:
        """The judge's answers to several questions, asked concurrently."""
        asked = list(questions)
        if len(asked) == 1:
            return [await self.ask(asked[0])]
        import asyncio

        return await asyncio.gather(*map(self.ask, asked))

    async def ask(self, question: Question[T]) -> Answered[T] | Score:
        """The judge's answer, or a Score without a value: `failed` if no reply is readable, `skipped` if the
        judge may not be asked."""
        async with self._shared.writing:
            request = Request(
                question.prompt,
                self.prompts.messages(question.prompt, question.texts, question.words),
                question.schema,
                self.sample,
                wants_logprobs=question.wants_logprobs,
            )
            while True:
                answer = await self._read(question, request)
                if isinstance(answer, _Unreadable):
                    answer = await self._repaired(question, answer)
                if not isinstance(answer, _Unreadable):
                    return answer
                request = replace(request, attempt=request.attempt + ATTEMPTS_PER_PROMPT)
                key = key_of(self.identity, request)
                # Again where an earlier run kept a reply to that, or this run should ask for one.
                is_retried = self.retry_unreadable and answer.key not in self._new
                is_kept = self.judge.has(key) or await self.writer.find(key) is not None
                if not (is_kept or (is_retried and not self.judge.is_recorded)):
                    call = _call(answer.key, answer.request, answer.reply)
                    call |= {"wrong": answer.why, "wrong_before": answer.why_before}
                    why = f"{NO_USABLE_REPLY} to {request.prompt!r}, twice: {answer.why}"
                    return Score.failed(f"{self.name} {why}", {"calls": [call]})

    async def _read(
        self, question: Question[T], request: Request
    ) -> "Answered[T] | Score | _Unreadable":
        """The answer to a request; a truncated reply is requested once more."""
        while True:
            key = key_of(self.identity, request)
            reply = await self.reply(request, key, question.stand_in)
            if isinstance(reply, Score):
                return reply
            try:
                answer = question.answer_in(reply.text)
                return Answered(answer, reply, _call(key, request, reply))
            except ReplyError as error:
                problem = error
            reason = reply.finish_reason
            if not problem.is_cut or reason == "length" or request.attempt % ATTEMPTS_PER_PROMPT:
                why = str(problem)
                if reason == "length":
                    why = f"{why} (it was cut at the most tokens a reply may have)"
                elif reason in ("refusal", "content_filter"):
                    why = f"the model refused ({reason}): {why}"
                return _Unreadable(key, request, reply, why)
            request = replace(request, attempt=request.attempt + 1)

    async def _repaired(
        self, question: Question[T], first: "_Unreadable"
    ) -> "Answered[T] | Score | _Unreadable":
        """The answer after one repair message, which shows the judge its error."""
        shown = first.reply.text[:MAX_REPLY_SHOWN]
        repair = (Message("assistant", shown), Message("user", self.prompts.repair(first.why)))
        start = first.request.attempt // ATTEMPTS_PER_PROMPT * ATTEMPTS_PER_PROMPT
        request = replace(first.request, attempt=start, messages=first.request.messages + repair)
        second = await self._read(question, request)
        if isinstance(second, _Unreadable):
            return replace(second, why_before=first.why)
        if isinstance(second, Answered):
            repaired = {"reply": shown, "wrong": first.why}
            return replace(second, call={**second.call, "repaired": repaired})
        return second

    async def reply(
        self,
        request: Request,
        key: bytes | None = None,
        stand_in: Mapping[str, object] | None = None,
    ) -> Reply | Score:
        """The reply from the ledger or the judge; the same request is pending only once."""
        import asyncio

        key = key or key_of(self.identity, request)
        if key in self._pending:
            return await asyncio.shield(self._pending[key])
        coming: asyncio.Future[Reply | Score] = asyncio.get_running_loop().create_future()
        self._pending[key] = coming
        try:
            reply = await self._find_or_ask(key, request, stand_in)
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                coming.cancel()
            elif not coming.done():
                coming.set_exception(error)
                coming.exception()  # retrieved, so that asyncio does not warn when nobody waits
            raise
        finally:
            del self._pending[key]
        coming.set_result(reply)
        return reply

    async def _find_or_ask(
        self, key: bytes, request: Request, stand_in: Mapping[str, object] | None
    ) -> Reply | Score:
        may_ask = self.mode == "ask" and not self.judge.is_recorded
        found = await (self.writer.find_or_lease(key) if may_ask else self.writer.find(key))
        if found is not None:
            self.usage.cached += 1
            if self.mode != "estimate":
                self.judge.note(request, found)
            return found
        try:
            if self.mode == "cached" and not self.judge.is_recorded:
                return Score.skipped(
                    f"{NOT_ASKED}only the cache is read, and it has no reply of {self.name}"
                )
            if stand_in is not None:  # unused if the reply is kept
                request = replace(request, stand_in=json.dumps(stand_in, ensure_ascii=False))
            size = size_of(request)
            if self.mode == "estimate":
                self.usage.expect(key, size)
                return Reply(request.stand_in)
            await self.usage.wait_until_affordable(size, lambda: self._shared.is_down)
            if self._shared.is_down:
                return self._shared.failed()
            if refused := self.usage.refuses(size):
                return Score.skipped(f"{NOT_ASKED}{refused}")
            with self.usage.reserved(size) as paid:
                reply = await self._called(request)
                self.listener(Judged())
                if isinstance(reply, Score):
                    return reply
                paid(reply)
                await self.writer.keep(entry_of(key, self.name, request, reply))
                if self.retry_unreadable:
                    self._new.add(key)
            self.judge.note(request, reply)
            return reply
        finally:
            if may_ask:
                self.writer.release(key)

    async def _called(self, request: Request) -> Reply | Score:
        import asyncio

        shared = self._shared
        call: asyncio.Future[Reply] | None = None
        try:
            call = asyncio.ensure_future(self.judge.source.reply(request))
            shared.calls.add(call)
            reply = await call
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return shared.failed() if shared.is_down else Score.failed(f"{self.name}: cancelled")
        except JudgeError as error:
            reason = self.judge.redact(str(error))
            if error.is_down:
                shared.n_down, shared.reason = shared.n_down + 1, reason
                for pending in shared.calls if shared.is_down else ():
                    if pending is not None:
                        pending.cancel()
            return Score.failed(reason)
        except RagaugeError:
            raise
        except (Exception, SystemExit) as error:  # a user's own judge may raise anything
            message = self.judge.redact(str(error))
            return Score.failed(f"{self.name}: {type(error).__name__}: {message}")
        finally:
            shared.calls.discard(call)
        shared.n_down = 0
        if not (isinstance(reply, Reply) and isinstance(reply.text, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
            message = f"{self.judge.redact(repr(reply)):.80}"
            return Score.failed(f"{self.name} returned {message}, not a Reply with text")
        return self.judge.without_secrets(reply)

    def fits_window(self, texts: Iterable[str], n_items: int) -> bool:
        """Whether the texts surely fit the judge's window, with room for `n_items` verdicts."""
        # The estimate never has more tokens than characters.
        return sum(map(len, texts)) + n_items * TOKENS_PER_ITEM <= self.window - PROMPT_TOKENS

    def pieces(
        self, texts: Sequence[str], *others: str | Sequence[str], share: int = 1
    ) -> list[list[int]]:
        """Indices of the texts in groups that fit one in `share` parts of the judge's window together with `others`."""
        everything = (*texts, *(text for other in others for text in listed(other)))
        if texts and self.fits_window(share * everything, share * len(texts)):
            return [list(range(len(texts)))]
        taken = sum(estimated_tokens(text) for other in others for text in listed(other))
        room = (self.window - PROMPT_TOKENS) // share - taken
        groups: list[list[int]] = []
        used = room + 1
        for place, text in enumerate(texts):
            own = estimated_tokens(text) + TOKENS_PER_ITEM
            if used + own > room:
                groups.append([])
                used = 0
            groups[-1].append(place)
            used += own
        return groups


def _call(key: bytes, request: Request, reply: Reply) -> dict[str, object]:
    return {
        "prompt": request.prompt,
        "reply": reply.text[:MAX_REPLY_SHOWN],
        "key": key.hex()[:16],
        **({"sample": request.sample} if request.sample else {}),
    }
