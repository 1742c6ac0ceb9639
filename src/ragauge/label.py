"""Labels: how a metric with its settings is written, and how that text is parsed.

label    = name [ "(" setting { "," setting } ")" ] [ "@" k ]
name     = word [ ":" word ]            for example  ragas:faithfulness
setting  = word "=" value               value is JSON; 'single quotes' are accepted too
k        = whole number                 short for the setting k
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, cast

from ragauge.errors import LabelError

if TYPE_CHECKING:
    from json import JSONDecoder

SettingValue = str | int | float | bool | None | tuple[object, ...] | Mapping[str, object]

NAME = re.compile(r"[A-Za-z_][\w.]*(?::[A-Za-z_][\w.]*)?", re.ASCII)
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
CUT_OFF = re.compile(r"@(\d{1,9})", re.ASCII)
SINGLE_QUOTED = re.compile(r"'([^'\\]*)'")
CONSTANT = re.compile("True|False|None")
EQUALS, CLOSING, SEPARATOR, NOTHING = map(re.compile, ("=", r"\)", "[,)]", ""))
PRECISIONS = ("fp32", "fp16", "bf16", "int8")
_PRECISION = re.compile(
    r"\(P\)|,P|(?<=\()P,".replace("P", f'precision="(?:{"|".join(PRECISIONS)})"')
)
MAX_LENGTH = 4_000
MAX_DEPTH = 20


def without_precision(text: str) -> str:
    """A label without an encoder's precision, which earlier versions put into labels."""
    return _PRECISION.sub("", text)


def without_settings(text: str, names: Collection[str]) -> str:
    """A label without these settings; a text that is no label, as the name of a check may be, as it is."""
    try:
        return str(Label.parse(text).without(names))
    except LabelError:
        return text


def outside_brackets(separator: str, text: str) -> list[str]:
    """The parts of a text between separators, a pattern, that are not within round brackets.

    Text that a closing bracket follows before the next opening one is within brackets. Takes linear time.
    """
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    for sign in re.finditer(rf"[()]|{separator}", text):
        if sign[0] not in "()":
            waiting.append(sign.span())
            continue
        found += waiting if sign[0] == "(" else []
        waiting = []
    found += waiting
    starts, ends = [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)  # equal as `__eq__` says
class Label:
    """A metric's name and its settings; `str` gives a text that parses back to the same label.

    >>> str(Label.parse('ndcg( discount="reciprocal", ideal="all" )@10'))
    'ndcg(discount="reciprocal",ideal="all")@10'
    """

    name: str
    settings: Mapping[str, SettingValue] = field(default_factory=dict[str, SettingValue])

    def __str__(self) -> str:
        import json

        cut_off, inside = "", list[str]()
        for name, value in self.settings.items():
            if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
                value = int(value)
            # After the @ is a whole number as CUT_OFF matches it.
            if name == "k" and type(value) is int and 0 <= value < 10**9:
                cut_off = f"@{value}"
                continue
            inside.append(f"{name}={json.dumps(value, ensure_ascii=False, separators=(',', ':'))}")
        return f"{self.name}({','.join(inside)}){cut_off}" if inside else f"{self.name}{cut_off}"

    def __eq__(self, other: object) -> bool:
        # Of subclasses too: a MetricLabel equals the label that it prints.
        if not isinstance(other, Label):
            return NotImplemented
        return self.name == other.name and dict(self.settings) == dict(other.settings)

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self.settings)))

    def without(self, names: Collection[str]) -> "Label":
        """The label without these settings."""
        return Label(self.name, {k: v for k, v in self.settings.items() if k not in names})

    @classmethod
    def parse(cls, text: str) -> "Label":
        """Parse a label; LabelError gives the position of the first error."""
        label, end = cls.read(text)
        if end < len(text):
            raise LabelError(f"metric label {text!r}: unexpected text at character {end + 1}")
        return label

    @classmethod
    def read(cls, text: str, at: int = 0) -> "tuple[Label, int]":
        """Parse the label that begins at a place of the text; also the place after it and its spaces."""
        if len(text) - at > MAX_LENGTH:
            raise LabelError(f"a metric label has at most {MAX_LENGTH} characters, got {len(text)}")

        def error(what: str) -> LabelError:
            return LabelError(f"metric label {text!r}: {what} at character {at + 1}")

        def match(pattern: re.Pattern[str]) -> re.Match[str] | None:
            """What matches after any spaces."""
            nonlocal at
            while text[at : at + 1].isspace():
                at += 1
            if found := pattern.match(text, at):
                at = found.end()
            return found

        def value() -> SettingValue:
            nonlocal at
            if quoted := match(SINGLE_QUOTED):
                return quoted[1]
            if constant := match(CONSTANT):
                return {"True": True, "False": False, "None": None}[constant[0]]
            try:
                found, at = _json_decoder().raw_decode(text, at)
            except (ValueError, RecursionError):
                raise error('expected a value such as 3, true, "text" or [1,2]') from None
            return frozen(found)

        if not (name := match(NAME)):
            raise error("expected a metric name")
        settings: dict[str, SettingValue] = {}
        if text.startswith("(", at):
            at += 1
            is_open = not match(CLOSING)
            while is_open:
                if not (setting := match(WORD)):
                    raise error("expected the name of a setting")
                if setting[0] in settings:
                    raise error(f"setting {setting[0]!r} is given twice")
                if not match(EQUALS):
                    raise error(f"expected '=' after {setting[0]!r}")
                settings[setting[0]] = value()
                if not (sign := match(SEPARATOR)):
                    raise error("expected ',' or ')'")
                is_open = sign[0] == ","
        if cut := CUT_OFF.match(text, at):
            if "k" in settings:
                raise error("k is given twice")
            at, settings["k"] = cut.end(), int(cut[1])
        match(NOTHING)
        return Label(name[0], settings), at


@cache
def _json_decoder() -> "JSONDecoder":
    from json import JSONDecoder

    def finite(digits: str) -> float:  # NaN and infinity, too
        if not math.isfinite(number := float(digits)):
            raise ValueError(digits)
        return number

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(table := dict(pairs)) < len(pairs):
            raise ValueError("duplicate key")
        return table

    return JSONDecoder(parse_constant=finite, parse_float=finite, object_pairs_hook=distinct)


def frozen(value: object, depth: int = 0) -> SettingValue:
    """The value as a setting, with lists as tuples; LabelError if it is not JSON data or nested too deeply."""
    if depth > MAX_DEPTH:
        raise LabelError(f"a setting is nested deeper than {MAX_DEPTH}")
    if isinstance(value, list | tuple):
        return tuple(frozen(item, depth + 1) for item in cast(Sequence[object], value))
    if isinstance(value, dict):
        items = cast(dict[str, object], value).items()
        return {key: frozen(item, depth + 1) for key, item in items}
    if value is None or isinstance(value, str | int | float):
        return value
    raise LabelError(f"cannot use {value!r} as a setting")
