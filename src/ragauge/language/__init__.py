"""Text analysis: numbers, dates, names, sentences, refusals. It knows nothing of samples or metrics."""
