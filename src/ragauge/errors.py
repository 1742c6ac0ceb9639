"""The exceptions that ragauge raises, each with its exit code; any other exception is a bug."""

from collections.abc import Iterable
from dataclasses import dataclass


class RagaugeError(Exception):
    """An error that the user can fix; the message says what is wrong and what to do."""

    exit_code = 2


class DefinitionError(RagaugeError):
    """The declaration of a metric or feature is invalid."""


class LabelError(RagaugeError):
    """A metric label does not parse, or names an unknown metric or setting."""


class SuiteError(RagaugeError):
    """A suite or configuration file is invalid."""


class FilterError(RagaugeError):
    """A `--where` expression does not parse, or compares values of different types."""


class PlanError(RagaugeError):
    """The arguments are invalid or incomplete; lists every problem at once. `problems`: one, or several."""

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(self.problems)


class MetricError(RagaugeError):
    """A metric or feature raised an error on a sample, which stops the run."""


class MissingExtraError(RagaugeError):
    """A required optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(what, extra)

    def __str__(self) -> str:
        return f"{self.what}; install it with: pip install 'ragauge[{self.extra}]'"


class ModelError(RagaugeError):
    """`is_down`: the model could not be reached or did not answer, so others would fail too."""

    exit_code = 6

    def __init__(self, message: str, *, is_down: bool = False) -> None:
        self.is_down = is_down
        super().__init__(message)


class EncoderError(ModelError):
    """An encoder cannot be opened, or returns no vectors."""


class JudgeError(ModelError):
    """A judge cannot be opened, or returns no reply."""


class ClusterError(RagaugeError):
    """A Ray cluster cannot be reached, or its workers cannot do the work."""

    exit_code = 6


class WorkerError(RagaugeError):
    """The processes that measure batches were killed."""

    exit_code = 5


class StoreError(RagaugeError):
    """A run folder or output file cannot be read or written."""

    exit_code = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem in the data: where it is and what to do about it.

    `line` counts from 1; None if the format has no lines. `field` and `id` are None if the problem
    concerns the whole row or file.
    """

    message: str
    source: str
    line: int | None = None
    field: str | None = None
    id: str | None = None

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        details = [f"id {self.id!r}"] * (self.id is not None)
        details += [f"field {self.field!r}"] * (self.field is not None)
        return f"{place}: {', '.join(details)}{': ' if details else ''}{self.message}"


class DataError(RagaugeError):
    """The data cannot be read; every problem names its file, line, field and id."""

    exit_code = 3
    shown = 20

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        n_more = len(self.problems) - self.shown
        more = [f"… and {n_more} more problems"] if n_more > 0 else []
        return "\n".join([*map(str, self.problems[: self.shown]), *more])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the most similar known words; empty if none is similar."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
