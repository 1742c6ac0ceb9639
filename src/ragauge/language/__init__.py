"""Text analysis: numbers, dates, claims, sentences, refusals. Independent of samples and metrics."""
