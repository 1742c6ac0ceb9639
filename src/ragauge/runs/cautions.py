"""Which metrics of a run are used where they are known to mislead, by the lengths of its texts."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeGuard, cast

from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.runs.manifest import Manifest, MetricDisplay
from ragauge.samples.samples import Samples
from ragauge.score import LANGUAGE
from ragauge.trust import Caution, trust_in
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.runs.outcomes import Outcomes

WORDS = "words"
"""Key of the lengths in `Manifest.data`."""
LANGUAGES_SHOWN = 5
"""Most languages that a caution lists, the most frequent ones."""
UNMEASURED_SETTINGS = {
    "model",
    "layer",
    "precision",
    "long_text",
    "on_empty",
    "on_nothing_expected",
}
"""Settings that name the encoder or the score of an empty text: a caution holds whatever their values."""


@dataclass(frozen=True, slots=True)
class MetricCaution:
    """Why the scores of a metric may mislead in this run.

    `metric` is its label in the scores. `figure` is the measured number behind the caution, if any, `when`
    the condition that holds in this run; it is empty if the caution always holds.
    """

    metric: str
    says: str
    figure: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the conditions of cautions refer to; None if the samples have no such texts.

    `reference_words` is the median length of the references. `longest_answer_words` is the highest of
    the systems' median lengths of answers.
    """

    n_systems: int
    reference_words: float | None
    longest_answer_words: float | None

    @classmethod
    def of(cls, manifest: Manifest) -> "Facts | None":
        """The facts that the manifest stores; None for a run that an earlier version made."""
        stored = manifest.data.get(WORDS)
        if not isinstance(stored, dict):
            return None
        words = cast(Mapping[str, object], stored)
        by_system = words.get("answers")
        answers = cast(Mapping[str, object], by_system if isinstance(by_system, dict) else {})
        medians = [value for value in answers.values() if _is_number(value)]
        references = words.get("references")
        return cls(
            len(answers),
            references if _is_number(references) else None,
            max(medians, default=None),
        )


def _is_number(value: object) -> "TypeGuard[float]":
    return isinstance(value, int | float) and not isinstance(value, bool)


def median_words(samples: Samples) -> dict[str, object]:
    """The median number of words of the references, and of each system's answers, for the manifest.

    Every answer to a question repeats its references: the systems weigh the same.
    """
    import polars as pl

    words = r"\S+"
    columns = [name for name in ("references", "answer") if name in samples.columns]
    references: Counter[int] = Counter()
    answers: dict[str, Counter[int]] = {system: Counter() for system in samples.systems}
    for piece in samples.pieces(["system", *columns]):
        if "references" in columns:
            n_words = piece["references"].explode().str.count_matches(words)
            references.update(cast("list[int]", n_words.drop_nulls().to_list()))
        if "answer" in columns:
            counted = piece.select("system", n=pl.col("answer").str.count_matches(words))
            for system, n in counted.drop_nulls().iter_rows():
                answers[system][n] += 1
    own = {system: _median(found) for system, found in sorted(answers.items())}
    return {"references": _median(references), "answers": own}


def _median(counts: "Counter[int]") -> float | None:
    """The median of numbers of which each occurs so often; None of none."""
    n, seen, middle = counts.total(), 0, list[int]()
    for value in sorted(counts):
        seen += counts[value]
        while len(middle) < 2 and seen > (n - 1 + len(middle)) // 2:
            middle.append(value)
    return sum(middle) / 2 if middle else None


def cautions_of(manifest: Manifest, scored: Collection[str]) -> tuple[MetricCaution, ...]:
    """The cautions whose conditions hold in the run, about the metrics that `scored` lists, in its order."""
    facts = Facts.of(manifest)
    if facts is None:
        return ()
    values = asdict(facts)
    return tuple(
        MetricCaution(metric.metric, caution.says, caution.figure, caution.when)
        for metric in manifest.metrics
        if metric.metric in scored
        for caution in _known(metric)
        if not caution.when or Filter.parse(caution.when).matches(values)
    )


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


def _known(display: MetricDisplay) -> Iterator[Caution]:
    """The cautions about a metric with these settings."""
    try:
        label = Label.parse(display.metric)
    except LabelError:  # a check's name
        return
    # By name and not from the catalogue, whose import takes as long as the rest of a report.
    trust = trust_in(label.name)
    if trust is None:
        return
    others = {k: v for k, v in label.settings.items() if k not in UNMEASURED_SETTINGS}
    own = str(Label(label.name, others))
    for caution in trust.cautions:
        if caution.all_settings or caution.label == own:
            yield caution
