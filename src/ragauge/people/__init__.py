"""People's labels: reading, reviewing, calibrating metrics and judges against them."""
