"""A worker that would compute with other code than the driver is refused."""

import platform
from dataclasses import replace

import polars
import pytest

from ragauge.on_ray.batches import Worker
from ragauge.on_ray.versions import Versions

HERE = Versions.here({"polars": polars.__version__})


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ({}, ""),
        ({"python": "3.10.1"}, f"Python {platform.python_version()} instead of 3.10.1"),
        ({"ragauge": "0.0.1"}, f"ragauge {HERE.ragauge} instead of 0.0.1"),
        ({"sources": "0" * 64}, f"ragauge {HERE.ragauge} with other sources"),
        (
            {"packages": {"polars": "0.1", "no-such-package": "1.0"}},
            f"polars {polars.__version__} instead of 0.1; no-such-package is missing instead of 1.0",
        ),
    ],
)
def test_what_differs_is_named(there, says):
    assert replace(HERE, **there).difference_here() == says


def test_a_job_whose_code_cannot_be_read_is_refused():
    packed = b"cno_such_module\nfunction\n."  # what pickle writes of a function by name
    worker = Worker(HERE, packed, ())
    assert worker.ready() == "ModuleNotFoundError: No module named 'no_such_module'"
