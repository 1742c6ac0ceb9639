"""`@metric` and `@feature`: declare functions whose signatures say everything they need.

Parameters before the star are columns: fields of the sample, features, or (for composites) other
metrics. Keyword-only parameters without a default are resources (`judge`, `encoder`); those with a
default are settings. For a column named `reference`, the engine calls the function once per reference
and keeps the best score.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Literal, TypeVar, Union, cast, get_args, get_origin, overload

from ragauge.errors import DefinitionError, LabelError, did_you_mean
from ragauge.label import NAME, Label, SettingValue
from ragauge.score import Score
from ragauge.stats.aggregation import Aggregation
from ragauge.trust import Trust, trust_in

Function = TypeVar("Function", bound=Callable[..., object])
Aggregate = Callable[[Sequence[Sequence[float]]], Sequence[float]]
"""Maps rows of summed parts, (b, p), to one value per row, (b,)."""
SettingsCheck = Callable[[Mapping[str, SettingValue]], str | None]
"""Maps all settings to what is wrong with them; None if nothing is."""

NOTHING_EXPECTED = "nothing_expected"
"""Evidence key of a score whose reference expects nothing: scores of other references take precedence."""

RESOURCES = ("encoder", "judge")
Precision = Literal["fp32", "fp16", "bf16", "int8"]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on a setting, as in `Annotated[int, Constraint("an even number", is_even)]`."""

    description: str
    check: Callable[..., bool]


@dataclass(frozen=True, slots=True)
class Renamed:
    """Old spellings of a setting's values, still accepted: `Annotated[Literal["b"], Renamed({"a": "b"})]`."""

    values: Mapping[str, str]


def _is_count(value: int) -> bool:
    return value >= 1


def _is_share(value: float) -> bool:
    return 0 <= value <= 1


Count = Annotated[int, Constraint("a whole number of at least 1", _is_count)]
Share = Annotated[float, Constraint("a number from 0 to 1", _is_share)]


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter before the star.

    `nullable`: annotated `| None`; the function handles samples without the column itself.
    `takes_score`: annotated `Score`; the function receives that metric's score, whatever its status.
    """

    name: str
    nullable: bool = False
    takes_score: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """A keyword-only parameter with a default."""

    name: str
    default: SettingValue
    type: object

    def read(self, value: SettingValue) -> SettingValue:
        """The value converted to the setting's type; LabelError if it does not fit."""
        read = _read(self.type, value)
        if read is _UNREADABLE:
            raise LabelError(f"{self.name} must be {_type_name(self.type)}, got {value!r:.80}")
        return cast(SettingValue, read)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a function's signature declares: its columns, resources and settings."""

    name: str
    function: Callable[..., object]
    columns: tuple[Column, ...]
    resources: tuple[str, ...]
    settings: tuple[Setting, ...]
    batch: bool
    implied: tuple[str, ...] = ()
    """Settings that name a resource in the label; the function receives the resource instead."""
    corpus: bool = False
    prompts: tuple[str, ...] = ()
    """The names of the prompts that the function sends to a judge."""

    @property
    def defaults(self) -> dict[str, SettingValue]:
        return {setting.name: setting.default for setting in self.settings}

    @property
    def is_async(self) -> bool:
        """Whether the function is a coroutine: it is called for single rows, many at the same time."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def summary(self) -> str:
        """The docstring's first sentence."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    def read_settings(self, given: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
        """All settings, with defaults for those not given; LabelError names every invalid one."""
        return read_settings(self.name, self.settings, given)


def read_settings(
    owner: str, settings: Sequence[Setting], given: Mapping[str, SettingValue]
) -> dict[str, SettingValue]:
    """All `settings` of a metric or measure, with defaults for those not given.

    LabelError names every value of the wrong type and every setting that `owner` does not have.
    """
    known = {setting.name: setting for setting in settings}
    problems: list[str] = []
    values = {setting.name: setting.default for setting in settings}
    for name, value in given.items():
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            hint = did_you_mean(name, known) or f"; {has}"
            problems.append(f"{owner} has no setting {name!r}{hint}")
            continue
        try:
            values[name] = known[name].read(value)
        except LabelError as error:
            problems.append(f"{owner}: {error}")
    if problems:
        raise LabelError("\n".join(problems))
    return values


