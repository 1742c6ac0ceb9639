"""The options of commands; options that belong together are one group, given to a command as one object."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from ragauge.asking.http import EndpointOptions
    from ragauge.judges.config import JudgeConfig
    from ragauge.loaders.conflicts import Prefer

Command = TypeVar("Command", bound=Callable[..., Any])


def option_group(
    parameter: str, kind: type[Any], options: Sequence[Callable[[Any], Any]]
) -> Callable[[Command], Command]:
    """Add options to a command, which takes their values as one object of the dataclass `kind`.

    The options have the names of the dataclass's fields; the command has the parameter `parameter`.
    """
    names = [field.name for field in fields(kind)]

    def add(command: Command) -> Command:
        @wraps(command)
        def grouped(**values: object) -> object:
            group = kind(**{name: values.pop(name) for name in names})
            return command(**values, **{parameter: group})

        decorated: Any = grouped
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return add


class Pair(click.ParamType[tuple[str, str]]):
    """A pair such as NAME=VALUE."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, rest = str(value).partition("=")
        if not (name and equals and rest):
            self.fail(f"expected {self.name}, got {value!r}", param, ctx)
        return name, rest


def pairs_once(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """The pairs by name; UsageError for a duplicate name.

    >>> pairs_once([("answer", "response")], "field")
    {'answer': 'response'}
    """
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"{what} {name!r} is given twice")
    return dict(pairs)


class FiniteRange(click.FloatRange):
    """A number in a range. click's own type accepts nan, which is in no range."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(cast("float", value), param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How files are read as samples."""

    gold: Path | None
    prefer: "Prefer | None"
    by_place: bool
    mapping: tuple[tuple[str, str], ...]

    @property
    def map(self) -> dict[str, str]:
        """The column to read as each field; UsageError for a field given twice."""
        return pairs_once(self.mapping, "field")

    @property
    def any_given(self) -> bool:
        return bool(self.gold or self.prefer or self.by_place or self.mapping)


source_options = option_group(
    "reading",
    SourceOptions,
    (
        click.option(
            "--gold",
            type=click.Path(path_type=Path),
            help="File with the expected answers, joined by id, or by question where there is no id.",
        ),
        click.option(
            "--prefer",
            type=click.Choice(("gold", "answers", "first")),
            help="Value to use where sources disagree on a question or its gold.",
        ),
        click.option(
            "--by-place",
            is_flag=True,
            help="Pair the n-th rows of all files, not rows of the same id.",
        ),
        click.option(
            "--map",
            "mapping",
            multiple=True,
            type=Pair("FIELD=COLUMN"),
            help="Read COLUMN as FIELD, e.g. answer=response; answer=a,b for two systems. Repeatable.",
        ),
    ),
)
"""Adds `--gold`, `--prefer`, `--by-place` and `--map`; the command takes them as `reading`."""


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


@dataclass(frozen=True, slots=True)
class PromptedJudgeOptions(JudgeOptions):
    """Judges with their prompts and the cache of their replies."""

    prompts: Path | None
    language: str | None
    cache: str | None

    def config(self) -> "JudgeConfig | None":
        """The judges; None if none is given."""
        from ragauge.judges.config import JudgeConfig

        prompts = self.prompts and str(self.prompts)
        table = self.table(prompts=prompts, language=self.language)
        return JudgeConfig.read(table) if self.judges else None


def judge_options(*, required: bool = False) -> Callable[[Any], Any]:
    """Adds `--judge`, `--judge-url`, `--judge-key` and the limits; the command takes them as `judging`."""
    return option_group("judging", JudgeOptions, _judge_options(required=required))


def prompted_judge_options() -> Callable[[Any], Any]:
    """`judge_options` with `--prompts`, `--language` and `--cache`."""
    return option_group(
        "judging",
        PromptedJudgeOptions,
        (
            *_judge_options(required=False),
            click.option(
                "--prompts",
                type=click.Path(path_type=Path),
                help="Folder with your own prompts.",
            ),
            click.option(
                "--language",
                metavar="XX",
                help="Language of the judge's prompts: de, es, fr or zh.",
            ),
            click.option(
                "--cache",
                metavar="FILE",
                help="Cache of replies, or 'none'.  [default: ragauge-runs/cache.sqlite]",
            ),
        ),
    )


