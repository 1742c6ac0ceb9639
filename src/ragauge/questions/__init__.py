"""Questions with known answers about documents: written, checked by code, and kept with their checks."""
