"""Runs: scores with what made them, kept in folders, summarised and looked into.

A batch is a range of consecutive rows; its scores are one part, its evidence another, with the same rows in the same order. Nothing
merges parts, and nothing that needs only values reads evidence: `scores` are read some parts at a time, and `summary`, `outcomes`
and `findings` are made from these pieces. What a large run shows first is kept in `results.json` (`stored_results`), with the digest
of its scores. What evidence must tell without being read is in the column `flags`; what a metric adds to its own aggregate in `parts`.

How a metric is aggregated is stored with the run: "mean", "sum" and "geometric_mean" by name, an aggregate of the metric's own by
the module, file and digest of its code. If that code is not loaded or has changed, the summary has no value and `Run.problems` says
how to load it. So no later code can change the number of a stored run.
"""
