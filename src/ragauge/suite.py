"""Suites: which metrics to compute, how to display them, and checks of single answers.

A suite is a TOML file; the shipped ones are in `ragauge/suites`.

    name = "answer-quality"
    title = "RAG answer quality"
    scale = 100                        # factor for display; stored values are in [0, 1]
    digits = 2
    precision = "fp32"                 # of the embedded encoder, if the run names no encoder

    [[metric]]
    label = 'keyword_coverage(extractor="regex")'
    name = "keyword_coverage"          # displayed name; the label by default
    scale = 1                          # of this metric only
    show = "count"                     # the sum of the values, not their mean
    family = "answer"                  # a [[family]] of the suite
    ranked = false                     # neither high nor low values are better
    only_for = "unanswerable"          # left out unless some question has no answer

    [[family]]                         # a group of metrics, and what is good about a high score
    name = "answer"
    says = "agrees with the references"

    [[check]]                          # rules for some questions only
    where = 'id = "EF_3"'
    mean = "fact_score"                # the rules' mean, under this name
    [check.rules]
    has_604 = { number = "604" }       # each rule has one kind
    sorry = { contains_any = ["sorry", "cannot"] }
    [check.holds]
    is_correct = "has_604 and not sorry"

    [[finding]]                        # a pattern worth reporting, by the names above
    when = "keyword_coverage >= 0.8 and is_correct < 0.5"
    says = "right concepts, wrong result"
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import cast

from ragauge.errors import FilterError, LabelError, SuiteError, did_you_mean
from ragauge.label import Label, SettingValue
from ragauge.storage.tomlfile import Table, as_list, as_table, check_table, parse_toml, read_toml
from ragauge.where import Filter

RULES = {
    "contains": "text",
    "not_contains": "text",
    "contains_any": "texts",
    "regex": "pattern",
    "number": "value",
    "list_coverage": "codes",
}
"""The kinds of rule: metrics of these names, and the setting that takes the rule's value."""

Keys = Mapping[str, type]
SUITE_KEYS = {
    "name": str,
    "title": str,
    "source": str,
    "scale": float,
    "digits": int,
    "precision": str,
    "family": list,
    "metric": list,
    "check": list,
    "finding": list,
}
METRIC_KEYS = {
    "label": str,
    "name": str,
    "scale": float,
    "digits": int,
    "show": str,
    "family": str,
    "ranked": bool,
    "only_for": str,
}
ONLY_FOR = (
    "unanswerable",
    *("latency_s", "first_token_s", "input_tokens", "output_tokens", "cost_usd"),
)
"""Kinds of questions, and measured fields, without which a metric says nothing of a run."""
EMBEDDED_PRECISIONS = ("fp32", "int8")
FAMILY_KEYS = {"name": str, "says": str}
SHOWN_AS = ("mean", "count")
MAX_DIGITS = 15
MAX_SCALE = 1e6
CHECK_KEYS = {"where": str, "mean": str, "rules": dict, "holds": dict}
FINDING_KEYS = {"when": str, "says": str, "precision": float, "first_screen": bool}
MIN_PRECISION = 0.9
"""A finding with a lower measured precision is not shown on the first screen."""
LIST_KEYS = {"codes": str, "found": str, "total": str}


