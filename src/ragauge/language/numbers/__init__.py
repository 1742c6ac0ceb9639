"""Numbers of a text as values, with unit, scale and sign, and when two agree."""
