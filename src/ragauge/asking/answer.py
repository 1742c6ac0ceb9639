"""One answer of a system, or why there is none; and its row in a file of answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, cast

AnswerStatus = Literal["ok", "failed", "timed_out", "rate_limited"]
WORDS: Mapping[str, str] = {
    "ok": "answered",
    "failed": "failed",
    "timed_out": "timed out",
    "rate_limited": "refused by the rate limit",
}
"""What each status is called in a sentence."""
MEASURED = (
    *("status", "reason", "attempts", "latency_s", "first_token_s"),
    *("input_tokens", "output_tokens", "cost_usd"),
)
"""The columns that say how an answer came about."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system answered to one question, and how long that took.

    `values`: the answer and what else the target returned, by field; without an answer unless `status`
    is ok. `reason`: why there is none, in one line. `latency_s`: seconds of the last attempt, pauses not
    included. Tokens and cost are None where neither the target nor a price tells them.
    """

    status: AnswerStatus
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    reason: str | None = None
    attempts: int = 1
    latency_s: float | None = None
    first_token_s: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None

    @property
    def prompt_tokens(self) -> int | None:
        return self.input_tokens

    @property
    def completion_tokens(self) -> int | None:
        return self.output_tokens

    @property
    def is_ok(self) -> bool:
        return self.status == "ok"

    def row(self) -> dict[str, object]:
        """The columns of the answer in a file of answers: the answer first, then how it came about."""
        values = dict(self.values)
        first = {name: values.pop(name, None) for name in ("answer", "contexts", "context_ids")}
        return first | {name: getattr(self, name) for name in MEASURED} | values


def packed(answer: Answer) -> bytes:
    """The answer as JSON, which `unpacked` reads."""
    # `values` is JSON already: dataclasses.asdict would copy all of it.
    table = {each.name: getattr(answer, each.name) for each in fields(answer)}
    return json.dumps(table, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpacked(content: bytes) -> Answer:
    """The answer from `packed`. ValueError or TypeError for anything else."""
    try:
        table = cast("dict[str, object]", json.loads(content))
    except RecursionError:
        raise ValueError("an answer that is nested too deep") from None
    if not isinstance(table, dict) or table.get("status") not in WORDS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError("an answer without a status")
    return Answer(**table)  # pyright: ignore[reportArgumentType]
