"""What was made, as a report: how many questions of each type, what was rejected and why, and what it cost."""

from collections import Counter
from collections.abc import Mapping

from ragauge.questions.checks import Checked
from ragauge.questions.making import MadeQuestions
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table

MAX_EXAMPLES = 8


def made_report(made: MadeQuestions, output: str = "") -> Report:
    """The verdict, the table of types, the reasons of the rejected ones, and what to do next."""
    wanted, n = sum(made.planned.values()), len(made.kept)
    kept = Counter(each.question.question_type for each in made.kept)
    types = {
        name: {
            "planned": made.planned.get(name, 0),
            "drafts": made.available.get(name, 0),
            "kept": kept[name],
        }
        for name in dict.fromkeys([*made.planned, *kept])
    }
    header = ("type", "planned", "drafts", "kept")
    rows = [(name, *(f"{count:,}" for count in counts.values())) for name, counts in types.items()]
    because: dict[str, list[Checked]] = {}
    for each in made.rejected:
        for problem in each.problems:
            because.setdefault(problem.split(":")[0], []).append(each)
    reasons = sorted(because.items(), key=lambda item: -len(item[1]))
    examples = [
        (reason, f"{len(found):,}", found[0].question.question)
        for reason, found in reasons[:MAX_EXAMPLES]
    ]
    rejects = Table(
        ("rejected because", "questions", "for example"), examples, sides="lrl", wraps=True
    )
    return Report(
        headline=f"{counted(n, 'question')} made{f' of {wanted:,} planned' if n < wanted else ''}, "
        f"{len(made.rejected):,} rejected",
        tables=[Table(header, rows), *([rejects] if made.rejected else [])],
        notes=_notes(made, kept),
        commands=[f"ragauge ask {output} --target app.py:answer"] if output else [],
        data=lambda: {
            "kept": n,
            "rejected": len(made.rejected),
            "types": {name: types[name] for name in made.planned},
            "rejected_because": {reason: len(found) for reason, found in reasons},
            "calls": made.n_calls,
            "cost_usd": made.cost_usd,
        },
    )


def _notes(made: MadeQuestions, kept: Mapping[str, int]) -> list[str]:
    notes: list[str] = []
    short = [f"{name} ({kept[name]} of {n})" for name, n in made.planned.items() if kept[name] < n]
    if short:
        found = ", ".join(short)
        notes.append(f"the documents give fewer questions of these types than planned: {found}")
    problems = made.documents.problems[:5]
    notes += [f"not read: {problem.document}: {problem.reason}" for problem in problems]
    notes += [f"left out: {what}: {count:,}" for what, count in made.documents.left_out.items()]
    if made.n_calls:
        cost = "unknown price; give --price" if made.cost_usd is None else f"${made.cost_usd:,.4f}"
        if made.cost_usd and made.kept:
            cost += f", ${made.cost_usd / len(made.kept):,.5f} for each kept question"
        notes.append(f"{counted(made.n_calls, 'call')}: {cost}")
    return notes + [f"no question from a call: {reason}" for reason in made.failures[:3]]


def plan_report(
    planned: Mapping[str, int], available: Mapping[str, int], n_documents: int, n_passages: int
) -> Report:
    """How many questions of each type are planned, and for how many the documents give a draft or a place."""
    rows = [(name, f"{n:,}", f"{available.get(name, 0):,}") for name, n in planned.items()]
    total = counted(sum(planned.values()), "question")
    where = f"{counted(n_passages, 'passage')} of {counted(n_documents, 'document')}"
    table = Table(("type", "planned", "drafts"), rows)
    return Report(headline=f"{total} planned from {where}", tables=[table])
