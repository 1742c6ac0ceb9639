"""Calls that take time and cost money, whoever makes them: how many at once, what they may cost, what they brought.

Everything waits on one event loop in its own thread (`loop`). `RateLimiter` decides how many calls are in flight, `Usage` whether
the budget allows another one, and the ledger keeps each reply before it is used, so that no call is paid for twice, even by two
processes (`leases`). What a call asks and what its reply means is the business of the rooms above.
"""
