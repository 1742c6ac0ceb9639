"""Ranges of finite numbers."""

import math
from typing import cast

import click


class FiniteRange(click.FloatRange):
    """A number in a range. click's own type accepts nan, which is in no range."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(cast("float", value), param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number
