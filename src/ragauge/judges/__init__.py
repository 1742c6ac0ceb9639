"""Judges: models that are asked for verdicts, and how their replies are read."""
