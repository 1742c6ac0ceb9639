"""Columns computed from other columns and shared by the metrics that name them."""
