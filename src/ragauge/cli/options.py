"""Groups of options: declared once, and given to each command that has them as one object."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click
from click.core import ParameterSource

from ragauge.cli.declare import option
from ragauge.errors import PlanError
from ragauge.storage.regular_file import is_file

if TYPE_CHECKING:
    from ragauge.asking.http import EndpointOptions
    from ragauge.judges.config import JudgeConfig

MAX_PROMPT_BYTES = 10_000_000
NAMED = re.compile(r"([\w.+ -]+)=(.+)", re.DOTALL)
"""A target with the name of its system; a URL has a colon before its first =."""


class Text(click.ParamType[Any]):
    """What a text is read as; `read` raises ValueError for one that does not look like `expected`."""

    def __init__(self, name: str, expected: str, read: Callable[[str], object]) -> None:
        self.name, self.expected, self.read = name, expected, read

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        try:
            return self.read(str(value))
        except ValueError:
            self.fail(f"expected {self.expected}, got {value!r}", param, ctx)


def _pair(text: str) -> tuple[str, str]:
    name, equals, rest = text.partition("=")
    if not (name and equals and rest):
        raise ValueError
    return name, rest


def _values(text: str) -> tuple[str, list[object]]:
    """A name and its values: a number, true, false or null as such, anything else as text."""
    name, rest = _pair(text)
    values = cast("list[object]", rest.split(","))
    for at, each in enumerate(rest.split(",")):
        with suppress(ValueError):
            value: object = json.loads(each)
            values[at] = value if value is None or isinstance(value, int | float) else each
    return name, values


def _prices(text: str) -> tuple[float, float]:
    prompts, replies = map(float, text.split(","))
    return prompts, replies


def _named(text: str) -> str:
    if not NAMED.fullmatch(text):
        raise ValueError
    return text


def pair(name: str) -> Text:
    """A pair such as NAME=VALUE."""
    return Text(name, name, _pair)


PRICE = Text("IN,OUT", "two numbers as in 0.15,0.60", _prices)
VALUES = Text("NAME=A,B", "NAME=A,B as in top_k=3,10", _values)
NAMED_TARGET = Text("NAME=TARGET", "NAME=TARGET as in small=app.py:small", _named)


def pairs_once(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """The pairs by name; UsageError for a duplicate name.

    >>> pairs_once([("answer", "response")], "field")
    {'answer': 'response'}
    """
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(f"{what} {twice[0]!r} is given twice")
    return dict(pairs)


PLUGINS = option("Python file that defines metrics; ragauge executes it. Repeatable.", "--plugin")
THRESHOLDS = option(
    "Value from which a metric's verdict is yes.  [default: the middle of its scale]",
    "--threshold",
    type=pair("METRIC=VALUE"),
)


def import_plugins(files: Sequence[Path]) -> None:
    """Execute the files that define metrics; PlanError when one fails."""
    from ragauge.plugins import import_file

    for file in dict.fromkeys(files):
        if file.suffix != ".py" or not is_file(file):
            how = "--plugin takes a .py file that defines metrics"
            raise PlanError(f"{file}: not a Python file; {how}")
        try:
            import_file(file, "ragauge_plugin")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin may raise anything; name its file
            what = f"importing the plugin raised {type(error).__name__}: {error}; fix the file"
            raise PlanError(f"{file}: {what}") from error


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How files are read as samples."""

    gold: Path | None = option(
        "File with the expected answers, joined by id, or by question where there is no id."
    )
    prefer: Literal["gold", "answers", "first"] | None = option(
        "Value to use where sources disagree on a question or its gold."
    )
    by_place: bool = option("Pair the n-th rows of all files, not rows of the same id.")
    mapping: tuple[tuple[str, str], ...] = option(
        "Read COLUMN as FIELD, e.g. answer=response; answer=a,b for two systems. Repeatable.",
        "--map",
        type=pair("FIELD=COLUMN"),
    )

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of `load`, which a configuration has by the same names; UsageError for a field given twice."""
        own = {name: getattr(self, name) for name in ("gold", "prefer", "by_place")}
        return own | {"map": pairs_once(self.mapping, "field")}


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Judges, their endpoint and their limits."""

    judges: tuple[str, ...] = option(
        "Judge model behind an OpenAI-compatible endpoint, or replay:FILE for recorded replies. "
        "Repeat it for several judges.",
        "--judge",
        metavar="MODEL",
    )
    judge_url: str | None = option("Endpoint of the judge.  [default: OpenAI]", metavar="URL")
    judge_key: str | None = option(
        "Environment variable with the judge's API key.", metavar="VARIABLE"
    )
    max_cost: float | None = option("Most dollars to spend on each judge.", min=0, min_open=True)
    max_calls: int | None = option("Most calls to make to each judge.", min=1)
    price: tuple[float, float] | None = option(
        "Price in dollars per million tokens: prompt,completion.", type=PRICE
    )

    def table(self, **others: object) -> dict[str, object]:
        """These options and others as a configuration's table `[judge]`, without those not given."""
        return given(
            model=list(self.judges) or None,
            base_url=self.judge_url,
            api_key_env=self.judge_key,
            max_cost_usd=self.max_cost,
            max_calls=self.max_calls,
            price=list(self.price) if self.price else None,
            **others,
        )


