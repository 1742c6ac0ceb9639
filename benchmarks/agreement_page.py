"""The generated part of docs/agreement.md: tables of how far metrics agree with people."""

from collections.abc import Callable, Iterator, Sequence
from statistics import mean

from agreement_figures import Interval
from agreement_measure import Agreement
from agreement_sets import KINDS
from trust_notes import grade

CLAIMS = {
    "correct": "Is the answer correct?",
    "refusal": "Is the answer a refusal?",
    "supported": "Do the contexts support the answer?",
    "equivalent": "Do two sentences mean the same?",
}
SOURCES = {
    "evouna-nq": "EVOUNA (Wang et al. 2023): questions of Natural Questions, answers of five systems.",
    "financebench numbers": "FinanceBench (Islam et al. 2023): references of one number, four systems.",
    "financebench sentences": "FinanceBench: all other references, mostly a sentence.",
    "financebench refusals": "FinanceBench: refusals among all answers.",
    "sts 2015": "STS 2015: a grade of at least 4 of 5 counts as the same; ρ is Spearman's.",
}
DASH = "–"
FITTED = " †"
"""Marks the figures of a metric on a set that it was fitted on."""


def page(found: Sequence[Agreement]) -> str:
    """All tables, by what people say of the answers: an overview, then every set."""
    parts: list[str] = []
    for claim, title in CLAIMS.items():
        own = [each for each in found if each.claim == claim]
        if own:
            parts.append(f"## {title}\n\n{overview(own)}\n{by_claim(claim, own)}")
    return "\n".join(parts)


def overview(found: Sequence[Agreement]) -> str:
    """A line for each metric, best first: the mean area for each kind of texts."""
    kinds = list(dict.fromkeys(each.kind for each in found))
    if len(kinds) == 1:
        return ""
    metrics = {each.metric for each in found if each.auroc}
    areas = {
        metric: [mean_area([each for each in found if each.metric == metric], k) for k in kinds]
        for metric in metrics
    }
    means = {metric: mean(a for a in own if a is not None) for metric, own in areas.items()}
    head = ("metric", "mean AUROC", "in words", *(KINDS[kind] for kind in kinds))
    lines = [row(head), row(["---"] * len(head))]
    for metric in sorted(metrics, key=lambda metric: (-means[metric], metric)):
        cells = (DASH if area is None else f"{area:.2f}" for area in areas[metric])
        total = means[metric]
        lines.append(row((code(metric), f"{total:.2f}", grade(total), *cells)))
    return "\n".join([*lines, ""])


def mean_area(found: Sequence[Agreement], kind: str) -> float | None:
    """The mean area over the sets of one kind; None if none has an area."""
    areas = [each.auroc.value for each in found if each.auroc and each.kind == kind]
    return mean(areas) if areas else None


def by_claim(claim: str, found: Sequence[Agreement]) -> str:
    if claim == "supported":
        return "\n".join(context_tables(found))
    names = dict.fromkeys(each.set for each in found)
    return "\n".join(
        set_table(name, [each for each in found if each.set == name]) for name in names
    )


def set_table(name: str, found: Sequence[Agreement]) -> str:
    """One set with references: a line for each metric."""
    extra = "Spearman's ρ" if found[0].claim == "equivalent" else "τ over systems"
    head = ("metric", "AUROC (95 %)", "accuracy", "at", extra, "scored")
    lines = [row(head), row(["---"] * len(head))]
    for each in found:
        correlation = each.rho if found[0].claim == "equivalent" else each.tau
        cells = (
            code(each.metric),
            interval(each.auroc, 3) + FITTED * each.is_fitted,
            DASH if each.accuracy is None else f"{each.accuracy:.3f}",
            f"{each.threshold:g}",
            interval(correlation, 2),
            f"{each.n_scored:,}",
        )
        lines.append(row(cells))
    return "\n".join([f"### {name}\n", f"{SOURCES[name]} {size(found[0])}\n", *lines, ""])


def context_tables(found: Sequence[Agreement]) -> Iterator[str]:
    """The sets with contexts: a line for each set, a column for each metric."""
    yield "### AUROC (95 % interval)\n"
    yield grid(found, area_cell)
    limits = {each.metric: each.threshold for each in found}
    shown = ", ".join(f"{code(name)} {limit:g}" for name, limit in limits.items())
    yield f"### Accuracy\n\nThresholds: {shown}.\n"
    yield grid(found, lambda each: DASH if each.accuracy is None else f"{each.accuracy:.2f}")
    with_tau = [each for each in found if each.tau]
    if with_tau:
        yield "### Kendall's τ over systems\n"
        yield grid(with_tau, lambda each: interval(each.tau, 2))


def grid(found: Sequence[Agreement], cell: Callable[[Agreement], str]) -> str:
    metrics = list(dict.fromkeys(each.metric for each in found))
    head = ("set", "answers", "supported", *map(code, metrics))
    lines = [row(head), row(["---"] * len(head))]
    for name in dict.fromkeys(each.set for each in found):
        own = {each.metric: each for each in found if each.set == name}
        first = next(iter(own.values()))
        drawn = f"{first.n:,}" if first.n == first.n_all else f"{first.n:,} of {first.n_all:,}"
        cells = (cell(own[metric]) if metric in own else "" for metric in metrics)
        lines.append(row((name, drawn, f"{first.n_yes / first.n:.0%}", *cells)))
    return "\n".join([*lines, ""])


def area_cell(each: Agreement) -> str:
    """The area with its interval, and the number of scored answers if some have no score."""
    shown = interval(each.auroc, 2) + FITTED * (each.is_fitted and each.auroc is not None)
    is_partial = each.auroc is not None and each.n_scored < each.n
    return f"{shown}, n = {each.n_scored:,}" if is_partial else shown


def size(each: Agreement) -> str:
    """How many answers the set has, of how many systems, and the share that people accept."""
    whole = "" if each.n == each.n_all else f" (drawn from {each.n_all:,})"
    systems = f" of {each.n_systems} systems" if each.n_systems > 1 else ""
    thing = "pairs" if each.claim == "equivalent" else "answers"
    return f"{each.n:,} {thing}{systems}{whole}; label yes: {each.n_yes / each.n:.0%}."


def interval(estimate: Interval | None, digits: int) -> str:
    if estimate is None:
        return DASH
    return f"{estimate.value:.{digits}f} ({estimate.low:.2f} to {estimate.high:.2f})"


def code(label: str) -> str:
    return f"`{label}`"


def row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
