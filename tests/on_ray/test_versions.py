"""A worker that would compute with other code than the driver is refused."""

import platform

import polars
import pytest

from ragauge.on_ray.worker import Worker, difference, versions

HERE = versions(["polars"])


@pytest.mark.parametrize(
    ("there", "says"),
    [
        ({}, ""),
        ({"Python": "3.10.1"}, f"Python {platform.python_version()} instead of 3.10.1"),
        ({"ragauge": "1 (sources 12)"}, f"ragauge {HERE['ragauge']} instead of 1 (sources 12)"),
        (
            {"polars": "0.1", "no-such-package": "1.0"},
            f"polars {polars.__version__} instead of 0.1; no-such-package is missing instead of 1.0",
        ),
    ],
)
def test_what_differs_is_named(there, says):
    assert difference(HERE | there) == says


def test_a_job_whose_code_cannot_be_read_is_refused():
    packed = b"cno_such_module\nfunction\n."  # what pickle writes of a function by name
    worker = Worker(HERE, packed, ())
    assert worker.ready() == "ModuleNotFoundError: No module named 'no_such_module'"