@dataclass(frozen=True, slots=True)
class PromptedJudgeOptions(JudgeOptions):
    """Judges with their prompts and the cache of their replies."""

    prompts: Path | None = option("Folder with your own prompts.")
    language: str | None = option(
        "Language of the judge's prompts: de, es, fr or zh.", metavar="XX"
    )
    cache: str | None = option(
        "Cache of replies, or 'none'.  [default: ragauge-runs/cache.sqlite]", metavar="FILE"
    )

    def config(self) -> "JudgeConfig | None":
        """The judges; None if none is given."""
        from ragauge.judges.config import JudgeConfig

        prompts = self.prompts and str(self.prompts)
        table = self.table(prompts=prompts, language=self.language)
        return JudgeConfig.read(table) if self.judges else None


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The systems to ask, and how."""

    targets: tuple[str, ...] = option(
        "System to ask: app.py:function or package.module:function. Repeat it for several.",
        "--target",
        metavar="[NAME=]TARGET",
    )
    urls: tuple[str, ...] = option("HTTP endpoint to ask. Repeatable.", "--url")
    chats: tuple[str, ...] = option(
        "Model behind an OpenAI-compatible endpoint to ask. Repeatable.", "--chat", metavar="MODEL"
    )
    shells: tuple[str, ...] = option(
        "Command to ask: it reads one JSON line, and writes JSON or text. Repeatable.",
        "--shell",
        metavar="COMMAND",
    )
    vary: tuple[tuple[str, list[object]], ...] = option(
        "Ask with each value of a setting, as systems of their own: top_k=3,10. Repeatable.",
        type=VALUES,
    )
    concurrency: int = option(
        "Most questions asked of a target at once; fewer while it refuses.", default=8, min=1
    )
    timeout: float = option(
        "Most seconds for one answer.", default=120.0, min=0, min_open=True, metavar="SECONDS"
    )
    retries: int = option(
        "How often an answer that failed or timed out is asked for again.", default=2, min=0
    )
    again: bool = option("Ask again what is answered already.")
    method: str = option("Method of --url: POST, PUT or GET.", default="POST")
    headers: tuple[tuple[str, str], ...] = option(
        "Header of --url; its value is in an environment variable. Repeatable.",
        "--header",
        type=pair("NAME=VARIABLE"),
    )
    body: str | None = option(
        "JSON that --url gets, with {question} and other fields.  "
        '[default: {"question": "{question}"}]',
        metavar="JSON|FILE",
    )
    read: tuple[tuple[str, str], ...] = option(
        "JSON pointer to a field in the reply: answer=/data/text, contexts=/docs/*/text. "
        "Repeatable.  [default: the reply has our names, or those of a known tool]",
        type=pair("FIELD=POINTER"),
    )
    base_url: str | None = option("Endpoint of --chat.  [default: OpenAI]", metavar="URL")
    key: str = option(
        "Environment variable with the API key of --chat.",
        default="OPENAI_API_KEY",
        metavar="VARIABLE",
    )
    prompt: Path | None = option("File with the prompt of --chat, with {question} and {contexts}.")
    stream: bool = option("Ask --chat for its reply in parts, to know the time to the first one.")
    version: str = option(
        "What is deployed; with another label everything is asked again.",
        default="",
        metavar="LABEL",
    )

    @property
    def by_name(self) -> dict[str, str]:
        """The targets by system, as `rg.ask` takes them; UsageError for a duplicate name."""
        if not (self.targets or self.urls or self.chats or self.shells):
            return {}  # without importing what asks them
        from ragauge.asking.ask import CHAT, SHELL, name_of

        pairs: list[tuple[str, str]] = []
        kinds = {"": (*self.targets, *self.urls), CHAT: self.chats, SHELL: self.shells}
        for kind, texts in kinds.items():
            for text in texts:
                named = NAMED.fullmatch(text) if kind != SHELL else None
                target = kind + (named[2] if named else text)
                pairs.append((named[1] if named else name_of(target), target))
        return pairs_once(pairs, "system")

    def endpoint(self) -> "EndpointOptions":
        """How endpoints are asked; UsageError for a file that cannot be read."""
        from ragauge.asking.http import BODY, EndpointOptions
        from ragauge.storage.regular_file import read_regular

        def text_of(path: Path, name: str) -> str:
            try:
                return read_regular(path, MAX_PROMPT_BYTES).decode("utf-8")
            except (OSError, ValueError) as error:
                raise click.UsageError(f"{name} {path}: cannot be read: {error}") from None

        body = BODY if self.body is None else self.body
        if not body.lstrip().startswith(("{", "[")):
            body = text_of(Path(body), "--body")
        prompt = "{question}" if self.prompt is None else text_of(self.prompt, "--prompt")
        headers, read = pairs_once(self.headers, "header"), pairs_once(self.read, "field")
        return EndpointOptions(
            *(self.method, headers, body, read, self.version, self.base_url, self.key),
            *(prompt, self.stream),
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


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """How people's labels are read."""

    mapping: tuple[tuple[str, str], ...] = option(
        "Read COLUMN as id, system, rater, metric or value; value=A,B reads a column per rater.",
        "--map",
        type=pair("FIELD=COLUMN"),
    )
    yes: tuple[str, ...] = option("Label that means yes; all others mean no.", metavar="WORD")
    yes_from: float | None = option("Grades from this one on mean yes.", metavar="GRADE")
    skip: tuple[str, ...] = option("Label that says nothing: unsure.", metavar="WORD")

    def reading(self) -> dict[str, Any]:
        """The arguments of `calibrate` on how it reads labels; several columns of labels are separated by commas."""
        columns: dict[str, Any] = {**pairs_once(self.mapping, "field")}
        if "," in columns.get("value", ""):
            columns["value"] = columns["value"].split(",")
        return {"map": columns, "yes": self.yes, "yes_from": self.yes_from, "skip": self.skip}

    def typed_again(self) -> list[str]:
        """The options as a user types them."""
        typed = [("--map", "=".join(each)) for each in self.mapping]
        typed += [("--yes", word) for word in self.yes]
        typed += [] if self.yes_from is None else [("--yes-from", f"{self.yes_from:g}")]
        typed += [("--skip", word) for word in self.skip]
        return [part for each in typed for part in each]


def given(**options: object) -> dict[str, object]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def thresholds_of(pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The threshold of each metric; UsageError for one that is no number."""
    found: dict[str, float] = {}
    for name, value in pairs_once(pairs, "metric").items():
        try:
            found[name] = float(value)
        except ValueError:
            raise click.UsageError(f"--threshold {name}: {value!r} is not a number") from None
    return found
