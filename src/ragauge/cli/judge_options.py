"""The options that choose the judges and limit what they cost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from ragauge.cli.finite_range import FiniteRange
from ragauge.cli.option_group import option_group


class Price(click.ParamType[tuple[float, float]]):
    """Two prices in dollars: IN,OUT."""

    name = "IN,OUT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, float]:
        try:
            prompts, replies = (float(price) for price in str(value).split(","))
        except ValueError:
            self.fail(f"expected two numbers as in 0.15,0.60, got {value!r}", param, ctx)
        return prompts, replies


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Judges, their endpoint and their limits."""

    judges: tuple[str, ...]
    judge_url: str | None
    judge_key: str | None
    max_cost: float | None
    max_calls: int | None
    price: tuple[float, float] | None

    def table(self, **others: object) -> dict[str, object]:
        """These options and others as a configuration's table `[judge]`, without those not given."""
        table: dict[str, object] = {
            "model": list(self.judges) or None,
            "base_url": self.judge_url,
            "api_key_env": self.judge_key,
            "max_cost_usd": self.max_cost,
            "max_calls": self.max_calls,
            "price": list(self.price) if self.price else None,
            **others,
        }
        return {name: value for name, value in table.items() if value is not None}


def judge_options(*, required: bool = False) -> Callable[[Any], Any]:
    """Adds `--judge`, `--judge-url`, `--judge-key` and the limits; the command takes them as `judging`."""
    return option_group(
        "judging",
        JudgeOptions,
        (
            click.option(
                "--judge",
                "judges",
                multiple=True,
                required=required,
                metavar="MODEL",
                help="Judge model behind an OpenAI-compatible endpoint, or replay:FILE for recorded "
                "replies. Repeat it for several judges.",
            ),
            click.option(
                "--judge-url", metavar="URL", help="Endpoint of the judge.  [default: OpenAI]"
            ),
            click.option(
                "--judge-key",
                metavar="VARIABLE",
                help="Environment variable with the judge's API key.",
            ),
            click.option(
                "--max-cost",
                type=FiniteRange(min=0, min_open=True),
                help="Most dollars to spend on each judge.",
            ),
            click.option(
                "--max-calls",
                type=click.IntRange(min=1),
                help="Most calls to make to each judge.",
            ),
            click.option(
                "--price",
                type=Price(),
                help="Price in dollars per million tokens: prompt,completion.",
            ),
        ),
    )
