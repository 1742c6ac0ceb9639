"""Check a test set against documents: how many of its questions are sound, and what is wrong with the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from ragauge.documents.reading import Documents
from ragauge.questions.checks import check
from ragauge.questions.evidence import documents_of
from ragauge.questions.loading import read_questions
from ragauge.questions.people import QuestionLabel, people_report
from ragauge.questions.question import MEASURES, Checked, CheckResult, write_rows
from ragauge.report.plain import counted, shortened
from ragauge.report.report import Items, Records, Report, Table

if TYPE_CHECKING:
    from ragauge.encoders.protocol import Encoder
    from ragauge.judges.config import JudgeConfig
    from ragauge.judges.providers.factory import JudgeLike

PROBLEMS = {
    "malformed": ("no question, no answer to it, or a wrong span", "is malformed", "are malformed"),
    "not_standalone": ("means nothing without its passage", "does not stand alone", "do not stand alone"),
    "answer_not_in_documents": ("its passage does not state its answer", "has no answer in its passage", "have no answer in their passage"),
    "contradicted": ("a passage states something else", "is contradicted", "are contradicted"),
    "also_answered_elsewhere": ("`relevant` lacks passages that answer it", "is also answered elsewhere", "are also answered elsewhere"),
    "answerable_after_all": ("a passage answers what should have no answer", "can be answered after all", "can be answered after all"),
    "duplicate": ("asks what an earlier question asks", "is a duplicate", "are duplicates"),
    "known_without_documents": ("a model answers it without the documents", "is known without the documents", "are known without the documents"),
}  # fmt: skip
"""The problems of a question as users read them: what each means, and the words for one and for several questions."""
N_EXAMPLE = 60


@dataclass(frozen=True)
class CheckedQuestions:
    """A test set with the checks of each question.

    A question is sound where no check found a problem. `documents` are those that it was checked against.
    """

    checked: Sequence[Checked]
    documents: Documents = field(repr=False)
    source: str = "questions"
    labels: Sequence[QuestionLabel] = ()
    """What people say of them."""

    @property
    def n_sound(self) -> int:
        """The number of sound questions."""
        return sum(each.sound for each in self.checked)

    @property
    def share_sound(self) -> float:
        """The share of sound questions, in [0, 1]."""
        return self.n_sound / len(self.checked)

    @property
    def rows(self) -> list[dict[str, object]]:
        """The questions as rows, with `sound`, `problems` and the value of each check."""
        return [each.to_row() for each in self.checked]

    def write(self, path: str | Path) -> None:
        """Write the rows to a JSONL file; StoreError if it cannot be written."""
        write_rows(path, self.checked)

    @cached_property
    def _problems(self) -> list[tuple[str, int, str]]:
        """Each problem with the number of questions that have it and the first of them, the most frequent first."""
        by_name: dict[str, list[Checked]] = {}
        for each in self.checked:
            for name in each.problems:
                by_name.setdefault(name, []).append(each)
        found = sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0]))
        return [
            (name, len(some), f"{some[0].question.id} {_shown(some[0])!r}") for name, some in found
        ]

    @property
    def headline(self) -> str:
        """How many are sound, and what is wrong with the others, most frequent first, with an example."""
        n = len(self.checked)
        verb = "is" if 1 in (n, self.n_sound) else "are"
        parts = [f"{self.n_sound:,} of {counted(n, 'question')} {verb} sound"]
        for name, n_found, shown in self._problems:
            example = f", e.g. {shown}" if len(parts) == 1 else ""
            parts.append(f"{n_found:,} {PROBLEMS[name][1 + (n_found > 1)]}{example}")
        return "; ".join(parts) + "."

    @property
    def report(self) -> Report:
        """The verdict, each problem with an example, what was checked, and how hard the questions are."""
        problems = [(name, PROBLEMS[name][0], shown, str(n)) for name, n, shown in self._problems]
        header = ("problem", "meaning", "example", "questions")
        statuses = ("ok", "problem", "not checked")
        counts: dict[str, Counter[str]] = {}
        for each in self.checked:
            for name, result in each.checks.items():
                if name not in MEASURES:
                    counts.setdefault(name, Counter())[result.status] += 1
        checks = [(name, *(str(n[each]) for each in statuses)) for name, n in counts.items()]
        tables = [
            Table(header, problems, n_names=3, gives_way=[(1,), (2,)], title="Problems"),
            Table(("check", *statuses), checks, title="Checks"),
            _difficulty(self.checked),
        ]
        unsound = [
            (f"{'; '.join(each.reasons)}: {_shown(each)}", each.question.id)
            for each in self.checked
            if not each.sound
        ]
        documents = self.documents
        passages = counted(len(documents.passages), "passage")
        read = f"checked against {passages} of {counted(len(documents.texts), 'document')}"
        left_out = ", ".join(f"{n:,} {what}" for what, n in documents.left_out.items())
        notes = [f"{read}; left out: {left_out}" if left_out else read]
        notes += map(str, documents.problems)
        if self.labels:
            people = people_report([each.question for each in self.checked], self.labels)
            tables += people.tables
            notes = [people.headline, *people.notes, *notes]
        return Report(
            self.headline,
            tables=[table for table in tables if table.rows],
            notes=notes,
            items=[Items("Not sound", unsound)] if unsound else [],
            records=self._records,
            data=lambda: {"sound": self.n_sound, "n": len(self.checked), "questions": self.rows},
            notes_shown=5,
        )

    def _records(self) -> Records:
        names = list(dict.fromkeys(name for each in self.checked for name in each.checks))
        header = ["id", "question", "question_type", "hops", "sound", "problems", "reasons", *names]
        return header, (
            (
                *(getattr(each.question, name) for name in header[:4]),
                *(each.sound, " ".join(each.problems), "; ".join(each.reasons)),
                *map(each.cell, names),
            )
            for each in self.checked
        )


def _difficulty(checked: Sequence[Checked]) -> Table:
    none = CheckResult("not checked")
    located = [each.checks for each in checked if each.checks.get("bm25_rank", none).status == "ok"]
    n = len(located)
    rows: list[tuple[str, str]] = []

    def values(name: str) -> list[float]:
        found = (checks.get(name, none).value for checks in located)
        return [value for value in found if value is not None]

    for name, ranking in (("bm25_rank", "BM25"), ("encoder_rank", "the encoder")):
        if ranks := values(name):
            first = sum(rank <= 10 for rank in ranks)
            rows.append((f"its passage is first by {ranking}", f"{ranks.count(1) / n:.0%}"))
            rows.append((f"its passage is among the first 10 by {ranking}", f"{first / n:.0%}"))
    if located:
        overlaps = values("overlap")
        shared = f"{median(overlaps):.0%}" if overlaps else "–"
        rows.append(("words of the question in its passage (median)", shared))
        rows.append(("words of the question (median)", f"{median(values('n_words')):.0f}"))
    return Table(("difficulty", f"of {n:,}"), rows, title="Difficulty")


def _shown(checked: Checked) -> str:
    return shortened(checked.question.question, N_EXAMPLE)


def check_questions(
    questions: object,
    documents: "Documents | Sequence[object] | str | Path",
    *,
    map: Mapping[str, str] | None = None,
    judge: "JudgeLike | JudgeConfig | None" = None,
    encoder: "Encoder | str | None" = None,
    cache: str | Path | None = None,
) -> CheckedQuestions:
    """Check a test set against its documents: which questions are sound, and what is wrong with the others.

    `questions`: a file, a frame or rows, your own or of any tool; `map` names columns as in `load`.
    `documents`: files, folders, or documents of other libraries. Without a judge the same input gives the
    same result. A `judge` adds two calls for each sound question: does it answer without the documents, and
    does its answer from the passage agree with the reference? Its replies are kept in `cache`. An `encoder` adds the rank of
    its passage under it. Raises DataError for questions or documents that cannot be read.

    >>> rows = [{"id": "q1", "question": "How long is it, according to the text?", "references": ["30 days"]}]
    >>> found = check_questions(rows, [{"id": "d1", "text": "Leave is 30 days a year."}])
    >>> found.n_sound, found.checked[0].problems
    (0, ['not_standalone'])
    """
    passages = documents_of(documents)
    read, _ = read_questions(questions, map=map)
    source = str(questions) if isinstance(questions, str | Path) else "questions"
    checked = check(read, passages)
    if judge is not None:
        from ragauge.judges.config import judge_config_of
        from ragauge.questions.models import with_judge

        checked = with_judge(checked, passages, judge_config_of(judge), cache)
    if encoder is not None:
        from ragauge.questions.models import with_encoder

        checked = with_encoder(checked, passages, encoder)
    return CheckedQuestions(checked, passages, source)