def _judge_options(*, required: bool) -> tuple[Callable[[Any], Any], ...]:
    return (
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
    )


class NamedTarget(click.ParamType[str]):
    """A system with its name before it: NAME=TARGET."""

    name = "NAME=TARGET"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        if not NAMED.fullmatch(str(value)):
            self.fail(f"expected NAME=TARGET as in small=app.py:small, got {value!r}", param, ctx)
        return str(value)


class Values(click.ParamType[tuple[str, list[object]]]):
    """A setting with its values: NAME=A,B. Numbers, true, false and null are read as such."""

    name = "NAME=A,B"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, list[object]]:
        name, equals, rest = str(value).partition("=")
        if not (name and equals and rest):
            self.fail(f"expected NAME=A,B as in top_k=3,10, got {value!r}", param, ctx)
        return name, [_scalar(text) for text in rest.split(",")]


def _scalar(text: str) -> object:
    """A number, true, false or null as such; anything else as text."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value if value is None or isinstance(value, int | float) else text


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The systems to ask, and how."""

    targets: tuple[str, ...]
    urls: tuple[str, ...]
    chats: tuple[str, ...]
    shells: tuple[str, ...]
    vary: tuple[tuple[str, list[object]], ...]
    concurrency: int
    timeout: float
    retries: int
    again: bool
    method: str
    headers: tuple[tuple[str, str], ...]
    body: str | None
    read: tuple[tuple[str, str], ...]
    base_url: str | None
    key: str
    prompt: Path | None
    stream: bool
    version: str

    @property
    def by_name(self) -> dict[str, str]:
        """The targets by system, as `rg.ask` takes them; UsageError for a duplicate name."""
        if not (self.targets or self.urls or self.chats or self.shells):
            return {}  # without importing what asks them
        from ragauge.asking.opening import CHAT, SHELL, name_of

        pairs: list[tuple[str, str]] = []
        given = {"": (*self.targets, *self.urls), CHAT: self.chats, SHELL: self.shells}
        for kind, texts in given.items():
            for text in texts:
                named = NAMED.fullmatch(text) if kind != SHELL else None
                target = kind + (named[2] if named else text)
                pairs.append((named[1] if named else name_of(target), target))
        return pairs_once(pairs, "system")

    def endpoint(self) -> "EndpointOptions":
        """How endpoints are asked; UsageError for a file that cannot be read."""
        from ragauge.asking.http import BODY, EndpointOptions

        body = BODY if self.body is None else self.body
        if not body.lstrip().startswith(("{", "[")):
            body = _text_of(Path(body), "--body")
        return EndpointOptions(
            self.method,
            pairs_once(self.headers, "header"),
            body,
            pairs_once(self.read, "field"),
            self.version,
            self.base_url,
            self.key,
            "{question}" if self.prompt is None else _text_of(self.prompt, "--prompt"),
            self.stream,
        )

    @classmethod
    def given(cls) -> list[str]:
        """The options of this group that the command line has."""
        context = click.get_current_context()
        names = {field.name for field in fields(cls)}
        return [
            each.opts[0]
            for each in context.command.params
            if each.name in names
            and context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
        ]


MAX_PROMPT_BYTES = 10_000_000


