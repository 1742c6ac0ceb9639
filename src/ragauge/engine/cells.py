"""Cells of columns, as the engine passes them from node to node.

A column is a sequence with one cell per row, or one cell per pair of row and reference. A cell
without a value is None (the sample has none) or a Score with the reason; nodes that need the cell get
no value for the same reason.
"""

from collections.abc import Sequence

from ragauge.score import Score

Cells = Sequence[object]
Scores = list[Score | None]
"""A metric's score for each row; None where the metric does not apply to the row."""
