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
from functools import cache
from importlib import resources
from pathlib import Path
from typing import cast

from ragauge.errors import FilterError, LabelError, SuiteError, did_you_mean
from ragauge.label import Label, SettingValue
from ragauge.storage.tomlfile import Table, as_list, as_table, check_table, read_toml, shipped_toml
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
    **dict.fromkeys(("name", "title", "source", "precision"), str),
    **dict.fromkeys(("family", "metric", "check", "finding"), list),
    "scale": float,
    "digits": int,
}
METRIC_KEYS = {
    **dict.fromkeys(("label", "name", "show", "family", "only_for"), str),
    "scale": float,
    "digits": int,
    "ranked": bool,
}
MEASURED = ("latency_s", "first_token_s", "input_tokens", "output_tokens", "cost_usd")
ONLY_FOR = ("unanswerable", *MEASURED)
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
            return _shipped(str(name))
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
        left = tuple(it for it in self.entries if not {it.name, str(it.label)} & {*names})
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
        reader = _Reader(table, place, problems)
        entries = tuple(reader.entries())
        tables = reader.tables("family", FAMILY_KEYS, FAMILY_KEYS)
        families = {str(family["name"]): str(family["says"]) for _, family in tables}
        precision = cast(str | None, table.get("precision"))
        if precision not in (None, *EMBEDDED_PRECISIONS):
            known = " or ".join(EMBEDDED_PRECISIONS)
            problems.append(f"{place}: precision must be {known}, got {precision!r}")
        for name, family in ((entry.name, entry.family) for entry in entries):
            if family and family not in families:
                hint = did_you_mean(family, families) or "; add a [[family]] table of that name"
                problems.append(f"{place}: {name} is in the unknown family {family!r}{hint}")
        checks, findings = tuple(reader.checks()), tuple(reader.findings())
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
        shown = (title, source, findings)
        return cls(name, entries, checks, *shown, families=families, precision=precision)


@cache
def _shipped(name: str) -> Suite:
    return Suite.read(shipped_toml(f"suites/{name}.toml"), f"suite {name}")


@cache
def shipped_suites() -> tuple[str, ...]:
    """The names of the suites that come with ragauge."""
    files = (resources.files("ragauge") / "suites").iterdir()
    return tuple(sorted(file.name[:-5] for file in files if file.name.endswith(".toml")))


def names_of(check: Check) -> set[str]:
    """The names of all results of a check."""
    names = {name for name, _ in (*check.rules, *check.holds)}
    return names | {check.mean} if check.mean else names


def _misnamed(names: Iterable[str], place: str) -> list[str]:
    counts = Counter(names)
    twice = sorted(name for name, n in counts.items() if n > 1)
    problems = [f"{place}: the name {name!r} is used twice; rename one" for name in twice]
    return problems + [f"{place}: a name is empty" for name in counts if not name.strip()]


