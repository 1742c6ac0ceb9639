"""Encoders: models that turn texts into vectors, on this machine or behind an endpoint."""
