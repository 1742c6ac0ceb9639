"""Dates and times of a text, each with the parts that it states."""
