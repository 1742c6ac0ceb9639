"""What the package keeps of the agreement with people: `src/ragauge/metrics/trust.toml`, made from the figures.

The sentences and conditions follow from the figures by the rules below; nothing is written by hand.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from statistics import mean

from agreement_measure import ANSWER_ALONE, WITH_QUESTIONS, Agreement
from agreement_sets import KINDS

CHANCE = 0.65
"""Metrics with a mean area below this hardly tell one label from the other."""
LEAST_TAU = 0.3
"""Below this, more than a third of the pairs of systems have the wrong order."""
FAIR_TAU = 0.5
SHORT_REFERENCES = "reference_words < 5 and longest_answer_words > 20 and n_systems > 1"
"""The texts of evouna-nq: its references have a median of 2 words, and the most verbose system 34."""
GRADES = {0.6: "near chance", 0.7: "weak", 0.8: "fair", 0.9: "good", 1.01: "very good"}
"""Words for areas below each bound."""
NOT_MEANT = {*WITH_QUESTIONS, *ANSWER_ALONE}
"""Metrics that do not claim to find correct or supported answers: no caution if they do not."""
OWN_CLAIM = {"number_precision": "supported", "correct": "correct"}
"""What a metric claims, where it was measured on several claims."""
LANGUAGES = {"correct": ["en"], "support": ["en"]}
"""The languages of the labelled sets, for the metrics whose scores are marked in other languages."""

HEAD = """# How far each metric agrees with people. Generated, do not edit:
#
#     RAGAUGE_DATA=… python benchmarks/agreement.py --write
#
# docs/agreement.md has the sets, all figures and how to read them. Read by `trust.py`.

