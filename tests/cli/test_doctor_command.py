"""`ragauge doctor`: what is here and what is not."""

import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest

from ragauge import catalog
from ragauge.cli.commands import doctor as doctor_command


def test_every_dependency_and_every_extra_has_its_row():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    needed = (re.split(r"[>=<]", each)[0] for each in project["dependencies"])
    assert sorted(needed) == sorted(doctor_command.NEEDED)
    extras = project["optional-dependencies"]
    assert extras.keys() == doctor_command.EXTRAS.keys()
    for extra, (package, _) in doctor_command.EXTRAS.items():
        assert package in " ".join(extras[extra])


@pytest.mark.slow
def test_a_sound_installation_is_told_row_by_row(ragauge, tmp_path):
    done = ragauge("doctor", code=0, err="")
    for package in ("python", "ragauge", "polars", "numpy", "rich", "click", "rapidfuzz"):
        assert re.search(rf"^{package} +\d+\.\d+\S* +ok *$", done.out, re.MULTILINE)
    assert re.search(rf"^metrics +{len(catalog.metrics())} +ok *$", done.out, re.MULTILINE)
    assert "no telemetry" in done.out
    assert list(tmp_path.iterdir()) == [], "it changes nothing"


@pytest.mark.slow  # it imports every extra that is installed
def test_an_extra_that_is_not_there_comes_with_its_install_line(ragauge, monkeypatch):
    monkeypatch.setattr(doctor_command, "_version", lambda name: None if name == "nltk" else "1.0")
    done = ragauge("doctor", code=0)
    assert re.search(r"^nltk +– +not installed; .*pip install 'ragauge\[nltk\]'", done.out, re.M)


def test_something_needed_that_is_not_there_is_an_error(ragauge, monkeypatch):
    there = set(doctor_command.NEEDED) - {"numpy"}  # and no extra, which it would import
    monkeypatch.setattr(doctor_command, "_version", lambda name: "1.0" if name in there else None)
    done = ragauge("doctor", code=2)
    assert re.search(r"^numpy +– +not installed: pip install ragauge", done.out, re.MULTILINE)
    (table,) = json.loads(ragauge("doctor", "-f", "json", code=2).out)["tables"]
    assert {row["component"]: row["version"] for row in table["rows"]}["numpy"] is None


@pytest.mark.slow
def test_a_broken_package_is_told_and_does_not_stop_the_others(ragauge, monkeypatch):
    found = importlib.import_module

    def breaks(name: str, package: str | None = None) -> object:
        if name == "sacrebleu":
            raise OSError("cannot load a library")
        return found(name, package)

    monkeypatch.setattr(importlib, "import_module", breaks)
    done = ragauge("doctor")
    assert "broken (OSError: cannot load a library); reinstall it" in done.out
    assert "no telemetry" in done.out