@dataclass(frozen=True, slots=True)
class Feature(Definition):
    """A column made from other columns, computed once for all metrics that name it.

    `corpus`: computed once from all rows of the run; every row gets the same value.
    """


@dataclass(frozen=True, slots=True)
class Metric(Definition):
    """A function from columns to a column of scores.

    `version` increases whenever a number changes. `low` and `high` bound all values (None: unbounded).
    `aggregate` says how the values of many rows are combined; a function computes it from the sums of
    the `parts` in the evidence.
    `check` reports settings that contradict each other, before anything is computed.
    """

    version: int = 1
    low: float | None = 0.0
    high: float | None = 1.0
    lower_is_better: bool = False
    aggregate: Aggregation | Aggregate = "mean"
    check: SettingsCheck | None = None

    @property
    def trust(self) -> Trust | None:
        """How far people agree with the metric, as measured; None if it was not measured."""
        return trust_in(self.name)

    def label(self, settings: Mapping[str, SettingValue]) -> Label:
        """The canonical label: the settings that differ from their default, in signature order."""
        changed = {
            setting.name: settings[setting.name]
            for setting in self.settings
            if setting.name in settings and settings[setting.name] != setting.default
        }
        return Label(self.name, changed)


PROMPTS = "prompts"
PARTS = "parts"
"""The setting of a composite that identifies its parts: a digest of the labels of parts with settings of
their own. The run fills it in; the function does not receive it."""
NAMING = {
    "encoder": (Setting("model", None, str | None), Setting("precision", "fp32", Precision)),
    "judge": (Setting("judge", None, str | None), Setting(PROMPTS, None, str | None)),
}
"""The settings by which a label names a resource; None means the run's default.

`prompts` is the digest of all prompts of a metric. Features do not have it, so that metrics with the same
prompts share them.
"""

METRICS: dict[str, Metric] = {}
"""Every metric declared in this process, by name."""
FEATURES: dict[str, Feature] = {}


@overload
def feature(function: Function, /) -> Function: ...
@overload
def feature(
    *, batch: bool = False, corpus: bool = False, prompts: Sequence[str] = ()
) -> Callable[[Function], Function]: ...
def feature(
    function: Function | None = None,
    /,
    *,
    batch: bool = False,
    corpus: bool = False,
    prompts: Sequence[str] = (),
) -> Function | Callable[[Function], Function]:
    """Declare a column computed from other columns; the function is returned unchanged.

    With `batch=True` the function takes one sequence per column and returns a sequence of the same
    length. With `corpus=True` it takes one iterable per column, sample fields only, with one cell
    per question of the run (not per system), and returns the one value that every row gets.
    `prompts` names the prompts it sends to a judge; such a function may be `async`, so that many rows
    wait at the same time. Raises DefinitionError if the signature is not that of a feature.
    """

    def declare(function: Function) -> Function:
        own = _signature(function)
        declared = Feature(
            own.name,
            function,
            own.columns,
            own.resources,
            tuple(setting for setting in own.settings if setting.name != PROMPTS),
            batch,
            own.implied,
            corpus,
            tuple(prompts),
        )
        _register(FEATURES, declared)
        return function

    return declare if function is None else declare(function)


