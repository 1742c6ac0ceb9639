"""Samples: their fields, in a frame or in a file; selecting among them."""
