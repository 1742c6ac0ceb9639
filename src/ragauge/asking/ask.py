"""`ask`: questions and targets in, answers out, none of them asked twice."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast
from urllib.parse import urlsplit

from ragauge.asking.asking import Asking, Limits, System, Tally
from ragauge.asking.function import Function, open_command, open_function
from ragauge.asking.http import EndpointOptions, open_chat, open_url
from ragauge.asking.target import GOLD, MEASURED, OpenTarget, Target, unpacked
from ragauge.calls.budget import Budget, Price, Usage, list_price
from ragauge.calls.ledger import Ledger
from ragauge.calls.loop import run as run_on_loop
from ragauge.errors import PlanError, did_you_mean
from ragauge.loaders.mapping import field_of
from ragauge.samples.fields import DEFAULT_SYSTEM, FIELDS, REPEAT_OF
from ragauge.samples.samples import Samples
from ragauge.storage.atomic_files import write_atomically

LEDGER, ANSWERS = "answers.sqlite", "answers.jsonl"
"""The files of an answers folder: what was answered, as it came; and the rows, once all are there."""
MAX_SYSTEMS = 100
ROWS_AT_ONCE = 500
FIRST = ("id", "system", "question", "answer", "contexts", "context_ids", *MEASURED)
"""The columns that a file of answers has first."""
OUTPUTS = (".jsonl", ".csv", ".parquet")
DEFAULT_LIMITS = Limits()
LEFT_OUT = ("system", "answer")
"""Columns of a file of questions that are of somebody else's answers."""
TargetLike: TypeAlias = "str | Function | Target | OpenTarget"
URLS = ("http://", "https://")
CHAT, SHELL = "chat:", "shell:"
"""How the text of a target begins that is a chat model, and one that is a command."""


def ask(
    questions: object,
    target: "TargetLike | Mapping[str, TargetLike]",
    *,
    vary: Mapping[str, Sequence[object]] | None = None,
    folder: str | Path | None = None,
    repeat: int = 1,
    concurrency: int = 8,
    timeout_s: float = 120.0,
    retries: int = 2,
    max_calls: int | None = None,
    max_cost_usd: float | None = None,
    price: tuple[float, float] | None = None,
    again: bool = False,
) -> "Answers":
    """Ask a system every question, and keep its answers, their time and their cost.

    `questions` is anything that `load` takes; its other fields travel along. `target` is a function (sync, async
    or a generator that streams), its name (`"app.py:answer"`, `"package.module:answer"`), the URL of an endpoint,
    `"chat:MODEL"`, `"shell:COMMAND"`, an object with `async def answer(inputs)`, or a mapping of system name to one of these. A function gets the
    question as its first argument, and fields of the row by name. It returns a text, a mapping with `answer`,
    `contexts`, `input_tokens`, `cost_usd` …, or what a pipeline of LangChain, LlamaIndex or Haystack returns.

    `vary={"top_k": [3, 10]}` calls the target with each value, as a system of its own; fields `variant.top_k` say
    which. `repeat` asks each question several times: rows `q1#1`, `q1#2` … with the field `repeat_of`.
    At most `concurrency` questions of a target are asked at once, fewer while it refuses. An answer that takes more than `timeout_s`
    seconds, or that fails, is asked for again up to `retries` times; then it is an answer without a value, whose
    `status` and `reason` say why. `max_calls` and `max_cost_usd` bound each system; `price` is dollars for a million
    input and output tokens.

    With `folder`, each answer is kept there as soon as it comes: the same call resumes after an
    interrupt and asks nothing twice, unless the code of the target, its settings or the question changed. `again` asks again.
    Raises PlanError for a target that cannot be opened, DataError for questions that cannot be read.

    >>> answers = ask([{"id": "q1", "question": "Capital of France?"}], lambda question: "Paris")
    >>> answers.samples.frame.select("id", "answer", "status").rows()
    [('q1', 'Paris', 'ok')]
    """
    return AskPlan.prepare(
        questions,
        target,
        vary=vary,
        folder=folder,
        repeat=repeat,
        limits=Limits(concurrency, timeout_s, retries, again),
        max_calls=max_calls,
        max_cost_usd=max_cost_usd,
        price=price,
    ).run()


