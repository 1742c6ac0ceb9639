"""The second place at which ragas has `embedding_factory`."""

from ragauge.compat.ragas.embeddings import __getattr__ as __getattr__
from ragauge.compat.ragas.embeddings import embedding_factory as embedding_factory
