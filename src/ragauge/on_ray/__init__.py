"""Batches on a Ray cluster: each worker reads its rows from storage and writes its part of the run there."""
