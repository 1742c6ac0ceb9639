"""Large files as samples in a file of their own, read and written piece by piece.

The same reading and the same checks as in memory, with the same messages. What depends on all rows is
decided from the rows read so far; if a later row changes a decision that earlier rows needed, the files
are read once more with what is known now.
"""
