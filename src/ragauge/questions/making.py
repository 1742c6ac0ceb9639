"""Make a test set from documents: plan, write, check, keep; and the report of what was made."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from ragauge.documents.reading import Documents
from ragauge.language.detection import language_of
from ragauge.questions.checks import VARIANTS, check, with_also_relevant
from ragauge.questions.derived import derived
from ragauge.questions.evidence import documents_of
from ragauge.questions.modelless import drafts
from ragauge.questions.plan import TYPES, Spread, counts_of
from ragauge.questions.question import NO_ANSWER, Checked, Draft, Question, write_rows
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.config import JudgeConfig
    from ragauge.judges.providers.factory import JudgeLike

N_QUESTIONS = 200
FILLING = ("single fact", "number", "temporal", "list", "table look-up", "yes/no", "cloze")
"""Types that take the place of those of which the documents hold too few; the plain ones in the end."""
RESERVE = 1.15
"""Drafts taken for each question that is still wanted: some are rejected."""
MAX_YES_NO = 0.25
"""The largest share of yes/no questions, unless the plan asks for more."""
MAX_EXAMPLES = 8


@dataclass(frozen=True)
class MadeQuestions:
    """Questions made from documents: those kept, those rejected with the reason, and what was planned.

    `planned`: questions of each type that were asked for. `available`: drafts of each type that the
    documents gave. `cost_usd`: of the calls to a judge, None without one or without a price.
    """

    kept: Sequence[Checked]
    rejected: Sequence[Checked]
    planned: Mapping[str, int]
    available: Mapping[str, int]
    documents: Documents = field(repr=False)
    n_calls: int = 0
    cost_usd: float | None = None
    failures: Sequence[str] = ()

    @property
    def rows(self) -> list[dict[str, object]]:
        """The kept questions as rows that `ask` and `evaluate` read."""
        return [checked.to_row() for checked in self.kept]

    def write(self, path: str | Path) -> None:
        """Write the kept questions to a JSONL file; StoreError if it cannot be written."""
        write_rows(path, self.kept)


def questions(
    documents: "Documents | Sequence[object] | str | Path",
    n: int = N_QUESTIONS,
    *,
    types: Mapping[str, float] | None = None,
    judge: "JudgeLike | JudgeConfig | None" = None,
    encoder: "Encoder | str | None" = None,
    personas: Sequence[str] = (),
    cache: str | Path | None = None,
    seed: int = 0,
) -> MadeQuestions:
    """Make up to `n` questions with references and gold passages from documents; each is checked.

    `documents`: files, folders, or documents of other libraries. `types`: the share of each type of
    question, by default those of `ragauge.questions.plan.TYPES`. Without a `judge` the questions are
    written by rules, which is free and quick, in plain words. With one (a name, a judge or a
    JudgeConfig) it writes them, asked as one of the `personas`; its replies are kept in `cache`, and no reply is paid for twice. With an
    `encoder` the rank of each question's passage under it is measured too. Fewer than `n` are made if the documents hold no more. The same documents, seed and replies give the same
    questions. Raises PlanError for an unknown type, DataError for documents without text.

    >>> import ragauge as rg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "hut.md").write_text("Curlew Hut has 32 beds and opens in May.")
    ...     rows = rg.questions(folder, 1, types={"number": 1}).rows
    >>> rows[0]["question"], rows[0]["references"]
    ('How many beds does Curlew Hut have?', ['32 beds'])
    """
    read = documents_of(documents)
    counts = counts_of(n, TYPES if types is None else types)
    if judge is None:
        made = _by_rules(read, counts, seed)
    else:
        from ragauge.judges.config import judge_config_of
        from ragauge.questions.judge_writer import JudgeWriter

        config = judge_config_of(judge)
        made = JudgeWriter(read, counts, config, cache, seed, personas).questions()
    if encoder is None:
        return made
    from ragauge.questions.model_checks import with_encoder

    return replace(made, kept=with_encoder(made.kept, read, encoder))


def pool(documents: Documents, seed: int) -> list[Draft]:
    """All drafts that the rules find in the documents."""
    simple = drafts(documents)
    return [*simple, *derived(simple, documents.texts, seed)]


def _by_rules(documents: Documents, counts: Mapping[str, int], seed: int) -> MadeQuestions:
    """Take drafts by the plan until each type has its number; then fill up with the types that have more.

    Variants of a question come first, as they use it up: where there are fewer questions than planned, there
    are fewer variants too. Yes/no questions and clozes come last, and of yes/no ones no larger share than planned.
    """
    found, n = pool(documents, seed), sum(counts.values())
    items = [(each.question_type, each.sources[0].passage, each.worth, each) for each in found]
    spread = Spread([item for item in items if item[0] in counts], seed)
    plain = {each.question for each in found if each.question_type in FILLING[:5]}
    held = min(1, len(plain) / n)
    limits = {
        name: ceil(count * held) if name in VARIANTS else count for name, count in counts.items()
    }
    closed = min(max(MAX_YES_NO, counts.get("yes/no", 0) / n), 0.999)
    kept: list[Checked] = []
    rejected: list[Checked] = []
    asked: set[str] = set()

    def take(name: str, n_more: float) -> None:
        if name == "yes/no":
            types = Counter(each.question_type for each in (*questions, *taken))
            most = closed / (1 - closed) * (types.total() - types[name]) or n
            n_more = min(n_more, (most - types[name]) / RESERVE)
        end = len(taken) + n_more * RESERVE
        while len(taken) < end and n_more > 0 and (draft := spread.take(name)) is not None:
            origin = (draft.origin or draft.question).lower()
            if origin not in asked:
                asked.add(origin)
                taken.append(draft.as_question({"writer": "rules", "pattern": draft.pattern}))

    while True:
        questions = [each.question for each in kept]
        have = Counter(each.question_type for each in questions)
        taken: list[Question] = []
        for name in sorted(counts, key=lambda each: (each not in VARIANTS, each == "yes/no")):
            take(name, limits[name] - have[name])
        for name in (each for each in FILLING if each in counts):
            take(name, n - len(questions) - len(taken))
        if not taken:
            break
        checked = with_also_relevant(check([*questions, *taken], documents))
        kept = [each for each in checked if each.sound]
        rejected += [each for each in checked if not each.sound]
    n_drafts = Counter(each.question_type for each in found)
    return MadeQuestions(numbered(kept, counts), rejected, counts, n_drafts, documents)


def numbered(kept: Sequence[Checked], counts: Mapping[str, int]) -> list[Checked]:
    """At most as many as planned, first those that each type asks for, with ids."""
    by_type: dict[str, list[Checked]] = {name: [] for name in counts}
    for each in kept:
        by_type[each.question.question_type].append(each)
    first = [each for name, found in by_type.items() for each in found[: counts[name]]]
    first += [each for name, found in by_type.items() for each in found[counts[name] :]]
    return [
        replace(each, question=replace(each.question, id=f"q{number:03d}"))
        for number, each in enumerate(first[: sum(counts.values())], 1)
    ]


def made_report(made: MadeQuestions, output: str = "") -> Report:
    """The verdict, the table of types, the reasons of the rejected ones, and what to do next."""
    wanted, n = sum(made.planned.values()), len(made.kept)
    kept = Counter(each.question.question_type for each in made.kept)
    columns = ("planned", "drafts", "kept")
    types = {
        name: (made.planned.get(name, 0), made.available.get(name, 0), kept[name])
        for name in dict.fromkeys([*made.planned, *kept])
    }
    because: dict[str, list[str]] = {}
    for each in made.rejected:
        for problem in each.problems:
            because.setdefault(problem.split(":")[0], []).append(each.question.question)
    reasons = sorted(because.items(), key=lambda item: -len(item[1]))
    tables = [
        Table(("type", *columns), [(name, *map("{:,}".format, ns)) for name, ns in types.items()])
    ]
    if made.rejected:
        examples = [(why, f"{len(found):,}", found[0]) for why, found in reasons[:MAX_EXAMPLES]]
        header = ("rejected because", "questions", "for example")
        tables.append(Table(header, examples, sides="lrl", wraps=True))
    planned = f" of {wanted:,} planned" if n < wanted else ""
    return Report(
        headline=f"{counted(n, 'question')} made{planned}, {len(made.rejected):,} rejected",
        tables=tables,
        notes=_notes(made, kept),
        commands=[f"ragauge ask {output} --target app.py:answer"] if output else [],
        data=lambda: {
            "kept": n,
            "rejected": len(made.rejected),
            "types": {name: dict(zip(columns, types[name], strict=True)) for name in made.planned},
            "rejected_because": {reason: len(found) for reason, found in reasons},
            "calls": made.n_calls,
            "cost_usd": made.cost_usd,
        },
    )


def _notes(made: MadeQuestions, kept: Mapping[str, int]) -> list[str]:
    """What the documents lack, what was not read or left out, and what the calls cost."""
    notes: list[str] = []
    short = [f"{name} ({kept[name]} of {n})" for name, n in made.planned.items() if kept[name] < n]
    if short:
        found = ", ".join(short)
        notes.append(f"the documents give fewer questions of these types than planned: {found}")
    n_closed, documents = made.planned.get("yes/no", 0), made.documents
    if not made.n_calls and kept["yes/no"] < n_closed <= made.available.get("yes/no", 0):
        notes.append(
            f"at most {MAX_YES_NO:.0%} are yes/no questions; --types yes/no=… plans a larger share"
        )
    texts = documents.texts.values()
    n_other = sum(language_of(text) not in (None, *NO_ANSWER) for text in texts)
    if n_other and not made.n_calls:
        notes.append(
            f"{n_other:,} of {counted(len(texts), 'document')} in languages of which the rules write no questions"
            " (they know English, German, French, Spanish and Chinese); --judge writes them"
        )
    notes += [f"not read: {each.document}: {each.reason}" for each in documents.problems[:5]]
    notes += [f"left out: {what}: {count:,}" for what, count in documents.left_out.items()]
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
    where = f"{counted(n_passages, 'passage')} of {counted(n_documents, 'document')}"
    headline = f"{counted(sum(planned.values()), 'question')} planned from {where}"
    return Report(headline, tables=[Table(("type", "planned", "drafts"), rows)])
