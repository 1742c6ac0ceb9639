"""Which metrics of a run are used where they are known to mislead, by the lengths of its texts."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING

from ragauge.errors import LabelError
from ragauge.label import Label
from ragauge.runs.fields import read_dataclass
from ragauge.runs.manifest import Manifest
from ragauge.samples.samples import Samples
from ragauge.score import LANGUAGE
from ragauge.trust import trust_in
from ragauge.where import Filter

if TYPE_CHECKING:
    from ragauge.runs.outcomes import Outcomes

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
