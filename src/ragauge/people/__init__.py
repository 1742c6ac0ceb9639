"""People's labels: reading, reviewing, calibrating metrics and judges against them.

Labels are lines that are appended and never changed (`people/review_labels.py`); what counts is computed from them
(`people/review_verdicts.py`): the last label of each person, as far as its digest is that of the texts as they are now.
Scores know nothing of labels. The random sample are the first answers of an order that follows from the digest of seed,
id and system: with `calibrate --sample-only` its longest beginning that is labelled without a gap. Automatic verdicts
and other people's labels are sent only after a person's own label, so that the page cannot show them too early.
"""
