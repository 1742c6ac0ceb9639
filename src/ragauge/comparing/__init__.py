"""Compare systems question by question: differences, intervals, tests."""
