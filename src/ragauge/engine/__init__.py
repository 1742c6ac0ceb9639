"""The engine: a plan of shared work, run batch by batch wherever there is room for it."""
