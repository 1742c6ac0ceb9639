"""People's labels: reading, reviewing, calibrating metrics and judges against them.

A label is a line in `labels.jsonl`, appended under a lock and flushed to disk before the answer "saved" is sent; nothing in the file is
changed (`people/review_labels.py`). So it is read as a whole, and what counts is computed from it (`people/review_verdicts.py`): the last
label of each person, as far as its digest is that of the texts as they are now. Scores know nothing of labels.

At a URL each process that labels has a file of its own; `people/review_labels.py` merges the files by time.

The random sample are the first answers of an order that follows from the digest of seed, id and system. Each label keeps the place of
its answer, so whatever else was labelled, `calibrate --sample-only` finds the longest beginning of the order that is labelled without
a gap: a random sample.

The server sends automatic verdicts and other people's labels only after a person's own label (`page/review_view.py`), so that the
page cannot show them too early.
"""
