"""What to mind in a run: which rows show which pattern of scores, and which metrics are used where they are known to mislead."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from heapq import nsmallest
from statistics import median
from typing import TYPE_CHECKING, cast

from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.runs.manifest import Manifest
from ragauge.runs.scores import score_pieces
from ragauge.samples.samples import Samples
from ragauge.score import LANGUAGE
from ragauge.storage.tomlfile import read_dataclass
from ragauge.trust import trust_in
from ragauge.where import (
    COMPARISONS,
    All,
    Condition,
    Either,
    Filter,
    IsNull,
    Membership,
    Not,
    Relation,
    Truth,
)

if TYPE_CHECKING:
    import polars as pl

    from ragauge.runs.outcomes import Outcomes
    from ragauge.runs.scored_run import ScoredRun

IDS_KEPT = 1_000
FINDINGS = "findings"


@dataclass(frozen=True, slots=True)
class FindingMatch:
    """One finding for one system: the first IDS_KEPT `ids` of the `n_found` matching rows, and the
    `n_rows` that were checked.

    Those have a value for every metric in the condition, except those it tests for null.
    `precision` and `first_screen` as in the suite.
    """

    system: str
    says: str
    when: str
    ids: tuple[str, ...]
    n_rows: int
    n_found: int
    precision: float | None = None
    first_screen: bool = True

    @property
    def text(self) -> str:
        """What it says, and how often that is right where it was measured."""
        if self.precision is None:
            return self.says
        return f"{self.says} (right in {self.precision:.0%} of labelled cases)"


def find(run: "ScoredRun") -> tuple[FindingMatch, ...]:
    """The findings that match at least one row, by system, in the suite's order; computed once.

    Source: the suite answer-quality, "Interpreting Results".
    """
    if FINDINGS not in run.computed:
        stored = cast("list[object] | None", run.stored_results.get(FINDINGS))
        found = (
            _find(run) if stored is None else (read_dataclass(FindingMatch, it) for it in stored)
        )
        run.computed[FINDINGS] = tuple(found)
    return run.computed[FINDINGS]


def _find(run: "ScoredRun") -> Iterator[FindingMatch]:
    import polars as pl

    scored = {metric.metric for metric in run.metrics if not metric.unavailable}
    findings = [each for each in run.manifest.findings if scored.issuperset(each.metrics.values())]
    conditions = [Filter.parse(finding.when).condition for finding in findings]
    labels = list({label for finding in findings for label in finding.metrics.values()})
    matches = {
        (system, at): FindingMatch(
            system, each.says, each.when, (), 0, 0, each.precision, each.first_screen
        )
        for system in (run.samples.systems if findings else ())
        for at, each in enumerate(findings)
    }
    for piece in score_pieces(run, ("id", "system", "metric", "value")) if findings else ():
        # One row for each (system, id), one column for each metric.
        values = piece.filter(pl.col("metric").is_in(labels)).pivot(
            "metric", index=["system", "id"], values="value", aggregate_function="first"
        )
        for (system, at), found in matches.items():
            metrics, condition = findings[at].metrics, conditions[at]
            if not set(values.columns).issuperset(metrics.values()):
                continue
            named = (pl.col(label).alias(name) for name, label in metrics.items())
            needed = list(metrics.keys() - null_tested(condition))
            rows = values.filter(pl.col("system") == system).select("id", *named).drop_nulls(needed)
            new = rows.filter(_expression(condition))["id"].to_list()
            ids, n = nsmallest(IDS_KEPT, [*found.ids, *new]), found.n_found + len(new)
            n_rows = found.n_rows + rows.height
            matches[system, at] = replace(found, ids=tuple(ids), n_rows=n_rows, n_found=n)
    return (found for found in matches.values() if found.n_found)


def null_tested(condition: Condition) -> frozenset[str]:
    """The fields that the condition tests for null: a row without them is checked as well."""
    match condition:
        case IsNull(field):
            return frozenset((field,))
        case Not(inner):
            return null_tested(inner)
        case All(conditions) | Either(conditions):
            return frozenset(field for each in conditions for field in null_tested(each))
        case _:
            return frozenset()


def _expression(condition: Condition) -> "pl.Expr":
    """The condition as a polars expression. A comparison with null does not hold."""
    import polars as pl

    match condition:
        case Truth(field):
            holds = pl.col(field) != 0
        case Relation(field, "~", value):
            holds = pl.col(field).cast(pl.String).str.contains(str(value), literal=True)
        case Relation(field, sign, value):
            holds = COMPARISONS[sign](pl.col(field), value)
        case Membership(field, values):
            holds = pl.col(field).is_in(list(values))
        case IsNull(field):
            return pl.col(field).is_null()
        case Not(inner):
            return ~_expression(inner)
        case All(conditions):
            return pl.all_horizontal(*map(_expression, conditions))
        case Either(conditions):
            return pl.any_horizontal(*map(_expression, conditions))
    return holds.fill_null(value=False)


WORDS = "words"
"""Key of the lengths in `Manifest.data`."""
LANGUAGES_SHOWN = 5
UNMEASURED_SETTINGS = {"model", "layer", "precision", "long_text", "on_empty", "on_nothing_expected"}  # fmt: skip
"""Settings that name the encoder or the score of an empty text: a caution holds whatever their values."""


@dataclass(frozen=True, slots=True)
class MetricCaution:
    """Why the scores of a metric, by its label, may mislead in this run: the measured `figure`
    behind it, if any, and `when`, the condition that holds here; empty if the caution always
    holds."""

    metric: str
    says: str
    figure: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Median numbers of words: of the references, and of each system's answers."""

    references: float | None
    answers: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the conditions of cautions refer to: the median length of the references, and the
    highest of the systems' median lengths of answers; None if the samples have no such texts."""

    n_systems: int
    reference_words: float | None
    longest_answer_words: float | None

    @classmethod
    def of(cls, manifest: Manifest) -> "Facts | None":
        """The facts that the manifest stores; None for a run that an earlier version made."""
        try:
            words = read_dataclass(Lengths, manifest.data.get(WORDS))
        except ValueError:
            return None
        medians = [length for length in words.answers.values() if length is not None]
        return cls(len(words.answers), words.references, max(medians, default=None))


