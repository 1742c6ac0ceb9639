"""Batches on a Ray cluster: this machine sends rows to the workers and writes the scores that come back."""