def _text_of(path: Path, option: str) -> str:
    from ragauge.storage.regular_file import read_regular

    try:
        return read_regular(path, MAX_PROMPT_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{option} {path}: cannot be read: {error}") from None


NAMED = re.compile(r"([\w.+ -]+)=(.+)", re.DOTALL)
"""A target with the name of its system; a URL has a colon before its first =."""

ask_options = option_group(
    "asking",
    AskOptions,
    (
        click.option(
            "--target",
            "targets",
            multiple=True,
            metavar="[NAME=]TARGET",
            help="System to ask: app.py:function or package.module:function. Repeat it for several.",
        ),
        click.option("--url", "urls", multiple=True, help="HTTP endpoint to ask. Repeatable."),
        click.option(
            "--chat",
            "chats",
            multiple=True,
            metavar="MODEL",
            help="Model behind an OpenAI-compatible endpoint to ask. Repeatable.",
        ),
        click.option(
            "--shell",
            "shells",
            multiple=True,
            metavar="COMMAND",
            help="Command to ask: it reads one JSON line, and writes JSON or text. Repeatable.",
        ),
        click.option(
            "--vary",
            multiple=True,
            type=Values(),
            help="Ask with each value of a setting, as systems of their own: top_k=3,10. Repeatable.",
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(min=1),
            default=8,
            show_default=True,
            help="Most questions asked of a target at once; fewer while it refuses.",
        ),
        click.option(
            "--timeout",
            type=FiniteRange(min=0, min_open=True),
            default=120.0,
            show_default=True,
            metavar="SECONDS",
            help="Most seconds for one answer.",
        ),
        click.option(
            "--retries",
            type=click.IntRange(min=0),
            default=2,
            show_default=True,
            help="How often an answer that failed or timed out is asked for again.",
        ),
        click.option("--again", is_flag=True, help="Ask again what is answered already."),
        click.option(
            "--method", default="POST", show_default=True, help="Method of --url: POST, PUT or GET."
        ),
        click.option(
            "--header",
            "headers",
            multiple=True,
            type=Pair("NAME=VARIABLE"),
            help="Header of --url; its value is in an environment variable. Repeatable.",
        ),
        click.option(
            "--body",
            metavar="JSON|FILE",
            help="JSON that --url gets, with {question} and other fields.  "
            '[default: {"question": "{question}"}]',
        ),
        click.option(
            "--read",
            multiple=True,
            type=Pair("FIELD=POINTER"),
            help="JSON pointer to a field in the reply: answer=/data/text, contexts=/docs/*/text. "
            "Repeatable.  [default: the reply has our names, or those of a known tool]",
        ),
        click.option("--base-url", metavar="URL", help="Endpoint of --chat.  [default: OpenAI]"),
        click.option(
            "--key",
            metavar="VARIABLE",
            default="OPENAI_API_KEY",
            show_default=True,
            help="Environment variable with the API key of --chat.",
        ),
        click.option(
            "--prompt",
            type=click.Path(path_type=Path),
            help="File with the prompt of --chat, with {question} and {contexts}.",
        ),
        click.option(
            "--stream",
            is_flag=True,
            help="Ask --chat for its reply in parts, to know the time to the first one.",
        ),
        click.option(
            "--version",
            default="",
            metavar="LABEL",
            help="What is deployed; with another label everything is asked again.",
        ),
    ),
)
"""Adds `--target`, `--url` and other systems, `--vary` and the limits of asking; the command takes them as `asking`."""


class Reading(TypedDict):
    """How `calibrate` reads labels."""

    map: Mapping[str, str | Sequence[str]]
    yes: Sequence[str]
    yes_from: float | None
    skip: Sequence[str]


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """How people's labels are read."""

    mapping: tuple[tuple[str, str], ...]
    yes: tuple[str, ...]
    yes_from: float | None
    skip: tuple[str, ...]

    def reading(self) -> Reading:
        """The arguments of `calibrate`; several columns of labels are separated by commas."""
        columns: dict[str, str | Sequence[str]] = {
            field: names.split(",") if field == "value" and "," in names else names
            for field, names in pairs_once(self.mapping, "field").items()
        }
        return {"map": columns, "yes": self.yes, "yes_from": self.yes_from, "skip": self.skip}

    def typed_again(self) -> list[str]:
        """The options as a user types them."""
        options = [
            part for field, column in self.mapping for part in ("--map", f"{field}={column}")
        ]
        options += [part for word in self.yes for part in ("--yes", word)]
        options += [] if self.yes_from is None else ["--yes-from", f"{self.yes_from:g}"]
        return options + [part for word in self.skip for part in ("--skip", word)]


label_options = option_group(
    "reading",
    LabelOptions,
    (
        click.option(
            "--map",
            "mapping",
            multiple=True,
            type=Pair("FIELD=COLUMN"),
            help="Read COLUMN as id, system, rater, metric or value; value=A,B reads a column per rater.",
        ),
        click.option(
            "--yes",
            multiple=True,
            metavar="WORD",
            help="Label that means yes; all others mean no.",
        ),
        click.option(
            "--yes-from", type=float, metavar="GRADE", help="Grades from this one on mean yes."
        ),
        click.option(
            "--skip", multiple=True, metavar="WORD", help="Label that says nothing: unsure."
        ),
    ),
)
"""Adds `--map`, `--yes`, `--yes-from` and `--skip`; the command takes them as `reading`."""
