"""What was made, as a report: how many questions of each type, what was rejected and why, and what it cost."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ragauge.questions.checks import Checked
from ragauge.questions.making import MadeQuestions
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table

MAX_EXAMPLES = 8


def made_report(made: MadeQuestions, output: str = "") -> Report:
    """The verdict, the table of types, the reasons of the rejected ones, and what to do next."""
    wanted = sum(made.planned.values())
    n = len(made.kept)
    tables = [_by_type(made)]
    if made.rejected:
        tables.append(_rejects(made.rejected))
    commands = []
    if output:
        commands = [f"ragauge ask {output} --target app.py:answer"]
    return Report(
        headline=f"{counted(n, 'question')} made{f' of {wanted:,} planned' if n < wanted else ''}, "
        f"{len(made.rejected):,} rejected",
        tables=tables,
        notes=_notes(made),
        commands=commands,
        data=lambda: _data(made),
    )


def _data(made: MadeQuestions) -> dict[str, object]:
    kept = Counter(each.question.question_type for each in made.kept)
    return {
        "kept": len(made.kept),
        "rejected": len(made.rejected),
        "types": {
            name: {"planned": count, "drafts": made.available.get(name, 0), "kept": kept[name]}
            for name, count in made.planned.items()
        },
        "rejected_because": dict(_reasons(made.rejected)),
        "calls": made.n_calls,
        "cost_usd": made.cost_usd,
    }


def _by_type(made: MadeQuestions) -> Table:
    kept = Counter(each.question.question_type for each in made.kept)
    names = [*made.planned, *(name for name in kept if name not in made.planned)]
    rows = [
        (
            name,
            f"{made.planned.get(name, 0):,}",
            f"{made.available.get(name, 0):,}",
            f"{kept[name]:,}",
        )
        for name in names
    ]
    return Table(("type", "planned", "drafts", "kept"), rows)


def _reasons(rejected: Sequence[Checked]) -> list[tuple[str, int]]:
    return Counter(
        problem.split(":")[0] for each in rejected for problem in each.problems
    ).most_common()


def _rejects(rejected: Sequence[Checked]) -> Table:
    rows: list[Sequence[str]] = []
    for reason, count in _reasons(rejected)[:MAX_EXAMPLES]:
        example = next(
            each
            for each in rejected
            if any(problem.split(":")[0] == reason for problem in each.problems)
        )
        rows.append((reason, f"{count:,}", example.question.question))
    return Table(("rejected because", "questions", "for example"), rows, sides="lrl", wraps=True)


def _notes(made: MadeQuestions) -> list[str]:
    notes: list[str] = []
    kept = Counter(each.question.question_type for each in made.kept)
    short = [name for name, count in made.planned.items() if kept[name] < count]
    if short:
        found = ", ".join(f"{name} ({kept[name]} of {made.planned[name]})" for name in short)
        notes.append(f"the documents give fewer questions of these types than planned: {found}")
    problems = made.documents.problems[:5]
    notes += [f"not read: {problem.document}: {problem.reason}" for problem in problems]
    notes += [f"left out: {what}: {count:,}" for what, count in made.documents.left_out.items()]
    if made.n_calls:
        cost = "unknown price; give --price" if made.cost_usd is None else f"${made.cost_usd:,.4f}"
        each = (
            f", ${made.cost_usd / len(made.kept):,.5f} for each kept question"
            if made.cost_usd and made.kept
            else ""
        )
        notes.append(f"{counted(made.n_calls, 'call')}: {cost}{each}")
    notes += [f"no question from a call: {reason}" for reason in made.failures[:3]]
    return notes


def plan_report(
    planned: Mapping[str, int], available: Mapping[str, int], n_documents: int, n_passages: int
) -> Report:
    """How many questions of each type are planned, and for how many the documents give a draft or a place."""
    rows = [(name, f"{n:,}", f"{available.get(name, 0):,}") for name, n in planned.items()]
    total = counted(sum(planned.values()), "question")
    where = f"{counted(n_passages, 'passage')} of {counted(n_documents, 'document')}"
    return Report(
        headline=f"{total} planned from {where}",
        tables=[Table(("type", "planned", "drafts"), rows)],
    )
