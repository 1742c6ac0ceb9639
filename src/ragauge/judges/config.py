"""Settings of a run's judges: repeats, budgets, prompts."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ragauge.errors import PlanError

if TYPE_CHECKING:
    from ragauge.calls.budget import Price
    from ragauge.judges.managed import ManagedJudge
    from ragauge.judges.protocol import Judge
    from ragauge.judges.providers.factory import JudgeLike
    from ragauge.judges.session import JudgeSession, Mode

ENDPOINT_KEYS = {
    "base_url": str,
    "api_key_env": str,
    "temperature": float,
    "max_tokens": int,
    "seed": int,
    "rpm": int,
    "tpm": int,
    "concurrency": int,
    "timeout_s": float,
    "deadline_s": float,
}
OTHER_KEYS = {
    "max_cost_usd": float,
    "max_calls": int,
    "price": list,
    "repeat": int,
    "prompts": str,
    "language": str,
    "window": int,
}
KEYS = {"model": list, **ENDPOINT_KEYS, **OTHER_KEYS}
"""Keys of a configuration's table `[judge]`; `model` is a name or a list of names."""
MODES = ("ask", "cached", "estimate")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class JudgeConfig:
    """The judges of a run and their settings.

    `repeat`: ask each question this many times; scores are means over the repeats. `mode`: "ask", or
    "cached" to read the cache only and skip the rest. `retry_unreadable`: ask once more where the kept
    reply is unreadable, and keep both replies. `max_calls`, `max_cost_usd`: limits for each judge in
    this run; questions beyond them are skipped. `prices`: by judge, in dollars per million tokens;
    needed for `max_cost_usd`. `prompts`: a folder with your own prompts. `language`: of the prompts,
    two letters. `window`: tokens that a judge accepts; longer contexts are shown in parts. PlanError
    lists all problems.
    """

    judges: "Sequence[Judge]" = ()
    repeat: int = 1
    mode: "Mode" = "ask"
    max_calls: int | None = None
    max_cost_usd: float | None = None
    prices: "Mapping[str, Price]" = field(default_factory=dict[str, "Price"])
    prompts: str | Path | None = None
    language: str | None = None
    window: int | None = None
    retry_unreadable: bool = False

    def __post_init__(self) -> None:
        names, dollars = self.names, self.max_cost_usd
        problems = [
            f"two judges are named {name!r}; their numbers would be indistinguishable"
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        counts = {"repeat": self.repeat, "max_calls": self.max_calls, "window": self.window}
        problems += [
            f"{name} must be a whole number of at least 1, got {number!r:.80}"
            for name, number in counts.items()
            if not (type(number) is int and number >= 1)
            and (number is not None or name == "repeat")
        ]
        if dollars is not None and not (type(dollars) in (int, float) and 0 < dollars < math.inf):
            problems.append(f"max_cost_usd must be a number above 0, got {dollars!r:.80}")
        if self.mode not in MODES:
            problems.append(f"mode must be one of {', '.join(MODES)}, got {self.mode!r:.80}")
        if self.mode == "cached" and self.retry_unreadable:
            problems.append(
                "where only the cache is read (--fast), nobody is asked again (--retry-unreadable); leave out "
                "one of the two"
            )
        if self.language is not None and not LANGUAGE.fullmatch(str(self.language)):
            problems.append(
                f"language must be a code such as de or pt-BR, got {self.language!r:.80}"
            )
        problems += [
            f"a cost is bounded, but no price of {name!r} is known; give it in dollars for a million "
            "tokens: price = [of prompts, of replies], or --price"
            for name in names
            if dollars is not None and name not in self.prices
        ]
        if problems:
            raise PlanError(problems)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(judge.name for judge in self.judges)

    @property
    def managed(self) -> "tuple[ManagedJudge, ...]":
        """The judges with all that a run needs of them."""
        from ragauge.judges.managed import managed

        return tuple(map(managed, self.judges))

    def check_keys(self) -> None:
        """Raise JudgeError if a judge's key is missing, before any work."""
        for judge in self.managed:
            judge.check_key()

    def close(self) -> None:
        """Close the connections of judges behind endpoints."""
        for judge in self.managed:
            judge.close_connections()

    def sessions(self, cache: str | Path | None) -> "Mapping[str, JudgeSession]":
        """A session for each judge, by name; replies are kept in the file, or in memory without one."""
        from ragauge.calls.budget import Budget
        from ragauge.judges.prompts import Prompts
        from ragauge.judges.protocol import reply_ledger
        from ragauge.judges.session import WINDOW_TOKENS, JudgeSession

        if not self.judges:
            return {}
        ledger = reply_ledger(":memory:" if cache is None else cache)
        prompts = Prompts(self.prompts, language=self.language)
        if self.mode == "ask":
            self.check_keys()
        return {
            judge.name: JudgeSession(
                judge,
                ledger=ledger,
                prompts=prompts,
                budget=Budget(self.max_calls, self.max_cost_usd, self.prices.get(judge.name)),
                mode=self.mode,
                window=self.window or WINDOW_TOKENS,
            )
            for judge in self.judges
        }

    @classmethod
    def read(
        cls,
        table: Mapping[str, object],
        *,
        mode: "Mode" = "ask",
        retry_unreadable: bool = False,
        record: Path | None = None,
    ) -> "JudgeConfig":
        """The settings of a configuration's table. `record`: also write the replies to this file.

        JudgeError or PlanError if a judge cannot be opened.
        """
        from ragauge.calls.budget import Price, list_price
        from ragauge.judges.providers.factory import open_judge
        from ragauge.judges.providers.scripted import RecordingJudge

        models = table.get("model")
        if models is None:
            raise PlanError("the judge has settings, but no model; add model, or --judge MODEL")
        names = cast(Sequence[str], [models] if isinstance(models, str) else models)
        own = {name: table[name] for name in ENDPOINT_KEYS if name in table}
        judges = [open_judge(name, **({} if name.startswith("replay:") else own)) for name in names]
        if record is not None and len(judges) > 1:
            raise PlanError("one judge can be recorded at a time, and several are given")
        recorded = [judge if record is None else RecordingJudge(judge, record) for judge in judges]
        others = {name: table[name] for name in OTHER_KEYS if name in table}
        given = cast(Sequence[float] | None, others.pop("price", None))
        listed = {judge.name: list_price(judge.name) for judge in judges}
        prices = {name: found[0] for name, found in listed.items() if found is not None}
        if given is not None:
            is_number = [isinstance(it, int | float) for it in cast(Sequence[object], given)]
            if is_number != [True, True] or not all(0 <= number < math.inf for number in given):
                raise PlanError(
                    "price must be two numbers, dollars for a million tokens of prompts and of "
                    f"replies, got {given!r:.80}"
                )
            prices = dict.fromkeys(listed, Price(*given))
        return cls(
            tuple(recorded),
            mode=mode,
            prices=prices,
            retry_unreadable=retry_unreadable,
            **others,  # pyright: ignore[reportArgumentType]
        )


def judge_config_of(
    judge: "JudgeLike | Sequence[JudgeLike] | JudgeConfig | None",
) -> JudgeConfig:
    """The configuration of these judges, opened; raises JudgeError or PlanError."""
    if judge is None:
        return JudgeConfig()
    if isinstance(judge, JudgeConfig):
        return judge
    from ragauge.judges.providers.factory import open_judge

    judges = cast("Sequence[JudgeLike]", judge if isinstance(judge, list | tuple) else [judge])
    return JudgeConfig(tuple(map(open_judge, judges)))
