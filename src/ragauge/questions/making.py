"""Make a test set from documents: plan, write, check, keep; and the report of what was made."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

from ragauge.documents.passage import Passage
from ragauge.documents.reading import Documents
from ragauge.errors import PlanError, did_you_mean
from ragauge.language.detection import language_of
from ragauge.questions.checks import VARIANTS, check, with_also_relevant
from ragauge.questions.derived import derived
from ragauge.questions.evidence import documents_of
from ragauge.questions.modelless import drafts
from ragauge.questions.question import NO_ANSWER, Checked, Draft, Question, write_rows
from ragauge.report.plain import counted
from ragauge.report.report import Report, Table, figure

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.config import JudgeConfig
    from ragauge.judges.providers.factory import JudgeLike

TYPES: Mapping[str, float] = {
    "single fact": 26,
    "number": 14,
    "temporal": 10,
    "list": 8,
    "yes/no": 10,
    "table look-up": 8,
    "comparison": 5,
    "multi-hop": 5,
    "unanswerable": 6,
    "follow-up": 2,
    "misspelt": 2,
    "ambiguous": 2,
    "terse": 0,
    "cloze": 0,
}
"""The types of questions, with their usual shares in percent; terse ones and clozes are written only if asked for."""
OF_JUDGE = ("multi-hop", "ambiguous")
"""Types that only a judge writes."""
ONLY_OF_JUDGE = (
    f"only a judge model writes {' and '.join(OF_JUDGE)} questions; name one, as in --judge gpt-4o-mini,"
    f" or add types that rules write: {', '.join(name for name in TYPES if name not in OF_JUDGE)}"
)
T = TypeVar("T")
N_QUESTIONS = 200
FILLING = ("single fact", "number", "temporal", "list", "table look-up")
"""Types that take the place of those of which the documents hold too few."""
RESERVE = 1.15
MAX_EXAMPLES = 8


def read_types(given: str) -> Mapping[str, float]:
    """Shares by type: `number=2,list=1`, or only names for equal shares. PlanError lists all problems.

    >>> read_types("number=3,list")
    {'number': 3.0, 'list': 1.0}
    """
    shares: dict[str, float] = {}
    problems: list[str] = []
    for part in given.split(","):
        name, _, share = (each.strip() for each in part.partition("="))
        if name not in TYPES:
            hint = did_you_mean(name, TYPES) or f"; they are {', '.join(TYPES)}"
            problems.append(f"no type of question is named {name!r}{hint}")
            continue
        if name in shares:
            problems.append(f"{name!r} is given twice")
        try:
            shares[name] = float(share or 1)
        except ValueError:
            shares[name] = -1
        if not 0 < shares[name] < float("inf"):
            problems.append(f"the share of {name!r} must be a number above 0, got {share!r}")
    if problems:
        raise PlanError(problems)
    return shares


def counts_of(n: int, shares: Mapping[str, float]) -> dict[str, int]:
    """How many questions of each type: the largest remainders round up, so that they sum to n.

    >>> counts_of(10, {"number": 2, "list": 1})
    {'number': 7, 'list': 3}
    """
    total = sum(shares.values())
    exact = {name: n * share / total for name, share in shares.items()}
    counts = {name: int(number) for name, number in exact.items()}
    by_remainder = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in by_remainder[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


class Spread(Generic[T]):
    """Items in an order that covers documents, headings and passages evenly.

    An item has a type, a passage and a worth. `take` gives the next item of a type from what was used least
    so far, and of that the best. Equal seeds give equal orders.
    """

    def __init__(self, items: Sequence[tuple[str, Passage, float, T]], seed: int) -> None:
        random = Random(f"{seed} spread")
        # The best of each passage first, then the second of each.
        seen: Counter[tuple[str, str]] = Counter()
        ranked: list[tuple[int, str, Passage, T, float]] = []
        for name, passage, worth, item in sorted(
            items, key=lambda each: (-each[2], random.random())
        ):
            ranked.append((seen[name, passage.id], name, passage, item, worth))
            seen[name, passage.id] += 1
        ranked.sort(key=lambda each: each[0])
        self._queues: dict[str, dict[str, list[tuple[Passage, T, float]]]] = defaultdict(dict)
        for _, name, passage, item, worth in ranked:
            self._queues[name].setdefault(passage.document, []).append((passage, item, worth))
        documents = sorted({passage.document for _, passage, _, _ in items})
        self._order = {document: random.random() for document in documents}
        self._used: Counter[tuple[str, ...]] = Counter()

    def take(self, name: str) -> T | None:
        """The next item of a type; None if there are no more."""
        queues, used = self._queues[name], self._used
        if not queues:
            return None
        # Of the documents that were used least, the one with the best item.
        document = min(
            queues, key=lambda each: (used[each,], -queues[each][0][2], self._order[each])
        )
        taken = min(
            queues[document][:12],
            key=lambda each: (used["", each[0].id], used[document, each[0].heading]),
        )
        passage, item, _ = taken
        queues[document].remove(taken)
        used.update(((document,), (document, passage.heading), ("", passage.id)))
        if not queues[document]:
            del queues[document]
        return item


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
    question, by default those of `ragauge.questions.making.TYPES`. Without a `judge` the questions are
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
    counts = counts_of(n, TYPES if types is None else types)
    if judge is None and set(OF_JUDGE).issuperset(counts):
        raise PlanError(ONLY_OF_JUDGE)
    read = documents_of(documents)
    if judge is None:
        made = _by_rules(read, counts, seed)
    else:
        from ragauge.judges.config import judge_config_of
        from ragauge.questions.models import JudgeWriter

        config = judge_config_of(judge)
        made = JudgeWriter(read, counts, config, cache, seed, personas).questions()
    if encoder is None:
        return made
    from ragauge.questions.models import with_encoder

    return replace(made, kept=with_encoder(made.kept, read, encoder))


def pool(documents: Documents, seed: int) -> list[Draft]:
    """All drafts that the rules find in the documents."""
    simple = drafts(documents)
    return [*simple, *derived(simple, documents.texts, seed)]


def _by_rules(documents: Documents, counts: Mapping[str, int], seed: int) -> MadeQuestions:
    """Take drafts by the plan; then fill up with the types that have more.

    Of the other types there are no more than their share beside these: with half of them half as many.
    """
    found, n = pool(documents, seed), sum(counts.values())
    items = [(each.question_type, each.sources[0].passage, each.worth, each) for each in found]
    spread = Spread([item for item in items if item[0] in counts], seed)
    n_plain = sum(counts.get(name, 0) for name in FILLING)
    plain = {each.question for each in found if each.question_type in FILLING}
    held = min(1, len(plain) / n_plain) if n_plain else 1
    limits = {
        name: count if name in FILLING else ceil(count * held) for name, count in counts.items()
    }
    kept: list[Checked] = []
    rejected: list[Checked] = []
    asked: set[str] = set()

    def take(name: str, n_more: float) -> None:
        end = len(taken) + RESERVE * n_more
        while len(taken) < end and n_more > 0 and (draft := spread.take(name)) is not None:
            origin = (draft.origin or draft.question).lower()
            if origin not in asked:
                asked.add(origin)
                taken.append(draft.as_question({"writer": "rules", "pattern": draft.pattern}))

    while True:
        questions = [each.question for each in kept]
        have = Counter(each.question_type for each in questions)
        taken: list[Question] = []
        for name in sorted(counts, key=lambda each: each not in VARIANTS):
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
    tables = [Table(("type", *columns), [(name, *map(figure, ns)) for name, ns in types.items()])]
    if made.rejected:
        examples = [(why, figure(len(found)), found[0]) for why, found in reasons[:MAX_EXAMPLES]]
        header = ("rejected because", "questions", "for example")
        tables.append(Table(header, examples, sides="lrl", wraps=True))
    planned = f" of {wanted:,} planned" if n < wanted else ""
    return Report(
        headline=f"{counted(n, 'question')} made{planned}, {len(made.rejected):,} rejected",
        tables=tables,
        notes=_notes(made, kept),
        commands=[f"ragauge ask {output} --target app.py:answer"] if output and n else [],
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
    documents = made.documents
    texts = documents.texts.values()
    if len(made.kept) < sum(made.planned.values()):
        words = counted(sum(len(text.split()) for text in texts), "word")
        held = f"{words} in {counted(len(texts), 'document')} give no more questions"
        sure = " by rules, which leave out what they are not sure of; add documents, or --judge"
        notes.append(held + ("" if made.n_calls else sure))
    of_judge = [name for name in OF_JUDGE if made.planned.get(name)]
    if of_judge and not made.n_calls:
        notes.append(f"only a judge model writes these types: {', '.join(of_judge)}; add --judge")
    n_other = sum(language_of(text) not in (None, *NO_ANSWER) for text in texts)
    if n_other and not made.n_calls:
        notes.append(
            f"{n_other:,} of {counted(len(texts), 'document')} in languages of which the rules write no questions"
            " (they know English, German, French, Spanish and Chinese); --judge writes them"
        )
    notes += [f"not read: {each}" for each in documents.problems[:5]]
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
    rows = [(name, figure(n), figure(available.get(name, 0))) for name, n in planned.items()]
    where = f"{counted(n_passages, 'passage')} of {counted(n_documents, 'document')}"
    headline = f"{counted(sum(planned.values()), 'question')} planned from {where}"
    return Report(headline, tables=[Table(("type", "planned", "drafts"), rows)])
