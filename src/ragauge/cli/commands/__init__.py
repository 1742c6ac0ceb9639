"""One file per command: its options, one call of the library, and what it prints."""
