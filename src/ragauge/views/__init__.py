"""A run as people see it: the first screen, its tables, one question."""
