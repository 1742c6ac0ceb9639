"""Doors from other tools: a script changes one import and runs; what a door does not cover says so."""
