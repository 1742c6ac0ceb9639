"""Facts that a text states, read by one reader and compared with those of another text."""