"""


def trust_toml(found: Sequence[Agreement]) -> str:
    """The file of notes, figures and cautions, by metric."""
    by_metric: dict[str, list[Agreement]] = {}
    for each in found:
        if each.auroc is not None:
            by_metric.setdefault(each.metric.partition("(")[0], []).append(each)
    parts = [HEAD]
    for name, own in sorted(by_metric.items()):
        day = date.today().isoformat()
        parts.append(f"\n[metrics.{name}]\nmeasured_on = {day}\n")
        if name in LANGUAGES:
            parts.append(f"languages = {text(LANGUAGES[name])}\n")
        parts.append(f"note = {text(note(name, own))}\n")
        # What the metric claims itself first: Trust.auroc is about the first claim.
        ordered = sorted(own, key=lambda each: each not in claimed(name, own))
        parts.append(rows("measured", map(measured, groups(ordered))))
        parts.append(rows("cautions", cautions(name, own)))
    return "".join(parts)


def groups(found: Sequence[Agreement]) -> list[Sequence[Agreement]]:
    """The agreements of one label, kind and claim together; the default settings first."""
    together: dict[tuple[str, str, str], list[Agreement]] = {}
    for each in found:
        together.setdefault((each.metric, each.kind, each.claim), []).append(each)
    ordered = sorted(together.items(), key=lambda group: "(" in group[0][0])
    return [group for _, group in ordered]


def measured(group: Sequence[Agreement]) -> dict[str, object]:
    first = group[0]
    areas = [round(each.auroc.value, 2) for each in group if each.auroc]
    taus = [each.tau.value for each in group if each.tau]
    row: dict[str, object] = {
        "label": first.metric,
        "version": first.version,
        "kind": KINDS[first.kind],
        "claim": first.claim,
        "sets": [each.set for each in group],
        "n": sum(each.n_scored for each in group),
        "auroc": [min(areas), max(areas)],
    }
    if any(each.is_fitted for each in group):
        row["is_fitted"] = True
    if taus:
        row["n_systems"] = max(each.n_systems for each in group)
        row["tau"] = round(mean(taus), 2)
    return row


def claimed(name: str, found: Iterable[Agreement]) -> list[Agreement]:
    """The agreements with what the metric itself claims; all if it claims nothing of the kind."""
    own = list(found)
    claim = OWN_CLAIM.get(name)
    return [each for each in own if each.claim == claim] if claim else own


def by_default(name: str, found: Sequence[Agreement]) -> list[Agreement]:
    """The agreements with default settings."""
    return [each for each in found if each.metric == name]


def note(name: str, found: Sequence[Agreement]) -> str:
    """One sentence: how well the default settings find what people call correct, by kind of texts."""
    own = by_default(name, claimed(name, found))
    by_grade: dict[str, list[str]] = {}
    for group in groups(own):
        area = mean(each.auroc.value for each in group if each.auroc)
        fitted = ", fitted on these" if any(each.is_fitted for each in group) else ""
        shown = f"{KINDS[group[0].kind]} ({area:.2f}{fitted})"
        by_grade.setdefault(grade(area), []).append(shown)
    order = list(GRADES.values())[::-1]
    parts = [f"{word} on {', '.join(by_grade[word])}" for word in order if word in by_grade]
    claims = " or ".join(dict.fromkeys(each.claim for each in own))
    article = "refusals" if claims == "refusal" else f"{claims} {noun(claims)}"
    sentence = f"Tells {article} from others (AUROC): {'; '.join(parts)}."
    correct = (group for group in groups(own) if group[0].claim == "correct")
    taus = [
        f"{each.tau.value:.2f} on {KINDS[each.kind]}"
        for group in correct
        for each in group
        if each.tau
    ]
    if not taus:
        return sentence
    return f"{sentence} Ranking of systems (Kendall's tau): {', '.join(taus)}."


def noun(claims: str) -> str:
    return "sentences" if claims == "equivalent" else "answers"


def grade(area: float) -> str:
    return next(word for bound, word in GRADES.items() if area < bound)


def cautions(name: str, found: Sequence[Agreement]) -> Iterator[dict[str, object]]:
    """The uses of a metric that mislead, by the rules of this module."""
    if name in NOT_MEANT:
        return
    own = [each for each in claimed(name, found) if each.claim != "equivalent"]
    for label in dict.fromkeys(each.metric for each in own):
        of_label = [each for each in own if each.metric == label]
        yield from chance_caution(label, of_label, all_settings=label == name)
        yield from system_caution(label, of_label)


def chance_caution(
    label: str, found: Sequence[Agreement], *, all_settings: bool
) -> Iterator[dict[str, object]]:
    """A caution against a metric that hardly finds what it claims to find, whatever the texts."""
    area = mean(each.auroc.value for each in found if each.auroc)
    claim = found[0].claim
    if claim == "correct" or area >= CHANCE:
        return
    wanted = "refusals" if claim == "refusal" else f"{claim} answers"
    yield {
        "label": label,
        "when": "",
        "figure": f"AUROC {area:.2f}",
        "says": f"hardly better than chance (0.5) at telling {wanted} from others",
        "all_settings": all_settings,
    }


def system_caution(label: str, found: Sequence[Agreement]) -> Iterator[dict[str, object]]:
    """A caution against comparing systems by a metric that ranks them unlike people.

    Without a condition if it fails on several kinds of references, so that their length is not the reason.
    """
    taus = {each.kind: each.tau.value for each in found if each.tau and each.claim == "correct"}
    if not taus:
        return
    n_low = sum(tau < FAIR_TAU for tau in taus.values())
    if n_low > 1 and mean(taus.values()) < LEAST_TAU:
        yield {
            "label": label,
            "when": "n_systems > 1",
            "figure": f"τ {mean(taus.values()):.2f}",
            "says": "ranked systems unlike people on the labelled sets; do not rely on it to compare systems",
        }
    elif taus.get("entity", 1.0) < LEAST_TAU:
        yield {
            "label": label,
            "when": SHORT_REFERENCES,
            "figure": f"τ {taus['entity']:.2f}",
            "says": "ranked systems unlike people where references are short and answers long",
        }


def rows(name: str, tables: Iterable[Mapping[str, object]]) -> str:
    """An array of inline tables, a row each; nothing for no rows."""
    lines = [
        f"  {{ {', '.join(f'{key} = {text(value)}' for key, value in table.items())} }},\n"
        for table in tables
    ]
    return f"{name} = [\n{''.join(lines)}]\n" if lines else ""


def text(value: object) -> str:
    """A value in TOML, whose texts, numbers and lists have the syntax of JSON."""
    return json.dumps(value, ensure_ascii=False)
