"""Rankings and their judgements: TREC files and what else holds them, scanned, compared, fused."""
