"""The second place at which deepeval has its base class."""

from ragauge.compat.deepeval.models import DeepEvalBaseLLM as DeepEvalBaseLLM
from ragauge.compat.deepeval.models import __getattr__ as __getattr__