@dataclass(frozen=True)
class Answers:
    """The answers of a run of `ask`; `rg.evaluate` takes it as it is.

    `samples`: the rows. `tally`: how many were asked, kept from before, failed. `stopped`: why the rest was not
    asked; empty where all was.
    """

    samples: Samples
    tally: Tally
    stopped: str = ""
    folder: Path | None = None

    def __repr__(self) -> str:
        n, failed = f"{len(self.samples):,} of {self.tally.n:,}", f"{self.tally.n_failed:,} failed"
        return f"<Answers {n}; {failed}>"

    def __len__(self) -> int:
        return len(self.samples)

    def write(self, path: str | Path) -> None:
        """Write the rows to a .jsonl, .csv or .parquet file; in CSV, lists are JSON."""
        path, samples = Path(path), self.samples
        check_output(path)
        columns = sorted(samples.columns, key=lambda name: [*FIRST, name].index(name))

        def as_json(value: object) -> str | None:  # which a cell of CSV can hold
            return None if value is None else json.dumps(value, ensure_ascii=False)

        def write(file: BinaryIO) -> None:
            if path.suffix == ".jsonl":
                pieces = (piece.select(columns) for piece in samples.pieces())
                _write_lines((row for piece in pieces for row in piece.iter_rows(named=True)), file)
                return
            frame = samples.frame.select(columns)
            if path.suffix == ".parquet":
                frame.write_parquet(file)
                return
            import polars as pl

            nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
            texts = {name: [as_json(value) for value in frame[name].to_list()] for name in nested}
            cells = [pl.Series(name, values, pl.String) for name, values in texts.items()]
            frame.with_columns(cells).write_csv(file)

        write_atomically(path, write)


@dataclass(frozen=True)
class AskPlan:
    """What is to be asked, read and checked."""

    systems: tuple[System, ...]
    questions: Samples
    limits: Limits
    repeat: int
    budget: Budget
    folder: Path | None

    @classmethod
    def prepare(
        cls,
        questions: object,
        target: "TargetLike | Mapping[str, TargetLike]",
        *,
        vary: Mapping[str, Sequence[object]] | None = None,
        folder: str | Path | None = None,
        repeat: int = 1,
        limits: Limits = DEFAULT_LIMITS,
        max_calls: int | None = None,
        max_cost_usd: float | None = None,
        price: tuple[float, float] | None = None,
        options: EndpointOptions | None = None,
    ) -> "AskPlan":
        """Open the targets and read the questions; takes the arguments of `ask`, raises PlanError with every problem."""
        from ragauge.loaders.loading import load

        _check(limits, repeat, max_calls, max_cost_usd)
        targets: Mapping[str, TargetLike] = (
            cast("Mapping[str, TargetLike]", target)
            if isinstance(target, Mapping)
            else {name_of(target): target}
        )
        opened = {name: open_target(given, options) for name, given in targets.items()}
        samples = as_questions(questions if isinstance(questions, Samples) else load(questions))
        own = Price(*price) if price is not None else None
        systems = tuple(_systems(opened, vary or {}, own))
        _check_inputs(opened, samples, vary or {})
        budget = Budget(max_calls, max_cost_usd, own)
        place = None if folder is None else Path(folder)
        return cls(systems, samples, limits, repeat, budget, place)

    @property
    def n_answers(self) -> int:
        return len(self.systems) * self.questions.frame["id"].n_unique() * self.repeat

    def n_unanswered(self) -> int:
        """How many answers are still to be asked for."""
        asking = self._asking(lambda _: None)
        with closing(asking.writer):
            keys = [job.key for job in asking.jobs()]
            return len(keys) - (0 if self.limits.again else len(asking.ledger.find(keys)))

    def _asking(self, listener: Callable[[Tally], None]) -> Asking:
        ledger = Ledger(":memory:" if self.folder is None else self.folder / LEDGER, unpacked)
        usages = {
            each.name: Usage(each.name, replace(self.budget, price=each.price), ledger)
            for each in self.systems
        }
        rows = question_rows(self.questions)
        return Asking(self.systems, rows, self.repeat, self.limits, ledger, usages, listener)

    def run(self, listener: Callable[[Tally], None] = lambda _: None) -> Answers:
        """Ask what is not answered yet. `listener` gets each answer, on another thread."""
        from ragauge.loaders.loading import load

        asking = self._asking(listener)
        with closing(asking.writer):
            path = None if self.folder is None else self.folder / ANSWERS
            if path is not None:
                path.unlink(missing_ok=True)
            run_on_loop(asking.run())
            rows = _rows(asking, self.repeat)
            if path is not None:
                write_atomically(path, lambda file: _write_lines(rows, file))
            samples = replace(load(list(rows) if path is None else path), notes=())
            return Answers(samples, asking.tally, asking.stopped, self.folder)


