"""`@metric` and `@feature`: declare functions whose signatures say everything they need.

Parameters before the star are columns: fields of the sample, features, or (for composites) other
metrics. Keyword-only parameters without a default are resources (`judge`, `encoder`); those with a
default are settings. For a column named `reference`, the engine calls the function once per reference
and keeps the best score.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, TypeVar, overload

from ragauge.errors import DefinitionError
from ragauge.label import NAME, Label, SettingValue
from ragauge.score import Aggregation, Score
from ragauge.setting import Setting, alternatives, read_setting, read_settings
from ragauge.trust import Trust, trust_in

Function = TypeVar("Function", bound=Callable[..., object])
Aggregate = Callable[[Sequence[Sequence[float]]], Sequence[float]]
"""Maps rows of summed parts, (b, p), to one value per row, (b,)."""
SettingsCheck = Callable[[Mapping[str, SettingValue]], str | None]
"""Maps all settings to what is wrong with them; None if nothing is."""
IsRanked = Callable[[Mapping[str, SettingValue]], bool]
"""Maps all settings to whether the metric ranks systems with them."""

NOTHING_EXPECTED = "nothing_expected"
"""Evidence key of a score whose reference expects nothing: scores of other references take precedence."""

RESOURCES = ("encoder", "judge")
Precision = Literal["fp32", "fp16", "bf16", "int8"]


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


@dataclass(frozen=True, slots=True)
class Feature(Definition):
    """A column made from other columns, computed once for all metrics that name it; `corpus`: once
    from all rows of the run, which all get the same value."""


@dataclass(frozen=True, slots=True)
class Metric(Definition):
    """A function from columns to a column of scores.

    `version` increases whenever a number changes. `low` and `high` bound all values (None: unbounded).
    `aggregate` says how the values of many rows are combined; a function computes it from the sums of
    the `parts` in the evidence.
    `check` reports settings that contradict each other, before anything is computed.
    `ranked`: whether a higher value, or a lower one, is better as such; it may depend on the settings.
    """

    version: int = 1
    low: float | None = 0.0
    high: float | None = 1.0
    lower_is_better: bool = False
    aggregate: Aggregation | Aggregate = "mean"
    check: SettingsCheck | None = None
    ranked: bool | IsRanked = True

    def is_ranked(self, settings: Mapping[str, SettingValue]) -> bool:
        """Whether a higher, or lower, value is better as such, with these settings.

        `settings` may leave out those that have their default.
        """
        if isinstance(self.ranked, bool):
            return self.ranked
        return self.ranked(self.defaults | dict(settings))

    @property
    def trust(self) -> Trust | None:
        """How far people agree with the metric, as measured; None if it was not measured."""
        return trust_in(self.name)

    def label(self, settings: Mapping[str, SettingValue]) -> Label:
        """The canonical label: the settings that differ from their default, in signature order.

        The precision of an encoder is none of them: it is a fact of the run.
        """
        is_fact = PRECISION in self.implied
        defaults = [(each.name, each.default) for each in self.settings]
        changed = [
            (name, default) for name, default in defaults if settings.get(name, default) != default
        ]
        kept = {name: settings[name] for name, _ in changed if name != PRECISION or not is_fact}
        return Label(self.name, kept)


PROMPTS = "prompts"
PARTS = "parts"
"""The setting of a composite that identifies its parts: a digest of the labels of parts with settings of
their own. The run fills it in; the function does not receive it."""
PRECISION = "precision"
"""The setting that chooses an encoder's precision. Labels may give it, and canonical ones do not have it."""
NAMING = {
    "encoder": (Setting("model", None, str | None), Setting(PRECISION, None, Precision | None)),
    "judge": (Setting("judge", None, str | None), Setting(PROMPTS, None, str | None)),
}
"""The settings by which a label names a resource; None means the run's default.

`prompts` is the digest of all prompts of a metric. Features do not have it, so that metrics with the same
prompts share them.
"""

