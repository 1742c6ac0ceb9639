"""Judges: models that are asked for verdicts, and how their replies are read.

A question is data (`judges/questions.py`): the name of a prompt, the texts that fill it, the schema of the reply, a function that
reads it, and an example reply. `JudgeSession.ask` writes it out with delimiters, looks it up in the ledger by everything that
determines the reply, asks if the budget allows, stores the reply before it is used, reads it strictly, and shows it to the judge
once if it cannot be read. The result is the answer or a `Score` without a value, which the engine treats like any other gap. So
neither a feature nor a metric knows about failures, budgets or caches.

The engine starts everything in a batch that waits for judges before it waits for any of it: each row of each node is a task on one
event loop in its own thread. Two batches are in progress at a time. The client decides how many requests are in flight
(`calls/rate_limit.py`). Under a budget the executor gives the engine only as many rows at a time as the rest of the budget covers, so
that it ends between two rows. Once a judge has refused a call for its budget, it refuses all.

The ledger is a table in the cache file, written with full synchronisation by one thread. To resume, run again.

A dry run is the same run with stand-in replies, so it counts real questions instead of applying a formula. With `repeat` the scores
that depend on judges are measured several times and averaged; several judges are several columns.
"""
