"""Reports: what a command shows, and one writer for each format. Knows nothing of runs."""
