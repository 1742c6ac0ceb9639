"""Rankings scored against judgements: hits, measures, names of measures, fusion.

A ranking measure is written once, over `Hits`: the ranks and grades of the *judged* documents of many queries, and counts. As a
metric it takes the feature `ranking`, which makes one such table of a batch of samples; `rank` makes the table from files.
Documents that nobody judged are counted, but never become objects: `reading/scan.py` finds the fields of a piece of a file,
`reading/fields.py` hashes names and looks the hashes up among the judged ones, compares bytes only on a hit, and orders names only
where scores tie with a judged document's. Repeated documents are found by hash, then compared. A run whose queries are contiguous
is scanned piece by piece; otherwise it is read completely and its lines grouped by query. Each stage has a test against the plain
slow way.

A query without relevant documents has no value (`undefined`); whether it adds 0 to a mean, as in trec_eval, or nothing, is a
setting of `rank`.
"""
