"""Doors from other tools: scripts written for ranx, ragas and deepeval run here with their imports changed."""
