"""Runs: scores with what made them, kept in folders, summarised and looked into.

A batch is a range of consecutive rows; its scores are one part, its evidence another, with the same rows in the same order. Nothing
merges parts, and nothing that needs only values reads evidence. What evidence must tell without being read is in the column `flags`;
what a metric adds to its own aggregate in `parts`. How a metric is aggregated is stored with the run, a custom aggregate by the digest
of its code, so no later code can change the number of a stored run.
"""
