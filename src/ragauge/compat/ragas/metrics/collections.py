"""The second place at which ragas 0.4 has its metrics."""

from ragauge.compat.ragas.metrics import *  # noqa: F403
from ragauge.compat.ragas.metrics import __getattr__ as __getattr__
