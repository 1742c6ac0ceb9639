"""The HTML page of runs: its typed data and the file."""
