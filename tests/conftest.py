import time
from pathlib import Path

import pytest

from ragauge import catalog
from ragauge.metric import FEATURES, METRICS

HANDBOOK = Path(__file__).parents[1] / "examples" / "handbook" / "answers.jsonl"


@pytest.fixture
def own_metrics():
    """Metrics and features that a test declares are forgotten after it."""
    catalog.metrics()
    metrics, features = dict(METRICS), dict(FEATURES)
    yield
    for known, before in ((METRICS, metrics), (FEATURES, features)):
        known.clear()
        known.update(before)


@pytest.fixture
def handbook():
    """The bundled example's answers."""
    return HANDBOOK


class BoundedTime:
    """Fails when what is done within takes processor time that only a worse than linear way takes."""

    limit_s = 30.0

    def __enter__(self) -> None:
        self.start = time.process_time()

    def __exit__(self, *raised: object) -> None:
        assert time.process_time() - self.start < self.limit_s, "takes more than linear time"


@pytest.fixture
def bounded_time() -> BoundedTime:
    return BoundedTime()
