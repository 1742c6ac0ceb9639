"""How steady systems are, as people read it."""

from collections.abc import Mapping, Sequence
from math import sqrt

from ragauge.report.plain import counted
from ragauge.report.report import Report, Table
from ragauge.runs.numbers import DASH
from ragauge.runs.steadiness import Steadiness

NOT_WORTH = 0.95
"""Doubling something that leaves more of the standard error than this narrows nothing."""


def steadiness_lines(found: Sequence[Steadiness], names: Mapping[str, str]) -> list[str]:
    """Three lines for each system: how often it passes, where its values vary, and what would narrow the interval."""
    lines: list[str] = []
    for each in found:
        name = names.get(each.system, each.system)
        lines.append(
            f"{name}, {each.k} repeats, {each.metric} passes at {each.threshold:g}: {each.pass_one:.2f} of "
            f"answers, pass^{each.k} {each.pass_all:.2f}, pass@{each.k} {each.pass_any:.2f}"
        )
        if (parts := each.components) is not None:
            # Whether more questions or more repeats narrow the interval, and to what.
            advice = "no repeat differs"
            if now := parts.error():
                questions, repeats = (parts.error(questions=2) / now, parts.error(repeats=2) / now)
                by_repeats = f"to {repeats:.0%}" if repeats < NOT_WORTH else "hardly"
                advice = f"twice the questions narrow the interval to {questions:.0%}, twice the repeats {by_repeats}"
            within, between = sqrt(parts.within), sqrt(parts.between)
            lines += [
                f"{name}: varies by {within:.2f} within a question, {between:.2f} between",
                f"{name}: {advice}",
            ]
    return lines


def steadiness_report(found: Sequence[Steadiness]) -> Report:
    """A row for each system: how often it passes once, in any and in all repeats, and how values vary."""
    k = found[0].k
    header = ("system", "pass@1", f"pass@{k}", f"pass^{k}", "changing", "within", "between")
    rows: list[tuple[str, ...]] = []
    for each in found:
        parts = each.components
        spread = (DASH, DASH) if parts is None else (sqrt(parts.within), sqrt(parts.between))
        passes = (each.pass_one, each.pass_any, each.pass_all)
        rows.append(
            (
                each.system,
                *(f"{share:.3f}" for share in passes),
                f"{each.n_changing:,} of {each.n_questions:,}",
                *(it if isinstance(it, str) else f"{it:.3f}" for it in spread),
            )
        )
    title = f"{found[0].metric} passes at {found[0].threshold:g}, {k} repeats"
    return Report(title, tables=[Table(header, rows, sides="lrrrrrr")])


def unsteady(each: Steadiness) -> str:
    """That answers change from repeat to repeat; empty where none does."""
    if not each.n_changing:
        return ""
    n = counted(each.n_questions, "question")
    return f"It is not steady: {each.n_changing:,} of {n} pass only in some of {each.k} repeats."
