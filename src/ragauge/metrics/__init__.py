"""The metrics: one idea a file, found by the catalog without being listed anywhere."""