def open_target(given: TargetLike, options: EndpointOptions | None = None) -> OpenTarget:
    """The target; PlanError if it cannot be opened. `options` are of endpoints."""
    options = options or EndpointOptions()
    if isinstance(given, OpenTarget):
        return given
    if isinstance(given, str) and given.startswith(URLS):
        return open_url(given, options)
    if isinstance(given, str) and given.startswith(CHAT):
        return open_chat(given.removeprefix(CHAT), options)
    if isinstance(given, str) and given.startswith(SHELL):
        return open_command(given.removeprefix(SHELL), options.version)
    return open_function(given)


def name_of(given: TargetLike) -> str:
    """What a system is called whose target this is: the function, the host, the model, the command.

    >>> name_of("app.py:answer"), name_of("https://me:key@host/ask"), name_of("chat:gpt-4o-mini")
    ('answer', 'host', 'gpt-4o-mini')
    """
    if isinstance(given, OpenTarget):
        return given.name
    if not isinstance(given, str):
        name = str(getattr(given, "__name__", type(given).__name__))
        return "target" if name.startswith("<") else name
    if given.startswith(URLS):
        return urlsplit(given).netloc.rpartition("@")[2] or "target"
    if given.startswith(SHELL):
        return given.removeprefix(SHELL).split()[0].rpartition("/")[2] if given[6:].strip() else ""
    return given.partition(":")[2] if given.startswith(CHAT) else given.rpartition(":")[2] or given


def question_rows(samples: Samples) -> list[dict[str, object]]:
    """Each question once, without nulls and without others' answers, in the order of the samples."""
    rows: dict[str, dict[str, object]] = {}
    for piece in samples.pieces():
        for row in piece.iter_rows(named=True):
            given = ((name, it) for name, it in row.items() if name not in LEFT_OUT)
            fields = {name: it for name, it in given if it is not None}
            if isinstance(judged := fields.get("relevant"), list):
                fields["relevant"] = {
                    str(each["id"]): each["grade"]
                    for each in cast("list[dict[str, object]]", judged)
                }
            rows.setdefault(str(row["id"]), fields)
    return list(rows.values())


def as_questions(samples: Samples) -> Samples:
    """The samples, with `answer` as the expected one where no column has that and no system gave it."""
    columns = samples.columns
    if "answer" not in columns or "references" in columns or samples.systems != (DEFAULT_SYSTEM,):
        return samples
    import polars as pl

    expected = pl.when(pl.col("answer").is_not_null()).then(pl.concat_list("answer"))
    frame = samples.frame.select(pl.exclude("answer"), expected.alias("references"))
    note = "read 'answer' as references: as the expected answer"
    return replace(samples, rows=frame, notes=(*samples.notes, note))


def _systems(
    opened: Mapping[str, OpenTarget], vary: Mapping[str, Sequence[object]], price: Price | None
) -> Iterator[System]:
    """Every target with every combination of the varied settings, named by them."""
    n = len(opened)
    for values in vary.values():
        n *= len(values)
    if n > MAX_SYSTEMS:
        most = f"at most {MAX_SYSTEMS} are asked at a time, vary fewer settings or values"
        raise PlanError(f"{n:,} combinations of systems and settings; {most}")
    names: set[str] = set()
    for name, target in opened.items():
        listed = list_price(target.model) if target.model and price is None else None
        own = price if listed is None else listed[0]
        for values in product(*vary.values()):
            variant = dict(zip(vary, values, strict=True))
            shown = " ".join(f"{key}={value}" for key, value in variant.items())
            full = " ".join(filter(None, (name if len(opened) > 1 or not shown else "", shown)))
            if full in names:
                advice = "give each a name, and vary each value once"
                raise PlanError(f"two systems are called {full!r}; {advice}")
            names.add(full)
            yield System(full, target, variant, own)


