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