@overload
def metric(function: Function, /) -> Function: ...
@overload
def metric(
    *,
    version: int = 1,
    batch: bool = False,
    low: float | None = 0.0,
    high: float | None = 1.0,
    lower_is_better: bool = False,
    aggregate: Aggregation | Aggregate = "mean",
    check: SettingsCheck | None = None,
    name: str | None = None,
    prompts: Sequence[str] = (),
) -> Callable[[Function], Function]: ...
def metric(
    function: Function | None = None,
    /,
    *,
    version: int = 1,
    batch: bool = False,
    low: float | None = 0.0,
    high: float | None = 1.0,
    lower_is_better: bool = False,
    aggregate: Aggregation | Aggregate = "mean",
    check: SettingsCheck | None = None,
    name: str | None = None,
    prompts: Sequence[str] = (),
) -> Function | Callable[[Function], Function]:
    """Declare a metric; the function is returned unchanged, so tests and users call it directly.

    It returns a float, a bool or a Score for each sample. Raises DefinitionError if the signature is
    not that of a metric, or if another function already has the name.
    """

    def declare(function: Function) -> Function:
        own = _signature(function)
        _register(
            METRICS,
            Metric(
                name or own.name,
                function,
                own.columns,
                own.resources,
                own.settings,
                batch,
                own.implied,
                prompts=tuple(prompts),
                version=version,
                low=low,
                high=high,
                lower_is_better=lower_is_better,
                aggregate=aggregate,
                check=check,
            ),
        )
        return function

    return declare if function is None else declare(function)


def is_nullable(annotation: object) -> bool:
    """Whether an annotation allows None, as a type or as text.

    >>> is_nullable(str | None), is_nullable("str | None"), is_nullable(str)
    (True, True, False)
    """
    if isinstance(annotation, str):
        return "None" in annotation
    return NoneType in _alternatives(annotation)


def _signature(function: Callable[..., object]) -> Definition:
    name = getattr(function, "__name__", "")
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:  # an annotation imported for the type checker only
        signature = inspect.signature(function)
    columns: list[Column] = []
    resources: list[str] = []
    settings: list[Setting] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.default is parameter.empty:
                resources.append(parameter.name)
            else:
                settings.append(read_setting(parameter))
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            columns.append(_column(parameter))
        else:
            raise DefinitionError(
                f"{name}: {parameter} is neither a column nor a setting; "
                "name each column before the star and each setting after it"
            )
    if unknown := [resource for resource in resources if resource not in RESOURCES]:
        raise DefinitionError(
            f"{name}: {unknown[0]!r} has no default, so it is a resource, but the resources are "
            f"{', '.join(RESOURCES)}; give a setting a default, or put a column before the star"
        )
    if not columns:
        raise DefinitionError(f"{name}: names no column; put at least one before the star")
    own = {setting.name for setting in settings}
    implied = [
        setting
        for resource in resources
        for setting in NAMING.get(resource, ())
        if setting.name not in own
    ]
    if any(column.takes_score for column in columns) and PARTS not in own:
        implied.append(Setting(PARTS, None, str | None))
    return Definition(
        name,
        function,
        tuple(columns),
        tuple(resources),
        (*settings, *implied),
        batch=False,
        implied=tuple(setting.name for setting in implied),
    )


def _column(parameter: inspect.Parameter) -> Column:
    annotation: object = parameter.annotation
    if parameter.default not in (parameter.empty, None):
        raise DefinitionError(
            f"{parameter.name} has the default {parameter.default!r} but is before the star; "
            "put it after `*` to make it a setting"
        )
    if annotation is parameter.empty:
        return Column(parameter.name, nullable=parameter.default is None)
    takes_score = Score in (annotation, *_alternatives(annotation)) or annotation == "Score"
    return Column(parameter.name, is_nullable(annotation), takes_score)


def read_setting(parameter: inspect.Parameter) -> Setting:
    """The setting that a keyword-only parameter with a default declares."""
    default = cast(SettingValue, parameter.default)
    annotation: object = parameter.annotation
    kind = type(default) if annotation is parameter.empty else annotation
    return Setting(parameter.name, default, kind)


Declared = TypeVar("Declared", Metric, Feature)


