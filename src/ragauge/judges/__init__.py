"""Judges: models that are asked for verdicts, and how their replies are read.

A question is data (`questions`): a prompt's name, the texts that fill it, the schema of the reply, a
function that reads it, a likely reply. `JudgeSession.ask` writes it out with delimiters, looks it up in
the ledger by everything that determines the reply, asks if the budget allows, stores the reply before
it is used, reads it strictly, and shows it to the judge once if it cannot be read. The result is the
answer or a `Score` without a value, so neither a feature nor a metric knows about failures, budgets or
caches. All rows of all nodes in a batch are tasks on one event loop in its own thread; the client
decides how many requests are in flight. To resume, run again: the ledger has what was paid.
"""
