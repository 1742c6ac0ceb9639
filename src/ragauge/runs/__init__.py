"""Runs: scores with what made them, kept in folders, summarised and looked into.

A batch is a range of consecutive rows; its scores are one part, its evidence another, with the same
rows in the same order. Nothing merges parts, and nothing that needs only values reads evidence: what
that must tell is in the column `flags`, what a metric adds to its own aggregate in `parts`. A custom
aggregate is stored by its code's digest: no later code can change the number of a stored run.
"""