def _register(known: dict[str, Declared], definition: Declared) -> None:
    if not NAME.fullmatch(definition.name):
        raise DefinitionError(
            f"{definition.name!r} cannot be a name: use ASCII letters, digits and underscores"
        )
    if definition.is_async and (definition.batch or definition.corpus):
        raise DefinitionError(
            f"{definition.name} is async and takes many rows at once; an async function takes one row"
        )
    other = known.get(definition.name)
    if other is not None and _home(other) != _home(definition):
        raise DefinitionError(
            f"{_home(definition)} defines {definition.name!r}, which {_home(other)} already defines; "
            "choose another name"
        )
    known[definition.name] = definition


def _home(definition: Definition) -> str:
    return str(getattr(definition.function, "__module__", "?"))


def _alternatives(annotation: object) -> tuple[object, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else ()


_UNREADABLE = object()


def _read(kind: object, value: SettingValue) -> SettingValue | object:
    """The value converted to `kind`, or _UNREADABLE."""
    if alternatives := _alternatives(kind):
        readings = (_read(alternative, value) for alternative in alternatives)
        return next((reading for reading in readings if reading is not _UNREADABLE), _UNREADABLE)
    origin = get_origin(kind) or kind
    if origin is Annotated:
        return _read_annotated(kind, value)
    if origin is Literal:
        same = (choice for choice in get_args(kind) if choice == value)
        return value if any(type(choice) is type(value) for choice in same) else _UNREADABLE
    if kind is NoneType or kind is None:
        return None if value is None else _UNREADABLE
    if kind is bool or isinstance(value, bool):
        return value if kind is bool and isinstance(value, bool) else _UNREADABLE
    if kind is float:
        if isinstance(value, int | float) and abs(value) <= sys.float_info.max:
            return float(value)
        return _UNREADABLE
    if kind is int or kind is str:
        return value if isinstance(value, kind) else _UNREADABLE
    if origin in (tuple, Sequence):
        return _read_items(kind, value) if isinstance(value, tuple) else _UNREADABLE
    if origin in (Mapping, dict):
        return _read_table(kind, value) if isinstance(value, Mapping) else _UNREADABLE
    return value


def _read_annotated(kind: object, value: SettingValue) -> SettingValue | object:
    base, *marks = get_args(kind)
    for mark in marks:
        if isinstance(mark, Renamed) and isinstance(value, str):
            value = mark.values.get(value, value)
    read = _read(base, value)
    checks = [mark.check for mark in marks if isinstance(mark, Constraint)]
    is_valid = read is not _UNREADABLE and all(check(read) for check in checks)
    return read if is_valid else _UNREADABLE


def _read_items(kind: object, values: tuple[object, ...]) -> SettingValue | object:
    """The list with each item converted to the first type in the brackets."""
    if not get_args(kind):
        return values
    item = cast(object, get_args(kind)[0])
    read = tuple(_read(item, cast(SettingValue, value)) for value in values)
    return _UNREADABLE if _UNREADABLE in read else read


def _read_table(kind: object, table: Mapping[str, object]) -> SettingValue | object:
    """The table with each value converted to the last type in the brackets."""
    if not get_args(kind):
        return table
    item = cast(object, get_args(kind)[-1])
    read = {name: _read(item, cast(SettingValue, value)) for name, value in table.items()}
    return _UNREADABLE if _UNREADABLE in read.values() else read


def _type_name(kind: object) -> str:
    if alternatives := _alternatives(kind):
        return " or ".join(map(_type_name, alternatives))
    constraints = [mark for mark in get_args(kind) if isinstance(mark, Constraint)]
    if constraints:
        return " and ".join(constraint.description for constraint in constraints)
    if get_origin(kind) is Annotated:
        return _type_name(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(repr, get_args(kind)))
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    names |= {NoneType: "null"}
    for known, name in names.items():
        if kind is known:
            return name
    origin = get_origin(kind)
    if origin is tuple and get_args(kind):
        return f"a list, each item {_type_name(get_args(kind)[0])}"
    return "a list" if origin is tuple else "a table" if origin is Mapping else str(kind)