@dataclass(slots=True)
class _Reader:
    """Reads the tables of a suite; what is wrong is added to `problems`."""

    suite: Table
    place: str
    problems: list[str]

    def tables(
        self, key: str, known: Keys, needed: Iterable[str] = ()
    ) -> Iterator[tuple[str, Table]]:
        """The tables of a kind that have the needed keys, and known ones of the right types, each with its place."""
        found = cast(list[object], self.suite.get(key, []))
        if not all(isinstance(table, dict) for table in found):
            raise SuiteError(f"{self.place}: {key} must be written as [[{key}]] tables")
        for number, table in enumerate(cast(list[Table], found), 1):
            where = f"{self.place}: {key} {number}"
            wrong = check_table(table, known, where)
            wrong += [f"{where}: has no {name}" for name in needed if name not in table]
            self.problems += wrong
            if not wrong or key == "metric":  # all problems of a metric are reported
                yield where, table

    def entries(self) -> Iterator[Entry]:
        for where, table in self.tables("metric", METRIC_KEYS, ("label",)):
            if "label" not in table:
                continue
            try:
                label = Label.parse(str(table["label"]))
            except LabelError as error:
                self.problems.append(f"{where}: {error}")
                continue
            name, show = str(table.get("name", label)), str(table.get("show", "mean"))
            family, only_for = str(table.get("family", "")), str(table.get("only_for", ""))
            if show not in SHOWN_AS:
                must = f"show must be one of {', '.join(SHOWN_AS)}, got {show!r}"
                self.problems.append(f"{where}: {must}")
            if only_for not in ("", *ONLY_FOR):
                must = f"only_for must be {' or '.join(ONLY_FOR)}, got {only_for!r}"
                self.problems.append(f"{where}: {must}")
            scale, digits = self.scale(table, where)
            is_ranked = table.get("ranked") is not False
            yield Entry(label, name, scale, digits, show, family, is_ranked, only_for)

    def scale(self, table: Table, place: str) -> tuple[float, int]:
        """The table's own scale and digits, or the suite's; a wrong type is already reported."""
        given = [table.get(name, self.suite.get(name)) for name in ("scale", "digits")]
        scale, digits = (
            value if isinstance(value, int | float) else default
            for value, default in zip(given, (1.0, 4), strict=True)
        )
        if not 0 < scale <= MAX_SCALE:
            where = place if "scale" in table else self.place
            must = f"scale must be above 0 and at most {MAX_SCALE:,.0f}, got {scale!r:.40}"
            self.problems.append(f"{where}: {must}")
            scale = 1.0
        if not 0 <= digits <= MAX_DIGITS:
            must = f"digits must be from 0 to {MAX_DIGITS}, got {digits!r}"
            self.problems.append(f"{place}: {must}")
            digits = 0
        return float(scale), int(digits)

    def checks(self) -> Iterator[Check]:
        for where, table in self.tables("check", CHECK_KEYS):
            rules = dict(self.rules(cast(Table, table.get("rules", {})), where))
            if not rules:
                self.problems.append(f"{where}: has no rules; add them under [check.rules]")
            given = cast(Table, table.get("holds", {}))
            try:
                only = Filter.parse(str(table["where"])) if "where" in table else None
                holds = {name: Filter.parse(str(text)) for name, text in given.items()}
            except FilterError as error:
                self.problems.append(f"{where}: {error}")
                continue
            for name, expression in holds.items():
                for unknown in sorted(expression.fields - set(rules)):
                    hint = did_you_mean(unknown, rules) or f"; the rules are {', '.join(rules)}"
                    uses = f"{name!r} uses the unknown rule {unknown!r}{hint}"
                    self.problems.append(f"{where}: {uses}")
            mean = None if "mean" not in table else str(table["mean"])
            names = [*rules, *holds, *([] if mean is None else [mean])]
            self.problems += _misnamed(names, where)
            scale, digits = self.scale(self.suite, where)
            yield Check(only, tuple(rules.items()), mean, tuple(holds.items()), scale, digits)

    def rules(self, rules: Table, place: str) -> Iterator[tuple[str, Label]]:
        for name, rule in rules.items():
            kinds, here = as_table(rule) or {}, f"{place}: rule {name!r}"
            if len(kinds) != 1:
                self.problems.append(f"{here} must be a table with one of {', '.join(RULES)}")
                continue
            kind, value = next(iter(kinds.items()))
            table = as_table(value) or {}
            if kind not in RULES:
                hint = did_you_mean(kind, RULES) or f"; the kinds are {', '.join(RULES)}"
                self.problems.append(f"{here} has the unknown kind {kind!r}{hint}")
            elif kind != "list_coverage":
                texts = as_list(value)
                setting = value if texts is None else tuple(texts)
                is_number = kind == "number" and type(value) in (int, float)
                setting = str(value) if is_number else cast(SettingValue, setting)
                yield name, Label(kind, {RULES[kind]: setting})
            elif not isinstance(value, dict):
                self.problems.append(f"{here}: list_coverage must be a table, got {value!r:.80}")
            elif wrong := check_table(table, LIST_KEYS, here):
                self.problems += wrong
            else:
                settings = {"codes": str(table["codes"])} if "codes" in table else {}
                for key in ("found", "total"):
                    if key in table:
                        yield str(table[key]), Label(f"list_{key}", settings)
                yield name, Label(kind, settings)

    def findings(self) -> Iterator[Finding]:
        for where, table in self.tables("finding", FINDING_KEYS, ("when", "says")):
            precision = cast("float | None", table.get("precision"))
            if precision is not None and not 0 <= precision <= 1:
                self.problems.append(f"{where}: precision must be from 0 to 1, got {precision!r}")
                continue
            is_first = table.get("first_screen") is not False
            try:
                when = Filter.parse(str(table["when"]))
                yield Finding(when, str(table["says"]), precision, is_first)
            except FilterError as error:
                self.problems.append(f"{where}: {error}")
