"""Reading of rankings and judgements: TREC files, tables, JSON, samples."""
