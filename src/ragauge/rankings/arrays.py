"""The kinds of arrays that rankings are held in, and the precision in which document scores are compared."""

from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Compat = Literal["trec9", "trec10"]
"""trec_eval 9 compares scores as 32-bit floats, trec_eval 10 as 64-bit floats."""

ComparedScores = NDArray[np.float32] | NDArray[np.float64]
"""Scores in the precision in which they are compared."""


def compared(scores: Floats, compat: Compat) -> ComparedScores:
    """The scores in the precision in which they are compared; beyond 32 bits all are infinite, as in trec_eval."""
    with np.errstate(over="ignore"):
        narrow = scores.astype(np.float32 if compat == "trec9" else np.float64, copy=False)
    return cast(ComparedScores, narrow)
