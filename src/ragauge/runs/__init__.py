"""Runs: scores with what made them, kept in folders, summarised and looked into.

A batch is a range of consecutive rows; its scores are one part, its evidence another, with the same rows in the same order. Nothing
merges parts, and nothing that needs only values reads evidence: `Run.scan()` is a lazy frame over the parts of scores, and
summaries, findings and `show` read through it, some parts at a time (`runs/scores.py`): `runs/outcomes.py` counts what became of
the scores, `runs/group_totals.py` adds up groups of more than 50,000 questions, `runs/scores.py` finds the rows of a question. What a large run shows first is kept in `results.json` (`runs/stored_results.py`),
with the digest of its scores. Comparisons are read in pieces into arrays, some metrics at a time (`comparing/paired_scores.py`). What evidence must tell without being read is in the column `flags`. What a metric
adds to its own aggregate is in `parts`.

How a metric is aggregated is stored with the run: "mean", "sum" and "geometric_mean" by name, an aggregate of the metric's own by
the module, file and digest of its code. If that code is not loaded or has changed, the summary has no value and `Run.problems` says
how to load it. So no later code can change the number of a stored run.
"""
