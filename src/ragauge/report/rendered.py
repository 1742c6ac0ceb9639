"""What shows at a Python prompt and in a notebook."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Rendered:
    """Something to look at: `text` at a Python prompt, `html` in a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html
