"""The precision in which document scores are compared: as in trec_eval 9 or as in trec_eval 10."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Compat = Literal["trec9", "trec10"]
"""trec_eval 9 compares scores as 32-bit floats, trec_eval 10 as 64-bit floats."""

ComparedScores = NDArray[np.float32] | NDArray[np.float64]
"""Scores in the precision in which they are compared."""


def precision_of(compat: Compat) -> type[np.float32] | type[np.float64]:
    """The type of float in which scores are compared."""
    return np.float32 if compat == "trec9" else np.float64
