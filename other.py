import ragauge as rg

@rg.metric(high=None)
def twice(answer: str) -> float:
    "Other."
    return 7.0
