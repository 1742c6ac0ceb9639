"""Refusals: where an answer says that it does not answer."""