def _check(limits: Limits, repeat: int, max_calls: int | None, max_cost: float | None) -> None:
    """PlanError for numbers out of range."""
    numbers = (
        ("concurrency", limits.concurrency, 1),
        ("retries", limits.retries, 0),
        ("repeat", repeat, 1),
        ("max_calls", 1 if max_calls is None else max_calls, 1),
    )
    problems = [
        f"{name} must be a whole number of at least {least}, got {number!r:.60}"
        for name, number, least in numbers
        if type(number) is not int or number < least
    ]
    problems += [
        f"{name} must be above 0, got {number!r:.60}"
        for name, number in (("timeout_s", limits.timeout_s), ("max_cost_usd", max_cost))
        if number is not None and not 0 < number < float("inf")
    ]
    if problems:
        raise PlanError(problems)


def _check_inputs(
    opened: Mapping[str, OpenTarget], samples: Samples, vary: Mapping[str, Sequence[object]]
) -> None:
    """PlanError for settings that a target does not take, and for fields that it needs and nobody gives."""
    problems = [f"--vary {name} has no value" for name, values in vary.items() if not values]
    columns = [name for name in samples.columns if name not in LEFT_OUT]
    if "question" in columns:
        texts = samples.frame["question"].fill_null("").str.strip_chars()
        blank = samples.frame.filter(texts == "")["id"].unique(maintain_order=True).to_list()
        shown = ", ".join(map(repr, blank[:5])) + (" …" if len(blank) > 5 else "")
        what = f"the question of {shown} is blank; fill it, or remove the row"
        problems += [what] if blank else []
    else:
        problems.append(
            f"the questions have no field question; they have {', '.join(columns)}; "
            "name it with --map question=COLUMN"
        )
    for name, target in opened.items():
        known = target.settings
        problems += [
            f"the target {name} takes no setting {each!r}"
            f"{did_you_mean(each, known) or '; it takes ' + (', '.join(sorted(known)) or 'none')}"
            for each in vary
            if known is not None and each not in known
        ]
        problems += [
            f"the target {name} needs {each!r}, which is no field of the questions; they have "
            f"{', '.join(columns)}; or give it with --vary {each}=VALUE"
            for each in sorted(target.required - set(columns) - set(vary))
        ]
    if problems:
        raise PlanError(problems)


def check_output(path: Path) -> None:
    """PlanError for a file that answers cannot be written to."""
    if path.suffix not in OUTPUTS:
        raise PlanError(f"{path}: answers are written as {', '.join(OUTPUTS)}")


def _rows(asking: Asking, repeat: int) -> Iterator[dict[str, object]]:
    """The row of each answer; what was not asked has none."""
    jobs = asking.jobs()
    while some := list(islice(jobs, ROWS_AT_ONCE)):
        found = asking.ledger.find([job.key for job in some])
        for job in some:
            answer = asking.failures.get(job.key) or found.get(job.key)
            if answer is None:
                continue
            own, number = dict(job.question), job.repeat + 1
            row: dict[str, object] = {"id": own.pop("id"), "system": job.system.name}
            if repeat > 1:
                row |= {"id": f"{job.id}#{number}", REPEAT_OF: job.id, "repeat": number}
            row["question"] = own.pop("question", None)
            row |= _renamed(answer.row(), own)
            if row["contexts"] is None and "contexts" in own:  # given, not retrieved
                row |= {name: own.get(name) for name in ("contexts", "context_ids")}
            row |= {name: value for name, value in own.items() if row.get(name) is None}
            yield row | {f"variant.{name}": it for name, it in job.system.variant.items()}


def _renamed(returned: Mapping[str, object], question: Mapping[str, object]) -> dict[str, object]:
    """What the target returned; `returned.NAME` where loaders read that as the right answer or as another answer,
    or where the question has that field."""
    of_others = {name for name in returned if name != "answer" and field_of(name) in GOLD}
    of_others |= question.keys() - FIELDS
    row: dict[str, object] = {}
    for name, value in returned.items():
        if name not in of_others:
            row[name] = value
        elif value != question.get(name):
            row[f"returned.{name}"] = value
    return row


def _write_lines(rows: Iterator[Mapping[str, object]], file: BinaryIO) -> None:
    for row in rows:
        line = json.dumps(row, ensure_ascii=False, default=str)
        file.write(line.encode("utf-8", "surrogatepass") + b"\n")