METRICS: dict[str, Metric] = {}
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
        own["settings"] = tuple(each for each in own["settings"] if each.name != PROMPTS)
        _register(FEATURES, Feature(**own, batch=batch, corpus=corpus, prompts=tuple(prompts)))
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
    ranked: bool | IsRanked = True,
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
    ranked: bool | IsRanked = True,
    name: str | None = None,
    prompts: Sequence[str] = (),
) -> Function | Callable[[Function], Function]:
    """Declare a metric; the function is returned unchanged, so tests and users call it directly.

    It returns a float, a bool or a Score for each sample. With `ranked=False` no system is called better
    for its value: the share of refusals, say, is neither good nor bad. Raises DefinitionError if the signature is
    not that of a metric, or if another function already has the name.
    """

    def declare(function: Function) -> Function:
        own = _signature(function)
        own["name"] = name or own["name"]
        if type(version) is not int or not 0 <= version < 2**63:
            must = f"version must be a whole number of at least 0, got {version!r:.60}"
            raise DefinitionError(f"{own['name']}: {must}")
        for what, bound in (("low", low), ("high", high)):
            is_number = isinstance(bound, int | float) and abs(bound) < 2**63
            if bound is not None and not is_number:
                must = f"{what} must be a finite number or None, got {bound!r:.60}"
                raise DefinitionError(f"{own['name']}: {must}")
        own |= {"batch": batch, "prompts": tuple(prompts), "version": version, "low": low}
        own |= {"high": high, "lower_is_better": lower_is_better, "aggregate": aggregate}
        _register(METRICS, Metric(**own, check=check, ranked=ranked))
        return function

    return declare if function is None else declare(function)


def is_nullable(annotation: object) -> bool:
    """Whether an annotation allows None, as a type or as text."""
    if isinstance(annotation, str):
        return "None" in annotation
    return NoneType in alternatives(annotation)


def _signature(function: Callable[..., object]) -> dict[str, Any]:
    """What a definition has of its function's signature, by field."""
    name = getattr(function, "__name__", "")
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:  # an annotation imported for the type checker only
        signature = inspect.signature(function)
    columns, resources, settings = list[Column](), list[str](), list[Setting]()
    for parameter in signature.parameters.values():
        has_default, wanted = parameter.default is not parameter.empty, parameter.annotation
        if parameter.kind is parameter.KEYWORD_ONLY and has_default:
            settings.append(read_setting(parameter))
        elif parameter.kind is parameter.KEYWORD_ONLY:
            resources.append(parameter.name)
        elif parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise DefinitionError(
                f"{name}: {parameter} is neither a column nor a setting; "
                "name each column before the star and each setting after it"
            )
        elif has_default and parameter.default is not None:
            raise DefinitionError(
                f"{parameter.name} has the default {parameter.default!r} but is before the star; "
                "put it after `*` to make it a setting"
            )
        elif wanted is parameter.empty:
            columns.append(Column(parameter.name, has_default))
        else:
            takes_score = Score in (wanted, *alternatives(wanted)) or wanted == "Score"
            columns.append(Column(parameter.name, is_nullable(wanted), takes_score))
    if unknown := [resource for resource in resources if resource not in RESOURCES]:
        raise DefinitionError(
            f"{name}: {unknown[0]!r} has no default, so it is a resource, but the resources are "
            f"{', '.join(RESOURCES)}; give a setting a default, or put a column before the star"
        )
    if not columns:
        raise DefinitionError(f"{name}: names no column; put at least one before the star")
    own = {setting.name for setting in settings}
    implied = [setting for resource in resources for setting in NAMING[resource]]
    implied += [Setting(PARTS, None, str | None)] * any(column.takes_score for column in columns)
    implied = [setting for setting in implied if setting.name not in own]
    return {
        "name": name,
        "function": function,
        "columns": tuple(columns),
        "resources": tuple(resources),
        "settings": (*settings, *implied),
        "implied": tuple(setting.name for setting in implied),
    }


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