@dataclass(frozen=True, slots=True)
class Entry:
    """One metric of a suite: its label, and how it is displayed; `ranked`: whether a higher (or
    lower) value is better as such.

    `only_for`: the kind of questions, or the measured field, without which it is left out of a run;
    empty for every run.
    """

    label: Label
    name: str
    scale: float = 1.0
    digits: int = 4
    show: str = "mean"
    family: str = ""
    ranked: bool = True
    only_for: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Rules for the rows that match a filter, and the values computed from them.

    `rules` are (name, label); `mean` names the mean of the rules that are boolean or a ratio; `holds`
    are (name, expression over the rules' names). Results are displayed times `scale` with `digits`
    decimals; counts are not scaled.
    """

    where: Filter | None
    rules: tuple[tuple[str, Label], ...]
    mean: str | None = None
    holds: tuple[tuple[str, Filter], ...] = ()
    scale: float = 1.0
    digits: int = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """A pattern of the scores of a row, in [0, 1] and by the suite's names, and what it means.

    `precision`: the share of right ones among those found on labelled answers; None if it was not
    measured. Below MIN_PRECISION the first screen leaves the finding out, as with `first_screen` false;
    the detailed views have it.
    """

    when: Filter
    says: str
    precision: float | None = None
    first_screen: bool = True

    def __post_init__(self) -> None:
        if self.precision is not None and self.precision < MIN_PRECISION:
            object.__setattr__(self, "first_screen", False)


@dataclass(frozen=True, slots=True)
class Suite:
    """Metrics and checks, in display order.

    `families` maps groups of metrics to what is good about an answer that scores well on them.
    `explicit`: the user named the metrics one by one, so an unavailable one is an error. In other
    suites it is only reported as not scored. `precision`: of the embedded encoder, unless the run names
    an encoder or the label a precision; the suites of one run name the same.
    """

    name: str
    entries: tuple[Entry, ...]
    checks: tuple[Check, ...] = ()
    title: str = ""
    source: str = ""
    findings: tuple[Finding, ...] = ()
    explicit: bool = False
    families: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    precision: str | None = None

    @classmethod
    def load(cls, name: str | Path) -> "Suite":
        """A shipped suite by name, or one from a TOML file; SuiteError lists every problem."""
        shipped = shipped_suites()
        if str(name) in shipped:
            text = (resources.files("ragauge") / "suites" / f"{name}.toml").read_text("utf-8")
            return cls.read(parse_toml(text, f"{name}.toml"), f"suite {name}")
        if str(name).endswith(".toml"):
            return cls.read(read_toml(Path(name)), str(name))
        hint = did_you_mean(str(name), shipped) or f"; the suites are {', '.join(shipped)}"
        raise SuiteError(f"unknown suite {str(name)!r}{hint}, or the path of a .toml file")

    @classmethod
    def of(cls, labels: Iterable[str | Label], name: str = "custom") -> "Suite":
        """A suite of the metrics with these labels, displayed by label."""
        read = [Label.parse(label) if isinstance(label, str) else label for label in labels]
        return cls(name, tuple(Entry(label, str(label)) for label in read), explicit=True)

    def without(self, names: Collection[str]) -> "Suite":
        """The suite without the metrics of these names or labels, and without findings that need them."""
        left = tuple(
            entry
            for entry in self.entries
            if entry.name not in names and str(entry.label) not in names
        )
        gone = {entry.name for entry in self.entries} - {entry.name for entry in left}
        findings = tuple(each for each in self.findings if not each.when.fields & gone)
        return replace(self, entries=left, findings=findings)

    @classmethod
    def read(cls, table: Table, place: str) -> "Suite":
        """The suite that a TOML table describes."""
        problems = check_table(table, SUITE_KEYS, place)
        if not str(table.get("name", "")).strip():
            problems.append(f"{place}: has no name")
        if problems:
            raise SuiteError("\n".join(problems))
        entries = tuple(_entries(table, place, problems))
        families = {
            str(family["name"]): str(family["says"])
            for _, family in _valid(table, "family", FAMILY_KEYS, FAMILY_KEYS, place, problems)
        }
        precision = cast(str | None, table.get("precision"))
        if precision not in (None, *EMBEDDED_PRECISIONS):
            known = " or ".join(EMBEDDED_PRECISIONS)
            problems.append(f"{place}: precision must be {known}, got {precision!r}")
        for name, family in ((entry.name, entry.family) for entry in entries):
            if family and family not in families:
                hint = did_you_mean(family, families) or "; add a [[family]] table of that name"
                problems.append(f"{place}: {name} is in the unknown family {family!r}{hint}")
        checks = tuple(_checks(table, place, problems))
        findings = tuple(_findings(table, place, problems))
        problems += _misnamed((entry.name for entry in entries), place)
        known = {entry.name for entry in entries}.union(*map(names_of, checks))
        for number, finding in enumerate(findings, 1):
            for name in sorted(finding.when.fields - known):
                hint = did_you_mean(name, known) or f"; the names are {', '.join(sorted(known))}"
                problems.append(f"{place}: finding {number} uses the unknown name {name!r}{hint}")
        if not entries and not checks and not problems:
            problems.append(f"{place}: has no metric; add [[metric]] tables")
        if problems:
            raise SuiteError("\n".join(dict.fromkeys(problems)))
        name, title, source = (str(table.get(key, "")) for key in ("name", "title", "source"))
        return cls(
            name, entries, checks, title, source, findings, families=families, precision=precision
        )


def shipped_suites() -> tuple[str, ...]:
    """The names of the suites that come with ragauge."""
    files = (resources.files("ragauge") / "suites").iterdir()
    return tuple(sorted(file.name[:-5] for file in files if file.name.endswith(".toml")))


def _entries(suite: Table, place: str, problems: list[str]) -> Iterator[Entry]:
    for where, table in _tables(suite, "metric", place):
        problems += check_table(table, METRIC_KEYS, where)
        try:
            label = Label.parse(str(table["label"]))
        except KeyError:
            problems.append(f"{where}: has no label")
            continue
        except LabelError as error:
            problems.append(f"{where}: {error}")
            continue
        name, show = str(table.get("name", label)), str(table.get("show", "mean"))
        family, only_for = str(table.get("family", "")), str(table.get("only_for", ""))
        if show not in SHOWN_AS:
            problems.append(f"{where}: show must be one of {', '.join(SHOWN_AS)}, got {show!r}")
        if only_for not in ("", *ONLY_FOR):
            problems.append(f"{where}: only_for must be {' or '.join(ONLY_FOR)}, got {only_for!r}")
        scale, digits = _scale(table, suite, where, problems)
        is_ranked = table.get("ranked") is not False
        yield Entry(label, name, scale, digits, show, family, is_ranked, only_for)


def _scale(table: Table, suite: Table, place: str, problems: list[str]) -> tuple[float, int]:
    """The table's own scale and digits, or the suite's; a wrong type is already reported."""
    scale, digits = (
        value if isinstance(value, int | float) else default
        for value, default in (
            (table.get("scale", suite.get("scale")), 1.0),
            (table.get("digits", suite.get("digits")), 4),
        )
    )
    if not 0 < scale <= MAX_SCALE:
        where = place if "scale" in table else place.split(": ")[0]
        problems.append(
            f"{where}: scale must be above 0 and at most {MAX_SCALE:,.0f}, got {scale!r:.40}"
        )
        scale = 1.0
    if not 0 <= digits <= MAX_DIGITS:
        problems.append(f"{place}: digits must be from 0 to {MAX_DIGITS}, got {digits!r}")
        digits = 0
    return float(scale), int(digits)


def _checks(suite: Table, place: str, problems: list[str]) -> Iterator[Check]:
    for where, table in _valid(suite, "check", CHECK_KEYS, (), place, problems):
        rules = dict(_rules(cast(Table, table.get("rules", {})), where, problems))
        if not rules:
            problems.append(f"{where}: has no rules; add them under [check.rules]")
        try:
            only = Filter.parse(str(table["where"])) if "where" in table else None
            holds = dict(_holds(cast(Table, table.get("holds", {})), rules, where, problems))
        except FilterError as error:
            problems.append(f"{where}: {error}")
            continue
        mean = None if "mean" not in table else str(table["mean"])
        problems += _misnamed([*rules, *holds, *([] if mean is None else [mean])], where)
        scale, digits = _scale(suite, suite, where, problems)
        yield Check(only, tuple(rules.items()), mean, tuple(holds.items()), scale, digits)


def _findings(suite: Table, place: str, problems: list[str]) -> Iterator[Finding]:
    needed = ("when", "says")
    for where, table in _valid(suite, "finding", FINDING_KEYS, needed, place, problems):
        precision = cast("float | None", table.get("precision"))
        if precision is not None and not 0 <= precision <= 1:
            problems.append(f"{where}: precision must be from 0 to 1, got {precision!r}")
            continue
        is_first = table.get("first_screen") is not False
        try:
            when = Filter.parse(str(table["when"]))
            yield Finding(when, str(table["says"]), precision, is_first)
        except FilterError as error:
            problems.append(f"{where}: {error}")


def _misnamed(names: Iterable[str], place: str) -> list[str]:
    counts = Counter(names)
    twice = sorted(name for name, n in counts.items() if n > 1)
    problems = [f"{place}: the name {name!r} is used twice; rename one" for name in twice]
    return problems + [f"{place}: a name is empty" for name in counts if not name.strip()]


def names_of(check: Check) -> set[str]:
    """The names of all results of a check."""
    names = {name for name, _ in (*check.rules, *check.holds)}
    return names | {check.mean} if check.mean else names


def _rules(rules: Table, place: str, problems: list[str]) -> Iterator[tuple[str, Label]]:
    for name, rule in rules.items():
        kinds = as_table(rule) or {}
        if len(kinds) != 1:
            problems.append(
                f"{place}: rule {name!r} must be a table with one of {', '.join(RULES)}"
            )
            continue
        kind, value = next(iter(kinds.items()))
        if kind not in RULES:
            hint = did_you_mean(kind, RULES) or f"; the kinds are {', '.join(RULES)}"
            problems.append(f"{place}: rule {name!r} has the unknown kind {kind!r}{hint}")
        elif kind != "list_coverage":
            texts = as_list(value)
            setting = value if texts is None else tuple(texts)
            setting = str(value) if kind == "number" and type(value) in (int, float) else setting
            yield name, Label(kind, {RULES[kind]: cast(SettingValue, setting)})
        elif (table := as_table(value)) is None:
            problems.append(
                f"{place}: rule {name!r}: list_coverage must be a table, got {value!r:.80}"
            )
        elif wrong := check_table(table, LIST_KEYS, f"{place}: rule {name!r}"):
            problems += wrong
        else:
            settings = {"codes": str(table["codes"])} if "codes" in table else {}
            for key in ("found", "total"):
                if key in table:
                    yield str(table[key]), Label(f"list_{key}", settings)
            yield name, Label(kind, settings)


def _holds(
    holds: Table, rules: dict[str, Label], place: str, problems: list[str]
) -> Iterator[tuple[str, Filter]]:
    for name, text in holds.items():
        expression = Filter.parse(str(text))
        for unknown in sorted(expression.fields - set(rules)):
            hint = did_you_mean(unknown, rules) or f"; the rules are {', '.join(rules)}"
            problems.append(f"{place}: {name!r} uses the unknown rule {unknown!r}{hint}")
        yield name, expression


def _valid(
    suite: Table, key: str, known: Keys, needed: Iterable[str], place: str, problems: list[str]
) -> Iterator[tuple[str, Table]]:
    """The tables of a kind that have these keys, of the right types, each with its place."""
    for where, table in _tables(suite, key, place):
        wrong = check_table(table, known, where)
        wrong += [f"{where}: has no {name}" for name in needed if name not in table]
        problems += wrong
        if not wrong:
            yield where, table


def _tables(suite: Table, key: str, place: str) -> list[tuple[str, Table]]:
    """The tables of a kind, each with its place."""
    found = cast(list[object], suite.get(key, []))
    if not all(isinstance(table, dict) for table in found):
        raise SuiteError(f"{place}: {key} must be written as [[{key}]] tables")
    tables = cast(list[Table], found)
    return [(f"{place}: {key} {number}", table) for number, table in enumerate(tables, 1)]
