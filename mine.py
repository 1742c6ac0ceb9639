
import ragauge as rg

def doubled(sums):
    return [FACTOR * total / n for total, n in sums]

FACTOR = 3

@rg.metric(version=1, high=None, aggregate=doubled)
def twice(answer: str) -> rg.Score:
    """The answer's length; of many answers twice its mean."""
    return rg.Score(len(answer), evidence={"parts": [len(answer), 1]})
