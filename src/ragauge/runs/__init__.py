"""Runs: scores with what made them, kept in folders, summarised and looked into."""
