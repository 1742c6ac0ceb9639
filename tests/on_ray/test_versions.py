"""A worker that would compute with other code than the driver is refused."""

import platform
from dataclasses import replace
from pathlib import Path

import pytest

from ragauge.on_ray.batches import Envelope, measure_batch
from ragauge.on_ray.versions import Versions, module_digest


def here(*modules: str) -> Versions:
    return Versions.here(modules, {"polars": __import__("polars").__version__})


def test_the_same_process_has_no_difference():
    versions = here("ragauge.metrics.overlap", "__main__")
    assert versions.difference_here() is None
    assert versions.code_difference_here() is None


def test_another_python_or_ragauge_is_named():
    assert replace(here(), python="3.10.1").difference_here() == (
        f"Python {platform.python_version()} instead of 3.10.1"
    )
    assert "instead of 0.0.1" in (replace(here(), ragauge="0.0.1").difference_here() or "")


def test_other_packages_and_modules_are_named():
    versions = replace(
        here(),
        packages={"polars": "0.1", "no-such-package": "1.0"},
        modules={"ragauge.metrics.overlap": "0" * 64, "no_such_module": "0" * 64},
    )
    said = versions.code_difference_here() or ""
    assert "polars" in said
    assert "instead of 0.1" in said
    assert "no-such-package is missing instead of 1.0" in said
    assert "the module ragauge.metrics.overlap differs" in said
    assert "and 1 more" in said


def test_the_data_beside_a_module_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "counted_module.py").write_text("A = 1\n")
    alone = module_digest("counted_module")
    (tmp_path / "counted_module.json").write_text("{}")
    assert module_digest("counted_module") != alone


def test_a_job_whose_code_cannot_be_read_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ragauge.on_ray.batches._node", lambda: "node")
    packed = b"cno_such_module\nfunction\n."  # what pickle writes of a function by name
    envelope = Envelope("job", replace(here(), modules={"no_such_module": "0" * 64}), packed)
    outcome = measure_batch(lambda reference: reference, envelope, "job", 0, (0, None))
    assert outcome.ending == "refused"
    assert outcome.reason == "the module no_such_module is missing"