def median_words(samples: Samples) -> dict[str, object]:
    """The median number of words of the references, which each answer to a question repeats, and of
    each system's answers."""
    import polars as pl

    references: Counter[int] = Counter()
    answers: dict[str, Counter[int]] = {system: Counter() for system in sorted(samples.systems)}
    columns = [name for name in ("references", "answer") if name in samples.columns]
    for piece in samples.pieces(["system", *columns]):
        if "references" in columns:
            n_words = piece["references"].explode().str.count_matches(r"\S+")
            references.update(n_words.drop_nulls().to_list())
        if "answer" in columns:
            counted = piece.select("system", n=pl.col("answer").str.count_matches(r"\S+"))
            for system, n in counted.drop_nulls().iter_rows():
                answers[system][n] += 1

    def middle(counts: Counter[int]) -> float | None:
        return float(median(counts.elements())) if counts else None

    by_system = {system: middle(counts) for system, counts in answers.items()}
    return {"references": middle(references), "answers": by_system}


def cautions_of(manifest: Manifest, scored: Collection[str]) -> Iterator[MetricCaution]:
    """The cautions whose conditions hold in the run, about the metrics that `scored` lists, in its order."""
    if (facts := Facts.of(manifest)) is None:
        return
    for metric in manifest.metrics:
        try:
            label = Label.parse(metric.metric)
        except LabelError:  # a check's name
            continue
        # By name and not from the catalogue, whose import takes as long as the rest of a report.
        trust = trust_in(label.name) if metric.metric in scored else None
        own = str(label.without(UNMEASURED_SETTINGS))
        for each in trust.cautions if trust else ():
            is_about = each.all_settings or each.label == own
            if is_about and (not each.when or Filter.parse(each.when).matches(asdict(facts))):
                yield MetricCaution(metric.metric, each.says, each.figure, each.when)


def language_cautions(outcomes: "Outcomes") -> Iterator[MetricCaution]:
    """How many answers are in languages that a metric with values was not compared with people in."""
    for metric in outcomes.scored:
        counts = Counter[str]()
        for (of, flag, _), n in outcomes.flagged.items():
            if of == metric and flag.startswith(LANGUAGE):
                counts[flag.removeprefix(LANGUAGE)] += n
        if counts:
            shown = ", ".join(f"{name} {n:,}" for name, n in counts.most_common(LANGUAGES_SHOWN))
            more = ", …" if len(counts) > LANGUAGES_SHOWN else ""
            of_all = f"{counts.total():,} of {outcomes.n_by_metric[metric]:,} answers"
            says = f"agreement unknown in the language of {of_all} ({shown}{more})"
            yield MetricCaution(metric, says)
