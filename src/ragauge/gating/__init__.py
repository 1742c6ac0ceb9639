"""The gate: rules over the numbers of a run that a build has to pass."""
