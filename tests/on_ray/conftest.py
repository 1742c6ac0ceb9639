"""A Ray cluster of two nodes on this machine, for tests; without Ray they are skipped."""

import os
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

# Before Ray is imported, which otherwise sends statistics, and listens on all interfaces.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
OBJECT_STORE = 200 * 2**20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with a CPU each. The second one is `cluster.second`; a test may end it."""
    utilities = pytest.importorskip("ray.cluster_utils", reason="pip install 'ragauge[ray]'")
    import ray

    head = {"num_cpus": 1, "object_store_memory": OBJECT_STORE, "include_dashboard": False}
    cluster = utilities.Cluster(initialize_head=True, head_node_args=head)
    try:
        cluster.second = cluster.add_node(
            num_cpus=1, object_store_memory=OBJECT_STORE, env_vars={"NODE_OF_TEST": "second"}
        )
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture
def plugin(tmp_path) -> Iterator[Callable[[str], ModuleType]]:
    """Import a file of metrics as `--plugin` does; its name is the test's own."""
    import sys

    from ragauge.cli.options import import_plugins
    from ragauge.metric import METRICS

    def imported(source: str) -> ModuleType:
        file = tmp_path / f"{tmp_path.name.replace('-', '_')}.py"
        file.write_text(source)
        import_plugins([file])
        return sys.modules[f"ragauge_plugin_{file.stem}"]

    known = set(METRICS)
    yield imported
    for name in METRICS.keys() - known:  # another test may define it
        del METRICS[name]
