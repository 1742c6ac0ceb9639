"""How a run shows in notebooks and at a Python prompt. `runs` does not format: `report` implements it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", contravariant=True)
"""A run."""


@dataclass(frozen=True, slots=True, repr=False)
class Rendered:
    """Something to look at: `text` at a Python prompt, `html` in a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class Renderer(Protocol[R]):
    """Shows a run and its parts."""

    def run_text(self, run: R) -> str:
        """The run's first screen as text."""
        ...

    def run_html(self, run: R) -> str:
        """The run's summary as HTML."""
        ...

    def question(self, run: R, id: str) -> Rendered:
        """One question with its answers and scores."""
        ...

    def answers_html(self, run: R, metric: str, answers: "pl.DataFrame") -> str:
        """Answers with their values of a metric, as HTML."""
        ...

    def report_frame(self, run: R) -> Rendered:
        """The run's page in a frame of a notebook."""
        ...

    def write_report(self, run: R, path: Path) -> None:
        """Write the run's page as one HTML file."""
        ...
