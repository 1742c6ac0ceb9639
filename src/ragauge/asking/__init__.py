"""Asking: run the systems under test, and keep what each of them answered, how long it took and what it cost.

A target (`target`) answers one question; what it returned is read as a sample is (`returned`). `Asking` asks every question of every
system, a limited number at a time, and keeps each answer in a ledger before it is used, so that nothing answered is asked twice.
`ask` is the whole of it: questions and targets in, `Answers` out. A fault is an answer without a value that says what happened.
"""
