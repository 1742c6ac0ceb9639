"""Where conversations go wrong: the first turn whose score is in the worse half of the scale."""

from collections.abc import Iterable
from dataclasses import dataclass

from ragauge.runs.manifest import MetricDisplay
from ragauge.runs.scored_run import ScoredRun


@dataclass(frozen=True, slots=True)
class WrongTurn:
    """The first wrong turn of a conversation, by a metric; `id` is that of the turn."""

    system: str
    conversation: str
    turn: int
    id: str

    @property
    def says(self) -> str:
        """Until when the conversation is right.

        >>> WrongTurn("a", "trip", 4, "trip#4").says
        'right until turn 3'
        """
        return "wrong from turn 1" if self.turn == 1 else f"right until turn {self.turn - 1}"


@dataclass(frozen=True, slots=True)
class WrongTurns:
    """The conversations of a run that go wrong by a metric, and by system how many have a score."""

    metric: MetricDisplay
    first: tuple[WrongTurn, ...]
    n_conversations: dict[str, int]


def wrong_turns(run: ScoredRun, metrics: Iterable[MetricDisplay]) -> WrongTurns | None:
    """The wrong turns by the first of these metrics that scores half of the turns before the last; None if there is none.

    A metric that is scored at the last turn only, such as `state_match`, does not say where a conversation goes wrong.
    """
    import polars as pl

    if not {"conversation", "turn"} <= set(run.samples.columns):
        return None
    keys = ["system", "conversation"]
    turns = run.collect(run.samples.scan().select("id", *keys, "turn"))
    turns = turns.with_columns(last=pl.col("turn").max().over(keys)).filter(pl.col("last") > 1)
    is_before_last = pl.col("turn") < pl.col("last")
    n_before_last = turns.filter(is_before_last).height
    value = pl.col("value")
    for metric in metrics if turns.height else ():
        if metric.middle is None or not metric.is_ranked:
            continue
        of_metric = run.scan().filter(pl.col("metric") == metric.metric, value.is_not_null())
        values = run.collect(of_metric.select("id", "system", "value"))
        scored = turns.join(values, on=["id", "system"])
        if scored.filter(is_before_last).height * 2 < n_before_last:
            continue
        is_wrong = value > metric.middle if metric.lower_is_better else value < metric.middle
        wrong = scored.filter(is_wrong).sort("turn").unique(keys, keep="first", maintain_order=True)
        n = scored.group_by("system").agg(pl.col("conversation").n_unique())
        found = wrong.sort(*keys).select(*keys, "turn", "id").iter_rows()
        return WrongTurns(metric, tuple(WrongTurn(*each) for each in found), dict(n.iter_rows()))
    return None
