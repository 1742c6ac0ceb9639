"""What an answer states of a reference, and what contradicts it."""
