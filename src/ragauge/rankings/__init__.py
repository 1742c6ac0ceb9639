"""Rankings scored against judgements: hits, measures, names of measures, fusion."""
