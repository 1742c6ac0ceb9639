"""Statistics of columns of scores: intervals, tests, corrections, agreement."""
